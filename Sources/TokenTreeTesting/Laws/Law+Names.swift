internal import TokenTree
internal import Wire

extension Law {
    /// Names that people, collations, patterns, quotations or numbers take for each other.
    ///
    /// Neighbours are alike: every second name is given, the others are not, and have to be told apart from them.
    static let lookalikes: [String] =
        [
            // Case, also beyond ASCII and where it changes the length.
            "name", "Name", "NAME", "nAME", "stra\u{df}e", "strasse", "STRASSE", "STRA\u{1e9e}E", "id", "\u{131}d",
            "ID",
            "\u{130}D", "\u{3c3}", "\u{3c2}",
            // Unicode forms: one scalar or two, the Kelvin sign, ligatures, full width, the order of marks.
            "caf\u{e9}", "cafe\u{301}", "cafe", "CAF\u{c9}", "K", "\u{212a}", "k", "\u{c5}", "\u{212b}", "A\u{30a}",
            "fi", "\u{fb01}", "\u{ff4e}ame", "q\u{307}\u{323}", "q\u{323}\u{307}",
            // What is not seen, and what looks the same.
            "name ", " name", "name  ", "name\u{a0}", "na\u{200b}me", "na\u{200d}me", "name\u{ad}", "\u{feff}name",
            "n\u{430}me", "\u{202e}name", "name\u{fffd}",
            // Parts of each other.
            "nam", "names", "n", "na", "name/", "name.",
            // What looks like a number or a word of a language.
            "1", "01", "1.0", "1e0", "+1", "-1", "0", "-0", "0x1", "null", "NULL", "true", "TRUE",
            // Patterns, quotations, parameters.
            "%", "%%", "nam_", "nam%", "_", "*", "'", "''", "\"", "\"\"", "\\", "\\\\", "\\'", "$1", "?1", ":name",
            "--",
            "';--", "{name}", "\\x6e616d65", "\\u006eame",
            // Beyond the first plane.
            "\u{1f4f1}", "\u{1f4f2}", "\u{ffff}", "\u{10000}", "\u{10ffff}",
        ]
        // As long as names can be.
        + ["a", "b", "A", ""].map { String(repeating: "x", count: 1023) + $0 }
        + ["\u{e9}", "e\u{301}"].map { "x" + String(repeating: "\u{e9}", count: 510) + $0 }

    private static func every<Kind>(_ part: Int? = nil) -> [Identifier<Kind>] {
        lookalikes.enumerated().compactMap { index, name in
            part == nil || index % 2 == part ? Identifier(stringLiteral: name) : nil
        }
    }

    private static func commit(_ seconds: Int, _ changes: [Change]) -> Move {
        .commit(Batch(at: at(seconds), changes), .applied)
    }

    /// Whatever looks alike is told apart by its bytes.
    static var names: [Law] { namesOfRecords + namesOfPeople + namesElsewhere }

    private static var namesOfRecords: [Law] {
        let (given, missing, all): ([TokenID], [TokenID], [TokenID]) = (every(0), every(1), every())
        func exist(_ names: [TokenID]) -> Move {
            .ask(names.map { .record($0) }) { facts in
                names.first { facts.lineage(of: $0)?.record.id != $0 }.map { "'\($0)' is not found under its name" }
            }
        }
        func issued(_ names: [TokenID]) -> [Change] { names.map { .issue($0, .versionKey, holder: .init($0)) } }
        return [
            Law(
                "records whose names look alike are different records", "STO-8",
                [commit(0, issued(given)), exist(given)]
                    + missing.map { .refused(1, .unknown($0), .touch($0)) }
                    + missing.map { .verdict($0, 1, .unknown) }
                    + [commit(2, issued(missing)), .restart, exist(all)]
                    + given.map { .refused(3, .taken($0), .issue($0, .versionKey)) }
                    + [commit(4, given.map { .revoke($0, .user) }), .restart]
                    + given.map { .verdict($0, 5, .revoked(by: $0, 4, .user)) }
                    + missing.map { .verdict($0, 5, .live) },
                .bytes),
            Law(
                "lists and their pages tell names that look alike apart", "STO-8",
                [
                    commit(0, issued(all)),
                    commit(
                        1,
                        all.enumerated().map { index, name in
                            .issue(TokenID(stringLiteral: "client-\(index)"), .client, on: name)
                        }),
                ] + pages(of: .all(.versionKey), Set(all))
                    + all.enumerated().map { index, name in
                        Move.fact(
                            .records(.under(name, .client), after: nil, limit: 9),
                            { $0.page(of: .under(name, .client), limit: 9)?.lineages.map(\.record.id) },
                            is: [TokenID(stringLiteral: "client-\(index)")])
                    },
                .bytes),
            Law(
                "holders whose names look alike are different holders", "STO-8",
                [.commit(Batch(at: at(0), [.issue("ground", .versionKey)] + clients(given)), .applied)]
                    + missing.map { inForce($0, nil) }
                    + [commit(1, clients(missing)), .restart]
                    + all.map { inForce($0, $0) }
                    + [commit(2, given.map { .revoke($0, .barred) } + missing.map { .revoke($0, .superseded) })]
                    + given.map {
                        .refused(3, .barred(by: $0), .issue("new", .client, on: "ground", holder: .init($0)))
                    }
                    + [
                        commit(
                            4,
                            missing.enumerated().map { index, name in
                                .issue(
                                    TokenID(stringLiteral: "client-\(index)"), .client, on: "ground",
                                    holder: .init(name))
                            })
                    ]
                    + missing.enumerated().map { inForce($1, TokenID(stringLiteral: "client-\($0)")) },
                .bytes),
        ]
    }

