extension JSON {
    /// A JSON text that has been checked completely, read in place: no tree is built, values are made when asked for.
    ///
    /// A document is one block of memory with a copy of the text and an index of its values. Its values, objects and arrays
    /// are light references that keep the block alive.
    ///
    /// ```swift
    /// let claims = try JSON.Document(parsing: payload).root.object()
    /// let issuer = try claims["iss"].string()
    /// let expiry = try claims.optional("exp")?.integer(as: Int64.self)
    /// ```
    public struct Document: Sendable {
        let tape: Tape

        /// Reads one JSON text, which the bytes must hold completely.
        public init(parsing bytes: [UInt8], limits: Limits = Limits()) throws(Rejection) {
            let parsed: Result<Tape, Rejection> = bytes.withUnsafeBufferPointer { Document.scan($0, limits) }
            tape = try parsed.get()
        }

        /// Reads one JSON text, which the bytes must hold completely.
        public init(parsing bytes: Span<UInt8>, limits: Limits = Limits()) throws(Rejection) {
            let parsed: Result<Tape, Rejection> = bytes.withUnsafeBufferPointer { Document.scan($0, limits) }
            tape = try parsed.get()
        }

        /// Reads one JSON text, which the bytes must hold completely.
        public init(parsing bytes: some Collection<UInt8>, limits: Limits = Limits()) throws(Rejection) {
            let parsed: Result<Tape, Rejection>? = bytes.withContiguousStorageIfAvailable { Document.scan($0, limits) }
            if let parsed {
                tape = try parsed.get()
            } else {
                // Not contiguous in memory: copied, but not beyond the limit.
                tape = try Document(parsing: [UInt8](bytes.prefix(limits.size + 1)), limits: limits).tape
            }
        }

        /// Reads one JSON text, which the string must hold completely.
        public init(parsing text: String, limits: Limits = Limits()) throws(Rejection) {
            let parsed: Result<Tape, Rejection> = text.withBytes { Document.scan($0, limits) }
            tape = try parsed.get()
        }

        @inline(__always)
        private static func scan(_ bytes: UnsafeBufferPointer<UInt8>, _ limits: Limits) -> Result<Tape, Rejection> {
            Result { () throws(Rejection) in try Scanner.tape(of: bytes, limits: limits) }
        }

        /// The value that the text consists of.
        public var root: Value { Value(tape: tape, index: tape.root) }
    }
}

// MARK: - Values

extension JSON.Document {
    /// A value in a document.
    public struct Value: Sendable {
        @usableFromInline let tape: Tape
        @usableFromInline let index: Int

        @inlinable
        init(tape: Tape, index: Int) {
            self.tape = tape
            self.index = index
        }

        @inline(__always)
        var node: Tape.Slot { tape[index] }

        /// The type of the value.
        public var kind: JSON.Kind { node.form.kind }

        /// Whether the value is `null`.
        public var isNull: Bool { node.form == .null }

        /// The boolean that this value must be.
        public func bool() throws(JSON.Rejection) -> Bool {
            switch node.form {
            case .true: return true
            case .false: return false
            default: throw tape.mismatch(at: index, expected: .bool)
            }
        }

        /// The string that this value must be, with its escapes resolved.
        @inlinable
        public func string() throws(JSON.Rejection) -> String {
            try tape.string(at: index)
        }

        /// Whether the value is the string with exactly these bytes, told without making a string of it.
        public func isString(_ text: String) -> Bool {
            let node = node
            guard node.form.isString else { return false }
            return text.withBytes { tape.hasContent(node, $0) }
        }

        /// The number that this value must be, with its text.
        public func number() throws(JSON.Rejection) -> JSON.Number {
            let node = node
            guard node.form.isNumber else { throw tape.mismatch(at: index, expected: .number) }
            return tape.withSource(node) { JSON.Number(valid: String(decoding: $0, as: UTF8.self)) }
        }

        /// The integer that this value must be, exactly: `1.0` and `1e2` are integers, `1.5` and `1e400` are rejected.
        @inlinable
        public func integer<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self) throws(JSON.Rejection) -> Integer {
            let (isNegative, magnitude) = try tape.signAndMagnitude(at: index)
            guard let integer = JSON.Number.integer(isNegative, magnitude, as: type) else { throw .outOfRange(at: tape.path(to: index)) }
            return integer
        }

        /// The array that this value must be.
        public func array() throws(JSON.Rejection) -> Array {
            guard node.form == .array else { throw tape.mismatch(at: index, expected: .array) }
            return Array(tape: tape, index: index)
        }

        /// The object that this value must be.
        public func object() throws(JSON.Rejection) -> Object {
            guard node.form == .object else { throw tape.mismatch(at: index, expected: .object) }
            return Object(tape: tape, index: index)
        }

        /// The value as it is written in the text, byte for byte.
        public var raw: [UInt8] { tape.withSource(node) { [UInt8]($0) } }

        /// The offset of the value in the text.
        public var offset: Int { Int(node.start) }

        /// Where the value lies in the document; found by a search from the root, so meant for messages.
        public var path: JSON.Path { tape.path(to: index) }
    }
}

// MARK: - Arrays

extension JSON.Document {
    /// An array in a document: a sequence of its elements in order.
    public struct Array: Sendable, Sequence {
        let tape: Tape
        let index: Int

        /// The count of elements.
        public var count: Int { tape[index].count }

        /// Whether there are no elements.
        public var isEmpty: Bool { count == 0 }

