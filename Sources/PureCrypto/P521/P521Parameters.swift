extension P521: PrimeCurve {
    typealias Hash = SHA512

    /// p = 2⁵²¹ − 1, which folds a product instead of dividing it: R is 1.
    enum Field: PrimeModulus {
        static var bitCount: Int { 521 }
        static var modulus: NineWords {
            NineWords(
                0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff,
                0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff,
                0x0000_0000_0000_01ff)
        }
        static var inverse: UInt64 { 0x0000_0000_0000_0001 }
        static var r: NineWords {
            NineWords(
                0x0000_0000_0000_0001, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000,
                0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000,
                0x0000_0000_0000_0000)
        }
        static var squareOfR: NineWords {
            NineWords(
                0x0000_0000_0000_0001, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000,
                0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000,
                0x0000_0000_0000_0000)
        }
    }

    /// n, the order of the base point.
    enum Order: PrimeModulus {
        static var bitCount: Int { 521 }
        static var modulus: NineWords {
            NineWords(
                0xbb6f_b71e_9138_6409, 0x3bb5_c9b8_899c_47ae, 0x7fcc_0148_f709_a5d0, 0x5186_8783_bf2f_966b,
                0xffff_ffff_ffff_fffa, 0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff,
                0x0000_0000_0000_01ff)
        }
        static var inverse: UInt64 { 0x1d2f_5ccd_79a9_95c7 }
        static var r: NineWords {
            NineWords(
                0xfb80_0000_0000_0000, 0x28a2_4824_70b7_63cd, 0x17e2_251b_23bb_31dc, 0xca40_19ff_5b84_7b2d,
                0x02d7_3cbc_3e20_6834, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000,
                0x0000_0000_0000_0000)
        }
        static var squareOfR: NineWords {
            NineWords(
                0x137c_d04d_cf15_dd04, 0xf707_badc_e554_7ea3, 0x12a7_8d38_7945_73ff, 0xd372_1ef5_57f7_5e06,
                0xdd6e_23d8_2e49_c7db, 0xcff3_d142_b775_6e3e, 0x5bcc_6d61_a8e5_67bc, 0x2d8e_03d1_492d_0d45,
                0x0000_0000_0000_003d)
        }
    }

    /// The b of SP 800-186, 3.2.1.5, times R.
    static var b: Residue<Field> {
        Residue(
            timesR: NineWords(
                0xef45_1fd4_6b50_3f00, 0x3573_df88_3d2c_34f1, 0x1652_c0bd_3bb1_bf07, 0x5619_3951_ec7e_937b,
                0xb8b4_8991_8ef1_09e1, 0xa2da_725b_99b3_15f3, 0x929a_21a0_b685_40ee, 0x953e_b961_8e1c_9a1f,
                0x0000_0000_0000_0051))
    }

    /// The G of SP 800-186, 3.2.1.5, times R.
    static var base: WeierstrassPoint<P521> {
        WeierstrassPoint(
            x: Residue(
                timesR: NineWords(
                    0xf97e_7e31_c2e5_bd66, 0x3348_b3c1_856a_429b, 0xfe1d_c127_a2ff_a8de, 0xa14b_5e77_efe7_5928,
                    0xf828_af60_6b4d_3dba, 0x9c64_8139_053f_b521, 0x9e3e_cb66_2395_b442, 0x858e_06b7_0404_e9cd,
                    0x0000_0000_0000_00c6)),
            y: Residue(
                timesR: NineWords(
                    0x88be_9476_9fd1_6650, 0x353c_7086_a272_c240, 0xc550_b901_3fad_0761, 0x97ee_7299_5ef4_2640,
                    0x17af_bd17_273e_662c, 0x98f5_4449_579b_4468, 0x5c8a_5fb4_2c7d_1bd9, 0x3929_6a78_9a3b_c004,
                    0x0000_0000_0000_0118)))
    }

    static let baseMultiples = WeierstrassPoint<P521>.oddMultiples(of: base, count: 32)

    static let baseComb = WeierstrassPoint<P521>.comb()

    static var rootExponent: NineWords {
        NineWords(
            0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000,
            0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000, 0x0000_0000_0000_0000,
            0x0000_0000_0000_0080)
    }
}

extension P521.Field {
    /// The bits from 2⁵²¹ on have the same value as those from 1 on.
    ///
    /// Bound: both factors are below p, so that both halves are at most p, and not both of them p; or one is 1, and the
    /// upper half is less than 2⁵⁵.
    @inline(__always)
    static func reduce(_ product: (low: NineWords, high: NineWords)) -> NineWords {
        let (low, high) = product
        let lower = NineWords(
            low.w0, low.w1, low.w2, low.w3, low.w4, low.w5, low.w6, low.w7, low.w8 & 0x1ff)
        let upper = NineWords(
            low.w8 &>> 9 | high.w0 &<< 55, high.w0 &>> 9 | high.w1 &<< 55, high.w1 &>> 9 | high.w2 &<< 55,
            high.w2 &>> 9 | high.w3 &<< 55, high.w3 &>> 9 | high.w4 &<< 55, high.w4 &>> 9 | high.w5 &<< 55,
            high.w5 &>> 9 | high.w6 &<< 55, high.w6 &>> 9 | high.w7 &<< 55, high.w7 &>> 9 | high.w8 &<< 55)
        let sum = lower.adding(upper).sum
        let (difference, negative) = sum.subtracting(modulus)
        return difference.replaced(by: sum, where: negative)
    }
}
