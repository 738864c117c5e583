public import Wire

/// The URL by which a federation knows a service, compared in its normal form: scheme and host in lower case, no
/// default port, and no slash at the end of a path that counts.
public struct ServiceURL: Sendable {
    /// The URL as it was read.
    public let url: WebURL
    /// The normal form, by which services are told apart.
    public let identity: String

    /// The service that is known by a URL.
    public init(_ url: WebURL) {
        self.url = url
        identity = url.identity
    }
}

extension ServiceURL: Parsable {
    /// Reads a service's URL.
    public init(parsing bytes: Span<UInt8>) throws(URI.Rejection) {
        self.init(try WebURL(parsing: bytes))
    }
}

extension ServiceURL: Hashable, Comparable, CustomStringConvertible {
    /// Whether both name the same service.
    public static func == (left: ServiceURL, right: ServiceURL) -> Bool {
        left.identity.utf8.elementsEqual(right.identity.utf8)
    }

    /// Whether one normal form comes before the other, byte by byte.
    public static func < (left: ServiceURL, right: ServiceURL) -> Bool {
        left.identity.utf8.lexicographicallyPrecedes(right.identity.utf8)
    }

    /// Feeds the normal form.
    public func hash(into hasher: inout Hasher) {
        for byte in identity.utf8 { hasher.combine(byte) }
    }

    /// The normal form.
    public var description: String { identity }
}

extension ServiceDescription {
    /// The URL that the service is known by: its home page, or its engine link if it has no home page.
    public var serviceURL: ServiceURL? {
        if let homePageLink { return try? ServiceURL(parsing: homePageLink) }
        return try? ServiceURL(parsing: engineLink)
    }
}
