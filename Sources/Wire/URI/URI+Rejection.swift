extension URI {
    /// Why a text is not taken as a URI, or a URI not as one that may be asked on the web.
    ///
    /// Offsets count bytes from the start of the text.
    public enum Rejection: BrokenRule {
        /// The text is longer than the limit.
        case tooLong(length: Int, limit: Int)
        /// The byte may not stand in this component.
        case foreignCharacter(UInt8, in: Component, offset: Int)
        /// The percent sign is not followed by two hexadecimal digits.
        case brokenTriplet(in: Component, offset: Int)
        /// What stands in brackets, or for an IP address, leaves its grammar at the offset.
        case malformedAddress(offset: Int)
        /// The number from the offset is not a port.
        case portOutOfRange(offset: Int)
        /// The base names no scheme, so nothing can be resolved against it.
        case relativeBase
        /// The path of the result begins with two slashes and would be read as an authority.
        case pathReadsAsAuthority

        /// The URL of the web names no scheme.
        case relative
        /// Its scheme is neither `http` nor `https`.
        case foreignScheme
        /// No authority follows the scheme.
        case missingAuthority
        /// User information stands before the host.
        case userInformation(offset: Int)
        /// The host is empty.
        case emptyHost(offset: Int)
        /// A byte that no safe host name has; percent-encoding is one.
        case foreignHostCharacter(UInt8, offset: Int)
        /// A host name of more than 253 bytes.
        case hostTooLong(length: Int)
        /// Two dots in a row, or one before the name.
        case emptyLabel(offset: Int)
        /// A label of more than 63 bytes.
        case labelTooLong(offset: Int)
        /// The name ends in a number, but it is not an address in its plain form; some would read it as one.
        case disguisedAddress(offset: Int)
        /// An address in brackets that is not of version 6.
        case foreignAddress(offset: Int)
        /// An internationalized label that is not certainly valid everywhere.
        case doubtfulLabel(offset: Int)

        /// The target of a request is neither a path nor a URL.
        case notATarget
        /// The target of a request has a fragment, which is never sent.
        case fragmentInTarget

        /// The rule that was broken.
        public var rule: Rule {
            switch self {
            case .tooLong(let length, let limit):
                Rule("threat-14", "a URI of \(length) bytes, at most \(limit) are allowed")
            case .foreignCharacter(let byte, let component, let offset):
                Rule(component.clause, "byte \(byte) in the \(component.rawValue) at offset \(offset)")
            case .brokenTriplet(let component, let offset):
                Rule(component.clause, "a broken percent-encoding in the \(component.rawValue) at offset \(offset)")
            case .malformedAddress(let offset): Rule("RFC3986-3.2.2", "not an IP address from offset \(offset)")
            case .portOutOfRange(let offset): Rule("RFC3986-3.2.3", "a port above 65535 at offset \(offset)")
            case .relativeBase: Rule("RFC3986-5.1", "the base is not absolute")
            case .pathReadsAsAuthority: Rule("RFC3986-3.3", "the resulting path would be read as an authority")
            case .relative: Rule("RFC3986-4.3", "a URL without a scheme")
            case .foreignScheme: Rule("threat-40", "a scheme other than http and https")
            case .missingAuthority: Rule("threat-40", "no host after the scheme")
            case .userInformation(let offset): Rule("threat-40", "user information at offset \(offset)")
            case .emptyHost(let offset): Rule("RFC9110-4.2.1", "an empty host at offset \(offset)")
            case .foreignHostCharacter(let byte, let offset):
                Rule("threat-40", "byte \(byte) in a host at offset \(offset)")
            case .hostTooLong(let length): Rule("RFC1035-2.3.4", "a host of \(length) bytes")
            case .emptyLabel(let offset): Rule("RFC1035-2.3.4", "an empty label in a host at offset \(offset)")
            case .labelTooLong(let offset): Rule("RFC1035-2.3.4", "a label of more than 63 bytes at offset \(offset)")
            case .disguisedAddress(let offset):
                Rule("threat-40", "a host that ends in a number but is not a plain address, at offset \(offset)")
            case .foreignAddress(let offset):
                Rule("threat-40", "an address of an unknown version at offset \(offset)")
            case .doubtfulLabel(let offset):
                Rule("RFC5891-5.4", "a doubtful internationalized label at offset \(offset)")
            case .notATarget: Rule("RFC9112-3.2", "a target that is neither a path nor a URL")
            case .fragmentInTarget: Rule("RFC9112-3.2", "a fragment in a request's target")
            }
        }
    }
}

extension URI.Component {
    /// The clause that gives the component's grammar.
    fileprivate var clause: String {
        switch self {
        case .scheme: "RFC3986-3.1"
        case .userInformation: "RFC3986-3.2.1"
        case .host: "RFC3986-3.2.2"
        case .port: "RFC3986-3.2.3"
        case .path: "RFC3986-3.3"
        case .query: "RFC3986-3.4"
        case .fragment: "RFC3986-3.5"
        }
    }
}
