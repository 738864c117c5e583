/// The rules of XML 1.0 and of Namespaces in XML 1.0 beside those that formats share, and this suite's own bounds.
extension FormatRejection {
    static func tooManyElements(line: Int, limit: Int) -> Self {
        Self("threat-43", line: line, "more than \(limit) elements")
    }

    static func tooManyAttributes(line: Int, limit: Int) -> Self {
        Self("threat-43", line: line, "more than \(limit) attributes at one element")
    }

    static func tooManyNamespaces(line: Int, limit: Int) -> Self {
        Self("threat-43", line: line, "more than \(limit) namespace declarations in force")
    }

    static func nameTooLong(line: Int, limit: Int) -> Self {
        Self("threat-43", line: line, "a name longer than \(limit) bytes")
    }

    static func foreignEncoding(declared: String) -> Self {
        Self("XML-4.3.3", "the document is not in the declared encoding \(declared), or it is not supported")
    }

    static func malformedDeclaration(line: Int) -> Self {
        Self("XML-2.8", line: line, "the XML declaration is misplaced or malformed")
    }

    static func foreignVersion(line: Int) -> Self { Self("XML-2.8", line: line, "this version of XML is unknown") }

    /// No service description needs one, and XML's attacks live there.
    static func doctype(line: Int) -> Self {
        Self("threat-44", line: line, "document type declarations are not taken")
    }

    static func malformedName(line: Int) -> Self {
        Self("XML-2.3", line: line, "a name is missing or has a character that names may not have")
    }

    static func mismatchedTags(line: Int, expected: String, found: String) -> Self {
        Self("XML-3.1", line: line, "expected the end of \(expected), found that of \(found)")
    }

    static func contentOutsideRoot(line: Int) -> Self { Self("XML-2.8", line: line, "content beside the root element") }

    static var missingRoot: Self { Self("XML-2.8", "there is no root element") }

    /// Two attributes of one name, also by way of two prefixes for one namespace.
    static func duplicateAttribute(line: Int, name: String) -> Self {
        Self("XML-3.1", line: line, "attribute \(name) occurs twice")
    }

    static func lessThanInAttribute(line: Int) -> Self {
        Self("XML-3.1", line: line, "'<' in the value of an attribute")
    }

    static func sectionEndInText(line: Int) -> Self { Self("XML-2.4", line: line, "']]>' in character data") }

    static func doubleHyphenInComment(line: Int) -> Self { Self("XML-2.5", line: line, "'--' inside of a comment") }

    /// A processing instruction whose target is `xml` in any case, or has a colon.
    static func reservedTarget(line: Int) -> Self {
        Self("XML-2.6", line: line, "the target of the processing instruction is reserved")
    }

    static func malformedReference(line: Int) -> Self {
        Self("XML-4.1", line: line, "'&' does not begin a reference")
    }

    /// An entity other than the five predefined ones.
    static func undeclaredEntity(line: Int, name: String) -> Self {
        Self("XML-4.1", line: line, "entity \(name) is not declared")
    }

    static func undeclaredPrefix(line: Int, prefix: String) -> Self {
        Self("XML-NAMES-5", line: line, "prefix \(prefix) is not declared")
    }

    static func malformedQualifiedName(line: Int) -> Self {
        Self("XML-NAMES-4", line: line, "colons in a name do not part a prefix from a local name")
    }

    /// A declaration that rebinds `xml` or `xmlns`, binds another prefix to their namespaces, or unbinds a prefix.
    static func reservedNamespace(line: Int) -> Self {
        Self("XML-NAMES-3", line: line, "the namespace declaration touches a reserved prefix or name")
    }

    /// A character that no XML document can have, not even as a reference.
    static func unwritable(scalar: UInt32) -> Self {
        Self("XML-2.2", "XML has no character U+\(String(scalar, radix: 16, uppercase: true))")
    }
}
