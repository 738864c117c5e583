// The bridge between trees and documents, both ways: who has one and needs the other goes over it, and nobody writes a
// text by hand only to read it again.

extension JSON.Document {
    /// The document of a tree, or of anything else that can be written as one value.
    package init(of value: some JSON.Writable, limits: JSON.Limits = JSON.Limits()) throws(JSON.Rejection) {
        let text = Output.bytes(.compact) { output in
            withUnsafeMutablePointer(to: &output) { value.write(to: JSON.ValueWriter(output: $0)) }
        }
        try self.init(parsing: text, limits: limits)
    }

    /// The whole document as a tree.
    public func tree() -> JSON { root.tree() }
}

extension JSON.Document.Value {
    /// The value and all that it contains as a tree of its own.
    public func tree() -> JSON {
        var index = index
        return tape.withMemory { nodes, text in Tape.tree(nodes, text, at: &index) }
    }
}

extension JSON.Document.Array {
    /// The elements as trees.
    public func tree() -> [JSON] { value.tree().array ?? [] }
}

extension JSON.Document.Object {
    /// The members with their values as trees.
    public func tree() -> JSON.Object { value.tree().object ?? JSON.Object() }
}

extension Tape {
    /// Builds the tree of the value at an index and moves the index behind it.
    ///
    /// Recursion ends at the depth that the limits allowed to the scanner, 512 at most.
    fileprivate static func tree(_ nodes: UnsafePointer<Slot>, _ text: UnsafePointer<UInt8>, at index: inout Int)
        -> JSON
    {
        let node = nodes[index]
        index += 1
        switch node.form {
        case .null: return .null
        case .false: return .bool(false)
        case .true: return .bool(true)
        case .integer, .decimal:
            let source = UnsafeBufferPointer(start: text + Int(node.start), count: Int(node.end &- node.start))
            return .number(JSON.Number(valid: String(decoding: source, as: UTF8.self)))
        case .asciiString, .plainString, .escapedString:
            return .string(string(node, text))
        case .array:
            let count = node.count
            return .array(
                [JSON](unsafeUninitializedCapacity: count) { elements, initialized in
                    while initialized < count {
                        elements.initializeElement(at: initialized, to: tree(nodes, text, at: &index))
                        initialized += 1
                    }
                })
        default:
            let count = node.count
            return .object(
                JSON.Object(
                    distinct: [JSON.Object.Member](unsafeUninitializedCapacity: count) { members, initialized in
                        while initialized < count {
                            let name = JSON.Name(string(nodes[index], text))
                            index += 1
                            let value = tree(nodes, text, at: &index)
                            members.initializeElement(at: initialized, to: JSON.Object.Member(name: name, value: value))
                            initialized += 1
                        }
                    }))
        }
    }
}
