import TestSupport
import Testing
import Wire

/// Base64 bit by bit, as slowly and plainly as can be.
private enum Plain {
    static let standard = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    static let urlSafe = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encode(_ bytes: [UInt8], _ alphabet: [UInt8]) -> [UInt8] {
        var bits = bytes.flatMap { byte in (0..<8).map { byte >> UInt8(7 - $0) & 1 } }
        while bits.count % 6 != 0 { bits.append(0) }
        return stride(from: 0, to: bits.count, by: 6).map { start in
            alphabet[Int(bits[start..<start + 6].reduce(0) { $0 << 1 | $1 })]
        }
    }
}

@Suite("RFC 4648: Base64")
struct Base64Tests {
    @Test("§10: the standard's vectors", .proves("RFC4648-10"))
    func vectors() throws {
        for row in try Table("text/rfc4648-10.tsv").texts {
            let (bytes, text) = (Array(row[0].utf8), row[1])
            #expect(Base64.encode(bytes) == text)
            #expect(try Base64.decode(text) == bytes)
            let unpadded = String(text.prefix { $0 != "=" })
            #expect(Base64URL.encode(bytes) == unpadded)
            #expect(try Base64URL.decode(unpadded) == bytes)
        }
    }

    @Test("every length and every byte, against plain bit arithmetic", .proves("RFC4648-4"), .proves("RFC7515-2"))
    func lengths() throws {
        var generator = SeededGenerator(seed: 41)
        for length in 0..<130 {
            for bytes in [
                generator.bytes(length), [UInt8](repeating: 0xff, count: length), [UInt8](repeating: 0, count: length),
            ] {
                let standard = Plain.encode(bytes, Plain.standard)
                let padded = standard + [UInt8](repeating: UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
                let urlSafe = Plain.encode(bytes, Plain.urlSafe)
                #expect(Array(Base64.encode(bytes).utf8) == padded, "length \(length)")
                #expect(Array(Base64URL.encode(bytes).utf8) == urlSafe, "length \(length)")
                #expect(try Base64.decode(padded) == bytes, "length \(length)")
                #expect(try Base64URL.decode(urlSafe) == bytes, "length \(length)")
                #expect(Base64URL.length(ofBytes: length) == urlSafe.count)
            }
        }
    }

    @Test("every way in reads and writes the same", .proves("RFC4648-4"))
    func doors() throws {
        let bytes = SeededGenerator(seed: 42).with { $0.bytes(47) }
        let text = Base64URL.encode(bytes.span)
        let backwards = text.utf8.reversed().reversed()
        #expect(try Base64URL.decode(text) == bytes)
        #expect(try Base64URL.decode(Array(text.utf8).span) == bytes)
        #expect(try Base64URL.decode(Array(text.utf8)[...]) == bytes)
        #expect(try Base64URL.decode(backwards.map { $0 }.lazy.map { $0 }) == bytes)
        #expect(Base64URL.encode(bytes.lazy.map { $0 }) == text)
        for length in 0..<40 {
            var output = Array("head.".utf8)
            Base64URL.encode(bytes.prefix(length), to: &output)
            #expect(String(decoding: output, as: UTF8.self) == "head." + Base64URL.encode(bytes.prefix(length)))
        }
    }

    @Test(
        "§3.3: a byte outside of the alphabet, at every place", .proves("RFC4648-3.3"), .proves("threat-12"),
        arguments: [4, 14, 16, 34, 63])
    func foreignCharacters(length: Int) {
        let text = [UInt8](repeating: UInt8(ascii: "A"), count: length)
        for foreign in (0...255).map({ UInt8($0) }) where foreign != UInt8(ascii: "=") {
            for offset in 0..<length {
                var broken = text
                broken[offset] = foreign
                if !Plain.urlSafe.contains(foreign) {
                    #expect(
                        rejection { () throws(SyntaxError) in try Base64URL.decode(broken) }
                            == .foreignCharacter(.base64, offset: offset))
                }
                let padded = broken + [UInt8](repeating: UInt8(ascii: "="), count: (4 - length % 4) % 4)
                if !Plain.standard.contains(foreign) {
                    #expect(
                        rejection { () throws(SyntaxError) in try Base64.decode(padded) }
                            == .foreignCharacter(.base64, offset: offset))
                }
            }
        }
    }

    @Test(
        "§3.2 padded text: one fault each", .proves("RFC4648-3.2"), .proves("threat-12"),
        arguments: [
            ("Zg", .missingPadding(length: 2)), ("Zg=", .missingPadding(length: 3)),
            ("Zm8", .missingPadding(length: 3)),
            ("Zg===", .misplacedPadding(offset: 4)), ("Zm9v=", .misplacedPadding(offset: 4)),
            ("Zm9v====", .misplacedPadding(offset: 4)),
            ("=", .misplacedPadding(offset: 0)), ("====", .misplacedPadding(offset: 0)),
            ("Zg==Zg==", .misplacedPadding(offset: 3)),
            ("Zm=v", .misplacedPadding(offset: 2)), ("Zg==\n", .foreignCharacter(.base64, offset: 4)),
            ("Zg=\n", .foreignCharacter(.base64, offset: 3)),
            ("Zm9v\n", .foreignCharacter(.base64, offset: 4)), (" Zm9v", .foreignCharacter(.base64, offset: 0)),
            ("Zm9-", .foreignCharacter(.base64, offset: 3)),
            ("A===", .impossibleLength(.base64, characters: 1)), ("A", .impossibleLength(.base64, characters: 1)),
            ("AAAAA", .impossibleLength(.base64, characters: 5)),
            ("Zh==", .strayBits(offset: 1)), ("Zm9=", .strayBits(offset: 2)),
            ("AAAAAAAAAAAAAAAAAAAAAB==", .strayBits(offset: 21)),
        ] as [(String, SyntaxError)])
    func paddedFaults(text: String, expected: SyntaxError) {
        #expect(rejection { () throws(SyntaxError) in try Base64.decode(text) } == expected)
    }

    @Test(
        "RFC 7515 §2 unpadded text: one fault each", .proves("RFC7515-2"), .proves("threat-12"),
        arguments: [
            ("Zg==", .misplacedPadding(offset: 2)), ("Zm8=", .misplacedPadding(offset: 3)),
            ("Zm9v=", .misplacedPadding(offset: 4)),
            ("=", .misplacedPadding(offset: 0)), ("Zg==\n", .misplacedPadding(offset: 2)),
            ("Zg\n", .foreignCharacter(.base64, offset: 2)),
            ("Zm9+", .foreignCharacter(.base64, offset: 3)), ("Zm9/", .foreignCharacter(.base64, offset: 3)),
            ("Zm.v", .foreignCharacter(.base64, offset: 2)),
            ("A", .impossibleLength(.base64, characters: 1)), ("AAAAA", .impossibleLength(.base64, characters: 5)),
            ("AAAAAAAAAAAAAAAAA", .impossibleLength(.base64, characters: 17)), ("Zh", .strayBits(offset: 1)),
            ("Zm9", .strayBits(offset: 2)),
            ("AAAAAAAAAAAAAAAAAAAAAB", .strayBits(offset: 21)), ("AAAAAAAAAAAAAAAAAAB", .strayBits(offset: 18)),
        ] as [(String, SyntaxError)])
    func unpaddedFaults(text: String, expected: SyntaxError) {
        #expect(rejection { () throws(SyntaxError) in try Base64URL.decode(text) } == expected)
    }

    @Test("§3.5: of all last characters, exactly those without left-over bits are read", .proves("RFC4648-3.5"))
    func strayBits() {
        for head in ["A", "AA", "AAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAA"] {
            let readable = Plain.urlSafe.filter { (try? Base64URL.decode(Array(head.utf8) + [$0])) != nil }
            #expect(readable.count == (head.utf8.count % 4 == 1 ? 4 : 16))
        }
    }

    @Test("what is read and written again is the same text", .proves("threat-12"))
    func oneTextPerValue() {
        let seed: UInt64 = 43
        var generator = SeededGenerator(seed: seed)
        var accepted = 0
        for round in 0..<20_000 {
            let text = generator.mutated(
                Plain.encode(generator.bytes(generator.below(24)), Plain.urlSafe), with: "A_-=+/ \n")
            guard let bytes = try? Base64URL.decode(text) else { continue }
            accepted += 1
            #expect(Array(Base64URL.encode(bytes).utf8) == text, "seed \(seed), round \(round)")
        }
        #expect(accepted > 2_000)
    }
}

