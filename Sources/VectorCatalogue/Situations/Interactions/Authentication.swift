internal import JOSETesting
internal import Wire

// (2) A user signs in on a registered instance; (2a) the app reads the profile; the personal token is renewed.

extension Catalogue {
    mutating func addAuthentications() throws {
        var world = World()
        let client = try world.register()
        try addChallenges(world, client)
        try addSteps()
        try addStepUps()
        try addCodes(world, client)
        try addProfiles(world, client)
        try addPersonalRenewals(world, client)
        try addPasswords(world, client)
        try addSignInsOnCurves()
        try addBrowserSignIns()
        try addBrowserTrips()
    }

    private mutating func addCodes(_ world: World, _ client: Held) throws {
        var asked = world
        let granted = try asked.perform(.eduID, asked.challenging(client))
        let code = try Vector.Rejection.need(granted["authorization_code"]?.string, "authorization_code")
        try add(
            in: asked, at: .eduID,
            [
                .accepted(
                    "code", "a code is redeemed for a personal token that can be renewed",
                    ["AUT-2", "AUT-3", "AUT-4", "TOK-2"]
                ) { $0.redeeming(code, by: client) },
                .accepted("code-in-time", "a code is redeemed in its last second", ["AUT-2"], in: asked.later(59)) {
                    $0.redeeming(code, by: client)
                },
                .refused(
                    "code-changes-user", "a second user signs in where a first one is, who has not signed out",
                    ["USR-1", "threat-73"], "invalid_grant", "USR-1",
                    after: { _ = try $0.signIn(client, "bob", "hunter2hunter2") }
                ) { $0.redeeming(code, by: client) },
                .accepted(
                    "code-same-user", "a user who is signed in gets a new token of the same grant", ["USR-1", "AUT-3"],
                    after: { _ = try $0.signIn(client) }
                ) { $0.redeeming(code, by: client) },
                .accepted(
                    "code-repeated", "the answer was lost: a minute later, with a fresh proof, it is given again",
                    ["threat-72", "AUT-3"],
                    after: {
                        try $0.perform(.eduID, $0.redeeming(code, by: client))
                        $0.now += 60
                    }
                ) { $0.redeeming(code, by: client) },
                .refused(
                    "code-repeated-otherwise", "what was redeemed is asked for again, for something else",
                    ["threat-72"], "invalid_grant", "threat-72", in: asked,
                    after: { try $0.perform(.eduID, $0.redeeming(code, by: client)) }
                ) {
                    let url = World.eduID + "/token"
                    return World.form(
                        url, ["grant_type": "authorization_code", "code": code, "code_verifier": World.verifier],
                        bearer: $0.proof(client, url).text, more: ["scope": World.eduID + "/userinfo"])
                },
                .refused(
                    "code-wrong-verifier", "the code verifier is another", ["threat-26"], "invalid_grant",
                    "RFC7636-4.6", in: asked
                ) { $0.redeeming(code, by: client, verifier: "aBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") },
                .refused(
                    "code-no-verifier", "without the code verifier", ["threat-26"], "invalid_grant", "RFC7636-4.6",
                    in: asked
                ) { $0.redeeming(code, by: client, verifier: nil) },
                .refused(
                    "code-expired", "the code has expired", ["threat-26"], "invalid_grant", "threat-26",
                    in: asked.later(60)
                ) { $0.redeeming(code, by: client) },
                .refused(
                    "code-twice", "a code that comes again too late for a lost answer ends what it gave",
                    ["threat-26", "TOK-1"], "invalid_grant", "threat-26", in: asked,
                    after: {
                        try $0.perform(.eduID, $0.redeeming(code, by: client))
                        $0.now += 61
                    }
                ) { $0.redeeming(code, by: client) },
                .refused(
                    "code-of-another", "another instance redeems the code", ["threat-26"], "invalid_grant", "threat-26",
                    in: asked
                ) { try $0.redeeming(code, by: $0.register(World.tablet, device: "tablet")) },
                .refused(
                    "code-unknown", "a code that nobody gave", ["threat-26"], "invalid_grant", "threat-26", in: asked
                ) { $0.redeeming("AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", by: client) },
                .refused(
                    "code-cut", "a code without its last letter", ["threat-26"], "invalid_grant", "threat-26", in: asked
                ) { $0.redeeming(String(code.dropLast()), by: client) },
            ])
        try refuseRequestTokens(
            "code", Defect.ofRequestTokens, "invalid_client", ["FED-5", "threat-29"], in: asked, at: .eduID, of: client,
            for: World.eduID + "/token", replays: false
        ) {
            World.form(
                World.eduID + "/token",
                ["grant_type": "authorization_code", "code": code, "code_verifier": World.verifier], bearer: $0)
        }
    }

