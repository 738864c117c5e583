internal import JOSETesting
internal import Wire

// (10) A provider says that somebody has signed out there.

extension Catalogue {
    private static let event: JSON.Name = "http://schemas.openid.net/event/backchannel-logout"

    mutating func addLogouts() throws {
        var world = World().signingInAtProvider()
        let client = try world.register()
        let held = try world.signInAtProvider(client) { $0.claiming(["sid": "session-1"]) }
        world.now += 100
        try addTakenLogouts(world)
        try addBegunLogouts(world, client)
        try addAfterLogouts(world, client, held)
        try addFlawedLogouts(world)
        try add(
            in: World(), at: .eduID,
            [
                .refused(
                    "logout-nowhere", "where people sign in at no provider", ["OIC-15"], "http_404", "-"
                ) { $0.ending(by: $0.logout()) }
            ])
    }

    private mutating func addTakenLogouts(_ world: World) throws {
        let sign: JSON = ["sid": "session-1"]
        let rows: [(String, String, [String], JSON.Object)] = [
            ("everywhere", "from all sessions, which ends what was signed in to", ["OIC-16", "OIC-17"], [:]),
            (
                "in-one", "from one, where the person is asked anew", ["OIC-17"],
                ["sub": .null, "sid": sign["sid"] ?? .null]
            ),
            ("of-whom", "from one, and the provider says whose it is", ["OIC-17"], ["sid": "session-1"]),
            (
                "of-another", "from one, which the provider says is another person's", ["OIC-17"],
                ["sid": "session-1", "sub": "eve"]
            ),
            ("unknown-person", "of somebody who is not known", ["OIC-16"], ["sub": "eve-at-provider"]),
            ("unknown-session", "from a session that is not known", ["OIC-16"], ["sub": .null, "sid": "session-2"]),
            ("capitals", "of somebody whose name has other letters", ["OIC-16"], ["sub": "Ada-at-provider"]),
            ("to-several", "which several clients are told", ["OIC-16"], ["aud": ["other", "edu-id"]]),
            (
                "before", "which was said before the person signed in", ["OIC-17"],
                ["iat": .number(JSON.Number(World.beginning - 61))]
            ),
        ]
        for (name, title, proves, changes) in rows {
            try add(
                in: world, at: .eduID,
                [.accepted("logout-" + name, title, proves) { $0.ending(by: $0.logout(changes)) }])
        }
        try add(
            in: world, at: .eduID,
            [
                .accepted("logout-untyped", "by a token without a type", ["OIC-16"]) {
                    $0.ending(by: $0.logout().heading(["typ": .null]))
                },
                .accepted("logout-jwt", "by a token of the type JWT", ["OIC-16"]) {
                    $0.ending(by: $0.logout().heading(["typ": "JWT"]))
                },
                .accepted("logout-again", "once more by the same token", ["OIC-16"]) {
                    let token = $0.logout()
                    try $0.perform(.eduID, $0.ending(by: token))
                    return $0.ending(by: token)
                },
            ])
    }

    /// A world after the provider's word.
    private static func ended(_ world: World, by changes: JSON.Object) throws -> World {
        var world = world
        try world.perform(.eduID, world.ending(by: world.logout(changes)))
        return world
    }

