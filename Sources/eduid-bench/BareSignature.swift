import PureCrypto
import Wire

/// What a signed token costs by its signature alone, over the same bytes.
struct BareSignature {
    private let message: [UInt8]
    private let signature: [UInt8]
    private let pair: Curve25519.Signing.PrivateKey
    private let prepared: Curve25519.Signing.PreparedPublicKey
    private let encodedKey: [UInt8]

    init(of token: String, by pair: Curve25519.Signing.PrivateKey) throws {
        let last = token.utf8.split(separator: UInt8(ascii: ".")).last.map { Array($0) } ?? []
        self.pair = pair
        signature = try Base64URL.decode(last)
        message = Array(token.utf8.dropLast(last.count + 1))
        prepared = pair.publicKey.prepared()
        encodedKey = pair.publicKey.rawRepresentation
    }

    func sign() -> Curve25519.Signing.Signature { pair.signature(for: message) }

    func isValid() -> Bool { prepared.isValidSignature(signature, for: message) }

    func isValidUnprepared() -> Bool { pair.publicKey.isValidSignature(signature, for: message) }

    /// By a key that comes as bytes.
    func isValidToStranger() -> Bool {
        (try? Curve25519.Signing.PublicKey(rawRepresentation: encodedKey))?.isValidSignature(signature, for: message)
            ?? false
    }
}

/// What a token signed on P-256 costs by its signature alone, over the same bytes.
struct BareCurveSignature {
    private let message: [UInt8]
    private let signature: [UInt8]
    private let pair: P256.Signing.PrivateKey
    private let prepared: P256.Signing.PreparedPublicKey
    private let encodedKey: [UInt8]

    init(of token: String, by pair: P256.Signing.PrivateKey) throws {
        let last = token.utf8.split(separator: UInt8(ascii: ".")).last.map { Array($0) } ?? []
        self.pair = pair
        signature = try Base64URL.decode(last)
        message = Array(token.utf8.dropLast(last.count + 1))
        prepared = pair.publicKey.prepared()
        encodedKey = pair.publicKey.x963Representation
    }

    func sign() -> P256.Signing.Signature { pair.signature(for: message) }

    func isValid() -> Bool { prepared.isValidSignature(signature, for: message) }

    func isValidUnprepared() -> Bool { pair.publicKey.isValidSignature(signature, for: message) }

    /// By a key that comes as bytes.
    func isValidToStranger() -> Bool {
        (try? P256.Signing.PublicKey(x963Representation: encodedKey))?.isValidSignature(signature, for: message)
            ?? false
    }
}
