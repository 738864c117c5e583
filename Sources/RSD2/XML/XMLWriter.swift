extension XML {
    /// A character that no XML document can have, not even as a reference.
    public struct UnwritableCharacter: Error, Equatable, Sendable {
        /// The character's code point.
        public let scalar: UInt32
    }

    /// Whether a text can be the local name of an element.
    static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, XMLCharacter.startsName(first.value) else { return false }
        return text.unicodeScalars.allSatisfy { XMLCharacter.continuesName($0.value) && $0 != ":" }
    }
}

extension XML.Document {
    /// The document in UTF-8, with its declaration, indented where an element has no text of its own.
    public func encoded() throws(XML.UnwritableCharacter) -> [UInt8] {
        var writer = XMLWriter()
        writer.text("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        try writer.element(root, defaultNamespace: "", indent: 0)
        writer.text("\n")
        return writer.output
    }
}

/// Writes elements with default namespaces, and attributes of a namespace with a prefix that is declared on the spot.
///
/// Recursion is as deep as the tree, which a reader has bounded.
private struct XMLWriter {
    var output: [UInt8] = []

    mutating func text(_ text: String) {
        output.append(contentsOf: text.utf8)
    }

    mutating func element(_ element: XML.Element, defaultNamespace: String, indent: Int) throws(XML.UnwritableCharacter)
    {
        let namespace = element.name.namespace
        text("<")
        text(element.name.local)
        if !namespace.spells(defaultNamespace) {
            text(" xmlns=\"")
            try escaped(namespace, isAttribute: true)
            text("\"")
        }
        for (position, attribute) in element.attributes.enumerated() {
            text(" ")
            if attribute.name.namespace.spells(XMLNamespaceScope.xml) {
                text("xml:")
            } else if !attribute.name.namespace.isEmpty {
                text("xmlns:n\(position)=\"")
                try escaped(attribute.name.namespace, isAttribute: true)
                text("\" n\(position):")
            }
            text(attribute.name.local)
            text("=\"")
            try escaped(attribute.value, isAttribute: true)
            text("\"")
        }
        guard !element.children.isEmpty else { return text("/>") }
        text(">")
        let isIndented = element.children.allSatisfy { if case .element = $0 { true } else { false } }
        for child in element.children {
            if isIndented { lineBreak(indent + 1) }
            switch child {
            case .element(let child): try self.element(child, defaultNamespace: namespace, indent: indent + 1)
            case .text(let string): try escaped(string, isAttribute: false)
            }
        }
        if isIndented { lineBreak(indent) }
        text("</")
        text(element.name.local)
        text(">")
    }

    private mutating func lineBreak(_ indent: Int) {
        output.append(0x0A)
        output.append(contentsOf: repeatElement(0x20, count: 2 * indent))
    }

    /// References for all that a reader would normalize or take for markup.
    private mutating func escaped(_ string: String, isAttribute: Bool) throws(XML.UnwritableCharacter) {
        for scalar in string.unicodeScalars {
            switch scalar {
            case "&": text("&amp;")
            case "<": text("&lt;")
            case ">": text("&gt;")
            case "\"" where isAttribute: text("&quot;")
            case "\r": text("&#xD;")
            case "\n" where isAttribute: text("&#xA;")
            case "\t" where isAttribute: text("&#x9;")
            default:
                guard XMLCharacter.isAllowed(scalar.value) else { throw XML.UnwritableCharacter(scalar: scalar.value) }
                output.appendUTF8(scalar.value)
            }
        }
    }
}
