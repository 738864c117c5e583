internal import TokenTree
internal import Wire

extension Law {
    private static let levels: [TokenID] = ["version", "client", "personal", "assertion", "service", "app"]

    /// What stands on what, and what dies with what.
    static var tree: [Law] {
        [
            Law(
                "what was inserted is found with all it stands on", "AST-9",
                [
                    .branch,
                    .ask([.record("app")]) { facts in
                        let found = facts.lineage(of: "app")?.entries.map(\.record.id) ?? []
                        let expected: [TokenID] = ["app", "service", "assertion", "personal", "client", "version"]
                        return found == expected ? nil : "the grounds are \(found), expected \(expected)"
                    },
                    .fact(
                        .record("personal"), { $0.lineage(of: "personal")?.record.refresh }, is: .generation(0)
                    ),
                    .verdict("nobody", 0, .unknown),
                ]),
            Law(
                "a name is given once", "TOK-8",
                [
                    .branch,
                    .refused(1, .taken("app"), .issue("app", .app, on: "service")),
                    .applied(2, .revoke("app", .user)),
                    .refused(3, .taken("app"), .issue("app", .app, on: "service")),
                ]),
            Law(
                "nothing stands on what is not there", "TOK-1",
                [
                    .refused(0, .unknown("version"), .issue("client", .client, on: "version")),
                    .refused(0, .unknown("self"), .issue("self", .app, on: "self")),
                ]),
            Law(
                "a kind stands only on kinds that bear it", "threat-35",
                [
                    .branch,
                    .refused(1, .unfit("x", .app, on: .client), .issue("x", .app, on: "client")),
                    .refused(1, .unfit("x", .personal, on: .app), .issue("x", .personal, on: "app")),
                    .refused(1, .groundless("x", .personal), .issue("x", .personal)),
                    .applied(1, .issue("x", .assertion)),
                    .applied(
                        2, .issue("code", .code, on: "client"),
                        .issue("appCode", .code, on: "service"),
                        .issue("y", .personal, on: "code"), .issue("z", .app, on: "appCode")
                    ),
                    .refused(3, .unfit("w", .app, on: .client), .issue("w", .app, on: "code")),
                    .refused(
                        3, .unfit("w", .personal, on: .service), .issue("w", .personal, on: "appCode")
                    ),
                ]),
            Law(
                "revoking ends all that stands on it, at every depth", "TOK-1",
                [.branch, .applied(10, .revoke("version", .administrator))]
                    + levels.map { .verdict($0, 11, .revoked(by: "version", 10, .administrator)) }),
            Law(
                "revoking leaves alone what it stands on", "TOK-6",
                [.branch, .applied(10, .revoke("service", .user))]
                    + ["version", "client", "personal", "assertion"].map { .verdict($0, 11, .live) }
                    + ["service", "app"].map { .verdict($0, 11, .revoked(by: "service", 10, .user)) }),
            Law(
                "nothing is inserted under a dead ground, however far up", "threat-31",
                [.branch, .applied(10, .revoke("version", .administrator))]
                    + zip(levels.dropFirst(), levels).map { child, parent in
                        let kind = Record.Kind.allCases.first { $0.description == child.text } ?? .app
                        return .refused(
                            11, .dead(parent, .revoked(by: "version", 10, .administrator)),
                            .issue("late", kind, on: parent))
                    }),
            Law(
                "a child and its ground's end in one batch: the order decides, and nothing is left of a refused one",
                "threat-31",
                [
                    .branch,
                    .refused(
                        10, at: 1, .dead("service", .revoked(by: "client", 10, .user)),
                        .revoke("client", .user), .issue("late", .app, on: "service")),
                    .verdict("client", 11, .live),
                    .applied(12, .issue("late", .app, on: "service"), .revoke("client", .user)),
                    .verdict("late", 13, .revoked(by: "client", 12, .user)),
                ]),
            Law(
                "a batch is applied wholly or not at all", "threat-32",
                [
                    .branch,
                    .refused(
                        5, at: 4, .unknown("nobody"),
                        .issue("other", .app, on: "service", subject: "other"),
                        .consume("assertion"),
                        .remember(ReplayKey("law", "one"), until: at(50)),
                        .revoke("client", .user),
                        .revoke("nobody", .user)),
                    .fact(
                        .holder(.client, "instance"),
                        { $0.lineage(of: .client, heldBy: "instance")?.record.id },
                        is: "client"),
                    .verdict("other", 6, .unknown),
                    .verdict("assertion", 6, .live),
                    .fact(
                        .replay(ReplayKey("law", "one")), { $0.remembers(ReplayKey("law", "one"), at: at(6)) },
                        is: false),
                    .refused(
                        7, at: 1, .taken("app"),
                        .reground("client", from: "version", onto: "version"),
                        .issue("app", .app, on: "service")),
                    .applied(8, .issue("other", .app, on: "service"), .consume("assertion")),
                ]),
            Law(
                "changes see what those before them did", "TOK-1",
                [
                    .refused(
                        0, .unknown("version"), .issue("client", .client, on: "version"),
                        .issue("version", .versionKey)),
                    .applied(0),
                    .branch,
                ]),
            Law(
                "a revocation is final: the first one counts", "TOK-8",
                [
                    .branch,
                    .applied(10, .revoke("app", .user)),
                    .applied(20, .revoke("app", .administrator)),
                    .applied(30, .revoke("service", .issuer)),
                    .verdict("app", 31, .revoked(by: "app", 10, .user)),
                    .refused(32, .unknown("nobody"), .revoke("nobody", .user)),
                ]),
            Law(
                "expiry is computed, at the very second", "threat-16",
                [
                    .applied(
                        0, .issue("version", .versionKey, final: 100),
                        .issue("client", .client, on: "version")),
                    .verdict("client", 99, .live),
                    .verdict("client", 100, .expired("version", 100, .grant)),
                    .refused(
                        100, .dead("client", .expired("version", 100, .grant)),
                        .issue("personal", .personal, on: "client")),
                    .verdict("client", 50, .live),
                    .applied(120, .revoke("version", .administrator)),
                    .verdict("client", 120, .revoked(by: "version", 120, .administrator)),
                ]),
            Law(
                "an access token's expiry leaves alone what stands on the grant, if that can be renewed", "TOK-2",
                [
                    .branch,
                    .verdict("service", 600, .expired("service", 600, .access)),
                    .applied(601, .issue("late", .app, on: "service", access: 700)),
                    .verdict("late", 602, .live),
                    .verdict("late", 700, .expired("late", 700, .grant)),
                ]),
        ]
    }
}
