import TestSupport
import Testing

@testable import PureCrypto

@Suite("P-256: points of the curve", .proves("KEY-1"))
struct P256PointTests {
    @Test("multiplies the base point like OpenSSL, with digits at every edge", .proves("KEY-7"))
    func baseMultiples() throws {
        for line in try VectorLines("P256/base-multiples.txt").thinnedInDebug(toEvery: 5) {
            let point = P256.SecretPoint(multiplyingBase: P256.Scalar(reduced: line.number(0)))
            let expected = line.bytes(1)
            #expect(
                P256.Signing.PublicKey(point: point.affine()).x963Representation == expected, "line \(line.number)")
            #expect(point.affineX().number.byteReversed.bytes == [] + expected[1..<33], "line \(line.number)")
        }
    }

    @Test("adds equal, opposite and different points like big integers, whatever their Z")
    func sums() throws {
        let seed: UInt64 = 8
        var generator = SeededGenerator(seed: seed)
        for line in try VectorLines("P256/point-sums.txt") {
            let (p, q, sum, double) = (line.point(0), line.point(1), line.point(2), line.point(3))
            let factor = P256.FieldElement(reduced: FourWords(generator.next(), generator.next(), generator.next(), 1))
            let affine = P256.AffinePoint(x: q.x.canonical, y: q.y.canonical)
            let opposite = P256.PublicPoint(x: q.x, y: -q.y, z: q.z)
            for left in [p, p.scaled(by: factor)] {
                #expect(left.doubled().isSame(as: double), "line \(line.number)")
                #expect(left.adding(affine, negated: false).isSame(as: sum), "line \(line.number)")
                #expect(
                    left.adding(P256.AffinePoint(x: affine.x, y: -affine.y), negated: true).isSame(as: sum),
                    "line \(line.number)")
                for right in [q, q.scaled(by: factor), q.scaled(by: factor.squared())] {
                    #expect(left.adding(right.cached, negated: false).isSame(as: sum), "line \(line.number)")
                }
                #expect(left.adding(opposite.cached, negated: true).isSame(as: sum), "line \(line.number)")
            }
            #expect(P256.PublicPoint.infinity.adding(affine, negated: true).isSame(as: opposite))
            let scaled = q.scaled(by: factor).cached
            #expect(P256.PublicPoint.infinity.adding(scaled, negated: false).isSame(as: q))
        }
    }

    @Test("has the base point of the standard, of order n, on the curve")
    func base() {
        let order = P256.Scalar.order
        let base = P256.PublicPoint(.base)
        #expect(P256.AffinePoint.base.isOnCurve)
        #expect(P256.PublicPoint.infinity.doubled().isSame(as: .infinity))
        #expect(base.multiplied(by: order).isSame(as: .infinity))
        let last = base.multiplied(by: FourWords(order.w0 - 1, order.w1, order.w2, order.w3))
        #expect(last.isSame(as: P256.PublicPoint(x: base.x, y: -base.y, z: .one)))
    }

    @Test("has tables that hold what they say")
    func tables() {
        let multiples = P256.OddMultiples(of: .base, rowLength: 4)
        let base = P256.OddMultiples.base
        #expect(multiples.points.count == 32 && base.points.count == 512 && P256.BaseComb.points.count == 52 * 16)
        func number(_ factor: UInt64, place: Int) -> FourWords {
            var words: [UInt64] = [0, 0, 0, 0, 0]
            words[place / 64] = factor << UInt64(place % 64)
            words[place / 64 + 1] = place % 64 == 0 ? 0 : factor >> UInt64(64 - place % 64)
            return FourWords(words[0], words[1], words[2], words[3])
        }
        func expect(_ point: P256.AffinePoint, _ factor: UInt64, _ place: Int) {
            let expected = P256.PublicPoint(.base).multiplied(by: number(factor, place: place))
            #expect(P256.PublicPoint(point).isSame(as: expected), "\(factor)·2^\(place)")
        }
        for row in [0, 1, 7] {
            expect(multiples.points[row * 4], 1, row * 32)
            expect(multiples.points[row * 4 + 3], 7, row * 32)
            expect(base.points[row * 64 + 63], 127, row * 32)
        }
        let wide = P256.OddMultiples.wideBase
        #expect(wide.points.count == 256)
        for index in [0, 1, 255] { expect(wide.points[index], UInt64(2 * index + 1), 0) }
        for row in [0, 20, 51] {
            expect(P256.BaseComb.points[row * 16], 1, row * 5)
            if row < 51 { expect(P256.BaseComb.points[row * 16 + 15], 16, row * 5) }
        }
        expect(P256.BaseComb.points[51 * 16], 1, 255)
    }
}
