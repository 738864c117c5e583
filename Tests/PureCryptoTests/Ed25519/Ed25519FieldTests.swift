import TestSupport
import Testing

@testable import PureCrypto

@Suite("RFC 8032, 5.1: the field modulo 2²⁵⁵ − 19", .proves("RFC8032-5.1"))
struct Ed25519FieldTests {
    @Test("agrees with big integers on edges and random numbers")
    func vectors() throws {
        for line in try VectorLines("Ed25519/field.txt") {
            let (x, y) = (line.element(0), line.element(1))
            let results = [x + y, x - y, x * y, x.squared(), x.inverted()]
            for (index, result) in results.enumerated() {
                #expect(
                    result.isInRange && result.canonical.words == line.words(2 + index),
                    "line \(line.number), result \(index)")
            }
            #expect(x.publiclyInverted().canonical.words == line.words(6), "line \(line.number)")
        }
    }

    @Test("stays in its range and obeys the laws of a ring, from any numbers in the range")
    func laws() {
        let seed: UInt64 = 25519
        var generator = SeededGenerator(seed: seed)
        for round in 0..<300 {
            let (x, y, z) = (generator.fieldElement(), generator.fieldElement(), generator.fieldElement())
            #expect(
                (x + y).isInRange && (x - y).isInRange && (x * y).isInRange && x.squared().isInRange,
                "seed \(seed), round \(round)")
            #expect((-x).isInRange && -x == .zero - x && (x + -x).isZero, "seed \(seed), round \(round)")
            #expect(x.negated(where: 0).words == x.words, "seed \(seed), round \(round)")
            #expect(x + y == y + x && x * y == y * x, "seed \(seed), round \(round)")
            #expect((x + y) + z == x + (y + z) && (x * y) * z == x * (y * z), "seed \(seed), round \(round)")
            #expect(x * (y + z) == x * y + x * z && (x - y) + y == x && -x + x == .zero, "seed \(seed), round \(round)")
            #expect(x.squared() == x * x, "seed \(seed), round \(round)")
        }
    }

    @Test("inverts in both ways alike, and what it inverts multiplies to one")
    func inversion() {
        let seed: UInt64 = 590
        var generator = SeededGenerator(seed: seed)
        #expect(FieldElement.zero.inverted().isZero && FieldElement.zero.publiclyInverted().isZero)
        for round in 0..<60 {
            let x = generator.fieldElement()
            if x.isZero { continue }
            #expect(x * x.inverted() == .one && x.inverted() == x.publiclyInverted(), "seed \(seed), round \(round)")
        }
    }

    @Test("takes roots of squares, and of nothing else")
    func roots() {
        let seed: UInt64 = 3
        var generator = SeededGenerator(seed: seed)
        #expect(FieldElement.rootOfMinusOne.squared() == -FieldElement.one)
        for round in 0..<20 {
            let (x, v) = (generator.fieldElement(), generator.fieldElement())
            if x.isZero || v.isZero { continue }
            let root = FieldElement.squareRoot(of: x.squared() * v, over: v)
            #expect(root == x || root == -x, "seed \(seed), round \(round)")
            // 2 is not a square modulo p, because p is 5 modulo 8.
            #expect(
                FieldElement.squareRoot(of: (x.squared() + x.squared()) * v, over: v) == nil,
                "seed \(seed), round \(round)")
        }
    }

    @Test("replaces by a mask")
    func replacement() {
        let (x, y) = (FieldElement(1, 2, 3, 4), FieldElement(5, 6, 7, 8))
        #expect(x.replaced(by: y, where: 0).words == x.words && x.replaced(by: y, where: .max).words == y.words)
    }
}

/// Optional elements compare by value, not by representation.
private func == (x: FieldElement?, y: FieldElement) -> Bool { x.map { $0 == y } ?? false }
