/// The code that HMAC computes for a message: as many bytes as the hash produces, compared in constant time.
public struct HashedAuthenticationCode<H: HashFunction>: Digest {
    /// The number of bytes in every code of this type.
    @inlinable public static var byteCount: Int { H.Digest.byteCount }

    @usableFromInline let digest: H.Digest

    @inlinable init(digest: H.Digest) { self.digest = digest }

    /// The byte at a position below `byteCount`.
    @inlinable public subscript(position: Int) -> UInt8 { digest[position] }

    /// Lends the bytes of the code for the time of the call.
    @inlinable public func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result)
        throws(Failure) -> Result
    {
        try digest.withSpan(body)
    }
}
