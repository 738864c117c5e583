internal import Federation
internal import JOSE
internal import NAIL
internal import OAuth2Grants
internal import PureCrypto
internal import RSD2
internal import TokenTree
internal import Wire

/// Who plays in every history: parties, people and apps with their names and keys, which cost too much to make each
/// time.
struct Cast: Sendable {
    let eduID: EduIDService
    let eduIDKeys: Authority.Keys
    let eduIDMetadata: ServerDescription
    let eduIDOrigin: WebURL.Origin
    let services: [Member]
    let people: [Person]
    let versionKeys: [SigningKey]
    let versionIDs: [KeyID]
    let readers: [Reader]
    /// The keys of the readers, as the federation's registry has them.
    let registry: [BundleID: JWKSet]
    /// What both apps and services call what readers want.
    let protocolName: ProtocolName

    /// A service of the federation.
    struct Member: Sendable {
        let service: FederationService
        let keys: Authority.Keys
        let home: ServiceURL
        /// Where what readers want lies.
        let endpoint: WebURL
        /// Whether apps without a key of their own get tokens that are good for whoever bears them.
        let givesPlainTokens: Bool
    }

    /// A person with an account.
    struct Person: Sendable {
        let name: UserName
        let password: Secret.Password
        let subject: Record.Subject
        let profile: JSON.Object
        /// Words that no service and no reader may ever see.
        let privateWords: [[UInt8]]
    }

    /// A third-party app, as its maker made it.
    struct Reader: Sendable {
        let id: BundleID
        let name: AppName
        let key: SigningKey
        /// Whether its tokens are bound to a key of its own.
        let isBinding: Bool
    }

    static let appName = "ch.eduid.mobile"
    static let issuer = "https://eduid.example.ch"
    /// What services learn about people beside their given names, which all of them do.
    private static let released: [JSON.Name] = ["given_name"]

    /// A federation of so many services.
    init(services count: Int, people peopleCount: Int = 3) throws {
        var entropy = SimulatedFederation.Entropy(seed: 0x5eed)
        func pair(_ name: String) throws -> JWK.Private {
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: entropy.bytes(32))
            return JWK.Private(key, attributes: JWK.Attributes(id: try KeyID(parsing: name)))
        }
        func keys(_ name: String) throws -> Authority.Keys {
            .init(signing: try pair(name), master: SymmetricKey(data: entropy.bytes(32)))
        }
        protocolName = try ProtocolName(parsing: "org.example.reading")
        eduIDKeys = try keys("edu-id-0")
        let authority = try Authority(Issuer(parsing: Self.issuer), keys: eduIDKeys)
        var directory = ServiceDirectory()
        var members: [ServiceIndex.Member] = []
        var services: [Member] = []
        let introspection = try WebURL(parsing: Self.issuer + "/introspect")
        for number in 0..<count {
            let home = try ServiceURL(parsing: "https://s\(number).example.ch")
            var document = ServiceDescription(engineLink: "", homePageLink: home.url.text)
            document.engineName = "University \(number)"
            for (name, link) in [("org.ietf.oauth2", "oauth"), ("org.example.reading", "api/reading")] {
                let name = try ProtocolName(parsing: name)
                document[name] = ServiceDescription.API(name, link: link)
            }
            let serviceKeys = try keys("s\(number)-0")
            let own = try Authority(Issuer(parsing: home.identity), keys: serviceKeys)
            var trusted = FederationService.Trusted(authority.issuer)
            if number % 3 == 2 { trusted.introspection = introspection }
            var policy = FederationService.Policy()
            policy.notesUse = number % 2 == 1
            if number % 4 == 3 { policy.keylessApps = .bearerToken }
            services.append(
                Member(
                    service: try FederationService(own, document: document, trusting: trusted, policy: policy),
                    keys: serviceKeys, home: home, endpoint: try document.endpoint(for: protocolName),
                    givesPlainTokens: number % 4 == 3))
            try directory.update(home, document)
            members.append(
                try ServiceIndex.Member(
                    home, issuer: own.issuer, releasedClaims: Self.released,
                    subjects: number % 2 == 0 ? .pairwise : .common))
        }
        self.services = services
        let versions: [(AppVersion.Platform, String)] = [(.iOS, "1.0"), (.iOS, "2.0"), (.android, "1.0")]
        let versionPairs = try versions.map { try pair("\($0.0)-\($0.1)") }
        versionKeys = try versionPairs.map { try SigningKey($0) }
        versionIDs = versionPairs.compactMap { $0.id }
        let registered = try zip(versions, versionPairs).map { version, pair in
            guard let key = pair.publicKey, let id = pair.id else { throw SimulationError() }
            return try AppVersion(
                version.0, AppVersion.Number(parsing: version.1), appName: Issuer(parsing: Self.appName), keyID: id,
                key: key)
        }
        var policy = EduIDService.Policy()
        policy.accessLifetime = .seconds(3_600)
        eduID = EduIDService(
            authority, versions: try AppVersion.Registry(registered), index: ServiceIndex(members),
            directory: directory, pseudonyms: Pseudonyms(secret: SymmetricKey(data: entropy.bytes(32))),
            policy: policy)
        guard let description = eduID.description else { throw SimulationError() }
        eduIDMetadata = description
        eduIDOrigin = try WebURL(parsing: Self.issuer).origin
        people = try (0..<peopleCount).map { number in
            let words = ["Secretname\(number)", "secret\(number)@private.example"]
            return Person(
                name: try UserName(parsing: "person-\(number)"),
                password: try Secret.Password(parsing: "Passphrase-of-\(number)"),
                subject: try Record.Subject(parsing: "subject-of-\(number)"),
                profile: [
                    "given_name": .string("Given\(number)"), "family_name": .string(words[0]),
                    "email": .string(words[1]),
                ],
                privateWords: (words + ["Passphrase-of-\(number)"]).map { Array($0.utf8) })
        }
        let readerPairs = try (0..<2).map { try pair("reader-\($0)") }
        readers = try readerPairs.enumerated().map { number, pair in
            Reader(
                id: try BundleID(parsing: "com.example.reader\(number)"),
                name: try AppName(parsing: "Reader \(number)"), key: try SigningKey(pair), isBinding: number == 0)
        }
        var registry: [BundleID: JWKSet] = [:]
        for (reader, pair) in zip(readers, readerPairs) {
            guard let key = pair.publicKey else { throw SimulationError() }
            registry[reader.id] = JWKSet([key], of: try Issuer(parsing: reader.id.text))
        }
        self.registry = registry
    }
}
