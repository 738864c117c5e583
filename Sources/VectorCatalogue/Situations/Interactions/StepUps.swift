internal import JOSETesting
internal import Wire

// (2) What a sign-in amounts to, and how more comes of it: Emil, who shows a one-time code where more is demanded than
// a password, and Fritz, who has nothing else to show. (4), (5), (8), (9): who demands it.

extension World {
    private static let mfa = "https://refeds.org/profile/mfa"

    private static let peopleOfClasses: [JSON] = [
        [
            "name": "emil", "password": .string(passphrase(of: "emil")), "subject": "user-0005",
            "profile": ["name": "Emil", "given_name": "Emil", "acr": .string(mfa)], "on_demand": true,
            "steps": [[["step": "otp", "answer": "123456", "rest": 90]]],
        ],
        [
            "name": "fritz", "password": .string(passphrase(of: "fritz")), "subject": "user-0006",
            "profile": ["name": "Fritz", "given_name": "Fritz"],
        ],
    ]

    /// The same with the two people, and with names for what they may show.
    fileprivate func withPeopleOfClasses(_ more: JSON.Object = [:]) -> World {
        let policy: JSON.Object = [
            "context_classes": [
                ["name": .string(Self.mfa), "methods": ["pwd", "otp"]], ["name": "password", "methods": ["pwd"]],
            ]
        ]
        return with(policy.changed(more), at: .eduID)
            .with("users", at: .eduID) { .array(($0.array ?? []) + Self.peopleOfClasses) }
    }

    /// The same where the edu-ID service demands something for one of the services.
    fileprivate func demanding(_ demand: JSON) -> World {
        withEach("services", at: .eduID) { $0["home"] == .string(Self.alpha) ? $0.with("demand", demand) : $0 }
    }

    fileprivate static let mfaDemand: JSON = ["acr_values": [.string(mfa)]]
}

extension Catalogue {
    private static let mfa = "https://refeds.org/profile/mfa"

    /// A request at the challenge endpoint, of a person or of whoever is signed in.
    private static func ask(
        _ world: inout World, _ client: Held, _ user: String? = nil, _ pairs: KeyValuePairs<String, String>
    ) -> JSON {
        var form = [("response_type", "code"), ("client_id", client.holder)]
        if let user { form += [("username", user), ("password", World.passphrase(of: user))] }
        form += [("code_challenge", World.challenge), ("code_challenge_method", "S256")]
        return post(&world, client, form + pairs.map { ($0.key, $0.value) })
    }

    private static func post(_ world: inout World, _ client: Held, _ pairs: [(String, String)]) -> JSON {
        post(pairs, by: world.proof(client, challenging).text)
    }

    private static func post(_ pairs: [(String, String)], by bearer: String) -> JSON {
        let body = HTTP.Form(pairs.map { HTTP.Form.Pair($0.0, $0.1) }).encoded()
        return World.request(
            "POST", challenging, bearer: bearer, type: "application/x-www-form-urlencoded",
            body: String(decoding: body, as: UTF8.self))
    }

    /// Makes the step that an answer asks for.
    private static func step(
        _ world: inout World, _ client: Held, _ asked: JSON, _ code: String = "123456"
    ) throws(Vector.Rejection) -> JSON {
        post(&world, client, try answer(asked, client, code))
    }

    private static func answer(
        _ asked: JSON, _ client: Held, _ code: String = "123456"
    ) throws(Vector.Rejection) -> [(String, String)] {
        let session = try Vector.Rejection.need(asked["auth_session"]?.string, "auth_session")
        return [
            ("response_type", "code"), ("client_id", client.holder), ("auth_session", session), ("step", "otp"),
            ("otp", code),
        ]
    }

    private static func stepUp(
        _ world: inout World, _ client: Held, _ pairs: KeyValuePairs<String, String> = ["acr_values": mfa]
    ) throws(Vector.Rejection) -> String {
        let asked = try world.ask(.eduID, ask(&world, client, nil, pairs))
        let given = try world.ask(.eduID, step(&world, client, asked))
        return try Vector.Rejection.need(given["authorization_code"]?.string, "authorization_code")
    }

