/// RSA of RFC 8017, as a name space.
public enum RSA {}

extension RSA {
    /// Verification of RSA signatures, with moduli of 2,048 to 8,192 bits.
    ///
    /// There is no private operation and no generation of keys here: who signs with RSA does so elsewhere.
    public enum Signing {}
}

extension RSA.Signing {
    /// How the digest of a message becomes a number of the modulus's length.
    public enum Padding: Sendable {
        /// RSASSA-PKCS1-v1_5: the digest under its algorithm's name, behind a fixed padding.
        case pkcs1v15
        /// RSASSA-PSS: a salt as long as the digest, and MGF1 with the same hash.
        case pss
    }

    /// The hash of the message.
    public enum Hash: Sendable {
        /// SHA-256 of FIPS 180-4.
        case sha256
        /// SHA-384 of FIPS 180-4.
        case sha384
        /// SHA-512 of FIPS 180-4.
        case sha512
    }

    /// The rule that numbers offered as a public key break.
    public enum Rejection: Error, Equatable, Sendable, CustomStringConvertible {
        /// Modulus and exponent are given in as few bytes as they need.
        case leadingZero
        /// The modulus has 2,048 bits at least.
        case modulusTooShort(bits: Int)
        /// The modulus has 8,192 bits at most, which bounds the work for a signature.
        case modulusTooLong(bits: Int)
        /// The modulus is a product of odd primes.
        case evenModulus
        /// The exponent is odd; an even one has no inverse.
        case evenExponent
        /// The exponent is 3 at least.
        case exponentTooSmall
        /// The exponent is below 2³², which bounds the work for a signature.
        case exponentTooLarge

        private var rule: (clause: String, text: String) {
            switch self {
            case .leadingZero: ("RFC7518-6.3.1", "a number of the RSA key begins with a zero byte")
            case .modulusTooShort(let bits): ("RFC7518-3.3", "an RSA modulus has 2048 bits at least, not \(bits)")
            case .modulusTooLong(let bits): ("KEY-3", "an RSA modulus has 8192 bits at most, not \(bits)")
            case .evenModulus: ("RFC8017-3.1", "the RSA modulus is even")
            case .evenExponent: ("RFC8017-3.1", "the RSA exponent is even")
            case .exponentTooSmall: ("RFC8017-3.1", "the RSA exponent is less than 3")
            case .exponentTooLarge: ("KEY-3", "the RSA exponent has more than 32 bits")
            }
        }

        /// The clause that sets the rule.
        public var clause: String { rule.clause }

        /// The rule in words, without its clause.
        public var text: String { rule.text }

        /// The rule in words, with its clause.
        public var description: String { "\(text) (\(clause))" }
    }
}
