public import JOSE
public import Wire

/// What a server says about itself: the one description from which its metadata as an authorization server (RFC 8414)
/// and as a protected resource (RFC 9728) are made, so that the two never disagree.
public struct ServerDescription: Sendable, Hashable {
    /// Its issuer identifier.
    public let issuer: Issuer
    /// The same as a URL, under which its metadata lie.
    public let base: WebURL
    /// Its endpoints by the names that RFC 8414 and the profile give them.
    public var endpoints: [Endpoint: WebURL]
    /// The grants that it serves.
    public var grants: [TokenRequest.GrantType]
    /// The words of its scopes that it tells everybody.
    public var scopes: Scope
    /// The algorithms of client assertions that its token endpoint accepts, where a client's keys are for them; none,
    /// if clients do not authenticate there.
    public var algorithms: [Algorithm]
    /// The algorithms of proofs that it accepts (RFC 9449 §5.1).
    public var proofAlgorithms: [Algorithm]
    /// What sign-ins may amount to (`acr_values_supported`, RFC 9470 §7), the strongest first.
    public var contextClasses: [Authentication.ContextClass] = []

    /// An endpoint, by the member of the metadata that tells its URL.
    public enum Endpoint: String, Sendable, Hashable, CaseIterable {
        /// RFC 8414 §2.
        case authorization = "authorization_endpoint"
        /// OAuth 2.0 for First-Party Applications §4.1.
        case authorizationChallenge = "authorization_challenge_endpoint"
        /// RFC 8414 §2.
        case token = "token_endpoint"
        /// RFC 8414 §2.
        case keys = "jwks_uri"
        /// RFC 8414 §2.
        case revocation = "revocation_endpoint"
        /// RFC 8414 §2.
        case introspection = "introspection_endpoint"
        /// Global Token Revocation §5.
        case globalRevocation = "global_token_revocation_endpoint"
        /// OpenID Connect Discovery §3.
        case userinfo = "userinfo_endpoint"
        /// The services that a user has used (3).
        case usage = "eduid_usage_endpoint"
        /// The protocol discovery (3b).
        case discovery = "eduid_discovery_endpoint"
        /// A user's instances (10).
        case instances = "eduid_instances_endpoint"
        /// The services where something of a user's lives (10).
        case services = "eduid_services_endpoint"
        /// What apps were given at a service (10).
        case apps = "eduid_apps_endpoint"
        /// Where administrators find their lists (10).
        case administration = "eduid_administration_endpoint"
    }

    /// Describes the server of an issuer identifier.
    public init(
        _ issuer: Issuer, endpoints: [Endpoint: WebURL] = [:], grants: [TokenRequest.GrantType] = [],
        scopes: Scope = Scope(),
        algorithms: [Algorithm] = Algorithm.ofKeyPairs, proofAlgorithms: [Algorithm] = Algorithm.ofHolders
    ) throws(ParameterRejection) {
        base = try wrapping({ (error) in ParameterRejection.url("issuer", error) }, try WebURL(parsing: issuer.text))
        guard base.query == nil, base.fragment == nil, base.isSecure else { throw .issuerIdentifier(issuer.text) }
        self.issuer = issuer
        self.endpoints = endpoints
        self.grants = grants
        self.scopes = scopes
        self.algorithms = algorithms
        self.proofAlgorithms = proofAlgorithms
    }
}

// MARK: - Where metadata lie

extension ServerDescription {
    /// The two documents that lie at well-known places.
    public enum Document: String, Sendable {
        /// RFC 8414 §3.
        case authorizationServer = "oauth-authorization-server"
        /// RFC 9728 §3.
        case protectedResource = "oauth-protected-resource"
    }

    /// Where a document lies: between the host and the path of the issuer identifier, which loses the slash at its end
    /// (RFC 8414 §3.1); that of a resource loses it only where it is all of the path (RFC 9728 §3.1).
    public func location(of document: Document) -> WebURL {
        let losesSlash = document == .authorizationServer || base.path.utf8.elementsEqual("/".utf8)
        let path = losesSlash && base.path.utf8.last == UInt8(ascii: "/") ? String(base.path.dropLast()) : base.path
        // Origin, fixed words and the path of a URL make a URL.
        return (try? WebURL(parsing: base.origin.text + "/.well-known/" + document.rawValue + path)) ?? base
    }
}

// MARK: - Writing

