public import JOSE
public import Wire

/// Why a message of OAuth, or a text in one, cannot be read: a request before anybody asks whether it is allowed, or an
/// answer that is neither what was asked for nor a refusal.
///
/// An answer that cannot be read says nothing about the grant. Who asked keeps what he has, and asks again (NIF-9).
public enum ParameterRejection: BrokenRule {
    // MARK: Requests

    /// The method is not one of the endpoint's.
    case method(HTTP.Request.Method)
    /// The body of a request is neither a form nor a JSON object by its media type.
    case mediaType(String?)
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

    // MARK: Answers

    /// The status is neither success nor one of a refusal.
    case status(HTTP.Response.Status)
    /// The body of an answer is not JSON by its media type.
    case answerMediaType(String?)
    /// The answer is by another issuer than the one that was asked (RFC 9207 §2.4, RFC 8414 §3.3).
    case issuer(expected: String, found: String?)
    /// The answer belongs to another request (RFC 6749 §10.12).
    case state
    /// The answer is about somebody else than the ID token (OpenID Connect Core §5.3.2).
    case otherSubject
    /// The provider gives a token that is to be presented in a way that is not known here.
    case tokenType(String)
    /// The provider says that it does not give codes.
    case codeNotServed

    // MARK: Parameters of both

    /// The body or query has more bytes than the limit.
    case tooLarge(size: Int, limit: Int)
    /// The text is not a form.
    case form(SyntaxError)
    /// The text is not a JSON object.
    case json(JSON.Rejection)
    /// A parameter comes more than once.
    case repeated(String)
    /// A parameter that must be there is not, or has no value.
    case missing(String)
    /// Two parameters that exclude each other.
    case together(String, String)
    /// A parameter is not of the type that it must have.
    case wrongType(String, found: JSON.Kind)
    /// A parameter is not a name of its kind.
    case identifier(String, SyntaxError)
    /// A parameter is not a valid URL.
    case url(String, URI.Rejection)
    /// A URL has a fragment, which neither an endpoint nor a service has (RFC 6749 §3.1, RFC 8707 §2).
    case fragment(String)
    /// A URL to which secrets are to be sent is not https; only at the machine itself may it be another (RFC 6749
    /// §3.2).
    case insecure(String)
    /// An issuer identifier is not https, or has a query or fragment (RFC 8414 §2).
    case issuerIdentifier(String)
    /// A parameter is not a whole number of seconds, or is negative.
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
    /// A person is named in another form than by issuer and subject.
    case subjectFormat(String)

    // MARK: Texts in parameters

    /// A secret breaks the rules of its kind.
    case secret(SyntaxError)
    /// Nobody can be called back at an address: it is neither an `https` link nor one of an app's own scheme, nor a
    /// port of the machine itself; or a link leads to another address than the one that is called back.
    case callback
    /// The code of an error breaks the rules of such codes.
    case error(SyntaxError)
    /// A scope breaks the rules of scopes.
    case scope(SyntaxError)
    /// A word of a scope that begins as a web URL is not a valid one.
    case scopeEndpoint(URI.Rejection)
    /// A URL with a query or fragment names no endpoint in a scope.
    case scopeEndpointWithQuery
}

