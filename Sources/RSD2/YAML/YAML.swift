package import Wire

/// The subset of YAML 1.2 that service descriptions are written in: what it takes becomes a JSON value, what it does
/// not take is refused.
///
/// Taken are block and flow collections, plain, quoted and block scalars, comments and document markers. Anchors,
/// aliases, tags, merge keys, directives, duplicate and complex keys and further documents are refused: each of them
/// makes a text mean what it does not show.
///
/// Plain scalars resolve by the core schema with one deviation: digits behind a leading zero (`0123`) stay text,
/// because YAML's versions disagree on their base. `yes`, `no`, `on` and `off` are text. Keys are always text.
package enum YAML {
    /// Bounds that are far above every service description in use.
    package static let limits = JSON.Limits(size: 1 << 20, depth: 64)

    /// Reads one document; a depth above 64 is lowered to it, because nesting costs machine stack.
    package static func value(
        parsing bytes: Span<UInt8>, limits: JSON.Limits = YAML.limits
    ) throws(FormatRejection) -> JSON {
        guard bytes.count <= limits.size else { throw .tooLong(bytes: bytes.count, limit: limits.size) }
        var reader = YAMLReader(source: try SourceText(bytes, as: .yaml), depthLimit: min(limits.depth, 64))
        return try reader.document()
    }
}
