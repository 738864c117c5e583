internal import JOSETesting
internal import Wire

// (10) Tokens end: by those who hold them, by the edu-ID service, by users and administrators.

extension Catalogue {
    mutating func addRevocations() throws {
        try addRevocationsAtService()
        try addWithdrawals()
        try addRevocationsAtEduID()
        try addInstances()
        try addDeliveries()
        try addManagement()
        try addWeakAdministrators()
        try addExpulsions()
        try addGlobalRevocations()
        try addLogouts()
        try addOtherEndings()
    }

    private static let flawedCredentials: [Defect] = [
        Defect("foreign-signature", "signed by another key", ["TOK-7"], "RFC7515-5.2") {
            $0.signed(by: .pair("stranger"))
        },
        Defect("other-party", "of another service", ["TOK-7", "threat-25"], "RFC8725-3.8") {
            $0.claiming(["iss": .string(World.beta), "sub": .string(World.beta)])
        },
        Defect("other-audience", "for another service", ["TOK-7", "threat-24"], "RFC7519-4.1.3") {
            $0.claiming(["aud": .string(World.beta)])
        },
        Defect("expired", "whose end has come", ["TOK-7", "threat-16"], "RFC7519-4.1.4") {
            $0.claiming(["iat": $0.time(-60), "exp": $0.time(0)])
        },
        Defect("service-assertion", "that is a service assertion", ["TOK-7", "threat-18"], "RFC8725-3.11") {
            $0.heading(["typ": "authorization-grant+jwt"])
        },
    ]

    private mutating func addRevocationsAtService() throws {
        var world = World()
        let service = try world.redeem()
        let app = try world.authorize(service)
        let url = World.alpha + "/oauth/revoke"
        var twice = world
        let newer = try twice.redeem("assertion-2")
        try add(
            in: world, at: .alpha,
            [
                .accepted("own-app-token", "an app ends its token", ["TOK-4", "NIF-10"]) {
                    $0.revoking(app.access, by: app, at: url)
                },
                .accepted("own-refresh-token", "an app ends its grant by the refresh token", ["TOK-4"]) {
                    $0.revoking(app.refresh ?? "", by: app, at: url)
                },
                .accepted("app-token-by-instance", "the instance ends an app's token", ["TOK-4", "TOK-5"]) {
                    $0.revoking(app.access, by: service, at: url)
                },
                .accepted(
                    "service-token", "the instance ends its service token, and with it all app tokens",
                    ["TOK-6", "TOK-1"]
                ) { $0.revoking(service.access, by: service, at: url) },
                .accepted(
                    "service-token-of-two",
                    "the instance ends its service token, and with it what an earlier introduction gave",
                    ["TOK-6", "TOK-1"], in: twice
                ) { $0.revoking(newer.access, by: newer, at: url) },
                .accepted(
                    "older-service-token", "an end that comes late ends nothing that was given since", ["TOK-6"],
                    in: twice
                ) { $0.revoking(service.access, by: service, at: url) },
                .accepted("by-assertion", "the edu-ID service takes an assertion back", ["TOK-7", "TOK-6"]) {
                    $0.takingBack("assertion-1")
                },
                .accepted(
                    "by-unknown-assertion", "an assertion that has not come yet is noted as revoked",
                    ["TOK-7", "TOK-8"]
                ) { $0.takingBack("assertion-9") },
                .accepted("unknown", "an unknown token is answered like a known one", ["TOK-4", "threat-33"]) {
                    $0.revoking("unknown", by: app, at: url)
                },
                .accepted(
                    "expired", "an expired token is ended by its holder", ["TOK-4", "threat-32"],
                    in: world.later(90_000)
                ) { $0.revoking(app.access, by: app, at: url) },
                .accepted("foreign", "another app's token stays, and nothing is told of it", ["TOK-4", "threat-33"]) {
                    try $0.revoking(
                        app.access, by: $0.authorize(service, for: "ch.example.writer", binding: "writer"), at: url)
                },
                .accepted(
                    "service-token-by-app", "an app does not end the token under its own", ["TOK-4", "threat-33"]
                ) { $0.revoking(service.access, by: app, at: url) },
                .accepted(
                    "again", "what has ended is over for whoever asks again", ["TOK-8"],
                    after: { try $0.perform(.alpha, $0.revoking(app.access, by: app, at: url)) }
                ) { $0.revoking(app.access, by: app, at: url) },
            ])
        try refuseRequestTokens(
            "proof", Defect.ofRequestTokens, "invalid_client", ["TOK-4", "threat-33"], in: world, at: .alpha, of: app,
            for: url
        ) { World.form(url, ["token": app.access], bearer: $0) }
        try add(
            in: world, at: .alpha,
            [
                .refused("no-credential", "without a credential", ["TOK-4", "TOK-5"], "invalid_client", "RFC7009-2.1") {
                    _ in World.form(url, ["token": app.access])
                },
                .refused("no-token", "without a token", ["TOK-4"], "invalid_request", "RFC6749-3.1") {
                    World.form(url, [:], bearer: $0.proof(app, url).text)
                },
            ])
        try addFormerGrants(world, service, app)
        try addRenewedPlainTokens(world, service)
        try addFlawedCredentials(world)
    }

