public import JOSE
package import OAuth2Grants
public import PureCrypto
internal import TokenTree
public import Wire

/// Who a service is, and the keys with which it signs what it gives and knows it again.
///
/// Keys are rotated by making a new value: the next key stands among the published ones before it signs, and the last
/// one as long as tokens live that it signed.
public struct Authority: Sendable {
    private let contents: Contents
    private var holderKeys = HolderKeys(capacity: 1_024)

    /// Kept apart, so that an authority is two words to whatever carries it along with a request.
    private final class Contents: Sendable {
        let issuer: Issuer
        let publicKeys: JWKSet
        let base: WebURL
        let accessTokens: Statement.JWTAccessToken.Issuance
        let clientAssertions: Statement.ClientAssertion.Issuance
        let assertions: Statement.AssertionGrant.Issuance
        let ownKeys: [VerificationKey]
        let master: HMAC<SHA256>.PreparedKey

        init(_ issuer: Issuer, _ keys: Keys) throws(Rejection) {
            self.issuer = issuer
            base = try wrapping(Rejection.url, try WebURL(parsing: issuer.text))
            guard base.query == nil, base.fragment == nil else { throw .issuerWithQuery }
            guard let publicKey = keys.publicKey else { throw .noKeyPair }
            publicKeys = JWKSet([publicKey] + keys.others, of: issuer)
            try wrapping(Rejection.key, try publicKeys.checkSize())
            ownKeys = publicKeys.keys.map { $0.prepared() }
            let client = try wrapping(Rejection.syntax, try ClientID(parsing: issuer.text))
            let signing = try wrapping(Rejection.key, try keys.signing.key)
            accessTokens = try wrapping(
                Rejection.issuance, try Statement.JWTAccessToken.Issuance(with: signing, of: issuer))
            clientAssertions = try wrapping(
                Rejection.issuance, try Statement.ClientAssertion.Issuance(with: signing, of: client))
            assertions = try wrapping(
                Rejection.issuance, try Statement.AssertionGrant.Issuance(with: signing, of: issuer))
            master = HMAC<SHA256>.PreparedKey(keys.master)
        }
    }

    /// How many holders' keys are remembered.
    package var rememberedHolders: Int { holderKeys.count }

    /// How many keys are remembered that came with assertions.
    package var rememberedKeys: Int { holderKeys.broughtCount }

    /// The issuer identifier, a URL under which all endpoints lie.
    public var issuer: Issuer { contents.issuer }
    /// The public keys that everybody may check tokens with.
    public var publicKeys: JWKSet { contents.publicKeys }
    var base: WebURL { contents.base }
    /// What the secrets follow from that are made for others, and that are not stored.
    var master: HMAC<SHA256>.PreparedKey { contents.master }
    var accessTokens: Statement.JWTAccessToken.Issuance { contents.accessTokens }
    package var clientAssertions: Statement.ClientAssertion.Issuance { contents.clientAssertions }
    var assertions: Statement.AssertionGrant.Issuance { contents.assertions }
    /// The published keys once more, ready to check our own tokens.
    var ownKeys: [VerificationKey] { contents.ownKeys }

    /// The keys with which a service signs, publishes what it signed, and makes keys for others.
    public struct Keys: Sendable {
        /// The key that signs, which must have a name.
        let signing: Signing
        /// Further keys to be published: those that sign next, and those that signed before.
        public var others: [JWK]
        /// The secret from which the keys follow that are made for holders who bring none; 32 bytes or more.
        package let master: SymmetricKey

        /// The keys of a service.
        public init(signing: JWK.Private, others: [JWK] = [], master: SymmetricKey) {
            self.init(.here(signing), others, master)
        }

        /// The keys of a service whose signing key lies elsewhere: in a security module, at a key management service.
        ///
        /// What it is to sign comes as ``Lookup/signature(_:)``, and to the `signer` of a ``PartyHost``. The master
        /// secret is not a signing key, and lies here.
        ///
        /// - Parameter key: the public half, with a name; it also says which half is meant.
        public init(signingElsewhere key: JWK, others: [JWK] = [], master: SymmetricKey) {
            self.init(.elsewhere(key), others, master)
        }

