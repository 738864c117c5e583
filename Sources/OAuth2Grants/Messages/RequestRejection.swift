public import Wire

/// Why a request is not one that an endpoint can look at: its form, before anybody asks whether it is allowed.
public enum RequestRejection: Error, Equatable, Sendable {
    /// The method is not one of the endpoint's.
    case method(HTTP.Request.Method)
    /// The body is neither a form nor a JSON object by its media type.
    case mediaType(String?)
    /// The body or query has more bytes than the limit.
    case tooLarge(size: Int, limit: Int)
    /// A parameter cannot be read.
    case parameter(ParameterRejection)
    /// The grant type is not served.
    case grantType(String)
    /// The response type is not `code`.
    case responseType(String)
    /// A header field with a credential is malformed.
    case credential(SyntaxError)
    /// A header field with a credential comes more than once.
    case repeatedField(HTTP.Field.Name)
    /// The scheme of `Authorization` is not one that is read here.
    ///
    /// Which one it is stays untold: a token that was sent without a scheme stands in its place.
    case scheme
    /// The client authenticates in more than one way (RFC 6749 §2.3).
    case severalCredentials
    /// The client authenticates with parameters in a URL, where logs keep them (RFC 6749 §2.3.1).
    case credentialInQuery
    /// `client_assertion_type` is missing or unknown (RFC 7521 §4.2).
    case assertionType
    /// A DPoP proof without the scheme that goes with it, or the other way round.
    case proofWithoutScheme
}

extension RequestRejection {
    /// What a reading of parameters gives, its rejection as one of the request.
    static func reading<Value>(_ read: () throws(ParameterRejection) -> Value) throws(RequestRejection) -> Value {
        do throws(ParameterRejection) { return try read() } catch { throw .parameter(error) }
    }

    /// The clause that states the rule.
    public var clause: String {
        switch self {
        case .method: "RFC6749-3.2"
        case .mediaType: "RFC6749-B"
        case .tooLarge: "threat-14"
        case .parameter(let rejection): rejection.clause
        case .grantType: "RFC6749-5.2"
        case .responseType: "RFC6749-3.1.1"
        case .credential(let rejection): rejection.clause
        case .repeatedField, .severalCredentials: "threat-37"
        case .scheme: "RFC6749-2.3"
        case .credentialInQuery: "RFC6749-2.3.1"
        case .assertionType: "RFC7521-4.2"
        case .proofWithoutScheme: "RFC9449-7.1"
        }
    }

    /// What the peer is told.
    public var refusal: OAuth2Error {
        let code: OAuth2Error.Code =
            switch self {
            case .parameter(let rejection): rejection.code
            case .grantType: .unsupportedGrantType
            case .responseType: .unsupportedResponseType
            case .scheme, .assertionType: .invalidClient
            case .method, .mediaType, .tooLarge, .credential, .repeatedField, .severalCredentials, .credentialInQuery,
                .proofWithoutScheme:
                .invalidRequest
            }
        return OAuth2Error(code, description)
    }
}

extension RequestRejection: CustomStringConvertible {
    /// The rule that was broken with its clause, what was expected and found, and no value of a parameter that may be a
    /// secret.
    public var description: String {
        switch self {
        case .method(let method): "the method \(Evidence(method.text)) is not one of this endpoint's (\(clause))"
        case .mediaType(let found):
            "the body must be a form or JSON, not '\(Evidence(found ?? "of an unknown type"))' (\(clause))"
        case .tooLarge(let size, let limit): "the parameters have \(size) bytes, at most \(limit) are read (\(clause))"
        case .parameter(let rejection): rejection.description
        case .grantType(let found): "the grant type '\(Evidence(found))' is not served here (\(clause))"
        case .responseType(let found): "the response type must be 'code', not '\(Evidence(found))' (\(clause))"
        case .credential(let rejection): "the header field with the credential: \(rejection)"
        case .repeatedField(let name): "the header field '\(name)' comes more than once (\(clause))"
        case .scheme: "the authentication scheme must be 'Bearer' or 'DPoP' (\(clause))"
        case .severalCredentials: "the client authenticates in more than one way (\(clause))"
        case .credentialInQuery: "the client authenticates with parameters in the URL (\(clause))"
        case .assertionType: "the client assertion type must be '\(ClientCredential.assertionType)' (\(clause))"
        case .proofWithoutScheme: "a DPoP proof and the scheme 'DPoP' go together (\(clause))"
        }
    }
}
