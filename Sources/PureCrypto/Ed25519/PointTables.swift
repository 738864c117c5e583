/// Odd multiples P, 3P, 5P, … of a point and of its multiples by 2³², 2⁶⁴, … 2²²⁴: a sum of eight digits for every
/// doubling.
struct OddMultiples: Sendable {
    /// Eight rows, one for every thirty-two bits of a scalar.
    let points: [AffinePoint]
    let rowLength: Int

    /// Bound: the digits of `FourWords.forEachSignedDigit(width:)` are below 2·rowLength for a width of 2 +
    /// log₂(rowLength).
    init(of point: EdwardsPoint, rowLength: Int) {
        var multiples: [EdwardsPoint] = []
        multiples.reserveCapacity(8 * rowLength)
        var power = point
        for row in 0..<8 {
            if row > 0 { power = power.doubled(times: 32) }
            let double = power.doubled().cached
            var multiple = power
            for _ in 0..<rowLength {
                multiples.append(multiple)
                multiple = (multiple + double).extended
            }
        }
        points = AffinePoint.normalizing(multiples)
        self.rowLength = rowLength
    }

    /// Those of the base point, with rows long enough for digits of eight bits; 48 KiB, made on first use.
    static let base = OddMultiples(of: .base, rowLength: 64)
}

/// The multiples 1 to 16 of B, 2¹⁰·B, 2²⁰·B, … 2²⁵⁰·B, from which signing chooses in constant time; 39 KiB, made on
/// first use.
enum BaseComb {
    static let points: [AffinePoint] = {
        var multiples: [EdwardsPoint] = []
        multiples.reserveCapacity(26 * 16)
        var power = EdwardsPoint.base
        for row in 0..<26 {
            if row > 0 { power = power.doubled(times: 10) }
            let step = power.cached
            var multiple = power
            for _ in 0..<16 {
                multiples.append(multiple)
                multiple = (multiple + step).extended
            }
        }
        return AffinePoint.normalizing(multiples)
    }()
}

extension AffinePoint {
    /// Divides public points by their Z with one inversion for all of them (Montgomery's trick).
    static func normalizing(_ points: [EdwardsPoint]) -> [AffinePoint] {
        // products[i] is Z₀·…·Zᵢ₋₁; going back, `inverse` is 1/(Z₀·…·Zᵢ).
        var products: [FieldElement] = []
        products.reserveCapacity(points.count)
        var product = FieldElement.one
        for point in points {
            products.append(product)
            product = product * point.z
        }
        var inverse = product.publiclyInverted()
        var affine = [AffinePoint](repeating: .identity, count: points.count)
        for index in points.indices.reversed() {
            let point = points[index]
            let zInverse = inverse * products[index]
            inverse = inverse * point.z
            let (x, y) = (point.x * zInverse, point.y * zInverse)
            affine[index] = AffinePoint(yPlusX: y + x, yMinusX: y - x, twoDXY: x * y * EdwardsPoint.twoD)
        }
        return affine
    }
}
