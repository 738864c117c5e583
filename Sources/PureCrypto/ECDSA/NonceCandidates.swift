/// The nonces that a private key and a message give, one after the other until one is in range: the generator
/// HMAC_DRBG as RFC 6979, section 3.2, uses it.
///
/// Its state is secret and depends on secrets only through HMAC; how often it runs is public, since a candidate is
/// refused with a negligible chance and tells nothing of the one that is used.
struct NonceCandidates<H: HashFunction> {
    /// HMAC with K, before a message.
    private var key: HMAC<H>
    private var value: HMAC<H>.MAC
    private var isFirst = true

    /// Steps b to g of the standard, with the additional input of section 3.6 where there is one.
    ///
    /// - Parameter scalar: the private key, `int2octets` of the standard: as many bytes as the group's order has.
    /// - Parameter digest: the hash of the message modulo the group's order, `bits2octets` of the standard.
    /// - Parameter randomness: what makes the nonce unpredictable to those who could disturb the computation; empty for
    ///   signatures that are always the same. Whatever it is, the nonce stays as unknown as the private key.
    init(scalar: Span<UInt8>, digest: Span<UInt8>, randomness: Span<UInt8>) {
        // HMAC pads its key with zeros, so that K, zeros as many as a digest has bytes, is the empty key.
        let start = HMAC<H>(block: Span())
        let ones = repeatElement(1 as UInt8, count: H.byteCount)

        var code = start
        code.update(data: ones)
        code.update(data: 0, scalar, digest, randomness)
        key = code.finalize().withSpan { HMAC(block: $0) }
        code = key
        code.update(data: ones)
        value = code.finalize()

        code = key
        value.withSpan { code.update(data: $0) }
        code.update(data: 1, scalar, digest, randomness)
        key = code.finalize().withSpan { HMAC(block: $0) }
        advance()
    }

    /// Lends the leftmost bytes of the next candidate for the time of the call; the caller shifts away the bits beyond
    /// the length of the group's order, and refuses what is zero or not below it.
    mutating func next<Result>(byteCount: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        if !isFirst {
            // Step h.3: the candidate before this one was refused.
            var code = key
            value.withSpan { code.update(data: $0) }
            code.update(data: CollectionOfOne(0))
            key = code.finalize().withSpan { HMAC(block: $0) }
            advance()
        }
        isFirst = false
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { candidate in
            defer { erase(UnsafeMutableRawBufferPointer(candidate)) }
            var filled = 0
            while filled < byteCount {
                advance()
                value.withSpan { value in
                    // Bound: no more bytes than the value has, and than the candidate lacks.
                    for index in 0..<min(value.count, byteCount - filled) {
                        candidate.initializeElement(at: filled, to: value[index])
                        filled += 1
                    }
                }
            }
            return body(candidate.span)
        }
    }

    /// V = HMAC_K(V).
    private mutating func advance() {
        var code = key
        value.withSpan { code.update(data: $0) }
        value = code.finalize()
    }
}

extension HMAC {
    fileprivate mutating func update(
        data first: UInt8, _ scalar: Span<UInt8>, _ digest: Span<UInt8>, _ randomness: Span<UInt8>
    ) {
        update(data: CollectionOfOne(first))
        update(data: scalar)
        update(data: digest)
        update(data: randomness)
    }
}
