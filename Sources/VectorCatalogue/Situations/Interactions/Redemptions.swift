internal import Wire

// (5) An assertion is redeemed at the service that it is for, and the service token is renewed.

extension Catalogue {
    mutating func addRedemptions() throws(Malformed) {
        let stage = Stage()
        let holder = try Stage.assertionHolder
        let url = Stage.alpha + "/oauth/token"
        var copy = stage
        accept(
            "assertion", "an assertion is redeemed for a service token", ["AST-4", "AST-5", "AST-7", "AST-9", "GRT-1"],
            copy, .alpha,
            copy.redeeming(copy.assertion(), by: holder))
        var real = Stage()
        let client = try real.register()
        let personal = try real.signIn(client)
        let text = try real.introduce(personal)
        accept(
            "of-edu-id", "an assertion that the edu-ID service made in (4)", ["AST-2", "AST-5"], real, .alpha,
            Stage.form(url, ["grant_type": Stage.jwtBearer, "assertion": text], bearer: real.proof(client, url).text))
        copy = stage
        accept(
            "param-spelling", "the grant in the spelling of the sources", ["GRT-1"], copy, .alpha,
            Stage.form(
                url, ["grant_type": "urn:ietf:param:oauth:grant-type:jwt-bearer", "assertion": copy.assertion().text],
                bearer: copy.proof(holder, url).text))
        copy = stage
        accept(
            "json", "the parameters are a JSON object", ["GRT-1"], copy, .alpha,
            Stage.object(
                url, ["grant_type": Stage.jwtBearer, "assertion": copy.assertion().text],
                bearer: copy.proof(holder, url).text))
        copy = stage
        var dpop = copy.dpop(holder, "POST", url)
        dpop = dpop.claiming(["ath": .null])
        var byProof = Stage.form(url, ["grant_type": Stage.jwtBearer, "assertion": copy.assertion().text])
        if var members = byProof.object, var headers = members["headers"]?.object {
            headers["DPoP"] = .string(dpop.text)
            members["headers"] = .object(headers)
            byProof = .object(members)
        }
        accept("dpop", "the proof of the key is a DPoP proof", ["AST-5", "POP-1"], copy, .alpha, byProof)
        copy = stage
        accept(
            "endpoint-as-audience", "the assertion is for the token endpoint", ["AST-4"], copy, .alpha,
            copy.redeeming(copy.assertion().claiming(["aud": .string(url)]), by: holder))
        copy = stage
        accept(
            "untyped", "the assertion's type is JWT", ["AST-2"], copy, .alpha,
            copy.redeeming(copy.assertion().heading(["typ": "JWT"]), by: holder))
        copy = stage.later(299)
        accept(
            "in-time", "in the assertion's last second", ["AST-4"], copy, .alpha,
            copy.redeeming(stage.assertion(), by: holder))
        copy = stage.with(["grant_lifetime": 600], at: .alpha)
        accept(
            "short-grant", "a service whose grants end, and the access tokens with them", ["TOK-2"], copy, .alpha,
            copy.redeeming(copy.assertion(), by: holder))
        copy = stage
        accept(
            "other-service", "the same at another service", ["FED-1"], copy, .beta,
            copy.redeeming(copy.assertion(to: Stage.beta), by: holder, at: Stage.beta))
        try addFlawedAssertions(stage, holder)
        try addServiceRenewals()
        try addAdmissions(stage, holder)
    }

