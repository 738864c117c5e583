internal import Wire

// (2) A user signs in on a registered instance; (2a) the app reads the profile; the personal token is renewed.

extension Catalogue {
    mutating func addAuthentications() throws(Malformed) {
        var stage = Stage()
        let client = try stage.register()
        try addChallenges(stage, client)
        try addCodes(stage, client)
        try addProfiles(stage, client)
        try addPersonalRenewals(stage, client)
        try addPasswords(stage, client)
    }

    private mutating func addChallenges(_ stage: Stage, _ client: Held) throws(Malformed) {
        let url = Stage.eduID + "/authorize-challenge"
        func ask(
            _ stage: inout Stage, _ proof: String? = nil, without left: Set<String> = [],
            changing more: KeyValuePairs<String, String> = [:]
        ) -> JSON {
            let bearer = proof ?? stage.proof(client, url).text
            let all: [(String, String)] =
                [
                    ("response_type", "code"), ("client_id", Stage.phone), ("username", "ada"),
                    ("password", "correct horse battery staple"),
                    ("code_challenge", Stage.challenge), ("code_challenge_method", "S256"),
                ].filter { pair in !left.contains(pair.0) && !more.contains { $0.key.utf8.elementsEqual(pair.0.utf8) } }
                + more.map { ($0.key, $0.value) }
            let body = Form(all.map { Form.Pair($0.0, $0.1) }).encoded()
            return Stage.request(
                "POST", url, bearer: bearer, type: "application/x-www-form-urlencoded",
                body: String(decoding: body, as: UTF8.self))
        }
        var copy = stage
        accept(
            "challenge", "a user's credentials are answered with a code", ["USR-1", "AUT-2", "FED-5"], copy, .eduID,
            ask(&copy))
        copy = stage
        accept(
            "challenge-by-version", "the credential is S1's request token of the registered instance", ["REQ-13"], copy,
            .eduID,
            ask(&copy, copy.statement().text))
        copy = stage
        accept(
            "challenge-other-user", "another person signs in on the same instance", ["USR-1"], copy, .eduID,
            ask(&copy, changing: ["username": "bob", "password": "hunter2hunter2"]))
        var symmetric = Stage()
        let made = try symmetric.register(device: nil)
        accept(
            "challenge-symmetric", "the instance has a symmetric key from the service", ["POP-1", "USR-1"], symmetric,
            .eduID,
            ask(&symmetric, symmetric.proof(made, url).text))
        copy = stage
        accept(
            "challenge-dpop", "the credential is a DPoP proof with the instance's token", ["POP-1"], copy, .eduID,
            Stage.request(
                "POST", url, dpop: (client.access, copy.dpop(client, "POST", url).text), type: "application/json",
                body: JSON.object([
                    "response_type": "code", "client_id": .string(Stage.phone), "username": "ada",
                    "password": "correct horse battery staple",
                    "code_challenge": .string(Stage.challenge), "code_challenge_method": "S256",
                ]).encodedString()))
        let wrong: [(String, String, [String], String, String, KeyValuePairs<String, String>)] = [
            (
                "wrong-password", "the password is wrong", ["AUT-2", "threat-39"], "invalid_grant", "threat-39",
                ["password": "wrong"]
            ),
            (
                "unknown-user", "there is no such user, which is answered alike", ["AUT-2", "threat-39"],
                "invalid_grant", "threat-39",
                ["username": "eve"]
            ),
            (
                "other-client", "the request names another instance", ["FED-5", "threat-35"], "invalid_client",
                "RFC6749-3.2.1",
                ["client_id": Stage.tablet]
            ),
            (
                "plain-challenge", "the challenge is to be compared plainly", ["threat-26"], "invalid_request",
                "RFC7636-4.3",
                ["code_challenge_method": "plain"]
            ),
            (
                "short-challenge", "the challenge is too short", ["threat-26"], "invalid_request", "RFC7636-4.2",
                ["code_challenge": "abc"]
            ),
            (
                "token-response", "the answer is to be a token", ["threat-26"], "unsupported_response_type",
                "RFC6749-3.1.1",
                ["response_type": "token"]
            ),
        ]
        for (name, title, proves, error, clause, change) in wrong {
            copy = stage
            refuse("challenge-" + name, title, proves, error, clause, copy, .eduID, ask(&copy, changing: change))
        }
        for (member, clause) in [
            ("username", "RFC6749-3.1"), ("password", "RFC6749-3.1"), ("code_challenge", "RFC6749-3.1"),
            ("client_id", "RFC6749-3.1"),
        ] {
            copy = stage
            refuse(
                "challenge-without-" + member, "without '\(member)'", ["USR-1"], "invalid_request", clause, copy,
                .eduID,
                ask(&copy, without: [member]))
        }
        refuseRequestTokens("challenge", Fault.ofRequestTokens, "invalid_client", ["AUT-1"], stage, .eduID, client, url)
        { text in
            var unused = Stage()
            return ask(&unused, text)
        }
        // AUT-1: these have the right credentials, and learn nothing about them.
        copy = stage
        refuse(
            "challenge-no-credential", "the request proves no client", ["AUT-1", "FED-5"], "invalid_client",
            "RFC6750-2.1", copy, .eduID,
            Stage.form(
                url,
                [
                    "response_type": "code", "client_id": Stage.phone, "username": "ada",
                    "password": "correct horse battery staple",
                    "code_challenge": Stage.challenge, "code_challenge_method": "S256",
                ]))
        copy = Stage()
        refuse(
            "challenge-unregistered", "the instance is not registered", ["AUT-1", "REG-1"], "invalid_client", "AUT-1",
            copy, .eduID,
            ask(&copy, copy.statement().text))
        copy = stage
        refuse(
            "challenge-other-version", "the statement is of another version than the instance's", ["AUT-1", "FED-2"],
            "invalid_client",
            "AUT-1", copy,
            .eduID, ask(&copy, copy.statement(version: "ios-2.0").text))
        copy = stage.blocking("ios-1.0")
        refuse(
            "challenge-blocked-version", "the instance's version has been shut out since", ["AUT-1", "FED-4"],
            "unauthorized_client",
            "FED-4", copy,
            .eduID, ask(&copy))
        copy = stage.with(["excluded_platforms": ["ios"]], at: .eduID)
        refuse(
            "challenge-excluded-platform", "the instance's platform has been shut out since", ["AUT-1", "FED-4"],
            "unauthorized_client",
            "FED-4", copy,
            .eduID, ask(&copy))
        copy = stage
        try copy.administrate(["do": "reject", "instance": .string(Stage.phone)])
        refuse(
            "challenge-rejected", "the instance has been rejected", ["AUT-1", "REG-7"], "invalid_client", "TOK-1", copy,
            .eduID, ask(&copy))
    }