    /// Somebody has come back to the edu-ID service, and the app has not redeemed the code.
    private mutating func addBegunLogouts(_ world: World, _ client: Held) throws {
        var world = world
        let code = try world.bring(try world.depart(client)) { $0.claiming(["sid": "session-2"]) }
        let rows: [(String, String, JSON.Object)] = [
            ("everywhere", "from all sessions", [:]),
            ("in-one", "from the session in which the person has come", ["sub": .null, "sid": "session-2"]),
            ("of-whom", "from that session, and the provider says whose it is", ["sid": "session-2"]),
            ("in-another", "from another session", ["sid": "session-1"]),
            (
                "of-another", "from that session, which the provider says is another person's",
                ["sid": "session-2", "sub": "eve"]
            ),
            ("before", "said before the person came", ["iat": .number(JSON.Number(world.now - 61))]),
        ]
        for (name, title, changes) in rows {
            try add(
                in: world, at: .eduID,
                [
                    .accepted("logout-begun-" + name, title + ", while a code is on its way", ["OIC-15", "OIC-17"]) {
                        $0.ending(by: $0.logout(changes))
                    }
                ])
        }
        func ended(_ changes: JSON.Object) throws -> World { try Self.ended(world, by: changes) }
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "logout-then-brought", "nobody comes in with a code that was on its way", ["OIC-17"],
                    "invalid_grant", "threat-26", in: try ended([:])
                ) { $0.redeemingBrought(code, by: client) },
                .refused(
                    "logout-then-brought-of-one", "nor with one of a session that has ended", ["OIC-17"],
                    "invalid_grant", "threat-26", in: try ended(["sub": .null, "sid": "session-2"])
                ) { $0.redeemingBrought(code, by: client) },
                .accepted(
                    "logout-elsewhere-brought", "with one of another session the person comes in", ["OIC-17"],
                    in: try ended(["sub": .null, "sid": "session-1"])
                ) { $0.redeemingBrought(code, by: client) },
            ])
    }

    private mutating func addAfterLogouts(_ world: World, _ client: Held, _ held: Held) throws {
        let url = World.eduID + "/token"
        func ended(_ changes: JSON.Object) throws -> World { try Self.ended(world, by: changes) }
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "logout-then-renewed", "what ended is renewed no more", ["OIC-17", "TOK-3"], "invalid_grant",
                    "TOK-3", in: try ended([:])
                ) { $0.refreshing(held, at: url) },
                .refused(
                    "logout-then-asked", "what one session gave is not renewed without the person", ["OIC-17"],
                    "insufficient_authorization", "OIC-17", in: try ended(["sid": "session-1"])
                ) { $0.refreshing(held, at: url) },
                .accepted(
                    "logout-then-signed-in", "who signs in again goes on with what there was", ["OIC-17"],
                    in: try ended(["sid": "session-1"])
                ) {
                    let code = try $0.bring(try $0.depart(client)) { $0.claiming(["sid": "session-2"]) }
                    return $0.redeemingBrought(code, by: client)
                },
                .accepted(
                    "logout-elsewhere-renewed", "a session that nobody knows leaves what there is", ["OIC-17"],
                    in: try ended(["sub": .null, "sid": "session-2"])
                ) { $0.refreshing(held, at: url) },
            ])
    }

    private static let flawedLogouts: [Defect] = [
        Defect("nonce", "with a nonce", ["OIC-16"], "OIC-16") { $0.claiming(["nonce": "n"]) },
        Defect("eventless", "without events", ["OIC-16"], "RFC7519-4") { $0.claiming(["events": .null]) },
        Defect("other-event", "of another event", ["OIC-16"], "OIC-16") {
            $0.claiming(["events": ["http://schemas.openid.net/event/backchannel-login": [:]]])
        },
        Defect("text-event", "whose event is a text", ["OIC-16"], "OIC-16") {
            $0.claiming(["events": .object([event: ""])])
        },
        Defect("nobody", "of nobody", ["OIC-16"], "RFC7519-4") { $0.claiming(["sub": .null]) },
        Defect("other-issuer", "of another provider", ["OIC-16"], "OIC-16") {
            $0.claiming(["iss": "https://login.example.org"])
        },
        Defect("other-client", "for another client", ["OIC-16"], "RFC7519-4.1.3") { $0.claiming(["aud": ["other"]]) },
        Defect("expired", "whose end has come", ["OIC-16"], "RFC7519-4.1.4") { $0.claiming(["exp": $0.time(0)]) },
        Defect("endless", "without an end", ["OIC-16"], "RFC7519-4") { $0.claiming(["exp": .null]) },
        Defect("stale", "of 601 seconds ago", ["OIC-16"], "RFC7519-4.1.6") { $0.claiming(["iat": $0.time(-601)]) },
        Defect("early", "of 61 seconds ahead", ["OIC-16"], "RFC7519-4.1.6") { $0.claiming(["iat": $0.time(61)]) },
        Defect("timeless", "without a time", ["OIC-16"], "RFC7519-4") { $0.claiming(["iat": .null]) },
        Defect("nameless", "without a name", ["OIC-16"], "RFC7519-4") { $0.claiming(["jti": .null]) },
        Defect("foreign-signature", "signed by another key", ["OIC-16"], "RFC7515-5.2") {
            $0.signed(by: .pair("stranger"))
        },
        Defect("unknown-key", "by a key that is not published", ["OIC-16"], "RFC7515-6") {
            $0.heading(["kid": "op-2"])
        },
        Defect("unsecured", "whose algorithm is none", ["OIC-16", "threat-1"], "threat-1") {
            $0.heading(["alg": "none"])
        },
        Defect("client-secret", "signed by the client's secret", ["OIC-16", "threat-3"], "RFC8725-3.1") {
            $0.heading(["alg": "HS256"]).signed(by: .secret(Array("secret of the service".utf8)))
        },
        Defect("own-key", "that brings its key along", ["OIC-16", "threat-9"], "threat-9") {
            $0.heading(["jwk": TestKey.pair("stranger").publicJWK]).signed(by: .pair("stranger"))
        },
        Defect("identity", "that is an ID token", ["OIC-16", "threat-18"], "RFC7519-4") {
            $0.heading(["typ": "JWT"]).claiming(["events": .null, "nonce": "n", "jti": .null])
        },
        Defect("of-another-kind", "that says it is a security event", ["OIC-16", "threat-18"], "RFC8725-3.11") {
            $0.heading(["typ": "secevent+jwt"])
        },
    ]

    private mutating func addFlawedLogouts(_ world: World) throws {
        for flaw in Self.flawedLogouts {
            try add(
                in: world, at: .eduID,
                [
                    .refused(
                        "logout-" + flaw.name, "by a token \(flaw.title)", flaw.proves, "invalid_request", flaw.clause
                    ) { $0.ending(by: flaw.change($0.logout())) }
                ])
        }
        try add(
            in: world, at: .eduID,
            [
                .refused("logout-without", "without a token", ["OIC-15"], "invalid_request", "RFC6749-3.1") { _ in
                    World.form(World.eduID + "/backchannel-logout", ["token": "x"])
                },
                .refused(
                    "logout-silent", "the provider does not answer", ["OIC-11"], "temporarily_unavailable", "OIC-7"
                ) {
                    let request = $0.ending(by: $0.logout())
                    $0.answers = [.null]
                    return request
                },
            ])
    }
}
