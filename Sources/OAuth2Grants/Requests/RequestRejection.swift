public import JOSE
public import Wire

/// Why a request is not one that an endpoint can look at: its form, before anybody asks whether it is allowed.
public enum RequestRejection: Error, Equatable, Sendable {
    /// The method is not one of the endpoint's.
    case method(HTTPRequest.Method)
    /// The body is neither a form nor a JSON object by its media type.
    case mediaType(String?)
    /// The body has more bytes than the limit.
    case tooLarge(size: Int, limit: Int)
    /// The body or query is no form.
    case form(Form.Rejection)
    /// The body is no JSON object.
    case json(JSON.Rejection)
    /// A parameter comes more than once.
    case repeated(String)
    /// A parameter that must be there is not, or has no value.
    case missing(String)
    /// A parameter is not of the type that it must have.
    case wrongType(String, found: JSON.Kind)
    /// A parameter is no name of its kind.
    case identifier(String, IdentifierRejection)
    /// A parameter is no secret of its kind.
    case secret(SecretRejection)
    /// The scope is malformed.
    case scope(Scope.Rejection)
    /// A parameter is no safe URL.
    case url(String, WebURL.Rejection)
    /// `req_cnf` holds no public key.
    case confirmation(JWT.Confirmation.Rejection)
    /// `req_cnf` names a key in another way than by the key itself.
    case confirmationWithoutKey
    /// The grant type is not served.
    case grantType(String)
    /// The response type is not `code`.
    case responseType(String)
    /// The challenge method is not `S256` (RFC 9700 §2.1.1).
    case challengeMethod(String?)
    /// The challenge is not one of S256.
    case challenge
    /// The verifier breaks the syntax of RFC 7636 §4.1.
    case verifier
    /// A header field with a credential comes more than once, or is malformed.
    case credential(Authentication.Rejection)
    /// A header field with a credential comes more than once.
    case repeatedField(HTTPField.Name)
    /// The scheme of `Authorization` is not one that is read here.
    case scheme(Authentication.Scheme)
    /// The client authenticates in more than one way (RFC 6749 §2.3).
    case severalCredentials
    /// `client_assertion_type` is missing or unknown (RFC 7521 §4.2).
    case assertionType(String?)
    /// A DPoP proof without the scheme that goes with it, or the other way round.
    case proofWithoutScheme
}

extension RequestRejection {
    /// The clause that states the rule.
    public var clause: String {
        switch self {
        case .method: "RFC6749-3.2"
        case .mediaType: "RFC6749-B"
        case .tooLarge: "threat-14"
        case .form(let rejection): rejection.clause
        case .json(let rejection): rejection.clause
        case .repeated: "threat-37"
        case .missing, .wrongType: "RFC6749-3.1"
        case .identifier(_, let rejection): rejection.clause
        case .secret(let rejection): rejection.clause
        case .scope(let rejection): rejection.clause
        case .url(_, let rejection): rejection.clause
        case .confirmation(let rejection): rejection.clause
        case .confirmationWithoutKey: "RFC7800-3.2"
        case .grantType: "RFC6749-5.2"
        case .responseType: "RFC6749-3.1.1"
        case .challengeMethod: "RFC7636-4.3"
        case .challenge: "RFC7636-4.2"
        case .verifier: "RFC7636-4.1"
        case .credential(let rejection): rejection.clause
        case .repeatedField, .severalCredentials: "threat-37"
        case .scheme: "RFC6749-2.3"
        case .assertionType: "RFC7521-4.2"
        case .proofWithoutScheme: "RFC9449-7.1"
        }
    }

    /// What the peer is told.
    public var refusal: OAuth2Error {
        let code: OAuth2Error.Code =
            switch self {
            case .grantType: .unsupportedGrantType
            case .responseType: .unsupportedResponseType
            case .scope: .invalidScope
            case .url("resource", _): .invalidTarget
            case .scheme, .credential, .assertionType: .invalidClient
            case .method, .mediaType, .tooLarge, .form, .json, .repeated, .missing, .wrongType, .identifier, .secret, .url, .confirmation,
                .confirmationWithoutKey, .challengeMethod, .challenge, .verifier, .repeatedField, .severalCredentials,
                .proofWithoutScheme:
                .invalidRequest
            }
        return OAuth2Error(code, description)
    }
}

extension RequestRejection: CustomStringConvertible {
    /// The rule that was broken, with what was expected and found, and no value of a parameter that may be a secret.
    public var description: String {
        switch self {
        case .method(let method): "the method \(method.text) is not one of this endpoint's"
        case .mediaType(let found): "the body must be a form or JSON, not '\(found ?? "of an unknown type")'"
        case .tooLarge(let size, let limit): "the body has \(size) bytes, at most \(limit) are read"
        case .form(let rejection): "the parameters: \(rejection)"
        case .json(let rejection): "the body: \(rejection)"
        case .repeated(let name): "the parameter '\(name)' comes more than once"
        case .missing(let name): "the parameter '\(name)' is missing"
        case .wrongType(let name, let found): "the parameter '\(name)' is a JSON \(found)"
        case .identifier(let name, let rejection): "the parameter '\(name)': \(rejection)"
        case .secret(let rejection): rejection.description
        case .scope(let rejection): rejection.description
        case .url(let name, let rejection): "the parameter '\(name)': \(rejection)"
        case .confirmation(let rejection): "the parameter 'req_cnf': \(rejection)"
        case .confirmationWithoutKey: "the parameter 'req_cnf' must carry the public key as 'jwk'"
        case .grantType(let found): "the grant type '\(found)' is not served here"
        case .responseType(let found): "the response type must be 'code', not '\(found)'"
        case .challengeMethod(let found): "the challenge method must be 'S256', not '\(found ?? "plain")'"
        case .challenge: "the code challenge must be 43 characters of Base64url"
        case .verifier: "the code verifier must be 43 to 128 letters, digits or '-._~'"
        case .credential(let rejection): "the header field with the credential: \(rejection)"
        case .repeatedField(let name): "the header field '\(name)' comes more than once"
        case .scheme(let scheme): "the authentication scheme '\(scheme)' is not read here"
        case .severalCredentials: "the client authenticates in more than one way"
        case .assertionType(let found):
            "the client assertion type must be '\(ClientCredential.assertionType)', not '\(found ?? "absent")'"
        case .proofWithoutScheme: "a DPoP proof and the scheme 'DPoP' go together"
        }
    }
}
