/// An absolute `http` or `https` URL that means the same to everybody: where the URI standard and what browsers do (the
/// WHATWG URL standard) disagree about the scheme, the host or the port, the text is refused.
///
/// What is left cannot send one reader here and another one there.
///
/// The text is kept as it was read; `==` compares by `identity`.
public struct WebURL: Sendable {
    /// The text's components.
    public let reference: URI.Reference
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
        public var defaultPort: UInt16 {
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
        case ipv4(IPv4Address)
        /// Eight groups.
        case ipv6(IPv6Address)
    }

    /// What makes a text no safe web URL.
    public enum Rejection: Error, Equatable, Sendable {
        /// It is no URI at all.
        case malformed(URI.Rejection)
        /// It names no scheme.
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
        case foreignCharacter(UInt8, offset: Int)
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
    }

    init(checking reference: URI.Reference) throws(Rejection) {
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

extension WebURL: Parsable {
    /// Reads an absolute URL.
    public init(parsing bytes: Span<UInt8>) throws(Rejection) {
        try self.init(checking: Self.reference(bytes))
    }

    /// Reads an absolute URL, or a relative reference in a document at the base.
    ///
    /// An absolute URL must be whole: `http:path` and the like, which old readers take for relative ones, are refused.
    public init(parsing bytes: Span<UInt8>, relativeTo base: WebURL) throws(Rejection) {
        let reference = try Self.reference(bytes)
        // Checked before its components move to other offsets, so that a rejection tells the place in this text.
        if reference.layout.scheme != nil {
            try self.init(checking: reference)
            return
        }
        if let host = reference.layout.host {
            if let user = reference.layout.userInformation { throw .userInformation(offset: user.lowerBound) }
            _ = try Host(checking: reference.bytes.span, host)
        }
        let target: URI.Reference
        do throws(URI.Rejection) {
            target = try base.reference.resolve(reference)
        } catch {
            throw .malformed(error)
        }
        try self.init(checking: target)
    }

    /// Reads an absolute URL, or a relative reference in a document at the base.
    public init(parsing text: String, relativeTo base: WebURL) throws(Rejection) {
        self = try withBytes(of: text.utf8) { bytes throws(Rejection) in try WebURL(parsing: bytes, relativeTo: base) }
    }

    /// Reads an absolute URL, or a relative reference in a document at the base, from any collection of bytes.
    public init(parsing bytes: some Collection<UInt8>, relativeTo base: WebURL) throws(Rejection) {
        self = try withBytes(of: bytes) { bytes throws(Rejection) in try WebURL(parsing: bytes, relativeTo: base) }
    }

    private static func reference(_ bytes: Span<UInt8>) throws(Rejection) -> URI.Reference {
        do throws(URI.Rejection) {
            return try URI.Reference(parsing: bytes)
        } catch {
            throw .malformed(error)
        }
    }
}

extension WebURL: CustomStringConvertible {
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

extension WebURL.Rejection: CustomStringConvertible {
    /// The rule in words, with the place of its breach.
    public var description: String {
        switch self {
        case .malformed(let reason): reason.description
        case .relative: "a URL without a scheme (\(clause))"
        case .foreignScheme: "a scheme other than http and https (\(clause))"
        case .missingAuthority: "no host after the scheme (\(clause))"
        case .userInformation(let offset): "user information at offset \(offset) (\(clause))"
        case .emptyHost(let offset): "an empty host at offset \(offset) (\(clause))"
        case .foreignCharacter(let byte, let offset): "byte \(byte) in a host at offset \(offset) (\(clause))"
        case .hostTooLong(let length): "a host of \(length) bytes (\(clause))"
        case .emptyLabel(let offset): "an empty label in a host at offset \(offset) (\(clause))"
        case .labelTooLong(let offset): "a label of more than 63 bytes at offset \(offset) (\(clause))"
        case .disguisedAddress(let offset):
            "a host that ends in a number but is no plain address, at offset \(offset) (\(clause))"
        case .foreignAddress(let offset): "an address of an unknown version at offset \(offset) (\(clause))"
        case .doubtfulLabel(let offset): "a doubtful internationalized label at offset \(offset) (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .malformed(let reason): reason.clause
        case .relative: "RFC3986-4.3"
        case .emptyHost: "RFC9110-4.2.1"
        case .hostTooLong, .labelTooLong, .emptyLabel: "RFC1035-2.3.4"
        case .doubtfulLabel: "RFC5891-5.4"
        case .foreignScheme, .missingAuthority, .userInformation, .foreignCharacter, .disguisedAddress, .foreignAddress:
            "threat-40"
        }
    }
}
