import TestSupport
import Testing

@testable import PureCrypto

@Suite("P-256: the field and the scalars", .proves("KEY-1"))
struct P256FieldTests {
    @Test("computes modulo p like big integers")
    func field() throws {
        for line in try VectorLines("P256/field.txt") {
            let (x, y) = (P256.FieldElement(reduced: line.number(0)), P256.FieldElement(reduced: line.number(1)))
            #expect(x.number == line.number(0) && P256.FieldElement(canonical: line.number(0)) == x)
            let results = [x + y, x - y, x * y, x.squared(), x.inverted(), x.halved()]
            for (index, result) in results.enumerated() {
                #expect(isReduced(result), "line \(line.number), result \(index)")
                #expect(result.number == line.number(2 + index), "line \(line.number), result \(index)")
            }
            #expect(x.publiclyInverted() == x.inverted(), "line \(line.number)")
            let root = line.fields[8] == "none" ? nil : P256.FieldElement(reduced: line.number(8))
            #expect(x.squareRoot() == root, "line \(line.number)")
        }
    }

    /// Not every four words are near an edge of Montgomery's form if the numbers that they stand for are.
    @Test("stays below p from any words below p, and obeys the laws of a ring")
    func laws() {
        let seed: UInt64 = 256
        var generator = SeededGenerator(seed: seed)
        for round in 0..<300 {
            let (x, y, z) = (generator.p256Element(), generator.p256Element(), generator.p256Element())
            for result in [x + y, x - y, x * y, x.squared(), -x, x.halved()] {
                #expect(isReduced(result), "seed \(seed), round \(round)")
            }
            #expect(x + y == y + x && x * y == y * x, "seed \(seed), round \(round)")
            #expect((x + y) + z == x + (y + z) && (x * y) * z == x * (y * z), "seed \(seed), round \(round)")
            #expect(x * (y + z) == x * y + x * z && (x - y) + y == x, "seed \(seed), round \(round)")
            #expect((-x + x).isZero && x.squared() == x * x, "seed \(seed), round \(round)")
            let difference = P256.FieldElement.difference(x, y, minus: z, x)
            #expect(isReduced(difference) && difference == x * y - z * x, "seed \(seed), round \(round)")
            #expect(x.halved() + x.halved() == x && x * .one == x, "seed \(seed), round \(round)")
        }
    }

    @Test("computes with public elements in either of their forms like big integers")
    func publicElements() throws {
        for line in try VectorLines("P256/field.txt") {
            for (x, y) in pairs(of: forms(of: line.number(0)), forms(of: line.number(1))) {
                let results = [x + y, x - y, x * y, x.squared(), x.inverted(), x.halved()]
                for (index, result) in results.enumerated() {
                    #expect(isReduced(result.canonical), "line \(line.number), result \(index)")
                    #expect(result.canonical.number == line.number(2 + index), "line \(line.number), result \(index)")
                }
                #expect((x - x).isZero && (-x + x).isZero && (x - y).isZero == (line.number(0) == line.number(1)))
            }
        }
    }

    /// Here and there one correction is not enough: 2²⁵⁶ − 1 and 0 are added to, and subtracted from, themselves and
    /// others in every way.
    @Test("computes with public elements at the ends of what four words hold")
    func publicExtremes() {
        let p = P256.FieldElement.modulus
        let gap = FourWords.zero.subtracting(p).difference
        let words = [
            FourWords.zero, FourWords(1, 0, 0, 0), gap, FourWords(gap.w0 - 1, gap.w1, gap.w2, gap.w3),
            FourWords(p.w0 - 1, p.w1, p.w2, p.w3), p, FourWords(0, p.w1 + 1, p.w2, p.w3),
            FourWords(.max - 1, .max, .max, .max), FourWords(.max, .max, .max, .max),
        ]
        let elements = words.map { P256.PublicElement(montgomery: $0) }
        #expect(elements.map(\.isZero) == [true, false, false, false, false, true, false, false, false])
        for (x, y) in pairs(of: elements, elements) {
            let (a, b) = (x.canonical, y.canonical)
            #expect(isReduced(a) && (x + y).canonical == a + b && (x - y).canonical == a - b, "\(x), \(y)")
            #expect((x * y).canonical == a * b && x.squared().canonical == a.squared(), "\(x), \(y)")
            #expect((-x).canonical == -a && x.halved().canonical == a.halved(), "\(x)")
            for (z, w) in pairs(of: elements, elements) {
                let difference = P256.PublicElement.difference(x, y, minus: z, w).canonical
                #expect(difference == a * b - z.canonical * w.canonical, "\(x), \(y), \(z), \(w)")
            }
        }
    }