    private mutating func addFlawedAssertions(_ stage: Stage, _ holder: Held) throws(Malformed) {
        let assertions: [Fault] = [
            Fault("foreign-signature", "signed by another key", ["AST-4"], "RFC7515-5.2") { draft, _ in
                draft.signed(by: .pair("stranger"))
            },
            Fault("unknown-key", "of a key that the edu-ID service does not have", ["AST-4"], "RFC7515-6") { draft, _ in
                draft.heading(["kid": "edu-id-9"])
            },
            Fault("other-issuer", "by another issuer", ["AST-4", "threat-25"], "RFC8725-3.8") { draft, _ in
                draft.claiming(["iss": "https://other.example.ch"])
            },
            Fault("other-audience", "for another service", ["AST-4", "threat-24"], "RFC7519-4.1.3") { draft, _ in
                draft.claiming(["aud": .string(Stage.beta)])
            },
            Fault(
                "audience-by-prefix", "for a URL that only begins like the service's", ["AST-4", "threat-17"],
                "RFC7519-4.1.3"
            ) {
                draft, _ in
                draft.claiming(["aud": "https://alpha.example.ch.evil.example"])
            },
            Fault("two-audiences", "for two services", ["AST-4", "threat-24"], "threat-24") { draft, _ in
                draft.claiming(["aud": [.string(Stage.alpha), .string(Stage.beta)]])
            },
            Fault("expired", "whose end has come", ["AST-4", "threat-16"], "RFC7519-4.1.4") { draft, stage in
                draft.claiming(["iat": stage.time(-300), "exp": stage.time(0)])
            },
            Fault("early", "made 61 seconds from now", ["AST-4", "threat-16"], "RFC7519-4.1.6") { draft, stage in
                draft.claiming(["iat": stage.time(61), "exp": stage.time(361)])
            },
            Fault("too-long", "that holds for a day", ["AST-4"], "RFC7523-3") { draft, stage in
                draft.claiming(["exp": stage.time(86_400)])
            },
            Fault("without-end", "without an end", ["AST-4"], "RFC7519-4") { draft, _ in draft.claiming(["exp": .null])
            },
            Fault("without-name", "without a name", ["AST-3"], "RFC7519-4") { draft, _ in draft.claiming(["jti": .null])
            },
            Fault("without-subject", "about nobody", ["AST-2"], "RFC7519-4") { draft, _ in
                draft.claiming(["sub": .null])
            },
            Fault("without-instance", "for no instance", ["AST-2"], "RFC7519-4") { draft, _ in
                draft.claiming(["azp": .null])
            },
            Fault("without-key", "that names no key", ["POP-1", "AST-5"], "RFC7519-4") { draft, _ in
                draft.claiming(["cnf": .null])
            },
            Fault("of-another-kind", "that says it is an access token", ["threat-18"], "RFC8725-3.11") { draft, _ in
                draft.heading(["typ": "at+jwt"])
            },
            Fault("unsecured", "whose algorithm is none", ["threat-1", "AST-4"], "threat-1") { draft, _ in
                draft.heading(["alg": "none"])
            },
            Fault("critical", "with an extension that must be understood, and is not", ["threat-11"], "RFC7515-4.1.11")
            { draft, _ in
                draft.heading(["crit": ["x-1"], "x-1": 1])
            },
            Fault("text-as-time", "whose end is a text", ["threat-16"], "RFC7519-2") { draft, _ in
                draft.claiming(["exp": "1800000300"])
            },
            Fault("public-key-as-secret", "whose MAC was made with the public key", ["threat-3"], "RFC8725-3.1") {
                draft, _ in
                draft.heading(["alg": "HS256"]).signed(by: .secret(Pair.publicBytes("edu-id")))
            },
            Fault("by-service", "signed by another service of the federation", ["AST-4", "threat-25"], "RFC7515-6") {
                draft, _ in
                draft.signed(by: .pair("beta")).heading(["kid": "beta-1"])
            },
        ]
        for fault in assertions {
            var copy = stage
            refuse(
                "assertion-" + fault.name, "an assertion " + fault.title, fault.proves + ["AST-6"], "invalid_grant",
                fault.clause, copy,
                .alpha,
                copy.redeeming(fault.change(copy.assertion(), copy), by: holder))
        }
        let url = Stage.alpha + "/oauth/token"
        // Here the key comes with the assertion, so that a name which nobody was given is that of another key.
        let faults = Fault.ofRequestTokens + Fault.moreOfRequestTokens
        let clauses = [
            "unknown-key": "threat-36", "unsecured": "threat-1", "unsecured-spelled": "threat-1",
            "of-another-kind": "RFC8725-3.11",
        ]
        refuseRequestTokens(
            "proof", faults, "invalid_client", ["AST-5", "POP-1"], stage, .alpha, holder, url, clauses: clauses,
            replays: false
        ) { text in
            Stage.form(url, ["grant_type": Stage.jwtBearer, "assertion": stage.assertion().text], bearer: text)
        }
        var copy = stage
        refuse(
            "no-proof", "without any proof of the key", ["POP-1", "AST-5", "threat-36"], "invalid_client", "threat-36",
            copy, .alpha,
            Stage.form(url, ["grant_type": Stage.jwtBearer, "assertion": copy.assertion().text]))
        copy = stage
        _ = try copy.redeem()
        refuse(
            "twice", "an assertion that comes twice ends what it gave", ["AST-3", "threat-23"], "invalid_grant",
            "AST-3", copy, .alpha,
            copy.redeeming(copy.assertion(), by: holder))
        copy = stage
        try takeBack("assertion-1", &copy)
        refuse(
            "taken-back", "the edu-ID service has taken the assertion back before it came",
            ["TOK-7", "AST-3", "TOK-8"], "invalid_grant",
            "AST-3", copy,
            .alpha, copy.redeeming(copy.assertion(), by: holder))
        copy = stage
        refuse(
            "resource-elsewhere", "'resource' is another service", ["AST-4", "threat-27"], "invalid_target",
            "RFC8707-2", copy, .alpha,
            Stage.form(
                url, ["grant_type": Stage.jwtBearer, "assertion": copy.assertion().text, "resource": Stage.beta],
                bearer: copy.proof(holder, url).text))
        copy = stage
        refuse(
            "client-id-elsewhere", "'client_id' is another instance", ["AST-4", "threat-35"], "invalid_client",
            "RFC7521-4.2", copy, .alpha,
            Stage.form(
                url, ["grant_type": Stage.jwtBearer, "assertion": copy.assertion().text, "client_id": Stage.tablet],
                bearer: copy.proof(holder, url).text))
        copy = stage
        refuse(
            "no-assertion", "without an assertion", ["GRT-1"], "invalid_request", "RFC6749-3.1", copy, .alpha,
            Stage.form(url, ["grant_type": Stage.jwtBearer], bearer: copy.proof(holder, url).text))
        copy = stage
        refuse(
            "password-grant", "users sign in at the edu-ID service and nowhere else", ["GRT-1", "FED-1"],
            "unsupported_grant_type", "GRT-1",
            copy, .alpha,
            Stage.form(
                url, ["grant_type": "password", "username": "ada", "password": "x"],
                bearer: copy.proof(holder, url).text))
        copy = stage
        refuse(
            "registration", "instances register at the edu-ID service and nowhere else", ["REG-9", "FED-1"],
            "unsupported_grant_type",
            "REG-9", copy,
            .alpha, Stage.form(url, ["grant_type": "client_credentials"], bearer: copy.proof(holder, url).text))
    }

