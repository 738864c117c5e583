public import JOSE
internal import PureCrypto
public import Wire

extension Statement {
    /// What an OpenID provider says about whoever signed in: made for this client alone, in answer to one request, and
    /// holding now (OIC-8).
    ///
    /// That it came from the provider over TLS does not replace the signature, as OpenID Connect would allow.
    public struct IDToken: Sendable {
        /// Who says it.
        public let issuer: Issuer
        /// The person, by a name that means nothing without the issuer.
        public let subject: Subject
        /// When it was made.
        public let issuedAt: Timestamp
        /// When the person was last asked for proof, where that is told.
        public let authenticated: Timestamp?
        /// How the person was authenticated, in the provider's words, where that is told (`acr`).
        public let contextClass: Authentication.ContextClass?
        /// With what the person was authenticated (`amr`, RFC 8176).
        public let methods: [String]
        /// The session at the provider, where that is told (`sid`).
        public let session: OpenID.SessionID?
        private let checked: Checked

        /// What else is said about the person: carried, and not interpreted.
        public var claims: JSON.Object { checked.others }

        /// What an ID token has to answer.
        public struct Expectation: Sendable {
            /// The client for which it must be made.
            public let client: ClientID
            /// What was kept of the request's nonce.
            public let nonce: OpenID.Imprint
            /// By which algorithms this provider signs; those that ``OpenID/algorithms`` lacks are never taken.
            public let algorithms: [Algorithm]
            /// How long ago the person may have been authenticated at most, where that was asked for.
            public var maximumAge: Duration?
            /// The context classes of which one is needed; any will do where there are none.
            public var contextClasses: [Authentication.ContextClass] = []

            /// Expects an answer to a request of this client.
            public init(for client: ClientID, nonce: OpenID.Imprint, signedBy algorithms: [Algorithm]) {
                self.client = client
                self.nonce = nonce
                self.algorithms = algorithms
            }
        }
    }
}

// MARK: - Checking

extension Statement.IDToken {
    /// Believes an ID token when a key of the provider signed it, and it is the answer that was expected.
    ///
    /// - Parameter keys: the keys that the provider publishes; another's vouch for nothing here (threat 25).
    /// - Parameter accessToken: the token that came with it.
    public init(
        checking received: Statement.Unverified, by keys: [VerificationKey], of provider: Issuer,
        expecting expected: Expectation, with accessToken: AccessToken, at now: Timestamp
    ) throws(TokenRejection) {
        let kind = Statement.Kind.idToken
        let checked = try received.checkedOfProvider(
            as: kind, by: keys, signedBy: expected.algorithms, of: provider, at: now)
        let audience = try checked.soleAudience()
        guard audience.utf8.elementsEqual(expected.client.text.utf8) else {
            throw kind.rejection(.audience(expected: expected.client.text, found: audience))
        }
        if checked.claims.contains("azp") {
            let party = try checked.text("azp")
            guard party.utf8.elementsEqual(expected.client.text.utf8) else {
                throw kind.rejection(.authorizedParty(expected: expected.client.text, found: party))
            }
        }
        guard expected.nonce.isLeft(by: try checked.text("nonce")) else {
            throw kind.rejection(.nonceOfAnotherRequest)
        }
        issuer = provider
        subject = try checked.subjectOfProvider()
        issuedAt = try checked.beginning()
        authenticated = try checked.authentication(within: expected.maximumAge, at: now)
        contextClass = try checked.contextClass(among: expected.contextClasses)
        methods = try checked.methods()
        session = try checked.claims.contains("sid") ? checked.identifier("sid") : nil
        try checked.checkHash(of: accessToken, under: received.signed.header.algorithm)
        self.checked = checked
    }
}

