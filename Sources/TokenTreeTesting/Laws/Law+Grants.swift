internal import TokenTree
internal import Wire

extension Law {
    /// What is spent, and what is renewed.
    static var grants: [Law] {
        [
            Law(
                "an assertion is redeemed once, and what stands on it can be ended by it", "AST-3",
                [
                    .branch,
                    .applied(10, .consume("assertion")),
                    .verdict("assertion", 11, .consumed(at: at(10))),
                    .verdict("app", 11, .live),
                    .refused(12, .consumed("assertion", at: at(10)), .consume("assertion")),
                    .applied(13, .revoke("assertion", .replayed)),
                    .verdict("app", 14, .revoked(by: "assertion", 13, .replayed)),
                ]),
            Law(
                "an assertion's expiry ends its redeemability, not what was granted on it", "AST-3",
                [
                    .branch,
                    .verdict("assertion", 300, .expired("assertion", 300, .access)),
                    .verdict("app", 300, .live),
                    .refused(300, .lapsed("assertion", at: at(300)), .consume("assertion")),
                ]),
            Law(
                "only assertions and codes are redeemed, and only alive", "threat-18",
                [
                    .branch,
                    .refused(1, .notRedeemable("service", .service), .consume("service")),
                    .refused(1, .unknown("nobody"), .consume("nobody")),
                    .applied(2, .revoke("version", .administrator)),
                    .refused(
                        3, .dead("assertion", .revoked(by: "version", 2, .administrator)), .consume("assertion")
                    ),
                ]),
            Law(
                "of two renewals from the same state one wins", "threat-28",
                [
                    .branch,
                    .applied(
                        10,
                        .rotate("app", from: 0, to: 1, access: 1200)),
                    .refused(
                        10, .rotated("app", expected: 0, found: 1),
                        .rotate("app", from: 0, to: 1)),
                    .verdict("app", 1100, .live),
                    .verdict("app", 1200, .expired("app", 1200, .access)),
                    .fact(.record("app"), { $0.lineage(of: "app")?.record.refresh?.generation }, is: 1),
                    .refused(
                        11, .rotated("app", expected: 1, found: 1),
                        .rotate("app", from: 1, to: 3)),
                    .refused(
                        11, .notRefreshable("client"),
                        .rotate("client", from: 0, to: 1)),
                ]),
            Law(
                "nothing is renewed once anything it stands on was revoked", "TOK-3",
                [.branch, .applied(10, .revoke("version", .administrator))]
                    + ["personal", "service", "app"].map {
                        .refused(
                            11, .dead($0, .revoked(by: "version", 10, .administrator)),
                            .rotate($0, from: 0, to: 1))
                    }),
            Law(
                "a grant ends at its final expiry, renewed or not", "TOK-2",
                [
                    .applied(
                        0, .issue("version", .versionKey),
                        .issue("client", .client, on: "version"),
                        .issue(
                            "personal", .personal, on: "client", access: 10, final: 100, refresh: .generation(0))),
                    .verdict("personal", 10, .expired("personal", 10, .access)),
                    .applied(
                        50,
                        .rotate("personal", from: 0, to: 1, access: 500)),
                    .verdict("personal", 99, .live),
                    .verdict("personal", 100, .expired("personal", 100, .grant)),
                    .refused(
                        100, .dead("personal", .expired("personal", 100, .grant)),
                        .rotate("personal", from: 1, to: 2)),
                ]),
        ]
    }

