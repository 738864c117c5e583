internal import JOSETesting
internal import Wire

// A store of tokens that stand on each other: what it applies, what it refuses, and what it says of each record.

extension Catalogue {
    mutating func addTrees() {
        for rows in [
            Self.verdicts, Self.ends, Self.reasons, Self.times, Self.mixtures, Self.applied, Self.refusedRecords,
            Self.refusedUses, Self.refusedMessages,
        ] {
            add(.tree, "", rows) { $0 }
        }
    }

    private static let born = World.beginning
    private static let instance = World.phone

    /// The names of the records of one branch, the root first.
    private static let branch = ["version", "client", "personal", "assertion", "service", "app"]

    private static func record(_ id: String, _ kind: JSON, on parent: String? = nil, _ more: JSON.Object = [:])
        -> JSON.Object
    {
        var members: JSON.Object = ["id": .string(id), "kind": kind]
        members["parent"] = parent.map { .string($0) }
        members["issued"] = .number(JSON.Number(born))
        return members.changed(more)
    }

    private static func insert(_ id: String, _ kind: JSON, on parent: String? = nil, _ more: JSON.Object = [:]) -> JSON
    {
        ["do": "insert", "record": .object(record(id, kind, on: parent, more))]
    }

    private static func revoke(_ id: String, _ reason: JSON = "user") -> JSON {
        ["do": "revoke", "id": .string(id), "reason": reason]
    }

    private static func batch(_ offset: Int64, _ changes: [JSON]) -> JSON {
        ["at": .number(JSON.Number(born + offset)), "changes": .array(changes)]
    }

    private static func refresh(_ generation: JSON) -> JSON {
        [
            "generation": generation, "hash": .string(String(repeating: "A", count: 43)),
            "salt": .string(String(repeating: "A", count: 43)),
        ]
    }

    /// A branch from the app's version to an app's token, whose access ends after an hour and whose assertion is for
    /// five minutes.
    private static let grown = batch(
        0,
        [
            insert("version", "versionKey"), insert("client", "client", on: "version", ["holder": .string(instance)]),
            insert("personal", "personal", on: "client", ["subject": "user-1", "refresh": refresh(0)]),
            insert("assertion", "assertion", on: "personal", ["access": .number(JSON.Number(born + 300))]),
            insert(
                "service", "service", on: "assertion",
                ["access": .number(JSON.Number(born + 3_600)), "refresh": refresh(0)]),
            insert(
                "app", "app", on: "service",
                [
                    "access": .number(JSON.Number(born + 600)), "final": .number(JSON.Number(born + 7_200)),
                    "refresh": refresh(0),
                ]),
        ])

    private static func asks(_ offset: Int64, _ ids: [String]) -> JSON {
        .array(ids.map { ["id": .string($0), "now": .number(JSON.Number(born + offset))] })
    }

    private static func given(_ past: [JSON], _ batch: JSON?, _ asks: JSON) -> JSON.Object {
        var given: JSON.Object = ["store": .array(past), "asks": asks]
        given["batch"] = batch
        return given
    }

    // MARK: What holds

    private static let verdicts: [Row<JSON.Object>] = [
        ("live", "a branch, all of it alive", ["TOK-1"], nil, given([grown], nil, asks(1, branch))),
        ("empty", "an empty store knows nobody", ["TOK-1"], nil, given([], nil, asks(0, ["nobody"]))),
    ]

    private static let ends: [Row<JSON.Object>] = branch.map { id in
        (
            "revoked-\(id)", "with the \(id) goes all that stands on it, and nothing else",
            ["TOK-1", "TOK-8"] + (id.utf8.elementsEqual("service".utf8) ? ["TOK-6"] : []), nil,
            given([grown, batch(10, [revoke(id)])], nil, asks(11, branch))
        )
    }

    private static let reasons: [Row<JSON.Object>] = [
        "surrendered", "user", "administrator", "issuer", "superseded", "replayed", "refreshReused", "misused",
        "barred",
    ].map { reason in
        (
            "reason-\(reason.lowercased())", "the reason '\(reason)' is told", ["TOK-4", "TOK-5"], nil,
            given(
                [grown, batch(10, [revoke("client", .string(reason))])], nil, asks(11, ["client", "app"]))
        )
    }

