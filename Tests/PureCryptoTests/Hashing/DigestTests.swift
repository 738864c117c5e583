import TestSupport
import Testing

@testable import PureCrypto

@Suite("Digests as values")
struct DigestTests {
    private let digest = SHA256.hash(data: "abc".utf8)

    @Test("A digest is a collection of its bytes, in one piece")
    func collection() {
        let bytes = [UInt8](hex: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Array(digest) == bytes)
        #expect(digest.count == 32 && digest.startIndex == 0 && digest.endIndex == 32)
        #expect(digest[0] == 0xba && digest[31] == 0xad)
        #expect(digest.reversed().elementsEqual(bytes.reversed()))
        #expect(digest.withSpan { span in span.indices.map { span[$0] } } == bytes)
        #expect(pieceCount(digest) == 32)
        #expect((SHA224.byteCount, SHA256.byteCount, SHA384.byteCount, SHA512.byteCount) == (28, 32, 48, 64))
        #expect(
            (SHA224.blockByteCount, SHA256.blockByteCount, SHA384.blockByteCount, SHA512.blockByteCount) == (
                64, 64, 128, 128
            ))
    }

    private func pieceCount(_ bytes: some Collection<UInt8>) -> Int? {
        bytes.withContiguousStorageIfAvailable { $0.count }
    }

    @Test("A digest prints as lower-case hexadecimal")
    func description() {
        #expect("\(SHA224.hash(data: []))" == "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f")
        #expect(digest.description == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test("Equal digests are one element of a set, others are not")
    func hashing() {
        let digests = Set((0..<100).map { SHA384.hash(data: [UInt8($0 % 50)]) })
        #expect(digests.count == 50)
        #expect(digests.contains(SHA384.hash(data: [49])) && !digests.contains(SHA384.hash(data: [50])))
        #expect(digest != SHA256.hash(data: "abd".utf8))
    }

    @Test("Digests that differ in one bit are not equal; what the standard cuts off does not count")
    func everyBit() {
        for word in 0..<8 {
            for bit in 0..<64 {
                let long = SHA512Chain.sha512.flipping(bit, of: word)
                #expect(SHA512.Digest(long) != SHA512.Digest(.sha512), "word \(word), bit \(bit)")
                #expect((SHA384.Digest(long) == SHA384.Digest(.sha512)) == (word > 5), "word \(word), bit \(bit)")
                guard bit < 32 else { continue }
                let short = SHA256Chain.sha256.flipping(bit, of: word)
                #expect(SHA256.Digest(short) != SHA256.Digest(.sha256), "word \(word), bit \(bit)")
                #expect((SHA224.Digest(short) == SHA224.Digest(.sha256)) == (word > 6), "word \(word), bit \(bit)")
            }
        }
    }

    @Test("A hash of another module needs little, and gains the rest")
    func foreignHash() {
        let bytes = [UInt8](1...20)
        let digest = Checksum.hash(data: bytes)
        #expect(Array(digest) == [57, 38, 35, 40])
        #expect(digest.description == "39262328")
        #expect(digest.withSpan { $0.count } == 4)
        #expect(Checksum.hash(data: bytes.scattered) == digest)
        // Equality is that of the bytes, whatever else the value may carry.
        #expect(
            Checksum.Value(bytes: [1, 2, 3, 4], note: "one") == Checksum.Value(bytes: [1, 2, 3, 4], note: "another"))
        #expect(Checksum.Value(bytes: [1, 2, 3, 4], note: "one") != Checksum.Value(bytes: [1, 2, 3, 5], note: "one"))
        #expect(
            Set([Checksum.Value(bytes: [1, 2, 3, 4], note: "one"), Checksum.Value(bytes: [1, 2, 3, 4], note: "two")])
                .count == 1)
    }
}

extension SHA256Chain {
    fileprivate func flipping(_ bit: Int, of word: Int) -> Self { Self(words: words.flipping(bit, of: word)) }
}

extension SHA512Chain {
    fileprivate func flipping(_ bit: Int, of word: Int) -> Self { Self(words: words.flipping(bit, of: word)) }
}

extension ChainingWords {
    fileprivate func flipping(_ bit: Int, of word: Int) -> Self {
        var words = [h0, h1, h2, h3, h4, h5, h6, h7]
        words[word] ^= 1 << bit
        return Self(
            h0: words[0], h1: words[1], h2: words[2], h3: words[3], h4: words[4], h5: words[5], h6: words[6],
            h7: words[7])
    }
}

/// A hash as another module would write it, and a bad one: every fourth byte is added, then mixed with the length.
struct Checksum: HashFunction {
    struct Value: PureCrypto.Digest {
        static var byteCount: Int { 4 }
        var bytes: [UInt8]
        var note = ""

        func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result
        {
            try body(bytes.span)
        }
    }

    static var blockByteCount: Int { 8 }

    private var sums: [UInt8] = [0, 0, 0, 0]
    private var byteCount = 0

    mutating func update(data: Span<UInt8>) {
        for index in data.indices {
            sums[byteCount % 4] &+= data[index]
            byteCount += 1
        }
    }

    func finalize() -> Value { Value(bytes: sums.map { $0 ^ UInt8(truncatingIfNeeded: byteCount) }) }
}
