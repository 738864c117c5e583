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
    public var grants: [Grant]
    /// The words of its scopes that it tells everybody.
    public var scopes: Scope
    /// The algorithms of client assertions that it accepts.
    public var algorithms: [Algorithm]

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
        /// OpenID Connect Discovery §3.
        case userinfo = "userinfo_endpoint"
    }

    /// A grant that servers of a federation serve.
    public enum Grant: Sendable, Hashable, CaseIterable {
        /// To register instances, and for nothing else (REG-9).
        case clientCredentials
        /// Codes of the server and of its clients.
        case authorizationCode
        /// Service assertions.
        case jwtBearer
        /// Renewal.
        case refreshToken
        /// Users' passwords, for deployed clients.
        case password

        var type: GrantType {
            switch self {
            case .clientCredentials: .clientCredentials
            case .authorizationCode: .authorizationCode
            case .jwtBearer: .jwtBearer
            case .refreshToken: .refreshToken
            case .password: .password
            }
        }
    }

    /// Why a server cannot be described.
    public enum Rejection: Error, Equatable, Sendable, CustomStringConvertible {
        /// The issuer identifier is no URL under which metadata could lie.
        case issuer(URI.Rejection)
        /// An issuer identifier has neither query nor fragment (RFC 8414 §2).
        case issuerWithQuery
        /// An issuer identifier is an https URL; only at the machine itself may it be another (RFC 8414 §2).
        case insecure

        /// The clause that states the rule.
        public var clause: String {
            switch self {
            case .issuer(let rejection): rejection.clause
            case .issuerWithQuery, .insecure: "RFC8414-2"
            }
        }

        /// The rule that was broken.
        public var description: String {
            switch self {
            case .issuer(let rejection): "the issuer identifier: \(rejection)"
            case .issuerWithQuery: "an issuer identifier with a query or fragment (\(clause))"
            case .insecure: "an issuer identifier without https (\(clause))"
            }
        }
    }

    /// Describes the server of an issuer identifier.
    public init(
        _ issuer: Issuer, endpoints: [Endpoint: WebURL] = [:], grants: [Grant] = [], scopes: Scope = Scope(),
        algorithms: [Algorithm] = [.edDSA, .ed25519]
    ) throws(Rejection) {
        do throws(URI.Rejection) { base = try WebURL(parsing: issuer.text) } catch { throw .issuer(error) }
        guard base.query == nil, base.fragment == nil else { throw .issuerWithQuery }
        guard base.isSecure else { throw .insecure }
        self.issuer = issuer
        self.endpoints = endpoints
        self.grants = grants
        self.scopes = scopes
        self.algorithms = algorithms
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
            object.member("grant_types_supported", grants.map { $0.type.rawValue })
            object.member("token_endpoint_auth_methods_supported", ["private_key_jwt"])
            object.member("token_endpoint_auth_signing_alg_values_supported", algorithms.map { $0.name.text })
            object.member("code_challenge_methods_supported", [CodeChallenge.method])
            object.member("dpop_signing_alg_values_supported", DPoPProof.algorithms)
            object.member("authorization_response_iss_parameter_supported", endpoints[.authorization] != nil)
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
            object.member("dpop_signing_alg_values_supported", DPoPProof.algorithms)
        }
    }

    private func document(_ members: (inout JSON.ObjectWriter) -> Void) -> HTTP.Response {
        var fields = HTTP.Fields()
        fields.add(.contentType, HTTP.MediaType.json.text)
        fields.add(.cacheControl, "max-age=3600")
        return HTTP.Response(.ok, fields: fields, body: JSON.encodedObject(.compact, members))
    }
}

extension DPoPProof {
    /// The algorithms of proofs that are accepted.
    static let algorithms = [Algorithm.edDSA.name.text, Algorithm.ed25519.name.text]
}

// MARK: - Reading

extension ServerDescription {
    /// Reads metadata of an authorization server, which must be those of the issuer that was asked (RFC 8414 §3.3).
    ///
    /// Members that are not known here are ignored, as are grants and algorithms.
    public init(authorizationServer issuer: Issuer, parsing response: HTTP.Response) throws(AnswerRejection) {
        let members = try Parameters(answer: response)
        try members.checkIssuer("issuer", issuer)
        self = try AnswerRejection.reading { () throws(ParameterRejection) in
            var read = try Self.described(issuer)
            for endpoint in Endpoint.allCases {
                read.endpoints[endpoint] = try members.endpoint(endpoint.rawValue)
            }
            let names = try members.texts("grant_types_supported") ?? ["authorization_code"]
            read.grants = Grant.allCases.filter { grant in names.contains { GrantType($0) == grant.type } }
            read.scopes = try members.scopes()
            let algorithms = try members.texts("token_endpoint_auth_signing_alg_values_supported") ?? []
            read.algorithms = algorithms.compactMap { Algorithm($0) }
            return read
        }
    }

    /// Reads metadata of a protected resource, which must be those of the resource that was asked (RFC 9728 §3.3), and
    /// who gives its tokens.
    public static func protectedResource(
        _ resource: Issuer, parsing response: HTTP.Response
    ) throws(AnswerRejection) -> (description: ServerDescription, authorizedBy: [Issuer]) {
        let members = try Parameters(answer: response)
        try members.checkIssuer("resource", resource)
        return try AnswerRejection.reading { () throws(ParameterRejection) in
            var read = try described(resource)
            read.endpoints[.keys] = try members.endpoint("jwks_uri")
            read.scopes = try members.scopes()
            var servers: [Issuer] = []
            for name in try members.texts("authorization_servers") ?? [] {
                do throws(SyntaxError) {
                    servers.append(try Issuer(parsing: name))
                } catch {
                    throw .identifier("authorization_servers", error)
                }
            }
            return (read, servers)
        }
    }

    private static func described(_ issuer: Issuer) throws(ParameterRejection) -> ServerDescription {
        do throws(Rejection) {
            return try ServerDescription(issuer, algorithms: [])
        } catch {
            if case .issuer(let rejection) = error { throw .url("issuer", rejection) }
            throw .wrongType("issuer", found: .string)
        }
    }
}

extension Parameters {
    fileprivate func checkIssuer(_ name: String, _ issuer: Issuer) throws(AnswerRejection) {
        let found = try AnswerRejection.reading { () throws(ParameterRejection) in try text(name) }
        guard let found, found.utf8.elementsEqual(issuer.text.utf8) else {
            throw .issuer(expected: issuer.text, found: found)
        }
    }

    fileprivate func scopes() throws(ParameterRejection) -> Scope {
        var tokens: [Scope.Token] = []
        for word in try texts("scopes_supported") ?? [] {
            do throws(Scope.Rejection) { tokens.append(try Scope.Token(parsing: word)) } catch { throw .scope(error) }
        }
        return Scope(tokens)
    }
}
