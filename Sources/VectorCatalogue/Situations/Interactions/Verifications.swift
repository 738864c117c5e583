internal import JOSETesting
internal import Wire

// (6) A service asks the edu-ID service about an assertion; (6*) it reads the user's attributes.

extension Catalogue {
    private static let flawedCredentials: [Defect] = [
        Defect("foreign-signature", "signed by another key", ["AST-8"], "RFC7515-5.2") {
            $0.signed(by: .pair("stranger"))
        },
        Defect(
            "unknown-service", "of a service that the federation does not have", ["AST-8", "threat-39"], "RFC7515-6"
        ) { $0.claiming(["iss": "https://gamma.example.ch", "sub": "https://gamma.example.ch"]) },
        Defect("other-service", "in the name of another service", ["AST-8", "threat-25"], "RFC7515-6") {
            $0.claiming(["iss": .string(World.beta), "sub": .string(World.beta)])
        },
        Defect("other-subject", "about another party", ["AST-8"], "RFC7523-3") {
            $0.claiming(["sub": .string(World.beta)])
        },
        Defect("other-audience", "for another server", ["AST-8", "BIS-1", "threat-24"], "RFC7519-4.1.3") {
            $0.claiming(["aud": .string(World.beta)])
        },
        Defect("two-audiences", "for another server too", ["AST-8", "BIS-1", "threat-24"], "threat-24") {
            $0.claiming(["aud": [.string(World.eduID), .string(World.beta)]])
        },
        Defect("upper-case", "for the server in other letters", ["AST-8", "BIS-2", "threat-64"], "RFC7519-4.1.3") {
            $0.claiming(["aud": "https://EDUID.example.ch"])
        },
        Defect("with-port", "for the server with the port of https", ["AST-8", "BIS-2", "threat-64"], "RFC7519-4.1.3") {
            $0.claiming(["aud": "https://eduid.example.ch:443"])
        },
        Defect("without-issuer", "by nobody", ["AST-8", "BIS-5"], "RFC7515-6") { $0.claiming(["iss": .null]) },
        Defect("without-subject", "about nobody", ["AST-8", "BIS-5"], "RFC7519-4") { $0.claiming(["sub": .null]) },
        Defect("without-audience", "for nobody", ["AST-8", "BIS-5"], "RFC7519-4") { $0.claiming(["aud": .null]) },
        Defect("expired", "whose end has come", ["AST-8", "threat-16"], "RFC7519-4.1.4") {
            $0.claiming(["iat": $0.time(-60), "exp": $0.time(0)])
        },
        Defect("too-long", "that holds for a day", ["AST-8"], "RFC7523-3") {
            $0.claiming(["exp": $0.time(86_400)])
        }, Defect("without-end", "without an end", ["AST-8", "BIS-5"], "RFC7519-4") { $0.claiming(["exp": .null]) },
        Defect("without-name", "without a name", ["AST-8"], "RFC7519-4") { $0.claiming(["jti": .null]) },
        Defect("unsecured", "whose algorithm is none", ["threat-1"], "threat-1") { $0.heading(["alg": "none"]) },
        Defect("of-another-kind", "that is a service assertion", ["BIS-3", "threat-18"], "RFC8725-3.11") {
            $0.heading(["typ": "authorization-grant+jwt"])
        },
    ]

