internal import Wire

/// The chance of a vector: its bytes as words of 64 bits, the highest byte first, and again from the beginning.
struct GivenEntropy: RandomNumberGenerator {
    private let words: [UInt64]
    private var place = 0

    init(words: [UInt64]) { self.words = words }

    init(_ given: JSON.Object) throws(Malformed) {
        let bytes = try Malformed.need(given["entropy"]?.string.flatMap { try? Hex.decode($0) }, "entropy")
        guard !bytes.isEmpty, bytes.count.isMultiple(of: 8) else { throw Malformed("entropy") }
        words = stride(from: 0, to: bytes.count, by: 8).map { start in
            bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    mutating func next() -> UInt64 {
        defer { place = (place + 1) % words.count }
        return words[place]
    }
}
