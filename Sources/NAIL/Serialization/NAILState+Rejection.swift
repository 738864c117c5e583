public import RSD2
public import Wire

extension NAILState {
    /// Why a text gives back no state.
    public enum Rejection: BrokenRule {
        /// It is not JSON, or a member is missing or of another type.
        case json(JSON.Rejection)
        /// It was written by another version of the format, a later one most likely.
        case unknownVersion(String)
        /// The text was changed after it was written.
        case otherDigest
        /// The text is sealed, and there is nothing to open it with.
        case sealed
        /// The text is open, where only a sealed one is taken.
        case unsealed
        /// The seal does not open: the text was changed, or sealed with another key.
        case brokenSeal
        /// A text is not a valid name.
        case malformedName(at: JSON.Path, SyntaxError)
        /// A service's URL is not a valid or not a safe one.
        case malformedURL(at: JSON.Path, URI.Rejection)
        /// A document or authorization is not valid.
        case malformedDocument(at: JSON.Path, ServiceDescription.Rejection)
        /// An authorization is of no use.
        case unusable(at: JSON.Path, MessageRejection)
        /// A number is not a valid time.
        case malformedTime(at: JSON.Path, SyntaxError)
        /// What is kept is neither the seed of a key nor a key that lies elsewhere.
        case malformedKey(at: JSON.Path)
        /// What the text says can be true of no state.
        case impossible(at: JSON.Path, Contradiction)

        /// The rule, whole.
        public var rule: Rule {
            switch self {
            case .json(let rejection): Rule(rejection.clause, "a serialized state: \(rejection)")
            case .unknownVersion(let version):
                Rule(
                    "threat-49",
                    "a serialized state of unknown version \(version): update the app, or ask the person again"
                )
            case .otherDigest: Rule("threat-49", "a serialized state that was changed after it was written")
            case .sealed: Rule("threat-49", "a sealed state, and nothing to open it with")
            case .unsealed: Rule("threat-49", "an open state where only a sealed one is taken")
            case .brokenSeal: Rule("threat-49", "the seal of a serialized state does not open")
            case .malformedName(let path, let rejection): Rule(rejection.clause, "\(path): \(rejection)")
            case .malformedURL(let path, let rejection): Rule(rejection.clause, "\(path): \(rejection)")
            case .malformedDocument(let path, let rejection): Rule(rejection.clause, "\(path): \(rejection)")
            case .unusable(let path, let rejection): Rule(rejection.clause, "\(path): \(rejection.text)")
            case .malformedTime(let path, let rejection): Rule(rejection.clause, "\(path): \(rejection)")
            case .malformedKey(let path): Rule("threat-49", "\(path): not the seed of a key")
            case .impossible(let path, let contradiction): Rule("threat-49", "\(path): \(contradiction.rawValue)")
            }
        }
    }

    /// What can be true of no state.
    public enum Contradiction: String, Sendable {
        /// A service stands twice.
        case repeatedService = "the service stands twice"
        /// A protocol was granted twice at a service.
        case repeatedProtocol = "the protocol was granted twice"
        /// Two authorizations stand in one place.
        case repeatedAuthorization = "two authorizations stand in one place"
        /// A service or grant without any protocol.
        case nothingGranted = "nothing was granted"
        /// A protocol was granted that is not offered.
        case notOffered = "the protocol is not offered"
        /// The document is another service's.
        case otherService = "the document is another service's"
        /// There is no key of that number.
        case unknownKey = "there is no such key"
        /// The code of an ending is not a valid one.
        case malformedCode = "not the code of an error"
        /// There are more grants than a state holds.
        case tooManyGrants = "there are too many grants"
    }
}