    /// An app that was given something several times with one service token, beside another app.
    private mutating func addFormerGrants(_ world: World, _ service: Held, _ first: Held) throws {
        let url = World.alpha + "/oauth/revoke"
        var world = world
        _ = try world.authorize(service, for: "ch.example.writer", binding: "writer")
        let second = try world.authorize(service)
        let third = try world.authorize(service)
        try add(
            in: world, at: .alpha,
            [
                .accepted(
                    "last-app-token-by-instance",
                    "the instance ends an app's last token, and with it what the app got before", ["TOK-5", "TOK-4"]
                ) { $0.revoking(third.access, by: service, at: url) },
                .accepted(
                    "former-app-token-by-instance", "what an app was given since the token that ends stays",
                    ["TOK-5", "TOK-4"]
                ) { $0.revoking(second.access, by: service, at: url) },
                .accepted(
                    "former-app-token-again", "what the app got before ends where its token has ended already",
                    ["TOK-5", "TOK-8"],
                    after: { try $0.perform(.alpha, $0.revoking(third.access, by: third, at: url)) }
                ) { $0.revoking(third.access, by: service, at: url) },
                .accepted("last-app-token-by-app", "an app ends its last token, and nothing beside", ["TOK-4"]) {
                    $0.revoking(third.access, by: third, at: url)
                },
            ])
    }

    /// A plain token, the first of which the instance knows, and the next of which its app has.
    private mutating func addRenewedPlainTokens(_ world: World, _ service: Held) throws {
        let url = World.alpha + "/oauth/revoke"
        var world = world.with(["keyless_apps": "bearer_token"], at: .alpha)
        let first = try world.authorize(service, binding: nil)
        let renewed = try world.perform(
            .alpha,
            World.form(
                World.alpha + "/oauth/token",
                ["grant_type": "refresh_token", "refresh_token": first.refresh ?? "", "client_id": World.reader]))
        let second = renewed["access_token"]?.string ?? ""
        try add(
            in: world, at: .alpha,
            [
                .accepted(
                    "renewed-plain-token-by-instance", "the instance ends a plain token that its app has renewed since",
                    ["TOK-5", "threat-32"]
                ) { $0.revoking(first.access, by: service, at: url) },
                .accepted(
                    "renewed-plain-token-by-other-instance", "nobody else ends a plain token by its name",
                    ["TOK-4", "threat-33"]
                ) { try $0.revoking(first.access, by: $0.redeem("assertion-2"), at: url) },
                .accepted(
                    "renewed-plain-token-by-name", "a plain token that was renewed since means nothing by itself",
                    ["TOK-4", "threat-33"]
                ) { _ in World.form(url, ["token": first.access, "client_id": World.reader]) },
                .accepted(
                    "renewed-plain-token-by-bearer", "a plain token that was renewed since means nothing to its bearer",
                    ["TOK-4", "threat-33"]
                ) { _ in World.form(url, ["token": first.access], bearer: second) },
            ])
    }

    private mutating func addFlawedCredentials(_ world: World) throws {
        for defect in Self.flawedCredentials {
            try add(
                in: world, at: .alpha,
                [
                    .refused(
                        "assertion-" + defect.name, "a client assertion " + defect.title, defect.proves,
                        "invalid_client", defect.clause
                    ) { $0.takingBack("assertion-1", defect.change) }
                ])
        }
        try add(
            in: world, at: .alpha,
            [
                .refused(
                    "assertion-replayed", "a client assertion that was presented before", ["TOK-7", "threat-36"],
                    "invalid_client", "threat-36"
                ) { world in
                    let once = world.takingBack("assertion-1")
                    try world.attempt(.alpha, once)
                    return once
                }
            ])
    }