        private init(_ signing: Signing, _ others: [JWK], _ master: SymmetricKey) {
            self.signing = signing
            self.others = others
            self.master = master
        }

        /// The pair that signs, where it lies here.
        package var pair: JWK.Private? {
            guard case .here(let pair) = signing else { return nil }
            return pair
        }

        /// The public half of the key that signs; `nil` for a symmetric one.
        package var publicKey: JWK? {
            switch signing {
            case .here(let pair): pair.publicKey
            case .elsewhere(let key): key
            }
        }

        /// Where the key is that signs.
        enum Signing: Sendable {
            case here(JWK.Private)
            case elsewhere(JWK)

            var key: SigningKey {
                get throws(JWK.Rejection) {
                    switch self {
                    case .here(let pair): try SigningKey(pair)
                    case .elsewhere(let key): try SigningKey(elsewhere: key, id: key.id)
                    }
                }
            }
        }
    }

    /// A service that signs under a name.
    public init(_ issuer: Issuer, keys: Keys) throws(Rejection) {
        contents = try Contents(issuer, keys)
    }

    /// The same service, which keeps the prepared keys of so many holders at least, and of twice as many at most, for
    /// their next requests, and as many that came with assertions: about 7 KiB each, and 1,024 unless something else is
    /// said.
    ///
    /// Of one user it keeps a sixteenth of them at most.
    public func remembering(holders count: Int) -> Authority {
        var copy = self
        copy.holderKeys = HolderKeys(capacity: count)
        return copy
    }
}

// MARK: - Keys of holders

extension Authority {
    /// How a record says that its key follows from the master secret.
    private static let symmetric = "symmetric"

    /// How a record writes the 32 bytes of an Ed25519 key: shorter and faster to read than the JSON that every other
    /// key has.
    private static let ed25519 = "ed25519:"

    /// How a record writes a point of P-256, in the 33 bytes of its compressed form.
    private static let p256 = "p256:"

    /// What a record is bound to: a public key that the holder brought, or one that is made for it (POP-1).
    ///
    /// A key by which nobody here could check a proof is refused: a record without a key is good for whoever bears its
    /// token.
    func binding(to key: JWK?, _ policy: Possession.Policy) throws(Refusal) -> Record.BoundKey {
        var text = Array(Self.symmetric.utf8)
        if let key {
            guard policy.holders.binds(key) else { throw .unusableKey(policy) }
            text = Self.text(of: Self.kept(key))
        }
        guard let binding = try? Record.BoundKey(parsing: text) else { throw .unusableKey(policy) }
        return binding
    }

    /// What a record keeps of a key.
    ///
    /// What else the holder says about the key may be of any size, and means nothing to the record. A key of P-256 has
    /// one algorithm, whether it names it or not.
    static func kept(_ key: JWK) -> JWK {
        if case .p256 = key.material { return JWK(material: key.material, attributes: JWK.Attributes()) }
        return JWK(material: key.material, attributes: JWK.Attributes(algorithm: key.attributes.algorithm))
    }

    /// How a record writes a key.
    ///
    /// - Parameter key: what is kept of it.
    private static func text(of key: JWK) -> [UInt8] {
        switch key.material {
        case .ed25519(let point) where key.attributes.algorithm == nil:
            return Array((ed25519 + Base64URL.encode(point.rawRepresentation)).utf8)
        case .p256(let point):
            return Array((p256 + Base64URL.encode(point.compressedRepresentation)).utf8)
        default: return key.encoded()
        }
    }

    /// The key whose possession a presenter of a record's token must prove; `nil` if it is good for whoever bears
    /// it.
    ///
    /// A record whose key cannot be used opens nothing (threat 36).
    func key(of record: some Presentable, _ policy: Possession.Policy) throws(Refusal) -> Statement.BoundKey? {
        try holderKeys.key(of: record) { () throws(Refusal) in try readKey(of: record, policy) }
    }

