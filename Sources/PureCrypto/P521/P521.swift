/// The curve P-521 of NIST SP 800-186, also named secp521r1, as a name space like that of CryptoKit and swift-crypto.
public enum P521 {}

extension P521 {
    /// ECDSA signatures of FIPS 186-5 over P-521 and SHA-512: `ES512` of RFC 7518.
    ///
    /// A signature is 132 bytes, r and s in big-endian order, both from 1 to n − 1. As n − s serves as well as s, a
    /// signature has a second form, and must not be used as a name of what it signs.
    public enum Signing {}
}

extension P521.Signing {
    /// The rule that bytes offered as a key break.
    public typealias Rejection = ECDSARejection
}
