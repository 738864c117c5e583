internal import JOSETesting
internal import Wire

// (8) A service gives a third-party app its token, through the instance that authorizes it; and renews it.

extension Catalogue {
    mutating func addAppAuthorizations() throws {
        var world = World()
        let service = try world.redeem()
        try addCodesOfApps(world, service)
        try addFlawedCodes(world, service)
        try addPrintedCodes(world, service)
        try addScopes(world, service)
        try addAppRenewals(world, service)
        try addAppsOnCurves()
        try addWeakAuthorizations()
    }

    private mutating func addCodesOfApps(_ world: World, _ service: Held) throws {
        let url = World.alpha + "/oauth/token"
        let key = JSON.object(["jwk": TestKey.pair("reader").publicJWK]).encodedString()
        try add(
            in: world, at: .alpha,
            [
                .accepted(
                    "app", "an app with a key pair of its own gets a token bound to it",
                    ["APP-3", "APP-5", "APP-7", "APP-8", "APP-11"]
                ) { $0.authorizing($0.code(service), by: service) },
                .accepted("symmetric", "an app without a key is given one", ["APP-7", "POP-1"]) {
                    $0.authorizing($0.code(service, binding: nil), by: service)
                },
                .accepted(
                    "plain", "an app without a key gets a plain token, where the policy says so", ["APP-7", "NIF-7"],
                    in: world.with(["keyless_apps": "bearer_token"], at: .alpha)
                ) { $0.authorizing($0.code(service, binding: nil), by: service) },
                .accepted("req-cnf", "the app's key comes in 'req_cnf'", ["POP-1", "APP-7"]) {
                    World.form(
                        url,
                        [
                            "grant_type": "authorization_code", "code": $0.code(service, binding: nil).text,
                            "scope": World.papi, "req_cnf": key,
                        ], bearer: $0.proof(service, url).text)
                },
                .accepted("req-cnf-and-code", "the app's key comes in 'req_cnf' and in the code", ["POP-1", "APP-5"]) {
                    World.form(
                        url,
                        [
                            "grant_type": "authorization_code", "code": $0.code(service).text, "scope": World.papi,
                            "req_cnf": key,
                        ], bearer: $0.proof(service, url).text)
                },
                .accepted("longest-code", "a code that holds for ten minutes", ["APP-3"]) {
                    $0.authorizing($0.code(service).claiming(["exp": $0.time(600)]), by: service)
                },
                .accepted("two-protocols", "an app gets the endpoints of two protocols", ["APP-4", "APP-9"]) {
                    $0.authorizing($0.code(service), by: service, scope: World.papi + " " + World.lti)
                },
                .accepted("protocol-names", "the scope names protocols", ["APP-4"]) {
                    $0.authorizing($0.code(service), by: service, scope: "org.ieee.papi")
                },
                .accepted("below", "the scope is a path below an endpoint", ["APP-4", "APP-9"]) {
                    $0.authorizing($0.code(service), by: service, scope: World.papi + "/books")
                },
                .accepted(
                    "extension", "with token extension, the app's token also opens the token endpoint", ["APP-10"],
                    in: world.with(["extends_tokens": true], at: .alpha)
                ) { $0.authorizing($0.code(service), by: service) },
                .accepted(
                    "side-by-side", "the same app gets a second token, for another scope", ["APP-9"],
                    after: { try $0.authorize(service) }
                ) { $0.authorizing($0.code(service), by: service, scope: World.lti) },
                .accepted(
                    "dpop", "the instance authenticates by a DPoP proof with its service token", ["APP-5", "POP-1"]
                ) {
                    World.request(
                        "POST", url, dpop: (service.access, $0.dpop(service, "POST", url).text),
                        type: "application/json",
                        body: JSON.object([
                            "grant_type": "authorization_code", "code": .string($0.code(service).text),
                            "scope": .string(World.papi),
                        ]).encodedString())
                },
                .accepted(
                    "ending-grant", "a service whose grants come to an end", ["TOK-2"],
                    in: world.with(["grant_lifetime": 7_200], at: .alpha)
                ) { $0.authorizing($0.code(service), by: service) },
            ])
    }

