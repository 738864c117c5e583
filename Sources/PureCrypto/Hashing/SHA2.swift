/// The words of a digest, kept inline and so ordered in memory that their first bytes are the digest.
@usableFromInline
struct DigestWords<Word: FixedWidthInteger & UnsignedInteger & BitwiseCopyable & Sendable>: BitwiseCopyable, Sendable {
    @usableFromInline let bigEndian: ChainingWords<Word>

    init(_ words: ChainingWords<Word>) { bigEndian = words.bigEndian }

    /// Lends the first `count` bytes; the callers pass their digest's length, which is at most that of the eight words.
    @inlinable func withPrefix<Result, Failure: Error>(
        _ count: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBytes(of: bigEndian) { bytes throws(Failure) in
            try body(UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[..<count]).span)
        }
    }
}

/// SHA-224 of FIPS 180-4.
public struct SHA224: HashFunction {
    /// The 28 bytes that SHA-224 produces.
    public struct Digest: PureCrypto.Digest {
        /// The number of bytes in every digest of this type.
        @inlinable public static var byteCount: Int { 28 }

        @usableFromInline let words: DigestWords<UInt32>

        init(_ chain: SHA256Chain) { words = DigestWords(chain.words) }

        /// Lends the bytes of the digest for the time of the call.
        @inlinable public func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result)
            throws(Failure) -> Result
        {
            try words.withPrefix(Self.byteCount, body)
        }
    }

    /// The number of bytes that the hash compresses at a time.
    public static var blockByteCount: Int { 64 }

    private var message = BlockStream(SHA256Chain.sha224)

    /// Starts the hash of an empty message.
    public init() {}

    /// Appends bytes to the message.
    public mutating func update(data: Span<UInt8>) { message.append(data) }

    /// The digest of the message so far; the hash itself is unchanged and can absorb more.
    public func finalize() -> Digest { Digest(message.finished()) }
}

/// SHA-256 of FIPS 180-4.
public struct SHA256: HashFunction {
    /// The 32 bytes that SHA-256 produces.
    public struct Digest: PureCrypto.Digest {
        /// The number of bytes in every digest of this type.
        @inlinable public static var byteCount: Int { 32 }

        @usableFromInline let words: DigestWords<UInt32>

        init(_ chain: SHA256Chain) { words = DigestWords(chain.words) }

        /// Lends the bytes of the digest for the time of the call.
        @inlinable public func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result)
            throws(Failure) -> Result
        {
            try words.withPrefix(Self.byteCount, body)
        }
    }

    /// The number of bytes that the hash compresses at a time.
    public static var blockByteCount: Int { 64 }

    private var message = BlockStream(SHA256Chain.sha256)

    /// Starts the hash of an empty message.
    public init() {}

    /// Appends bytes to the message.
    public mutating func update(data: Span<UInt8>) { message.append(data) }

    /// The digest of the message so far; the hash itself is unchanged and can absorb more.
    public func finalize() -> Digest { Digest(message.finished()) }
}

/// SHA-384 of FIPS 180-4.
public struct SHA384: HashFunction {
    /// The 48 bytes that SHA-384 produces.
    public struct Digest: PureCrypto.Digest {
        /// The number of bytes in every digest of this type.
        @inlinable public static var byteCount: Int { 48 }

        @usableFromInline let words: DigestWords<UInt64>

        init(_ chain: SHA512Chain) { words = DigestWords(chain.words) }

        /// Lends the bytes of the digest for the time of the call.
        @inlinable public func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result)
            throws(Failure) -> Result
        {
            try words.withPrefix(Self.byteCount, body)
        }
    }

    /// The number of bytes that the hash compresses at a time.
    public static var blockByteCount: Int { 128 }

    private var message = BlockStream(SHA512Chain.sha384)

    /// Starts the hash of an empty message.
    public init() {}

    /// Appends bytes to the message.
    public mutating func update(data: Span<UInt8>) { message.append(data) }

    /// The digest of the message so far; the hash itself is unchanged and can absorb more.
    public func finalize() -> Digest { Digest(message.finished()) }
}

/// SHA-512 of FIPS 180-4.
public struct SHA512: HashFunction {
    /// The 64 bytes that SHA-512 produces.
    public struct Digest: PureCrypto.Digest {
        /// The number of bytes in every digest of this type.
        @inlinable public static var byteCount: Int { 64 }

        @usableFromInline let words: DigestWords<UInt64>

        init(_ chain: SHA512Chain) { words = DigestWords(chain.words) }

        /// Lends the bytes of the digest for the time of the call.
        @inlinable public func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result)
            throws(Failure) -> Result
        {
            try words.withPrefix(Self.byteCount, body)
        }
    }

    /// The number of bytes that the hash compresses at a time.
    public static var blockByteCount: Int { 128 }

    private var message = BlockStream(SHA512Chain.sha512)

    /// Starts the hash of an empty message.
    public init() {}

    /// Appends bytes to the message.
    public mutating func update(data: Span<UInt8>) { message.append(data) }

    /// The digest of the message so far; the hash itself is unchanged and can absorb more.
    public func finalize() -> Digest { Digest(message.finished()) }

    /// The digest as the eight 64-bit words of the standard, H0 first, for arithmetic on it inside this module.
    func finalizedWords() -> ChainingWords<UInt64> { message.finished().words }
}
