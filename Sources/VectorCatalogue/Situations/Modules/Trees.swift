internal import Wire

// A store of tokens that stand on each other: what it applies, what it refuses, and what it says of each record.

extension Catalogue {
    mutating func addTrees() {
        addVerdicts()
        addApplied()
        addRefused()
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
        for member in more { members[member.name] = member.value }
        return members
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

    private mutating func addVerdicts() {
        let (grown, branch) = (Self.grown, Self.branch)
        add(
            "live", "a branch, all of it alive", ["TOK-1"], .tree, Self.given([grown], nil, Self.asks(1, branch)),
            expecting: nil)
        add(
            "empty", "an empty store knows nobody", ["TOK-1"], .tree, Self.given([], nil, Self.asks(0, ["nobody"])),
            expecting: nil)
        for id in branch {
            add(
                "revoked-\(id)", "with the \(id) goes all that stands on it, and nothing else",
                ["TOK-1", "TOK-8"] + (id.utf8.elementsEqual("service".utf8) ? ["TOK-6"] : []), .tree,
                Self.given([grown, Self.batch(10, [Self.revoke(id)])], nil, Self.asks(11, branch)),
                expecting: nil)
        }
        let reasons: [JSON] = [
            "surrendered", "user", "administrator", "issuer", "superseded", "replayed", "refreshReused", "misused",
            "barred",
        ]
        for case .string(let reason) in reasons {
            add(
                "reason-\(reason.lowercased())", "the reason '\(reason)' is told", ["TOK-4", "TOK-5"], .tree,
                Self.given(
                    [grown, Self.batch(10, [Self.revoke("client", .string(reason))])], nil,
                    Self.asks(11, ["client", "app"])),
                expecting: nil)
        }
        let times: [(String, String, [String], Int64)] = [
            ("before-expiry", "in the second before the app's access ends", ["TOK-2"], 599),
            ("expiry", "in the second in which it ends", ["TOK-2"], 600),
            ("assertion-expiry", "when the assertion has lapsed, what came of it lives on", ["AST-9"], 300),
            ("service-expiry", "when the service token's access ends, the app's grant lives on", ["TOK-2"], 3_600),
            ("grant-expiry", "when the app's grant ends", ["TOK-1"], 7_200),
        ]
        for (name, title, proves, offset) in times {
            add(name, title, proves, .tree, Self.given([grown], nil, Self.asks(offset, branch)), expecting: nil)
        }
        let twice = [
            grown, Self.batch(10, [Self.revoke("app", "surrendered")]),
            Self.batch(20, [Self.revoke("client", "administrator")]),
        ]
        add(
            "revoked-twice", "the first revocation is the reason, also after another below it", ["TOK-8"], .tree,
            Self.given(twice, nil, Self.asks(30, Self.branch)), expecting: nil)
        add(
            "revoked-and-expired", "a revocation is told before an expiry", ["TOK-8"], .tree,
            Self.given([grown, Self.batch(10, [Self.revoke("service")])], nil, Self.asks(8_000, ["app", "service"])),
            expecting: nil)
        add(
            "consumed", "an assertion that was redeemed is used up; what came of it lives", ["AST-3", "AST-9"], .tree,
            Self.given([grown, Self.batch(10, [["do": "consume", "id": "assertion"]])], nil, Self.asks(11, branch)),
            expecting: nil)
    }

    private mutating func addApplied() {
        let refreshed: JSON = [
            "do": "rotate", "id": "personal", "from": Self.refresh(0), "to": Self.refresh(1),
            "access": .number(JSON.Number(Self.born + 9_000)),
        ]
        let batches: [(String, String, [String], [JSON], JSON, JSON)] = [
            (
                "several-services", "two services on one personal token, revoked apart", ["TOK-1", "REG-8"],
                [
                    Self.grown,
                    Self.batch(
                        1, [Self.insert("a-2", "assertion", on: "personal"), Self.insert("s-2", "service", on: "a-2")]),
                ],
                Self.batch(10, [Self.revoke("service")]), Self.asks(11, ["service", "app", "s-2"])
            ),
            (
                "rotated", "a refresh token is exchanged for its successor", ["TOK-2"], [Self.grown],
                Self.batch(10, [refreshed]),
                Self.asks(11, ["personal"])
            ),
            (
                "successor", "a newer registration takes the older one's place at once", ["REQ-10", "REG-3"],
                [Self.grown],
                Self.batch(
                    10,
                    [
                        Self.revoke("client", "superseded"),
                        Self.insert("client-2", "client", on: "version", ["holder": .string(Self.instance)]),
                    ]),
                Self.asks(11, ["client", "app", "client-2"])
            ),
            (
                "moved", "an instance moves to another version with all that it has", ["REG-5"],
                [Self.grown, Self.batch(1, [Self.insert("version-2", "versionKey")])],
                Self.batch(
                    10,
                    [
                        ["do": "reground", "id": "client", "from": "version", "onto": "version-2"],
                        Self.revoke("version", "administrator"),
                    ]),
                Self.asks(11, ["client", "app", "version"])
            ),
            (
                "remembered-anew", "what was remembered may come again once that is over", ["threat-36"],
                [Self.batch(0, [Self.remembering(100)])], Self.batch(100, [Self.remembering(200)]), Self.asks(0, [])
            ),
            (
                "revoked-again", "what is revoked can be revoked again, and nothing changes", ["TOK-8"],
                [Self.grown, Self.batch(10, [Self.revoke("app", "surrendered")])],
                Self.batch(20, [Self.revoke("app", "administrator")]),
                Self.asks(21, ["app"])
            ),
        ]
        for (name, title, proves, past, batch, asks) in batches {
            add(name, title, proves, .tree, Self.given(past, batch, asks), expecting: nil)
        }
    }

    private static func remembering(_ offset: Int64) -> JSON {
        [
            "do": "remember", "key": .string(String(repeating: "A", count: 22)),
            "until": .number(JSON.Number(born + offset)),
        ]
    }

    // MARK: What is refused

    /// A batch that the store must not apply: not a single change of it, which the questions show.
    private static func refused(
        _ name: String, _ title: String, _ proves: [String], _ clause: String, after past: [JSON] = [],
        _ changes: [JSON], at offset: Int64 = 10, asking ids: [String] = branch
    ) -> (name: String, title: String, proves: [String], clause: String, given: JSON.Object) {
        (
            "refused-" + name, title, proves, clause,
            given([grown] + past, batch(offset, changes), asks(offset, ids))
        )
    }

    private mutating func addRefused() {
        for row in Self.refusedRecords + Self.refusedUses + Self.refusedMessages {
            add(row.name, row.title, row.proves, .tree, row.given, expecting: Expected(error: nil, clause: row.clause))
        }
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
