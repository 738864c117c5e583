internal import TokenTree
internal import Wire

extension Law {
    /// What was written comes back as it was.
    static var values: [Law] { [texts, attributes, times, moments, numbers] }

    /// The record of this name is exactly this one.
    private static func kept(_ record: Record) -> Move {
        .ask([.record(record.id)]) { facts in
            guard let found = facts.lineage(of: record.id)?.record else { return "'\(record.id)' is not found" }
            return found == record ? nil : "\(found), expected \(record)"
        }
    }

    private static func keeping(_ records: [Record]) -> [Move] {
        [.commit(Batch(at: at(0), records.map { .insert($0) }), .applied)] + records.map(kept) + [.restart]
            + records.map(kept)
    }

    private static var texts: Law {
        let long = String(repeating: "k", count: 16_384)
        let lookalikes = lookalikes.enumerated().map { index, text in
            Record(
                id: TokenID(stringLiteral: "text-\(index)"), kind: .versionKey, parent: nil, issued: at(0),
                holder: .init(stringLiteral: text), subject: .init(stringLiteral: text),
                audience: .init(stringLiteral: text), scope: .init(stringLiteral: text),
                boundKey: .init(stringLiteral: text), attributes: [JSON.Name(text): .string(text)])
        }
        let longest = [
            Record(
                id: "scope", kind: .versionKey, parent: nil, issued: at(0),
                scope: .init(stringLiteral: long + String()), boundKey: "key"),
            Record(
                id: "key", kind: .versionKey, parent: nil, issued: at(0), scope: "scope",
                boundKey: .init(stringLiteral: String(repeating: "\u{1f511}", count: 4_096))),
            Record(id: "alone", kind: .versionKey, parent: nil, issued: at(0)),
        ]
        return Law(
            "texts come back byte for byte, and as long as they were", "STO-8", keeping(lookalikes + longest), .bytes)
    }

    /// An object read from a text that shows its spelling.
    private static func object(_ text: String) -> JSON.Object {
        guard let object = try? JSON.Document(parsing: text).tree().object else {
            preconditionFailure("not an object: \(text)")
        }
        return object
    }

