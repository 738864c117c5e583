/// An odd modulus of any length, for powers of public numbers.
struct PublicModulus: Sendable {
    /// The modulus n, then R² modulo n, in words as `PublicMontgomery` wants them.
    private let words: [UInt64]
    /// −1/n modulo 2⁶⁴.
    private let inverse: UInt64
    let bitCount: Int

    /// The length of a number below the modulus.
    var byteCount: Int { (bitCount + 7) / 8 }

    /// Takes the bytes of the modulus, most significant first, and computes R² modulo n, in about the time that each
    /// verification saves by it.
    ///
    /// Bound: the number is odd, and has exactly so many bits.
    init(_ bytes: Span<UInt8>, bitCount: Int) {
        // Newton's iteration doubles the number of right bits; an odd number is its own inverse modulo 8.
        let lowest = bytes.withUnsafeBytes { bytes in
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
        }
        var quotient = lowest
        for _ in 0..<5 { quotient = quotient &* (2 &- quotient &* lowest) }
        let inverse = 0 &- quotient

        let count = (bitCount + 255) / 256 * 4
        words = [UInt64](unsafeUninitializedCapacity: 2 * count) { words, initializedCount in
            words.initialize(repeating: 0)
            initializedCount = 2 * count
            guard let modulus = words.baseAddress else { return }
            modulus.read(bytes)
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * count) { product in
                guard let product = product.baseAddress else { return }
                PublicMontgomery(modulus: modulus, count: count, inverse: inverse, product: product)
                    .writeSquareOfR(to: modulus + count, modulusBitCount: bitCount)
            }
        }
        self.inverse = inverse
        self.bitCount = bitCount
    }

    /// The modulus, most significant byte first.
    var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { bytes, count in
            words.withUnsafeBufferPointer { $0.baseAddress?.write(to: bytes) }
            count = byteCount
        }
    }

    /// Lends the bytes of a power modulo n, most significant first and as many as the modulus has; nil where the base
    /// is not below n.
    ///
    /// Bound: the base has as many bytes as the modulus; the exponent is odd and at least 3.
    func withPower<Result>(of base: Span<UInt8>, exponent: UInt32, _ body: (Span<UInt8>) -> Result) -> Result? {
        let count = words.count / 2
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 5 * count) { memory in
            words.withUnsafeBufferPointer { words in
                guard let modulus = words.baseAddress, let number = memory.baseAddress else { return nil }
                let (multiple, power) = (number + count, number + 2 * count)
                let arithmetic = PublicMontgomery(
                    modulus: modulus, count: count, inverse: inverse, product: number + 3 * count)
                memory.initialize(repeating: 0)
                number.read(base)
                guard arithmetic.isReduced(number) else { return nil }

                // The base times R and powers times R, but for the last factor: the lowest bit is set.
                arithmetic.multiply(number, modulus + count, into: multiple)
                power.update(from: multiple, count: count)
                for place in (0..<31 - exponent.leadingZeroBitCount).reversed() {
                    arithmetic.square(power)
                    if exponent >> place & 1 == 0 { continue }
                    arithmetic.multiply(power, place == 0 ? number : multiple, into: power)
                }
                // Bound: below 2n, because that factor was below n.
                if !arithmetic.isReduced(power) { _ = arithmetic.subtractModulus(from: power, into: power) }

                return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { bytes in
                    UnsafePointer(power).write(to: bytes)
                    return body(bytes.span)
                }
            }
        }
    }
}

extension UnsafeMutablePointer<UInt64> {
    /// Reads a number, most significant byte first.
    ///
    /// Bound: there is room for so many bytes, and all words are zero.
    fileprivate func read(_ bytes: Span<UInt8>) {
        let whole = bytes.count / 8
        bytes.withUnsafeBytes { bytes in
            for index in 0..<whole {
                let offset = bytes.count - 8 * (index + 1)
                self[index] = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
            for offset in 0..<bytes.count - 8 * whole { self[whole] = self[whole] << 8 | UInt64(bytes[offset]) }
        }
    }
}

extension UnsafePointer<UInt64> {
    /// Writes the lowest bytes of a number, most significant first, and initializes all of the buffer with them.
    ///
    /// Bound: the number has so many bytes.
    fileprivate func write(to bytes: UnsafeMutableBufferPointer<UInt8>) {
        for index in bytes.indices {
            let place = bytes.count - 1 - index
            bytes.initializeElement(at: index, to: UInt8(truncatingIfNeeded: self[place / 8] >> (place % 8 * 8)))
        }
    }
}

extension PublicModulus: Hashable {
    /// Compares the moduli; R² follows.
    static func == (one: PublicModulus, other: PublicModulus) -> Bool { one.words == other.words }

    /// Feeds the modulus to a hasher.
    func hash(into hasher: inout Hasher) { hasher.combine(words[..<(words.count / 2)]) }
}
