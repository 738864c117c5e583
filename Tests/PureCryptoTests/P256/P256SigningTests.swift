import TestSupport
import Testing

@testable import PureCrypto

private typealias Signing = P256.Signing

@Suite("FIPS 186-5, 6.4.1: keys and signing with P-256", .proves("FIPS186-5-6.4.1"), .proves("KEY-6"))
struct P256SigningTests {
    @Test("signs the examples of RFC 6979 with every hash", .proves("RFC6979-A.2.5"))
    func examples() throws {
        for line in try VectorLines("P256/rfc6979-a.2.5.txt") {
            let key = try Signing.PrivateKey(rawRepresentation: line.bytes(1))
            switch line.fields[0] {
            case "sha224": expect(line, key, by: SHA224.self)
            case "sha256": expect(line, key, by: SHA256.self)
            case "sha384": expect(line, key, by: SHA384.self)
            default: expect(line, key, by: SHA512.self)
            }
            #expect(key.publicKey.x963Representation == line.bytes(3))
        }
    }

    private func expect<H: HashFunction>(_ line: VectorLines.Line, _ key: Signing.PrivateKey, by: H.Type) {
        let digest = H.hash(data: line.bytes(2))
        let signature = key.signature(forDigest: digest, of: H.self)
        #expect([UInt8](signature) == line.bytes(4), "line \(line.number)")
        let verdict = signature.withSpan { signature in
            digest.withSpan { key.publicKey.isValidSignature(signature, forDigest: $0) }
        }
        #expect(verdict, "line \(line.number)")
    }

    @Test("signs like big integers, and its signatures are valid")
    func signatures() throws {
        for line in try VectorLines("P256/signatures.txt").thinnedInDebug(toEvery: 3) {
            let key = try Signing.PrivateKey(rawRepresentation: line.bytes(0))
            let signature = key.signature(for: line.bytes(1))
            #expect(key.rawRepresentation == line.bytes(0), "line \(line.number)")
            #expect(key.publicKey.x963Representation == line.bytes(2), "line \(line.number)")
            #expect([UInt8](signature) == line.bytes(3), "line \(line.number)")
            #expect(key.publicKey.isValidSignature(signature, for: line.bytes(1)), "line \(line.number)")
        }
    }

    @Test("takes a digest modulo n, for the nonce and for s", .proves("RFC6979-2.3.4"))
    func largeDigests() throws {
        for line in try VectorLines("P256/digests.txt") {
            let key = try Signing.PrivateKey(rawRepresentation: line.bytes(0))
            let words = line.number(1)
            let halves = [words.w3, words.w2, words.w1, words.w0].map {
                (UInt32(truncatingIfNeeded: $0 >> 32), UInt32(truncatingIfNeeded: $0))
            }
            let chain = ChainingWords(
                h0: halves[0].0, h1: halves[0].1, h2: halves[1].0, h3: halves[1].1, h4: halves[2].0, h5: halves[2].1,
                h6: halves[3].0, h7: halves[3].1)
            let digest = SHA256.Digest(SHA256Chain(words: chain))
            #expect([UInt8](digest) == line.bytes(1))
            let signature = key.signature(forDigest: digest, of: SHA256.self)
            #expect([UInt8](signature) == line.bytes(2), "line \(line.number)")
        }
    }

    @Test("mixes randomness into the nonce, and stays valid when there is none in it", .proves("RFC6979-3.6"))
    func hedged() throws {
        let key = try Signing.PrivateKey(rawRepresentation: 1...32)
        var (generator, twin, zeros) = (SeededGenerator(seed: 1), SeededGenerator(seed: 1), ZeroGenerator())
        let plain = key.signature(for: [1, 2, 3])
        let first = key.signature(for: [1, 2, 3], using: &generator)
        let second = key.signature(for: [1, 2, 3], using: &generator)
        let bad = key.signature(for: [1, 2, 3], using: &zeros)
        let all = [plain, first, second, bad]
        #expect(Set(all).count == 4)
        for signature in all { #expect(key.publicKey.isValidSignature(signature, for: [1, 2, 3])) }

        // The randomness is 32 bytes, and all of them count.
        #expect(key.signature(for: [1, 2, 3], using: &twin) == first)
        #expect(
            twin.next()
                == {
                    var third = SeededGenerator(seed: 1); return third.skipping(4)
                }())
        var (ones, otherZeros) = (LastWordGenerator(), ZeroGenerator())
        #expect(key.signature(for: [1, 2, 3], using: &ones) != bad)
        #expect(key.signature(for: [1, 2, 3], using: &otherZeros) == bad)
        // With no randomness two messages still have two nonces.
        let other = key.signature(for: [1, 2, 4], using: &otherZeros)
        #expect([UInt8](other).prefix(32) != [UInt8](bad).prefix(32))
    }

