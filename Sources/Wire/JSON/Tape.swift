/// A JSON text and what the scanner found in it, in one block of memory: the text, padded with zero bytes, then the nodes.
///
/// A value is one node, followed by the nodes of what it contains; a member is the node of its name, then its value.
/// The block is written by the scanner alone and never changed after it.
struct Tape: @unchecked Sendable {  // Immutable once the scanner has returned it; nothing else writes into the block.
    /// A node: 16 bytes that say where a value lies in the text, and what it is.
    struct Node {
        /// The offset of the value's first byte.
        var start: UInt32
        /// The offset after its last byte; quotes and brackets belong to the value.
        var end: UInt32
        /// Of a value the index after it and all that it contains, or its parent's index while it is open; of a name its fingerprint.
        var link: UInt32
        /// The form in the low byte; above it the count of elements or members.
        var tag: UInt32

        @inline(__always)
        init(_ form: Form, start: Int, end: Int, link: UInt32) {
            // Limits.size keeps offsets below 2^30.
            self.start = UInt32(truncatingIfNeeded: start)
            self.end = UInt32(truncatingIfNeeded: end)
            self.link = link
            tag = UInt32(form.rawValue)
        }

        @inline(__always)
        var form: Form { Form(rawValue: UInt8(truncatingIfNeeded: tag)) }

        @inline(__always)
        var count: Int {
            get { Int(tag >> 8) }
            set { tag = tag & 0xff | UInt32(truncatingIfNeeded: newValue) << 8 }
        }
    }

    /// What a node stands for: the kinds of JSON, with what the scanner learned beside.
    struct Form: Equatable {
        let rawValue: UInt8

        static let null = Form(rawValue: 0)
        static let `false` = Form(rawValue: 1)
        static let `true` = Form(rawValue: 2)
        static let integer = Form(rawValue: 3)
        static let decimal = Form(rawValue: 4)
        static let plainString = Form(rawValue: 5)
        static let escapedString = Form(rawValue: 6)
        static let array = Form(rawValue: 7)
        static let object = Form(rawValue: 8)

        /// The form of the container that a bracket opens.
        @inline(__always)
        static func container(_ bracket: UInt8) -> Form { bracket == UInt8(ascii: "{") ? .object : .array }

        @inline(__always)
        var isString: Bool { self == .plainString || self == .escapedString }

        @inline(__always)
        var isNumber: Bool { self == .integer || self == .decimal }

        var kind: JSON.Kind {
            switch self {
            case .null: .null
            case .false, .true: .bool
            case .integer, .decimal: .number
            case .plainString, .escapedString: .string
            case .array: .array
            default: .object
            }
        }
    }

    struct Header {
        /// The count of the text's bytes.
        let size: Int
    }

    typealias Block = ManagedBuffer<Header, Node>

    /// The widest count a node holds.
    static let widestCount = 1 << 24 - 1

    /// Zero bytes after the text, so that a load of eight bytes from any offset up to its end stays within the block,
    /// and every loop of the scanner stops at the first of them.
    static let padding = 16

    let block: Block

    /// The nodes' worth of memory that a text takes.
    @inline(__always)
    static func slots(forText size: Int) -> Int {
        (size &+ padding &+ 15) >> 4  // a node has 16 bytes, and Limits.size keeps this far from overflow
    }

    /// Copies a text into a new block with room for so many nodes.
    static func block(holding text: UnsafeBufferPointer<UInt8>, nodeCapacity: Int) -> Block {
        let slots = slots(forText: text.count)
        let block = Block.create(minimumCapacity: slots + nodeCapacity) { _ in Header(size: text.count) }
        block.withUnsafeMutablePointerToElements { elements in
            let target = UnsafeMutableRawPointer(elements)
            if let source = text.baseAddress { target.copyMemory(from: source, byteCount: text.count) }
            // slots × 16 ≥ size + padding
            (target + text.count).initializeMemory(as: UInt8.self, repeating: 0, count: slots * MemoryLayout<Node>.stride - text.count)
        }
        return block
    }

    /// Copies the text and the first `count` nodes into a new block with more room.
    static func copy(_ block: Block, nodes count: Int, nodeCapacity: Int) -> Block {
        let size = size(of: block)
        let slots = slots(forText: size)
        let larger = Block.create(minimumCapacity: slots + nodeCapacity) { _ in Header(size: size) }
        block.withUnsafeMutablePointerToElements { old in
            larger.withUnsafeMutablePointerToElements { new in
                UnsafeMutableRawPointer(new).copyMemory(from: old, byteCount: (slots + count) * MemoryLayout<Node>.stride)
            }
        }
        return larger
    }

    /// The count of the text's bytes. (Reading `block.header` would go through a dynamic exclusivity check.)
    @inline(__always)
    static func size(of block: Block) -> Int {
        block.withUnsafeMutablePointerToHeader { $0.pointee.size }
    }

    /// The address of the text's first byte; valid while the block lives, readable for `size + padding` bytes.
    @inline(__always)
    static func text(of block: Block) -> UnsafePointer<UInt8> {
        block.withUnsafeMutablePointerToElements { UnsafePointer(UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt8.self)) }
    }

    /// The address of the first node; valid while the block lives.
    @inline(__always)
    static func nodes(of block: Block) -> UnsafeMutablePointer<Node> {
        block.withUnsafeMutablePointers { header, elements in elements + slots(forText: header.pointee.size) }
    }
}

extension Tape {
    /// The node at an index, which must come from this tape.
    @inline(__always)
    subscript(index: Int) -> Node {
        block.withUnsafeMutablePointers { header, elements in elements[Tape.slots(forText: header.pointee.size) + index] }
    }

    /// The index after a value and all that it contains.
    @inline(__always)
    func end(of index: Int) -> Int {
        Int(self[index].link)
    }

    /// Calls with a value's bytes as written; they are followed by eight readable bytes at least.
    @inline(__always)
    func withSource<Result>(_ node: Node, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        block.withUnsafeMutablePointerToElements { elements in
            let text = UnsafeRawPointer(elements).assumingMemoryBound(to: UInt8.self)
            return body(UnsafeBufferPointer(start: text + Int(node.start), count: Int(node.end - node.start)))
        }
    }

    /// The text of a string or name, with its escapes resolved.
    func string(_ node: Node) -> String {
        withSource(node) { source in
            let content = UnsafeBufferPointer(rebasing: source[1..<(source.count - 1)])
            guard node.form == .escapedString else { return String(decoding: content, as: UTF8.self) }
            return String(unsafeUninitializedCapacity: content.count) { Escapes.resolve(content, into: $0) }
        }
    }

    /// Whether a string or name, with its escapes resolved, consists of these bytes.
    @inline(__always)
    func hasContent(_ node: Node, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if node.form == .escapedString { return resolvesEscapes(node, to: bytes) }
        return withSource(node) { source in
            guard source.count - 2 == bytes.count, let content = source.baseAddress, let other = bytes.baseAddress else {
                return bytes.isEmpty && source.count == 2
            }
            return Bytes.equal(content + 1, other, count: bytes.count)
        }
    }

    @inline(never)
    private func resolvesEscapes(_ node: Node, to bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // Resolved text is never longer than its source.
        guard bytes.count < Int(node.end - node.start) else { return false }
        return string(node).utf8.elementsEqual(bytes)
    }
}
