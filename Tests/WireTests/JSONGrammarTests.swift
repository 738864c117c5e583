import TestSupport
import Testing
import Wire

@Suite("RFC 8259: the grammar")
struct JSONGrammarTests {
    @Test("Every text that the grammar allows is read, and written as expected", .proves("RFC8259-2"))
    func accepted() throws {
        for row in try JSONFixture("accepted").rows {
            let bytes = JSONFixture.bytes(row[0])
            let json = try JSON(parsing: bytes)
            #expect(json.encoded() == JSONFixture.bytes(row[1]), "\(row[0])")
            #expect(try JSON(parsing: json.encoded()) == json, "\(row[0])")
        }
    }

    @Test("A text with one fault is refused for that fault, at its byte", .proves("RFC8259-9"), .proves("threat-19"))
    func refused() throws {
        for row in try JSONFixture("refused").rows {
            let parts = row[0].split(separator: "⇩", omittingEmptySubsequences: false).map {
                JSONFixture.bytes(String($0))
            }
            try #require(parts.count == 2, "\(row[0])")
            let expected = row[1].replacing("@", with: "byte \(parts[0].count)")
            #expect(rejection(of: parts[0] + parts[1])?.text == expected, "\(row[0])")
        }
    }

    @Test("No proper prefix of a text that ends in a bracket or quote is a text", .proves("RFC8259-2"))
    func prefixes() throws {
        let complete = try JSONFixture("accepted").rows.map { JSONFixture.bytes($0[0]) }.filter { bytes in
            bytes.last.map { #"]}""#.utf8.contains($0) } ?? false
        }
        #expect(complete.count > 30)
        for bytes in complete {
            for length in 0..<bytes.count {
                #expect(
                    rejection(of: Array(bytes.prefix(length))) != nil,
                    "\(length) bytes of \(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }

    @Test(
        "Texts changed at random are judged as another strict reader judged them", .proves("RFC8259-9"),
        .proves("threat-13"))
    func mutationsOfOthers() throws {
        for row in try JSONFixture("mutations").rows {
            #expect((rejection(of: JSONFixture.bytes(row[1])) == nil) == (row[0] == "+"), "\(row[1])")
        }
    }

    @Test("Every string means what another reader says it means", .proves("RFC8259-7"))
    func strings() throws {
        for row in try JSONFixture("strings").rows {
            let value = try JSON.Document(parsing: JSONFixture.bytes(row[0])).root
            let expected = stride(from: 0, to: row[1].utf8.count, by: 2).map { start in
                UInt8(row[1].dropFirst(start).prefix(2), radix: 16) ?? 0
            }
            #expect(Array(try value.string().utf8) == expected, "\(row[0])")
            #expect(value.isString(String(decoding: expected, as: UTF8.self)), "\(row[0])")
            #expect(try JSON(parsing: value.tree().encoded()) == value.tree(), "\(row[0])")
        }
    }

    @Test(
        "Every byte but quote, backslash, controls and UTF-8 parts stands for itself at every place of a word",
        .proves("RFC8259-7"))
    func everyByteEverywhere() {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<17 {
                var content = [UInt8](repeating: UInt8(ascii: "a"), count: 17)
                content[place] = byte
                let found = rejection(of: [UInt8(ascii: "\"")] + content + [UInt8(ascii: "\"")])
                switch byte {
                case ..<0x20: #expect(found == .controlCharacter(byte, offset: place + 1))
                case UInt8(ascii: "\""):
                    #expect(found == (place == 16 ? .trailingContent(offset: 18) : .trailingContent(offset: place + 2)))
                case UInt8(ascii: "\\"):
                    #expect(
                        found
                            == (place == 16
                                ? .unexpectedEnd(offset: 19, expected: .endOfString)
                                : .malformedEscape(offset: place + 1)))
                case 0x80...: #expect(found == .malformedUTF8(offset: place + 1))
                default: #expect(found == nil)
                }
            }
        }
    }

    @Test("Every scalar is read and written as itself, raw and escaped", .proves("RFC8259-8.1"), .proves("RFC8259-8.2"))
    func everyScalar() throws {
        // Every 61st scalar keeps a debug build quick; 61 is prime to all block sizes.
        for value in stride(from: 0x80 as UInt32, through: 0x10ffff, by: 61) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(Character(scalar))
            let units = text.utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            #expect(try JSON(parsing: "\"\(text)\"") == .string(text), "\(value)")
            #expect(try JSON(parsing: "\"\(units.joined())\"") == .string(text), "\(value)")
        }
    }

    @Test("Changed bytes never trap, and what is read once more is the same", .proves("RFC8259-9"))
    func mutations() throws {
        let seed: UInt64 = 0x4a53_4f4e
        var generator = SeededGenerator(seed: seed)
        let texts = try JSONFixture("accepted").rows.map { JSONFixture.bytes($0[0]) }
        for round in 0..<4_000 {
            var bytes = texts[Int.random(in: 0..<texts.count, using: &generator)]
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0...bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes.insert(.random(in: 0...255, using: &generator), at: place)
                case 1 where place < bytes.count: bytes[place] = .random(in: 0...255, using: &generator)
                case 2 where place < bytes.count: bytes.remove(at: place)
                default: break
                }
            }
            guard let json = try? JSON(parsing: bytes) else { continue }
            #expect(try JSON(parsing: json.encoded()) == json, "seed \(seed), round \(round)")
        }
    }
}
