public import PureCrypto
internal import Wire

/// Thirty-two bytes that stand for something longer: a SHA-256, kept inline and compared in constant time.
public struct Fingerprint: Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// The number of bytes in every fingerprint.
    public static let byteCount = 32

    /// The fingerprint that a digest is.
    public init(_ digest: SHA256.Digest) {
        self = digest.withSpan { bytes in Fingerprint(words: bytes) }
    }

    /// The fingerprint of bytes: their SHA-256.
    public init(of bytes: Span<UInt8>) {
        self.init(SHA256.hash(data: bytes))
    }

    /// The fingerprint of bytes: their SHA-256.
    public init(of bytes: some Collection<UInt8>) {
        self.init(SHA256.hash(data: bytes))
    }

    /// The fingerprint that these 32 bytes are, or none if there are more or fewer.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(words: bytes.span)
    }

    /// Fresh random bytes, for a salt.
    init(using entropy: inout some RandomNumberGenerator) {
        words = (entropy.next(), entropy.next(), entropy.next(), entropy.next())
    }

    /// Bound: the callers pass 32 bytes.
    private init(words bytes: Span<UInt8>) {
        func word(_ index: Int) -> UInt64 {
            var word: UInt64 = 0
            for offset in 0..<8 { word = word << 8 | UInt64(bytes[8 * index + offset]) }
            return word
        }
        words = (word(0), word(1), word(2), word(3))
    }

    /// The bytes in order.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        append(to: &bytes)
        return bytes
    }

    /// Writes the bytes behind what the output already holds.
    private func append(to output: inout [UInt8]) {
        output.append(bigEndian: words.0)
        output.append(bigEndian: words.1)
        output.append(bigEndian: words.2)
        output.append(bigEndian: words.3)
    }
}

extension Fingerprint: Hashable {
    /// Whether both have the same bytes, in a time that does not depend on where they differ.
    public static func == (one: Self, other: Self) -> Bool {
        let difference =
            (one.words.0 ^ other.words.0) | (one.words.1 ^ other.words.1) | (one.words.2 ^ other.words.2)
            | (one.words.3 ^ other.words.3)
        return difference == 0
    }

    /// Feeds the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}

extension Fingerprint: CustomStringConvertible {
    /// The bytes in Base64URL, as JSON carries them.
    public var description: String { Base64URL.encode(bytes) }

    /// Reads the text of a fingerprint, or nothing if it is not one.
    init?(text: String) {
        do throws(Base64URL.Rejection) {
            self.init(bytes: try Base64URL.decode(text))
        } catch {
            return nil
        }
    }
}

extension [UInt8] {
    /// Appends an integer with its highest byte first.
    mutating func append(bigEndian value: some FixedWidthInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
