internal import JOSETesting
internal import Wire

// (2) A user signs in in several steps: Cleo with a one-time code or a passkey, Dora with one thing after the other.

extension World {
    fileprivate static let passkey = #"{"id":"key-1","response":{"signature":"c2lnbmVk"}}"#

    /// What the two people type.
    static func passphrase(of name: String) -> String { "a pass phrase of \(name)" }

    private static let peopleOfSteps: [JSON] = [
        [
            "name": "cleo", "password": .string(passphrase(of: "cleo")), "subject": "user-0003",
            "profile": ["name": "Cleo", "given_name": "Cleo"],
            "steps": [
                [
                    ["step": "otp", "hint": "the app on your phone", "answer": "123456", "rest": 90],
                    ["step": "passkey", "challenge": ["challenge": "bm9uY2U"], "answer": .string(passkey)],
                ]
            ],
        ],
        [
            "name": "dora", "password": .string(passphrase(of: "dora")), "subject": "user-0004",
            "profile": ["name": "Dora", "given_name": "Dora"],
            "steps": [[["step": "otp", "answer": "654321"]], [["step": "pin", "answer": "4711"]]],
        ],
    ]

    /// The same with the two people.
    var withPeopleOfSteps: World {
        with("users", at: .eduID) { .array(($0.array ?? []) + Self.peopleOfSteps) }
    }
}

extension Catalogue {
    private static let code = "123456"

    /// Begins a sign-in, or asks for it.
    private static func begin(
        _ world: inout World, _ client: Held, _ user: String = "cleo",
        changing more: KeyValuePairs<String, String> = [:], without left: Set<String> = []
    ) -> JSON {
        var changes = [
            ("client_id", client.holder), ("username", user), ("password", World.passphrase(of: user)),
        ]
        changes.removeAll { change in
            more.contains { $0.key.utf8.elementsEqual(change.0.utf8) } || left.contains(change.0)
        }
        let form = (changes + more.map { ($0.key, $0.value) }).filter { !left.contains($0.0) }
        let fixed = [
            ("response_type", "code"), ("code_challenge", World.challenge), ("code_challenge_method", "S256"),
        ].filter { pair in !left.contains(pair.0) && !form.contains { $0.0.utf8.elementsEqual(pair.0.utf8) } }
        return post(&world, client, fixed + form)
    }

    private static func post(_ world: inout World, _ client: Held, _ pairs: [(String, String)]) -> JSON {
        let body = HTTP.Form(pairs.map { HTTP.Form.Pair($0.0, $0.1) }).encoded()
        return World.request(
            "POST", challenging, bearer: world.proof(client, challenging).text,
            type: "application/x-www-form-urlencoded", body: String(decoding: body, as: UTF8.self))
    }

    /// Goes on with one.
    private static func goOn(
        _ world: inout World, _ client: Held, _ session: String, _ pairs: KeyValuePairs<String, String>
    ) -> JSON {
        post(
            &world, client,
            [("response_type", "code"), ("client_id", client.holder), ("auth_session", session)]
                + pairs.map { ($0.key, $0.value) })
    }

    private static func session(_ body: JSON) throws(Vector.Rejection) -> String {
        try Vector.Rejection.need(body["auth_session"]?.string, "auth_session")
    }

    private static func begun(
        _ world: inout World, _ client: Held, _ user: String = "cleo"
    ) throws(Vector.Rejection) -> String {
        try session(world.ask(.eduID, begin(&world, client, user)))
    }

    /// A world with the two people, and an instance in it.
    private static func stepping() throws -> (World, Held) {
        var world = World().withPeopleOfSteps
        let client = try world.register()
        return (world, client)
    }

    mutating func addSteps() throws {
        let (world, client) = try Self.stepping()
        try addFirstSteps(world, client)
        var asked = world
        let session = try Self.begun(&asked, client)
        try addAnswers(asked, client, session)
        try addLateAnswers(asked, client, session)
        try addWrongAnswers(asked, client, session)
        try addEndedSessions(asked, client, session)
        try addUnreadableAnswers(asked, client, session)
        try addNamesFirst(world, client)
    }

