extension JSON {
    /// The name of an object's member, compared as UTF-8 bytes.
    ///
    /// Swift's `String` takes canonically equivalent texts for equal — "é" and "e\u{301}", even "K" and the Kelvin sign —
    /// where RFC 8259 §8.3 tells names apart code unit by code unit. With this type `switch name { case "kid": … }` is exact.
    public struct Name: Sendable {
        /// The name as text; comparing it with `String`'s `==` would lose the exactness.
        public let text: String

        /// The name with this text.
        public init(_ text: String) {
            self.text = text
        }
    }
}

extension JSON.Name: ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name with this text.
    public init(stringLiteral text: String) {
        self.text = text
    }

    /// The text of the name.
    public var description: String { text }
}

extension JSON.Name: Hashable, Comparable {
    /// Whether both consist of the same bytes.
    public static func == (left: JSON.Name, right: JSON.Name) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    /// Whether the left one's bytes come first in lexicographic order, which is also the order of code points.
    public static func < (left: JSON.Name, right: JSON.Name) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Feeds the bytes.
    public func hash(into hasher: inout Hasher) {
        text.hashBytes(into: &hasher)
    }
}

extension String {
    /// Whether both consist of the same UTF-8 bytes; `==` would compare up to canonical equivalence.
    func hasSameBytes(as other: String) -> Bool {
        var left = self
        var right = other
        return left.withUTF8 { left in
            right.withUTF8 { right in
                guard left.count == right.count else { return false }
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return Bytes.equal(left, right, count: other.utf8.count)
            }
        }
    }

    /// Feeds the UTF-8 bytes and their count.
    func hashBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { bytes in
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
            hasher.combine(bytes.count)
        }
    }
}
