extension JSON {
    /// A JSON text that has been checked completely, read in place: no tree is built, values are made when asked for.
    ///
    /// A document is one block of memory with a copy of the text and an index of its values. Its values, objects and
    /// arrays are light references that keep the block alive.
    ///
    /// ```swift
    /// let claims = try JSON.Document(parsing: payload).root.object()
    /// let issuer = try claims["iss"].string()
    /// let expiry = try claims.optional("exp")?.integer(as: Int64.self)
    /// ```
    public struct Document: Sendable {
        @usableFromInline let tape: Tape

        /// Reads one JSON text, which the bytes must hold completely.
        public init(parsing bytes: [UInt8], limits: Limits = Limits()) throws(Rejection) {
            try self.init(parsing: bytes.span, limits: limits)
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
        @inlinable
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

        /// The type of the value.
        @inlinable
        public var kind: JSON.Kind { tape.kind(at: index) }

        /// Whether the value is `null`.
        @inlinable
        public var isNull: Bool { kind == .null }

        /// The boolean that this value must be.
        @inlinable
        public func bool() throws(JSON.Rejection) -> Bool {
            try tape.bool(at: index)
        }

        /// The string that this value must be, with its escapes resolved.
        @inlinable
        public func string() throws(JSON.Rejection) -> String {
            try tape.string(at: index)
        }

        /// Whether the value is the string with exactly these bytes, told without making a string of it.
        @inlinable
        package func isString(_ text: String) -> Bool {
            tape.isString(text, at: index)
        }

        /// Whether the value is a string of one to `limit` bytes of printable ASCII without escapes, told without
        /// making a string of it.
        @inlinable
        package func isPlainText(upTo limit: Int) -> Bool {
            tape.isPlainText(at: index, upTo: limit)
        }

        /// The number that this value must be, with its text.
        @inlinable
        public func number() throws(JSON.Rejection) -> JSON.Number {
            try tape.number(at: index)
        }

        /// The integer that this value must be, exactly: `1.0` and `1e2` are integers, `1.5` and `1e400` are rejected.
        @inlinable
        public func integer<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self) throws(JSON.Rejection)
            -> Integer
        {
            let (isNegative, magnitude) = try tape.signAndMagnitude(at: index)
            guard let integer = JSON.Number.integer(isNegative, magnitude, as: type) else {
                throw .outOfRange(at: tape.path(to: index))
            }
            return integer
        }

        /// The array that this value must be.
        @inlinable
        public func array() throws(JSON.Rejection) -> Array {
            try tape.require(.array, at: index)
            return Array(tape: tape, index: index)
        }

        /// The object that this value must be.
        @inlinable
        public func object() throws(JSON.Rejection) -> Object {
            try tape.require(.object, at: index)
            return Object(tape: tape, index: index)
        }

        /// The value as it is written in the text, byte for byte.
        package var raw: [UInt8] { tape.withSource(tape[index]) { [UInt8]($0) } }

        /// The offset of the value in the text.
        package var offset: Int { Int(tape[index].start) }

        /// Where the value lies in the document; found by a search from the root, so meant for messages.
        public var path: JSON.Path { tape.path(to: index) }
    }
}
