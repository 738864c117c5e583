internal import JOSE
internal import OAuth2Grants
internal import RSD2
public import TokenTree
public import Wire

// (10): ending tokens, here and at the services that were given something on them.

extension EduIDService {
    /// Ends a token of the requester's own (TOK-4); of unknown and of other people's tokens nothing is told, and
    /// nothing ends (threat 33).
    func revoke(_ call: Call) throws(Refusal) -> Procedure {
        let request = try refusing(ParameterRejection.self, try RevocationRequest(parsing: call.request))
        let proving = try authority.proving(
            request.credential, call.demand(evenExpired: true, evenEnded: true), policy: policy.proof, at: call.now)
        return Exchange.proved(by: proving, toEnd: true) { requester, asking throws(Refusal) in
            if let client = request.client { try requester.check(client) }
            let meant = try authority.record(meantBy: request, ofProvenRequester: true, &asking)
                .flatMap { requester.owns($0) ? $0 : nil }
            let confirmed = RevocationRequest.Outcome.confirmed.encoded()
            guard let meant else { return Answer(confirmed) }
            // Whoever asks again may have lost the answer in a crash, and with it what services are told after the end.
            guard meant.isUnended else { return Answer(confirmed, ending: [meant.record.id]) }
            return Answer(confirmed, ending(meant, .surrendered, at: asking.now))
        }
    }

    /// Ends a record with all that stands on it: one change, however much that is (threat 59).
    ///
    /// Services are told of what hangs on it when this is stored (TOK-7), by a
    /// ``reconciliation(under:after:at:using:)``; of an assertion itself there is one service to tell.
    func ending(
        _ lineage: Lineage, _ reason: Record.Reason, _ remark: Remark? = nil, at now: Timestamp
    ) -> [Change] {
        let message = lineage.record.kind == .assertion ? message(about: lineage, at: now) : nil
        return (message.map { [.enqueue($0)] } ?? []) + lineage.ended(reason, remark, at: now)
    }

    /// What has to be told to the service of an assertion when that ends; `nil` if it was taken back before.
    private func message(about assertion: Lineage, at now: Timestamp) -> OutgoingMessage? {
        guard assertion.entry.fate.revocation == nil, let service = assertion.record.audience else { return nil }
        var body: JSON.Object = ["token": .string(assertion.record.id.text)]
        // Nothing is kept where a person was forgotten, or by an earlier version: then what is known now.
        body[OutgoingMessage.place] =
            assertion.record.attributes[OutgoingMessage.place]
            ?? index[Issuer(service)].flatMap { place(ofRevocationsAt: $0) }
        return OutgoingMessage(
            id: .named("revocation of " + assertion.record.id.text), destination: service, about: assertion.record.id,
            body: body, due: now)
    }

    /// Where a service takes revocations, to be kept with what it is given, so that this can be ended also when the
    /// service has left or moved; `nil` if that is not known, or too long.
    func place(ofRevocationsAt service: ServiceIndex.Member) -> JSON? {
        guard let url = revocationEndpoint(of: service), url.text.utf8.count <= OutgoingMessage.longestPlace else {
            return nil
        }
        return .string(url.text)
    }

    private func revocationEndpoint(of service: ServiceIndex.Member) -> WebURL? { endpoint(of: service, "revoke") }

    /// Begins to take back every assertion that should be over and is not yet known as such to its service (TOK-7).
    ///
    /// Hosts begin it now and then, and whenever they have shut out versions or platforms by the registry or the
    /// policy, of which services are not told by themselves (FED-4). It also finds the assertion that was given in the
    /// moment in which its ground ended: too late to be among those that were taken back, and too early to be refused.
    ///
    /// It looks at 256 assertions, of all or of those on one record, and then at 256 instances, and tells the last one
    /// if there are more.
    public func reconciliation(
        under ground: TokenID? = nil, after last: TokenID? = nil, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) -> Exchange<Result<TokenID?, Refusal>> {
        takingBack(under: ground, after: last, at: now)
    }

