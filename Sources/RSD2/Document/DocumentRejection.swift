public import Wire

extension ServiceDescription {
    /// Why a document is not taken, or cannot be written.
    public enum Rejection: BrokenRule {
        /// The text is not of its format.
        case format(FormatRejection)
        /// The text is not JSON.
        case json(JSON.Rejection)
        /// A required member is not there.
        case missing(path: String)
        /// A member is of another type, or has a value that it does not know.
        case mismatch(path: String, expected: String, found: String)
        /// The name of a protocol is empty, too long, or has control characters.
        case malformedName(path: String)
        /// A name occurs twice among the protocols or settings.
        case duplicateName(path: String)
        /// There are more protocols, settings or list members than the limit.
        case tooMany(path: String, limit: Int)
        /// The document is longer as JSON than those that are handed on.
        case tooLong(length: Int, limit: Int)
        /// The root element is not `rsd` of a known version and namespace.
        case foreignRoot(found: String)
        /// There is not exactly one `service`, or `apis` occurs twice.
        case notOnce(path: String, element: String)
        /// Some protocols are written with attributes and some with elements.
        case mixedBindings(path: String)
        /// The document claims to be that of another service than the one for which it was published.
        case otherService(expected: String, found: String)
        /// The authorization component lies on a host that is neither the service's nor one that the index allows.
        case foreignHost(ProtocolName, WebURL.Host)

        /// The rule, with the place of its breach.
        public var rule: Rule {
            switch self {
            case .format(let rejection): rejection.rule
            case .json(let rejection): rejection.rule
            case .missing(let path): Rule("RSD-2", "\(path) is required")
            case .mismatch(let path, let expected, let found):
                Rule("RSD-2", "\(path): expected \(expected), found \(found)")
            case .malformedName(let path): Rule("RSD-2", "\(path): not a name")
            case .duplicateName(let path): Rule("threat-46", "\(path) occurs twice")
            case .tooMany(let path, let limit): Rule("threat-43", "\(path): more than \(limit)")
            case .tooLong(let length, let limit):
                Rule("threat-43", "a document of \(length) bytes as JSON, at most \(limit) are handed on")
            case .foreignRoot(let found):
                Rule("RSD-2", "the root element is \(found), not that of an RSD document")
            case .notOnce(let path, let element): Rule("RSD-2", "\(path): there must be one element \(element)")
            case .mixedBindings(let path): Rule("threat-46", "\(path): attributes and elements are mixed")
            case .otherService(let expected, let found):
                Rule("threat-52", "the document is that of '\(found)', it was published for '\(expected)'")
            case .foreignHost(let name, let host):
                Rule("threat-52", "'\(name)' lies on \(host.text), which is not a host of the service")
            }
        }
    }
}
