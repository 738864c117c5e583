internal import Wire

// (10) Tokens end: by those who hold them, by the edu-ID service, by users and administrators.

extension Catalogue {
    mutating func addRevocations() throws(Malformed) {
        try addRevocationsAtService()
        try addRevocationsAtEduID()
        try addInstances()
        try addDeliveries()
    }

    private mutating func addRevocationsAtService() throws(Malformed) {
        var stage = Stage()
        let service = try stage.redeem()
        let app = try stage.authorize(service)
        let url = Stage.alpha + "/oauth/revoke"
        var copy = stage
        accept(
            "own-app-token", "an app ends its token", ["TOK-4", "NIF-10"], copy, .alpha,
            copy.revoking(app.access, by: app, at: url))
        copy = stage
        accept(
            "own-refresh-token", "an app ends its grant by the refresh token", ["TOK-4"], copy, .alpha,
            copy.revoking(app.refresh ?? "", by: app, at: url))
        copy = stage
        accept(
            "app-token-by-instance", "the instance ends an app's token", ["TOK-4", "TOK-5"], copy, .alpha,
            copy.revoking(app.access, by: service, at: url))
        copy = stage
        accept(
            "service-token", "the instance ends its service token, and with it all app tokens", ["TOK-6", "TOK-1"],
            copy, .alpha,
            copy.revoking(service.access, by: service, at: url))
        copy = stage
        accept(
            "by-assertion", "the edu-ID service takes an assertion back", ["TOK-7", "TOK-6"], copy, .alpha,
            takingBack("assertion-1", &copy)
        )
        copy = stage
        accept(
            "by-unknown-assertion", "an assertion that has not come yet is noted as revoked", ["TOK-7", "TOK-8"], copy,
            .alpha,
            takingBack("assertion-9", &copy))
        copy = stage
        accept(
            "unknown", "an unknown token is answered like a known one", ["TOK-4", "threat-33"], copy, .alpha,
            copy.revoking("unknown", by: app, at: url))
        copy = stage.later(90_000)
        accept(
            "expired", "an expired token is ended by its holder", ["TOK-4", "threat-32"], copy, .alpha,
            copy.revoking(app.access, by: app, at: url))
        copy = stage
        let other = try copy.authorize(service, for: "ch.example.writer", binding: "writer")
        accept(
            "foreign", "another app's token stays, and nothing is told of it", ["TOK-4", "threat-33"], copy, .alpha,
            copy.revoking(app.access, by: other, at: url))
        copy = stage
        accept(
            "service-token-by-app", "an app does not end the token under its own", ["TOK-4", "threat-33"], copy, .alpha,
            copy.revoking(service.access, by: app, at: url))
        copy = stage
        try copy.perform(.alpha, copy.revoking(app.access, by: app, at: url))
        accept(
            "again", "what has ended is over for whoever asks again", ["TOK-8"], copy, .alpha,
            copy.revoking(app.access, by: app, at: url))
        refuseRequestTokens(
            "proof", Fault.ofRequestTokens, "invalid_client", ["TOK-4", "threat-33"], stage, .alpha, app, url
        ) {
            Stage.form(url, ["token": app.access], bearer: $0)
        }
        refuse(
            "no-credential", "without a credential", ["TOK-4", "TOK-5"], "invalid_client", "RFC7009-2.1", stage, .alpha,
            Stage.form(url, ["token": app.access]))
        copy = stage
        refuse(
            "no-token", "without a token", ["TOK-4"], "invalid_request", "RFC6749-3.1", copy, .alpha,
            Stage.form(url, [:], bearer: copy.proof(app, url).text))
        let faults: [Fault] = [
            Fault("foreign-signature", "signed by another key", ["TOK-7"], "RFC7515-5.2") { draft, _ in
                draft.signed(by: .pair("stranger"))
            },
            Fault("other-party", "of another service", ["TOK-7", "threat-25"], "RFC8725-3.8") { draft, _ in
                draft.claiming(["iss": .string(Stage.beta), "sub": .string(Stage.beta)])
            },
            Fault("other-audience", "for another service", ["TOK-7", "threat-24"], "RFC7519-4.1.3") { draft, _ in
                draft.claiming(["aud": .string(Stage.beta)])
            },
            Fault("expired", "whose end has come", ["TOK-7", "threat-16"], "RFC7519-4.1.4") { draft, stage in
                draft.claiming(["iat": stage.time(-60), "exp": stage.time(0)])
            },
            Fault("service-assertion", "that is a service assertion", ["TOK-7", "threat-18"], "RFC8725-3.11") {
                draft, _ in
                draft.heading(["typ": "authorization-grant+jwt"])
            },
        ]
        for fault in faults {
            copy = stage
            refuse(
                "assertion-" + fault.name, "a client assertion " + fault.title, fault.proves, "invalid_client",
                fault.clause, copy, .alpha,
                takingBack("assertion-1", &copy) { [copy] in fault.change($0, copy) })
        }
        copy = stage
        let once = takingBack("assertion-1", &copy)
        try copy.attempt(.alpha, once)
        refuse(
            "assertion-replayed", "a client assertion that was presented before", ["TOK-7", "threat-36"],
            "invalid_client", "threat-36",
            copy, .alpha, once)
    }

