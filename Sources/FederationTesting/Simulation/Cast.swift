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
    /// Where some people have an account.
    let provider: SimulatedProvider
    let providerOrigin: WebURL.Origin
    /// Somebody who says that he is that provider, and has not its key.
    let forger: SimulatedProvider
    /// Where browsers call the app back.
    let callback: CallbackAddress
    let services: [Member]
    /// Which service a URL's origin belongs to.
    let serviceNumbers: [WebURL.Origin: Int]
    let people: [Person]
    /// Who a person is by the name of the account, and by the name that the edu-ID service knows.
    let personNumbers: (byName: [UserName: Int], bySubject: [Record.Subject: Int])
    let versionKeys: [SigningKey]
    let versionIDs: [KeyID]
    let readers: [Reader]
    /// The keys of the readers, as the federation's registry has them.
    let registry: [BundleID: JWKSet]
    /// What both apps and services call what readers want: services are of kinds, each with its own name for it.
    let protocolNames: [ProtocolName]

    /// A service of the federation.
    struct Member: Sendable {
        let service: FederationService
        let keys: Authority.Keys
        let home: ServiceURL
        /// Of which kind it is.
        let kind: Int
        /// Where what readers want lies.
        let endpoint: WebURL
        /// Whether apps without a key of their own get tokens that are good for whoever bears them.
        let givesPlainTokens: Bool
        /// Whether it knows people by names that no other service knows.
        let isPairwise: Bool
        /// How long what it gives lasts at most.
        let grantLifetime: Duration?
        /// Whether it is for those who belong to the institution.
        let isForMembers: Bool
        /// How old the sign-in of a person may be who is introduced to it.
        let signInAge: Int64?
    }

    /// A person with an account.
    struct Person: Sendable {
        let name: UserName
        let way: Way
        let password: Secret.Password
        /// Who he or she is; with an account at the provider, as follows from it.
        let subject: Record.Subject
        /// By which other name a host knows the person that knows whose accounts are.
        let otherSubject: Record.Subject?
        let profile: JSON.Object
        /// Words that no service and no reader may ever see.
        let privateWords: [[UInt8]]

        /// How the person signs in.
        enum Way: CaseIterable {
            case password
            /// With a password and a one-time code.
            case codes
            /// With a browser, at the provider.
            case provider
        }
    }

    /// A third-party app, as its maker made it.
    struct Reader: Sendable {
        let id: BundleID
        let name: AppName
        let key: SigningKey
        /// Whether its tokens are bound to a key of its own.
        let isBinding: Bool
    }

    let appName: Issuer
    /// What every phone says of itself.
    let device: AppVersion.Device

    static let issuer = "https://eduid.example.ch"
    static let providerIssuer = "https://login.example.ch/"
    /// What services learn about people beside their given names, which all of them do.
    private static let released: [JSON.Name] = ["given_name"]

    /// How many services a reader finds at most: of the federation's, those of the kind that it asks for.
    private static let servicesOfAKind = 80
    static func kinds(ofServices count: Int) -> Int { kind(ofService: max(0, count - 1)) + 1 }
    static func kind(ofService number: Int) -> Int { number / servicesOfAKind }

    private static let institution = "uni.example"
    /// As what people belong to the institution.
    let affiliation: Affiliation

    /// A federation of so many services.
    init(services count: Int, people peopleCount: Int) throws {
        var making = Making()
        let spoken = try (0..<Self.kinds(ofServices: count)).map { kind in
            try ProtocolName(parsing: "org.example.reading" + (kind == 0 ? "" : "\(kind)"))
        }
        let appName = try Issuer(parsing: "ch.eduid.mobile")
        (protocolNames, self.appName) = (spoken, appName)
        affiliation = try Affiliation(parsing: "member@" + Self.institution)
        device = AppVersion.Device(
            id: "device-1", name: "Phone", type: "phone", systemVersion: "18.1")
        eduIDKeys = try making.keys("edu-id-0")
        let authority = try Authority(Issuer(parsing: Self.issuer), keys: eduIDKeys)
        services = try (0..<count).map { number in
            let kind = Self.kind(ofService: number)
            return try making.member(number, of: kind, trusting: authority.issuer, speaking: spoken[kind])
        }
        serviceNumbers = Dictionary(uniqueKeysWithValues: services.enumerated().map { ($1.home.url.origin, $0) })
        let versions: [(AppVersion.Platform, String)] = [(.iOS, "1.0"), (.iOS, "2.0"), (.android, "1.0")]
        let pairs = try versions.map { try making.pair("\($0.0)-\($0.1)") }
        versionKeys = try pairs.map { try SigningKey($0) }
        versionIDs = pairs.compactMap { $0.id }
        let callback = try CallbackAddress(parsing: "ch.eduid.mobile:/signed-in")
        let registered = try zip(versions, pairs).map { version, pair in
            guard let key = pair.publicKey, let id = pair.id else { throw SimulationError() }
            var version = try AppVersion(
                version.0, AppVersion.Number(parsing: version.1), appName: appName, keyID: id, key: key)
            version.callbacks = [callback]
            return version
        }
        var directory = ServiceDirectory()
        for member in services { try directory.update(member.home, member.service.document) }
        var eduID = EduIDService(
            authority, versions: try AppVersion.Registry(registered),
            index: ServiceIndex(try services.map { try Self.listing($0) }),
            directory: directory, pseudonyms: Pseudonyms(secret: making.secret()))
        let (known, simulated) = try making.provider(of: authority)
        eduID.provider = known
        guard let description = eduID.description else { throw SimulationError() }
        (self.eduID, eduIDMetadata, self.callback) = (eduID, description, callback)
        (eduIDOrigin, providerOrigin) = (
            try WebURL(parsing: Self.issuer).origin, try WebURL(parsing: Self.providerIssuer).origin
        )
        people = try (0..<peopleCount).map { try Person(number: $0, known, authority) }
        personNumbers = (
            Dictionary(uniqueKeysWithValues: people.enumerated().map { ($1.name, $0) }),
            Dictionary(uniqueKeysWithValues: people.enumerated().map { ($1.subject, $0) })
        )
        forger = try making.provider(of: authority).simulated
        var provider = simulated
        provider.people = people.filter { $0.way == .provider }.map { [affiliation] in $0.account(as: affiliation) }
        self.provider = provider
        let readerPairs = try (0..<2).map { try making.pair("reader-\($0)") }
        readers = try readerPairs.enumerated().map { try Reader(number: $0.offset, $0.element) }
        registry = try Dictionary(
            uniqueKeysWithValues: zip(readers, readerPairs).map { reader, pair in
                guard let key = pair.publicKey else { throw SimulationError() }
                return (reader.id, JWKSet([key], of: try Issuer(parsing: reader.id.text)))
            })
    }

    /// What readers call what they want of a service.
    func protocolName(of service: Int) -> ProtocolName { protocolNames[services[service].kind] }

    /// What the federation's index says of a service.
    static func listing(_ member: Member) throws -> ServiceIndex.Member {
        var listing = try ServiceIndex.Member(
            member.home, issuer: member.service.authority.issuer, releasedClaims: released,
            subjects: member.isPairwise ? .pairwise : .common)
        if member.isForMembers { listing.affiliations = [try AffiliationDemand(parsing: "*@" + institution)] }
        if let age = member.signInAge { listing.demand = try AuthenticationDemand([], maximumAge: age) }
        return listing
    }
}

