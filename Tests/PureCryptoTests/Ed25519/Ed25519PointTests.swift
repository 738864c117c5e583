import TestSupport
import Testing

@testable import PureCrypto

@Suite("RFC 8032, 5.1: points of the curve", .proves("RFC8032-5.1"))
struct Ed25519PointTests {
    @Test("multiplies the base point like big integers")
    func baseMultiples() throws {
        for line in try VectorLines("Ed25519/base-multiples.txt") {
            let scalar = Scalar(reducing: line.words(0), .zero)
            #expect(scalar.words == line.words(0))
            #expect(EdwardsPoint.baseMultiple(scalar).normalized().encoding == line.words(1), "line \(line.number)")
        }
    }

    @Test("adds and doubles points of every order like big integers")
    func sums() throws {
        for line in try VectorLines("Ed25519/point-sums.txt") {
            let (p, q) = (try EdwardsPoint(decoding: line.words(0)), try EdwardsPoint(decoding: line.words(1)))
            #expect(
                (p + q).normalized().encoding == line.words(2) && (q + p).normalized().encoding == line.words(2),
                "line \(line.number)")
            #expect(
                p.doubled().normalized().encoding == line.words(3) && (p + p).normalized().encoding == line.words(3),
                "line \(line.number)")
            #expect(
                (p - q.cached).extended.normalized().encoding == (p + -q).normalized().encoding, "line \(line.number)")
            let areOpposite = line.words(2) == EdwardsPoint.identity.encoding
            #expect(
                (p + -p).isIdentity && (p - p.cached).extended.isIdentity && (p + q).isIdentity == areOpposite,
                "line \(line.number)")
            let affine = AffinePoint.normalizing([p + q, q.doubled(), q])
            #expect((p + affine[2]).extended.normalized().encoding == line.words(2), "line \(line.number)")
            #expect(
                (p - affine[2]).extended.normalized().encoding == (p + -q).normalized().encoding, "line \(line.number)")
        }
    }

    @Test("has the base point of the standard, of order L")
    func base() throws {
        let encoding = EdwardsPoint.base.encoding
        #expect(encoding.bytes == [0x58] + [UInt8](repeating: 0x66, count: 31))
        let decoded = try EdwardsPoint(decoding: encoding)
        #expect(decoded.x == EdwardsPoint.base.x && decoded.t == EdwardsPoint.base.t)

        // [L − 1]B + B by doubling and adding, without a table.
        var multiple = EdwardsPoint.identity
        for place in (0..<256).reversed() {
            multiple = multiple.doubled()
            let order = Scalar.order
            let word = [order.w0, order.w1, order.w2, order.w3][place / 64]
            if word >> UInt64(place % 64) & 1 == 1 { multiple = multiple + EdwardsPoint.base }
        }
        #expect(multiple.isIdentity && !EdwardsPoint.base.hasSmallOrder)
    }

    @Test("has tables that hold what they say")
    func tables() {
        let multiples = OddMultiples(of: .base, rowLength: 8)
        #expect(multiples.points.count == 64 && OddMultiples.base.points.count == 512 && BaseComb.points.count == 416)
        var power = EdwardsPoint.base
        for row in 0..<8 {
            for (index, factor) in [(0, 1), (3, 7), (7, 15)] {
                let expected = (1..<factor).reduce(power) { sum, _ in sum + power }
                #expect((EdwardsPoint.identity + multiples.points[row * 8 + index]).extended.isSame(as: expected))
                #expect(
                    (EdwardsPoint.identity + OddMultiples.base.points[row * 64 + index]).extended.isSame(as: expected))
            }
            power = power.doubled(times: 32)
        }

        power = .base
        for row in 0..<26 {
            for factor in [1, 7, 16] {
                let expected = (1..<factor).reduce(power) { sum, _ in sum + power }
                let point = BaseComb.points[row * 16 + factor - 1]
                #expect((EdwardsPoint.identity + point).extended.isSame(as: expected), "row \(row)")
            }
            power = power.doubled(times: 10)
        }
    }

    @Test("knows the eight points of small order and no others", .proves("threat-7"))
    func smallOrder() throws {
        for line in try VectorLines("Ed25519/public-keys.txt")
        where line.fields[1] == "smallOrder" || line.fields[1] == "accept" {
            let point = try EdwardsPoint(decoding: line.words(2))
            #expect(point.hasSmallOrder == (line.fields[1] == "smallOrder"), "\(line.fields[0])")
            #expect(point.hasSmallOrder == point.doubled(times: 3).isIdentity, "\(line.fields[0])")
        }
    }
}

extension EdwardsPoint {
    fileprivate func isSame(as other: EdwardsPoint) -> Bool { (self + -other).isIdentity }
}
