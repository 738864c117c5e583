internal import JOSE
internal import JOSETesting
internal import Wire

// Keys on P-256, which phones keep in their hardware, with their holders and with services.

extension Catalogue {
    private static let phone = TestKey.p256("phone")
    private static let reader = TestKey.p256("reader")

    /// The same world, where a party signs with a key on P-256, whose public half the others know.
    private static func signingOnCurve(_ world: World) -> World {
        let (service, eduID) = (TestKey.p256("alpha"), TestKey.p256("edu-id"))
        return world.with("key", at: .alpha) { _ in service.privateJWK("alpha-2") }
            .with("key", at: .eduID) { _ in eduID.privateJWK("edu-id-2") }
            .with("edu_id", at: .alpha) { $0.with("keys", [eduID.publicJWK("edu-id-2")]) }
            .withEach("services", at: .eduID) {
                $0["home"] == .string(World.alpha) ? $0.with("keys", [service.publicJWK("alpha-2")]) : $0
            }
    }

    private static func claiming(_ key: JSON) -> Situation.Request {
        { World.registering($0.statement().claiming(["cnf": ["jwk": key]])) }
    }

    mutating func addRegistrationsOnCurves() throws {
        let rsa: JSON = ["kty": "RSA", "n": .string(MadeElsewhere.modulusText), "e": "AQAB"]
        try add(
            in: World(), at: .eduID,
            [
                .accepted("p-256", "the instance brings a key on P-256", ["REG-5", "POP-1", "KEY-23"]) {
                    World.registering($0.statement(device: Self.phone))
                },
                .accepted(
                    "p-256-algorithm", "the instance brings a key on P-256 that names its algorithm", ["KEY-23"],
                    Self.claiming(Self.phone.publicJWK.with("alg", "ES256"))),
                .accepted(
                    "p-256-service", "the service signs with a key on P-256", ["KEY-1", "KEY-24"],
                    in: Self.signingOnCurve(World())
                ) { World.registering($0.statement()) },
                .refused(
                    "rsa-algorithm", "the instance brings an RSA key for RS256, which is not on the service's list",
                    ["KEY-9", "KEY-23"], "invalid_request", "POP-1", Self.claiming(rsa.with("alg", "RS256"))),
                .refused(
                    "rsa-without-algorithm", "the instance brings an RSA key that is for no one algorithm",
                    ["KEY-8", "KEY-23"], "invalid_request", "POP-1", Self.claiming(rsa)),
                .refused(
                    "p-256-off-curve", "the instance brings a key on P-256 that is no point", ["KEY-1"],
                    "invalid_client", "RFC7800-3.2",
                    Self.claiming(Self.phone.publicJWK.with("y", Self.reader.publicJWK["y"] ?? .null))),
            ])
    }

    mutating func addSignInsOnCurves() throws {
        var world = World()
        let client = try world.register(device: Self.phone)
        let url = World.eduID + "/authorize-challenge"
        try add(
            in: world, at: .eduID,
            [
                .accepted("p-256", "an instance with a key on P-256 signs a user in", ["AUT-2", "KEY-23"]) {
                    $0.challenging(client)
                }
            ])
        try refuseCurveTokens("p-256-proof", "invalid_client", in: world, at: .eduID, of: client, for: url) {
            World.form(
                url,
                [
                    "response_type": "code", "username": "ada", "password": "correct horse battery staple",
                    "code_challenge": World.challenge, "code_challenge_method": "S256",
                ], bearer: $0)
        }
    }

    mutating func addRedemptionsOnCurves() throws {
        let held = try Held(["access_token": "none", "cnf": ["kid": "client-record-1"]], Self.phone, of: World.phone)
        try add(
            in: World(), at: .alpha,
            [
                .accepted("p-256", "the instance's key is on P-256", ["AST-8", "KEY-23"]) {
                    $0.redeeming($0.assertion(holding: Self.phone), by: held)
                },
                .accepted(
                    "p-256-issuer", "the assertion and the answer are signed with keys on P-256", ["KEY-1", "KEY-24"],
                    in: Self.signingOnCurve(World())
                ) {
                    let assertion = $0.assertion(holding: Self.phone).heading(["alg": "ES256", "kid": "edu-id-2"])
                    return $0.redeeming(assertion.signed(by: .p256("edu-id")), by: held)
                },
                .refused(
                    "p-256-issuer-switched", "the assertion names EdDSA, and its key is on P-256", ["KEY-8"],
                    "invalid_grant", "RFC8725-3.1", in: Self.signingOnCurve(World())
                ) {
                    let assertion = $0.assertion(holding: Self.phone).heading(["kid": "edu-id-2"])
                    return $0.redeeming(assertion.signed(by: .p256("edu-id")), by: held)
                },
            ])
    }

