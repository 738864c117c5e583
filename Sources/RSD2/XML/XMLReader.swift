import Wire

extension XML.Element: Parsable {
    /// The root element of a document within the standard limits.
    ///
    /// The document has been found well-formed, also with regard to its namespaces; comments, processing instructions
    /// and the XML declaration are checked and dropped.
    package init(parsing bytes: Span<UInt8>) throws(FormatRejection) {
        try self.init(parsing: bytes, limits: XML.Limits())
    }

    /// The root element of a document within the given limits.
    init(parsing bytes: Span<UInt8>, limits: XML.Limits) throws(FormatRejection) {
        guard bytes.count <= limits.bytes else { throw .tooLong(bytes: bytes.count, limit: limits.bytes) }
        var reader = XMLReader(text: try SourceText(bytes, as: .xml), limits: limits)
        self = try reader.document()
    }
}

/// One pass over the text with an explicit stack of open elements, so that depth costs memory and not the machine's
/// stack.
struct XMLReader {
    let text: SourceText
    /// The text's bytes, held here too because every step reads them.
    let bytes: [UInt8]
    let limits: XML.Limits
    var position = 0
    var scope = XMLNamespaceScope()
    private var open: [OpenElement] = []
    private var elementCount = 0
    /// Character data since the last tag.
    private var pending: [UInt8] = []

    init(text: SourceText, limits: XML.Limits) {
        self.text = text
        bytes = text.bytes
        self.limits = limits
    }

    private struct OpenElement {
        var element: XML.Element
        let name: Range<Int>
        let bindings: Int
    }

    /// The line of the position; counted from the start each time, so only for an error.
    var here: Int { text.line(at: position) }

    @inline(__always)
    func peek(_ offset: Int = 0) -> UInt8 {
        let index = position + offset
        return index < bytes.count ? bytes[index] : 0
    }

    /// Whether the text goes on with these characters; the NUL behind the end is not one of them.
    func lies(_ token: String) -> Bool {
        var index = position
        for byte in token.utf8 {
            guard bytes[index] == byte else { return false }
            index += 1
        }
        return true
    }

