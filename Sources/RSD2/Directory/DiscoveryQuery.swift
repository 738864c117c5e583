public import Wire

/// What a client asks the protocol discovery: which services offer these protocols, or what is known of these services.
public enum DiscoveryQuery: Sendable, Equatable {
    /// The services that offer all of these protocols.
    case protocols([ProtocolName])
    /// The documents of these services.
    case services([ServiceURL])

    /// The most names or URLs of a query.
    public static let lengthLimit = 1_000

    /// Why a query is a bad request.
    public enum Rejection: Error, Equatable, Sendable {
        /// The body is not JSON.
        case json(JSON.Rejection)
        /// The body is no array of strings.
        case notStrings
        /// There is nothing to look for.
        case empty
        /// There are more names or URLs than the limit.
        case tooLong(count: Int, limit: Int)
        /// Protocol names and URLs are mixed.
        case mixed
        /// A name that no protocol can have.
        case malformedName(position: Int)
    }
}

extension DiscoveryQuery: Parsable {
    /// Reads a JSON array of protocol names or of service URLs; what has `://` is a URL.
    ///
    /// A URL that no service can have is passed over, because its answer is known: there is no such service.
    public init(parsing bytes: Span<UInt8>) throws(Rejection) {
        let body: JSON
        do throws(JSON.Rejection) {
            body = try JSON(parsing: bytes, limits: JSON.Limits(size: 1 << 20, depth: 2))
        } catch {
            throw .json(error)
        }
        guard let elements = body.array else { throw .notStrings }
        guard !elements.isEmpty else { throw .empty }
        guard elements.count <= Self.lengthLimit else { throw .tooLong(count: elements.count, limit: Self.lengthLimit) }
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
}

extension DiscoveryQuery.Rejection: CustomStringConvertible {
    /// The rule in words.
    public var description: String {
        switch self {
        case .json(let rejection): "\(rejection.description) (\(clause))"
        case .notStrings: "a query is an array of strings (\(clause))"
        case .empty: "there is nothing to look for (\(clause))"
        case .tooLong(let count, let limit): "\(count) names where \(limit) are allowed (\(clause))"
        case .mixed: "protocol names and service URLs are mixed (\(clause))"
        case .malformedName(let position): "element \(position) is no name of a protocol (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .json(let rejection): rejection.clause
        case .notStrings, .empty, .mixed, .malformedName: "DSC-1"
        case .tooLong: "threat-43"
        }
    }
}
