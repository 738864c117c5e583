import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("S1: the request token of an app's instance")
struct AppRequestTokenTests {
    typealias Rejection = TokenRejection

    static let draft = Draft(
        "client-authentication+jwt", seed: 3,
        [
            "iss": #""ch.eduid.mobile""#, "sub": #""\#(Scene.instance)""#, "aud": #""\#(Scene.eduID)""#,
            "name": #""Käthes Telefon""#,
            "device_id": #""9c2e""#, "device_type": #""phone""#, "os_version": #""18.1""#, "iat": "1700000000",
            "jti": #""s-1""#,
        ])
    static let endpoint = "https://eduid.example.ch/token"

    static func version(seed: UInt8 = 3, id: String? = nil, pinning algorithm: Algorithm? = nil) throws -> AppVersion {
        var key = try Pair.jwk(seed)
        key.attributes.algorithm = algorithm
        return try AppVersion(
            .android, AppVersion.Number(parsing: "2.10"), appName: Scene.issuer("ch.eduid.mobile"),
            keyID: Scene.name(id ?? "k\(seed)"),
            key: key)
    }

    static func check(
        _ text: String, version: AppVersion?, endpoint: String? = nil,
        policy: Statement.AppRegistration.Policy = Statement.AppRegistration.Policy(),
        at now: Timestamp = Scene.now
    ) throws -> Rejection? {
        let assertion = try Assertion(parsing: text)
        let addressee = Statement.Addressee(
            try Scene.issuer(Scene.eduID), orEndpoint: try endpoint.map { try Scene.url($0) })
        return rejection { () throws(Rejection) in
            let received = try Statement.AppRegistration.Unverified(parsing: assertion)
            return try Statement.AppRegistration(
                checking: received, against: version, to: addressee, policy: policy, at: now)
        }
    }

    static func check(_ draft: Draft) throws -> Rejection? { try check(draft.text, version: version()) }

