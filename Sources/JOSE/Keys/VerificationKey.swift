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
    /// Whether the key by itself says what its signatures are; of an RSA key that names no algorithm, whoever verifies
    /// lists those that are accepted (KEY-8).
    let fixesAlgorithm: Bool
    let mechanism: Mechanism

    /// Boxed, so that keys are cheap to pass around whatever they hold.
    indirect enum Mechanism: Sendable {
        case ed25519(Curve25519.Signing.PublicKey)
        case preparedEd25519(Curve25519.Signing.PreparedPublicKey)
        case hmac(MessageAuthentication)
        case computed(Computation)
        case custom(@Sendable (_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool)
    }

    /// The arithmetic of a key, bound to it where the key is made: a program that makes keys of one kind alone does not
    /// carry that of the others.
    struct Computation: Sendable {
        let isValid: @Sendable (_ signature: Span<UInt8>, _ message: Span<UInt8>, _ algorithm: Algorithm) -> Bool
        /// Does the work beforehand that every check shares, where that pays.
        var prepared: (@Sendable () -> Computation)?
    }

    init(
        id: KeyID?, issuer: Issuer?, algorithms: [Algorithm], fixesAlgorithm: Bool = true, mechanism: Mechanism
    ) {
        self.id = id
        self.issuer = issuer
        self.algorithms = algorithms
        self.fixesAlgorithm = fixesAlgorithm
        self.mechanism = mechanism
    }

    /// The same key with another owner or another mechanism.
    private func with(issuer: Issuer?, mechanism: Mechanism) -> VerificationKey {
        VerificationKey(
            id: id, issuer: issuer, algorithms: algorithms, fixesAlgorithm: fixesAlgorithm, mechanism: mechanism)
    }
}

// MARK: - Making

extension VerificationKey {
    /// An Ed25519 key; tokens may name its algorithm `EdDSA` or `Ed25519`.
    public init(_ key: Curve25519.Signing.PublicKey, id: KeyID? = nil, issuer: Issuer? = nil) {
        self.init(id: id, issuer: issuer, algorithms: [.edDSA, .ed25519], mechanism: .ed25519(key))
    }

    /// A key of P-256, for `ES256`.
    public init(_ key: P256.Signing.PublicKey, id: KeyID? = nil, issuer: Issuer? = nil) {
        self.init(id: id, issuer: issuer, algorithms: [.es256], mechanism: .computed(Computation(key)))
    }

    /// A key of P-384, for `ES384`.
    public init(_ key: P384.Signing.PublicKey, id: KeyID? = nil, issuer: Issuer? = nil) {
        self.init(id: id, issuer: issuer, algorithms: [.es384], mechanism: .computed(Computation(curveKey: key)))
    }

    /// A key of P-521, for `ES512`.
    public init(_ key: P521.Signing.PublicKey, id: KeyID? = nil, issuer: Issuer? = nil) {
        self.init(id: id, issuer: issuer, algorithms: [.es512], mechanism: .computed(Computation(curveKey: key)))
    }

    /// An RSA key for one of the algorithms of RSA: a key serves one, as RFC 8725 §3.1 demands.
    public init(_ key: RSA.Signing.PublicKey, for algorithm: Algorithm, id: KeyID? = nil, issuer: Issuer? = nil)
        throws(JWK.Rejection)
    {
        guard Algorithm.rsa.contains(algorithm) else { throw .otherAlgorithm(algorithm, .rsa) }
        self.init(id: id, issuer: issuer, algorithms: [algorithm], mechanism: .computed(Computation(key)))
    }

    /// A public key from its JSON form, whose attributes must permit that it checks signatures.
    ///
    /// An RSA key that names no algorithm is good for those alone that whoever verifies lists.
    public init(_ key: JWK, issuer: Issuer? = nil) throws(JWK.Rejection) {
        let mechanism: Mechanism =
            switch key.material {
            case .ed25519(let point): .ed25519(point)
            case .p256(let point): .computed(Computation(point))
            case .p384(let point): .computed(Computation(curveKey: point))
            case .p521(let point): .computed(Computation(curveKey: point))
            case .rsa(let number): .computed(Computation(number))
            case .foreign(let type, _): throw .unsupportedType(type)
            }
        let algorithms = try key.attributes.algorithms(
            for: .verify, among: key.fittingAlgorithms, type: key.type)
        self.init(
            id: key.id, issuer: issuer, algorithms: algorithms,
            fixesAlgorithm: key.type != .rsa || key.attributes.algorithm != nil, mechanism: mechanism)
    }