    private static let flawedProofs: [(String, String, String, @Sendable (TestToken) -> TestToken)] = [
        ("method", "is for another method", "RFC9449-4.3", { $0.claiming(["htm": "POST"]) }),
        ("url", "is for another URL", "RFC9449-4.3", { $0.claiming(["htu": .string(World.eduID + "/usage")]) }),
        ("no-hash", "is for no access token", "RFC9449-4.3", { $0.claiming(["ath": .null]) }),
        (
            "hash", "is for another access token", "RFC9449-4.3",
            { $0.claiming(["ath": "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"]) }
        ),
        (
            "key", "is by another key", "RFC9449-7.1",
            { $0.signed(by: .pair("stranger")).heading(["jwk": TestKey.pair("stranger").publicJWK]) }
        ), ("signature", "has another key's signature", "RFC7515-5.2", { $0.signed(by: .pair("stranger")) }),
        ("type", "has no type", "RFC8725-3.11", { $0.heading(["typ": .null]) }),
        (
            "stale", "is stale", "RFC7519-4.1.6",
            { draft in draft.claiming(["iat": .number(JSON.Number(World.beginning - 61))]) }
        ),
    ]

    private mutating func addProfiles(_ registered: World, _ client: Held) throws {
        var world = registered
        let personal = try world.signIn(client)
        let url = World.eduID + "/userinfo"
        try add(
            in: world, at: .eduID,
            [
                .accepted(
                    "profile", "the profile attributes of the user, by their OpenID Connect names",
                    ["AUT-6", "USR-7", "FED-6"]
                ) { $0.asking(personal, "GET", "/userinfo") },
                .accepted("profile-claims", "those of the attributes that the app asks for", ["AUT-6", "USR-7"]) {
                    World.request("GET", url + "?claims=name+locale", bearer: $0.proof(personal, url).text)
                },
                .refused(
                    "profile-claims-gap", "a name of an attribute that is empty", ["AUT-6"], "invalid_request",
                    "RFC6749-3.1"
                ) { World.request("GET", url + "?claims=name++locale", bearer: $0.proof(personal, url).text) },
                .refused(
                    "profile-claims-many", "more attributes than there are", ["AUT-6", "threat-14"], "invalid_request",
                    "RFC6749-3.1"
                ) {
                    let names = (0..<65).map { "a\($0)" }.joined(separator: "+")
                    return World.request("GET", url + "?claims=" + names, bearer: $0.proof(personal, url).text)
                },
                .accepted("profile-dpop", "the profile by a DPoP proof", ["AUT-6", "POP-1"]) {
                    World.request("GET", url, dpop: (personal.access, $0.dpop(personal, "GET", url).text))
                },
            ])
        try refuseRequestTokens(
            "profile", Defect.allOfRequestTokens, "invalid_token", ["AUT-6", "USR-7"], in: world, at: .eduID,
            of: personal, for: url, clauses: Self.unread
        ) { World.request("GET", url, bearer: $0) }
        try add(
            in: world, at: .eduID,
            [
                .refused("profile-no-token", "without a token", ["AUT-6", "USR-7"], "invalid_token", "RFC6750-2.1") {
                    _ in World.request("GET", url)
                },
                .refused(
                    "profile-bare-token", "with the bound access token and no proof", ["POP-1", "threat-36"],
                    "invalid_token", "threat-36"
                ) { _ in World.request("GET", url, bearer: personal.access) },
                .refused(
                    "profile-by-client", "with the token of the instance, which is no user's", ["AUT-5", "threat-18"],
                    "invalid_token", "threat-18"
                ) { $0.asking(client, "GET", "/userinfo") },
            ])
        for (name, title, clause, change) in Self.flawedProofs {
            try add(
                in: world, at: .eduID,
                [
                    .refused(
                        "profile-dpop-" + name, "a DPoP proof that " + title, ["POP-1", "threat-36"],
                        name.utf8.elementsEqual("key".utf8) ? "invalid_token" : "invalid_dpop_proof", clause
                    ) { World.request("GET", url, dpop: (personal.access, change($0.dpop(personal, "GET", url)).text)) }
                ])
        }
        try addEndedProfiles(world, client, personal)
        try addNonces(world, of: personal)
    }

