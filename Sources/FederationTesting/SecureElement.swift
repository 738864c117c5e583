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

    private typealias Key = Curve25519.Signing.PrivateKey

    /// An element whose person agrees to everything, unless it is said otherwise.
    public init(seed: UInt64, answer: @escaping @Sendable (_ number: Int) -> Answer = { _ in .signature }) {
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
        return keep(Key(using: &entropy), as: "element-\(made)").flatMap { try? DeviceKey(elsewhere: $0) }
    }

    /// Takes a key in that was made before, under a name; its public half, by which it is asked for.
    public mutating func keep(_ key: Curve25519.Signing.PrivateKey, as text: String) -> JWK? {
        guard let name = try? KeyID(parsing: text) else { return nil }
        keys[name] = key
        return JWK(key.publicKey, attributes: JWK.Attributes(id: name))
    }

    /// What comes of a request for a signature.
    public mutating func signature(for request: SignatureRequest) -> [UInt8]? {
        requests.append(request)
        guard let key = request.publicKey.id.flatMap({ keys[$0] }) else { return nil }
        switch answer(requests.count - 1) {
        case .signature: return [UInt8](key.signature(for: request.message))
        case .nothing: return nil
        case .otherMessage: return [UInt8](key.signature(for: request.message + [0]))
        case .otherKey: return [UInt8](Key(using: &entropy).signature(for: request.message))
        case .encoded: return [0x30, 0x44] + [UInt8](key.signature(for: request.message))
        }
    }
}
