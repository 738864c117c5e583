internal import Wire

// (8) A service gives a third-party app its token, through the instance that authorizes it; and renews it.

extension Catalogue {
    mutating func addAppAuthorizations() throws(Malformed) {
        var stage = Stage()
        let service = try stage.redeem()
        try addCodesOfApps(stage, service)
        try addFlawedCodes(stage, service)
        try addScopes(stage, service)
        try addAppRenewals(stage, service)
    }

    private mutating func addCodesOfApps(_ stage: Stage, _ service: Held) throws(Malformed) {
        let url = Stage.alpha + "/oauth/token"
        var copy = stage
        accept(
            "app", "an app with a key pair of its own gets a token bound to it",
            ["APP-3", "APP-5", "APP-7", "APP-8", "APP-11"], copy,
            .alpha,
            copy.authorizing(copy.code(service), by: service))
        copy = stage
        accept(
            "symmetric", "an app without a key is given one", ["APP-7", "POP-1"], copy, .alpha,
            copy.authorizing(copy.code(service, binding: nil), by: service))
        copy = stage.with(["keyless_apps": "bearer_token"], at: .alpha)
        accept(
            "plain", "an app without a key gets a plain token, where the policy says so", ["APP-7", "NIF-7"], copy,
            .alpha,
            copy.authorizing(copy.code(service, binding: nil), by: service))
        copy = stage
        let key = JSON.object(["jwk": Draft.Key.pair("reader").publicJWK]).encodedString()
        accept(
            "req-cnf", "the app's key comes in 'req_cnf'", ["POP-1", "APP-7"], copy, .alpha,
            Stage.form(
                url,
                [
                    "grant_type": "authorization_code", "code": copy.code(service, binding: nil).text,
                    "scope": Stage.papi, "req_cnf": key,
                ],
                bearer: copy.proof(service, url).text))
        copy = stage
        accept(
            "req-cnf-and-code", "the app's key comes in 'req_cnf' and in the code", ["POP-1", "APP-5"], copy, .alpha,
            Stage.form(
                url,
                [
                    "grant_type": "authorization_code", "code": copy.code(service).text, "scope": Stage.papi,
                    "req_cnf": key,
                ],
                bearer: copy.proof(service, url).text))
        copy = stage
        accept(
            "longest-code", "a code that holds for ten minutes", ["APP-3"], copy, .alpha,
            copy.authorizing(copy.code(service).claiming(["exp": copy.time(600)]), by: service))
        copy = stage
        accept(
            "two-protocols", "an app gets the endpoints of two protocols", ["APP-4", "APP-9"], copy, .alpha,
            copy.authorizing(copy.code(service), by: service, scope: Stage.papi + " " + Stage.lti))
        copy = stage
        accept(
            "protocol-names", "the scope names protocols", ["APP-4"], copy, .alpha,
            copy.authorizing(copy.code(service), by: service, scope: "org.ieee.papi"))
        copy = stage
        accept(
            "below", "the scope is a path below an endpoint", ["APP-4", "APP-9"], copy, .alpha,
            copy.authorizing(copy.code(service), by: service, scope: Stage.papi + "/books"))
        copy = stage.with(["extends_tokens": true], at: .alpha)
        accept(
            "extension", "with token extension, the app's token also opens the token endpoint", ["APP-10"], copy,
            .alpha,
            copy.authorizing(copy.code(service), by: service))
        copy = stage
        _ = try copy.authorize(service)
        accept(
            "side-by-side", "the same app gets a second token, for another scope", ["APP-9"], copy, .alpha,
            copy.authorizing(copy.code(service), by: service, scope: Stage.lti))
        copy = stage
        accept(
            "dpop", "the instance authenticates by a DPoP proof with its service token", ["APP-5", "POP-1"], copy,
            .alpha,
            Stage.request(
                "POST", url, dpop: (service.access, copy.dpop(service, "POST", url).text), type: "application/json",
                body: JSON.object([
                    "grant_type": "authorization_code", "code": .string(copy.code(service).text),
                    "scope": .string(Stage.papi),
                ]).encodedString()))
        copy = stage.with(["grant_lifetime": 7_200], at: .alpha)
        accept(
            "ending-grant", "a service whose grants come to an end", ["TOK-2"], copy, .alpha,
            copy.authorizing(copy.code(service), by: service))
    }