    private mutating func addRevocationsAtEduID() throws(Malformed) {
        var stage = Stage()
        let client = try stage.register()
        let personal = try stage.signIn(client)
        let url = Stage.eduID + "/revoke"
        var copy = stage
        accept(
            "sign-out", "the app ends the personal token", ["TOK-4", "TOK-5", "UX-5"], copy, .eduID,
            copy.revoking(personal.access, by: personal, at: url))
        copy = stage
        _ = try copy.introduce(personal)
        _ = try copy.introduce(personal, to: Stage.beta)
        accept(
            "sign-out-services", "two services are told that the user has signed out", ["TOK-7", "TOK-6"], copy, .eduID,
            copy.revoking(personal.access, by: personal, at: url))
        copy = stage
        accept(
            "sign-out-by-instance", "the instance ends the personal token with its own", ["TOK-4"], copy, .eduID,
            copy.revoking(personal.access, by: client, at: url))
        copy = stage.later(90_000)
        accept(
            "sign-out-late", "an expired personal token is ended", ["TOK-4", "threat-32"], copy, .eduID,
            copy.revoking(personal.access, by: personal, at: url))
        copy = stage
        let tablet = try copy.register(Stage.tablet, device: "tablet")
        let bob = try copy.signIn(tablet, "bob", "hunter2hunter2")
        accept(
            "sign-out-foreign", "another user's token stays", ["TOK-4", "threat-33"], copy, .eduID,
            copy.revoking(personal.access, by: bob, at: url))
        refuseRequestTokens(
            "sign-out", Fault.ofRequestTokens, "invalid_client", ["TOK-4"], stage, .eduID, personal, url, replays: false
        ) {
            Stage.form(url, ["token": personal.access], bearer: $0)
        }
        refuse(
            "sign-out-nobody", "without a credential", ["TOK-4"], "invalid_client", "RFC6750-2.1", stage, .eduID,
            Stage.form(url, ["token": personal.access]))
    }

