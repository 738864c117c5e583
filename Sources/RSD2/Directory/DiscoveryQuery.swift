public import Wire

/// What a client asks the protocol discovery: which services offer these protocols, or what is known of these services.
public enum DiscoveryQuery: Sendable, Equatable {
    /// The services that offer all of these protocols.
    case protocols([ProtocolName])
    /// The documents of these services.
    case services([ServiceURL])

    /// The most names or URLs of a query.
    public static let lengthLimit = 1_000
}

extension DiscoveryQuery: Parsable {
    /// Reads a JSON array of protocol names or of service URLs; what has `://` is a URL.
    ///
    /// A URL that no service can have is passed over, because its answer is known: there is no such service.
    public init(parsing bytes: Span<UInt8>) throws(FormatRejection) {
        let limits = JSON.Limits(size: 1 << 20, depth: 2)
        let body = try wrapping(
            { (rejection: JSON.Rejection) in FormatRejection(rejection.rule) }, try JSON(parsing: bytes, limits: limits)
        )
        guard let elements = body.array else { throw .notStrings }
        try Self.check(count: elements.count)
        var names: [ProtocolName] = []
        var urls: [ServiceURL] = []
        var urlCount = 0
        for (position, element) in elements.enumerated() {
            guard let text = element.string else { throw .notStrings }
            if Self.isURL(text) {
                urlCount += 1
                if let url = try? ServiceURL(parsing: text) { urls.append(url) }
            } else {
                guard let name = try? ProtocolName(parsing: text) else { throw .malformedName(position: position) }
                names.append(name)
            }
        }
        guard urlCount == 0 || names.isEmpty else { throw .mixed }
        self = names.isEmpty ? .services(urls) : .protocols(names)
    }

    private static func isURL(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: "://".utf8) }
    }

    static func check(count: Int) throws(FormatRejection) {
        guard count > 0 else { throw .nothingAsked }
        guard count <= lengthLimit else { throw .tooManyNames(count: count, limit: lengthLimit) }
    }
}

/// The rules of a query.
extension FormatRejection {
    static var notStrings: Self { Self("DSC-1", "a query is an array of strings") }

    static var nothingAsked: Self { Self("DSC-1", "there is nothing to look for") }

    static func tooManyNames(count: Int, limit: Int) -> Self {
        Self("threat-43", "\(count) names where \(limit) are allowed")
    }

    package static var mixed: Self { Self("DSC-1", "protocol names and service URLs are mixed") }

    static func malformedName(position: Int) -> Self {
        Self("DSC-1", "element \(position) is not a name of a protocol")
    }
}
