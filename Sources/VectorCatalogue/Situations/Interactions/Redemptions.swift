internal import JOSETesting
internal import Wire

// (5) An assertion is redeemed at the service that it is for, and the service token is renewed.

extension Catalogue {
    mutating func addRedemptions() throws {
        let world = World()
        let holder = try World.assertionHolder
        let url = World.alpha + "/oauth/token"
        try add(
            in: world, at: .alpha,
            [
                .accepted(
                    "assertion", "an assertion is redeemed for a service token",
                    ["AST-4", "AST-5", "AST-7", "AST-9", "GRT-1"]
                ) { $0.redeeming($0.assertion(), by: holder) },
                .accepted("of-edu-id", "an assertion that the edu-ID service made in (4)", ["AST-2", "AST-5"]) {
                    world in
                    let client = try world.register()
                    let personal = try world.signIn(client)
                    let text = try world.introduce(personal)
                    return World.form(
                        url, ["grant_type": World.jwtBearer, "assertion": text], bearer: world.proof(client, url).text)
                },
                .accepted("param-spelling", "the grant in the spelling of the sources", ["GRT-1"]) {
                    World.form(
                        url,
                        ["grant_type": "urn:ietf:param:oauth:grant-type:jwt-bearer", "assertion": $0.assertion().text],
                        bearer: $0.proof(holder, url).text)
                },
                .accepted("json", "the parameters are a JSON object", ["GRT-1"]) {
                    World.object(
                        url, ["grant_type": World.jwtBearer, "assertion": $0.assertion().text],
                        bearer: $0.proof(holder, url).text)
                },
                .accepted("dpop", "the proof of the key is a DPoP proof", ["AST-5", "POP-1"]) {
                    let proof = $0.dpop(holder, "POST", url).claiming(["ath": .null]).text
                    return World.form(
                        url, ["grant_type": World.jwtBearer, "assertion": $0.assertion().text], dpop: proof)
                },
                .accepted(
                    "endpoint-as-audience", "the assertion is for the token endpoint, where a policy takes that",
                    ["AST-4", "BIS-4"], in: world.with(["accepts_endpoint_as_audience": true], at: .alpha)
                ) { $0.redeeming($0.assertion().claiming(["aud": .string(url)]), by: holder) },
                .refused(
                    "endpoint-audience-off", "the assertion is for the token endpoint",
                    ["AST-4", "BIS-4", "threat-64"],
                    "invalid_grant", "RFC7519-4.1.3"
                ) { $0.redeeming($0.assertion().claiming(["aud": .string(url)]), by: holder) },
                .refused(
                    "spelled-audience", "the assertion spells the service otherwise", ["AST-4", "threat-64"],
                    "invalid_grant", "RFC7519-4.1.3"
                ) { $0.redeeming($0.assertion().claiming(["aud": .string(World.alpha + "/")]), by: holder) },
                .accepted("untyped", "the assertion's type is JWT", ["AST-2"]) {
                    $0.redeeming($0.assertion().heading(["typ": "JWT"]), by: holder)
                },
                .accepted("in-time", "in the assertion's last second", ["AST-4"], in: world.later(299)) {
                    $0.redeeming(world.assertion(), by: holder)
                },
                .accepted(
                    "short-grant", "a service whose grants end, and the access tokens with them", ["TOK-2"],
                    in: world.with(["grant_lifetime": 600], at: .alpha)
                ) { $0.redeeming($0.assertion(), by: holder) },
                .accepted("other-service", "the same at another service", ["FED-1"], at: .beta) {
                    $0.redeeming($0.assertion(to: World.beta), by: holder, at: World.beta)
                },
            ])
        try addFlawedAssertions(world, holder)
        try addPairwiseRedemptions()
        try addPublishedKeys()
        try addServiceRenewals()
        try addAdmissions(world, holder)
        try addRedemptionsOnCurves()
        try addWeakRedemptions()
    }

