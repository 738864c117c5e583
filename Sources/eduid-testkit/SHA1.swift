import PureCrypto

/// SHA-1 of FIPS 180-4, known only to the vector runner: published HMAC vectors begin with it, the libraries have no
/// use for a broken hash.
///
/// It also shows that a hash from outside the library gains HMAC by conforming to `HashFunction`.
struct SHA1: HashFunction {
    static var blockByteCount: Int { 64 }

    private var words: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
    private var pending: [UInt8] = []
    private var byteCount: UInt64 = 0

    mutating func update(data: Span<UInt8>) {
        byteCount &+= UInt64(data.count)
        for index in data.indices {
            pending.append(data[index])
            if pending.count == Self.blockByteCount { compress() }
        }
    }

    func finalize() -> SHA1Digest {
        var copy = self
        let bitCount = byteCount &* 8
        copy.pending.append(0x80)
        if copy.pending.count > 56 {
            copy.pending.append(contentsOf: repeatElement(0, count: 64 - copy.pending.count))
            copy.compress()
        }
        copy.pending.append(contentsOf: repeatElement(0, count: 56 - copy.pending.count))
        copy.pending.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (56 - 8 * UInt64($0))) })
        copy.compress()
        return SHA1Digest(
            bytes: copy.words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) }
            })
    }

    /// Takes the sixteen words of a full pending block into the chaining words.
    private mutating func compress() {
        var schedule = stride(from: 0, to: 64, by: 4).map { start in
            pending[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for round in 16..<80 {
            schedule.append(
                (schedule[round - 3] ^ schedule[round - 8] ^ schedule[round - 14] ^ schedule[round - 16]).rotated(
                    left: 1))
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
        pending.removeAll(keepingCapacity: true)
    }
}

/// The 20 bytes that SHA-1 produces.
struct SHA1Digest: Digest {
    static var byteCount: Int { 20 }

    fileprivate let bytes: [UInt8]

    func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
        try body(bytes.span)
    }
}

extension UInt32 {
    fileprivate func rotated(left count: UInt32) -> UInt32 { self << count | self >> (32 - count) }
}
