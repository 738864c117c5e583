extension P256.FieldElement: InversionModulus {
    static var signed62: Signed62 {
        Signed62(0x3fff_ffff_ffff_ffff, 0x0000_0003_ffff_ffff, 0, 0x3fff_ffc0_0000_0040, 0xff)
    }

    /// −1, because p ends with 96 ones.
    static var inverse62: Int64 { 0x3fff_ffff_ffff_ffff }

    /// 1/x, and 0 for 0, in constant time.
    @inline(never)
    func inverted() -> Self { Self(inverse: ModularInversion<Self>.inverse(of: words)) }

    /// 1/x, and 0 for 0, in a time that depends on x: for public values only.
    @inline(never)
    func publiclyInverted() -> Self { Self(inverse: ModularInversion<Self>.publicInverse(of: words)) }

    /// Takes the number 1/(x·2²⁵⁶), which wants a factor of 2⁵¹² to become Montgomery's form of 1/x.
    private init(inverse: FourWords) {
        // 2⁷⁶⁸ modulo p.
        let cube = Self(0xffff_fffd_0000_000a, 0xffff_ffed_ffff_fff7, 0x0000_0005_ffff_fffc, 0x0000_0018_0000_0001)
        self = Self(montgomery: inverse) * cube
    }

    /// A square root, or nil where the element is no square: since p is 3 modulo 4, it is the power by (p + 1)/4 =
    /// 2²⁵⁴ − 2²²² + 2¹⁹⁰ + 2⁹⁴.
    func squareRoot() -> Self? {
        let x2 = squared() * self
        let x4 = x2.squared(times: 2) * x2
        let x8 = x4.squared(times: 4) * x4
        let x16 = x8.squared(times: 8) * x8
        // The power by 2³² − 1; then those by 2⁶⁴ − 2³² + 1, 2¹⁶⁰ − 2¹²⁸ + 2⁹⁶ + 1, and all of it.
        let x32 = x16.squared(times: 16) * x16
        let root = ((x32.squared(times: 32) * self).squared(times: 96) * self).squared(times: 94)
        return root.squared() == self ? root : nil
    }
}
