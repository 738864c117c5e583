extension P384: PrimeCurve {
    typealias Hash = SHA384

    /// p = 2³⁸⁴ − 2¹²⁸ − 2⁹⁶ + 2³² − 1.
    enum Field: PrimeModulus {
        static var bitCount: Int { 384 }
        static var modulus: SixWords {
            SixWords(
                0x0000_0000_ffff_ffff, 0xffff_ffff_0000_0000, 0xffff_ffff_ffff_fffe, 0xffff_ffff_ffff_ffff,
                0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff)
        }
        static var inverse: UInt64 { 0x0000_0001_0000_0001 }
        static var r: SixWords {
            SixWords(
                0xffff_ffff_0000_0001, 0x0000_0000_ffff_ffff, 0x0000_0000_0000_0001, 0x0000_0000_0000_0000,
                0x0000_0000_0000_0000, 0x0000_0000_0000_0000)
        }
        static var squareOfR: SixWords {
            SixWords(
                0xffff_fffe_0000_0001, 0x0000_0002_0000_0000, 0xffff_fffe_0000_0000, 0x0000_0002_0000_0000,
                0x0000_0000_0000_0001, 0x0000_0000_0000_0000)
        }
    }

    /// n, the order of the base point.
    enum Order: PrimeModulus {
        static var bitCount: Int { 384 }
        static var modulus: SixWords {
            SixWords(
                0xecec_196a_ccc5_2973, 0x581a_0db2_48b0_a77a, 0xc763_4d81_f437_2ddf, 0xffff_ffff_ffff_ffff,
                0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff)
        }
        static var inverse: UInt64 { 0x6ed4_6089_e88f_dc45 }
        static var r: SixWords {
            SixWords(
                0x1313_e695_333a_d68d, 0xa7e5_f24d_b74f_5885, 0x389c_b27e_0bc8_d220, 0x0000_0000_0000_0000,
                0x0000_0000_0000_0000, 0x0000_0000_0000_0000)
        }
        static var squareOfR: SixWords {
            SixWords(
                0x2d31_9b24_19b4_09a9, 0xff3d_81e5_df1a_a419, 0xbc3e_483a_fcb8_2947, 0xd40d_4917_4aab_1cc5,
                0x3fb0_5b7a_2826_6895, 0x0c84_ee01_2b39_bf21)
        }
    }

    /// The b of SP 800-186, 3.2.1.4, times R.
    static var b: Residue<Field> {
        Residue(
            timesR: SixWords(
                0x0811_8871_9d41_2dcc, 0xf729_add8_7a4c_32ec, 0x77f2_209b_1920_022e, 0xe337_4bee_9493_8ae2,
                0xb62b_21f4_1f02_2094, 0xcd08_114b_604f_bff9))
    }

    /// The G of SP 800-186, 3.2.1.4, times R.
    static var base: WeierstrassPoint<P384> {
        WeierstrassPoint(
            x: Residue(
                timesR: SixWords(
                    0x3dd0_7566_49c0_b528, 0x20e3_78e2_a0d6_ce38, 0x879c_3afc_541b_4d6e, 0x6454_8684_59a3_0eff,
                    0x812f_f723_614e_de2b, 0x4d3a_adc2_299e_1513)),
            y: Residue(
                timesR: SixWords(
                    0x2304_3dad_4b03_a4fe, 0xa1bf_a8bf_7bb4_a9ac, 0x8bad_e756_2e83_b050, 0xc6c3_5219_68f4_ffd9,
                    0xdd80_0226_3969_a840, 0x2b78_abc2_5a15_c5e9)))
    }

    static let baseMultiples = WeierstrassPoint<P384>.oddMultiples(of: base, count: 32)

    static let baseComb = WeierstrassPoint<P384>.comb()

    static var rootExponent: SixWords {
        SixWords(
            0x0000_0000_4000_0000, 0xbfff_ffff_c000_0000, 0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff,
            0xffff_ffff_ffff_ffff, 0x3fff_ffff_ffff_ffff)
    }
}
