import TestSupport
import Testing

@testable import PureCrypto

@Suite("RFC 8032, 5.1: integers modulo L", .proves("RFC8032-5.1"))
struct Ed25519ScalarTests {
    @Test("multiplies and adds like big integers")
    func products() throws {
        for line in try VectorLines("Ed25519/scalar-products.txt") {
            #expect(
                Scalar(product: line.words(0), line.words(1), plus: line.words(2)).words == line.words(3),
                "line \(line.number)")
        }
    }

    @Test("reduces 64 bytes like big integers")
    func reductions() throws {
        for line in try VectorLines("Ed25519/scalar-reductions.txt") {
            let bytes = line.bytes(0)
            let reduced = Scalar(reducing: FourWords(bytes.span), FourWords(bytes.span, at: 32))
            #expect(reduced.words == line.words(1), "line \(line.number)")
        }
    }

    @Test("reads a digest as one little-endian number")
    func digest() {
        let digest = SHA512.hash(data: [1, 2, 3])
        var hash = SHA512()
        hash.update(data: [1, 2, 3])
        let bytes = [UInt8](digest)
        #expect(
            Scalar(reducing: hash.finalizedWords())
                == Scalar(reducing: FourWords(bytes.span), FourWords(bytes.span, at: 32)))
    }

    @Test("is canonical below L only", .proves("RFC8032-5.1.7"))
    func canonical() {
        let order = Scalar.order
        let last = FourWords(order.w0 - 1, order.w1, order.w2, order.w3)
        #expect(Scalar(canonical: .zero)?.words == .zero && Scalar(canonical: last)?.words == last)
        for words in [
            order, FourWords(order.w0 + 1, order.w1, order.w2, order.w3), FourWords(0, order.w1 + 1, 0, order.w3),
            FourWords(0, 0, 1, order.w3), FourWords(0, 0, 0, order.w3 + 1), FourWords(.max, .max, .max, .max),
        ] { #expect(Scalar(canonical: words) == nil) }
        #expect(Scalar(canonical: FourWords(.max, .max, .max, order.w3 - 1)) != nil)
    }

    /// Edges of Euclid's algorithm: short numbers, halves and neighbours of L, powers of two, golden ratios.
    private func halvingInputs() -> [Scalar] {
        var generator = SeededGenerator(seed: 128)
        var inputs = [Scalar.zero, Scalar(reducing: FourWords(1, 0, 0, 0), .zero)]
        for place in [1, 2, 3, 63, 64, 126, 127, 128, 129, 130, 191, 192, 250, 251, 252] {
            for offset: UInt64 in [0, 1, 2] {
                var words: [UInt64] = [0, 0, 0, 0]
                words[place / 64] = 1 << UInt64(place % 64)
                let power = Scalar(reducing: FourWords(words[0], words[1], words[2], words[3]), .zero)
                inputs.append(Scalar(product: power.words, FourWords(1, 0, 0, 0), plus: FourWords(offset, 0, 0, 0)))
                inputs.append(inputs[inputs.count - 1].negated)
            }
        }
        for divisor: UInt64 in [2, 3, 5, 7, 8, 16, 1_000_003, 1 << 40, .max] {
            // L/divisor, rounded, as a long division in base 2⁶⁴.
            var rest: UInt64 = 0
            let quotient = [Scalar.order.w3, 0, Scalar.order.w1, Scalar.order.w0].map { word in
                let (digit, remainder) = divisor.dividingFullWidth((rest, word))
                rest = remainder
                return digit
            }
            inputs.append(Scalar(reducing: FourWords(quotient[3], quotient[2], quotient[1], quotient[0]), .zero))
        }
        for _ in 0..<400 { inputs.append(generator.scalar()) }
        return inputs
    }

    @Test("halves any scalar into two short ones, exactly modulo 8L and with an odd multiplier")
    func halving() {
        for k in halvingInputs() {
            let halved = HalvedScalar(k)
            let multiplier = FourWords(halved.multiplier.low, halved.multiplier.high, 0, 0)
            #expect(halved.multiplier & 1 == 1 && Scalar(canonical: halved.remainder) != nil, "\(k)")

            // Congruent modulo L and modulo 8 is congruent modulo 8L.
            let product = Scalar(product: multiplier, k.words)
            let remainder = Scalar(reducing: halved.remainder, .zero)
            #expect(remainder == (halved.isNegative ? product.negated : product), "\(k)")
            let lowBits = multiplier.w0 &* k.words.w0
            #expect((halved.isNegative ? 0 &- lowBits : lowBits) & 7 == halved.remainder.w0 & 7, "\(k)")
        }
        // Not needed for the verdict, but for the speed: random scalars come out at 128 bits, give or take a few.
        var generator = SeededGenerator(seed: 64)
        for _ in 0..<300 {
            let k = Scalar(
                reducing: FourWords(generator.next(), generator.next(), generator.next(), generator.next()), .zero)
            let remainder = HalvedScalar(k).remainder
            #expect(remainder.w3 == 0 && remainder.w2 < 1 << 16, "\(k)")
        }
    }

    @Test("writes any number in odd digits far enough apart", arguments: [5, 8, 10] as [UInt64])
    func signedDigits(width: UInt64) {
        var generator = SeededGenerator(seed: width)
        var inputs = [
            FourWords.zero, FourWords(1, 0, 0, 0), FourWords(.max, .max, .max, .max), FourWords(0, 0, 0, 1 << 63),
        ]
        for _ in 0..<300 { inputs.append(generator.edgyWords()) }
        for input in inputs {
            // Horner's rule backwards: what remains of the input must be divisible by the power of the place, and zero
            // at the end.
            var (rest, top) = (input, 0 as Int64)
            var last = -Int(width)
            input.forEachSignedDigit(width: width) { digit, place in
                #expect(
                    digit & 1 != 0 && abs(digit) < 1 << (width - 1) && place >= last + Int(width) && place <= 256,
                    "\(input)")
                last = place
                (rest, top) = rest.subtracting(digit, place: place, top: top)
            }
            #expect(rest == .zero && top == 0, "\(input)")
        }
    }
}

extension Scalar {
    fileprivate static var zero: Scalar { Scalar(reducing: FourWords.zero, .zero) }

    fileprivate var negated: Scalar {
        Scalar(reducing: words == .zero ? .zero : Scalar.order.subtracting(words).difference, .zero)
    }
}

extension FourWords {
    /// Subtracts digit·2^place from the number top·2²⁵⁶ + self, slowly: bit by bit of the digit's magnitude.
    fileprivate func subtracting(_ digit: Int, place: Int, top: Int64) -> (FourWords, Int64) {
        var words = [w0, w1, w2, w3, UInt64(bitPattern: top)]
        for bit in 0..<9 where abs(digit) >> bit & 1 == 1 {
            let shift = place + bit
            var carry = UInt64(1) << UInt64(shift & 63)
            for index in min(shift >> 6, 4)..<5 {
                let (word, overflow) =
                    digit > 0
                    ? words[index].subtractingReportingOverflow(carry) : words[index].addingReportingOverflow(carry)
                words[index] = word
                carry = overflow ? 1 : 0
            }
        }
        return (FourWords(words[0], words[1], words[2], words[3]), Int64(bitPattern: words[4]))
    }
}
