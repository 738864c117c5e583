internal import JOSETesting
internal import Wire

// (2) A browser comes to the edu-ID service with a sign-in that an app has begun, goes to a provider, comes back, and
// brings a code to the app.

extension Catalogue {
    mutating func addBrowserTrips() throws {
        var world = World().signingInAtProvider()
        let client = try world.register()
        try addBrowserArrivals(world, client)
        try addReturns(world, client)
        try addForeignReturns(world, client)
        try addRefusals(world, client)
        try addFailingProviders(world, client)
        try addProviderIdentities(world, client)
        try addUnwelcome(world, client)
        try addBroughtCodes(world, client)
        try addMore(world, client)
    }

    // MARK: Returns

    private mutating func addReturns(_ world: World, _ client: Held) throws {
        let unpromised = World.description(["authorization_response_iss_parameter_supported": false])
        try add(
            in: world, at: .eduID,
            [
                .accepted("return", "a browser brings a code to the app", ["OIC-5", "OIC-7", "OIC-8", "OIC-13"]) {
                    $0.returning(try $0.depart(client))
                },
                .accepted("return-nameless", "a provider need not name itself that does not promise it", ["OIC-5"]) {
                    let trip = try $0.depart(client)
                    _ = $0.returning(trip)
                    $0.answers?[0] = unpromised
                    return World.back(trip, ["code": "code-of-the-provider", "state": trip.state])
                },
                .accepted("return-untold", "the provider has no userinfo", ["OIC-9"]) {
                    let trip = try $0.depart(client)
                    let request = $0.returning(trip)
                    $0.answers?[0] = World.description(["userinfo_endpoint": .null])
                    return request
                },
                .accepted("return-session", "the provider names a session", ["OIC-12", "OIC-15"]) {
                    $0.returning(try $0.depart(client)) { $0.claiming(["sid": "session-1"]) }
                },
                .accepted("return-late", "in the last second", ["OIC-5"]) {
                    let trip = try $0.depart(client)
                    $0.now += 599
                    return $0.returning(trip)
                },
                .accepted("return-while-signed-in", "the same person, who is signed in here", ["OIC-13"]) {
                    _ = try $0.signInAtProvider(client)
                    return $0.returning(try $0.depart(client))
                },
            ])
    }