    private static let flawedCodes: [Defect] = [
        Defect("other-issuer", "by another instance", ["APP-3"], "APP-3") {
            $0.claiming(["iss": .string(World.tablet)])
        },
        Defect("for-token-endpoint", "for the token endpoint", ["APP-3"], "APP-3") {
            $0.claiming(["aud": .string(World.alpha + "/oauth/token")])
        },
        Defect("for-service", "for the service itself", ["APP-3"], "APP-3") {
            $0.claiming(["aud": .string(World.alpha)])
        },
        Defect("for-other-service", "for another service", ["APP-3", "threat-27"], "APP-3") {
            $0.claiming(["aud": .string(World.beta + "/oauth/authorize")])
        },
        Defect("two-audiences", "for two services", ["APP-3", "threat-24"], "threat-24") {
            $0.claiming([
                "aud": [.string(World.alpha + "/oauth/authorize"), .string(World.beta + "/oauth/authorize")]
            ])
        }, Defect("without-app", "for no app", ["APP-3"], "RFC7519-4") { $0.claiming(["sub": .null]) },
        Defect("without-name", "without a name", ["APP-3", "threat-26"], "RFC7519-4") {
            $0.claiming(["jti": .null])
        }, Defect("without-time", "without a time", ["APP-3"], "RFC7519-4") { $0.claiming(["iat": .null]) },
        Defect("expired", "whose end has come", ["APP-3", "threat-16"], "RFC7519-4.1.4") {
            $0.claiming(["iat": $0.time(-60), "exp": $0.time(0)])
        },
        Defect("too-long", "that holds for longer than ten minutes", ["APP-3"], "RFC7523-3") {
            $0.claiming(["exp": $0.time(601)])
        },
        Defect("early", "made 61 seconds from now", ["APP-3", "threat-16"], "RFC7519-4.1.6") {
            $0.claiming(["iat": $0.time(61), "exp": $0.time(121)])
        },
        Defect("other-key", "signed by another key than the credential", ["APP-5"], "APP-5") {
            $0.signed(by: .pair("stranger"))
        },
        Defect("other-key-name", "that names another key than the credential", ["APP-5"], "APP-5") {
            $0.heading(["kid": "another"])
        },
        Defect("without-key-name", "that names no key", ["APP-5"], "RFC7515-4.1.4") { $0.heading(["kid": .null]) },
        Defect("unsecured", "whose algorithm is none", ["APP-3", "threat-1"], "threat-1") {
            $0.heading(["alg": "none"])
        },
        Defect("request-token", "that says it is a request token", ["threat-18"], "RFC8725-3.11") {
            $0.heading(["typ": "request+jwt"])
        },
        Defect("assertion", "that is a service assertion", ["threat-18"], "threat-18") {
            $0.claiming(["azp": .string(World.phone)])
        },
    ]

    private mutating func addFlawedCodes(_ world: World, _ service: Held) throws {
        let url = World.alpha + "/oauth/token"
        for defect in Self.flawedCodes {
            try add(
                in: world, at: .alpha,
                [
                    .refused(
                        "code-" + defect.name, "an app code " + defect.title, defect.proves, "invalid_grant",
                        defect.clause
                    ) { $0.authorizing(defect.change($0.code(service)), by: service) }
                ])
        }
        var named = world
        let text = named.code(service).text
        try refuseRequestTokens(
            "credential", Defect.allOfRequestTokens, "invalid_client", ["APP-5", "APP-2"], in: named, at: .alpha,
            of: service, for: url, clauses: Self.unread, replays: false
        ) { World.form(url, ["grant_type": "authorization_code", "code": text, "scope": World.papi], bearer: $0) }
        try addRefusedCodes(world, service)
    }

