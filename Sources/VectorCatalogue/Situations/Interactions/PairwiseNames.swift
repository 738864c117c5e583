internal import JOSETesting
internal import PureCrypto
internal import Wire

// Services that know instances by names and keys of their own: (4), (5), (6).

extension Catalogue {
    private static let key = TestKey.pair("phone at alpha")

    // MARK: (4)

    private static let flawedKeyProofs: [Defect] = [
        Defect("method", "for another method", ["threat-77"], "RFC9449-4.3") { $0.claiming(["htm": "GET"]) },
        Defect("url", "for another endpoint", ["threat-77"], "RFC9449-4.3") {
            $0.claiming(["htu": .string(World.eduID + "/token")])
        },
        Defect("late", "of a minute and a second ago", ["threat-77"], "RFC7519-4.1.6") {
            $0.claiming(["iat": $0.time(-61)])
        },
        Defect("early", "of a minute and a second ahead", ["threat-77"], "RFC7519-4.1.6") {
            $0.claiming(["iat": $0.time(61)])
        },
        Defect("without-time", "without a time", ["threat-77"], "RFC7519-4") { $0.claiming(["iat": .null]) },
        Defect("without-name", "without a name", ["threat-77"], "RFC7519-4") { $0.claiming(["jti": .null]) },
        Defect("untyped", "of no type", ["threat-77", "threat-18"], "RFC8725-3.11") { $0.heading(["typ": .null]) },
        Defect("foreign-signature", "signed by another key", ["threat-77"], "RFC7515-5.2") {
            $0.signed(by: .pair("stranger"))
        },
        Defect("other-key", "of another key", ["threat-77"], "threat-77") {
            $0.signed(by: .pair("stranger")).heading(["jwk": TestKey.pair("stranger").publicJWK])
        },
    ]

    mutating func addPairwiseIntroductions(_ world: World, _ personal: Held) throws {
        let (key, url, pairwise) = (Self.key, World.eduID + "/authorize", world.takingPairwiseNames)
        try add(
            in: pairwise, at: .eduID,
            [
                .accepted(
                    "pairwise-client", "an assertion for a service that knows instances by names and keys of its own",
                    ["threat-77", "AST-1", "AST-2", "POP-1"]
                ) { $0.introducing(personal, bringing: key) },
                .accepted(
                    "pairwise-client-query", "the same with the parameters in the query of a GET", ["threat-77"]
                ) {
                    let query = HTTP.Form(
                        [
                            ("response_type", "code"), ("resource", World.alpha),
                            ("req_cnf", World.confirmation(key.publicJWK)), ("req_proof", $0.keyProof(key, "GET").text),
                        ].map { HTTP.Form.Pair($0.0, $0.1) }
                    ).encoded()
                    return World.request(
                        "GET", url + "?" + String(decoding: query, as: UTF8.self), bearer: $0.proof(personal, url).text)
                },
                .accepted(
                    "pairwise-client-named-key", "what else the key says about itself is not passed on", ["threat-77"]
                ) {
                    World.form(
                        url, ["response_type": "code", "resource": World.alpha], bearer: $0.proof(personal, url).text,
                        more: [
                            "req_cnf": World.confirmation(key.publicJWK(World.phone)),
                            "req_proof": $0.keyProof(key).text,
                        ])
                },
                .accepted(
                    "common-client-key", "a key that the service does not want is not passed on", ["threat-77"],
                    in: world
                ) { $0.introducing(personal, bringing: key) },
                .refused(
                    "pairwise-without-key", "without a key for the service", ["threat-77"], "invalid_request",
                    "threat-77"
                ) { $0.introducing(personal) },
                .refused(
                    "pairwise-without-proof", "a key that nobody proves", ["threat-77"], "invalid_request", "threat-77"
                ) {
                    World.form(
                        url, ["response_type": "code", "resource": World.alpha], bearer: $0.proof(personal, url).text,
                        more: ["req_cnf": World.confirmation(key.publicJWK)])
                },
                .refused(
                    "pairwise-own-key", "the instance's own key", ["threat-77"], "invalid_request", "threat-77"
                ) { $0.introducing(personal, bringing: .pair("phone")) },
                .refused(
                    "pairwise-proof-replayed", "the proof of the key came before", ["threat-77", "threat-36"],
                    "invalid_client", "threat-36"
                ) { world in
                    let once = world.keyProof(key)
                    try world.perform(.eduID, world.introducing(personal, bringing: key) { _ in once })
                    return world.introducing(personal, bringing: key) { _ in once }
                },
            ])
        for defect in Self.flawedKeyProofs {
            try add(
                in: pairwise, at: .eduID,
                [
                    .refused(
                        "pairwise-proof-" + defect.name, "a proof of the key " + defect.title, defect.proves,
                        "invalid_request", defect.clause
                    ) { $0.introducing(personal, bringing: key, defect.change) }
                ])
        }
        try addSymmetricIntroductions()
    }