    /// The edu-ID service takes an assertion back at alpha.
    func takeBack(_ id: String, _ stage: inout Stage) throws(Malformed) {
        try stage.perform(.alpha, takingBack(id, &stage))
    }

    func takingBack(_ id: String, _ stage: inout Stage, _ change: (Draft) -> Draft = { $0 }) -> JSON {
        let proof = change(stage.clientAssertion(of: Stage.eduID, "edu-id", named: "edu-id-1", to: Stage.alpha)).text
        return Stage.form(
            Stage.alpha + "/oauth/revoke",
            [
                "token": id, "token_type_hint": "assertion", "client_assertion_type": Stage.assertionType,
                "client_assertion": proof,
            ])
    }

    private mutating func addServiceRenewals() throws(Malformed) {
        var stage = Stage()
        let service = try stage.redeem()
        let url = Stage.alpha + "/oauth/token"
        var copy = stage
        accept(
            "refresh", "a service token is renewed", ["TOK-2", "GRT-1"], copy, .alpha, copy.refreshing(service, at: url)
        )
        copy = stage.later(100_000)
        accept(
            "refresh-expired", "an expired service token is renewed", ["TOK-2"], copy, .alpha,
            copy.refreshing(service, at: url))
        copy = stage
        let next = try copy.refresh(service, .alpha, at: url)
        accept(
            "refresh-next", "the next refresh token is as good", ["TOK-2"], copy, .alpha, copy.refreshing(next, at: url)
        )
        refuse(
            "refresh-twice", "a refresh token that comes twice ends its family", ["TOK-3", "threat-28"],
            "invalid_grant", "threat-28", copy,
            .alpha,
            copy.refreshing(service, at: url))
        copy = stage
        try takeBack("assertion-1", &copy)
        refuse(
            "refresh-after-revocation", "the assertion under the token has been taken back", ["TOK-3", "TOK-7"],
            "invalid_grant", "TOK-3",
            copy, .alpha,
            copy.refreshing(service, at: url))
        copy = stage
        refuse(
            "refresh-wider", "the new token is to be for more", ["threat-30", "AST-7"], "invalid_scope", "threat-30",
            copy, .alpha,
            copy.refreshing(service, at: url, scope: Stage.papi))
        copy = stage
        refuse(
            "refresh-by-stranger", "the proof is by another key", ["threat-29", "POP-1"], "invalid_client",
            "RFC7515-5.2", copy, .alpha,
            Stage.form(
                url, ["grant_type": "refresh_token", "refresh_token": service.refresh ?? ""],
                bearer: copy.proof(service, url).signed(by: .pair("stranger")).text))
        var short = Stage().with(["grant_lifetime": 600], at: .alpha)
        let brief = try short.redeem()
        short = short.later(600)
        refuse(
            "refresh-after-end", "the grant has come to its end", ["TOK-2", "TOK-3"], "invalid_grant", "TOK-3", short,
            .alpha,
            short.refreshing(brief, at: url))
    }

    private mutating func addAdmissions(_ stage: Stage, _ holder: Held) throws(Malformed) {
        let policies: [(String, String, [String], String, String, JSON.Object)] = [
            (
                "denied-instance", "the service denies the instance", ["USR-5", "AST-6"], "unauthorized_client",
                "USR-5",
                ["denied_instances": [.string(Stage.phone)]]
            ),
            (
                "selected-instances", "the service admits other instances only", ["USR-6", "AST-6"],
                "unauthorized_client", "USR-6",
                ["only_instances": [.string(Stage.tablet)]]
            ),
            (
                "denied-user", "the user has no right to the service", ["AST-4", "AST-6"], "access_denied", "AST-4",
                ["denied_users": ["pseudonym-of-ada"]]
            ),
        ]
        for (name, title, proves, error, clause, policy) in policies {
            var copy = stage.with(policy, at: .alpha)
            refuse(name, title, proves, error, clause, copy, .alpha, copy.redeeming(copy.assertion(), by: holder))
        }
        var served = stage
        let service = try served.redeem()
        served = served.with(["denied_instances": [.string(Stage.phone)]], at: .alpha)
        refuse(
            "refresh-denied-since", "the service has come to deny the instance", ["USR-5"], "unauthorized_client",
            "USR-5", served, .alpha,
            served.refreshing(service, at: Stage.alpha + "/oauth/token"))
    }
}