    private mutating func addForeignReturns(_ world: World, _ client: Held) throws {
        let mark = "AbcdefghijklmnopqrstuvwxyZ-0123456789._~AbC"
        func back(
            _ change: @escaping (inout World, Departed) throws -> JSON
        ) -> Situation.Request {
            {
                let trip = try $0.depart(client)
                _ = $0.returning(trip)
                let answers = $0.answers
                let request = try change(&$0, trip)
                $0.answers = answers
                return request
            }
        }
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "return-other-browser", "with the cookie of another browser", ["OIC-5"], "invalid_request", "OIC-5",
                    back { World.back($1, cookie: mark) }),
                .refused(
                    "return-no-cookie", "without a cookie", ["OIC-5"], "invalid_request", "OIC-5",
                    back { World.back($1).with("headers", [:]) }),
                .refused(
                    "return-two-cookies", "with two of them", ["OIC-5"], "invalid_request", "OIC-5",
                    back { World.back($1, cookie: $1.mark + "; __Host-eduid-signin=" + $1.mark) }),
                .refused(
                    "return-twice", "the same answer once more", ["OIC-5"], "invalid_request", "OIC-5",
                    back {
                        try $0.attempt(.eduID, $0.returning($1))
                        return World.back($1)
                    }),
                .refused(
                    "return-after-failure", "after one of which nothing came", ["OIC-5"], "invalid_request", "OIC-5",
                    back {
                        $0.answers = [World.description()]
                        let refusal: KeyValuePairs = ["error": "access_denied", "state": $1.state]
                        try $0.attempt(.eduID, World.back($1, refusal))
                        return World.back($1)
                    }),
                .refused(
                    "return-other-state", "with a state of nobody's", ["OIC-5"], "invalid_request", "OIC-5",
                    back { World.back($1, ["code": "code-of-the-provider", "state": mark, "iss": World.provider]) }),
                .refused(
                    "return-stateless", "without a state", ["OIC-5"], "invalid_request", "RFC6749-3.1",
                    back { World.back($1, ["code": "code-of-the-provider", "iss": World.provider]) }),
                .refused(
                    "return-two-states", "with the state twice", ["OIC-5"], "invalid_request", "threat-37",
                    back {
                        World.back(
                            $1, ["code": "c", "state": $1.state, "state": $1.state, "iss": World.provider])
                    }),
                .refused(
                    "return-too-late", "after ten minutes", ["OIC-5"], "invalid_request", "OIC-5",
                    back {
                        $0.now += 600
                        return World.back($1)
                    }),
                .refused(
                    "return-elsewhere", "at the path of another provider", ["OIC-6"], "invalid_request", "OIC-6",
                    back {
                        let url = World.eduID + "/callback/other"
                        return World.visit(
                            url, ["code": "c", "state": $1.state, "iss": World.provider], cookie: $1.mark)
                    }),
                .refused(
                    "return-both", "with a code and an error", ["OIC-5"], "invalid_request", "threat-37",
                    back {
                        World.back(
                            $1, ["code": "c", "error": "access_denied", "state": $1.state, "iss": World.provider])
                    }),
                .refused(
                    "return-neither", "with neither", ["OIC-5"], "invalid_request", "RFC6749-3.1",
                    back { World.back($1, ["state": $1.state, "iss": World.provider]) }),
                .refused(
                    "return-posted", "as a form that another site could send", ["OIC-5"], "http_405", "-",
                    back { World.form(World.callback, ["code": "c", "state": $1.state, "iss": World.provider]) }),
            ])
    }

    /// What the app is told of it, the browser brings with status 302.
    private mutating func addRefusals(_ world: World, _ client: Held) throws {
        func answering(_ more: @escaping (Departed) -> KeyValuePairs<String, String>) -> Situation.Request {
            {
                let trip = try $0.depart(client)
                $0.answers = [World.description()]
                return World.back(trip, more(trip))
            }
        }
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "return-other-issuer", "by another provider", ["OIC-5"], "invalid_request", "RFC9207-2.4",
                    answering { ["code": "c", "state": $0.state, "iss": "https://login.example.net/"] }),
                .refused(
                    "return-slashless", "by the provider without its slash", ["OIC-5"], "invalid_request",
                    "RFC9207-2.4", answering { ["code": "c", "state": $0.state, "iss": "https://login.example.org"] }),
                .refused(
                    "return-nobody", "by nobody, although the provider promises to name itself", ["OIC-5"],
                    "invalid_request", "RFC9207-2.4", answering { ["code": "c", "state": $0.state] }),
                .refused(
                    "return-nobodys-error", "an error by nobody", ["OIC-5"], "invalid_request", "RFC9207-2.4",
                    answering { ["error": "access_denied", "state": $0.state] }),
            ])
        let errors = [
            ("access_denied", "access_denied"), ("login_required", "access_denied"),
            ("unmet_authentication_requirements", "access_denied"),
            ("temporarily_unavailable", "temporarily_unavailable"), ("invalid_scope", "server_error"),
        ]
        for (told, passed) in errors {
            try add(
                in: world, at: .eduID,
                [
                    .refused(
                        "return-" + String(told.map { $0 == "_" ? "-" : $0 }), "with \(told)", ["OIC-13"], passed,
                        "OIC-13",
                        answering {
                            [
                                "error": told, "error_description": "Nobody's business", "state": $0.state,
                                "iss": World.provider,
                            ]
                        })
                ])
        }
    }

    private mutating func addFailingProviders(_ world: World, _ client: Held) throws {
        let page: JSON = ["status": 200, "headers": ["Content-Type": "text/html"], "body": "<p>Maintenance</p>"]
        let moved: JSON = ["status": 302, "headers": ["Location": "https://login.example.net/token"]]
        let long: JSON = [
            "status": 200, "headers": ["Content-Type": "application/json"],
            "body": .string("{" + String(repeating: " ", count: 65_535) + "}"),
        ]
        let other = TestKey.pair("stranger").publicJWK("op-2")
        typealias Answers = (inout [JSON]) -> Void
        let rows: [(String, String, [String], String, String, Answers)] = [
            (
                "silent", "the provider does not answer", ["OIC-7"], "temporarily_unavailable", "OIC-7",
                { $0[1] = .null }
            ),
            (
                "moved", "the provider sends elsewhere", ["OIC-7"], "temporarily_unavailable", "RFC6749-5.2",
                { $0[1] = moved }
            ),
            (
                "page", "the provider answers with a page", ["OIC-7"], "temporarily_unavailable", "RFC6749-5.1",
                { $0[1] = page }
            ),
            (
                "long", "the provider answers 65,537 bytes", ["OIC-7"], "temporarily_unavailable", "threat-14",
                { $0[1] = long }
            ),
            (
                "refusing", "the provider does not redeem the code", ["OIC-7"], "server_error", "OIC-7",
                { $0[1] = World.answer(["error": "invalid_grant"], 400) }
            ),
            (
                "typeless", "the access token is of another type", ["OIC-7"], "server_error", "OIC-7",
                { $0[1] = $0[1].telling(["token_type": "DPoP"]) }
            ),
            (
                "identityless", "there is no ID token", ["OIC-7"], "server_error", "RFC6749-3.1",
                { $0[1] = $0[1].telling(["id_token": .null]) }
            ),
            (
                "keyless", "the provider's keys are not to be had", ["OIC-11"], "temporarily_unavailable", "threat-76",
                { $0[2] = .null }
            ),
            (
                "other-keys", "the key is not among those that are published", ["OIC-8", "OIC-11"], "server_error",
                "RFC7515-6", { $0[2] = World.keys(other) }
            ),
            (
                "encryption-key", "the key is for encryption", ["OIC-8"], "server_error", "RFC7515-6",
                { $0[2] = World.keys(World.providerKey.publicJWK("op-1").with("use", "enc"), other) }
            ),
            (
                "untold", "userinfo does not answer", ["OIC-9"], "temporarily_unavailable", "OIC-7",
                { $0[3] = .null }
            ),
            (
                "of-another", "userinfo is about somebody else", ["OIC-9"], "server_error", "OIC-9",
                { $0[3] = World.userinfo(["sub": "eve-at-provider"]) }
            ),
            (
                "of-nobody", "userinfo is about nobody", ["OIC-9"], "server_error", "RFC6749-3.1",
                { $0[3] = World.userinfo(["sub": .null]) }
            ),
            (
                "capitals", "userinfo is about somebody whose name has other letters", ["OIC-9"], "server_error",
                "OIC-9", { $0[3] = World.userinfo(["sub": "Ada-at-provider"]) }
            ),
        ]
        for (name, title, proves, error, clause, change) in rows {
            try add(
                in: world, at: .eduID,
                [
                    .refused("provider-" + name, title, proves, error, clause) {
                        let trip = try $0.depart(client)
                        let request = $0.returning(trip)
                        var answers = $0.answers ?? []
                        change(&answers)
                        $0.answers = answers
                        return request
                    }
                ])
        }
    }

    // MARK: Who may not

    private mutating func addUnwelcome(_ world: World, _ client: Held) throws {
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "return-blocked", "the version of the app has been shut out meanwhile", ["OIC-13", "FED-4"],
                    "unauthorized_client", "FED-4"
                ) {
                    let trip = try $0.depart(client)
                    $0 = $0.blocking("ios-1.0")
                    return $0.returning(trip)
                },
                .refused(
                    "return-ended", "the instance has been ended meanwhile", ["OIC-5"], "invalid_request", "OIC-5"
                ) {
                    let trip = try $0.depart(client)
                    try $0.perform(.eduID, $0.ending(client))
                    return $0.returning(trip)
                },
                .refused(
                    "return-somebody-else", "somebody else is signed in on the instance", ["OIC-13", "USR-1"],
                    "invalid_grant", "USR-1"
                ) {
                    _ = try $0.signIn(client)
                    return $0.returning(try $0.depart(client))
                },
                .refused(
                    "return-locked", "the person is locked out", ["OIC-13", "threat-78"], "access_denied", "threat-78"
                ) {
                    _ = try $0.signInAtProvider(client)
                    let record = $0.past(.eduID).last { $0["record"]?["kind"] == "personal" }?["record"]
                    try $0.administrate(["do": "lock", "user": record?["subject"] ?? .null])
                    return $0.returning(try $0.depart(client))
                },
            ])
    }

    // MARK: Codes

    private mutating func addBroughtCodes(_ world: World, _ client: Held) throws {
        try add(
            in: world, at: .eduID,
            [
                .accepted("brought", "the app redeems what a browser brought", ["OIC-13"]) {
                    let code = try $0.bring(try $0.depart(client))
                    return $0.redeemingBrought(code, by: client)
                },
                .accepted("brought-in-session", "of a session that the provider names", ["OIC-12", "OIC-15"]) {
                    let code = try $0.bring(try $0.depart(client)) { $0.claiming(["sid": "session-1"]) }
                    return $0.redeemingBrought(code, by: client)
                },
                .refused("brought-nowhere", "without the address", ["OIC-13"], "invalid_grant", "OIC-13") {
                    let code = try $0.bring(try $0.depart(client))
                    return $0.redeemingBrought(code, by: client, at: nil)
                },
                .refused(
                    "brought-elsewhere", "with another address of the version", ["OIC-13"], "invalid_grant", "OIC-13"
                ) {
                    let code = try $0.bring(try $0.depart(client))
                    return $0.redeemingBrought(code, by: client, at: "https://app.example/signed-in")
                },
                .refused(
                    "brought-to-another", "by another instance", ["OIC-13", "threat-26"], "invalid_grant", "threat-26"
                ) {
                    let other = try $0.register(World.tablet, device: "tablet")
                    let code = try $0.bring(try $0.depart(client))
                    return $0.redeemingBrought(code, by: other)
                },
                .accepted("brought-after-another", "by the owner, after another tried", ["OIC-13", "threat-26"]) {
                    let other = try $0.register(World.tablet, device: "tablet")
                    let code = try $0.bring(try $0.depart(client))
                    try $0.attempt(.eduID, $0.redeemingBrought(code, by: other))
                    return $0.redeemingBrought(code, by: client)
                },
                .refused(
                    "brought-unproved", "with another verifier", ["OIC-13", "threat-26"], "invalid_grant", "RFC7636-4.6"
                ) {
                    let code = try $0.bring(try $0.depart(client))
                    return $0.redeemingBrought(
                        code, by: client, verifier: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
                },
            ])
    }

    // MARK: More than the sign-in was

    private mutating func addMore(_ world: World, _ client: Held) throws {
        func demanding(_ world: inout World, _ more: KeyValuePairs<String, String>) -> JSON {
            World.form(
                Self.challenging,
                [
                    "response_type": "code", "client_id": client.holder, "code_challenge": World.challenge,
                    "code_challenge_method": "S256",
                ], bearer: world.proof(client, Self.challenging).text, more: more)
        }
        var inPlain = World()
        let plain = try inPlain.register()
        _ = try inPlain.signIn(plain)
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "stepup-at-provider", "who signed in at the provider is asked for more there", ["FPA-18"],
                    "redirect_to_web", "FPA-18", after: { _ = try $0.signInAtProvider(client) }
                ) { demanding(&$0, ["acr_values": "mfa", "max_age": "60"]) },
                .accepted(
                    "stepup-met-at-provider", "the sign-in at the provider was what is demanded", ["FPA-18"],
                    after: { _ = try $0.signInAtProvider(client) { $0.claiming(["acr": "mfa"]) } }
                ) { demanding(&$0, ["acr_values": "mfa"]) },
                .refused(
                    "stepup-nowhere", "the version of the app is called back nowhere any more", ["FPA-18"],
                    "unmet_authentication_requirements", "FPA-18",
                    after: {
                        _ = try $0.signInAtProvider(client)
                        $0 = $0.withEach("versions", at: .eduID) { $0.with("callbacks", []) }
                    }
                ) { demanding(&$0, ["acr_values": "mfa"]) },
                .refused(
                    "stepup-not-at-provider", "who signed in here is somebody else at the provider", ["FPA-18"],
                    "unmet_authentication_requirements", "FPA-18", in: inPlain.signingInAtProvider()
                ) { demanding(&$0, ["acr_values": "mfa"]) },
            ])
    }
}

extension JSON {
    /// An answer whose members are changed.
    fileprivate func telling(_ changes: JSON.Object) -> JSON {
        let members = (try? JSON(parsing: self["body"]?.string ?? ""))?.object ?? [:]
        return with("body", .string(JSON.object(members.changed(changes)).encodedString()))
    }
}
