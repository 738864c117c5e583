public import RSD2
public import Wire

extension NAILState {
    /// Why a text gives back no state.
    public enum Rejection: Error, Equatable, Sendable {
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
        /// A name is none.
        case malformedName(at: JSON.Path, IdentifierRejection)
        /// A service's URL is no safe one.
        case malformedURL(at: JSON.Path, WebURL.Rejection)
        /// A document or authorization is none.
        case malformedDocument(at: JSON.Path, ServiceDescription.Rejection)
        /// An authorization is of no use.
        case unusable(at: JSON.Path, AuthorizationRejection)
        /// A time is none.
        case malformedTime(at: JSON.Path, Timestamp.Rejection)
        /// A key is none.
        case malformedKey(at: JSON.Path)
        /// What the text says can be true of no state.
        case impossible(at: JSON.Path, Contradiction)
    }

    /// What can be true of no state.
    public enum Contradiction: Equatable, Sendable {
        /// A service stands twice.
        case repeatedService
        /// A protocol was granted twice at a service.
        case repeatedProtocol
        /// Two authorizations stand in one place.
        case repeatedAuthorization
        /// A service or grant without any protocol.
        case nothingGranted
        /// A protocol was granted that is not offered.
        case notOffered
        /// The document is another service's.
        case otherService
        /// There is no key of that number.
        case unknownKey
        /// The code of an ending is none.
        case malformedCode
        /// There are more grants than a state holds.
        case tooManyGrants
    }
}

extension NAILState.Rejection: CustomStringConvertible {
    /// The rule in words, with the place of its breach.
    public var description: String {
        switch self {
        case .json(let rejection): "a serialized state: \(rejection)"
        case .unknownVersion(let version):
            "a serialized state of version \(version), which is not known here (\(clause))"
        case .otherDigest: "a serialized state that was changed after it was written (\(clause))"
        case .sealed: "a sealed state, and nothing to open it with (\(clause))"
        case .unsealed: "an open state where only a sealed one is taken (\(clause))"
        case .brokenSeal: "the seal of a serialized state does not open (\(clause))"
        case .malformedName(let path, let rejection): "\(path): \(rejection)"
        case .malformedURL(let path, let rejection): "\(path): \(rejection)"
        case .malformedDocument(let path, let rejection): "\(path): \(rejection)"
        case .unusable(let path, let rejection): "\(path): \(rejection)"
        case .malformedTime(let path, let rejection): "\(path): \(rejection)"
        case .malformedKey(let path): "\(path): not the seed of a key (\(clause))"
        case .impossible(let path, let contradiction): "\(path): \(contradiction) (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .json(let rejection): rejection.clause
        case .unknownVersion, .otherDigest, .sealed, .unsealed, .brokenSeal, .malformedKey, .impossible: "threat-49"
        case .malformedName(_, let rejection): rejection.clause
        case .malformedURL(_, let rejection): rejection.clause
        case .malformedDocument(_, let rejection): rejection.clause
        case .unusable(_, let rejection): rejection.clause
        case .malformedTime(_, let rejection): rejection.clause
        }
    }
}

extension NAILState.Contradiction: CustomStringConvertible {
    /// The contradiction in words.
    public var description: String {
        switch self {
        case .repeatedService: "the service stands twice"
        case .repeatedProtocol: "the protocol was granted twice"
        case .repeatedAuthorization: "two authorizations stand in one place"
        case .nothingGranted: "nothing was granted"
        case .notOffered: "the protocol is not offered"
        case .otherService: "the document is another service's"
        case .unknownKey: "there is no such key"
        case .malformedCode: "not the code of an error"
        case .tooManyGrants: "there are more than \(NAILState.grantLimit) grants"
        }
    }
}
