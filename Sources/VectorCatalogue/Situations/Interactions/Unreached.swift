internal import JOSETesting
internal import Wire

// Endings by whatever was given, proofs that are no proof, and what an administrator takes back: one situation each.

extension Catalogue {
    /// (1), (2): who registers or renews without a right to.
    mutating func addStrangersAtEduID() throws {
        let token = World.eduID + "/token"
        var world = World()
        let client = try world.register()
        let personal = try world.signIn(client)
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "password-client", "a client with a name and a password, which nobody was given",
                    ["REQ-13", "threat-37"], "invalid_client", "REG-1", in: World()
                ) { _ in
                    let request = World.form(token, ["grant_type": "client_credentials"])
                    return request.with(
                        "headers",
                        (request["headers"] ?? [:]).with("Authorization", "Basic YTpi"))
                },
                .refused(
                    "refresh-unknown", "a refresh token that nobody was given", ["TOK-3", "threat-39"],
                    "invalid_grant", "RFC6749-6"
                ) { $0.refreshing(personal, at: token, token: "an-unknown-refresh-token") },
            ])
    }

    /// (8): a refresh token that the service never gave.
    mutating func addStrangersAtService(_ world: World, _ app: Held) throws {
        let url = World.alpha + "/oauth/token"
        let unknown: KeyValuePairs = ["grant_type": "refresh_token", "refresh_token": "an-unknown-refresh-token"]
        try add(
            in: world, at: .alpha,
            [
                .refused(
                    "refresh-unknown", "a refresh token that nobody was given, with the proof of a key",
                    ["TOK-3", "threat-39"], "invalid_grant", "RFC6749-6"
                ) { $0.refreshing(app, at: url, token: "an-unknown-refresh-token") },
                .refused(
                    "refresh-unknown-named", "a refresh token that nobody was given, with the name of an app",
                    ["TOK-3", "threat-39"], "invalid_grant", "RFC6749-6"
                ) { _ in World.form(url, unknown, more: ["client_id": World.reader]) },
                .refused(
                    "refresh-unknown-nobody", "a refresh token that nobody was given, by nobody",
                    ["TOK-3", "threat-39"], "invalid_client", "RFC6749-6"
                ) { _ in World.form(url, unknown) },
                .accepted(
                    "refresh-dpop-alone", "an app renews its token by a DPoP proof without its old token",
                    ["TOK-2", "POP-1"]
                ) {
                    World.form(
                        url, ["grant_type": "refresh_token", "refresh_token": app.refresh ?? ""],
                        dpop: $0.dpop(app, "POST", url).claiming(["ath": .null]).text)
                },
                .refused(
                    "refresh-dpop-stranger", "a refresh token, and a DPoP proof by another key",
                    ["TOK-2", "POP-1", "threat-29"], "invalid_client", "RFC9449-7.1"
                ) {
                    let stranger = try Held(["access_token": "none"], .pair("stranger"), of: World.reader)
                    return World.form(
                        url, ["grant_type": "refresh_token", "refresh_token": app.refresh ?? ""],
                        dpop: $0.dpop(stranger, "POST", url).claiming(["ath": .null]).text)
                },
            ])
    }

    /// (9): proofs with a key that is none, or a secret.
    mutating func addKeylessProofs(_ world: World, _ app: Held) throws {
        let secret = TestKey.secret("a secret of two")
        let proofs: [(name: String, title: String, clause: String, change: (TestToken) -> TestToken)] = [
            ("without-key", "without a key in its header", "RFC9449-4.2", { $0.heading(["jwk": .null]) }),
            (
                "private-key", "that shows its private key", "RFC7517-9.2",
                { $0.heading(["jwk": TestKey.pair("reader").privateJWK("reader-1")]) }
            ),
            ("secret", "that shows a secret", "RFC7517-9.2", { $0.heading(["jwk": secret.privateJWK("secret-1")]) }),
            ("symmetric", "whose algorithm is that of a secret", "RFC9449-4.2", { $0.heading(["alg": "HS256"]) }),
        ]
        try add(
            in: world, at: .alpha, kind: .access,
            proofs.map { name, title, clause, change in
                .refused(
                    "dpop-" + name, "a DPoP proof " + title, ["POP-1", "threat-36"], "invalid_dpop_proof", clause
                ) {
                    World.request("GET", World.papi, dpop: (app.access, change($0.dpop(app, "GET", World.papi)).text))
                }
            })
    }

    /// (10): endings by a refresh token, a code, a plain token, and what an administrator does and takes back.
    mutating func addOtherEndings() throws {
        var world = World()
        let client = try world.register()
        let personal = try world.signIn(client)
        let tablet = try world.signIn(
            try world.register(World.tablet, device: "tablet"), "bob", "hunter2hunter2")
        let revoke = World.eduID + "/revoke"
        try add(
            in: world, at: .eduID,
            [
                .accepted(
                    "sign-out-refresh-token", "the app ends the session by the refresh token",
                    ["TOK-4", "TOK-5", "UX-5"]
                ) { $0.revoking(personal.refresh ?? "", by: personal, at: revoke) },
                .accepted("end-of-code", "the app ends a code that it does not redeem", ["TOK-4"]) {
                    let code = try $0.perform(.eduID, $0.challenging(client))["authorization_code"]?.string
                    return $0.revoking(code ?? "", by: client, at: revoke)
                },
            ])
        let administrated = world.with(["administrators": ["user-0001"]], at: .eduID)
        func after(_ method: String, _ path: String) throws -> World {
            var world = administrated
            try world.perform(.eduID, world.asking(personal, method, path))
            return world
        }
        let locked = try after("POST", "/admin/users/user-0002/lock")
        let forgotten = try after("DELETE", "/admin/users/user-0002/data")
        let blocked = try after("POST", "/admin/versions/android-1.0/block")
        try add(
            in: administrated, at: .eduID,
            [
                .accepted("version-unblocked", "a version that was shut out is let in again", ["FED-4"], in: blocked) {
                    $0.asking(personal, "POST", "/admin/versions/android-1.0/unblock")
                },
                .accepted("user-unlocked", "an administrator lets a user in again", ["threat-78"], in: locked) {
                    $0.asking(personal, "POST", "/admin/users/user-0002/unlock")
                },
                .accepted(
                    "locked-otherwise", "a user who is locked is locked for another reason", ["threat-78"], in: locked
                ) {
                    let url = World.eduID + "/admin/users/user-0002/lock"
                    return World.form(url, ["reason": "stolen"], bearer: $0.proof(personal, url).text)
                },
                .accepted("user-forgotten", "a user is forgotten", ["USR-4", "threat-75"]) {
                    $0.asking(personal, "DELETE", "/admin/users/user-0002/data")
                },
                .refused(
                    "user-forgotten-token", "what a forgotten user was given", ["USR-4", "threat-75", "TOK-1"],
                    "invalid_token", "TOK-1", in: forgotten
                ) { $0.asking(tablet, "GET", "/userinfo") },
                .refused("nobody-forgotten", "a user of whom nothing is known", ["threat-75"], "http_404", "-") {
                    $0.asking(personal, "DELETE", "/admin/users/user-0009/data")
                },
            ])
        try addPlainEndings()
    }

    private mutating func addPlainEndings() throws {
        var world = World().with(["keyless_apps": "bearer_token"], at: .alpha)
        let plain = try world.authorize(try world.redeem(), binding: nil)
        let revoke = World.alpha + "/oauth/revoke"
        func ending(_ token: String, _ name: String?) -> Situation.Request {
            { _ in World.form(revoke, ["token": token], more: name.map { ["client_id": $0] } ?? [:]) }
        }
        try add(
            in: world, at: .alpha,
            [
                .accepted(
                    "plain-token", "an app ends its plain token, and says which app it is", ["TOK-4", "NIF-10"],
                    ending(plain.access, World.reader)),
                .accepted(
                    "plain-refresh-token", "an app ends its plain token by the refresh token", ["TOK-4", "NIF-10"],
                    ending(plain.refresh ?? "", World.reader)),
                .accepted(
                    "plain-token-foreign", "another app ends a plain token that is not its own: nothing is told of it",
                    ["TOK-4", "threat-33"], ending(plain.access, "ch.example.writer")),
            ])
    }
}
