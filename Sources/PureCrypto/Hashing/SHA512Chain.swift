// The rounds are written out sixteen at a time, so that the renaming of the working variables costs nothing and the
// window on the message schedule consists of locals. A loop around them over the table of constants beats 80 rounds
// with literal constants: there is less code to fetch, and a constant that the compiler cannot see is added early, off
// the critical path. What else was found to be worth 2 to 10 % each: the schedule runs sixteen rounds ahead of its use;
// Σ0 is nested for fewer instructions, but Σ1, which everything waits for, only by half; the pointer to the constants
// moves with the loop, where an index costs registers. Measure again before changing the order of statements.

/// The compression function of SHA-384 and SHA-512, FIPS 180-4, section 6.4.2.
struct SHA512Chain: ChainingValue {
    typealias Block = (
        UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
        UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
    )

    var words: ChainingWords<UInt64>

    static var emptyBlock: Block { (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }
    static var lengthByteCount: Int { 16 }

    /// The chaining value before the first block of SHA-384.
    static var sha384: Self {
        Self(
            words: ChainingWords(
                h0: 0xcbbb_9d5d_c105_9ed8, h1: 0x629a_292a_367c_d507,
                h2: 0x9159_015a_3070_dd17, h3: 0x152f_ecd8_f70e_5939,
                h4: 0x6733_2667_ffc0_0b31, h5: 0x8eb4_4a87_6858_1511,
                h6: 0xdb0c_2e0d_64f9_8fa7, h7: 0x47b5_481d_befa_4fa4))
    }

    /// The chaining value before the first block of SHA-512.
    static var sha512: Self {
        Self(
            words: ChainingWords(
                h0: 0x6a09_e667_f3bc_c908, h1: 0xbb67_ae85_84ca_a73b,
                h2: 0x3c6e_f372_fe94_f82b, h3: 0xa54f_f53a_5f1d_36f1,
                h4: 0x510e_527f_ade6_82d1, h5: 0x9b05_688c_2b3e_6c1f,
                h6: 0x1f83_d9ab_fb41_bd6b, h7: 0x5be0_cd19_137e_2179))
    }

    /// Bound: `count` blocks of 128 bytes are readable from `blocks` on.
    @inline(never)
    mutating func absorb(_ blocks: UnsafeRawPointer, count: Int) {
        roundConstants.withUnsafeBufferPointer { table in
            guard let constants = table.baseAddress else { return }
            var chain = words
            var block = blocks
            for _ in 0..<count {
                var schedule = Schedule(block)
                var rounds = Rounds(chain)
                // Bound: the table holds 80 constants, sixteen for each turn and sixteen for the end.
                var constant = constants
                repeat {
                    rounds.sixteen(&schedule, constant, advancing: true)
                    constant += 16
                } while constant != constants + 64
                rounds.sixteen(&schedule, constant, advancing: false)
                rounds.add(to: &chain)
                block += 128
            }
            words = chain
        }
    }
}

/// A window of sixteen words on the message schedule W of the standard.
private struct Schedule {
    var w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15: UInt64

    /// Bound: 128 bytes are readable from `block` on.
    @inline(__always)
    init(_ block: UnsafeRawPointer) {
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: block.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
        }
        (w0, w1, w2, w3) = (word(0), word(1), word(2), word(3))
        (w4, w5, w6, w7) = (word(4), word(5), word(6), word(7))
        (w8, w9, w10, w11) = (word(8), word(9), word(10), word(11))
        (w12, w13, w14, w15) = (word(12), word(13), word(14), word(15))
    }
}

/// The eight working variables of the standard.
private struct Rounds {
    private var a, b, c, d, e, f, g, h: UInt64

    @inline(__always)
    init(_ chain: ChainingWords<UInt64>) {
        (a, b, c, d) = (chain.h0, chain.h1, chain.h2, chain.h3)
        (e, f, g, h) = (chain.h4, chain.h5, chain.h6, chain.h7)
    }

