internal import Wire

// (1) An instance of the edu-ID app registers, is upgraded, and tells what has changed of its device.

extension Catalogue {
    mutating func addRegistrations() throws(Malformed) {
        let fresh = Stage()
        let token = Stage.eduID + "/token"
        accept(
            "first", "an instance registers, with a key pair of its own", ["REG-1", "REG-3", "POP-1", "FED-3"], fresh,
            .eduID,
            Stage.registering(fresh.statement()))
        accept(
            "android", "an instance of another platform's line registers", ["FED-2"], fresh, .eduID,
            Stage.registering(fresh.statement(version: "android-1.0")))
        accept(
            "second-version", "an instance of a later version registers", ["FED-2"], fresh, .eduID,
            Stage.registering(fresh.statement(version: "ios-2.0")))
        accept(
            "symmetric-version", "the version's key is symmetric", ["REQ-5"], fresh, .eduID,
            Stage.registering(fresh.statement(version: "android-1.1")))
        accept(
            "without-key", "the instance brings no key, and is given a symmetric one", ["POP-1"], fresh, .eduID,
            Stage.registering(fresh.statement(device: nil)))
        accept(
            "in-header", "the statement comes in the Authorization header", ["REQ-13"], fresh, .eduID,
            Stage.form(token, ["grant_type": "client_credentials"], bearer: fresh.statement().text))
        accept(
            "as-json", "the parameters are a JSON object", ["REG-1"], fresh, .eduID,
            Stage.object(
                token,
                [
                    "grant_type": "client_credentials", "client_assertion_type": Stage.assertionType,
                    "client_assertion": fresh.statement().text,
                ]))
        accept(
            "untyped", "the statement's type is JWT, as deployed apps send it", ["REQ-6"], fresh, .eduID,
            Stage.registering(fresh.statement().heading(["typ": "JWT"])))
        accept(
            "no-type", "the statement has no type", ["REQ-6"], fresh, .eduID,
            Stage.registering(fresh.statement().heading(["typ": .null])))
        accept(
            "endpoint-as-audience", "the statement is for the token endpoint", ["REQ-11"], fresh, .eduID,
            Stage.registering(fresh.statement().claiming(["aud": .string(token)])))
        accept(
            "with-time", "the statement says when it was made", ["REQ-7"], fresh, .eduID,
            Stage.registering(fresh.statement().claiming(["iat": fresh.time(-5)])))
        accept(
            "with-end-and-name", "the statement has an end and a name, which are honoured", ["REQ-8"], fresh, .eduID,
            Stage.registering(fresh.statement().claiming(["exp": fresh.time(60), "jti": "statement-1"])))
        accept(
            "with-client-id", "the client's id stands beside the statement", ["REG-1"], fresh, .eduID,
            Stage.registering(fresh.statement(), more: ["client_id": Stage.phone]))
        accept(
            "unknown-parameter", "a parameter that nobody knows is ignored", ["REG-1"], fresh, .eduID,
            Stage.registering(fresh.statement(), more: ["colour": "blue"]))

        var known = fresh
        _ = try known.register()
        accept(
            "again", "a known instance registers again: the earlier token ends, and another key is as good",
            ["REQ-10", "threat-38"], known,
            .eduID, Stage.registering(known.statement(device: "phone-2")))
        accept(
            "two-devices", "a second device registers beside the first", ["FED-3", "FED-1"], known, .eduID,
            Stage.registering(known.statement(Stage.tablet, device: "tablet")))
        try addFlawedStatements(fresh)
        try addFlawedRegistrations(fresh)
        try addUpgrades()
        try addDeviceChanges()
    }

