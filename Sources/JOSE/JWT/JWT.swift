public import Wire

extension JWT {
    /// Why a token is not believed, whichever step refused it.
    public typealias Rejection = JWS.Rejection

    /// A kind of token, told apart by its `typ` header so that none is taken for another (RFC 8725 §3.11).
    public struct Kind: Sendable {
        /// The type that tokens of this kind name; `nil` if any token is meant.
        package let type: JWS.ContentType?
        /// Whether a token that names no type, or just `JWT`, may be of this kind.
        public var acceptsUntyped: Bool
        /// Claims without which a token is not of this kind.
        package var requiredClaims: [JSON.Name]

        /// A kind of token with a type of its own.
        public init(_ type: JWS.ContentType, acceptsUntyped: Bool = false, requiring requiredClaims: [JSON.Name] = []) {
            self.type = type
            self.acceptsUntyped = acceptsUntyped
            self.requiredClaims = requiredClaims
        }

        private init(anyRequiring requiredClaims: [JSON.Name]) {
            type = nil
            acceptsUntyped = true
            self.requiredClaims = requiredClaims
        }

        /// A token that names no kind.
        public static let plain = Kind(.jwt, acceptsUntyped: true)
        /// A token of whatever kind.
        ///
        /// Only for those who look at the kind themselves: it gives up the protection against mistaking one for
        /// another.
        public static let any = Kind(anyRequiring: [])
        /// An access token by RFC 9068, which always names its type.
        public static let accessToken = Kind(
            "at+jwt", requiring: ["iss", "sub", "aud", "client_id", "iat", "exp", "jti"])
    }
}
