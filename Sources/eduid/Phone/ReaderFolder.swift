import Foundation
import Hosting
import JOSE
import NAIL
import OAuth2Grants
import RSD2
import Wire

/// What the third-party app of a terminal keeps, in a folder of one person alone.
struct ReaderFolder: Sendable {
    let path: String
    /// The folder of the phone that it asks.
    let phone: String
    private let id: BundleID
    private let name: AppName
    private let instance: ClientID

    private enum File {
        static let facts = "reader.json"
        static let key = "key.jwk"
        static let state = "state"
    }

    /// Makes the folder of an app that asks a phone.
    static func make(
        _ path: String, asking phone: String, id: BundleID, key: JWK.Private, on console: inout Console
    ) throws(Failure) {
        try Founding.makeFolder(path)
        let facts: JSON.Object = [
            "phone": .string(phone), "id": .string(id.text), "name": "Reader",
            "instance": .string(UUID().uuidString.lowercased()),
        ]
        try console.store(try KeyFile([.secret(key)]).encoded(as: .jwk), path + "/" + File.key, .secret, false)
        // Last: what has this file is an app.
        try console.store(JSON.object(facts).encoded(), path + "/" + File.facts, .secret, false)
    }

    /// Reads what the app is.
    init(at path: String, _ console: Console) throws(Failure) {
        self.path = path
        guard FileManager.default.fileExists(atPath: path + "/" + File.facts) else {
            throw .refused("there is no app in '\(path)'; 'eduid up' makes one")
        }
        try PhoneFolder.checkOwnership(of: path)
        let members = try Failure.refusing(
            "'\(path)/\(File.facts)'", try JSON(parsing: try console.read(path + "/" + File.facts)))
        guard let phone = members["phone"]?.string,
            let name = members["name"]?.string.flatMap({ try? AppName(parsing: $0) }),
            let id = members["id"]?.string.flatMap({ try? BundleID(parsing: $0) }),
            let instance = members["instance"]?.string.flatMap({ try? ClientID(parsing: $0) })
        else { throw .refused("'\(path)/\(File.facts)' is not what 'eduid up' wrote; remove the folder") }
        (self.phone, self.name, self.id) = (phone, name, id)
        self.instance = instance
    }

    /// The app with what it was given before.
    func app(over network: Network, _ console: Console) throws(Failure) -> ThirdPartyApp {
        guard case .secret(let key) = try KeyFile(reading: path + "/" + File.key, from: console).only() else {
            throw .refused("'\(path)/\(File.key)' has no private key")
        }
        let signing = try Failure.refusing("the app's key", try SigningKey(key))
        let (phone, place) = (phone, path + "/" + File.state)
        var device = ThirdPartyApp.Device(
            instance: instance, authorize: { await Self.answer(of: phone, to: $0) },
            send: { await network.send($0) }, now: systemTime, entropy: { systemWord() })
        device.store = { Self.keep($0, in: place) }
        let app = ThirdPartyApp(named: name, id: id, on: device, proof: .signatureWithBinding(signing))
        if FileManager.default.fileExists(atPath: place) {
            let text = String(decoding: try console.read(place), as: UTF8.self)
            try Failure.refusing(
                "what is kept in '\(place)' is refused; 'eduid reader forget' begins anew", try app.parse(text))
        }
        return app
    }

    /// How services are asked: as the phone asks them.
    func network(_ console: Console) throws(Failure) -> Network { try PhoneFolder(at: phone, console).network() }

    /// Forgets what it was given.
    func forget() throws(Failure) {
        let place = path + "/" + File.state
        guard unlink(place) == 0 || errno == ENOENT else { throw .refused("'\(place)' cannot be removed") }
    }

    /// Puts the new state in the place of the old one, so that whatever happens one of both is there.
    private static func keep(_ text: String, in path: String) -> Bool {
        (try? WholeFile.write(Array(text.utf8), to: path)) != nil
    }
}

// MARK: - The channel to the phone

extension ReaderFolder {
    /// Asks the edu-ID app; where nobody listens, its extension is started first, as a device's system does it.
    private static func answer(of phone: String, to message: [UInt8]) async -> [UInt8]? {
        let channel = phone + "/edu-id-app"
        var connection = LocalConnection(to: channel)
        if connection == nil, startExtension(of: phone) {
            for _ in 0..<200 where connection == nil {
                try? await Task.sleep(for: .milliseconds(50))
                connection = LocalConnection(to: channel)
            }
        }
        guard let connection else { return nil }
        return await answer(to: message, over: connection)
    }

    /// Starts this program as the phone's extension, at the same terminal.
    private static func startExtension(of phone: String) -> Bool {
        guard let program = CommandLine.arguments.first else { return false }
        let path = program.contains("/") ? program : "/proc/self/exe"
        let words = [program, "phone", "answer", "--once", "--folder", phone]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        return posix_spawn(&process, path, nil, nil, &arguments, environ) == 0
    }

    // example: ask over a local socket
    /// Sends a message to who listens at a socket, and waits for the answer on a thread of its own; `nil` if there is
    /// none.
    private static func answer(
        to message: [UInt8], over connection: LocalConnection, within time: Duration = .seconds(600)
    ) async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var answer: [UInt8]?
                if connection.send(message, within: .seconds(2)) {
                    answer = connection.receive(atMost: ProtocolResponse.lengthLimit, within: time)
                }
                // Who listens and does not answer hangs up.
                continuation.resume(returning: answer?.isEmpty == false ? answer : nil)
            }
        }
    }
    // end of example
}
