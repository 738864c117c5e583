public import Wire

extension JWS {
    /// Signed content as it was received: well-formed, and nothing more.
    ///
    /// Its headers can be read, in order to find a key; its payload can not.
    public struct Unverified: Sendable {
        /// One signature with its header.
        struct Signature: Sendable {
            let header: Header
            /// What is signed, as the first bytes of this array.
            let input: [UInt8]
            let inputLength: Int
            let value: [UInt8]
        }

        /// The payload, to be handed out by ``Verified`` alone.
        let payload: [UInt8]
        let first: Signature
        /// Signatures after the first, which only JSON serializations have.
        let further: [Signature]
        /// Whether this is one text without white space and without alternatives, as tokens must be.
        let isCompact: Bool
        let policy: Policy

        /// The header of the signature, the first where there are several.
        public var header: Header { first.header }

        /// The headers of all signatures, in their order.
        package var headers: [Header] { [first.header] + further.map { $0.header } }
    }
}

// MARK: - Compact serialization (RFC 7515 §7.1)

extension JWS.Unverified {
    /// Reads the compact serialization, which the bytes must hold completely.
    ///
    /// - Parameter detachedPayload: the payload, where it is kept elsewhere (RFC 7515 appendix F); then its place in
    ///   the text must be empty.
    public init(
        parsing text: some Collection<UInt8>, detachedPayload: [UInt8]? = nil, policy: JWS.Policy = JWS.Policy()
    ) throws(JWS.Rejection) {
        guard text.count <= policy.size else { throw .tooLarge(size: text.count, limit: policy.size) }
        self = try CompactText([UInt8](text)).token(detached: detachedPayload, policy)
    }

    /// Reads the compact serialization, which the string must hold completely.
    ///
    /// - Parameter detachedPayload: the payload, where it is kept elsewhere (RFC 7515 appendix F); then its place in
    ///   the text must be empty.
    public init(parsing text: String, detachedPayload: [UInt8]? = nil, policy: JWS.Policy = JWS.Policy())
        throws(JWS.Rejection)
    {
        try self.init(parsing: text.utf8, detachedPayload: detachedPayload, policy: policy)
    }
}

// MARK: - Looking at what is not verified

extension JWS.Unverified {
    /// The issuer that the payload names, unverified: good for finding that issuer's keys, which then decide whether it
    /// was the truth.
    public var claimedIssuer: Issuer? { claimed("iss").flatMap { try? Issuer(parsing: $0) } }

    /// The name that the payload gives the token (`jti`), unverified: good for looking up in advance what is known of
    /// it, and for nothing else.
    package var claimedID: String? { claimed("jti") }

    /// Whom the payload is about (`sub`), unverified, for the same.
    package var claimedSubject: String? { claimed("sub") }

    private func claimed(_ name: JSON.Name) -> String? {
        guard let claims = try? JSON.Document(parsing: payload, limits: JWS.claimLimits).root.object() else {
            return nil
        }
        return try? claims.optional(name)?.string()
    }

    /// The public key in the header (`jwk`), for protocols in which a token proves the possession of a key that it
    /// brings along (RFC 9449).
    ///
    /// A signature by it proves that the sender holds that key, and nothing about who the sender is. The policy must
    /// tolerate embedded keys.
    ///
    /// - Parameter known: a key that may well be that.
    package func embeddedKey(knowing known: JWK? = nil) throws(JWK.Rejection) -> JWK? {
        guard let value = first.header.protected?.optional("jwk") else { return nil }
        return try JWK(value, knowing: known)
    }
}
