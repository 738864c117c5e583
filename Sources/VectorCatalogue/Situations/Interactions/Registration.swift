internal import JOSETesting
internal import Wire

// (1) An instance of the edu-ID app registers, is upgraded, and tells what has changed of its device.

extension Catalogue {
    mutating func addRegistrations() throws {
        let fresh = World()
        let token = World.eduID + "/token"
        try add(
            in: fresh, at: .eduID,
            [
                .accepted(
                    "first", "an instance registers, with a key pair of its own", ["REG-1", "REG-3", "POP-1", "FED-3"]
                ) { World.registering($0.statement()) },
                .accepted("android", "an instance of another platform's line registers", ["FED-2"]) {
                    World.registering($0.statement(version: "android-1.0"))
                },
                .accepted("second-version", "an instance of a later version registers", ["FED-2"]) {
                    World.registering($0.statement(version: "ios-2.0"))
                },
                .accepted("symmetric-version", "the version's key is symmetric", ["REQ-5"]) {
                    World.registering($0.statement(version: "android-1.1"))
                },
                .accepted("without-key", "the instance brings no key, and is given a symmetric one", ["POP-1"]) {
                    World.registering($0.statement(device: nil))
                },
                .accepted("in-header", "the statement comes in the Authorization header", ["REQ-13"]) {
                    World.form(token, ["grant_type": "client_credentials"], bearer: $0.statement().text)
                },
                .accepted("as-json", "the parameters are a JSON object", ["REG-1"]) {
                    World.object(
                        token,
                        [
                            "grant_type": "client_credentials", "client_assertion_type": World.assertionType,
                            "client_assertion": $0.statement().text,
                        ])
                },
                .accepted("untyped", "the statement's type is JWT, as deployed apps send it", ["REQ-6"]) {
                    World.registering($0.statement().heading(["typ": "JWT"]))
                },
                .accepted("no-type", "the statement has no type", ["REQ-6"]) {
                    World.registering($0.statement().heading(["typ": .null]))
                },
                .refused(
                    "endpoint-as-audience", "the statement is for the token endpoint", ["REQ-11", "threat-64"],
                    "invalid_client", "REQ-11"
                ) { World.registering($0.statement().claiming(["aud": .string(token)])) },
                .refused(
                    "spelled-audience", "the statement is for the service by another spelling",
                    ["REQ-11", "threat-64"], "invalid_client", "REQ-11"
                ) { World.registering($0.statement().claiming(["aud": .string(World.eduID + "/")])) },
                .accepted("audience-in-list", "the statement is for a list of the service alone", ["REQ-11"]) {
                    World.registering($0.statement().claiming(["aud": [.string(World.eduID)]]))
                },
                .accepted("with-time", "the statement is ten minutes old", ["REQ-7", "threat-63"]) {
                    World.registering($0.statement().claiming(["iat": $0.time(-600)]))
                },
                .accepted(
                    "as-in-source", "the statement has neither time nor name, where a policy takes that",
                    ["REQ-7", "REQ-8"], in: fresh.with(["strict_source": true], at: .eduID)
                ) { World.registering($0.statement().claiming(["iat": .null, "jti": .null])) },
                .accepted("with-end-and-name", "the statement has an end and a name, which are honoured", ["REQ-8"]) {
                    World.registering($0.statement().claiming(["exp": $0.time(60), "jti": "statement-1"]))
                },
                .accepted("with-client-id", "the client's id stands beside the statement", ["REG-1"]) {
                    World.registering($0.statement(), more: ["client_id": World.phone])
                },
                .accepted("unknown-parameter", "a parameter that nobody knows is ignored", ["REG-1"]) {
                    World.registering($0.statement(), more: ["colour": "blue"])
                },
            ])
        try addKnownInstances(fresh)
        try addFlawedStatements(fresh)
        try addFlawedRegistrations(fresh)
        try addUpgrades()
        try addDeviceChanges()
        try addRegistrationsOnCurves()
        try addPrintedStatements()
        try addStrangersAtEduID()
    }