    private func readKey(
        of record: some Presentable, _ policy: Possession.Policy
    ) throws(Refusal) -> Statement.BoundKey? {
        guard let text = record.boundKey?.text else { return nil }
        guard let holder = record.keyHolder, let id = record.keyID else { throw .failed }
        let key: Statement.BoundKey?
        if text.utf8.elementsEqual(Self.symmetric.utf8) {
            let known = try? VerificationKey(secret(of: record.id), for: .hs256, id: id)
            key = known.flatMap { try? Statement.BoundKey(JWT.Confirmation(keyID: id), of: holder, known: $0) }
        } else {
            key = Self.publicKey(text).flatMap {
                try? Statement.BoundKey($0, id: id, of: holder, among: knowing(policy).holders)
            }
        }
        guard let key else { throw .failed }
        return key
    }

    /// The public key that a record is bound to.
    func publicKey(of record: Record) -> JWK? {
        guard let text = record.boundKey?.text, !text.utf8.elementsEqual(Self.symmetric.utf8) else { return nil }
        return holderKeys.publicKey(of: record).map { Self.kept($0) } ?? Self.publicKey(text)
    }

    /// The same demands, by which the keys of holders who have come before are checked as they are remembered.
    func knowing(_ policy: Possession.Policy) -> Possession.Policy {
        var policy = policy
        policy.holders.remembered = { [holderKeys] key in holderKeys.prepared(key) }
        return policy
    }

    /// Notes that a holder has proved a key, by which it is checked faster when it comes again.
    func remember(_ key: JWK, of owner: Owner) { holderKeys.note(key, of: owner) }

    private static func publicKey(_ text: String) -> JWK? {
        if let bytes = bytes(of: text, behind: ed25519) {
            return (try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)).map { JWK($0) }
        }
        if let bytes = bytes(of: text, behind: p256) {
            return (try? P256.Signing.PublicKey(compressedRepresentation: bytes)).map { JWK($0) }
        }
        return try? JWK(parsing: text)
    }

    /// The bytes that a text has behind a word.
    private static func bytes(of text: String, behind word: String) -> [UInt8]? {
        guard text.utf8.starts(with: word.utf8) else { return nil }
        return String(text.utf8.dropFirst(word.utf8.count)).flatMap { try? Base64URL.decode($0) }
    }

    /// What the token of a record says about its key, and what the holder is told about it.
    ///
    /// - Parameter key: the record's public key, where it has been read.
    func confirmation(of record: Record, knowing key: JWK?) -> (
        inToken: Statement.BoundKey.Confirmation, told: TokenResponse.Confirmation
    )? {
        guard record.boundKey != nil, let id = record.keyID else { return nil }
        if let key = key.map({ Self.kept($0) }) ?? publicKey(of: record) {
            return (.key(key, id: id), .held(JWT.Confirmation(key: key, id: id)))
        }
        guard let made = try? JWK.Private(secret(of: record.id), attributes: JWK.Attributes(id: id, algorithm: .hs256))
        else { return nil }
        return (.symmetric(id), .made(made))
    }

    /// The key that is made for a record, the same each time.
    private func secret(of id: TokenID) -> SymmetricKey {
        SymmetricKey(
            data: [UInt8](
                contents.master.authenticationCode(for: Array("proof of possession:".utf8) + Array(id.text.utf8))))
    }
}

extension JWK? {
    /// This key, or the one of another place, which must be the same where both have one.
    func agreeing(with other: JWK?, _ refusal: @autoclosure () -> Refusal) throws(Refusal) -> JWK? {
        guard let self, let other else { return self ?? other }
        if self.material == other.material { return self }
        guard let thumbprint = try? self.thumbprint(), thumbprint == (try? other.thumbprint()) else { throw refusal() }
        return self
    }
}

extension Refusal {
    fileprivate static func unusableKey(_ policy: Possession.Policy) -> Refusal {
        let names = policy.holders.algorithms.map { $0.name.text }.joined(separator: ", ")
        return Refusal(
            .invalidRequest, "signatures by the key are not checked here; bring one that is for one of \(names)",
            "POP-1")
    }
}

// MARK: - Endpoints

extension Authority {
    /// The URL of one of the service's own endpoints.
    func endpoint(_ path: String) -> WebURL {
        // A URL with fixed words below it is one.
        (try? base.appending(path)) ?? base
    }
}
