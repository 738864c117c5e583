extension P256 {
    /// A point of the curve y² = x³ − 3x + b other than the one at infinity.
    struct AffinePoint: Equatable, Sendable, BitwiseCopyable {
        var x, y: FieldElement

        /// G of SP 800-186, 3.2.1.3.
        static var base: AffinePoint {
            AffinePoint(
                x: FieldElement(
                    0x79e7_30d4_18a9_143c, 0x75ba_95fc_5fed_b601, 0x79fb_732b_7762_2510, 0x1890_5f76_a537_55c6),
                y: FieldElement(
                    0xddf2_5357_ce95_560a, 0x8b4a_b8e4_ba19_e45c, 0xd2e8_8688_dd21_f325, 0x8571_ff18_2588_5d85))
        }

        private static var b: FieldElement {
            FieldElement(0xd89c_df62_29c4_bddf, 0xacf0_05cd_7884_3090, 0xe5a2_20ab_f721_2ed6, 0xdc30_061d_0487_4834)
        }

        /// The square of the y coordinate that belongs to x, if any does: x³ − 3x + b.
        static func ySquared(_ x: FieldElement) -> FieldElement {
            x.squared() * x - (x + x + x) + b
        }

        var isOnCurve: Bool { y.squared() == AffinePoint.ySquared(x) }
    }

    /// A point in Jacobian coordinates, x = X/Z² and y = Y/Z³, of which nothing is secret: additions branch on the
    /// cases that their formulas leave out.
    ///
    /// Z is zero at infinity, and only there.
    struct PublicPoint: BitwiseCopyable {
        var x, y, z: PublicElement

        static var infinity: PublicPoint { PublicPoint(x: .one, y: .one, z: .zero) }
    }

    /// A point prepared for being added often: with Z² and Z³.
    struct CachedPoint: BitwiseCopyable {
        var x, y, z, zz, zzz: PublicElement
    }
}

extension P256.PublicPoint {
    init(_ point: P256.AffinePoint) {
        self.init(x: P256.PublicElement(point.x), y: P256.PublicElement(point.y), z: .one)
    }

    var cached: P256.CachedPoint {
        let zz = z.squared()
        return P256.CachedPoint(x: x, y: y, z: z, zz: zz, zzz: zz * z)
    }

    /// Twice the point; no point but that at infinity is its own opposite, since the group's order is odd.
    ///
    /// With S = 4XY² and M = 3(X² − Z⁴) it is X′ = M² − 2S, Y′ = M(S − X′) − 8Y⁴, Z′ = 2YZ. Here and below the products
    /// are so ordered that most of them need not wait for the one before.
    @inline(__always)
    func doubled() -> P256.PublicPoint {
        let zz = z.squared()
        let twoY = y + y
        let fourYY = twoY.squared()
        let newZ = twoY * z
        let product = (x + zz) * (x - zz)
        let s = fourYY * x
        let m = product + product + product
        let mm = m.squared()
        let newX = mm - (s + s)
        return P256.PublicPoint(
            x: newX, y: .difference(m, s - newX, minus: fourYY, fourYY.halved()), z: newZ)
    }

    /// 2ⁿ times the point.
    func doubled(times n: Int) -> P256.PublicPoint {
        var point = self
        for _ in 0..<n { point = point.doubled() }
        return point
    }

    /// The sum with a point, or with its opposite.
    @inline(__always)
    func adding(_ point: P256.AffinePoint, negated: Bool) -> P256.PublicPoint {
        let (pointX, plainY) = (P256.PublicElement(point.x), P256.PublicElement(point.y))
        let pointY = negated ? -plainY : plainY
        if z.isZero { return P256.PublicPoint(x: pointX, y: pointY, z: .one) }
        let zz = z.squared()
        let zzz = zz * z
        let h = pointX * zz - x
        let r = pointY * zzz - y
        if h.isZero { return r.isZero ? doubled() : .infinity }
        return sum(h, r, x, y, z)
    }

    /// The sum with a point, or with its opposite.
    ///
    /// Bound: the point is not that at infinity.
    @inline(__always)
    func adding(_ point: P256.CachedPoint, negated: Bool) -> P256.PublicPoint {
        let pointY = negated ? -point.y : point.y
        if z.isZero { return P256.PublicPoint(x: point.x, y: pointY, z: point.z) }
        let zz = z.squared()
        let scaledX = x * point.zz
        let zzz = zz * z
        let h = point.x * zz - scaledX
        let scaledY = y * point.zzz
        let r = pointY * zzz - scaledY
        if h.isZero { return r.isZero ? doubled() : .infinity }
        return sum(h, r, scaledX, scaledY, z * point.z)
    }

    /// The end of every addition.
    ///
    /// Brought to the common denominators Z² and Z³, H is the difference of the x coordinates and R that of the y
    /// coordinates; X and Y are those of this point.
    @inline(__always)
    private func sum(
        _ h: P256.PublicElement, _ r: P256.PublicElement, _ x: P256.PublicElement, _ y: P256.PublicElement,
        _ z: P256.PublicElement
    ) -> P256.PublicPoint {
        let hh = h.squared()
        let rr = r.squared()
        let newZ = z * h
        let hhh = hh * h
        let v = x * hh
        let newX = rr - hhh - (v + v)
        return P256.PublicPoint(x: newX, y: .difference(r, v - newX, minus: y, hhh), z: newZ)
    }
}
