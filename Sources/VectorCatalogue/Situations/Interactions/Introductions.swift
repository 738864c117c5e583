internal import JOSETesting
internal import Wire

// (4) The edu-ID service introduces its user to a service.

extension Catalogue {
    private static let flawedIntroductions:
        [(String, String, [String], String, String, KeyValuePairs<String, String>)] = [
            (
                "unknown-service", "a service that the federation does not have", ["AST-1", "AST-6"], "invalid_target",
                "RFC8707-2", ["response_type": "code", "resource": "https://gamma.example.ch"]
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
                ["response_type": "code", "resource": World.alpha, "redirect_uri": World.beta]
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
                "RFC6749-3.1.1", ["response_type": "token", "resource": World.alpha]
            ),
            (
                "no-response-type", "without a response type", ["AST-2"], "invalid_request", "RFC6749-3.1",
                ["resource": World.alpha]
            ),
            (
                "repeated", "'resource' occurs twice", ["AST-1", "threat-37"], "invalid_request", "threat-37",
                ["response_type": "code", "resource": World.alpha, "resource": World.beta]
            ),
        ]

    mutating func addIntroductions() throws {
        var world = World()
        let client = try world.register()
        let personal = try world.signIn(client)
        let url = World.eduID + "/authorize"
        try add(
            in: world, at: .eduID,
            [
                .accepted(
                    "pairwise", "an assertion for a service that knows users by names of its own",
                    ["AST-1", "AST-2", "POP-1"]
                ) { $0.introducing(personal) },
                .accepted(
                    "common",
                    "an assertion for a service that knows users as the federation does, and is told nothing else",
                    ["AST-1", "FED-6"]
                ) { $0.introducing(personal, to: World.beta) },
                .accepted("state", "with a state, which comes back", ["AST-1"]) {
                    World.form(
                        url, ["response_type": "code", "resource": World.alpha, "state": "xyz"],
                        bearer: $0.proof(personal, url).text)
                },
                .accepted("redirect-uri", "the service stands in 'redirect_uri', as deployed apps send it", ["AST-1"]) {
                    World.form(
                        url, ["request_type": "code", "redirect_uri": World.alpha], bearer: $0.proof(personal, url).text
                    )
                },
                .accepted("query", "the parameters are the query of a GET", ["AST-1"]) {
                    World.request(
                        "GET", url + "?response_type=code&resource=https%3A%2F%2Falpha.example.ch",
                        bearer: $0.proof(personal, url).text)
                },
                .accepted("json", "the parameters are a JSON object", ["AST-1"]) {
                    World.object(
                        url, ["response_type": "code", "resource": World.alpha], bearer: $0.proof(personal, url).text)
                },
                .accepted("dpop", "by a DPoP proof", ["AST-1", "POP-1"]) {
                    World.request(
                        "POST", url, dpop: (personal.access, $0.dpop(personal, "POST", url).text),
                        type: "application/json",
                        body: #"{"response_type":"code","resource":"https://alpha.example.ch"}"#)
                },
                .accepted(
                    "again", "a second assertion for the same service", ["AST-1"], after: { try $0.introduce(personal) }
                ) { $0.introducing(personal) },
                .accepted(
                    "no-usage", "a federation without a usage manager notes no use", ["USE-4"],
                    in: world.with(["has_usage_manager": false], at: .eduID)
                ) { $0.introducing(personal) },
            ])

        try addFlawedIntroductions(world, client, personal)
        try addPairwiseIntroductions(world, personal)
        try addWeakIntroductions()
        try addMemberships()
    }

    private mutating func addFlawedIntroductions(_ world: World, _ client: Held, _ personal: Held) throws {
        let url = World.eduID + "/authorize"
        for (name, title, proves, error, clause, pairs) in Self.flawedIntroductions {
            try add(
                in: world, at: .eduID,
                [
                    .refused(name, title, proves, error, clause) {
                        World.form(url, pairs, bearer: $0.proof(personal, url).text)
                    }
                ])
        }
        try refuseRequestTokens(
            "proof", Defect.allOfRequestTokens, "invalid_client", ["AST-1"], in: world, at: .eduID, of: personal,
            for: url, clauses: Self.unread
        ) { World.form(url, ["response_type": "code", "resource": World.alpha], bearer: $0) }
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "by-client", "by an instance on which nobody is signed in", ["AUT-5", "threat-18"],
                    "invalid_client", "threat-18"
                ) { $0.introducing(client) },
                .refused("nobody", "without a credential", ["AST-1"], "invalid_client", "RFC6750-2.1") { _ in
                    World.form(url, ["response_type": "code", "resource": World.alpha])
                },
                .refused(
                    "lapsed", "the personal token has expired", ["TOK-2"], "invalid_client", "TOK-1",
                    in: world.later(3_600)
                ) { $0.introducing(personal) },
                .refused(
                    "blocked-version", "the instance's version has been shut out from reaching services", ["FED-4"],
                    "unauthorized_client", "FED-4", in: world.blocking("ios-1.0")
                ) { $0.introducing(personal) },
                .refused(
                    "signed-out", "the user has signed out", ["TOK-1", "TOK-5", "UX-6"], "invalid_client", "TOK-1",
                    after: {
                        try $0.perform(.eduID, $0.revoking(personal.access, by: personal, at: World.eduID + "/revoke"))
                    }
                ) { $0.introducing(personal) },
            ])
        var symmetric = World()
        let made = try symmetric.register(device: nil)
        let person = try symmetric.signIn(made)
        try add(
            in: symmetric, at: .eduID,
            [
                .refused(
                    "symmetric", "an instance without a key pair, of which a service could demand no proof",
                    ["POP-1", "AST-2"], "unauthorized_client", "POP-1"
                ) { $0.introducing(person) }
            ])
    }
}
