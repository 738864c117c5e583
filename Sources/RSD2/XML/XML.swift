/// XML 1.0 (fifth edition) with Namespaces 1.0, as much of it as a service description needs: no document type
/// declarations, hence no entities beyond the five that are predefined, and nothing outside of the document is ever
/// read.
public enum XML {
    /// A document that has been found well-formed, also with regard to its namespaces.
    ///
    /// Comments, processing instructions and the XML declaration are checked and dropped.
    public struct Document: Sendable {
        /// The root element.
        public var root: Element

        /// A document around a root element.
        public init(root: Element) {
            self.root = root
        }
    }

    /// An element with its attributes and its content.
    public struct Element: Sendable {
        /// The name with its namespace.
        public var name: Name
        /// The attributes in document order, without namespace declarations.
        public var attributes: [Attribute]
        /// Elements and runs of text in document order; no run is empty, no two runs are neighbours.
        public var children: [Node]

        /// An element with the given parts.
        public init(_ name: Name, attributes: [Attribute] = [], children: [Node] = []) {
            self.name = name
            self.attributes = attributes
            self.children = children
        }
    }

    /// One piece of an element's content.
    public enum Node: Sendable {
        /// A child element.
        case element(Element)
        /// Character data with its references and CDATA sections resolved.
        case text(String)
    }

    /// An attribute with its normalized value.
    public struct Attribute: Sendable {
        /// The name; without a prefix it is in no namespace.
        public var name: Name
        /// The value with its references resolved.
        public var value: String

        /// An attribute with the given parts.
        public init(_ name: Name, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A name resolved against the namespace declarations around it.
    public struct Name: Sendable {
        /// The namespace name; empty for none.
        public var namespace: String
        /// The prefix that the document used, a suggestion to a writer; empty for none.
        public var prefix: String
        /// The local part.
        public var local: String

        /// A name with the given parts.
        public init(_ local: String, namespace: String = "", prefix: String = "") {
            self.namespace = namespace
            self.prefix = prefix
            self.local = local
        }
    }

    /// Bounds of what a reader takes in before it does any work with it.
    public struct Limits: Sendable, Equatable {
        /// The longest document in bytes.
        public var bytes: Int
        /// The deepest nesting of elements.
        public var depth: Int
        /// The most elements of a document.
        public var elements: Int
        /// The most attributes of one element, namespace declarations included.
        public var attributes: Int
        /// The most namespace declarations in force at one place.
        public var namespaces: Int
        /// The longest name in bytes of UTF-8.
        public var nameBytes: Int

        /// Bounds that are far above every service description in use.
        public static let standard = Limits(
            bytes: 1 << 20, depth: 64, elements: 1 << 16, attributes: 128, namespaces: 64, nameBytes: 1024)

        /// Bounds of the caller's choice.
        public init(bytes: Int, depth: Int, elements: Int, attributes: Int, namespaces: Int, nameBytes: Int) {
            self.bytes = bytes
            self.depth = depth
            self.elements = elements
            self.attributes = attributes
            self.namespaces = namespaces
            self.nameBytes = nameBytes
        }
    }
}

extension XML.Element {
    /// The character data directly in this element, its child elements left out.
    public var text: String {
        if children.count == 1, case .text(let text) = children[0] { return text }
        var joined = ""
        for case .text(let text) in children { joined += text }
        return joined
    }

    /// The child elements in document order.
    public var elements: [XML.Element] {
        var found: [XML.Element] = []
        for case .element(let element) in children { found.append(element) }
        return found
    }

    /// The value of the attribute of this name that is in no namespace.
    public func attribute(_ local: String) -> String? {
        attributes.first { $0.name.namespace.isEmpty && $0.name.local.spells(local) }?.value
    }
}

extension XML.Name: Equatable {
    /// Names are equal when namespace and local part are the same bytes; the prefix does not count.
    public static func == (left: XML.Name, right: XML.Name) -> Bool {
        left.local.spells(right.local) && left.namespace.spells(right.namespace)
    }
}
