/// A private key: a number d from 1 to n − 1, on the heap until the last copy of the key is gone.
struct ECDSASecret<Curve: PrimeCurve>: Sendable {
    private let storage: SecretStorage<Residue<Curve.Order>>

    private init(scalar: Residue<Curve.Order>) {
        storage = SecretStorage(1) { _ in scalar }
    }

    /// Takes a number of exact length, the most significant byte first.
    init(rawRepresentation bytes: Span<UInt8>) throws(ECDSARejection) {
        guard bytes.count == Curve.byteCount else { throw .wrongLength(found: bytes.count) }
        let number = Curve.Order.Words(bigEndian: bytes)
        guard publicVerdict(ECDSA<Curve>.isInRangeMask(number)) else { throw .scalarOutOfRange }
        self.init(scalar: Residue(number))
    }

    /// Draws a number twice as long as n and takes it modulo n, which leaves no bias and needs no second draw (FIPS
    /// 186-5, A.2.1); 1 in the place of 0.
    init(using generator: inout some RandomNumberGenerator) {
        typealias Scalar = Residue<Curve.Order>
        var (low, high) = (Curve.Order.Words.zero, Curve.Order.Words.zero)
        for index in 0..<Curve.Order.Words.count { low[index] = generator.next() }
        for index in 0..<Curve.Order.Words.count { high[index] = generator.next() }
        // As R² stands for R, and R is what the upper half counts.
        let scalar = Scalar(high) * Scalar(timesR: Curve.Order.squareOfR) + Scalar(low)
        self.init(scalar: scalar.replaced(by: .one, where: scalar.words.isZeroMask))
    }

    private var scalar: Residue<Curve.Order> { storage.withSpan { $0[0] } }

    var rawRepresentation: [UInt8] { scalar.number.bigEndianBytes(Curve.byteCount) }

    /// [d]G.
    var publicPoint: WeierstrassPoint<Curve> { SecretPoint(multiplyingBase: scalar).affine() }

    /// Compares in constant time.
    func equals(_ other: Self) -> Bool { scalar.equalityMask(other.scalar) != 0 }

    /// R ‖ S over a digest, with a nonce by RFC 6979; the randomness is the additional input of its section 3.6.
    func signature(forDigest digest: Span<UInt8>, randomness: Span<UInt8>) -> [UInt8] {
        let (scalar, count) = (scalar, Curve.byteCount)
        let e = ECDSA<Curve>.residue(ofDigest: digest)
        var nonces = scalar.number.withBigEndianBytes(count) { scalar in
            e.number.withBigEndianBytes(count) { e in
                NonceCandidates<Curve.Hash>(scalar: scalar, digest: e, randomness: randomness)
            }
        }
        while true {
            let number = nonces.next(byteCount: count) {
                Curve.Order.Words(leftmost: Curve.Order.bitCount, of: $0)
            }
            guard publicVerdict(ECDSA<Curve>.isInRangeMask(number)) else { continue }
            let nonce = Residue<Curve.Order>(number)
            let r = Residue<Curve.Order>(SecretPoint<Curve>(multiplyingBase: nonce).affine().x.number)
            let s = nonce.inverted() * (e + r * scalar)
            // Bound: neither has ever been seen to be zero; the standard wants another nonce then.
            if publicVerdict(~(r.words.isZeroMask | s.words.isZeroMask)) {
                return r.number.bigEndianBytes(count) + s.number.bigEndianBytes(count)
            }
        }
    }

    /// R ‖ S with a nonce into which as many bytes of the generator are mixed as the scalar's words have.
    func signature(forDigest digest: Span<UInt8>, using generator: inout some RandomNumberGenerator) -> [UInt8] {
        var words = Curve.Order.Words.zero
        for index in 0..<Curve.Order.Words.count { words[index] = generator.next() }
        return words.withBigEndianBytes(8 * Curve.Order.Words.count) { randomness in
            signature(forDigest: digest, randomness: randomness)
        }
    }
}
