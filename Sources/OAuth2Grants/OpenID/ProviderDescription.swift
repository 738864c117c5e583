public import JOSE
public import Wire

extension OpenID {
    /// What a provider says about itself (OpenID Connect Discovery 1.0 §3), as far as who relies on it has to know.
    public struct ProviderDescription: Sendable, Hashable {
        /// Its issuer identifier.
        public let issuer: Issuer
        /// Where browsers are sent.
        public let authorization: WebURL
        /// Where codes are redeemed.
        public let token: WebURL
        /// Where its keys are published.
        public let keys: WebURL
        /// Where it tells more about whoever signed in.
        public let userinfo: WebURL?
        /// Where requests can be left before a browser is sent (RFC 9126).
        public let pushedRequests: WebURL?
        /// Whether it takes no others.
        public let demandsPushedRequests: Bool
        /// By which algorithms it signs ID tokens, as it says; those that are taken are a matter of configuration.
        public let algorithms: [Algorithm]
        /// How clients may authenticate at its token endpoint, by the registered names.
        public let authenticationMethods: [String]
        /// How it can be asked to authenticate somebody (`acr_values_supported`).
        public let contextClasses: [String]
        /// Whether it names itself in every answer to a browser (RFC 9207), so that one without a name is refused.
        public let promisesIssuer: Bool
        /// Whether it tells when a session ends (Back-Channel Logout 1.0 §2.1).
        public let tellsLogout: Bool

        /// Where a provider's description lies: below its issuer identifier, which loses the slash at its end.
        public static func location(of issuer: Issuer) throws(ParameterRejection) -> WebURL {
            let base = try wrapping(
                { (error) in ParameterRejection.url("issuer", error) }, try WebURL(parsing: issuer.text))
            guard base.query == nil, base.fragment == nil, base.isSecure else {
                throw .issuerIdentifier(issuer.text)
            }
            return try wrapping(
                { (error) in ParameterRejection.url("issuer", error) },
                try base.appending(".well-known/openid-configuration"))
        }
    }
}

extension OpenID.ProviderDescription {
    /// Reads the description of the provider that was asked, which must name itself by the same bytes (OIC-10).
    ///
    /// Members that are not known here are ignored. Endpoints come from here alone, never from a token or a redirect.
    public init(of issuer: Issuer, parsing response: HTTP.Response) throws(ParameterRejection) {
        let members = try Parameters(answer: response)
        try members.checkIssuer("issuer", issuer)
        self.issuer = issuer
        func endpoint(_ name: String) throws(ParameterRejection) -> WebURL {
            try members.required(name, try members.endpoint(name))
        }
        func list(_ name: String) throws(ParameterRejection) -> [String] {
            try members.required(name, try members.texts(name))
        }
        authorization = try endpoint("authorization_endpoint")
        token = try endpoint("token_endpoint")
        keys = try endpoint("jwks_uri")
        userinfo = try members.endpoint("userinfo_endpoint")
        pushedRequests = try members.endpoint("pushed_authorization_request_endpoint")
        demandsPushedRequests = try members.flag("require_pushed_authorization_requests") ?? false
        guard try list("response_types_supported").contains(where: { $0.spells("code") }) else {
            throw .codeNotServed
        }
        _ = try list("subject_types_supported")
        algorithms = try list("id_token_signing_alg_values_supported").compactMap { Algorithm($0) }
        authenticationMethods =
            try members.texts("token_endpoint_auth_methods_supported") ?? ["client_secret_basic"]
        contextClasses = try members.texts("acr_values_supported") ?? []
        promisesIssuer = try members.flag("authorization_response_iss_parameter_supported") ?? false
        tellsLogout = try members.flag("backchannel_logout_supported") ?? false
    }
}
