public import Wire

extension JWT {
    /// What a reader demands of a token.
    ///
    /// The audience has no default: whoever does not check it, or the issuer, says so.
    public struct Expectation: Sendable {
        /// Who may have issued the token.
        public enum Issuers: Sendable, Equatable {
            /// Exactly this issuer.
            case exactly(Issuer)
            /// One of these issuers; keys that belong to an issuer still vouch for that one alone.
            case oneOf([Issuer])
            /// Whoever owns the key, which must belong to an issuer.
            case ownerOfKey
            /// Anybody who has a key that verifies. For protocols that find the sender in other ways.
            case unchecked
        }

        /// For whom the token must be meant.
        public enum Audiences: Sendable, Equatable {
            /// For this reader alone.
            case only(Audience)
            /// For this reader, by any of these names, alone.
            case onlyOneOf([Audience])
            /// For this reader among others.
            case including(Audience)
            /// For nobody in particular: the token must not name an audience.
            case unnamed
            /// For anybody. For protocols that find out in other ways.
            case unchecked
        }

        /// Who may have issued the token.
        public var issuer: Issuers
        /// For whom the token must be meant.
        public var audience: Audiences
        /// The kind of token.
        public var kind: Kind
        /// The algorithms that are accepted; `nil` for those that the trusted keys fix.
        public var algorithms: [Algorithm]?
        /// Whom the token must be about, where that is known beforehand.
        public var subject: Subject?
        /// Claims that must be there, beside those that the kind of token and the other expectations demand.
        public var requiredClaims: [JSON.Name] = []
        /// Whether a token must say when it expires.
        public var requiresExpiration = true
        /// How much the issuer's clock may be ahead of the reader's, for `nbf` and `iat`.
        public var leeway: Duration
        /// How long a token is still taken after it has expired.
        public var expirationLeeway: Duration = .zero
        /// How long ago a token may have been issued at most; a token that does not say when is then refused.
        public var maximumAge: Duration?

        /// Expects a token for this audience that expires and has not; what is not given takes the strict default.
        public init(
            issuer: Issuers = .ownerOfKey, audience: Audiences, type kind: Kind = .plain,
            maximumAge: Duration? = nil, leeway: Duration = .zero
        ) {
            (self.issuer, self.audience, self.kind) = (issuer, audience, kind)
            (self.maximumAge, self.leeway) = (maximumAge, leeway)
        }
    }
}
