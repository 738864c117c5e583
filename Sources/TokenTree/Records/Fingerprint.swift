internal import PureCrypto
internal import Wire

/// Thirty-two bytes that stand for something longer: a SHA-256, kept inline and compared in constant time.
public struct Fingerprint: Sendable, Hashable, CustomStringConvertible {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// The fingerprint of bytes: their SHA-256.
    public init(of bytes: some Collection<UInt8>) {
        self.init(SHA256.hash(data: bytes))
    }

    /// The fingerprint that these 32 bytes are; `nil` if there are more or fewer.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.init(words: bytes.span)
    }

    /// What stays of a subject that is forgotten.
    package init(of subject: Record.Subject) { self.init(of: subject.text.utf8) }

    init(_ digest: SHA256.Digest) {
        self = digest.withSpan { Fingerprint(words: $0) }
    }

    /// Fresh random bytes, for a salt or a secret.
    init(using entropy: inout some RandomNumberGenerator) {
        words = (entropy.next(), entropy.next(), entropy.next(), entropy.next())
    }

    /// The fingerprint that a text is; `nil` if it is not one.
    package init?(text: String) {
        guard let bytes = try? Base64URL.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    /// Bound: the callers pass 32 bytes.
    private init(words bytes: Span<UInt8>) {
        words = (
            UInt64(bigEndian: bytes, at: 0), UInt64(bigEndian: bytes, at: 8), UInt64(bigEndian: bytes, at: 16),
            UInt64(bigEndian: bytes, at: 24)
        )
    }

    /// The bytes in order.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        bytes.append(bigEndian: words.0)
        bytes.append(bigEndian: words.1)
        bytes.append(bigEndian: words.2)
        bytes.append(bigEndian: words.3)
        return bytes
    }

    /// The bytes in Base64URL, as JSON carries them.
    public var description: String { Base64URL.encode(bytes) }

    /// Whether both have the same bytes, in a time that does not depend on where they differ.
    public static func == (one: Self, other: Self) -> Bool {
        (one.words.0 ^ other.words.0) | (one.words.1 ^ other.words.1) | (one.words.2 ^ other.words.2)
            | (one.words.3 ^ other.words.3) == 0
    }

    /// Feeds the first eight bytes, which of a hash are as good as all.
    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension [UInt8] {
    /// Appends an integer with its highest byte first.
    mutating func append(bigEndian value: some FixedWidthInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}

extension UInt64 {
    /// The integer whose eight bytes begin there, the highest first.
    init(bigEndian bytes: Span<UInt8>, at offset: Int) {
        self = 0
        for index in offset..<offset + 8 { self = self << 8 | UInt64(bytes[index]) }
    }
}
