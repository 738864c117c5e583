import Wire

extension YAMLReader {
    /// A flow node, section 7.5: further lines are indented by at least so many spaces.
    mutating func flowNode(leastIndent: Int) throws(YAML.Rejection) -> JSON {
        switch peek() {
        case UInt8(ascii: "["): try flowSequence(leastIndent)
        case UInt8(ascii: "{"): try flowMapping(leastIndent)
        default: try resolved(try flowScalar(leastIndent))
        }
    }

    private mutating func flowScalar(_ leastIndent: Int) throws(YAML.Rejection) -> YAMLScalar {
        let start = position
        let isPlain = try startsPlain(inFlow: true)
        var isSingleLine = true
        let text =
            isPlain ? try plain(leastIndent, inFlow: true, &isSingleLine) : try quoted(leastIndent, &isSingleLine)
        return YAMLScalar(
            text: text, start: start, length: position - start, isPlain: isPlain, isSingleLine: isSingleLine,
            isKey: false
        )
    }

    /// White space, line ends and comments between the parts of a flow collection.
    private mutating func separate(_ leastIndent: Int) throws(YAML.Rejection) {
        while true {
            skipWhite()
            if isAtComment {
                while peek() != 0x0A && peek() != 0 { position += 1 }
            }
            guard peek() == 0x0A else { break }
            position += 1
            guard !isAtMarker else {
                throw .unexpected(line: here, expected: "the end of a flow collection before a document marker")
            }
            let start = position
            while peek() == 0x20 { position += 1 }
            let spaces = position - start
            skipWhite()
            let isEmpty = peek() == 0x0A || peek() == 0 || isAtComment
            guard isEmpty || spaces >= leastIndent else {
                throw position > start + spaces ? .tab(line: here) : .indentation(line: here)
            }
        }
        guard peek() != 0 else { throw .unfinished(line: here, construct: "a flow collection") }
    }

    /// Whether a `:` here parts a key from its value; behind a quoted key the value may be adjacent.
    private func isAtColon(behindPlain: Bool) -> Bool {
        peek() == UInt8(ascii: ":") && (!behindPlain || Self.isBlank(peek(1)) || Self.isFlowIndicator(peek(1)))
    }

    private mutating func flowSequence(_ leastIndent: Int) throws(YAML.Rejection) -> JSON {
        try descend()
        defer { depth -= 1 }
        var elements: [JSON] = []
        position += 1
        try separate(leastIndent)
        while peek() != UInt8(ascii: "]") {
            elements.append(try flowElement(leastIndent))
            try separate(leastIndent)
            if peek() == UInt8(ascii: ",") {
                position += 1
                try separate(leastIndent)
            } else if peek() != UInt8(ascii: "]") {
                throw .unexpected(line: here, expected: "',' or ']'")
            }
        }
        position += 1
        return .array(elements)
    }

    /// An element of a flow sequence, which may be a single pair without braces.
    private mutating func flowElement(_ leastIndent: Int) throws(YAML.Rejection) -> JSON {
        if peek() == UInt8(ascii: "[") || peek() == UInt8(ascii: "{") {
            let value = try flowNode(leastIndent: leastIndent)
            skipWhite()
            guard peek() != UInt8(ascii: ":") else { throw .complexKey(line: here) }
            return value
        }
        let scalar = try flowScalar(leastIndent)
        skipWhite()
        guard isAtColon(behindPlain: scalar.isPlain) else { return try resolved(scalar) }
        let name = try name(scalar, in: JSON.Object())
        return .object([name: try flowValue(leastIndent)])
    }

    private mutating func flowMapping(_ leastIndent: Int) throws(YAML.Rejection) -> JSON {
        try descend()
        defer { depth -= 1 }
        var members = JSON.Object()
        position += 1
        try separate(leastIndent)
        while peek() != UInt8(ascii: "}") {
            if peek() == UInt8(ascii: "[") || peek() == UInt8(ascii: "{") { throw .complexKey(line: here) }
            let key = try flowScalar(leastIndent)
            // Between braces a key may run over lines.
            let name = try name(key.asSingleLine, in: members)
            try separate(leastIndent)
            members[name] = isAtColon(behindPlain: key.isPlain) ? try flowValue(leastIndent) : .null
            try separate(leastIndent)
            if peek() == UInt8(ascii: ",") {
                position += 1
                try separate(leastIndent)
            } else if peek() != UInt8(ascii: "}") {
                throw .unexpected(line: here, expected: "',' or '}'")
            }
        }
        position += 1
        return .object(members)
    }

    /// What follows the `:` of a pair, which may be nothing.
    private mutating func flowValue(_ leastIndent: Int) throws(YAML.Rejection) -> JSON {
        position += 1
        try separate(leastIndent)
        switch peek() {
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): return .null
        default: return try flowNode(leastIndent: leastIndent)
        }
    }
}

extension YAMLScalar {
    fileprivate var asSingleLine: YAMLScalar {
        YAMLScalar(
            text: text, start: start, length: min(length, 1024), isPlain: isPlain, isSingleLine: true, isKey: isKey)
    }
}