    private mutating func addRevocationsAtEduID() throws {
        var world = World()
        let client = try world.register()
        let personal = try world.signIn(client)
        let url = World.eduID + "/revoke"
        try add(
            in: world, at: .eduID,
            [
                .accepted("sign-out", "the app ends the personal token", ["TOK-4", "TOK-5", "UX-5"]) {
                    $0.revoking(personal.access, by: personal, at: url)
                },
                .accepted(
                    "sign-out-services", "two services are told that the user has signed out", ["TOK-7", "TOK-6"]
                ) { world in
                    _ = try world.introduce(personal)
                    _ = try world.introduce(personal, to: World.beta)
                    return world.revoking(personal.access, by: personal, at: url)
                },
                .accepted("sign-out-by-instance", "the instance ends the personal token with its own", ["TOK-4"]) {
                    $0.revoking(personal.access, by: client, at: url)
                },
                .accepted(
                    "sign-out-late", "an expired personal token is ended", ["TOK-4", "threat-32"],
                    in: world.later(90_000)
                ) { $0.revoking(personal.access, by: personal, at: url) },
                .accepted(
                    "sign-out-again", "the dead token is over for whoever asks again with it", ["TOK-8"],
                    after: { try $0.perform(.eduID, $0.revoking(personal.access, by: personal, at: url)) }
                ) { $0.revoking(personal.access, by: personal, at: url) },
                .accepted("sign-out-foreign", "another user's token stays", ["TOK-4", "threat-33"]) {
                    try $0.revoking(
                        personal.access,
                        by: $0.signIn($0.register(World.tablet, device: "tablet"), "bob", "hunter2hunter2"), at: url)
                },
            ])
        try refuseRequestTokens(
            "sign-out", Defect.ofRequestTokens, "invalid_client", ["TOK-4"], in: world, at: .eduID, of: personal,
            for: url, replays: false
        ) { World.form(url, ["token": personal.access], bearer: $0) }
        try add(
            in: world, at: .eduID,
            [
                .refused("sign-out-nobody", "without a credential", ["TOK-4"], "invalid_client", "RFC6750-2.1") { _ in
                    World.form(url, ["token": personal.access])
                }
            ])
    }

    private mutating func addInstances() throws {
        var world = World()
        let client = try world.register()
        let personal = try world.signIn(client)
        let tablet = try world.register(World.tablet, device: "tablet")
        let second = try world.signIn(tablet)
        try add(
            in: world, at: .eduID,
            [
                .accepted("instances", "a user lists the instances that are linked to the account", ["USR-2", "FED-2"])
                { $0.asking(personal, "GET", "/instances") },
                .accepted("disconnect", "a user ends a lost device from another one", ["USR-3", "REG-8"]) {
                    $0.asking(personal, "DELETE", "/instances/" + World.tablet)
                },
            ])
        var copy = world
        try copy.perform(.eduID, copy.asking(personal, "DELETE", "/instances/" + World.tablet))
        try add(
            in: copy, at: .eduID,
            [
                .accepted("others-stay", "the user's other devices stay", ["REG-8"]) {
                    $0.asking(personal, "GET", "/userinfo")
                },
                .refused(
                    "disconnected", "the lost device opens nothing any more", ["REG-8", "TOK-1", "TOK-5"],
                    "invalid_token", "TOK-1", after: { $0.name() }
                ) { $0.asking(second, "GET", "/userinfo") },
                .refused(
                    "disconnected-registration", "its statement signs nobody in", ["REG-8", "AUT-1"], "invalid_client",
                    "AUT-1"
                ) { _ in
                    World.form(
                        World.eduID + "/authorize-challenge",
                        [
                            "response_type": "code", "client_id": World.tablet, "username": "ada",
                            "password": "correct horse battery staple", "code_challenge": World.challenge,
                            "code_challenge_method": "S256",
                        ], bearer: world.statement(World.tablet, device: "tablet").text)
                },
                .refused(
                    "disconnect-foreign", "a user cannot end another user's device", ["USR-3", "REG-8", "threat-33"],
                    "http_404", "-", in: world
                ) {
                    try $0.asking(
                        $0.signIn(
                            $0.register("6f1c3c4e-7a3a-4c55-9d1e-0a4b8f7f0003", device: "third"), "bob",
                            "hunter2hunter2"), "DELETE", "/instances/" + World.phone)
                },
                .refused(
                    "disconnect-by-client", "an instance without a user ends nothing", ["USR-3", "threat-18"],
                    "invalid_token", "threat-18", in: world
                ) { $0.asking(client, "DELETE", "/instances/" + World.tablet) },
            ])
        try addAdministrations(world, personal, by: client)
    }

