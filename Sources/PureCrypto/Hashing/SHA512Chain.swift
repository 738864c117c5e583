// Straight-line on purpose: every round has its constant as a literal, and the sixteen words of the message schedule are locals that the
// compiler keeps in registers and on the stack. The same rounds as a loop over a table of constants are about 8 % slower.

/// The compression function of SHA-384 and SHA-512, FIPS 180-4, section 6.4.2.
struct SHA512Chain: ChainingValue {
    typealias Block = (
        UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
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

    mutating func absorb(_ blocks: UnsafeRawPointer, count: Int) {
        var chain = words
        var block = blocks
        for _ in 0..<count {
            var schedule = Schedule(block)
            var rounds = Rounds(chain)
            rounds.sixteen(
                schedule,
                0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd, 0xb5c0_fbcf_ec4d_3b2f, 0xe9b5_dba5_8189_dbbc,
                0x3956_c25b_f348_b538, 0x59f1_11f1_b605_d019, 0x923f_82a4_af19_4f9b, 0xab1c_5ed5_da6d_8118,
                0xd807_aa98_a303_0242, 0x1283_5b01_4570_6fbe, 0x2431_85be_4ee4_b28c, 0x550c_7dc3_d5ff_b4e2,
                0x72be_5d74_f27b_896f, 0x80de_b1fe_3b16_96b1, 0x9bdc_06a7_25c7_1235, 0xc19b_f174_cf69_2694)
            schedule.advance()
            rounds.sixteen(
                schedule,
                0xe49b_69c1_9ef1_4ad2, 0xefbe_4786_384f_25e3, 0x0fc1_9dc6_8b8c_d5b5, 0x240c_a1cc_77ac_9c65,
                0x2de9_2c6f_592b_0275, 0x4a74_84aa_6ea6_e483, 0x5cb0_a9dc_bd41_fbd4, 0x76f9_88da_8311_53b5,
                0x983e_5152_ee66_dfab, 0xa831_c66d_2db4_3210, 0xb003_27c8_98fb_213f, 0xbf59_7fc7_beef_0ee4,
                0xc6e0_0bf3_3da8_8fc2, 0xd5a7_9147_930a_a725, 0x06ca_6351_e003_826f, 0x1429_2967_0a0e_6e70)
            schedule.advance()
            rounds.sixteen(
                schedule,
                0x27b7_0a85_46d2_2ffc, 0x2e1b_2138_5c26_c926, 0x4d2c_6dfc_5ac4_2aed, 0x5338_0d13_9d95_b3df,
                0x650a_7354_8baf_63de, 0x766a_0abb_3c77_b2a8, 0x81c2_c92e_47ed_aee6, 0x9272_2c85_1482_353b,
                0xa2bf_e8a1_4cf1_0364, 0xa81a_664b_bc42_3001, 0xc24b_8b70_d0f8_9791, 0xc76c_51a3_0654_be30,
                0xd192_e819_d6ef_5218, 0xd699_0624_5565_a910, 0xf40e_3585_5771_202a, 0x106a_a070_32bb_d1b8)
            schedule.advance()
            rounds.sixteen(
                schedule,
                0x19a4_c116_b8d2_d0c8, 0x1e37_6c08_5141_ab53, 0x2748_774c_df8e_eb99, 0x34b0_bcb5_e19b_48a8,
                0x391c_0cb3_c5c9_5a63, 0x4ed8_aa4a_e341_8acb, 0x5b9c_ca4f_7763_e373, 0x682e_6ff3_d6b2_b8a3,
                0x748f_82ee_5def_b2fc, 0x78a5_636f_4317_2f60, 0x84c8_7814_a1f0_ab72, 0x8cc7_0208_1a64_39ec,
                0x90be_fffa_2363_1e28, 0xa450_6ceb_de82_bde9, 0xbef9_a3f7_b2c6_7915, 0xc671_78f2_e372_532b)
            schedule.advance()
            rounds.sixteen(
                schedule,
                0xca27_3ece_ea26_619c, 0xd186_b8c7_21c0_c207, 0xeada_7dd6_cde0_eb1e, 0xf57d_4f7f_ee6e_d178,
                0x06f0_67aa_7217_6fba, 0x0a63_7dc5_a2c8_98a6, 0x113f_9804_bef9_0dae, 0x1b71_0b35_131c_471b,
                0x28db_77f5_2304_7d84, 0x32ca_ab7b_40c7_2493, 0x3c9e_be0a_15c9_bebc, 0x431d_67c4_9c10_0d4c,
                0x4cc5_d4be_cb3e_42b6, 0x597f_299c_fc65_7e2a, 0x5fcb_6fab_3ad6_faec, 0x6c44_198c_4a47_5817)
            rounds.add(to: &chain)
            block += 128
        }
        words = chain
    }
}

/// A window of sixteen words on the message schedule W of the standard.
private struct Schedule {
    private(set) var w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15: UInt64

