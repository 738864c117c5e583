// The cursors into the containers of a document. Their members are inlinable, down to the calls of `Tape+Access.swift`.

// MARK: - Arrays

extension JSON.Document {
    /// An array in a document: a sequence of its elements in order.
    public struct Array: Sendable, Sequence {
        @usableFromInline let tape: Tape
        @usableFromInline let index: Int

        @inlinable
        init(tape: Tape, index: Int) {
            self.tape = tape
            self.index = index
        }

        /// The count of elements.
        @inlinable
        public var count: Int { tape.count(at: index) }

        /// Whether there are no elements.
        @inlinable
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
        @inlinable
        public var value: Value { Value(tape: tape, index: index) }

        /// Starts at the first element.
        @inlinable
        public func makeIterator() -> Iterator {
            Iterator(tape: tape, upcoming: index + 1, end: tape.end(of: index))
        }

        /// The number of elements.
        @inlinable
        public var underestimatedCount: Int { count }

        /// The elements in order, one after the other.
        public struct Iterator: IteratorProtocol, Sendable {
            @usableFromInline let tape: Tape
            @usableFromInline var upcoming: Int
            @usableFromInline let end: Int

            @inlinable
            init(tape: Tape, upcoming: Int, end: Int) {
                self.tape = tape
                self.upcoming = upcoming
                self.end = end
            }

            /// The next element, if there is one.
            @inlinable
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

        @inlinable
        init(tape: Tape, index: Int) {
            self.tape = tape
            self.index = index
        }

        /// The count of members.
        @inlinable
        public var count: Int { tape.count(at: index) }

        /// Whether there are no members.
        @inlinable
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
        @inlinable
        public func contains(_ name: JSON.Name) -> Bool {
            tape.value(named: name, in: index) != nil
        }

        /// The object as a value.
        @inlinable
        public var value: Value { Value(tape: tape, index: index) }

        /// Starts at the first member.
        @inlinable
        public func makeIterator() -> Iterator {
            Iterator(tape: tape, upcoming: index + 1, end: tape.end(of: index))
        }

        /// The number of members.
        @inlinable
        public var underestimatedCount: Int { count }

        /// A name and its value in a document.
        public struct Member: Sendable {
            @usableFromInline let tape: Tape
            @usableFromInline let index: Int

            @inlinable
            init(tape: Tape, index: Int) {
                self.tape = tape
                self.index = index
            }

            /// The name, with its escapes resolved.
            @inlinable
            public var name: JSON.Name { JSON.Name(tape.name(at: index)) }

            /// The value.
            @inlinable
            public var value: Value { Value(tape: tape, index: index + 1) }
        }

        /// The members in order, one after the other.
        public struct Iterator: IteratorProtocol, Sendable {
            @usableFromInline let tape: Tape
            @usableFromInline var upcoming: Int
            @usableFromInline let end: Int

            @inlinable
            init(tape: Tape, upcoming: Int, end: Int) {
                self.tape = tape
                self.upcoming = upcoming
                self.end = end
            }

            /// The next member, if there is one.
            @inlinable
            public mutating func next() -> Member? {
                guard upcoming < end else { return nil }
                defer { upcoming = tape.end(of: upcoming + 1) }
                return Member(tape: tape, index: upcoming)
            }
        }
    }
}