    private mutating func addKnownInstances(_ fresh: World) throws {
        var known = fresh
        let client = try known.register()
        let token = World.eduID + "/token"
        try add(
            in: known, at: .eduID,
            [
                .accepted(
                    "again", "a known instance proves its key and registers again: its earlier token ends",
                    ["REQ-10", "threat-63"]
                ) { World.registering($0.statement(), more: ["instance_assertion": $0.proof(client, token).text]) },
                .refused(
                    "again-with-other-key", "who knows a version's key and a UUID registers with a key of its own",
                    ["threat-38", "threat-63"], "invalid_client", "threat-63"
                ) { World.registering($0.statement(device: "phone-2")) },
                .refused(
                    "again-without-proof", "a known instance registers again with its key, and does not prove it",
                    ["threat-63"], "invalid_client", "threat-63"
                ) { World.registering($0.statement()) },
                .refused(
                    "again-without-key", "a statement about a known instance, without any key", ["threat-63"],
                    "invalid_client", "threat-63"
                ) { World.registering($0.statement(device: nil)) },
                .accepted(
                    "again-after-end", "an instance that has ended registers freely, with another key",
                    ["REQ-10", "threat-63"],
                    after: { try $0.perform(.eduID, $0.ending(client)) }
                ) { World.registering($0.statement(device: "phone-2")) },
                .refused(
                    "same-statement", "the statement was taken before", ["REQ-8", "threat-63"], "invalid_client",
                    "threat-36", after: { try $0.perform(.eduID, $0.ending(client)) }
                ) { World.registering($0.statement().claiming(["jti": "statement-0"])) },
                .accepted("two-devices", "a second device registers beside the first", ["FED-3", "FED-1"]) {
                    World.registering($0.statement(World.tablet, device: "tablet"))
                },
            ])
    }

    private static let flawedStatements: [Defect] = [
        Defect("foreign-signature", "signed by another key under the version's name", ["REQ-14"], "REQ-14") {
            $0.signed(by: .pair("stranger"))
        },
        Defect(
            "brought-key", "signed by a key that it brings along in its header", ["REQ-14", "threat-9"], "REQ-14"
        ) { $0.signed(by: .pair("stranger")).heading(["jwk": TestKey.pair("stranger").publicJWK]) },
        Defect("unknown-version", "of a version that is not registered", ["REQ-3"], "REQ-3") {
            $0.heading(["kid": "ios-9.9"])
        }, Defect("without-version", "that names no version", ["REQ-3"], "REQ-3") { $0.heading(["kid": .null]) },
        Defect("number-as-version", "whose key id is a number", ["REQ-3", "threat-10"], "RFC7515-4.1") {
            $0.heading(["kid": 7])
        },
        Defect("path-as-version", "whose key id is a path", ["REQ-3", "threat-10"], "REQ-3") {
            $0.heading(["kid": "../../ios-1.0"])
        },
        Defect("unsecured", "whose algorithm is none", ["REQ-2", "threat-1"], "REQ-2") {
            $0.heading(["alg": "none"])
        },
        Defect("unsecured-spelled", "whose algorithm is NONE", ["REQ-2", "threat-1"], "REQ-2") {
            $0.heading(["alg": "NONE"])
        },
        Defect("other-algorithm", "whose algorithm is not that of the key", ["REQ-4", "threat-4"], "REQ-4") {
            $0.heading(["alg": "HS256"]).signed(by: Parties.hmac)
        },
        Defect("other-app", "of another app than the version's", ["REQ-9"], "REQ-9") {
            $0.claiming(["iss": "ch.example.evil"])
        },
        Defect("other-version-key", "signed by another version's key under this one's name", ["REQ-4"], "REQ-14") {
            $0.signed(by: .pair("ios-2.0"))
        },
        Defect("other-audience", "for another service", ["REQ-11", "threat-24"], "REQ-11") {
            $0.claiming(["aud": "https://other.example.ch"])
        },
        Defect(
            "audience-by-prefix", "for a URL that only begins like the service's", ["REQ-11", "threat-17"], "REQ-11"
        ) { $0.claiming(["aud": "https://eduid.example.ch.evil.example"]) },
        Defect("two-audiences", "for two services", ["REQ-11", "threat-24"], "REQ-11") {
            $0.claiming(["aud": [.string(World.eduID), "https://other.example.ch"]])
        },
        Defect("too-old", "that is older than ten minutes", ["threat-63"], "threat-63") {
            $0.claiming(["iat": $0.time(-601)])
        },
        Defect("untimed", "that does not say when it was made", ["threat-63"], "threat-63") {
            $0.claiming(["iat": .null])
        },
        Defect("unnamed", "that has no name of its own", ["threat-63"], "threat-63") {
            $0.claiming(["jti": .null])
        },
        Defect("expired", "whose end has come", ["REQ-8", "threat-16"], "REQ-8") {
            $0.claiming(["exp": $0.time(0)])
        },
        Defect("not-yet", "that holds later", ["REQ-8", "threat-16"], "REQ-8") {
            $0.claiming(["nbf": $0.time(61)])
        },
        Defect("detached", "whose payload is not there", ["REQ-1"], "REQ-1") {
            $0.finished { text in
                let parts = text.split(separator: ".")
                return "\(parts[0])..\(parts[2])"
            }
        },
        Defect("of-another-kind", "that says it is a request token", ["threat-18"], "RFC8725-3.11") {
            $0.heading(["typ": "request+jwt"])
        },
        Defect("critical", "with an extension that must be understood, and is not", ["threat-11"], "RFC7515-4.1.11") {
            $0.heading(["crit": ["x-1"], "x-1": 1])
        },
    ]

