internal import JOSE
internal import Wire

/// A key of nobody's: a check with it takes the time of a check with a registered key, and what comes out is dropped
/// (threat 39).
///
/// Alike are the times of Ed25519 keys that are prepared, as versions' keys always are; HMAC keys answer faster than
/// either.
enum Decoy {
    /// The base point of the curve.
    private static let key: VerificationKey? = {
        let point = [0x58] + [UInt8](repeating: 0x66, count: 31)
        let members: JSON.Object = ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(point))]
        guard let key = try? JWK(parsing: members.encoded()) else { return nil }
        return try? VerificationKey(key).prepared()
    }()

    static func verify(_ statement: Statement.Unverified) {
        guard let key else { return }
        _ = try? statement.signed.verified(by: key, accepting: key.algorithms)
    }
}
