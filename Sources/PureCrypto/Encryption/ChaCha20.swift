/// The stream cipher of RFC 8439 §2.4: 64 bytes of key stream for each number of a block, under a key and a nonce.
///
/// Additions, exclusive ors and rotations by fixed counts: its time depends on lengths only.
struct ChaCha20 {
    /// The rows of the state: four constants, the key's two halves, and the number of the block with the nonce.
    private typealias Row = SIMD4<UInt32>

    private let key: (Row, Row)
    private let nonce: Row

    /// "expand 32-byte k".
    private static let constants = Row(0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574)

    /// The number of bytes in a block of key stream.
    static let blockByteCount = 64

    /// - Parameter key: 32 bytes.
    /// - Parameter nonce: 12 bytes.
    init(key: Span<UInt8>, nonce: Span<UInt8>) {
        self.key = (Self.row(key, from: 0), Self.row(key, from: 16))
        self.nonce = Row(0, Self.word(nonce, at: 0), Self.word(nonce, at: 4), Self.word(nonce, at: 8))
    }

    private static func word(_ bytes: Span<UInt8>, at index: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[index + $1]) << (8 * UInt32($1)) }
    }

    private static func row(_ bytes: Span<UInt8>, from index: Int) -> Row {
        Row(word(bytes, at: index), word(bytes, at: index + 4), word(bytes, at: index + 8), word(bytes, at: index + 12))
    }

    /// The key stream of a block.
    ///
    /// Bound: 64 bytes are writable from `place` on.
    func keyStream(of block: UInt32, to place: UnsafeMutablePointer<UInt8>) {
        let start = (Self.constants, key.0, key.1, nonce &+ Row(block, 0, 0, 0))
        var (a, b, c, d) = start
        for _ in 0..<10 {
            Self.quarterRounds(&a, &b, &c, &d)
            // The diagonals become columns, and after that columns again.
            (b, c, d) = (Self.turned(b, 1), Self.turned(c, 2), Self.turned(d, 3))
            Self.quarterRounds(&a, &b, &c, &d)
            (b, c, d) = (Self.turned(b, 3), Self.turned(c, 2), Self.turned(d, 1))
        }
        Self.write(a &+ start.0, to: place)
        Self.write(b &+ start.1, to: place + 16)
        Self.write(c &+ start.2, to: place + 32)
        Self.write(d &+ start.3, to: place + 48)
    }

    /// Four quarter rounds (§2.1), one in each column.
    @inline(__always)
    private static func quarterRounds(_ a: inout Row, _ b: inout Row, _ c: inout Row, _ d: inout Row) {
        a = a &+ b
        d = rotated(d ^ a, by: 16)
        c = c &+ d
        b = rotated(b ^ c, by: 12)
        a = a &+ b
        d = rotated(d ^ a, by: 8)
        c = c &+ d
        b = rotated(b ^ c, by: 7)
    }

    @inline(__always)
    private static func rotated(_ row: Row, by count: UInt32) -> Row {
        row &<< Row(repeating: count) | row &>> Row(repeating: 32 - count)
    }

    /// The row with its words moved to the left.
    @inline(__always)
    private static func turned(_ row: Row, _ count: Int) -> Row {
        switch count {
        case 1: Row(row[1], row[2], row[3], row[0])
        case 2: Row(row[2], row[3], row[0], row[1])
        default: Row(row[3], row[0], row[1], row[2])
        }
    }

    @inline(__always)
    private static func write(_ row: Row, to place: UnsafeMutablePointer<UInt8>) {
        for index in 0..<4 {
            UnsafeMutableRawPointer(place + 4 * index).storeBytes(of: row[index].littleEndian, as: UInt32.self)
        }
    }

    /// Joins bytes with the key stream, from the block of a number on.
    ///
    /// Bound: `count` bytes are writable from `bytes` on, and fewer than 2³² blocks of them.
    func join(_ bytes: UnsafeMutablePointer<UInt8>, count: Int, from block: UInt32) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.blockByteCount) { stream in
            guard let key = stream.baseAddress else { return }
            var (block, index) = (block, 0)
            while index < count {
                keyStream(of: block, to: key)
                let length = min(Self.blockByteCount, count - index)
                for offset in 0..<length { bytes[index + offset] ^= key[offset] }
                (block, index) = (block &+ 1, index + length)
            }
            erase(UnsafeMutableRawBufferPointer(stream))
        }
    }
}
