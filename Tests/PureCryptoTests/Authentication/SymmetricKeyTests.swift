import PureCrypto
import TestSupport
import Testing

@Suite("Symmetric keys")
struct SymmetricKeyTests {
    /// Bytes that are found again in any radix, and as text.
    private static let secret = Array("TOPSECRET-TOPSECRET-TOPSECRET-32".utf8)
    private let key = SymmetricKey(data: SymmetricKeyTests.secret)

    @Test("A key holds its bytes, however they came")
    func content() {
        for length in [0, 1, 31, 32, 33, 64, 65, 1000] {
            let bytes = HashVectors.message(length)
            for key in [SymmetricKey(data: bytes), SymmetricKey(data: bytes.span), SymmetricKey(data: bytes.scattered)]
            {
                #expect(key.withSpan { span in span.indices.map { span[$0] } } == bytes)
                #expect(key.bitCount == 8 * length)
            }
        }
    }

    @Test("A fresh key takes its bytes from the generator, the low byte of a word first")
    func fresh() {
        for (size, words) in [
            (SymmetricKey.Size.bits128, 2), (.bits192, 3), (.bits256, 4), (SymmetricKey.Size(bitCount: 260), 4),
        ] {
            var (generator, reference) = (SeededGenerator(seed: 7), SeededGenerator(seed: 7))
            let key = SymmetricKey(size: size, using: &generator)
            let expected = (0..<words).flatMap { _ in
                let word = reference.next()
                return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
            }
            #expect(key == SymmetricKey(data: expected))
            #expect(generator.next() == reference.next(), "no more words are drawn than needed")
        }
        var generator = SeededGenerator(seed: 7)
        #expect(SymmetricKey(size: SymmetricKey.Size(bitCount: 72), using: &generator).bitCount == 72)
        #expect(SymmetricKey(size: SymmetricKey.Size(bitCount: -8), using: &generator).bitCount == 0)
        #expect(SymmetricKey(size: SymmetricKey.Size(bitCount: .min), using: &generator).bitCount == 0)
    }

    @Test("Keys are equal exactly if their bytes are")
    func equality() {
        #expect(key == SymmetricKey(data: Self.secret))
        #expect(key != SymmetricKey(data: Self.secret.dropLast()))
        #expect(key != SymmetricKey(data: Self.secret.dropLast() + [0]))
        #expect(SymmetricKey(data: []) == SymmetricKey(data: []))
    }

    @Test("No way of printing shows a key, or what was derived from it", .proves("threat-22"))
    func redaction() {
        let prepared = HMAC<SHA256>.PreparedKey(key)
        var mac = HMAC<SHA256>(key: key)
        mac.update(data: Self.secret)
        expectSilence(of: key)
        expectSilence(of: prepared)
        expectSilence(of: mac)
        expectSilence(of: [key])
        expectSilence(of: (key, prepared, mac))
        #expect("\(key)" == "SymmetricKey(256 bits, redacted)")
        #expect(String(reflecting: key) == "SymmetricKey(256 bits, redacted)")
    }

    /// Prints the value in every way there is, and looks for its secrets: the key's bytes as text, in hexadecimal and
    /// decimal, and long numbers, which a hash's state would show itself by.
    private func expectSilence<Value>(of value: Value, sourceLocation: SourceLocation = #_sourceLocation) {
        var texts = ["\(value)", String(describing: value), String(reflecting: value)]
        dump(value, to: &texts[0])
        dump(Mirror(reflecting: value).children.map(\.value), to: &texts[1])
        for text in texts {
            #expect(!text.contains("TOPSECRET"), sourceLocation: sourceLocation)
            #expect(!text.contains("544f50") && !text.contains("544F50"), sourceLocation: sourceLocation)
            #expect(!text.contains("84, 79, 80") && !text.contains("- 84\n"), sourceLocation: sourceLocation)
            let numbers = text.split { !$0.isNumber }.filter { $0.count > 4 }
            #expect(numbers.isEmpty, sourceLocation: sourceLocation)
        }
    }
}
