internal import PureCrypto
public import Wire

/// What was seen once and must not pass again: half the SHA-256 of a namespace and the parts that identify it.
///
/// Whoever could find two things with one key would have one of his own requests refused, nothing more.
public struct ReplayKey: Sendable, CustomStringConvertible {
    let words: Words
    /// Whose share of the memory it takes, as 64 bits of a hash; 0 where nobody counts.
    package let owner: UInt64
    /// When the statement was made that must not pass again, if it says that; asked when the key is to be remembered,
    /// and not kept.
    public var made: Timestamp?

    struct Words: Hashable, Sendable {
        let high, low: UInt64
    }

    /// The key for parts in a namespace, such as a key's thumbprint and a `jti`; no two lists of parts are confused
    /// with each other.
    ///
    /// The first part tells the owner, of whose keys a store remembers only so many.
    public init(_ namespace: StaticString, _ parts: String...) {
        var message: [UInt8] = []
        var ownersEnd = 0
        message.reserveCapacity(128)
        message.append(bigEndian: UInt64(namespace.utf8CodeUnitCount))
        namespace.withUTF8Buffer { message.append(contentsOf: $0) }
        for (index, part) in parts.enumerated() {
            message.append(bigEndian: UInt64(part.utf8.count))
            message.append(contentsOf: part.utf8)
            if index == 0 { ownersEnd = message.count }
        }
        var hash = SHA256()
        hash.update(data: message.span.extracting(0..<ownersEnd))
        owner = hash.finalize().withSpan { UInt64(bigEndian: $0, at: 0) }
        hash.update(data: message.span.extracting(ownersEnd..<message.count))
        words = hash.finalize().withSpan { Words($0) }
    }

    /// A key as it was kept; whose it is was not.
    init(_ words: Words) {
        self.words = words
        owner = 0
    }

    /// The key that a text is; `nil` if it is not one.
    package init?(text: String) {
        guard let bytes = try? Base64URL.decode(text), bytes.count == 16 else { return nil }
        self.init(Words(bytes.span))
    }

    /// The sixteen bytes, as a store keeps them.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: words.high)
        bytes.append(bigEndian: words.low)
        return bytes
    }

    /// The bytes in Base64URL, as JSON carries them.
    public var description: String { Base64URL.encode(bytes) }
}

extension ReplayKey.Words {
    /// Bound: the callers pass at least 16 bytes.
    fileprivate init(_ bytes: Span<UInt8>) {
        high = UInt64(bigEndian: bytes, at: 0)
        low = UInt64(bigEndian: bytes, at: 8)
    }
}

extension ReplayKey: Hashable {
    /// Whether both are the same sixteen bytes.
    public static func == (one: Self, other: Self) -> Bool { one.words == other.words }

    /// Feeds the sixteen bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(words) }
}
