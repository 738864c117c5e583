extension XML {
    /// The rules that make bytes a document, each with the line on which it was broken.
    public enum Rejection: Error, Equatable, Sendable {
        /// The document has more bytes than the limit.
        case tooLong(bytes: Int, limit: Int)
        /// Elements are nested deeper than the limit.
        case tooDeep(line: Int, limit: Int)
        /// The document has more elements than the limit.
        case tooManyElements(line: Int, limit: Int)
        /// An element has more attributes than the limit.
        case tooManyAttributes(line: Int, limit: Int)
        /// More namespace declarations are in force than the limit.
        case tooManyNamespaces(line: Int, limit: Int)
        /// A name is longer than the limit.
        case nameTooLong(line: Int, limit: Int)
        /// The bytes are not of the encoding that the document is in: UTF-8, or UTF-16 with its byte order mark.
        case malformedEncoding(offset: Int)
        /// The declared encoding is unknown here or is not the one that the document is in.
        case foreignEncoding(declared: String)
        /// A character that XML does not allow.
        case forbiddenCharacter(line: Int, scalar: UInt32)
        /// The XML declaration is not at the start, or breaks its syntax.
        case malformedDeclaration(line: Int)
        /// The declaration names another version than 1.x.
        case foreignVersion(line: Int)
        /// A document type declaration, which no service description needs and which is where XML's attacks live.
        case doctype(line: Int)
        /// Something else stands where the syntax demands the expected.
        case unexpected(line: Int, expected: String)
        /// The document ends inside of a construct.
        case unfinished(line: Int, construct: String)
        /// A name starts with or contains a character that names may not have.
        case malformedName(line: Int)
        /// An end tag that does not match its start tag.
        case mismatchedTags(line: Int, expected: String, found: String)
        /// Text or a second element beside the root element.
        case contentOutsideRoot(line: Int)
        /// There is no root element.
        case missingRoot
        /// An element has two attributes of the same name, also by way of two prefixes for one namespace.
        case duplicateAttribute(line: Int, name: String)
        /// A `<` in the value of an attribute.
        case lessThanInAttribute(line: Int)
        /// A `]]>` in character data.
        case sectionEndInText(line: Int)
        /// A `--` inside of a comment.
        case doubleHyphenInComment(line: Int)
        /// A processing instruction whose target is `xml` in any case, or has a colon.
        case reservedTarget(line: Int)
        /// A reference that is not one: no name or number, no semicolon.
        case malformedReference(line: Int)
        /// An entity other than the five predefined ones.
        case undeclaredEntity(line: Int, name: String)
        /// A prefix that is bound to no namespace.
        case undeclaredPrefix(line: Int, prefix: String)
        /// A name with more than one colon, or with an empty prefix or local part.
        case malformedQualifiedName(line: Int)
        /// A declaration that rebinds `xml` or `xmlns`, binds another prefix to their namespaces, or unbinds a prefix.
        case reservedNamespace(line: Int)
    }
}

extension XML.Rejection: CustomStringConvertible {
    /// The rule in words, with the place of its breach.
    public var description: String { "\(broken) (\(clause))" }

    private var broken: String {
        switch self {
        case .tooLong(let bytes, let limit): "\(bytes) bytes where \(limit) are allowed"
        case .tooDeep(let line, let limit): "line \(line): elements are nested deeper than \(limit)"
        case .tooManyElements(let line, let limit): "line \(line): more than \(limit) elements"
        case .tooManyAttributes(let line, let limit): "line \(line): more than \(limit) attributes at one element"
        case .tooManyNamespaces(let line, let limit): "line \(line): more than \(limit) namespace declarations in force"
        case .nameTooLong(let line, let limit): "line \(line): a name longer than \(limit) bytes"
        case .malformedEncoding(let offset): "bytes at offset \(offset) are not of the document's encoding"
        case .foreignEncoding(let declared):
            "the document is not in the declared encoding \(declared), or it is not supported"
        case .forbiddenCharacter(let line, let scalar):
            "line \(line): character U+\(String(scalar, radix: 16, uppercase: true)) is not allowed"
        case .malformedDeclaration(let line): "line \(line): the XML declaration is misplaced or malformed"
        case .foreignVersion(let line): "line \(line): this version of XML is unknown"
        case .doctype(let line): "line \(line): document type declarations are not taken"
        case .unexpected(let line, let expected): "line \(line): expected \(expected)"
        case .unfinished(let line, let construct): "line \(line): the document ends inside of \(construct)"
        case .malformedName(let line): "line \(line): a name is missing or has a character that names may not have"
        case .mismatchedTags(let line, let expected, let found):
            "line \(line): expected the end of \(expected), found that of \(found)"
        case .contentOutsideRoot(let line): "line \(line): content beside the root element"
        case .missingRoot: "there is no root element"
        case .duplicateAttribute(let line, let name): "line \(line): attribute \(name) occurs twice"
        case .lessThanInAttribute(let line): "line \(line): '<' in the value of an attribute"
        case .sectionEndInText(let line): "line \(line): ']]>' in character data"
        case .doubleHyphenInComment(let line): "line \(line): '--' inside of a comment"
        case .reservedTarget(let line): "line \(line): the target of the processing instruction is reserved"
        case .malformedReference(let line): "line \(line): '&' does not begin a reference"
        case .undeclaredEntity(let line, let name): "line \(line): entity \(name) is not declared"
        case .undeclaredPrefix(let line, let prefix): "line \(line): prefix \(prefix) is not declared"
        case .malformedQualifiedName(let line): "line \(line): colons in a name do not part a prefix from a local name"
        case .reservedNamespace(let line): "line \(line): the namespace declaration touches a reserved prefix or name"
        }
    }

    /// The clause that sets the rule: of XML 1.0, of Namespaces in XML 1.0, or this suite's own bounds.
    public var clause: String {
        switch self {
        case .tooLong, .tooDeep, .tooManyElements, .tooManyAttributes, .tooManyNamespaces, .nameTooLong: "threat-43"
        case .malformedEncoding, .foreignEncoding: "XML-4.3.3"
        case .forbiddenCharacter: "XML-2.2"
        case .malformedDeclaration, .foreignVersion, .contentOutsideRoot, .missingRoot: "XML-2.8"
        case .doctype: "threat-44"
        case .unexpected, .unfinished, .mismatchedTags, .duplicateAttribute, .lessThanInAttribute: "XML-3.1"
        case .malformedName: "XML-2.3"
        case .sectionEndInText: "XML-2.4"
        case .doubleHyphenInComment: "XML-2.5"
        case .reservedTarget: "XML-2.6"
        case .malformedReference, .undeclaredEntity: "XML-4.1"
        case .undeclaredPrefix: "XML-NAMES-5"
        case .malformedQualifiedName: "XML-NAMES-4"
        case .reservedNamespace: "XML-NAMES-3"
        }
    }
}
