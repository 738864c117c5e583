/// The rules of YAML 1.2.2 beside those that formats share, and of the subset that service descriptions are written in.
extension FormatRejection {
    static var missingDocument: Self { Self("YAML-9", "there is no document") }

    static func secondDocument(line: Int) -> Self { Self("YAML-9", line: line, "a second document") }

    static func directive(line: Int) -> Self { Self("threat-44", line: line, "directives are not taken") }

    static func anchor(line: Int) -> Self { Self("threat-44", line: line, "anchors are not taken") }

    static func alias(line: Int) -> Self { Self("threat-44", line: line, "aliases are not taken") }

    static func tag(line: Int) -> Self { Self("threat-44", line: line, "tags are not taken") }

    static func mergeKey(line: Int) -> Self { Self("threat-44", line: line, "merge keys are not taken") }

    static func complexKey(line: Int) -> Self { Self("threat-44", line: line, "a key that is not a scalar") }

    static func emptyKey(line: Int) -> Self { Self("threat-44", line: line, "a key without text") }

    static func longKey(line: Int) -> Self {
        Self("YAML-7.4", line: line, "a key over several lines or over 1,024 bytes")
    }

    static func duplicateKey(line: Int, name: String) -> Self {
        Self("YAML-3.2.1", line: line, "key \(name) occurs twice")
    }

    static func tab(line: Int) -> Self { Self("YAML-6.1", line: line, "a tab in the indentation") }

    static func indentation(line: Int) -> Self {
        Self("YAML-6.1", line: line, "the indentation matches no open collection")
    }

    static func misplacedCollection(line: Int) -> Self {
        Self("YAML-8.2", line: line, "a block collection may not start here")
    }

    static func malformedEscape(line: Int) -> Self { Self("YAML-5.7", line: line, "a malformed escape") }

    static func malformedBlockHeader(line: Int) -> Self {
        Self("YAML-8.1.1", line: line, "the header of the block scalar is malformed")
    }

    /// A number that is infinite, not a number, or an integer beyond 64 bits in base 8 or 16.
    static func unrepresentableNumber(line: Int, text: String) -> Self {
        Self("threat-44", line: line, "JSON has no number \(text)")
    }
}
