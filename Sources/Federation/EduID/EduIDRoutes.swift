internal import JOSE
public import OAuth2Grants
internal import TokenTree
public import Wire

extension EduIDService: RoutedParty {
    /// All that the edu-ID service answers: path, method, the tokens that open it, how it refuses, and who answers.
    ///
    /// A token endpoint asks for less or more by grant; (6) asks for a service's own assertion.
    static let routes: [Route<EduIDService>] = [
        Route("token", .post, for: [.client, .personal], as: .token, by: token),
        Route(
            "authorize-challenge", .post, for: [.client], as: .authorizationChallenge,
            by: challenge),
        Route("authorize", .get, .post, for: [.personal], as: .authorization, by: authorize),
        Route("callback/*", .get, isForBrowsers: true, if: { $0.provider != nil }, by: comeBack),
        Route("introspect", .post, as: .introspection, by: introspect),
        Route("revoke", .post, for: [.client, .personal], as: .revocation, by: revoke),
        Route("backchannel-logout", .post, if: { $0.provider != nil }, by: providerLogout),
        Route(
            "global-token-revocation", .post, as: .globalRevocation,
            if: { $0.provider != nil || !$0.policy.revokers.isEmpty }, by: endEverything),
        Route("userinfo", .get, for: [.personal, .assertion], at: .resource(), as: .userinfo, by: userinfo),
        Route(
            "usage", .get, .post, for: [.personal], at: .resource(), as: .usage, if: { $0.policy.hasUsageManager },
            by: usage),
        Route("discovery", .post, for: [.personal], at: .resource(), as: .discovery, by: discovery(.either)),
        Route("discovery/protocols", .post, for: [.personal], at: .resource(), by: discovery(.protocols)),
        Route("discovery/services", .post, for: [.personal], at: .resource(), by: discovery(.services)),
        Route("instances", .get, for: [.personal], at: .resource(), as: .instances, by: account { _ in .instances }),
        Route("instances", .delete, for: [.personal], at: .resource(), by: account { _ in .disconnectAll }),
        Route(
            "instances/*", .delete, for: [.personal], at: .resource(),
            by: account { (try? ClientID(parsing: $0.parameter)).map { .disconnect($0) } }),
        Route("services", .get, for: [.personal], at: .resource(), as: .services, by: account { _ in .services }),
        Route(
            "services/*", .delete, for: [.personal], at: .resource(),
            by: account { service(inPath: $0.parameter).map { .leave($0) } }),

        Route("admin", .get, for: [.personal], at: .resource(), as: .administration, by: administration(.overview)),
        Route("admin/versions", .get, for: [.personal], at: .resource(), by: administration(.versions)),
        Route("admin/versions/*/block", .post, for: [.personal], at: .resource(), by: administration(.block)),
        Route("admin/versions/*/unblock", .post, for: [.personal], at: .resource(), by: administration(.unblock)),
        Route("admin/versions/*/withdraw", .post, for: [.personal], at: .resource(), by: administration(.withdraw)),
        Route("admin/instances", .get, for: [.personal], at: .resource(), by: administration(.instances)),
        Route("admin/instances/*", .delete, for: [.personal], at: .resource(), by: administration(.reject)),
        Route("admin/users", .get, for: [.personal], at: .resource(), by: administration(.users)),
        Route("admin/users/*", .delete, for: [.personal], at: .resource(), by: administration(.signOut)),
        Route("admin/users/*/lock", .post, for: [.personal], at: .resource(), by: administration(.lock)),
        Route("admin/users/*/unlock", .post, for: [.personal], at: .resource(), by: administration(.unlock)),
        Route("admin/users/*/data", .delete, for: [.personal], at: .resource(), by: administration(.forget)),
        Route("admin/users/*/instances/*", .delete, for: [.personal], at: .resource(), by: administration(.remove)),
        Route("admin/users/*/services/*", .delete, for: [.personal], at: .resource(), by: administration(.leave)),
        Route("admin/users/*/affiliations/*", .delete, for: [.personal], at: .resource(), by: administration(.expel)),
        Route("admin/services", .get, for: [.personal], at: .resource(), by: administration(.services)),

        Route("jwks", .get, .head, as: .keys, by: publication { .published($0.authority.publicKeys) }),
        Route(
            .url { $0.description?.location(of: .authorizationServer) }, .get, .head,
            by: publication { $0.description?.authorizationServerMetadata() }),
    ]

    var proof: Possession.Policy { policy.proof }

    /// A browser is shown a page, and an app is told an error.
    func refuser(for call: Call) -> Refuser<HTTP.Response> {
        guard call.isBrowsers || call.isArrival else { return Refuser(at: call.place, under: proof) }
        return Refuser(code: .invalidRequest) { $0.page() }
    }

    /// Begins to answer a request.
    ///
    /// - Parameter now: the time; a host that begins anew after a conflict gives the time that it is then.
    public func exchange(for request: HTTP.Request, at now: Timestamp, using entropy: inout some RandomNumberGenerator)
        -> Exchange<HTTP.Response>
    {
        answered(request, at: now, using: &entropy).followed(by: takingBack)
    }

    /// Where its endpoints are, for whoever compares that with what is written.
    package var endpointPlaces: [String] { places }

    /// What the service says about itself (RFC 8414); `nil` if its issuer identifier cannot be published.
    public var description: ServerDescription? {
        var grants: [TokenRequest.GrantType] = [.clientCredentials, .authorizationCode, .refreshToken]
        if policy.takesPasswords { grants.append(.password) }
        var description = try? ServerDescription(
            authority.issuer, endpoints: publishedEndpoints, grants: grants, proofAlgorithms: proof.holders.algorithms)
        description?.contextClasses = policy.contextClasses.map { $0.name }
        return description
    }
}

extension EduIDService {
    typealias Procedure = Route<EduIDService>.Procedure

    /// What a personal token opens: profile, service assertion, usage list, protocol discovery, logout, and nothing
    /// else (AUT-5).
    var personalScope: Scope {
        let paths = ["userinfo", "authorize", "usage", "discovery", "instances", "revoke"]
        return Scope(paths.compactMap { try? Scope.Token(authority.endpoint($0)) })
    }
}
