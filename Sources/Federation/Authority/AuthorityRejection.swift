public import JOSE
public import OAuth2Grants
public import Wire

extension Authority {
    /// Why a service cannot sign.
    public enum Rejection: BrokenRule {
        /// The issuer identifier is not a valid URL.
        case issuer(URI.Rejection)
        /// The issuer identifier has a query or fragment, behind which no endpoint can lie (RFC 8414 §2).
        case issuerWithQuery
        /// The issuer identifier is not a valid name of a client.
        case name(SyntaxError)
        /// The key cannot sign.
        case key(JWK.Rejection)
        /// The key has no name, or nothing can be signed with it.
        case issuance(IssuanceRejection)
        /// The key is not a key pair, so that nobody else could check its signatures.
        case noKeyPair

        /// The rule that was broken.
        public var rule: Rule {
            switch self {
            case .issuer(let rejection): Rule(rejection.clause, "the issuer identifier: \(rejection)")
            case .issuerWithQuery: Rule("RFC8414-2", "the issuer identifier has a query or fragment")
            case .name(let rejection): Rule(rejection.clause, "the issuer identifier: \(rejection)")
            case .key(let rejection): Rule(rejection.clause, "the signing key: \(rejection)")
            case .issuance(let rejection): Rule(rejection.clause, "the signing key: \(rejection)")
            case .noKeyPair: Rule("RFC9068-2.1", "the signing key is not a key pair")
            }
        }
    }
}