    private mutating func addSymmetricIntroductions() throws {
        let key = Self.key
        var symmetric = World().takingPairwiseNames
        let made = try symmetric.register(device: nil)
        let person = try symmetric.signIn(made)
        try add(
            in: symmetric, at: .eduID,
            [
                .accepted(
                    "pairwise-symmetric", "an instance without a key pair brings one for the service",
                    ["threat-77", "POP-1"]
                ) { $0.introducing(person, bringing: key) },
                .refused(
                    "common-symmetric", "the same at a service that knows instances as the federation does",
                    ["threat-77", "POP-1"], "unauthorized_client", "POP-1"
                ) { $0.introducing(person, bringing: key, to: World.beta) },
            ])
    }

    // MARK: (5)

    mutating func addPairwiseRedemptions() throws {
        let (world, url) = (World(), World.alpha + "/oauth/token")
        let name = Base64URL.encode([UInt8](SHA256.hash(data: Array("phone at alpha".utf8))))
        let holder = try Held(["access_token": "none"], Self.key, of: name)
        let own = try World.assertionHolder
        let assertion = world.assertion().claiming([
            "azp": .string(name), "cnf": ["jwk": Self.key.publicJWK],
        ]).text
        func redeeming(_ world: inout World, by holder: Held, more: KeyValuePairs<String, String> = [:]) -> JSON {
            World.form(
                url, ["grant_type": World.jwtBearer, "assertion": assertion],
                dpop: world.dpop(holder, "POST", url).claiming(["ath": .null]).text, more: more)
        }
        try add(
            in: world, at: .alpha,
            [
                .accepted(
                    "pairwise", "an assertion for a name and a key that the service alone knows",
                    ["threat-77", "AST-5"]
                ) { redeeming(&$0, by: holder, more: ["client_id": name]) },
                .accepted("pairwise-of-edu-id", "the same as the edu-ID service made it in (4)", ["threat-77"]) {
                    var federation = $0.takingPairwiseNames
                    let personal = try federation.signIn(try federation.register())
                    let introduced = try federation.perform(
                        .eduID, federation.introducing(personal, bringing: Self.key))
                    return World.form(
                        url, ["grant_type": World.jwtBearer, "assertion": introduced["code"]?.string ?? ""],
                        dpop: federation.dpop(holder, "POST", url).claiming(["ath": .null]).text,
                        more: ["client_id": introduced["client_id"]?.string ?? ""])
                },
                .refused(
                    "pairwise-other-name", "under the name that the edu-ID service knows", ["threat-77"],
                    "invalid_client", "RFC7521-4.2"
                ) { redeeming(&$0, by: holder, more: ["client_id": World.phone]) },
                .refused(
                    "pairwise-own-key", "by the instance's own key", ["threat-77", "AST-5"], "invalid_client",
                    "RFC9449-7.1"
                ) { redeeming(&$0, by: own) },
                .refused(
                    "pairwise-named-key", "by a request token, whose key has no name yet", ["threat-77", "AST-5"],
                    "invalid_client", "threat-36"
                ) {
                    World.form(
                        url, ["grant_type": World.jwtBearer, "assertion": assertion],
                        bearer: $0.proof(holder, url).text)
                },
            ])
    }

    // MARK: (6)

    mutating func addPairwiseVerifications() throws {
        var world = World().takingPairwiseNames
        let personal = try world.signIn(try world.register())
        let introduced = try world.perform(.eduID, world.introducing(personal, bringing: Self.key))
        let assertion = introduced["code"]?.string ?? ""
        let name = try Self.name(of: assertion)
        try add(
            in: world, at: .eduID,
            [
                .accepted(
                    "pairwise-active",
                    "an assertion that stands, of an instance that the service knows by its own name",
                    ["threat-77", "AST-8"]
                ) { Self.asking(&$0, assertion) },
                .accepted(
                    "pairwise-by-name", "the same by the assertion's name", ["threat-77", "threat-67"],
                    in: world.later(86_400)
                ) { Self.asking(&$0, name) },
            ])
    }
}