    mutating func take(_ token: String) -> Bool {
        guard lies(token) else { return false }
        position += token.utf8.count
        return true
    }

    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard bytes[position] == byte else { return false }
        position += 1
        return true
    }

    mutating func skipSpace() -> Bool {
        let start = position
        while XMLCharacter.isSpace(bytes[position]) { position += 1 }
        return position > start
    }

    func string(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    var isAtEnd: Bool { position == bytes.count - 1 }

    var isAtQuote: Bool { bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'") }

    // MARK: document (productions 1, 22, 27)

    mutating func document() throws(FormatRejection) -> XML.Element {
        if lies("<?xml") && XMLCharacter.isSpace(peek(5)) { try declaration() }
        try miscellaneous()
        guard !isAtEnd else { throw .missingRoot }
        guard lies("<") && !lies("</") else { throw .contentOutsideRoot(line: here) }
        let root = try element()
        try miscellaneous()
        guard isAtEnd else { throw .contentOutsideRoot(line: here) }
        return root
    }

    private mutating func miscellaneous() throws(FormatRejection) {
        while true {
            _ = skipSpace()
            if lies("<!--") {
                try comment()
            } else if lies("<?") {
                try instruction()
            } else if lies("<!DOCTYPE") {
                throw .doctype(line: here)
            } else {
                return
            }
        }
    }

    private mutating func comment() throws(FormatRejection) {
        let start = position
        position += 4
        while !lies("--") { try advance("a comment", since: start) }
        position += 2
        guard take(UInt8(ascii: ">")) else { throw .doubleHyphenInComment(line: here) }
    }

    private mutating func advance(_ construct: String, since start: Int) throws(FormatRejection) {
        guard !isAtEnd else { throw .unfinished(line: text.line(at: start), construct: construct, in: .xml) }
        position += 1
    }

    private mutating func instruction() throws(FormatRejection) {
        let start = position
        position += 2
        let target = try name()
        guard !isReserved(target) else { throw .reservedTarget(line: here) }
        if take("?>") { return }
        guard skipSpace() else { throw .unexpected(line: here, expected: "white space behind the target", in: .xml) }
        while !take("?>") { try advance("a processing instruction", since: start) }
    }

    private func isReserved(_ target: Range<Int>) -> Bool {
        bytes[target].contains(UInt8(ascii: ":")) || bytes[target].lowercasedText.spells("xml")
    }

    /// Name, production 5.
    mutating func name() throws(FormatRejection) -> Range<Int> {
        let start = position
        let first = text.scalar(at: position)
        guard XMLCharacter.startsName(first.value) else { throw .malformedName(line: here) }
        position += first.length
        while true {
            while ASCII.isLetter(bytes[position]) { position += 1 }
            let next = text.scalar(at: position)
            guard XMLCharacter.continuesName(next.value) else { break }
            position += next.length
        }
        guard position - start <= limits.nameBytes else { throw .nameTooLong(line: here, limit: limits.nameBytes) }
        return start..<position
    }

    // MARK: elements and content (productions 39–43)

    private mutating func element() throws(FormatRejection) -> XML.Element {
        if let empty = try startTag() { return empty }
        while true {
            try characterData()
            guard !isAtEnd else {
                throw .unfinished(
                    line: here, construct: "element " + (open.last.map { string($0.name) } ?? ""), in: .xml)
            }
            switch peek(1) {
            case UInt8(ascii: "/"): if let root = try endTag() { return root }
            case UInt8(ascii: "!"): try commentOrSection()
            case UInt8(ascii: "?"): try instruction()
            default:
                flushText()
                if let empty = try startTag() { append(.element(empty)) }
            }
        }
    }

    private mutating func commentOrSection() throws(FormatRejection) {
        if lies("<!--") {
            try comment()
        } else if lies("<![CDATA[") {
            try section()
        } else {
            throw lies("<!DOCTYPE")
                ? .doctype(line: here)
                : .unexpected(line: here, expected: "a tag, a comment or a CDATA section", in: .xml)
        }
    }

    /// Pushes the element, or returns it if its tag is an empty-element tag.
    private mutating func startTag() throws(FormatRejection) -> XML.Element? {
        guard open.count < limits.depth else { throw .tooDeep(line: here, limit: limits.depth, in: .xml) }
        elementCount += 1
        guard elementCount <= limits.elements else { throw .tooManyElements(line: here, limit: limits.elements) }
        position += 1
        let name = try name()
        let bindings = scope.count
        let raw = try attributes()
        let isEmpty = take(UInt8(ascii: "/"))
        try tagEnd(expected: "an attribute or the end of the tag")
        let element = try resolved(name, raw)
        if isEmpty {
            scope.drop(to: bindings)
            return element
        }
        open.append(OpenElement(element: element, name: name, bindings: bindings))
        return nil
    }

    /// Pops the innermost element; returns it if it is the root.
    private mutating func endTag() throws(FormatRejection) -> XML.Element? {
        position += 2
        let found = try name()
        flushText()
        guard let last = open.popLast() else { throw .contentOutsideRoot(line: here) }
        guard bytes[last.name] == bytes[found] else {
            throw .mismatchedTags(line: here, expected: string(last.name), found: string(found))
        }
        _ = skipSpace()
        try tagEnd(expected: "the end of the tag")
        scope.drop(to: last.bindings)
        if open.isEmpty { return last.element }
        append(.element(last.element))
        return nil
    }

    private mutating func tagEnd(expected: String) throws(FormatRejection) {
        if take(UInt8(ascii: ">")) { return }
        throw isAtEnd
            ? .unfinished(line: here, construct: "a tag", in: .xml)
            : .unexpected(line: here, expected: expected, in: .xml)
    }

    private mutating func append(_ node: XML.Node) {
        open[open.count - 1].element.children.append(node)
    }

    private mutating func flushText() {
        guard !pending.isEmpty else { return }
        append(.text(String(decoding: pending, as: UTF8.self)))
        pending.removeAll(keepingCapacity: true)
    }

    /// CharData and references, productions 14 and 67, up to the next markup.
    private mutating func characterData() throws(FormatRejection) {
        while true {
            let start = position
            scan: while true {
                switch bytes[position] {
                case UInt8(ascii: "<"), UInt8(ascii: "&"), 0: break scan
                case UInt8(ascii: "]") where peek(1) == UInt8(ascii: "]") && peek(2) == UInt8(ascii: ">"):
                    throw .sectionEndInText(line: here)
                default: position += 1
                }
            }
            pending.append(contentsOf: bytes[start..<position])
            guard bytes[position] == UInt8(ascii: "&") else { return }
            pending.appendUTF8(try reference())
        }
    }

    /// CDSect, production 18.
    private mutating func section() throws(FormatRejection) {
        position += 9
        let start = position
        while !lies("]]>") { try advance("a CDATA section", since: start) }
        pending.append(contentsOf: bytes[start..<position])
        position += 3
    }

    /// CharRef and the predefined entities, productions 66 and 68: the one character that a reference stands for.
    mutating func reference() throws(FormatRejection) -> UInt32 {
        position += 1
        guard peek() == UInt8(ascii: "#") else { return try entity() }
        position += 1
        let radix: UInt32 = peek() == UInt8(ascii: "x") ? 16 : 10
        if radix == 16 { position += 1 }
        let start = position
        var scalar: UInt32 = 0
        while let digit = ASCII.hexValue(peek()), digit < radix {
            // Saturates above the last scalar, so that leading zeros are free and nothing overflows.
            scalar = min(scalar * radix + UInt32(digit), 0x110000)
            position += 1
        }
        guard position > start, take(UInt8(ascii: ";")) else { throw .malformedReference(line: here) }
        guard SourceText.Format.xml.permits(scalar) else {
            throw .forbiddenCharacter(line: here, scalar: scalar, in: .xml)
        }
        return scalar
    }

    private mutating func entity() throws(FormatRejection) -> UInt32 {
        guard XMLCharacter.startsName(text.scalar(at: position).value) else { throw .malformedReference(line: here) }
        for (name, scalar) in XMLCharacter.entities where take(name) { return scalar }
        let name = try name()
        guard take(UInt8(ascii: ";")) else { throw .malformedReference(line: here) }
        throw .undeclaredEntity(line: here, name: string(name))
    }
}
