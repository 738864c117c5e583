/// Uniform Resource Identifiers by their generic syntax (RFC 3986), whatever the scheme.
///
/// What may be asked of a server on the web is a `WebURL`.
public enum URI {
    /// The most bytes that a reference may have.
    public static let lengthLimit = 65_536

    /// The parts of a reference.
    public enum Component: Sendable {
        /// What stands before the first colon.
        case scheme
        /// What stands before the `@` of an authority.
        case userInformation
        /// The name or address in an authority.
        case host
        /// The number after an authority's last colon.
        case port
        /// What stands between the authority and the query.
        case path
        /// What stands between the question mark and the fragment.
        case query
        /// What stands after the number sign.
        case fragment
    }

    /// The rules of the generic syntax and of resolution.
    public enum Rejection: Error, Equatable, Sendable {
        /// The text is longer than the limit.
        case tooLong(length: Int, limit: Int)
        /// The byte may not stand in this component.
        case foreignCharacter(UInt8, in: Component, offset: Int)
        /// The percent sign is not followed by two hexadecimal digits.
        case brokenTriplet(in: Component, offset: Int)
        /// What stands in brackets from the offset is no address.
        case malformedAddress(offset: Int)
        /// The number from the offset is no port.
        case portOutOfRange(offset: Int)
        /// The base names no scheme, so nothing can be resolved against it.
        case relativeBase
        /// The path of the result begins with two slashes and would be read as an authority.
        case pathReadsAsAuthority
    }
}

extension URI.Rejection: CustomStringConvertible {
    /// The rule in words, with the place of its breach.
    public var description: String {
        switch self {
        case .tooLong(let length, let limit): "a URI of \(length) bytes, at most \(limit) are allowed (\(clause))"
        case .foreignCharacter(let byte, let component, let offset):
            "byte \(byte) in the \(component.name) at offset \(offset) (\(clause))"
        case .brokenTriplet(let component, let offset):
            "a broken percent-encoding in the \(component.name) at offset \(offset) (\(clause))"
        case .malformedAddress(let offset): "no address in the brackets, from offset \(offset) (\(clause))"
        case .portOutOfRange(let offset): "a port above 65535 at offset \(offset) (\(clause))"
        case .relativeBase: "the base is not absolute (\(clause))"
        case .pathReadsAsAuthority: "the resulting path would be read as an authority (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .tooLong: "threat-14"
        case .foreignCharacter(_, let component, _), .brokenTriplet(let component, _): component.clause
        case .malformedAddress: "RFC3986-3.2.2"
        case .portOutOfRange: "RFC3986-3.2.3"
        case .relativeBase: "RFC3986-5.1"
        case .pathReadsAsAuthority: "RFC3986-3.3"
        }
    }
}

extension URI.Component {
    /// The component's name in the standard.
    var name: String {
        switch self {
        case .scheme: "scheme"
        case .userInformation: "user information"
        case .host: "host"
        case .port: "port"
        case .path: "path"
        case .query: "query"
        case .fragment: "fragment"
        }
    }

    /// The clause that gives the component's grammar.
    var clause: String {
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
