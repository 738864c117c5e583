/// The curve P-384 of NIST SP 800-186, also named secp384r1, as a name space like that of CryptoKit and swift-crypto.
public enum P384 {}

extension P384 {
    /// ECDSA signatures of FIPS 186-5 over P-384 and SHA-384: `ES384` of RFC 7518 (KEY-2).
    ///
    /// A signature is 96 bytes, r and s in big-endian order, both from 1 to n − 1. As n − s serves as well as s, a
    /// signature has a second form, and must not be used as a name of what it signs.
    public enum Signing {}
}

extension P384.Signing {
    /// The rule that bytes offered as a key break.
    public typealias Rejection = ECDSARejection
}
