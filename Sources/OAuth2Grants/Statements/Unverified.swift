public import JOSE
public import Wire

extension Statement {
    /// A signed text as it was received: well-formed, and nothing more.
    ///
    /// It says which key is needed, so that the caller can look that up among the keys it trusts. Only a check with
    /// that key makes a statement of it.
    public struct Unverified: Sendable {
        let signed: JWS.Unverified
        /// The name of the key that the statement claims to be signed with.
        public let keyID: KeyID?

        /// Reads a signed text that was presented as a statement of a kind.
        public init<Presented>(parsing text: Secret.Text<Presented>, as kind: Kind) throws(TokenRejection) {
            try self.init(text.secret, as: kind)
        }

        init(_ text: String, as kind: Kind, policy: JWS.Policy = JWS.Policy()) throws(TokenRejection) {
            signed = try wrapping(
                { (error) in kind.rejection(.token(error)) },
                try JWS.Unverified(parsing: text, policy: policy))
            keyID = signed.header.keyID
        }

        /// The kind that the statement claims to be of.
        public var type: JWS.ContentType? { signed.header.type }

        /// The party that the statement claims to be by: good for finding that party's keys, which then decide whether
        /// it was the truth.
        public var claimedIssuer: Issuer? { signed.claimedIssuer }

        /// The name that the statement claims to have: good for looking up in advance what is known of it, which counts
        /// only once it was the truth.
        public var claimedID: JWT.ID? { signed.claimedID.flatMap { try? JWT.ID(parsing: $0) } }

        /// Whom the statement claims to be about, for the same.
        package var claimedSubject: Subject? { signed.claimedSubject.flatMap { try? Subject(parsing: $0) } }
    }
}

// MARK: - Checking

extension Statement {
    /// The keys that may vouch for a statement.
    enum Keys {
        /// The keys of the party that it must be by.
        case anyOf([VerificationKey], Policy)
        /// This key, with algorithms of the reader's choice or those that it fixes.
        case only(VerificationKey, accepting: [Algorithm]?)
        /// The key that a token is bound to, by the name that the statement gives it.
        case bound(BoundKey, accepting: [Algorithm]?)
    }
}

extension Statement.Unverified {
    /// The statement as one of a kind, when a key vouches for it and it holds now: the one path that all kinds take.
    func checked(
        as kind: Statement.Kind, by keys: Statement.Keys, acceptsUntyped: Bool, _ expectation: JWT.Expectation,
        at now: Timestamp
    ) throws(TokenRejection) -> Statement.Checked {
        var expectation = expectation
        expectation.kind = kind.type
        expectation.kind.acceptsUntyped = kind.type.acceptsUntyped && acceptsUntyped
        let verified = try verified(as: kind, by: keys)
        return Statement.Checked(
            try wrapping(
                { (error) in kind.rejection(.token(error)) },
                try verified.validated(expecting: expectation, at: now)),
            as: kind)
    }

    /// The statement as one of a kind that must expire, under a policy.
    func checked(
        as kind: Statement.Kind, by keys: Statement.Keys, _ policy: Statement.Policy, at now: Timestamp
    ) throws(TokenRejection) -> Statement.Checked {
        try checked(as: kind, by: keys, acceptsUntyped: policy.acceptsUntyped, policy.expectation, at: now)
    }

    /// The statement as one that an issuer made for a server, with one of its keys that the statement names.
    func checked(
        as kind: Statement.Kind, by keys: [VerificationKey], of issuer: Issuer, to addressee: Statement.Addressee,
        _ policy: Statement.Policy, at now: Timestamp
    ) throws(TokenRejection) -> Statement.Checked {
        guard keyID != nil else { throw kind.rejection(.missingKeyID) }
        let checked = try checked(
            as: kind, by: .anyOf(keys, policy), policy, at: now)
        try checked.checkIssuer(issuer.text)
        try checked.checkAudience(addressee)
        return checked
    }

    private func verified(as kind: Statement.Kind, by keys: Statement.Keys) throws(TokenRejection) -> JWS.Verified {
        let key: VerificationKey
        let accepted: [Algorithm]?
        switch keys {
        case .anyOf(let keys, let policy):
            let algorithm = signed.header.algorithm
            guard policy.mayAccept(algorithm) else {
                throw kind.rejection(
                    .token(.algorithmNotAccepted(found: algorithm, accepted: Algorithm.ofKeyPairs)))
            }
            return try wrapping(
                { (error) in kind.rejection(.token(error)) },
                try signed.verified(by: keys, accepting: policy.algorithms))
        case .only(let only, let algorithms): (key, accepted) = (only, algorithms)
        case .bound(let bound, let algorithms):
            guard let keyID else { throw kind.rejection(.missingKeyID) }
            guard keyID == bound.id else { throw kind.rejection(.otherKey(keyID)) }
            guard let verifying = bound.verifying else { throw kind.rejection(.keyUnknown) }
            // Whoever made a symmetric key, or knows a key by its name alone, has chosen its algorithm.
            (key, accepted) = (verifying, bound.thumbprint == nil ? nil : algorithms)
        }
        return try wrapping(
            { (error) in kind.rejection(.token(error)) },
            try signed.verified(by: key, accepting: accepted))
    }
}

extension AccessToken {
    /// Whether the token looks like a JWT: three parts, of which the first is a header with an algorithm.
    ///
    /// Tokens are opaque to everybody but their issuer, and nothing may depend on the answer but how a token is shown
    /// or sorted (NIF-7).
    public var resemblesJWT: Bool {
        let parts = secret.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty, !parts[2].isEmpty,
            let header = try? Base64URL.decode(Array(parts[0])),
            let members = try? JSON.Document(parsing: header).root.object()
        else { return false }
        return members.contains("alg")
    }
}