    private mutating func addRefusedCodes(_ world: World, _ service: Held) throws {
        let url = World.alpha + "/oauth/token"
        let other = JSON.object(["jwk": TestKey.pair("stranger").publicJWK]).encodedString()
        try add(
            in: world, at: .alpha,
            [
                .refused(
                    "code-twice", "an app code that comes again too late for a lost answer ends what it gave",
                    ["APP-3", "threat-26"], "invalid_grant", "threat-26",
                    in: world.with(["repetition_window": 20], at: .alpha)
                ) { try $0.authorizingAgain(by: service, after: 21) },
                .accepted(
                    "code-repeated", "the answer was lost: with a fresh proof it is given again",
                    ["APP-7", "threat-72"]
                ) { try $0.authorizingAgain(by: service, after: 59) },
                .refused(
                    "code-repeated-otherwise", "an app code that was redeemed comes again, for another scope",
                    ["threat-72", "APP-4"], "invalid_grant", "threat-72"
                ) { try $0.authorizingAgain(by: service, scope: World.lti) },
                .refused(
                    "code-repeated-plain", "a token without a key is not given again: nobody can tell who lost it",
                    ["threat-72", "threat-26"], "invalid_grant", "threat-26",
                    in: world.with(["keyless_apps": "bearer_token"], at: .alpha)
                ) { try $0.authorizingAgain(by: service, binding: nil) },
                .refused("no-credential", "without a credential", ["APP-2", "APP-5"], "invalid_client", "RFC6750-2.1") {
                    World.form(
                        url, ["grant_type": "authorization_code", "code": $0.code(service).text, "scope": World.papi])
                },
                .refused(
                    "by-app", "an app authorizes another app with its own token", ["APP-2", "APP-11", "threat-35"],
                    "invalid_client", "threat-18"
                ) { world in
                    let app = try world.authorize(service)
                    return world.authorizing(world.code(app, for: "ch.example.evil"), by: app)
                },
                .refused(
                    "by-extended-app", "token extension lets no app authorize another", ["APP-10", "threat-35"],
                    "invalid_client", "threat-18", in: world.with(["extends_tokens": true], at: .alpha)
                ) { world in
                    let wide = try world.authorize(service)
                    return world.authorizing(world.code(wide, for: "ch.example.evil"), by: wide)
                },
                .refused(
                    "service-token-revoked", "the instance's service token has ended", ["APP-2", "TOK-1", "TOK-7"],
                    "invalid_client", "TOK-1", after: { try $0.takeBack("assertion-1") }
                ) { $0.authorizing($0.code(service), by: service) },
                .refused(
                    "service-token-expired", "the instance's service token has expired", ["APP-2", "TOK-2"],
                    "invalid_client", "TOK-1", in: world.later(3_600)
                ) { $0.authorizing($0.code(service), by: service) },
                .refused(
                    "denied-app", "the service denies the app", ["APP-6", "APP-7"], "access_denied", "APP-6",
                    in: world.with(["denied_apps": [.string(World.reader)]], at: .alpha)
                ) { $0.authorizing($0.code(service), by: service) },
                .refused(
                    "selected-apps", "the service admits other apps only", ["APP-6"], "access_denied", "APP-6",
                    in: world.with(["only_apps": ["ch.example.writer"]], at: .alpha)
                ) { $0.authorizing($0.code(service), by: service) },
                .refused(
                    "denied-instance", "the service has come to deny the instance", ["USR-5", "APP-2"],
                    "unauthorized_client", "USR-5",
                    in: world.with(["denied_instances": [.string(World.phone)]], at: .alpha)
                ) { $0.authorizing($0.code(service), by: service) },
                .refused(
                    "two-keys", "the code and the request name different keys of the app", ["APP-5", "threat-36"],
                    "invalid_request", "APP-5"
                ) {
                    World.form(
                        url,
                        [
                            "grant_type": "authorization_code", "code": $0.code(service).text, "scope": World.papi,
                            "req_cnf": other,
                        ], bearer: $0.proof(service, url).text)
                },
                .refused("no-code", "without a code", ["APP-3"], "invalid_request", "RFC6749-3.1") {
                    World.form(
                        url, ["grant_type": "authorization_code", "scope": World.papi],
                        bearer: $0.proof(service, url).text)
                },
                .refused("opaque-code", "a code that is not signed", ["APP-3"], "invalid_grant", "APP-3") {
                    World.form(
                        url, ["grant_type": "authorization_code", "code": "abc", "scope": World.papi],
                        bearer: $0.proof(service, url).text)
                },
            ])
    }

    private mutating func addScopes(_ world: World, _ service: Held) throws {
        let foreign: [(String, String)] = [
            ("home", World.alpha), ("parent", World.alpha + "/api"), ("longer-word", World.alpha + "/api/papix"),
            ("component", World.alpha + "/oauth"), ("oauth2", "org.ietf.oauth2"), ("unknown-protocol", "org.unknown"),
            ("other-service", World.beta + "/api/papi"), ("plain-http", "http://alpha.example.ch/api/papi"),
            ("climbing", World.papi + "/../lti"), ("climbing-encoded", World.papi + "/%2e%2e/lti"),
            ("with-query", World.papi + "?page=2"), ("partly", World.papi + " org.unknown"),
            ("query", World.papi + "?all"),
        ]
        for (name, scope) in foreign {
            try add(
                in: world, at: .alpha,
                [
                    .refused(
                        "scope-" + name, "the scope '\(scope)' is not offered", ["APP-4", "APP-9", "threat-30"],
                        "invalid_scope", "APP-4"
                    ) { $0.authorizing($0.code(service), by: service, scope: scope) }
                ])
        }
        for (name, scope) in [("place", World.alpha + "/login/revoke"), ("place-name", "org.ietf.oauth2.revoke")] {
            try add(
                in: world.having("revoke", at: "login/"), at: .alpha,
                [
                    .refused(
                        "scope-" + name, "the scope '\(scope)' is the authorization component's", ["APP-4", "RSD-3"],
                        "invalid_scope", "APP-4"
                    ) { $0.authorizing($0.code(service), by: service, scope: scope) }
                ])
        }
        let url = World.alpha + "/oauth/token"
        try add(
            in: world, at: .alpha,
            [
                .refused("scope-none", "without a scope", ["APP-4"], "invalid_scope", "APP-4") {
                    World.form(
                        url, ["grant_type": "authorization_code", "code": $0.code(service).text],
                        bearer: $0.proof(service, url).text)
                }
            ])
    }

