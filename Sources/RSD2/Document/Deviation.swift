public import Wire

extension ServiceDescription {
    /// A deviation from the strict form that a reader noticed in a document and took nevertheless.
    public struct Deviation: Sendable, Equatable, CustomStringConvertible {
        /// Where it stands, from the root `$`.
        public let path: String
        /// The rule that it breaks.
        public let rule: Rule
        /// What stands there; never a token.
        public let found: String

        /// Whether it breaks the information model, so that some protocols may be out of reach; otherwise readers
        /// understand it, though strict ones may not.
        public var isError: Bool { rule == .engineLinkRequired || rule == .linkUnusable }

        /// One line for people: weight, place, rule, and what was found.
        public var description: String {
            "\(isError ? "error" : "warning"): \(path): \(rule.text), found \(found) (\(rule.clause))"
        }
    }
}

/// The rules that a document may break and still be read.
extension Rule {
    /// The member is required, though it may be empty.
    static let engineLinkRequired = Rule("RSD-2", "engineLink is required")
    static let apiLinkRequired = Rule("RSD-2", "without an apiLink no endpoint can be built")
    static let linkUnusable = Rule("RSD-3", "no endpoint can be built from the links")
    static let linkInsecure = Rule("threat-40", "the endpoint is not encrypted")
    static let linkTrimmed = Rule("RSD-2", "no white space around links")
    static let emptyObjectAsArray = Rule("RSD-2", "an empty object is {}, not []")
    static let booleanAsText = Rule("RSD-2", "a boolean is true or false")
    static let listAsText = Rule("RSD-2", "a list is an array")
    static let textAsNumber = Rule("RSD-2", "text is quoted")
    static let nullMember = Rule("RSD-2", "what is absent is left out")
    static let transportUnknown = Rule("RSD-2", "transports are SOAP, REST, XML-RPC, JSON-RPC and Web-Form")
    static let authorizationPresent = Rule("threat-45", "tokens do not belong into public documents")
    /// Apps will not find the service.
    static let oauth2Missing = Rule("DSC-7", "services for mobile apps offer org.ietf.oauth2")
    static let legacyVersion = Rule("RSD-2", "RSD 1.0 is superseded")
    static let legacyName = Rule("RSD-2", "engineId is the name for blogID")
}

/// Collects deviations while a document is read; bounded, because a hostile document is all deviations.
struct Deviations {
    static let limit = 1_000

    private(set) var all: [ServiceDescription.Deviation] = []

    mutating func note(_ rule: Rule, at path: @autoclosure () -> String, found: @autoclosure () -> String) {
        guard all.count < Self.limit else { return }
        all.append(ServiceDescription.Deviation(path: path(), rule: rule, found: found()))
    }
}
