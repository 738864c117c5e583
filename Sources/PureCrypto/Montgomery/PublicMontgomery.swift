/// Montgomery's products of public numbers of any length.
///
/// Numbers are runs of 64-bit words, the least significant first. Their count is a multiple of four, so that no loop
/// has a rest; R is 2⁶⁴ to the power of the count.
///
/// Bound: every operand is below R, and so is every result, which may still exceed the modulus n: x·y < R² and q·n <
/// R·n give (x·y + q·n)/R < R + n, from which one n is subtracted where that has reached R. The time depends on the
/// numbers: for public ones only.
struct PublicMontgomery {
    let modulus: UnsafePointer<UInt64>
    let count: Int
    /// −1/n modulo 2⁶⁴.
    let inverse: UInt64
    /// Room for twice the count of words.
    let product: UnsafeMutablePointer<UInt64>

    /// z = x·y/R; z may be one of the factors.
    func multiply(_ x: UnsafePointer<UInt64>, _ y: UnsafePointer<UInt64>, into z: UnsafeMutablePointer<UInt64>) {
        product.update(repeating: 0, count: count)
        var sum = product
        for start in stride(from: 0, to: count, by: 4) {
            var rows = FourRows(x[start], x[start + 1], x[start + 2], x[start + 3])
            rows.add(y, to: sum, count)
            (sum[count], sum[count + 1], sum[count + 2], sum[count + 3]) = (rows.w0, rows.w1, rows.w2, rows.w3)
            sum += 4
        }
        reduce(into: z)
    }

    /// x = x²/R.
    func square(_ x: UnsafeMutablePointer<UInt64>) {
        product.update(repeating: 0, count: count)
        // Blocks of four words with those above them first; what they leave out are the squares of blocks.
        for start in stride(from: 0, to: count, by: 4) {
            let rest = start + 4
            var rows = FourRows(x[start], x[start + 1], x[start + 2], x[start + 3])
            rows.add(x + rest, to: product + start + rest, count - rest)
            let sum = product + start + count
            (sum[0], sum[1], sum[2], sum[3]) = (rows.w0, rows.w1, rows.w2, rows.w3)
        }
        doubleAndAddSquares(x)
        reduce(into: x)
    }

    /// Doubles the products of different blocks, and adds the square of each block.
    private func doubleAndAddSquares(_ x: UnsafePointer<UInt64>) {
        var (previous, carry): (UInt64, UInt64) = (0, 0)
        for start in stride(from: 0, to: count, by: 4) {
            let sum = product + 2 * start
            let square = blockSquare(x[start], x[start + 1], x[start + 2], x[start + 3])

            @inline(__always)
            func merge(_ index: Int, _ word: UInt64) {
                let crossed = sum[index]
                let t = UInt128.sum(crossed &<< 1 | previous &>> 63, word, carry)
                (sum[index], carry, previous) = (t.low, t.high, crossed)
            }
            merge(0, square.0)
            merge(1, square.1)
            merge(2, square.2)
            merge(3, square.3)
            merge(4, square.4)
            merge(5, square.5)
            merge(6, square.6)
            merge(7, square.7)
        }
    }

    /// z = product/R: adds the multiples of n that clear the lower half, four words at a time.
    private func reduce(into z: UnsafeMutablePointer<UInt64>) {
        var carry: UInt64 = 0
        var sum = product
        for _ in 0..<(count &>> 2) {
            var rows = FourRows(clearing: sum, modulus: modulus, inverse: inverse)
            rows.add(modulus + 4, to: sum + 4, count - 4)
            var t = UInt128.sum(rows.w0, sum[count], carry)
            sum[count] = t.low
            t = .sum(rows.w1, sum[count + 1], t.high)
            sum[count + 1] = t.low
            t = .sum(rows.w2, sum[count + 2], t.high)
            sum[count + 2] = t.low
            t = .sum(rows.w3, sum[count + 3], t.high)
            sum[count + 3] = t.low
            carry = t.high
            sum += 4
        }
        if carry == 0 {
            z.update(from: sum, count: count)
        } else {
            _ = subtractModulus(from: sum, into: z)
        }
    }
}

// MARK: - Comparison and subtraction

extension PublicMontgomery {
    /// z = x − n modulo R; returns 0 where x is below n, 1 otherwise.
    func subtractModulus(from x: UnsafePointer<UInt64>, into z: UnsafeMutablePointer<UInt64>) -> UInt64 {
        var carry: UInt64 = 1
        for index in 0..<count {
            let t = UInt128.sum(x[index], ~modulus[index], carry)
            (z[index], carry) = (t.low, t.high)
        }
        return carry
    }

    /// Whether x is below n.
    func isReduced(_ x: UnsafePointer<UInt64>) -> Bool {
        var index = count - 1
        while index > 0, x[index] == modulus[index] { index -= 1 }
        return x[index] < modulus[index]
    }

    /// R² modulo n, or more by n: 2 to the power of the count times R by doublings, and six squarings, which make R·R
    /// of it, because R is 2^(64·count).
    ///
    /// Bound: z has room for the count of words, all of them zero; n is odd and has exactly so many bits.
    func writeSquareOfR(to z: UnsafeMutablePointer<UInt64>, modulusBitCount: Int) {
        // The highest power of two below n.
        z[(modulusBitCount - 1) / 64] = 1 &<< UInt64((modulusBitCount - 1) % 64)
        for _ in modulusBitCount - 1..<65 * count {
            var carry: UInt64 = 0
            for index in 0..<count { (z[index], carry) = (z[index] &<< 1 | carry, z[index] &>> 63) }
            if carry != 0 || !isReduced(z) { _ = subtractModulus(from: z, into: z) }
        }
        for _ in 0..<6 { square(z) }
    }
}
