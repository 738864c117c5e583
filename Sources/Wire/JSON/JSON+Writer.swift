extension JSON {
    /// How a JSON text looks.
    public enum Layout: Sendable {
        /// Without white space, as it goes over the wire.
        case compact
        /// A line for each member and element, indented by two spaces, as people read it.
        case indented
    }

    /// The value as a JSON text in UTF-8.
    ///
    /// Members stand in their order and numbers in their text. Strings escape what RFC 8259 §7 demands and nothing
    /// else: quote, backslash and the controls below U+0020, by the two-letter escapes where there is one, else as
    /// `\u00xx`.
    public func encoded(_ layout: Layout = .compact) -> [UInt8] {
        Output.bytes(layout) { $0.tree(self) }
    }

    /// The value as a JSON text.
    public func encodedString(_ layout: Layout = .compact) -> String {
        String(decoding: encoded(layout), as: UTF8.self)
    }

    /// The text of an object that is written member by member, without a tree.
    ///
    /// ```swift
    /// let claims = JSON.encodedObject { claims in
    ///     claims.member("iss", issuer)
    ///     claims.member("exp", expiry)
    ///     claims.object("cnf") { $0.member("kid", key) }
    /// }
    /// ```
    /// Brackets, commas and quotes come by themselves. Names are not compared with each other: giving each once is the
    /// caller's part.
    public static func encodedObject(_ layout: Layout = .compact, _ members: (inout ObjectWriter) -> Void) -> [UInt8] {
        Output.bytes(layout) { output in
            withUnsafeMutablePointer(to: &output) { ValueWriter(output: $0).object(members) }
        }
    }

    /// The text of an array that is written element by element, without a tree.
    package static func encodedArray(_ layout: Layout = .compact, _ elements: (inout ArrayWriter) -> Void) -> [UInt8] {
        Output.bytes(layout) { output in
            withUnsafeMutablePointer(to: &output) { ValueWriter(output: $0).array(elements) }
        }
    }
}

extension JSON.Object {
    /// The object as a JSON text in UTF-8; see ``JSON/encoded(_:)``.
    public func encoded(_ layout: JSON.Layout = .compact) -> [UInt8] {
        Output.bytes(layout) { $0.tree(self) }
    }
}

// The writers hold the address of the output on the stack of `encodedObject` or `encodedArray`. They cannot be copied
// or made elsewhere, and are only lent to closures, so none outlives the call unless a closure swaps it away on
// purpose.

extension JSON {
    /// The place of one value in a JSON text: writing the value uses it up, dropping it writes `null`.
    public struct ValueWriter: ~Copyable {
        private let output: UnsafeMutablePointer<Output>
        private var isVacant = true

        init(output: UnsafeMutablePointer<Output>) {
            self.output = output
        }

        deinit {
            if isVacant { output.pointee.literal("null") }
        }

        @inline(__always)
        private consuming func fill(_ write: (inout Output) -> Void) {
            write(&output.pointee)
            isVacant = false
        }

        /// Writes `null`.
        public consuming func null() { fill { $0.literal("null") } }

        /// Writes a boolean.
        public consuming func bool(_ value: Bool) { fill { $0.bool(value) } }

        /// Writes an integer.
        public consuming func integer(_ value: Int64) { fill { $0.integer(value) } }

        /// Writes an integer.
        public consuming func integer(_ value: UInt64) { fill { $0.integer(value) } }

        /// Writes a number as its text.
        package consuming func number(_ value: Number) { fill { $0.number(value) } }

        /// Writes a string.
        public consuming func string(_ value: String) { fill { $0.string(value) } }

        /// Writes a tree.
        package consuming func tree(_ value: JSON) { fill { $0.tree(value) } }

        /// Writes a tree.
        package consuming func tree(_ value: Object) { fill { $0.tree(value) } }

        /// Copies a value of a document byte for byte.
        package consuming func copy(_ value: Document.Value) {
            fill { output in value.tape.withSource(value.tape[value.index]) { output.raw($0) } }
        }

        /// Writes an object by its members.
        public consuming func object(_ members: (inout ObjectWriter) -> Void) {
            output.pointee.open(UInt8(ascii: "{"))
            var writer = ObjectWriter(output: output)
            members(&writer)
            output.pointee.close(UInt8(ascii: "}"))
            isVacant = false
        }

        /// Writes an array by its elements.
        public consuming func array(_ elements: (inout ArrayWriter) -> Void) {
            output.pointee.open(UInt8(ascii: "["))
            var writer = ArrayWriter(output: output)
            elements(&writer)
            output.pointee.close(UInt8(ascii: "]"))
            isVacant = false
        }
    }

    /// Writes the members of one object, in the order of the calls.
    public struct ObjectWriter: ~Copyable {
        fileprivate let output: UnsafeMutablePointer<Output>
        private var isEmpty = true

        fileprivate init(output: UnsafeMutablePointer<Output>) { self.output = output }

        /// The place of the value of a member with this name; whoever has it must fill it before the next.
        @usableFromInline
        mutating func value(_ name: Name) -> ValueWriter {
            output.pointee.name(name, isFirst: isEmpty)
            isEmpty = false
            return ValueWriter(output: output)
        }

        /// Writes a member.
        @inlinable
        public mutating func member(_ name: Name, _ value: some Writable) {
            value.write(to: self.value(name))
        }

        /// Writes a member if there is a value for it.
        @inlinable
        public mutating func member(_ name: Name, ifPresent value: (some Writable)?) {
            if let value { member(name, value) }
        }

        /// Writes a member whose value is an object.
        public mutating func object(_ name: Name, _ members: (inout ObjectWriter) -> Void) {
            value(name).object(members)
        }

        /// Writes a member whose value is an array.
        public mutating func array(_ name: Name, _ elements: (inout ArrayWriter) -> Void) {
            value(name).array(elements)
        }
    }

    /// Writes the elements of one array, in the order of the calls.
    public struct ArrayWriter: ~Copyable {
        fileprivate let output: UnsafeMutablePointer<Output>

        /// The place of the next element; whoever has it must fill it before the one after.
        @usableFromInline
        mutating func value() -> ValueWriter {
            output.pointee.separate()
            return ValueWriter(output: output)
        }

        /// Writes an element.
        @inlinable
        public mutating func element(_ value: some Writable) {
            value.write(to: self.value())
        }

        /// Writes an element that is an object.
        public mutating func object(_ members: (inout ObjectWriter) -> Void) {
            value().object(members)
        }

        /// Writes an element that is an array.
        public mutating func array(_ elements: (inout ArrayWriter) -> Void) {
            value().array(elements)
        }
    }
}