extension Cast.Person {
    fileprivate init(number: Int, _ provider: Provider, _ service: Authority) throws {
        let words = ["Secretname\(number)", "secret\(number)@private.example"]
        name = try UserName(parsing: "person-\(number)")
        way = Way.allCases[number % Way.allCases.count]
        password = try Secret.Password(parsing: "Passphrase-of-\(number)")
        subject =
            way == .provider
            ? provider.user(try Subject(parsing: name.text), at: service)
            : try Record.Subject(parsing: "subject-of-\(number)")
        let isKnown = way == .provider && number % (2 * Way.allCases.count) < Way.allCases.count
        otherSubject = isKnown ? try Record.Subject(parsing: "subject-of-\(number)") : nil
        profile = [
            "given_name": .string("Given\(number)"), "family_name": .string(words[0]), "email": .string(words[1]),
        ]
        privateWords = (words + ["Passphrase-of-\(number)"]).map { Array($0.utf8) }
    }

    /// What is known of the person, who belongs to an institution or to none.
    func profile(as affiliation: Affiliation?) -> JSON.Object {
        var profile = profile
        profile["eduPersonScopedAffiliation"] = affiliation.map { [.string($0.text)] }
        return profile
    }

    /// With what the private words of all people begin, each before the person's number.
    static let marks = ["Secretname", "secret", "Passphrase-of-"].map { Array($0.utf8) }

