/// The words of a digest, kept inline and so ordered in memory that their first bytes are the digest.
@usableFromInline
struct DigestWords<Word: FixedWidthInteger & UnsignedInteger & BitwiseCopyable & Sendable>: BitwiseCopyable, Sendable {
    @usableFromInline let bigEndian: ChainingWords<Word>

    init(_ words: ChainingWords<Word>) { bigEndian = words.bigEndian }

    /// Lends the first `count` bytes; the callers pass their digest's length, which is at most that of the eight words.
    @inlinable func withPrefix<Result, Failure: Error>(
        _ count: Int, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBytes(of: bigEndian) { bytes throws(Failure) in
            try body(UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[..<count]))
        }
    }
}

/// The 28 bytes that SHA-224 produces.
public struct SHA224Digest: Digest {
    /// The number of bytes in every digest of this type.
    @inlinable public static var byteCount: Int { 28 }

    @usableFromInline let words: DigestWords<UInt32>

    init(_ chain: SHA256Chain) { words = DigestWords(chain.words) }

    /// The byte at a position below `byteCount`.
    public subscript(position: Int) -> UInt8 { withSpan { $0[position] } }

    /// Lends the bytes of the digest for the time of the call.
    @inlinable public func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result)
        throws(Failure) -> Result
    {
        try words.withPrefix(Self.byteCount) { bytes throws(Failure) in try body(bytes.span) }
    }
}

/// The 32 bytes that SHA-256 produces.
public struct SHA256Digest: Digest {
    /// The number of bytes in every digest of this type.
    @inlinable public static var byteCount: Int { 32 }

    @usableFromInline let words: DigestWords<UInt32>

    init(_ chain: SHA256Chain) { words = DigestWords(chain.words) }

    /// The byte at a position below `byteCount`.
    public subscript(position: Int) -> UInt8 { withSpan { $0[position] } }

    /// Lends the bytes of the digest for the time of the call.
    @inlinable public func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result)
        throws(Failure) -> Result
    {
        try words.withPrefix(Self.byteCount) { bytes throws(Failure) in try body(bytes.span) }
    }
}

/// The 48 bytes that SHA-384 produces.
public struct SHA384Digest: Digest {
    /// The number of bytes in every digest of this type.
    @inlinable public static var byteCount: Int { 48 }

    @usableFromInline let words: DigestWords<UInt64>

    init(_ chain: SHA512Chain) { words = DigestWords(chain.words) }

    /// The byte at a position below `byteCount`.
    public subscript(position: Int) -> UInt8 { withSpan { $0[position] } }

    /// Lends the bytes of the digest for the time of the call.
    @inlinable public func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result)
        throws(Failure) -> Result
    {
        try words.withPrefix(Self.byteCount) { bytes throws(Failure) in try body(bytes.span) }
    }
}

/// The 64 bytes that SHA-512 produces.
public struct SHA512Digest: Digest {
    /// The number of bytes in every digest of this type.
    @inlinable public static var byteCount: Int { 64 }

    @usableFromInline let words: DigestWords<UInt64>

    init(_ chain: SHA512Chain) { words = DigestWords(chain.words) }

    /// The byte at a position below `byteCount`.
    public subscript(position: Int) -> UInt8 { withSpan { $0[position] } }

    /// Lends the bytes of the digest for the time of the call.
    @inlinable public func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result)
        throws(Failure) -> Result
    {
        try words.withPrefix(Self.byteCount) { bytes throws(Failure) in try body(bytes.span) }
    }
}