    mutating func addVerifications() throws {
        var world = World()
        let client = try world.register()
        let personal = try world.signIn(client)
        let assertion = try world.introduce(personal)
        let (url, name) = (World.eduID + "/introspect", try Self.name(of: assertion))
        try add(
            in: world, at: .eduID,
            [
                .accepted("active", "an assertion that stands", ["AST-8", "AST-4"]) { Self.asking(&$0, assertion) },
                .refused(
                    "endpoint-as-audience", "the service's own assertion is for the endpoint",
                    ["AST-8", "BIS-1", "threat-64"],
                    "invalid_client", "RFC7519-4.1.3"
                ) { world in Self.asking(&world, assertion) { $0.claiming(["aud": .string(url)]) } },
                .refused(
                    "spelled-audience", "the service's own assertion spells the server otherwise",
                    ["AST-8", "BIS-2", "threat-64"], "invalid_client", "RFC7519-4.1.3"
                ) { world in Self.asking(&world, assertion) { $0.claiming(["aud": .string(World.eduID + "/")]) } },
                .accepted("audience-in-list", "the server stands alone in a list", ["AST-8", "BIS-1"]) { world in
                    Self.asking(&world, assertion) { $0.claiming(["aud": [.string(World.eduID)]]) }
                },
                .accepted("untyped", "the service's own assertion has no type", ["AST-8", "BIS-3"]) { world in
                    Self.asking(&world, assertion) { $0.heading(["typ": .null]) }
                },
                .accepted(
                    "foreign", "a service that asks about another one's assertion learns nothing",
                    ["AST-8", "threat-33"]
                ) { Self.asking(&$0, assertion, by: "beta") },
                .accepted(
                    "by-name", "an assertion whose service has kept its name alone, a day later",
                    ["AST-8", "threat-67"],
                    in: world.later(86_400)
                ) { Self.asking(&$0, name) },
                .accepted(
                    "by-name-foreign", "a service that names another one's assertion learns nothing",
                    ["AST-8", "threat-33", "threat-67"]
                ) { Self.asking(&$0, name, by: "beta") },
                .accepted(
                    "by-name-revoked", "the name of an assertion of a user who has signed out",
                    ["AST-8", "TOK-1", "threat-67"],
                    after: {
                        try $0.perform(.eduID, $0.revoking(personal.access, by: personal, at: World.eduID + "/revoke"))
                    }
                ) { Self.asking(&$0, name) },
                .accepted("by-name-token", "the name of a token that is no assertion", ["AST-8", "threat-67"]) {
                    Self.asking(&$0, personal.id)
                },
                .accepted("unknown", "what is no assertion is inactive", ["AST-8"]) {
                    Self.asking(&$0, "not-an-assertion")
                },
                .accepted("expired", "an expired assertion is inactive", ["AST-8"], in: world.later(300)) {
                    Self.asking(&$0, assertion)
                },
                .accepted(
                    "revoked", "an assertion of a user who has signed out is inactive", ["AST-8", "TOK-1"],
                    after: {
                        try $0.perform(.eduID, $0.revoking(personal.access, by: personal, at: World.eduID + "/revoke"))
                    }
                ) { Self.asking(&$0, assertion) },
                .accepted(
                    "blocked-version", "an assertion through a version that has been shut out is inactive",
                    ["FED-4", "AST-8"], in: world.blocking("ios-1.0")
                ) { Self.asking(&$0, assertion) },
                .accepted("forged", "an assertion with another key's signature is inactive", ["AST-8", "threat-34"]) {
                    Self.asking(&$0, $0.assertion().signed(by: .pair("stranger")).text)
                },
            ])
        try addFlawedCredentials(world, assertion, personal)
        var asked = world
        _ = asked.name()
        try addUserTokens(world, Self.asking(&asked, assertion), personal)
        try addAnswers()
        try addPairwiseVerifications()
    }

    /// The name of an assertion.
    static func name(of assertion: String) throws -> String {
        let parts = assertion.split(separator: ".")
        return try JSON(parsing: Base64URL.decode(String(parts[1])))["jti"]?.string ?? ""
    }

    static func asking(
        _ world: inout World, _ token: String, by place: String = "alpha", _ change: (TestToken) -> TestToken = { $0 }
    ) -> JSON {
        let home = place.utf8.elementsEqual("alpha".utf8) ? World.alpha : World.beta
        let proof = change(world.clientAssertion(of: home, place, named: place + "-1", to: World.eduID)).text
        return World.form(
            World.eduID + "/introspect",
            ["token": token, "client_assertion_type": World.assertionType, "client_assertion": proof])
    }