    private static func clients(_ names: [TokenID]) -> [Change] {
        names.map { .issue($0, .client, on: "ground", holder: .init($0)) }
    }

    private static func inForce(_ name: TokenID, _ id: TokenID?) -> Move {
        .fact(
            .holder(.client, .init(name)), { $0.lineage(of: .client, heldBy: .init(name))?.record.id }, is: id)
    }

    private static var namesOfPeople: [Law] {
        let (given, missing, all): ([Record.Subject], [Record.Subject], [Record.Subject]) = (
            every(0), every(1), every()
        )
        let ground = Change.issue("ground", .versionKey)
        func grants(_ names: [Record.Subject]) -> [Change] {
            names.map { .issue(.init($0), .assertion, on: "ground", subject: $0) }
        }
        func listed(_ name: Record.Subject, _ ids: [TokenID]) -> Move {
            .fact(
                .records(.subject(name, .assertion), after: nil, limit: 9),
                { $0.page(of: .subject(name, .assertion), limit: 9)?.lineages.map(\.record.id) }, is: ids)
        }
        func subject(of name: Record.Subject, is expected: Record.Subject) -> Move {
            .fact(.record(.init(name)), { $0.lineage(of: .init(name))?.record.subject }, is: expected)
        }
        return [
            Law(
                "people whose names look alike are different people, also when one is forgotten", "STO-8",
                [.applied(0, ground), commit(0, grants(given))]
                    + missing.map { listed($0, []) } + [commit(1, grants(missing)), .restart]
                    + all.map { listed($0, [.init($0)]) }
                    + [
                        commit(2, given.map { .revoke(.init($0), .user) }), commit(3, given.map { .forget($0) }),
                        .restart,
                    ]
                    + given.map { listed($0, []) } + missing.map { listed($0, [.init($0)]) }
                    + given.map { subject(of: $0, is: Record.remainder(of: $0)) }
                    + missing.map { subject(of: $0, is: $0) },
                .bytes),
            Law(
                "a lock shuts out nobody whose name only looks alike", "STO-8",
                [
                    .applied(0, ground),
                    commit(0, given.map { .issue(.init($0), .lock, holder: .init($0)) }),
                    commit(
                        1,
                        missing.map {
                            .issue(.init($0), .assertion, on: "ground", holder: .init($0), subject: $0)
                        }),
                ]
                    + given.map {
                        .refused(2, .locked(by: .init($0)), .issue("new", .assertion, on: "ground", subject: $0))
                    }
                    + given.map {
                        .refused(2, .locked(by: .init($0)), .issue("new", .assertion, on: "ground", holder: .init($0)))
                    },
                .bytes),
        ]
    }

    private static var namesElsewhere: [Law] {
        let (given, missing, all): ([Record.Audience], [Record.Audience], [Record.Audience]) = (
            every(0), every(1), every()
        )
        let people: [Record.Subject] = every()
        func used(_ services: [Record.Audience], by user: Record.Subject) -> Move {
            .fact(.services(user), { $0.visits(of: user).map(\.service).sorted() }, is: services.sorted())
        }
        func message(_ name: Record.Audience, to service: Record.Audience) -> OutgoingMessage {
            OutgoingMessage(id: .init(name), destination: service, about: .init(name), body: [:], due: at(0))
        }
        func onItsWay(_ name: Record.Audience, attempts: Int?) -> Move {
            .fact(.message(.init(name)), { $0.message(.init(name))?.attempts }, is: attempts)
        }
        let destinations = Dictionary(uniqueKeysWithValues: zip(all, all.reversed()))
        return [
            Law(
                "uses of services whose names look alike are different uses", "STO-8",
                [commit(1, all.map { .visit("user", $0) }), commit(2, given.map { .visit("user", $0) }), .restart]
                    + [
                        used(all, by: "user"),
                        .fact(
                            .services("user"),
                            { $0.visits(of: "user").filter { $0.last == at(2) }.map(\.service).sorted() },
                            is: given.sorted()),
                        commit(3, given.map { .leave("user", $0) }), used(missing, by: "user"),
                        commit(4, zip(people, all).map { .visit($0, $1) }),
                    ] + zip(people, all).map { used([$1], by: $0) },
                .bytes),
            Law(
                "messages whose names look alike are different messages", "STO-8",
                [commit(0, given.map { .enqueue(message($0, to: destinations[$0] ?? $0)) })]
                    + missing.map { onItsWay($0, attempts: nil) }
                    + missing.map { .refused(1, .settled(.init($0)), .settle(.init($0), .delivered)) }
                    + [
                        commit(1, missing.map { .enqueue(message($0, to: destinations[$0] ?? $0)) }),
                        commit(2, given.map { .attempt(.init($0), after: 0, retry: at(9)) }), .restart,
                        .ask([.outgoing(due: at(2), limit: 999)]) { facts in
                            let found = facts.messages(due: at(2), limit: 999)
                            let expected = Set(missing.map { message($0, to: destinations[$0] ?? $0) })
                            return Set(found) == expected && found.count == expected.count
                                ? nil : "\(found.map(\.id)) are due, expected \(expected.map(\.id))"
                        },
                    ] + given.map { onItsWay($0, attempts: 1) } + missing.map { onItsWay($0, attempts: 0) }
                    + [commit(3, missing.map { .settle(.init($0), .delivered) }), .restart]
                    + missing.map { onItsWay($0, attempts: nil) } + given.map { onItsWay($0, attempts: 1) },
                .bytes),
        ]
    }
}