        /// The element at a position, which must exist; found by walking from the first.
        public subscript(position: Int) -> Value {
            get throws(JSON.Rejection) {
                guard 0..<count ~= position else { throw .missing(at: value.path.element(position)) }
                var element = index + 1
                for _ in 0..<position { element = tape.end(of: element) }
                return Value(tape: tape, index: element)
            }
        }

        /// The array as a value.
        public var value: Value { Value(tape: tape, index: index) }

        /// Starts at the first element.
        public func makeIterator() -> Iterator {
            Iterator(tape: tape, upcoming: index + 1, end: tape.end(of: index))
        }

        /// The number of elements.
        public var underestimatedCount: Int { count }

        /// The elements in order, one after the other.
        public struct Iterator: IteratorProtocol, Sendable {
            let tape: Tape
            var upcoming: Int
            let end: Int

            /// The next element, if there is one.
            public mutating func next() -> Value? {
                guard upcoming < end else { return nil }
                defer { upcoming = tape.end(of: upcoming) }
                return Value(tape: tape, index: upcoming)
            }
        }
    }
}

// MARK: - Objects

extension JSON.Document {
    /// An object in a document: a sequence of its members in order, with look-up by name.
    public struct Object: Sendable, Sequence {
        @usableFromInline let tape: Tape
        @usableFromInline let index: Int

        /// The count of members.
        public var count: Int { tape[index].count }

        /// Whether there are no members.
        public var isEmpty: Bool { count == 0 }

        /// The value of a member that must exist.
        @inlinable
        public subscript(name: JSON.Name) -> Value {
            get throws(JSON.Rejection) {
                guard let found = tape.value(named: name, in: index) else { throw tape.missing(name, in: index) }
                return Value(tape: tape, index: found)
            }
        }

        /// The value of a member that may be absent; a `null` that is there is a value, not an absence.
        @inlinable
        public func optional(_ name: JSON.Name) -> Value? {
            guard let found = tape.value(named: name, in: index) else { return nil }
            return Value(tape: tape, index: found)
        }

        /// Whether there is a member with this name.
        public func contains(_ name: JSON.Name) -> Bool {
            tape.value(named: name, in: index) != nil
        }

        /// The object as a value.
        public var value: Value { Value(tape: tape, index: index) }

        /// Starts at the first member.
        public func makeIterator() -> Iterator {
            Iterator(tape: tape, upcoming: index + 1, end: tape.end(of: index))
        }

        /// The number of members.
        public var underestimatedCount: Int { count }

        /// A name and its value in a document.
        public struct Member: Sendable {
            let tape: Tape
            let index: Int

            /// The name, with its escapes resolved.
            public var name: JSON.Name { JSON.Name(tape.string(tape[index])) }

            /// The value.
            public var value: Value { Value(tape: tape, index: index + 1) }
        }

        /// The members in order, one after the other.
        public struct Iterator: IteratorProtocol, Sendable {
            let tape: Tape
            var upcoming: Int
            let end: Int

            /// The next member, if there is one.
            public mutating func next() -> Member? {
                guard upcoming < end else { return nil }
                defer { upcoming = tape.end(of: upcoming + 1) }
                return Member(tape: tape, index: upcoming)
            }
        }
    }
}

extension Tape {
    @usableFromInline
    func string(at index: Int) throws(JSON.Rejection) -> String {
        let node = self[index]
        guard node.form.isString else { throw mismatch(at: index, expected: .string) }
        return string(node)
    }

    @usableFromInline
    func signAndMagnitude(at index: Int) throws(JSON.Rejection) -> (isNegative: Bool, magnitude: UInt64) {
        let node = self[index]
        guard node.form.isNumber else { throw mismatch(at: index, expected: .number) }
        switch withSource(node, JSON.Number.Whole.init) {
        case .value(let isNegative, let magnitude): return (isNegative, magnitude)
        case .fraction: throw .fraction(at: path(to: index))
        case .tooLarge: throw .outOfRange(at: path(to: index))
        }
    }

    @inline(never)
    func mismatch(at index: Int, expected: JSON.Kind) -> JSON.Rejection {
        .mismatch(at: path(to: index), expected: expected, found: self[index].form.kind)
    }

    @usableFromInline
    func missing(_ name: JSON.Name, in object: Int) -> JSON.Rejection {
        .missing(at: path(to: object).member(name))
    }

    /// The index of the value with this name in an object, found by walking: linear, with short steps thanks to the fingerprints.
    @usableFromInline
    func value(named name: JSON.Name, in object: Int) -> Int? {
        name.text.withBytes { value(named: $0, in: object) }
    }

    private func value(named name: UnsafeBufferPointer<UInt8>, in object: Int) -> Int? {
        let fingerprint = Names.fingerprint(name)
        return withMemory { nodes, text in
            var member = object &+ 1
            let end = Int(nodes[object].link)
            while member < end {
                let node = nodes[member]
                if node.link == fingerprint, hasContent(node, name) { return member &+ 1 }
                member = Int(nodes[member &+ 1].link)
            }
            return nil
        }
    }

    /// The path from the root to a value: descends into the containers that hold its index.
    @usableFromInline
    func path(to index: Int) -> JSON.Path {
        var path = JSON.Path.root
        var container = root
        while container != index {
            let isObject = self[container].form == .object
            var child = container + 1
            var position = 0
            while true {
                let value = isObject ? child + 1 : child
                let end = end(of: value)
                if index < end {
                    path = isObject ? path.member(JSON.Name(string(self[child]))) : path.element(position)
                    container = value
                    break
                }
                child = end
                position += 1
            }
        }
        return path
    }
}