    private static let flawedAssertions: [Defect] = [
        Defect("foreign-signature", "signed by another key", ["AST-4"], "RFC7515-5.2") {
            $0.signed(by: .pair("stranger"))
        },
        Defect("unknown-key", "of a key that the edu-ID service does not have", ["AST-4"], "RFC7515-6") {
            $0.heading(["kid": "edu-id-9"])
        },
        Defect("other-issuer", "by another issuer", ["AST-4", "threat-25"], "RFC8725-3.8") {
            $0.claiming(["iss": "https://other.example.ch"])
        },
        Defect("other-audience", "for another service", ["AST-4", "threat-24"], "RFC7519-4.1.3") {
            $0.claiming(["aud": .string(World.beta)])
        },
        Defect(
            "audience-by-prefix", "for a URL that only begins like the service's", ["AST-4", "threat-17"],
            "RFC7519-4.1.3"
        ) { $0.claiming(["aud": "https://alpha.example.ch.evil.example"]) },
        Defect("two-audiences", "for two services", ["AST-4", "threat-24"], "threat-24") {
            $0.claiming(["aud": [.string(World.alpha), .string(World.beta)]])
        },
        Defect("expired", "whose end has come", ["AST-4", "threat-16"], "RFC7519-4.1.4") {
            $0.claiming(["iat": $0.time(-300), "exp": $0.time(0)])
        },
        Defect("early", "made 61 seconds from now", ["AST-4", "threat-16"], "RFC7519-4.1.6") {
            $0.claiming(["iat": $0.time(61), "exp": $0.time(361)])
        },
        Defect("too-long", "that holds for a day", ["AST-4"], "RFC7523-3") {
            $0.claiming(["exp": $0.time(86_400)])
        }, Defect("without-end", "without an end", ["AST-4"], "RFC7519-4") { $0.claiming(["exp": .null]) },
        Defect("without-name", "without a name", ["AST-3"], "RFC7519-4") { $0.claiming(["jti": .null]) },
        Defect("without-subject", "about nobody", ["AST-2"], "RFC7519-4") { $0.claiming(["sub": .null]) },
        Defect("without-instance", "for no instance", ["AST-2"], "RFC7519-4") { $0.claiming(["azp": .null]) },
        Defect("without-key", "that names no key", ["POP-1", "AST-5"], "RFC7519-4") { $0.claiming(["cnf": .null]) },
        Defect("of-another-kind", "that says it is an access token", ["threat-18"], "RFC8725-3.11") {
            $0.heading(["typ": "at+jwt"])
        },
        Defect("unsecured", "whose algorithm is none", ["threat-1", "AST-4"], "threat-1") {
            $0.heading(["alg": "none"])
        },
        Defect("critical", "with an extension that must be understood, and is not", ["threat-11"], "RFC7515-4.1.11") {
            $0.heading(["crit": ["x-1"], "x-1": 1])
        },
        Defect("text-as-time", "whose end is a text", ["threat-16"], "RFC7519-2") {
            $0.claiming(["exp": "1800000300"])
        },
        Defect("public-key-as-secret", "whose MAC was made with the public key", ["threat-3"], "RFC8725-3.1") {
            $0.heading(["alg": "HS256"]).signed(by: .secret(TestKey.pair("edu-id").publicBytes))
        },
        Defect("by-service", "signed by another service of the federation", ["AST-4", "threat-25"], "RFC7515-6") {
            $0.signed(by: .pair("beta")).heading(["kid": "beta-1"])
        },
    ]

    private mutating func addFlawedAssertions(_ world: World, _ holder: Held) throws {
        for defect in Self.flawedAssertions {
            try add(
                in: world, at: .alpha,
                [
                    .refused(
                        "assertion-" + defect.name, "an assertion " + defect.title, defect.proves + ["AST-6"],
                        "invalid_grant", defect.clause
                    ) { $0.redeeming(defect.change($0.assertion()), by: holder) }
                ])
        }
        let url = World.alpha + "/oauth/token"
        // Here the key comes with the assertion, so that a name which nobody was given is that of another key.
        let defects = Defect.allOfRequestTokens
        let clauses = [
            "unknown-key": "threat-36", "unsecured": "threat-1", "unsecured-spelled": "threat-1",
            "of-another-kind": "RFC8725-3.11",
        ]
        try refuseRequestTokens(
            "proof", defects, "invalid_client", ["AST-5", "POP-1"], in: world, at: .alpha, of: holder, for: url,
            clauses: clauses, replays: false
        ) { text in World.form(url, ["grant_type": World.jwtBearer, "assertion": world.assertion().text], bearer: text)
        }
        try addRefusedAssertions(world, holder)
    }