    private mutating func addFlawedStatements(_ fresh: Stage) throws(Malformed) {
        let faults: [(String, String, [String], String, String, Fault)] = [
            Self.flaw("foreign-signature", "signed by another key under the version's name", ["REQ-14"], "REQ-14") {
                draft, _ in
                draft.signed(by: .pair("stranger"))
            },
            Self.flaw(
                "brought-key", "signed by a key that it brings along in its header", ["REQ-14", "threat-9"], "REQ-14"
            ) { draft, _ in
                draft.signed(by: .pair("stranger")).heading(["jwk": Draft.Key.pair("stranger").publicJWK])
            },
            Self.flaw("unknown-version", "of a version that is not registered", ["REQ-3"], "REQ-3") { draft, _ in
                draft.heading(["kid": "ios-9.9"])
            },
            Self.flaw("without-version", "that names no version", ["REQ-3"], "REQ-3") { draft, _ in
                draft.heading(["kid": .null])
            },
            Self.flaw("number-as-version", "whose key id is a number", ["REQ-3", "threat-10"], "RFC7515-4.1") {
                draft, _ in
                draft.heading(["kid": 7])
            },
            Self.flaw("path-as-version", "whose key id is a path", ["REQ-3", "threat-10"], "REQ-3") { draft, _ in
                draft.heading(["kid": "../../ios-1.0"])
            },
            Self.flaw("unsecured", "whose algorithm is none", ["REQ-2", "threat-1"], "REQ-2") { draft, _ in
                draft.heading(["alg": "none"])
            },
            Self.flaw("unsecured-spelled", "whose algorithm is NONE", ["REQ-2", "threat-1"], "REQ-2") { draft, _ in
                draft.heading(["alg": "NONE"])
            },
            Self.flaw("other-algorithm", "whose algorithm is not that of the key", ["REQ-4", "threat-4"], "REQ-4") {
                draft, _ in
                draft.heading(["alg": "HS256"]).signed(by: Parties.hmac)
            },
            Self.flaw("other-app", "of another app than the version's", ["REQ-9"], "REQ-9") { draft, _ in
                draft.claiming(["iss": "ch.example.evil"])
            },
            Self.flaw("other-version-key", "signed by another version's key under this one's name", ["REQ-4"], "REQ-14")
            { draft, _ in
                draft.signed(by: .pair("ios-2.0"))
            },
            Self.flaw("other-audience", "for another service", ["REQ-11", "threat-24"], "REQ-11") { draft, _ in
                draft.claiming(["aud": "https://other.example.ch"])
            },
            Self.flaw(
                "audience-by-prefix", "for a URL that only begins like the service's", ["REQ-11", "threat-17"], "REQ-11"
            ) {
                draft, _ in
                draft.claiming(["aud": "https://eduid.example.ch.evil.example"])
            },
            Self.flaw("two-audiences", "for two services", ["REQ-11", "threat-24"], "REQ-11") { draft, _ in
                draft.claiming(["aud": [.string(Stage.eduID), "https://other.example.ch"]])
            },
            Self.flaw("expired", "whose end has come", ["REQ-8", "threat-16"], "REQ-8") { draft, stage in
                draft.claiming(["exp": stage.time(0)])
            },
            Self.flaw("not-yet", "that holds later", ["REQ-8", "threat-16"], "REQ-8") { draft, stage in
                draft.claiming(["nbf": stage.time(61)])
            },
            Self.flaw("detached", "whose payload is not there", ["REQ-1"], "REQ-1") { draft, _ in
                draft.finished { text in
                    let parts = text.split(separator: ".")
                    return "\(parts[0])..\(parts[2])"
                }
            },
            Self.flaw("of-another-kind", "that says it is a request token", ["threat-18"], "RFC8725-3.11") { draft, _ in
                draft.heading(["typ": "request+jwt"])
            },
            Self.flaw(
                "critical", "with an extension that must be understood, and is not", ["threat-11"], "RFC7515-4.1.11"
            ) { draft, _ in
                draft.heading(["crit": ["x-1"], "x-1": 1])
            },
        ]
        for (name, title, proves, error, clause, fault) in faults {
            refuse(
                "statement-" + name, "with a statement " + title, proves, error, clause, fresh, .eduID,
                Stage.registering(fault.change(fresh.statement(), fresh)))
        }
        for (claim, id) in [("iss", "REQ-6"), ("sub", "REQ-6"), ("aud", "REQ-6"), ("name", "REQ-12")] {
            let name = JSON.Name(claim)
            for (word, title, value) in [
                ("without", "missing", JSON.null), ("empty", "empty", ""), ("number", "a number", 7),
            ] {
                refuse(
                    "statement-\(word)-\(claim)", "with a statement whose '\(claim)' is \(title)", [id, "REQ-6"],
                    "invalid_client", "REQ-6",
                    fresh,
                    .eduID, Stage.registering(fresh.statement().claiming([name: value])))
            }
        }
        for claim in ["device_id", "device_type", "os_version"] {
            for (word, title, value) in [
                ("without", "missing", JSON.null), ("empty", "empty", ""), ("list", "a list", []),
            ] {
                refuse(
                    "statement-\(word)-\(claim)", "with a statement whose '\(claim)' is \(title)", ["REG-2"],
                    "invalid_client", "REG-2",
                    fresh,
                    .eduID, Stage.registering(fresh.statement().claiming([JSON.Name(claim): value])))
            }
        }
    }