    private mutating func addFlawedStatements(_ fresh: World) throws {
        for defect in Self.flawedStatements {
            try add(
                in: fresh, at: .eduID,
                [
                    .refused(
                        "statement-" + defect.name, "with a statement " + defect.title, defect.proves, "invalid_client",
                        defect.clause
                    ) { World.registering(defect.change($0.statement())) }
                ])
        }
        for (claim, id) in [("iss", "REQ-6"), ("sub", "REQ-6"), ("aud", "REQ-6"), ("name", "REQ-12")] {
            let name = JSON.Name(claim)
            for (word, title, value) in [
                ("without", "missing", JSON.null), ("empty", "empty", ""), ("number", "a number", 7),
            ] {
                try add(
                    in: fresh, at: .eduID,
                    [
                        .refused(
                            "statement-\(word)-\(claim)", "with a statement whose '\(claim)' is \(title)",
                            [id, "REQ-6"], "invalid_client", "REQ-6"
                        ) { World.registering($0.statement().claiming([name: value])) }
                    ])
            }
        }
        for claim in ["device_id", "device_type", "os_version"] {
            for (word, title, value) in [
                ("without", "missing", JSON.null), ("empty", "empty", ""), ("list", "a list", []),
            ] {
                try add(
                    in: fresh, at: .eduID,
                    [
                        .refused(
                            "statement-\(word)-\(claim)", "with a statement whose '\(claim)' is \(title)", ["REG-2"],
                            "invalid_client", "REG-2"
                        ) { World.registering($0.statement().claiming([JSON.Name(claim): value])) }
                    ])
            }
        }
    }

    private mutating func addFlawedRegistrations(_ fresh: World) throws {
        try add(
            in: fresh, at: .eduID,
            [
                .refused(
                    "blocked-version", "the version has been shut out in the registry", ["FED-4", "REG-4"],
                    "unauthorized_client", "REG-4", in: fresh.blocking("ios-1.0")
                ) { World.registering($0.statement()) },
                .refused(
                    "excluded-platform", "the platform has been shut out", ["FED-4"], "unauthorized_client", "REG-4",
                    in: fresh.with(["excluded_platforms": ["ios"]], at: .eduID)
                ) { World.registering($0.statement()) },
                .refused(
                    "version-blocked-by-administrator", "an administrator has shut the version out",
                    ["FED-4", "TOK-5"], "unauthorized_client", "REG-4",
                    after: { try $0.administrate(["do": "block", "kid": "ios-1.0"]) }
                ) { World.registering($0.statement()) },
                .refused(
                    "version-withdrawn", "somebody else has the version's key, and it is withdrawn",
                    ["FED-4", "TOK-5", "threat-76"], "unauthorized_client", "REG-4",
                    after: { try $0.administrate(["do": "withdraw", "kid": "ios-1.0", "since": 1_800_000_000]) }
                ) { World.registering($0.statement()) },
            ])
        var rejected = fresh
        _ = try rejected.register()
        try rejected.administrate(["do": "reject", "instance": .string(World.phone)])
        try add(
            in: rejected, at: .eduID,
            [
                .refused(
                    "rejected-instance", "the instance has been rejected", ["REG-7"], "unauthorized_client", "REG-7"
                ) { World.registering($0.statement()) },
                .refused(
                    "rejected-instance-newer-version", "a rejected instance comes back with a newer version",
                    ["REG-7", "threat-38"], "unauthorized_client", "REG-7"
                ) { World.registering($0.statement(version: "ios-2.0")) },
            ])
        try addFlawedRequests(fresh)
    }

