/// A prime with the constants that arithmetic modulo it needs.
protocol PrimeModulus {
    associatedtype Words: FixedWords

    static var modulus: Words { get }
    static var bitCount: Int { get }
    /// −1/modulus modulo 2⁶⁴.
    static var inverse: UInt64 { get }
    /// R and R² modulo the modulus; R is 2⁶⁴ to the power of the count of words, or what else `reduce` divides by.
    static var r: Words { get }
    static var squareOfR: Words { get }

    /// The product divided by R: congruent to that, and below the modulus.
    ///
    /// Bound: one factor is below the modulus, the other below 2⁶⁴ to the power of the count.
    static func reduce(_ product: (low: Words, high: Words)) -> Words
}

/// A number modulo a prime, times R (Montgomery).
///
/// Bound: the words are below the modulus. All arithmetic is in constant time.
struct Residue<Modulus: PrimeModulus>: BitwiseCopyable, Sendable {
    let words: Modulus.Words

    /// Bound: the words are a number below the modulus, times R modulo the modulus.
    @inline(__always)
    init(timesR words: Modulus.Words) { self.words = words }

    /// Takes any number, and reduces it.
    init(_ number: Modulus.Words) {
        words = Self.product(number, Modulus.squareOfR)
    }

    /// The number below the modulus.
    var number: Modulus.Words {
        var one = Modulus.Words.zero
        one[0] = 1
        return Self.product(words, one)
    }

    static var zero: Self { Self(timesR: .zero) }
    static var one: Self { Self(timesR: Modulus.r) }

    /// All ones where a number is below the modulus, zero where it is not.
    static func isReducedMask(_ number: Modulus.Words) -> UInt64 { number.subtracting(Modulus.modulus).negative }
}

// MARK: - Ring operations

extension Residue {
    @inline(__always)
    static func + (x: Self, y: Self) -> Self {
        let (sum, carry) = x.words.adding(y.words)
        let (difference, negative) = sum.subtracting(Modulus.modulus)
        // The sum is kept where it is below the modulus: where there is no carry, and subtracting borrows.
        return Self(timesR: difference.replaced(by: sum, where: negative & (carry &- 1)))
    }

    @inline(__always)
    static func - (x: Self, y: Self) -> Self {
        let (difference, negative) = x.words.subtracting(y.words)
        return Self(timesR: difference.replaced(by: difference.adding(Modulus.modulus).sum, where: negative))
    }

    @inline(__always)
    static prefix func - (x: Self) -> Self { .zero - x }

    @inline(__always)
    static func * (x: Self, y: Self) -> Self { Self(timesR: product(x.words, y.words)) }

    @inline(__always)
    func squared() -> Self { self * self }

    /// x·y/R.
    ///
    /// A call, so that its machine code can be checked for jumps.
    @inline(never)
    static func product(_ x: Modulus.Words, _ y: Modulus.Words) -> Modulus.Words {
        Modulus.reduce(x.product(y))
    }

    /// All ones where the numbers are the same, zero where they are not.
    @inline(__always)
    func equalityMask(_ other: Self) -> UInt64 { words.equalityMask(other.words) }

    @inline(__always)
    func replaced(by other: Self, where mask: UInt64) -> Self {
        Self(timesR: words.replaced(by: other.words, where: mask))
    }

    /// A power by a public exponent, three bits of it at a time.
    func power(_ exponent: Modulus.Words) -> Self {
        withUnsafeTemporaryAllocation(of: Self.self, capacity: 8) { powers in
            powers.initialize(repeating: .one)
            for index in 1..<8 { powers[index] = powers[index - 1] * self }
            var result = Self.one
            for start in stride(from: (Modulus.Words.count * 64 - 1) / 3 * 3, through: 0, by: -3) {
                result = result.squared().squared().squared()
                var digit = 0
                for bit in (start..<min(start + 3, Modulus.Words.count * 64)).reversed() {
                    digit = digit << 1 | Int(truncatingIfNeeded: exponent[bit / 64] &>> UInt64(bit % 64) & 1)
                }
                result = result * powers[digit]
            }
            erase(UnsafeMutableRawBufferPointer(powers))
            return result
        }
    }

    /// 1/x, and 0 for 0: the power by the modulus minus 2, of Fermat.
    func inverted() -> Self {
        var exponent = Modulus.modulus
        exponent[0] &-= 2
        return power(exponent)
    }
}

extension Residue: Equatable {
    static func == (one: Self, other: Self) -> Bool { one.words == other.words }
}

// MARK: - Reduction

extension PrimeModulus {
    /// Montgomery's reduction.
    ///
    /// Bound: the product is below modulus·R, so that the result is below twice the modulus before the last step.
    @inline(__always)
    static func reduce(_ product: (low: Words, high: Words)) -> Words {
        let (words, carry) = Words.montgomeryReduction(of: product, modulo: modulus, inverse: inverse)
        let (difference, negative) = words.subtracting(modulus)
        return difference.replaced(by: words, where: negative & (carry &- 1))
    }
}
