internal import TokenTree
internal import Wire

extension Law {
    /// What is remembered, and what survives.
    static var durability: [Law] {
        let key = ReplayKey("law", "key")
        return [
            Law(
                "revocations, redemptions and renewals survive a restart", "TOK-8",
                [
                    .branch,
                    .applied(
                        10, .consume("assertion"),
                        .rotate("personal", from: 0, to: 1),
                        .revoke("service", .user)),
                    .restart,
                    .verdict("app", 11, .revoked(by: "service", 10, .user)),
                    .verdict("assertion", 11, .consumed(at: at(10))),
                    .refused(12, .consumed("assertion", at: at(10)), .consume("assertion")),
                    .refused(
                        12, .rotated("personal", expected: 0, found: 1),
                        .rotate("personal", from: 0, to: 1)),
                ]),
            Law(
                "what is remembered does not pass again before its time, also after a restart", "threat-36",
                [
                    .applied(0, .remember(key, until: at(60))),
                    .refused(1, .replayed(key, until: at(60)), .remember(key, until: at(61))),
                    .restart,
                    .refused(59, .replayed(key, until: at(60)), .remember(key, until: at(120))),
                    .applied(60, .remember(key, until: at(120))),
                    .refused(
                        61, at: 1, .replayed(ReplayKey("law", "other"), until: at(62)),
                        .remember(ReplayKey("law", "other"), until: at(62)),
                        .remember(ReplayKey("law", "other"), until: at(63))),
                    .applied(61, .remember(ReplayKey("law", "other"), until: at(62))),
                ]),
            Law(
                "what was confirmed is known to have been, also after a restart", "threat-67",
                [
                    .branch,
                    .applied(10, .confirm("client")),
                    .applied(5, .confirm("client")),
                    .refused(11, .unknown("nobody"), .confirm("nobody")),
                    .restart,
                    .fact(
                        .record("app"), { $0.lineage(of: "app")?.entries.compactMap(\.fate.confirmed) }, is: [at(10)]),
                    .applied(12, .revoke("personal", .user)),
                    .refused(13, .dead("service", .revoked(by: "personal", 12, .user)), .confirm("service")),
                ]),
            Law(
                "a batch committed twice changes nothing the second time", "threat-32",
                [
                    .branch,
                    .refused(
                        0, .taken("version"), .issue("version", .versionKey, holder: "kid"),
                        .issue("client", .client, on: "version", holder: "instance")),
                    .verdict("app", 1, .live),
                    .applied(2, .revoke("app", .user), .enqueue(.sample("message-1", due: 2))),
                    .applied(2, .revoke("app", .user), .enqueue(.sample("message-1", due: 2))),
                    .fact(
                        .outgoing(due: at(3), limit: 9), { $0.messages(due: at(3), limit: 9).count },
                        is: 1),
                ]),
            Law(
                "a message is kept until it is settled, once, and not sent again", "TOK-7",
                [
                    .applied(
                        0, .enqueue(.sample("message-2", due: 5)), .enqueue(.sample("message-1", due: 3)),
                        .enqueue(.sample("message-3", due: 50))),
                    .restart,
                    .fact(
                        .outgoing(due: at(5), limit: 9), { $0.messages(due: at(5), limit: 9) },
                        is: [.sample("message-1", due: 3), .sample("message-2", due: 5)]),
                    .fact(
                        .outgoing(due: at(5), limit: 1), { $0.messages(due: at(5), limit: 1) },
                        is: [.sample("message-1", due: 3)]),
                    .applied(5, .attempt("message-1", after: 0, retry: at(35))),
                    .refused(
                        5, .attempted("message-1", expected: 0, found: 1),
                        .attempt("message-1", after: 0, retry: at(35))),
                    .fact(
                        .outgoing(due: at(6), limit: 9), { $0.messages(due: at(6), limit: 9) },
                        is: [.sample("message-2", due: 5)]),
                    .fact(.message("message-1"), { $0.message("message-1")?.attempts }, is: 1),
                    .applied(7, .settle("message-1", .delivered)),
                    .refused(8, .settled("message-1"), .settle("message-1", .delivered)),
                    .restart,
                    .applied(9, .enqueue(.sample("message-1", due: 3))),
                    .fact(.message("message-1"), { $0.message("message-1") }, is: nil),
                    .refused(9, .settled("message-9"), .settle("message-9", .abandoned)),
                ]),
            Law(
                "the services that a user used are listed once each, for that user only", "USE-2",
                [
                    .applied(
                        1, .visit("user-1", "service-1"), .visit("user-1", "service-2"), .visit("user-2", "service-3")),
                    .applied(9, .visit("user-1", "service-1")),
                    .applied(5, .visit("user-1", "service-1")),
                    .restart,
                    .fact(
                        .services("user-1"), { Set($0.visits(of: "user-1")) },
                        is: [
                            Facts.Visit(service: "service-1", last: at(9)),
                            Facts.Visit(service: "service-2", last: at(1)),
                        ]),
                    .fact(.services("user-3"), { $0.visits(of: "user-3") }, is: []),
                ]),
            Law(
                "what is dead is purged after its time, and only that", "TOK-8",
                [
                    .branch,
                    .purge(1000, explaining: .seconds(100), removing: 0),
                    .applied(1000, .revoke("service", .user)),
                    .purge(1099, explaining: .seconds(100), removing: 0),
                    .purge(1100, explaining: .seconds(100), removing: 2),
                    .verdict("app", 1101, .unknown),
                    .verdict("assertion", 250, .live),
                    .restart,
                    .verdict("service", 1101, .unknown),
                    .verdict("personal", 1101, .expired("personal", 600, .access)),
                    .purge(2000, removing: 0),
                ]),
            Law(
                "what a message on its way is about stays, with all that stands on it", "TOK-7",
                [
                    .branch,
                    .applied(
                        10, .revoke("personal", .user), .revoke("assertion", .administrator),
                        .enqueue(.sample("message-1", due: 10, about: "personal"))),
                    .purge(5000, removing: 0),
                    .applied(5001, .settle("message-1", .delivered)),
                    .purge(5002, removing: 4),
                    .verdict("client", 5003, .live),
                ]),
            Law(
                "an assertion on a key goes when it is past and nothing stands on it any more", "threat-75",
                [
                    .commit(
                        Batch(
                            at: at(0),
                            [
                                .issue("key", .versionKey),
                                .issue("given", .assertion, on: "key", subject: "user", access: 300),
                                .issue("idle", .assertion, on: "key", subject: "user", access: 300),
                                .issue("service", .service, on: "given", subject: "user"),
                            ]), .applied),
                    .purge(399, explaining: .seconds(100), removing: 0),
                    .purge(400, explaining: .seconds(100), removing: 1),
                    .verdict("idle", 401, .unknown),
                    .verdict("service", 401, .live),
                    .applied(500, .revoke("service", .surrendered)),
                    .purge(599, explaining: .seconds(100), removing: 0),
                    .purge(600, explaining: .seconds(100), removing: 2),
                    .restart,
                    .verdict("given", 601, .unknown),
                    .verdict("key", 601, .live),
                ]),
            Law(
                "an assertion that ended with its ground stays until it is taken back itself", "threat-55",
                [
                    .branch,
                    .applied(10, .revoke("personal", .user)),
                    .purge(5000, removing: 2),
                    .verdict("assertion", 5000, .revoked(by: "personal", 10, .user)),
                    .applied(5001, .revoke("assertion", .administrator)),
                    .purge(5002, removing: 2),
                    .verdict("assertion", 5003, .unknown),
                ]),
        ]
    }
}

extension OutgoingMessage {
    fileprivate static func sample(_ id: ID, due: Int, about: TokenID? = nil) -> OutgoingMessage {
        OutgoingMessage(id: id, destination: "service", about: about, body: ["token": "t"], due: at(due))
    }
}
