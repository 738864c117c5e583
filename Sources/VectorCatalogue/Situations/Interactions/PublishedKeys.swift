internal import JOSETesting
internal import Wire

// (5), (9), (10) A service reads the keys of the edu-ID service where they are published.

extension Catalogue {
    private static let home = World.eduID + "/jwks"
    private static let theft: Int64 = 60

    /// Alpha, which was given no keys.
    private static var world: World {
        World().with("edu_id", at: .alpha) { _ in ["issuer": .string(World.eduID), "keys_url": .string(home)] }
    }

    /// What the edu-ID service publishes: a key of each name, with what is said about it.
    private static func published(_ keys: [(name: String, more: JSON.Object)]) -> JSON {
        let list = keys.map { key in
            let pair = TestKey.pair(key.name == "edu-id-1" ? "edu-id" : key.name)
            return JSON.object((pair.publicJWK(key.name).object ?? [:]).changed(key.more))
        }
        return answer(200, JSON.object(["keys": .array(list)]).encodedString())
    }

    private static func answer(_ status: Int, _ body: String) -> JSON {
        [
            "status": .number(JSON.Number(status)), "headers": ["Content-Type": "application/json"],
            "body": .string(body),
        ]
    }

    private static func stolen(_ world: World, _ offset: Int64 = theft) -> JSON.Object {
        ["revoked": ["revoked_at": .number(JSON.Number(world.now + offset)), "reason": "compromised"]]
    }

    mutating func addPublishedKeys() throws {
        let holder = try World.assertionHolder
        let (world, both) = (Self.world, [("edu-id-2", [:]), ("edu-id-1", [:])] as [(String, JSON.Object)])
        let unknown = Self.published([("edu-id-2", [:])])
        try add(
            in: world, at: .alpha,
            [
                .accepted(
                    "published-key", "the edu-ID service publishes the key", ["AST-4", "threat-76"],
                    answer: Self.published([("edu-id-1", [:])])
                ) { $0.redeeming($0.assertion(), by: holder) },
                .accepted(
                    "former-key", "it signs with another one by now, and publishes both", ["AST-4", "threat-76"],
                    answer: Self.published(both)
                ) { $0.redeeming($0.assertion(), by: holder) },
                .refused(
                    "unpublished-key", "the key is not among those that are published", ["AST-4", "threat-76"],
                    "invalid_grant", "RFC7515-6", answer: unknown
                ) { $0.redeeming($0.assertion(), by: holder) },
                .refused(
                    "withdrawn-key", "the key is published as withdrawn", ["AST-4", "threat-76"], "invalid_grant",
                    "RFC7515-6",
                    answer: Self.published([("edu-id-2", [:]), ("edu-id-1", Self.stolen(world))])
                ) { $0.redeeming($0.assertion(), by: holder) },
                .refused(
                    "key-with-strange-withdrawal", "the key's withdrawal cannot be read", ["AST-4", "threat-76"],
                    "invalid_grant", "RFC7515-6",
                    answer: Self.published([("edu-id-2", [:]), ("edu-id-1", ["revoked": true])])
                ) { $0.redeeming($0.assertion(), by: holder) },
                .refused(
                    "keys-silent", "nobody answers where the keys are published", ["threat-76"],
                    "temporarily_unavailable", "threat-76", answer: .null
                ) { $0.redeeming($0.assertion(), by: holder) },
                .refused(
                    "keys-moved", "something else than keys is published", ["threat-76"], "temporarily_unavailable",
                    "threat-76", answer: Self.answer(302, "")
                ) { $0.redeeming($0.assertion(), by: holder) },
            ])
    }

    mutating func addWithdrawals() throws {
        let holder = try World.assertionHolder
        let world = Self.world
        let good = Self.published([("edu-id-1", [:])])
        let withdrawn = Self.published([("edu-id-2", [:]), ("edu-id-1", Self.stolen(world))])
        func notice(_ world: inout World) -> JSON {
            let proof = world.clientAssertion(of: World.eduID, "edu-id-2", named: "edu-id-2", to: World.alpha).text
            return World.form(
                World.alpha + "/oauth/revoke",
                [
                    "token": "edu-id-1", "token_type_hint": "key", "client_assertion_type": World.assertionType,
                    "client_assertion": proof,
                ])
        }
        func redeem(_ world: inout World) throws {
            let redemption = world.redeeming(world.assertion(), by: holder)
            try world.perform(.alpha, redemption, answer: good)
        }
        try add(
            in: world, at: .alpha,
            [
                .accepted(
                    "withdrawn-key", "the edu-ID service withdraws a key with which nothing was signed",
                    ["TOK-7", "threat-76"], answer: withdrawn, notice),
                .accepted(
                    "withdrawn-key-used", "the edu-ID service withdraws a key with which something was signed",
                    ["TOK-7", "threat-76"], answer: withdrawn, after: redeem, notice),
                .refused(
                    "key-still-published", "the key that it withdraws is published as before", ["threat-76"],
                    "temporarily_unavailable", "threat-76",
                    answer: Self.published([("edu-id-2", [:]), ("edu-id-1", [:])]), notice),
                .refused(
                    "key-published-again", "a key that was withdrawn is published once more", ["AST-4", "threat-76"],
                    "invalid_grant", "RFC7515-6", answer: good,
                    after: { world in
                        let withdrawal = notice(&world)
                        try world.perform(.alpha, withdrawal, answer: withdrawn)
                    }
                ) { $0.redeeming($0.assertion(), by: holder) },
            ])
        for (name, title, late) in [
            ("grant-after-theft", "what the stolen key gave since the theft is over", true),
            ("grant-before-theft", "what the stolen key gave before the theft goes on", false),
        ] {
            var world = late ? world.later(Self.theft) : world
            let redemption = world.redeeming(world.assertion(), by: holder)
            let body = try world.perform(.alpha, redemption, answer: good)
            let held = try Held(body, holder.key, of: holder.holder)
            world = world.later(600)
            let withdrawal = notice(&world)
            try world.perform(.alpha, withdrawal, answer: withdrawn)
            let request: Situation.Request = { $0.refreshing(held, at: World.alpha + "/oauth/token") }
            try add(
                in: world, at: .alpha,
                [
                    late
                        ? .refused(
                            name, title, ["TOK-1", "threat-76"], "invalid_grant", "TOK-3", answer: withdrawn, request)
                        : .accepted(name, title, ["TOK-1", "threat-76"], answer: withdrawn, request)
                ])
        }
    }
}
