internal import TokenTree
internal import Wire

extension Law {
    private static func id(_ word: String) -> TokenID { Cast.id(word) }

    /// What stands on what, and what dies with what.
    static var treeLaws: [Law] {
        [
            Law(
                "what was inserted is found with all it stands on", "AST-9",
                [
                    .branch,
                    .ask([.record(id("app"))]) { facts in
                        let found = facts.lineage(of: id("app"))?.entries.map(\.record.id) ?? []
                        let expected = Cast.branchNames.reversed().map(id)
                        return found == expected ? nil : "the grounds are \(found), expected \(expected)"
                    },
                    .fact(
                        .record(id("personal")), { $0.lineage(of: id("personal"))?.record.refresh }, is: Cast.refresh(0)
                    ),
                    .verdict("nobody", 0, .unknown),
                ]),
            Law(
                "a name is given once", "TOK-8",
                [
                    .branch,
                    .refused(1, .taken(id("app")), .insert(Cast.record("app", .app, on: "service"))),
                    .applied(2, .revoke(id("app"), .user)),
                    .refused(3, .taken(id("app")), .insert(Cast.record("app", .app, on: "service"))),
                ]),
            Law(
                "nothing stands on what is not there", "TOK-1",
                [
                    .refused(0, .unknown(id("version")), .insert(Cast.record("client", .client, on: "version"))),
                    .refused(0, .unknown(id("self")), .insert(Cast.record("self", .app, on: "self"))),
                ]),
            Law(
                "a kind stands only on kinds that bear it", "threat-35",
                [
                    .branch,
                    .refused(1, .unfit(id("x"), .app, on: .client), .insert(Cast.record("x", .app, on: "client"))),
                    .refused(1, .unfit(id("x"), .personal, on: .app), .insert(Cast.record("x", .personal, on: "app"))),
                    .refused(1, .groundless(id("x"), .personal), .insert(Cast.record("x", .personal))),
                    .applied(1, .insert(Cast.record("x", .assertion))),
                    .applied(
                        2, .insert(Cast.record("code", .code, on: "client")),
                        .insert(Cast.record("appCode", .code, on: "service")),
                        .insert(Cast.record("y", .personal, on: "code")), .insert(Cast.record("z", .app, on: "appCode"))
                    ),
                    .refused(3, .unfit(id("w"), .app, on: .client), .insert(Cast.record("w", .app, on: "code"))),
                    .refused(
                        3, .unfit(id("w"), .personal, on: .service), .insert(Cast.record("w", .personal, on: "appCode"))
                    ),
                ]),
            Law(
                "revoking ends all that stands on it, at every depth", "TOK-1",
                [.branch, .applied(10, .revoke(id("version"), .administrator))]
                    + Cast.branchNames.map { .verdict($0, 11, .revoked(by: "version", 10, .administrator)) }),
            Law(
                "revoking leaves alone what it stands on", "TOK-6",
                [.branch, .applied(10, .revoke(id("service"), .user))]
                    + ["version", "client", "personal", "assertion"].map { .verdict($0, 11, .live) }
                    + ["service", "app"].map { .verdict($0, 11, .revoked(by: "service", 10, .user)) }),
            Law(
                "nothing is inserted under a dead ground, however far up", "threat-31",
                [.branch, .applied(10, .revoke(id("version"), .administrator))]
                    + zip(Cast.branchNames.dropFirst(), Cast.branchNames).map { child, parent in
                        let kind = Record.Kind.allCases.first { "\($0)" == child } ?? .app
                        return .refused(
                            11, .dead(id(parent), .revoked(by: "version", 10, .administrator)),
                            .insert(Cast.record("late", kind, on: parent)))
                    }),
            Law(
                "a child and its ground's end in one batch: the order decides, and nothing is left of a refused one",
                "threat-31",
                [
                    .branch,
                    .refused(
                        10, at: 1, .dead(id("service"), .revoked(by: "client", 10, .user)),
                        .revoke(id("client"), .user), .insert(Cast.record("late", .app, on: "service"))),
                    .verdict("client", 11, .live),
                    .applied(12, .insert(Cast.record("late", .app, on: "service")), .revoke(id("client"), .user)),
                    .verdict("late", 13, .revoked(by: "client", 12, .user)),
                ]),
            Law(
                "a batch is applied wholly or not at all", "threat-32",
                [
                    .branch,
                    .refused(
                        5, at: 4, .unknown(id("nobody")),
                        .insert(Cast.record("other", .app, on: "service", subject: "other")),
                        .consume(id("assertion")),
                        .remember(ReplayKey("law", "one"), until: Cast.time(50)),
                        .revoke(id("client"), .user),
                        .revoke(id("nobody"), .user)),
                    .fact(
                        .holder(.client, Cast.name("instance")),
                        { $0.lineage(of: .client, heldBy: Cast.name("instance"))?.record.id },
                        is: id("client")),
                    .verdict("other", 6, .unknown),
                    .verdict("assertion", 6, .live),
                    .fact(
                        .replay(ReplayKey("law", "one")), { $0.remembers(ReplayKey("law", "one"), at: Cast.time(6)) },
                        is: false),
                    .refused(
                        7, at: 1, .taken(id("app")),
                        .reground(id("client"), from: id("version"), onto: id("version")),
                        .insert(Cast.record("app", .app, on: "service"))),
                    .applied(8, .insert(Cast.record("other", .app, on: "service")), .consume(id("assertion"))),
                ]),
            Law(
                "changes see what those before them did", "TOK-1",
                [
                    .refused(
                        0, .unknown(id("version")), .insert(Cast.record("client", .client, on: "version")),
                        .insert(Cast.record("version", .versionKey))),
                    .applied(0),
                    .branch,
                ]),
            Law(
                "a revocation is final: the first one counts", "TOK-8",
                [
                    .branch,
                    .applied(10, .revoke(id("app"), .user)),
                    .applied(20, .revoke(id("app"), .administrator)),
                    .applied(30, .revoke(id("service"), .issuer)),
                    .verdict("app", 31, .revoked(by: "app", 10, .user)),
                    .refused(32, .unknown(id("nobody")), .revoke(id("nobody"), .user)),
                ]),
            Law(
                "expiry is computed, at the very second", "threat-16",
                [
                    .applied(
                        0, .insert(Cast.record("version", .versionKey, final: 100)),
                        .insert(Cast.record("client", .client, on: "version"))),
                    .verdict("client", 99, .live),
                    .verdict("client", 100, .expired("version", 100, .grant)),
                    .refused(
                        100, .dead(id("client"), .expired("version", 100, .grant)),
                        .insert(Cast.record("personal", .personal, on: "client"))),
                    .verdict("client", 50, .live),
                    .applied(120, .revoke(id("version"), .administrator)),
                    .verdict("client", 120, .revoked(by: "version", 120, .administrator)),
                ]),
            Law(
                "an access token's expiry leaves alone what stands on the grant, if that can be renewed", "TOK-2",
                [
                    .branch,
                    .verdict("service", 600, .expired("service", 600, .access)),
                    .applied(601, .insert(Cast.record("late", .app, on: "service", access: 700))),
                    .verdict("late", 602, .live),
                    .verdict("late", 700, .expired("late", 700, .grant)),
                ]),
        ]
    }
}
