/// An absolute `http` or `https` URL that means the same to everybody: where the URI standard and what browsers do (the
/// WHATWG URL standard) disagree about the scheme, the host or the port, the text is refused.
///
/// What is left cannot send one reader here and another one there.
///
/// The text is kept as it was read; `==` compares by `identity`.
public struct WebURL: Sendable, Hashable, Parsable, CustomStringConvertible {
    /// The text's components.
    package let reference: URI.Reference
    /// The scheme.
    public let scheme: Scheme
    /// The host, in normal form.
    public let host: Host
    /// The port, unless it is the default one of the scheme.
    public let port: UInt16?

    /// The schemes of the web.
    public enum Scheme: String, Sendable {
        /// Without protection.
        case http
        /// Over TLS.
        case https

        /// The port that need not be written.
        package var defaultPort: UInt16 {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }

    /// What a URL says about whom to ask.
    public enum Host: Hashable, Sendable {
        /// A domain name in lower-case ASCII.
        case domain(String)
        /// Four numbers.
        case ipv4(URI.IPv4Address)
        /// Eight groups.
        case ipv6(URI.IPv6Address)
    }

    init(checking reference: URI.Reference) throws(URI.Rejection) {
        let layout = reference.layout
        guard let range = layout.scheme else { throw .relative }
        guard let scheme = Scheme(rawValue: reference.bytes.span.lowercasedText(range)) else { throw .foreignScheme }
        guard let hostRange = layout.host else { throw .missingAuthority }
        if let user = layout.userInformation { throw .userInformation(offset: user.lowerBound) }
        self.reference = reference
        self.scheme = scheme
        host = try Host(checking: reference.bytes.span, hostRange)
        let port = reference.authority?.port
        self.port = port == scheme.defaultPort ? nil : port
    }
}

extension WebURL {
    /// Reads an absolute URL.
    public init(parsing bytes: Span<UInt8>) throws(URI.Rejection) {
        try self.init(checking: URI.Reference(parsing: bytes))
    }

    /// Reads an absolute URL, or a relative reference in a document at the base.
    ///
    /// An absolute URL must be whole: `http:path` and the like, which old readers take for relative ones, are refused.
    package init(parsing bytes: Span<UInt8>, relativeTo base: WebURL) throws(URI.Rejection) {
        let reference = try URI.Reference(parsing: bytes)
        // Checked before its components move to other offsets, so that a rejection tells the place in this text.
        if reference.layout.scheme != nil {
            try self.init(checking: reference)
            return
        }
        if let host = reference.layout.host {
            if let user = reference.layout.userInformation { throw .userInformation(offset: user.lowerBound) }
            _ = try Host(checking: reference.bytes.span, host)
        }
        try self.init(checking: base.reference.resolve(reference))
    }

    /// Reads an absolute URL, or a relative reference in a document at the base.
    package init(parsing text: String, relativeTo base: WebURL) throws(URI.Rejection) {
        self = try withBytes(of: text.utf8) { bytes throws(URI.Rejection) in
            try WebURL(parsing: bytes, relativeTo: base)
        }
    }

    /// The URL of what lies below this one: its path, one slash and a relative path; query and fragment are dropped.
    public func appending(_ path: String) throws(URI.Rejection) -> WebURL {
        let end = reference.layout.path.upperBound
        let slash = end > 0 && reference.bytes[end - 1] == UInt8(ascii: "/") ? "" : "/"
        return try WebURL(parsing: reference.bytes.span.text(0..<end) + slash + path)
    }

    /// Reads an absolute URL, or a relative reference in a document at the base, from any collection of bytes.
    package init(parsing bytes: some Collection<UInt8>, relativeTo base: WebURL) throws(URI.Rejection) {
        self = try withBytes(of: bytes) { bytes throws(URI.Rejection) in try WebURL(parsing: bytes, relativeTo: base) }
    }
}

extension WebURL {
    /// The text as it was read.
    public var text: String { reference.text }

    /// The text as it was read.
    public var description: String { reference.text }

    /// The path as it was written, which may be empty.
    public var path: String { reference.path }

    /// The query as it was written, without its question mark.
    public var query: String? { reference.query }

    /// The fragment as it was written, without its number sign.
    public var fragment: String? { reference.fragment }
}
