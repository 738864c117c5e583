internal import JOSETesting
internal import Wire

// (2) A user hands name and password over, on a registered instance.

extension Catalogue {
    private static let wrongChallenges: [(String, String, [String], String, String, KeyValuePairs<String, String>)] = [
        (
            "wrong-password", "the password is wrong", ["AUT-2", "threat-39"], "invalid_grant", "threat-39",
            ["password": "wrong"]
        ),
        (
            "unknown-user", "there is no such user, which is answered alike", ["AUT-2", "threat-39"],
            "invalid_grant", "threat-39", ["username": "eve"]
        ),
        (
            "other-client", "the request names another instance", ["FED-5", "threat-35", "FPA-1"], "invalid_client",
            "RFC6749-3.2.1", ["client_id": World.tablet]
        ),
        (
            "plain-challenge", "the challenge is to be compared plainly", ["threat-26"], "invalid_request",
            "RFC7636-4.3", ["code_challenge_method": "plain"]
        ),
        (
            "short-challenge", "the challenge is too short", ["threat-26"], "invalid_request", "RFC7636-4.2",
            ["code_challenge": "abc"]
        ),
        (
            "token-response", "the answer is to be a token", ["threat-26"], "unsupported_response_type",
            "RFC6749-3.1.1", ["response_type": "token"]
        ),
    ]

    static let challenging = World.eduID + "/authorize-challenge"

    static func ask(
        _ world: inout World, _ client: Held, without left: Set<String> = [],
        changing more: KeyValuePairs<String, String> = [:]
    ) -> JSON { ask(world.proof(client, challenging).text, without: left, changing: more) }

    private static func ask(
        _ bearer: String, without left: Set<String> = [], changing more: KeyValuePairs<String, String> = [:]
    ) -> JSON {
        let all: [(String, String)] =
            [
                ("response_type", "code"), ("client_id", World.phone), ("username", "ada"),
                ("password", "correct horse battery staple"), ("code_challenge", World.challenge),
                ("code_challenge_method", "S256"),
            ].filter { pair in !left.contains(pair.0) && !more.contains { $0.key.utf8.elementsEqual(pair.0.utf8) } }
            + more.map { ($0.key, $0.value) }
        let body = HTTP.Form(all.map { HTTP.Form.Pair($0.0, $0.1) }).encoded()
        return World.request(
            "POST", challenging, bearer: bearer, type: "application/x-www-form-urlencoded",
            body: String(decoding: body, as: UTF8.self))
    }

    /// Attempts that fail, for one user.
    private static func fail(_ world: inout World, _ client: Held, _ count: Int) throws(Vector.Rejection) {
        for _ in 0..<count {
            try world.attempt(
                .eduID, ask(&world, client, changing: ["client_id": client.holder, "password": "wrong"]))
        }
    }

