internal import PureCrypto
internal import Wire

/// What was seen once and must not pass again: half the SHA-256 of a namespace and the parts that identify it.
///
/// Whoever could find two things with one key would have one of his own requests refused, nothing more.
public struct ReplayKey: Sendable, Hashable {
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
        let digest = SHA256.hash(data: message)
        func word(_ start: Int) -> UInt64 {
            digest[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(high: word(0), low: word(8))
    }

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The sixteen bytes, as a store keeps them.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: high)
        bytes.append(bigEndian: low)
        return bytes
    }
}

extension ReplayKey: CustomStringConvertible, Comparable {
    /// The bytes in Base64URL, as JSON carries them.
    public var description: String { Base64URL.encode(bytes) }

    /// Whether the bytes of one come before those of the other.
    public static func < (one: Self, other: Self) -> Bool {
        (one.high, one.low) < (other.high, other.low)
    }

    /// Reads the text of a key, or nothing if it is not one.
    init?(text: String) {
        do throws(Base64URL.Rejection) {
            let bytes = try Base64URL.decode(text)
            guard bytes.count == 16 else { return nil }
            self.init(
                high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
                low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
            )
        } catch {
            return nil
        }
    }
}