    /// Bound: `block` points at 128 readable bytes.
    @inline(__always)
    init(_ block: UnsafeRawPointer) {
        func word(_ index: Int) -> UInt64 { UInt64(bigEndian: block.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)) }
        w0 = word(0)
        w1 = word(1)
        w2 = word(2)
        w3 = word(3)
        w4 = word(4)
        w5 = word(5)
        w6 = word(6)
        w7 = word(7)
        w8 = word(8)
        w9 = word(9)
        w10 = word(10)
        w11 = word(11)
        w12 = word(12)
        w13 = word(13)
        w14 = word(14)
        w15 = word(15)
    }

    /// Moves the window on by sixteen words.
    @inline(__always)
    mutating func advance() {
        w0 &+= sigma0(w1) &+ w9 &+ sigma1(w14)
        w1 &+= sigma0(w2) &+ w10 &+ sigma1(w15)
        w2 &+= sigma0(w3) &+ w11 &+ sigma1(w0)
        w3 &+= sigma0(w4) &+ w12 &+ sigma1(w1)
        w4 &+= sigma0(w5) &+ w13 &+ sigma1(w2)
        w5 &+= sigma0(w6) &+ w14 &+ sigma1(w3)
        w6 &+= sigma0(w7) &+ w15 &+ sigma1(w4)
        w7 &+= sigma0(w8) &+ w0 &+ sigma1(w5)
        w8 &+= sigma0(w9) &+ w1 &+ sigma1(w6)
        w9 &+= sigma0(w10) &+ w2 &+ sigma1(w7)
        w10 &+= sigma0(w11) &+ w3 &+ sigma1(w8)
        w11 &+= sigma0(w12) &+ w4 &+ sigma1(w9)
        w12 &+= sigma0(w13) &+ w5 &+ sigma1(w10)
        w13 &+= sigma0(w14) &+ w6 &+ sigma1(w11)
        w14 &+= sigma0(w15) &+ w7 &+ sigma1(w12)
        w15 &+= sigma0(w0) &+ w8 &+ sigma1(w13)
    }

    @inline(__always)
    private func sigma0(_ x: UInt64) -> UInt64 { rotated(x, 1) ^ rotated(x, 8) ^ (x >> 7) }

    @inline(__always)
    private func sigma1(_ x: UInt64) -> UInt64 { rotated(x, 19) ^ rotated(x, 61) ^ (x >> 6) }
}

/// The eight working variables of the standard.
private struct Rounds {
    private var a, b, c, d, e, f, g, h: UInt64

    @inline(__always)
    init(_ chain: ChainingWords<UInt64>) {
        (a, b, c, d) = (chain.h0, chain.h1, chain.h2, chain.h3)
        (e, f, g, h) = (chain.h4, chain.h5, chain.h6, chain.h7)
    }

    /// One round; the renaming of the variables vanishes, because every call is inlined.
    @inline(__always)
    private mutating func round(_ constant: UInt64, _ word: UInt64) {
        let sum1 = rotated(e, 14) ^ rotated(e, 18) ^ rotated(e, 41)
        let choice = g ^ (e & (f ^ g))
        let sum0 = rotated(a, 28) ^ rotated(a, 34) ^ rotated(a, 39)
        let majority = b ^ ((a ^ b) & (b ^ c))
        let t1 = h &+ sum1 &+ choice &+ constant &+ word
        (h, g, f, e) = (g, f, e, d &+ t1)
        (d, c, b, a) = (c, b, a, t1 &+ sum0 &+ majority)
    }

    @inline(__always)
    mutating func sixteen(
        _ schedule: Schedule,
        _ k0: UInt64, _ k1: UInt64, _ k2: UInt64, _ k3: UInt64, _ k4: UInt64, _ k5: UInt64, _ k6: UInt64, _ k7: UInt64,
        _ k8: UInt64, _ k9: UInt64, _ k10: UInt64, _ k11: UInt64, _ k12: UInt64, _ k13: UInt64, _ k14: UInt64, _ k15: UInt64
    ) {
        round(k0, schedule.w0)
        round(k1, schedule.w1)
        round(k2, schedule.w2)
        round(k3, schedule.w3)
        round(k4, schedule.w4)
        round(k5, schedule.w5)
        round(k6, schedule.w6)
        round(k7, schedule.w7)
        round(k8, schedule.w8)
        round(k9, schedule.w9)
        round(k10, schedule.w10)
        round(k11, schedule.w11)
        round(k12, schedule.w12)
        round(k13, schedule.w13)
        round(k14, schedule.w14)
        round(k15, schedule.w15)
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

/// ROTR of the standard.
@inline(__always)
private func rotated(_ x: UInt64, _ count: UInt64) -> UInt64 { (x >> count) | (x << (64 - count)) }
