public import JOSE
public import NAIL
public import OAuth2Grants
public import RSD2
public import Wire

/// Why something is not taken: a key to sign with, an answer of another party, data for a store, a step on a screen.
///
/// No case carries a secret, nor anything of a stored text or a profile.
public enum Rejection: BrokenRule {
    // MARK: what is read

    /// A text is not what its place demands: a name, a token, a value of a header field.
    case syntax(SyntaxError)
    /// A URL is not a valid or not a safe one.
    case url(URI.Rejection)
    /// A text is not JSON, or a member is missing or of another type.
    case json(JSON.Rejection)
    /// A service description is not valid.
    case document(ServiceDescription.Rejection)
    /// The service has no such protocol, or no usable link for it.
    case link(ServiceDescription.LinkRejection)

    // MARK: what signs

    /// The issuer identifier has a query or fragment, behind which no endpoint can lie (RFC 8414 §2).
    case issuerWithQuery
    /// The key cannot sign.
    case key(JWK.Rejection)
    /// The key is not a key pair, so that nobody else could check its signatures.
    case noKeyPair
    /// The key has no name, or nothing can be signed with it.
    case issuance(IssuanceRejection)
    /// A key lies elsewhere, and nothing came from there, or no signature by it: the person declined, or the signer is
    /// away; nothing has changed.
    case unsigned
    /// A key lies elsewhere and is gone for good, as whoever had it says: nothing that needs it will ever be done here,
    /// and nothing has changed.
    case keyGone
    /// The instance's keys lie elsewhere, and one for this service has not been made yet.
    case awaitedKey(ServiceURL)

    // MARK: what others answer

    /// The other side refused, in the words of OAuth.
    case refused(OAuth2Error)
    /// The other side's answer says nothing: keep everything, and try again.
    case unusable(ParameterRejection)
    /// There was no answer: keep everything, and try again.
    case unanswered
    /// The service tells no such endpoint.
    case noEndpoint(ServerDescription.Endpoint)
    /// A URL that others named leads into the own network, or to a port that is not its service's.
    case closedAddress(WebURL)
    /// The answer gives a token that is bound to no key.
    case unboundToken
    /// The answer gives a token that is bound to somebody else's key.
    case foreignKey
    /// The answer gives a token that could not be read back from the store.
    case unreadableToken

    // MARK: what apps ask

    /// An app's request is not valid, not the app's, or comes a second time.
    case request(MessageRejection)

    // MARK: what the app lacks

    /// The instance is not registered.
    case unregistered
    /// Nobody is signed in.
    case signedOut
    /// The sign-in goes on with a step, which ``AuthorizingApp/Session/pendingSignIn(at:)`` names.
    case stepWanted
    /// No sign-in waits for a step, or no longer.
    case noPendingSignIn
    /// There is no token for the service.
    case unauthorized(ServiceURL)
    /// The person has ended the service while this was under way: nothing begins there anew that was chosen before.
    case endedMeanwhile(ServiceURL)
    /// The answer has no room for one service more: it would not be read, and the app would get nothing at all.
    case answerFull
    /// The app was given nothing at the service through this instance, or no more than has ended.
    case unauthorizedApp(BundleID, ServiceURL)
    /// The token cannot be renewed.
    case notRenewable

    // MARK: what no store holds

    /// A field is longer than the policy allows.
    case fieldTooLong(length: Int, limit: Int)
    /// A relation has more rows than the policy allows.
    case tooManyRows(limit: Int)
    /// The fields of the store would have more bytes together than the policy allows.
    case storeFull(limit: Int)
    /// Only the group's store can hold what authorizing an app takes, and this is the store of that name.
    case notShared(String)
    /// Tokens would travel unencrypted to this URL.
    case unencrypted(WebURL)
    /// A service description has no URL that the service could be known by.
    case nameless
    /// The service description is another service's.
    case otherService(expected: ServiceURL, found: ServiceURL)
    /// Protocols of a service that the store does not know.
    case unknownService(ServiceURL)
    /// No protocol was requested.
    case nothingRequested
    /// A protocol is named twice.
    case repeatedProtocol(ProtocolName)

    /// The host could not keep the store; the process still has it, and tries again with the next change.
    case unkept

    /// There is a person with this instance on the device already.
    case repeatedInstance(ClientID)
    /// Nobody on the device has this instance.
    case unknownInstance(ClientID)
    /// The person is signed in, or something that ended has not been confirmed yet.
    case unconfirmedEnd

    // MARK: stored texts

    /// It was written by another version of the format, a later one most likely.
    case unknownVersion(String)
    /// The seal does not open: the text was changed, or sealed with another key.
    case brokenSeal
    /// It is the text of another store than the one of that name.
    case otherStore(expected: String)
    /// A relation or field that this store does not have; data that authorization uses is foreign to all stores but the
    /// group's.
    case foreignMember(at: JSON.Path)
    /// Two rows have one key.
    case repeatedKey(at: JSON.Path)
    /// A field of a row cannot be in the store.
    indirect case field(at: JSON.Path, Rejection)

    // MARK: screens

    /// The action is not possible from this screen.
    case impossible(String, clause: String)
    /// Nobody waits for this event on this screen.
    case unexpected(clause: String)
    /// The person has decided.
    case finished
    /// The service is none of those to select from.
    case noCandidate(ServiceURL)
    /// The service is picked.
    case alreadyPicked(ServiceURL)
    /// The service is not picked.
    case notPicked(ServiceURL)
    /// The app can handle one service only, and so many are picked.
    case notExactlyOne(picked: Int)
    /// There is no service that could be granted.
    case nothingToGrant

