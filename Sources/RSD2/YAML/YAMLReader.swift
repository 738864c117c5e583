import Wire

/// A reader by recursive descent; `depthLimit` bounds the recursion.
///
/// Between nodes of block collections it stands at the first character of the next line that has content, whose
/// indentation it knows.
struct YAMLReader {
    let source: SourceText
    let depthLimit: Int
    var position = 0
    /// Leading spaces of the line that was entered last.
    var indent = 0
    /// Whether tabs stand between the leading spaces and the content, which then may not begin a block collection.
    var isTabbed = false
    /// Whether the end of the text or a document marker has been reached.
    private(set) var hasEnded = false
    private var lineStart = 0
    var depth = 0

    init(source: SourceText, depthLimit: Int) {
        self.source = source
        self.depthLimit = depthLimit
    }

    /// The line of the position; counted from the start each time, so only for an error.
    var here: Int { source.line(at: position) }

    @inline(__always)
    func peek(_ offset: Int = 0) -> UInt8 {
        let index = position + offset
        return index < source.bytes.count ? source.bytes[index] : 0
    }

    static func isWhite(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// White space, a line end, or the end of the text.
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0 }

    mutating func skipWhite() {
        while Self.isWhite(source.bytes[position]) { position += 1 }
    }

    var isAtComment: Bool {
        peek() == UInt8(ascii: "#") && (position == 0 || Self.isBlank(source.bytes[position - 1]))
    }

    var isAtMarker: Bool { isMarker(at: position) }

    /// Whether `---` or `...` stands at a place, which must be the start of a line.
    func isMarker(at index: Int) -> Bool {
        let bytes = source.bytes
        let byte = bytes[index]
        guard byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") else { return false }
        return bytes[index + 1] == byte && bytes[index + 2] == byte && Self.isBlank(bytes[index + 3])
    }

    private var isAtDash: Bool { peek() == UInt8(ascii: "-") && Self.isBlank(peek(1)) }

    mutating func skipLine() {
        while source.bytes[position] != 0x0A && source.bytes[position] != 0 { position += 1 }
    }

    /// Takes the rest of a line, which may be a comment.
    mutating func endLine() throws(FormatRejection) {
        skipWhite()
        if isAtComment { skipLine() }
        switch peek() {
        case 0x0A: position += 1
        case 0: break
        default: throw .unexpected(line: here, expected: "the end of the line", in: .yaml)
        }
    }

    /// Takes a line break within a node and the white space behind it: the next line is indented by at least so many
    /// spaces, unless it is empty.
    mutating func takeBreak(
        _ leastIndent: Int, within construct: String, mayHaveComment: Bool = false
    ) throws(FormatRejection) {
        position += 1
        guard !isAtMarker else {
            throw .unexpected(line: here, expected: "the end of \(construct) before a document marker", in: .yaml)
        }
        let start = position
        while peek() == 0x20 { position += 1 }
        let spaces = position - start
        skipWhite()
        let isEmpty = peek() == 0x0A || peek() == 0 || mayHaveComment && isAtComment
        guard isEmpty || spaces >= leastIndent else {
            throw position > start + spaces ? .tab(line: here) : .indentation(line: here)
        }
    }

    /// Goes on to the next line that has content; stands at the start of a line before.
    mutating func enterLine() {
        while true {
            lineStart = position
            while peek() == 0x20 { position += 1 }
            indent = position - lineStart
            let spaces = position
            skipWhite()
            isTabbed = position > spaces
            switch peek() {
            case 0x0A: position += 1
            case UInt8(ascii: "#"):
                skipLine()
                if peek() == 0x0A { position += 1 }
            case 0:
                hasEnded = true
                return
            default:
                hasEnded = position == lineStart && isAtMarker
                return
            }
        }
    }

    private mutating func nextLine() throws(FormatRejection) {
        try endLine()
        enterLine()
    }

    // MARK: documents (chapter 9)

    mutating func document() throws(FormatRejection) -> JSON {
        enterLine()
        var value = JSON.null
        if hasEnded && peek() == UInt8(ascii: "-") {
            position += 3
            value = try blockValue(parent: -1, mayNest: false, takesSequence: false)
        } else if hasEnded {
            throw .missingDocument
        } else if position == lineStart && peek() == UInt8(ascii: "%") {
            throw .directive(line: here)
        } else {
            value = try blockNode(parent: -1, column: indent, mayNest: !isTabbed)
        }
        while hasEnded && peek() == UInt8(ascii: ".") {
            position += 3
            try nextLine()
            guard hasEnded else { throw .secondDocument(line: here) }
        }
        guard hasEnded else {
            throw indent == 0
                ? .unexpected(line: here, expected: "the end of the document", in: .yaml) : .indentation(line: here)
        }
        guard peek() == 0 else { throw .secondDocument(line: here) }
        return value
    }

