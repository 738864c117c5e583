internal import OAuth2Grants
public import TokenTree
public import Wire

/// A party that answers requests, and that a host carries out: ``EduIDService``, ``FederationService``, or
/// ``ProtocolDiscovery``.
public protocol Party: Sendable {
    /// Begins to answer a request.
    func exchange(for request: HTTP.Request, at now: Timestamp, using entropy: inout some RandomNumberGenerator)
        -> Exchange<HTTP.Response>

    /// Begins to answer a request of somebody whom the host has let in as an administrator, to an endpoint below
    /// `admin`, which the request names from there on.
    func exchange(
        administering request: HTTP.Request, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<HTTP.Response>

    /// Who its users are.
    var users: UserDirectory { get }

    /// Begins to prepare the delivery of a message that is due: `nil` while it cannot be sent, and a refusal when
    /// nobody signed it.
    func exchange(
        delivering message: OutgoingMessage, backoff: OutgoingMessage.Backoff, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) -> Exchange<Result<Delivery?, Refusal>>

    /// Begins to find what other parties should have been told and were not, or should be asked about, a page at a
    /// time: all, or what stands on a record.
    func reconciliation(
        under ground: TokenID?, after last: TokenID?, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<Result<TokenID?, Refusal>>
}

extension Party {
    /// Nothing is there: what only discovers has nothing to administer.
    public func exchange(
        administering request: HTTP.Request, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<HTTP.Response> { .fixed(HTTP.Response(.notFound), at: now) }

    /// Nobody: services of a federation authenticate no users.
    public var users: UserDirectory { UserDirectory() }

    /// `nil`: services of a federation send no messages.
    public func exchange(
        delivering message: OutgoingMessage, backoff: OutgoingMessage.Backoff, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) -> Exchange<Result<Delivery?, Refusal>> {
        Exchange(Refuser(code: .invalidToken) { .failure($0) }, at: now, chance: .unused) {
            { _ in Answer(.success(nil)) }
        }
    }

    /// Nothing is to be found: what only discovers tells nobody, and asks nobody.
    public func reconciliation(
        under ground: TokenID?, after last: TokenID?, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<Result<TokenID?, Refusal>> {
        Exchange(Refuser(code: .invalidToken) { .failure($0) }, at: now, chance: .unused) {
            { _ in Answer(.success(nil)) }
        }
    }

    /// Answers a request, whatever becomes of it: contention is retried, and ends in a 503.
    ///
    /// - Parameter lookUp: finds what is not in the store.
    /// - Parameter hear: hears what was decided.
    public func answer<Store: TokenStore>(
        _ request: HTTP.Request, in store: inout Store, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator, lookUp: (Lookup) -> Lookup.Result = { $0.nothing },
        hear: (AuditRecord) -> Void = { _ in }
    ) throws(Store.Failure) -> HTTP.Response {
        try store.carryOut({ exchange(for: request, at: now, using: &entropy) }, lookUp: lookUp, hear: hear)
    }

    /// The same for a store whose answers take time.
    public func answer<Store: AsyncTokenStore>(
        _ request: HTTP.Request, in store: Store, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator, lookUp: (Lookup) async -> Lookup.Result = { $0.nothing },
        hear: (AuditRecord) -> Void = { _ in }
    ) async throws(Store.Failure) -> HTTP.Response {
        try await store.carryOut({ exchange(for: request, at: now, using: &entropy) }, lookUp: lookUp, hear: hear)
    }
}

extension EduIDService: Party {}
extension FederationService: Party {}
extension ProtocolDiscovery: Party {}
