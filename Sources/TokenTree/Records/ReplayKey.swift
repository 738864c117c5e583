internal import PureCrypto
internal import Wire

/// What was seen once and must not pass again: half the SHA-256 of a namespace and the parts that identify it.
///
/// Whoever could find two things with one key would have one of his own requests refused, nothing more.
public struct ReplayKey: Sendable, Hashable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    /// The key for parts in a namespace, such as a key's thumbprint and a `jti`; no two lists of parts are confused
    /// with each other.
    public init(_ namespace: StaticString, _ parts: String...) {
        var message: [UInt8] = []
        message.append(bigEndian: UInt64(namespace.utf8CodeUnitCount))
        namespace.withUTF8Buffer { message.append(contentsOf: $0) }
        for part in parts {
            message.append(bigEndian: UInt64(part.utf8.count))
            message.append(contentsOf: part.utf8)
        }
        self = SHA256.hash(data: message).withSpan { ReplayKey(words: $0) }
    }

    /// The key that a text is; `nil` if it is not one.
    init?(text: String) {
        guard let bytes = try? Base64URL.decode(text), bytes.count == 16 else { return nil }
        self.init(words: bytes.span)
    }

    /// Bound: the callers pass at least 16 bytes.
    private init(words bytes: Span<UInt8>) {
        high = UInt64(bigEndian: bytes, at: 0)
        low = UInt64(bigEndian: bytes, at: 8)
    }

    /// The sixteen bytes, as a store keeps them.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: high)
        bytes.append(bigEndian: low)
        return bytes
    }

    /// The bytes in Base64URL, as JSON carries them.
    public var description: String { Base64URL.encode(bytes) }
}
