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

    /// The longest document that enters the state.
    public static let documentLengthLimit = 128 << 10

    /// Takes in what an authorizing app answered to a request; the order of its documents does not matter (DSC-4).
    ///
    /// Every authorization is handled by itself (NIF-6). Nobody else's protocols enter: a document is cut down to what
    /// was requested (threat 48). More services than the one that was wished for are taken as well (NAI-10). What a
    /// response grants anew replaces what was there for the same protocols of the same service, and nothing besides.
    ///
    /// - Parameter key: the key pair whose public half the request brought along.
    @discardableResult
    public mutating func accept(
        _ response: ProtocolResponse, to request: ProtocolRequest, key: AppKey? = nil, at now: Timestamp
    ) -> Acceptance {
        var admission = Admission(request: request, key: key, now: now)
        admission.report.unread = response.dropped
        var taken: Set<ServiceURL> = []
        for candidate in admission.candidates(response.documents) {
            guard !taken.contains(candidate.url) else {
                admission.drop(.repeated, of: candidate.url)
                continue
            }
            guard let grant = admission.grant(candidate) else { continue }
            guard insert(grant, at: candidate.url) else {
                admission.drop(.tooManyGrants(limit: Self.grantLimit), of: candidate.url)
                continue
            }
            taken.insert(candidate.url)
        }
        admission.report.accepted = taken.sorted()
        return admission.report
    }

    private mutating func insert(_ grant: Grant, at url: ServiceURL) -> Bool {
        let identity = JSON.Name(url.identity)
        let earlier = (services[identity]?.grants ?? []).compactMap { $0.without(grant.requested) }
        let replaced = (services[identity]?.grants.count ?? 0) - earlier.count
        guard grantCount - replaced < Self.grantLimit else { return false }
        services[identity] = Service(url: url, grants: [grant] + earlier)
        return true
    }
}

/// A document of a response on its way into the state.
private struct Candidate {
    let url: ServiceURL
    let document: ServiceDescription
    let text: [UInt8]
}

/// Decides what of a response to a request enters, and keeps the record of it.
private struct Admission {
    let request: ProtocolRequest
    let key: AppKey?
    let now: Timestamp
    var report = NAILState.Acceptance()

    mutating func drop(_ reason: MessageRejection, of service: ServiceURL?, at name: ProtocolName? = nil) {
        report.dropped.append(NAILState.Dropped(service: service, name: name, reason: reason))
    }

    /// The documents in an order of their own, so that it does not matter in which one they came.
    mutating func candidates(_ documents: [ServiceDescription]) -> [Candidate] {
        var candidates: [Candidate] = []
        for document in documents {
            guard let url = document.serviceURL else {
                drop(.nameless, of: nil)
                continue
            }
            candidates.append(Candidate(url: url, document: document, text: document.encoded()))
        }
        return candidates.sorted { one, other in
            one.url == other.url ? one.text.lexicographicallyPrecedes(other.text) : one.url < other.url
        }
    }

    mutating func grant(_ candidate: Candidate) -> NAILState.Grant? {
        for name in request.protocols where !candidate.document.offers(name) {
            drop(.notOffered(name), of: candidate.url)
            return nil
        }
        let filtered = candidate.document.filtered(for: request.protocols)
        let length = filtered.encoded().count
        guard length <= NAILState.documentLengthLimit else {
            drop(.tooLong(length: length, limit: NAILState.documentLengthLimit), of: candidate.url)
            return nil
        }
        var authorizations: [ProtocolName?: Authorization] = [:]
        for api in filtered.apis {
            authorizations[api.name] = authorization(api.authorization, of: candidate.url, at: api.name)
        }
        authorizations[nil] = authorization(filtered.authorization, of: candidate.url, at: nil)
        guard authorizations[nil] != nil || request.protocols.contains(where: { authorizations[$0] != nil }) else {
            drop(.unauthorized, of: candidate.url)
            return nil
        }
        return NAILState.Grant(
            app: request.appID, requested: request.protocols, description: filtered.withoutAuthorization, key: key,
            authorizations: authorizations)
    }

    private mutating func authorization(
        _ authorization: ServiceDescription.Authorization?, of url: ServiceURL, at name: ProtocolName?
    ) -> Authorization? {
        guard let authorization else { return nil }
        do throws(MessageRejection) {
            return .live(try Credentials(authorization.members, receivedAt: now, key: key, app: request.appID))
        } catch {
            drop(error, of: url, at: name)
            return nil
        }
    }
}

extension NAILState.Grant {
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
