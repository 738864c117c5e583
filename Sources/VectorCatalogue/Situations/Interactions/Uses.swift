internal import JOSETesting
internal import Wire

// (9) An app uses the endpoints of a service.

extension Catalogue {
    mutating func addUses() throws {
        var world = World()
        let service = try world.redeem()
        let beginning = world
        let app = try world.authorize(service)
        try add(
            in: world, at: .alpha, kind: .access,
            [
                .accepted("endpoint", "an app requests the endpoint in its scope", ["APP-7", "NIF-7"]) {
                    Self.using(&$0, World.papi, app)
                },
                .accepted("below", "a path below the endpoint", ["APP-9"]) {
                    Self.using(&$0, World.papi + "/books/7", app)
                },
            ])
        for (name, title, offset) in [("oldest", "a minute ago", Int64(-60)), ("newest", "a minute from now", 60)] {
            try add(
                in: world, at: .alpha, kind: .access,
                [
                    .accepted(name, "a request token that was made \(title)", ["POP-1", "threat-16"]) { world in
                        Self.using(&world, World.papi, app) { $0.claiming(["iat": $0.time(offset)]) }
                    }
                ])
        }
        try add(
            in: world, at: .alpha, kind: .access,
            [
                .accepted("claims", "the app's own claims in the request token reach the service", ["APP-8"]) { world in
                    Self.using(&world, World.papi, app) { $0.claiming(["purpose": "reading"]) }
                },
                .accepted("query", "the URL has a query, which the request token leaves out", ["NIF-7"]) {
                    World.request("GET", World.papi + "?page=2", bearer: $0.proof(app, World.papi).text)
                },
                .accepted("dpop", "the proof is a DPoP proof", ["POP-1"]) {
                    World.request("PUT", World.papi, dpop: (app.access, $0.dpop(app, "PUT", World.papi).text))
                },
                .accepted("symmetric", "an app with a symmetric key", ["POP-1", "APP-8"], in: beginning) {
                    try Self.using(&$0, World.papi, $0.authorize(service, binding: nil))
                },
            ])
        try addOtherTokens(beginning, world, service, app)
        try refuseRequestTokens(
            "proof", Defect.allOfRequestTokens, "invalid_token", ["APP-8", "POP-1"], in: world, at: .alpha, of: app,
            for: World.papi, kind: .access, clauses: Self.unread
        ) { World.request("GET", World.papi, bearer: $0) }
        try addEndedUses(world, service, app)
        try addNonces(world, ofApp: app)
        try addBrokenRecord(world, service)
        try addMalformedCredentials(world, app)
        try addKeylessProofs(world, app)
        try addUsesOnCurves()
        try addWeakUses()
    }