    private mutating func addAppRenewals(_ beginning: World, _ service: Held) throws {
        let url = World.alpha + "/oauth/token"
        var world = beginning
        let app = try world.authorize(service, scope: World.papi + " " + World.lti)
        try addStrangersAtService(world, app)
        try add(
            in: world, at: .alpha,
            [
                .accepted(
                    "refresh", "an app renews its token with the proof of its key", ["TOK-2", "NIF-9"],
                    in: world.later(7_200)
                ) { $0.refreshing(app, at: url) },
                .accepted("refresh-narrower", "the new token is for less", ["TOK-2", "APP-9"]) {
                    $0.refreshing(app, at: url, scope: World.lti)
                },
                .accepted(
                    "refresh-symmetric", "an app renews its token with the key that was made for it",
                    ["TOK-2", "POP-1"], in: beginning
                ) { try $0.refreshing($0.authorize(service, binding: nil), at: url) },
            ])
        try addRefusedAppRenewals(beginning, world, service, app)
    }

    private mutating func addRefusedAppRenewals(
        _ beginning: World, _ world: World, _ service: Held, _ app: Held
    ) throws {
        let url = World.alpha + "/oauth/token"
        var copy = beginning.with(["keyless_apps": "bearer_token"], at: .alpha)
        let plain = try copy.authorize(service, binding: nil)
        let byName = World.form(
            url, ["grant_type": "refresh_token", "refresh_token": plain.refresh ?? "", "client_id": World.reader])
        try add(
            in: copy, at: .alpha,
            [
                .accepted("refresh-plain", "an app renews a plain token by its name and the refresh token", ["TOK-2"]) {
                    _ in byName
                },
                .refused(
                    "refresh-plain-other", "an app presents another app's refresh token", ["TOK-3", "threat-33"],
                    "invalid_grant", "RFC6749-6"
                ) { _ in
                    World.form(
                        url,
                        [
                            "grant_type": "refresh_token", "refresh_token": plain.refresh ?? "",
                            "client_id": "ch.example.evil",
                        ])
                },
                .refused(
                    "refresh-unproved", "the refresh token of a bound token, without the proof",
                    ["POP-1", "threat-36"], "invalid_client", "RFC6749-6", in: world
                ) { _ in
                    World.form(
                        url,
                        ["grant_type": "refresh_token", "refresh_token": app.refresh ?? "", "client_id": World.reader])
                },
                .refused(
                    "refresh-twice", "a refresh token that comes again too late for a lost answer ends its family",
                    ["TOK-3", "threat-28"], "invalid_grant", "threat-28", in: world,
                    after: {
                        try $0.refresh(app, .alpha, at: url)
                        $0.now += 61
                    }
                ) { $0.refreshing(app, at: url) },
                .refused(
                    "refresh-wider", "the new token is to be for more", ["threat-30"], "invalid_scope", "threat-30",
                    in: world
                ) { $0.refreshing(app, at: url, scope: World.alpha + "/api") },
                .refused(
                    "refresh-by-instance", "the instance that obtained the token is not its holder", ["TOK-3"],
                    "invalid_grant", "RFC6749-6", in: world
                ) {
                    World.form(
                        url, ["grant_type": "refresh_token", "refresh_token": app.refresh ?? ""],
                        bearer: $0.proof(service, url).text)
                },
                .refused(
                    "refresh-after-service-token", "the service token under it has been revoked",
                    ["TOK-3", "TOK-6", "NIF-9"], "invalid_grant", "TOK-3", in: world,
                    after: {
                        try $0.perform(
                            .alpha, $0.revoking(service.access, by: service, at: World.alpha + "/oauth/revoke"))
                    }
                ) { $0.refreshing(app, at: url) },
                .refused(
                    "refresh-denied-app", "the service has come to deny the app", ["APP-6"], "access_denied", "APP-6",
                    in: world.with(["denied_apps": [.string(World.reader)]], at: .alpha)
                ) { $0.refreshing(app, at: url) },
            ])
    }
}