    /// A page of what is taken back; nothing in it is left to chance.
    func takingBack(
        under ground: TokenID?, after last: TokenID?, at now: Timestamp
    ) -> Exchange<Result<TokenID?, Refusal>> {
        Exchange(Refuser(code: .invalidToken) { .failure($0) }, at: now, chance: .unused) {
            { asking throws(Refusal) in
                if ground == nil, let answer = try notices(after: last, &asking) { return answer }
                let last = last.flatMap { Self.isNotice($0) ? nil : $0 }
                if ground == nil, let last, try asking.lineage(of: last)?.record.kind == .client {
                    return try idling(after: last, &asking)
                }
                var changes: [Change] = []
                let page = try asking.page(
                    of: ground.map { .under($0, .assertion) } ?? .all(.assertion), after: last, limit: 256)
                for assertion in page.lineages {
                    guard !isAdmitted(assertion) || !assertion.verdict(at: asking.now).grantLives else { continue }
                    changes += takenBack(assertion, at: asking.now)
                }
                guard ground == nil, page.next == nil else { return Answer(.success(page.next), changes) }
                var answer = try idling(after: nil, &asking)
                answer.changes += changes
                return answer
            }
        }
    }

    /// The end of an assertion, of which its service is told; nothing if it was taken back before.
    private func takenBack(_ assertion: Lineage, at now: Timestamp) -> [Change] {
        guard let message = message(about: assertion, at: now) else { return [] }
        return [.enqueue(message), .revoke(assertion.record.id, .administrator)]
    }

    /// The end of all assertions that were given through an instance, of each two changes.
    func takenBack(ofInstance id: TokenID, _ asking: inout Inquiry) throws(Refusal) -> [Change] {
        let now = asking.now
        return try asking.records(.under(id, .assertion)).flatMap { takenBack($0, at: now) }
    }

    /// The end of instances on which nobody has been signed in for as long as the policy says, 256 at a time.
    private func idling(
        after last: TokenID?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<Result<TokenID?, Refusal>> {
        guard let limit = policy.idleRegistrations else { return Answer(.success(nil)) }
        let page = try asking.page(of: .all(.client), after: last, limit: 256)
        let quiet = page.lineages.filter { instance in
            let use = max(instance.record.issued, instance.entry.fate.lastUse ?? instance.record.issued)
            return instance.entry.fate.revocation == nil && use + limit <= asking.now
        }
        func users(of instance: Lineage) -> Facts.Selection { .under(instance.record.id, .personal) }
        // Whoever has had more users than this is not idle.
        let most = 64
        let facts = try asking.facts(quiet.map { .records(users(of: $0), after: nil, limit: most) })
        let idle = quiet.filter { instance in
            guard let users = facts.page(of: users(of: instance), limit: most), users.next == nil else { return false }
            return users.lineages.allSatisfy { !$0.verdict(at: asking.now).grantLives }
        }
        return Answer(.success(page.next), idle.map { .revoke($0.record.id, .administrator) })
    }
}

// MARK: - Messages

/// A message on its way to another service: the attempt to be stored before it is sent, and what the answer means.
///
/// The host takes the messages that are due, begins ``EduIDService/exchange(delivering:backoff:at:using:)`` for each,
/// commits ``attempt``, sends ``request``, and what ``next(after:)`` the answer to that is, and commits what
/// ``settlement(after:and:)`` says of the answers. It is delivered at least once; the receiver takes a second one for
/// the same.
public struct Delivery: Sendable {
    /// The message.
    package let message: OutgoingMessage
    /// What is to be sent.
    public let request: HTTP.Request
    /// The same to where the service took it when it was given what has ended, if that is somewhere else.
    let otherwise: HTTP.Request?
    /// Takes the message for one attempt; a conflict means that another worker has it.
    public let attempt: Change

    /// What is to be sent after an answer by somebody who does not take it: the same to where the service took it when
    /// it was given what has ended.
    ///
    /// Whoever is silent, or cannot at the moment, is asked again later: that other place may be another's by now.
    public func next(after response: HTTP.Response?) -> HTTP.Request? {
        guard let response, response.status.code < 500, !Self.confirms(response) else { return nil }
        return otherwise
    }

    /// What is to be stored after the attempt: nothing unless an answer confirms it, so that it is made again.
    ///
    /// - Parameter other: the answer to what ``next(after:)`` said. It counts where the first answer says that there is
    ///   nothing; whoever refuses may be the service itself, which does not take it at the moment.
    public func settlement(after response: HTTP.Response?, and other: HTTP.Response? = nil) -> [Change] {
        let isNowhere = response.map { $0.status.code < 400 || [404, 405, 410].contains($0.status.code) } ?? false
        guard Self.confirms(response) || isNowhere && Self.confirms(other) else { return [] }
        return [.settle(message.id, .delivered)]
    }

