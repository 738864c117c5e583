internal import Wire

// (6) A service asks the edu-ID service about an assertion; (6*) it reads the user's attributes.

extension Catalogue {
    mutating func addVerifications() throws(Malformed) {
        var stage = Stage()
        let client = try stage.register()
        let personal = try stage.signIn(client)
        let assertion = try stage.introduce(personal)
        let url = Stage.eduID + "/introspect"
        func asking(
            _ stage: inout Stage, _ token: String, by place: String = "alpha", _ change: (Draft) -> Draft = { $0 }
        ) -> JSON {
            let home = place.utf8.elementsEqual("alpha".utf8) ? Stage.alpha : Stage.beta
            let proof = change(stage.clientAssertion(of: home, place, named: place + "-1", to: Stage.eduID)).text
            return Stage.form(
                url, ["token": token, "client_assertion_type": Stage.assertionType, "client_assertion": proof])
        }
        var copy = stage
        accept("active", "an assertion that stands", ["AST-8", "AST-4"], copy, .eduID, asking(&copy, assertion))
        copy = stage
        accept(
            "endpoint-as-audience", "the service's own assertion is for the endpoint", ["AST-8"], copy, .eduID,
            asking(&copy, assertion) { $0.claiming(["aud": .string(url)]) })
        copy = stage
        accept(
            "foreign", "a service that asks about another one's assertion learns nothing", ["AST-8", "threat-33"], copy,
            .eduID,
            asking(&copy, assertion, by: "beta"))
        copy = stage
        accept(
            "unknown", "what is no assertion is inactive", ["AST-8"], copy, .eduID, asking(&copy, "not-an-assertion"))
        copy = stage.later(300)
        accept("expired", "an expired assertion is inactive", ["AST-8"], copy, .eduID, asking(&copy, assertion))
        copy = stage
        try copy.perform(.eduID, copy.revoking(personal.access, by: personal, at: Stage.eduID + "/revoke"))
        accept(
            "revoked", "an assertion of a user who has signed out is inactive", ["AST-8", "TOK-1"], copy, .eduID,
            asking(&copy, assertion))
        copy = stage.blocking("ios-1.0")
        accept(
            "blocked-version", "an assertion through a version that has been shut out is inactive", ["FED-4", "AST-8"],
            copy, .eduID,
            asking(&copy, assertion))
        copy = stage
        accept(
            "forged", "an assertion with another key's signature is inactive", ["AST-8", "threat-34"], copy, .eduID,
            asking(&copy, copy.assertion().signed(by: .pair("stranger")).text))
        let faults: [Fault] = [
            Fault("foreign-signature", "signed by another key", ["AST-8"], "RFC7515-5.2") { draft, _ in
                draft.signed(by: .pair("stranger"))
            },
            Fault(
                "unknown-service", "of a service that the federation does not have", ["AST-8", "threat-39"], "RFC7515-6"
            ) { draft, _ in
                draft.claiming(["iss": "https://gamma.example.ch", "sub": "https://gamma.example.ch"])
            },
            Fault("other-service", "in the name of another service", ["AST-8", "threat-25"], "RFC7515-6") { draft, _ in
                draft.claiming(["iss": .string(Stage.beta), "sub": .string(Stage.beta)])
            },
            Fault("other-subject", "about another party", ["AST-8"], "RFC7523-3") { draft, _ in
                draft.claiming(["sub": .string(Stage.beta)])
            },
            Fault("other-audience", "for another server", ["AST-8", "threat-24"], "RFC7519-4.1.3") { draft, _ in
                draft.claiming(["aud": .string(Stage.beta)])
            },
            Fault("expired", "whose end has come", ["AST-8", "threat-16"], "RFC7519-4.1.4") { draft, stage in
                draft.claiming(["iat": stage.time(-60), "exp": stage.time(0)])
            },
            Fault("too-long", "that holds for a day", ["AST-8"], "RFC7523-3") { draft, stage in
                draft.claiming(["exp": stage.time(86_400)])
            },
            Fault("without-end", "without an end", ["AST-8"], "RFC7519-4") { draft, _ in draft.claiming(["exp": .null])
            },
            Fault("without-name", "without a name", ["AST-8"], "RFC7519-4") { draft, _ in draft.claiming(["jti": .null])
            },
            Fault("unsecured", "whose algorithm is none", ["threat-1"], "threat-1") { draft, _ in
                draft.heading(["alg": "none"])
            },
            Fault("of-another-kind", "that is a service assertion", ["threat-18"], "RFC8725-3.11") { draft, _ in
                draft.heading(["typ": "authorization-grant+jwt"])
            },
        ]
        for fault in faults {
            copy = stage
            refuse(
                "credential-" + fault.name, "a client assertion " + fault.title, fault.proves, "invalid_client",
                fault.clause, copy, .eduID,
                asking(&copy, assertion) { [copy] in fault.change($0, copy) })
        }
        copy = stage
        let once = asking(&copy, assertion)
        try copy.attempt(.eduID, once)
        refuse(
            "credential-replayed", "a client assertion that was presented before", ["AST-8", "threat-36"],
            "invalid_client", "threat-36",
            copy, .eduID, once)
        refuse(
            "no-credential", "without a credential", ["AST-8", "threat-33"], "invalid_client", "RFC7523-2.2", stage,
            .eduID,
            Stage.form(url, ["token": assertion]))
        copy = stage
        refuse(
            "by-instance", "by an instance, which is no service", ["AST-8", "threat-33"], "invalid_client",
            "RFC7523-2.2", copy, .eduID,
            Stage.form(url, ["token": assertion], bearer: copy.proof(personal, url).text))
        try addUserTokens(stage, asking(&copy, assertion), personal)
        try addAnswers()
    }

