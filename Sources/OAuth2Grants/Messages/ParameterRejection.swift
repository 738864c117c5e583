public import JOSE
public import Wire

/// Why the parameters of a message cannot be read: of a request's form or query, or of a response's JSON object.
public enum ParameterRejection: Error, Equatable, Sendable {
    /// The text is no form.
    case form(SyntaxError)
    /// The text is no JSON object.
    case json(JSON.Rejection)
    /// A parameter comes more than once.
    case repeated(String)
    /// A parameter that must be there is not, or has no value.
    case missing(String)
    /// A parameter is not of the type that it must have.
    case wrongType(String, found: JSON.Kind)
    /// A parameter is no name of its kind.
    case identifier(String, SyntaxError)
    /// A parameter is no secret of its kind.
    case secret(SecretRejection)
    /// The scope is malformed.
    case scope(Scope.Rejection)
    /// A parameter is no safe URL.
    case url(String, URI.Rejection)
    /// A URL has a fragment, which neither an endpoint nor a service has (RFC 6749 §3.1, RFC 8707 §2).
    case fragment(String)
    /// A URL to which secrets are to be sent is not https; only at the machine itself may it be another (RFC 6749
    /// §3.2).
    case insecure(String)
    /// A parameter is no whole number of seconds, or a negative one.
    case number(String)
    /// The confirmation names no key.
    case confirmation(String, JWT.Rejection)
    /// The confirmation names a key in another way than by the key itself.
    case confirmationWithoutKey(String)
    /// The key that the issuer made cannot be used.
    case key(JWK.Rejection)
    /// The key that the issuer made has no name to present it by.
    case namelessKey
    /// The challenge method is not `S256`, or is left out, which means another (RFC 9700 §2.1.1).
    case challengeMethod
    /// The challenge is not one of S256.
    case challenge
    /// The verifier breaks the syntax of RFC 7636 §4.1.
    case verifier
    /// The code or the words of an error have characters that none have.
    case error(OAuth2Error.Rejection)
}

extension ParameterRejection {
    /// The clause that states the rule.
    public var clause: String {
        switch self {
        case .form(let rejection): rejection.clause
        case .json(let rejection): rejection.clause
        case .repeated: "threat-37"
        case .missing, .wrongType, .number: "RFC6749-3.1"
        case .identifier(_, let rejection): rejection.clause
        case .secret(let rejection): rejection.clause
        case .scope(let rejection): rejection.clause
        case .url(_, let rejection): rejection.clause
        case .fragment: "RFC8707-2"
        case .insecure: "RFC6749-3.2"
        case .confirmation(_, let rejection): rejection.clause
        case .confirmationWithoutKey: "RFC7800-3.2"
        case .key(let rejection): rejection.clause
        case .namelessKey: "RFC7800-3.4"
        case .challengeMethod: "RFC7636-4.3"
        case .challenge: "RFC7636-4.2"
        case .verifier: "RFC7636-4.1"
        case .error(let rejection): rejection.clause
        }
    }

    /// The code of the error that tells a requester so.
    var code: OAuth2Error.Code {
        switch self {
        case .scope: .invalidScope
        case .url("resource", _), .fragment("resource"): .invalidTarget
        case .form, .json, .repeated, .missing, .wrongType, .identifier, .secret, .url, .fragment, .insecure, .number,
            .confirmation,
            .confirmationWithoutKey, .key, .namelessKey, .challengeMethod, .challenge, .verifier, .error:
            .invalidRequest
        }
    }
}

extension ParameterRejection: CustomStringConvertible {
    /// The rule that was broken with its clause, what was expected and found, and no value of a parameter that may be a
    /// secret.
    public var description: String {
        switch self {
        case .form(let rejection): "the parameters: \(rejection)"
        case .json(let rejection): "the body: \(rejection)"
        case .repeated(let name): "the parameter '\(Evidence(name))' comes more than once (\(clause))"
        case .missing(let name): "the parameter '\(name)' is missing (\(clause))"
        case .wrongType(let name, let found): "the parameter '\(name)' is a JSON \(found) (\(clause))"
        case .identifier(let name, let rejection): "the parameter '\(name)': \(rejection)"
        case .secret(let rejection): rejection.description
        case .scope(let rejection): rejection.description
        case .url(let name, let rejection): "the parameter '\(name)': \(rejection)"
        case .fragment(let name): "the parameter '\(name)' is a URL with a fragment (\(clause))"
        case .insecure(let name): "the parameter '\(name)' is a URL without https (\(clause))"
        case .number(let name): "the parameter '\(name)' must be a number of seconds that is not negative (\(clause))"
        case .confirmation(let name, let rejection): "the parameter '\(name)': \(rejection)"
        case .confirmationWithoutKey(let name): "the parameter '\(name)' must carry the public key as 'jwk' (\(clause))"
        case .key(let rejection): "the parameter 'cnf': \(rejection)"
        case .namelessKey: "the parameter 'cnf' must name its key by 'kid' (\(clause))"
        case .challengeMethod: "the challenge method must be '\(CodeChallenge.method)' (\(clause))"
        case .challenge: "the code challenge must be 43 characters of Base64url (\(clause))"
        case .verifier: "the code verifier must be 43 to 128 letters, digits or '-._~' (\(clause))"
        case .error(let rejection): rejection.description
        }
    }
}

/// What a peer sent where a name was expected, short enough to be shown: what is longer than names are may be a secret
/// in the wrong place.
struct Evidence: CustomStringConvertible {
    /// Longer than any registered name, shorter than any signed token.
    static let lengthLimit = 64

    private let text: String

    init(_ text: String) { self.text = text }

    var description: String { text.utf8.count <= Self.lengthLimit ? text : "(\(text.utf8.count) bytes)" }
}