    private mutating func addFirstSteps(_ world: World, _ client: Held) throws {
        let (wanted, unmet) = ("insufficient_authorization", "unmet_authentication_requirements")
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "step-asked", "name and password are right, and one of two steps is asked for besides",
                    ["FPA-3", "FPA-4", "FPA-5", "FPA-7", "FPA-9", "FPA-10"], wanted, "FPA-3"
                ) { Self.begin(&$0, client) },
                .refused(
                    "step-asked-known", "only steps are asked for that the app can make", ["FPA-9"], wanted, "FPA-3"
                ) { Self.begin(&$0, client, changing: ["steps_supported": "pin passkey"]) },
                .refused(
                    "step-unknown", "the app can make none of the steps", ["FPA-9"], unmet, "FPA-9"
                ) { Self.begin(&$0, client, changing: ["steps_supported": "pin"]) },
                .refused(
                    "steps-too-many", "the app names more steps than anybody has", ["FPA-9", "threat-10"],
                    "invalid_request", "threat-10"
                ) {
                    let names = (1...17).map { "step-\($0)" }.joined(separator: " ")
                    return Self.begin(&$0, client, changing: ["steps_supported": names])
                },
                .refused(
                    "step-after-wrong-password", "no step is told to who does not know the password",
                    ["FPA-10", "threat-39"], "invalid_grant", "threat-39"
                ) { Self.begin(&$0, client, changing: ["password": "wrong"]) },
                .refused(
                    "step-while-another", "somebody else is signed in on the instance", ["USR-1"], "invalid_grant",
                    "USR-1", after: { _ = try $0.signIn(client) }
                ) { Self.begin(&$0, client) },
                .refused(
                    "step-of-locked", "the user is locked, which is told behind the password", ["threat-78"],
                    "access_denied", "threat-78",
                    after: { try $0.administrate(["do": "lock", "user": "user-0003"]) }
                ) { Self.begin(&$0, client) },
                .refused(
                    "step-anew", "a sign-in begins in the place of the one before", ["FPA-5"], wanted, "FPA-3",
                    after: { _ = try Self.begun(&$0, client) }
                ) { Self.begin(&$0, client, "dora") },
                .refused(
                    "step-by-password-grant", "the grant 'password' does not take steps", ["FPA-10"], "invalid_grant",
                    "FPA-10", in: world.with(["takes_passwords": true], at: .eduID)
                ) {
                    let url = World.eduID + "/token"
                    return World.form(
                        url, ["grant_type": "password", "username": "cleo", "password": World.passphrase(of: "cleo")],
                        bearer: $0.proof(client, url).text)
                },
            ])
    }

    private mutating func addAnswers(_ asked: World, _ client: Held, _ session: String) throws {
        try add(
            in: asked, at: .eduID,
            [
                .accepted(
                    "step-made", "the one-time code is right, and the answer is a code",
                    ["FPA-1", "FPA-2", "FPA-6", "FPA-10", "FPA-13", "FPA-17"]
                ) { Self.goOn(&$0, client, session, ["step": "otp", "otp": Self.code]) },
                .accepted("step-made-otherwise", "the other step is made", ["FPA-9", "FPA-10"]) {
                    Self.goOn(&$0, client, session, ["step": "passkey", "step_response": World.passkey])
                },
                .accepted("step-with-challenge", "the challenge comes once more", ["FPA-8"]) {
                    Self.goOn(
                        &$0, client, session,
                        [
                            "step": "otp", "otp": Self.code, "code_challenge": World.challenge,
                            "code_challenge_method": "S256",
                        ])
                },
                .refused(
                    "step-with-other-challenge", "another challenge comes", ["FPA-8"], "invalid_request", "FPA-8"
                ) {
                    Self.goOn(
                        &$0, client, session,
                        [
                            "step": "otp", "otp": Self.code,
                            "code_challenge": "ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA",
                            "code_challenge_method": "S256",
                        ])
                },
                .accepted(
                    "step-code", "the code of a sign-in in steps is redeemed", ["FPA-2", "FPA-6", "AUT-2"],
                    after: nil
                ) {
                    let body = try $0.ask(
                        .eduID, Self.goOn(&$0, client, session, ["step": "otp", "otp": Self.code]))
                    let code = try Vector.Rejection.need(body["authorization_code"]?.string, "authorization_code")
                    return $0.redeeming(code, by: client)
                },
                .refused(
                    "step-skipped", "what goes on with a sign-in is redeemed as if it were a code", ["FPA-2", "FPA-6"],
                    "invalid_grant", "threat-26"
                ) { $0.redeeming(session, by: client) },
                .refused(
                    "step-as-renewal", "what goes on with a sign-in is presented as a refresh token", ["FPA-6"],
                    "invalid_grant", "RFC6749-6"
                ) {
                    let url = World.eduID + "/token"
                    return World.form(
                        url, ["grant_type": "refresh_token", "refresh_token": session],
                        bearer: $0.proof(client, url).text)
                },
            ])
        var dora = asked
        let first = try Self.begun(&dora, client, "dora")
        try add(
            in: dora, at: .eduID,
            [
                .refused(
                    "step-more", "the step is made, and another one is asked for", ["FPA-3", "FPA-4", "FPA-10"],
                    "insufficient_authorization", "FPA-3"
                ) { Self.goOn(&$0, client, first, ["step": "otp", "otp": "654321"]) },
                .accepted("step-last", "the second step is made", ["FPA-10"]) {
                    let body = try $0.ask(.eduID, Self.goOn(&$0, client, first, ["step": "otp", "otp": "654321"]))
                    return Self.goOn(&$0, client, try Self.session(body), ["step": "pin", "step_response": "4711"])
                },
                .refused(
                    "step-out-of-turn", "the second step is made before the first", ["FPA-9"], "invalid_request",
                    "FPA-9"
                ) { Self.goOn(&$0, client, first, ["step": "pin", "step_response": "4711"]) },
                .refused(
                    "step-of-sign-in-before", "the sign-in in whose place another one began", ["FPA-5"],
                    "invalid_session", "FPA-5"
                ) { Self.goOn(&$0, client, session, ["step": "otp", "otp": Self.code]) },
            ])
    }

    private mutating func addLateAnswers(_ asked: World, _ client: Held, _ session: String) throws {
        let right: KeyValuePairs = ["step": "otp", "otp": Self.code]
        try add(
            in: asked, at: .eduID,
            [
                .accepted("step-in-time", "the last second of the sign-in", ["FPA-7"], in: asked.later(599)) {
                    Self.goOn(&$0, client, session, right)
                },
                .refused(
                    "step-late", "the sign-in took too long", ["FPA-7"], "invalid_session", "FPA-5",
                    in: asked.later(600)
                ) { Self.goOn(&$0, client, session, right) },
                .accepted(
                    "step-repeated", "the answer was lost: a minute later the same is told again",
                    ["threat-72", "FPA-7"],
                    after: {
                        _ = try $0.ask(.eduID, Self.goOn(&$0, client, session, right))
                        $0.now += 60
                    }
                ) { Self.goOn(&$0, client, session, right) },
                .refused(
                    "step-repeated-wrong", "the same of a wrong answer, which is not counted twice", ["threat-72"],
                    "invalid_grant", "FPA-10",
                    after: { _ = try $0.ask(.eduID, Self.goOn(&$0, client, session, ["step": "otp", "otp": "1"])) }
                ) { Self.goOn(&$0, client, session, ["step": "otp", "otp": "1"]) },
                .refused(
                    "step-repeated-otherwise", "the same session with another answer, which ends nothing", ["FPA-7"],
                    "invalid_session", "FPA-7",
                    after: { _ = try $0.ask(.eduID, Self.goOn(&$0, client, session, ["step": "otp", "otp": "1"])) }
                ) { Self.goOn(&$0, client, session, right) },
                .refused(
                    "step-reused", "a session that was continued comes too late, and is ended", ["FPA-7", "threat-28"],
                    "invalid_session", "FPA-7",
                    after: {
                        _ = try $0.ask(.eduID, Self.goOn(&$0, client, session, ["step": "otp", "otp": "1"]))
                        $0.now += 61
                    }
                ) { Self.goOn(&$0, client, session, ["step": "otp", "otp": "1"]) },
            ])
    }

    private mutating func addWrongAnswers(_ asked: World, _ client: Held, _ session: String) throws {
        func fail(_ world: inout World, _ count: Int) throws(Vector.Rejection) -> String {
            var session = session
            for number in 0..<count {
                let wrong = Self.goOn(&world, client, session, ["step": "otp", "otp": "wrong \(number)"])
                session = try Self.session(world.ask(.eduID, wrong))
            }
            return session
        }
        let right: KeyValuePairs = ["step": "otp", "otp": Self.code]
        try add(
            in: asked, at: .eduID,
            [
                .refused(
                    "step-wrong", "the one-time code is wrong, and may be given again",
                    ["FPA-3", "FPA-4", "FPA-10", "FPA-14"], "invalid_grant", "FPA-10"
                ) { Self.goOn(&$0, client, session, ["step": "otp", "otp": "123457"]) },
                .accepted("step-right-at-last", "the third answer is right", ["FPA-15"]) {
                    Self.goOn(&$0, client, try fail(&$0, 2), right)
                },
                .refused(
                    "step-wrong-thrice", "with the third wrong answer the sign-in is over", ["FPA-14", "FPA-15"],
                    "invalid_grant", "FPA-15"
                ) { Self.goOn(&$0, client, try fail(&$0, 2), ["step": "otp", "otp": "123457"]) },
                .refused(
                    "step-behind-the-end", "a right answer behind the third wrong one", ["FPA-15"], "invalid_session",
                    "FPA-5"
                ) {
                    let last = try fail(&$0, 2)
                    _ = try $0.ask(.eduID, Self.goOn(&$0, client, last, ["step": "otp", "otp": "123457"]))
                    return Self.goOn(&$0, client, last, ["step": "otp", "otp": "123457"])
                },
                .refused(
                    "step-spent", "a one-time code passes once, in whichever sign-in", ["FPA-17"], "invalid_grant",
                    "FPA-10"
                ) {
                    _ = try $0.ask(.eduID, Self.goOn(&$0, client, session, right))
                    $0.now += 89
                    return Self.goOn(&$0, client, try Self.begun(&$0, client), right)
                },
                .accepted("step-spent-before", "the same code when its time has come again", ["FPA-17"]) {
                    _ = try $0.ask(.eduID, Self.goOn(&$0, client, session, right))
                    $0.now += 90
                    return Self.goOn(&$0, client, try Self.begun(&$0, client), right)
                },
                .refused(
                    "step-beyond-limit", "too many answers for the user were wrong elsewhere: right looks like wrong",
                    ["FPA-11", "FPA-15", "FPA-16"], "invalid_grant", "FPA-10"
                ) { world in
                    for number in 3...4 {
                        let other = try world.register(
                            "6f1c3c4e-7a3a-4c55-9d1e-0a4b8f7f000\(number)", device: "tablet")
                        for _ in 0..<10 {
                            try world.attempt(.eduID, Self.begin(&world, other, changing: ["password": "wrong"]))
                        }
                    }
                    return Self.goOn(&world, client, session, right)
                },
                .refused(
                    "step-instance-limit", "too many attempts failed on the instance", ["FPA-13", "FPA-16"],
                    "temporarily_unavailable", "threat-74"
                ) { world in
                    for _ in 0..<10 {
                        try world.attempt(
                            .eduID, Self.begin(&world, client, changing: ["username": "eve", "password": "wrong"]))
                    }
                    return Self.goOn(&world, client, session, right)
                },
            ])
    }

    private mutating func addEndedSessions(_ asked: World, _ client: Held, _ session: String) throws {
        let right: KeyValuePairs = ["step": "otp", "otp": Self.code]
        try add(
            in: asked, at: .eduID,
            [
                .refused(
                    "step-of-another", "another instance goes on with the sign-in", ["FPA-5"], "invalid_session",
                    "FPA-5"
                ) { Self.goOn(&$0, try $0.register(World.tablet, device: "tablet"), session, right) },
                .accepted("step-behind-another", "another instance's attempt ends nothing", ["FPA-5"]) {
                    let other = try $0.register(World.tablet, device: "tablet")
                    try $0.attempt(.eduID, Self.goOn(&$0, other, session, right))
                    return Self.goOn(&$0, client, session, right)
                },
                .refused(
                    "step-blocked", "the version was shut out in between", ["FPA-13", "FED-4"], "unauthorized_client",
                    "FED-4", in: asked.blocking("ios-1.0")
                ) { Self.goOn(&$0, client, session, right) },
                .refused(
                    "step-rejected", "the instance was rejected in between", ["FPA-5", "REG-7"], "invalid_client",
                    "TOK-1", after: { try $0.administrate(["do": "reject", "instance": .string(World.phone)]) }
                ) { Self.goOn(&$0, client, session, right) },
                .refused(
                    "step-locked", "the user was locked in between, which ends the sign-in", ["threat-78", "FPA-5"],
                    "invalid_session", "FPA-5",
                    after: { try $0.administrate(["do": "lock", "user": "user-0003"]) }
                ) { Self.goOn(&$0, client, session, right) },
                .refused(
                    "step-behind-the-end-of-all", "the user has ended everything from another device in between",
                    ["FPA-5", "USR-3"], "invalid_session", "FPA-5",
                    after: {
                        let other = try $0.register(World.tablet, device: "tablet")
                        let begun = try Self.begun(&$0, other)
                        let made = try $0.ask(
                            .eduID, Self.goOn(&$0, other, begun, ["step": "passkey", "step_response": World.passkey]))
                        let code = try Vector.Rejection.need(made["authorization_code"]?.string, "authorization_code")
                        let body = try $0.perform(.eduID, $0.redeeming(code, by: other))
                        let personal = try Held(body, other.key, of: other.holder)
                        let url = World.eduID + "/instances"
                        try $0.attempt(
                            .eduID, World.request("DELETE", url, bearer: $0.proof(personal, url).text))
                    }
                ) { Self.goOn(&$0, client, session, right) },
                .refused(
                    "step-of-forgotten", "the user was forgotten in between", ["FPA-5", "threat-75"],
                    "invalid_session", "FPA-5",
                    after: { try $0.administrate(["do": "forget", "user": "user-0003"]) }
                ) { Self.goOn(&$0, client, session, right) },
                .refused(
                    "step-behind-another-user", "somebody else has signed in on the instance in between", ["USR-1"],
                    "invalid_grant", "USR-1", after: { _ = try $0.signIn(client) }
                ) { Self.goOn(&$0, client, session, right) },
                .refused("step-unproved", "nobody proves who goes on", ["FPA-5"], "invalid_client", "RFC6750-2.1") {
                    _ in
                    World.form(
                        Self.challenging,
                        ["response_type": "code", "auth_session": session, "step": "otp", "otp": Self.code])
                },
            ])
        let cut = String(session.dropLast())
        for (name, title, text) in [
            ("cut", "its last letter is missing", cut), ("invented", "nobody gave it", "AAAA." + "AAAA"),
            ("other-name", "it leads to the instance", session.prefix { $0 != "." } + "." + client.id),
        ] {
            try add(
                in: asked, at: .eduID,
                [
                    .refused("session-" + name, "a session, and \(title)", ["FPA-5"], "invalid_session", "FPA-5") {
                        Self.goOn(&$0, client, text, right)
                    }
                ])
        }
    }

    private mutating func addUnreadableAnswers(_ asked: World, _ client: Held, _ session: String) throws {
        let long = String(repeating: "a", count: 16_385)
        let rows: [(String, String, String, KeyValuePairs<String, String>)] = [
            ("without-step", "without 'step'", "RFC6749-3.1", ["otp": "123456"]),
            ("without-otp", "without 'otp'", "RFC6749-3.1", ["step": "otp"]),
            ("without-response", "without 'step_response'", "RFC6749-3.1", ["step": "passkey"]),
            (
                "both", "with both forms of answers", "FPA-9",
                ["step": "otp", "otp": "123456", "step_response": "123456"]
            ),
            ("with-user", "with a user name", "FPA-9", ["step": "otp", "otp": "123456", "username": "cleo"]),
            ("with-password", "with a password", "FPA-9", ["step": "otp", "otp": "123456", "password": "x"]),
            (
                "long-otp", "with a code of 33 characters", "threat-14",
                ["step": "otp", "otp": String(long.prefix(33))]
            ),
            ("foreign-otp", "with a code that is not ASCII", "RFC6749-A", ["step": "otp", "otp": "12345\u{e9}"]),
            (
                "long-response", "with a response of 16,385 bytes", "threat-14",
                ["step": "passkey", "step_response": long]
            ),
            ("zero-response", "with a response with NUL", "RFC6749-A", ["step": "passkey", "step_response": "a\0b"]),
            ("foreign", "with a step that was not asked for", "FPA-9", ["step": "pin", "step_response": "4711"]),
            ("twice", "with 'step' twice", "threat-37", ["step": "otp", "step": "otp", "otp": "123456"]),
        ]
        for (name, title, clause, pairs) in rows {
            try add(
                in: asked, at: .eduID,
                [
                    .refused("step-" + name, title, ["FPA-9"], "invalid_request", clause) {
                        Self.goOn(&$0, client, session, pairs)
                    }
                ])
        }
    }

    private mutating func addNamesFirst(_ world: World, _ client: Held) throws {
        let asking = world.with(["asks_name_first": true], at: .eduID)
        func named(_ world: inout World, _ user: String) -> JSON {
            Self.begin(&world, client, user, without: ["password"])
        }
        try add(
            in: asking, at: .eduID,
            [
                .refused(
                    "name-first", "the name comes first, and everything else in steps", ["FPA-11"],
                    "insufficient_authorization", "FPA-3"
                ) { named(&$0, "cleo") },
                .refused(
                    "name-first-unknown", "a name that nobody has is asked for steps as well", ["FPA-12"],
                    "insufficient_authorization", "FPA-3",
                    in: asking.with("users", at: .eduID) { users in
                        .array((users.array ?? []).filter { $0["steps"] != nil })
                    }
                ) { named(&$0, "eve") },
                .accepted("name-first-step", "the step behind a name is made", ["FPA-11"]) {
                    let session = try Self.session($0.ask(.eduID, named(&$0, "cleo")))
                    return Self.goOn(&$0, client, session, ["step": "passkey", "step_response": World.passkey])
                },
                .refused(
                    "name-first-unknown-step", "no answer is right behind a name that nobody has", ["FPA-12"],
                    "invalid_grant", "FPA-10",
                    in: asking.with("users", at: .eduID) { users in
                        .array((users.array ?? []).filter { $0["steps"] != nil })
                    }
                ) {
                    let session = try Self.session($0.ask(.eduID, named(&$0, "eve")))
                    return Self.goOn(&$0, client, session, ["step": "otp", "otp": Self.code])
                },
                .refused(
                    "name-first-locked", "a locked user learns it behind the step", ["threat-78", "FPA-11"],
                    "access_denied", "threat-78",
                    after: { try $0.administrate(["do": "lock", "user": "user-0003"]) }
                ) {
                    let session = try Self.session($0.ask(.eduID, named(&$0, "cleo")))
                    return Self.goOn(&$0, client, session, ["step": "otp", "otp": Self.code])
                },
            ])
    }
}