    private static func confirms(_ response: HTTP.Response?) -> Bool {
        guard let response, case .confirmed? = try? RevocationRequest.Outcome(parsing: response) else { return false }
        return true
    }
}

extension EduIDService {
    /// Begins to prepare the delivery of a message that is due, which it signs.
    ///
    /// It comes to nothing while nobody knows where the service takes revocations, or took them when it was given what
    /// has ended; and to a refusal, after which the message stands as it was, when the signer did not sign (KEY-21).
    public func exchange(
        delivering message: OutgoingMessage, backoff: OutgoingMessage.Backoff = OutgoingMessage.Backoff(),
        at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<Result<Delivery?, Refusal>> {
        let attempt = Change.attempt(
            message.id, after: message.attempts, retry: backoff.retry(of: message, at: now, using: &entropy))
        let draft = draft(of: message)
        let places = draft?.endpoints.map { (url: $0, proof: JWT.ID.text(using: &entropy)) } ?? []
        return Exchange(Refuser(code: .invalidToken) { .failure($0) }, at: now, chance: .unused) {
            { asking throws(Refusal) in
                guard let draft else { return Answer(.success(nil)) }
                var requests: [HTTP.Request] = []
                for place in places {
                    let proof = try asking.signed { signatures, _ throws(IssuanceRejection) in
                        try authority.clientAssertions.assertion(
                            named: place.proof, to: draft.issuer, at: now, knowing: signatures)
                    }
                    let request = RevocationRequest(draft.token, hint: draft.hint, credential: .assertion(proof))
                    if let request = try? request.encoded(to: place.url) { requests.append(request) }
                }
                guard let first = requests.first else { return Answer(.success(nil)) }
                let otherwise = requests.dropFirst().first
                return Answer(
                    .success(Delivery(message: message, request: first, otherwise: otherwise, attempt: attempt)))
            }
        }
    }

    /// The delivery of a message that is due, by a key that lies here; `nil` while nobody knows where the service takes
    /// revocations, or took them when it was given what has ended.
    public func delivery(
        of message: OutgoingMessage, backoff: OutgoingMessage.Backoff = OutgoingMessage.Backoff(), at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) -> Delivery? {
        var exchange = exchange(delivering: message, backoff: backoff, at: now, using: &entropy)
        while let lookup = exchange.lookup { exchange.supply(lookup.nothing) }
        guard case .respond(.success(let delivery)) = exchange.decision.conclusion(after: .applied) else { return nil }
        return delivery
    }

    /// What a message says, and where.
    private struct Draft: Sendable {
        let issuer: Issuer
        /// Where the service takes it, and where it took it before if that is somewhere else.
        let endpoints: [WebURL]
        let token: AccessToken
        let hint: RevocationRequest.Hint?
    }

    /// What a message says; `nil` where nobody can be told.
    private func draft(of message: OutgoingMessage) -> Draft? {
        guard let issuer = try? Issuer(parsing: message.destination.text), let (name, hint) = message.meaning,
            let token = try? AccessToken(parsing: name)
        else { return nil }
        let member = index[issuer]
        let present = member.flatMap { revocationEndpoint(of: $0) }
        let former = message.formerEndpoint.flatMap { former in
            // Of a service that is there and not described yet, only hosts that are its own stand in for it.
            let isItsOwn = member.map { $0.home.owns(former.host, besides: $0.allowedHosts) } ?? true
            // Where requests may go is the policy's to say at any time, and not the store's (threat 70).
            let mayBeAsked = former != present && policy.destinations.permits(former, namedBy: former)
            return mayBeAsked && (present != nil || isItsOwn) ? former : nil
        }
        let endpoints = [present, former].compactMap { $0 }
        return endpoints.isEmpty ? nil : Draft(issuer: issuer, endpoints: endpoints, token: token, hint: hint)
    }
}

extension OutgoingMessage {
    /// What is kept of where a service takes revocations, with an assertion and in a message about it.
    static let place: JSON.Name = "revocation"
    /// Longer URLs are not kept.
    static let longestPlace = 2_048

    /// Where the service took revocations when it was given what has ended.
    fileprivate var formerEndpoint: WebURL? { body[Self.place]?.string.flatMap { try? WebURL(parsing: $0) } }
}