extension ServerDescription {
    /// The metadata as an authorization server (RFC 8414 §2); public, and good for a while.
    public func authorizationServerMetadata() -> HTTP.Response {
        document { object in
            object.member("issuer", issuer.text)
            for endpoint in Endpoint.allCases {
                if let url = endpoints[endpoint] { object.member(JSON.Name(endpoint.rawValue), url.text) }
            }
            if !scopes.isEmpty { object.member("scopes_supported", scopes.tokens.map { $0.text }) }
            object.member("response_types_supported", endpoints[.authorization] == nil ? [] : [ResponseType.code])
            object.member("grant_types_supported", grants.map { $0.rawValue })
            // Left out it would mean a password in the header (RFC 8414 §2).
            object.member(
                "token_endpoint_auth_methods_supported", [algorithms.isEmpty ? "none" : "private_key_jwt"])
            if !algorithms.isEmpty {
                object.member("token_endpoint_auth_signing_alg_values_supported", algorithms.map { $0.name.text })
            }
            if endpoints[.globalRevocation] != nil {
                object.member("global_token_revocation_endpoint_auth_methods_supported", ["private_key_jwt"])
            }
            object.member("code_challenge_methods_supported", [ChallengeRequest.CodeChallenge.method])
            object.member("dpop_signing_alg_values_supported", proofAlgorithms.map { $0.name.text })
            object.member("authorization_response_iss_parameter_supported", endpoints[.authorization] != nil)
            if !contextClasses.isEmpty { object.member("acr_values_supported", contextClasses.map { $0.text }) }
        }
    }

    /// The metadata as a protected resource whose tokens these servers give (RFC 9728 §2); public, and good for a
    /// while.
    public func protectedResourceMetadata(authorizedBy servers: [Issuer]) -> HTTP.Response {
        document { object in
            object.member("resource", issuer.text)
            object.member("authorization_servers", servers.map { $0.text })
            object.member("jwks_uri", ifPresent: endpoints[.keys]?.text)
            if !scopes.isEmpty { object.member("scopes_supported", scopes.tokens.map { $0.text }) }
            object.member("bearer_methods_supported", ["header"])
            object.member("dpop_signing_alg_values_supported", proofAlgorithms.map { $0.name.text })
        }
    }

    private func document(_ members: (inout JSON.ObjectWriter) -> Void) -> HTTP.Response {
        var fields = HTTP.Fields()
        fields.add(.contentType, HTTP.MediaType.json.text)
        fields.add(.cacheControl, "max-age=3600")
        return HTTP.Response(.ok, fields: fields, body: JSON.encodedObject(.compact, members))
    }
}

// MARK: - Reading

extension ServerDescription {
    /// Reads metadata of an authorization server, which must be those of the issuer that was asked (RFC 8414 §3.3).
    ///
    /// Members that are not known here are ignored, as are grants and algorithms.
    public init(authorizationServer issuer: Issuer, parsing response: HTTP.Response) throws(ParameterRejection) {
        let members = try Parameters(answer: response)
        try members.checkIssuer("issuer", issuer)
        try self.init(issuer, scopes: try members.scopes())
        for endpoint in Endpoint.allCases { endpoints[endpoint] = try members.endpoint(endpoint.rawValue) }
        let names = try members.texts("grant_types_supported") ?? ["authorization_code"]
        grants = TokenRequest.GrantType.allCases.filter { grant in
            names.contains { TokenRequest.GrantType($0) == grant }
        }
        algorithms = try members.algorithms("token_endpoint_auth_signing_alg_values_supported")
        proofAlgorithms = try members.algorithms("dpop_signing_alg_values_supported")
        contextClasses = (try members.texts("acr_values_supported") ?? []).compactMap {
            try? Authentication.ContextClass(parsing: $0)
        }
    }

    /// Reads metadata of a protected resource, which must be those of the resource that was asked (RFC 9728 §3.3), and
    /// who gives its tokens.
    public static func protectedResource(
        _ resource: Issuer, parsing response: HTTP.Response
    ) throws(ParameterRejection) -> (description: ServerDescription, authorizedBy: [Issuer]) {
        let members = try Parameters(answer: response)
        try members.checkIssuer("resource", resource)
        var read = try ServerDescription(resource, scopes: try members.scopes(), algorithms: [])
        read.endpoints[.keys] = try members.endpoint("jwks_uri")
        read.proofAlgorithms = try members.algorithms("dpop_signing_alg_values_supported")
        var servers: [Issuer] = []
        for name in try members.texts("authorization_servers") ?? [] {
            servers.append(
                try wrapping(
                    { (error) in ParameterRejection.identifier("authorization_servers", error) },
                    try Issuer(parsing: name)))
        }
        return (read, servers)
    }
}

extension Parameters {
    fileprivate func algorithms(_ name: String) throws(ParameterRejection) -> [Algorithm] {
        (try texts(name) ?? []).compactMap { Algorithm($0) }
    }

    fileprivate func scopes() throws(ParameterRejection) -> Scope {
        var tokens: [Scope.Token] = []
        for word in try texts("scopes_supported") ?? [] { tokens.append(try Scope.Token(parsing: word)) }
        return Scope(tokens)
    }
}
