/// A point in Jacobian coordinates, x = X/Z² and y = Y/Z³, of which nothing is secret: additions branch on the cases
/// that their formulas leave out.
///
/// Z is zero at infinity, and only there.
struct PublicPoint<Curve: PrimeCurve>: BitwiseCopyable {
    typealias Element = Residue<Curve.Field>

    var x, y, z: Element

    static var infinity: Self { Self(x: .one, y: .one, z: .zero) }

    init(x: Element, y: Element, z: Element) {
        (self.x, self.y, self.z) = (x, y, z)
    }

    init(_ point: WeierstrassPoint<Curve>) {
        self.init(x: point.x, y: point.y, z: .one)
    }

    var isInfinity: Bool { z.words.isZeroMask != 0 }

    /// Twice the point; no point but that at infinity is its own opposite, since the group's order is odd.
    ///
    /// With S = 4XY² and M = 3(X² − Z⁴) it is X′ = M² − 2S, Y′ = M(S − X′) − 8Y⁴, Z′ = 2YZ.
    func doubled() -> Self {
        let (twoY, zz) = (y + y, z.squared())
        let (yy, fourYY) = (y.squared(), twoY.squared())
        let product = (x + zz) * (x - zz)
        let m = product + product + product
        let s = fourYY * x
        let twoYFour = yy * fourYY
        let newX = m.squared() - (s + s)
        return Self(x: newX, y: m * (s - newX) - (twoYFour + twoYFour), z: twoY * z)
    }

    /// 2ⁿ times the point.
    func doubled(times n: Int) -> Self {
        var point = self
        for _ in 0..<n { point = point.doubled() }
        return point
    }

    /// The sum with a point, or with its opposite.
    func adding(_ point: WeierstrassPoint<Curve>, negated: Bool = false) -> Self {
        let pointY = negated ? -point.y : point.y
        if isInfinity { return Self(x: point.x, y: pointY, z: .one) }
        let zz = z.squared()
        return sum(point.x * zz - x, pointY * (zz * z) - y, x, y, z)
    }

    /// The sum with a point, or with its opposite.
    func adding(_ point: Self, negated: Bool = false) -> Self {
        let pointY = negated ? -point.y : point.y
        if isInfinity { return Self(x: point.x, y: pointY, z: point.z) }
        if point.isInfinity { return self }
        let (zz, otherZZ) = (z.squared(), point.z.squared())
        let (scaledX, scaledY) = (x * otherZZ, y * (otherZZ * point.z))
        return sum(point.x * zz - scaledX, pointY * (zz * z) - scaledY, scaledX, scaledY, z * point.z)
    }

    /// The end of every addition.
    ///
    /// Brought to the common denominators Z² and Z³, H is the difference of the x coordinates and R that of the y
    /// coordinates; X and Y are those of this point.
    private func sum(_ h: Element, _ r: Element, _ x: Element, _ y: Element, _ z: Element) -> Self {
        if h.words.isZeroMask != 0 { return r.words.isZeroMask != 0 ? doubled() : .infinity }
        let hh = h.squared()
        let (hhh, v) = (hh * h, x * hh)
        let newX = r.squared() - hhh - (v + v)
        return Self(x: newX, y: r * (v - newX) - y * hhh, z: z * h)
    }
}

// MARK: - Tables

extension WeierstrassPoint {
    /// P, 3P, 5P, … of a public point.
    static func oddMultiples(of point: WeierstrassPoint, count: Int) -> [WeierstrassPoint] {
        let double = PublicPoint(point).doubled()
        var multiples = [PublicPoint(point)]
        for _ in 1..<count { multiples.append(multiples[multiples.count - 1].adding(double)) }
        return normalizing(multiples)
    }

    /// The multiples 1 to 8 of G, 2³²·G, 2⁶⁴·G, …, as many rows as the digits of a scalar need.
    static func comb() -> [WeierstrassPoint] {
        var multiples: [PublicPoint<Curve>] = []
        var power = PublicPoint(Curve.base)
        for row in 0..<WeierstrassComb<Curve>.rowCount {
            if row > 0 { power = power.doubled(times: 32) }
            var multiple = power
            for _ in 0..<8 {
                multiples.append(multiple)
                multiple = multiple.adding(power)
            }
        }
        return normalizing(multiples)
    }

    /// Divides public points by their Z with one inversion for all of them (Montgomery's trick).
    ///
    /// Bound: none of the points is that at infinity.
    private static func normalizing(_ points: [PublicPoint<Curve>]) -> [WeierstrassPoint] {
        // products[i] is Z₀·…·Zᵢ₋₁; going back, `inverse` is 1/(Z₀·…·Zᵢ).
        var products: [Residue<Curve.Field>] = []
        var product = Residue<Curve.Field>.one
        for point in points {
            products.append(product)
            product = product * point.z
        }
        var inverse = product.inverted()
        var affine = [WeierstrassPoint](repeating: Curve.base, count: points.count)
        for index in points.indices.reversed() {
            let point = points[index]
            let zInverse = inverse * products[index]
            inverse = inverse * point.z
            let square = zInverse.squared()
            affine[index] = WeierstrassPoint(x: point.x * square, y: point.y * (square * zInverse))
        }
        return affine
    }
}
