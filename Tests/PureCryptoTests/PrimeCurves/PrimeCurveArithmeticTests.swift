import TestSupport
import Testing

@testable import PureCrypto

@Suite("Arithmetic of P-384 and P-521")
struct PrimeCurveArithmeticTests {
    @Test("adds, subtracts, multiplies and inverts modulo p and n")
    func arithmetic() throws {
        try check(P384.Field.self, "p384-field.txt")
        try check(P384.Order.self, "p384-order.txt")
        try check(P521.Field.self, "p521-field.txt")
        try check(P521.Order.self, "p521-order.txt")
    }

    private func check<Modulus: PrimeModulus>(_: Modulus.Type, _ name: String) throws {
        for (index, line) in try VectorLines("PrimeCurves/\(name)").lines.enumerated() {
            let numbers = line.fields.indices.map { Modulus.Words(bigEndian: line.bytes($0).span) }
            let (x, y) = (Residue<Modulus>(numbers[0]), Residue<Modulus>(numbers[1]))
            #expect(x.number == numbers[0], "\(name), row \(index)")
            var results = [x + y, x - y, x * y, x.squared()]
            #if DEBUG
            if index % 8 == 0 { results.append(x.inverted()) }
            #else
            results.append(x.inverted())
            #endif
            #expect(results.map(\.number) == Array(numbers[2..<2 + results.count]), "\(name), row \(index)")
            #expect((x == y) == (numbers[0] == numbers[1]) && (x.equalityMask(y) == .max) == (x == y))
            #expect(-x + x == .zero && x.equalityMask(x) == .max, "\(name), row \(index)")
        }
        let limit = Modulus.modulus
        let one = Residue<Modulus>.one.number
        #expect(Residue<Modulus>(limit) == .zero && Residue<Modulus>(limit.adding(one).sum) == .one)
        #expect(Residue<Modulus>.isReducedMask(limit) == 0)
        #expect(Residue<Modulus>.isReducedMask(limit.subtracting(one).difference) == .max)
    }

    @Test("takes the leftmost bits of digests, and writes what it read")
    func leftmostBits() {
        let bytes = [UInt8](1...70)
        let six = SixWords(leftmost: 384, of: bytes.span).bigEndianBytes(48)
        #expect(six == Array(1...48))
        let short = SixWords(leftmost: 384, of: bytes.span.extracting(first: 32)).bigEndianBytes(48)
        #expect(short == [UInt8](repeating: 0, count: 16) + Array(1...32))
        let nine = NineWords(leftmost: 521, of: bytes.span)
        // 66 bytes, shifted by seven bits: 01 02 03 … becomes 00 02 04 06 ….
        #expect(nine.bigEndianBytes(66) == [0] + (1...65).map { 2 * $0 })
        let hash = NineWords(leftmost: 521, of: bytes.span.extracting(first: 64)).bigEndianBytes(66)
        #expect(hash == [0, 0] + Array(1...64))
    }

    @Test("writes numbers as odd signed digits far enough apart", arguments: [5, 7] as [UInt64])
    func signedDigits(width: UInt64) {
        let seed: UInt64 = 23
        var generator = SeededGenerator(seed: seed)
        for round in 0..<20 {
            var number = SixWords.zero
            for index in 0..<6 {
                let draw = generator.next()
                number[index] = round % 4 == 0 ? (draw & 1 == 0 ? 0 : .max) : draw
            }
            let digits = withUnsafeTemporaryAllocation(of: Int8.self, capacity: 385) { digits in
                number.writeSignedDigits(width: width, to: digits)
                return Array(digits)
            }
            // Horner's rule, in words of two's complement.
            var sum = SixWords.zero
            var last = digits.count
            for (place, digit) in digits.enumerated().reversed() {
                sum = sum.adding(sum).sum
                if digit == 0 { continue }
                var magnitude = SixWords.zero
                magnitude[0] = UInt64(digit.magnitude)
                sum = digit > 0 ? sum.adding(magnitude).sum : sum.subtracting(magnitude).difference
                let isFar = last == digits.count || last - place >= width
                #expect(digit & 1 != 0 && digit.magnitude < 1 << (width - 1) && isFar, "seed \(seed), round \(round)")
                last = place
            }
            #expect(sum == number, "seed \(seed), round \(round)")
        }
    }
}
