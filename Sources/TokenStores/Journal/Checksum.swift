/// CRC-32 as in ISO 3309 and gzip: tells bytes that were torn by a crash from bytes that were written whole.
///
/// Against somebody who alters files it is no help; that is what the tree's hash chain is for.
struct Checksum {
    /// The remainders of all bytes, of all bytes with one zero byte behind them, and so on up to seven.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var remainder = UInt32(byte)
            for _ in 0..<8 { remainder = remainder & 1 == 1 ? 0xedb8_8320 ^ remainder >> 1 : remainder >> 1 }
            tables[byte] = remainder
        }
        for index in 256..<tables.count {
            let shorter = tables[index - 256]
            tables[index] = tables[Int(shorter & 0xff)] ^ shorter >> 8
        }
        return tables
    }()

    /// The checksum of bytes, eight at a time.
    static func of(_ bytes: [UInt8]) -> UInt32 {
        let bytes = bytes.span
        let tables = Self.tables.span
        var remainder = UInt32.max
        var place = 0
        while place + 8 <= bytes.count {
            var low = remainder
            for byte in 0..<4 { low ^= UInt32(bytes[place + byte]) << UInt32(8 * byte) }
            remainder = 0
            for byte in 0..<4 {
                remainder ^= tables[(7 - byte) << 8 | Int(low >> UInt32(8 * byte) & 0xff)]
                remainder ^= tables[(3 - byte) << 8 | Int(bytes[place + 4 + byte])]
            }
            place += 8
        }
        while place < bytes.count {
            remainder = tables[Int((remainder ^ UInt32(bytes[place])) & 0xff)] ^ remainder >> 8
            place += 1
        }
        return ~remainder
    }
}
