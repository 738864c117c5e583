import Federation
import Foundation
import JOSE
import NAIL
import OAuth2Grants
import RSD2
import Wire

extension Phone {
    private static let once = Option(name: "once", abstract: "End after the first app.")
    private static let accept = Option(
        name: "accept", value: "url",
        abstract: "Ask nobody: grant these services; 'all' means whatever serves the app.", isRepeated: true)
    private static let decline = Option(name: "decline", abstract: "Ask nobody: grant nothing.")

    static let answer = Command(
        name: "answer", abstract: "Wait for apps that ask for services, and answer them.",
        options: [folder, once, accept, decline],
        discussion: """
            For each app it shows who asks, for what, and which services could serve it; you pick.
            A request with a signature that does not verify gets no answer, nor does one of a
            known app without a signature, one of more than 65536 bytes, or one that takes longer
            than two seconds. It ends with Ctrl-C.
            """
    ) { (invocation, console) throws(Failure) in
        let phone = try PhoneFolder(at: invocation[folder] ?? "", console)
        try console.meet()
        let network = phone.network()
        let session = try phone.session(over: network, console)
        guard session.isSignedIn else {
            let waits = session.pendingSignIn(at: systemTime()).map(advice)
            throw .refused("nobody is signed in; " + (waits ?? "run: eduid phone sign-in NAME"))
        }
        let choosing: Choosing
        if invocation.has(decline) {
            choosing = .nothing
        } else if invocation.has(accept) {
            choosing = try Choosing(granting: invocation.all(accept))
        } else {
            choosing = .asking
        }
        let answering = Answering(
            app: AuthorizingExtension(session, on: try phone.host(over: network, console)),
            registry: try phone.apps(console), choosing: choosing)
        guard let channel = LocalListener(at: phone.channel) else {
            throw .refused("another process answers apps in '\(phone.path)' already")
        }
        if !invocation.has(once) { console.say("Waiting for apps in '\(phone.path)'.") }
        while true {
            guard let connection = channel.next() else { continue }
            console.say(answering.answer(connection))
            if invocation.has(once) { return }
        }
    }
}

extension LocalListener {
    /// Waits for the next process of the same user.
    fileprivate func next() -> LocalConnection? {
        var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&place, 1, -1) > 0 ? accept() : nil
    }
}

/// How it is decided what an app is granted.
enum Choosing: Sendable {
    /// The person is asked.
    case asking
    case all
    case only(Set<ServiceURL>)
    case nothing

    init(granting words: [String]) throws(Failure) {
        if words.contains(where: { $0.spells("all") }) {
            self = .all
            return
        }
        var services: Set<ServiceURL> = []
        for word in words {
            services.insert(try Failure.refusing("the service '\(word)'", try ServiceURL(parsing: word)))
        }
        self = .only(services)
    }

    /// The services to grant among those that can serve an app.
    func chosen(
        among found: [AuthorizingApp.Candidate], for request: ProtocolRequest, from who: String
    ) -> [ServiceURL] {
        let all = found.map(\.service)
        switch self {
        case .nothing: return []
        case .all: return all
        case .only(let services): return all.filter(services.contains)
        case .asking: return Self.asked(found, for: request, from: who)
        }
    }

    private static func asked(
        _ found: [AuthorizingApp.Candidate], for request: ProtocolRequest, from who: String
    ) -> [ServiceURL] {
        func show(_ line: String) {
            _ = Array((Console.harmless(line) + "\n").utf8).withUnsafeBytes {
                write(STDERR_FILENO, $0.baseAddress, $0.count)
            }
        }
        show("\(who) asks for \(request.protocols.map(\.text).joined(separator: ", ")).")
        for (place, candidate) in found.enumerated() {
            let mark = candidate.isUsed ? "" : ", new"
            show("  \(place + 1)  \(candidate.name), \(candidate.service)\(mark)")
        }
        let hint = request.prefersSingle ? "a number" : "numbers, Return for all"
        let words = Typing.line("Grant which? (\(hint), n for none) ").split { " ,".contains($0) }
        if words.isEmpty { return request.prefersSingle ? [] : found.map(\.service) }
        return words.compactMap { Int($0) }.filter { 1...found.count ~= $0 }.map { found[$0 - 1].service }
    }
}

