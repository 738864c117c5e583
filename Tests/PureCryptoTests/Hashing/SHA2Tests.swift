import TestSupport
import Testing

@testable import PureCrypto

@Suite("FIPS 180-4: SHA-2", .proves("FIPS180-4-6"))
struct SHA2Tests {
    @Test("The examples of the standard, and of RFC 6234")
    func examples() throws {
        for vector in try HashVectors("fips180-4.txt") {
            #expect(vector.algorithm.digest(vector.bytes(1)) == vector.bytes(2), "line \(vector.number)")
        }
    }

    @Test("Every length from 0 to 300 bytes, past two borders of each block size", .proves("FIPS180-4-5.1"))
    func lengths() throws {
        for vector in try HashVectors("lengths.txt") {
            let digests = (0...300).map { vector.algorithm.digest(HashVectors.message($0)) }
            let starts = vector.bytes(2)
            for (length, digest) in digests.enumerated() {
                #expect(
                    Array(digest.prefix(2)) == Array(starts[2 * length..<2 * length + 2]),
                    "\(vector.algorithm), \(length) bytes")
            }
            #expect(vector.algorithm.digest(Array(digests.joined())) == vector.bytes(1), "\(vector.algorithm)")
        }
    }

    @Test("The length of a message too long to exist is counted to its last bit, and wraps", .proves("FIPS180-4-5.1"))
    func longMessages() throws {
        for vector in try HashVectors("long-messages.txt") {
            let before = try #require(UInt128(vector.fields[1], radix: 16))
            let (end, digest) = (vector.bytes(2), vector.bytes(3))
            switch vector.algorithm {
            case .sha224:
                #expect(SHA224.Digest(finish(.sha224, before, end)).elementsEqual(digest), "line \(vector.number)")
            case .sha256:
                #expect(SHA256.Digest(finish(.sha256, before, end)).elementsEqual(digest), "line \(vector.number)")
            case .sha384:
                #expect(SHA384.Digest(finish(.sha384, before, end)).elementsEqual(digest), "line \(vector.number)")
            case .sha512:
                #expect(SHA512.Digest(finish(.sha512, before, end)).elementsEqual(digest), "line \(vector.number)")
            }
        }
    }

    private func finish<Chain: ChainingValue>(_ chain: Chain, _ before: UInt128, _ end: [UInt8]) -> Chain {
        var stream = BlockStream(chain, after: before)
        stream.append(end.span)
        return stream.finished()
    }

    @Test("A message in pieces has the digest of the whole", arguments: Algorithm.allCases)
    func pieces(algorithm: Algorithm) {
        for seed in UInt64(1)...60 {
            #expect(algorithm.run(Splitting(seed: seed)), "seed \(seed)")
        }
    }

    @Test("Scattered bytes of every length give the digest of contiguous ones", arguments: Algorithm.allCases)
    func scattered(algorithm: Algorithm) {
        // The small buffer for scattered bytes holds 256 of them.
        for length in [0, 1, 255, 256, 257, 511, 512, 513, 1000] {
            #expect(algorithm.run(Scattering(message: HashVectors.message(length))), "\(length) bytes")
        }
    }

    @Test("Finishing changes nothing: more can follow, and a copy goes its own way")
    func finishingIsPure() {
        var hash = SHA256()
        hash.update(data: "ab".utf8)
        let (first, copy) = (hash.finalize(), hash)
        #expect(hash.finalize() == first)
        hash.update(data: "c".utf8)
        #expect(hash.finalize() == SHA256.hash(data: "abc".utf8))
        #expect(copy.finalize() == first)
    }

    @Test("The words for arithmetic are those of the digest")
    func words() {
        var hash = SHA512()
        hash.update(data: "abc".utf8)
        let words = hash.finalizedWords()
        #expect(words.h0 == 0xddaf_35a1_93617aba && words.h7 == 0x2a9a_c94f_a54c_a49f)
    }
}

/// Cuts a random message at random places, empty pieces included.
private struct Splitting: HashTask {
    let seed: UInt64

    func callAsFunction<H: HashFunction>(_: H.Type) -> Bool {
        var generator = SeededGenerator(seed: seed)
        let message = generator.bytes(Int.random(in: 0...700, using: &generator))
        var hash = H()
        var rest = message[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 0...150, using: &generator))
            rest = rest.dropFirst(piece.count)
            switch generator.next() % 3 {
            case 0: hash.update(data: piece)
            case 1: hash.update(data: Array(piece).span)
            default: hash.update(data: Array(piece).scattered)
            }
        }
        return hash.finalize() == H.hash(data: message.span)
    }
}

private struct Scattering: HashTask {
    let message: [UInt8]

    func callAsFunction<H: HashFunction>(_: H.Type) -> Bool {
        H.hash(data: message.scattered) == H.hash(data: message)
    }
}