extension ParameterRejection {
    /// The rule that was broken, what was expected and found, and no value of a parameter that may be a secret.
    public var rule: Rule {
        switch self {
        case .method(let method):
            Rule("RFC6749-3.2", "the method \(Evidence(method.text)) is not one of this endpoint's")
        case .mediaType(let found):
            Rule("RFC6749-B", "the body must be a form or JSON, not '\(Evidence(found ?? "of an unknown type"))'")
        case .grantType(let found): Rule("RFC6749-5.2", "the grant type '\(Evidence(found))' is not served here")
        case .responseType(let found):
            Rule("RFC6749-3.1.1", "the response type must be 'code', not '\(Evidence(found))'")
        case .credential(let inner): Rule(inner.clause, "the header field with the credential: \(inner.text)")
        case .repeatedField(let name): Rule("threat-37", "the header field '\(name)' comes more than once")
        case .scheme: Rule("RFC6749-2.3", "the authentication scheme must be 'Bearer' or 'DPoP'")
        case .severalCredentials: Rule("threat-37", "the client authenticates in more than one way")
        case .credentialInQuery: Rule("RFC6749-2.3.1", "the client authenticates with parameters in the URL")
        case .assertionType:
            Rule("RFC7521-4.2", "the client assertion type must be that of RFC 7523, section 2.2")
        case .proofWithoutScheme: Rule("RFC9449-7.1", "a DPoP proof and the scheme 'DPoP' go together")
        case .status(let status): Rule("RFC6749-5.2", "an answer with status \(status)")
        case .answerMediaType(let found):
            Rule("RFC6749-5.1", "an answer that is not JSON but '\(Evidence(found ?? "of an unknown type"))'")
        case .issuer(let expected, let found):
            Rule("RFC9207-2.4", "an answer by '\(Evidence(found ?? "nobody"))', expected one by '\(expected)'")
        case .state: Rule("RFC6749-10.12", "an answer to another request")
        case .otherSubject: Rule("OIC-9", "an answer about somebody else than the ID token")
        case .tokenType(let found): Rule("OIC-7", "a token of the type '\(Evidence(found))', expected 'Bearer'")
        case .codeNotServed: Rule("OIC-10", "the provider serves no response type 'code'")
        case .tooLarge(let size, let limit):
            Rule("threat-14", "the message has \(size) bytes, at most \(limit) are read")
        case .form(let inner): Rule(inner.clause, "the parameters: \(inner.text)")
        case .json(let inner): Rule(inner.clause, "the body: \(inner.text)")
        case .repeated(let name): Rule("threat-37", "the parameter '\(Evidence(name))' comes more than once")
        case .missing(let name): Rule("RFC6749-3.1", "the parameter '\(name)' is missing")
        case .together(let one, let other):
            Rule("FPA-9", "the parameters '\(one)' and '\(other)' exclude each other")
        case .wrongType(let name, let found): Rule("RFC6749-3.1", "the parameter '\(name)' is a JSON \(found)")
        case .identifier(let name, let inner): Rule(inner.clause, "the parameter '\(name)': \(inner.text)")
        case .url(let name, let inner): Rule(inner.clause, "the parameter '\(name)': \(inner.text)")
        case .fragment(let name): Rule("RFC8707-2", "the parameter '\(name)' is a URL with a fragment")
        case .insecure(let name): Rule("RFC6749-3.2", "the parameter '\(name)' is a URL without https")
        case .issuerIdentifier(let text):
            Rule("RFC8414-2", "the issuer identifier '\(Evidence(text))' is not https, or has a query or fragment")
        case .number(let name):
            Rule("RFC6749-3.1", "the parameter '\(name)' must be a number of seconds that is not negative")
        case .confirmation(let name, let inner): Rule(inner.clause, "the parameter '\(name)': \(inner.text)")
        case .confirmationWithoutKey(let name):
            Rule("RFC7800-3.2", "the parameter '\(name)' must carry the public key as 'jwk'")
        case .key(let inner): Rule(inner.clause, "the parameter 'cnf': \(inner.text)")
        case .namelessKey: Rule("RFC7800-3.4", "the parameter 'cnf' must name its key by 'kid'")
        case .challengeMethod: Rule("RFC7636-4.3", "the challenge method must be 'S256'")
        case .challenge: Rule("RFC7636-4.2", "the code challenge must be 43 characters of Base64url")
        case .verifier: Rule("RFC7636-4.1", "the code verifier must be 43 to 128 letters, digits or '-._~'")
        case .subjectFormat(let found):
            Rule("GTR-3", "the format of 'sub_id' must be 'iss_sub', not '\(Evidence(found))'")
        case .callback:
            Rule(
                "OIC-2",
                "the address to call back must be an https link, have a scheme with a dot in it, or a port of "
                    + "127.0.0.1")
        case .secret(let inner), .error(let inner), .scope(let inner): inner.rule
        case .scopeEndpoint(let inner): Rule(inner.clause, "an endpoint in the scope: \(inner.text)")
        case .scopeEndpointWithQuery: Rule("APP-4", "an endpoint in the scope has a query or fragment")
        }
    }

    /// What the peer is told of a request.
    public var refusal: OAuth2Error {
        let code: OAuth2Error.Code =
            switch self {
            case .grantType: .unsupportedGrantType
            case .responseType: .unsupportedResponseType
            case .scheme, .assertionType: .invalidClient
            case .scope, .scopeEndpoint, .scopeEndpointWithQuery: .invalidScope
            case .url("resource", _), .fragment("resource"): .invalidTarget
            default: .invalidRequest
            }
        return OAuth2Error(code, text)
    }
}

extension SyntaxError.Format {
    /// A scope (RFC 6749 §3.3).
    public static let scope = Self("scope", "RFC6749-3.3")
    /// The code or the words of an error (RFC 6749 §5.2).
    public static let error = Self("error", "RFC6749-5.2")
    /// The number of an app's version (FED-2).
    public static let versionNumber = Self("version number", "FED-2", limits: "FED-2")

    /// A secret of a kind, by its title (RFC 6749 appendix A).
    public static func secret(_ title: String) -> Self { Self(title, "RFC6749-A") }
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
