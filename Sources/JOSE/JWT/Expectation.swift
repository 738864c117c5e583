public import Wire

extension JWT {
    /// What a reader demands of a token.
    ///
    /// Issuer and audience have no default: whoever does not check them says so.
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
        /// Whom the token must be about, where that is known beforehand.
        public var subject: Subject?
        /// Claims that must be there, beside those that the kind of token and the other expectations demand.
        public var requiredClaims: [JSON.Name] = []
        /// Whether a token must say when it expires.
        public var requiresExpiration = true
        /// How much the issuer's clock may be ahead of the reader's, for `nbf` and `iat`.
        public var leeway: Duration = .seconds(60)
        /// How long a token is still taken after it has expired.
        public var expirationLeeway: Duration = .zero
        /// How long ago a token may have been issued at most; a token that does not say when is then refused.
        public var maximumAge: Duration?

        /// Expects this issuer and this audience, and a token that expires and has not.
        public init(issuer: Issuers, audience: Audiences) {
            self.issuer = issuer
            self.audience = audience
        }
    }
}
