public import JOSE
public import NAIL
public import PureCrypto
internal import Wire

/// The secure element of a simulated device: it makes keys that never leave it, and signs with them if the person
/// agrees.
///
/// What the person does, and what else can happen to a signature, a test says for each request by its number. The keys
/// follow from a seed, so this one keeps nothing secret.
public struct SecureElement: Sendable {
    /// What comes of a request.
    public enum Answer: Sendable, CaseIterable {
        /// The signature.
        case signature
        /// Nothing: the person declines, or the element is away.
        case nothing
        /// A signature over something else.
        case otherMessage
        /// A signature by another of its keys.
        case otherKey
        /// A signature in the form that elements give and JOSE does not take (KEY-22).
        case encoded
    }

    /// What comes of a request, by its number, which begins with zero.
    public var answer: @Sendable (_ number: Int) -> Answer
    /// What was asked for so far.
    public private(set) var requests: [SignatureRequest] = []
    /// How many keys it is asked for before the person declines one; `nil` if that never happens.
    public var keysBeforeDeclining: Int?

    private var entropy: SimulatedFederation.Entropy
    private var keys: [KeyID: Key] = [:]
    private var made = 0

    /// The curve on which the element makes its keys.
    public enum Curve: Sendable, CaseIterable {
        /// Ed25519.
        case ed25519
        /// P-256, as elements of phones have it.
        case p256
    }

    private let curve: Curve

    private enum Key: Sendable {
        case ed25519(Curve25519.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)

        init(on curve: Curve, using entropy: inout some RandomNumberGenerator) {
            switch curve {
            case .ed25519: self = .ed25519(Curve25519.Signing.PrivateKey(using: &entropy))
            case .p256: self = .p256(P256.Signing.PrivateKey(using: &entropy))
            }
        }

        var publicKey: JWK {
            switch self {
            case .ed25519(let key): JWK(key.publicKey)
            case .p256(let key): JWK(key.publicKey)
            }
        }

        func signature(for message: [UInt8]) -> [UInt8] {
            switch self {
            case .ed25519(let key): [UInt8](key.signature(for: message))
            case .p256(let key): [UInt8](key.signature(for: message))
            }
        }

        /// What elements give: DER of ECDSA's two numbers; Ed25519 has no such form, and gets a prefix.
        func encoded(_ message: [UInt8]) -> [UInt8] {
            let signature = signature(for: message)
            guard case .p256 = self else { return [0x30, 0x44] + signature }
            return (try? ECDSASignature(rawRepresentation: signature, on: .p256))?.derRepresentation ?? []
        }
    }

    /// An element whose person agrees to everything, unless it is said otherwise.
    public init(
        seed: UInt64, on curve: Curve = .ed25519,
        answer: @escaping @Sendable (_ number: Int) -> Answer = { _ in .signature }
    ) {
        self.curve = curve
        entropy = SimulatedFederation.Entropy(seed: seed)
        self.answer = answer
    }

    /// A new key, under a name that only the device knows.
    public mutating func newKey() -> DeviceKey? {
        if let rest = keysBeforeDeclining {
            keysBeforeDeclining = rest > 0 ? rest - 1 : nil
            if rest == 0 { return nil }
        }
        made += 1
        return keep(Key(on: curve, using: &entropy), as: "element-\(made)").flatMap { try? DeviceKey(elsewhere: $0) }
    }

    /// Takes a key in that was made before, under a name; its public half, by which it is asked for.
    public mutating func keep(_ key: Curve25519.Signing.PrivateKey, as text: String) -> JWK? {
        keep(.ed25519(key), as: text)
    }

    private mutating func keep(_ key: Key, as text: String) -> JWK? {
        guard let name = try? KeyID(parsing: text) else { return nil }
        keys[name] = key
        var publicKey = key.publicKey
        publicKey.attributes.id = name
        return publicKey
    }

    /// What comes of a request for a signature.
    public mutating func signature(for request: SignatureRequest) -> [UInt8]? {
        requests.append(request)
        guard let key = request.publicKey.id.flatMap({ keys[$0] }) else { return nil }
        switch answer(requests.count - 1) {
        case .signature: return key.signature(for: request.message)
        case .nothing: return nil
        case .otherMessage: return key.signature(for: request.message + [0])
        case .otherKey: return Key(on: curve, using: &entropy).signature(for: request.message)
        case .encoded: return key.encoded(request.message)
        }
    }
}
