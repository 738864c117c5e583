import TestSupport
import Testing
import TokenTree
import TokenTreeTesting
import Wire

@Suite("TOK-1: traces", .proves("TOK-1"))
struct TraceTests {
    private func answers(_ text: String) throws -> [Bool] {
        try Trace(try JSON.Document(parsing: text).root).answers()
    }

    @Test(arguments: [
        // A root, a child, a revocation, and what is left.
        (
            #"[{"t":0,"op":"issue","id":"a"},{"t":1,"op":"issue","id":"b","parent":"a"},{"t":2,"op":"active","#
                + #""id":"b"},"#
                + #"{"t":3,"op":"revoke","id":"a"},{"t":4,"op":"active","id":"b"},{"t":4,"op":"active","id":"a"}]"#,
            [true, true, true, true, false, false]
        ),
        // Expired when now ≥ exp; a parent that has expired bears nothing.
        (
            #"[{"t":0,"op":"issue","id":"a","parent":null,"exp":10},{"t":9,"op":"active","id":"a"},"#
                + #"{"t":10,"op":"active","id":"a"},"#
                + #"{"t":10,"op":"issue","id":"b","parent":"a"},{"t":9,"op":"issue","id":"b","parent":"a"},"#
                + #"{"t":9,"op":"active","id":"b"}]"#,
            [true, true, false, false, true, true]
        ),
        // Issued with its expiry in the past; fractions count.
        (
            #"[{"t":5,"op":"issue","id":"a","exp":1},{"t":5,"op":"active","id":"a"},{"t":0.5,"op":"active","id":"a"},"#
                + #"{"t":1.0,"op":"active","id":"a"},{"t":0.999999999,"op":"active","id":"a"}]"#,
            [true, false, true, false, true]
        ),
        // Unknown parent, itself as parent, a name given twice, also after its revocation.
        (
            #"[{"t":0,"op":"issue","id":"a","parent":"x"},{"t":0,"op":"issue","id":"a","parent":"a"},"#
                + #"{"t":0,"op":"issue","id":"a"},"#
                + #"{"t":0,"op":"issue","id":"a"},{"t":0,"op":"revoke","id":"a"},{"t":0,"op":"issue","id":"a"},"#
                + #"{"t":0,"op":"active","id":"a"}]"#,
            [false, false, true, false, true, false, false]
        ),
        // Revoked twice, revoked though unknown, revoked though expired, asked though unknown.
        (
            #"[{"t":0,"op":"issue","id":"a","exp":1},{"t":2,"op":"revoke","id":"a"},{"t":3,"op":"revoke","id":"a"},"#
                + #"{"t":3,"op":"revoke","id":"b"},{"t":3,"op":"active","id":"b"},{"t":0,"op":"active","id":"a"}]"#,
            [true, true, true, false, false, false]
        ),
        // Names are bytes, and their order of members is free.
        (
            #"[{"id":"é","op":"issue","t":0},{"op":"active","id":"e\u0301","t":0},{"op":"active","#
                + #""t":0,"id":"\u00e9"}]"#,
            [true, false, true]
        ),
    ])
    func corners(text: String, expected: [Bool]) throws {
        #expect(try answers(text) == expected)
    }

    @Test func chainsMayBeOfAnyDepth() throws {
        var operations = [Trace.Operation(at: at(0), .issue(on: nil, expires: nil), of: "0")]
        for depth in 1..<200 {
            operations.append(.init(at: at(0), .issue(on: "\(depth - 1)", expires: at(9)), of: "\(depth)"))
        }
        operations.append(.init(at: at(8), .active, of: "199"))
        operations.append(.init(at: at(9), .active, of: "199"))
        operations.append(.init(at: at(8), .revoke, of: "0"))
        operations.append(.init(at: at(8), .active, of: "199"))
        #expect(Trace(operations).answers().suffix(4) == [true, false, true, false])
        #expect(Trace(operations).answers().prefix(200).allSatisfy { $0 })
    }

    @Test func whatIsNoTraceIsRefused() {
        #expect(throws: Record.Rejection.word(at: "$[0].op")) { try answers(#"[{"t":0,"op":"delete","id":"a"}]"#) }
        #expect(throws: Record.Rejection.json(.missing(at: "$[0].t"))) { try answers(#"[{"op":"revoke","id":"a"}]"#) }
        #expect(throws: Record.Rejection.json(.mismatch(at: "$", expected: .array, found: .object))) {
            try answers("{}")
        }
        #expect(throws: Record.Rejection.json(.outOfRange(at: "$[0].t"))) {
            try answers(#"[{"t":1e30,"op":"active","id":"a"}]"#)
        }
    }

    /// Against a recursion over dictionaries, on random traces.
    @Test func randomTracesAgreeWithTheObvious() {
        var generator = SeededGenerator(seed: 2027)
        for seed in 0..<40 {
            var issued: [String: (parent: String?, expires: Timestamp?)] = [:]
            var revoked: Set<String> = []
            func isActive(_ id: String, _ now: Timestamp) -> Bool {
                guard let token = issued[id], !revoked.contains(id) else { return false }
                if let expires = token.expires, now >= expires { return false }
                return token.parent.map { isActive($0, now) } ?? true
            }
            var operations: [Trace.Operation] = []
            var expected: [Bool] = []
            for _ in 0..<120 {
                let now = at(Int64(generator.next() % 100))
                let id = "\(generator.next() % 30)"
                switch generator.next() % 3 {
                case 0:
                    let parent = generator.next() % 5 == 0 ? nil : "\(generator.next() % 30)"
                    let expires = generator.next() % 2 == 0 ? nil : at(Int64(generator.next() % 120))
                    operations.append(.init(at: now, .issue(on: parent, expires: expires), of: id))
                    let isPossible = issued[id] == nil && (parent.map { isActive($0, now) } ?? true)
                    expected.append(isPossible)
                    if isPossible { issued[id] = (parent, expires) }
                case 1:
                    operations.append(.init(at: now, .active, of: id))
                    expected.append(isActive(id, now))
                default:
                    guard generator.next() % 3 == 0 else { continue }
                    operations.append(.init(at: now, .revoke, of: id))
                    expected.append(issued[id] != nil)
                    if issued[id] != nil { revoked.insert(id) }
                }
            }
            #expect(Trace(operations).answers() == expected, "seed \(seed)")
        }
    }
}
