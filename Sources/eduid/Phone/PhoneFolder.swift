import Federation
import Foundation
import Hosting
import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import Wire

/// What the edu-ID app of a terminal keeps, in a folder of one person alone.
///
/// Keys lie beside what they protect: a terminal has no key chain. Whoever reads the folder is the person.
struct PhoneFolder: Sendable {
    let path: String
    /// The edu-ID service.
    let federation: Issuer
    private let appName: Issuer
    private let instance: ClientID
    /// What the person calls the device.
    let name: String
    /// Where a browser calls the app back, if the federation has such an address.
    let callback: CallbackAddress?
    /// Whether the federation lives in the network of this machine.
    private let isInOwnNetwork: Bool
    /// The certificates of authorities, where they are not those that the system trusts.
    private let authorities: String?

    private enum File {
        static let facts = "phone.json"
        static let versionKey = "version.jwk"
        static let deviceKey = "device"
        static let sealingKey = "seal"
        static let state = "state"
        static let metadata = "metadata.json"
        static let apps = "apps.json"
    }

    /// Where the app listens for other apps.
    var channel: String { path + "/edu-id-app" }

    /// Reads what the phone is.
    init(at path: String, _ console: Console) throws(Failure) {
        self.path = path
        guard FileManager.default.fileExists(atPath: path + "/" + File.facts) else {
            throw .refused("there is no phone in '\(path)'; 'eduid phone init' or 'eduid up' makes one")
        }
        try Self.checkOwnership(of: path)
        let members = try Failure.refusing(
            "'\(path)/\(File.facts)'", try JSON(parsing: try console.read(path + "/" + File.facts)))
        guard let federation = members["federation"]?.string.flatMap({ try? Issuer(parsing: $0) }),
            let appName = members["app"]?.string.flatMap({ try? Issuer(parsing: $0) }),
            let instance = members["instance"]?.string.flatMap({ try? ClientID(parsing: $0) }),
            let name = members["name"]?.string
        else { throw .refused("'\(path)/\(File.facts)' is not what 'eduid phone init' wrote; make a new phone") }
        (self.federation, self.appName, self.instance, self.name) = (federation, appName, instance, name)
        isInOwnNetwork = members["own_network"] == true
        authorities = members["authorities"]?.string
        callback = members["callback"]?.string.flatMap { try? CallbackAddress(parsing: $0) }
    }

    /// Refuses a folder that others can enter.
    static func checkOwnership(of path: String) throws(Failure) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .refused("'\(path)' cannot be entered") }
        guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
            throw .refused("others can enter '\(path)'; run: chmod 700 '\(path)'")
        }
    }

    /// Makes the folder of a new copy of the app.
    static func make(
        _ path: String, federation: Issuer, appName: Issuer, versionKey: JWK.Private, name: String,
        inOwnNetwork: Bool = false, authorities: String? = nil, callback: CallbackAddress? = nil,
        on console: inout Console
    ) throws(Failure) {
        try Founding.makeFolder(path)
        var facts: JSON.Object = [
            "federation": .string(federation.text), "app": .string(appName.text),
            "instance": .string(UUID().uuidString.lowercased()), "name": .string(name),
        ]
        if inOwnNetwork { facts["own_network"] = true }
        facts["authorities"] = authorities.map { .string($0) }
        facts["callback"] = callback.map { .string($0.text) }
        func keep(_ bytes: [UInt8], _ name: String) throws(Failure) {
            try console.store(bytes, path + "/" + name, .secret, false)
        }
        try keep(try KeyFile([.secret(versionKey)]).encoded(as: .jwk), File.versionKey)
        try keep(Array(Base64URL.encode(console.bytes(32)).utf8), File.deviceKey)
        try keep(Array(Base64URL.encode(console.bytes(32)).utf8), File.sealingKey)
        try keep(JSON.object([:]).encoded(), File.apps)
        // Last: what has this file is a phone.
        try keep(JSON.object(facts).encoded(), File.facts)
    }

    private func secret(_ name: String, _ console: Console) throws(Failure) -> [UInt8] {
        try Configuration.checkPrivacy(of: path + "/" + name)
        let text = String(decoding: try console.read(path + "/" + name, limit: 1_024), as: UTF8.self)
        guard let bytes = try? Base64URL.decode(text), bytes.count == 32 else {
            throw .refused("'\(path)/\(name)' is damaged; make a new phone, and end this one from another device")
        }
        return bytes
    }
}

// MARK: - Apps that are known

