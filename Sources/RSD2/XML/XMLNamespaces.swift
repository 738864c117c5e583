import Wire

/// The namespace declarations in force, innermost last.
struct XMLNamespaceScope {
    static let xml = "http://www.w3.org/XML/1998/namespace"
    static let xmlns = "http://www.w3.org/2000/xmlns/"

    private var bindings: [(prefix: ArraySlice<UInt8>, namespace: String)] = []

    var count: Int { bindings.count }

    mutating func bind(_ prefix: ArraySlice<UInt8>, to namespace: String) {
        bindings.append((prefix, namespace))
    }

    mutating func drop(to count: Int) {
        bindings.removeLast(bindings.count - count)
    }

    /// The namespace of a prefix; the empty prefix stands for the default namespace.
    func namespace(of prefix: ArraySlice<UInt8>) -> String? {
        if let bound = bindings.last(where: { $0.prefix == prefix }) { return bound.namespace }
        if prefix.isEmpty { return "" }
        return prefix.elementsEqual("xml".utf8) ? Self.xml : nil
    }
}

extension XMLReader {
    /// The element of a start tag: its declarations come into force, then its names are resolved.
    mutating func resolved(_ name: Range<Int>, _ raw: [XMLRawAttribute]) throws(FormatRejection) -> XML.Element {
        var plain: [XMLRawAttribute] = []
        for attribute in raw {
            let parts = try qualified(attribute.name)
            if parts.prefix.isEmpty && parts.local.elementsEqual("xmlns".utf8) {
                try declare([], attribute.value)
            } else if parts.prefix.elementsEqual("xmlns".utf8) {
                try declare(parts.local, attribute.value)
            } else {
                plain.append(attribute)
            }
        }
        var element = XML.Element(name: try self.name(name, usesDefault: true))
        element.attributes.reserveCapacity(plain.count)
        for attribute in plain {
            let name = try self.name(attribute.name, usesDefault: false)
            let isDuplicate = !name.namespace.isEmpty && element.attributes.contains { $0.name == name }
            guard !isDuplicate else { throw .duplicateAttribute(line: here, name: string(attribute.name)) }
            element.attributes.append(XML.Attribute(name: name, value: attribute.value))
        }
        return element
    }

    /// Namespaces in XML 1.0 §3, the constraints on reserved prefixes and names, and §5: no prefix is unbound.
    private mutating func declare(_ prefix: ArraySlice<UInt8>, _ namespace: String) throws(FormatRejection) {
        let isXML = prefix.elementsEqual("xml".utf8)
        let namesXML = namespace.spells(XMLNamespaceScope.xml)
        let namesXMLNS = namespace.spells(XMLNamespaceScope.xmlns)
        let unbindsPrefix = !prefix.isEmpty && namespace.isEmpty
        guard isXML == namesXML, !namesXMLNS, !unbindsPrefix, !prefix.elementsEqual("xmlns".utf8) else {
            throw .reservedNamespace(line: here)
        }
        guard scope.count < limits.namespaces else { throw .tooManyNamespaces(line: here, limit: limits.namespaces) }
        scope.bind(prefix, to: namespace)
    }

    private func name(_ range: Range<Int>, usesDefault: Bool) throws(FormatRejection) -> XML.Name {
        let parts = try qualified(range)
        let local = String(decoding: parts.local, as: UTF8.self)
        if parts.prefix.isEmpty && !usesDefault { return XML.Name(local: local) }
        guard !parts.prefix.elementsEqual("xmlns".utf8), let namespace = scope.namespace(of: parts.prefix) else {
            throw .undeclaredPrefix(line: here, prefix: String(decoding: parts.prefix, as: UTF8.self))
        }
        return XML.Name(local: local, namespace: namespace)
    }

    /// QName, productions 7–11 of Namespaces in XML 1.0.
    private func qualified(_ range: Range<Int>) throws(FormatRejection) -> (
        prefix: ArraySlice<UInt8>, local: ArraySlice<UInt8>
    ) {
        let bytes = bytes[range]
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return ([], bytes) }
        let local = bytes[(colon + 1)...]
        guard colon > bytes.startIndex, !local.isEmpty, !local.contains(UInt8(ascii: ":")),
            XMLCharacter.startsName(text.scalar(at: local.startIndex).value)
        else { throw .malformedQualifiedName(line: here) }
        return (bytes[..<colon], local)
    }
}
