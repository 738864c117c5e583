public import JOSE
public import OAuth2Grants
public import RSD2
public import Wire

/// Why a message between the apps, or a part of it, is not taken: a request by the authorizing app, a response by the
/// app that asked.
public enum MessageRejection: BrokenRule {
    /// It is not JSON, or a member is missing or of another type.
    case json(JSON.Rejection)
    /// A value is of another type than the form of the message has it.
    case wrongType(expected: JSON.Kind, found: JSON.Kind)
    /// A member is not a valid name.
    case malformedName(JSON.Name, SyntaxError)
    /// A text is not a valid token.
    case malformedToken(SyntaxError)

    // MARK: requests

    /// A request names no protocol.
    case noProtocols
    /// A request names more protocols than are read.
    case tooManyProtocols(limit: Int)
    /// The registry has no keys of the app that the request names.
    case unknownApp(BundleID)
    /// The request is not signed, where the policy demands it.
    case unsigned
    /// The request's token is malformed, not by a key of the app, or not about this request.
    case token(JWT.Rejection)
    /// The request's token is about an app of another name.
    case otherName(expected: AppName, found: String)
    /// The key for binding is not given by itself.
    case confirmationWithoutKey
    /// The app's name for people has a character that they do not see, or that changes the order of others.
    case unfitName(offset: Int)
    /// The signature covers another request than the one that it came with.
    case otherRequest
    /// The signature came before.
    case seen(JWT.ID)
    /// The app, or all apps together, have signed more requests in a few minutes than are remembered.
    case tooManySigned(limit: Int)
    /// The operating system names another app as the one that asks.
    case otherCaller(expected: BundleID, found: BundleID)

    // MARK: responses

    /// A response has more documents than are read.
    case tooManyDocuments(found: Int, limit: Int)
    /// The app can use fewer services than were granted.
    case tooManyChosen(found: Int, limit: Int)
    /// A service description or its authorization is not valid.
    case document(ServiceDescription.Rejection)
    /// A document has no URL that its service could be known by.
    case nameless
    /// A service does not offer a protocol that was requested (NAI-12).
    case notOffered(ProtocolName)
    /// A document has no authorization that the app could use.
    case unauthorized
    /// A response has two documents of one service.
    case repeated
    /// A document is longer than the limit.
    case tooLong(length: Int, limit: Int)
    /// The state holds as many grants as it can.
    case tooManyGrants(limit: Int)

    // MARK: authorizations

    /// The token is of a type that is neither plain nor bound to a key that can be found.
    case unknownType(String)
    /// The key that an authorization brings cannot sign here.
    case key(JWK.Rejection)
    /// What is said about the key that tokens are bound to cannot be understood.
    case confirmation(JWT.Rejection)
    /// The authorization is bound to a key that is not this app's.
    case foreignKey
    /// The key has no name by which the service would find it.
    case namelessKey

    /// The rule, whole.
    public var rule: Rule {
        switch self {
        case .json(.missing(let path)): Rule("NIF-2", "a message between apps: \(path) is missing")
        case .json(.mismatch(let path, let expected, let found)):
            Rule("NIF-2", "a message between apps: \(path) is of type \(found), expected \(expected)")
        case .json(let rejection): Rule(rejection.clause, "a message between apps: \(rejection)")
        case .wrongType(let expected, let found): Rule("NIF-5", "a value of type \(found), expected \(expected)")
        case .malformedName(let member, .empty): Rule("NIF-2", "'\(member)' of a protocol request is empty")
        case .malformedName(let member, let rejection):
            Rule(rejection.clause, "'\(member)' of a protocol request: \(rejection)")
        case .malformedToken(let rejection): Rule(rejection.clause, rejection.description)
        case .noProtocols: Rule("NIF-2", "a protocol request names no protocol")
        case .tooManyProtocols(let limit): Rule("threat-14", "a protocol request names more than \(limit) protocols")
        case .unknownApp(let app): Rule("NIF-3", "no key of the app \(app) is known")
        case .unsigned: Rule("NIF-3", "the request is not signed")
        case .token(let rejection): Rule(rejection.clause, "the request's token: \(rejection.text)")
        case .otherName(let expected, let found):
            Rule("NIF-3", "the request's token names the app '\(found)', the request '\(expected)'")
        case .confirmationWithoutKey: Rule("RFC7800-3.2", "the key to bind tokens to is not in the request's token")
        case .unfitName(let offset):
            Rule("threat-58", "the app's name has a character that hides what it is at byte \(offset)")
        case .otherRequest: Rule("threat-58", "the signature covers another request than this one")
        case .seen(let id): Rule("threat-58", "the signature '\(id)' came before")
        case .tooManySigned(let limit): Rule("threat-58", "more than \(limit) requests were signed at once")
        case .otherCaller(let expected, let found):
            Rule("threat-58", "the request names '\(expected)', and the system says that '\(found)' asks")
        case .tooManyDocuments(let found, let limit):
            Rule("threat-14", "a protocol response of \(found) documents, at most \(limit) are read")
        case .tooManyChosen(let found, let limit):
            Rule("NIF-4", "\(found) services granted to an app that asked for \(limit)")
        case .document(let rejection): Rule(rejection.clause, rejection.description)
        case .nameless: Rule("RSD-3", "a document has no URL to know its service by")
        case .notOffered(let name): Rule("NAI-12", "\(name) was requested and is not offered")
        case .unauthorized: Rule("NIF-5", "a document has no authorization that the app can use")
        case .repeated: Rule("DSC-2", "a second document of one service")
        case .tooLong(let length, let limit):
            Rule("threat-43", "a document of \(length) bytes, at most \(limit) are taken")
        case .tooManyGrants(let limit): Rule("threat-43", "there are \(limit) grants already")
        case .unknownType(let type): Rule("RFC6749-7.1", "the token type '\(type)' says nothing that can be followed")
        case .key(let rejection): Rule(rejection.clause, "the key of an authorization: \(rejection.text)")
        case .confirmation(let rejection): rejection.rule
        case .foreignKey: Rule("POP-1", "an authorization is bound to a key that is not this app's")
        case .namelessKey: Rule("RFC7800-3.4", "the key of an authorization has no name")
        }
    }
}
