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
            request.credential, call.demand(evenExpired: true), policy: policy.proof, at: call.now)
        return Exchange.proved(by: proving, toEnd: true) { requester, asking throws(Refusal) in
            if let client = request.client { try requester.check(client) }
            let meant = try authority.record(meantBy: request, &asking).flatMap { requester.owns($0) ? $0 : nil }
            return Answer(
                RevocationRequest.Outcome.confirmed.encoded(),
                try meant.map { lineage throws(Refusal) in try ending(lineage.record.id, .surrendered, &asking) } ?? [])
        }
    }

    /// Ends a record with all that stands on it, and tells every service that was given an assertion on it (TOK-7).
    ///
    /// The messages are part of the same batch, so that none is lost when the revocation is stored, and none is sent
    /// when it is not.
    func ending(_ id: TokenID, _ reason: Record.Reason, _ asking: inout Inquiry) throws(Refusal) -> [Change] {
        [.revoke(id, reason)] + (try messages(about: id, &asking)).map { .enqueue($0) }
    }

    /// What has to be told to services when a record ends.
    func messages(about id: TokenID, pages: Int = .max, _ asking: inout Inquiry) throws(Refusal)
        -> [OutgoingMessage]
    {
        var assertions = try asking.records(.under(id, .assertion), pages: pages)
        if let own = try asking.lineage(of: id), own.record.kind == .assertion { assertions.append(own) }
        return assertions.compactMap { message(about: $0, at: asking.now) }
    }

    /// What has to be told to the service of an assertion when that ends; `nil` if it was taken back before.
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
    /// It looks at a thousand assertions, and tells the last one if there are more.
    public func reconciliation(
        after last: TokenID? = nil, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<Result<TokenID?, Refusal>> {
        Exchange(Refuser(code: .invalidToken) { .failure($0) }, at: now, chance: Chance(using: &entropy)) {
            { asking throws(Refusal) in
                var changes: [Change] = []
                let page = try asking.page(of: .all(.assertion), after: last)
                for assertion in page.lineages {
                    guard !isAdmitted(assertion) || !assertion.verdict(at: asking.now).grantLives,
                        let message = message(about: assertion, at: asking.now)
                    else { continue }
                    changes += [.enqueue(message), .revoke(assertion.record.id, .administrator)]
                }
                return Answer(.success(page.next), changes)
            }
        }
    }
}

// MARK: - Messages

/// A message on its way to another service: the attempt to be stored before it is sent, and what the answer means.
///
/// The host takes the messages that are due, commits ``attempt``, sends ``request``, and commits what
/// ``settlement(after:)`` says. It is delivered at least once; the receiver takes a second one for the same.
public struct Delivery: Sendable {
    /// The message.
    package let message: OutgoingMessage
    /// What is to be sent.
    public let request: HTTP.Request
    /// Takes the message for one attempt; a conflict means that another worker has it.
    public let attempt: Change

    /// What is to be stored after the attempt: nothing unless the answer confirms it, so that it is made again.
    public func settlement(after response: HTTP.Response?) -> [Change] {
        guard let response, case .confirmed? = try? RevocationRequest.Outcome(parsing: response) else { return [] }
        return [.settle(message.id, .delivered)]
    }
}

extension EduIDService {
    /// The delivery of a message that is due; `nil` while it is not known where the service takes revocations.
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
