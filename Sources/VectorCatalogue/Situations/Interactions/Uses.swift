internal import Wire

// (9) An app uses the endpoints of a service.

extension Catalogue {
    mutating func addUses() throws(Malformed) {
        var stage = Stage()
        let service = try stage.redeem()
        let beginning = stage
        let app = try stage.authorize(service)
        func using(_ stage: inout Stage, _ url: String, _ held: Held, _ change: (Draft) -> Draft = { $0 }) -> JSON {
            Stage.request("GET", url, bearer: change(stage.proof(held, url)).text)
        }
        var copy = stage
        accept(
            "endpoint", "an app requests the endpoint in its scope", ["APP-7", "NIF-7"], copy, .alpha,
            using(&copy, Stage.papi, app),
            kind: .access)
        copy = stage
        accept(
            "below", "a path below the endpoint", ["APP-9"], copy, .alpha, using(&copy, Stage.papi + "/books/7", app),
            kind: .access)
        for (name, title, offset) in [("oldest", "a minute ago", Int64(-60)), ("newest", "a minute from now", 60)] {
            copy = stage
            accept(
                name, "a request token that was made \(title)", ["POP-1", "threat-16"], copy, .alpha,
                using(&copy, Stage.papi, app) { $0.claiming(["iat": stage.time(offset)]) }, kind: .access)
        }
        copy = stage
        accept(
            "claims", "the app's own claims in the request token reach the service", ["APP-8"], copy, .alpha,
            using(&copy, Stage.papi, app) { $0.claiming(["purpose": "reading"]) }, kind: .access)
        copy = stage
        accept(
            "query", "the URL has a query, which the request token leaves out", ["NIF-7"], copy, .alpha,
            Stage.request("GET", Stage.papi + "?page=2", bearer: copy.proof(app, Stage.papi).text), kind: .access)
        copy = stage
        accept(
            "dpop", "the proof is a DPoP proof", ["POP-1"], copy, .alpha,
            Stage.request("PUT", Stage.papi, dpop: (app.access, copy.dpop(app, "PUT", Stage.papi).text)), kind: .access)
        copy = beginning
        let made = try copy.authorize(service, binding: nil)
        accept(
            "symmetric", "an app with a symmetric key", ["POP-1", "APP-8"], copy, .alpha,
            using(&copy, Stage.papi, made), kind: .access)
        copy = beginning.with(["keyless_apps": "bearer_token"], at: .alpha)
        let plain = try copy.authorize(service, binding: nil)
        accept(
            "plain", "an app with a plain token sends it as it is", ["NIF-7"], copy, .alpha,
            Stage.request("GET", Stage.papi, bearer: plain.access), kind: .access)
        refuse(
            "plain-elsewhere", "a plain token opens nothing else", ["APP-9", "NIF-11"], "insufficient_scope", "APP-9",
            copy, .alpha,
            Stage.request("GET", Stage.lti, bearer: plain.access), kind: .access)
        refuse(
            "plain-cut", "a plain token without its last letter", ["threat-39"], "invalid_token", "threat-39", copy,
            .alpha,
            Stage.request("GET", Stage.papi, bearer: String(plain.access.dropLast())), kind: .access)
        copy = beginning
        let both = try copy.authorize(service, scope: Stage.papi + " " + Stage.lti)
        accept(
            "second-protocol", "an app with two protocols uses the second", ["APP-9"], copy, .alpha,
            using(&copy, Stage.lti, both),
            kind: .access)
        copy = stage
        accept(
            "service-token", "the service token opens the authorization component", ["AST-7"], copy, .alpha,
            using(&copy, Stage.alpha + "/oauth", service), kind: .access)
        copy = beginning.with(["extends_tokens": true], at: .alpha)
        let extended = try copy.authorize(service)
        accept(
            "extension", "with token extension the token endpoint is open too", ["APP-10"], copy, .alpha,
            using(&copy, Stage.alpha + "/oauth/token", extended), kind: .access)
        copy = stage
        refuse(
            "no-extension", "without token extension it is not", ["APP-10"], "insufficient_scope", "APP-9", copy,
            .alpha,
            using(&copy, Stage.alpha + "/oauth/token", app), kind: .access)
        copy = stage
        refuse(
            "other-endpoint", "another protocol's endpoint", ["APP-9", "threat-51"], "insufficient_scope", "APP-9",
            copy, .alpha,
            using(&copy, Stage.lti, app), kind: .access)
        copy = stage
        refuse(
            "longer-word", "a path that only begins like the endpoint's", ["APP-9", "threat-17"], "insufficient_scope",
            "APP-9", copy,
            .alpha,
            using(&copy, Stage.papi + "x", app), kind: .access)
        copy = stage
        refuse(
            "service-token-at-protocol", "the service token opens no protocol", ["AST-7", "threat-35"],
            "insufficient_scope", "APP-9", copy,
            .alpha,
            using(&copy, Stage.papi, service), kind: .access)
        copy = stage.with(["revokes_misuse": true], at: .alpha)
        refuse(
            "misuse-revokes", "a service that takes use outside of the scope for theft", ["NIF-11"],
            "insufficient_scope", "APP-9", copy,
            .alpha,
            using(&copy, Stage.lti, app), kind: .access)
        copy = stage
        refuse(
            "bare-token", "the bound token without a proof", ["POP-1", "threat-36"], "invalid_token", "threat-36", copy,
            .alpha,
            Stage.request("GET", Stage.papi, bearer: app.access), kind: .access)
        refuse(
            "no-token", "without a token", ["APP-7"], "invalid_token", "RFC6750-2.1", stage, .alpha,
            Stage.request("GET", Stage.papi),
            kind: .access)
        refuseRequestTokens(
            "proof", Fault.ofRequestTokens + Fault.moreOfRequestTokens, "invalid_token", ["APP-8", "POP-1"], stage,
            .alpha, app, Stage.papi,
            kind: .access,
            clauses: Fault.unread
        ) { Stage.request("GET", Stage.papi, bearer: $0) }
        try addEndedUses(stage, service, app)
    }