    /// What is known by its holder, and what moves.
    static var holders: [Law] {
        [
            Law(
                "an instance has one record in force; a new one needs the old one's end", "REQ-10",
                [
                    .branch,
                    .refused(
                        1, .occupied(by: "client"),
                        .issue("second", .client, on: "version", holder: "instance")),
                    .applied(
                        2, .revoke("client", .superseded),
                        .issue("second", .client, on: "version", holder: "instance")),
                    .fact(
                        .holder(.client, "instance"),
                        { $0.lineage(of: .client, heldBy: "instance")?.record.id },
                        is: "second"),
                    .verdict("app", 3, .revoked(by: "client", 2, .superseded)),
                    .verdict("second", 3, .live),
                    .fact(
                        .holder(.client, "stranger"),
                        { $0.lineage(of: .client, heldBy: "stranger")?.record.id }, is: nil),
                    .fact(
                        .holder(.versionKey, "kid"),
                        { $0.lineage(of: .versionKey, heldBy: "kid")?.record.id },
                        is: "version"),
                ]),
            Law(
                "a barred instance never returns, also under a newer version", "REG-7",
                [
                    .branch,
                    .applied(1, .issue("newer", .versionKey, holder: "kid2")),
                    .applied(2, .revoke("client", .user)),
                    .applied(3, .revoke("client", .barred), .revoke("assertion", .administrator)),
                    .verdict("client", 4, .revoked(by: "client", 2, .barred)),
                    .refused(
                        4, .barred(by: "client"),
                        .issue("again", .client, on: "newer", holder: "instance")),
                    .purge(10_000_000, removing: 4),
                    .restart,
                    .refused(
                        10_000_001, .barred(by: "client"),
                        .issue("again", .client, on: "newer", holder: "instance")),
                ]),
            Law(
                "what was replaced cannot be barred beside its successor", "REG-7",
                [
                    .branch,
                    .applied(
                        1, .revoke("client", .superseded),
                        .issue("second", .client, on: "version", holder: "instance")),
                    .refused(2, .occupied(by: "second"), .revoke("client", .barred)),
                    .applied(3, .revoke("second", .barred)),
                ]),
            Law(
                "an instance moves to a newer version with all that stands on it, and only from where it stands",
                "REG-5",
                [
                    .branch,
                    .applied(
                        1, .issue("newer", .versionKey), .issue("newest", .versionKey)),
                    .applied(2, .reground("client", from: "version", onto: "newer")),
                    .refused(
                        3, .regrounded("client", expected: "version", found: "newer"),
                        .reground("client", from: "version", onto: "newest")),
                    .applied(4, .revoke("version", .administrator)),
                    .verdict("app", 5, .live),
                    .refused(
                        6, .dead("version", .revoked(by: "version", 4, .administrator)),
                        .reground("client", from: "newer", onto: "version")),
                    .restart,
                    .applied(7, .revoke("newer", .administrator)),
                    .verdict("app", 8, .revoked(by: "newer", 7, .administrator)),
                    .refused(
                        9, .dead("client", .revoked(by: "newer", 7, .administrator)),
                        .reground("client", from: "newer", onto: "newest")),
                ]),
            Law(
                "nothing but an instance moves, and onto nothing but a version key", "REG-5",
                [
                    .branch,
                    .refused(
                        1, .unfit("app", .app, on: .versionKey),
                        .reground("app", from: "service", onto: "version")),
                    .refused(
                        1, .unfit("client", .client, on: .personal),
                        .reground("client", from: "version", onto: "personal")),
                ]),
            Law(
                "what the issuer keeps can be replaced while the record lives", "REG-6",
                [
                    .branch,
                    .applied(1, .describe("client", ["device_name": "new"]), .touch("client")),
                    .fact(
                        .record("client"), { $0.lineage(of: "client")?.record.attributes },
                        is: ["device_name": "new"]),
                    .fact(
                        .record("client"), { $0.lineage(of: "client")?.entry.fate.lastUse }, is: at(1)),
                    .applied(0, .touch("client")),
                    .fact(
                        .record("client"), { $0.lineage(of: "client")?.entry.fate.lastUse }, is: at(1)),
                    .applied(2, .revoke("version", .administrator)),
                    .refused(
                        3, .dead("client", .revoked(by: "version", 2, .administrator)), .describe("client", [:])
                    ),
                ]),
            Law(
                "a person is forgotten when nothing of his or hers can be used any more, and only then", "threat-75",
                [
                    .branch,
                    .applied(
                        1, .visit("user", "https://a.example"), .visit("other", "https://a.example"),
                        .describe("personal", ["name": "Ann"])),
                    .refused(2, .inUse("app"), .forget("user"), .touch("client")),
                    .applied(3, .forget("nobody")),
                    .applied(4, .revoke("personal", .user), .forget("user")),
                    .restart,
                    .fact(.record("personal"), { $0.lineage(of: "personal")?.record.attributes }, is: [:]),
                    .fact(
                        .record("app"), { $0.lineage(of: "app")?.record.subject }, is: Record.remainder(of: "user")),
                    .fact(.services("user"), { $0.visits(of: "user").count }, is: 0),
                    .fact(.services("other"), { $0.visits(of: "other").count }, is: 1),
                    .fact(
                        .records(.subject("user", .personal), after: nil, limit: 9),
                        { $0.page(of: .subject("user", .personal), limit: 9)?.lineages.count }, is: 0),
                    .verdict("app", 5, .revoked(by: "personal", 4, .user)),
                ]),
            Law(
                "a redeemed assertion without a ground, and a code, go with what stood on them", "threat-75",
                [
                    .applied(
                        0, .issue("fed", .assertion, access: 300), .consume("fed"),
                        .issue("service", .service, on: "fed"), .issue("code", .code, on: "service", access: 60)),
                    .purge(299, removing: 1),
                    .purge(300, removing: 0),
                    .applied(400, .revoke("service", .user)),
                    .purge(399, removing: 0),
                    .purge(400, removing: 2),
                ]),
            Law(
                "of two who replace what the issuer keeps at once, one wins", "threat-73",
                [
                    .branch,
                    .applied(1, .describe("client", ["name": "one", "n": 1], from: [:])),
                    .refused(1, .described("client"), .describe("client", ["name": "other"], from: [:]), .touch("app")),
                    .restart,
                    .applied(2, .describe("client", ["name": "other"], from: ["name": "one", "n": 1])),
                    .applied(3, .describe("client", [:], from: ["name": "other"])),
                ]),
        ]
    }
}
