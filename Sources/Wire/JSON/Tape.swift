/// A JSON text and what the scanner found in it, in one block of memory: the text padded with zero bytes, then the
/// nodes.
///
/// A value is one node, followed by the nodes of what it contains; a member is the node of its name, then its value.
/// Nodes have the indices of their slots, so the first one's index, the root, is the count of slots that the text
/// takes.
@usableFromInline
struct Tape: @unchecked Sendable {  // Only the scanner writes into the block, and gives it away when it is done.
    /// The header is the root. (A managed buffer is made in half the time of an array, which looks up its metadata each
    /// time.)
    private let block: ManagedBuffer<Int, Slot>

    /// Zero bytes after the text, so that a load of eight bytes from any offset up to its end stays within the block,
    /// and every loop of the scanner stops at the first of them.
    static let padding = 16

    /// The index of the first node behind a text of this size, which `Limits.size` keeps to 2³⁰ at most.
    @inline(__always)
    static func root(behind size: Int) -> Int {
        (size &+ padding &+ 15) >> 4
    }

    /// A tape that holds a text and no nodes yet, with room for so many slots; the root must be below that.
    @inline(__always)
    init(holding source: UnsafeBufferPointer<UInt8>, capacity: Int) {
        let root = Tape.root(behind: source.count)
        block = .create(minimumCapacity: capacity) { _ in root }
        block.withUnsafeMutablePointerToElements { slots in
            let text = UnsafeMutableRawPointer(slots)
            if let start = source.baseAddress { text.copyMemory(from: start, byteCount: source.count) }
            // root × 16 ≥ source.count + padding
            let rest = root &* MemoryLayout<Slot>.stride &- source.count
            (text + source.count).initializeMemory(as: UInt8.self, repeating: 0, count: rest)
        }
    }

    /// A copy of a tape with `count` slots written, which has room for more.
    @inline(never)
    init(copying tape: Tape, count: Int, capacity: Int) {
        let root = tape.root
        block = .create(minimumCapacity: capacity) { _ in root }
        block.withUnsafeMutablePointerToElements { slots in
            tape.block.withUnsafeMutablePointerToElements { slots.initialize(from: $0, count: count) }
        }
    }

    /// The index of the whole document's node. (Reading `block.header` would go through a dynamic exclusivity check.)
    @usableFromInline
    var root: Int { block.withUnsafeMutablePointerToHeader { $0.pointee } }

    /// Calls with the slots, which end with the call, to write nodes.
    @inline(__always)
    func withMutableMemory<Result>(_ body: (UnsafeMutablePointer<Slot>) -> Result) -> Result {
        block.withUnsafeMutablePointerToElements(body)
    }

    /// Calls with the slots and the text in them, which both end with the call.
    ///
    /// The indices and offsets that nodes hold lie within them.
    @inline(__always)
    func withMemory<Result>(_ body: (UnsafePointer<Slot>, UnsafePointer<UInt8>) -> Result) -> Result {
        block.withUnsafeMutablePointerToElements { body(UnsafePointer($0), Text.start(in: $0)) }
    }

    /// The node at an index, which must come from this tape.
    @inline(__always)
    subscript(index: Int) -> Slot {
        withMemory { slots, _ in slots[index] }
    }
}

extension Tape {
    /// A node: 16 bytes that say where a value lies in the text, and what it is.
    struct Slot: Sendable {
        /// The offset of the value's first byte.
        var start: UInt32
        /// The offset after its last byte; quotes and brackets belong to the value.
        var end: UInt32
        /// Of a value the index after it and all that it contains, or its parent's index while it is open; of a name
        /// its fingerprint.
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

        /// The widest count a node holds.
        static let widestCount = 1 << 24 - 1
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
        /// A string of ASCII without escapes.
        static let asciiString = Form(rawValue: 9)

        /// The form of the container that a bracket opens.
        @inline(__always)
        static func container(_ bracket: UInt8) -> Form { bracket == UInt8(ascii: "{") ? .object : .array }

        @inline(__always)
        var isString: Bool { self == .asciiString || self == .plainString || self == .escapedString }

        @inline(__always)
        var isNumber: Bool { self == .integer || self == .decimal }

        var kind: JSON.Kind {
            switch self {
            case .null: .null
            case .false, .true: .bool
            case .integer, .decimal: .number
            case .asciiString, .plainString, .escapedString: .string
            case .array: .array
            default: .object
            }
        }
    }
}

// MARK: - Values

extension Tape {
    /// Calls with a value's bytes as written; they are followed by eight readable bytes at least.
    @inline(__always)
    func withSource<Result>(_ node: Slot, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withMemory { _, text in
            body(UnsafeBufferPointer(start: text + Int(node.start), count: Int(node.end &- node.start)))
        }
    }

    /// The text of a string or name, with its escapes resolved.
    @inline(__always)
    func string(_ node: Slot) -> String {
        withMemory { _, text in Tape.string(node, text) }
    }

    /// The text of a string or name in this text, with its escapes resolved.
    @inline(__always)
    static func string(_ node: Slot, _ text: UnsafePointer<UInt8>) -> String {
        let content = UnsafeBufferPointer(start: text + (Int(node.start) &+ 1), count: Int(node.end &- node.start) &- 2)
        if node.form == .asciiString { return String(ascii: content) }
        guard node.form == .escapedString else { return String(decoding: content, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: content.count) { Escapes.resolve(content, into: $0) }
    }

    /// Whether a string or name, with its escapes resolved, consists of these bytes.
    @inline(__always)
    func hasContent(_ node: Slot, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if node.form == .escapedString { return resolvesEscapes(node, to: bytes) }
        return withSource(node) { source in
            guard source.count &- 2 == bytes.count else { return false }
            guard let content = source.baseAddress, let other = bytes.baseAddress else { return bytes.isEmpty }
            return Bytes.equal(content + 1, other, count: bytes.count)
        }
    }

    @inline(never)
    private func resolvesEscapes(_ node: Slot, to bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // Resolved text is never longer than its source.
        guard bytes.count < Int(node.end &- node.start) else { return false }
        return string(node).utf8.elementsEqual(bytes)
    }
}