    private mutating func addEndedUses(_ stage: Stage, _ service: Held, _ app: Held) throws(Malformed) {
        let revoke = Stage.alpha + "/oauth/revoke"
        func using(_ stage: inout Stage) -> JSON {
            Stage.request("GET", Stage.papi, bearer: stage.proof(app, Stage.papi).text)
        }
        var copy = stage.later(3_600)
        refuse(
            "expired", "the app token has expired", ["TOK-2", "NIF-9"], "invalid_token", "TOK-1", copy, .alpha,
            using(&copy), kind: .access)
        copy = stage
        try copy.perform(.alpha, copy.revoking(app.access, by: app, at: revoke))
        refuse(
            "revoked-by-app", "the app has ended its token", ["TOK-4", "TOK-8"], "invalid_token", "TOK-1", copy, .alpha,
            using(&copy),
            kind: .access)
        copy = stage
        try copy.perform(.alpha, copy.revoking(app.access, by: service, at: revoke))
        refuse(
            "revoked-by-instance", "the instance has ended the app's token", ["TOK-4", "TOK-5"], "invalid_token",
            "TOK-1", copy, .alpha,
            using(&copy), kind: .access)
        copy = stage
        try copy.perform(.alpha, copy.revoking(service.access, by: service, at: revoke))
        refuse(
            "service-token-revoked", "the instance has ended its service token", ["TOK-6", "TOK-1", "APP-11"],
            "invalid_token", "TOK-1",
            copy, .alpha,
            using(&copy), kind: .access)
        copy = stage
        try takeBack("assertion-1", &copy)
        refuse(
            "assertion-taken-back", "the edu-ID service has taken the assertion back", ["TOK-7", "TOK-6", "AST-9"],
            "invalid_token",
            "TOK-1", copy, .alpha,
            using(&copy), kind: .access)
        copy = stage
        try copy.attempt(.alpha, copy.redeeming(copy.assertion(), by: try Stage.assertionHolder))
        refuse(
            "assertion-twice", "the assertion came a second time", ["AST-3", "threat-23"], "invalid_token", "TOK-1",
            copy, .alpha,
            using(&copy), kind: .access)
        copy = stage
        let url = Stage.alpha + "/oauth/token"
        _ = try copy.refresh(app, .alpha, at: url)
        try copy.attempt(.alpha, copy.refreshing(app, at: url))
        refuse(
            "refresh-reused", "a refresh token came a second time", ["threat-28", "TOK-3"], "invalid_token", "TOK-1",
            copy, .alpha,
            using(&copy), kind: .access)
        copy = stage.with(["denied_apps": [.string(Stage.reader)]], at: .alpha)
        refuse(
            "denied-app", "the service has come to deny the app", ["APP-6"], "invalid_token", "APP-6", copy, .alpha,
            using(&copy),
            kind: .access)
        copy = stage.with(["denied_instances": [.string(Stage.phone)]], at: .alpha)
        refuse(
            "denied-instance", "the service has come to deny the instance", ["USR-5"], "invalid_token", "USR-5", copy,
            .alpha, using(&copy),
            kind: .access)
        copy = stage.with(["denied_users": ["pseudonym-of-ada"]], at: .alpha)
        refuse(
            "denied-user", "the user has lost the right to the service", ["AST-4"], "invalid_token", "AST-4", copy,
            .alpha, using(&copy),
            kind: .access)
        var elsewhere = stage
        refuse(
            "other-service", "the token of one service at another", ["threat-27", "FED-1"], "invalid_token",
            "threat-39", elsewhere, .beta,
            Stage.request("GET", Stage.beta + "/api/papi", bearer: elsewhere.proof(app, Stage.beta + "/api/papi").text),
            kind: .access)
    }
}
