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
        Route(.url { $0.endpoints.token }, .post, for: [.service, .app], as: .token, by: token),
        Route(
            .url { $0.endpoints.authorization }, .get, .post, as: .authorization,
            by: { _ in
                { _ throws(Refusal) in
                    throw Refusal(
                        .unsupportedResponseType, "codes of this service are made on the person's device", "APP-3")
                }
            }),
        Route(.url { $0.endpoints.revocation }, .post, for: [.service, .app], as: .revocation, by: revoke),
        Route(.component("global-token-revocation"), .post, as: .globalRevocation, by: endEverything),
        Route(.component("apps"), .get, for: [.service], at: .resource(), as: .apps, by: account { _ in .apps }),
        Route(.component("apps"), .delete, for: [.service], at: .resource(), by: account { _ in .endAll }),
        Route(
            .component("apps/*"), .delete, for: [.service], at: .resource(),
            by: account { (try? BundleID(parsing: $0.parameter)).map { .end($0) } }),

        Route(
            .component("admin"), .get, for: [.service], at: .resource(), as: .administration,
            by: administration(.overview)),
        Route(.component("admin/users"), .get, for: [.service], at: .resource(), by: administration(.users)),
        Route(.component("admin/users/*"), .delete, for: [.service], at: .resource(), by: administration(.endUser)),
        Route(
            .component("admin/users/*/lock"), .post, for: [.service], at: .resource(), by: administration(.lockUser)),
        Route(
            .component("admin/users/*/unlock"), .post, for: [.service], at: .resource(),
            by: administration(.unlockUser)),
        Route(
            .component("admin/users/*/apps/*"), .delete, for: [.service], at: .resource(),
            by: administration(.endAppOfUser)),
        Route(.component("admin/apps"), .get, for: [.service], at: .resource(), by: administration(.apps)),
        Route(.component("admin/apps/*"), .delete, for: [.service], at: .resource(), by: administration(.endApp)),
        Route(.component("admin/apps/*/lock"), .post, for: [.service], at: .resource(), by: administration(.lockApp)),
        Route(
            .component("admin/apps/*/unlock"), .post, for: [.service], at: .resource(), by: administration(.unlockApp)),
        Route(
            .url { $0.endpoints.keys }, .get, .head, as: .keys,
            by: publication { .published($0.authority.publicKeys) }),
        Route(
            .url { $0.endpoints.document }, .get, .head,
            by: publication { .published($0.document.encoded(), as: ServiceDescription.Binding.json.mediaType) }),
        Route(
            .url { $0.document.serviceURL.flatMap(ServiceList.location) }, .get, .head,
            by: publication { .published($0.services.encoded(), as: "text/plain; charset=utf-8") }),
        Route(
            .url { $0.description?.location(of: .authorizationServer) }, .get, .head,
            by: publication { $0.description?.authorizationServerMetadata() }),
        Route(
            .url { $0.description?.location(of: .protectedResource) }, .get, .head,
            by: publication { $0.description?.protectedResourceMetadata(authorizedBy: [$0.authority.issuer]) }),
    ]

    var proof: Possession.Policy { policy.proof }

    /// Begins to answer a request to one of the endpoints of the authorization component, or for what the service
    /// publishes.
    ///
    /// - Parameter now: the time; a host that begins anew after a conflict gives the time that it is then.
    public func exchange(
        for request: HTTP.Request, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<HTTP.Response> {
        answered(request, at: now, using: &entropy)
    }

    /// Where its endpoints are, for whoever compares that with what is written.
    package var endpointPlaces: [String] { places }

    /// What the service says about itself (RFC 8414, RFC 9728); `nil` if its issuer identifier cannot be published.
    ///
    /// Its token endpoint takes no client assertions: whoever redeems a grant proves the key that the grant names.
    public var description: ServerDescription? {
        try? ServerDescription(
            authority.issuer, endpoints: publishedEndpoints, grants: [.jwtBearer, .authorizationCode, .refreshToken],
            scopes: endpoints.offer, algorithms: [], proofAlgorithms: proof.holders.algorithms)
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

extension Route<FederationService>.Location {
    /// Below the authorization component, where the tokens of instances open everything (AST-7).
    fileprivate static func component(_ path: String) -> Self {
        .below({ $0.endpoints.component }, Route.parts(path[...]))
    }
}
