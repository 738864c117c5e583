internal import JOSE
internal import OAuth2Grants
internal import RSD2
public import TokenTree
public import Wire

// (10): ending tokens, here and at the services that were given something on them.

extension EduIDService {
    /// Ends a token of the requester's own (TOK-4); of unknown and of other people's tokens nothing is told, and
    /// nothing ends (threat 33).
    func revoke(_ http: HTTP.Request, _ asking: inout Consultation) throws(Interruption) -> Answer {
        let request = try Interruption.reading { () throws(ParameterRejection) in try RevocationRequest(parsing: http) }
        var demand = Demand(.client, .personal, at: authority.endpoint(Path.revoke), in: .authorizationServer)
        demand.acceptsExpiredAccess = true
        let requester = try authority.requester(request.credential, demand, policy: policy.proof, &asking)
        if let client = request.client { try requester.check(client) }
        var changes = requester.changes
        if let meant = try authority.record(meantBy: request, &asking), requester.owns(meant) {
            changes += try ending(meant.record.id, .surrendered, &asking)
        }
        return Answer(response: RevocationRequest.Outcome.confirmed.encoded(), changes: changes)
    }

    /// Ends a record with all that stands on it, and tells every service that was given an assertion on it (TOK-7).
    ///
    /// The messages are part of the same batch, so that none is lost when the revocation is stored, and none is sent
    /// when it is not.
    func ending(_ id: TokenID, _ reason: Record.Reason, _ asking: inout Consultation) throws(Interruption) -> [Change] {
        [.revoke(id, reason)] + (try messages(about: id, &asking)).map { .enqueue($0) }
    }

    /// What has to be told to services when a record ends.
    func messages(about id: TokenID, pages: Int = .max, _ asking: inout Consultation) throws(Interruption)
        -> [OutgoingMessage]
    {
        var assertions = try asking.records(.under(id, .assertion), pages: pages)
        if let own = try asking.lineage(of: id), own.record.kind == .assertion { assertions.append(own) }
        return assertions.compactMap { message(about: $0, at: asking.now) }
    }

    /// What has to be told to the service of an assertion when that ends; nothing where it was taken back before.
    private func message(about assertion: Lineage, at now: Timestamp) -> OutgoingMessage? {
        guard assertion.entry.fate.revocation == nil, let service = assertion.record.audience else { return nil }
        return OutgoingMessage(
            id: .named("revocation of " + assertion.record.id.text), destination: service, about: assertion.record.id,
            body: ["token": .string(assertion.record.id.text)], due: now)
    }

    /// Begins to take back every assertion that should be over and is not yet known as such to its service (TOK-7).
    ///
    /// Hosts begin it now and then, and whenever they have shut out versions or platforms by the registry or the
    /// policy, of which services are not told by themselves (FED-4). It also finds the assertion that was given in the
    /// moment in which its ground ended: too late to be among those that were taken back, and too early to be refused.
    ///
    /// It looks at a thousand assertions, and its answer names the last one as `next` where there are more.
    public func reconciliation(
        after last: TokenID? = nil, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange {
        Exchange(in: .resource(), at: now, using: &entropy) { asking throws(Interruption) in
            var changes: [Change] = []
            let page = try asking.page(of: .all(.assertion), after: last)
            for assertion in page.lineages {
                guard !isAdmitted(assertion) || !assertion.verdict(at: asking.now).grantLives,
                    let message = message(about: assertion, at: asking.now)
                else { continue }
                changes += [.enqueue(message), .revoke(assertion.record.id, .administrator)]
            }
            return Answer(
                response: .json(JSON.encodedObject { $0.member("next", ifPresent: page.next?.text) }), changes: changes)
        }
    }
}

// MARK: - Telling other services

/// A message on its way to another service: the attempt to be stored before it is sent, and what the answer means.
///
/// The host takes the messages that are due, commits ``attempt``, sends ``request``, and commits what
/// ``settlement(after:)`` says. It is delivered at least once; the receiver takes a second one for the same.
public struct Delivery: Sendable {
    /// The message.
    public let message: OutgoingMessage
    /// What is to be sent.
    public let request: HTTP.Request
    /// Takes the message for one attempt; a conflict means that another worker has it.
    public let attempt: Change

