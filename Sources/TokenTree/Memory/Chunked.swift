/// An array in pieces: it grows without moving what it holds, and a copy shares all pieces but the ones that are
/// changed.
///
/// That keeps a commit's cost apart from the size of the tree, also while a snapshot of an earlier state is being
/// written.
struct Chunked<Element: Sendable>: Sendable {
    private var chunks: [[Element]] = []
    private(set) var count = 0

    private static var shift: Int { 9 }
    private static var mask: Int { (1 << shift) - 1 }

    /// The element at a position below `count`.
    subscript(position: UInt32) -> Element {
        @inline(__always) get { chunks[Int(position) >> Self.shift][Int(position) & Self.mask] }
        @inline(__always) _modify { yield &chunks[Int(position) >> Self.shift][Int(position) & Self.mask] }
    }

    /// The position after the last element; it fits, because a tree's limits are below 2^32.
    var end: UInt32 { UInt32(truncatingIfNeeded: count) }

    mutating func append(_ element: Element) {
        if count & Self.mask == 0 {
            var chunk: [Element] = []
            // The first chunk grows as arrays do, so that a small tree stays small.
            if count > 0 { chunk.reserveCapacity(1 << Self.shift) }
            chunks.append(chunk)
        }
        chunks[count >> Self.shift].append(element)
        count += 1
    }

    mutating func removeLast() {
        guard count > 0 else { return }
        count -= 1
        chunks[count >> Self.shift].removeLast()
        if count & Self.mask == 0 { chunks.removeLast() }
    }
}