    /// The element that a number is, as words below p, and where they still fit as words from p on.
    private func forms(of number: FourWords) -> [P256.PublicElement] {
        let element = P256.PublicElement(P256.FieldElement(reduced: number))
        let (raised, carry) = element.words.adding(P256.FieldElement.modulus, where: .max)
        return carry == 0 ? [element, P256.PublicElement(montgomery: raised)] : [element]
    }

    private func pairs<Element>(of some: [Element], _ others: [Element]) -> [(Element, Element)] {
        some.flatMap { one in others.map { (one, $0) } }
    }

    @Test("takes no number that is not below p for an element")
    func canonical() {
        let p = P256.FieldElement.modulus
        #expect(P256.FieldElement(canonical: p) == nil)
        #expect(P256.FieldElement(canonical: FourWords(.max, .max, .max, .max)) == nil)
        #expect(P256.FieldElement(canonical: FourWords(p.w0 - 1, p.w1, p.w2, p.w3)) != nil)
        #expect(P256.FieldElement.zero.inverted().isZero && P256.FieldElement.zero.publiclyInverted().isZero)
    }

    @Test("computes modulo n like big integers")
    func scalars() throws {
        for line in try VectorLines("P256/scalars.txt") {
            let (x, y) = (P256.Scalar(reduced: line.number(0)), P256.Scalar(reduced: line.number(1)))
            for (index, result) in [x + y, x * y, x.inverted()].enumerated() {
                #expect(result.words == line.number(2 + index), "line \(line.number), result \(index)")
            }
            #expect(x.publiclyInverted() == x.inverted(), "line \(line.number)")
        }
    }

    @Test("reduces numbers of 256 and 512 bits")
    func reductions() throws {
        for line in try VectorLines("P256/wide-scalars.txt") {
            let scalar = P256.Scalar(nonZeroReducing: line.number(0), line.number(1))
            #expect(scalar.words == line.number(2), "line \(line.number)")
        }
        let n = P256.Scalar.order
        #expect(P256.Scalar(reducing: n) == .zero && P256.Scalar(reducing: FourWords(7, 0, 0, 0)).words.w0 == 7)
        #expect(P256.Scalar(reducing: FourWords(n.w0 + 5, n.w1, n.w2, n.w3)).words == FourWords(5, 0, 0, 0))
    }

    @Test("knows the numbers from 1 to n − 1")
    func range() {
        let n = P256.Scalar.order
        let inside = [FourWords(1, 0, 0, 0), FourWords(0, 0, 0, 1), FourWords(n.w0 - 1, n.w1, n.w2, n.w3)]
        let outside = [FourWords.zero, n, FourWords(n.w0 + 1, n.w1, n.w2, n.w3), FourWords(.max, .max, .max, .max)]
        for words in inside {
            #expect(P256.Scalar.isInRange(words) == .max && P256.Scalar(publicNonZero: words) != nil, "\(words)")
        }
        for words in outside {
            #expect(P256.Scalar.isInRange(words) == 0 && P256.Scalar(publicNonZero: words) == nil, "\(words)")
        }
    }

    @Test("reads the leftmost 256 bits of a digest of any length", .proves("RFC6979-2.3.2"))
    func leftmost() {
        let bytes = [UInt8](1...40)
        func number(_ count: Int) -> FourWords { FourWords(leftmost: bytes.span.extracting(first: count)) }
        #expect(number(0) == .zero && number(1) == FourWords(1, 0, 0, 0) && number(3) == FourWords(0x010203, 0, 0, 0))
        #expect(number(10) == FourWords(0x0304_0506_0708_090a, 0x0102, 0, 0))
        #expect(number(40) == number(32) && number(32).w3 == 0x0102_0304_0506_0708 && number(31) != number(32))
    }

    private func isReduced(_ x: P256.FieldElement) -> Bool {
        x.words.subtracting(P256.FieldElement.modulus).negative != 0
    }
}

extension SeededGenerator {
    /// Words below p, often at the edge of what a word holds.
    fileprivate mutating func p256Element() -> P256.FieldElement {
        let edges: [UInt64] = [0, 1, 0xffff_fffe, 0xffff_ffff, 1 << 32, 0xffff_ffff_0000_0000, .max - 1, .max]
        let words = edgyWords()
        var all = [words.w0, words.w1, words.w2, words.w3]
        for index in all.indices where next() & 3 == 0 { all[index] = edges[Int(next() & 7)] }
        if next() & 3 == 0 { all[3] = 0xffff_ffff_0000_0001 }
        let element = FourWords(all[0], all[1], all[2], all[3])
        let isReduced = element.subtracting(P256.FieldElement.modulus).negative != 0
        return isReduced ? P256.FieldElement(montgomery: element) : p256Element()
    }
}
