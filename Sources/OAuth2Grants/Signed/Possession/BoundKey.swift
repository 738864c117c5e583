public import JOSE
public import Wire

/// The key that a token is bound to, as whoever receives requests with that token knows it (POP-1, RFC 7800).
///
/// A token with a `cnf` has one, and then a proof by exactly this key is required. Making one costs as much as reading
/// a key; a receiver that keeps it with the token's record, and prepared, checks proofs at little more than the cost of
/// their signatures.
public struct BoundKey: Sendable {
    /// The name that the token's issuer gave the key.
    public let id: KeyID?
    /// Who holds the key: the client, or the third-party app, that makes proofs with it (APP-8).
    public let holder: Holder
    /// The digest that names the key by what it is; a symmetric key has none that may be told.
    public let thumbprint: JWK.Thumbprint?
    /// The key that checks request tokens; where only the digest is known, nothing but a DPoP proof brings the key.
    let verifying: VerificationKey?
    /// In whose realm the proofs' names are unique.
    let owner: String

    /// The two kinds of parties that make proofs, whose names live in spaces of their own (threat 35).
    public enum Holder: Hashable, Sendable {
        /// A client of the issuer.
        case client(ClientID)
        /// A third-party app, which holds a token that a client obtained for it.
        case app(BundleID)

        /// The holder's name, which its proofs bear as their issuer.
        public var text: String {
            switch self {
            case .client(let client): client.text
            case .app(let app): app.text
            }
        }
    }

    private init(id: KeyID?, holder: Holder, thumbprint: JWK.Thumbprint?, verifying: VerificationKey?) {
        self.id = id
        self.holder = holder
        self.thumbprint = thumbprint
        self.verifying = verifying
        // Issuers give names to symmetric keys, so a name is one key's.
        owner = thumbprint?.text ?? "kid:" + (id?.text ?? "")
    }
}

// MARK: - Making

extension BoundKey {
    /// The key that a token's `cnf` means.
    ///
    /// - Parameter known: the key by its material, for one that the token only names (`cnf.kid`), and for one that only
    ///   the embedder computes with; it must bear the name that it has in the `cnf`.
    public init(_ confirmation: JWT.Confirmation, of holder: Holder, known: VerificationKey? = nil) throws(Rejection) {
        switch confirmation.representation {
        case .key(var key):
            let id = confirmation.keyID ?? key.id
            key.attributes.id = id
            do throws(JWK.Rejection) {
                self.init(
                    id: id, holder: holder, thumbprint: try key.thumbprint(), verifying: try Self.verifying(key, known))
            } catch {
                throw .key(error)
            }
            guard verifying?.id == id else { throw .otherKey(expected: id, found: verifying?.id) }
        case .thumbprint(let thumbprint):
            self.init(id: confirmation.keyID, holder: holder, thumbprint: thumbprint, verifying: nil)
        case .encryptedKey, .keySet:
            throw .unreadable
        case nil:
            guard let id = confirmation.keyID, let known else { throw .unknownKey(confirmation.keyID) }
            guard known.id == id else { throw .otherKey(expected: id, found: known.id) }
            self.init(id: id, holder: holder, thumbprint: nil, verifying: known)
        }
    }

    /// A key that is computed with here, or the embedder's for one that is not.
    private static func verifying(_ key: JWK, _ known: VerificationKey?) throws(JWK.Rejection) -> VerificationKey {
        do throws(JWK.Rejection) {
            return try VerificationKey(key)
        } catch .unsupportedType(let type) {
            guard let known else { throw .unsupportedType(type) }
            return known
        }
    }

    /// A public key with the name that the issuer gave it, as the issuer's own records have it.
    public init(_ key: JWK, id: KeyID, of holder: Holder) throws(Rejection) {
        try self.init(JWT.Confirmation(key: key, id: id), of: holder)
    }

    /// The same key with the work done beforehand that every check shares; pays from the second or third proof.
    public func prepared() -> BoundKey {
        BoundKey(id: id, holder: holder, thumbprint: thumbprint, verifying: verifying?.prepared())
    }

    /// Why a token's `cnf` gives no key that a proof could be checked with.
    public enum Rejection: Error, Equatable, Sendable {
        /// The confirmation cannot be read.
        case confirmation(JWT.Rejection)
        /// The key cannot be used.
        case key(JWK.Rejection)
        /// The key is encrypted or elsewhere; it is neither opened nor fetched.
        case unreadable
        /// The token names a key that the receiver does not have.
        case unknownKey(KeyID?)
        /// The key that the receiver has bears another name.
        case otherKey(expected: KeyID?, found: KeyID?)
    }
}

extension BoundKey.Rejection: CustomStringConvertible {
    /// The rule that was broken.
    public var description: String {
        switch self {
        case .confirmation(let rejection): rejection.text
        case .key(let rejection): rejection.text
        case .unreadable: "the confirmation's key is encrypted or elsewhere (\(clause))"
        case .unknownKey: "the key that the confirmation names is not known here (\(clause))"
        case .otherKey: "the key at hand is not the one that the confirmation names (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .confirmation(let rejection): rejection.clause
        case .key(let rejection): rejection.clause
        case .unreadable: "RFC7800-3.1"
        case .unknownKey, .otherKey: "RFC7800-3.4"
        }
    }

    /// What the peer is told: its token is not good here, since nobody can prove its key.
    public var refusal: OAuth2Error { OAuth2Error(.invalidToken, "\(self)") }
}
