/// A point of the curve −x² + y² = 1 + d·x²·y² in extended coordinates: x = X/Z, y = Y/Z, T = X·Y/Z.
///
/// −1 is a square modulo p and d is not, so the addition law below has no exceptions: Z is never zero and every pair of
/// points of the curve may be added, equal, opposite and of small order included (Hisil, Wong, Carter, Dawson, "Twisted
/// Edwards Curves Revisited", 2008, with a = −1).
struct EdwardsPoint: Sendable {
    var x, y, z, t: FieldElement

    static var identity: EdwardsPoint { EdwardsPoint(x: .zero, y: .one, z: .one, t: .zero) }

    /// B of RFC 8032, 5.1: the point of order L with y = 4/5 and even x.
    static var base: EdwardsPoint {
        EdwardsPoint(
            x: FieldElement(0xc956_2d60_8f25_d51a, 0x692c_c760_9525_a7b2, 0xc0a4_e231_fdd6_dc5c, 0x2169_36d3_cd6e_53fe),
            y: FieldElement(0x6666_6666_6666_6658, 0x6666_6666_6666_6666, 0x6666_6666_6666_6666, 0x6666_6666_6666_6666),
            z: .one,
            t: FieldElement(0x6dde_8ab3_a5b7_dda3, 0x20f0_9f80_7751_52f5, 0x66ea_4e8e_64ab_e37d, 0x6787_5f0f_d78b_7665))
    }

    /// d = −121665/121666.
    static var d: FieldElement {
        FieldElement(0x75eb_4dca_1359_78a3, 0x0070_0a4d_4141_d8ab, 0x8cc7_4079_7779_e898, 0x5203_6cee_2b6f_fe73)
    }

    static var twoD: FieldElement {
        FieldElement(0xebd6_9b94_26b2_f159, 0x00e0_149a_8283_b156, 0x198e_80f2_eef3_d130, 0x2406_d9dc_56df_fce7)
    }

    /// Whether eight times the point is the identity: x·y = 0 holds for the orders 1, 2 and 4, and x² + y² = 0 for
    /// order 8, where the double has y = 0.
    ///
    /// Both equations are homogeneous, so Z does not matter.
    var hasSmallOrder: Bool {
        x.isZero || y.isZero || (x.squared() + y.squared()).isZero
    }

    var isIdentity: Bool { x.isZero && y == z }

    var projective: ProjectivePoint { ProjectivePoint(x: x, y: y, z: z) }

    var cached: CachedPoint { CachedPoint(yPlusX: y + x, yMinusX: y - x, twoZ: z + z, twoDT: t * EdwardsPoint.twoD) }

    static prefix func - (point: EdwardsPoint) -> EdwardsPoint {
        EdwardsPoint(x: -point.x, y: point.y, z: point.z, t: -point.t)
    }

    func doubled() -> EdwardsPoint { projective.doubled().extended }

    /// 2ⁿ times the point, for n of at least one.
    func doubled(times n: Int) -> EdwardsPoint {
        var point = projective
        for _ in 1..<n { point = point.doubled().projective }
        return point.doubled().extended
    }
}

// MARK: - Addition

/// A point without T, which a doubling does not need.
struct ProjectivePoint {
    var x, y, z: FieldElement

    static var identity: ProjectivePoint { ProjectivePoint(x: .zero, y: .one, z: .one) }

    @inline(__always)
    func doubled() -> CompletedPoint {
        let (xx, yy, zz, square) = (x.squared(), y.squared(), z.squared(), (x + y).squared())
        let (h, g) = (yy + xx, yy - xx)
        return CompletedPoint(e: square - h, h: h, g: g, f: zz + zz - g)
    }
}

/// The result of an addition before its last products: x = E/G, y = H/F.
///
/// What is needed next decides how many of them are done.
struct CompletedPoint {
    var e, h, g, f: FieldElement

    @inline(__always)
    var projective: ProjectivePoint { ProjectivePoint(x: e * f, y: h * g, z: g * f) }

    @inline(__always)
    var extended: EdwardsPoint { EdwardsPoint(x: e * f, y: h * g, z: g * f, t: e * h) }
}

/// A point prepared for being added: Y + X, Y − X, 2Z, 2d·T.
struct CachedPoint: Sendable {
    var yPlusX, yMinusX, twoZ, twoDT: FieldElement
}

/// A point prepared for being added, with Z = 1: y + x, y − x, 2d·x·y.
struct AffinePoint: Sendable {
    var yPlusX, yMinusX, twoDXY: FieldElement

    static var identity: AffinePoint { AffinePoint(yPlusX: .one, yMinusX: .one, twoDXY: .zero) }
}

extension EdwardsPoint {
    static func + (p: EdwardsPoint, q: EdwardsPoint) -> EdwardsPoint { (p + q.cached).extended }

    @inline(__always)
    static func + (p: EdwardsPoint, q: CachedPoint) -> CompletedPoint {
        let (a, b) = ((p.y - p.x) * q.yMinusX, (p.y + p.x) * q.yPlusX)
        let (c, d) = (p.t * q.twoDT, p.z * q.twoZ)
        return CompletedPoint(e: b - a, h: b + a, g: d + c, f: d - c)
    }

    /// The negative of a point exchanges y + x with y − x and negates T.
    @inline(__always)
    static func - (p: EdwardsPoint, q: CachedPoint) -> CompletedPoint {
        let (a, b) = ((p.y - p.x) * q.yPlusX, (p.y + p.x) * q.yMinusX)
        let (c, d) = (p.t * q.twoDT, p.z * q.twoZ)
        return CompletedPoint(e: b - a, h: b + a, g: d - c, f: d + c)
    }

    @inline(__always)
    static func + (p: EdwardsPoint, q: AffinePoint) -> CompletedPoint {
        let (a, b) = ((p.y - p.x) * q.yMinusX, (p.y + p.x) * q.yPlusX)
        let (c, d) = (p.t * q.twoDXY, p.z + p.z)
        return CompletedPoint(e: b - a, h: b + a, g: d + c, f: d - c)
    }

    @inline(__always)
    static func - (p: EdwardsPoint, q: AffinePoint) -> CompletedPoint {
        let (a, b) = ((p.y - p.x) * q.yPlusX, (p.y + p.x) * q.yMinusX)
        let (c, d) = (p.t * q.twoDXY, p.z + p.z)
        return CompletedPoint(e: b - a, h: b + a, g: d - c, f: d + c)
    }
}
