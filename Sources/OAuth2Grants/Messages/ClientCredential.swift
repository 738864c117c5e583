public import Wire

/// With what a requester says who it is, unverified: the request carries at most one of these (RFC 6749 §2.3).
public enum ClientCredential: Equatable, Sendable {
    /// Nothing.
    case none
    /// A signed statement about the client, as a parameter (RFC 7523 §2.2).
    case assertion(Assertion)
    /// `Authorization: Bearer`: a token that was issued, or a request token made from one.
    case bearer(AccessToken)
    /// `Authorization: DPoP` with the proof that goes with it (RFC 9449 §7.1).
    case proven(AccessToken, proof: Assertion)
    /// A name and a password of the client, in the header or as parameters (RFC 6749 §2.3.1): read so that it can be
    /// refused for what it is.
    case password(ClientID, Secret.Password)

    /// The one type of client assertions that is known here (RFC 7523 §2.2).
    public static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
}

// MARK: - Reading

extension ClientCredential {
    /// What stands in the header of a request; where parameters carry none, that is all there is.
    public init(headerOf request: HTTP.Request) throws(ParameterRejection) {
        let proof = try Self.proof(of: request)
        self = try Self.authorization(of: request, proof)
        // A token that comes with a proof is not good for whoever bears it (RFC 9449 §7.1).
        if case .bearer = self, proof != nil { throw .proofWithoutScheme }
    }

    /// What stands in the header of a request, or among its parameters.
    init(of request: HTTP.Request, _ parameters: Parameters) throws(ParameterRejection) {
        try self.init(beside: try ClientCredential(headerOf: request), of: request, parameters)
    }

    /// What stands in the header of a request to a token endpoint or among its parameters, and the proof of the key
    /// that the token is to be bound to, which goes with any credential there (RFC 9449 §5).
    static func binding(
        of request: HTTP.Request, _ parameters: Parameters
    ) throws(ParameterRejection) -> (credential: ClientCredential, proof: Assertion?) {
        let proof = try proof(of: request)
        let header = try authorization(of: request, proof)
        let credential = try ClientCredential(beside: header, of: request, parameters)
        if case .proven = credential { return (credential, nil) }
        return (credential, proof)
    }

    private static func authorization(of request: HTTP.Request, _ proof: Assertion?) throws(ParameterRejection)
        -> ClientCredential
    {
        guard let text = try field(.authorization, of: request) else { return .none }
        let credentials = try wrapping(
            ParameterRejection.credential, try HTTP.Authentication(parsing: text))
        switch credentials.scheme {
        case .bearer: return .bearer(try token(credentials))
        case .dpop:
            guard let proof else { throw .proofWithoutScheme }
            return .proven(try token(credentials), proof: proof)
        case .basic: return try basic(credentials)
        default: throw .scheme
        }
    }

    private init(beside header: ClientCredential, of request: HTTP.Request, _ parameters: Parameters)
        throws(ParameterRejection)
    {
        let type = try parameters.text("client_assertion_type")
        let assertion: Assertion? = try parameters.secret("client_assertion")
        let password: Secret.Password? = try parameters.secret("client_secret")
        let client: ClientID? = try parameters.identifier("client_id")
        let isAmongParameters = assertion != nil || password != nil || type != nil
        guard header == .none || !isAmongParameters, assertion == nil || password == nil else {
            throw .severalCredentials
        }
        if let client, case .password(let other, _) = header, client != other { throw .severalCredentials }
        guard request.method != .get || !isAmongParameters else { throw .credentialInQuery }
        if let password {
            guard let client else { throw .missing("client_id") }
            self = .password(client, password)
        } else if isAmongParameters {
            guard let type, type.utf8.elementsEqual(Self.assertionType.utf8) else { throw .assertionType }
            guard let assertion else { throw .missing("client_assertion") }
            self = .assertion(assertion)
        } else {
            self = header
        }
    }

    private static func proof(of request: HTTP.Request) throws(ParameterRejection) -> Assertion? {
        guard let text = try field(.dpop, of: request) else { return nil }
        return try wrapping(ParameterRejection.secret, try Assertion(parsing: text))
    }

    private static func field(_ name: HTTP.Field.Name, of request: HTTP.Request) throws(ParameterRejection) -> String? {
        switch request.fields.value(of: name) {
        case .absent: nil
        case .once(let text): text
        case .repeated: throw .repeatedField(name)
        }
    }

    private static func token(_ credentials: HTTP.Authentication) throws(ParameterRejection) -> AccessToken {
        guard let token = credentials.token else { throw .credential(.empty(.token)) }
        return try wrapping(ParameterRejection.secret, try AccessToken(parsing: token))
    }

    /// Name and password, each form-encoded before they are joined (RFC 6749 §2.3.1).
    private static func basic(_ credentials: HTTP.Authentication) throws(ParameterRejection)
        -> ClientCredential
    {
        guard let token = credentials.token, let decoded = try? Base64.decode(token) else {
            throw .credential(.malformed(.authentication, offset: 0))
        }
        guard let colon = decoded.firstIndex(of: UInt8(ascii: ":")) else {
            throw .credential(.malformed(.authentication, offset: decoded.count))
        }
        // What is form-encoded has no ampersand; of what has one, a part must not pass for the whole.
        if let offset = decoded.firstIndex(of: UInt8(ascii: "&")) {
            throw .credential(.malformed(.authentication, offset: offset))
        }
        func text(_ bytes: ArraySlice<UInt8>) throws(ParameterRejection) -> String {
            try wrapping(ParameterRejection.form, try HTTP.Form(parsing: [UInt8(ascii: "=")] + bytes)).pairs.first?
                .value
                ?? ""
        }
        let name = try text(decoded[..<colon])
        let client = try wrapping(
            { (error) in ParameterRejection.identifier("client_id", error) }, try ClientID(parsing: name))
        let secret = try text(decoded[(colon + 1)...])
        return .password(client, try wrapping(ParameterRejection.secret, try Secret.Password(parsing: secret)))
    }
}

// MARK: - Writing

extension ClientCredential {
    /// The parameters that carry it.
    var parameters: [HTTP.Form.Pair] {
        switch self {
        case .none, .bearer, .proven: []
        case .assertion(let assertion):
            [
                HTTP.Form.Pair("client_assertion_type", Self.assertionType),
                HTTP.Form.Pair("client_assertion", assertion.secret),
            ]
        case .password(let client, let password):
            [HTTP.Form.Pair("client_id", client.text), HTTP.Form.Pair("client_secret", password.secret)]
        }
    }

    /// The client that its parameters name.
    var client: ClientID? {
        if case .password(let client, _) = self { client } else { nil }
    }

    /// The header fields that carry it; a token with characters that no header can carry is refused.
    func fields() throws(SyntaxError) -> [(HTTP.Field.Name, String)] {
        switch self {
        case .none, .assertion, .password: []
        case .bearer(let token):
            [(.authorization, try HTTP.Authentication(.bearer, token: token.secret).text)]
        case .proven(let token, let proof):
            [
                (.authorization, try HTTP.Authentication(.dpop, token: token.secret).text),
                (.dpop, proof.secret),
            ]
        }
    }
}