    /// A key from the JSON form of its secret: a symmetric one, or the public half of a pair.
    ///
    /// Its attributes must permit that it checks signatures, those of a pair as they stand.
    package init(_ key: JWK.Private, issuer: Issuer? = nil) throws(JWK.Rejection) {
        if case .symmetric(let secret) = key.material {
            let algorithms = try SymmetricUse.algorithms(
                of: key.attributes, secretLength: secret.byteCount, for: .verify)
            self.init(
                id: key.id, issuer: issuer, algorithms: algorithms, mechanism: .hmac(MessageAuthentication(secret)))
            return
        }
        guard var publicKey = key.publicKey else { throw .unsupportedType(key.type) }
        publicKey.attributes = key.attributes
        try self.init(publicKey, issuer: issuer)
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
        with(issuer: issuer, mechanism: mechanism)
    }
}

// MARK: - Bound to a key

extension VerificationKey.Computation {
    /// ECDSA, with the hash that goes with the key's curve.
    init(curveKey key: some CurvePublicKey) {
        isValid = { signature, message, _ in key.isValidSignature(signature, for: message) }
    }

    /// ECDSA on P-256, which prepared is several times as fast.
    init(_ key: P256.Signing.PublicKey) {
        self.init(curveKey: key)
        prepared = {
            let key = key.prepared()
            return Self(isValid: { signature, message, _ in key.isValidSignature(signature, for: message) })
        }
    }

    /// RSA, with the padding and the hash that the algorithm names.
    init(_ key: RSA.Signing.PublicKey) {
        isValid = { signature, message, algorithm in
            guard case .rsa(let padding, let hash)? = algorithm.row?.mechanism else { return false }
            return key.isValidSignature(signature, for: message, padding: padding, hash: hash)
        }
    }
}

/// The HMAC algorithms that a symmetric key serves.
enum SymmetricUse {
    static func algorithms(of attributes: JWK.Attributes, secretLength: Int, for operation: JWK.Operation)
        throws(JWK.Rejection) -> [Algorithm]
    {
        let rows = Algorithm.builtIn.filter { $0.keyType == .octetSequence }
        let named = try attributes.algorithms(for: operation, among: Algorithm.symmetric, type: .octetSequence)
        let long = rows.filter { named.contains($0.algorithm) && secretLength >= $0.secretLength }
        guard !long.isEmpty else {
            let least = rows.first { named.contains($0.algorithm) }
            throw .secretTooShort(
                named.first ?? .hs256, bytes: secretLength, least: least?.secretLength ?? SHA256.byteCount)
        }
        return long.map { $0.algorithm }
    }
}

// MARK: - Checking

extension VerificationKey {
    /// The same key with the work done beforehand that every check shares: a table of some KiB cuts Ed25519 and P-256
    /// to a third.
    ///
    /// Pays from the second or third token.
    package func prepared() -> VerificationKey {
        switch mechanism {
        case .ed25519(let key): return with(issuer: issuer, mechanism: .preparedEd25519(key.prepared()))
        case .computed(let computation):
            guard let prepared = computation.prepared else { return self }
            return with(issuer: issuer, mechanism: .computed(prepared()))
        case .preparedEd25519, .hmac, .custom: return self
        }
    }

    /// This key, with the work that was done beforehand for another one of the same material.
    ///
    /// Bound: the caller knows that the material is the same; name, owner and algorithms remain this key's.
    package func computing(as other: VerificationKey) -> VerificationKey {
        with(issuer: issuer, mechanism: other.mechanism)
    }

    /// Whether preparing the key would make checks faster.
    var gainsByPreparation: Bool {
        switch mechanism {
        case .ed25519: true
        case .computed(let computation): computation.prepared != nil
        case .preparedEd25519, .hmac, .custom: false
        }
    }

    /// Whether this is a signature over these bytes under an algorithm of this key.
    func isValid(_ signature: Span<UInt8>, for message: Span<UInt8>, under algorithm: Algorithm) -> Bool {
        switch mechanism {
        case .ed25519(let key): return key.isValidSignature(signature, for: message)
        case .preparedEd25519(let key): return key.isValidSignature(signature, for: message)
        case .computed(let computation): return computation.isValid(signature, message, algorithm)
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