    private mutating func addFlawedRequests(_ fresh: World) throws {
        let token = World.eduID + "/token"
        let statement = fresh.statement().text
        try add(
            in: fresh, at: .eduID,
            [
                .refused(
                    "downgrade", "an instance comes back with an older version", ["REG-5", "threat-38"],
                    "unauthorized_client", "REG-5", after: { try $0.register(version: "ios-2.0") }
                ) { World.registering($0.statement(version: "ios-1.0")) },
                .refused(
                    "in-header-flawed", "the statement in the header is signed by another key", ["REQ-13", "REQ-14"],
                    "invalid_client", "REQ-14"
                ) {
                    World.form(
                        token, ["grant_type": "client_credentials"],
                        bearer: $0.statement().signed(by: .pair("stranger")).text)
                },
                .refused("no-credential", "without any statement", ["REG-1"], "invalid_client", "REG-1") {
                    _ in World.form(token, ["grant_type": "client_credentials"])
                },
                .refused(
                    "other-client-id", "the client's id is another than the statement's", ["REG-1"], "invalid_client",
                    "RFC7521-4.2"
                ) { World.registering($0.statement(), more: ["client_id": World.tablet]) },
                .refused(
                    "two-credentials", "a statement in the header and another in the body", ["threat-37"],
                    "invalid_request", "threat-37"
                ) { _ in
                    World.form(
                        token,
                        [
                            "grant_type": "client_credentials", "client_assertion_type": World.assertionType,
                            "client_assertion": statement,
                        ], bearer: statement)
                },
                .refused(
                    "repeated-parameter", "a parameter occurs twice", ["threat-37"], "invalid_request", "threat-37"
                ) { World.registering($0.statement(), more: ["grant_type": "client_credentials"]) },
                .refused(
                    "foreign-assertion-type", "the type of the assertion is SAML's", ["REG-1"], "invalid_client",
                    "RFC7521-4.2"
                ) { _ in
                    World.form(
                        token,
                        [
                            "grant_type": "client_credentials",
                            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:saml2-bearer",
                            "client_assertion": statement,
                        ])
                },
                .refused(
                    "too-large", "with a body of more than 64 KiB", ["threat-14"], "invalid_request", "threat-14"
                ) { _ in
                    World.form(
                        token, ["grant_type": "client_credentials", "padding": String(repeating: "x", count: 65_536)])
                },
                .refused(
                    "no-grant-type", "without a grant type", ["REG-9"], "invalid_request", "RFC6749-3.1"
                ) { _ in
                    World.form(token, ["client_assertion_type": World.assertionType, "client_assertion": statement])
                },
                .refused(
                    "assertion-grant", "the edu-ID service redeems no assertions", ["REG-9"], "unsupported_grant_type",
                    "RFC6749-5.2"
                ) { _ in World.form(token, ["grant_type": World.jwtBearer, "assertion": statement]) },
                .refused(
                    "password-off", "users' passwords are not taken at the token endpoint", ["REG-9"],
                    "unsupported_grant_type", "RFC6749-5.2"
                ) {
                    try World.form(
                        token,
                        ["grant_type": "password", "username": "ada", "password": "correct horse battery staple"],
                        bearer: $0.proof($0.register(), token).text)
                },
                .refused("get", "with the method GET", ["REG-1"], "http_405", "-") { _ in
                    World.request("GET", token)
                },
                .refused(
                    "unusable-key", "the key that the instance brings cannot check signatures here",
                    ["POP-1", "threat-36"], "invalid_request", "POP-1"
                ) {
                    World.registering(
                        $0.statement().claiming([
                            "cnf": [
                                "jwk": [
                                    "kty": "EC", "crv": "secp256k1", "x": "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc",
                                    "y": "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc",
                                ]
                            ]
                        ]))
                },
                .refused(
                    "secret-key-sent", "the instance sends its private key along", ["POP-1"], "invalid_client",
                    "RFC7800-3.2"
                ) {
                    World.registering($0.statement().claiming(["cnf": ["jwk": TestKey.pair("phone").privateJWK("x")]]))
                },
            ])
    }

