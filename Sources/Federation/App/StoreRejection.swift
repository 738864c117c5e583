public import RSD2
public import Wire

extension AuthorizingApp.Store {
    /// Why data cannot enter a store, or a text gives back none; the text may hold tokens, and no case carries any of
    /// it.
    public enum Rejection: BrokenRule {
        /// A field is longer than the policy allows.
        case fieldTooLong(length: Int, limit: Int)
        /// A relation has more rows than the policy allows.
        case tooManyRows(limit: Int)
        /// The fields of the store would have more bytes together than the policy allows.
        case storeFull(limit: Int)
        /// Only the group's store can hold what authorizing an app takes.
        case notShared(Place)
        /// A name is not a valid one.
        case name(SyntaxError)
        /// A URL is not a valid or not a safe one.
        case url(URI.Rejection)
        /// Tokens would travel unencrypted to this URL.
        case unencrypted(WebURL)
        /// A text is not a valid token.
        case secret(SyntaxError)
        /// A service description is not valid.
        case document(ServiceDescription.Rejection)
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

        // MARK: stored texts

        /// The text is not JSON, or a member is missing or of another type.
        case json(JSON.Rejection)
        /// It was written by another version of the format, a later one most likely.
        case unknownVersion(String)
        /// The seal does not open: the text was changed, or sealed with another key.
        case brokenSeal
        /// It is the text of another store.
        case otherStore(expected: Place)
        /// A relation or field that this store does not have; data that authorization uses is foreign to all stores but
        /// the group's.
        case foreignMember(at: JSON.Path)
        /// Two rows have one key.
        case repeatedKey(at: JSON.Path)
        /// A field of a row cannot be in the store.
        indirect case field(at: JSON.Path, Rejection)

        /// The rule, whole.
        public var rule: Rule {
            switch self {
            case .fieldTooLong(let length, let limit):
                Rule("threat-14", "a field of \(length) bytes, at most \(limit) are kept")
            case .tooManyRows(let limit): Rule("threat-14", "a relation has \(limit) rows at most")
            case .storeFull(let limit): Rule("threat-14", "the fields of the store would exceed \(limit) bytes")
            case .notShared(let place): Rule("DAT-1", "authorization data in the store '\(place.rawValue)'")
            case .name(let rejection): Rule(rejection.clause, rejection.description)
            case .url(let rejection): Rule(rejection.clause, rejection.description)
            case .unencrypted(let url): Rule("threat-40", "\(url.origin) would be sent tokens without encryption")
            case .secret(let rejection): Rule(rejection.clause, rejection.description)
            case .document(let rejection): Rule(rejection.clause, rejection.description)
            case .nameless: Rule("DAT-3", "a description has no URL to know its service by")
            case .otherService(let expected, let found):
                Rule("DAT-3", "the description of \(found) in the place of \(expected)")
            case .unknownService(let service): Rule("DAT-2", "no description of \(service) is kept")
            case .nothingRequested: Rule("DAT-2", "no protocol was requested")
            case .repeatedProtocol(let name): Rule("DAT-2", "\(name) is named twice")
            case .json(let rejection): Rule(rejection.clause, "a stored text: \(rejection)")
            case .unknownVersion(let version):
                Rule("threat-49", "a stored text of version \(version), which is not known here")
            case .brokenSeal: Rule("threat-49", "the seal of a stored text does not open")
            case .otherStore(let expected):
                Rule("DAT-1", "the text of another store in the place of '\(expected.rawValue)'")
            case .foreignMember(let path): Rule("DAT-1", "\(path): does not belong into this store")
            case .repeatedKey(let path): Rule("DAT-2", "\(path): two rows have one key")
            case .field(let path, let rejection): Rule(rejection.clause, "\(path): \(rejection.text)")
            }
        }
    }
}
