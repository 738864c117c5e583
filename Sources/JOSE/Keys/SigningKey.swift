public import PureCrypto
public import Wire

/// Something of the embedder's that signs: another algorithm, or a key that never leaves its hardware.
public protocol Signer: Sendable {
    /// Why no signature came about.
    associatedtype Failure: Error

    /// The signature over these bytes, in the form that the algorithm's JOSE registration gives it.
    func signature(for message: Span<UInt8>) throws(Failure) -> [UInt8]
}

/// A key that signs under one algorithm.
public struct SigningKey: Sendable, CustomStringConvertible {
    /// The key's name, which goes into the header of what it signs.
    public let id: KeyID?
    /// The algorithm that goes into the header of what it signs.
    public let algorithm: Algorithm
    /// The key that checks what this one signs, where this module computes it.
    public let verificationKey: VerificationKey?
    let mechanism: Mechanism

    /// Boxed, so that keys are cheap to pass around whatever they hold.
    indirect enum Mechanism: Sendable {
        case ed25519(Curve25519.Signing.PrivateKey)
        case hmac(MessageAuthentication, MessageAuthentication.Hash)
        case custom(@Sendable (_ message: Span<UInt8>) throws(Rejection) -> [UInt8])
        /// The private half lies elsewhere, and what it signs comes from there.
        case elsewhere(JWK)
    }

    /// Why nothing was signed.
    public enum Rejection: BrokenRule {
        /// The embedder's signer gave no signature; it knows why.
        case signerRefused
        /// A further header parameter that the key or the form of signing determines.
        case reservedParameter(JSON.Name)
        /// The key lies elsewhere, and has not signed this yet.
        case awaited(SignatureRequest)
        /// What came from elsewhere is no signature by the key over what was to be signed.
        case wrongSignature

        /// The rule that was broken.
        public var rule: Rule {
            switch self {
            case .signerRefused: Rule("RFC7515-5.1", "the signer gave no signature")
            case .reservedParameter(let name):
                Rule("RFC7515-4", "the header parameter '\(name)' is not the caller's to set")
            case .awaited: Rule("KEY-20", "the key lies elsewhere and has not signed yet")
            case .wrongSignature: Rule("KEY-20", "what the signer gave is not a signature by its key")
            }
        }
    }

    private init(id: KeyID?, algorithm: Algorithm, verificationKey: VerificationKey?, mechanism: Mechanism) {
        self.id = id
        self.algorithm = algorithm
        self.verificationKey = verificationKey
        self.mechanism = mechanism
    }
}

// MARK: - Making

extension SigningKey {
    /// The name under which Ed25519 signatures go out; both names are read (KEY-10).
    public enum EdwardsName: Sendable {
        /// `EdDSA` (RFC 8037), which every reader knows.
        case edDSA
        /// `Ed25519`, the fully specified name of RFC 9864.
        case ed25519

        fileprivate var algorithm: Algorithm {
            switch self {
            case .edDSA: .edDSA
            case .ed25519: .ed25519
            }
        }
    }

    /// An Ed25519 key, whose signatures go under the name `EdDSA` where nothing else is said.
    public init(_ key: Curve25519.Signing.PrivateKey, id: KeyID? = nil, writing name: EdwardsName = .edDSA) {
        self.init(
            id: id, algorithm: name.algorithm, verificationKey: VerificationKey(key.publicKey, id: id),
            mechanism: .ed25519(key))
    }

    /// A key of P-256, which signs as `ES256`.
    public init(_ key: P256.Signing.PrivateKey, id: KeyID? = nil) {
        self.init(curveKey: key, id: id, verificationKey: VerificationKey(key.publicKey, id: id))
    }

    /// A key of P-256, which signs as `ES256` with nonces into which fresh chance is mixed (KEY-6).
    ///
    /// The same text gets another signature each time, so that a fault of the processor cannot be set against an
    /// undisturbed one. Chance that is bad makes no signature worse than those of a key without it.
    ///
    /// - Parameter entropy: 64 bits that nobody can guess, such as `SystemRandomNumberGenerator` gives; four times for
    ///   each signature, from whichever thread signs.
    public init(
        _ key: P256.Signing.PrivateKey, id: KeyID? = nil, hedgedBy entropy: @escaping @Sendable () -> UInt64
    ) {
        self.init(
            id: id, algorithm: .es256, verificationKey: VerificationKey(key.publicKey, id: id),
            mechanism: .custom { message throws(Rejection) in
                var words = Words(word: entropy)
                return [UInt8](key.signature(for: message, using: &words))
            })
    }

    /// Chance that comes in words.
    private struct Words: RandomNumberGenerator {
        let word: @Sendable () -> UInt64

        mutating func next() -> UInt64 { word() }
    }

    /// A key of P-384, which signs as `ES384`.
    public init(_ key: P384.Signing.PrivateKey, id: KeyID? = nil) {
        self.init(curveKey: key, id: id, verificationKey: VerificationKey(key.publicKey, id: id))
    }

    /// A key of P-521, which signs as `ES512`.
    public init(_ key: P521.Signing.PrivateKey, id: KeyID? = nil) {
        self.init(curveKey: key, id: id, verificationKey: VerificationKey(key.publicKey, id: id))
    }

    /// ECDSA is a closure, so that a program that makes other keys alone does not carry it.
    private init(curveKey key: some CurvePrivateKey, id: KeyID?, verificationKey: VerificationKey?) {
        self.init(
            id: id, algorithm: key.curve.algorithm, verificationKey: verificationKey,
            mechanism: .custom { message throws(Rejection) in key.signatureBytes(over: message) })
    }

