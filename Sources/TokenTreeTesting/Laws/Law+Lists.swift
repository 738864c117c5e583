internal import TokenTree
internal import Wire

extension Law {
    /// What can be listed: by seven instances on two versions, and their grants for two users.
    static var lists: [Law] {
        let filling = (0..<7).flatMap { number -> [Change] in
            let client = name(number)
            return [
                .issue(client, .client, on: number % 2 == 0 ? "even" : "odd"),
                .issue(
                    TokenID(stringLiteral: "grant-\(number)"), .personal, on: client,
                    subject: number < 5 ? "anna" : "ben"),
            ]
        }
        let versions: [Change] = [.issue("even", .versionKey), .issue("odd", .versionKey)]
        let all = Facts.Selection.all(.client)
        return [
            Law(
                "lists hold every record exactly once, in one order, a page at a time", "FED-3",
                [.commit(Batch(at: at(0), versions + filling), .applied)]
                    + pages(of: all, Set((0..<7).map { TokenID(stringLiteral: "client-\($0)") }))
                    + pages(
                        of: .subject("anna", .personal), ["grant-0", "grant-1", "grant-2", "grant-3", "grant-4"])
                    + pages(of: .under("odd", .personal), ["grant-1", "grant-3", "grant-5"])
                    + pages(of: .under("client-3", .personal), ["grant-3"])
                    + pages(of: .all(.app), [])
                    + [
                        .fact(
                            .records(.under("nobody", .app), after: nil, limit: 3),
                            { $0.page(of: .under("nobody", .app), limit: 3) }, is: nil),
                        .fact(
                            .records(all, after: "nobody", limit: 3), { $0.page(of: all, after: "nobody", limit: 3) },
                            is: nil),
                    ]),
            Law(
                "of what is a user's, or stands on one record, the newest comes first", "TOK-5",
                [
                    .commit(Batch(at: at(0), versions + filling), .applied),
                    .commit(Batch(at: at(1), (7..<9).map { .issue(name($0), .client, on: "odd") }), .applied),
                    .restart,
                    order(of: .under("odd", .client), [8, 7, 5, 3, 1].map(name)),
                    order(of: .under("odd", .client), after: "client-7", ["client-5", "client-3"], limit: 2),
                    order(of: .subject("ben", .personal), ["grant-6", "grant-5"]),
                ]),
        ]
    }

    private static func name(_ number: Int) -> TokenID { TokenID(stringLiteral: "client-\(number)") }

    /// A page holds exactly these, in this order.
    private static func order(
        of selection: Facts.Selection, after last: TokenID? = nil, _ expected: [TokenID], limit: Int = 100
    ) -> Move {
        .fact(
            .records(selection, after: last, limit: limit),
            { $0.page(of: selection, after: last, limit: limit)?.lineages.map(\.record.id) }, is: expected)
    }

    /// The first page, the whole list, and what follows each record of it.
    ///
    /// Each page asks on from the one before; scripts are fixed, so that the pages are walked within one look at the
    /// store.
    static func pages(of selection: Facts.Selection, _ expected: Set<TokenID>) -> [Move] {
        func ids(_ facts: Facts, after last: TokenID? = nil, limit: Int) -> [TokenID]? {
            facts.page(of: selection, after: last, limit: limit)?.lineages.map(\.record.id)
        }
        let first = Move.ask([.records(selection, after: nil, limit: 3)]) { facts in
            guard let found = ids(facts, limit: 3) else { return "no page" }
            if Set(found).count != found.count { return "\(found) lists a record twice" }
            if found.count != min(3, expected.count) {
                return "\(found.count) records on a page of 3 of \(expected.count)"
            }
            if !Set(found).isSubset(of: expected) { return "\(found) is not among \(expected)" }
            let next = facts.page(of: selection, limit: 3)?.next
            return (next == nil) == (expected.count <= 3) ? nil : "the list goes on after \(String(describing: next))"
        }
        let whole = Move.ask([.records(selection, after: nil, limit: 100)]) { facts in
            let found = ids(facts, limit: 100) ?? []
            return Set(found) == expected && found.count == expected.count ? nil : "\(found), expected \(expected)"
        }
        let rests = expected.sorted().map { last in
            Move.ask([.records(selection, after: nil, limit: 100), .records(selection, after: last, limit: 100)]) {
                facts in
                let all = ids(facts, limit: 100) ?? []
                let rest = ids(facts, after: last, limit: 100)
                let expected = all.firstIndex(of: last).map { [TokenID](all[($0 + 1)...]) }
                return rest == expected
                    ? nil : "after \(last) come \(String(describing: rest)), expected \(String(describing: expected))"
            }
        }
        return [first, whole] + rests
    }
}