    @Test(
        "A token in order names version, instance and device", .proves("REG-1"), .proves("REG-2"), .proves("REQ-10"),
        .proves("REQ-12"))
    func good() throws {
        let draft = Self.draft.claiming(["cnf": #"{"jwk":\#(try Pair.json(7))}"#, "iat": "1700000000"])
        let received = try Statement.AppRegistration.Unverified(parsing: draft.assertion)
        #expect(try received.keyID == Scene.name("k3"))
        let registry = try AppVersion.Registry([Self.version()])
        let token = try Statement.AppRegistration(
            checking: received, against: registry[received.keyID], to: Statement.Addressee(Scene.issuer(Scene.eduID)),
            at: Scene.now)
        #expect(token.instance == (try Scene.client()))
        #expect(token.version.number.description == "2.10")
        #expect(token.version.platform == .android)
        #expect(token.device.name.text == "Käthes Telefon")
        #expect(
            token.device.id.text == "9c2e" && token.device.type.text == "phone"
                && token.device.systemVersion.text == "18.1")
        #expect(try token.key == Pair.jwk(7))
        #expect(token.issuedAt == Scene.now)
        #expect(token.singleUse?.until == Scene.time(1_700_000_601))
    }

    @Test("It is taken from the header as well as from the parameter", .proves("REQ-13"))
    func header() throws {
        let received = try Statement.AppRegistration.Unverified(parsing: AccessToken(parsing: Self.draft.text))
        #expect(try received.keyID == Scene.name("k3"))
    }

    // MARK: JOSE header

    @Test("The payload is in the token", .proves("REQ-1"))
    func detached() throws {
        let parts = try Self.draft.text.split(separator: ".")
        #expect(try Self.check("\(parts[0])..\(parts[2])", version: Self.version()) == .detachedPayload)
    }

    @Test(
        "'none' is no algorithm, however it is spelled", .proves("REQ-2"), .proves("threat-1"),
        arguments: ["none", "None", "NONE", "nOnE"])
    func unsecured(name: String) throws {
        let text = try Self.draft.heading(["alg": #""\#(name)""#]).text
        #expect(try Self.check(text, version: Self.version()) == .token(.unsecured))
        #expect(
            try Self.check(String(text[...(text.lastIndex(of: ".") ?? text.startIndex)]), version: Self.version())
                == .token(.unsecured))
    }

    static let headers: [Fault<TokenRejection.Reason>] = [
        Fault("no type", draft.heading(["typ": ""]), nil),
        Fault("just JWT", draft.heading(["typ": #""JWT""#]), nil),
        Fault("the other name of the algorithm", draft.heading(["alg": #""Ed25519""#]), nil),
        Fault("no key's name", draft.heading(["kid": ""]), .missingKeyID),
        Fault(
            "another key's name", draft.heading(["kid": #""k4""#]),
            .keyOfAnotherVersion(expected: RequestTokenTests.name("k3"), found: RequestTokenTests.name("k4"))),
        Fault(
            "an algorithm that the key is not for", draft.heading(["alg": #""HS256""#]),
            .algorithm(found: .hs256, pinned: [.edDSA, .ed25519])),
        Fault(
            "a key in the header", draft.heading(["jwk": (try? Pair.json(3)) ?? ""]),
            .token(.embeddedKey("jwk"))),
        Fault(
            "a place of keys in the header", draft.heading(["jku": #""https://keys.example/""#]),
            .token(.embeddedKey("jku"))),
        Fault("certificates in the header", draft.heading(["x5c": "[]"]), .token(.embeddedKey("x5c"))),
        Fault("another key", draft.signed(by: 4), .token(.invalidSignature)),
        Fault(
            "another kind", draft.heading(["typ": #""request+jwt""#]),
            .token(.wrongKind(expected: "client-authentication+jwt", found: "request+jwt"))),
    ]

    @Test(
        "The header names a registered key and an algorithm that it allows", .proves("REQ-3"), .proves("REQ-4"),
        .proves("REQ-14"),
        .proves("threat-3"), .proves("threat-9"), arguments: headers)
    func header(_ fault: Fault<TokenRejection.Reason>) throws {
        #expect(try Self.check(fault.draft) == fault.rejection.map { TokenRejection(.appRegistration, $0) })
    }

    @Test("A key that nobody has registered is refused", .proves("REQ-3"))
    func unknown() throws {
        #expect(try Self.check(Self.draft.text, version: nil) == .unknownKey(Scene.name("k3")))
    }

    @Test("An algorithm that is fixed for the key excludes all others", .proves("REQ-4"), .proves("threat-4"))
    func pinned() throws {
        let version = try Self.version(pinning: .edDSA)
        #expect(try Self.check(Self.draft.text, version: version) == nil)
        #expect(
            try Self.check(Self.draft.heading(["alg": #""Ed25519""#]).text, version: version)
                == .algorithm(found: .ed25519, pinned: [.edDSA]))
    }

    @Test("Keys of other algorithms are as good, where the service does not restrict them", .proves("REQ-5"))
    func algorithms() throws {
        let secret = try JWK.Private(
            SymmetricKey(data: (0..<32).map { UInt8($0) }), attributes: JWK.Attributes(algorithm: .hs256))
        let version = try AppVersion(
            .iOS, AppVersion.Number(parsing: "1"), appName: Scene.issuer("ch.eduid.mobile"), keyID: Scene.name("v1"),
            secret: secret)
        var (named, entropy) = (secret, SeededGenerator(seed: 4))
        named.attributes.id = try Scene.name("v1")
        let assertion = try Statement.AppRegistration.signed(
            with: SigningKey(named), of: Scene.issuer("ch.eduid.mobile"), instance: Scene.client(), on: Self.device,
            to: Scene.issuer(Scene.eduID), at: Scene.now, using: &entropy)
        #expect(try Self.check(assertion.secret, version: version) == nil)

        struct Length: Verifier {
            func isValid(_ signature: Span<UInt8>, for message: Span<UInt8>) -> Bool { signature.count == 64 }
        }
        let algorithm = try #require(Algorithm("ES256"))
        let foreign = try AppVersion(
            .iOS, AppVersion.Number(parsing: "1"), appName: Scene.issuer("ch.eduid.mobile"), keyID: Scene.name("k3"),
            verifier: Length(),
            for: algorithm)
        #expect(try Self.check(Self.draft.heading(["alg": #""ES256""#]).text, version: foreign) == nil)
        #expect(try Self.check(Self.draft.text, version: foreign) == .algorithm(found: .edDSA, pinned: [algorithm]))
    }

    // MARK: Claims

    static let claims: [Fault<TokenRejection.Reason>] =
        (["iss", "sub", "aud", "name", "device_id", "device_type", "os_version"] as [JSON.Name]).flatMap { name in
            [
                Fault("no \(name)", draft.claiming([name.text: ""]), .token(.missing(name))),
                Fault(
                    "\(name) is null", draft.claiming([name.text: "null"]),
                    .token(.wrongType(name, expected: .string, found: .null))),
                Fault(
                    "\(name) is a number", draft.claiming([name.text: "7"]),
                    .token(.wrongType(name, expected: .string, found: .number))),
                Fault(
                    "\(name) is empty", draft.claiming([name.text: #""""#]),
                    .token(.malformedName(name, .empty(.identifier)))),
            ]
        }

    @Test(
        "What must be there is a string that is not empty, and what is missing is named", .proves("REQ-6"),
        .proves("REG-2"),
        arguments: claims)
    func claim(_ fault: Fault<TokenRejection.Reason>) throws {
        let rejection = try #require(try Self.check(fault.draft))
        #expect(rejection == fault.rejection.map { TokenRejection(.appRegistration, $0) })
        #expect(["REQ-6", "REG-2"].contains(rejection.clause))
        #expect(rejection.refusal.code == .invalidClient)
        let name = fault.change.split(separator: " ").first { $0 != "no" } ?? ""
        #expect(rejection.refusal.description.contains("'\(name)'"))
    }

    static let values: [Fault<TokenRejection.Reason>] = [
        Fault(
            "another app", draft.claiming(["iss": #""ch.eduid.mobil""#]),
            .issuer(expected: "ch.eduid.mobile", found: "ch.eduid.mobil")),
        Fault("no UUID", draft.claiming(["sub": #""instance-1""#]), .subjectIsNoUUID),
        Fault("a UUID in braces", draft.claiming(["sub": #""{\#(Scene.instance)}""#]), .subjectIsNoUUID),
        Fault(
            "a UUID with a strange digit", draft.claiming(["sub": #""0f8fad5g-d9cb-469f-a165-70867728950e""#]),
            .subjectIsNoUUID),
        Fault(
            "a UUID without a hyphen", draft.claiming(["sub": #""0f8fad5bad9cb-469f-a165-70867728950e""#]),
            .subjectIsNoUUID),
        Fault("a UUID in capitals", draft.claiming(["sub": #""0F8FAD5B-D9CB-469F-A165-70867728950E""#]), nil),
        Fault(
            "another service", draft.claiming(["aud": #""https://other.example/""#]),
            .audience(expected: Scene.eduID, found: "https://other.example/")),
        Fault("a list of one", draft.claiming(["aud": #"["\#(Scene.eduID)"]"#]), nil),
        Fault(
            "the URL, spelled differently", draft.claiming(["aud": #""https://EDUID.example.ch:443""#]),
            .audience(expected: Scene.eduID, found: "https://EDUID.example.ch:443")),
        Fault(
            "two services", draft.claiming(["aud": #"["\#(Scene.eduID)","https://b.example/"]"#]), .severalAudiences(2)),
        Fault("an empty list", draft.claiming(["aud": "[]"]), .token(.emptyAudience)),
        Fault(
            "a name with a line end", draft.claiming(["name": #""a\nb""#]),
            .token(.malformedName("name", .foreignCharacter(.identifier, offset: 1)))),
        Fault(
            "a name that is too long", draft.claiming(["name": #""\#(String(repeating: "x", count: 257))""#]),
            .token(.malformedName("name", .tooLong(.identifier, length: 257, limit: 256)))),
        Fault("an end to come", draft.claiming(["exp": "1700000001"]), nil),
        Fault(
            "an end that has come", draft.claiming(["exp": "1700000000"]),
            .token(.expired(at: Scene.now, now: Scene.now))),
        Fault(
            "a beginning to come", draft.claiming(["nbf": "1700000061"]),
            .token(.notYetValid(from: Scene.time(1_700_000_061), now: Scene.now))),
        Fault("ten minutes old", draft.claiming(["iat": "1699999400"]), nil),
        Fault(
            "a second older", draft.claiming(["iat": "1699999399"]),
            .token(.tooOld(issued: Scene.time(1_699_999_399), now: Scene.now))),
        Fault("no time of issue", draft.claiming(["iat": ""]), .token(.missing("iat"))),
        Fault("no name of its own", draft.claiming(["jti": ""]), .token(.missing("jti"))),
        Fault(
            "a time of issue to come", draft.claiming(["iat": "1700000061"]),
            .token(.issuedInTheFuture(at: Scene.time(1_700_000_061), now: Scene.now))),
        Fault(
            "a name of its own that is empty", draft.claiming(["jti": #""""#]),
            .token(.malformedName("jti", .empty(.identifier)))),
        Fault(
            "a private key to bind to", draft.claiming(["cnf": #"{"jwk":{"kty":"oct","k":"AAAA"}}"#]),
            .confirmation(.confirmationKey(.secretMember("k")))),
        Fault("no key to bind to", draft.claiming(["cnf": #"{"kid":"k7"}"#]), .confirmationWithoutKey),
    ]

    static func issuer(_ text: String) -> Issuer {
        guard let issuer = try? Issuer(parsing: text) else { preconditionFailure("'\(text)' is no name") }
        return issuer
    }

    @Test(
        "The claims say what is registered and requested", .proves("REQ-7"), .proves("REQ-8"), .proves("REQ-9"),
        .proves("REQ-10"),
        .proves("REQ-11"), .proves("REQ-12"), .proves("threat-24"), arguments: values)
    func value(_ fault: Fault<TokenRejection.Reason>) throws {
        #expect(try Self.check(fault.draft) == fault.rejection.map { TokenRejection(.appRegistration, $0) })
    }

    @Test("The endpoint never stands for the service", .proves("REQ-11"), .proves("threat-64"))
    func endpoint() throws {
        let text = try Self.draft.claiming(["aud": #""\#(Self.endpoint)""#]).text
        #expect(
            try Self.check(text, version: Self.version(), endpoint: Self.endpoint)
                == .audience(expected: Scene.eduID, found: Self.endpoint))
        #expect(
            try Self.check(text, version: Self.version())
                == .audience(expected: Scene.eduID, found: Self.endpoint))
    }

    @Test(
        "Its name is handed out to be remembered, as long as it is taken", .proves("REQ-8"), .proves("threat-62"),
        .proves("threat-63"))
    func named() throws {
        func singleUse(_ changes: [String: String], strict: Bool = false) throws -> Statement.SingleUse? {
            var policy = Statement.AppRegistration.Policy()
            policy.strictSource = strict
            return try Statement.AppRegistration(
                checking: .init(parsing: Self.draft.claiming(changes).assertion), against: Self.version(),
                to: Statement.Addressee(Scene.issuer(Scene.eduID)), policy: policy, at: Scene.now
            ).singleUse
        }
        let one = try #require(try singleUse(["jti": #""n""#, "exp": "1700000100"]))
        #expect(
            one.until == Scene.time(1_700_000_100) && one.id.text == "n" && one.kind == .appRegistration
                && one.owner == "kid:2:k3" + Scene.instance)
        #expect(try singleUse(["exp": "253402300799"])?.until == Scene.time(1_700_000_601))
        // As the source words it: a day, and for a token without a name nothing can be said.
        #expect(try singleUse(["iat": "1600000000"], strict: true)?.until == Scene.time(1_700_086_400))
        #expect(try singleUse(["iat": "", "jti": ""], strict: true) == nil)
    }

    @Test(
        "A policy refuses tokens without a type, another takes names that are no UUIDs", .proves("threat-18"),
        .proves("REQ-10"))
    func policies() throws {
        var policy = Statement.AppRegistration.Policy()
        policy.acceptsUntyped = false
        let untyped = try Self.draft.heading(["typ": ""]).text
        #expect(
            try Self.check(untyped, version: Self.version(), policy: policy)
                == .token(.wrongKind(expected: "client-authentication+jwt", found: nil)))
        policy.demandsUUID = false
        #expect(
            try Self.check(Self.draft.claiming(["sub": #""x""#]).text, version: Self.version(), policy: policy) == nil)
    }

    // MARK: Answers

    @Test("A version that was shut out is refused, but only to who has its key", .proves("REG-4"), .proves("FED-4"))
    func blocked() throws {
        var version = try Self.version()
        version.isBlocked = true
        let refused = try Self.check(Self.draft.text, version: version)
        #expect(refused == .blockedVersion)
        #expect(refused?.refusal.code == .unauthorizedClient)
        #expect(
            try Self.check(Self.draft.signed(by: 4).text, version: version) == .token(.invalidSignature))
    }

    @Test("What is wrong about keys and signatures is answered alike", .proves("threat-39"))
    func alike() throws {
        let version = try Self.version()
        let refusals = try [
            Self.check(Self.draft.text, version: nil), Self.check(Self.draft.signed(by: 4).text, version: version),
            Self.check(Self.draft.heading(["alg": #""HS256""#]).text, version: version),
            Self.check(Self.draft.heading(["kid": #""k4""#]).text, version: version),
        ].map { $0?.refusal }
        #expect(refusals[0]?.code == .invalidClient)
        for refusal in refusals { #expect(refusal == refusals[0]) }
    }

    // MARK: Making

    static var device: AppVersion.Device {
        get throws {
            AppVersion.Device(
                id: try .init(parsing: "9c2e"), name: try .init(parsing: "Käthes Telefon"),
                type: try .init(parsing: "phone"),
                systemVersion: try .init(parsing: "18.1"))
        }
    }

    @Test(
        "What is built is believed, for random values, and says neither when it ends nor how it is called",
        .proves("REG-1"),
        .proves("REQ-8"))
    func roundTrip() throws {
        let seed: UInt64 = 0x5eed_0003
        var entropy = SeededGenerator(seed: seed)
        for round in 0..<30 {
            let hex = Hex.encode(entropy.bytes(16)).map { String($0) }
            let uuid = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { hex[$0].joined() }.joined(separator: "-")
            let app = try Scene.issuer("app-\(entropy.next())")
            let service = try Scene.issuer("https://s\(entropy.next()).example/")
            var device = try Self.device
            device.name = try .init(parsing: "ñ \(entropy.next())")
            let key = round % 2 == 0 ? nil : try Pair.jwk(UInt8(round))
            let time = Scene.now - .seconds(Int64(entropy.next() % 601))
            let made = try Statement.AppRegistration.signed(
                with: Pair.signing(3), of: app, instance: Scene.client(uuid), on: device, to: service, binding: key,
                at: time, using: &entropy)
            let version = try AppVersion(
                .iOS, .init(parsing: "1.\(round)"), appName: app, keyID: Scene.name("k3"), key: Pair.jwk(3))
            let token = try Statement.AppRegistration(
                checking: .init(parsing: made), against: version, to: Statement.Addressee(service), at: Scene.now)
            #expect(
                token.device == device && token.instance.text == uuid && token.key == key && token.issuedAt == time,
                "seed \(seed), \(round)")
            let payload = try Base64URL.decode(String(made.secret.split(separator: ".")[1]))
            let claims = try JSON.Document(parsing: payload).root.object()
            for name: JSON.Name in ["exp", "nbf"] { #expect(!claims.contains(name)) }
        }
    }
}

@Suite("FED-2: versions of the app")
struct AppVersionTests {
    @Test("Numbers are ordered by what their components count", .proves("FED-2"))
    func order() throws {
        let ascending = try ["0", "0.0.1", "1", "1.0.1", "1.2", "1.10", "2.9", "2.10", "10", "4294967295"].map {
            try AppVersion.Number(parsing: $0)
        }
        for (place, number) in ascending.enumerated() {
            for (otherPlace, other) in ascending.enumerated() {
                #expect((number < other) == (place < otherPlace))
                #expect((number == other) == (place == otherPlace))
            }
        }
        #expect(try AppVersion.Number(parsing: "2.0.0") == AppVersion.Number(parsing: "2"))
        #expect(try AppVersion.Number(parsing: "0.0").description == "0")
    }

    @Test(
        "A text that is no number is refused for its fault", .proves("FED-2"),
        arguments: [
            ("", SyntaxError.malformed(.versionNumber, offset: 0)), ("1.", .malformed(.versionNumber, offset: 2)),
            (".1", .malformed(.versionNumber, offset: 0)),
            ("1..2", .malformed(.versionNumber, offset: 2)), ("1.02", .malformed(.versionNumber, offset: 2)),
            ("1.2b", .foreignCharacter(.versionNumber, offset: 3)),
            ("-1", .foreignCharacter(.versionNumber, offset: 0)), ("4294967296", .malformed(.versionNumber, offset: 0)),
            ("1.99999999999999999999", .malformed(.versionNumber, offset: 2)),
            ("1.2.3.4.5.6.7.8.9", .tooMany(.versionNumber, limit: 8)),
        ])
    func fault(text: String, expected: SyntaxError) {
        #expect(throws: expected) { try AppVersion.Number(parsing: text) }
    }

    private func version(
        _ platform: AppVersion.Platform, _ number: String, id: String, seed: UInt8, app: String = "ch.eduid.mobile"
    ) throws -> AppVersion {
        try AppVersion(
            platform, .init(parsing: number), appName: Scene.issuer(app), keyID: Scene.name(id), key: Pair.jwk(seed))
    }

    @Test("An upgrade goes forward in its own line", .proves("REG-5"))
    func upgrades() throws {
        let old = try version(.iOS, "2.9", id: "a", seed: 1)
        #expect(try version(.iOS, "2.10", id: "b", seed: 2).isUpgrade(of: old))
        #expect(try !version(.iOS, "2.9.0", id: "b", seed: 2).isUpgrade(of: old))
        #expect(try !version(.iOS, "2.8", id: "b", seed: 2).isUpgrade(of: old))
        #expect(try !version(.android, "2.10", id: "b", seed: 2).isUpgrade(of: old))
        #expect(try !version(.iOS, "2.10", id: "b", seed: 2, app: "other").isUpgrade(of: old))
    }

    @Test("A key, and the name of a key, is one version's alone", .proves("REQ-4"), .proves("FED-2"))
    func registry() throws {
        let one = try version(.iOS, "1", id: "a", seed: 1)
        let registry = try AppVersion.Registry([one, version(.android, "1", id: "b", seed: 2)])
        #expect(registry.count == 2)
        #expect(try registry[Scene.name("b")]?.platform == .android)
        #expect(try registry[Scene.name("c")] == nil)
        let sameName = try version(.android, "1", id: "a", seed: 2)
        #expect(
            rejection { () throws(IssuanceRejection) in try AppVersion.Registry([one, sameName]) }
                == .sharedKeyID(try Scene.name("a")))
        let sameKey = try version(.android, "1", id: "b", seed: 1)
        #expect(
            rejection { () throws(IssuanceRejection) in try AppVersion.Registry([one, sameKey]) }
                == .sharedKey(try Scene.name("a"), try Scene.name("b")))
    }
}
