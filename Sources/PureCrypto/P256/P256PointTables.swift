extension P256 {
    /// Odd multiples P, 3P, 5P, … of a public point and, where there is more than one row, of its multiples by 2³²,
    /// 2⁶⁴, … 2²²⁴: a sum of eight digits for every doubling.
    struct OddMultiples: Sendable {
        /// The rows, one for every thirty-two bits of a scalar.
        let points: [AffinePoint]
        let rowLength: Int

        /// Bound: the digits of `FourWords.forEachSignedDigit(width:)` are below 2·rowLength for a width of 2 +
        /// log₂(rowLength).
        init(of point: AffinePoint, rows: Int = 8, rowLength: Int) {
            var multiples: [PublicPoint] = []
            multiples.reserveCapacity(rows * rowLength)
            var power = PublicPoint(point)
            for row in 0..<rows {
                if row > 0 { power = power.doubled(times: 32) }
                let double = power.doubled().cached
                var multiple = power
                for _ in 0..<rowLength {
                    multiples.append(multiple)
                    multiple = multiple.adding(double, negated: false)
                }
            }
            points = AffinePoint.normalizing(multiples)
            self.rowLength = rowLength
        }

        /// The length of the rows of a public key, and the width of the digits that it serves: 8 KiB for a key.
        static var keyRowLength: Int { 16 }
        static var keyWidth: UInt64 { 6 }

        /// Those of the base point, with rows long enough for digits of eight bits; 32 KiB, made on first use.
        static let base = OddMultiples(of: .base, rowLength: 64)

        /// Those of the base point alone, for digits of ten bits: 16 KiB, made on first use.
        static let wideBase = OddMultiples(of: .base, rows: 1, rowLength: 256)
    }

    /// The multiples 1 to 16 of G, 2⁵·G, 2¹⁰·G, … 2²⁵⁵·G, from which signing chooses in constant time; 52 KiB, made on
    /// first use.
    enum BaseComb {
        static let points: [AffinePoint] = {
            var multiples: [PublicPoint] = []
            multiples.reserveCapacity(52 * 16)
            var power = PublicPoint(.base)
            for row in 0..<52 {
                if row > 0 { power = power.doubled(times: 5) }
                let step = power.cached
                var multiple = power
                for _ in 0..<16 {
                    multiples.append(multiple)
                    multiple = multiple.adding(step, negated: false)
                }
            }
            return AffinePoint.normalizing(multiples)
        }()
    }
}

extension P256.AffinePoint {
    /// Divides public points by their Z with one inversion for all of them (Montgomery's trick).
    ///
    /// Bound: none of the points is that at infinity.
    static func normalizing(_ points: [P256.PublicPoint]) -> [P256.AffinePoint] {
        // products[i] is Z₀·…·Zᵢ₋₁; going back, `inverse` is 1/(Z₀·…·Zᵢ).
        var products: [P256.PublicElement] = []
        products.reserveCapacity(points.count)
        var product = P256.PublicElement.one
        for point in points {
            products.append(product)
            product = product * point.z
        }
        var inverse = product.inverted()
        var affine = [P256.AffinePoint](repeating: .base, count: points.count)
        for index in points.indices.reversed() {
            let point = points[index]
            let zInverse = inverse * products[index]
            inverse = inverse * point.z
            let square = zInverse.squared()
            affine[index] = P256.AffinePoint(
                x: (point.x * square).canonical, y: (point.y * (square * zInverse)).canonical)
        }
        return affine
    }
}
