/// A hash with a number of its own in NIST's list of algorithms, the last arc of 2.16.840.1.101.3.4.2.
protocol NumberedHash: HashFunction {
    static var number: UInt8 { get }
}

extension SHA256: NumberedHash {
    static var number: UInt8 { 1 }
}

extension SHA384: NumberedHash {
    static var number: UInt8 { 2 }
}

extension SHA512: NumberedHash {
    static var number: UInt8 { 3 }
}

/// EMSA-PKCS1-v1_5 of RFC 8017, section 9.2.
enum PKCS1Encoding<H: NumberedHash> {
    /// Whether the bytes are the one encoding of the digest that has their number.
    ///
    /// The expectation is written down and compared as a whole, so that nothing in the bytes is ever read for its
    /// meaning.
    ///
    /// Bound: there are 256 bytes at least, and 8 of them are padding at least, as the standard demands.
    static func isEncoding(_ bytes: Span<UInt8>, of digest: Span<UInt8>) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { expected in
            let end = bytes.count - digest.count
            expected.initialize(repeating: 0xff)
            expected[0] = 0
            expected[1] = 1
            expected[end - 20] = 0
            // DigestInfo of RFC 8017, A.2.4, in DER: the object identifier of the hash, NULL, the digest.
            let length = UInt8(truncatingIfNeeded: digest.count)
            (expected[end - 19], expected[end - 18]) = (0x30, 17 + length)
            (expected[end - 17], expected[end - 16]) = (0x30, 13)
            (expected[end - 15], expected[end - 14]) = (0x06, 9)
            (expected[end - 13], expected[end - 12], expected[end - 11]) = (0x60, 0x86, 0x48)
            (expected[end - 10], expected[end - 9], expected[end - 8]) = (0x01, 0x65, 0x03)
            (expected[end - 7], expected[end - 6], expected[end - 5]) = (0x04, 0x02, H.number)
            (expected[end - 4], expected[end - 3]) = (0x05, 0)
            (expected[end - 2], expected[end - 1]) = (0x04, length)
            for index in digest.indices { expected[end + index] = digest[index] }
            return constantTimeEquals(bytes, expected.span)
        }
    }
}

/// EMSA-PSS of RFC 8017, section 9.1, with a salt as long as the digest.
enum PSSEncoding<H: HashFunction> {
    /// The steps 4 to 14 of section 9.1.2.
    ///
    /// Bound: the bytes hold a number of one bit more than `bitCount` at most, and there are 256 of them at least, so
    /// that digest, salt and the bytes between them always fit.
    static func isEncoding(_ bytes: Span<UInt8>, of digest: Span<UInt8>, bitCount: Int) -> Bool {
        let byteCount = (bitCount + 7) / 8
        let unusedBits = UInt8(truncatingIfNeeded: 8 * byteCount - bitCount)
        // A byte more than the encoding has: the modulus begins with a byte of 1.
        if byteCount < bytes.count, bytes[0] != 0 { return false }
        let encoded = bytes.extracting(last: byteCount)
        let blockCount = byteCount - digest.count - 1
        guard encoded[byteCount - 1] == 0xbc, encoded[0] & ~(0xff >> unusedBits) == 0 else { return false }

        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: blockCount) { block in
            block.initialize(repeating: 0)
            let seed = encoded.extracting(blockCount..<byteCount - 1)
            mask(block, from: seed)
            for index in 0..<blockCount { block[index] ^= encoded[index] }
            block[0] &= 0xff >> unusedBits

            let saltStart = blockCount - digest.count
            for index in 0..<saltStart - 1 where block[index] != 0 { return false }
            guard block[saltStart - 1] == 1 else { return false }

            var hash = H()
            hash.update(data: repeatElement(0 as UInt8, count: 8))
            hash.update(data: digest)
            hash.update(data: block.span.extracting(last: digest.count))
            return hash.finalize().withSpan { constantTimeEquals($0, seed) }
        }
    }

    /// MGF1 of RFC 8017, B.2.1, as long as the block is.
    private static func mask(_ block: UnsafeMutableBufferPointer<UInt8>, from seed: Span<UInt8>) {
        var (start, counter) = (0, 0 as UInt32)
        while start < block.count {
            var hash = H()
            hash.update(data: seed)
            withUnsafeBytes(of: counter.bigEndian) { hash.update(data: $0.bindMemory(to: UInt8.self).span) }
            hash.finalize().withSpan { part in
                // Bound: the rest of the block, where that is less than a digest.
                for index in 0..<min(part.count, block.count - start) { block[start + index] = part[index] }
            }
            start += H.byteCount
            counter += 1
        }
    }
}