    private mutating func addRefusedAssertions(_ world: World, _ holder: Held) throws {
        let url = World.alpha + "/oauth/token"
        try add(
            in: world, at: .alpha,
            [
                .refused(
                    "no-proof", "without any proof of the key", ["POP-1", "AST-5", "threat-36"], "invalid_client",
                    "threat-36"
                ) { World.form(url, ["grant_type": World.jwtBearer, "assertion": $0.assertion().text]) },
                .refused(
                    "twice", "an assertion that comes again too late for a lost answer ends what it gave",
                    ["AST-3", "threat-23"], "invalid_grant", "AST-3", after: { try $0.redeem() }
                ) { $0.redeemingAgain(by: holder, after: 61) },
                .accepted(
                    "repeated", "the answer was lost: a minute later, with a fresh proof, it is given again",
                    ["AST-5", "threat-72"], after: { try $0.redeem() }
                ) { $0.redeemingAgain(by: holder, after: 60) },
                .refused(
                    "repeated-otherwise", "what was redeemed is asked for again, for something else",
                    ["threat-72"], "invalid_grant", "threat-72", after: { try $0.redeem() }
                ) {
                    World.form(
                        url, ["grant_type": World.jwtBearer, "assertion": $0.assertion().text],
                        bearer: $0.proof(holder, url).text, more: ["resource": World.alpha])
                },
                .refused(
                    "repeated-by-another", "within the minute another key redeems it: nothing is given, nothing ends",
                    ["threat-72", "threat-23"], "invalid_client", "RFC7515-5.2", after: { try $0.redeem() }
                ) {
                    World.form(
                        url, ["grant_type": World.jwtBearer, "assertion": $0.assertion().text],
                        bearer: $0.proof(holder, url).signed(by: .pair("stranger")).text)
                },
                .refused(
                    "taken-back", "the edu-ID service has taken the assertion back before it came",
                    ["TOK-7", "AST-3", "TOK-8"], "invalid_grant", "AST-3", after: { try $0.takeBack("assertion-1") }
                ) { $0.redeeming($0.assertion(), by: holder) },
                .refused(
                    "resource-elsewhere", "'resource' is another service", ["AST-4", "threat-27"], "invalid_target",
                    "RFC8707-2"
                ) {
                    World.form(
                        url, ["grant_type": World.jwtBearer, "assertion": $0.assertion().text, "resource": World.beta],
                        bearer: $0.proof(holder, url).text)
                },
                .refused(
                    "client-id-elsewhere", "'client_id' is another instance", ["AST-4", "threat-35"], "invalid_client",
                    "RFC7521-4.2"
                ) {
                    World.form(
                        url,
                        ["grant_type": World.jwtBearer, "assertion": $0.assertion().text, "client_id": World.tablet],
                        bearer: $0.proof(holder, url).text)
                },
                .refused("no-assertion", "without an assertion", ["GRT-1"], "invalid_request", "RFC6749-3.1") {
                    World.form(url, ["grant_type": World.jwtBearer], bearer: $0.proof(holder, url).text)
                },
                .refused(
                    "extension-grant", "a grant of the app's own is served by no service here", ["GRT-2", "GRT-1"],
                    "unsupported_grant_type", "RFC6749-5.2"
                ) {
                    World.form(
                        url, ["grant_type": "urn:ietf:params:oauth:assertion"], bearer: $0.proof(holder, url).text)
                },
                .refused(
                    "password-grant", "users sign in at the edu-ID service and nowhere else", ["GRT-1", "FED-1"],
                    "unsupported_grant_type", "GRT-1"
                ) {
                    World.form(
                        url, ["grant_type": "password", "username": "ada", "password": "x"],
                        bearer: $0.proof(holder, url).text)
                },
                .refused(
                    "registration", "instances register at the edu-ID service and nowhere else", ["REG-9", "FED-1"],
                    "unsupported_grant_type", "REG-9"
                ) { World.form(url, ["grant_type": "client_credentials"], bearer: $0.proof(holder, url).text) },
            ])
    }

