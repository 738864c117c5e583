import Federation
import FederationTesting
import Foundation
import JOSE
import NAIL
import OAuth2Grants
import RSD2
import Synchronization
import Wire

extension Device {
    private static let apps = Option(
        name: "app", value: "id=file",
        abstract: "An app that is known: its bundle id, and the file with its public key.", isRepeated: true)
    private static let seed = Option(
        name: "seed", value: "number", abstract: "Make the federation's keys from this number (default: from chance).")
    private static let only = Option(
        name: "only", value: "url", abstract: "Grant this service alone (default: all that can serve the app).",
        isRepeated: true)
    private static let decline = Option(name: "decline", abstract: "Grant nothing, whoever asks.")

    static let serve = Command(
        name: "serve", abstract: "Play the edu-ID app: answer apps at a local socket.", arguments: [folder],
        options: [apps, only, decline, seed],
        discussion: """
            A request with a signature that does not verify gets no answer, nor does one of a known
            app without a signature, one of more than 65536 bytes, or one that takes longer than
            two seconds. Every request is reported on a line of its own.
            """
    ) { (invocation, console) throws(Failure) in
        let folder = try invocation.required(folder)
        var seed = console.entropy.next()
        if let text = invocation[Self.seed] {
            guard let number = UInt64(text) else {
                throw Invocation.invalid(text, Self.seed, "expected a number from 0 to 2^64 - 1")
            }
            seed = number
        }
        var registry: [BundleID: JWKSet] = [:]
        for word in invocation.all(apps) {
            guard let sign = word.firstIndex(of: "="), let id = try? BundleID(parsing: String(word[..<sign])) else {
                throw Invocation.invalid(word, apps, "expected a bundle id, '=', and a file")
            }
            registry[id] = try publicKeys(in: String(word[word.index(after: sign)...]), console)
        }
        var services: Set<ServiceURL> = []
        for text in invocation.all(only) {
            guard let url = try? ServiceURL(parsing: text) else {
                throw Invocation.invalid(text, only, "expected the URL of a service")
            }
            services.insert(url)
        }
        try console.meet()
        guard let channel = LocalListener(at: channel(in: folder)), let network = LocalListener(at: network(in: folder))
        else {
            throw .refused("cannot listen in '\(folder)': it has to be a folder of yours alone (mode 700), and unused")
        }
        let person = Person(declines: invocation.has(decline), only: services)
        let (number, known) = (seed, registry)
        guard let app = waiting({ await ServedApp(seed: number, known, person) }) ?? nil else {
            throw .refused("the federation could not be set up")
        }
        console.say("The edu-ID app answers in '\(folder)'; Ada is signed in.")
        while let place = ready([channel.descriptor, network.descriptor]) {
            if place == 0 {
                if let connection = channel.accept() { console.say(app.answer(connection)) }
            } else if let connection = network.accept() {
                app.network.answer(connection)
            }
        }
    }

    private static func publicKeys(in path: String, _ console: Console) throws(Failure) -> JWKSet {
        let file = try KeyFile(reading: path, from: console).shown()
        return JWKSet(
            file.keys.compactMap { key in
                if case .shown(let shown) = key { shown } else { nil }
            })
    }

    /// The first of these that something waits at; `nil` when standard input has ended.
    private static func ready(_ descriptors: [Int32]) -> Int? {
        while true {
            var places = ([STDIN_FILENO] + descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let count = poll(&places, nfds_t(places.count), -1)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            if let place = places.dropFirst().firstIndex(where: { $0.revents != 0 }) { return place - 1 }
            var piece = [UInt8](repeating: 0, count: 1 << 10)
            guard read(STDIN_FILENO, &piece, piece.count) > 0 else { return nil }
        }
    }

    /// What the person in front of the edu-ID app wants.
    struct Person: Sendable {
        let declines: Bool
        /// The services to grant; all where it is empty.
        let only: Set<ServiceURL>
    }
}

/// The edu-ID app with its screen played by a ``Device/Person``.
final class ServedApp: Sendable {
    let network: SimulatedNetwork
    private let app: AuthorizingExtension
    private let registry: [BundleID: JWKSet]
    private let person: Device.Person