    private static let times: [Row<JSON.Object>] = [
        (
            "before-expiry", "in the second before the app's access ends", ["TOK-2"], nil,
            given([grown], nil, asks(599, branch))
        ),
        ("expiry", "in the second in which it ends", ["TOK-2"], nil, given([grown], nil, asks(600, branch))),
        (
            "assertion-expiry", "when the assertion has lapsed, what came of it lives on", ["AST-9"], nil,
            given([grown], nil, asks(300, branch))
        ),
        (
            "service-expiry", "when the service token's access ends, the app's grant lives on", ["TOK-2"], nil,
            given([grown], nil, asks(3_600, branch))
        ),
        ("grant-expiry", "when the app's grant ends", ["TOK-1"], nil, given([grown], nil, asks(7_200, branch))),
    ]

    private static let mixtures: [Row<JSON.Object>] = [
        (
            "revoked-twice", "the first revocation is the reason, also after another below it", ["TOK-8"], nil,
            given(
                [grown, batch(10, [revoke("app", "surrendered")]), batch(20, [revoke("client", "administrator")])],
                nil, asks(30, branch))
        ),
        (
            "revoked-and-expired", "a revocation is told before an expiry", ["TOK-8"], nil,
            given([grown, batch(10, [revoke("service")])], nil, asks(8_000, ["app", "service"]))
        ),
        (
            "consumed", "an assertion that was redeemed is used up; what came of it lives", ["AST-3", "AST-9"], nil,
            given([grown, batch(10, [["do": "consume", "id": "assertion"]])], nil, asks(11, branch))
        ),
    ]

    private static let refreshed: JSON = [
        "do": "rotate", "id": "personal", "from": refresh(0), "to": refresh(1),
        "access": .number(JSON.Number(born + 9_000)),
    ]

    private static let applied: [Row<JSON.Object>] = [
        (
            "several-services", "two services on one personal token, revoked apart", ["TOK-1", "REG-8"], nil,
            given(
                [
                    grown,
                    batch(
                        1, [insert("a-2", "assertion", on: "personal"), insert("s-2", "service", on: "a-2")]),
                ], batch(10, [revoke("service")]), asks(11, ["service", "app", "s-2"]))
        ),
        (
            "rotated", "a refresh token is exchanged for its successor", ["TOK-2"], nil,
            given([grown], batch(10, [refreshed]), asks(11, ["personal"]))
        ),
        (
            "successor", "a newer registration takes the older one's place at once", ["REQ-10", "REG-3"], nil,
            given(
                [grown],
                batch(
                    10,
                    [
                        revoke("client", "superseded"),
                        insert("client-2", "client", on: "version", ["holder": .string(instance)]),
                    ]), asks(11, ["client", "app", "client-2"]))
        ),
        (
            "moved", "an instance moves to another version with all that it has", ["REG-5"], nil,
            given(
                [grown, batch(1, [insert("version-2", "versionKey")])],
                batch(
                    10,
                    [
                        ["do": "reground", "id": "client", "from": "version", "onto": "version-2"],
                        revoke("version", "administrator"),
                    ]), asks(11, ["client", "app", "version"]))
        ),
        (
            "remembered-anew", "what was remembered may come again once that is over", ["threat-36"], nil,
            given([batch(0, [remembering(100)])], batch(100, [remembering(200)]), asks(0, []))
        ),
        (
            "forgotten", "a person of whom nothing can be used any more is forgotten", ["threat-75"], nil,
            given(
                [grown, batch(10, [revoke("personal", "user")])],
                batch(11, [["do": "forget", "subject": "user-1"], ["do": "touch", "id": "app"]]), asks(12, ["app"]))
        ),
        (
            "described", "what is kept with a record is replaced where it is what the decision saw", ["threat-73"], nil,
            given(
                [grown, batch(1, [["do": "describe", "id": "client", "attributes": ["n": 1]]])],
                batch(2, [["do": "describe", "id": "client", "attributes": ["n": 2], "from": ["n": 1]]]),
                asks(3, ["client"]))
        ),
        (
            "confirmed", "a record is confirmed, which ends nothing and revives nothing", ["threat-67"], nil,
            given(
                [grown, batch(5, [revoke("service", "user")])],
                batch(10, [["do": "confirm", "id": "client"], ["do": "confirm", "id": "client"]]),
                asks(11, ["client", "personal", "service", "app"]))
        ),
        (
            "revoked-again", "what is revoked can be revoked again, and nothing changes", ["TOK-8"], nil,
            given(
                [grown, batch(10, [revoke("app", "surrendered")])], batch(20, [revoke("app", "administrator")]),
                asks(21, ["app"]))
        ),
    ]