    /// Of what is read in the header alone some is told in words here; the chapter of messages has all of it.
    private mutating func addMalformedCredentials(_ world: World, _ app: Held) throws {
        func asking(_ value: JSON) -> JSON {
            World.request("GET", World.papi).with("headers", ["Authorization": value])
        }
        let malformed: [(name: String, title: String, error: String, clause: String, value: JSON)] = [
            ("quote", "a parameter without its last quote", "invalid_request", "RFC9110-11.3", #"Bearer realm="a"#),
            ("twice", "a parameter that comes twice", "invalid_request", "RFC9110-11.2", "Bearer a=b, a=c"),
            ("empty", "the scheme and no token", "invalid_request", "RFC6750-2.1", "Bearer"),
            ("basic", "a name and a password that are not in Base64", "invalid_request", "RFC9110-11.3", "Basic a:b"),
            ("basic-unread", "a name without a password", "invalid_request", "RFC9110-11.3", "Basic YWI="),
            ("password", "a name and a password, which open nothing", "invalid_token", "RFC6750-2.1", "Basic YTpi"),
        ]
        try add(
            in: world, at: .alpha, kind: .access,
            malformed.map { name, title, error, clause, value in
                .refused("header-" + name, "in the header: " + title, ["APP-7", "threat-37"], error, clause) { _ in
                    asking(value)
                }
            })
    }

    /// The record of a token names a key that nobody can use, which is the service's fault and opens nothing.
    private mutating func addBrokenRecord(_ world: World, _ service: Held) throws {
        var broken = world
        broken.append(
            [
                [
                    "do": "insert",
                    "record": [
                        "id": "broken-1", "kind": "app", "parent": .string(service.id), "issued": broken.time(0),
                        "holder": .string(World.reader), "subject": "pseudonym-of-ada", "scope": .string(World.papi),
                        "key": "a key of another program", "access": broken.time(3_600),
                    ],
                ]
            ], at: .alpha)
        let held = try Held(["access_token": "none", "cnf": ["kid": "broken-1"]], .pair("reader"), of: World.reader)
        try add(
            in: broken, at: .alpha, kind: .access,
            [
                .refused(
                    "unusable-key", "the record of the token has a key that cannot be used", ["threat-36"],
                    "server_error", "threat-32"
                ) { Self.using(&$0, World.papi, held) }
            ])
    }

    static func using(
        _ world: inout World, _ url: String, _ held: Held, _ change: (TestToken) -> TestToken = { $0 }
    ) -> JSON {
        World.request("GET", url, bearer: change(world.proof(held, url)).text)
    }

    private mutating func addOtherTokens(_ beginning: World, _ world: World, _ service: Held, _ app: Held) throws {
        var copy = beginning.with(["keyless_apps": "bearer_token"], at: .alpha)
        let plain = try copy.authorize(service, binding: nil)
        try add(
            in: copy, at: .alpha, kind: .access,
            [
                .accepted("plain", "an app with a plain token sends it as it is", ["NIF-7"]) { _ in
                    World.request("GET", World.papi, bearer: plain.access)
                },
                .refused(
                    "plain-elsewhere", "a plain token opens nothing else", ["APP-9", "NIF-11"], "insufficient_scope",
                    "APP-9"
                ) { _ in World.request("GET", World.lti, bearer: plain.access) },
                .refused(
                    "plain-cut", "a plain token without its last letter", ["threat-39"], "invalid_token", "threat-39"
                ) { _ in World.request("GET", World.papi, bearer: String(plain.access.dropLast())) },
                .accepted("second-protocol", "an app with two protocols uses the second", ["APP-9"], in: beginning) {
                    try Self.using(&$0, World.lti, $0.authorize(service, scope: World.papi + " " + World.lti))
                },
                .accepted("service-token", "the service token opens the authorization component", ["AST-7"], in: world)
                { Self.using(&$0, World.alpha + "/oauth", service) },
                .accepted(
                    "extension", "with token extension the token endpoint is open too", ["APP-10"],
                    in: beginning.with(["extends_tokens": true], at: .alpha)
                ) { try Self.using(&$0, World.alpha + "/oauth/token", $0.authorize(service)) },
                .refused(
                    "no-extension", "without token extension it is not", ["APP-10"], "insufficient_scope", "APP-9",
                    in: world
                ) { Self.using(&$0, World.alpha + "/oauth/token", app) },
                .refused(
                    "other-endpoint", "another protocol's endpoint", ["APP-9", "threat-51"], "insufficient_scope",
                    "APP-9", in: world
                ) { Self.using(&$0, World.lti, app) },
                .refused(
                    "longer-word", "a path that only begins like the endpoint's", ["APP-9", "threat-17"],
                    "insufficient_scope", "APP-9", in: world
                ) { Self.using(&$0, World.papi + "x", app) },
                .refused(
                    "service-token-at-protocol", "the service token opens no protocol", ["AST-7", "threat-35"],
                    "insufficient_scope", "APP-9", in: world
                ) { Self.using(&$0, World.papi, service) },
                .refused(
                    "misuse-revokes", "a service that takes use outside of the scope for theft", ["NIF-11"],
                    "insufficient_scope", "APP-9", in: world.with(["revokes_misuse": true], at: .alpha)
                ) { Self.using(&$0, World.lti, app) },
                .refused(
                    "bare-token", "the bound token without a proof", ["POP-1", "threat-36"], "invalid_token",
                    "threat-36", in: world
                ) { _ in World.request("GET", World.papi, bearer: app.access) },
                .refused("no-token", "without a token", ["APP-7"], "invalid_token", "RFC6750-2.1", in: world) { _ in
                    World.request("GET", World.papi)
                },
            ])
    }

    private mutating func addEndedUses(_ world: World, _ service: Held, _ app: Held) throws {
        let revoke = World.alpha + "/oauth/revoke"
        func using(_ world: inout World) -> JSON {
            World.request("GET", World.papi, bearer: world.proof(app, World.papi).text)
        }
        try add(
            in: world, at: .alpha, kind: .access,
            [
                .refused(
                    "expired", "the app token has expired", ["TOK-2", "NIF-9"], "invalid_token", "TOK-1",
                    in: world.later(3_600)
                ) { using(&$0) },
                .refused(
                    "revoked-by-app", "the app has ended its token", ["TOK-4", "TOK-8"], "invalid_token", "TOK-1",
                    after: { try $0.perform(.alpha, $0.revoking(app.access, by: app, at: revoke)) }
                ) { using(&$0) },
                .refused(
                    "revoked-by-instance", "the instance has ended the app's token", ["TOK-4", "TOK-5"],
                    "invalid_token", "TOK-1",
                    after: { try $0.perform(.alpha, $0.revoking(app.access, by: service, at: revoke)) }
                ) { using(&$0) },
                .refused(
                    "service-token-revoked", "the instance has ended its service token", ["TOK-6", "TOK-1", "APP-11"],
                    "invalid_token", "TOK-1",
                    after: { try $0.perform(.alpha, $0.revoking(service.access, by: service, at: revoke)) }
                ) { using(&$0) },
                .refused(
                    "assertion-taken-back", "the edu-ID service has taken the assertion back",
                    ["TOK-7", "TOK-6", "AST-9"], "invalid_token", "TOK-1", after: { try $0.takeBack("assertion-1") }
                ) { using(&$0) },
                .refused(
                    "assertion-twice", "the assertion came a second time", ["AST-3", "threat-23"], "invalid_token",
                    "TOK-1",
                    after: { try $0.attempt(.alpha, $0.redeemingAgain(by: try World.assertionHolder, after: 61)) }
                ) { using(&$0) },
                .refused(
                    "refresh-reused", "a refresh token came a second time", ["threat-28", "TOK-3"], "invalid_token",
                    "TOK-1"
                ) { world in
                    let url = World.alpha + "/oauth/token"
                    _ = try world.refresh(app, .alpha, at: url)
                    world.now += 61
                    try world.attempt(.alpha, world.refreshing(app, at: url))
                    return using(&world)
                },
                .refused(
                    "denied-app", "the service has come to deny the app", ["APP-6"], "invalid_token", "APP-6",
                    in: world.with(["denied_apps": [.string(World.reader)]], at: .alpha)
                ) { using(&$0) },
                .refused(
                    "denied-instance", "the service has come to deny the instance", ["USR-5"], "invalid_token", "USR-5",
                    in: world.with(["denied_instances": [.string(World.phone)]], at: .alpha)
                ) { using(&$0) },
                .refused(
                    "denied-user", "the user has lost the right to the service", ["AST-4"], "invalid_token", "AST-4",
                    in: world.with(["denied_users": ["pseudonym-of-ada"]], at: .alpha)
                ) { using(&$0) },
                .refused(
                    "other-service", "the token of one service at another", ["threat-27", "FED-1"], "invalid_token",
                    "threat-39", at: .beta
                ) {
                    World.request("GET", World.beta + "/api/papi", bearer: $0.proof(app, World.beta + "/api/papi").text)
                },
            ])
    }
}