    /// A key from its JSON form, whose attributes must permit that it signs.
    ///
    /// Its algorithm is the one it names. Ed25519 keys that name none sign as `EdDSA`, symmetric ones by the strongest
    /// HMAC that their length allows.
    public init(_ key: JWK.Private) throws(JWK.Rejection) {
        let verificationKey = try? VerificationKey(key)
        switch key.material {
        case .foreign(let type): throw .unsupportedType(type)
        case .ed25519(let pair):
            let fitting = try key.attributes.algorithms(for: .sign, among: [.edDSA, .ed25519], type: .octetKeyPair)
            self.init(
                id: key.id, algorithm: fitting.first ?? .edDSA, verificationKey: verificationKey,
                mechanism: .ed25519(pair))
        case .p256(let pair): try self.init(curveKey: pair, key, verificationKey: verificationKey)
        case .p384(let pair): try self.init(curveKey: pair, key, verificationKey: verificationKey)
        case .p521(let pair): try self.init(curveKey: pair, key, verificationKey: verificationKey)
        case .symmetric(let secret):
            let fitting = try SymmetricUse.algorithms(of: key.attributes, secretLength: secret.byteCount, for: .sign)
            try self.init(
                id: key.id, secret: secret, algorithm: fitting.last ?? .hs256, verificationKey: verificationKey)
        }
    }

    private init(curveKey pair: some CurvePrivateKey, _ key: JWK.Private, verificationKey: VerificationKey?)
        throws(JWK.Rejection)
    {
        _ = try key.attributes.algorithms(for: .sign, among: [pair.curve.algorithm], type: .ellipticCurve)
        self.init(curveKey: pair, id: key.id, verificationKey: verificationKey)
    }

    /// A symmetric key for one of the HMAC algorithms; it must be as long as the algorithm's hash.
    public init(_ secret: SymmetricKey, for algorithm: Algorithm, id: KeyID? = nil) throws(JWK.Rejection) {
        let verificationKey = try VerificationKey(secret, for: algorithm, id: id)
        try self.init(id: id, secret: secret, algorithm: algorithm, verificationKey: verificationKey)
    }

    private init(id: KeyID?, secret: SymmetricKey, algorithm: Algorithm, verificationKey: VerificationKey?)
        throws(JWK.Rejection)
    {
        guard case .hmac(let hash)? = algorithm.row?.mechanism else { throw .otherAlgorithm(algorithm, .octetSequence) }
        let mechanism = Mechanism.hmac(MessageAuthentication(secret), hash)
        self.init(id: id, algorithm: algorithm, verificationKey: verificationKey, mechanism: mechanism)
    }

    /// A key with which something of the embedder's signs.
    public init(_ signer: some Signer, for algorithm: Algorithm, id: KeyID? = nil) {
        self.init(
            id: id, algorithm: algorithm, verificationKey: nil,
            mechanism: .custom { message throws(Rejection) in
                // What the signer threw stays with the embedder.
                do { return try signer.signature(for: message) } catch { throw .signerRefused }
            })
    }
}

extension SigningKey {
    /// A key whose private half lies elsewhere: in a secure element, in a security module, with another process.
    ///
    /// What it is to sign is asked for as a ``SignatureRequest``. Its algorithm is the one that the key names or fixes;
    /// an RSA key that names none is refused, because it would sign with several (KEY-8).
    ///
    /// - Parameter id: the name that goes into the header of what it signs; that of the JSON form tells it nobody.
    public init(elsewhere key: JWK, id: KeyID? = nil) throws(JWK.Rejection) {
        var named = key
        named.attributes.id = id
        let verificationKey = try VerificationKey(named)
        guard verificationKey.fixesAlgorithm else { throw .undecidedAlgorithm(key.type) }
        guard let algorithm = verificationKey.algorithms.first else { throw .unsupportedType(key.type) }
        self.init(id: id, algorithm: algorithm, verificationKey: verificationKey, mechanism: .elsewhere(key))
    }

    /// What is asked of the key to sign a text; `nil` for a key that lies here.
    func request(for text: [UInt8]) -> SignatureRequest? {
        guard case .elsewhere(let publicKey) = mechanism else { return nil }
        return request(to: publicKey, for: text)
    }

    private func request(to publicKey: JWK, for text: [UInt8]) -> SignatureRequest {
        SignatureRequest(publicKey: publicKey, algorithm: algorithm, message: text)
    }
}

// MARK: - Signing

extension SigningKey {
    /// A signature, in the memory that its maker gave it.
    enum Signature {
        case ed25519(Curve25519.Signing.Signature)
        case hmac(MessageAuthentication.Code)
        case custom([UInt8])

        /// Writes the signature as Base64url behind what the output already holds.
        func append(to output: inout [UInt8]) {
            switch self {
            case .ed25519(let signature): signature.withSpan { Base64URL.encode($0, to: &output) }
            case .hmac(let code): code.withSpan { Base64URL.encode($0, to: &output) }
            case .custom(let bytes): Base64URL.encode(bytes, to: &output)
            }
        }
    }

    /// The signature over these bytes: made here, or one of those that came from elsewhere.
    func signature(
        over message: Span<UInt8>, knowing signatures: Signatures = .none
    ) throws(Rejection) -> Signature {
        switch mechanism {
        case .ed25519(let key):
            return .ed25519(key.signature(for: message))
        case .hmac(let key, let hash):
            guard let code = key.code(of: message, hash) else { throw .signerRefused }
            return .hmac(code)
        case .custom(let sign): return .custom(try sign(message))
        case .elsewhere(let publicKey):
            let text = message.indices.map { message[$0] }
            return .custom(try signatures[request(to: publicKey, for: text)])
        }
    }
}

extension SigningKey {
    /// Names the key and shows nothing of its secret.
    public var description: String { "SigningKey(kid: \(id?.text ?? "none"), \(algorithm), redacted)" }
}