    static func flaw(
        _ name: String, _ title: String, _ proves: [String], _ clause: String, error: String = "invalid_client",
        _ change: @escaping @Sendable (Draft, Stage) -> Draft
    ) -> (String, String, [String], String, String, Fault) {
        (name, title, proves, error, clause, Fault(name, title, proves, clause, change))
    }

    private mutating func addFlawedRegistrations(_ fresh: Stage) throws(Malformed) {
        let token = Stage.eduID + "/token"
        let statement = fresh.statement().text
        refuse(
            "blocked-version", "the version has been shut out in the registry", ["FED-4", "REG-4"],
            "unauthorized_client", "REG-4",
            fresh.blocking("ios-1.0"), .eduID, Stage.registering(fresh.statement()))
        refuse(
            "excluded-platform", "the platform has been shut out", ["FED-4"], "unauthorized_client", "REG-4",
            fresh.with(["excluded_platforms": ["ios"]], at: .eduID), .eduID, Stage.registering(fresh.statement()))
        var blocked = fresh
        try blocked.administrate(["do": "block", "kid": "ios-1.0"])
        refuse(
            "version-blocked-by-administrator", "an administrator has shut the version out", ["FED-4", "TOK-5"],
            "unauthorized_client",
            "REG-4",
            blocked, .eduID, Stage.registering(fresh.statement()))
        var rejected = fresh
        _ = try rejected.register()
        try rejected.administrate(["do": "reject", "instance": .string(Stage.phone)])
        refuse(
            "rejected-instance", "the instance has been rejected", ["REG-7"], "unauthorized_client", "REG-7", rejected,
            .eduID,
            Stage.registering(rejected.statement()))
        refuse(
            "rejected-instance-newer-version", "a rejected instance comes back with a newer version",
            ["REG-7", "threat-38"],
            "unauthorized_client", "REG-7", rejected, .eduID, Stage.registering(rejected.statement(version: "ios-2.0")))
        var newer = fresh
        _ = try newer.register(version: "ios-2.0")
        refuse(
            "downgrade", "an instance comes back with an older version", ["REG-5", "threat-38"], "unauthorized_client",
            "REG-5", newer,
            .eduID,
            Stage.registering(newer.statement(version: "ios-1.0")))
        refuse(
            "in-header-flawed", "the statement in the header is signed by another key", ["REQ-13", "REQ-14"],
            "invalid_client", "REQ-14",
            fresh,
            .eduID,
            Stage.form(
                token, ["grant_type": "client_credentials"],
                bearer: fresh.statement().signed(by: .pair("stranger")).text))
        refuse(
            "no-credential", "without any statement", ["REG-1"], "invalid_client", "REG-1", fresh, .eduID,
            Stage.form(token, ["grant_type": "client_credentials"]))
        refuse(
            "other-client-id", "the client's id is another than the statement's", ["REG-1"], "invalid_client",
            "RFC7521-4.2", fresh, .eduID,
            Stage.registering(fresh.statement(), more: ["client_id": Stage.tablet]))
        refuse(
            "two-credentials", "a statement in the header and another in the body", ["threat-37"], "invalid_request",
            "threat-37", fresh,
            .eduID,
            Stage.form(
                token,
                [
                    "grant_type": "client_credentials", "client_assertion_type": Stage.assertionType,
                    "client_assertion": statement,
                ],
                bearer: statement))
        refuse(
            "repeated-parameter", "a parameter occurs twice", ["threat-37"], "invalid_request", "threat-37", fresh,
            .eduID,
            Stage.registering(fresh.statement(), more: ["grant_type": "client_credentials"]))
        refuse(
            "foreign-assertion-type", "the type of the assertion is SAML's", ["REG-1"], "invalid_client", "RFC7521-4.2",
            fresh, .eduID,
            Stage.form(
                token,
                [
                    "grant_type": "client_credentials",
                    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:saml2-bearer",
                    "client_assertion": statement,
                ]))
        refuse(
            "no-grant-type", "without a grant type", ["REG-9"], "invalid_request", "RFC6749-3.1", fresh, .eduID,
            Stage.form(token, ["client_assertion_type": Stage.assertionType, "client_assertion": statement]))
        refuse(
            "assertion-grant", "the edu-ID service redeems no assertions", ["REG-9"], "unsupported_grant_type",
            "RFC6749-5.2", fresh,
            .eduID,
            Stage.form(token, ["grant_type": Stage.jwtBearer, "assertion": statement]))
        var registered = fresh
        let client = try registered.register()
        refuse(
            "password-off", "users' passwords are not taken at the token endpoint", ["REG-9"], "unsupported_grant_type",
            "RFC6749-5.2",
            registered,
            .eduID,
            Stage.form(
                token, ["grant_type": "password", "username": "ada", "password": "correct horse battery staple"],
                bearer: registered.proof(client, token).text))
        refuse("get", "with the method GET", ["REG-1"], "http_405", "-", fresh, .eduID, Stage.request("GET", token))
        refuse(
            "unusable-key", "the key that the instance brings cannot check signatures here", ["POP-1", "threat-36"],
            "invalid_request",
            "POP-1",
            fresh, .eduID,
            Stage.registering(
                fresh.statement().claiming([
                    "cnf": [
                        "jwk": [
                            "kty": "EC", "crv": "P-256", "x": "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc",
                            "y": "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc",
                        ]
                    ]
                ])))
        refuse(
            "secret-key-sent", "the instance sends its private key along", ["POP-1"], "invalid_client", "RFC7800-3.2",
            fresh, .eduID,
            Stage.registering(fresh.statement().claiming(["cnf": ["jwk": Draft.Key.pair("phone").privateJWK("x")]])))
    }

