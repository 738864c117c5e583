internal import JOSE
internal import Wire

/// A key of nobody's: a check with it takes the time of a check with a registered key, and what comes out is dropped
/// (threat 39).
///
/// Alike are the times of keys that are prepared, as versions' keys always are, for the algorithms that holders' keys
/// have by default; HMAC keys answer faster than either.
enum Decoy {
    /// The base points of the two curves.
    private static let keys: [VerificationKey] = {
        let edwards = Base64URL.encode([0x58] + [UInt8](repeating: 0x66, count: 31))
        let points: [JSON.Object] = [
            ["kty": "OKP", "crv": "Ed25519", "x": .string(edwards)],
            [
                "kty": "EC", "crv": "P-256", "x": "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY",
                "y": "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU",
            ],
        ]
        return points.compactMap { try? VerificationKey(JWK(parsing: $0.encoded())).prepared() }
    }()

    static func verify(_ statement: Statement.Unverified) {
        let algorithm = statement.signed.header.algorithm
        guard let key = keys.first(where: { $0.algorithms.contains(algorithm) }) ?? keys.first else { return }
        _ = try? statement.signed.verified(by: key)
    }
}