    private static func remembering(_ offset: Int64) -> JSON {
        [
            "do": "remember", "key": .string(String(repeating: "A", count: 22)),
            "until": .number(JSON.Number(born + offset)),
        ]
    }

    // MARK: What is refused

    /// A batch that the store must not apply: not a single change of it, which the questions show.
    private static func refused(
        _ name: String, _ title: String, _ proves: [String], _ refusal: Expected, after past: [JSON] = [],
        _ changes: [JSON], at offset: Int64 = 10, asking ids: [String] = branch
    ) -> Row<JSON.Object> {
        (
            "refused-" + name, title, proves, refusal,
            given([grown] + past, batch(offset, changes), asks(offset, ids))
        )
    }

    private static let refusedRecords = [
        refused("taken", "a name that is taken", ["TOK-1"], "TOK-1", [insert("app", "app", on: "service")]),
        refused(
            "orphan", "a record on one that there is not", ["TOK-1"], "TOK-1",
            [insert("new", "app", on: "nobody")], asking: ["new"]),
        refused(
            "on-revoked", "a record on one that was revoked", ["TOK-3", "threat-31"], "TOK-1",
            after: [batch(5, [revoke("service")])],
            [insert("new", "app", on: "service")], asking: ["new"]),
        refused(
            "below-revoked", "a record whose ground's ground was revoked", ["TOK-3", "threat-31"], "TOK-1",
            after: [batch(5, [revoke("client")])],
            [insert("new", "app", on: "service")], asking: ["new"]),
        refused(
            "on-dying", "a record on one that the same batch revokes", ["threat-31"], "TOK-1",
            [revoke("service"), insert("new", "app", on: "service")],
            asking: ["new", "service"]),
        refused(
            "on-ended", "a record on a grant that has ended", ["TOK-1", "threat-31"], "TOK-1",
            after: [
                batch(
                    1,
                    [insert("brief", "service", on: "assertion", ["final": .number(JSON.Number(born + 10))])])
            ],
            [insert("new", "app", on: "brief")], asking: ["new", "brief"]),
        refused(
            "groundless", "an app's token without a ground", ["threat-35"], "threat-35", [insert("new", "app")],
            asking: ["new"]),
        refused(
            "unfit", "a service token on an instance's token", ["threat-35"], "threat-35",
            [insert("new", "service", on: "client")],
            asking: ["new"]),
        refused(
            "service-on-app", "a service token on an app's token", ["threat-35"], "threat-35",
            [insert("new", "service", on: "app")],
            asking: ["new"]),
        refused(
            "occupied", "a second registration while the first is in force", ["REQ-10"], "REQ-10",
            [insert("new", "client", on: "version", ["holder": .string(instance)])],
            asking: ["new", "client"]),
        refused(
            "barred", "a registration of an instance that was rejected for good", ["REG-7"], "REG-7",
            after: [batch(5, [revoke("client", "barred")])],
            [insert("new", "client", on: "version", ["holder": .string(instance)])],
            asking: ["new", "client"]),
        refused(
            "too-large", "a record of 40,000 bytes", ["threat-14"], "threat-14",
            [
                insert(
                    "new", "app", on: "service",
                    ["attributes": ["note": .string(String(repeating: "a", count: 40_000))]])
            ],
            asking: ["new"]),
        refused(
            "in-use", "a person is to be forgotten who is still signed in", ["threat-75"], "threat-75",
            [["do": "forget", "subject": "user-1"]], asking: ["personal"]),
        refused(
            "described", "what is kept with a record was replaced since the decision", ["threat-73"], "threat-73",
            after: [batch(5, [["do": "describe", "id": "client", "attributes": ["n": 1]]])],
            [["do": "describe", "id": "client", "attributes": ["n": 2], "from": ["n": 0]]], asking: ["client"]),
        refused(
            "last-of-many", "ten changes of which the last one fails: none is applied", ["threat-32"], "TOK-1",
            (0..<9).map { insert("new-\($0)", "app", on: "service") } + [insert("app", "app", on: "service")],
            asking: ["new-0", "new-8"]),
    ]

    private static func consume(_ id: JSON) -> JSON { ["do": "consume", "id": id] }

    private static func rotation(_ id: JSON, _ from: JSON, _ to: JSON) -> JSON {
        ["do": "rotate", "id": id, "from": refresh(from), "to": refresh(to)]
    }

    private static let message: JSON = [
        "id": "m-1", "to": .string(World.alpha), "about": "assertion", "body": ["token": "assertion"],
        "due": .number(JSON.Number(born)),
    ]