/// The extension of the edu-ID app, which answers apps.
struct Answering: Sendable {
    let app: AuthorizingExtension
    let registry: [BundleID: JWKSet]
    let choosing: Choosing

    // example: answer an app
    /// Reads a request, answers it or not, and tells which.
    func answer(_ connection: LocalConnection) -> String {
        guard let bytes = connection.receive(atMost: 64 << 10, within: .seconds(2)) else {
            return "no answer: the request is too long, or did not end"
        }
        guard let decision = Waiting.value({ await self.decide(bytes) }) else { return "no answer" }
        guard let answer = decision.answer, !connection.send(answer, within: .seconds(2)) else { return decision.told }
        return decision.told + "; the app did not wait for the answer"
    }

    private func decide(_ bytes: [UInt8]) async -> (answer: [UInt8]?, told: String) {
        do {
            let request = try ProtocolRequest(parsing: bytes)
            let checked = try await app.check(request, against: registry)
            let who = "\(request.appName) (\(request.appID), \(checked.isVerified ? "verified" : "not verified"))"
            let session = await app.session
            var mode = AuthorizationMode(
                for: request, isSignedIn: session.isSignedIn,
                waitingFor: session.pendingSignIn(at: systemTime())?.steps ?? [])
            // Nobody types a password or a code because an app asks: that is for the person to begin.
            guard mode.screen == .searching else {
                return (nil, "no answer: nobody is signed in; run: eduid phone sign-in")
            }
            let found = try await app.choices(for: request)
            try mode.note(.found(found))
            let wanted = found.isEmpty ? [] : choosing.chosen(among: found, for: request, from: who)
            guard !wanted.isEmpty else {
                try mode.take(.reject)
                return (try ProtocolResponse(to: checked, granting: []).encoded(), "\(who) is granted nothing")
            }
            try pick(request.prefersSingle ? Array(wanted.prefix(1)) : wanted, in: &mode)
            guard case .finish(.accepted(let choice))? = try mode.take(.accept) else {
                return (nil, "no answer: nothing was decided")
            }
            let answer = try await app.answer(checked, with: choice)
            return (answer.response.encoded(), "\(who) is granted: \(Self.told(answer))")
        } catch {
            return (nil, "no answer: \(error)")
        }
    }
    // end of example

    /// What is granted, and what is missing.
    private static func told(_ answer: AuthorizingApp.Answer) -> String {
        let names = answer.response.documents.compactMap(\.engineName)
        let granted = names.isEmpty ? "nothing" : names.joined(separator: ", ")
        return ([granted] + answer.missing.map(told)).joined(separator: "; ")
    }

    /// Why a service is missing, and what to do where the person can do something about it.
    private static func told(_ missing: (service: ServiceURL, reason: Rejection)) -> String {
        guard let demand = missing.reason.demand else { return "\(missing.service) is missing: \(missing.reason)" }
        // What a service says goes into a line for a shell as far as it means nothing there.
        let harmless = demand.contextClasses.filter { name in
            name.text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ":/._-".contains($0)) }
                && !name.text.hasPrefix("-")
        }
        guard harmless.count == demand.contextClasses.count else {
            return "\(missing.service) takes another sign-in, of a class whose name cannot be typed here"
        }
        let words =
            harmless.map { "--class \($0.text)" } + (demand.maximumAge.map { ["--max-age \($0)"] } ?? [])
        return "\(missing.service) takes a stronger or more recent sign-in; run: eduid phone step-up "
            + words.joined(separator: " ")
    }

    /// Leaves exactly these picked.
    private func pick(_ wanted: [ServiceURL], in mode: inout AuthorizationMode) throws {
        guard case .selection(let selection) = mode.screen else { return }
        for service in selection.picked where !wanted.contains(service) { try mode.take(.unpick(service)) }
        for service in wanted where !selection.picked.contains(service) { try mode.take(.pick(service)) }
    }
}
