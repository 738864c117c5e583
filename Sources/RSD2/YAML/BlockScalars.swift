extension YAMLReader {
    private enum Chomping {
        case strip
        case clip
        case keep
    }

    /// A literal or folded scalar (section 8.1); stands at the start of the line behind it afterwards.
    mutating func blockScalar(parent: Int) throws(FormatRejection) -> String {
        let isFolded = peek() == UInt8(ascii: ">")
        let (chomping, explicit) = try blockHeader()
        let least = parent + 1
        // At the top there is no parent to be deeper than, so the indicator counts from the margin.
        var indent = explicit.map { max(parent, 0) + $0 }
        var text: [UInt8] = []
        var breaks = 0
        var widestBlank = 0
        var hasContent = false
        var wasSpaced = false
        while peek() != 0 {
            let start = position
            var spaces = 0
            while peek(spaces) == 0x20 && (indent.map { spaces < $0 } ?? true) { spaces += 1 }
            let next = peek(spaces)
            if next == 0x0A || next == 0 {
                // A blank line; as the very last one it needs no line end.
                position += spaces + (next == 0 ? 0 : 1)
                widestBlank = max(widestBlank, spaces)
                breaks += 1
                continue
            }
            if spaces < (indent ?? least) {
                guard next != 0x09 else { throw .tab(line: here) }
                break
            }
            if indent == nil {
                guard widestBlank <= spaces else { throw .indentation(line: here) }
                indent = spaces
            }
            guard !(spaces == 0 && isMarker(at: start)) else { break }
            position += spaces
            let lineStart = position
            while peek() != 0x0A && peek() != 0 { position += 1 }
            let isSpaced = Self.isWhite(source.bytes[lineStart])
            if isFolded && hasContent && !isSpaced && !wasSpaced {
                Self.fold(breaks, into: &text)
            } else {
                text.append(contentsOf: repeatElement(0x0A, count: breaks))
            }
            text.append(contentsOf: source.bytes[lineStart..<position])
            if peek() == 0x0A { position += 1 }
            breaks = 1
            hasContent = true
            wasSpaced = isSpaced
        }
        switch chomping {
        case .strip: break
        case .clip: if hasContent { text.append(0x0A) }
        case .keep: text.append(contentsOf: repeatElement(0x0A, count: breaks))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Indentation and chomping indicators, in either order, then at most a comment.
    private mutating func blockHeader() throws(FormatRejection) -> (Chomping, Int?) {
        var chomping: Chomping?
        var indent: Int?
        position += 1
        indicators: while true {
            let byte = peek()
            switch byte {
            case UInt8(ascii: "-") where chomping == nil: chomping = .strip
            case UInt8(ascii: "+") where chomping == nil: chomping = .keep
            case UInt8(ascii: "1")...UInt8(ascii: "9") where indent == nil: indent = Int(byte) - 0x30
            case 0x20, 0x09, 0x0A, 0: break indicators
            default: throw .malformedBlockHeader(line: here)
            }
            position += 1
        }
        skipWhite()
        guard isAtComment || peek() == 0x0A || peek() == 0 else { throw .malformedBlockHeader(line: here) }
        try endLine()
        return (chomping ?? .clip, indent)
    }
}
