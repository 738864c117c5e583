extension JSON {
    /// The name of an object's member, compared as UTF-8 bytes.
    ///
    /// Swift's `String` takes canonically equivalent texts for equal — "é" and "e\u{301}", even "K" and the Kelvin sign
    /// — where RFC 8259 §8.3 tells names apart code unit by code unit. With this type `switch name { case "kid": … }`
    /// is exact.
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
