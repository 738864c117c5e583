import Wire

extension YAMLReader {
    /// A flow node, section 7.5: further lines are indented by at least so many spaces.
    mutating func flowNode(leastIndent: Int) throws(FormatRejection) -> JSON {
        switch peek() {
        case UInt8(ascii: "["): try flowSequence(leastIndent)
        case UInt8(ascii: "{"): try flowMapping(leastIndent)
        default: try resolved(try scalar(leastIndent: leastIndent, inFlow: true))
        }
    }

    /// White space, line ends and comments between the parts of a flow collection.
    private mutating func separate(_ leastIndent: Int) throws(FormatRejection) {
        while true {
            skipWhite()
            if isAtComment { skipLine() }
            guard peek() == 0x0A else { break }
            try takeBreak(leastIndent, within: "a flow collection", mayHaveComment: true)
        }
        guard peek() != 0 else { throw .unfinished(line: here, construct: "a flow collection", in: .yaml) }
    }

    /// Whether a `:` here parts a key from its value; behind a quoted key the value may be adjacent.
    private func isAtColon(behindPlain: Bool) -> Bool {
        peek() == UInt8(ascii: ":") && (!behindPlain || Self.isBlank(peek(1)) || Self.isFlowIndicator(peek(1)))
    }

    /// The items of a flow collection up to its closing bracket, which commas part.
    private mutating func flowItems(
        until close: UInt8, _ leastIndent: Int, _ item: (inout YAMLReader) throws(FormatRejection) -> Void
    ) throws(FormatRejection) {
        try descend()
        defer { depth -= 1 }
        position += 1
        try separate(leastIndent)
        while peek() != close {
            try item(&self)
            try separate(leastIndent)
            if peek() == UInt8(ascii: ",") {
                position += 1
                try separate(leastIndent)
            } else if peek() != close {
                let bracket = Character(Unicode.Scalar(close))
                throw .unexpected(line: here, expected: "',' or '\(bracket)'", in: .yaml)
            }
        }
        position += 1
    }

    private var isAtOpening: Bool { peek() == UInt8(ascii: "[") || peek() == UInt8(ascii: "{") }

    private mutating func flowSequence(_ leastIndent: Int) throws(FormatRejection) -> JSON {
        var elements: [JSON] = []
        try flowItems(until: UInt8(ascii: "]"), leastIndent) { reader throws(FormatRejection) in
            elements.append(try reader.flowElement(leastIndent))
        }
        return .array(elements)
    }

    /// An element of a flow sequence, which may be a single pair without braces.
    private mutating func flowElement(_ leastIndent: Int) throws(FormatRejection) -> JSON {
        if isAtOpening {
            let value = try flowNode(leastIndent: leastIndent)
            skipWhite()
            guard peek() != UInt8(ascii: ":") else { throw .complexKey(line: here) }
            return value
        }
        let scalar = try scalar(leastIndent: leastIndent, inFlow: true)
        guard isAtColon(behindPlain: scalar.isPlain) else { return try resolved(scalar) }
        let name = try name(scalar, in: JSON.Object())
        return .object([name: try flowValue(leastIndent)])
    }

    private mutating func flowMapping(_ leastIndent: Int) throws(FormatRejection) -> JSON {
        var members = JSON.Object()
        try flowItems(until: UInt8(ascii: "}"), leastIndent) { reader throws(FormatRejection) in
            if reader.isAtOpening { throw .complexKey(line: reader.here) }
            let key = try reader.scalar(leastIndent: leastIndent, inFlow: true)
            let name = try reader.name(key, in: members, mayBeLong: true)
            try reader.separate(leastIndent)
            let hasValue = reader.isAtColon(behindPlain: key.isPlain)
            members[name] = hasValue ? try reader.flowValue(leastIndent) : .null
        }
        return .object(members)
    }

    /// The value behind the `:` of a pair, null if there is none.
    private mutating func flowValue(_ leastIndent: Int) throws(FormatRejection) -> JSON {
        position += 1
        try separate(leastIndent)
        switch peek() {
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): return .null
        default: return try flowNode(leastIndent: leastIndent)
        }
    }
}