    private mutating func addFlawedCredentials(_ world: World, _ assertion: String, _ personal: Held) throws {
        let url = World.eduID + "/introspect"
        for defect in Self.flawedCredentials {
            try add(
                in: world, at: .eduID,
                [
                    .refused(
                        "credential-" + defect.name, "a client assertion " + defect.title, defect.proves,
                        "invalid_client", defect.clause
                    ) { Self.asking(&$0, assertion, defect.change) }
                ])
        }
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "credential-replayed", "a client assertion that was presented before", ["AST-8", "threat-36"],
                    "invalid_client", "threat-36"
                ) { world in
                    let once = Self.asking(&world, assertion)
                    try world.attempt(.eduID, once)
                    return once
                },
                .refused(
                    "no-credential", "without a credential", ["AST-8", "threat-33"], "invalid_client", "RFC7523-2.2"
                ) { _ in World.form(url, ["token": assertion]) },
                .refused(
                    "by-instance", "by an instance, which is no service", ["AST-8", "threat-33"], "invalid_client",
                    "RFC7523-2.2"
                ) { World.form(url, ["token": assertion], bearer: $0.proof(personal, url).text) },
            ])
    }

    private mutating func addUserTokens(_ world: World, _ question: JSON, _ personal: Held) throws {
        var verified = world
        let token = try Vector.Rejection.need(
            try verified.perform(.eduID, question)["user_token"]?.string, "user_token")
        let url = World.eduID + "/userinfo"
        try add(
            in: verified, at: .eduID,
            [
                .accepted("attributes", "a service reads what it may know of the user", ["AST-8", "FED-6"]) { _ in
                    World.request("GET", url, bearer: token)
                },
                .refused(
                    "attributes-late", "after the assertion's end", ["AST-8"], "invalid_token", "threat-39",
                    in: verified.later(300)
                ) { _ in World.request("GET", url, bearer: token) },
                .refused(
                    "usage-by-user-token", "a user token opens the attributes and nothing else",
                    ["AUT-5", "threat-18"], "invalid_token", "threat-18"
                ) { _ in World.request("GET", World.eduID + "/usage", bearer: token) },
                .refused(
                    "attributes-cut", "a user token without its last letter", ["AST-8"], "invalid_token", "threat-39"
                ) { _ in World.request("GET", url, bearer: String(token.dropLast())) },
                .refused(
                    "attributes-revoked", "after the user has signed out", ["TOK-1"], "invalid_token", "TOK-1",
                    after: {
                        try $0.perform(.eduID, $0.revoking(personal.access, by: personal, at: World.eduID + "/revoke"))
                    }
                ) { _ in World.request("GET", url, bearer: token) },
            ])
    }

    /// What a service does with the answer to its question.
    private mutating func addAnswers() throws {
        let holder = try World.assertionHolder
        let world = World().with("edu_id", at: .alpha) {
            $0.with("introspection", .string(World.eduID + "/introspect"))
        }
        func answer(_ status: Int, _ members: JSON.Object) -> JSON {
            [
                "status": .number(JSON.Number(status)), "headers": ["Content-Type": "application/json"],
                "body": .string(JSON.object(members).encodedString()),
            ]
        }
        let facts: JSON.Object = [
            "active": true, "iss": .string(World.eduID), "sub": "pseudonym-of-ada", "aud": .string(World.alpha),
            "client_id": .string(World.phone), "jti": "assertion-1",
        ]
        func changed(_ name: JSON.Name, _ value: JSON) -> JSON.Object { facts.changed([name: value]) }
        let good: [(String, String, JSON)] = [
            ("confirmed", "the edu-ID service stands by the assertion", answer(200, facts)),
            (
                "confirmed-briefly", "the edu-ID service names the assertion and its subject, and no more",
                answer(200, ["active": true, "sub": "pseudonym-of-ada", "jti": "assertion-1"])
            ),
        ]
        for (name, title, reply) in good {
            try add(
                in: world, at: .alpha,
                [
                    .accepted(name, title, ["AST-8", "AST-4"], answer: reply) {
                        $0.redeeming($0.assertion(), by: holder)
                    }
                ])
        }
        let bad: [(String, String, String, JSON)] = [
            (
                "inactive", "the edu-ID service does not stand by the assertion", "invalid_grant",
                answer(200, ["active": false])
            ),
            (
                "other-assertion", "the answer is about another assertion", "invalid_grant",
                answer(200, changed("jti", "assertion-2"))
            ),
            (
                "other-user", "the answer is about another user", "invalid_grant",
                answer(200, changed("sub", "somebody"))
            ),
            (
                "other-instance", "the answer is about another instance", "invalid_grant",
                answer(200, changed("client_id", .string(World.tablet)))
            ), ("silent", "there is no answer", "temporarily_unavailable", .null),
            ("failing", "the edu-ID service fails", "temporarily_unavailable", answer(500, facts)),
        ]
        for (name, title, error, reply) in bad {
            try add(
                in: world, at: .alpha,
                [
                    .refused("answer-" + name, title, ["AST-8", "AST-6"], error, "AST-8", answer: reply) {
                        $0.redeeming($0.assertion(), by: holder)
                    }
                ])
        }
    }
}