    // MARK: block nodes (chapter 8)

    /// What follows a `:`, a `-` or a `---`: a node on the same line or below, or nothing.
    private mutating func blockValue(parent: Int, mayNest: Bool, takesSequence: Bool) throws(FormatRejection) -> JSON {
        while peek() == 0x20 { position += 1 }
        let spaces = position
        skipWhite()
        guard isAtComment || peek() == 0x0A || peek() == 0 else {
            return try blockNode(parent: parent, column: position - lineStart, mayNest: mayNest && position == spaces)
        }
        try nextLine()
        if hasEnded { return .null }
        if indent > parent { return try blockNode(parent: parent, column: indent, mayNest: !isTabbed) }
        if takesSequence && indent == parent && !isTabbed && isAtDash { return try blockSequence(column: parent) }
        return .null
    }

    private mutating func blockNode(parent: Int, column: Int, mayNest: Bool) throws(FormatRejection) -> JSON {
        let next = peek(1)
        switch peek() {
        case UInt8(ascii: "-") where Self.isBlank(next):
            guard mayNest else { throw isTabbed ? .tab(line: here) : .misplacedCollection(line: here) }
            return try blockSequence(column: column)
        case UInt8(ascii: "|"), UInt8(ascii: ">"):
            let text = try blockScalar(parent: parent)
            enterLine()
            return .string(text)
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            let value = try flowNode(leastIndent: parent + 1)
            skipWhite()
            guard peek() != UInt8(ascii: ":") else { throw .complexKey(line: here) }
            try nextLine()
            return value
        default:
            let scalar = try scalar(leastIndent: parent + 1)
            guard scalar.isKey else {
                try nextLine()
                return try resolved(scalar)
            }
            guard mayNest else { throw isTabbed ? .tab(line: here) : .misplacedCollection(line: here) }
            return try blockMapping(column: column, first: scalar)
        }
    }

    /// Bounds the recursion on entry to a collection; `depth` goes down again at its end.
    mutating func descend() throws(FormatRejection) {
        guard depth < depthLimit else { throw .tooDeep(line: here, limit: depthLimit, in: .yaml) }
        depth += 1
    }

    private mutating func blockSequence(column: Int) throws(FormatRejection) -> JSON {
        try descend()
        defer { depth -= 1 }
        var elements: [JSON] = []
        repeat {
            position += 1
            elements.append(try blockValue(parent: column, mayNest: true, takesSequence: false))
            // At the indentation of a parent mapping the sequence gives way to that mapping's next key.
        } while try continues(column) && isAtDash
        return .array(elements)
    }

    /// Whether a line of the block collection in this column follows.
    private func continues(_ column: Int) throws(FormatRejection) -> Bool {
        if hasEnded || indent < column { return false }
        guard indent == column else { throw .indentation(line: here) }
        guard !isTabbed else { throw .tab(line: here) }
        return true
    }

    private mutating func blockMapping(column: Int, first: YAMLScalar) throws(FormatRejection) -> JSON {
        try descend()
        defer { depth -= 1 }
        var members = JSON.Object()
        var key = first
        while true {
            let name = try name(key, in: members)
            position += 1
            members[name] = try blockValue(parent: column, mayNest: false, takesSequence: true)
            guard try continues(column) else { return .object(members) }
            guard !isAtDash else { throw .unexpected(line: here, expected: "a key", in: .yaml) }
            if peek() == UInt8(ascii: "[") || peek() == UInt8(ascii: "{") { throw .complexKey(line: here) }
            key = try scalar(leastIndent: column + 1)
            guard key.isKey else { throw .unexpected(line: here, expected: "':' behind a key", in: .yaml) }
        }
    }

    /// The name that a key stands for, which must be new to the mapping.
    ///
    /// Between braces it may run over lines.
    func name(
        _ key: YAMLScalar, in members: JSON.Object, mayBeLong: Bool = false
    ) throws(FormatRejection) -> JSON.Name {
        // Counting lines takes time in proportion to the text, so it must wait for an error.
        var line: Int { source.line(at: key.start) }
        guard !key.text.isEmpty || !key.isPlain else { throw .emptyKey(line: line) }
        guard mayBeLong || key.isSingleLine && key.length <= 1024 else { throw .longKey(line: line) }
        guard !(key.isPlain && key.text.spells("<<")) else { throw .mergeKey(line: line) }
        let name = JSON.Name(key.text)
        guard members[name] == nil else { throw .duplicateKey(line: line, name: key.text) }
        return name
    }
}
