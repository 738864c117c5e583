public import NAIL
internal import OAuth2Grants
public import RSD2
public import Wire

/// The extension of the edu-ID app that answers other apps: it is introduced to services and obtains their tokens for
/// apps (DAT-4).
public struct AuthorizingExtension: AuthorizingProcess, Sendable {
    /// What the instance holds.
    public var session: Session
    /// What app and extension share.
    public var group: GroupStore

    /// The extension with what was kept.
    public init(_ session: Session, group: GroupStore = GroupStore()) {
        self.session = session
        self.group = group
    }
}

// MARK: - Service authorization and app assertions

extension AuthorizingExtension {
    /// Makes sure that the instance holds a service's token that is good now: as it is, renewed, or by a new
    /// introduction (4, 5).
    public mutating func authorize(
        _ service: ServiceURL, over network: Network, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) {
        if session.authorizedServices.contains(service) {
            guard session.isExpired(service, at: now) else { return }
            do throws(ClientRejection) {
                let request = try session.renewal(of: service, at: now, using: &entropy)
                try session.receiveRenewal(of: service, network(request), at: now)
                return try keep()
            } catch {
                // What was refused can be had anew, by a new introduction; what was not answered cannot.
                guard case .refused = error else { throw error }
            }
        }
        let introduction = try session.introduction(to: service, at: now, using: &entropy)
        let redeeming = try session.redemption(
            of: introduction, network(introduction.request), at: now, using: &entropy)
        try session.receive(redeeming, network(redeeming.request), at: now)
        try keep()
    }

    /// What one service gives an app (8): its description with nothing but the requested protocols, and the
    /// authorization (NIF-5).
    public mutating func authorization(
        of checked: ProtocolRequest.Checked, at service: ServiceURL, over network: Network, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> ServiceDescription {
        guard let known = group.userServices[service]?.discovered.description else { throw .unauthorized(service) }
        try authorize(service, over: network, at: now, using: &entropy)
        let request = try session.appAuthorization(
            of: checked.request.appID, at: known, for: checked.request.protocols, binding: checked.appKey, at: now,
            using: &entropy)
        return try session.authorization(of: known, for: checked.request.protocols, network(request))
    }
}

// MARK: - App access

extension AuthorizingExtension {
    /// Answers an app (7) with what the person granted; services that refused or did not answer are missing, and the
    /// app is not told why (APP-1).
    ///
    /// - Returns: the answer for the app, and for the person which services are missing and why.
    public mutating func answer(
        to checked: ProtocolRequest.Checked, with choice: AuthorizationMode.Choice, over network: Network,
        at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> (response: ProtocolResponse, missing: [(service: ServiceURL, reason: ClientRejection)])
    {
        do throws(RowRejection) { try group.record(choice) } catch { throw .row(error) }
        var granted: [ServiceDescription] = []
        var missing: [(service: ServiceURL, reason: ClientRejection)] = []
        for service in choice.services {
            do throws(ClientRejection) {
                granted.append(try authorization(of: checked, at: service, over: network, at: now, using: &entropy))
            } catch {
                missing.append((service, error))
            }
        }
        // What was just made of the request's own protocols and authorized fits the request.
        return ((try? ProtocolResponse(to: checked, granting: granted)) ?? .empty, missing)
    }
}
