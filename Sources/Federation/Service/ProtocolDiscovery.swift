internal import OAuth2Grants
public import RSD2
public import TokenTree
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
        if let scope = try? Scope.Token(service.authority.endpoint(DiscoveryForm.either.path)) {
            self.service.policy.serviceScope = Scope(service.policy.serviceScope.tokens + [scope])
        }
    }

    /// Begins to answer a query (3b); nothing where the request is for something else, which is the service's to
    /// answer.
    public func query(for request: HTTP.Request, at now: Timestamp) -> DiscoveryCheck? {
        guard let way = Way(of: request, below: service.authority.base), let form = DiscoveryForm(way) else {
            return nil
        }
        return DiscoveryCheck(self, form, request, at: now)
    }
}

/// A query on its way to its answer: like an ``AccessCheck`` it needs one record, and is decided.
public struct DiscoveryCheck: Sendable {
    private let access: AccessCheck
    private let form: DiscoveryForm
    private let request: HTTP.Request
    private let directory: ServiceDirectory

    init(_ discovery: ProtocolDiscovery, _ form: DiscoveryForm, _ request: HTTP.Request, at now: Timestamp) {
        access = discovery.service.access(for: request, to: discovery.service.authority.endpoint(form.path), at: now)
        self.form = form
        self.request = request
        directory = discovery.directory
    }

    /// The record to look up; nothing where the query is refused whatever the store says.
    public var needs: TokenID? { access.needs }

    /// The answer, given what the store knows of the record: a query that is not made for an authenticated user is
    /// refused (DSC-5).
    public func decided(on lineage: Lineage?) -> Decision<HTTP.Response> {
        let (form, request, directory) = (form, request, directory)
        return access.decided(on: lineage).map { outcome in
            switch outcome {
            case .refused(let response): return response
            case .granted:
                guard request.method == .post else { return .notAllowed(but: [.post]) }
                do throws(Refusal) {
                    return .json(try form.documents(for: request, from: directory))
                } catch {
                    return error.error.response(at: .resource())
                }
            }
        }
    }
}
