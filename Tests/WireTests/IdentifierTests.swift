import TestSupport
import Testing
import Wire

private enum KeyKind: IdentifierKind {}
private typealias KeyName = Identifier<KeyKind>

private enum ShortKind: IdentifierKind {
    static let lengthLimit = 4
}
private typealias ShortName = Identifier<ShortKind>

/// A value whose equality the compiler synthesizes from that of an identifier.
private struct Entry: Hashable {
    let key: KeyName
}

@Suite("Identifiers")
struct IdentifierTests {
    @Test("canonically equivalent texts are different names", .proves("threat-17"))
    func equivalence() throws {
        let composed = try KeyName(parsing: "é")
        let decomposed = try KeyName(parsing: "e\u{301}")
        #expect("é" == "e\u{301}", "this is the hole that identifiers close")
        #expect(composed != decomposed)
        #expect(Entry(key: composed) != Entry(key: decomposed))
        #expect(Set([composed, decomposed]).count == 2)
        var table = [composed: 1]
        table[decomposed] = 2
        #expect(table == [composed: 1, decomposed: 2])
        #expect(table[try KeyName(parsing: "é")] == 1)
    }

    @Test("a property that is declared exact is compared exactly", .proves("threat-17"))
    func exactProperties() {
        struct Label: Hashable {
            @ExactText var text: String
        }
        #expect(Label(text: "é") != Label(text: "e\u{301}"))
        #expect(Set([Label(text: "é"), Label(text: "e\u{301}"), Label(text: "é")]).count == 2)
        #expect(Label(text: "K").text == "K" && Label(text: "K") != Label(text: "\u{212a}"))
    }

    @Test("a name of one kind is converted to a kind that allows as much or more", .proves("threat-17"))
    func conversion() throws {
        let short: ShortName = "é"
        #expect(KeyName(short) == "é")
        #expect(KeyName(short) != "e\u{301}")
    }

    @Test("a literal that is not valid stops the program", .proves("threat-10"))
    func invalidLiteral() async {
        await #expect(processExitsWith: .failure) { _ = ShortName("abcde") }
        await #expect(processExitsWith: .failure) { _ = KeyName("") }
        await #expect(processExitsWith: .failure) { _ = ShortName(KeyName("a")) }
    }

    @Test("names are ordered by their bytes", .proves("threat-17"))
    func order() throws {
        let texts = ["Z", "a", "ab", "e\u{301}", "z", "é", "ﬁ", "😀"]
        let names = try texts.map { try KeyName(parsing: $0) }
        #expect(names.shuffled().sorted().map(\.text) == texts)
    }

    @Test("what is read is kept as it is", .proves("threat-10"))
    func text() throws {
        let name = try KeyName(parsing: Array("../etc/passwd'; DROP TABLE".utf8))
        #expect(name.text == "../etc/passwd'; DROP TABLE")
        #expect(name.description == name.text)
    }

    @Test(
        "one fault each", .proves("threat-10"), .proves("threat-19"),
        arguments: [
            ([], .empty(.identifier)), (Array("abcde".utf8), .tooLong(.identifier, length: 5, limit: 4)),
            ([0x61, 0x00], .foreignCharacter(.identifier, offset: 1)),
            ([0x0a], .foreignCharacter(.identifier, offset: 0)),
            ([0x61, 0x62, 0x7f], .foreignCharacter(.identifier, offset: 2)),
            ([0x61, 0xc2, 0x85], .foreignCharacter(.identifier, offset: 1)),
            ([0x61, 0xff], .illFormedUTF8(.identifier, offset: 1)),
            ([0xc0, 0x80], .illFormedUTF8(.identifier, offset: 0)),
            ([0xed, 0xa0, 0x80], .illFormedUTF8(.identifier, offset: 0)),
            ([0x61, 0xe2, 0x82], .illFormedUTF8(.identifier, offset: 1)),
            ([0xf4, 0x90, 0x80, 0x80], .illFormedUTF8(.identifier, offset: 0)),
        ] as [([UInt8], SyntaxError)])
    func faults(bytes: [UInt8], expected: SyntaxError) {
        #expect(rejection { () throws(SyntaxError) in try ShortName(parsing: bytes) } == expected)
    }

    @Test("the first character behind the C1 controls is allowed", .proves("threat-10"))
    func behindTheControls() throws {
        #expect(try ShortName(parsing: "\u{a0}").text.utf8.elementsEqual([0xc2, 0xa0]))
        #expect(
            rejection { () throws(SyntaxError) in try ShortName(parsing: "\u{9f}") }
                == .foreignCharacter(.identifier, offset: 0))
    }

    @Test("UTF-8 is told from anything else just as the standard library does", .proves("RFC3629-4"))
    func utf8() {
        let seed: UInt64 = 44
        var generator = SeededGenerator(seed: seed)
        for round in 0..<20_000 {
            let bytes = (0...generator.below(4)).map { _ in
                generator.pick(
                    [
                        0x61, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1,
                        0xf4, 0xf5, 0xff,
                    ]
                        as [UInt8])
            }
            let isC1 = zip(bytes, bytes.dropFirst()).contains { $0 == 0xc2 && $1 < 0xa0 }
            let isValid = String(validating: bytes, as: UTF8.self) != nil && !isC1
            #expect(((try? KeyName(parsing: bytes)) != nil) == isValid, "seed \(seed), round \(round), \(bytes)")
        }
    }
}
