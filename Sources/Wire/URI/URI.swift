/// Uniform Resource Identifiers by their generic syntax (RFC 3986), whatever the scheme.
///
/// What may be asked of a server on the web is a `WebURL`.
public enum URI {
    /// The most bytes that a reference may have.
    package static let lengthLimit = 65_536

    /// The parts of a reference.
    public enum Component: String, Sendable {
        /// What stands before the first colon.
        case scheme
        /// What stands before the `@` of an authority.
        case userInformation = "user information"
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
}
