import Wire

extension XML.Element {
    /// The document of this root element in UTF-8, with its declaration, indented if an element has no text of its
    /// own.
    func encoded() throws(FormatRejection) -> [UInt8] {
        var writer = XMLWriter()
        writer.text("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        try writer.element(self, defaultNamespace: "", indent: 0)
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

    mutating func element(_ element: XML.Element, defaultNamespace: String, indent: Int) throws(FormatRejection) {
        let namespace = element.name.namespace
        text("<" + element.name.local)
        if !namespace.spells(defaultNamespace) { try attribute("xmlns", namespace) }
        for (position, attribute) in element.attributes.enumerated() {
            let isXML = attribute.name.namespace.spells(XMLNamespaceScope.xml)
            let prefix = attribute.name.namespace.isEmpty ? "" : isXML ? "xml:" : "n\(position):"
            if !prefix.isEmpty && !isXML { try self.attribute("xmlns:n\(position)", attribute.name.namespace) }
            try self.attribute(prefix + attribute.name.local, attribute.value)
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
        text("</" + element.name.local + ">")
    }

    private mutating func attribute(_ name: String, _ value: String) throws(FormatRejection) {
        text(" " + name + "=\"")
        try escaped(value, isAttribute: true)
        text("\"")
    }

    private mutating func lineBreak(_ indent: Int) {
        output.append(0x0A)
        output.append(contentsOf: repeatElement(0x20, count: 2 * indent))
    }

    /// References for all that a reader would normalize or take for markup.
    private mutating func escaped(_ string: String, isAttribute: Bool) throws(FormatRejection) {
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
                guard SourceText.Format.xml.permits(scalar.value) else { throw .unwritable(scalar: scalar.value) }
                output.appendUTF8(scalar.value)
            }
        }
    }
}
