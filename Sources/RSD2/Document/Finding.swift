extension ServiceDescription {
    /// What a reader noticed in a document that it took nevertheless.
    public struct Finding: Sendable, Equatable {
        /// Where it stands, from the root `$`.
        public let path: String
        /// The rule that it breaks.
        public let rule: Rule
        /// What stands there; never a token.
        public let found: String

        /// Whether it breaks the information model, or only deviates from its strict form.
        public var severity: Severity { rule.severity }
    }

    /// How much a finding weighs.
    public enum Severity: Sendable {
        /// The document breaks a rule of the information model; some of its protocols may be out of reach.
        case error
        /// Readers understand it, strict ones may not.
        case warning
    }

    /// The rules that a document may break and still be read.
    public enum Rule: Sendable, CaseIterable {
        /// The service has no `engineLink`, which is required, though it may be empty.
        case engineLinkRequired
        /// A protocol has no `apiLink`, so no endpoint can be built for it.
        case apiLinkRequired
        /// An endpoint cannot be built from the links.
        case linkUnusable
        /// A link is served without encryption.
        case linkInsecure
        /// A link has white space around it.
        case linkTrimmed
        /// An empty object is written as `[]`.
        case emptyObjectAsArray
        /// A boolean is written as text.
        case booleanAsText
        /// A list is written as one string.
        case listAsText
        /// Text is written as a number.
        case textAsNumber
        /// A member is `null` where it should be left out.
        case nullMember
        /// The transport is not one that the model names.
        case transportUnknown
        /// The document has tokens, which only documents made for one app may have.
        case authorizationPresent
        /// The service does not offer `org.ietf.oauth2`, so apps will not find it.
        case oauth2Missing
        /// The document is an RSD 1.0 document.
        case legacyVersion
        /// The synonym `blogID` is used for `engineId`.
        case legacyName

        /// Whether it breaks the information model, or only deviates from its strict form.
        public var severity: Severity {
            switch self {
            case .engineLinkRequired, .linkUnusable: .error
            case .apiLinkRequired, .linkInsecure, .linkTrimmed, .emptyObjectAsArray, .booleanAsText, .listAsText,
                .textAsNumber,
                .nullMember,
                .transportUnknown, .authorizationPresent, .oauth2Missing, .legacyVersion, .legacyName:
                .warning
            }
        }

        /// The requirement or clause behind the rule.
        public var clause: String {
            switch self {
            case .linkUnusable: "RSD-3"
            case .linkInsecure: "threat-40"
            case .authorizationPresent: "threat-45"
            case .oauth2Missing: "DSC-7"
            default: "RSD-2"
            }
        }
    }
}

extension ServiceDescription.Rule: CustomStringConvertible {
    /// The rule in words.
    public var description: String {
        switch self {
        case .engineLinkRequired: "engineLink is required"
        case .apiLinkRequired: "without an apiLink no endpoint can be built"
        case .linkUnusable: "no endpoint can be built from the links"
        case .linkInsecure: "the endpoint is not encrypted"
        case .linkTrimmed: "no white space around links"
        case .emptyObjectAsArray: "an empty object is {}, not []"
        case .booleanAsText: "a boolean is true or false"
        case .listAsText: "a list is an array"
        case .textAsNumber: "text is quoted"
        case .nullMember: "what is absent is left out"
        case .transportUnknown: "transports are SOAP, REST, XML-RPC, JSON-RPC and Web-Form"
        case .authorizationPresent: "tokens do not belong into public documents"
        case .oauth2Missing: "services for mobile apps offer org.ietf.oauth2"
        case .legacyVersion: "RSD 1.0 is superseded"
        case .legacyName: "engineId is the name for blogID"
        }
    }
}

extension ServiceDescription.Finding: CustomStringConvertible {
    /// One line for people: weight, place, rule, and what was found.
    public var description: String {
        "\(severity == .error ? "error" : "warning"): \(path): \(rule.description), found \(found) (\(rule.clause))"
    }
}

/// Collects findings while a document is read; bounded, because a hostile document is all findings.
struct Findings {
    static let limit = 1_000

    private(set) var all: [ServiceDescription.Finding] = []

    mutating func note(
        _ rule: ServiceDescription.Rule, at path: @autoclosure () -> String, found: @autoclosure () -> String
    ) {
        guard all.count < Self.limit else { return }
        all.append(ServiceDescription.Finding(path: path(), rule: rule, found: found()))
    }
}
