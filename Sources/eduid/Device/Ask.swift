import Foundation
import JOSE
import NAIL
import OAuth2Grants
import RSD2
import Synchronization
import Wire

extension Device {
    private static let key = Option(
        name: "key", value: "file", abstract: "The app's private key, which signs its requests (default: none).",
        kind: .file)
    private static let id = Option(
        name: "id", value: "bundle", abstract: "The app's bundle id.", fallback: "com.example.reader")
    private static let appName = Option(
        name: "name", value: "name", abstract: "The app's name for people.", fallback: "Reader")
    private static let protocols = Option(
        name: "protocol", value: "name", abstract: "A protocol that is asked for (default: org.ieee.papi).",
        isRepeated: true)
    private static let single = Option(name: "single", abstract: "Ask for one service.")
    private static let state = Option(
        name: "state", value: "file", abstract: "Where the app keeps what it was given, for the next time.",
        kind: .destination)

    static let ask = Command(
        name: "ask", abstract: "Play a third-party app: ask the edu-ID app, and use what is granted.",
        arguments: [folder], options: [key, id, appName, protocols, single, state],
        discussion: """
            What the app was given before is used as it is. Where a service does not take it any
            more, it is renewed; where that is refused, the edu-ID app is asked again, once.

            Exit status: 0 if something was granted and every service took it.
            """
    ) { (invocation, console) throws(Failure) in
        let folder = try invocation.required(folder)
        var names: [ProtocolName] = []
        for text in invocation.all(protocols) { names.append(try invocation.identifier(protocols, text)) }
        if names.isEmpty { names = ["org.ieee.papi"] }
        var proof = ThirdPartyApp.Proof.none
        if let path = invocation[key] { proof = .signatureWithBinding(try signingKey(in: path, console)) }
        try console.meet()
        let path = invocation[state]
        let (log, device) = (Log(), try device(folder, keepingIn: path))
        let app = ThirdPartyApp(
            named: try invocation.identifier(appName, try invocation.required(appName)),
            id: try invocation.identifier(id, try invocation.required(id)), on: device, proof: proof)
        if let path, FileManager.default.fileExists(atPath: path) {
            let text = String(decoding: try console.read(path), as: UTF8.self)
            try Failure.refusing("what is kept in '\(path)' is refused", try app.parse(text))
        }
        let (asked, isSingle) = (names, invocation.has(single))
        let failure = waiting { await use(app, asked, isSingle, folder, keeps: path != nil, log) }
        for line in log.lines { console.say(line) }
        if let refusal = failure ?? nil { throw .refused(refusal) }
    }

    private static func signingKey(in path: String, _ console: Console) throws(Failure) -> SigningKey {
        guard case .secret(let key)? = try KeyFile(reading: path, from: console).keys.first else {
            throw .refused("'\(path)' has no private key")
        }
        return try Failure.refusing("the key in '\(path)' cannot sign", try SigningKey(key))
    }

    /// The duties of the program around the app.
    private static func device(_ folder: String, keepingIn path: String?) throws(Failure) -> ThirdPartyApp.Device {
        let instance: ClientID = try Failure.refusing("the name of the instance", try ClientID(parsing: "this-device"))
        var device = ThirdPartyApp.Device(
            instance: instance,
            authorize: { await answer(to: $0, at: channel(in: folder)) },
            send: { await send($0, in: folder) }, now: { now }, entropy: { word() })
        if let path { device.store = { keep($0, in: path) } }
        return device
    }

    // example: ask over a local socket
    /// Sends a message to who listens at a path, and waits for the answer on a thread of its own; `nil` if there is
    /// none.
    private static func answer(
        to message: [UInt8], at path: String, within time: Duration = .seconds(600)
    ) async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var answer: [UInt8]?
                if let connection = LocalConnection(to: path), connection.send(message, within: .seconds(2)) {
                    answer = connection.receive(atMost: 1 << 20, within: time)
                }
                // Who listens and does not answer hangs up.
                continuation.resume(returning: answer?.isEmpty == false ? answer : nil)
            }
        }
    }
    // end of example

    private static func send(_ request: HTTP.Request, in folder: String) async -> HTTP.Response? {
        guard let message = LocalMessage.encoded(request) else { return nil }
        return await answer(to: message, at: network(in: folder), within: .seconds(10)).flatMap {
            LocalMessage.response($0)
        }
    }

    /// Puts the new state in the place of the old one, so that whatever happens one of both is there.
    private static func keep(_ text: String, in path: String) -> Bool {
        let place = path + ".new"
        let isWritten = FileManager.default.createFile(
            atPath: place, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        return isWritten && rename(place, path) == 0
    }

    /// What the app reports, in its order.
    private final class Log: Sendable {
        private let content = Mutex<[String]>([])

        var lines: [String] { content.withLock { $0 } }

        func note(_ line: String) { content.withLock { $0.append(line) } }
    }

    /// Asks, unless something is kept, and uses each service; answers why that failed.
    private static func use(
        _ app: ThirdPartyApp, _ names: [ProtocolName], _ single: Bool, _ folder: String, keeps: Bool, _ log: Log
    ) async -> String? {
        do throws(NAILState.Refusal) {
            if app.services.isEmpty {
                try await app.authorize(names, single: single)
            } else {
                log.note("\(app.services.count) services are kept")
            }
            guard !app.services.isEmpty else { return "nothing was granted" }
            var failure: String?
            for service in app.services {
                for name in names {
                    let response = try await service.response(to: .get, name, "items") { request in
                        await send(request, in: folder)
                    } askingAgain: { refusal in
                        log.note("\(service.name): \(refusal); the edu-ID app is asked again")
                        return true
                    }
                    let text = response.map { String(decoding: $0.body, as: UTF8.self) } ?? "no response"
                    log.note("\(service): \(response.map { "\($0.status) " } ?? "")\(text)")
                    if response?.status != .ok { failure = "\(service) did not take the token" }
                }
            }
            let isKept = await app.keep()
            return isKept || !keeps ? failure : "what was granted is not kept"
        } catch {
            return "\(error)"
        }
    }
}