    private mutating func addFlawedCodes(_ stage: Stage, _ service: Held) throws(Malformed) {
        let url = Stage.alpha + "/oauth/token"
        let faults: [Fault] = [
            Fault("other-issuer", "by another instance", ["APP-3"], "APP-3") { draft, _ in
                draft.claiming(["iss": .string(Stage.tablet)])
            },
            Fault("for-token-endpoint", "for the token endpoint", ["APP-3"], "APP-3") { draft, _ in
                draft.claiming(["aud": .string(Stage.alpha + "/oauth/token")])
            },
            Fault("for-service", "for the service itself", ["APP-3"], "APP-3") { draft, _ in
                draft.claiming(["aud": .string(Stage.alpha)])
            },
            Fault("for-other-service", "for another service", ["APP-3", "threat-27"], "APP-3") { draft, _ in
                draft.claiming(["aud": .string(Stage.beta + "/oauth/authorize")])
            },
            Fault("two-audiences", "for two services", ["APP-3", "threat-24"], "threat-24") { draft, _ in
                draft.claiming([
                    "aud": [.string(Stage.alpha + "/oauth/authorize"), .string(Stage.beta + "/oauth/authorize")]
                ])
            },
            Fault("without-app", "for no app", ["APP-3"], "RFC7519-4") { draft, _ in draft.claiming(["sub": .null]) },
            Fault("without-name", "without a name", ["APP-3", "threat-26"], "RFC7519-4") { draft, _ in
                draft.claiming(["jti": .null])
            },
            Fault("without-time", "without a time", ["APP-3"], "RFC7519-4") { draft, _ in draft.claiming(["iat": .null])
            },
            Fault("expired", "whose end has come", ["APP-3", "threat-16"], "RFC7519-4.1.4") { draft, stage in
                draft.claiming(["iat": stage.time(-60), "exp": stage.time(0)])
            },
            Fault("too-long", "that holds for longer than ten minutes", ["APP-3"], "RFC7523-3") { draft, stage in
                draft.claiming(["exp": stage.time(601)])
            },
            Fault("early", "made 61 seconds from now", ["APP-3", "threat-16"], "RFC7519-4.1.6") { draft, stage in
                draft.claiming(["iat": stage.time(61), "exp": stage.time(121)])
            },
            Fault("other-key", "signed by another key than the credential", ["APP-5"], "APP-5") { draft, _ in
                draft.signed(by: .pair("stranger"))
            },
            Fault("other-key-name", "that names another key than the credential", ["APP-5"], "APP-5") { draft, _ in
                draft.heading(["kid": "another"])
            },
            Fault("without-key-name", "that names no key", ["APP-5"], "RFC7515-4.1.4") { draft, _ in
                draft.heading(["kid": .null])
            },
            Fault("unsecured", "whose algorithm is none", ["APP-3", "threat-1"], "threat-1") { draft, _ in
                draft.heading(["alg": "none"])
            },
            Fault("request-token", "that says it is a request token", ["threat-18"], "RFC8725-3.11") { draft, _ in
                draft.heading(["typ": "request+jwt"])
            },
            Fault("assertion", "that is a service assertion", ["threat-18"], "threat-18") { draft, _ in
                draft.claiming(["azp": .string(Stage.phone)])
            },
        ]
        for fault in faults {
            var copy = stage
            refuse(
                "code-" + fault.name, "an app code " + fault.title, fault.proves, "invalid_grant", fault.clause, copy,
                .alpha,
                copy.authorizing(fault.change(copy.code(service), copy), by: service))
        }
        let code = stage.later(0)
        var named = code
        let text = named.code(service).text
        refuseRequestTokens(
            "credential", Fault.ofRequestTokens + Fault.moreOfRequestTokens, "invalid_client", ["APP-5", "APP-2"],
            named, .alpha, service,
            url,
            clauses: Fault.unread, replays: false
        ) { Stage.form(url, ["grant_type": "authorization_code", "code": text, "scope": Stage.papi], bearer: $0) }
        var copy = stage
        let once = copy.code(service)
        try copy.perform(.alpha, copy.authorizing(once, by: service))
        refuse(
            "code-twice", "an app code that comes twice ends what it gave", ["APP-3", "threat-26"], "invalid_grant",
            "threat-26", copy,
            .alpha,
            copy.authorizing(once, by: service))
        copy = stage
        refuse(
            "no-credential", "without a credential", ["APP-2", "APP-5"], "invalid_client", "RFC6750-2.1", copy, .alpha,
            Stage.form(url, ["grant_type": "authorization_code", "code": copy.code(service).text, "scope": Stage.papi]))
        copy = stage
        let app = try copy.authorize(service)
        refuse(
            "by-app", "an app authorizes another app with its own token", ["APP-2", "APP-11", "threat-35"],
            "invalid_client", "threat-18",
            copy, .alpha,
            copy.authorizing(copy.code(app, for: "ch.example.evil"), by: app))
        var extended = stage.with(["extends_tokens": true], at: .alpha)
        let wide = try extended.authorize(service)
        refuse(
            "by-extended-app", "token extension lets no app authorize another", ["APP-10", "threat-35"],
            "invalid_client", "threat-18",
            extended, .alpha,
            extended.authorizing(extended.code(wide, for: "ch.example.evil"), by: wide))
        copy = stage
        try takeBack("assertion-1", &copy)
        refuse(
            "service-token-revoked", "the instance's service token has ended", ["APP-2", "TOK-1", "TOK-7"],
            "invalid_client", "TOK-1", copy,
            .alpha,
            copy.authorizing(copy.code(service), by: service))
        copy = stage.later(3_600)
        refuse(
            "service-token-expired", "the instance's service token has expired", ["APP-2", "TOK-2"], "invalid_client",
            "TOK-1", copy,
            .alpha,
            copy.authorizing(copy.code(service), by: service))
        copy = stage.with(["denied_apps": [.string(Stage.reader)]], at: .alpha)
        refuse(
            "denied-app", "the service denies the app", ["APP-6", "APP-7"], "access_denied", "APP-6", copy, .alpha,
            copy.authorizing(copy.code(service), by: service))
        copy = stage.with(["only_apps": ["ch.example.writer"]], at: .alpha)
        refuse(
            "selected-apps", "the service admits other apps only", ["APP-6"], "access_denied", "APP-6", copy, .alpha,
            copy.authorizing(copy.code(service), by: service))
        copy = stage.with(["denied_instances": [.string(Stage.phone)]], at: .alpha)
        refuse(
            "denied-instance", "the service has come to deny the instance", ["USR-5", "APP-2"], "unauthorized_client",
            "USR-5", copy,
            .alpha,
            copy.authorizing(copy.code(service), by: service))
        copy = stage
        let other = JSON.object(["jwk": Draft.Key.pair("stranger").publicJWK]).encodedString()
        refuse(
            "two-keys", "the code and the request name different keys of the app", ["APP-5", "threat-36"],
            "invalid_request", "APP-5", copy,
            .alpha,
            Stage.form(
                url,
                [
                    "grant_type": "authorization_code", "code": copy.code(service).text, "scope": Stage.papi,
                    "req_cnf": other,
                ],
                bearer: copy.proof(service, url).text))
        copy = stage
        refuse(
            "no-code", "without a code", ["APP-3"], "invalid_request", "RFC6749-3.1", copy, .alpha,
            Stage.form(
                url, ["grant_type": "authorization_code", "scope": Stage.papi], bearer: copy.proof(service, url).text))
        copy = stage
        refuse(
            "opaque-code", "a code that is not signed", ["APP-3"], "invalid_grant", "APP-3", copy, .alpha,
            Stage.form(
                url, ["grant_type": "authorization_code", "code": "abc", "scope": Stage.papi],
                bearer: copy.proof(service, url).text))
    }

