/// SHA-224 of FIPS 180-4.
public struct SHA224: HashFunction {
    /// The number of bytes that the hash compresses at a time.
    public static var blockByteCount: Int { 64 }

    private var message = BlockStream(SHA256Chain.sha224)

    /// Starts the hash of an empty message.
    public init() {}

    /// Appends bytes to the message.
    public mutating func update(data: Span<UInt8>) { message.append(data) }

    /// The digest of the message so far; the hash itself is unchanged and can absorb more.
    public func finalize() -> SHA224Digest { SHA224Digest(message.finished()) }
}

/// SHA-256 of FIPS 180-4.
public struct SHA256: HashFunction {
    /// The number of bytes that the hash compresses at a time.
    public static var blockByteCount: Int { 64 }

    private var message = BlockStream(SHA256Chain.sha256)

    /// Starts the hash of an empty message.
    public init() {}

    /// Appends bytes to the message.
    public mutating func update(data: Span<UInt8>) { message.append(data) }

    /// The digest of the message so far; the hash itself is unchanged and can absorb more.
    public func finalize() -> SHA256Digest { SHA256Digest(message.finished()) }
}

/// SHA-384 of FIPS 180-4.
public struct SHA384: HashFunction {
    /// The number of bytes that the hash compresses at a time.
    public static var blockByteCount: Int { 128 }

    private var message = BlockStream(SHA512Chain.sha384)

    /// Starts the hash of an empty message.
    public init() {}

    /// Appends bytes to the message.
    public mutating func update(data: Span<UInt8>) { message.append(data) }

    /// The digest of the message so far; the hash itself is unchanged and can absorb more.
    public func finalize() -> SHA384Digest { SHA384Digest(message.finished()) }
}

/// SHA-512 of FIPS 180-4.
public struct SHA512: HashFunction {
    /// The number of bytes that the hash compresses at a time.
    public static var blockByteCount: Int { 128 }

    private var message = BlockStream(SHA512Chain.sha512)

    /// Starts the hash of an empty message.
    public init() {}

    /// Appends bytes to the message.
    public mutating func update(data: Span<UInt8>) { message.append(data) }

    /// The digest of the message so far; the hash itself is unchanged and can absorb more.
    public func finalize() -> SHA512Digest { SHA512Digest(message.finished()) }

    /// The digest as the eight 64-bit words of the standard, H0 first, for arithmetic on it inside this module.
    func finalizedWords() -> ChainingWords<UInt64> { message.finished().words }
}