    private static let settle: JSON = ["do": "settle", "message": "m-1", "as": "delivered"]

    private static let refusedUses = [
        refused(
            "revoke-unknown", "the revocation of a record that there is not", ["TOK-4"], "TOK-1",
            [revoke("nobody")],
            asking: ["nobody"]),
        refused(
            "consume-twice", "an assertion that was redeemed before", ["AST-3", "threat-23"], "AST-3",
            after: [batch(5, [consume("assertion")])], [consume("assertion")]),
        refused(
            "consume-both", "an assertion that is redeemed twice in one batch", ["AST-3", "threat-23"], "AST-3",
            [consume("assertion"), consume("assertion")]),
        refused(
            "consume-late", "an assertion in the second in which it lapses", ["AST-4"], "AST-3", [consume("assertion")],
            at: 300),
        refused(
            "consume-token", "a service token in the place of an assertion", ["threat-18"], "threat-18",
            [consume("service")]),
        refused(
            "consume-revoked", "an assertion that was taken back", ["TOK-7"], "TOK-1",
            after: [batch(5, [revoke("assertion", "issuer")])],
            [consume("assertion")]),
        refused("rotate-none", "a refresh of what cannot be refreshed", ["TOK-2"], "TOK-2", [rotation("client", 0, 1)]),
        refused(
            "rotate-locked", "a refresh of a user who is locked out", ["threat-78"], "threat-78",
            after: [batch(5, [insert("lock", "lock", on: nil, ["holder": "user-1"])])],
            [rotation("personal", 0, 1)]),
        refused(
            "insert-locked", "a grant for a user who is locked out", ["threat-78"], "threat-78",
            after: [batch(5, [insert("lock", "lock", on: nil, ["holder": "user-1"])])],
            [insert("second", "personal", on: "client", ["subject": "user-1"])]),
        refused(
            "lock-locked", "a second lock on one name", ["threat-78"], "REQ-10",
            after: [batch(5, [insert("lock", "lock", on: nil, ["holder": "user-1"])])],
            [insert("other", "lock", on: nil, ["holder": "user-1"])]),
        refused(
            "rotate-old", "a refresh token that was replaced before", ["threat-28"], "threat-28",
            after: [batch(5, [rotation("personal", 0, 1)])],
            [rotation("personal", 0, 1)]),
        refused(
            "rotate-revoked", "a refresh after the revocation", ["TOK-3", "threat-31"], "TOK-1",
            after: [batch(5, [revoke("client")])],
            [rotation("personal", 0, 1)]),
        refused(
            "reground-elsewhere", "an instance that stands elsewhere by now", ["REG-5"], "REG-5",
            after: [
                batch(
                    5,
                    [
                        insert("version-2", "versionKey"), insert("version-3", "versionKey"),
                        ["do": "reground", "id": "client", "from": "version", "onto": "version-2"],
                    ])
            ],
            [["do": "reground", "id": "client", "from": "version", "onto": "version-3"]]),
        refused(
            "confirm-unknown", "a confirmation of what is not there", ["threat-67"], "TOK-1",
            [["do": "confirm", "id": "nobody"]]),
        refused(
            "confirm-revoked", "a confirmation of what stands on something revoked", ["threat-67"], "TOK-1",
            after: [batch(5, [revoke("client")])],
            [["do": "confirm", "id": "service"]]),
        refused(
            "replayed", "what is remembered, in the second before that ends", ["threat-36"], "threat-36",
            after: [batch(5, [remembering(100)])],
            [remembering(200)], at: 99, asking: []),
    ]

    private static let refusedMessages = [
        refused("settle-unknown", "a message that nobody sent", ["TOK-7"], "TOK-7", [settle], asking: []),
        refused(
            "settle-twice", "a message that was settled before", ["TOK-7"], "TOK-7",
            after: [batch(5, [["do": "enqueue", "message": message]]), batch(6, [settle])], [settle],
            asking: []),
        refused(
            "attempt-taken", "a message that somebody else has taken", ["TOK-7"], "TOK-7",
            after: [
                batch(
                    5,
                    [
                        ["do": "enqueue", "message": message],
                        ["do": "attempt", "message": "m-1", "after": 0, "retry": .number(JSON.Number(born + 60))],
                    ])
            ],
            [["do": "attempt", "message": "m-1", "after": 0, "retry": .number(JSON.Number(born + 90))]], asking: []
        ),
    ]
}
