internal import TokenTree
internal import Wire

extension Law {
    private static func id(_ word: String) -> TokenID { Cast.id(word) }
    private static func user(_ number: Int) -> Record.Subject { Cast.name("user", number) }
    private static func service(_ number: Int) -> Record.Audience { Cast.name("service", number) }
    private static func message(_ number: Int, due: Int, about: String? = nil) -> OutgoingMessage {
        OutgoingMessage(
            id: Cast.name("message", number), destination: service(1), about: about.map(id), body: ["token": "t"],
            due: Cast.time(due))
    }

    /// What is remembered, and what survives.
    static var durabilityLaws: [Law] {
        let key = ReplayKey("law", "key")
        return [
            Law(
                "revocations, redemptions and renewals survive a restart", "TOK-8",
                [
                    .branch,
                    .applied(
                        10, .consume(id("assertion")),
                        .rotate(id("personal"), from: Cast.refresh(0), to: Cast.refresh(1), accessExpiry: nil),
                        .revoke(id("service"), .user)),
                    .restart,
                    .verdict("app", 11, .revoked(by: "service", 10, .user)),
                    .verdict("assertion", 11, .consumed(at: Cast.time(10))),
                    .refused(12, .consumed(id("assertion"), at: Cast.time(10)), .consume(id("assertion"))),
                    .refused(
                        12, .rotated(id("personal"), expected: 0, found: 1),
                        .rotate(id("personal"), from: Cast.refresh(0), to: Cast.refresh(1), accessExpiry: nil)),
                ]),
            Law(
                "what is remembered does not pass again before its time, also after a restart", "threat-36",
                [
                    .applied(0, .remember(key, until: Cast.time(60))),
                    .refused(1, .replayed(key, until: Cast.time(60)), .remember(key, until: Cast.time(61))),
                    .restart,
                    .refused(59, .replayed(key, until: Cast.time(60)), .remember(key, until: Cast.time(120))),
                    .applied(60, .remember(key, until: Cast.time(120))),
                    .refused(
                        61, at: 1, .replayed(ReplayKey("law", "other"), until: Cast.time(62)),
                        .remember(ReplayKey("law", "other"), until: Cast.time(62)),
                        .remember(ReplayKey("law", "other"), until: Cast.time(63))),
                    .applied(61, .remember(ReplayKey("law", "other"), until: Cast.time(62))),
                ]),
            Law(
                "a batch committed twice changes nothing the second time", "threat-32",
                [
                    .branch,
                    .refused(0, .taken(id("version")), Cast.branch[0], Cast.branch[1]),
                    .verdict("app", 1, .live),
                    .applied(2, .revoke(id("app"), .user), .enqueue(message(1, due: 2))),
                    .applied(2, .revoke(id("app"), .user), .enqueue(message(1, due: 2))),
                    .fact(
                        .outgoing(due: Cast.time(3), limit: 9), { $0.messages(due: Cast.time(3), limit: 9).count },
                        is: 1),
                ]),
            Law(
                "a message is kept until it is settled, once, and not sent again", "TOK-7",
                [
                    .applied(
                        0, .enqueue(message(2, due: 5)), .enqueue(message(1, due: 3)), .enqueue(message(3, due: 50))),
                    .restart,
                    .fact(
                        .outgoing(due: Cast.time(5), limit: 9), { $0.messages(due: Cast.time(5), limit: 9) },
                        is: [message(1, due: 3), message(2, due: 5)]),
                    .fact(
                        .outgoing(due: Cast.time(5), limit: 1), { $0.messages(due: Cast.time(5), limit: 1) },
                        is: [message(1, due: 3)]),
                    .applied(5, .attempt(message(1, due: 3).id, after: 0, retry: Cast.time(35))),
                    .refused(
                        5, .attempted(message(1, due: 3).id, expected: 0, found: 1),
                        .attempt(message(1, due: 3).id, after: 0, retry: Cast.time(35))),
                    .fact(
                        .outgoing(due: Cast.time(6), limit: 9), { $0.messages(due: Cast.time(6), limit: 9) },
                        is: [message(2, due: 5)]),
                    .fact(.message(message(1, due: 3).id), { $0.message(message(1, due: 3).id)?.attempts }, is: 1),
                    .applied(7, .settle(message(1, due: 3).id, .delivered)),
                    .refused(8, .settled(message(1, due: 3).id), .settle(message(1, due: 3).id, .delivered)),
                    .restart,
                    .applied(9, .enqueue(message(1, due: 3))),
                    .fact(.message(message(1, due: 3).id), { $0.message(message(1, due: 3).id) }, is: nil),
                    .refused(9, .settled(message(9, due: 0).id), .settle(message(9, due: 0).id, .abandoned)),
                ]),
            Law(
                "the services that a user used are listed once each, for that user only", "USE-2",
                [
                    .applied(1, .visit(user(1), service(1)), .visit(user(1), service(2)), .visit(user(2), service(3))),
                    .applied(9, .visit(user(1), service(1))),
                    .applied(5, .visit(user(1), service(1))),
                    .restart,
                    .fact(
                        .services(user(1)), { Set($0.visits(of: user(1))) },
                        is: [
                            Facts.Visit(service: service(1), last: Cast.time(9)),
                            Facts.Visit(service: service(2), last: Cast.time(1)),
                        ]),
                    .fact(.services(user(3)), { $0.visits(of: user(3)) }, is: []),
                ]),
            Law(
                "what is dead is purged after its time, and only that", "TOK-8",
                [
                    .branch,
                    .purge(Cast.time(1000), Retention(explained: .seconds(100), settled: .zero), removing: 0),
                    .applied(1000, .revoke(id("service"), .user)),
                    .purge(Cast.time(1099), Retention(explained: .seconds(100), settled: .zero), removing: 0),
                    .purge(Cast.time(1100), Retention(explained: .seconds(100), settled: .zero), removing: 2),
                    .verdict("app", 1101, .unknown),
                    .verdict("assertion", 250, .live),
                    .restart,
                    .verdict("service", 1101, .unknown),
                    .verdict("personal", 1101, .expired("personal", 600, .access)),
                    .purge(Cast.time(2000), Retention(explained: .zero, settled: .zero), removing: 0),
                ]),
            Law(
                "what a message on its way is about stays, with all that stands on it", "TOK-7",
                [
                    .branch,
                    .applied(10, .revoke(id("personal"), .user), .enqueue(message(1, due: 10, about: "personal"))),
                    .purge(Cast.time(5000), Retention(explained: .zero, settled: .zero), removing: 0),
                    .applied(5001, .settle(message(1, due: 0).id, .delivered)),
                    .purge(Cast.time(5002), Retention(explained: .zero, settled: .zero), removing: 4),
                    .verdict("client", 5003, .live),
                ]),
        ]
    }

