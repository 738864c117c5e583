import PureCrypto
public import Wire

/// A signature algorithm by its registered name (`alg`, RFC 7515 §4.1.1).
///
/// The registry is open: an embedder names its own. What this type cannot express is `none`, so there is no unsecured
/// token here, neither to read nor to write.
public struct Algorithm: Hashable, Sendable, CustomStringConvertible {
    /// The registered name, which is compared byte by byte.
    public let name: JSON.Name

    /// The algorithm with this name; `nil` for `none` in any spelling.
    public init?(_ name: String) {
        guard !Self.meansNone(name) else { return nil }
        self.name = JSON.Name(name)
    }

    private init(registered name: JSON.Name) { self.name = name }

    /// The registered name.
    public var description: String { name.text }

    private static func meansNone(_ name: String) -> Bool {
        var bytes = name.utf8.makeIterator()
        for letter in "none".utf8 {
            // Bit 5 tells a small ASCII letter from its capital.
            guard let byte = bytes.next(), byte | 0x20 == letter else { return false }
        }
        return bytes.next() == nil
    }
}

extension Algorithm {
    /// Edwards-curve signatures by the name of RFC 8037, which leaves the curve to the key; here the curve is always
    /// Ed25519.
    public static let edDSA = Algorithm(registered: "EdDSA")
    /// Ed25519 by the fully specified name of RFC 9864.
    public static let ed25519 = Algorithm(registered: "Ed25519")
    /// HMAC with SHA-256.
    public static let hs256 = Algorithm(registered: "HS256")
    /// HMAC with SHA-384.
    public static let hs384 = Algorithm(registered: "HS384")
    /// HMAC with SHA-512.
    public static let hs512 = Algorithm(registered: "HS512")
    /// ECDSA on the curve P-256 with SHA-256.
    public static let es256 = Algorithm(registered: "ES256")
    /// ECDSA on the curve P-384 with SHA-384.
    public static let es384 = Algorithm(registered: "ES384")
    /// ECDSA on the curve P-521 with SHA-512.
    public static let es512 = Algorithm(registered: "ES512")
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    public static let rs256 = Algorithm(registered: "RS256")
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    public static let rs384 = Algorithm(registered: "RS384")
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    public static let rs512 = Algorithm(registered: "RS512")
    /// RSASSA-PSS with SHA-256 and a salt of 32 bytes.
    public static let ps256 = Algorithm(registered: "PS256")
    /// RSASSA-PSS with SHA-384 and a salt of 48 bytes.
    public static let ps384 = Algorithm(registered: "PS384")
    /// RSASSA-PSS with SHA-512 and a salt of 64 bytes.
    public static let ps512 = Algorithm(registered: "PS512")
}

// MARK: - The table

extension Algorithm {
    /// How a built-in algorithm works.
    enum Mechanism {
        case ed25519
        case hmac(MessageAuthentication.Hash)
        case ecdsa(ECDSACurve)
        case rsa(RSA.Signing.Padding, RSA.Signing.Hash)
    }

    /// What this module knows of an algorithm it implements.
    struct Row {
        let algorithm: Algorithm
        let mechanism: Mechanism

        /// The type of the keys that it is for.
        var keyType: JWK.KeyType {
            switch mechanism {
            case .ed25519: .octetKeyPair
            case .hmac: .octetSequence
            case .ecdsa: .ellipticCurve
            case .rsa: .rsa
            }
        }

        /// The fewest bytes of a symmetric key: RFC 7518 §3.2 demands as many as the hash has.
        var secretLength: Int {
            if case .hmac(let hash) = mechanism { hash.byteCount } else { 0 }
        }
    }

    /// Everything built in.
    ///
    /// An algorithm that is not here comes with a ``Signer`` or ``Verifier`` of the embedder's.
    static let builtIn: [Row] = [
        Row(algorithm: .edDSA, mechanism: .ed25519),
        Row(algorithm: .ed25519, mechanism: .ed25519),
        Row(algorithm: .hs256, mechanism: .hmac(.sha256)),
        Row(algorithm: .hs384, mechanism: .hmac(.sha384)),
        Row(algorithm: .hs512, mechanism: .hmac(.sha512)),
        Row(algorithm: .es256, mechanism: .ecdsa(.p256)),
        Row(algorithm: .es384, mechanism: .ecdsa(.p384)),
        Row(algorithm: .es512, mechanism: .ecdsa(.p521)),
        Row(algorithm: .rs256, mechanism: .rsa(.pkcs1v15, .sha256)),
        Row(algorithm: .rs384, mechanism: .rsa(.pkcs1v15, .sha384)),
        Row(algorithm: .rs512, mechanism: .rsa(.pkcs1v15, .sha512)),
        Row(algorithm: .ps256, mechanism: .rsa(.pss, .sha256)),
        Row(algorithm: .ps384, mechanism: .rsa(.pss, .sha384)),
        Row(algorithm: .ps512, mechanism: .rsa(.pss, .sha512)),
    ]

    /// The algorithms of RSA; a key's own `alg` says which of them it is for.
    static let rsa = builtIn.filter { $0.keyType == .rsa }.map { $0.algorithm }

    /// The algorithms by which whoever can check can also sign.
    package static let symmetric = builtIn.filter { $0.keyType == .octetSequence }.map { $0.algorithm }

    /// The algorithms of key pairs.
    package static let asymmetric = builtIn.filter { $0.keyType != .octetSequence }.map { $0.algorithm }

    /// The algorithm's row, if it is built in.
    var row: Row? { Self.builtIn.first { $0.algorithm == self } }
}
