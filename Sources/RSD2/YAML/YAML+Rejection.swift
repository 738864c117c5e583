extension YAML {
    /// The rules of the subset, each with the line on which it was broken.
    public enum Rejection: Error, Equatable, Sendable {
        /// The document has more bytes than the limit.
        case tooLong(bytes: Int, limit: Int)
        /// Collections are nested deeper than the limit.
        case tooDeep(line: Int, limit: Int)
        /// The bytes are not UTF-8.
        case malformedEncoding(offset: Int)
        /// A character that YAML does not allow.
        case forbiddenCharacter(line: Int, scalar: UInt32)
        /// There is no document: nothing but comments and blank lines.
        case missingDocument
        /// A second document, or content behind the end of the first.
        case secondDocument(line: Int)
        /// A `%` directive.
        case directive(line: Int)
        /// An anchor, `&name`.
        case anchor(line: Int)
        /// An alias, `*name`.
        case alias(line: Int)
        /// A tag, `!name`.
        case tag(line: Int)
        /// A merge key, `<<`.
        case mergeKey(line: Int)
        /// A key that is no scalar on one line: `? `, or a flow collection.
        case complexKey(line: Int)
        /// A key without any text.
        case emptyKey(line: Int)
        /// A key that runs over several lines or over 1,024 bytes.
        case longKey(line: Int)
        /// A name that the mapping already has.
        case duplicateKey(line: Int, name: String)
        /// A tab where only spaces indent.
        case tab(line: Int)
        /// A line that is indented neither like its siblings nor like a parent's.
        case indentation(line: Int)
        /// A block collection where only a scalar or a flow collection may stand.
        case misplacedCollection(line: Int)
        /// Something else stands where the syntax demands the expected.
        case unexpected(line: Int, expected: String)
        /// The document ends inside of a construct.
        case unfinished(line: Int, construct: String)
        /// An escape that does not exist, is cut short, or stands for no character.
        case malformedEscape(line: Int)
        /// A header of a block scalar that is not one.
        case malformedBlockHeader(line: Int)
        /// A number that JSON cannot say: infinite, not a number, or an integer beyond 64 bits in base 8 or 16.
        case unrepresentableNumber(line: Int, text: String)
    }
}

extension YAML.Rejection: CustomStringConvertible {
    /// The rule in words, with the place of its breach.
    public var description: String { "\(broken) (\(clause))" }

    private var broken: String {
        switch self {
        case .tooLong(let bytes, let limit): "\(bytes) bytes where \(limit) are allowed"
        case .tooDeep(let line, let limit): "line \(line): collections are nested deeper than \(limit)"
        case .malformedEncoding(let offset): "bytes at offset \(offset) are not UTF-8"
        case .forbiddenCharacter(let line, let scalar):
            "line \(line): character U+\(String(scalar, radix: 16, uppercase: true)) is not allowed"
        case .missingDocument: "there is no document"
        case .secondDocument(let line): "line \(line): a second document"
        case .directive(let line): "line \(line): directives are not taken"
        case .anchor(let line): "line \(line): anchors are not taken"
        case .alias(let line): "line \(line): aliases are not taken"
        case .tag(let line): "line \(line): tags are not taken"
        case .mergeKey(let line): "line \(line): merge keys are not taken"
        case .complexKey(let line): "line \(line): a key that is not a scalar"
        case .emptyKey(let line): "line \(line): a key without text"
        case .longKey(let line): "line \(line): a key over several lines or over 1,024 bytes"
        case .duplicateKey(let line, let name): "line \(line): key \(name) occurs twice"
        case .tab(let line): "line \(line): a tab in the indentation"
        case .indentation(let line): "line \(line): the indentation matches no open collection"
        case .misplacedCollection(let line): "line \(line): a block collection may not start here"
        case .unexpected(let line, let expected): "line \(line): expected \(expected)"
        case .unfinished(let line, let construct): "line \(line): the document ends inside of \(construct)"
        case .malformedEscape(let line): "line \(line): a malformed escape"
        case .malformedBlockHeader(let line): "line \(line): the header of the block scalar is malformed"
        case .unrepresentableNumber(let line, let text): "line \(line): JSON has no number \(text)"
        }
    }

    /// The clause that sets the rule: of YAML 1.2.2, of the RSD2 text's subset, or this suite's own bounds.
    public var clause: String {
        switch self {
        case .tooLong, .tooDeep: "threat-43"
        case .malformedEncoding: "YAML-5.2"
        case .forbiddenCharacter: "YAML-5.1"
        case .missingDocument, .secondDocument: "YAML-9"
        case .directive, .anchor, .alias, .tag, .mergeKey, .complexKey, .emptyKey, .unrepresentableNumber: "threat-44"
        case .longKey: "YAML-7.4"
        case .duplicateKey: "YAML-3.2.1"
        case .tab, .indentation: "YAML-6.1"
        case .misplacedCollection: "YAML-8.2"
        case .unexpected, .unfinished: "YAML-7"
        case .malformedEscape: "YAML-5.7"
        case .malformedBlockHeader: "YAML-8.1.1"
        }
    }
}
