/// A secret that two parties share: never printed, compared in constant time, overwritten when its last copy goes.
public struct SymmetricKey: Sendable {
    /// The length of a symmetric key.
    public struct Size: Sendable, Equatable {
        /// The length in bits.
        public let bitCount: Int

        /// A key of 128 bits.
        public static var bits128: Self { Self(bitCount: 128) }
        /// A key of 192 bits.
        public static var bits192: Self { Self(bitCount: 192) }
        /// A key of 256 bits.
        public static var bits256: Self { Self(bitCount: 256) }

        /// A length in bits, rounded down to whole bytes when a key is made of it; a negative length counts as zero.
        public init(bitCount: Int) { self.bitCount = bitCount }
    }

    @usableFromInline let bytes: SecretStorage<UInt8>

    /// The key that consists of the given bytes, whatever their number.
    public init(data: Span<UInt8>) {
        bytes = SecretStorage(data.count) { data[$0] }
    }

    /// The key that consists of the given bytes, whatever their number.
    @inlinable public init(data: some Collection<UInt8>) {
        var rest = data.makeIterator()
        bytes = SecretStorage(data.count) { _ in rest.next() ?? 0 }
    }

    /// A fresh key whose bytes come from the generator, which has to be a cryptographic one.
    @inlinable public init(size: Size, using generator: inout some RandomNumberGenerator) {
        var word: UInt64 = 0
        bytes = SecretStorage(max(0, size.bitCount) / 8) { index in
            word = index % 8 == 0 ? generator.next() : word >> 8
            return UInt8(truncatingIfNeeded: word)
        }
    }

    /// The key's length in bits.
    public var bitCount: Int { 8 * bytes.count }

    /// Lends the bytes of the key for the time of the call.
    @inlinable public func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result)
        throws(Failure) -> Result
    {
        try bytes.withSpan(body)
    }
}

extension SymmetricKey: Equatable {
    /// Compares two keys in a time that depends on their lengths only.
    public static func == (one: Self, other: Self) -> Bool {
        one.withSpan { one in other.withSpan { other in constantTimeEquals(one, other) } }
    }
}

extension SymmetricKey: CustomStringConvertible {
    /// The key's length; never its content.
    public var description: String { "SymmetricKey(\(bitCount) bits, redacted)" }
}
