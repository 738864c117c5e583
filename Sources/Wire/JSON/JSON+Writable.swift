extension JSON {
    /// What can be written as one JSON value.
    public protocol Writable {
        /// Writes the value to its place.
        func write(to place: consuming ValueWriter)
    }
}

extension JSON: JSON.Writable {
    /// Writes the tree.
    public func write(to place: consuming ValueWriter) { place.tree(self) }
}

extension JSON.Object: JSON.Writable {
    /// Writes the members in their order.
    public func write(to place: consuming JSON.ValueWriter) { place.tree(self) }
}

extension JSON.Number: JSON.Writable {
    /// Writes the number as its text.
    public func write(to place: consuming JSON.ValueWriter) { place.number(self) }
}

extension JSON.Document.Value: JSON.Writable {
    /// Copies the value as it is written in its document, byte for byte.
    public func write(to place: consuming JSON.ValueWriter) { place.copy(self) }
}

extension String: JSON.Writable {
    /// Writes a string.
    public func write(to place: consuming JSON.ValueWriter) { place.string(self) }
}

extension Bool: JSON.Writable {
    /// Writes `true` or `false`.
    public func write(to place: consuming JSON.ValueWriter) { place.bool(self) }
}

extension Int: JSON.Writable {
    /// Writes a number without fraction.
    public func write(to place: consuming JSON.ValueWriter) { place.integer(Int64(self)) }
}

extension Int64: JSON.Writable {
    /// Writes a number without fraction.
    public func write(to place: consuming JSON.ValueWriter) { place.integer(self) }
}

extension UInt64: JSON.Writable {
    /// Writes a number without fraction.
    public func write(to place: consuming JSON.ValueWriter) { place.integer(self) }
}

extension Array: JSON.Writable where Element: JSON.Writable {
    /// Writes an array of the elements.
    public func write(to place: consuming JSON.ValueWriter) {
        place.array { array in
            for element in self { array.element(element) }
        }
    }
}
