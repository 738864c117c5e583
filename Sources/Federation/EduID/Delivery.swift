internal import JOSE
internal import OAuth2Grants
internal import RSD2
public import TokenTree
public import Wire

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
