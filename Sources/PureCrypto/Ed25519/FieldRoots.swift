extension FieldElement {
    /// √−1, the one that is 2 to the power of (p − 1)/4.
    static var rootOfMinusOne: FieldElement {
        FieldElement(0xc4ee_1b27_4a0e_a0b0, 0x2f43_1806_ad2f_e478, 0x2b4d_0099_3dfb_d7a7, 0x2b83_2480_4fc1_df0b)
    }

    /// √(u/v) as RFC 8032, 5.1.3, computes it, or nil if there is none. Branches on the outcome: for public values only.
    static func squareRoot(of u: FieldElement, over v: FieldElement) -> FieldElement? {
        // r = u·v³·(u·v⁷)^((p − 5)/8) has v·r² = ±u or ±√−1·u.
        let v2 = v.squared()
        let uv3 = u * v2 * v
        let root = uv3 * (uv3 * v2.squared()).raisedForRoot
        let square = v * root.squared()
        if square == u { return root }
        return square == -u ? root * rootOfMinusOne : nil
    }

    /// Itself raised to (p − 5)/8 = 2²⁵² − 3.
    private var raisedForRoot: FieldElement {
        let x2 = squared()
        let x9 = x2.squared(times: 2) * self
        let x11 = x2 * x9
        // From here on, powerN is the power 2ᴺ − 1.
        let power5 = x11.squared() * x9
        let power10 = power5.squared(times: 5) * power5
        let power20 = power10.squared(times: 10) * power10
        let power40 = power20.squared(times: 20) * power20
        let power50 = power40.squared(times: 10) * power10
        let power100 = power50.squared(times: 50) * power50
        let power200 = power100.squared(times: 100) * power100
        let power250 = power200.squared(times: 50) * power50
        return power250.squared(times: 2) * self
    }
}
