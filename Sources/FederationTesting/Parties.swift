public import Federation
public import JOSE
public import OAuth2Grants
internal import PureCrypto
internal import RSD2
internal import TokenTree
public import Wire

/// The parties of a simulation: a federation of two universities, the federation's app and a person with a device.
public struct Parties: Sendable {
    /// The federation.
    public var federation: SimulatedFederation
    /// The app on the person's device.
    public var session: Session
    /// The person.
    public let person: SimulatedFederation.User
    /// The keys of the app's versions, by which each of its copies can be made.
    public let versionKeys: [JWK.Private]

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
            let issuer = try Issuer(parsing: Self.eduID)
            let eduIDKey = try Self.keyPair("edu-id-1", &entropy)
            let authority = try Authority(issuer, signingWith: eduIDKey, master: SymmetricKey(data: entropy.bytes(32)))
            versionKeys = [
                try Self.keyPair("ios-1.0", &entropy), try Self.keyPair("ios-2.0", &entropy),
                try Self.keyPair("android-1.0", &entropy),
            ]
            let versions = try AppVersion.Registry([
                Self.version(.iOS, "1.0", versionKeys[0]), Self.version(.iOS, "2.0", versionKeys[1]),
                Self.version(.android, "1.0", versionKeys[2]),
            ])
            let trusted = FederationService.Trusted(issuer, keys: authority.publicKeys.keys)
            let places = [
                try Self.university(
                    Self.homes[0], "University of Alpha", [Self.protocolName, Self.otherProtocol], trusted, &entropy),
                try Self.university(Self.homes[1], "University of Beta", [Self.protocolName], trusted, &entropy),
            ]
            var members: [ServiceIndex.Member] = []
            var directory = ServiceDirectory()
            for place in places {
                guard let home = place.home else { throw SimulationError() }
                members.append(
                    try ServiceIndex.Member(
                        home, issuer: place.service.authority.issuer, keys: place.service.authority.publicKeys.keys,
                        releasedClaims: ["given_name", "email"]))
                directory.update(home, place.service.document)
            }
            let service = EduIDService(
                authority, versions: versions, index: ServiceIndex(members), directory: directory,
                pseudonyms: Pseudonyms(secret: SymmetricKey(data: entropy.bytes(32))))
            person = SimulatedFederation.User(
                try UserName(parsing: "ada"), password: try Secret.Password(parsing: "correct horse battery staple"),
                subject: try Record.Subject(parsing: "user-0001"),
                profile: ["name": "Ada Muster", "given_name": "Ada", "email": "ada@example.ch"])
            federation = SimulatedFederation(service, at: now, seed: entropy.next())
            federation.users = [person]
            federation.services = places
            let installation = try Installation(
                appName: Issuer(parsing: Self.appName), versionKey: SigningKey(versionKeys[0]),
                device: Self.device("Ada's phone"),
                using: &entropy)
            guard let description = service.description else { throw SimulationError() }
            session = Session(installation, with: description)
        } catch {
            throw SimulationError()
        }
    }

    /// A device with a name.
    public static func device(_ name: String) throws(SyntaxError) -> AppVersion.Device {
        AppVersion.Device(
            id: try AppVersion.Device.Detail(parsing: "device-" + String(name.utf8.count)),
            name: try AppVersion.Device.Detail(parsing: name),
            type: try AppVersion.Device.Detail(parsing: "phone"),
            systemVersion: try AppVersion.Device.Detail(parsing: "18.1"))
    }

    /// The key pair of a name.
    private static func keyPair(_ name: String, _ entropy: inout SimulatedFederation.Entropy) throws(SimulationError)
        -> JWK.Private
    {
        do {
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: entropy.bytes(32))
            return JWK.Private(key, attributes: KeyAttributes(id: try KeyID(parsing: name)))
        } catch {
            throw SimulationError()
        }
    }

    private static func version(_ platform: AppVersion.Platform, _ number: String, _ key: JWK.Private)
        throws(SimulationError) -> AppVersion
    {
        guard let publicKey = key.publicKey, let id = key.id else { throw SimulationError() }
        do {
            return try AppVersion(
                platform, AppVersion.Number(parsing: number), appName: Issuer(parsing: appName), keyID: id,
                key: publicKey)
        } catch {
            throw SimulationError()
        }
    }

    private static func university(
        _ home: String, _ name: String, _ protocols: [String], _ trusted: FederationService.Trusted,
        _ entropy: inout SimulatedFederation.Entropy
    ) throws(SimulationError) -> SimulatedFederation.Service {
        do {
            var document = ServiceDescription(engineLink: "", homePageLink: home)
            document.engineName = name
            let oauth2 = try ProtocolName(parsing: "org.ietf.oauth2")
            document[oauth2] = ServiceDescription.API(oauth2, link: "oauth")
            for text in protocols {
                let name = try ProtocolName(parsing: text)
                document[name] = ServiceDescription.API(name, link: "api/" + (text.split(separator: ".").last ?? "any"))
            }
            guard let url = document.serviceURL else { throw SimulationError() }
            let authority = try Authority(
                Issuer(parsing: url.identity),
                signingWith: keyPair("service-" + String(home.dropFirst(8).prefix(5)), &entropy),
                master: SymmetricKey(data: entropy.bytes(32)))
            return SimulatedFederation.Service(try FederationService(authority, document: document, trusting: trusted))
        } catch {
            throw SimulationError()
        }
    }
}

/// That a simulation could not be set up; names and keys in it are fixed, so this tells of a mistake in it.
public struct SimulationError: Error, Sendable {
    /// A mistake.
    public init() {}
}
