/// A cryptographic hash that absorbs bytes piece by piece.
///
/// The names are those of CryptoKit and swift-crypto, so that code changes its hash by changing an import. Another
/// module can conform a hash of its own: it states its block size and its digest, implements `update(data:)` over a
/// `Span` and `finalize()`, and has `HMAC` at once.
public protocol HashFunction: Sendable {
    /// The value that the hash produces.
    associatedtype Digest: PureCrypto.Digest

    /// The number of bytes that the hash compresses at a time; HMAC pads its key to this length.
    static var blockByteCount: Int { get }

    /// Starts the hash of an empty message.
    init()

    /// Appends bytes to the message.
    mutating func update(data: Span<UInt8>)

    /// The digest of the message so far; the hash itself is unchanged and can absorb more.
    func finalize() -> Digest
}

extension HashFunction {
    /// The number of bytes in a digest.
    @inlinable public static var byteCount: Int { Digest.byteCount }

    /// The digest of one message.
    @inlinable public static func hash(data: Span<UInt8>) -> Digest {
        var hash = Self()
        hash.update(data: data)
        return hash.finalize()
    }

    /// The digest of one message.
    @inlinable public static func hash(data: some Collection<UInt8>) -> Digest {
        var hash = Self()
        hash.update(data: data)
        return hash.finalize()
    }

    /// Appends bytes to the message: at once where the collection lies in one piece, otherwise through a small buffer.
    @inlinable public mutating func update(data: some Collection<UInt8>) {
        let wasContiguous: Void? = data.withContiguousStorageIfAvailable { update(data: $0.span) }
        if wasContiguous != nil { return }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { chunk in
            var filled = 0
            for byte in data {
                // Bound: `filled` starts over as soon as it reaches the capacity.
                chunk.initializeElement(at: filled, to: byte)
                filled += 1
                guard filled == chunk.count else { continue }
                update(data: UnsafeBufferPointer(chunk).span)
                filled = 0
            }
            update(data: UnsafeBufferPointer(rebasing: chunk[..<filled]).span)
        }
    }
}
