public import Wire

/// The subset of YAML 1.2 that service descriptions are written in: what it takes becomes a JSON value, what it does
/// not take is refused.
///
/// Taken are block and flow collections, plain, quoted and block scalars, comments and document markers. Anchors,
/// aliases, tags, merge keys, directives, duplicate and complex keys and further documents are refused: each of them
/// makes a text mean what it does not show.
///
/// Plain scalars resolve by the core schema with one deviation: digits behind a leading zero (`0123`) stay text,
/// because YAML's versions disagree on their base. `yes`, `no`, `on` and `off` are text. Keys are always text.
public enum YAML {
    /// Bounds of what a reader takes in before it does any work with it.
    public struct Limits: Sendable, Equatable {
        /// The longest document in bytes.
        public var bytes: Int
        /// The deepest nesting of collections.
        public var depth: Int

        /// Bounds that are far above every service description in use.
        public static let standard = Limits(bytes: 1 << 20, depth: 64)

        /// Bounds of the caller's choice; a depth above 64 is lowered to it, because nesting costs machine stack.
        public init(bytes: Int, depth: Int) {
            self.bytes = bytes
            self.depth = min(depth, 64)
        }
    }

    /// Reads one document.
    public static func value(parsing bytes: Span<UInt8>, limits: Limits = .standard) throws(Rejection) -> JSON {
        guard bytes.count <= limits.bytes else { throw .tooLong(bytes: bytes.count, limit: limits.bytes) }
        let hasMark = bytes.count > 2 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
        let source: SourceText
        do throws(SourceText.Fault) {
            source = try SourceText(utf8: bytes, from: hasMark ? 3 : 0, permits: isAllowed)
        } catch {
            switch error {
            case .malformed(let offset): throw .malformedEncoding(offset: offset)
            case .forbidden(let line, let scalar): throw .forbiddenCharacter(line: line, scalar: scalar)
            }
        }
        var reader = YAMLReader(source: source, limits: limits)
        return try reader.document()
    }

    /// Reads one document from any collection of bytes.
    public static func value(parsing bytes: some Collection<UInt8>, limits: Limits = .standard) throws(Rejection)
        -> JSON
    {
        try value(parsing: [UInt8](bytes).span, limits: limits)
    }

    /// c-printable, production 1.
    private static func isAllowed(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x20...0x7E, 0x09, 0x0A, 0x0D, 0x85, 0xA0...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