    private mutating func addAdministrations(_ world: World, _ personal: Held, by client: Held) throws {
        let administrator = world.with(["administrators": ["user-0001"]], at: .eduID)
        var begun = administrator
        let granted = try begun.perform(.eduID, begun.challenging(client))
        let code = try Vector.Rejection.need(granted["authorization_code"]?.string, "authorization_code")
        try add(
            in: begun, at: .eduID,
            [
                .accepted(
                    "sign-out-user-begun", "a user who has begun to sign in once more is signed out", ["USR-4"]
                ) { $0.asking(personal, "DELETE", "/admin/users/user-0001") },
                .refused(
                    "sign-out-then-redeemed", "whoever had begun to sign in does not come in after that", ["USR-4"],
                    "invalid_grant", "threat-26",
                    after: { try $0.perform(.eduID, $0.asking(personal, "DELETE", "/admin/users/user-0001")) }
                ) { $0.redeeming(code, by: client) },
            ])
        try add(
            in: administrator, at: .eduID,
            [
                .accepted("block", "an administrator shuts a version out", ["FED-4", "TOK-5", "REG-4"]) {
                    $0.asking(personal, "POST", "/admin/versions/android-1.0/block")
                },
                .accepted("reject", "an administrator rejects an instance for good", ["REG-7", "TOK-5"]) {
                    $0.asking(personal, "DELETE", "/admin/instances/" + World.tablet)
                },
                .accepted(
                    "sign-out-user", "an administrator ends whatever a user is signed in with", ["USR-4", "TOK-5"]
                ) { $0.asking(personal, "DELETE", "/admin/users/user-0001") },
                .refused(
                    "block-by-user", "a user who is no administrator", ["FED-4", "TOK-5"], "insufficient_scope",
                    "TOK-5", in: world
                ) { $0.asking(personal, "POST", "/admin/versions/android-1.0/block") },
                .refused(
                    "after-block", "the version of the administrator's own instance was shut out",
                    ["FED-4", "FED-2", "FED-3"], "invalid_token", "FED-4",
                    after: { try $0.perform(.eduID, $0.asking(personal, "POST", "/admin/versions/ios-1.0/block")) }
                ) { $0.asking(personal, "GET", "/admin/instances") },
            ])
    }

    private mutating func addDeliveries() throws {
        var world = World()
        let client = try world.register()
        let personal = try world.signIn(client)
        _ = try world.introduce(personal)
        try world.perform(.eduID, world.revoking(personal.access, by: personal, at: World.eduID + "/revoke"))
        let ended = world
        world.takeBack()
        let given = Self.givenForDelivery
        let confirmed: JSON = ["status": 200, "headers": ["Cache-Control": "no-store"]]
        add(
            "delivery", "a service is told, and confirms", ["TOK-7"], .delivery, given(world, "delivery", confirmed),
            expecting: nil)
        add(
            "delivery-refused", "a service that refuses is told again", ["TOK-7", "threat-32"], .delivery,
            given(
                world, "delivery-refused",
                [
                    "status": 401, "headers": ["Content-Type": "application/json"],
                    "body": #"{"error":"invalid_client"}"#,
                ]), expecting: nil)
        add(
            "delivery-silent", "a service that does not answer is told again", ["TOK-7", "threat-32"], .delivery,
            given(world, "delivery-silent", .null), expecting: nil)
        let moved = world.withEach("services", at: .eduID) {
            $0.with("revocation_endpoint", "https://tokens.alpha.example.ch/end")
        }
        add(
            "delivery-by-index", "the index says where the service's revocation endpoint is", ["TOK-7", "FED-1"],
            .delivery, given(moved, "delivery-by-index", confirmed), expecting: nil)
        addFormerPlaces(after: ended, moved: moved, left: world.with("services", at: .eduID) { _ in [] }, confirmed)
    }

    /// Services that took revocations somewhere else when they were given what has ended.
    private mutating func addFormerPlaces(after ended: World, moved: World, left: World, _ confirmed: JSON) {
        let given = Self.givenForDelivery
        add(
            "delivery-left", "a service that the federation does not have any more is told where it was", ["TOK-7"],
            .delivery, given(left, "delivery-left", confirmed), expecting: nil)
        add(
            "delivery-moved", "where nobody takes it, the service is told where it was as well",
            ["TOK-7", "threat-60"], .delivery,
            given(moved, "delivery-moved", ["status": 404, "headers": [:]]), expecting: nil)
        add(
            "delivery-moved-failing", "who cannot at the moment is asked again, and nobody else",
            ["TOK-7", "threat-60"], .delivery,
            given(moved, "delivery-moved-failing", ["status": 503, "headers": [:]]), expecting: nil)
        func leaving(_ place: JSON?) -> World {
            var world = ended
            world.takeBack { _ in place }
            return world.with("services", at: .eduID) { _ in [] }
        }
        add(
            "delivery-nowhere", "a service that has left, and nothing is kept of where it was", ["TOK-7"], .delivery,
            given(leaving(nil), "delivery-nowhere", confirmed), expecting: "TOK-7")
        add(
            "delivery-closed", "a service that has left, and was where no request may go", ["TOK-7", "threat-70"],
            .delivery, given(leaving("https://192.168.1.1/oauth/revoke"), "delivery-closed", confirmed),
            expecting: "TOK-7")
    }

    private static func givenForDelivery(_ world: World, _ name: String, _ answer: JSON) -> JSON.Object {
        var given = world.given(.eduID, .null, entropy: "10/" + name)
        given["request"] = nil
        given["answer"] = answer
        return given
    }
}
