// Straight-line on purpose: every round has its constant as a literal, and the sixteen words of the message schedule are locals that the
// compiler keeps in registers and on the stack. The same rounds as a loop over a table of constants are about 8 % slower.

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

    mutating func absorb(_ blocks: UnsafeRawPointer, count: Int) {
        var chain = words
        var block = blocks
        for _ in 0..<count {
            var schedule = Schedule(block)
            var rounds = Rounds(chain)
            rounds.sixteen(
                schedule,
                0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5,
                0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
                0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
                0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174)
            schedule.advance()
            rounds.sixteen(
                schedule,
                0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc,
                0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
                0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
                0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967)
            schedule.advance()
            rounds.sixteen(
                schedule,
                0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
                0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
                0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3,
                0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070)
            schedule.advance()
            rounds.sixteen(
                schedule,
                0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5,
                0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
                0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
                0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2)
            rounds.add(to: &chain)
            block += 64
        }
        words = chain
    }
}

/// A window of sixteen words on the message schedule W of the standard.
private struct Schedule {
    private(set) var w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15: UInt32

    /// Bound: `block` points at 64 readable bytes.
    @inline(__always)
    init(_ block: UnsafeRawPointer) {
        func word(_ index: Int) -> UInt32 { UInt32(bigEndian: block.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)) }
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
    private func sigma0(_ x: UInt32) -> UInt32 { rotated(x, 7) ^ rotated(x, 18) ^ (x >> 3) }

    @inline(__always)
    private func sigma1(_ x: UInt32) -> UInt32 { rotated(x, 17) ^ rotated(x, 19) ^ (x >> 10) }
}

/// The eight working variables of the standard.
private struct Rounds {
    private var a, b, c, d, e, f, g, h: UInt32

    @inline(__always)
    init(_ chain: ChainingWords<UInt32>) {
        (a, b, c, d) = (chain.h0, chain.h1, chain.h2, chain.h3)
        (e, f, g, h) = (chain.h4, chain.h5, chain.h6, chain.h7)
    }

    /// One round; the renaming of the variables vanishes, because every call is inlined.
    @inline(__always)
    private mutating func round(_ constant: UInt32, _ word: UInt32) {
        let sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
        let choice = g ^ (e & (f ^ g))
        let sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
        let majority = b ^ ((a ^ b) & (b ^ c))
        let t1 = h &+ sum1 &+ choice &+ constant &+ word
        (h, g, f, e) = (g, f, e, d &+ t1)
        (d, c, b, a) = (c, b, a, t1 &+ sum0 &+ majority)
    }

    @inline(__always)
    mutating func sixteen(
        _ schedule: Schedule,
        _ k0: UInt32, _ k1: UInt32, _ k2: UInt32, _ k3: UInt32, _ k4: UInt32, _ k5: UInt32, _ k6: UInt32, _ k7: UInt32,
        _ k8: UInt32, _ k9: UInt32, _ k10: UInt32, _ k11: UInt32, _ k12: UInt32, _ k13: UInt32, _ k14: UInt32, _ k15: UInt32
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

/// ROTR of the standard.
@inline(__always)
private func rotated(_ x: UInt32, _ count: UInt32) -> UInt32 { (x >> count) | (x << (32 - count)) }
