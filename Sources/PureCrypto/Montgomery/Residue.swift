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
    /// Bound: there are twice as many words as the modulus has, and one factor is below the modulus, the other below 2⁶⁴
    /// to the power of the count.
    static func reduce(_ product: UnsafeMutablePointer<UInt64>) -> Words
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
        let count = Modulus.Words.count
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * count) { product in
            product.initialize(repeating: 0)
            guard let product = product.baseAddress else { return .zero }
            x.withPointer { x in
                y.withPointer { y in
                    for start in stride(from: 0, to: count, by: 3) {
                        var rows = ThreeRows(x[start], x[start + 1], x[start + 2])
                        rows.add(y, to: product + start, count)
                    }
                }
            }
            return Modulus.reduce(product)
        }
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
    /// Montgomery's reduction: adds the multiples of the modulus that clear the lower half, three words at a time.
    ///
    /// Bound: the product is below modulus·R, so that the result is below twice the modulus before the last step.
    @inline(__always)
    static func montgomeryReduce(_ product: UnsafeMutablePointer<UInt64>) -> Words {
        let count = Words.count
        let (sum, carry) = Self.modulus.withPointer { modulus in
            Words.written { result in
                var carry: UInt64 = 0
                for start in stride(from: 0, to: count, by: 3) {
                    let sum = product + start
                    // What clears a word depends on the words below it, so the three factors come one after the other.
                    let f0 = sum[0] &* inverse
                    var t = UInt128.product(f0, modulus[0], sum[0])
                    t = .product(f0, modulus[1], sum[1], t.high)
                    let s1 = t.low
                    let s2 = sum[2] &+ t.high
                    let f1 = s1 &* inverse
                    t = .product(f1, modulus[0], s1)
                    let f2 = (s2 &+ f0 &* modulus[2] &+ f1 &* modulus[1] &+ t.high) &* inverse
                    var rows = ThreeRows(f0, f1, f2)
                    carry = rows.add(modulus, to: sum, count, carry: carry)
                }
                for index in 0..<count { result[index] = product[count + index] }
                return carry
            }
        }
        let (difference, negative) = sum.subtracting(Self.modulus)
        return difference.replaced(by: sum, where: negative & (carry &- 1))
    }

    @inline(__always)
    static func reduce(_ product: UnsafeMutablePointer<UInt64>) -> Words { montgomeryReduce(product) }
}

/// Three rows of a long product at once, like `FourRows`.
///
/// Bound: three words plus a row plus a word are the released word and three words again.
private struct ThreeRows {
    private let f0, f1, f2: UInt64
    private var (w0, w1, w2): (UInt64, UInt64, UInt64) = (0, 0, 0)

    @inline(__always)
    init(_ f0: UInt64, _ f1: UInt64, _ f2: UInt64) {
        (self.f0, self.f1, self.f2) = (f0, f1, f2)
    }

    @inline(__always)
    private mutating func add(_ x: UInt64, _ addend: UInt64) -> UInt64 {
        var t = UInt128.product(x, f0, w0, addend)
        let released = t.low
        t = .product(x, f1, w1, t.high)
        w0 = t.low
        t = .product(x, f2, w2, t.high)
        (w1, w2) = (t.low, t.high)
        return released
    }

    /// Adds the rows to a sum, the carry of an earlier call three words above it, and returns the carry of this one.
    ///
    /// Bound: so many words are readable from `x`, and three more can be read and written from `sum` on.
    @inline(__always) @discardableResult
    mutating func add(
        _ x: UnsafePointer<UInt64>, to sum: UnsafeMutablePointer<UInt64>, _ count: Int, carry: UInt64 = 0
    ) -> UInt64 {
        for index in 0..<count { sum[index] = add(x[index], sum[index]) }
        let rest = sum + count
        var t = UInt128.sum(w0, rest[0], carry)
        rest[0] = t.low
        t = .sum(w1, rest[1], t.high)
        rest[1] = t.low
        t = .sum(w2, rest[2], t.high)
        rest[2] = t.low
        return t.high
    }
}
