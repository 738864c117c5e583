import Wire

extension JWS {
    /// The media type in a `typ` or `cty` header (RFC 7515 §4.1.9).
    ///
    /// Compared as the standard demands: letters of either case are the same, and `application/` is understood where no
    /// other slash stands.
    public struct ContentType: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
        /// The type as it was written.
        public let text: String

        /// The media type of this text.
        public init(_ text: String) { self.text = text }

        /// The media type of this text.
        public init(stringLiteral text: String) { self.text = text }

        /// The type as it was written.
        public var description: String { text }

        /// A plain JWT that says nothing of its kind.
        public static let jwt: ContentType = "JWT"

        /// The bytes that are compared: without an implied prefix, ASCII letters small.
        private var canonical: [UInt8] {
            let small = text.utf8.map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 }
            let prefix = Array("application/".utf8)
            guard small.starts(with: prefix) else { return small }
            let rest = small[prefix.count...]
            return rest.contains(UInt8(ascii: "/")) ? small : Array(rest)
        }

        /// Whether the type names a token: `JWT` itself, or a kind of it, which by RFC 8725 §3.11 ends in `+jwt`.
        var namesToken: Bool {
            let canonical = canonical
            return canonical.elementsEqual("jwt".utf8)
                || (canonical.count > 4 && canonical.suffix(4).elementsEqual("+jwt".utf8))
        }

        /// Whether both name the same type.
        public static func == (one: ContentType, other: ContentType) -> Bool {
            // Nearly always the spelling is the same; that is told without memory of its own.
            one.text.spells(other.text) || one.canonical == other.canonical
        }

        /// Feeds the bytes that are compared.
        public func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
    }
}