extension SeededGenerator {
    /// Draws from a generator that is needed once.
    fileprivate func with<Value>(_ draw: (inout SeededGenerator) -> Value) -> Value {
        var copy = self
        return draw(&copy)
    }
}

@Suite("RFC 4648 §8: hexadecimal")
struct HexTests {
    @Test("the standard's vectors in either case", .proves("RFC4648-10"))
    func vectors() throws {
        for row in try Table("text/rfc4648-10.tsv").texts {
            #expect(try Hex.decode(row[2]) == Array(row[0].utf8))
            #expect(try Hex.decode(row[2].lowercased()) == Array(row[0].utf8))
            #expect(Hex.encode(row[0].utf8) == row[2].lowercased())
        }
    }

    @Test("every byte there and back", .proves("RFC4648-8"))
    func everyByte() throws {
        let bytes = (0...255).map { UInt8($0) }
        #expect(try Hex.decode(Hex.encode(bytes)) == bytes)
        for byte in bytes { #expect(Hex.encode([byte]) == (byte < 16 ? "0" : "") + String(byte, radix: 16)) }
    }

    @Test("every byte that is no digit is refused at its place", .proves("RFC4648-8"))
    func foreignCharacters() {
        let digits = Array("0123456789abcdefABCDEF".utf8)
        for byte in (0...255).map({ UInt8($0) }) where !digits.contains(byte) {
            #expect(
                rejection { () throws(SyntaxError) in try Hex.decode([0x30, 0x31, 0x32, byte]) }
                    == .foreignCharacter(.hexadecimal, offset: 3))
            #expect(
                rejection { () throws(SyntaxError) in try Hex.decode([byte, 0x31]) }
                    == .foreignCharacter(.hexadecimal, offset: 0))
        }
        #expect(
            rejection { () throws(SyntaxError) in try Hex.decode("abc") }
                == .impossibleLength(.hexadecimal, characters: 3))
    }
}
