public import Wire

/// Why bytes are not of a format that they are read as: XML, the YAML of descriptions, `services.txt`, a query.
public struct FormatRejection: BrokenRule {
    /// The line on which the rule was broken, or `nil` if no line alone breaks it.
    public let line: Int?
    /// The rule that was broken.
    public let rule: Rule

    init(_ rule: Rule) {
        line = nil
        self.rule = rule
    }

    init(_ clause: String, line: Int? = nil, _ text: String) {
        self.line = line
        rule = Rule(clause, (line.map { "line \($0): " } ?? "") + text)
    }
}

/// The rules that formats share, each under the clause of its own format.
extension FormatRejection {
    static func tooLong(bytes: Int, limit: Int) -> Self {
        Self("threat-43", "\(bytes) bytes where \(limit) are allowed")
    }

    static func tooDeep(line: Int, limit: Int, in format: SourceText.Format) -> Self {
        Self("threat-43", line: line, "\(format == .xml ? "elements" : "collections") are nested deeper than \(limit)")
    }

    static func malformedEncoding(offset: Int, in format: SourceText.Format) -> Self {
        switch format {
        case .xml: Self("XML-4.3.3", "bytes at offset \(offset) are not of the document's encoding")
        case .yaml: Self("YAML-5.2", "bytes at offset \(offset) are not UTF-8")
        }
    }

    static func forbiddenCharacter(line: Int, scalar: UInt32, in format: SourceText.Format) -> Self {
        let character = "U+" + String(scalar, radix: 16, uppercase: true)
        return Self(format == .xml ? "XML-2.2" : "YAML-5.1", line: line, "character \(character) is not allowed")
    }

    /// Something else stands where the syntax demands the expected.
    static func unexpected(line: Int, expected: String, in format: SourceText.Format) -> Self {
        Self(format == .xml ? "XML-3.1" : "YAML-7", line: line, "expected \(expected)")
    }

    static func unfinished(line: Int, construct: String, in format: SourceText.Format) -> Self {
        Self(format == .xml ? "XML-3.1" : "YAML-7", line: line, "the document ends inside of \(construct)")
    }
}