    private mutating func addScopes(_ stage: Stage, _ service: Held) throws(Malformed) {
        let foreign: [(String, String)] = [
            ("home", Stage.alpha), ("parent", Stage.alpha + "/api"), ("longer-word", Stage.alpha + "/api/papix"),
            ("component", Stage.alpha + "/oauth"),
            ("oauth2", "org.ietf.oauth2"), ("unknown-protocol", "org.unknown"),
            ("other-service", Stage.beta + "/api/papi"),
            ("plain-http", "http://alpha.example.ch/api/papi"), ("climbing", Stage.papi + "/../lti"),
            ("climbing-encoded", Stage.papi + "/%2e%2e/lti"), ("with-query", Stage.papi + "?page=2"),
            ("partly", Stage.papi + " org.unknown"), ("query", Stage.papi + "?all"),
        ]
        for (name, scope) in foreign {
            var copy = stage
            refuse(
                "scope-" + name, "the scope '\(scope)' is not offered", ["APP-4", "APP-9", "threat-30"],
                "invalid_scope", "APP-4", copy,
                .alpha,
                copy.authorizing(copy.code(service), by: service, scope: scope))
        }
        let url = Stage.alpha + "/oauth/token"
        var copy = stage
        refuse(
            "scope-none", "without a scope", ["APP-4"], "invalid_scope", "APP-4", copy, .alpha,
            Stage.form(
                url, ["grant_type": "authorization_code", "code": copy.code(service).text],
                bearer: copy.proof(service, url).text))
    }

