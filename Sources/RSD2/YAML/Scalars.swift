import Wire

/// A scalar as it was read, before it is known to be a key or a value.
struct YAMLScalar {
    let text: String
    let start: Int
    /// Bytes of source that it takes.
    let length: Int
    let isPlain: Bool
    let isSingleLine: Bool
    /// Whether the position is at a `:` that makes it a key of a block mapping.
    let isKey: Bool
}

extension YAMLReader {
    /// A plain or quoted scalar whose further lines are indented by at least so many spaces, and the white space behind
    /// it.
    mutating func scalar(leastIndent: Int, inFlow: Bool = false) throws(FormatRejection) -> YAMLScalar {
        let start = position
        let isPlain = try startsPlain(inFlow: inFlow)
        var isSingleLine = true
        let text =
            isPlain ? try plain(leastIndent, inFlow: inFlow, &isSingleLine) : try quoted(leastIndent, &isSingleLine)
        let length = position - start
        skipWhite()
        let isKey = !inFlow && peek() == UInt8(ascii: ":") && Self.isBlank(peek(1))
        guard isSingleLine || !isKey else { throw .longKey(line: here) }
        return YAMLScalar(
            text: text, start: start, length: length, isPlain: isPlain, isSingleLine: isSingleLine, isKey: isKey)
    }

    /// Whether a plain scalar begins here; false for a quote.
    ///
    /// Everything else that may begin a node is refused by its name.
    func startsPlain(inFlow: Bool) throws(FormatRejection) -> Bool {
        let next = peek(1)
        switch peek() {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return false
        case UInt8(ascii: "&"): throw .anchor(line: here)
        case UInt8(ascii: "*"): throw .alias(line: here)
        case UInt8(ascii: "!"): throw .tag(line: here)
        case UInt8(ascii: "?") where !isSafe(next, inFlow): throw .complexKey(line: here)
        case UInt8(ascii: ":") where !isSafe(next, inFlow): throw .emptyKey(line: here)
        case UInt8(ascii: "-") where !isSafe(next, inFlow):
            throw .unexpected(line: here, expected: "a value", in: .yaml)
        case UInt8(ascii: "@"), UInt8(ascii: "`"), UInt8(ascii: "%"), UInt8(ascii: "#"), UInt8(ascii: "|"),
            UInt8(ascii: ">"),
            UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"), 0:
            throw .unexpected(line: here, expected: "a value", in: .yaml)
        default: return true
        }
    }

    /// ns-plain-safe, production 127.
    private func isSafe(_ byte: UInt8, _ inFlow: Bool) -> Bool {
        !Self.isBlank(byte) && !(inFlow && Self.isFlowIndicator(byte))
    }

