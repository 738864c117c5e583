public import JOSE
public import Wire

/// A request to a token endpoint (RFC 6749 §3.2): what is presented to be given a token for, by whom, and which token
/// is wanted.
///
/// A client makes it with one of the functions that name its interaction, which ask for everything that the profile
/// demands there. A server reads it with `init(parsing:)`, and sees nothing but checked values.
public struct TokenRequest: Equatable, Sendable {
    /// What is presented to be given a token for.
    public let grant: Grant
    /// With what the client says who it is.
    public let credential: ClientCredential
    /// The client's name, where it stands among the parameters or goes with its password.
    public var client: ClientID?
    /// What the token is wanted for.
    public var scope: Scope?
    /// For which service the token is wanted (RFC 8707).
    public var resource: WebURL?
    /// The public key that the token is to be bound to (`req_cnf`).
    public var key: JWK?
    /// The proof of the key that the token is to be bound to, by RFC 9449 §5.
    public var proof: Assertion?
    /// Where the client was called back with the code, if a browser brought it (RFC 6749 §4.1.3, OIC-13).
    public var callback: CallbackAddress?
    /// The proof of an instance that upgrades (REG-5): a request token by its own key.
    public var instanceAssertion: Assertion?

    /// What is presented to be given a token for.
    public enum Grant: Equatable, Sendable {
        /// The client's own authority; here it serves registration and nothing else (REG-9).
        case clientCredentials
        /// A code that this server gave out, with the secret that only its asker has.
        ///
        /// Without a verifier it is read, because deployed clients send it so, and met by no challenge.
        case code(Secret.AuthorizationCode, verifier: Secret.CodeVerifier?)
        /// A code that the client signed itself: the app code of interaction (8).
        case signedCode(Assertion)
        /// A statement by somebody whom the server trusts (RFC 7523 §2.1): the service assertion of interaction (5).
        case assertion(Assertion)
        /// A token that renews a grant (RFC 6749 §6).
        case refresh(RefreshToken)
        /// What a user typed (RFC 6749 §4.3), which RFC 9700 §2.4 forbids; deployed clients send it.
        case password(UserName, Secret.Password)
    }

    /// The name of a grant (`grant_type`, RFC 6749 §4).
    public enum GrantType: String, Sendable, CaseIterable {
        /// To register instances, and for nothing else (REG-9).
        case clientCredentials = "client_credentials"
        /// Codes of the server and of its clients.
        case authorizationCode = "authorization_code"
        /// Service assertions.
        case jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
        /// Renewal.
        case refreshToken = "refresh_token"
        /// Users' passwords, for deployed clients.
        case password = "password"

        /// How S0 prints the name of RFC 7523, and deployed clients send it: read, never written.
        private static let printedJWTBearer = "urn:ietf:param:oauth:grant-type:jwt-bearer"

        init?(_ text: String) {
            let isPrinted = text.spells(Self.printedJWTBearer)
            let found = isPrinted ? .jwtBearer : Self.allCases.first { $0.rawValue.spells(text) }
            guard let found else { return nil }
            self = found
        }
    }

    private init(_ grant: Grant, _ credential: ClientCredential) {
        self.grant = grant
        self.credential = credential
        client = credential.client
    }
}

// MARK: - For clients

extension TokenRequest {
    /// Registers an app instance (1), with the version key's statement about it.
    public static func registration(_ assertion: Assertion) -> TokenRequest {
        TokenRequest(.clientCredentials, .assertion(assertion))
    }

    /// Registers an app instance on a newer version (REG-5), which it proves with its own key beside the version key's
    /// statement.
    public static func upgrade(_ assertion: Assertion, of instance: Assertion) -> TokenRequest {
        var request = TokenRequest(.clientCredentials, .assertion(assertion))
        request.instanceAssertion = instance
        return request
    }

    /// Tells changes of the device (REG-6): the instance's request token, whose claims they are, is all that the server
    /// needs.
    public static func change(_ requestToken: AccessToken) -> TokenRequest {
        TokenRequest(.clientCredentials, .bearer(requestToken))
    }

    /// Redeems a code (2) with the secret whose challenge went ahead of it.
    ///
    /// - Parameter callback: where a browser brought it, if one did.
    public static func code(
        _ code: Secret.AuthorizationCode, verifier: Secret.CodeVerifier, calledBackAt callback: CallbackAddress? = nil,
        credential: ClientCredential
    ) -> TokenRequest {
        var request = TokenRequest(.code(code, verifier: verifier), credential)
        request.callback = callback
        return request
    }

    /// Redeems a service assertion (5), with a proof of the key that it names.
    public static func assertion(_ assertion: Assertion, credential: ClientCredential) -> TokenRequest {
        TokenRequest(.assertion(assertion), credential)
    }

    /// Asks for a third-party app's token (8): a code that the instance signed, for endpoints, bound to the app's key
    /// where it has one.
    public static func app(_ code: Assertion, scope: Scope, key: JWK?, credential: ClientCredential) -> TokenRequest {
        var request = TokenRequest(.signedCode(code), credential)
        request.scope = scope
        request.key = key
        return request
    }

    /// Renews a grant, for the same scope or less.
    public static func refresh(_ token: RefreshToken, scope: Scope? = nil, credential: ClientCredential) -> TokenRequest
    {
        var request = TokenRequest(.refresh(token), credential)
        request.scope = scope
        return request
    }

