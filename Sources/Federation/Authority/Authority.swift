public import JOSE
public import OAuth2Grants
public import PureCrypto
internal import TokenTree
public import Wire

/// Who a service is, and the keys with which it signs what it gives and knows it again.
///
/// Keys are rotated by making a new value: the next key stands among the published ones before it signs, and the last
/// one as long as tokens live that it signed.
public struct Authority: Sendable {
    private let contents: Contents

    /// Kept apart, so that an authority is a single word to whatever carries it along with a request.
    private final class Contents: Sendable {
        let issuer: Issuer
        let publicKeys: JWKSet
        let base: WebURL
        let accessTokens: Statement.JWTAccessToken.Issuance
        let clientAssertions: Statement.ClientAssertion.Issuance
        let assertions: Statement.AssertionGrant.Issuance
        let ownKeys: [VerificationKey]
        let master: HMAC<SHA256>.PreparedKey

        init(_ issuer: Issuer, signingWith key: JWK.Private, others: [JWK], master: SymmetricKey) throws(Rejection) {
            self.issuer = issuer
            do throws(URI.Rejection) { base = try WebURL(parsing: issuer.text) } catch { throw .issuer(error) }
            guard base.query == nil, base.fragment == nil else { throw .issuerWithQuery }
            guard let publicKey = key.publicKey else { throw .noKeyPair }
            publicKeys = JWKSet([publicKey] + others, of: issuer)
            ownKeys = publicKeys.keys.map { $0.prepared() }
            let client: ClientID
            do throws(SyntaxError) { client = try ClientID(parsing: issuer.text) } catch { throw .name(error) }
            let signing: SigningKey
            do throws(JWK.Rejection) { signing = try SigningKey(key) } catch { throw .key(error) }
            do throws(IssuanceRejection) {
                accessTokens = try Statement.JWTAccessToken.Issuance(with: signing, of: issuer)
                clientAssertions = try Statement.ClientAssertion.Issuance(with: signing, of: client)
                assertions = try Statement.AssertionGrant.Issuance(with: signing, of: issuer)
            } catch {
                throw .issuance(error)
            }
            self.master = HMAC<SHA256>.PreparedKey(master)
        }
    }

    /// The issuer identifier, a URL under which all endpoints lie.
    public var issuer: Issuer { contents.issuer }
    /// The public keys that everybody may check tokens with.
    public var publicKeys: JWKSet { contents.publicKeys }
    var base: WebURL { contents.base }
    var accessTokens: Statement.JWTAccessToken.Issuance { contents.accessTokens }
    var clientAssertions: Statement.ClientAssertion.Issuance { contents.clientAssertions }
    var assertions: Statement.AssertionGrant.Issuance { contents.assertions }
    /// The published keys once more, ready to check our own tokens.
    var ownKeys: [VerificationKey] { contents.ownKeys }

    /// Why a service cannot sign.
    public enum Rejection: Error, Equatable, Sendable, CustomStringConvertible {
        /// The issuer identifier is no URL.
        case issuer(URI.Rejection)
        /// The issuer identifier has a query or fragment, behind which no endpoint can lie (RFC 8414 §2).
        case issuerWithQuery
        /// The issuer identifier is no name of a client.
        case name(SyntaxError)
        /// The key cannot sign.
        case key(JWK.Rejection)
        /// The key has no name, or nothing can be signed with it.
        case issuance(IssuanceRejection)
        /// The key is not a key pair, so that nobody else could check its signatures.
        case noKeyPair

        /// The clause that states the rule.
        public var clause: String {
            switch self {
            case .issuer(let rejection): rejection.clause
            case .issuerWithQuery: "RFC8414-2"
            case .name(let rejection): rejection.clause
            case .key(let rejection): rejection.clause
            case .issuance(let rejection): rejection.clause
            case .noKeyPair: "RFC9068-2.1"
            }
        }

        /// The rule that was broken.
        public var description: String {
            switch self {
            case .issuer(let rejection): "the issuer identifier: \(rejection)"
            case .issuerWithQuery: "the issuer identifier has a query or fragment (\(clause))"
            case .name(let rejection): "the issuer identifier: \(rejection)"
            case .key(let rejection): "the signing key: \(rejection)"
            case .issuance(let rejection): "the signing key: \(rejection)"
            case .noKeyPair: "the signing key is not a key pair (\(clause))"
            }
        }
    }

