public import JOSE
public import Wire

extension Statement {
    /// The key that a token is bound to, as whoever receives requests with that token knows it (POP-1, RFC 7800).
    ///
    /// A token with a `cnf` has one, and then a proof by exactly this key is required. Making one costs as much as
    /// reading a key; a receiver that keeps it with the token's record, and prepared, checks proofs at little more than
    /// the cost of their signatures.
    public struct BoundKey: Sendable {
        private let contents: Contents

        /// Kept apart, so that a bound key is one word to whatever carries it along with a request.
        private final class Contents: Sendable {
            let id: KeyID?
            let holder: Holder
            let thumbprint: JWK.Thumbprint?
            let publicKey: JWK?
            let verifying: VerificationKey?
            let owner: String

            init(
                _ id: KeyID?, _ holder: Holder, _ thumbprint: JWK.Thumbprint?, _ publicKey: JWK?,
                _ verifying: VerificationKey?
            ) {
                self.id = id
                self.holder = holder
                self.thumbprint = thumbprint
                self.publicKey = publicKey
                self.verifying = verifying
                // Issuers give names to symmetric keys, so a name is one key's.
                owner = thumbprint?.text ?? "kid:" + (id?.text ?? "")
            }
        }

        /// The name that the token's issuer gave the key.
        public var id: KeyID? { contents.id }
        /// Who holds the key: the client, or the third-party app, that makes proofs with it (APP-8).
        public var holder: Holder { contents.holder }
        /// The digest that names the key by what it is; a symmetric key has none that may be told.
        public var thumbprint: JWK.Thumbprint? { contents.thumbprint }
        /// The key as it was read, where it is a public one that is known.
        package var publicKey: JWK? { contents.publicKey }
        /// The key that checks request tokens; where only the digest is known, nothing but a DPoP proof brings the key.
        var verifying: VerificationKey? { contents.verifying }
        /// In whose realm the proofs' names are unique.
        var owner: String { contents.owner }

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

        private init(
            id: KeyID?, holder: Holder, thumbprint: JWK.Thumbprint?, publicKey: JWK? = nil, verifying: VerificationKey?
        ) {
            contents = Contents(id, holder, thumbprint, publicKey, verifying)
        }
    }
}

// MARK: - Making

extension Statement.BoundKey {
    /// The key that a token's `cnf` means.
    ///
    /// - Parameter known: the key by its material, for one that the token only names (`cnf.kid`), and for one that only
    ///   the embedder computes with; it must bear the name that it has in the `cnf`.
    /// - Parameter holders: which keys are bound; it knows those that the embedder computes with.
    public init(
        _ confirmation: JWT.Confirmation, of holder: Holder, known: VerificationKey? = nil,
        among holders: Statement.HolderKeys = .init()
    ) throws(TokenRejection) {
        let kind = Statement.Kind.accessToken
        switch confirmation.representation {
        case .key(var key):
            let id = confirmation.keyID ?? key.id
            key.attributes.id = id
            let thumbprint = try wrapping({ (error) in kind.rejection(.key(error)) }, try key.thumbprint())
            let verifying = try wrapping(
                { (error) in kind.rejection(.key(error)) }, try Self.verifying(key, known, holders))
            guard verifying.id == id else {
                throw kind.rejection(.keyNamedOtherwise(expected: id, found: verifying.id))
            }
            self.init(id: id, holder: holder, thumbprint: thumbprint, publicKey: key, verifying: verifying)
        case .thumbprint(let thumbprint):
            self.init(id: confirmation.keyID, holder: holder, thumbprint: thumbprint, verifying: nil)
        case .encryptedKey, .keySet:
            throw kind.rejection(.keyElsewhere)
        case nil:
            guard let id = confirmation.keyID, let known else { throw kind.rejection(.keyNotHeld(confirmation.keyID)) }
            guard known.id == id else { throw kind.rejection(.keyNamedOtherwise(expected: id, found: known.id)) }
            self.init(id: id, holder: holder, thumbprint: nil, verifying: known)
        }
    }

    /// A key that is computed with here, or the embedder's for one that is not.
    private static func verifying(
        _ key: JWK, _ known: VerificationKey?, _ holders: Statement.HolderKeys
    ) throws(JWK.Rejection) -> VerificationKey {
        do throws(JWK.Rejection) {
            return try holders.verificationKey(for: key)
        } catch .unsupportedType(let type) {
            guard let known else { throw .unsupportedType(type) }
            return known
        }
    }

    /// A public key with the name that the issuer gave it, as the issuer's own records have it.
    public init(
        _ key: JWK, id: KeyID, of holder: Holder, among holders: Statement.HolderKeys = .init()
    ) throws(TokenRejection) {
        try self.init(JWT.Confirmation(key: key, id: id), of: holder, among: holders)
    }

    /// The same key with the work done beforehand that every check shares; pays from the second or third proof.
    public func prepared() -> Self {
        Self(
            id: id, holder: holder, thumbprint: thumbprint, publicKey: publicKey, verifying: verifying?.prepared())
    }

    /// What a token says about the key that it is bound to (`cnf`), in one of three ways.
    public enum Confirmation: Hashable, Sendable {
        /// The holder's public key goes into the token, always with the name that the issuer gave it.
        case key(JWK, id: KeyID)
        /// The issuer made a symmetric key, of which the token bears the name alone.
        case symmetric(KeyID)
        /// The digest of the key goes into the token (RFC 9449 §6.1); proofs bring the key.
        case thumbprint(JWK.Thumbprint)
    }
}

extension Statement.BoundKey.Confirmation: JSON.Writable {
    /// Writes the value of `cnf`.
    public func write(to place: consuming JSON.ValueWriter) {
        switch self {
        case .key(var key, let id):
            // The key bears the issuer's name inside and outside, so that readers who look in one place only agree with
            // all others.
            key.attributes.id = id
            JWT.Confirmation(key: key, id: id).write(to: place)
        case .symmetric(let id): JWT.Confirmation(keyID: id).write(to: place)
        case .thumbprint(let thumbprint): place.object { $0.member("jkt", thumbprint.text) }
        }
    }
}