    private mutating func addCodes(_ stage: Stage, _ client: Held) throws(Malformed) {
        var asked = stage
        let granted = try asked.perform(.eduID, asked.challenging(client))
        let code = try Malformed.need(granted["authorization_code"]?.string, "authorization_code")
        var copy = asked
        accept(
            "code", "a code is redeemed for a personal token that can be renewed",
            ["AUT-2", "AUT-3", "AUT-4", "TOK-2"], copy, .eduID,
            copy.redeeming(code, by: client))
        copy = asked.later(59)
        accept(
            "code-in-time", "a code is redeemed in its last second", ["AUT-2"], copy, .eduID,
            copy.redeeming(code, by: client))
        copy = asked
        let other = try copy.signIn(client, "bob", "hunter2hunter2")
        _ = other
        accept(
            "code-changes-user", "a second user signs in where a first one is: the first one's token ends", ["USR-1"],
            copy, .eduID,
            copy.redeeming(code, by: client))
        copy = asked
        refuse(
            "code-wrong-verifier", "the code verifier is another", ["threat-26"], "invalid_grant", "RFC7636-4.6", copy,
            .eduID,
            copy.redeeming(code, by: client, verifier: "aBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        copy = asked
        refuse(
            "code-no-verifier", "without the code verifier", ["threat-26"], "invalid_grant", "RFC7636-4.6", copy,
            .eduID,
            copy.redeeming(code, by: client, verifier: nil))
        copy = asked.later(60)
        refuse(
            "code-expired", "the code has expired", ["threat-26"], "invalid_grant", "threat-26", copy, .eduID,
            copy.redeeming(code, by: client))
        copy = asked
        try copy.perform(.eduID, copy.redeeming(code, by: client))
        refuse(
            "code-twice", "a code that comes twice ends what it gave", ["threat-26", "TOK-1"], "invalid_grant",
            "threat-26", copy, .eduID,
            copy.redeeming(code, by: client))
        copy = asked
        let tablet = try copy.register(Stage.tablet, device: "tablet")
        refuse(
            "code-of-another", "another instance redeems the code", ["threat-26"], "invalid_grant", "threat-26", copy,
            .eduID,
            copy.redeeming(code, by: tablet))
        copy = asked
        refuse(
            "code-unknown", "a code that nobody gave", ["threat-26"], "invalid_grant", "threat-26", copy, .eduID,
            copy.redeeming("AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", by: client))
        copy = asked
        refuse(
            "code-cut", "a code without its last letter", ["threat-26"], "invalid_grant", "threat-26", copy, .eduID,
            copy.redeeming(String(code.dropLast()), by: client))
        refuseRequestTokens(
            "code", Fault.ofRequestTokens, "invalid_client", ["FED-5", "threat-29"], asked, .eduID, client,
            Stage.eduID + "/token",
            replays: false
        ) {
            Stage.form(
                Stage.eduID + "/token",
                ["grant_type": "authorization_code", "code": code, "code_verifier": Stage.verifier], bearer: $0)
        }
    }

    private mutating func addProfiles(_ registered: Stage, _ client: Held) throws(Malformed) {
        var stage = registered
        let personal = try stage.signIn(client)
        let url = Stage.eduID + "/userinfo"
        var copy = stage
        accept(
            "profile", "the profile attributes of the user, by their OpenID Connect names",
            ["AUT-6", "USR-7", "FED-6"], copy, .eduID,
            copy.asking(personal, "GET", "/userinfo"))
        copy = stage
        accept(
            "profile-dpop", "the profile by a DPoP proof", ["AUT-6", "POP-1"], copy, .eduID,
            Stage.request("GET", url, dpop: (personal.access, copy.dpop(personal, "GET", url).text)))
        refuseRequestTokens(
            "profile", Fault.ofRequestTokens + Fault.moreOfRequestTokens, "invalid_token", ["AUT-6", "USR-7"], stage,
            .eduID, personal, url,
            clauses: Fault.unread
        ) { Stage.request("GET", url, bearer: $0) }
        refuse(
            "profile-no-token", "without a token", ["AUT-6", "USR-7"], "invalid_token", "RFC6750-2.1", stage, .eduID,
            Stage.request("GET", url))
        refuse(
            "profile-bare-token", "with the bound access token and no proof", ["POP-1", "threat-36"], "invalid_token",
            "threat-36", stage,
            .eduID,
            Stage.request("GET", url, bearer: personal.access))
        copy = stage
        refuse(
            "profile-by-client", "with the token of the instance, which is no user's", ["AUT-5", "threat-18"],
            "invalid_token", "threat-18",
            copy,
            .eduID, copy.asking(client, "GET", "/userinfo"))
        let flawed: [(String, String, String, (Draft) -> Draft)] = [
            ("method", "is for another method", "RFC9449-4.3", { $0.claiming(["htm": "POST"]) }),
            ("url", "is for another URL", "RFC9449-4.3", { $0.claiming(["htu": .string(Stage.eduID + "/usage")]) }),
            ("no-hash", "is for no access token", "RFC9449-4.3", { $0.claiming(["ath": .null]) }),
            (
                "hash", "is for another access token", "RFC9449-4.3",
                { $0.claiming(["ath": "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"]) }
            ),
            (
                "key", "is by another key", "RFC9449-7.1",
                {
                    $0.signed(by: .pair("stranger")).heading(["jwk": Draft.Key.pair("stranger").publicJWK])
                }
            ),
            ("signature", "has another key's signature", "RFC7515-5.2", { $0.signed(by: .pair("stranger")) }),
            ("type", "has no type", "RFC8725-3.11", { $0.heading(["typ": .null]) }),
            (
                "stale", "is stale", "RFC7519-4.1.6",
                { draft in draft.claiming(["iat": .number(JSON.Number(Stage.beginning - 61))]) }
            ),
        ]
        for (name, title, clause, change) in flawed {
            copy = stage
            let proof = change(copy.dpop(personal, "GET", url)).text
            refuse(
                "profile-dpop-" + name, "a DPoP proof that " + title, ["POP-1", "threat-36"],
                name.utf8.elementsEqual("key".utf8) ? "invalid_token" : "invalid_dpop_proof", clause, copy, .eduID,
                Stage.request("GET", url, dpop: (personal.access, proof)))
        }
        copy = stage.later(3_600)
        refuse(
            "profile-lapsed", "the personal token has expired", ["TOK-2", "TOK-1"], "invalid_token", "TOK-1", copy,
            .eduID,
            copy.asking(personal, "GET", "/userinfo"))
        copy = stage
        _ = try copy.register(device: "phone-2")
        refuse(
            "profile-after-new-registration", "the instance has registered anew since", ["REQ-10", "TOK-1"],
            "invalid_token", "TOK-1", copy,
            .eduID,
            copy.asking(personal, "GET", "/userinfo"))
        copy = stage.blocking("ios-1.0")
        refuse(
            "profile-blocked-version", "the version has been shut out since", ["FED-4"], "invalid_token", "FED-4", copy,
            .eduID,
            copy.asking(personal, "GET", "/userinfo"))
        copy = stage
        try copy.administrate(["do": "sign_out", "user": "user-0001"])
        refuse(
            "profile-signed-out", "an administrator has signed the user out", ["TOK-5", "TOK-8"], "invalid_token",
            "TOK-1", copy, .eduID,
            copy.asking(personal, "GET", "/userinfo"))
        copy = stage
        refuse(
            "elsewhere", "the personal token opens nothing else", ["AUT-5"], "http_404", "-", copy, .eduID,
            copy.asking(personal, "GET", "/everything"))
        copy = stage
        refuse(
            "administration", "the personal token of a user who is no administrator", ["AUT-5", "TOK-5"],
            "insufficient_scope", "TOK-5",
            copy, .eduID,
            copy.asking(personal, "GET", "/admin/instances"))
        copy = stage
        let proud = (stage.parties[.eduID]?["users"]?.array ?? []).map { user -> JSON in
            guard var members = user.object else { return user }
            members["profile"] = ["name": "Ada Muster", "role": "administrator", "administrator": true]
            return .object(members)
        }
        copy.parties[.eduID]?["users"] = .array(proud)
        refuse(
            "administration-by-profile", "what the profile says about the user opens nothing", ["FED-6", "TOK-5"],
            "insufficient_scope",
            "TOK-5", copy,
            .eduID, copy.asking(personal, "GET", "/admin/instances"))
        copy = stage.with(["administrators": ["user-0001"]], at: .eduID)
        accept(
            "administration-instances", "an administrator lists the instances with their versions",
            ["FED-3", "FED-2", "TOK-5"], copy,
            .eduID,
            copy.asking(personal, "GET", "/admin/instances"))
        copy = stage.with(["administrators": ["user-0001"]], at: .eduID)
        accept(
            "administration-versions", "an administrator lists the versions", ["FED-2"], copy, .eduID,
            copy.asking(personal, "GET", "/admin/versions"))
    }

    private mutating func addPersonalRenewals(_ registered: Stage, _ client: Held) throws(Malformed) {
        var stage = registered
        let personal = try stage.signIn(client)
        let token = Stage.eduID + "/token"
        var copy = stage
        accept(
            "refresh", "a personal token is renewed", ["AUT-3", "TOK-2"], copy, .eduID,
            copy.refreshing(personal, at: token))
        copy = stage.later(40_000)
        accept(
            "refresh-expired", "an expired personal token is renewed", ["AUT-3", "TOK-2"], copy, .eduID,
            copy.refreshing(personal, at: token))
        copy = stage
        accept(
            "refresh-by-client", "the instance's own token is proof enough", ["AUT-3"], copy, .eduID,
            Stage.form(
                token, ["grant_type": "refresh_token", "refresh_token": personal.refresh ?? ""],
                bearer: copy.proof(client, token).text))
        copy = stage
        accept(
            "refresh-narrower", "the new token is for less", ["AUT-3"], copy, .eduID,
            copy.refreshing(personal, at: token, scope: Stage.eduID + "/userinfo"))
        copy = stage
        let narrow = try Held(
            try copy.perform(.eduID, copy.refreshing(personal, at: token, scope: Stage.eduID + "/userinfo")),
            personal.key, of: Stage.phone)
        refuse(
            "narrow-elsewhere", "a token that was renewed for less opens nothing more", ["AUT-5", "threat-30"],
            "insufficient_scope",
            "AUT-5", copy,
            .eduID, copy.asking(narrow, "GET", "/usage"))
        copy = stage
        refuse(
            "refresh-wider", "the new token is to be for more", ["threat-30"], "invalid_scope", "threat-30", copy,
            .eduID,
            copy.refreshing(personal, at: token, scope: Stage.eduID + "/admin"))
        copy = stage
        _ = try copy.refresh(personal, .eduID, at: token)
        refuse(
            "refresh-twice", "a refresh token that comes twice ends its family", ["TOK-3", "threat-28"],
            "invalid_grant", "threat-28", copy,
            .eduID,
            copy.refreshing(personal, at: token))
        var window = stage.with(["repetition_window": 30], at: .eduID)
        _ = try window.refresh(personal, .eduID, at: token)
        window = window.later(29)
        accept(
            "refresh-repeated", "within the window of the policy the same request gets the same answer", ["TOK-2"],
            window, .eduID,
            window.refreshing(personal, at: token))
        copy = stage
        try copy.perform(.eduID, copy.revoking(personal.access, by: personal, at: Stage.eduID + "/revoke"))
        refuse(
            "refresh-revoked", "nothing is recovered from a revoked token", ["TOK-3", "threat-31"], "invalid_client",
            "TOK-1", copy, .eduID,
            copy.refreshing(personal, at: token))
        copy = stage
        let tablet = try copy.register(Stage.tablet, device: "tablet")
        refuse(
            "refresh-of-another", "another instance presents the refresh token", ["TOK-3", "threat-28"],
            "invalid_grant", "RFC6749-6", copy,
            .eduID,
            Stage.form(
                token, ["grant_type": "refresh_token", "refresh_token": personal.refresh ?? ""],
                bearer: copy.proof(tablet, token).text))
        copy = stage
        refuse(
            "refresh-unknown", "a refresh token of a record that there is not", ["TOK-3"], "invalid_grant", "RFC6749-6",
            copy, .eduID,
            copy.refreshing(
                personal, at: token, token: (personal.refresh ?? "").prefix { $0 != "." } + ".AAAAAAAAAAAAAAAAAAAAAA"))
        copy = stage
        refuse(
            "refresh-invented", "a refresh token that nobody gave", ["TOK-3"], "invalid_grant", "RFC6749-6", copy,
            .eduID,
            copy.refreshing(personal, at: token, token: "invented.\(personal.id)"))
        refuseRequestTokens(
            "refresh", Fault.ofRequestTokens, "invalid_client", ["AUT-3", "threat-29"], stage, .eduID, personal, token,
            replays: false
        ) {
            Stage.form(token, ["grant_type": "refresh_token", "refresh_token": personal.refresh ?? ""], bearer: $0)
        }
    }

    private mutating func addPasswords(_ registered: Stage, _ client: Held) throws(Malformed) {
        let token = Stage.eduID + "/token"
        var stage = registered.with(["takes_passwords": true], at: .eduID)
        let pairs: KeyValuePairs<String, String> = [
            "grant_type": "password", "username": "ada", "password": "correct horse battery staple",
        ]
        accept(
            "password", "deployed apps send the password to the token endpoint, where the policy lets them", ["AUT-2"],
            stage, .eduID,
            Stage.form(token, pairs, bearer: stage.proof(client, token).text))
        refuse(
            "password-wrong", "the password is wrong", ["AUT-2", "threat-39"], "invalid_grant", "threat-39", stage,
            .eduID,
            Stage.form(
                token, ["grant_type": "password", "username": "ada", "password": "no"],
                bearer: stage.proof(client, token).text))
        refuse(
            "password-unregistered", "the instance is not registered", ["AUT-1"], "invalid_client", "AUT-1",
            Stage().with(["takes_passwords": true], at: .eduID), .eduID,
            Stage.form(token, pairs, bearer: Stage().statement().text))
    }
}