    /// What the provider says of the person, who belongs to an institution or to none.
    func account(as affiliation: Affiliation?) -> SimulatedProvider.Person {
        var claims = profile(as: affiliation)
        claims["sid"] = .string(session)
        return SimulatedProvider.Person(name.text, claims: claims)
    }

    /// The person's session there.
    var session: String { "session of \(name.text)" }

    /// The code that the person's device shows at a time, and that counts a little before and after.
    func code(at time: Timestamp) -> String { "\(name.text)-\(time.seconds / Self.codePeriod)" }

    /// Until when a code counts; `nil` if it does not.
    func end(ofCode code: String, at now: Timestamp) -> Timestamp? {
        let isGood = (-1...1).contains {
            code.utf8.elementsEqual(self.code(at: now + .seconds($0 * Self.codePeriod)).utf8)
        }
        return isGood ? now + .seconds(3 * Self.codePeriod) : nil
    }

    private static let codePeriod: Int64 = 30
}

extension Cast.Reader {
    fileprivate init(number: Int, _ pair: JWK.Private) throws {
        id = try BundleID(parsing: "com.example.reader\(number)")
        name = try AppName(parsing: "Reader \(number)")
        key = try SigningKey(pair)
        isBinding = number == 0
    }
}

/// Keys and services while a cast is made.
private struct Making {
    private var entropy = SimulatedFederation.Entropy(seed: 0x5eed)

    mutating func pair(_ name: String) throws -> JWK.Private {
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: entropy.bytes(32))
        return JWK.Private(key, attributes: JWK.Attributes(id: try KeyID(parsing: name)))
    }

    mutating func secret() -> SymmetricKey { SymmetricKey(data: entropy.bytes(32)) }

    mutating func keys(_ name: String) throws -> Authority.Keys {
        .init(signing: try pair(name), master: secret())
    }

    /// A provider, as the edu-ID service knows it and as it is.
    mutating func provider(of service: Authority) throws -> (known: Provider, simulated: SimulatedProvider) {
        let (issuer, client) = (
            try Issuer(parsing: Cast.providerIssuer), try ClientID(parsing: service.issuer.text)
        )
        var known = try Provider(
            issuer, client: client, by: .secretInBody(try Secret.Password(parsing: "secret of the service")),
            answeringAt: "login")
        known.algorithms = [.edDSA]
        let callback = try WebURL(parsing: service.issuer.text + "/callback/login")
        return (known, try SimulatedProvider(issuer, client: client, answeredAt: callback, using: &entropy))
    }

    /// A service; services differ in what they ask, note and give.
    mutating func member(
        _ number: Int, of kind: Int, trusting eduID: Issuer, speaking protocolName: ProtocolName
    ) throws -> Cast.Member {
        let home = try ServiceURL(parsing: "https://s\(number).example.ch")
        var document = ServiceDescription(engineLink: "", homePageLink: home.url.text)
        document.engineName = "University \(number)"
        for (name, link) in [(try ProtocolName(parsing: "org.ietf.oauth2"), "oauth"), (protocolName, "api/reading")] {
            document[name] = ServiceDescription.API(name, link: link)
        }
        let keys = try keys("s\(number)-0")
        var trusted = FederationService.Trusted(eduID)
        if number % 3 == 2 { trusted.introspection = try WebURL(parsing: eduID.text + "/introspect") }
        var policy = FederationService.Policy()
        policy.notesUse = number % 2 == 1
        if number % 4 == 1 { policy.keylessApps = .bearerToken }
        if number % 3 == 1 { policy.grantLifetime = .seconds(20 * 86_400) }
        let authority = try Authority(Issuer(parsing: home.identity), keys: keys)
        return Cast.Member(
            service: try FederationService(authority, document: document, trusting: trusted, policy: policy),
            keys: keys, home: home, kind: kind, endpoint: try document.endpoint(for: protocolName),
            givesPlainTokens: number % 4 == 1, isPairwise: number % 2 == 0, grantLifetime: policy.grantLifetime,
            isForMembers: number % 4 == 0, signInAge: number % 3 == 2 ? 7 * 86_400 : nil)
    }
}