    /// Begins with a federation in which Ada is signed in.
    init?(seed: UInt64, _ registry: [BundleID: JWKSet], _ person: Device.Person) async {
        guard let parties = try? Parties(seed: seed, at: Device.now) else { return nil }
        let network = SimulatedNetwork(parties.federation)
        self.network = network
        self.registry = registry
        self.person = person
        let host = AuthorizingApp.Host(
            send: { network.response(to: $0) }, keep: { _ in }, now: { Device.now }, entropy: { Device.word() })
        app = AuthorizingExtension(parties.session, on: host)
        do {
            try await app.register()
            try await app.signIn(parties.person.name, parties.person.password)
        } catch {
            return nil
        }
    }

    // example: answer an app
    /// Reads a request, answers it or not, and tells which.
    func answer(_ connection: LocalConnection) -> String {
        guard let bytes = connection.receive(atMost: 64 << 10, within: .seconds(2)) else {
            return "no answer: the request is too long, or did not end"
        }
        guard let decision = Device.waiting({ await self.decide(bytes) }) else { return "no answer" }
        guard let answer = decision.answer, !connection.send(answer, within: .seconds(2)) else { return decision.told }
        return decision.told + "; the app did not wait for the answer"
    }

    private func decide(_ bytes: [UInt8]) async -> (answer: [UInt8]?, told: String) {
        do {
            let request = try ProtocolRequest(parsing: bytes)
            let checked = try await app.check(request, against: registry)
            let who = "\(request.appName) (\(request.appID), \(checked.isVerified ? "verified" : "not verified"))"
            var mode = AuthorizationMode(for: request, isSignedIn: true)
            let found = try await app.choices(for: request)
            try mode.note(.found(found))
            let wanted = found.map(\.service).filter { person.only.isEmpty || person.only.contains($0) }
            guard !person.declines, !wanted.isEmpty else {
                try mode.take(.reject)
                return (try ProtocolResponse(to: checked, granting: []).encoded(), "\(who) is granted nothing")
            }
            try pick(request.prefersSingle ? Array(wanted.prefix(1)) : wanted, in: &mode)
            guard case .finish(.accepted(let choice))? = try mode.take(.accept) else {
                return (nil, "no answer: nothing was decided")
            }
            let answer = try await app.answer(checked, with: choice)
            let names = answer.response.documents.compactMap(\.engineName)
            return (answer.response.encoded(), "\(who) is granted: \(names.joined(separator: ", "))")
        } catch {
            return (nil, "no answer: \(error)")
        }
    }
    // end of example

    /// Leaves exactly these picked.
    private func pick(_ wanted: [ServiceURL], in mode: inout AuthorizationMode) throws {
        guard case .selection(let selection) = mode.screen else { return }
        for service in selection.picked where !wanted.contains(service) { try mode.take(.unpick(service)) }
        for service in wanted where !selection.picked.contains(service) { try mode.take(.pick(service)) }
    }
}

/// A simulated federation that several processes reach, at the time that it is.
final class SimulatedNetwork: Sendable {
    private let federation: Mutex<SimulatedFederation>

    init(_ federation: SimulatedFederation) { self.federation = Mutex(federation) }

    func response(to request: HTTP.Request) -> HTTP.Response? {
        federation.withLock { federation in
            federation.now = Device.now
            guard case .absolute(let url) = request.target, let place = Self.service(at: url, in: federation) else {
                return federation.send(request)
            }
            switch federation.use(request, at: place, url) {
            case .refused(let response): return response
            case .granted(let access):
                let answer: JSON = [
                    "user": .string(access.subject.text), "app": .string(access.app?.text ?? ""),
                    "given_name": access.profile["given_name"] ?? .null,
                ]
                return HTTP.Response(.ok, body: answer.encoded())
            }
        }
    }

    /// The service that has a protocol at a URL.
    private static func service(at url: WebURL, in federation: SimulatedFederation) -> Int? {
        federation.services.firstIndex { service in
            let document = service.service.document
            return document.apis.contains { api in
                !api.name.isOAuth2 && (try? document.endpoint(for: api.name))?.covers(url) == true
            }
        }
    }

    /// Lets another process send a request; whoever sends none in two seconds is not waited for.
    func answer(_ connection: LocalConnection) {
        guard let bytes = connection.receive(atMost: LocalMessage.limit, within: .seconds(2)),
            let request = LocalMessage.request(bytes), let response = response(to: request)
        else { return }
        connection.send(LocalMessage.encoded(response), within: .seconds(2))
    }
}
