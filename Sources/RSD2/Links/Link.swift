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
    public enum LinkRejection: BrokenRule {
        /// The protocol is not in the document.
        case notOffered(ProtocolName)
        /// The protocol is offered without a link.
        case missing(Link)
        /// A relative link has nothing absolute to be relative to.
        case baseless(Link, missing: Link)
        /// The absolute link, or the URL that the link leads to, is not a safe web URL.
        case malformed(Link, URI.Rejection)
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

        /// The rule, with the link that breaks it.
        public var rule: Rule {
            switch self {
            case .notOffered(let name): Rule("RSD-3", "\(name.text) is not offered")
            case .missing(let link): Rule("RSD-3", "there is no \(link)")
            case .baseless(let link, let missing):
                Rule("RSD-3", "\(link) is relative and there is no absolute \(missing)")
            case .malformed(let link, let rejection):
                Rule(rejection.clause, "\(link): \(rejection.text)")
            case .climbing(let link): Rule("threat-41", "\(link) leaves its base by a dot segment")
            case .authority(let link): Rule("threat-41", "\(link) begins with an authority")
            case .scheme(let link): Rule("threat-40", "\(link) begins with a scheme")
            case .control(let link): Rule("threat-40", "\(link) has a control character")
            case .queryOrFragment(let link): Rule("RSD-3", "\(link) is a base, but has a query or a fragment")
            case .fragment(let link): Rule("RSD-3", "\(link) has a fragment")
            case .unencrypted(let link): Rule("threat-40", "\(link) leads to an endpoint without encryption")
            }
        }
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
