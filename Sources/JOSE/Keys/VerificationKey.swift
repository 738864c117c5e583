public import PureCrypto
public import Wire

/// Something of the embedder's that checks signatures: another algorithm, or another implementation of one.
public protocol Verifier: Sendable {
    /// Whether this is a signature over these bytes; whatever is wrong with it is a plain no.
    func isValid(_ signature: Span<UInt8>, for message: Span<UInt8>) -> Bool
}

/// A key that checks signatures: its algorithms are fixed here, before any token is seen.
///
/// Whoever verifies also says which algorithms are accepted; both bind. What a token's header says only has to agree.
public struct VerificationKey: Sendable, CustomStringConvertible {
    /// The key's name, by which tokens refer to it.
    public let id: KeyID?
    /// The party that the key belongs to: tokens that it signs can be believed only as that party's (RFC 7517 leaves
    /// this to the application).
    public let issuer: Issuer?
    /// The algorithms that signatures by this key may have; one, where the key or its maker says so.
    public let algorithms: [Algorithm]
    let mechanism: Mechanism

    /// Boxed, so that keys are cheap to pass around whatever they hold.
    indirect enum Mechanism: Sendable {
        case ed25519(Curve25519.Signing.PublicKey)
        case preparedEd25519(Curve25519.Signing.PreparedPublicKey)
        case hmac(MessageAuthentication)
        case custom(@Sendable (_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool)
    }

    init(id: KeyID?, issuer: Issuer?, algorithms: [Algorithm], mechanism: Mechanism) {
        self.id = id
        self.issuer = issuer
        self.algorithms = algorithms
        self.mechanism = mechanism
    }
}

// MARK: - Making

extension VerificationKey {
    /// An Ed25519 key; tokens may name its algorithm `EdDSA` or `Ed25519`.
    public init(_ key: Curve25519.Signing.PublicKey, id: KeyID? = nil, issuer: Issuer? = nil) {
        self.init(id: id, issuer: issuer, algorithms: [.edDSA, .ed25519], mechanism: .ed25519(key))
    }

    /// A public key from its JSON form, whose attributes must permit that it checks signatures.
    public init(_ key: JWK, issuer: Issuer? = nil) throws(JWK.Rejection) {
        guard case .ed25519(let point) = key.material else { throw .unsupportedType(key.type) }
        let algorithms = try key.attributes.algorithms(for: .verify, among: [.edDSA, .ed25519], type: .octetKeyPair)
        self.init(id: key.id, issuer: issuer, algorithms: algorithms, mechanism: .ed25519(point))
    }

    /// A key from the JSON form of its secret: a symmetric one, or the public half of a pair.
    ///
    /// Its attributes must permit that it checks signatures.
    package init(_ key: JWK.Private, issuer: Issuer? = nil) throws(JWK.Rejection) {
        let (algorithms, mechanism): ([Algorithm], Mechanism)
        switch key.material {
        case .foreign(let type): throw .unsupportedType(type)
        case .ed25519(let pair):
            algorithms = try key.attributes.algorithms(for: .verify, among: [.edDSA, .ed25519], type: .octetKeyPair)
            mechanism = .ed25519(pair.publicKey)
        case .symmetric(let secret):
            algorithms = try SymmetricUse.algorithms(of: key.attributes, secretLength: secret.byteCount, for: .verify)
            mechanism = .hmac(MessageAuthentication(secret))
        }
        self.init(id: key.id, issuer: issuer, algorithms: algorithms, mechanism: mechanism)
    }

    /// A symmetric key for one of the HMAC algorithms; it must be as long as the algorithm's hash.
    public init(_ secret: SymmetricKey, for algorithm: Algorithm, id: KeyID? = nil, issuer: Issuer? = nil)
        throws(JWK.Rejection)
    {
        let attributes = JWK.Attributes(algorithm: algorithm)
        let algorithms = try SymmetricUse.algorithms(of: attributes, secretLength: secret.byteCount, for: .verify)
        self.init(id: id, issuer: issuer, algorithms: algorithms, mechanism: .hmac(MessageAuthentication(secret)))
    }

    /// A key whose signatures something of the embedder's checks.
    public init(_ verifier: some Verifier, for algorithm: Algorithm, id: KeyID? = nil, issuer: Issuer? = nil) {
        self.init(
            id: id, issuer: issuer, algorithms: [algorithm],
            mechanism: .custom { signature, message in verifier.isValid(signature, for: message) })
    }

    /// The same key, owned by this issuer.
    package func owned(by issuer: Issuer) -> VerificationKey {
        VerificationKey(id: id, issuer: issuer, algorithms: algorithms, mechanism: mechanism)
    }
}

/// The HMAC algorithms that a symmetric key serves.
enum SymmetricUse {
    static func algorithms(of attributes: JWK.Attributes, secretLength: Int, for operation: JWK.Operation)
        throws(JWK.Rejection) -> [Algorithm]
    {
        let rows = Algorithm.builtIn.filter { $0.keyType == .octetSequence }
        let named = try attributes.algorithms(for: operation, among: rows.map { $0.algorithm }, type: .octetSequence)
        let long = rows.filter { named.contains($0.algorithm) && secretLength >= $0.keyLength }
        guard !long.isEmpty else {
            let least = rows.first { named.contains($0.algorithm) }
            throw .secretTooShort(
                named.first ?? .hs256, bytes: secretLength, least: least?.keyLength ?? SHA256.byteCount)
        }
        return long.map { $0.algorithm }
    }
}

// MARK: - Checking

extension VerificationKey {
    /// The same key with the work done beforehand that every check shares: a table of 6 KiB cuts Ed25519 to a third.
    ///
    /// Pays from the second or third token.
    package func prepared() -> VerificationKey {
        guard case .ed25519(let key) = mechanism else { return self }
        return VerificationKey(
            id: id, issuer: issuer, algorithms: algorithms, mechanism: .preparedEd25519(key.prepared()))
    }

    /// Whether preparing the key would make checks faster.
    var gainsByPreparation: Bool {
        if case .ed25519 = mechanism { true } else { false }
    }

    /// Whether this is a signature over these bytes under an algorithm of this key.
    func isValid(_ signature: Span<UInt8>, for message: Span<UInt8>, under algorithm: Algorithm) -> Bool {
        switch mechanism {
        case .ed25519(let key): return key.isValidSignature(signature, for: message)
        case .preparedEd25519(let key): return key.isValidSignature(signature, for: message)
        case .custom(let isValid): return isValid(signature, message)
        case .hmac(let key):
            guard case .hmac(let hash)? = algorithm.row?.mechanism else { return false }
            return key.code(of: message, hash)?.withSpan { constantTimeEquals(signature, $0) } ?? false
        }
    }
}

extension VerificationKey {
    /// Names the key and shows nothing of its material.
    public var description: String {
        "VerificationKey(kid: \(id?.text ?? "none"), \(algorithms.map { $0.name.text }.joined(separator: "/")))"
    }
}