    private mutating func addServiceRenewals() throws {
        var world = World()
        let service = try world.redeem()
        let url = World.alpha + "/oauth/token"
        try add(
            in: world, at: .alpha,
            [
                .accepted("refresh", "a service token is renewed", ["TOK-2", "GRT-1"]) {
                    $0.refreshing(service, at: url)
                },
                .accepted("refresh-expired", "an expired service token is renewed", ["TOK-2"], in: world.later(100_000))
                { $0.refreshing(service, at: url) },
            ])
        var copy = world
        let next = try copy.refresh(service, .alpha, at: url)
        try add(
            in: copy, at: .alpha,
            [
                .accepted("refresh-next", "the next refresh token is as good", ["TOK-2"]) {
                    $0.refreshing(next, at: url)
                },
                .refused(
                    "refresh-twice", "a refresh token that comes again too late for a lost answer ends its family",
                    ["TOK-3", "threat-28"], "invalid_grant", "threat-28", after: { $0.now += 61 }
                ) { $0.refreshing(service, at: url) },
                .refused(
                    "refresh-after-revocation", "the assertion under the token has been taken back",
                    ["TOK-3", "TOK-7"], "invalid_grant", "TOK-3", in: world, after: { try $0.takeBack("assertion-1") }
                ) { $0.refreshing(service, at: url) },
                .refused(
                    "refresh-wider", "the new token is to be for more", ["threat-30", "AST-7"], "invalid_scope",
                    "threat-30", in: world
                ) { $0.refreshing(service, at: url, scope: World.papi) },
                .refused(
                    "refresh-by-stranger", "the proof is by another key", ["threat-29", "POP-1"], "invalid_client",
                    "RFC7515-5.2", in: world
                ) {
                    World.form(
                        url, ["grant_type": "refresh_token", "refresh_token": service.refresh ?? ""],
                        bearer: $0.proof(service, url).signed(by: .pair("stranger")).text)
                },
            ])
        var short = World().with(["grant_lifetime": 600], at: .alpha)
        let brief = try short.redeem()
        short = short.later(600)
        try add(
            in: short, at: .alpha,
            [
                .refused(
                    "refresh-after-end", "the grant has come to its end", ["TOK-2", "TOK-3"], "invalid_grant", "TOK-3"
                ) { $0.refreshing(brief, at: url) }
            ])
    }

    private mutating func addAdmissions(_ world: World, _ holder: Held) throws {
        let policies: [(String, String, [String], String, String, JSON.Object)] = [
            (
                "denied-instance", "the service denies the instance", ["USR-5", "AST-6"], "unauthorized_client",
                "USR-5", ["denied_instances": [.string(World.phone)]]
            ),
            (
                "selected-instances", "the service admits other instances only", ["USR-6", "AST-6"],
                "unauthorized_client", "USR-6", ["only_instances": [.string(World.tablet)]]
            ),
            (
                "denied-user", "the user has no right to the service", ["AST-4", "AST-6"], "access_denied", "AST-4",
                ["denied_users": ["pseudonym-of-ada"]]
            ),
        ]
        for (name, title, proves, error, clause, policy) in policies {
            try add(
                in: world, at: .alpha,
                [
                    .refused(name, title, proves, error, clause, in: world.with(policy, at: .alpha)) {
                        $0.redeeming($0.assertion(), by: holder)
                    }
                ])
        }
        var served = world
        let service = try served.redeem()
        served = served.with(["denied_instances": [.string(World.phone)]], at: .alpha)
        try add(
            in: served, at: .alpha,
            [
                .refused(
                    "refresh-denied-since", "the service has come to deny the instance", ["USR-5"],
                    "unauthorized_client", "USR-5"
                ) { $0.refreshing(service, at: World.alpha + "/oauth/token") }
            ])
    }
}
