#if !hasFeature(Embedded)
internal import TokenTree
internal import Wire

extension Race {
    /// What several write to one record, and what is read meanwhile.
    static var records: [Race] {
        let swapped: [Facts.Key] = [.record("client"), .holder(.client, "instance"), .record("second"), .record("app")]
        let users = (0..<8).map { writer in
            [at(10 + writer, .visit("user", "shared"), .visit("user", Identifier(stringLiteral: "service-\(writer)")))]
        }
        return [
            Race(
                "of two who replace what the issuer keeps at once, neither undoes the other", "threat-73",
                from: [.branch],
                [at(1, .describe("client", ["name": "one"], from: [:]), .touch("app"))],
                [at(2, .describe("client", ["name": "two"], from: [:]), .touch("service"))],
                asking: [.record("client"), .record("app"), .record("service")]),
            Race(
                "what many change of one record at once is all there", "TOK-8", from: [.branch],
                [at(10, .consume("assertion"))], [at(10, .describe("assertion", ["name": "Ann"]))],
                [at(12, .touch("assertion"))], [at(11, .touch("assertion"))], [at(10, .confirm("assertion"))],
                [at(13, .revoke("app", .user))], [at(10, .rotate("app", from: 0, to: 1, access: 900))],
                [at(10, .touch("app"))],
                asking: [.record("assertion"), .record("app")]),
            Race(
                "what is looked up together comes from one state", "STO-9", from: [.branch],
                [
                    at(
                        1, .revoke("client", .superseded), .issue("second", .client, on: "version", holder: "instance"),
                        .revoke("app", .user))
                ],
                [Act](repeating: .load(swapped), count: 4),
                [Act](repeating: .load(swapped.reversed()), count: 4),
                asking: swapped),
            Race(
                "of the uses of many at once none is lost, and the latest counts", "USE-2", from: [], sessions: users,
                then: [at(20, .leave("user", "service-0"))], asking: [.services("user")]),
        ]
    }

    /// What others have to be told.
    static var messages: [Race] {
        func sample(_ text: String) -> OutgoingMessage {
            OutgoingMessage(
                id: "message", destination: "service", about: "app", body: ["text": .string(text)],
                due: TokenTreeTesting.at(0))
        }
        let due = TokenTreeTesting.at(100)
        let sent = Batch(at: TokenTreeTesting.at(0), [.enqueue(sample("first"))])
        let keys: [Facts.Key] = [.message("message"), .outgoing(due: due, limit: 9)]
        return [
            Race(
                "of two hosts that take the same message at once, one does", "TOK-7", from: [.branch, sent],
                [at(10, .attempt("message", after: 0, retry: due)), at(11, .touch("app"))],
                [at(10, .attempt("message", after: 0, retry: due)), at(12, .touch("service"))],
                then: [at(13, .attempt("message", after: 1, retry: due))], asking: keys),
            Race(
                "a message that is settled while others take or send it again is settled once", "TOK-7",
                from: [.branch, sent],
                [at(10, .settle("message", .delivered))], [at(10, .settle("message", .delivered))],
                [at(10, .attempt("message", after: 0, retry: due))], [at(10, .enqueue(sample("second")))],
                then: [at(11, .enqueue(sample("third"))), at(11, .enqueue(sample("fourth")))], asking: keys),
            Race(
                "the same message that two send at once is one message", "TOK-7", from: [.branch],
                [at(10, .enqueue(sample("one"))), at(11, .attempt("message", after: 0, retry: due))],
                [at(10, .enqueue(sample("two"))), at(11, .attempt("message", after: 0, retry: due))],
                asking: keys),
        ]
    }

    /// What is removed while somebody still needs it.
    ///
    /// One record can be removed in each, so that it does not matter in how many steps a store does that.
    static var purges: [Race] {
        let retention = Retention(explained: .zero, settled: .zero)
        let purge = Act.purge(TokenTreeTesting.at(1000), retention)
        let last = Act.purge(TokenTreeTesting.at(1001), retention)
        let message = OutgoingMessage(
            id: "message", destination: "service", about: "old", body: [:], due: TokenTreeTesting.at(0))
        let dead = Batch(
            at: TokenTreeTesting.at(10),
            [.issue("old", .client, on: "version", holder: "old", subject: "user"), .revoke("old", .user)])
        let spent = Batch(at: TokenTreeTesting.at(0), [.issue("spent", .assertion, access: 300)])
        let base: [Batch] = [Batch(at: TokenTreeTesting.at(0), [.issue("version", .versionKey, holder: "kid")]), dead]
        let key = ReplayKey("law", "purge")
        return [
            Race(
                "what a message on its way is about is not removed meanwhile", "TOK-7", from: base,
                [purge], [at(1000, .touch("old"), .enqueue(message))],
                then: [last], asking: [.record("old"), .message("message"), .record("version")]),
            Race(
                "what somebody builds on is not removed meanwhile", "TOK-8", from: [spent],
                [purge], [at(1000, .issue("service", .service, on: "spent"))],
                then: [last, at(1001, .touch("service"))], asking: [.record("spent"), .record("service")]),
            Race(
                "who is barred is not forgotten meanwhile", "REG-7", from: base,
                [purge], [at(1000, .revoke("old", .barred))],
                then: [last, at(1002, .issue("again", .client, on: "version", holder: "old"))],
                asking: [.record("old"), .holder(.client, "old"), .record("again")]),
            Race(
                "a name that is removed meanwhile is given again or not, and is one record", "TOK-8", from: base,
                [purge], [at(1000, .issue("old", .client, on: "version", holder: "new"))],
                then: [last],
                asking: [.record("old"), .holder(.client, "new"), .records(.all(.client), after: nil, limit: 9)]),
            Race(
                "of what is written while the dead are removed nothing is lost", "TOK-8", from: [.branch, dead],
                [purge], [at(500, .touch("client"), .visit("user", "one"))],
                [
                    at(
                        500, .rotate("app", from: 0, to: 1, access: 2000),
                        .remember(key, until: TokenTreeTesting.at(2000)))
                ],
                [at(500, .issue("new", .client, on: "version", holder: "new"))],
                [at(500, .describe("personal", ["name": "Ann"]))],
                then: [last],
                asking: [
                    .record("app"), .record("new"), .record("old"), .record("assertion"), .services("user"),
                    .replay(key), .records(.subject("user", .client), after: nil, limit: 9),
                ]),
        ]
    }
}
#endif
