import Federation
import Foundation
import Hosting
import JOSE
import OAuth2Grants
import PureCrypto
import RSD2
import TokenTree
import Wire

// What a configuration names, read from where it is.

extension Configuration {
    /// The keys of the party, which nobody else of the machine may read.
    func authorityKeys(_ console: Console) throws(Failure) -> Authority.Keys {
        let signing = try Self.pair(in: keys.signing, console)
        guard signing.publicKey != nil else {
            throw .refused(
                "'\(keys.signing)' has a symmetric key; a key pair signs: make one with 'eduid key generate'")
        }
        guard signing.id != nil else {
            throw .refused("the key in '\(keys.signing)' has no name; give it one: 'eduid key generate --id NAME'")
        }
        var others: [JWK] = []
        for path in keys.published {
            for case .shown(let key) in try KeyFile(reading: path, from: console).shown().keys { others.append(key) }
        }
        if self.keys.hasNext, let next = try Self.pair(in: self.keys.next, console).publicKey { others.append(next) }
        // Where a rotation was cut off, the key that signs is among the former ones already.
        others += try self.keys.formerKeys(console).filter { $0.id != signing.id }
        return Authority.Keys(signing: signing, others: others, master: try Self.secret(in: keys.secret, console))
    }

    /// A secret of 32 bytes or more, written in Base64url.
    private static func secret(in path: String, _ console: Console) throws(Failure) -> SymmetricKey {
        let place = credential(path)
        try checkPrivacy(of: place)
        let text = String(decoding: try console.read(place, limit: 4_096), as: UTF8.self)
        guard let bytes = try? Base64URL.decode(text.trimmingCharacters(in: .whitespacesAndNewlines)), bytes.count >= 32
        else { throw .refused("'\(place)' has no secret of 32 bytes or more in Base64url") }
        return SymmetricKey(data: bytes)
    }

    static func pair(in path: String, _ console: Console) throws(Failure) -> JWK.Private {
        let place = credential(path)
        try checkPrivacy(of: place)
        guard case .secret(let key) = try KeyFile(reading: place, from: console).only() else {
            throw .refused("'\(place)' has a public key where a private one is expected")
        }
        return key
    }

    /// Where a secret is: with the service manager that hands it to this process alone, or where the configuration says
    /// (SYS-9).
    fileprivate static func credential(_ path: String) -> String {
        guard let handed = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"] else { return path }
        let place = handed + "/" + (path.split(separator: "/").last ?? "")
        return FileManager.default.fileExists(atPath: place) ? place : path
    }

    /// Refuses a secret that other users of the machine can read.
    static func checkPrivacy(of path: String) throws(Failure) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        guard status.st_mode & 0o077 == 0 else {
            throw .refused("others can read '\(path)'; run: chmod 600 '\(path)'")
        }
    }
}

extension Configuration.KeyPlaces {
    /// Where the key is that signs next.
    var next: String { beside("next") }
    /// Where the public halves are of the keys that signed before.
    var former: String { beside("former") }

    private func beside(_ word: String) -> String {
        signing.hasSuffix(".jwk") ? "\(signing.dropLast(3))\(word).jwk" : "\(signing).\(word)"
    }

    /// Whether a key is there to sign next.
    var hasNext: Bool { FileManager.default.fileExists(atPath: next) }

    /// Whether the service manager hands the keys over.
    var isHanded: Bool { !Configuration.credential(signing).spells(signing) }

    /// The public halves of the keys that signed before.
    func formerKeys(_ console: Console) throws(Failure) -> [JWK] {
        guard FileManager.default.fileExists(atPath: former) else { return [] }
        return try KeyFile(reading: former, from: console).shown().keys.compactMap { key in
            if case .shown(let shown) = key { shown } else { nil }
        }
    }
}

// MARK: - A service of the federation

extension Configuration.Service {
    /// The service that is configured.
    func party(_ configuration: Configuration, _ console: Console) throws(Failure) -> FederationService {
        let bytes = try console.read(description, limit: 1 << 20)
        let document = try Failure.refusing(
            "the description in '\(description)' is refused", try ServiceDescription(parsing: bytes))
        try Failure.refusing("the description in '\(description)' is refused", try document.checkLength())
        guard document.serviceURL?.identity == (try? ServiceURL(parsing: configuration.issuer.text))?.identity else {
            throw .refused(
                "'\(description)' is the description of '\(document.serviceURL?.identity ?? "nobody")', "
                    + "and the issuer is '\(configuration.issuer)': 'homePageLink' has to be the issuer")
        }
        let trusted = try Failure.refusing("the edu-ID service", try self.trusted())
        var policy = FederationService.Policy()
        policy.accessLifetime = configuration.accessLifetime
        policy.keylessApps = keylessApps
        policy.notesUse = notesUse
        policy.demand = demand
        policy.administratorsDemand = configuration.administratorsDemand
        for name in configuration.administrators {
            policy.administrators.insert(
                try Failure.refusing("the administrator '\(name)'", try Subject(parsing: name)))
        }
        let keys = try configuration.authorityKeys(console)
        return try Failure.refusing(
            "the description in '\(description)'",
            try FederationService(
                Authority(configuration.issuer, keys: keys), document: document, trusting: trusted, policy: policy))
    }