    mutating func addStepUps() throws {
        var world = World().withPeopleOfClasses()
        let client = try world.register()
        try addDemandedSignIns(world, client)
        var signedIn = world
        let personal = try signedIn.signIn(client, "emil", World.passphrase(of: "emil"))
        try addStepUps(signedIn, client, personal)
        try addStepUpsByVersion(signedIn, client)
        try addEndedStepUps(signedIn, client, personal)
    }

    private mutating func addDemandedSignIns(_ world: World, _ client: Held) throws {
        let unmet = "unmet_authentication_requirements"
        try add(
            in: world, at: .eduID,
            [
                .accepted("class-published", "the metadata tell what sign-ins may amount to", ["FPA-18", "GRT-1"]) {
                    _ in
                    World.request("GET", World.eduID + "/.well-known/oauth-authorization-server")
                },
                .accepted("class-password", "a class is demanded that a password reaches", ["FPA-18", "FPA-19"]) {
                    Self.ask(&$0, client, "fritz", ["acr_values": "password"])
                },
                .refused(
                    "class-asked", "a class is demanded that takes a one-time code as well", ["FPA-18"],
                    "insufficient_authorization", "FPA-3"
                ) { Self.ask(&$0, client, "emil", ["acr_values": "elsewhere \(Self.mfa)", "max_age": "60"]) },
                .accepted("class-reached", "the code is shown", ["FPA-18", "FPA-19"]) {
                    let asked = try $0.ask(.eduID, Self.ask(&$0, client, "emil", ["acr_values": Self.mfa]))
                    return try Self.step(&$0, client, asked)
                },
                .accepted("class-code", "the code of such a sign-in is redeemed", ["FPA-19"]) {
                    let asked = try $0.ask(.eduID, Self.ask(&$0, client, "emil", ["acr_values": Self.mfa]))
                    let given = try $0.ask(.eduID, try Self.step(&$0, client, asked))
                    return $0.redeeming(
                        try Vector.Rejection.need(given["authorization_code"]?.string, "authorization_code"), by: client
                    )
                },
                .refused(
                    "class-unreached", "all steps are made, and none of the classes is reached", ["FPA-18"], unmet,
                    "FPA-18"
                ) {
                    let asked = try $0.ask(.eduID, Self.ask(&$0, client, "emil", ["acr_values": "elsewhere"]))
                    return try Self.step(&$0, client, asked)
                },
                .refused(
                    "class-without-steps", "the person has nothing more to show", ["FPA-18"], unmet, "FPA-18"
                ) { Self.ask(&$0, client, "fritz", ["acr_values": Self.mfa, "max_age": "0"]) },
                .refused(
                    "class-negative-age", "an age below zero", ["FPA-18"], "invalid_request", "RFC6749-3.1"
                ) { Self.ask(&$0, client, "emil", ["max_age": "-1"]) },
                .refused(
                    "class-endless-age", "an age that is no whole number of seconds", ["FPA-18"], "invalid_request",
                    "RFC6749-3.1"
                ) { Self.ask(&$0, client, "emil", ["max_age": "1e9999"]) },
                .refused("class-two-ages", "two ages", ["FPA-18", "threat-37"], "invalid_request", "threat-37") {
                    Self.ask(&$0, client, "emil", ["max_age": "60", "max_age": "60"])
                },
                .refused(
                    "class-quoted", "the name of a class with a quotation mark", ["FPA-18"], "invalid_request",
                    "threat-10"
                ) { Self.ask(&$0, client, "emil", ["acr_values": "a b\"c"]) },
                .refused(
                    "class-many", "more classes than anybody has", ["FPA-18", "threat-10"], "invalid_request",
                    "threat-10"
                ) {
                    let names = (1...18).map { "class-\($0)" }.joined(separator: " ")
                    return Self.ask(&$0, client, "emil", ["acr_values": names])
                },
            ])
    }