    private mutating func addInstances() throws(Malformed) {
        var stage = Stage()
        let client = try stage.register()
        let personal = try stage.signIn(client)
        let tablet = try stage.register(Stage.tablet, device: "tablet")
        let second = try stage.signIn(tablet)
        var copy = stage
        accept(
            "instances", "a user lists the instances that are linked to the account", ["USR-2", "FED-2"], copy, .eduID,
            copy.asking(personal, "GET", "/instances"))
        copy = stage
        accept(
            "disconnect", "a user ends a lost device from another one", ["USR-3", "REG-8"], copy, .eduID,
            copy.asking(personal, "DELETE", "/instances/" + Stage.tablet))
        copy = stage
        try copy.perform(.eduID, copy.asking(personal, "DELETE", "/instances/" + Stage.tablet))
        accept(
            "others-stay", "the user's other devices stay", ["REG-8"], copy, .eduID,
            copy.asking(personal, "GET", "/userinfo"))
        refuse(
            "disconnected", "the lost device opens nothing any more", ["REG-8", "TOK-1", "TOK-5"], "invalid_token",
            "TOK-1", copy, .eduID,
            copy.asking(second, "GET", "/userinfo"))
        refuse(
            "disconnected-registration", "its statement signs nobody in", ["REG-8", "AUT-1"], "invalid_client", "AUT-1",
            copy, .eduID,
            Stage.form(
                Stage.eduID + "/authorize-challenge",
                [
                    "response_type": "code", "client_id": Stage.tablet, "username": "ada",
                    "password": "correct horse battery staple",
                    "code_challenge": Stage.challenge, "code_challenge_method": "S256",
                ], bearer: copy.statement(Stage.tablet, device: "tablet").text))
        copy = stage
        let third = try copy.register("6f1c3c4e-7a3a-4c55-9d1e-0a4b8f7f0003", device: "third")
        let bob = try copy.signIn(third, "bob", "hunter2hunter2")
        refuse(
            "disconnect-foreign", "a user cannot end another user's device", ["USR-3", "REG-8", "threat-33"],
            "http_404", "-", copy, .eduID,
            copy.asking(bob, "DELETE", "/instances/" + Stage.phone))
        copy = stage
        refuse(
            "disconnect-by-client", "an instance without a user ends nothing", ["USR-3", "threat-18"], "invalid_token",
            "threat-18", copy,
            .eduID,
            copy.asking(client, "DELETE", "/instances/" + Stage.tablet))
        let administrator = stage.with(["administrators": ["user-0001"]], at: .eduID)
        copy = administrator
        accept(
            "block", "an administrator shuts a version out", ["FED-4", "TOK-5", "REG-4"], copy, .eduID,
            copy.asking(personal, "POST", "/admin/versions/android-1.0/block"))
        copy = administrator
        accept(
            "reject", "an administrator rejects an instance for good", ["REG-7", "TOK-5"], copy, .eduID,
            copy.asking(personal, "DELETE", "/admin/instances/" + Stage.tablet))
        copy = administrator
        accept(
            "sign-out-user", "an administrator ends whatever a user is signed in with", ["USR-4", "TOK-5"], copy,
            .eduID,
            copy.asking(personal, "DELETE", "/admin/users/user-0001"))
        copy = stage
        refuse(
            "block-by-user", "a user who is no administrator", ["FED-4", "TOK-5"], "insufficient_scope", "TOK-5", copy,
            .eduID,
            copy.asking(personal, "POST", "/admin/versions/android-1.0/block"))
        copy = administrator
        try copy.perform(.eduID, copy.asking(personal, "POST", "/admin/versions/ios-1.0/block"))
        refuse(
            "after-block", "the version of the administrator's own instance was shut out", ["FED-4", "FED-2", "FED-3"],
            "invalid_token",
            "FED-4", copy, .eduID,
            copy.asking(personal, "GET", "/admin/instances"))
    }

    private mutating func addDeliveries() throws(Malformed) {
        var stage = Stage()
        let client = try stage.register()
        let personal = try stage.signIn(client)
        _ = try stage.introduce(personal)
        try stage.perform(.eduID, stage.revoking(personal.access, by: personal, at: Stage.eduID + "/revoke"))
        func given(_ stage: Stage, _ name: String, _ answer: JSON) -> JSON.Object {
            var given = stage.given(.eduID, .null, entropy: "10/" + name)
            given["request"] = nil
            given["answer"] = answer
            return given
        }
        let confirmed: JSON = ["status": 200, "headers": ["Cache-Control": "no-store"]]
        add(
            "delivery", "a service is told, and confirms", ["TOK-7"], .delivery, given(stage, "delivery", confirmed),
            expecting: nil)
        add(
            "delivery-refused", "a service that refuses is told again", ["TOK-7", "threat-32"], .delivery,
            given(
                stage, "delivery-refused",
                [
                    "status": 401, "headers": ["Content-Type": "application/json"],
                    "body": #"{"error":"invalid_client"}"#,
                ]),
            expecting: nil)
        add(
            "delivery-silent", "a service that does not answer is told again", ["TOK-7", "threat-32"], .delivery,
            given(stage, "delivery-silent", .null), expecting: nil)
        var moved = stage
        let services = (stage.parties[.eduID]?["services"]?.array ?? []).map { service -> JSON in
            guard var members = service.object else { return service }
            members["revocation_endpoint"] = "https://tokens.alpha.example.ch/end"
            return .object(members)
        }
        moved.parties[.eduID]?["services"] = .array(services)
        add(
            "delivery-by-index", "the index says where the service's revocation endpoint is", ["TOK-7", "FED-1"],
            .delivery,
            given(moved, "delivery-by-index", confirmed), expecting: nil)
        moved.parties[.eduID]?["services"] = []
        add(
            "delivery-nowhere", "a service that the federation does not have any more", ["TOK-7"], .delivery,
            given(moved, "delivery-nowhere", confirmed),
            expecting: Expected(error: nil, clause: "TOK-7"))
    }
}
