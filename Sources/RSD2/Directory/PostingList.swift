/// The documents that have something in common, by their numbers: a short list while they are few, a bitmap when they
/// are many.
///
/// Changing one costs at most a walk of the short list; none is ever rebuilt but at the two thresholds, which lie apart
/// so that a list cannot be thrown to and fro between them by single changes.
struct PostingList: Sendable {
    /// Above this many the bitmap takes over: a walk of the list then costs as much as one of the bitmap of 32,768
    /// documents.
    static let longestList = 512
    /// Below this many the list comes back.
    static let smallestBitmap = 256

    private(set) var count = 0
    private var list: [UInt32] = []
    private var bitmap: [UInt64] = []

    var isDense: Bool { !bitmap.isEmpty }

    /// Adds a number that is not in the posting.
    mutating func insert(_ number: UInt32) {
        count += 1
        guard isDense || count > Self.longestList else { return list.append(number) }
        if !isDense {
            let moved = list
            list = []
            for number in moved { set(number) }
        }
        set(number)
    }

    /// Takes out a number that is in the posting.
    mutating func remove(_ number: UInt32) {
        count -= 1
        guard isDense else {
            if let position = list.firstIndex(of: number) {
                list.swapAt(position, list.count - 1)
                list.removeLast()
            }
            return
        }
        bitmap[Int(number / 64)] &= ~(1 << UInt64(number % 64))
        guard count < Self.smallestBitmap else { return }
        list = numbers
        bitmap = []
    }

    private mutating func set(_ number: UInt32) {
        let word = Int(number / 64)
        if word >= bitmap.count { bitmap.append(contentsOf: repeatElement(0, count: word + 1 - bitmap.count)) }
        bitmap[word] |= 1 << UInt64(number % 64)
    }

    func contains(_ number: UInt32) -> Bool {
        guard isDense else { return list.contains(number) }
        let word = Int(number / 64)
        return word < bitmap.count && bitmap[word] & 1 << UInt64(number % 64) != 0
    }

    /// All numbers, in no order that means anything.
    var numbers: [UInt32] {
        guard isDense else { return list }
        var numbers: [UInt32] = []
        numbers.reserveCapacity(count)
        for index in bitmap.indices { Self.append(bitmap[index], at: index, to: &numbers) }
        return numbers
    }

    /// The numbers that are in all postings, of which there must be one at least.
    ///
    /// A short list is walked, each number looked up in the other postings; if all are bitmaps, they are joined word
    /// by word.
    static func common(_ postings: [PostingList]) -> [UInt32] {
        let ordered = postings.sorted { $0.count < $1.count }
        guard let smallest = ordered.first else { return [] }
        let others = ordered.dropFirst()
        guard smallest.isDense else {
            return smallest.list.filter { number in others.allSatisfy { $0.contains(number) } }
        }
        var numbers: [UInt32] = []
        let length = ordered.map { $0.bitmap.count }.min() ?? 0
        for index in 0..<length {
            var word = smallest.bitmap[index]
            for other in others where word != 0 { word &= other.bitmap[index] }
            append(word, at: index, to: &numbers)
        }
        return numbers
    }

    @inline(__always)
    private static func append(_ bits: UInt64, at index: Int, to numbers: inout [UInt32]) {
        var word = bits
        while word != 0 {
            numbers.append(UInt32(truncatingIfNeeded: index * 64 + word.trailingZeroBitCount))
            word &= word &- 1
        }
    }
}
