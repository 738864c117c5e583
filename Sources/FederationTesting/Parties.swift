public import Federation
public import JOSE
public import NAIL
internal import OAuth2Grants
internal import PureCrypto
public import RSD2
internal import TokenTree
public import Wire

/// The parties of a simulation: a federation of two universities, the federation's app and a person with a device.
public struct Parties: Sendable {
    /// The federation.
    public var federation: SimulatedFederation
    /// The app on the person's device.
    public var session: AuthorizingApp.Session
    /// The person.
    public let person: SimulatedFederation.User
    /// Where the keys of the person's device lie, if they do not lie in the app.
    public var element: SecureElement?
    /// The keys of the app's versions, by which each of its copies can be made.
    public let versionKeys: [JWK.Private]
    /// The keys of the edu-ID service, the one that signs and those that it publishes beside it.
    public private(set) var keys: Authority.Keys

    /// The base URL of the edu-ID service.
    public static let eduID = "https://eduid.example.ch"
    /// The home pages of the two universities.
    public static let homes = ["https://alpha.example.ch", "https://beta.example.ch"]
    /// The name under which the app's versions are registered.
    public static let appName = "ch.eduid.mobile"
    /// The protocol that both universities speak beside OAuth.
    public static let protocolName = "org.ieee.papi"
    /// Another one, that the first university alone speaks.
    public static let otherProtocol = "org.imsglobal.lti"

    /// Everybody, before anything has happened.
    ///
    /// The seed decides about all keys, names and tokens, and is no secret: what is made here is good for simulations
    /// only.
    public init(seed: UInt64, at now: Timestamp = Timestamp(seconds: 1_800_000_000)) throws(SimulationError) {
        do {
            var entropy = SimulatedFederation.Entropy(seed: seed)
            func keyPair(_ name: String) throws -> JWK.Private {
                let key = try Curve25519.Signing.PrivateKey(rawRepresentation: entropy.bytes(32))
                return JWK.Private(key, attributes: JWK.Attributes(id: try KeyID(parsing: name)))
            }
            func keys(_ name: String) throws -> Authority.Keys {
                .init(signing: try keyPair(name), master: SymmetricKey(data: entropy.bytes(32)))
            }
            self.keys = try keys("edu-id-1")
            let eduID = try Authority(Issuer(parsing: Self.eduID), keys: self.keys)
            let versions: [(AppVersion.Platform, String)] = [(.iOS, "1.0"), (.iOS, "2.0"), (.android, "1.0")]
            versionKeys = try versions.map { try keyPair("\($0.0 == .iOS ? "ios" : "android")-\($0.1)") }
            let trusted = FederationService.Trusted(eduID.issuer)
            var directory = ServiceDirectory()
            var members: [ServiceIndex.Member] = []
            let services = try zip(Self.homes, ["Alpha", "Beta"]).map { home, name in
                let document = try Self.document(home, "University of " + name, isLarge: name == "Alpha")
                let url = try ServiceURL(parsing: home)
                let authority = try Authority(
                    Issuer(parsing: url.identity), keys: try keys("service-" + name.lowercased().prefix(5)))
                try directory.update(url, document)
                members.append(
                    try ServiceIndex.Member(
                        url, issuer: authority.issuer, releasedClaims: ["given_name", "email"]))
                return SimulatedFederation.Service(
                    try FederationService(authority, document: document, trusting: trusted))
            }
            let service = EduIDService(
                eduID,
                versions: try AppVersion.Registry(
                    zip(versions, versionKeys).map { try Self.version($0.0, $0.1, of: $1) }),
                index: ServiceIndex(members), directory: directory,
                pseudonyms: Pseudonyms(secret: SymmetricKey(data: entropy.bytes(32))))
            person = SimulatedFederation.User(
                try UserName(parsing: "ada"), password: try Secret.Password(parsing: "correct horse battery staple"),
                subject: try Record.Subject(parsing: "user-0001"),
                profile: ["name": "Ada Muster", "given_name": "Ada", "email": "ada@example.ch"])
            federation = SimulatedFederation(service, at: now, seed: entropy.next())
            federation.users = [person]
            federation.services = services
            guard let description = service.description else { throw SimulationError() }
            let installation = try Self.installation(
                on: "Ada's phone", version: SigningKey(versionKeys[0]), using: &entropy)
            session = AuthorizingApp.Session(installation, with: description)
        } catch {
            throw SimulationError()
        }
    }

    /// A copy of the app on a device of this name.
    public static func installation(
        on name: String, version: SigningKey, using entropy: inout some RandomNumberGenerator
    ) throws -> AuthorizingApp.Installation {
        let device = AppVersion.Device(
            id: try AppVersion.Device.Detail(parsing: "device-\(name.utf8.count)"),
            name: try AppVersion.Device.Detail(parsing: name),
            type: try AppVersion.Device.Detail(parsing: "phone"),
            systemVersion: try AppVersion.Device.Detail(parsing: "18.1"))
        return try AuthorizingApp.Installation(
            appName: Issuer(parsing: appName), versionKey: version, device: device, using: &entropy)
    }

