internal import JOSE
public import OAuth2Grants
internal import RSD2
internal import TokenTree
public import Wire

extension FederationService: RoutedParty {
    /// All that the authorization component answers, and what everybody may read: place, method, the tokens that open
    /// it, and who answers.
    ///
    /// A token endpoint asks for less or more by grant; apps' own endpoints are the service's, behind
    /// ``access(for:to:in:at:)``.
    static let routes: [Route<FederationService>] = [
        Route({ $0.endpoints.token }, .post, for: [.service, .app], as: .token, by: token),
        Route({ $0.endpoints.revocation }, .post, for: [.service, .app], as: .revocation, by: revoke),
        Route(
            { $0.endpoints.keys }, .get, .head, as: .keys,
            by: publication { .published($0.authority.publicKeys.encoded()) }),
        Route(
            { $0.endpoints.document }, .get, .head,
            by: publication { .published($0.document.encoded(), as: ServiceDescription.Binding.json.mediaType) }),
        Route(
            { try? WebURL(parsing: $0.authority.base.origin.text + "/services.txt") }, .get, .head,
            by: publication { .published($0.services.encoded(), as: "text/plain; charset=utf-8") }),
        Route(
            { $0.description?.location(of: .authorizationServer) }, .get, .head,
            by: publication { $0.description?.authorizationServerMetadata() }),
        Route(
            { $0.description?.location(of: .protectedResource) }, .get, .head,
            by: publication { $0.description?.protectedResourceMetadata(authorizedBy: [$0.authority.issuer]) }),
    ]

    /// Begins to answer a request to one of the endpoints of the authorization component, or for what the service
    /// publishes.
    ///
    /// - Parameter now: the time; a host that begins anew after a conflict gives the time that it is then.
    public func exchange(
        for request: HTTP.Request, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<HTTP.Response> {
        answered(request, at: now, using: &entropy)
    }

    /// What the service says about itself (RFC 8414, RFC 9728); `nil` if its issuer identifier cannot be published.
    public var description: ServerDescription? {
        var published = publishedEndpoints
        published[.authorization] = endpoints.authorization
        return try? ServerDescription(
            authority.issuer, endpoints: published, grants: [.jwtBearer, .authorizationCode, .refreshToken],
            scopes: endpoints.offer)
    }

    /// What everybody may read, with its body or, for `HEAD`, without.
    private static func publication(
        _ publish: @escaping @Sendable (FederationService) -> HTTP.Response?
    ) -> Route<FederationService>.Handler {
        { service in
            { call throws(Refusal) in
                guard let published = publish(service) else { throw .failed }
                return { _ in
                    Answer(call.request.method == .head ? .init(published.status, fields: published.fields) : published)
                }
            }
        }
    }

    private var services: ServiceList {
        guard let reference = try? URI.Reference(parsing: endpoints.document.text) else {
            return ServiceList(entries: [])
        }
        return ServiceList(
            entries: [ServiceList.Entry(mediaType: ServiceDescription.Binding.json.mediaType, reference: reference)],
            timeToLive: 3_600)
    }
}