    private mutating func addEndedProfiles(_ world: World, _ client: Held, _ personal: Held) throws {
        let proud: JSON = ["name": "Ada Muster", "role": "administrator", "administrator": true]
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "profile-lapsed", "the personal token has expired", ["TOK-2", "TOK-1"], "invalid_token", "TOK-1",
                    in: world.later(3_600)
                ) { $0.asking(personal, "GET", "/userinfo") },
                .refused(
                    "profile-after-new-registration", "the instance has ended and registered anew since",
                    ["REQ-10", "TOK-1"], "invalid_token", "TOK-1",
                    after: {
                        try $0.perform(.eduID, $0.ending(client))
                        try $0.register(device: "phone-2")
                    }
                ) { $0.asking(personal, "GET", "/userinfo") },
                .refused(
                    "profile-blocked-version", "the version has been shut out since", ["FED-4"], "invalid_token",
                    "FED-4", in: world.blocking("ios-1.0")
                ) { $0.asking(personal, "GET", "/userinfo") },
                .refused(
                    "profile-signed-out", "an administrator has signed the user out", ["TOK-5", "TOK-8"],
                    "invalid_token", "TOK-1", after: { try $0.administrate(["do": "sign_out", "user": "user-0001"]) }
                ) { $0.asking(personal, "GET", "/userinfo") },
                .refused("elsewhere", "the personal token opens nothing else", ["AUT-5"], "http_404", "-") {
                    $0.asking(personal, "GET", "/everything")
                },
                .refused(
                    "administration-of-nobody", "an administrator signs out a user whom nobody knows",
                    ["TOK-5", "threat-65"], "http_404", "-",
                    in: world.with(["administrators": ["user-0001"]], at: .eduID)
                ) { $0.asking(personal, "DELETE", "/admin/users/user%2D9999") },
                .refused(
                    "administration-of-no-text", "the user's name in the path is no text", ["TOK-5", "threat-65"],
                    "http_404", "-", in: world.with(["administrators": ["user-0001"]], at: .eduID)
                ) { $0.asking(personal, "DELETE", "/admin/users/user-0001%FF") },
                .accepted(
                    "administration-decoded", "the user's name in the path is percent-encoded",
                    ["TOK-5", "threat-65"], in: world.with(["administrators": ["user-0001"]], at: .eduID)
                ) { $0.asking(personal, "DELETE", "/admin/users/user%2D0001") },
                .refused(
                    "administration", "the personal token of a user who is no administrator", ["AUT-5", "TOK-5"],
                    "insufficient_scope", "TOK-5"
                ) { $0.asking(personal, "GET", "/admin/instances") },
                .refused(
                    "administration-by-profile", "what the profile says about the user opens nothing",
                    ["FED-6", "TOK-5"], "insufficient_scope", "TOK-5",
                    in: world.withEach("users", at: .eduID) { $0.with("profile", proud) }
                ) { $0.asking(personal, "GET", "/admin/instances") },
                .accepted(
                    "administration-instances", "an administrator lists the instances with their versions",
                    ["FED-3", "FED-2", "TOK-5"], in: world.with(["administrators": ["user-0001"]], at: .eduID)
                ) { $0.asking(personal, "GET", "/admin/instances") },
                .accepted(
                    "administration-versions", "an administrator lists the versions", ["FED-2"],
                    in: world.with(["administrators": ["user-0001"]], at: .eduID)
                ) { $0.asking(personal, "GET", "/admin/versions") },
            ])
    }

    private mutating func addPersonalRenewals(_ registered: World, _ client: Held) throws {
        var world = registered
        let personal = try world.signIn(client)
        let token = World.eduID + "/token"
        try add(
            in: world, at: .eduID,
            [
                .accepted("refresh", "a personal token is renewed", ["AUT-3", "TOK-2"]) {
                    $0.refreshing(personal, at: token)
                },
                .accepted(
                    "refresh-expired", "an expired personal token is renewed", ["AUT-3", "TOK-2"],
                    in: world.later(40_000)
                ) { $0.refreshing(personal, at: token) },
                .accepted("refresh-by-client", "the instance's own token is proof enough", ["AUT-3"]) {
                    World.form(
                        token, ["grant_type": "refresh_token", "refresh_token": personal.refresh ?? ""],
                        bearer: $0.proof(client, token).text)
                },
                .accepted("refresh-narrower", "the new token is for less", ["AUT-3"]) {
                    $0.refreshing(personal, at: token, scope: World.eduID + "/userinfo")
                },
                .refused(
                    "narrow-elsewhere", "a token that was renewed for less opens nothing more", ["AUT-5", "threat-30"],
                    "insufficient_scope", "AUT-5"
                ) {
                    try $0.asking(
                        Held(
                            $0.perform(.eduID, $0.refreshing(personal, at: token, scope: World.eduID + "/userinfo")),
                            personal.key, of: World.phone), "GET", "/usage")
                },
                .refused(
                    "refresh-wider", "the new token is to be for more", ["threat-30"], "invalid_scope", "threat-30"
                ) { $0.refreshing(personal, at: token, scope: World.eduID + "/admin") },
                .refused(
                    "refresh-twice", "a refresh token that comes again too late for a lost answer ends its family",
                    ["TOK-3", "threat-28"], "invalid_grant", "threat-28",
                    after: {
                        try $0.refresh(personal, .eduID, at: token)
                        $0.now += 61
                    }
                ) { $0.refreshing(personal, at: token) },
            ])
        try addRepeatedRenewals(world, personal)
    }

    private mutating func addRepeatedRenewals(_ world: World, _ personal: Held) throws {
        let token = World.eduID + "/token"
        var window = world.with(["repetition_window": 30], at: .eduID)
        _ = try window.refresh(personal, .eduID, at: token)
        window = window.later(30)
        try add(
            in: window, at: .eduID,
            [
                .accepted(
                    "refresh-repeated", "within the window of the policy the same request gets the same answer",
                    ["TOK-2", "threat-72"]
                ) { $0.refreshing(personal, at: token) },
                .refused(
                    "refresh-repeated-otherwise", "within the window, for less than the first request was",
                    ["threat-72"], "invalid_grant", "threat-72"
                ) { $0.refreshing(personal, at: token, scope: World.eduID + "/userinfo") },
                .refused(
                    "refresh-revoked", "nothing is recovered from a revoked token", ["TOK-3", "threat-31"],
                    "invalid_grant", "TOK-3", in: world,
                    after: {
                        try $0.perform(.eduID, $0.revoking(personal.access, by: personal, at: World.eduID + "/revoke"))
                    }
                ) { $0.refreshing(personal, at: token) },
                .refused(
                    "refresh-of-another", "another instance presents the refresh token", ["TOK-3", "threat-28"],
                    "invalid_grant", "RFC6749-6", in: world
                ) {
                    try World.form(
                        token, ["grant_type": "refresh_token", "refresh_token": personal.refresh ?? ""],
                        bearer: $0.proof($0.register(World.tablet, device: "tablet"), token).text)
                },
                .refused(
                    "refresh-unknown", "a refresh token of a record that there is not", ["TOK-3"], "invalid_grant",
                    "RFC6749-6", in: world
                ) { world in
                    world.refreshing(
                        personal, at: token,
                        token: (personal.refresh ?? "").prefix { $0 != "." } + ".AAAAAAAAAAAAAAAAAAAAAA")
                },
                .refused(
                    "refresh-invented", "a refresh token that nobody gave", ["TOK-3"], "invalid_grant", "RFC6749-6",
                    in: world
                ) { $0.refreshing(personal, at: token, token: "invented.\(personal.id)") },
            ])
        try refuseRequestTokens(
            "refresh", Defect.ofRequestTokens, "invalid_client", ["AUT-3", "threat-29"], in: world, at: .eduID,
            of: personal, for: token, replays: false
        ) { World.form(token, ["grant_type": "refresh_token", "refresh_token": personal.refresh ?? ""], bearer: $0) }
    }

    private mutating func addPasswords(_ registered: World, _ client: Held) throws {
        let token = World.eduID + "/token"
        let world = registered.with(["takes_passwords": true], at: .eduID)
        let pairs: KeyValuePairs<String, String> = [
            "grant_type": "password", "username": "ada", "password": "correct horse battery staple",
        ]
        try add(
            in: world, at: .eduID,
            [
                .accepted(
                    "password", "deployed apps send the password to the token endpoint, where the policy lets them",
                    ["AUT-2"]
                ) { World.form(token, pairs, bearer: $0.proof(client, token).text) },
                .refused(
                    "password-wrong", "the password is wrong", ["AUT-2", "threat-39"], "invalid_grant", "threat-39",
                    after: { $0.name() }
                ) {
                    World.form(
                        token, ["grant_type": "password", "username": "ada", "password": "no"],
                        bearer: $0.proof(client, token).text)
                },
                .refused(
                    "password-unregistered", "the instance is not registered", ["AUT-1"], "invalid_client", "AUT-1",
                    in: World().with(["takes_passwords": true], at: .eduID)
                ) { World.form(token, pairs, bearer: $0.statement().text) },
            ])
    }
}
