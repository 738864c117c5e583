internal import TokenTree
internal import Wire

extension Law {
    private static func id(_ word: String) -> TokenID { Cast.id(word) }
    private static func holder(_ word: String) -> Record.Holder { Cast.name(word) }

    /// What is spent, and what is renewed.
    static var grantLaws: [Law] {
        [
            Law(
                "an assertion is redeemed once, and what stands on it can be ended by it", "AST-3",
                [
                    .branch,
                    .applied(10, .consume(id("assertion"))),
                    .verdict("assertion", 11, .consumed(at: Cast.time(10))),
                    .verdict("app", 11, .live),
                    .refused(12, .consumed(id("assertion"), at: Cast.time(10)), .consume(id("assertion"))),
                    .applied(13, .revoke(id("assertion"), .replayed)),
                    .verdict("app", 14, .revoked(by: "assertion", 13, .replayed)),
                ]),
            Law(
                "an assertion's expiry ends its redeemability, not what was granted on it", "AST-3",
                [
                    .branch,
                    .verdict("assertion", 300, .expired("assertion", 300, .access)),
                    .verdict("app", 300, .live),
                    .refused(300, .lapsed(id("assertion"), at: Cast.time(300)), .consume(id("assertion"))),
                ]),
            Law(
                "only assertions and codes are redeemed, and only alive", "threat-18",
                [
                    .branch,
                    .refused(1, .notRedeemable(id("service"), .service), .consume(id("service"))),
                    .refused(1, .unknown(id("nobody")), .consume(id("nobody"))),
                    .applied(2, .revoke(id("version"), .administrator)),
                    .refused(
                        3, .dead(id("assertion"), .revoked(by: "version", 2, .administrator)), .consume(id("assertion"))
                    ),
                ]),
            Law(
                "of two renewals from the same state one wins", "threat-28",
                [
                    .branch,
                    .applied(
                        10,
                        .rotate(id("app"), from: Cast.refresh(0), to: Cast.refresh(1), accessExpiry: Cast.time(1200))),
                    .refused(
                        10, .rotated(id("app"), expected: 0, found: 1),
                        .rotate(id("app"), from: Cast.refresh(0), to: Cast.refresh(1), accessExpiry: nil)),
                    .verdict("app", 1100, .live),
                    .verdict("app", 1200, .expired("app", 1200, .access)),
                    .fact(.record(id("app")), { $0.lineage(of: id("app"))?.record.refresh?.generation }, is: 1),
                    .refused(
                        11, .rotated(id("app"), expected: 1, found: 1),
                        .rotate(id("app"), from: Cast.refresh(1), to: Cast.refresh(3), accessExpiry: nil)),
                    .refused(
                        11, .notRefreshable(id("client")),
                        .rotate(id("client"), from: Cast.refresh(0), to: Cast.refresh(1), accessExpiry: nil)),
                ]),
            Law(
                "nothing is renewed once anything it stands on was revoked", "TOK-3",
                [.branch, .applied(10, .revoke(id("version"), .administrator))]
                    + ["personal", "service", "app"].map {
                        .refused(
                            11, .dead(id($0), .revoked(by: "version", 10, .administrator)),
                            .rotate(id($0), from: Cast.refresh(0), to: Cast.refresh(1), accessExpiry: nil))
                    }),
            Law(
                "a grant ends at its final expiry, renewed or not", "TOK-2",
                [
                    .applied(
                        0, .insert(Cast.record("version", .versionKey)),
                        .insert(Cast.record("client", .client, on: "version")),
                        .insert(
                            Cast.record(
                                "personal", .personal, on: "client", access: 10, final: 100, refresh: Cast.refresh(0)))),
                    .verdict("personal", 10, .expired("personal", 10, .access)),
                    .applied(
                        50,
                        .rotate(
                            id("personal"), from: Cast.refresh(0), to: Cast.refresh(1), accessExpiry: Cast.time(500))),
                    .verdict("personal", 99, .live),
                    .verdict("personal", 100, .expired("personal", 100, .grant)),
                    .refused(
                        100, .dead(id("personal"), .expired("personal", 100, .grant)),
                        .rotate(id("personal"), from: Cast.refresh(1), to: Cast.refresh(2), accessExpiry: nil)),
                ]),
        ]
    }