    /// The request to the endpoint at a URL; a token with characters that no header field can carry is refused.
    public func encoded(to endpoint: WebURL) throws(SyntaxError) -> HTTP.Request {
        var pairs = [HTTP.Form.Pair("grant_type", grant.type.rawValue)]
        switch grant {
        case .clientCredentials: break
        case .code(let code, let verifier):
            pairs.append(HTTP.Form.Pair("code", code.secret))
            if let verifier { pairs.append(HTTP.Form.Pair("code_verifier", verifier.secret)) }
        case .signedCode(let code): pairs.append(HTTP.Form.Pair("code", code.secret))
        case .assertion(let assertion): pairs.append(HTTP.Form.Pair("assertion", assertion.secret))
        case .refresh(let token): pairs.append(HTTP.Form.Pair("refresh_token", token.secret))
        case .password(let name, let password):
            pairs += [HTTP.Form.Pair("username", name.text), HTTP.Form.Pair("password", password.secret)]
        }
        if let scope, !scope.isEmpty { pairs.append(HTTP.Form.Pair("scope", scope.text)) }
        if let resource { pairs.append(HTTP.Form.Pair("resource", resource.text)) }
        if let callback { pairs.append(HTTP.Form.Pair("redirect_uri", callback.text)) }
        if let key { pairs.append(HTTP.Form.Pair("req_cnf", key.requestedConfirmation)) }
        if let instanceAssertion { pairs.append(HTTP.Form.Pair("instance_assertion", instanceAssertion.secret)) }
        return try HTTP.Request(form: pairs, client: client, to: endpoint, credential, proof: proof)
    }
}

extension JWK {
    /// The value of `req_cnf`.
    var requestedConfirmation: String {
        String(decoding: JSON.encodedObject { $0.member("jwk", self) }, as: UTF8.self)
    }
}

// MARK: - For servers

extension TokenRequest {
    /// Reads a request.
    public init(parsing request: HTTP.Request) throws(ParameterRejection) {
        let parameters = try Parameters(bodyOf: request)
        let name = try parameters.required("grant_type", try parameters.text("grant_type"))
        guard let type = GrantType(name) else { throw .grantType(name) }
        let (credential, proof) = try ClientCredential.binding(of: request, parameters)
        self.init(try Grant(type, parameters), credential)
        if let client: ClientID = try parameters.identifier("client_id") { self.client = client }
        scope = try parameters.scope()
        resource = try parameters.url("resource", try parameters.text("resource"))
        key = try parameters.requestedKey()
        instanceAssertion = try parameters.secret("instance_assertion")
        // An address that nobody can be called back at is not the one to which a code was sent.
        callback = try parameters.text("redirect_uri").flatMap { try? CallbackAddress(parsing: $0) }
        self.proof = proof
    }
}

extension TokenRequest {
    /// How a token endpoint answers: it gives, or it refuses in words that the registry knows.
    ///
    /// Whoever asks has to look at both.
    public enum Outcome: Sendable {
        /// The tokens.
        case granted(TokenResponse)
        /// Why there are none.
        case refused(OAuth2Error)

        /// The answer.
        public func encoded() -> HTTP.Response {
            switch self {
            case .granted(let response): response.encoded()
            case .refused(let error): error.response()
            }
        }

        /// Reads an answer; one that is neither is a rejection, and says nothing about the grant.
        ///
        /// A server that blames itself for the moment has not refused: that is a rejection too.
        public init(parsing response: HTTP.Response) throws(ParameterRejection) {
            if let error = try OAuth2Error.refusal(in: response) {
                self = .refused(error)
            } else {
                self = .granted(try TokenResponse(parsing: response))
            }
        }
    }
}

extension TokenRequest.Grant {
    init(_ type: TokenRequest.GrantType, _ parameters: Parameters) throws(ParameterRejection) {
        switch type {
        case .clientCredentials: self = .clientCredentials
        case .authorizationCode:
            let code: Secret.AuthorizationCode = try parameters.required("code", try parameters.secret("code"))
            let verifier = try parameters.verifier()
            // What this server gives out has at most one dot in it and demands a verifier; what a client signs has two,
            // and needs none.
            if verifier == nil, let assertion = Assertion(compact: code.secret) {
                self = .signedCode(assertion)
            } else {
                self = .code(code, verifier: verifier)
            }
        case .jwtBearer: self = .assertion(try parameters.required("assertion", try parameters.secret("assertion")))
        case .refreshToken:
            self = .refresh(try parameters.required("refresh_token", try parameters.secret("refresh_token")))
        case .password:
            self = .password(
                try parameters.required("username", try parameters.identifier("username")),
                try parameters.required("password", try parameters.secret("password")))
        }
    }

    var type: TokenRequest.GrantType {
        switch self {
        case .clientCredentials: .clientCredentials
        case .code, .signedCode: .authorizationCode
        case .assertion: .jwtBearer
        case .refresh: .refreshToken
        case .password: .password
        }
    }
}

extension Assertion {
    /// The assertion of a text that looks like a signed one: three parts of Base64url, apart by dots.
    ///
    /// The look decides about nothing but how the text is read; whether it is one, its check says.
    init?(compact text: String) {
        guard text.looksSigned, let assertion = try? Assertion(parsing: text) else { return nil }
        self = assertion
    }
}

extension String {
    /// Whether the text has the form of a JWS in compact serialization.
    var looksSigned: Bool {
        var dots = 0
        var length = 0
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "."):
                guard length > 0 else { return false }
                dots += 1
                length = 0
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                length += 1
            default: return false
            }
        }
        return dots == 2 && length > 0
    }
}