    private static var attributes: Law {
        let depth = 63
        let objects = [
            #"{"a":1e400,"b":1.10,"c":-0,"d":1E+2,"e":0.1e-400,"f":123456789012345678901234567890,"g":1.0,"h":1}"#,
            #"{"nul":"a\u0000b","\u0000":"","":"no name","control":"\u001f\u007f\u0085\u2028","slash":"\/"}"#,
            #"{"b":1,"a":2,"B":3,"\u00e9":4,"e\u0301":5,"a ":6,"10":7,"9":8}"#,
            #"{"null":null,"true":true,"false":false,"array":[[],{},[null],""],"object":{"":{}}}"#,
            #"{"phone":"\ud83d\udcf1","end":"\udbff\udfff","quote":"\"\\'","bom":"\ufeff"}"#,
            #"{"long":"\#(String(repeating: "\u{e9}", count: 12_000))"}"#,
            #"{"deep":\#(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))}"#,
        ].map(object)
        let records = objects.enumerated().map { index, attributes in
            Record(
                id: TokenID(stringLiteral: "record-\(index)"), kind: .versionKey, parent: nil, issued: at(0),
                attributes: attributes)
        }
        let messages = objects.enumerated().map { index, body in
            OutgoingMessage(
                id: .init(stringLiteral: "message-\(index)"), destination: "service", about: nil, body: body, due: at(0)
            )
        }
        return Law(
            "what an issuer keeps, and what is to be said, come back as they were written", "STO-8",
            keeping(records)
                + [.commit(Batch(at: at(1), messages.map { .enqueue($0) }), .applied), .restart]
                + messages.map { message in .fact(.message(message.id), { $0.message(message.id) }, is: message) }
                + zip(records, objects.dropFirst()).flatMap { record, other in
                    [
                        .refused(2, .described(record.id), .describe(record.id, [:], from: other)),
                        .applied(2, .describe(record.id, other, from: record.attributes)),
                    ] as [Move]
                }
                // Numbers that are equal by value only are not what was kept.
                + [
                    .applied(3, .issue("number", .versionKey), .describe("number", object(#"{"n":1.0}"#))),
                    .refused(4, .described("number"), .describe("number", [:], from: object(#"{"n":1}"#))),
                    .refused(4, .described("number"), .describe("number", [:], from: object(#"{"n":1.00}"#))),
                ],
            .bytes)
    }

    private static let points: [Timestamp] = [
        .distantPast, Timestamp(seconds: .min, nanoseconds: 1), Timestamp(seconds: -62_135_596_801),
        Timestamp(seconds: -1), Timestamp(seconds: -1, nanoseconds: 999_999_999), .epoch,
        Timestamp(seconds: 0, nanoseconds: 1), Timestamp(seconds: 1_800_000_000, nanoseconds: 123_456_789),
        Timestamp(seconds: 1_800_000_000, nanoseconds: 123_456_780), Timestamp(seconds: 253_402_300_800),
        Timestamp(seconds: 9_223_372_036, nanoseconds: 854_775_808), Timestamp(seconds: .max), .distantFuture,
    ]

    private static var times: Law {
        let records = points.enumerated().map { index, point in
            Record(
                id: TokenID(stringLiteral: "record-\(index)"), kind: .versionKey, parent: nil, issued: point,
                accessExpiry: point, finalExpiry: point,
                refresh: Record.Refresh(
                    generation: 7, hash: Fingerprint(of: [1]), salt: Fingerprint(of: [2]), rotated: point))
        }
        let messages = points.enumerated().map { index, point in
            OutgoingMessage(
                id: .init(stringLiteral: "message-\(index)"), destination: "service", about: nil, body: [:], due: point,
                attempts: 1, tried: point)
        }
        return Law(
            "times come back to the nanosecond, before 1970 and at the ends of the range", "STO-8",
            keeping(records)
                + [.commit(Batch(at: at(0), messages.map { .enqueue($0) }), .applied), .restart]
                + points.indices.map { index in
                    .fact(
                        .outgoing(due: points[index], limit: 99), { Set($0.messages(due: points[index], limit: 99)) },
                        is: Set(messages.filter { $0.due <= points[index] }))
                }
                + points.indices.map { index in
                    let sorted = messages.sorted { $0.due < $1.due }.prefix(index)
                    return .fact(
                        .outgoing(due: .distantFuture, limit: index),
                        { $0.messages(due: .distantFuture, limit: index) }, is: [OutgoingMessage](sorted))
                },
            .bytes)
    }

    /// What happens at one nanosecond has not happened at the one before.
    private static var moments: Law {
        func moment(_ seconds: Int, _ nanoseconds: UInt32) -> Timestamp { at(seconds) + .nanoseconds(nanoseconds) }
        func verdict(_ id: TokenID, _ time: Timestamp, _ expected: Verdict) -> Move {
            .fact(.record(id), { $0.verdict(of: id, at: time) }, is: expected)
        }
        let end = moment(100, 3)
        var ending = Record(id: "ending", kind: .assertion, parent: nil, issued: at(0), accessExpiry: end)
        ending.finalExpiry = moment(200, 7)
        let key = ReplayKey("law", "moment")
        let retention = Retention(explained: .nanoseconds(5), settled: .zero)
        return Law(
            "what happens at a nanosecond happens then, not before or after", "STO-8",
            [
                .commit(Batch(at: moment(1, 9), [.insert(ending), .remember(key, until: end)]), .applied),
                .applied(1, .issue("user", .versionKey), .issue("twice", .assertion)), .restart,
                verdict("ending", moment(100, 2), .live),
                verdict("ending", end, .expired(by: "ending", at: end, ends: .access)),
                .commit(
                    Batch(at: end, [.consume("ending")]), .conflict(.lapsed("ending", at: end), change: 0)),
                .commit(
                    Batch(at: moment(100, 2), [.remember(key, until: end)]),
                    .conflict(.replayed(key, until: end), change: 0)),
                .commit(
                    Batch(at: moment(100, 2), [.consume("ending"), .touch("ending"), .visit("user", "one")]), .applied),
                .commit(Batch(at: moment(100, 1), [.touch("ending"), .visit("user", "one")]), .applied),
                .commit(Batch(at: moment(100, 4), [.confirm("ending"), .revoke("user", .user)]), .applied), .restart,
                .fact(
                    .record("ending"), { $0.lineage(of: "ending")?.entry.fate },
                    is: Record.Fate(
                        consumed: moment(100, 2), lastUse: moment(100, 2), confirmed: moment(100, 4))),
                verdict("user", moment(101, 0), .revoked(by: "user", at: moment(100, 4), reason: .user)),
                .fact(
                    .services("user"), { $0.visits(of: "user") },
                    is: [Facts.Visit(service: "one", last: moment(100, 2))]),
                .purge(moment(100, 7), retention, removing: 0),
                .purge(moment(100, 8), retention, removing: 1),
                .purge(moment(100, 9), retention, removing: 1),
            ],
            .bytes)
    }

    private static var numbers: Law {
        let generations = [0, 1, 255, 32_768, 2_147_483_647, 2_147_483_648, .max - 1].map { (generation: UInt32) in
            Record(
                id: TokenID(stringLiteral: "generation-\(generation)"), kind: .versionKey, parent: nil, issued: at(0),
                refresh: .generation(generation))
        }
        let kinds = Record.Reason.allCases.map { reason in
            (id: TokenID(stringLiteral: "reason-\(reason.rawValue)"), reason: reason)
        }
        return Law(
            "generations and reasons come back as they were, the largest too", "STO-8",
            keeping(generations)
                + [
                    .applied(1, .rotate("generation-2147483647", from: 2_147_483_647, to: 2_147_483_648)),
                    .applied(1, .rotate("generation-4294967294", from: .max - 1, to: .max)),
                    .refused(
                        2, .rotated("generation-4294967294", expected: .max, found: .max),
                        .rotate("generation-4294967294", from: .max, to: 0)),
                    .commit(Batch(at: at(3), kinds.map { .issue($0.id, .versionKey) }), .applied),
                    .commit(Batch(at: at(4), kinds.map { .revoke($0.id, $0.reason) }), .applied), .restart,
                ] + kinds.map { .verdict($0.id, 5, .revoked(by: $0.id, 4, $0.reason)) },
            .bytes)
    }
}
