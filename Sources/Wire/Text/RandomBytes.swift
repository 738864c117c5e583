extension RandomNumberGenerator {
    /// So many bytes of chance: each number that is drawn makes eight, the lowest first.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var word: UInt64 = 0
        for index in 0..<count {
            word = index % 8 == 0 ? next() : word >> 8
            bytes.append(UInt8(truncatingIfNeeded: word))
        }
        return bytes
    }
}
