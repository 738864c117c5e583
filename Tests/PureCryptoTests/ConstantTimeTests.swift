import PureCrypto
import TestSupport
import Testing

@Suite("Comparison in constant time: what it answers", .proves("threat-21"))
struct ConstantTimeTests {
    @Test("One bit of difference anywhere is found, at every length")
    func everyBit() {
        var generator = SeededGenerator(seed: 21)
        for length in Array(0...40) + [64] {
            let bytes = generator.bytes(length)
            #expect(agree(bytes, bytes) == [true, true, true, true], "\(length) bytes")
            for bit in 0..<8 * length {
                var other = bytes
                other[bit / 8] ^= 1 << (bit % 8)
                guard agree(bytes, other) != [false, false, false, false] else { continue }
                Issue.record("length \(length), bit \(bit)")
            }
        }
    }

    @Test("Differences that cancel each other out are differences")
    func cancellation() {
        #expect(agree([1, 1, 0, 0], [0, 0, 0, 0]) == [false, false, false, false])
        #expect(agree([1, 2], [2, 1]) == [false, false, false, false])
        #expect(agree([0x80, 0x80], [0, 0]) == [false, false, false, false])
    }

    @Test("A prefix is not equal to the whole, nor nothing to something")
    func lengths() {
        let bytes = [UInt8](repeating: 0, count: 40)
        for length in 0..<40 {
            #expect(agree(bytes, Array(bytes.prefix(length))) == [false, false, false, false])
            #expect(agree(Array(bytes.prefix(length)), bytes) == [false, false, false, false])
        }
    }

    /// The verdicts on the two as spans, arrays, and with one or both of them scattered.
    private func agree(_ one: [UInt8], _ other: [UInt8]) -> [Bool] {
        [
            constantTimeEquals(one.span, other.span),
            constantTimeEquals(one, other),
            constantTimeEquals(one, other.scattered),
            constantTimeEquals(one.scattered, other.scattered),
        ]
    }
}