    /// A service that signs with a key pair, which must have a name.
    ///
    /// - Parameter others: further keys to be published: those that sign next, and those that signed before.
    /// - Parameter master: the secret from which the keys follow that are made for holders who bring none; 32 bytes or
    ///   more.
    public init(_ issuer: Issuer, signingWith key: JWK.Private, others: [JWK] = [], master: SymmetricKey)
        throws(Rejection)
    {
        contents = try Contents(issuer, signingWith: key, others: others, master: master)
    }
}

// MARK: - Keys of holders

extension Authority {
    /// How a record says that its key follows from the master secret.
    private static let symmetric = "symmetric"

    /// How a record writes the 32 bytes of an Ed25519 key: shorter and faster to read than the JSON that every other
    /// key has.
    private static let ed25519 = "ed25519:"

    /// What a record is bound to: a public key that the holder brought, or one that is made for it (POP-1).
    ///
    /// A key by which nobody here could check a proof is refused: a record without a key is good for whoever bears its
    /// token.
    func binding(to key: JWK?) throws(Interruption) -> Record.BoundKey {
        var text = Array(Self.symmetric.utf8)
        if let key {
            guard (try? VerificationKey(key)) != nil else { throw .refused(.unusableKey) }
            // What else the holder says about the key may be of any size, and means nothing to the record.
            if case .ed25519(let point) = key.material, key.attributes.algorithm == nil {
                text = Array((Self.ed25519 + Base64URL.encode(point.rawRepresentation)).utf8)
            } else {
                var kept = key
                kept.attributes = JWK.Attributes(algorithm: key.attributes.algorithm)
                text = kept.encoded()
            }
        }
        guard let binding = try? Record.BoundKey(parsing: text) else { throw .refused(.unusableKey) }
        return binding
    }

    /// The key whose possession a presenter of a record's token must prove; nothing where it is good for whoever bears
    /// it.
    ///
    /// A record whose key cannot be used opens nothing (threat 36).
    func key(of record: Record) throws(Refusal) -> Statement.BoundKey? {
        guard let text = record.boundKey?.text else { return nil }
        guard let holder = record.keyHolder, let id = record.keyID else { throw .failed }
        let key: Statement.BoundKey?
        if text.utf8.elementsEqual(Self.symmetric.utf8) {
            let known = try? VerificationKey(secret(of: record.id), for: .hs256, id: id)
            key = known.flatMap { try? Statement.BoundKey(JWT.Confirmation(keyID: id), of: holder, known: $0) }
        } else {
            key = Self.publicKey(text).flatMap { try? Statement.BoundKey($0, id: id, of: holder) }
        }
        guard let key else { throw .failed }
        return key
    }

    /// The public key that a record is bound to.
    func publicKey(of record: Record) -> JWK? {
        guard let text = record.boundKey?.text, !text.utf8.elementsEqual(Self.symmetric.utf8) else { return nil }
        return Self.publicKey(text)
    }

    private static func publicKey(_ text: String) -> JWK? {
        guard text.utf8.starts(with: ed25519.utf8) else { return try? JWK(parsing: text) }
        guard let bytes = try? Base64URL.decode(String(text.utf8.dropFirst(ed25519.utf8.count)) ?? "") else {
            return nil
        }
        return (try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)).map { JWK($0) }
    }

    /// What the token of a record says about its key, and what the holder is told about it.
    func confirmation(of record: Record) -> (
        inToken: Statement.BoundKey.Confirmation, told: TokenResponse.Confirmation
    )? {
        guard record.boundKey != nil, let id = record.keyID else { return nil }
        if let key = publicKey(of: record) { return (.key(key, id: id), .held(JWT.Confirmation(key: key, id: id))) }
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

extension Refusal {
    fileprivate static let unusableKey = Refusal(
        .invalidRequest, "signatures by the key are not checked here; bring an Ed25519 key", "POP-1")
}

extension Record {
    /// The name that the issuer gives the key that the record is bound to, under which request tokens present it.
    var keyID: KeyID? { try? KeyID(parsing: id.text) }

    /// Who makes proofs with the key that the record is bound to.
    fileprivate var keyHolder: Statement.BoundKey.Holder? {
        guard let holder else { return nil }
        if kind == .app { return (try? BundleID(parsing: holder.text)).map { .app($0) } }
        return (try? ClientID(parsing: holder.text)).map { .client($0) }
    }
}

// MARK: - Endpoints

extension Authority {
    /// The URL of one of the service's own endpoints.
    func endpoint(_ path: String) -> WebURL {
        // A URL with fixed words below it is one.
        (try? base.appending(path)) ?? base
    }

    /// The service as tokens mean it, at one of its endpoints.
    func addressee(at endpoint: WebURL) -> Statement.Addressee { Statement.Addressee(issuer, orEndpoint: endpoint) }
}
