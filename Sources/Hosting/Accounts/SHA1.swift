internal import PureCrypto

/// SHA-1 of FIPS 180-4, for two purposes alone: most authenticator apps know no other hash, and published vectors of
/// HMAC begin with it.
///
/// It is broken as a hash, which HMAC does not suffer from. So it stays here, and no signature or digest has it.
package struct SHA1: HashFunction {
    /// The number of bytes that the hash compresses at a time.
    package static var blockByteCount: Int { 64 }

    private var message: [UInt8] = []

    /// Starts the hash of an empty message.
    package init() {}

    /// Appends bytes to the message, which is kept whole until it is hashed.
    package mutating func update(data: Span<UInt8>) {
        for index in data.indices { message.append(data[index]) }
    }

    /// The digest of the message so far; the hash itself is unchanged and can absorb more.
    package func finalize() -> SHA1Digest {
        var words: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
        let padding = [0x80] + [UInt8](repeating: 0, count: (119 - message.count % 64) % 64)
        let padded = message + padding + Self.bigEndian(UInt64(message.count) * 8)
        for start in stride(from: 0, to: padded.count, by: 64) {
            Self.compress(padded[start..<start + 64], into: &words)
        }
        return SHA1Digest(bytes: words.flatMap(Self.bigEndian))
    }

    private static func bigEndian(_ integer: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: integer.bigEndian) { [UInt8]($0) }
    }

    /// Takes the sixteen words of a block into the chaining words.
    private static func compress(_ block: ArraySlice<UInt8>, into words: inout [UInt32]) {
        var schedule = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
            block[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for round in 16..<80 {
            let mixed = schedule[round - 3] ^ schedule[round - 8] ^ schedule[round - 14] ^ schedule[round - 16]
            schedule.append(mixed.rotated(left: 1))
        }
        var (a, b, c, d, e) = (words[0], words[1], words[2], words[3], words[4])
        for round in 0..<80 {
            let (mixed, constant): (UInt32, UInt32) =
                switch round {
                case ..<20: ((b & c) | (~b & d), 0x5a82_7999)
                case ..<40: (b ^ c ^ d, 0x6ed9_eba1)
                case ..<60: ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc)
                default: (b ^ c ^ d, 0xca62_c1d6)
                }
            let next = a.rotated(left: 5) &+ mixed &+ e &+ constant &+ schedule[round]
            (a, b, c, d, e) = (next, a, b.rotated(left: 30), c, d)
        }
        words = zip(words, [a, b, c, d, e]).map { $0 &+ $1 }
    }
}

/// The 20 bytes that SHA-1 produces.
package struct SHA1Digest: Digest {
    /// The number of bytes in every digest of this type.
    package static var byteCount: Int { 20 }

    fileprivate let bytes: [UInt8]

    /// Lends the bytes of the digest for the time of the call.
    package func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(bytes.span)
    }
}

extension UInt32 {
    fileprivate func rotated(left count: UInt32) -> UInt32 { self << count | self >> (32 - count) }
}
