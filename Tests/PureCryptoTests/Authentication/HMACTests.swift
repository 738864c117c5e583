import PureCrypto
import TestSupport
import Testing

@Suite("RFC 2104: HMAC", .proves("RFC2104-2"))
struct HMACTests {
    @Test("The test cases of RFC 4231", .proves("RFC4231-4"))
    func examples() throws {
        for vector in try HashVectors("rfc4231.txt") {
            let expected = vector.bytes(3)
            let code = vector.algorithm.code(vector.bytes(2), key: vector.bytes(1))
            #expect(Array(code.prefix(expected.count)) == expected, "line \(vector.number)")
        }
    }

    @Test("Keys of every length from 0 to 300 bytes")
    func keyLengths() throws {
        for vector in try HashVectors("hmac-key-lengths.txt") {
            let codes = (0...300).map {
                vector.algorithm.code(HashVectors.message(300 - $0), key: HashVectors.message($0))
            }
            let starts = vector.bytes(2)
            for (length, code) in codes.enumerated() {
                #expect(
                    Array(code.prefix(2)) == Array(starts[2 * length..<2 * length + 2]),
                    "\(vector.algorithm), key of \(length) bytes")
            }
            #expect(vector.algorithm.digest(Array(codes.joined())) == vector.bytes(1), "\(vector.algorithm)")
        }
    }

    @Test("All ways to a code lead to the same code", arguments: Algorithm.allCases)
    func ways(algorithm: Algorithm) {
        for seed in UInt64(1)...20 {
            #expect(algorithm.run(AllWays(seed: seed)), "seed \(seed)")
        }
    }

    @Test("A hash of another module authenticates by the formula of the standard")
    func foreignHash() {
        let message: [UInt8] = [9, 8, 7]
        let short: [UInt8] = [1, 2, 3]
        let long: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
        // The block has eight bytes: the short key is padded with zeros, the long one hashed to four bytes first.
        let blocks: [(key: [UInt8], padded: [UInt8])] = [
            (short, short + [0, 0, 0, 0, 0]),
            (long, Array(Checksum.hash(data: long)) + [0, 0, 0, 0]),
        ]
        for (key, padded) in blocks {
            let inner = Checksum.hash(data: padded.map { $0 ^ 0x36 } + message)
            let outer = Checksum.hash(data: padded.map { $0 ^ 0x5c } + Array(inner))
            let code = HMAC<Checksum>.authenticationCode(for: message, using: SymmetricKey(data: key))
            #expect(code.elementsEqual(outer))
        }
    }

    @Test("A code prints as lower-case hexadecimal")
    func description() {
        let code = HMAC<SHA256>.authenticationCode(
            for: "what do ya want for nothing?".utf8, using: SymmetricKey(data: "Jefe".utf8))
        #expect(code.description == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }
}

/// One-shot, prepared and incremental, from spans, arrays and scattered bytes.
private struct AllWays: HashTask {
    let seed: UInt64

    func callAsFunction<H: HashFunction>(_: H.Type) -> Bool {
        var generator = SeededGenerator(seed: seed)
        let keyBytes = generator.bytes(Int.random(in: 0...200, using: &generator))
        let message = generator.bytes(Int.random(in: 0...300, using: &generator))
        let key = SymmetricKey(data: keyBytes)
        let prepared = HMAC<H>.PreparedKey(SymmetricKey(data: keyBytes.span))
        let code = HMAC<H>.authenticationCode(for: message, using: key)

        var piecemeal = HMAC<H>(key: SymmetricKey(data: keyBytes.scattered))
        piecemeal.update(data: message.prefix(70).scattered())
        let early = piecemeal.finalize()
        piecemeal.update(data: Array(message.dropFirst(70)).span)

        return HMAC<H>.authenticationCode(for: message.span, using: key) == code
            && prepared.authenticationCode(for: message) == code
            && prepared.authenticationCode(for: message.span) == code
            && early == prepared.authenticationCode(for: message.prefix(70))
            && piecemeal.finalize() == code
    }
}

extension ArraySlice<UInt8> {
    fileprivate func scattered() -> LazyMapCollection<[UInt8], UInt8> { Array(self).scattered }
}

@Suite("Verification of codes", .proves("threat-5"))
struct HMACVerificationTests {
    private let message = Array("a message".utf8)
    private let key = SymmetricKey(data: Array("a key".utf8))

    private func accepts(_ code: [UInt8], _ message: [UInt8], _ key: SymmetricKey) -> Set<Bool> {
        let prepared = HMAC<SHA256>.PreparedKey(key)
        return [
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: key),
            HMAC<SHA256>.isValidAuthenticationCode(code.span, authenticating: message.span, using: key),
            HMAC<SHA256>.isValidAuthenticationCode(code.scattered, authenticating: message.scattered, using: key),
            prepared.isValidAuthenticationCode(code, authenticating: message),
            prepared.isValidAuthenticationCode(code.span, authenticating: message.span),
        ]
    }

    @Test("The code is accepted; with any bit changed it is refused")
    func everyBit() {
        let code = Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
        #expect(accepts(code, message, key) == [true])
        for bit in 0..<256 {
            var forged = code
            forged[bit / 8] ^= 1 << (bit % 8)
            #expect(accepts(forged, message, key) == [false], "bit \(bit)")
        }
    }

    @Test("A code that is truncated, even to nothing, or extended is refused")
    func lengths() {
        let code = Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
        for length in 0..<32 {
            #expect(accepts(Array(code.prefix(length)), message, key) == [false], "\(length) bytes")
        }
        for length in 1...32 {
            #expect(accepts(Array(code.suffix(32 - length)), message, key) == [false], "without the first \(length)")
        }
        #expect(accepts(code + [0], message, key) == [false])
        #expect(accepts(code + code, message, key) == [false])
    }

    @Test("The code of another message, another key or another hash is refused")
    func swapped() {
        let code = Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
        #expect(accepts(code, message + [0], key) == [false])
        #expect(accepts(code, Array(message.dropLast()), key) == [false])
        #expect(accepts(code, message, SymmetricKey(data: Array("a kez".utf8))) == [false])
        #expect(accepts(Array(HMAC<SHA224>.authenticationCode(for: message, using: key)), message, key) == [false])
        #expect(
            accepts(Array(HMAC<SHA512>.authenticationCode(for: message, using: key).prefix(32)), message, key) == [
                false
            ])
        #expect(accepts(Array(SHA256.hash(data: message)), message, key) == [false])
    }

    @Test("A protocol that truncates compares a prefix, and says so")
    func explicitPrefix() {
        let code = HMAC<SHA256>.authenticationCode(for: message, using: key)
        let received = Array(code.prefix(16))
        #expect(constantTimeEquals(received, code.prefix(16)))
        #expect(
            !constantTimeEquals(received, code.prefix(15)) && !constantTimeEquals(received.dropLast(), code.prefix(16)))
    }
}
