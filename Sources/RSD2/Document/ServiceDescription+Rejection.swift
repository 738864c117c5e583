public import Wire

extension ServiceDescription {
    /// Why a document is not taken, or cannot be written.
    public enum Rejection: Error, Equatable, Sendable {
        /// The text is not JSON.
        case json(JSON.Rejection)
        /// The text is not XML.
        case xml(XML.Rejection)
        /// The text is not of the YAML subset.
        case yaml(YAML.Rejection)
        /// A required member is not there.
        case missing(path: String)
        /// A member is of another type.
        case mismatch(path: String, expected: String, found: JSON.Kind)
        /// A word that the member does not know.
        case foreignValue(path: String, expected: String, found: String)
        /// The name of a protocol is empty, too long, or has control characters.
        case malformedName(path: String)
        /// A name occurs twice among the protocols or settings.
        case duplicateName(path: String)
        /// There are more protocols, settings or list members than the limit.
        case tooMany(path: String, limit: Int)
        /// The root element is not `rsd` of a known version and namespace.
        case foreignRoot(found: String)
        /// There is not exactly one `service`, or `apis` occurs twice.
        case notOnce(path: String, element: String)
        /// Some protocols are written with attributes and some with elements.
        case mixedBindings(path: String)
        /// A character that XML cannot write.
        case unwritable(path: String, scalar: UInt32)
    }
}

extension ServiceDescription.Rejection: CustomStringConvertible {
    /// The rule in words, with the place of its breach.
    public var description: String {
        switch self {
        case .json(let rejection): "\(rejection.description) (\(clause))"
        case .xml(let rejection): rejection.description
        case .yaml(let rejection): rejection.description
        case .missing(let path): "\(path) is required (\(clause))"
        case .mismatch(let path, let expected, let found):
            "\(path): expected \(expected), found \(found.description) (\(clause))"
        case .foreignValue(let path, let expected, let found):
            "\(path): expected \(expected), found \(found) (\(clause))"
        case .malformedName(let path): "\(path): not a name (\(clause))"
        case .duplicateName(let path): "\(path) occurs twice (\(clause))"
        case .tooMany(let path, let limit): "\(path): more than \(limit) (\(clause))"
        case .foreignRoot(let found): "the root element is \(found), not that of an RSD document (\(clause))"
        case .notOnce(let path, let element): "\(path): there must be one element \(element) (\(clause))"
        case .mixedBindings(let path): "\(path): attributes and elements are mixed (\(clause))"
        case .unwritable(let path, let scalar):
            "\(path): XML has no character U+\(String(scalar, radix: 16, uppercase: true)) (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .json(let rejection): rejection.clause
        case .xml(let rejection): rejection.clause
        case .yaml(let rejection): rejection.clause
        case .missing, .mismatch, .foreignValue, .malformedName, .foreignRoot, .notOnce: "RSD-2"
        case .duplicateName, .mixedBindings: "threat-46"
        case .tooMany: "threat-43"
        case .unwritable: "XML-2.2"
        }
    }
}