    /// Sixteen rounds, each of which then replaces its word of the schedule by the one that is due sixteen rounds
    /// later.
    ///
    /// Bound: sixteen constants are readable from `k` on.
    @inline(__always)
    mutating func sixteen(_ w: inout Schedule, _ k: UnsafePointer<UInt64>, advancing: Bool) {
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
        _ constant: UInt64, _ word: inout UInt64, _ next1: UInt64, _ next9: UInt64, _ next14: UInt64, _ advancing: Bool
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
    func add(to chain: inout ChainingWords<UInt64>) {
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

/// Σ0: rotations by 28, 34 and 39.
@inline(__always)
private func sum0(_ x: UInt64) -> UInt64 { rotated(rotated(rotated(x, 5) ^ x, 6) ^ x, 28) }

/// Σ1: rotations by 14, 18 and 41.
@inline(__always)
private func sum1(_ x: UInt64) -> UInt64 { rotated(rotated(x, 4) ^ x, 14) ^ rotated(x, 41) }

/// σ0: rotations by 1 and 8, shift by 7.
@inline(__always)
private func sigma0(_ x: UInt64) -> UInt64 { rotated(rotated(x, 7) ^ x, 1) ^ (x >> 7) }

/// σ1: rotations by 19 and 61, shift by 6.
@inline(__always)
private func sigma1(_ x: UInt64) -> UInt64 { rotated(rotated(x, 42) ^ x, 19) ^ (x >> 6) }

/// ROTR of the standard.
@inline(__always)
private func rotated(_ x: UInt64, _ count: UInt64) -> UInt64 { (x &>> count) | (x &<< (64 - count)) }

/// K of the standard, section 4.2.3: the fractional parts of the cube roots of the first 80 primes.
private let roundConstants: [UInt64] = [
    0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd, 0xb5c0_fbcf_ec4d_3b2f, 0xe9b5_dba5_8189_dbbc,
    0x3956_c25b_f348_b538, 0x59f1_11f1_b605_d019, 0x923f_82a4_af19_4f9b, 0xab1c_5ed5_da6d_8118,
    0xd807_aa98_a303_0242, 0x1283_5b01_4570_6fbe, 0x2431_85be_4ee4_b28c, 0x550c_7dc3_d5ff_b4e2,
    0x72be_5d74_f27b_896f, 0x80de_b1fe_3b16_96b1, 0x9bdc_06a7_25c7_1235, 0xc19b_f174_cf69_2694,
    0xe49b_69c1_9ef1_4ad2, 0xefbe_4786_384f_25e3, 0x0fc1_9dc6_8b8c_d5b5, 0x240c_a1cc_77ac_9c65,
    0x2de9_2c6f_592b_0275, 0x4a74_84aa_6ea6_e483, 0x5cb0_a9dc_bd41_fbd4, 0x76f9_88da_8311_53b5,
    0x983e_5152_ee66_dfab, 0xa831_c66d_2db4_3210, 0xb003_27c8_98fb_213f, 0xbf59_7fc7_beef_0ee4,
    0xc6e0_0bf3_3da8_8fc2, 0xd5a7_9147_930a_a725, 0x06ca_6351_e003_826f, 0x1429_2967_0a0e_6e70,
    0x27b7_0a85_46d2_2ffc, 0x2e1b_2138_5c26_c926, 0x4d2c_6dfc_5ac4_2aed, 0x5338_0d13_9d95_b3df,
    0x650a_7354_8baf_63de, 0x766a_0abb_3c77_b2a8, 0x81c2_c92e_47ed_aee6, 0x9272_2c85_1482_353b,
    0xa2bf_e8a1_4cf1_0364, 0xa81a_664b_bc42_3001, 0xc24b_8b70_d0f8_9791, 0xc76c_51a3_0654_be30,
    0xd192_e819_d6ef_5218, 0xd699_0624_5565_a910, 0xf40e_3585_5771_202a, 0x106a_a070_32bb_d1b8,
    0x19a4_c116_b8d2_d0c8, 0x1e37_6c08_5141_ab53, 0x2748_774c_df8e_eb99, 0x34b0_bcb5_e19b_48a8,
    0x391c_0cb3_c5c9_5a63, 0x4ed8_aa4a_e341_8acb, 0x5b9c_ca4f_7763_e373, 0x682e_6ff3_d6b2_b8a3,
    0x748f_82ee_5def_b2fc, 0x78a5_636f_4317_2f60, 0x84c8_7814_a1f0_ab72, 0x8cc7_0208_1a64_39ec,
    0x90be_fffa_2363_1e28, 0xa450_6ceb_de82_bde9, 0xbef9_a3f7_b2c6_7915, 0xc671_78f2_e372_532b,
    0xca27_3ece_ea26_619c, 0xd186_b8c7_21c0_c207, 0xeada_7dd6_cde0_eb1e, 0xf57d_4f7f_ee6e_d178,
    0x06f0_67aa_7217_6fba, 0x0a63_7dc5_a2c8_98a6, 0x113f_9804_bef9_0dae, 0x1b71_0b35_131c_471b,
    0x28db_77f5_2304_7d84, 0x32ca_ab7b_40c7_2493, 0x3c9e_be0a_15c9_bebc, 0x431d_67c4_9c10_0d4c,
    0x4cc5_d4be_cb3e_42b6, 0x597f_299c_fc65_7e2a, 0x5fcb_6fab_3ad6_faec, 0x6c44_198c_4a47_5817,
]
