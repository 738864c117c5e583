public import JOSE
internal import Wire

extension Statement {
    /// What a reader demands of statements beside what their kind does; each kind has its default.
    public struct Policy: Sendable {
        /// Whether a statement may leave its type out, or name just `JWT`, as deployed clients do; access tokens never
        /// may.
        public var acceptsUntyped = true
        /// The algorithms that are accepted, where the key allows them too; without a list those that the trusted keys
        /// fix (KEY-8, KEY-9).
        ///
        /// An RSA key that names no algorithm is good for those alone that are listed.
        public var algorithms: [Algorithm]?
        /// Whether symmetric keys serve without being listed: those of clients do, and nobody else has any.
        public var acceptsSymmetricKeys = false
        /// How much the issuer's clock may be ahead of the reader's.
        public var leeway: Duration = .seconds(60)
        /// How long after its end a statement is still read: not at all, but for what is to end with it anyway.
        public var expirationLeeway: Duration = .zero
        /// How long a statement may hold at most, from its issue to its end; from now, where it does not say when it
        /// was issued.
        public var maximumLifetime: Duration

        /// Demands what is demanded of every kind, and that statements hold no longer than this.
        public init(maximumLifetime: Duration) { self.maximumLifetime = maximumLifetime }

        /// For assertions with which clients authenticate: an hour, as widespread clients make them.
        public static let clientAssertion: Policy = {
            var policy = Policy(maximumLifetime: .seconds(3_600))
            policy.acceptsSymmetricKeys = true
            return policy
        }()
        /// For service assertions: ten minutes, which is twice as long as ours hold.
        public static let assertionGrant = Policy(maximumLifetime: .seconds(600))
        /// For app codes: ten minutes, the longest that RFC 6749 §4.1.2 recommends for codes.
        public static let appCode = Policy(maximumLifetime: .seconds(600))
        /// For access tokens: a day.
        public static let accessToken = Policy(maximumLifetime: .seconds(86_400))

        /// Whether signatures by an algorithm are looked at, where the key allows it too.
        func mayAccept(_ algorithm: Algorithm) -> Bool {
            algorithms != nil || acceptsSymmetricKeys || !Algorithm.symmetric.contains(algorithm)
        }

        /// What is expected of a statement that must expire, whose issuer and audience are then compared as names of
        /// this module.
        var expectation: JWT.Expectation {
            var expectation = JWT.Expectation(issuer: .unchecked, audience: .unchecked, leeway: leeway)
            expectation.expirationLeeway = expirationLeeway
            return expectation
        }
    }
}
