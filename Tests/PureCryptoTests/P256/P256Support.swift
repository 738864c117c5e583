import TestSupport

@testable import PureCrypto

extension VectorLines.Line {
    /// A number of 32 bytes, the most significant first.
    func number(_ index: Int) -> FourWords { FourWords(bigEndian: bytes(index).span) }

    /// A point 04 ‖ X ‖ Y, or 00 for the one at infinity.
    func point(_ index: Int) -> P256.PublicPoint {
        let bytes = bytes(index)
        if bytes == [0] { return .infinity }
        return P256.PublicPoint(
            P256.AffinePoint(
                x: P256.FieldElement(reduced: FourWords(bigEndian: bytes.span, at: 1)),
                y: P256.FieldElement(reduced: FourWords(bigEndian: bytes.span, at: 33))))
    }
}

extension P256.FieldElement {
    var isZero: Bool { self == .zero }

    /// x/2 as a product with 1/2, which is (p + 1)/2.
    func halved() -> Self {
        let half = FourWords(0, 0x8000_0000, 0x8000_0000_0000_0000, 0x7fff_ffff_8000_0000)
        return self * P256.FieldElement(reduced: half)
    }
}

extension P256.PublicPoint {
    /// Compares the points and not their coordinates.
    func isSame(as other: P256.PublicPoint) -> Bool {
        if z.isZero || other.z.isZero { return z.isZero && other.z.isZero }
        let (zz, otherZZ) = (z.squared(), other.z.squared())
        return (x * otherZZ - other.x * zz).isZero && (y * (otherZZ * other.z) - other.y * (zz * z)).isZero
    }

    /// The same point with another Z.
    func scaled(by factor: P256.FieldElement) -> P256.PublicPoint {
        let factor = P256.PublicElement(factor)
        let square = factor.squared()
        return P256.PublicPoint(x: x * square, y: y * (square * factor), z: z * factor)
    }

    /// By a double-and-add without tables.
    func multiplied(by number: FourWords) -> P256.PublicPoint {
        var multiple = P256.PublicPoint.infinity
        for place in (0..<256).reversed() {
            multiple = multiple.doubled()
            let word = [number.w0, number.w1, number.w2, number.w3][place / 64]
            if word >> UInt64(place % 64) & 1 == 1 { multiple = multiple.adding(cached, negated: false) }
        }
        return multiple
    }
}

/// A generator of zeros: the worst there is.
struct ZeroGenerator: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0 }
}
