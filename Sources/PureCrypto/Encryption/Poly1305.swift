/// The one-time authenticator of RFC 8439 §2.5: a polynomial over the bytes of a message at a secret point, modulo
/// 2¹³⁰ − 5.
///
/// In limbs of 44, 44 and 42 bits, so that products of two fit 128 bits with room for the carries. No branch and no
/// index depends on the key or the message; its time depends on lengths only.
struct Poly1305 {
    private typealias Limbs = (UInt64, UInt64, UInt64)

    private static let mask44: UInt64 = 0xfff_ffff_ffff
    private static let mask42: UInt64 = 0x3ff_ffff_ffff

    /// The point, clamped.
    private let r: Limbs
    /// 20 r₁ and 20 r₂: what is beyond 2¹³⁰ comes back five times, and the limbs are four short of 132.
    private let s: (UInt64, UInt64)
    private let pad: (UInt64, UInt64)
    private var h: Limbs = (0, 0, 0)

    /// - Parameter key: 32 bytes that authenticate one message and no other.
    init(key: Span<UInt8>) {
        let (low, high) = (Self.word(key, at: 0), Self.word(key, at: 8))
        r = (
            low & 0xffc_0fff_ffff, (low >> 44 | high << 20) & 0xfff_ffc0_ffff, high >> 24 & 0x00f_ffff_fc0f
        )
        s = (r.1 * 20, r.2 * 20)
        pad = (Self.word(key, at: 16), Self.word(key, at: 24))
    }

    private static func word(_ bytes: Span<UInt8>, at index: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(bytes[index + $1]) << (8 * UInt64($1)) }
    }

    /// Absorbs bytes, filled up with zeros to whole blocks of sixteen (§2.8).
    mutating func absorbPadded(_ bytes: Span<UInt8>) {
        var index = 0
        while index + 16 <= bytes.count {
            absorb(Self.word(bytes, at: index), Self.word(bytes, at: index + 8))
            index += 16
        }
        guard index < bytes.count else { return }
        var (low, high): (UInt64, UInt64) = (0, 0)
        for place in 0..<(bytes.count - index) {
            let byte = UInt64(bytes[index + place])
            if place < 8 { low |= byte << (8 * UInt64(place)) } else { high |= byte << (8 * UInt64(place - 8)) }
        }
        absorb(low, high)
    }

    /// Absorbs a block of sixteen bytes.
    mutating func absorb(_ low: UInt64, _ high: UInt64) {
        // Limbs of `h` are below 2⁴⁵ and those of `r` below 2⁴⁴, times 20: three products stay below 2¹²⁸.
        h.0 &+= low & Self.mask44
        h.1 &+= (low >> 44 | high << 20) & Self.mask44
        h.2 &+= (high >> 24 & Self.mask42) | 1 << 40
        let (a, b, c) = (UInt128(h.0), UInt128(h.1), UInt128(h.2))
        var d0 = a &* UInt128(r.0) &+ b &* UInt128(s.1) &+ c &* UInt128(s.0)
        var d1 = a &* UInt128(r.1) &+ b &* UInt128(r.0) &+ c &* UInt128(s.1)
        var d2 = a &* UInt128(r.2) &+ b &* UInt128(r.1) &+ c &* UInt128(r.0)
        d1 &+= d0 >> 44
        d2 &+= d1 >> 44
        d0 = d0 & UInt128(Self.mask44) &+ (d2 >> 42) &* 5
        d2 &= UInt128(Self.mask42)
        h = (
            UInt64(truncatingIfNeeded: d0) & Self.mask44,
            UInt64(truncatingIfNeeded: d1) & Self.mask44 &+ UInt64(truncatingIfNeeded: d0 >> 44),
            UInt64(truncatingIfNeeded: d2)
        )
    }

    /// The tag of what was absorbed: sixteen bytes, as two words whose low bytes come first.
    func tag() -> (UInt64, UInt64) {
        var (h0, h1, h2) = h
        // Twice around, so that each limb is within its bits.
        for _ in 0..<2 {
            (h1, h0) = (h1 &+ h0 >> 44, h0 & Self.mask44)
            (h2, h1) = (h2 &+ h1 >> 44, h1 & Self.mask44)
            (h0, h2) = (h0 &+ (h2 >> 42) &* 5, h2 & Self.mask42)
        }
        (h1, h0) = (h1 &+ h0 >> 44, h0 & Self.mask44)
        // The number less the modulus; taken if it is not negative.
        var g0 = h0 &+ 5
        var g1 = h1 &+ g0 >> 44
        g0 &= Self.mask44
        let g2 = h2 &+ g1 >> 44 &- 1 << 42
        g1 &= Self.mask44
        let isTaken = (g2 >> 63) &- 1
        h0 = h0 & ~isTaken | g0 & isTaken
        h1 = h1 & ~isTaken | g1 & isTaken
        h2 = h2 & ~isTaken | g2 & isTaken
        let number = UInt128(h0) | UInt128(h1) << 44 | UInt128(h2) << 88
        let sum = number &+ (UInt128(pad.0) | UInt128(pad.1) << 64)
        return (UInt64(truncatingIfNeeded: sum), UInt64(truncatingIfNeeded: sum >> 64))
    }
}