    mutating func addChallenges(_ world: World, _ client: Held) throws {
        let url = Self.challenging
        try add(
            in: world, at: .eduID,
            [
                .accepted("challenge", "a user's credentials are answered with a code", ["USR-1", "AUT-2", "FED-5"]) {
                    Self.ask(&$0, client)
                },
                .accepted(
                    "challenge-by-version", "the credential is S1's request token of the registered instance",
                    ["REQ-13"]
                ) { Self.ask($0.statement().text) },
                .accepted("challenge-other-user", "another person signs in on an instance where nobody is", ["USR-1"]) {
                    Self.ask(&$0, client, changing: ["username": "bob", "password": "hunter2hunter2"])
                },
                .refused(
                    "challenge-while-another", "another person signs in where the first has not signed out",
                    ["USR-1", "threat-73"], "invalid_grant", "USR-1", after: { _ = try $0.signIn(client) }
                ) { Self.ask(&$0, client, changing: ["username": "bob", "password": "hunter2hunter2"]) },
                .accepted(
                    "challenge-after-failures", "the tenth attempt on an instance, after nine that failed",
                    ["AUT-2", "threat-74"], after: { try Self.fail(&$0, client, 9) }
                ) { Self.ask(&$0, client) },
                .refused(
                    "challenge-too-many", "after ten attempts that failed an instance has to wait",
                    ["threat-74"], "temporarily_unavailable", "threat-74", after: { try Self.fail(&$0, client, 10) }
                ) { Self.ask(&$0, client) },
                .accepted(
                    "challenge-after-pause", "a quarter of an hour later the failures are over",
                    ["AUT-2", "threat-74"],
                    after: {
                        try Self.fail(&$0, client, 10)
                        $0.now += 900
                    }
                ) { Self.ask(&$0, client) },
                .refused(
                    "challenge-locked",
                    "twenty attempts failed for a user on instances where he or she never was: right looks like wrong",
                    ["threat-74", "threat-39"], "invalid_grant", "threat-74",
                    after: { world in
                        for number in 3...4 {
                            let id = "6f1c3c4e-7a3a-4c55-9d1e-0a4b8f7f000\(number)"
                            try Self.fail(&world, try world.register(id, device: "tablet"), 10)
                        }
                    }
                ) { Self.ask(&$0, client) },
            ])
        var symmetric = World()
        let made = try symmetric.register(device: nil)
        try add(
            in: symmetric, at: .eduID,
            [
                .accepted(
                    "challenge-symmetric", "the instance has a symmetric key from the service", ["POP-1", "USR-1"]
                ) { Self.ask($0.proof(made, url).text) },
                .accepted("challenge-unnamed", "the proof alone says which client asks", ["USR-1"], in: world) {
                    Self.ask(&$0, client, without: ["client_id"])
                },
                .accepted(
                    "challenge-dpop", "the credential is a DPoP proof with the instance's token", ["POP-1"], in: world
                ) {
                    World.request(
                        "POST", url, dpop: (client.access, $0.dpop(client, "POST", url).text), type: "application/json",
                        body: JSON.object([
                            "response_type": "code", "client_id": .string(World.phone), "username": "ada",
                            "password": "correct horse battery staple", "code_challenge": .string(World.challenge),
                            "code_challenge_method": "S256",
                        ]).encodedString())
                },
            ])
        for (name, title, proves, error, clause, change) in Self.wrongChallenges {
            try add(
                in: world, at: .eduID,
                [
                    .refused("challenge-" + name, title, proves, error, clause) {
                        Self.ask(&$0, client, changing: change)
                    }
                ])
        }
        for (member, clause) in [
            ("username", "RFC6749-3.1"), ("password", "RFC6749-3.1"), ("code_challenge", "RFC6749-3.1"),
        ] {
            try add(
                in: world, at: .eduID,
                [
                    .refused("challenge-without-" + member, "without '\(member)'", ["USR-1"], "invalid_request", clause)
                    { Self.ask(&$0, client, without: [member]) }
                ])
        }
        try refuseRequestTokens(
            "challenge", Defect.ofRequestTokens, "invalid_client", ["AUT-1"], in: world, at: .eduID, of: client,
            for: url
        ) { Self.ask($0) }
        try addUnprovenChallenges(world, client)
    }

    /// AUT-1: these have the right credentials, and learn nothing about them.
    private mutating func addUnprovenChallenges(_ world: World, _ client: Held) throws {
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "challenge-no-credential", "the request proves no client", ["AUT-1", "FED-5"], "invalid_client",
                    "RFC6750-2.1"
                ) { _ in
                    World.form(
                        Self.challenging,
                        [
                            "response_type": "code", "client_id": World.phone, "username": "ada",
                            "password": "correct horse battery staple", "code_challenge": World.challenge,
                            "code_challenge_method": "S256",
                        ])
                }
            ])
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "challenge-unregistered", "the instance is not registered", ["AUT-1", "REG-1"], "invalid_client",
                    "AUT-1", in: World()
                ) { Self.ask($0.statement().text) },
                .refused(
                    "challenge-other-version", "the statement is of another version than the instance's",
                    ["AUT-1", "FED-2"], "invalid_client", "AUT-1", in: world
                ) { Self.ask($0.statement(version: "ios-2.0").text) },
                .refused(
                    "challenge-blocked-version", "the instance's version has been shut out since", ["AUT-1", "FED-4"],
                    "unauthorized_client", "FED-4", in: world.blocking("ios-1.0")
                ) { Self.ask(&$0, client) },
                .refused(
                    "challenge-excluded-platform", "the instance's platform has been shut out since",
                    ["AUT-1", "FED-4"], "unauthorized_client", "FED-4",
                    in: world.with(["excluded_platforms": ["ios"]], at: .eduID)
                ) { Self.ask(&$0, client) },
                .refused(
                    "challenge-rejected", "the instance has been rejected", ["AUT-1", "REG-7"], "invalid_client",
                    "TOK-1", in: world,
                    after: { try $0.administrate(["do": "reject", "instance": .string(World.phone)]) }
                ) { Self.ask(&$0, client) },
            ])
    }
}
