internal import TokenTree
internal import Wire

extension Law {
    /// Names that are shut out, and what is left of them.
    static var locks: [Law] {
        [
            Law(
                "nothing is given or renewed to or about a locked name, whatever was decided before, until unlocked",
                "threat-78",
                [
                    .branch,
                    .applied(
                        1, .issue("renewable", .personal, on: "client", subject: "user", refresh: .generation(0)),
                        .issue("lock", .lock, holder: "user")),
                    .refused(2, .locked(by: "lock"), .rotate("renewable", from: 0, to: 1)),
                    .refused(2, .locked(by: "lock"), .issue("second", .personal, on: "client", subject: "user")),
                    .refused(
                        2, .locked(by: "lock"),
                        .issue("third", .app, on: "service", holder: "user", subject: "another")),
                    .refused(2, .occupied(by: "lock"), .issue("other", .lock, holder: "user")),
                    // What was issued before ends by itself, or when somebody ends it.
                    .verdict("app", 2, .live),
                    .applied(2, .issue("fourth", .personal, on: "client", subject: "users")),
                    .restart,
                    .purge(10_000_000, removing: 0),
                    .refused(
                        10_000_001, .locked(by: "lock"), .issue("fifth", .personal, on: "client", subject: "user")),
                    .fact(.holder(.lock, "user"), { $0.lineage(of: .lock, heldBy: "user")?.record.id }, is: "lock"),
                    .applied(10_000_002, .revoke("lock", .administrator)),
                    .fact(.holder(.lock, "user"), { $0.lineage(of: .lock, heldBy: "user")?.record.id }, is: nil),
                    .applied(10_000_003, .rotate("renewable", from: 0, to: 1)),
                    .applied(10_000_003, .issue("sixth", .personal, on: "client", subject: "user")),
                ]),
            Law(
                "the lock of a person is lifted before he or she is forgotten, and goes with the name", "threat-75",
                [
                    .applied(0, .issue("lock", .lock, holder: "user", subject: "user")),
                    .refused(1, .inUse("lock"), .forget("user")),
                    .applied(2, .revoke("lock", .administrator), .forget("user")),
                    .restart,
                    .fact(.record("lock"), { $0.lineage(of: "lock")?.record.holder }, is: nil),
                    .fact(
                        .record("lock"), { $0.lineage(of: "lock")?.record.subject }, is: Record.remainder(of: "user")),
                ]),
            Law(
                "a use of a service is forgotten by itself, and no other one with it", "USE-1",
                [
                    .applied(1, .visit("user", "one"), .visit("user", "two"), .visit("other", "one")),
                    .applied(2, .leave("user", "one"), .leave("nobody", "one"), .leave("user", "three")),
                    .commit(
                        Batch(at: at(3), [.leave("user", "two"), .touch("nothing")]),
                        .conflict(.unknown("nothing"), change: 1)),
                    .restart,
                    .fact(.services("user"), { $0.visits(of: "user").map(\.service) }, is: ["two"]),
                    .fact(.services("other"), { $0.visits(of: "other").map(\.service) }, is: ["one"]),
                    .applied(4, .leave("user", "two")),
                    .fact(.services("user"), { $0.visits(of: "user").count }, is: 0),
                    .applied(5, .visit("user", "one")),
                    .fact(.services("user"), { $0.visits(of: "user").count }, is: 1),
                ]),
        ]
    }
}
