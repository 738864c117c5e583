public import OAuth2Grants
public import RSD2
internal import TokenTree
public import Wire

/// The protocol discovery as a federation service of its own (DSC-8): instances are introduced to it like to any other
/// service, and ask with the service token that they get for it.
public struct ProtocolDiscovery: Sendable {
    /// The service that gives tokens for it.
    public var service: FederationService
    /// What is known of the federation's services.
    public var directory: ServiceDirectory

    /// The discovery of a service, whose tokens from now on open the discovery beside the authorization component.
    public init(_ service: FederationService, directory: ServiceDirectory) {
        self.service = service
        self.directory = directory
        // A URL without query with a fixed word behind it is an endpoint.
        if let scope = try? Scope.Token(service.authority.endpoint(DiscoveryEndpoint.either.rawValue)) {
            self.service.policy.serviceScope = Scope(service.policy.serviceScope.tokens + [scope])
        }
    }

    /// Begins to answer a query (3b), or whatever else is the service's to answer.
    public func exchange(
        for request: HTTP.Request, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<HTTP.Response> {
        routed(request, at: now, using: &entropy) ?? service.exchange(for: request, at: now, using: &entropy)
    }
}

extension ProtocolDiscovery: RoutedParty {
    var authority: Authority { service.authority }

    var proof: Possession.Policy { service.proof }

    func refuser(for call: Call) -> Refuser<HTTP.Response> {
        let check = AccessCheck(service, call.request, call.url, at: call.now)
        return Refuser(code: .invalidToken) { check.response(to: $0) }
    }

    /// What the discovery answers beside what every service does.
    static let routes: [Route<ProtocolDiscovery>] = [
        Route("discovery", .post, for: [.service, .app], at: .resource(), as: .discovery, by: discovery(.either)),
        Route("discovery/protocols", .post, for: [.service, .app], at: .resource(), by: discovery(.protocols)),
        Route("discovery/services", .post, for: [.service, .app], at: .resource(), by: discovery(.services)),
        Route(
            .url { $0.description?.location(of: .authorizationServer) }, .get, .head,
            by: publication { $0.description?.authorizationServerMetadata() }),
    ]

    /// Where the endpoints of the discovery are, for whoever compares that with what is written.
    package var endpointPlaces: [String] { places }

    /// What the service says about itself, with the place of the discovery (RFC 8414).
    public var description: ServerDescription? {
        service.description.map { described in
            var described = described
            for (name, url) in publishedEndpoints { described.endpoints[name] = url }
            return described
        }
    }

    /// The endpoint for queries, which are made for an authenticated user (DSC-5).
    private static func discovery(_ endpoint: DiscoveryEndpoint) -> Route<ProtocolDiscovery>.Handler {
        { discovery in
            { call throws(Refusal) in
                let check = AccessCheck(discovery.service, call.request, call.url, at: call.now)
                return { asking throws(Refusal) in
                    let access = try check.access(&asking)
                    return Answer(
                        .json(try endpoint.documents(for: call.request, from: discovery.directory)), access.changes)
                }
            }
        }
    }
}