    /// What is to be stored after the attempt: nothing where there was no answer that means anything, so that it is
    /// made again.
    public func settlement(after response: HTTP.Response?) -> [Change] {
        guard let response, case .confirmed? = try? RevocationRequest.Outcome(parsing: response) else { return [] }
        return [.settle(message.id, .delivered)]
    }
}

extension EduIDService {
    /// The delivery of a message that is due; nothing while it is not known where the service takes revocations.
    public func delivery(
        of message: OutgoingMessage, backoff: OutgoingMessage.Backoff = OutgoingMessage.Backoff(), at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) -> Delivery? {
        let retry = now + backoff.delay(afterAttempts: message.attempts + 1, using: &entropy)
        guard let issuer = try? Issuer(parsing: message.destination.text), let service = index[issuer],
            let endpoint = endpoint(of: service, "revoke"), let name = message.body["token"]?.string,
            let token = try? AccessToken(parsing: name),
            let proof = try? authority.clientAssertions.assertion(to: issuer, at: now, using: &entropy),
            let request = try? RevocationRequest(token, hint: .assertion, credential: .assertion(proof)).encoded(
                to: endpoint)
        else { return nil }
        return Delivery(
            message: message, request: request, attempt: .attempt(message.id, after: message.attempts, retry: retry))
    }
}

extension Host {
    /// Sends the messages that are due to the services they are for; answers how many were confirmed.
    public mutating func deliver(
        for service: EduIDService, limit: Int = 100, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) throws(Store.Failure) -> Int {
        let key = Facts.Key.outgoing(due: now, limit: limit)
        var confirmed = 0
        for message in try store.load([key]).messages(due: now, limit: limit) {
            guard let delivery = service.delivery(of: message, at: now, using: &entropy) else {
                // What cannot be sent now must not stand before what can.
                let retry = now + OutgoingMessage.Backoff().delay(afterAttempts: message.attempts + 1, using: &entropy)
                _ = try store.commit(Batch(at: now, [.attempt(message.id, after: message.attempts, retry: retry)]))
                continue
            }
            guard try store.commit(Batch(at: now, [delivery.attempt])) == .applied else { continue }
            let settlement = delivery.settlement(after: send(delivery.request))
            guard !settlement.isEmpty, try store.commit(Batch(at: now, settlement)) == .applied else { continue }
            confirmed += 1
        }
        return confirmed
    }
}

extension Host {
    /// Takes back every assertion that should be over and is not yet known as such to its service; answers whether all
    /// were looked at, or the store has changed too fast.
    public mutating func reconcile(
        for service: EduIDService, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) throws(Store.Failure) -> Bool {
        var last: TokenID?
        while true {
            let response = try carryOut { service.reconciliation(after: last, at: now, using: &entropy) }
            guard response.status.isSuccess, let answer = try? JSON(parsing: response.body) else { return false }
            guard let next = answer["next"]?.string.flatMap({ try? TokenID(parsing: $0) }) else { return true }
            last = next
        }
    }
}

// MARK: - What a token means

extension Authority {
    /// The record that a token in a request for revocation means, wherever it leads and whatever the hint says; nothing
    /// for what was never given.
    func record(meantBy request: RevocationRequest, _ asking: inout Consultation) throws(Interruption) -> Lineage? {
        let text = request.token.secret
        if let token = try? Record.Refresh.Token(parsing: text), let lineage = try asking.lineage(of: token.id),
            let refresh = lineage.record.refresh
        {
            // Every token of the family means the grant; an invention means nothing.
            switch refresh.presentation(of: token, proof: nil, at: asking.now, window: .zero) {
            case .foreign: break
            case .current, .repeated, .reused: return lineage
            }
        }
        if request.token.resemblesJWT {
            // What has expired can be renewed until it is ended: success must not be said of that (threat 32).
            guard let token = ownAccessToken(request.token, evenExpired: true, at: asking.now),
                let id = TokenID(of: token.id)
            else {
                return nil
            }
            return try asking.lineage(of: id)
        }
        if let token = OpaqueToken(presented: text), let lineage = try asking.lineage(of: token.id),
            token.opens(lineage.record)
        {
            return lineage
        }
        return nil
    }
}