    private mutating func addAppRenewals(_ beginning: Stage, _ service: Held) throws(Malformed) {
        let url = Stage.alpha + "/oauth/token"
        var stage = beginning
        let app = try stage.authorize(service, scope: Stage.papi + " " + Stage.lti)
        var copy = stage.later(7_200)
        accept(
            "refresh", "an app renews its token with the proof of its key", ["TOK-2", "NIF-9"], copy, .alpha,
            copy.refreshing(app, at: url))
        copy = stage
        accept(
            "refresh-narrower", "the new token is for less", ["TOK-2", "APP-9"], copy, .alpha,
            copy.refreshing(app, at: url, scope: Stage.lti))
        copy = beginning
        let made = try copy.authorize(service, binding: nil)
        accept(
            "refresh-symmetric", "an app renews its token with the key that was made for it", ["TOK-2", "POP-1"], copy,
            .alpha,
            copy.refreshing(made, at: url))
        copy = beginning.with(["keyless_apps": "bearer_token"], at: .alpha)
        let plain = try copy.authorize(service, binding: nil)
        let byName = Stage.form(
            url, ["grant_type": "refresh_token", "refresh_token": plain.refresh ?? "", "client_id": Stage.reader])
        accept(
            "refresh-plain", "an app renews a plain token by its name and the refresh token", ["TOK-2"], copy, .alpha,
            byName)
        refuse(
            "refresh-plain-other", "an app presents another app's refresh token", ["TOK-3", "threat-33"],
            "invalid_grant", "RFC6749-6",
            copy, .alpha,
            Stage.form(
                url,
                ["grant_type": "refresh_token", "refresh_token": plain.refresh ?? "", "client_id": "ch.example.evil"]))
        refuse(
            "refresh-unproved", "the refresh token of a bound token, without the proof", ["POP-1", "threat-36"],
            "invalid_client",
            "RFC6749-6", stage,
            .alpha,
            Stage.form(
                url, ["grant_type": "refresh_token", "refresh_token": app.refresh ?? "", "client_id": Stage.reader]))
        copy = stage
        _ = try copy.refresh(app, .alpha, at: url)
        refuse(
            "refresh-twice", "a refresh token that comes twice ends its family", ["TOK-3", "threat-28"],
            "invalid_grant", "threat-28", copy,
            .alpha,
            copy.refreshing(app, at: url))
        copy = stage
        refuse(
            "refresh-wider", "the new token is to be for more", ["threat-30"], "invalid_scope", "threat-30", copy,
            .alpha,
            copy.refreshing(app, at: url, scope: Stage.alpha + "/api"))
        copy = stage
        refuse(
            "refresh-by-instance", "the instance that obtained the token is not its holder", ["TOK-3"], "invalid_grant",
            "RFC6749-6", copy,
            .alpha,
            Stage.form(
                url, ["grant_type": "refresh_token", "refresh_token": app.refresh ?? ""],
                bearer: copy.proof(service, url).text))
        copy = stage
        try copy.perform(.alpha, copy.revoking(service.access, by: service, at: Stage.alpha + "/oauth/revoke"))
        refuse(
            "refresh-after-service-token", "the service token under it has been revoked", ["TOK-3", "TOK-6", "NIF-9"],
            "invalid_grant",
            "TOK-3", copy,
            .alpha, copy.refreshing(app, at: url))
        copy = stage.with(["denied_apps": [.string(Stage.reader)]], at: .alpha)
        refuse(
            "refresh-denied-app", "the service has come to deny the app", ["APP-6"], "access_denied", "APP-6", copy,
            .alpha,
            copy.refreshing(app, at: url))
    }
}
