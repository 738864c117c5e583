internal import Wire

/// Runs of bytes, each kept once behind the other in blocks of 64 KiB, named by where they begin.
///
/// Before each run stand its length (2 bytes) and a link (4 bytes) for the use of whoever keeps it: the slot of the
/// record with this name, or the first record of this subject.
struct Arena: Sendable {
    private var blocks: [[UInt8]] = []

    private static let blockByteCount = 1 << 16
    private static let prefixByteCount = 6
    /// As many blocks as two bytes can number: 4 GiB.
    private static let blockLimit = 1 << 16

    /// The longest run that fits into a block.
    static let longestRun = blockByteCount - prefixByteCount
    /// Links to nothing.
    static let none = UInt32.max

    /// Where the next run would begin; truncating to it undoes what was appended since.
    var end: (block: Int, offset: Int) { (blocks.count, blocks.last?.count ?? 0) }

    var byteCount: Int { blocks.reduce(0) { $0 + $1.count } }

    /// Whether runs of so many bytes altogether, none longer than the longest, certainly still fit.
    func hasRoom(for byteCount: Int) -> Bool {
        // Each run may open a new block; a record has fewer than eight runs.
        blocks.count + 8 + byteCount / Self.longestRun < Self.blockLimit
    }

    /// Appends a run; its length is at most `longestRun`, and `hasRoom` was asked before.
    mutating func append(_ run: Span<UInt8>, link: UInt32) -> UInt32 {
        let needed = Self.prefixByteCount + run.count
        if blocks.isEmpty || blocks[blocks.count - 1].count + needed > Self.blockByteCount {
            var block: [UInt8] = []
            if !blocks.isEmpty { block.reserveCapacity(Self.blockByteCount) }
            blocks.append(block)
        }
        let last = blocks.count - 1
        let offset = blocks[last].count
        blocks[last].append(bigEndian: UInt16(truncatingIfNeeded: run.count))
        blocks[last].append(bigEndian: link)
        blocks[last].append(contentsOf: run)
        return UInt32(truncatingIfNeeded: last << 16 | offset)
    }

    mutating func truncate(to end: (block: Int, offset: Int)) {
        blocks.removeLast(max(0, blocks.count - end.block))
        if !blocks.isEmpty {
            let last = blocks.count - 1
            blocks[last].removeLast(max(0, blocks[last].count - end.offset))
        }
    }

    /// Whether the run there has exactly these bytes.
    @inline(__always)
    func holds(_ reference: UInt32, _ bytes: Span<UInt8>) -> Bool {
        let block = Int(reference >> 16)
        let start = Int(reference & 0xffff)
        guard Int(blocks[block][start]) << 8 | Int(blocks[block][start + 1]) == bytes.count else { return false }
        let from = start + Self.prefixByteCount
        for index in bytes.indices where blocks[block][from + index] != bytes[index] { return false }
        return true
    }

    /// Lends the bytes of the run there.
    func withRun<Result, Failure: Error>(
        _ reference: UInt32, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (block, range) = place(of: reference)
        let owner = blocks[block]
        return try body(owner.span.extracting(range))
    }

    /// A copy of the run there.
    func bytes(_ reference: UInt32) -> [UInt8] {
        let (block, range) = place(of: reference)
        return [UInt8](blocks[block][range])
    }

    /// The run there as text, which it was when it was appended.
    func text(_ reference: UInt32) -> String {
        let (block, range) = place(of: reference)
        return String(decoding: blocks[block][range], as: UTF8.self)
    }

    /// In which block the run lies, and where.
    @inline(__always)
    private func place(of reference: UInt32) -> (block: Int, range: Range<Int>) {
        let (block, start) = (Int(reference >> 16), Int(reference & 0xffff))
        let from = start + Self.prefixByteCount
        return (block, from..<from + (Int(blocks[block][start]) << 8 | Int(blocks[block][start + 1])))
    }

    func link(of reference: UInt32) -> UInt32 {
        let block = Int(reference >> 16)
        let start = Int(reference & 0xffff) + 2
        return UInt32(blocks[block][start]) << 24 | UInt32(blocks[block][start + 1]) << 16
            | UInt32(blocks[block][start + 2]) << 8 | UInt32(blocks[block][start + 3])
    }

    mutating func setLink(of reference: UInt32, to link: UInt32) {
        let start = Int(reference & 0xffff) + 2
        for byte in 0..<4 {
            blocks[Int(reference >> 16)][start + byte] = UInt8(truncatingIfNeeded: link >> UInt32(24 - 8 * byte))
        }
    }
}