    private mutating func addUpgrades() throws(Malformed) {
        var stage = Stage()
        let client = try stage.register()
        let token = Stage.eduID + "/token"
        func upgrade(_ stage: inout Stage, _ version: String = "ios-2.0", _ change: (Draft) -> Draft = { $0 }) -> JSON {
            let proof = change(stage.proof(client, token)).text
            return Stage.registering(stage.statement(version: version), more: ["instance_assertion": proof])
        }
        var copy = stage
        accept(
            "upgrade", "an instance moves to a higher version, by that version's key and its own", ["REG-5"], copy,
            .eduID, upgrade(&copy))
        copy = stage
        var signedIn = stage
        let _ = try signedIn.signIn(client)
        accept(
            "upgrade-signed-in", "the user stays signed in over an upgrade", ["REG-5"], signedIn, .eduID,
            upgrade(&signedIn))
        refuse(
            "upgrade-same", "an upgrade to the version that the instance has", ["REG-5"], "unauthorized_client",
            "REG-5", copy, .eduID,
            upgrade(&copy, "ios-1.0"))
        copy = stage
        refuse(
            "upgrade-other-line", "an upgrade to a version of another platform", ["REG-5", "FED-2"],
            "unauthorized_client", "REG-5", copy,
            .eduID,
            upgrade(&copy, "android-1.1"))
        copy = stage
        refuse(
            "upgrade-by-stranger", "the proof of the instance is by another key", ["REG-5"], "invalid_client",
            "RFC7515-5.2", copy, .eduID,
            upgrade(&copy) { $0.signed(by: .pair("stranger")) })
        copy = stage
        refuse(
            "upgrade-stale-proof", "the proof of the instance is stale", ["REG-5", "threat-36"], "invalid_client",
            "RFC7519-4.1.6", copy,
            .eduID,
            upgrade(&copy) { [copy] draft in draft.claiming(["iat": copy.time(-61)]) })
        var other = stage
        let tablet = try other.register(Stage.tablet, device: "tablet")
        let proof = other.proof(tablet, token).text
        refuse(
            "upgrade-two-instances", "statement and proof are of different instances", ["REG-5", "threat-38"],
            "invalid_client", "REG-5",
            other,
            .eduID, Stage.registering(other.statement(version: "ios-2.0"), more: ["instance_assertion": proof]))
        copy = stage
        let own = copy.proof(client, token).text
        refuse(
            "upgrade-other-key", "the statement brings another key than the instance has", ["REG-5", "threat-38"],
            "invalid_client",
            "threat-38",
            copy, .eduID,
            Stage.registering(copy.statement(version: "ios-2.0", device: "phone-2"), more: ["instance_assertion": own]))
        var blocked = stage.blocking("ios-2.0")
        refuse(
            "upgrade-to-blocked", "an upgrade to a version that has been shut out", ["FED-4", "REG-5"],
            "unauthorized_client", "REG-4",
            blocked,
            .eduID, upgrade(&blocked))
    }

