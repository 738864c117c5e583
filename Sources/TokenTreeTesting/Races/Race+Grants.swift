#if !hasFeature(Embedded)
internal import TokenTree
internal import Wire

extension Race {
    static var all: [Race] { grants + endings + names + records + messages + purges }

    /// What is spent once, and renewed once.
    private static var grants: [Race] {
        let key = ReplayKey("law", "key")
        let many = (0..<8).map { writer in
            (0..<3).map { at(10, .rotate("app", from: $0, to: $0 + 1, access: 1000 + writer)) }
        }
        return [
            Race(
                "of two who redeem an assertion at once, one does", "AST-3", from: [.branch],
                [at(10, .consume("assertion"), .issue("one", .service, on: "assertion"))],
                [at(11, .consume("assertion"), .issue("two", .service, on: "assertion"))],
                then: [at(12, .consume("assertion"))],
                asking: [.record("assertion"), .record("one"), .record("two")]),
            Race(
                "of many who renew a generation at once, one does, generation by generation", "threat-28",
                from: [.branch], sessions: many, asking: [.record("app")]),
            Race(
                "what was seen by two at once passes once", "threat-36", from: [],
                [at(0, .remember(key, until: TokenTreeTesting.at(60)), .visit("user", "one"))],
                [at(1, .remember(key, until: TokenTreeTesting.at(61)), .visit("user", "two"))],
                then: [at(2, .remember(key, until: TokenTreeTesting.at(62)))],
                asking: [.replay(key), .services("user")]),
            Race(
                "of two who issue the same name at once, one does", "TOK-8", from: [.branch],
                [at(1, .issue("new", .app, on: "service", subject: "one"))],
                [at(2, .issue("new", .assertion, on: "personal", subject: "two"))],
                asking: [
                    .record("new"), .records(.subject("one", .app), after: nil, limit: 9),
                    .records(.subject("two", .assertion), after: nil, limit: 9),
                ]),
        ]
    }

    /// What ends while something is to be given on it.
    private static var endings: [Race] {
        let roots = Batch(at: TokenTreeTesting.at(0), [.issue("left", .versionKey), .issue("right", .versionKey)])
        return [
            Race(
                "nothing is given or renewed on what was revoked at the same time, nor ever after", "threat-31",
                from: [.branch],
                [at(10, .revoke("version", .administrator)), at(11, .issue("late", .app, on: "app"))],
                [.load([.record("app")]), at(10, .issue("new", .app, on: "app")), .load([.record("new")])],
                [.load([.record("app")]), at(10, .rotate("service", from: 0, to: 1)), .load([.record("service")])],
                then: [
                    at(12, .issue("later", .app, on: "app")), at(12, .rotate("app", from: 0, to: 1)),
                    at(12, .issue("latest", .app, on: "app")), at(12, .consume("assertion")),
                ],
                asking: [.record("app"), .record("new"), .record("late"), .record("later"), .record("latest")]),
            Race(
                "of two who each end what the other one builds on, one does", "threat-31", from: [roots],
                [at(10, .issue("one", .client, on: "left"), .revoke("right", .administrator))],
                [at(11, .issue("two", .client, on: "right"), .revoke("left", .administrator))],
                asking: [.record("left"), .record("right"), .record("one"), .record("two")]),
            Race(
                "nobody moves to a version that ends at the same time as his own", "REG-5",
                from: [.branch, Batch(at: TokenTreeTesting.at(1), [.issue("newer", .versionKey)])],
                [at(10, .reground("client", from: "version", onto: "newer"), .revoke("version", .superseded))],
                [at(11, .touch("client"), .revoke("newer", .administrator), .confirm("client"))],
                [at(12, .confirm("client")), .load([.record("client")])],
                then: [at(13, .confirm("client")), at(13, .confirm("client"))],
                asking: [.record("client"), .record("version"), .record("newer"), .record("app")]),
        ]
    }

    /// Who is in force, and who is shut out.
    private static var names: [Race] {
        func person(_ name: Record.Subject) -> Facts.Key { .records(.subject(name, .personal), after: nil, limit: 9) }
        return [
            Race(
                "of two who register the same instance at once, one does", "REQ-10", from: [.branch],
                [at(1, .issue("one", .client, on: "version", holder: "new"))],
                [at(2, .issue("two", .client, on: "version", holder: "new"))],
                asking: [.holder(.client, "new"), .record("one"), .record("two")]),
            Race(
                "of two who replace the same instance at once, one does", "REQ-10", from: [.branch],
                [at(1, .revoke("client", .superseded), .issue("one", .client, on: "version", holder: "instance"))],
                [at(2, .revoke("client", .user), .issue("two", .client, on: "version", holder: "instance"))],
                asking: [.holder(.client, "instance"), .record("client"), .record("one"), .record("two")]),
            Race(
                "who is barred and replaced at once is either one or the other", "REG-7", from: [.branch],
                [at(1, .revoke("client", .barred))],
                [at(2, .revoke("client", .superseded), .issue("again", .client, on: "version", holder: "instance"))],
                then: [at(3, .issue("later", .client, on: "version", holder: "instance"))],
                asking: [.holder(.client, "instance"), .record("client"), .record("again"), .record("later")]),
            Race(
                "of two who lock each other's users out, one gives his own nothing more", "threat-78", from: [.branch],
                [at(1, .issue("lock1", .lock, holder: "ann"), .issue("two", .personal, on: "client", subject: "ben"))],
                [at(2, .issue("lock2", .lock, holder: "ben"), .issue("one", .personal, on: "client", subject: "ann"))],
                asking: [
                    .holder(.lock, "ann"), .holder(.lock, "ben"), .record("one"), .record("two"), person("ann"),
                    person("ben"),
                ]),
            Race(
                "nothing is given or renewed to whom two lock out at the same time, nor ever after", "threat-78",
                from: [.branch],
                [
                    at(1, .issue("lock", .lock, holder: "user")),
                    at(2, .issue("late", .app, on: "app", subject: "user")),
                ],
                [at(1, .issue("other", .lock, holder: "user")), at(2, .rotate("app", from: 0, to: 1))],
                [.load([.holder(.lock, "user")]), at(1, .issue("new", .app, on: "app", subject: "user"))],
                [.load([.holder(.lock, "user")]), at(1, .rotate("service", from: 0, to: 1))],
                then: [
                    at(3, .rotate("personal", from: 0, to: 1)), at(3, .rotate("personal", from: 0, to: 1)),
                    at(3, .issue("later", .app, on: "app", holder: "user")),
                ],
                asking: [
                    .holder(.lock, "user"), .record("new"), .record("late"), .record("app"), .record("personal"),
                ]),
            Race(
                "who is forgotten while something is given in his or her name is one person in the end", "threat-75",
                from: [
                    .branch,
                    Batch(
                        at: TokenTreeTesting.at(1),
                        [
                            .revoke("personal", .user), .visit("user", "one"),
                            .issue("new", .client, on: "version", holder: "new"),
                        ]),
                ],
                [at(2, .forget("user"))],
                [at(2, .issue("one", .personal, on: "new", subject: "user"), .visit("user", "two"))],
                then: [at(3, .forget("user"))],
                asking: [.record("personal"), .record("app"), .record("one"), .services("user"), person("user")]),
        ]
    }

    static func at(_ seconds: Int, _ changes: Change...) -> Act {
        .commit(Batch(at: TokenTreeTesting.at(seconds), changes))
    }
}
#endif