    private mutating func addUpgrades() throws {
        var world = World()
        let client = try world.register()
        let token = World.eduID + "/token"
        func upgrade(_ world: inout World, _ version: String = "ios-2.0", _ change: (TestToken) -> TestToken = { $0 })
            -> JSON
        {
            let proof = change(world.proof(client, token)).text
            return World.registering(world.statement(version: version), more: ["instance_assertion": proof])
        }
        var introduced = world
        let personal = try introduced.signIn(client)
        _ = try introduced.introduce(personal)
        try add(
            in: world, at: .eduID,
            [
                .accepted(
                    "upgrade-from-blocked", "what came through a version that has been shut out ends with the move",
                    ["FED-4", "REG-5", "TOK-7"], in: introduced.blocking("ios-1.0")
                ) { upgrade(&$0) },
                .accepted(
                    "upgrade-introduced", "what came through a version that is admitted stays", ["REG-5"],
                    in: introduced
                ) { upgrade(&$0) },
                .accepted(
                    "upgrade", "an instance moves to a higher version, by that version's key and its own", ["REG-5"]
                ) { upgrade(&$0) },
                .accepted(
                    "upgrade-signed-in", "the user stays signed in over an upgrade", ["REG-5"],
                    after: { try $0.signIn(client) }
                ) { upgrade(&$0) },
                .accepted(
                    "upgrade-same", "an instance that is signed in registers again on its version",
                    ["REG-5", "REQ-10"],
                    after: { try $0.signIn(client) }
                ) { upgrade(&$0, "ios-1.0") },
                .refused(
                    "upgrade-other-line", "an upgrade to a version of another platform", ["REG-5", "FED-2"],
                    "unauthorized_client", "REG-5"
                ) { upgrade(&$0, "android-1.1") },
                .refused(
                    "upgrade-by-stranger", "the proof of the instance is by another key", ["REG-5"], "invalid_client",
                    "RFC7515-5.2"
                ) { world in upgrade(&world) { $0.signed(by: .pair("stranger")) } },
                .refused(
                    "upgrade-stale-proof", "the proof of the instance is stale", ["REG-5", "threat-36"],
                    "invalid_client", "RFC7519-4.1.6"
                ) { world in upgrade(&world) { $0.claiming(["iat": $0.time(-61)]) } },
                .refused(
                    "upgrade-two-instances", "statement and proof are of different instances", ["REG-5", "threat-38"],
                    "invalid_client", "REG-5"
                ) {
                    try World.registering(
                        $0.statement(version: "ios-2.0"),
                        more: ["instance_assertion": $0.proof($0.register(World.tablet, device: "tablet"), token).text])
                },
                .refused(
                    "upgrade-other-key", "the statement brings another key than the instance has",
                    ["REG-5", "threat-38"], "invalid_client", "threat-38"
                ) {
                    World.registering(
                        $0.statement(version: "ios-2.0", device: "phone-2"),
                        more: ["instance_assertion": $0.proof(client, token).text])
                },
                .refused(
                    "upgrade-to-blocked", "an upgrade to a version that has been shut out", ["FED-4", "REG-5"],
                    "unauthorized_client", "REG-4", in: world.blocking("ios-2.0")
                ) { upgrade(&$0) },
            ])
    }

    private mutating func addDeviceChanges() throws {
        var world = World()
        let client = try world.register()
        let token = World.eduID + "/token"
        func change(_ world: inout World, _ claims: JSON.Object) -> JSON {
            World.form(
                token, ["grant_type": "client_credentials"], bearer: world.proof(client, token).claiming(claims).text)
        }
        try add(
            in: world, at: .eduID,
            [
                .accepted("device-name", "the owner gives the device another name", ["REG-6", "REQ-12"]) {
                    change(&$0, ["name": "Ada's old phone"])
                },
                .accepted("device-all", "all that is known of the device changes", ["REG-6", "REG-2"]) {
                    change(
                        &$0, ["name": "Phone", "device_id": "device-2", "device_type": "tablet", "os_version": "19.0"])
                }, .accepted("device-nothing", "nothing changes", ["REG-6"]) { change(&$0, [:]) },
                .refused("device-empty-name", "the new name is empty", ["REG-6", "REG-2"], "invalid_request", "REG-2") {
                    change(&$0, ["name": ""])
                },
                .refused(
                    "device-number", "the new version of the system is a number", ["REG-6", "REG-2"], "invalid_request",
                    "REG-2"
                ) { change(&$0, ["os_version": 19]) },
            ])
        try refuseRequestTokens(
            "device", Defect.allOfRequestTokens, "invalid_client", ["REG-6"], in: world, at: .eduID, of: client,
            for: token
        ) { World.form(token, ["grant_type": "client_credentials"], bearer: $0) }
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "device-by-other-instance", "another instance's key under the name of this one's",
                    ["REG-3", "REG-6"], "invalid_client", "RFC7515-5.2"
                ) {
                    try World.form(
                        token, ["grant_type": "client_credentials"],
                        bearer: $0.proof(client, token).signed(by: $0.register(World.tablet, device: "tablet").key).text
                    )
                },
                .refused(
                    "device-of-rejected", "a rejected instance changes its device", ["REG-6", "REG-7"],
                    "invalid_client", "TOK-1",
                    after: { try $0.administrate(["do": "reject", "instance": .string(World.phone)]) }
                ) { change(&$0, [:]) },
            ])
    }
}