    /// The rule that was broken, and what helps.
    public var rule: Rule {
        switch self {
        case .syntax(let rejection): rejection.rule
        case .url(let rejection): rejection.rule
        case .json(let rejection): rejection.rule
        case .document(let rejection): Rule(rejection.clause, rejection.description)
        case .link(let rejection): Rule(rejection.clause, rejection.description)
        case .issuerWithQuery: Rule("RFC8414-2", "the issuer identifier has a query or fragment")
        case .key(let rejection): Rule(rejection.clause, "the signing key: \(rejection)")
        case .noKeyPair: Rule("RFC9068-2.1", "the signing key is not a key pair")
        case .issuance(let rejection): Rule(rejection.clause, "the signing key: \(rejection)")
        case .unsigned:
            Rule("KEY-21", "no signature came from where the key lies; nothing has changed, so ask for it again")
        case .keyGone:
            Rule(
                "KEY-21",
                "the key of this installation is gone for good; abandon the endings, and begin with a new installation")
        case .awaitedKey(let service): Rule("KEY-21", "a new key for \(service) is awaited from where keys lie")
        case .refused(let error): Rule("RFC6749-5.2", "refused: \(error)")
        case .unusable(let rejection): Rule(rejection.clause, rejection.description)
        case .unanswered: Rule("NIF-9", "no answer; try again")
        case .noEndpoint(let endpoint): Rule("RFC8414-2", "the service tells no \(endpoint.rawValue)")
        case .closedAddress(let url):
            Rule("threat-70", "\(url.origin) is not asked: it lies in the own network, or at a port of its own")
        case .unboundToken: Rule("POP-1", "a token that is bound to no key")
        case .foreignKey: Rule("threat-36", "a token that is bound to somebody else's key")
        case .request(let rejection): rejection.rule
        case .unreadableToken: Rule("threat-56", "a token that could not be kept")
        case .unregistered: Rule("REG-1", "register the instance first")
        case .signedOut: Rule("AUT-5", "sign in first")
        case .stepWanted: Rule("FPA-3", "the sign-in goes on with a further step: answer one of the pending sign-in's")
        case .noPendingSignIn: Rule("FPA-7", "no sign-in waits for a step, or it took too long; sign in anew")
        case .unauthorized(let service): Rule("APP-2", "no token for \(service); authorize the service first")
        case .endedMeanwhile(let service): Rule("TOK-5", "\(service) was ended meanwhile; choose it again")
        case .answerFull: Rule("NIF-6", "the answer has no room for more services; choose fewer at once")
        case .unauthorizedApp(let app, let service): Rule("TOK-5", "\(app) holds nothing at \(service) from here")
        case .notRenewable: Rule("TOK-2", "a token without a refresh token")
        case .fieldTooLong(let length, let limit):
            Rule("threat-14", "a field of \(length) bytes, at most \(limit) are kept")
        case .tooManyRows(let limit): Rule("threat-14", "a relation has \(limit) rows at most")
        case .storeFull(let limit): Rule("threat-14", "the fields of the store would exceed \(limit) bytes")
        case .notShared(let place): Rule("DAT-1", "authorization data in the store '\(place)'")
        case .unencrypted(let url): Rule("threat-40", "\(url.origin) would be sent tokens without encryption")
        case .nameless: Rule("DAT-3", "a description has no URL to know its service by")
        case .otherService(let expected, let found):
            Rule("DAT-3", "the description of \(found) in the place of \(expected)")
        case .unknownService(let service): Rule("DAT-2", "no description of \(service) is kept")
        case .nothingRequested: Rule("DAT-2", "no protocol was requested")
        case .repeatedProtocol(let name): Rule("DAT-2", "\(name) is named twice")
        case .repeatedInstance(let instance): Rule("USR-1", "there is a person with the instance \(instance) already")
        case .unknownInstance(let instance): Rule("USR-1", "nobody on this device has the instance \(instance)")
        case .unconfirmedEnd:
            Rule("threat-32", "sign out, and wait until that is confirmed: the key that ends the session would be lost")
        case .unkept: Rule("DAT-1", "the store could not be kept; this process still has it, until it ends")
        case .unknownVersion(let version):
            Rule(
                "threat-49",
                "a stored text of unknown version \(version): update the app, or begin with an empty store"
            )
        case .brokenSeal: Rule("threat-49", "the seal of a stored text does not open")
        case .otherStore(let expected): Rule("DAT-1", "the text of another store in the place of '\(expected)'")
        case .foreignMember(let path): Rule("DAT-1", "\(path): does not belong into this store")
        case .repeatedKey(let path): Rule("DAT-2", "\(path): two rows have one key")
        case .field(let path, let rejection): Rule(rejection.clause, "\(path): \(rejection.text)")
        case .impossible(let action, let clause): Rule(clause, "'\(action)' is not possible from this screen")
        case .unexpected(let clause): Rule(clause, "nobody waits for this event")
        case .finished: Rule("UX-2", "the request has been decided")
        case .noCandidate(let service): Rule("UX-2", "\(service) is none of the services to select from")
        case .alreadyPicked(let service): Rule("UX-2", "\(service) is picked")
        case .notPicked(let service): Rule("UX-2", "\(service) is not picked")
        case .notExactlyOne(let count):
            Rule("UX-2", "\(count) services are picked where the app can handle exactly one")
        case .nothingToGrant: Rule("UX-2", "there is no service to grant")
        }
    }
}