    /// What can be listed.
    static var listLaws: [Law] {
        let clients = (0..<7).map { number in
            Change.insert(
                Cast.record("client\(number)", .client, on: number % 2 == 0 ? "even" : "odd", holder: "holder\(number)")
            )
        }
        let grants = (0..<7).map { number in
            Change.insert(
                Cast.record("grant\(number)", .personal, on: "client\(number)", subject: number < 5 ? "anna" : "ben"))
        }
        let filling: Move = .commit(
            Batch(
                at: Cast.start,
                [.insert(Cast.record("even", .versionKey)), .insert(Cast.record("odd", .versionKey))] + clients + grants
            ), .applied)
        let anna: Record.Subject = Cast.name("anna")
        func pages(_ selection: Facts.Selection, _ expected: Set<TokenID>) -> [Move] {
            // Each page asks on from the one before; scripts are fixed, so that the pages are walked within one look at
            // the store.
            [
                .ask([.records(selection, after: nil, limit: 3)]) { facts in
                    guard let first = facts.page(of: selection, limit: 3) else { return "no page" }
                    let ids = first.lineages.map(\.record.id)
                    if Set(ids).count != ids.count { return "\(ids) lists a record twice" }
                    if ids.count != min(3, expected.count) {
                        return "\(ids.count) records on a page of 3 of \(expected.count)"
                    }
                    if !Set(ids).isSubset(of: expected) { return "\(ids) is not among \(expected)" }
                    if (first.next == nil) != (expected.count <= 3) {
                        return "the list goes on after \(String(describing: first.next))"
                    }
                    return nil
                },
                .ask([.records(selection, after: nil, limit: 100)]) { facts in
                    let ids = facts.page(of: selection, limit: 100)?.lineages.map(\.record.id) ?? []
                    return Set(ids) == expected && ids.count == expected.count ? nil : "\(ids), expected \(expected)"
                },
            ]
                + expected.sorted().map { last in
                    .ask([.records(selection, after: nil, limit: 100), .records(selection, after: last, limit: 100)]) {
                        facts in
                        let all = facts.page(of: selection, limit: 100)?.lineages.map(\.record.id) ?? []
                        let rest = facts.page(of: selection, after: last, limit: 100)?.lineages.map(\.record.id)
                        let expected = all.firstIndex(of: last).map { [TokenID](all[($0 + 1)...]) }
                        return rest == expected
                            ? nil
                            : "after \(last) come \(String(describing: rest)), expected \(String(describing: expected))"
                    }
                }
        }
        return [
            Law(
                "lists hold every record exactly once, in one order, a page at a time", "FED-3",
                [filling]
                    + pages(.all(.client), Set((0..<7).map { id("client\($0)") }))
                    + pages(.subject(anna, .personal), Set((0..<5).map { id("grant\($0)") }))
                    + pages(.under(id("odd"), .personal), [id("grant1"), id("grant3"), id("grant5")])
                    + pages(.under(id("client3"), .personal), [id("grant3")])
                    + pages(.all(.app), [])
                    + [
                        .fact(
                            .records(.under(id("nobody"), .app), after: nil, limit: 3),
                            { $0.page(of: .under(id("nobody"), .app), limit: 3) },
                            is: nil),
                        .fact(
                            .records(.all(.client), after: id("nobody"), limit: 3),
                            { $0.page(of: .all(.client), after: id("nobody"), limit: 3) }, is: nil),
                    ])
        ]
    }
}
