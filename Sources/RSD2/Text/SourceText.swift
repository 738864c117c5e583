import Wire

/// The text of a document as its reader scans it: valid UTF-8, line ends made LF, and a NUL behind the end.
///
/// Neither XML nor YAML allows a NUL, so it stops every scan without a check of bounds beside it.
struct SourceText {
    enum Format {
        case xml
        case yaml

        /// Char of XML, production 2; c-printable of YAML, production 1.
        func permits(_ scalar: UInt32) -> Bool {
            switch scalar {
            case 0x20...0x7E, 0x09, 0x0A, 0x0D, 0x85, 0xA0...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
            case 0x7F...0x9F: self == .xml
            default: false
            }
        }
    }

    let bytes: [UInt8]
    let isUTF16: Bool

    /// Reads UTF-8, with a byte order mark or without; as XML also UTF-16 behind one.
    init(_ source: Span<UInt8>, as format: Format) throws(FormatRejection) {
        let first = source.count > 0 ? source[0] : 0
        let second = source.count > 1 ? source[1] : 0
        isUTF16 = format == .xml && (first == 0xFE && second == 0xFF || first == 0xFF && second == 0xFE)
        bytes =
            try isUTF16
            ? Self.text(fromUTF16: source, high: first == 0xFE ? 0 : 1)
            : Self.text(source, from: Self.hasMark(source) ? 3 : 0, format)
    }

    private static func hasMark(_ source: Span<UInt8>) -> Bool {
        source.count > 2 && source[0] == 0xEF && source[1] == 0xBB && source[2] == 0xBF
    }

    private static func text(
        _ source: Span<UInt8>, from start: Int, _ format: Format
    ) throws(FormatRejection) -> [UInt8] {
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
                guard let (scalar, width) = scalar(in: source, at: index) else {
                    throw .malformedEncoding(offset: index, in: format)
                }
                guard format.permits(scalar) else {
                    throw .forbiddenCharacter(line: line(at: length, in: output), scalar: scalar, in: format)
                }
                for offset in index..<index + width {
                    output[length] = source[offset]
                    length += 1
                }
                index += width
            }
        }
        output.removeLast(output.count - length - 1)
        return output
    }

    /// A scalar of UTF-8 and its length, or `nil` if the bytes are ill-formed.
    private static func scalar(in source: Span<UInt8>, at index: Int) -> (UInt32, Int)? {
        if source[index] < 0x80 { return (UInt32(source[index]), 1) }
        var sequence: [UInt8] = []
        for offset in index..<min(index + 4, source.count) { sequence.append(source[offset]) }
        var rest = sequence.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        guard case .valid(let encoded) = parser.parseScalar(from: &rest) else { return nil }
        return (Unicode.UTF8.decode(encoded).value, encoded.count)
    }

    /// Reads UTF-16 behind a byte order mark; `high` is where the high byte of a unit stands: 0 in big-endian, 1 in
    /// little-endian text.
    private static func text(fromUTF16 source: Span<UInt8>, high: Int) throws(FormatRejection) -> [UInt8] {
        let count = source.count
        guard count % 2 == 0 else { throw .malformedEncoding(offset: count - 1, in: .xml) }
        func unit(_ index: Int) -> UInt32 { UInt32(source[index + high]) << 8 | UInt32(source[index + 1 - high]) }
        var bytes: [UInt8] = []
        var index = 2
        while index < count {
            var scalar = unit(index)
            if scalar & 0xF800 == 0xD800 {
                guard scalar < 0xDC00, index + 2 < count, unit(index + 2) & 0xFC00 == 0xDC00 else {
                    throw .malformedEncoding(offset: index, in: .xml)
                }
                scalar = 0x10000 + (scalar & 0x3FF) << 10 + unit(index + 2) & 0x3FF
                index += 2
            }
            index += 2
            bytes.appendUTF8(scalar)
        }
        return try text(bytes.span, from: 0, .xml)
    }

    /// The line of a place, counted only when something is wrong there.
    func line(at position: Int) -> Int { Self.line(at: position, in: bytes) }

    private static func line(at position: Int, in bytes: [UInt8]) -> Int {
        1 + bytes.prefix(position).count { $0 == 0x0A }
    }

    /// The scalar at a place of the text, which is known to be well-formed, and its length; zero at the end.
    @inline(__always)
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
        if scalar < 0x80 { return append(UInt8(truncatingIfNeeded: scalar)) }
        if let scalar = Unicode.Scalar(scalar) { append(contentsOf: scalar.utf8) }
    }
}

extension String {
    /// The text without the white space around it, or `nil` if there is none around it.
    var trimmed: String? {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte >= 0x09 && byte <= 0x0D }
        guard let first = utf8.first, let last = utf8.last, isSpace(first) || isSpace(last) else { return nil }
        let start = utf8.firstIndex { !isSpace($0) } ?? utf8.endIndex
        let end = utf8.lastIndex { !isSpace($0) }.map { utf8.index(after: $0) } ?? start
        return String(self[start..<end])
    }
}

extension Sequence<UInt8> {
    /// The text of bytes that are UTF-8, with its ASCII letters in lower case.
    var lowercasedText: String { String(decoding: map { ASCII.lowercased($0) }, as: UTF8.self) }
}
