import TestSupport
import Testing
import TokenTree
import Wire

@Suite("TOK: changes as JSON")
struct CodecTests {
    private func everyChange() -> [Change] {
        var entropy = SeededGenerator(seed: 9)
        let issued = Record.Refresh.issued(for: "full", using: &entropy)
        let next = Record.Refresh(
            generation: 1, hash: Fingerprint(of: [1]), salt: issued.refresh.salt,
            rotated: Timestamp(seconds: 5, nanoseconds: 250_000_000))
        let full = Record(
            id: "full", kind: .app, parent: "service", issued: Timestamp(seconds: -1, nanoseconds: 1),
            holder: name("com.example.app"),
            subject: name("anna"), audience: name("https://example.org/"),
            scope: name("https://example.org/a https://example.org/b"),
            boundKey: name(#"{"kty":"OKP"}"#), accessExpiry: at(10), finalExpiry: at(20), refresh: issued.refresh,
            attributes: ["b": [1, -2, .null], "a": "\"\\\u{1}é", "Z": ["deep": true]])
        let message = OutgoingMessage(
            id: name("m"), destination: name("https://example.org/"), about: "full", body: ["token": "x"], due: at(3),
            attempts: 4)
        return [
            .insert(.sample("version", .versionKey)), .insert(full), .consume("a"), .touch("a"),
            .rotate("full", from: issued.refresh, to: next, accessExpiry: at(30)),
            .rotate("full", from: issued.refresh, to: next, accessExpiry: nil), .reground("a", from: "b", onto: "c"),
            .describe("a", [:]), .describe("a", ["x": 1]), .visit(name("anna"), name("s")),
            .remember(ReplayKey("n", "k"), until: at(1)),
            .remember(ReplayKey("n", "k"), until: at(1), evenWithoutRoom: true),
            .enqueue(message), .attempt(message.id, after: 4, retry: at(9)), .settle(message.id, .delivered),
            .settle(message.id, .abandoned),
        ] + Record.Reason.allCases.map { .revoke("a", $0) }
    }

    private func read(_ text: String) throws(Record.Rejection) -> Batch {
        let document: JSON.Document
        do throws(JSON.Rejection) { document = try JSON.Document(parsing: text) } catch { throw .json(error) }
        return try Batch(document.root)
    }

    @Test func whatIsWrittenReadsBackTheSame() throws {
        for change in everyChange() {
            let batch = Batch(at: at(1), [change])
            let text = String(decoding: batch.encoded(), as: UTF8.self)
            #expect(try read(text) == batch, "\(text)")
            #expect(try read(text).encoded() == batch.encoded())
        }
        let whole = Batch(at: Timestamp(seconds: 1, nanoseconds: 5), everyChange())
        #expect(try read(String(decoding: whole.encoded(), as: UTF8.self)) == whole)
    }

    @Test func theFormIsStable() {
        let batch = Batch(
            at: at(0),
            [.insert(.sample("version-0", .versionKey, holder: "kid-0")), .revoke("version-0", .administrator)])
        #expect(
            String(decoding: batch.encoded(), as: UTF8.self)
                == #"{"at":1800000000,"changes":[{"do":"insert","record":{"id":"version-0","kind":"versionKey","#
                + #""holder":"kid-0","#
                + #""issued":1800000000}},{"do":"revoke","id":"version-0","reason":"administrator"}]}"#)
    }

    @Test func whatTheVocabularyDoesNotKnowIsIgnored() throws {
        #expect(
            try read(#"{"new":1,"changes":[{"do":"touch","id":"a","x":{}}],"at":1}"#)
                == Batch(at: Timestamp(seconds: 1), [.touch("a")]))
    }

    @Test(arguments: [
        (#"{"changes":[]}"#, Record.Rejection.json(.missing(at: "$.at"))),
        (#"{"at":"1","changes":[]}"#, .json(.mismatch(at: "$.at", expected: .number, found: .string))),
        (#"{"at":1e99,"changes":[]}"#, .json(.outOfRange(at: "$.at"))),
        (#"{"at":0.0000000001,"changes":[]}"#, .syntax(.tooFine(offset: 11), at: "$.at")),
        (#"{"at":1,"changes":{}}"#, .json(.mismatch(at: "$.changes", expected: .array, found: .object))),
        (#"{"at":1,"changes":[{"do":"undo"}]}"#, .word(at: "$.changes[0].do")),
        (#"{"at":1,"changes":[{"do":"touch"}]}"#, .json(.missing(at: "$.changes[0].id"))),
        (#"{"at":1,"changes":[{"do":"touch","id":""}]}"#, .syntax(.empty(.identifier), at: "$.changes[0].id")),
        (
            #"{"at":1,"changes":[{"do":"touch","id":"a\u0000"}]}"#,
            .syntax(.foreignCharacter(.identifier, offset: 1), at: "$.changes[0].id")
        ),
        (#"{"at":1,"changes":[{"do":"revoke","id":"a","reason":"User"}]}"#, .word(at: "$.changes[0].reason")),
        (
            #"{"at":1,"changes":[{"do":"remember","key":"AAAA","until":1}]}"#,
            .syntax(.malformed(.hash, offset: 0), at: "$.changes[0].key")
        ),
        (
            #"{"at":1,"changes":[{"do":"insert","record":{"id":"a","kind":"root","issued":1}}]}"#,
            .word(at: "$.changes[0].record.kind")
        ),
        (
            #"{"at":1,"changes":[{"do":"insert","record":{"id":"a","kind":"app","issued":1,"attributes":[]}}]}"#,
            .json(.mismatch(at: "$.changes[0].record.attributes", expected: .object, found: .array))
        ),
        (
            #"{"at":1,"changes":[{"do":"insert","record":{"id":"a","kind":"app","issued":1,"refresh":"#
                + #"{"generation":-1}}}]}"#,
            .json(.outOfRange(at: "$.changes[0].record.refresh.generation"))
        ),
        (
            #"{"at":1,"changes":[{"do":"insert","record":{"id":"a","kind":"app","issued":1,"refresh":"#
                + #"{"generation":1,"hash":"=","salt":"A"}}}]}"#,
            .syntax(.malformed(.hash, offset: 0), at: "$.changes[0].record.refresh.hash")
        ),
    ])
    func oneFaultIsNamedWithItsPlace(text: String, expected: Record.Rejection) {
        #expect(throws: expected) { try read(text) }
        #expect(!expected.description.isEmpty && !expected.clause.isEmpty)
    }

    @Test func noPrefixIsABatch() {
        let text = Batch(at: at(0), [.insert(.sample("a", .versionKey, holder: "h"))]).encoded()
        for count in 0..<text.count {
            #expect(throws: Record.Rejection.self) { try read(String(decoding: text.prefix(count), as: UTF8.self)) }
        }
    }

    @Test func mutatedBatchesNeverTrap() {
        var generator = SeededGenerator(seed: 31)
        let texts = everyChange().map { Batch(at: at(1), [$0]).encoded() }
        for round in 0..<400 {
            var text = texts[round % texts.count]
            for _ in 0...generator.next() % 3 {
                text[Int(generator.next() % UInt64(text.count))] = UInt8(truncatingIfNeeded: generator.next())
            }
            guard let batch = try? read(String(decoding: text, as: UTF8.self)) else { continue }
            var tree = MemoryStore(sixLevels)
            _ = tree.commit(batch)
        }
    }
}
