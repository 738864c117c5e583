public import RSD2
public import Wire

/// A service's RSD2 description with the very text that the discovery delivered (DAT-3).
public struct DiscoveredService: Sendable {
    /// The URL that the service is known by.
    public let service: ServiceURL
    /// What the text says.
    public let description: ServiceDescription
    /// The text, byte for byte: with the white space, the unknown members and the spelling of numbers that it came
    /// with.
    public let text: String

    /// The name that people know the service by, or its host where it has none.
    public var displayName: String {
        if let name = description.engineName, !name.isEmpty { return name }
        return service.url.host.text
    }

    /// The endpoint of `org.ietf.oauth2`, where the description leads to a safe one.
    var oauth2Endpoint: WebURL? {
        guard let oauth2 = description.oauth2 else { return nil }
        return try? description.endpoint(for: oauth2.name)
    }
}

extension DiscoveredService: Parsable, Equatable {
    /// Reads one description and keeps its text.
    public init(parsing bytes: Span<UInt8>) throws(RowRejection) {
        do throws(ServiceDescription.Rejection) {
            description = try ServiceDescription(parsing: bytes)
        } catch {
            throw .document(error)
        }
        guard let service = description.serviceURL else { throw .nameless }
        self.service = service
        text = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }

    /// Whether both texts have the same bytes.
    public static func == (one: DiscoveredService, other: DiscoveredService) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }
}

extension DiscoveredService: CustomDebugStringConvertible, CustomReflectable {
    /// Name and URL: a careless service may have left tokens in its text (threat 45).
    public var debugDescription: String { "\(displayName) <\(service)>" }

    /// Nothing to look into: a dump ends up in logs as well.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What the protocol discovery answered (3b): the descriptions, each service once, in an order of their own (DSC-2,
/// DSC-4).
public struct DiscoveryAnswer: Sendable, Equatable {
    /// The services, sorted by their URLs.
    public let services: [DiscoveredService]
    /// What was left out, by its position, so that one broken description does not hide the others.
    public let flaws: [Flaw]

    /// An element of the answer that is of no use.
    public struct Flaw: Sendable, Equatable {
        /// Where it stood.
        public let position: Int
        /// Why it was left out.
        public let rejection: RowRejection
    }
}

extension DiscoveryAnswer: Parsable {
    /// Reads an answer; of several descriptions of one service that with the smallest text counts, wherever it stands.
    public init(parsing bytes: Span<UInt8>) throws(JSON.Rejection) {
        var candidates: [DiscoveredService] = []
        var flaws: [Flaw] = []
        for (position, element) in try JSON.Document(parsing: bytes).root.array().enumerated() {
            do throws(RowRejection) {
                candidates.append(try DiscoveredService(parsing: element.raw))
            } catch {
                flaws.append(Flaw(position: position, rejection: error))
            }
        }
        services = DiscoveredService.distinct(candidates)
        self.flaws = flaws
    }
}

extension DiscoveredService {
    /// Each service once, sorted, whatever the order they came in.
    static func distinct(_ services: [DiscoveredService]) -> [DiscoveredService] {
        let sorted = services.sorted { one, other in
            one.service == other.service
                ? one.text.utf8.lexicographicallyPrecedes(other.text.utf8) : one.service < other.service
        }
        var distinct: [DiscoveredService] = []
        for service in sorted where distinct.last?.service != service.service { distinct.append(service) }
        return distinct
    }
}
