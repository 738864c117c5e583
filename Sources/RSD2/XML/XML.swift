import Wire

/// XML 1.0 (fifth edition) with Namespaces 1.0, as much of it as a service description needs: no document type
/// declarations, hence no entities beyond the five that are predefined, and nothing outside of the document is ever
/// read.
package enum XML {
    /// An element with its attributes and its content.
    package struct Element: Sendable {
        /// The name with its namespace.
        let name: Name
        /// The attributes in document order, without namespace declarations.
        var attributes: [Attribute] = []
        /// Elements and runs of text in document order; no run is empty, no two runs are neighbours.
        var children: [Node] = []
    }

    /// One piece of an element's content.
    enum Node: Sendable {
        case element(Element)
        /// Character data with its references and CDATA sections resolved.
        case text(String)
    }

    /// An attribute with its normalized value.
    struct Attribute: Sendable {
        /// Without a prefix it is in no namespace.
        let name: Name
        let value: String
    }

    /// A name resolved against the namespace declarations around it.
    struct Name: Equatable, Sendable {
        @ExactText var local: String
        /// Empty if the name is in no namespace.
        @ExactText var namespace = ""
    }

    /// Bounds of what a reader takes in before it does any work with it, far above every service description in use.
    struct Limits {
        var bytes = 1 << 20
        /// The deepest nesting of elements.
        var depth = 64
        var elements = 1 << 16
        /// The most attributes of one element, namespace declarations included.
        var attributes = 128
        /// The most namespace declarations in force at one place.
        var namespaces = 64
        /// The longest name in bytes of UTF-8.
        var nameBytes = 1024
    }
}

extension XML.Element {
    /// The character data directly in this element, its child elements left out.
    var text: String {
        if children.count == 1, case .text(let text) = children[0] { return text }
        var joined = ""
        for case .text(let text) in children { joined += text }
        return joined
    }

    /// The child elements in document order.
    var elements: [XML.Element] {
        children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// The value of the attribute of this name that is in no namespace.
    func attribute(_ local: String) -> String? {
        attributes.first { $0.name.namespace.isEmpty && $0.name.local.spells(local) }?.value
    }
}