    @Test("takes spans and collections alike, in one piece or not")
    func inputs() throws {
        let scalar = [UInt8](1...32)
        let message = [UInt8](repeating: 7, count: 700)
        let key = try Signing.PrivateKey(rawRepresentation: scalar)
        let signature = key.signature(for: message)
        let spanSignature = key.signature(for: message.span)
        let spanKey = try Signing.PrivateKey(rawRepresentation: scalar.span)
        #expect(try key == spanKey && key == Signing.PrivateKey(rawRepresentation: 1...32))
        #expect(signature == spanSignature && signature == key.signature(for: repeatElement(7, count: 700)))

        let publicKey = key.publicKey
        let publicBytes = publicKey.x963Representation
        let spanPublicKey = try Signing.PublicKey(x963Representation: publicBytes.span)
        let compressed = publicKey.compressedRepresentation
        let spanCompressed = try Signing.PublicKey(compressedRepresentation: compressed.span)
        #expect(publicKey == spanPublicKey && publicKey == spanCompressed)
        #expect(try publicKey == Signing.PublicKey(x963Representation: publicBytes.lazy.map { $0 }))
        let bytes = [UInt8](signature)
        let spanVerdict = publicKey.isValidSignature(bytes.span, for: message.span)
        #expect(spanVerdict)
        #expect(publicKey.isValidSignature(signature, for: repeatElement(7, count: 700)))
        #expect(publicKey.isValidSignature([UInt8](signature).lazy.map { $0 }, for: message))
        #expect(publicKey.prepared().isValidSignature(signature, for: message))
        let lentVerdict = signature.withSpan { publicKey.isValidSignature($0, for: message.span) }
        #expect(lentVerdict)
    }

    @Test("is a signature of 64 bytes, each where it belongs")
    func signatureBytes() throws {
        let signature = try Signing.PrivateKey(rawRepresentation: 1...32).signature(for: [])
        let bytes = signature.withSpan { span in span.indices.map { span[$0] } }
        #expect(
            signature.count == 64 && [UInt8](signature) == bytes && signature.indices.map { signature[$0] } == bytes)
        #expect(signature.elementsEqual(bytes) && signature.reversed() == bytes.reversed())
    }

    @Test("refuses private keys of another length, and those that are not from 1 to n − 1", .proves("RFC6979-2.2"))
    func privateKeys() throws {
        for count in [0, 31, 33, 64] {
            #expect(throws: Signing.Rejection.wrongLength(found: count)) {
                try Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 1, count: count))
            }
        }
        let n = P256.Scalar.order
        for words in [FourWords.zero, n, FourWords(n.w0 + 1, n.w1, n.w2, n.w3), FourWords(.max, .max, .max, .max)] {
            #expect(throws: Signing.Rejection.scalarOutOfRange) {
                try Signing.PrivateKey(rawRepresentation: words.byteReversed.bytes)
            }
        }
        for words in [FourWords(1, 0, 0, 0), FourWords(n.w0 - 1, n.w1, n.w2, n.w3)] {
            let key = try Signing.PrivateKey(rawRepresentation: words.byteReversed.bytes)
            #expect(key.rawRepresentation == words.byteReversed.bytes)
        }
    }

    @Test("draws a key from a generator: 512 bits modulo n")
    func generated() throws {
        var (generator, twin, zeros) = (SeededGenerator(seed: 1), SeededGenerator(seed: 1), ZeroGenerator())
        let key = Signing.PrivateKey(using: &generator)
        let words = (0..<8).map { _ in twin.next() }
        let scalar = P256.Scalar(
            nonZeroReducing: FourWords(words[0], words[1], words[2], words[3]),
            FourWords(words[4], words[5], words[6], words[7]))
        #expect(key.rawRepresentation == scalar.words.byteReversed.bytes)
        #expect(key != Signing.PrivateKey(using: &generator))
        #expect(key.publicKey.isValidSignature(key.signature(for: [1]), for: [1]))
        #expect(Signing.PrivateKey(using: &zeros).rawRepresentation.last == 1)
    }

    @Test("keeps the secret out of descriptions and dumps", .proves("threat-22"))
    func redaction() throws {
        let key = try Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 0xa7, count: 32))
        var dumped = ""
        dump(key, to: &dumped)
        #expect(Mirror(reflecting: key).children.isEmpty)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(text.contains("redacted"))
            for trace in ["a7", "A7", "167", "12080808080808080807"] { #expect(!text.contains(trace), "\(text)") }
        }
    }
}

/// Zeros, but for the last bit of every fourth word.
private struct LastWordGenerator: RandomNumberGenerator {
    private var count = 0

    mutating func next() -> UInt64 {
        count += 1
        return count % 4 == 0 ? 1 << 56 : 0
    }
}

extension SeededGenerator {
    /// The word after so many others.
    fileprivate mutating func skipping(_ count: Int) -> UInt64 {
        for _ in 0..<count { _ = next() }
        return next()
    }
}