    private mutating func addStepUps(_ world: World, _ client: Held, _ personal: Held) throws {
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "stepup-asked", "of who is signed in with a password the code alone is asked", ["FPA-20"],
                    "insufficient_authorization", "FPA-3"
                ) { Self.ask(&$0, client, nil, ["acr_values": Self.mfa]) },
                .accepted("stepup-made", "the code is shown", ["FPA-19", "FPA-20"]) {
                    try Self.step(&$0, client, $0.ask(.eduID, Self.ask(&$0, client, nil, ["acr_values": Self.mfa])))
                },
                .accepted(
                    "stepup-code", "its code is redeemed: the grant is the one that was there", ["FPA-19", "FPA-20"],
                    in: world.later(1_000)
                ) { $0.redeeming(try Self.stepUp(&$0, client), by: client) },
                .accepted(
                    "stepup-renewal", "a renewal makes the sign-in no newer", ["FPA-19"],
                    after: {
                        let code = try Self.stepUp(&$0, client)
                        try $0.perform(.eduID, $0.redeeming(code, by: client))
                        $0.now += 100
                    }
                ) { $0.refreshing(personal, at: World.eduID + "/token") },
                .accepted(
                    "stepup-weaker", "who signs in with a password afterwards has shown no more than that", ["FPA-19"]
                ) {
                    let code = try Self.stepUp(&$0, client)
                    try $0.perform(.eduID, $0.redeeming(code, by: client))
                    let granted = try $0.ask(.eduID, Self.ask(&$0, client, "emil", [:]))
                    return $0.redeeming(
                        try Vector.Rejection.need(granted["authorization_code"]?.string, "authorization_code"),
                        by: client)
                },
                .accepted(
                    "stepup-enough", "the sign-in is recent enough as it is", ["FPA-20"], in: world.later(300)
                ) { Self.ask(&$0, client, nil, ["max_age": "300", "acr_values": "password"]) },
                .refused(
                    "stepup-too-old", "a second later it is not", ["FPA-18", "FPA-20"], "insufficient_authorization",
                    "FPA-3", in: world.later(301)
                ) { Self.ask(&$0, client, nil, ["max_age": "300", "steps_supported": "otp"]) },
                .refused(
                    "stepup-unknown-steps", "the app can make none of the steps", ["FPA-9", "FPA-20"],
                    "unmet_authentication_requirements", "FPA-9"
                ) { Self.ask(&$0, client, nil, ["acr_values": Self.mfa, "steps_supported": "pin"]) },
                .refused(
                    "stepup-demanding-nothing", "nothing is demanded, so a name is missing", ["FPA-20"],
                    "invalid_request", "RFC6749-3.1"
                ) { Self.ask(&$0, client, nil, [:]) },
            ])
        var fritz = World().withPeopleOfClasses()
        let other = try fritz.register()
        try add(
            in: fritz, at: .eduID,
            [
                .refused(
                    "stepup-of-nobody", "nobody is signed in", ["FPA-20"], "invalid_request", "FPA-20"
                ) { Self.ask(&$0, other, nil, ["acr_values": Self.mfa]) },
                .refused(
                    "stepup-without-steps", "the person has nothing more to show", ["FPA-18", "FPA-20"],
                    "unmet_authentication_requirements", "FPA-18",
                    after: { _ = try $0.signIn(other, "fritz", World.passphrase(of: "fritz")) }
                ) { Self.ask(&$0, other, nil, ["acr_values": Self.mfa]) },
            ])
    }

    /// Every copy of the app can sign what S1 takes, for any instance.
    private mutating func addStepUpsByVersion(_ world: World, _ client: Held) throws {
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "stepup-by-version", "the credential is S1's request token of the registered instance",
                    ["FPA-20", "threat-63"], "invalid_client", "threat-63"
                ) {
                    Self.post(
                        [
                            ("response_type", "code"), ("client_id", client.holder),
                            ("code_challenge", World.challenge), ("code_challenge_method", "S256"),
                            ("acr_values", Self.mfa),
                        ], by: $0.statement().text)
                },
                .refused(
                    "stepup-step-by-version", "the step is made with such a request token",
                    ["FPA-20", "threat-63"], "invalid_client", "threat-63"
                ) {
                    let asked = try $0.ask(.eduID, Self.ask(&$0, client, nil, ["acr_values": Self.mfa]))
                    return Self.post(try Self.answer(asked, client), by: $0.statement().text)
                },
                .refused(
                    "stepup-code-by-version", "the code of a step-up is redeemed with such a request token",
                    ["FPA-20", "threat-63"], "invalid_client", "threat-63"
                ) {
                    let code = try Self.stepUp(&$0, client)
                    return $0.redeeming(code, by: client, bearer: $0.statement())
                },
            ])
    }

    private mutating func addEndedStepUps(_ world: World, _ client: Held, _ personal: Held) throws {
        func signOut(_ world: inout World) throws(Vector.Rejection) {
            let url = World.eduID + "/revoke"
            try world.perform(.eduID, world.revoking(personal.access, by: personal, at: url))
        }
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "stepup-signed-out", "the sign-in ended before the step was made", ["FPA-20"], "invalid_session",
                    "FPA-5"
                ) {
                    let asked = try $0.ask(.eduID, Self.ask(&$0, client, nil, ["acr_values": Self.mfa]))
                    try signOut(&$0)
                    return try Self.step(&$0, client, asked)
                },
                .refused(
                    "stepup-code-signed-out", "the sign-in ended before the code was redeemed", ["FPA-20"],
                    "invalid_grant", "threat-26"
                ) {
                    let code = try Self.stepUp(&$0, client)
                    try signOut(&$0)
                    return $0.redeeming(code, by: client)
                },
                .refused(
                    "stepup-locked", "the user was locked, so that nobody is signed in", ["FPA-20", "threat-78"],
                    "invalid_request", "FPA-20",
                    after: { try $0.administrate(["do": "lock", "user": "user-0005"]) }
                ) { Self.ask(&$0, client, nil, ["acr_values": Self.mfa]) },
                .refused(
                    "stepup-wrong", "the code is wrong", ["FPA-10", "FPA-20"], "invalid_grant", "FPA-10"
                ) {
                    let asked = try $0.ask(.eduID, Self.ask(&$0, client, nil, ["acr_values": Self.mfa]))
                    return try Self.step(&$0, client, asked, "654321")
                },
            ])
    }

    // MARK: What stands on it

    mutating func addWeakIntroductions() throws {
        var world = World().withPeopleOfClasses()
        let client = try world.register()
        let personal = try world.signIn(client, "emil", World.passphrase(of: "emil"))
        try add(
            in: world, at: .eduID,
            [
                .accepted(
                    "class-told", "an assertion tells the sign-in, whatever the profile says", ["FPA-19"],
                    in: world.later(60).withEach("services", at: .eduID) {
                        $0.with("released_claims", ["given_name", "acr", "amr", "auth_time"])
                    }
                ) { $0.introducing(personal) },
                .accepted(
                    "class-preferred", "of the classes that are demanded the first is told that was reached",
                    ["FPA-19", "FPA-22"],
                    in: world.demanding(["acr_values": ["elsewhere", "password", .string(Self.mfa)], "max_age": 60])
                ) {
                    let code = try Self.stepUp(&$0, client)
                    let held = try Held(
                        $0.perform(.eduID, $0.redeeming(code, by: client)), client.key, of: client.holder)
                    return $0.introducing(held)
                },
                .refused(
                    "class-too-weak", "a service for which more is demanded", ["FPA-22"], "insufficient_authorization",
                    "FPA-22", in: world.demanding(World.mfaDemand)
                ) { $0.introducing(personal) },
                .refused(
                    "class-renewed", "that the token was renewed makes the sign-in no newer", ["FPA-19", "FPA-22"],
                    "insufficient_authorization", "FPA-22", in: world.demanding(["max_age": 60]).later(61)
                ) {
                    let renewal = $0.refreshing(personal, at: World.eduID + "/token")
                    let held = try Held($0.perform(.eduID, renewal), client.key, of: client.holder)
                    return $0.introducing(held)
                },
                .refused(
                    "class-too-old", "a service for which a more recent sign-in is demanded", ["FPA-22"],
                    "insufficient_authorization", "FPA-22", in: world.demanding(["max_age": 60]).later(61)
                ) { $0.introducing(personal) },
            ])
    }

    mutating func addWeakAdministrators() throws {
        var world = World().withPeopleOfClasses([
            "administrators": ["user-0005"], "administrators_demand": World.mfaDemand,
        ])
        let client = try world.register()
        let personal = try world.signIn(client, "emil", World.passphrase(of: "emil"))
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "weak-administrator", "an administrator with a password alone", ["FPA-21"],
                    "insufficient_user_authentication", "FPA-21"
                ) { $0.asking(personal, "GET", "/admin/versions") },
                .accepted("strong-administrator", "one who has shown more", ["FPA-21"]) {
                    let code = try Self.stepUp(&$0, client)
                    let held = try Held(
                        $0.perform(.eduID, $0.redeeming(code, by: client)), client.key, of: client.holder)
                    return $0.asking(held, "GET", "/admin/versions")
                },
            ])
    }
}