    /// A copy of the app on a device of this name, with a key that was made for it.
    public static func installation(
        on name: String, version: SigningKey, key: DeviceKey, using entropy: inout some RandomNumberGenerator
    ) throws -> AuthorizingApp.Installation {
        let made = try installation(on: name, version: version, using: &entropy)
        return AuthorizingApp.Installation(
            appName: made.appName, versionKey: version, instance: made.instance, device: made.device, key: key)
    }

    /// Gives the person another device, whose keys lie in a secure element, that of its version too; nothing is
    /// registered from there yet.
    public mutating func turn(
        to element: SecureElement, named name: String = "Ada's other phone"
    ) throws(SimulationError) {
        var element = element
        guard let key = element.newKey(), let document = versionKeys[0].encoded(),
            let seed = (try? JSON(parsing: document))?["d"]?.string.flatMap({ try? Base64URL.decode($0) }),
            let pair = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed),
            let version = element.keep(pair, as: "version"),
            let installation = try? Self.installation(
                on: name, version: SigningKey(elsewhere: version, id: versionKeys[0].id), key: key,
                using: &federation.entropy)
        else { throw SimulationError() }
        self.element = element
        session = AuthorizingApp.Session(installation, with: session.eduID)
    }

    private static func version(_ platform: AppVersion.Platform, _ number: String, of key: JWK.Private) throws
        -> AppVersion
    {
        guard let publicKey = key.publicKey, let id = key.id else { throw SimulationError() }
        return try AppVersion(
            platform, AppVersion.Number(parsing: number), appName: Issuer(parsing: appName), keyID: id, key: publicKey)
    }

    private static func document(_ home: String, _ name: String, isLarge: Bool) throws -> ServiceDescription {
        var document = ServiceDescription(engineLink: "", homePageLink: home)
        document.engineName = name
        let links = [("org.ietf.oauth2", "oauth"), (protocolName, "api/papi"), (otherProtocol, "api/lti")]
        for (text, link) in isLarge ? links[...] : links.dropLast() {
            let name = try ProtocolName(parsing: text)
            document[name] = ServiceDescription.API(name, link: link)
        }
        return document
    }
}

/// That a simulation could not be set up; names and keys in it are fixed, so this tells of a mistake in it.
public struct SimulationError: Error, Sendable {
    /// A mistake.
    public init() {}
}

// MARK: - What the app does

extension Parties {
    /// Carries out an interaction of the app over the federation's network.
    @discardableResult
    public mutating func perform<Value>(
        _ interaction: AuthorizingApp.Interaction<Value>
    ) throws(Rejection) -> Value {
        var session = session
        defer { self.session = session }
        var entropy = SimulatedFederation.Entropy(seed: federation.entropy.next())
        var element = element
        defer { self.element = element }
        return try session.carryOut(
            interaction, at: federation.now, using: &entropy, over: { federation.send($0) },
            signing: { element?.signature(for: $0) }, making: { _ in element?.newKey() })
    }

    /// (1), (2), (2a), (3) The instance registers, and the person signs in.
    public mutating func signIn() throws(Rejection) {
        if !session.isRegistered { try perform(.registration) }
        try perform(.signIn(person.name, person.password))
        try perform(.launch)
    }

    /// (4), (5) The app is introduced to a service, whose description it knows by now, and redeems the assertion there.
    public mutating func authorize(_ service: ServiceURL) throws(Rejection) {
        try perform(.discovery(.services([service])))
        try perform(.introduction(to: service))
    }
}

// MARK: - Keys that change

extension Parties {
    /// A further key pair of the edu-ID service.
    public mutating func keyPair(named name: String) throws(SimulationError) -> JWK.Private {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: federation.entropy.bytes(32)),
            let id = try? KeyID(parsing: name)
        else { throw SimulationError() }
        return JWK.Private(key, attributes: JWK.Attributes(id: id))
    }

    /// Lets the edu-ID service publish these keys beside the one that signs, from now on.
    public mutating func publish(_ others: [JWK]) throws(SimulationError) {
        var keys = keys
        keys.others = others
        try sign(with: keys)
    }

    /// Lets the edu-ID service sign with a key and publish others beside it, from now on.
    public mutating func sign(with key: JWK.Private, publishing others: [JWK]) throws(SimulationError) {
        try sign(with: Authority.Keys(signing: key, others: others, master: keys.master))
    }

    /// Lets the edu-ID service sign with a key that lies elsewhere and publish others beside it, from now on: the
    /// federation's `signer` has it.
    public mutating func sign(withElsewhere key: JWK, publishing others: [JWK]) throws(SimulationError) {
        try sign(with: Authority.Keys(signingElsewhere: key, others: others, master: keys.master))
    }

    private mutating func sign(with keys: Authority.Keys) throws(SimulationError) {
        guard let authority = try? Authority(federation.eduID.authority.issuer, keys: keys) else {
            throw SimulationError()
        }
        self.keys = keys
        federation.eduID.authority = authority
    }
}
