internal import Wire

/// Finds 32-bit references by 32-bit hashes, by open addressing in 256 parts that grow one by one.
///
/// An entry holds hash and reference, so that growing needs nothing else and a wrong candidate is mostly seen without
/// looking it up. The hashes come from Swift's `Hasher`, whose seed nobody outside knows: chosen names do not pile up.
struct HashIndex: Sendable {
    /// Hash above, reference + 1 below; zero is vacant.
    ///
    /// Each part's size is a power of two.
    private var parts: [[UInt64]]
    private var counts = [UInt32](repeating: 0, count: 256)

    /// An empty index.
    init() { parts = [[UInt64]](repeating: [], count: 256) }

    /// An empty index that does not grow before it has as many references as another one of this process, with the same
    /// hashes.
    init(roomFor other: HashIndex) {
        parts = other.counts.map { count in
            guard count > 0 else { return [] }
            var size = 4
            while Self.isFull(size, with: count - 1) { size *= 2 }
            return [UInt64](repeating: 0, count: size)
        }
    }

    /// The reference among those with this hash for which the answer is yes.
    @inline(__always)
    func first(hash: UInt32, where isMatch: (UInt32) -> Bool) -> UInt32? {
        let index = Int(hash >> 24)
        let mask = parts[index].count - 1
        guard mask >= 0 else { return nil }
        var position = Int(hash) & mask
        // Ends because a part is never full.
        while true {
            let entry = parts[index][position]
            guard entry != 0 else { return nil }
            if UInt32(truncatingIfNeeded: entry >> 32) == hash {
                let reference = UInt32(truncatingIfNeeded: entry) &- 1
                if isMatch(reference) { return reference }
            }
            position = (position + 1) & mask
        }
    }

    /// Adds a reference, which must be below `UInt32.max`.
    mutating func insert(_ reference: UInt32, hash: UInt32) {
        let index = Int(hash >> 24)
        if Self.isFull(parts[index].count, with: counts[index]) { grow(index) }
        Self.place(UInt64(hash) << 32 | UInt64(reference) + 1, in: &parts[index])
        counts[index] += 1
    }

    /// Removes a reference that was added with this hash.
    mutating func remove(_ reference: UInt32, hash: UInt32) {
        let index = Int(hash >> 24)
        let mask = parts[index].count - 1
        guard mask >= 0 else { return }
        let sought = UInt64(hash) << 32 | UInt64(reference) + 1
        var hole = Int(hash) & mask
        while parts[index][hole] != sought {
            guard parts[index][hole] != 0 else { return }
            hole = (hole + 1) & mask
        }
        // Moves later entries of the run back over the hole, where their own place allows it, so that no search ends
        // early.
        var next = (hole + 1) & mask
        while parts[index][next] != 0 {
            let home = Int(truncatingIfNeeded: parts[index][next] >> 32) & mask
            if (next - home) & mask >= (next - hole) & mask {
                parts[index][hole] = parts[index][next]
                hole = next
            }
            next = (next + 1) & mask
        }
        parts[index][hole] = 0
        counts[index] -= 1
    }

    /// Whether a part of this size has so many entries that it has to grow before it takes one more.
    @inline(__always)
    private static func isFull(_ size: Int, with count: UInt32) -> Bool { Int(count) * 4 >= size * 3 }

    private mutating func grow(_ index: Int) {
        var larger = [UInt64](repeating: 0, count: max(4, parts[index].count * 2))
        for entry in parts[index] where entry != 0 { Self.place(entry, in: &larger) }
        parts[index] = larger
    }

    @inline(__always)
    private static func place(_ entry: UInt64, in part: inout [UInt64]) {
        let mask = part.count - 1
        var position = Int(truncatingIfNeeded: entry >> 32) & mask
        while part[position] != 0 { position = (position + 1) & mask }
        part[position] = entry
    }
}

/// The hash of a run of bytes, under the process's seed.
@inline(__always)
func indexHash(_ bytes: Span<UInt8>) -> UInt32 {
    var hasher = Hasher()
    hasher.combine(bytes)
    return UInt32(truncatingIfNeeded: hasher.finalize())
}