    static func isFlowIndicator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"): true
        default: false
        }
    }

    // MARK: plain scalars (section 7.3.3)

    /// Stands behind the last character of the scalar afterwards.
    mutating func plain(_ leastIndent: Int, inFlow: Bool, _ isSingleLine: inout Bool) throws(FormatRejection) -> String
    {
        var end = plainLineEnd(inFlow)
        var text = [UInt8](source.bytes[position..<end])
        position = end
        while let next = continuation(leastIndent, inFlow) {
            let stop = position
            position = next.start
            end = plainLineEnd(inFlow)
            guard end > next.start else {
                position = stop
                break
            }
            Self.fold(next.breaks, into: &text)
            text.append(contentsOf: source.bytes[next.start..<end])
            position = end
            isSingleLine = false
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Where the scalar's part of this line ends, trailing white space left out.
    private func plainLineEnd(_ inFlow: Bool) -> Int {
        var index = position
        var end = position
        while true {
            let byte = source.bytes[index]
            switch byte {
            case 0, 0x0A: return end
            case 0x20, 0x09:
                index += 1
                continue
            case UInt8(ascii: "#") where index == position || Self.isWhite(source.bytes[index - 1]): return end
            case UInt8(ascii: ":") where !isSafe(source.bytes[index + 1], inFlow): return end
            case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"):
                if inFlow { return end }
            default: break
            }
            index += 1
            end = index
        }
    }

    /// The next line with text of the scalar, if the scalar's part of this line reaches the line's end and the next is
    /// indented enough.
    private func continuation(_ leastIndent: Int, _ inFlow: Bool) -> (start: Int, breaks: Int)? {
        let bytes = source.bytes
        var index = position
        while Self.isWhite(bytes[index]) { index += 1 }
        guard bytes[index] == 0x0A else { return nil }
        var breaks = 0
        while bytes[index] == 0x0A {
            breaks += 1
            index += 1
            let lineStart = index
            while bytes[index] == 0x20 { index += 1 }
            let spaces = index - lineStart
            while Self.isWhite(bytes[index]) { index += 1 }
            if bytes[index] == 0x0A { continue }
            guard bytes[index] != 0, spaces >= leastIndent, !isMarker(at: lineStart) else { return nil }
        }
        return (index, breaks)
    }

    /// Line folding, section 6.5: one break is a space, more are one line feed less.
    static func fold(_ breaks: Int, into text: inout [UInt8]) {
        if breaks == 1 { text.append(0x20) } else { text.append(contentsOf: repeatElement(0x0A, count: breaks - 1)) }
    }

    // MARK: quoted scalars (sections 7.3.1 and 7.3.2)

    mutating func quoted(_ leastIndent: Int, _ isSingleLine: inout Bool) throws(FormatRejection) -> String {
        let start = position
        let quote = peek()
        position += 1
        var text: [UInt8] = []
        /// The length of the text up to which white space may not be trimmed.
        var kept = 0
        while true {
            let byte = peek()
            switch byte {
            case 0:
                throw .unfinished(line: source.line(at: start), construct: "a quoted scalar", in: .yaml)
            case quote where quote == UInt8(ascii: "'") && peek(1) == quote:
                text.append(quote)
                position += 2
            case quote:
                position += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\") where quote == UInt8(ascii: "\""):
                if peek(1) == 0x0A {
                    position += 1
                    let breaks = try quotedBreaks(leastIndent)
                    text.append(contentsOf: repeatElement(0x0A, count: breaks - 1))
                    isSingleLine = false
                } else {
                    try escape(into: &text)
                }
                kept = text.count
            case 0x0A:
                while text.count > kept, let last = text.last, Self.isWhite(last) { text.removeLast() }
                Self.fold(try quotedBreaks(leastIndent), into: &text)
                kept = text.count
                isSingleLine = false
            default:
                text.append(byte)
                position += 1
            }
        }
    }

    /// Takes line breaks and the white space at the start of the line behind them; answers how many breaks there are.
    private mutating func quotedBreaks(_ leastIndent: Int) throws(FormatRejection) -> Int {
        var breaks = 0
        while peek() == 0x0A {
            breaks += 1
            try takeBreak(leastIndent, within: "a quoted scalar")
        }
        return breaks
    }

    /// c-ns-esc-char, production 62.
    private mutating func escape(into text: inout [UInt8]) throws(FormatRejection) {
        let code = peek(1)
        position += 2
        switch code {
        case UInt8(ascii: "x"): text.appendUTF8(try hexadecimal(digits: 2))
        case UInt8(ascii: "u"): text.appendUTF8(try pairedScalar())
        case UInt8(ascii: "U"): text.appendUTF8(try scalar(try hexadecimal(digits: 8)))
        default:
            guard let scalar = Self.escapes[code] else {
                position -= 2
                throw .malformedEscape(line: here)
            }
            text.appendUTF8(scalar)
        }
    }

    private static let escapes: [UInt8: UInt32] = [
        UInt8(ascii: "0"): 0x00, UInt8(ascii: "a"): 0x07, UInt8(ascii: "b"): 0x08, UInt8(ascii: "t"): 0x09, 0x09: 0x09,
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "v"): 0x0B, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "r"): 0x0D,
        UInt8(ascii: "e"): 0x1B, 0x20: 0x20, UInt8(ascii: "\""): 0x22, UInt8(ascii: "/"): 0x2F,
        UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "N"): 0x85, UInt8(ascii: "_"): 0xA0, UInt8(ascii: "L"): 0x2028,
        UInt8(ascii: "P"): 0x2029,
    ]

    /// A `\u` escape; two that form a surrogate pair stand for one character, as in JSON, which YAML embraces.
    private mutating func pairedScalar() throws(FormatRejection) -> UInt32 {
        let high = try hexadecimal(digits: 4)
        guard high & 0xFC00 == 0xD800, peek() == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "u") else {
            return try scalar(high)
        }
        position += 2
        let low = try hexadecimal(digits: 4)
        guard low & 0xFC00 == 0xDC00 else { throw .malformedEscape(line: here) }
        return 0x10000 + (high & 0x3FF) << 10 + low & 0x3FF
    }

    private func scalar(_ value: UInt32) throws(FormatRejection) -> UInt32 {
        guard value <= 0x10FFFF, value & 0xFFFF_F800 != 0xD800 else { throw .malformedEscape(line: here) }
        return value
    }

    private mutating func hexadecimal(digits: Int) throws(FormatRejection) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = ASCII.hexValue(peek()) else { throw .malformedEscape(line: here) }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
