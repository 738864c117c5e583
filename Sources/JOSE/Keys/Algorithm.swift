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
}

// MARK: - The table

extension Algorithm {
    /// How a built-in algorithm works.
    enum Mechanism {
        case ed25519
        case hmac(MessageAuthentication.Hash)
    }

    /// What this module knows of an algorithm it implements.
    struct Row {
        let algorithm: Algorithm
        let mechanism: Mechanism
        let keyType: JWK.KeyType
        /// The only length that a signature has.
        let signatureLength: Int
        /// The fewest bytes of a key: RFC 7518 §3.2 demands as many as the hash has.
        let keyLength: Int
    }

    /// Everything built in.
    ///
    /// An algorithm that is not here comes with a ``Signer`` or ``Verifier`` of the embedder's.
    static let builtIn: [Row] = [
        Row(algorithm: .edDSA, mechanism: .ed25519, keyType: .octetKeyPair, signatureLength: 64, keyLength: 32),
        Row(algorithm: .ed25519, mechanism: .ed25519, keyType: .octetKeyPair, signatureLength: 64, keyLength: 32),
        Row(algorithm: .hs256, mechanism: .hmac(.sha256), keyType: .octetSequence, signatureLength: 32, keyLength: 32),
        Row(algorithm: .hs384, mechanism: .hmac(.sha384), keyType: .octetSequence, signatureLength: 48, keyLength: 48),
        Row(algorithm: .hs512, mechanism: .hmac(.sha512), keyType: .octetSequence, signatureLength: 64, keyLength: 64),
    ]

    /// The algorithm's row, if it is built in.
    var row: Row? { Self.builtIn.first { $0.algorithm == self } }
}