    mutating func addAppsOnCurves() throws {
        var world = World()
        let service = try world.redeem()
        try add(
            in: world, at: .alpha,
            [
                .accepted("p-256", "an app with a key on P-256", ["APP-7", "KEY-23"]) {
                    $0.authorizing($0.code(service, binding: Self.reader), by: service)
                }
            ])
        try addSigners(world, service)
    }

    /// The service's key lies elsewhere: it signs, or it does not, and then nothing has happened.
    private mutating func addSigners(_ world: World, _ service: Held) throws {
        for (name, of, world) in [("", "", world), ("p-256-", " on P-256", Self.signingOnCurve(world))] {
            try add(
                in: world.with(["signer": "elsewhere"], at: .alpha), at: .alpha,
                [
                    .accepted("signer-\(name)elsewhere", "the service's key\(of) lies elsewhere", ["KEY-20", "KEY-21"])
                    {
                        $0.authorizing($0.code(service), by: service)
                    }
                ])
        }
        for (name, title, signer) in [
            ("away", "does not answer", JSON.string("away")), ("wrong", "signs something else", "wrong"),
            ("der", "gives DER in the place of R and S", "der"),
        ] {
            try add(
                in: Self.signingOnCurve(world).with(["signer": signer], at: .alpha), at: .alpha,
                [
                    .refused(
                        "signer-\(name)", "whoever has the service's key \(title)", ["KEY-21"],
                        "temporarily_unavailable", "KEY-21"
                    ) { $0.authorizing($0.code(service), by: service) },
                    .refused(
                        "signer-\(name)-unknown-code", "the code is another's, and the signer is not asked", ["KEY-21"],
                        "invalid_grant", "APP-5"
                    ) { $0.authorizing($0.code(service).signed(by: "stranger"), by: service) },
                ])
        }
    }

    mutating func addUsesOnCurves() throws {
        var world = World()
        let service = try world.redeem()
        let app = try world.authorize(service, binding: Self.reader)
        try add(
            in: world, at: .alpha, kind: .access,
            [
                .accepted("p-256", "an app with a key on P-256", ["APP-8", "KEY-23"]) {
                    World.request("GET", World.papi, bearer: $0.proof(app, World.papi).text)
                },
                .accepted("p-256-dpop", "an app with a key on P-256, by a DPoP proof", ["POP-1", "KEY-23"]) {
                    World.request("GET", World.papi, dpop: (app.access, $0.dpop(app, "GET", World.papi).text))
                },
            ])
        try refuseCurveTokens("p-256-proof", "invalid_token", in: world, at: .alpha, of: app, for: World.papi, .access)
        {
            World.request("GET", World.papi, bearer: $0)
        }
    }

    /// What is wrong with the signatures of request tokens on P-256, and only there.
    private mutating func refuseCurveTokens(
        _ prefix: String, _ error: String, in world: World, at role: World.Role, of held: Held, for url: String,
        _ kind: Vector.Kind = .exchange, _ request: @escaping (String) -> JSON
    ) throws {
        try refuseRequestTokens(
            prefix, Self.curveDefects, error, ["POP-1", "KEY-1"], in: world, at: role, of: held, for: url, kind: kind,
            replays: false, request)
    }

    private static let curveDefects: [Defect] = [
        Defect("foreign-signature", "signed by another key", ["KEY-23"], "RFC7515-5.2") {
            $0.signed(by: .p256("stranger"))
        },
        Defect("edwards", "signed under the name of EdDSA", ["KEY-8"], "RFC8725-3.1") { $0.heading(["alg": "EdDSA"]) },
        Defect("edwards-key", "signed with a key of Ed25519", ["KEY-8"], "RFC8725-3.1") {
            $0.heading(["alg": "EdDSA"]).signed(by: .pair("phone"))
        },
        Defect("public-key-as-secret", "whose MAC was made with the public key", ["KEY-8", "threat-3"], "RFC8725-3.1") {
            $0.heading(["alg": "HS256"]).signed(by: .secret($0.key.publicBytes))
        },
        Defect("der", "whose signature is in DER", ["KEY-22"], "RFC7515-5.2") { $0.finished(inDER) },
    ]

    /// The same text, with its signature as secure elements give it.
    private static let inDER: @Sendable (String) -> String = { text in
        let parts = text.split(separator: ".").map { String($0) }
        guard let last = parts.last, let bytes = try? Base64URL.decode(last),
            let signature = try? ECDSASignature(rawRepresentation: bytes, on: .p256)
        else { return text }
        return (parts.dropLast() + [Base64URL.encode(signature.derRepresentation)]).joined(separator: ".")
    }
}