extension Statement.Unverified {
    /// The statement as one that a provider signed lately, with a key that it names among those that are published.
    func checkedOfProvider(
        as kind: Statement.Kind, by keys: [VerificationKey], signedBy algorithms: [Algorithm], of provider: Issuer,
        at now: Timestamp
    ) throws(TokenRejection) -> Statement.Checked {
        guard keyID != nil else { throw kind.rejection(.missingKeyID) }
        var policy = Statement.Policy(maximumLifetime: .zero)
        policy.algorithms = algorithms.filter { OpenID.algorithms.contains($0) }
        let expectation = JWT.Expectation(
            issuer: .unchecked, audience: .unchecked, maximumAge: OpenID.maximumAge, leeway: OpenID.leeway)
        let checked = try checked(
            as: kind, by: .anyOf(keys, policy), acceptsUntyped: true, expectation, at: now)
        try checked.checkIssuer(provider.text)
        return checked
    }
}

// MARK: - Claims

extension Statement.Checked {
    /// Whom it is about: 1 to 255 characters of ASCII (OpenID Connect Core §2).
    func subjectOfProvider() throws(TokenRejection) -> Subject {
        let subject: Subject = try identifier("sub")
        guard subject.text.utf8.count <= 255, subject.text.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw kind.rejection(.subjectForm)
        }
        return subject
    }

    /// When the person was authenticated, which must be told where that may not be long ago.
    fileprivate func authentication(
        within limit: Duration?, at now: Timestamp
    ) throws(TokenRejection) -> Timestamp? {
        guard let value = claims.optional("auth_time") else {
            guard limit == nil else { throw kind.lacks("auth_time") }
            return nil
        }
        guard value.kind == .number, let number = try? value.number() else {
            throw kind.rejection(.token(.wrongType("auth_time", expected: .number, found: value.kind)))
        }
        let time = try wrapping(
            { (error) in kind.rejection(.token(.malformedTime("auth_time", error))) },
            try Timestamp(parsing: number.text))
        guard time <= now + OpenID.leeway else { throw kind.rejection(.authenticatedAhead(time)) }
        if let limit, now - time > limit + OpenID.leeway {
            throw kind.rejection(.authenticatedBefore(time, limit: limit))
        }
        return time
    }

    fileprivate func contextClass(
        among needed: [Authentication.ContextClass]
    ) throws(TokenRejection) -> Authentication.ContextClass? {
        let found: Authentication.ContextClass? = try claims.contains("acr") ? identifier("acr") : nil
        guard needed.isEmpty || found.map({ needed.contains($0) }) == true else {
            throw kind.rejection(.contextClass(accepted: needed.map { $0.text }, found: found?.text))
        }
        return found
    }

    fileprivate func methods() throws(TokenRejection) -> [String] {
        guard let value = claims.optional("amr") else { return [] }
        guard value.kind == .array, let elements = try? value.array() else {
            throw kind.rejection(.token(.wrongType("amr", expected: .array, found: value.kind)))
        }
        var methods: [String] = []
        for element in elements.prefix(Authentication.methodLimit) {
            guard element.kind == .string, let method = try? element.string() else {
                throw kind.rejection(.token(.wrongType("amr", expected: .string, found: element.kind)))
            }
            methods.append(method)
        }
        return methods
    }

    /// Refuses an ID token that goes with another access token: what it says of the token's hash is the left half of
    /// that, by the hash function of its own signature (OpenID Connect Core §3.1.3.6).
    fileprivate func checkHash(of token: AccessToken, under algorithm: Algorithm) throws(TokenRejection) {
        guard claims.contains("at_hash") else { return }
        let bytes = Array(token.secret.utf8)
        let hash: [UInt8] =
            switch algorithm {
            case .es384: [UInt8](SHA384.hash(data: bytes))
            case .es512, .edDSA: [UInt8](SHA512.hash(data: bytes))
            default: [UInt8](SHA256.hash(data: bytes))
            }
        let half = Base64URL.encode(hash.prefix(hash.count / 2))
        guard constantTimeEquals(half.utf8, try text("at_hash").utf8) else {
            throw kind.rejection(.hashOfAnotherToken)
        }
    }
}