    private mutating func addUserTokens(_ stage: Stage, _ question: JSON, _ personal: Held) throws(Malformed) {
        var verified = stage
        let token = try Malformed.need(try verified.perform(.eduID, question)["user_token"]?.string, "user_token")
        let url = Stage.eduID + "/userinfo"
        accept(
            "attributes", "a service reads what it may know of the user", ["AST-8", "FED-6"], verified, .eduID,
            Stage.request("GET", url, bearer: token))
        refuse(
            "attributes-late", "after the assertion's end", ["AST-8"], "invalid_token", "threat-39",
            verified.later(300), .eduID,
            Stage.request("GET", url, bearer: token))
        refuse(
            "usage-by-user-token", "a user token opens the attributes and nothing else", ["AUT-5", "threat-18"],
            "invalid_token",
            "threat-18", verified,
            .eduID, Stage.request("GET", Stage.eduID + "/usage", bearer: token))
        refuse(
            "attributes-cut", "a user token without its last letter", ["AST-8"], "invalid_token", "threat-39", verified,
            .eduID,
            Stage.request("GET", url, bearer: String(token.dropLast())))
        var ended = verified
        try ended.perform(.eduID, ended.revoking(personal.access, by: personal, at: Stage.eduID + "/revoke"))
        refuse(
            "attributes-revoked", "after the user has signed out", ["TOK-1"], "invalid_token", "TOK-1", ended, .eduID,
            Stage.request("GET", url, bearer: token))
    }

    /// What a service does with the answer to its question.
    private mutating func addAnswers() throws(Malformed) {
        let holder = try Stage.assertionHolder
        var stage = Stage()
        if var trust = stage.parties[.alpha]?["edu_id"]?.object {
            trust["introspection"] = .string(Stage.eduID + "/introspect")
            stage.parties[.alpha]?["edu_id"] = .object(trust)
        }
        func answer(_ status: Int, _ members: JSON.Object) -> JSON {
            [
                "status": .number(JSON.Number(status)), "headers": ["Content-Type": "application/json"],
                "body": .string(JSON.object(members).encodedString()),
            ]
        }
        let facts: JSON.Object = [
            "active": true, "iss": .string(Stage.eduID), "sub": "pseudonym-of-ada", "aud": .string(Stage.alpha),
            "client_id": .string(Stage.phone),
            "jti": "assertion-1",
        ]
        func changed(_ name: JSON.Name, _ value: JSON) -> JSON.Object {
            var members = facts
            members[name] = value
            return members
        }
        let good: [(String, String, JSON)] = [
            ("confirmed", "the edu-ID service stands by the assertion", answer(200, facts)),
            (
                "confirmed-briefly", "the edu-ID service names the assertion and its subject, and no more",
                answer(200, ["active": true, "sub": "pseudonym-of-ada", "jti": "assertion-1"])
            ),
        ]
        for (name, title, reply) in good {
            var copy = stage
            accept(
                name, title, ["AST-8", "AST-4"], copy, .alpha, copy.redeeming(copy.assertion(), by: holder),
                answer: reply)
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
                answer(200, changed("client_id", .string(Stage.tablet)))
            ),
            ("silent", "there is no answer", "temporarily_unavailable", .null),
            ("failing", "the edu-ID service fails", "temporarily_unavailable", answer(500, facts)),
        ]
        for (name, title, error, reply) in bad {
            var copy = stage
            refuse(
                "answer-" + name, title, ["AST-8", "AST-6"], error, "AST-8", copy, .alpha,
                copy.redeeming(copy.assertion(), by: holder),
                answer: reply)
        }
    }
}