extension PhoneFolder {
    /// The public keys of apps that this phone knows.
    func apps(_ console: Console) throws(Failure) -> [BundleID: JWKSet] {
        let text = try console.read(path + "/" + File.apps)
        let members = try Failure.refusing("'\(path)/\(File.apps)'", try JSON(parsing: text))
        var known: [BundleID: JWKSet] = [:]
        for member in members.object ?? [:] {
            guard let id = try? BundleID(parsing: member.name.text),
                let set = try? JWKSet(parsing: JSON.object(["keys": member.value]).encoded())
            else { throw .refused("'\(path)/\(File.apps)' has an app that cannot be read: '\(member.name.text)'") }
            known[id] = set
        }
        return known
    }

    /// Knows an app by its keys from now on.
    func trust(_ id: BundleID, _ keys: [JWK], _ console: Console) throws(Failure) {
        let text = try console.read(path + "/" + File.apps)
        var members = (try? JSON(parsing: text))?.object ?? [:]
        members[JSON.Name(id.text)] = .array(keys.compactMap { try? JSON(parsing: $0.encoded()) })
        try console.store(JSON.object(members).encoded(), path + "/" + File.apps, .secret, true)
    }
}

// MARK: - The app

extension PhoneFolder {
    /// The app with what was kept of it; the edu-ID service is asked about itself, or what it said last counts.
    func session(over network: Network, _ console: Console) throws(Failure) -> AuthorizingApp.Session {
        guard case .secret(let version) = try KeyFile(reading: path + "/" + File.versionKey, from: console).only()
        else { throw .refused("'\(path)/\(File.versionKey)' has no private key") }
        let seed = try secret(File.deviceKey, console)
        let device = try Failure.refusing(
            "the phone",
            AppVersion.Device(
                id: try AppVersion.Device.Detail(parsing: instance.text), name: try .init(parsing: name),
                type: try .init(parsing: "terminal"), systemVersion: try .init(parsing: Self.system)))
        let installation = try Failure.refusing(
            "the keys of the phone",
            AuthorizingApp.Installation(
                appName: appName, versionKey: try SigningKey(version), instance: instance, device: device,
                key: try Curve25519.Signing.PrivateKey(rawRepresentation: seed)))
        let description = try self.description(over: network, console)
        let store = try stateFile(console).read() ?? AuthorizingApp.Store()
        var session = AuthorizingApp.Session(installation, with: description, store: store)
        session.destinations = destinations
        return session
    }

    /// On a machine of its own a federation is reached where no other one is.
    private var destinations: Destinations {
        isInOwnNetwork || (try? WebURL(parsing: federation.text))?.isLoopback == true ? .anywhere : .worldwide
    }

    /// How the edu-ID service and services are asked.
    func network() -> Network {
        var policy = Network.Policy()
        policy.destinations = destinations
        policy.authorities = authorities
        policy.responseLimit = ServiceDirectory.answerLimit
        return Network(policy: policy)
    }

    private static var system: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(version.majorVersion).\(version.minorVersion)"
    }

    private func description(over network: Network, _ console: Console) throws(Failure) -> ServerDescription {
        let place = path + "/" + File.metadata
        let empty = try Failure.refusing("the edu-ID service", try ServerDescription(federation))
        let request = HTTP.Request(.get, .absolute(empty.location(of: .authorizationServer)))
        let federation = federation
        if let response = Waiting.value({ await network.send(request) }) ?? nil, response.status == .ok,
            let found = try? ServerDescription(authorizationServer: federation, parsing: response)
        {
            try? console.store(response.body, place, .secret, true)
            return found
        }
        guard FileManager.default.fileExists(atPath: place) else {
            throw .refused("\(federation) does not answer; is it running, and is it reached from here?")
        }
        let kept = HTTP.Response(.ok, body: try console.read(place))
        return try Failure.refusing(
            "what \(federation) said about itself",
            try ServerDescription(authorizationServer: federation, parsing: kept))
    }

    /// Where the state of the app is kept.
    func stateFile(_ console: Console) throws(Failure) -> PhoneState {
        PhoneState(path: path, name: File.state, key: SymmetricKey(data: try secret(File.sealingKey, console)))
    }

    /// The duties of the program around the app.
    func host(over network: Network, _ console: Console) throws(Failure) -> AuthorizingApp.Host {
        let file = try stateFile(console)
        return AuthorizingApp.Host(
            send: { await network.send($0) },
            in: AuthorizingApp.Keeper(
                read: { try? file.read() },
                write: { store, revision in file.write(store, replacing: revision) }),
            now: systemTime, entropy: { systemWord() })
    }
}

/// 64 bits that nobody can guess.
@Sendable func systemWord() -> UInt64 {
    var system = SystemRandomNumberGenerator()
    return system.next()
}

extension Console {
    /// So many bytes that nobody can guess.
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: entropy.next()) }
    }
}
