internal import OAuth2Grants
public import RSD2
public import Wire

extension NAILState {
    /// What became of a response: the services that it opened, and what was dropped of it.
    public struct Acceptance: Sendable {
        /// The services that are open now, sorted.
        public internal(set) var accepted: [ServiceURL] = []
        /// What was dropped, so that a developer can find out.
        public internal(set) var dropped: [Dropped] = []
        /// What the reader of the response had left out before.
        public internal(set) var unread: [ProtocolResponse.Dropped] = []
    }

    /// A part of a response that did not enter the state.
    public struct Dropped: Equatable, Sendable, CustomStringConvertible {
        /// The service that it was about, where that is known.
        public let service: ServiceURL?
        /// The protocol whose own authorization it was; `nil` if it stood at the service, or the whole document is
        /// meant.
        public let name: ProtocolName?
        /// Why it was dropped.
        public let reason: MessageRejection

        /// What was dropped, and the rule in words.
        public var description: String {
            (service.map { "\($0): " } ?? "") + (name.map { "\($0): " } ?? "") + reason.description
        }
    }

    /// Takes in what an authorizing app answered to a request; the order of its documents does not matter (DSC-4).
    ///
    /// Every authorization is handled by itself (NIF-6). Nobody else's protocols enter: a document is cut down to what
    /// was requested (threat 48). More services than the one that was wished for are taken as well (NAI-10). What a
    /// response grants anew replaces what was there for the same protocols of the same service, and nothing besides.
    ///
    /// - Parameter key: the key pair whose public half the request brought along.
    @discardableResult
    public mutating func accept(
        _ response: ProtocolResponse, to request: ProtocolRequest, key: DeviceKey? = nil, at now: Timestamp
    ) -> Acceptance {
        var report = Acceptance()
        report.unread = response.dropped
        // In an order of their own, so that it does not matter in which one the documents came.
        let documents = response.documents.map { (service: $0.serviceURL, document: $0, text: $0.encoded()) }
        for (service, document, _) in documents.sorted(by: Self.precedes) {
            do throws(MessageRejection) {
                guard let service else { throw .nameless }
                guard !report.accepted.contains(service) else { throw .repeated }
                let grant = try Grant(document, granted: request, key, at: now) { name, reason in
                    report.dropped.append(Dropped(service: service, name: name, reason: reason))
                }
                try insert(grant, at: service)
                report.accepted.append(service)
            } catch {
                report.dropped.append(Dropped(service: service, name: nil, reason: error))
            }
        }
        return report
    }

    private typealias Entry = (service: ServiceURL?, document: ServiceDescription, text: [UInt8])

    private static func precedes(_ one: Entry, _ other: Entry) -> Bool {
        guard let left = one.service, let right = other.service else {
            return one.service == nil && other.service != nil
        }
        return left == right ? one.text.lexicographicallyPrecedes(other.text) : left < right
    }

    private mutating func insert(_ grant: Grant, at url: ServiceURL) throws(MessageRejection) {
        let identity = JSON.Name(url.identity)
        let earlier = (services[identity]?.grants ?? []).compactMap { $0.without(grant.requested) }
        let replaced = (services[identity]?.grants.count ?? 0) - earlier.count
        guard grantCount - replaced < Self.grantLimit else { throw .tooManyGrants(limit: Self.grantLimit) }
        services[identity] = Service(url: url, grants: [grant] + earlier)
    }
}

extension NAILState.Grant {
    /// What a document grants of what was requested; authorizations that are of no use are dropped, each by itself.
    fileprivate init(
        _ document: ServiceDescription, granted request: ProtocolRequest, _ key: DeviceKey?, at now: Timestamp,
        dropping drop: (ProtocolName?, MessageRejection) -> Void
    ) throws(MessageRejection) {
        for name in request.protocols where !document.offers(name) { throw .notOffered(name) }
        let filtered = document.filtered(for: request.protocols)
        let (length, limit) = (filtered.withoutAuthorization.encoded().count, ServiceDescription.lengthLimit)
        guard length <= limit else { throw .tooLong(length: length, limit: limit) }
        var authorizations: [ProtocolName?: Authorization] = [:]
        for (place, authorization) in filtered.apis.map({ ($0.name, $0.authorization) })
            + [(nil, filtered.authorization)]
        {
            guard let authorization else { continue }
            do throws(MessageRejection) {
                authorizations[place] = .live(
                    try Credentials(authorization.members, receivedAt: now, key: key, app: request.appID))
            } catch {
                drop(place, error)
            }
        }
        guard authorizations[nil] != nil || request.protocols.contains(where: { authorizations[$0] != nil }) else {
            throw .unauthorized
        }
        self.init(
            app: request.appID, requested: request.protocols, description: filtered.withoutAuthorization, key: key,
            authorizations: authorizations)
    }

    /// What is left when other protocols are granted anew; `nil` if that was all.
    fileprivate func without(_ names: [ProtocolName]) -> NAILState.Grant? {
        let rest = requested.filter { !names.contains($0) }
        guard !rest.isEmpty else { return nil }
        var copy = self
        copy.requested = rest
        copy.description = description.filtered(for: rest)
        for name in names { copy.authorizations[name] = nil }
        return copy
    }
}