    private func trusted() throws -> FederationService.Trusted {
        let base = try WebURL(parsing: eduID.text)
        return FederationService.Trusted(
            eduID, introspection: asksWhetherAssertionsStand ? try base.appending("introspect") : nil,
            userinfo: asksForProfiles ? try base.appending("userinfo") : nil)
    }
}

// MARK: - An edu-ID service

extension Configuration.EduID {
    /// The edu-ID service that is configured.
    func party(
        _ configuration: Configuration, knowing directory: ServiceDirectory, users: UserDirectory, _ console: Console
    ) throws(Failure) -> EduIDService {
        var policy = EduIDService.Policy()
        policy.accessLifetime = configuration.accessLifetime
        policy.assertionLifetime = assertionLifetime
        policy.takesPasswords = takesPasswords
        policy.contextClasses = contextClasses
        policy.affiliationClaim = affiliationClaim ?? policy.affiliationClaim
        policy.affiliationLifetime = affiliationLifetime
        policy.revokers = try revokers.map { tool throws(Failure) in
            let keys = try KeyFile(reading: tool.keys, from: console).keys
            return EduIDService.Revoker(
                tool.issuer,
                keys: try Failure.refusing("the keys in '\(tool.keys)'", try keys.map { try $0.verificationKey() }))
        }
        policy.destinations = configuration.destinations
        policy.administratorsDemand = configuration.administratorsDemand
        for name in configuration.administrators {
            policy.administrators.insert(
                try Failure.refusing("the administrator '\(name)'", try Record.Subject(parsing: name)))
        }
        let keys = try configuration.authorityKeys(console)
        let (versions, index) = (try readVersions(console), try self.index(console))
        var service = try Failure.refusing(
            "the keys of '\(configuration.folder)'",
            try EduIDService(
                configuration.issuer, keys: keys, versions: versions, services: index, users: users, policy: policy))
        service.directory = directory
        service.provider = try provider?.provider(for: configuration, console)
        if let provider { service.users = provider.linking(service.users) }
        return service
    }

    /// The services of the federation, in the file that lists them.
    func index(_ console: Console) throws(Failure) -> ServiceIndex {
        try Configuration.list("services", in: services, console) { settings in
            let home = settings.required("url", "the URL of a service") { try ServiceURL(parsing: $0) }
            let issuer = settings.optional("issuer", "the name under which it signs") { try Issuer(parsing: $0) }
            let released = settings.list("releases", "names of attributes") { JSON.Name($0) }
            let hosts = settings.list("hosts", "names of hosts") { try WebURL(parsing: "https://\($0)").host }
            let names = ["pairwise": ServiceIndex.Member.Names.pairwise, "common": .common]
            let users = settings.word("users", names, otherwise: .pairwise)
            let devices = settings.word("devices", names, otherwise: users)
            let demand = settings.demand()
            if let flaw = flaw(of: demand, "sign-in") { settings.complain(flaw) }
            let affiliations = settings.list("affiliations", "such as 'staff@example.edu' or '*@example.edu'") {
                try AffiliationDemand(parsing: $0)
            }
            guard let home else { return nil }
            var member = try? ServiceIndex.Member(
                home, issuer: issuer, allowedHosts: hosts, releasedClaims: released, subjects: users, clients: devices)
            member?.demand = demand
            member?.affiliations = affiliations
            return member
        } _: {
            ServiceIndex($0)
        }
    }

    /// The versions of the app, in the file that lists them.
    private func readVersions(_ console: Console) throws(Failure) -> AppVersion.Registry {
        let folder = versions.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        return try Configuration.list("versions", in: versions, console) { settings in
            let platform = settings.required("platform", "ios, android or another word") {
                AppVersion.Platform(JSON.Name($0))
            }
            let number = settings.required("number", "a number such as 1.0, in quotes") {
                try AppVersion.Number(parsing: $0)
            }
            let app = settings.required("app", "the name of the app") { try Issuer(parsing: $0) }
            let key = settings.required("key", "a file with the version's public key") { path in
                let place = path.hasPrefix("/") ? path : folder + "/" + path
                guard case .shown(let key) = try KeyFile(reading: place, from: console).shown().only() else {
                    throw Failure.refused("it has no public key")
                }
                return key
            }
            let isBlocked = settings.flag("blocked", otherwise: false)
            let callbacks = settings.list(
                "callbacks",
                "https links, schemes with a dot such as ch.example.eduid:/signed-in, or ports of 127.0.0.1"
            ) { try CallbackAddress(parsing: $0) }
            guard let platform, let number, let app, let key else { return nil }
            guard let id = key.id else {
                settings.complain("the key of version \(number) has no name")
                return nil
            }
            do {
                var version = try AppVersion(platform, number, appName: app, keyID: id, key: key)
                version.isBlocked = isBlocked
                version.callbacks = callbacks
                return version
            } catch {
                settings.complain("version \(number): \(error)")
                return nil
            }
        } _: {
            try AppVersion.Registry($0)
        }
    }
}

extension Configuration {
    /// What a file lists under a name.
    fileprivate static func list<Element, Whole>(
        _ name: String, in path: String, _ console: Console, _ read: (inout Settings) -> Element?,
        _ join: ([Element]) throws -> Whole
    ) throws(Failure) -> Whole {
        var settings = Settings(try members(of: path, console), of: path)
        let elements = settings.parts(name, read)
        let problems = settings.finish()
        guard problems.isEmpty else { throw .refused(problems.joined(separator: "\n  ")) }
        return try Failure.refusing("'\(path)'", try join(elements))
    }
}
