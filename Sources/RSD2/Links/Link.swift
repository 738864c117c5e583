public import Wire

extension ServiceDescription {
    /// A link of a document, or the path that an app adds to one; errors say which one they mean.
    public enum Link: Equatable, Sendable {
        /// The service's page.
        case homePageLink
        /// The base of relative protocol links.
        case engineLink
        /// The link of a protocol.
        case apiLink(ProtocolName)
        /// The path below a protocol's link.
        case path
    }

    /// Whether an endpoint may be reached without TLS.
    public enum Encryption: Sendable {
        /// Only `https`, and `http` to the machine itself.
        case required
        /// `http` too, as documents are allowed to say.
        case optional
    }

    /// Why an endpoint cannot be built.
    public enum LinkRejection: Error, Equatable, Sendable {
        /// The protocol is not in the document.
        case notOffered(ProtocolName)
        /// The protocol is offered without a link.
        case missing(Link)
        /// A relative link has nothing absolute to be relative to.
        case baseless(Link, missing: Link)
        /// The absolute link, or the URL that the link leads to, is no safe web URL.
        case malformed(Link, WebURL.Rejection)
        /// The relative link has a `.` or `..` segment, in whatever encoding.
        case climbing(Link)
        /// The relative link begins with `//`.
        case authority(Link)
        /// The relative link begins with a scheme.
        case scheme(Link)
        /// The relative link has a control character, as it is or encoded.
        case control(Link)
        /// A query or a fragment stands in a link that another one is appended to.
        case queryOrFragment(Link)
        /// The path has a fragment.
        case fragment(Link)
        /// The endpoint is not encrypted and not on this machine.
        case unencrypted(Link)
    }
}

extension ServiceDescription.Link: CustomStringConvertible {
    /// The link's name in documents.
    public var description: String {
        switch self {
        case .homePageLink: "homePageLink"
        case .engineLink: "engineLink"
        case .apiLink(let name): "apiLink of \(name.text)"
        case .path: "path"
        }
    }
}

extension ServiceDescription.LinkRejection: CustomStringConvertible {
    /// The rule in words, with the link that breaks it.
    public var description: String {
        switch self {
        case .notOffered(let name): "\(name.text) is not offered (\(clause))"
        case .missing(let link): "there is no \(link) (\(clause))"
        case .baseless(let link, let missing): "\(link) is relative and there is no absolute \(missing) (\(clause))"
        case .malformed(let link, let rejection): "\(link): \(rejection.description)"
        case .climbing(let link): "\(link) leaves its base by a dot segment (\(clause))"
        case .authority(let link): "\(link) begins with an authority (\(clause))"
        case .scheme(let link): "\(link) begins with a scheme (\(clause))"
        case .control(let link): "\(link) has a control character (\(clause))"
        case .queryOrFragment(let link): "\(link) is a base, but has a query or a fragment (\(clause))"
        case .fragment(let link): "\(link) has a fragment (\(clause))"
        case .unencrypted(let link): "\(link) leads to an endpoint without encryption (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .notOffered, .missing, .baseless, .queryOrFragment, .fragment: "RSD-3"
        case .malformed(_, let rejection): rejection.clause
        case .climbing, .authority: "threat-41"
        case .scheme, .control, .unencrypted: "threat-40"
        }
    }
}
