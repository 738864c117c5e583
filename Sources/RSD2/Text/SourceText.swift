/// The text of a document as its reader scans it: valid UTF-8, line ends made LF, and a NUL behind the end.
///
/// Neither XML nor YAML allows a NUL, so it stops every scan without a check of bounds beside it.
struct SourceText {
    /// What keeps bytes from being text.
    enum Fault: Error {
        case malformed(offset: Int)
        case forbidden(line: Int, scalar: UInt32)
    }

    private(set) var bytes: [UInt8] = []

    /// Reads UTF-8; `permits` decides on every scalar but printable ASCII and line ends.
    @inline(__always)
    init(utf8 source: Span<UInt8>, from start: Int, permits: (UInt32) -> Bool) throws(Fault) {
        // The text is never longer than the source: it is written into place, without a check of capacity at each byte.
        var output = [UInt8](repeating: 0, count: source.count - start + 1)
        var length = 0
        var index = start
        let count = source.count
        while index < count {
            let byte = source[index]
            if byte >= 0x20 && byte < 0x7F {
                output[length] = byte
                length += 1
                index += 1
            } else if byte == 0x0D {
                output[length] = 0x0A
                length += 1
                index += index + 1 < count && source[index + 1] == 0x0A ? 2 : 1
            } else {
                let (scalar, width) = try Self.scalar(in: source, at: index)
                guard permits(scalar) else { throw .forbidden(line: Self.line(at: length, in: output), scalar: scalar) }
                for offset in index..<index + width {
                    output[length] = source[offset]
                    length += 1
                }
                index += width
            }
        }
        output.removeLast(output.count - length - 1)
        bytes = output
    }

    /// Reads UTF-16 behind a byte order mark; `high` is where the high byte of a unit stands: 0 in big-endian, 1 in
    /// little-endian text.
    init(utf16 source: Span<UInt8>, high: Int, permits: (UInt32) -> Bool) throws(Fault) {
        let count = source.count
        guard count % 2 == 0 else { throw .malformed(offset: count - 1) }
        func unit(_ index: Int) -> UInt32 { UInt32(source[index + high]) << 8 | UInt32(source[index + 1 - high]) }
        var index = 2
        while index < count {
            var scalar = unit(index)
            let start = index
            index += 2
            if scalar & 0xF800 == 0xD800 {
                guard scalar < 0xDC00, index < count, unit(index) & 0xFC00 == 0xDC00 else {
                    throw .malformed(offset: start)
                }
                scalar = 0x10000 + (scalar & 0x3FF) << 10 + unit(index) & 0x3FF
                index += 2
            }
            if scalar == 0x0D {
                if index < count && unit(index) == 0x0A { index += 2 }
                scalar = 0x0A
            }
            guard permits(scalar) else { throw .forbidden(line: line(at: bytes.count), scalar: scalar) }
            bytes.appendUTF8(scalar)
        }
        bytes.append(0)
    }

    /// One scalar of UTF-8 by the table of well-formed sequences (Unicode 3.9, table 3-7).
    private static func scalar(in source: Span<UInt8>, at index: Int) throws(Fault) -> (UInt32, Int) {
        let lead = source[index]
        let length: Int
        var allowed: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0x00...0x7F: return (UInt32(lead), 1)
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, allowed) = (3, 0xA0...0xBF)
        case 0xED: (length, allowed) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, allowed) = (4, 0x90...0xBF)
        case 0xF4: (length, allowed) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: throw .malformed(offset: index)
        }
        guard source.count - index >= length else { throw .malformed(offset: index) }
        var scalar = UInt32(lead) & (0x7F >> UInt32(length))
        for offset in 1..<length {
            let byte = source[index + offset]
            guard allowed.contains(byte) else { throw .malformed(offset: index) }
            allowed = 0x80...0xBF
            scalar = scalar << 6 | UInt32(byte & 0x3F)
        }
        return (scalar, length)
    }

    /// The line of a place, counted only when something is wrong there.
    func line(at position: Int) -> Int { Self.line(at: position, in: bytes) }

    private static func line(at position: Int, in bytes: [UInt8]) -> Int {
        var line = 1
        for index in 0..<min(position, bytes.count) where bytes[index] == 0x0A { line += 1 }
        return line
    }

    /// The scalar at a place of the text, which is known to be well-formed, and its length; zero at the end.
    func scalar(at position: Int) -> (value: UInt32, length: Int) {
        let lead = UInt32(bytes[position])
        if lead < 0x80 { return (lead, 1) }
        func low(_ offset: Int) -> UInt32 { UInt32(bytes[position + offset] & 0x3F) }
        if lead < 0xE0 { return ((lead & 0x1F) << 6 | low(1), 2) }
        if lead < 0xF0 { return ((lead & 0x0F) << 12 | low(1) << 6 | low(2), 3) }
        return ((lead & 0x07) << 18 | low(1) << 12 | low(2) << 6 | low(3), 4)
    }
}

extension [UInt8] {
    /// Appends the UTF-8 bytes of a scalar value, which is at most 0x10FFFF and no surrogate.
    mutating func appendUTF8(_ scalar: UInt32) {
        switch scalar {
        case 0..<0x80:
            append(UInt8(truncatingIfNeeded: scalar))
        case 0x80..<0x800:
            append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
            append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        case 0x800..<0x10000:
            append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
            append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
            append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        default:
            append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
            append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 12 & 0x3F))
            append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
            append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        }
    }
}
