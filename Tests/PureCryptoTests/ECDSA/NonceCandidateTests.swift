import TestSupport
import Testing

@testable import PureCrypto

@Suite("RFC 6979, 3.2: nonces from the key and the message", .proves("KEY-6"))
struct NonceCandidateTests {
    /// Section A.1: a curve of 163 bits, and two candidates that are refused before the one that is used.
    @Test("goes on to the candidates of the standard's detailed example", .proves("RFC6979-A.1"))
    func detailedExample() {
        let scalar = [UInt8](hex: "009a4d6792295a7f730fc3f2b49cbc0f62e862272f")
        let digest = [UInt8](hex: "01795edf0d54db760f156d0dac04c0322b3a204224")
        var candidates = NonceCandidates<SHA256>(scalar: scalar.span, digest: digest.span, randomness: Span())
        for expected in [
            "9305a46de7ff8eb107194debd3fd48aa20d5e7656cbe0ea69d2a8d4e7c67314a",
            "c70c78608a3b5be9289be90ef6e81a9e2c1516d5751d2f75f50033e45f73bdeb",
            "475e80e992140567fcc3a50dab90fe84bcd7bb03638e9c4656a06f37f6508a7c",
        ] {
            let candidate = candidates.next(byteCount: 32) { bytes in bytes.indices.map { bytes[$0] } }
            #expect(candidate == [UInt8](hex: expected))
        }
    }

    @Test("depends on each of its inputs, and cuts and lengthens what HMAC gives")
    func inputs() {
        func candidate(_ scalar: UInt8, _ digest: UInt8, _ randomness: [UInt8], byteCount: Int = 32) -> [UInt8] {
            let (scalar, digest) = ([UInt8](repeating: scalar, count: 32), [UInt8](repeating: digest, count: 32))
            var candidates = NonceCandidates<SHA256>(
                scalar: scalar.span, digest: digest.span, randomness: randomness.span)
            return candidates.next(byteCount: byteCount) { bytes in bytes.indices.map { bytes[$0] } }
        }
        let all = [
            candidate(1, 2, []), candidate(3, 2, []), candidate(1, 3, []), candidate(1, 2, [0]),
            candidate(1, 2, [1]),
        ]
        #expect(Set(all).count == all.count)
        let (long, short) = (candidate(1, 2, [], byteCount: 70), candidate(1, 2, [], byteCount: 20))
        #expect(long.count == 70 && long.starts(with: all[0]))
        #expect(short.count == 20 && all[0].starts(with: short))
    }
}