    /// What is known by its holder, and what moves.
    static var namedLaws: [Law] {
        [
            Law(
                "an instance has one record in force; a new one needs the old one's end", "REQ-10",
                [
                    .branch,
                    .refused(
                        1, .occupied(by: id("client")),
                        .insert(Cast.record("second", .client, on: "version", holder: "instance"))),
                    .applied(
                        2, .revoke(id("client"), .superseded),
                        .insert(Cast.record("second", .client, on: "version", holder: "instance"))),
                    .fact(
                        .holder(.client, holder("instance")),
                        { $0.lineage(of: .client, heldBy: holder("instance"))?.record.id },
                        is: id("second")),
                    .verdict("app", 3, .revoked(by: "client", 2, .superseded)),
                    .verdict("second", 3, .live),
                    .fact(
                        .holder(.client, holder("stranger")),
                        { $0.lineage(of: .client, heldBy: holder("stranger"))?.record.id }, is: nil),
                    .fact(
                        .holder(.versionKey, holder("kid")),
                        { $0.lineage(of: .versionKey, heldBy: holder("kid"))?.record.id },
                        is: id("version")),
                ]),
            Law(
                "a barred instance never returns, also under a newer version", "REG-7",
                [
                    .branch,
                    .applied(1, .insert(Cast.record("newer", .versionKey, holder: "kid2"))),
                    .applied(2, .revoke(id("client"), .user)),
                    .applied(3, .revoke(id("client"), .barred)),
                    .verdict("client", 4, .revoked(by: "client", 2, .barred)),
                    .refused(
                        4, .barred(by: id("client")),
                        .insert(Cast.record("again", .client, on: "newer", holder: "instance"))),
                    .purge(Cast.time(10_000_000), Retention(explained: .zero, settled: .zero), removing: 4),
                    .restart,
                    .refused(
                        10_000_001, .barred(by: id("client")),
                        .insert(Cast.record("again", .client, on: "newer", holder: "instance"))),
                ]),
            Law(
                "what was replaced cannot be barred beside its successor", "REG-7",
                [
                    .branch,
                    .applied(
                        1, .revoke(id("client"), .superseded),
                        .insert(Cast.record("second", .client, on: "version", holder: "instance"))),
                    .refused(2, .occupied(by: id("second")), .revoke(id("client"), .barred)),
                    .applied(3, .revoke(id("second"), .barred)),
                ]),
            Law(
                "an instance moves to a newer version with all that stands on it, and only from where it stands",
                "REG-5",
                [
                    .branch,
                    .applied(
                        1, .insert(Cast.record("newer", .versionKey)), .insert(Cast.record("newest", .versionKey))),
                    .applied(2, .reground(id("client"), from: id("version"), onto: id("newer"))),
                    .refused(
                        3, .regrounded(id("client"), expected: id("version"), found: id("newer")),
                        .reground(id("client"), from: id("version"), onto: id("newest"))),
                    .applied(4, .revoke(id("version"), .administrator)),
                    .verdict("app", 5, .live),
                    .refused(
                        6, .dead(id("version"), .revoked(by: "version", 4, .administrator)),
                        .reground(id("client"), from: id("newer"), onto: id("version"))),
                    .restart,
                    .applied(7, .revoke(id("newer"), .administrator)),
                    .verdict("app", 8, .revoked(by: "newer", 7, .administrator)),
                    .refused(
                        9, .dead(id("client"), .revoked(by: "newer", 7, .administrator)),
                        .reground(id("client"), from: id("newer"), onto: id("newest"))),
                ]),
            Law(
                "nothing but an instance moves, and onto nothing but a version key", "REG-5",
                [
                    .branch,
                    .refused(
                        1, .unfit(id("app"), .app, on: .versionKey),
                        .reground(id("app"), from: id("service"), onto: id("version"))),
                    .refused(
                        1, .unfit(id("client"), .client, on: .personal),
                        .reground(id("client"), from: id("version"), onto: id("personal"))),
                ]),
            Law(
                "what the issuer keeps can be replaced while the record lives", "REG-6",
                [
                    .branch,
                    .applied(1, .describe(id("client"), ["device_name": "new"]), .touch(id("client"))),
                    .fact(
                        .record(id("client")), { $0.lineage(of: id("client"))?.record.attributes },
                        is: ["device_name": "new"]),
                    .fact(
                        .record(id("client")), { $0.lineage(of: id("client"))?.entry.fate.lastUse }, is: Cast.time(1)),
                    .applied(0, .touch(id("client"))),
                    .fact(
                        .record(id("client")), { $0.lineage(of: id("client"))?.entry.fate.lastUse }, is: Cast.time(1)),
                    .applied(2, .revoke(id("version"), .administrator)),
                    .refused(
                        3, .dead(id("client"), .revoked(by: "version", 2, .administrator)), .describe(id("client"), [:])
                    ),
                ]),
        ]
    }
}
