extension JSON.Document {
    /// The whole document as a tree.
    public func tree() -> JSON { root.tree() }
}

extension JSON.Document.Value {
    /// The value and all that it contains as a tree of its own.
    public func tree() -> JSON {
        var index = index
        return tape.withNodes { nodes, text in Tape.tree(nodes, text, at: &index) }
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
    /// Calls with the first node and the first byte of the text.
    @inline(__always)
    func withNodes<Result>(_ body: (UnsafePointer<Node>, UnsafePointer<UInt8>) -> Result) -> Result {
        block.withUnsafeMutablePointers { header, elements in
            let text = UnsafeRawPointer(elements).assumingMemoryBound(to: UInt8.self)
            return body(elements + Tape.slots(forText: header.pointee.size), text)
        }
    }

    /// Builds the tree of the value at an index and moves the index behind it.
    ///
    /// Recursion ends at the depth that the limits allowed to the scanner, 512 at most.
    fileprivate static func tree(_ nodes: UnsafePointer<Node>, _ text: UnsafePointer<UInt8>, at index: inout Int) -> JSON {
        let node = nodes[index]
        index += 1
        switch node.form {
        case .null: return .null
        case .false: return .bool(false)
        case .true: return .bool(true)
        case .integer, .decimal:
            let source = UnsafeBufferPointer(start: text + Int(node.start), count: Int(node.end &- node.start))
            return .number(JSON.Number(valid: String(decoding: source, as: UTF8.self)))
        case .plainString, .escapedString:
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

    /// The text of a string or name, with its escapes resolved.
    @inline(__always)
    static func string(_ node: Node, _ text: UnsafePointer<UInt8>) -> String {
        let content = UnsafeBufferPointer(start: text + (Int(node.start) + 1), count: Int(node.end &- node.start) - 2)
        guard node.form == .escapedString else { return String(decoding: content, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: content.count) { Escapes.resolve(content, into: $0) }
    }
}
