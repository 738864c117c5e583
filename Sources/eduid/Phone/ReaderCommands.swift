import Foundation
import Hosting
import JOSE
import NAIL
import OAuth2Grants
import RSD2
import Synchronization
import Wire

/// A third-party app of a terminal, which wants to read.
enum ReaderCommands {
    static let command = Command(
        name: "reader", abstract: "A third-party app for the terminal: ask for services, and use them.",
        discussion: """
            It knows no password and no service: it asks the edu-ID app in the phone's folder for
            whatever speaks a protocol, is given tokens bound to its own key, and uses them over
            HTTP. 'eduid up' makes its folder, '.eduid/reader'.

              eduid reader authorize
              eduid reader use
            """, subcommands: [initialize, authorize, use, list, forget])

    private static let folder = Option(
        name: "folder", value: "path", abstract: "The folder of the app.", kind: .destination,
        fallback: ".eduid/reader")
    private static let phone = Option(
        name: "phone", value: "path", abstract: "The folder of the phone that it asks.", kind: .destination,
        fallback: ".eduid/phone")
    private static let id = Option(
        name: "id", value: "bundle", abstract: "The app's bundle id.", fallback: "com.example.reader")

    private static let initialize = Command(
        name: "init", abstract: "Make the folder of an app, which the phone knows by its key.",
        options: [folder, phone, id]
    ) { (invocation, console) throws(Failure) in
        try console.meet()
        let bundle: BundleID = try invocation.identifier(id, try invocation.required(id))
        let (path, place) = (try invocation.required(folder), try invocation.required(phone))
        let key = Founding.signingKey(using: &console.entropy)
        let owner = try PhoneFolder(at: place, console)
        try ReaderFolder.make(path, asking: place, id: bundle, key: key, on: &console)
        if let shown = key.publicKey { try owner.trust(bundle, [shown], console) }
        console.say("'\(path)' is made. Next: eduid reader authorize")
    }

    private static let protocols = Argument(
        name: "protocol", kind: .text, abstract: "A protocol that is asked for (default: \(ReadingRoom.protocolName)).",
        arity: .any)
    private static let single = Option(name: "single", abstract: "Ask for one service.")

    private static let authorize = Command(
        name: "authorize", abstract: "Ask the edu-ID app for services.", arguments: [protocols],
        options: [folder, single],
        discussion: """
            If nobody waits for apps at the phone, its extension is started at this terminal, as
            the system of a device does it.

            Exit status: 0 if something was granted.
            """
    ) { (invocation, console) throws(Failure) in
        let (reader, names) = (try open(invocation, console), try names(invocation))
        let isSingle = invocation.has(single)
        let app = try reader.app(over: reader.network(console), console)
        try waiting { () async throws(NAILState.Refusal) in try await app.authorize(names, single: isSingle) }
        guard !app.services.isEmpty else { throw .refused("nothing was granted") }
        guard Waiting.value({ await app.keep() }) ?? false else { throw .refused("what was granted is not kept") }
        for service in app.services { console.say("granted: \(service)") }
    }

    private static let use = Command(
        name: "use", abstract: "Use what was granted: list what each service has to read.", arguments: [protocols],
        options: [folder],
        discussion: """
            What no service takes any more is renewed, by the app's own proof.

            Exit status: 0 if every service took the token.
            """
    ) { (invocation, console) throws(Failure) in
        let (reader, names) = (try open(invocation, console), try names(invocation))
        let network = try reader.network(console)
        let app = try reader.app(over: network, console)
        guard !app.services.isEmpty else { throw .refused("nothing was granted yet; run: eduid reader authorize") }
        var failures = 0
        for service in app.services {
            for name in names {
                let said: String
                do throws(Failure) {
                    let answer = try waiting { () async throws(NAILState.Refusal) in
                        try await service.response(to: .get, name, "list") { request in
                            await network.send(request)
                        } askingAgain: { _ in
                            false
                        }
                    }
                    let text = answer.map { String(decoding: $0.body, as: UTF8.self) } ?? "no answer"
                    said = (answer.map { "\($0.status) " } ?? "") + text.trimmingCharacters(in: .newlines)
                    if answer?.status != .ok { failures += 1 }
                } catch {
                    said = "\(error)"
                    failures += 1
                }
                console.say("\(service): \(said)")
            }
        }
        _ = Waiting.value { await app.keep() }
        if failures > 0 {
            throw .refused("\(failures) did not take the token; 'eduid reader authorize' asks the person again")
        }
    }

    private static let list = Command(
        name: "list", abstract: "Show what was granted.", options: [folder]
    ) { (invocation, console) throws(Failure) in
        let reader = try open(invocation, console)
        for service in try reader.app(over: reader.network(console), console).services { console.say("\(service)") }
    }

    private static let forget = Command(
        name: "forget", abstract: "Forget what was granted; the person ends it with 'eduid phone end'.",
        options: [folder]
    ) { (invocation, console) throws(Failure) in
        try open(invocation, console).forget()
        console.say("Everything is forgotten.")
    }

    private static func open(_ invocation: Invocation, _ console: Console) throws(Failure) -> ReaderFolder {
        try console.meet()
        return try ReaderFolder(at: invocation[folder] ?? "", console)
    }

    private static func names(_ invocation: Invocation) throws(Failure) -> [ProtocolName] {
        var names: [ProtocolName] = []
        for word in invocation.all(protocols) {
            names.append(try Failure.refusing("the protocol '\(word)'", try ProtocolName(parsing: word)))
        }
        if !names.isEmpty { return names }
        return [try Failure.refusing("the protocol", try ProtocolName(parsing: ReadingRoom.protocolName))]
    }

    @discardableResult
    private static func waiting<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(NAILState.Refusal) -> Value
    ) throws(Failure) -> Value {
        let outcome: Result<Value, NAILState.Refusal>? = Waiting.value {
            do throws(NAILState.Refusal) { return .success(try await body()) } catch { return .failure(error) }
        }
        switch outcome {
        case .success(let value)?: return value
        case .failure(let refusal)?: throw .refused("\(refusal)")
        case nil: throw .refused("nothing came of it")
        }
    }
}
