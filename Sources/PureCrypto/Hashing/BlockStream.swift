/// The eight chaining words of a SHA-2 hash, H0 to H7 of FIPS 180-4.
@usableFromInline
struct ChainingWords<Word: FixedWidthInteger & UnsignedInteger & BitwiseCopyable & Sendable>: BitwiseCopyable, Sendable
{
    var h0, h1, h2, h3, h4, h5, h6, h7: Word

    /// The words so ordered in memory that their bytes are those of the digest.
    var bigEndian: Self {
        Self(
            h0: h0.bigEndian, h1: h1.bigEndian, h2: h2.bigEndian, h3: h3.bigEndian,
            h4: h4.bigEndian, h5: h5.bigEndian, h6: h6.bigEndian, h7: h7.bigEndian)
    }
}

/// The compression function of a hash together with its chaining value.
protocol ChainingValue: BitwiseCopyable, Sendable {
    /// A whole block kept inline, because a hasher with an array in it costs twice the time.
    associatedtype Block: BitwiseCopyable, Sendable

    /// A block of zeros.
    static var emptyBlock: Block { get }

    /// The bytes at the end of the last block that hold the message's length in bits: 8 or 16.
    static var lengthByteCount: Int { get }

    /// Compresses `count` blocks that start at `blocks`, at any alignment.
    mutating func absorb(_ blocks: UnsafeRawPointer, count: Int)
}

/// A message on its way through a compression function: cut into blocks, the incomplete last one kept, padded at the
/// end.
struct BlockStream<Chain: ChainingValue>: BitwiseCopyable, Sendable {
    private(set) var chain: Chain

    /// The incomplete block; its bytes beyond those that are filled are zero, as the padding wants them.
    private var pending: Chain.Block

    /// The message's length so far, modulo 2^128 bytes; SHA-256 writes only its low 61 bits, so a longer message wraps
    /// instead of trapping.
    private var byteCount: UInt128

    /// Goes on from a chaining value that so many bytes, whole blocks of them, have led to.
    init(_ chain: Chain, after byteCount: UInt128 = 0) {
        self.chain = chain
        pending = Chain.emptyBlock
        self.byteCount = byteCount
    }

    private static var blockByteCount: Int { MemoryLayout<Chain.Block>.size }

    /// How much of the pending block is filled: always less than a whole block.
    private var pendingByteCount: Int { Int(truncatingIfNeeded: byteCount) & (Self.blockByteCount - 1) }

    mutating func append(_ data: Span<UInt8>) {
        data.withUnsafeBytes { append($0) }
    }

    private mutating func append(_ data: UnsafeRawBufferPointer) {
        guard var source = data.baseAddress else { return }
        var remaining = data.count
        let filled = pendingByteCount
        byteCount &+= UInt128(truncatingIfNeeded: remaining)

        if filled > 0 {
            // Bound: filled + taken ≤ blockByteCount and taken ≤ remaining.
            let taken = min(Self.blockByteCount - filled, remaining)
            withUnsafeMutableBytes(of: &pending) { block in
                guard let start = block.baseAddress else { return }
                (start + filled).copyMemory(from: source, byteCount: taken)
            }
            source += taken
            remaining -= taken
            guard filled + taken == Self.blockByteCount else { return }
            chain.absorb(&pending)
            pending = Chain.emptyBlock
        }

        // Bound: wholeBlocks · blockByteCount ≤ remaining.
        let wholeBlocks = remaining / Self.blockByteCount
        if wholeBlocks > 0 {
            chain.absorb(source, count: wholeBlocks)
            source += wholeBlocks * Self.blockByteCount
            remaining -= wholeBlocks * Self.blockByteCount
        }

        if remaining > 0 {
            // Bound: remaining < blockByteCount.
            withUnsafeMutableBytes(of: &pending) { block in
                block.baseAddress?.copyMemory(from: source, byteCount: remaining)
            }
        }
    }

    /// The chaining value after the padding of FIPS 180-4, section 5.1: a one bit, zeros, the length in bits.
    func finished() -> Chain {
        let filled = pendingByteCount
        let lengthOffset = Self.blockByteCount - Chain.lengthByteCount
        let bitCount = byteCount &<< 3
        var chain = chain
        var block = pending
        // Bound: filled < blockByteCount, so the one bit always has room.
        withUnsafeMutableBytes(of: &block) { $0[filled] = 0x80 }
        if filled >= lengthOffset {
            chain.absorb(&block)
            block = Chain.emptyBlock
        }
        withUnsafeMutableBytes(of: &block) { block in
            if Chain.lengthByteCount == 16 {
                block.storeBytes(
                    of: UInt64(truncatingIfNeeded: bitCount &>> 64).bigEndian, toByteOffset: lengthOffset,
                    as: UInt64.self)
            }
            block.storeBytes(
                of: UInt64(truncatingIfNeeded: bitCount).bigEndian, toByteOffset: Self.blockByteCount - 8,
                as: UInt64.self)
        }
        chain.absorb(&block)
        return chain
    }
}

extension ChainingValue {
    fileprivate mutating func absorb(_ block: inout Block) {
        withUnsafeBytes(of: &block) { block in
            guard let start = block.baseAddress else { return }
            absorb(start, count: 1)
        }
    }
}
