// The rounds are written out sixteen at a time, so that the renaming of the working variables costs nothing and the
// window on the message schedule consists of locals. A loop around them over the table of constants beats 64 rounds
// with literal constants: there is less code to fetch, and a constant that the compiler cannot see is added early, off
// the critical path. What else was found to be worth 2 to 10 % each: the schedule runs sixteen rounds ahead of its use;
// Σ0 is nested for fewer instructions, but Σ1, which everything waits for, only by half; the pointer to the constants
// moves with the loop, where an index costs registers. Measure again before changing the order of statements.

/// The compression function of SHA-224 and SHA-256, FIPS 180-4, section 6.2.2.
struct SHA256Chain: ChainingValue {
    typealias Block = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    var words: ChainingWords<UInt32>

    static var emptyBlock: Block { (0, 0, 0, 0, 0, 0, 0, 0) }
    static var lengthByteCount: Int { 8 }

    /// The chaining value before the first block of SHA-224.
    static var sha224: Self {
        Self(
            words: ChainingWords(
                h0: 0xc105_9ed8, h1: 0x367c_d507, h2: 0x3070_dd17, h3: 0xf70e_5939,
                h4: 0xffc0_0b31, h5: 0x6858_1511, h6: 0x64f9_8fa7, h7: 0xbefa_4fa4))
    }

    /// The chaining value before the first block of SHA-256.
    static var sha256: Self {
        Self(
            words: ChainingWords(
                h0: 0x6a09_e667, h1: 0xbb67_ae85, h2: 0x3c6e_f372, h3: 0xa54f_f53a,
                h4: 0x510e_527f, h5: 0x9b05_688c, h6: 0x1f83_d9ab, h7: 0x5be0_cd19))
    }

    /// Bound: `count` blocks of 64 bytes are readable from `blocks` on.
    @inline(never)
    mutating func absorb(_ blocks: UnsafeRawPointer, count: Int) {
        roundConstants.withUnsafeBufferPointer { table in
            guard let constants = table.baseAddress else { return }
            var chain = words
            var block = blocks
            for _ in 0..<count {
                var schedule = Schedule(block)
                var rounds = Rounds(chain)
                // Bound: the table holds 64 constants, sixteen for each turn and sixteen for the end.
                var constant = constants
                repeat {
                    rounds.sixteen(&schedule, constant, advancing: true)
                    constant += 16
                } while constant != constants + 48
                rounds.sixteen(&schedule, constant, advancing: false)
                rounds.add(to: &chain)
                block += 64
            }
            words = chain
        }
    }
}

/// A window of sixteen words on the message schedule W of the standard.
private struct Schedule {
    var w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15: UInt32

    /// Bound: 64 bytes are readable from `block` on.
    @inline(__always)
    init(_ block: UnsafeRawPointer) {
        func word(_ index: Int) -> UInt32 {
            UInt32(bigEndian: block.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
        }
        (w0, w1, w2, w3) = (word(0), word(1), word(2), word(3))
        (w4, w5, w6, w7) = (word(4), word(5), word(6), word(7))
        (w8, w9, w10, w11) = (word(8), word(9), word(10), word(11))
        (w12, w13, w14, w15) = (word(12), word(13), word(14), word(15))
    }
}

/// The eight working variables of the standard.
private struct Rounds {
    private var a, b, c, d, e, f, g, h: UInt32

    @inline(__always)
    init(_ chain: ChainingWords<UInt32>) {
        (a, b, c, d) = (chain.h0, chain.h1, chain.h2, chain.h3)
        (e, f, g, h) = (chain.h4, chain.h5, chain.h6, chain.h7)
    }

    /// Sixteen rounds, each of which then replaces its word of the schedule by the one that is due sixteen rounds
    /// later.
    ///
    /// Bound: sixteen constants are readable from `k` on.
    @inline(__always)
    mutating func sixteen(_ w: inout Schedule, _ k: UnsafePointer<UInt32>, advancing: Bool) {
        round(k[0], &w.w0, w.w1, w.w9, w.w14, advancing)
        round(k[1], &w.w1, w.w2, w.w10, w.w15, advancing)
        round(k[2], &w.w2, w.w3, w.w11, w.w0, advancing)
        round(k[3], &w.w3, w.w4, w.w12, w.w1, advancing)
        round(k[4], &w.w4, w.w5, w.w13, w.w2, advancing)
        round(k[5], &w.w5, w.w6, w.w14, w.w3, advancing)
        round(k[6], &w.w6, w.w7, w.w15, w.w4, advancing)
        round(k[7], &w.w7, w.w8, w.w0, w.w5, advancing)
        round(k[8], &w.w8, w.w9, w.w1, w.w6, advancing)
        round(k[9], &w.w9, w.w10, w.w2, w.w7, advancing)
        round(k[10], &w.w10, w.w11, w.w3, w.w8, advancing)
        round(k[11], &w.w11, w.w12, w.w4, w.w9, advancing)
        round(k[12], &w.w12, w.w13, w.w5, w.w10, advancing)
        round(k[13], &w.w13, w.w14, w.w6, w.w11, advancing)
        round(k[14], &w.w14, w.w15, w.w7, w.w12, advancing)
        round(k[15], &w.w15, w.w0, w.w8, w.w13, advancing)
    }

    /// One round; `next1`, `next9` and `next14` are the words that follow `word` in the schedule at these distances.
    @inline(__always)
    private mutating func round(
        _ constant: UInt32, _ word: inout UInt32, _ next1: UInt32, _ next9: UInt32, _ next14: UInt32, _ advancing: Bool
    ) {
        let choice = g ^ (e & (f ^ g))
        let majority = b ^ ((a ^ b) & (b ^ c))
        let early = h &+ constant &+ word &+ choice
        let late = sum1(e)
        let t2 = sum0(a) &+ majority
        (h, g, f, e) = (g, f, e, d &+ early &+ late)
        (d, c, b, a) = (c, b, a, early &+ late &+ t2)
        if advancing { word &+= sigma0(next1) &+ next9 &+ sigma1(next14) }
    }

    @inline(__always)
    func add(to chain: inout ChainingWords<UInt32>) {
        chain.h0 &+= a
        chain.h1 &+= b
        chain.h2 &+= c
        chain.h3 &+= d
        chain.h4 &+= e
        chain.h5 &+= f
        chain.h6 &+= g
        chain.h7 &+= h
    }
}

/// Σ0: rotations by 2, 13 and 22.
@inline(__always)
private func sum0(_ x: UInt32) -> UInt32 { rotated(rotated(rotated(x, 9) ^ x, 11) ^ x, 2) }

/// Σ1: rotations by 6, 11 and 25.
@inline(__always)
private func sum1(_ x: UInt32) -> UInt32 { rotated(rotated(x, 5) ^ x, 6) ^ rotated(x, 25) }

/// σ0: rotations by 7 and 18, shift by 3.
@inline(__always)
private func sigma0(_ x: UInt32) -> UInt32 { rotated(rotated(x, 11) ^ x, 7) ^ (x >> 3) }

/// σ1: rotations by 17 and 19, shift by 10.
@inline(__always)
private func sigma1(_ x: UInt32) -> UInt32 { rotated(rotated(x, 2) ^ x, 17) ^ (x >> 10) }

/// ROTR of the standard.
@inline(__always)
private func rotated(_ x: UInt32, _ count: UInt32) -> UInt32 { (x &>> count) | (x &<< (32 - count)) }

/// K of the standard, section 4.2.2: the fractional parts of the cube roots of the first 64 primes.
private let roundConstants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
]
