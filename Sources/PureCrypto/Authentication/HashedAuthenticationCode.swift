/// The code that HMAC computes for a message: as many bytes as the hash produces, compared in constant time.
public struct HashedAuthenticationCode<H: HashFunction>: Digest {
    /// The number of bytes in every code of this type.
    public static var byteCount: Int { H.Digest.byteCount }

    private let digest: H.Digest

    init(digest: H.Digest) { self.digest = digest }

    /// The byte at a position below `byteCount`.
    public subscript(position: Int) -> UInt8 { digest[position] }

    /// Lends the bytes of the code for the time of the call.
    public func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
        try digest.withSpan(body)
    }
}