    private mutating func addDeviceChanges() throws(Malformed) {
        var stage = Stage()
        let client = try stage.register()
        let token = Stage.eduID + "/token"
        func change(_ stage: inout Stage, _ claims: JSON.Object) -> JSON {
            Stage.form(
                token, ["grant_type": "client_credentials"], bearer: stage.proof(client, token).claiming(claims).text)
        }
        var copy = stage
        accept(
            "device-name", "the owner gives the device another name", ["REG-6", "REQ-12"], copy, .eduID,
            change(&copy, ["name": "Ada's old phone"]))
        copy = stage
        accept(
            "device-all", "all that is known of the device changes", ["REG-6", "REG-2"], copy, .eduID,
            change(&copy, ["name": "Phone", "device_id": "device-2", "device_type": "tablet", "os_version": "19.0"]))
        copy = stage
        accept("device-nothing", "nothing changes", ["REG-6"], copy, .eduID, change(&copy, [:]))
        copy = stage
        refuse(
            "device-empty-name", "the new name is empty", ["REG-6", "REG-2"], "invalid_request", "REG-2", copy, .eduID,
            change(&copy, ["name": ""]))
        copy = stage
        refuse(
            "device-number", "the new version of the system is a number", ["REG-6", "REG-2"], "invalid_request",
            "REG-2", copy, .eduID,
            change(&copy, ["os_version": 19]))
        refuseRequestTokens(
            "device", Fault.ofRequestTokens + Fault.moreOfRequestTokens, "invalid_client", ["REG-6"], stage, .eduID,
            client, token
        ) {
            Stage.form(token, ["grant_type": "client_credentials"], bearer: $0)
        }
        var two = stage
        let tablet = try two.register(Stage.tablet, device: "tablet")
        refuse(
            "device-by-other-instance", "another instance's key under the name of this one's", ["REG-3", "REG-6"],
            "invalid_client",
            "RFC7515-5.2",
            two, .eduID,
            Stage.form(
                token, ["grant_type": "client_credentials"],
                bearer: two.proof(client, token).signed(by: tablet.key).text))
        var ended = stage
        try ended.administrate(["do": "reject", "instance": .string(Stage.phone)])
        refuse(
            "device-of-rejected", "a rejected instance changes its device", ["REG-6", "REG-7"], "invalid_client",
            "TOK-1", ended, .eduID,
            change(&ended, [:]))
    }
}

extension Stage {
    /// The same with a version shut out in the registry.
    func blocking(_ id: String) -> Stage {
        var copy = self
        let versions = (parties[.eduID]?["versions"]?.array ?? []).map { version -> JSON in
            guard var members = version.object, members["kid"] == .string(id) else { return version }
            members["blocked"] = true
            return .object(members)
        }
        copy.parties[.eduID]?["versions"] = .array(versions)
        return copy
    }
}
