internal import Wire

// (4) The edu-ID service introduces its user to a service.

extension Catalogue {
    mutating func addIntroductions() throws(Malformed) {
        var stage = Stage()
        let client = try stage.register()
        let personal = try stage.signIn(client)
        let url = Stage.eduID + "/authorize"
        var copy = stage
        accept(
            "pairwise", "an assertion for a service that knows users by names of its own", ["AST-1", "AST-2", "POP-1"],
            copy, .eduID,
            copy.introducing(personal))
        copy = stage
        accept(
            "common", "an assertion for a service that knows users as the federation does, and is told nothing else",
            ["AST-1", "FED-6"],
            copy, .eduID,
            copy.introducing(personal, to: Stage.beta))
        copy = stage
        accept(
            "state", "with a state, which comes back", ["AST-1"], copy, .eduID,
            Stage.form(
                url, ["response_type": "code", "resource": Stage.alpha, "state": "xyz"],
                bearer: copy.proof(personal, url).text))
        copy = stage
        accept(
            "redirect-uri", "the service stands in 'redirect_uri', as deployed apps send it", ["AST-1"], copy, .eduID,
            Stage.form(
                url, ["request_type": "code", "redirect_uri": Stage.alpha], bearer: copy.proof(personal, url).text))
        copy = stage
        accept(
            "query", "the parameters are the query of a GET", ["AST-1"], copy, .eduID,
            Stage.request(
                "GET", url + "?response_type=code&resource=https%3A%2F%2Falpha.example.ch",
                bearer: copy.proof(personal, url).text))
        copy = stage
        accept(
            "json", "the parameters are a JSON object", ["AST-1"], copy, .eduID,
            Stage.object(
                url, ["response_type": "code", "resource": Stage.alpha], bearer: copy.proof(personal, url).text))
        copy = stage
        accept(
            "dpop", "by a DPoP proof", ["AST-1", "POP-1"], copy, .eduID,
            Stage.request(
                "POST", url, dpop: (personal.access, copy.dpop(personal, "POST", url).text), type: "application/json",
                body: #"{"response_type":"code","resource":"https://alpha.example.ch"}"#))
        copy = stage
        _ = try copy.introduce(personal)
        accept("again", "a second assertion for the same service", ["AST-1"], copy, .eduID, copy.introducing(personal))
        copy = stage.with(["has_usage_manager": false], at: .eduID)
        accept(
            "no-usage", "a federation without a usage manager notes no use", ["USE-4"], copy, .eduID,
            copy.introducing(personal))

        let wrong: [(String, String, [String], String, String, KeyValuePairs<String, String>)] = [
            (
                "unknown-service", "a service that the federation does not have", ["AST-1", "AST-6"], "invalid_target",
                "RFC8707-2",
                ["response_type": "code", "resource": "https://gamma.example.ch"]
            ),
            (
                "prefix-service", "a host that only begins like the service's", ["AST-1", "threat-17"],
                "invalid_target", "RFC8707-2",
                ["response_type": "code", "resource": "https://alpha.example.ch.evil.example"]
            ),
            (
                "plain-http", "the service's URL without TLS", ["AST-1", "threat-40"], "invalid_target", "RFC8707-2",
                ["response_type": "code", "resource": "http://alpha.example.ch"]
            ),
            ("no-service", "without a service", ["AST-1"], "invalid_request", "RFC6749-3.1", ["response_type": "code"]),
            (
                "two-services", "'resource' and 'redirect_uri' name two services", ["AST-1", "threat-24"],
                "invalid_request", "threat-37",
                ["response_type": "code", "resource": Stage.alpha, "redirect_uri": Stage.beta]
            ),
            (
                "script", "a URL that is a script", ["AST-1", "threat-40"], "invalid_target", "threat-40",
                ["response_type": "code", "resource": "javascript:alert(1)"]
            ),
            (
                "fragment", "a URL with a fragment", ["AST-1"], "invalid_target", "RFC8707-2",
                ["response_type": "code", "resource": "https://alpha.example.ch/#x"]
            ),
            (
                "token-response", "the answer is to be a token", ["AST-2"], "unsupported_response_type",
                "RFC6749-3.1.1",
                ["response_type": "token", "resource": Stage.alpha]
            ),
            (
                "no-response-type", "without a response type", ["AST-2"], "invalid_request", "RFC6749-3.1",
                ["resource": Stage.alpha]
            ),
            (
                "repeated", "'resource' occurs twice", ["AST-1", "threat-37"], "invalid_request", "threat-37",
                ["response_type": "code", "resource": Stage.alpha, "resource": Stage.beta]
            ),
        ]
        for (name, title, proves, error, clause, pairs) in wrong {
            copy = stage
            refuse(
                name, title, proves, error, clause, copy, .eduID,
                Stage.form(url, pairs, bearer: copy.proof(personal, url).text))
        }
        refuseRequestTokens(
            "proof", Fault.ofRequestTokens + Fault.moreOfRequestTokens, "invalid_client", ["AST-1"], stage, .eduID,
            personal, url,
            clauses: Fault.unread
        ) {
            Stage.form(url, ["response_type": "code", "resource": Stage.alpha], bearer: $0)
        }
        copy = stage
        refuse(
            "by-client", "by an instance on which nobody is signed in", ["AUT-5", "threat-18"], "invalid_client",
            "threat-18", copy, .eduID,
            copy.introducing(client))
        refuse(
            "nobody", "without a credential", ["AST-1"], "invalid_client", "RFC6750-2.1", stage, .eduID,
            Stage.form(url, ["response_type": "code", "resource": Stage.alpha]))
        copy = stage.later(3_600)
        refuse(
            "lapsed", "the personal token has expired", ["TOK-2"], "invalid_client", "TOK-1", copy, .eduID,
            copy.introducing(personal))
        copy = stage.blocking("ios-1.0")
        refuse(
            "blocked-version", "the instance's version has been shut out from reaching services", ["FED-4"],
            "unauthorized_client", "FED-4",
            copy, .eduID,
            copy.introducing(personal))
        copy = stage
        try copy.perform(.eduID, copy.revoking(personal.access, by: personal, at: Stage.eduID + "/revoke"))
        refuse(
            "signed-out", "the user has signed out", ["TOK-1", "TOK-5", "UX-6"], "invalid_client", "TOK-1", copy,
            .eduID,
            copy.introducing(personal))
        var symmetric = Stage()
        let made = try symmetric.register(device: nil)
        let person = try symmetric.signIn(made)
        refuse(
            "symmetric", "an instance without a key pair, of which a service could demand no proof",
            ["POP-1", "AST-2"],
            "unauthorized_client", "POP-1",
            symmetric, .eduID, symmetric.introducing(person))
    }
}
