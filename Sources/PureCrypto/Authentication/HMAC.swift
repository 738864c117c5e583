/// Keyed-hash message authentication, RFC 2104 and FIPS 198-1, over any hash function.
///
/// The names are those of CryptoKit. A code is compared whole and in constant time; a truncated one is never accepted.
/// Whoever must follow a protocol that truncates says so by comparing explicitly: `constantTimeEquals(received,
/// code.prefix(16))`.
public struct HMAC<H: HashFunction>: Sendable {
    /// The code of a message: as many bytes as the hash produces, compared in constant time.
    public struct MAC: Digest {
        /// The number of bytes in every code of this type.
        @inlinable public static var byteCount: Int { H.Digest.byteCount }

        @usableFromInline let digest: H.Digest

        @inlinable init(digest: H.Digest) { self.digest = digest }

        /// Lends the bytes of the code for the time of the call.
        @inlinable public func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result)
            throws(Failure) -> Result
        {
            try digest.withSpan(body)
        }
    }

    @usableFromInline var inner: H
    @usableFromInline let outer: H

    /// Starts the authentication of a message; a `PreparedKey` saves two blocks of hashing for each further message
    /// under the same key.
    @inlinable public init(key: SymmetricKey) {
        self = key.withSpan { key in
            guard key.count > H.blockByteCount else { return Self(block: key) }
            return H.hash(data: key).withSpan { Self(block: $0) }
        }
    }

    /// Starts the authentication of a message with a key whose padding has been absorbed before.
    @inlinable public init(key: PreparedKey) {
        self = key.start
    }

    /// Absorbs the key, padded with zeros to one block, in both of its disguises.
    @inlinable init(block key: Span<UInt8>) {
        var (inner, outer) = (H(), H())
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: H.blockByteCount) { block in
            // Bound: `key` is read below its count only, and `block` has no more indices than bytes.
            for index in block.indices {
                block.initializeElement(at: index, to: 0x36 ^ (index < key.count ? key[index] : 0))
            }
            inner.update(data: block.span)
            for index in block.indices { block[index] ^= 0x36 ^ 0x5c }
            outer.update(data: block.span)
            erase(UnsafeMutableRawBufferPointer(block))
        }
        (self.inner, self.outer) = (inner, outer)
    }

    /// Appends bytes to the message.
    @inlinable public mutating func update(data: Span<UInt8>) { inner.update(data: data) }

    /// Appends bytes to the message.
    @inlinable public mutating func update(data: some Collection<UInt8>) { inner.update(data: data) }

    /// The code of the message so far; the value itself is unchanged and can absorb more.
    @inlinable public func finalize() -> MAC {
        var outer = outer
        outer.update(data: inner.finalize())
        return MAC(digest: outer.finalize())
    }
}

extension HMAC {
    /// The code of one message.
    @inlinable public static func authenticationCode(for data: Span<UInt8>, using key: SymmetricKey) -> MAC {
        var mac = Self(key: key)
        mac.update(data: data)
        return mac.finalize()
    }

    /// The code of one message.
    @inlinable public static func authenticationCode(for data: some Collection<UInt8>, using key: SymmetricKey) -> MAC {
        var mac = Self(key: key)
        mac.update(data: data)
        return mac.finalize()
    }

    /// Whether the bytes are the whole code of the message; the time taken depends on lengths only.
    @inlinable public static func isValidAuthenticationCode(
        _ code: Span<UInt8>, authenticating data: Span<UInt8>, using key: SymmetricKey
    )
        -> Bool
    {
        authenticationCode(for: data, using: key).withSpan { constantTimeEquals($0, code) }
    }

    /// Whether the bytes are the whole code of the message; the time taken depends on lengths only.
    @inlinable public static func isValidAuthenticationCode(
        _ code: some Collection<UInt8>, authenticating data: some Collection<UInt8>, using key: SymmetricKey
    ) -> Bool {
        authenticationCode(for: data, using: key).withSpan { constantTimeEquals($0, code) }
    }
}

#if !hasFeature(Embedded)
extension HMAC: CustomReflectable {
    /// Nothing: the state depends on the key, and would be enough to forge codes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
