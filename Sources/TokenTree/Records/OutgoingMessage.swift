public import Wire

/// What another service must be told, kept until that service has confirmed it: delivered at least once, settled once.
public struct OutgoingMessage: IdentifierKind, Hashable {
    /// The name by which the same message is recognised, here and by its receiver.
    public typealias ID = Identifier<OutgoingMessage>

    /// The name by which the same message is recognised.
    public let id: ID
    /// Who is to be told.
    public let destination: Record.Audience
    /// The record it is about; nothing below that is purged while the message is on its way.
    public let about: TokenID?
    /// What to say, in the words of the role that enqueued it.
    public let body: JSON.Object
    /// When to try next.
    public let due: Timestamp
    /// How often it was tried.
    public let attempts: Int
    /// When it was tried first.
    public let tried: Timestamp?

    /// A message that has not been tried yet, or so often.
    public init(
        id: ID, destination: Record.Audience, about: TokenID?, body: JSON.Object, due: Timestamp, attempts: Int = 0,
        tried: Timestamp? = nil
    ) {
        self.id = id
        self.destination = destination
        self.about = about
        self.body = body
        self.due = due
        self.attempts = attempts
        self.tried = tried
    }

    /// The same message after one more attempt.
    package func attempted(at now: Timestamp, retry: Timestamp) -> OutgoingMessage {
        // Saturates where nobody can have tried.
        let attempts = attempts < .max ? attempts + 1 : attempts
        return OutgoingMessage(
            id: id, destination: destination, about: about, body: body, due: retry, attempts: attempts,
            tried: tried ?? now)
    }

    /// Whether it was tried in vain for seven days, which somebody should look after (threat 60).
    public func isDeadLetter(at now: Timestamp) -> Bool { tried.map { $0 + .seconds(7 * 86_400) <= now } ?? false }

    /// How the story of a message ended.
    public enum Settlement: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// The receiver confirmed it.
        case delivered
        /// Nobody will try again.
        case abandoned

        /// The word that stands for it in JSON.
        public var description: String {
            switch self {
            case .delivered: "delivered"
            case .abandoned: "abandoned"
            }
        }
    }

    /// How long to wait after each failed attempt.
    public struct Backoff: Sendable, Hashable {
        /// The wait after the first attempt.
        let first: Duration
        /// The longest wait between two attempts.
        let longest: Duration

        /// Waits that double from the first, which is at least a second, to the longest, which is at most thirty days.
        public init(first: Duration = .seconds(30), longest: Duration = .seconds(6 * 3600)) {
            self.first = max(first, .seconds(1))
            self.longest = min(max(longest, self.first), .seconds(30 * 86_400))
        }

        /// The wait after that many attempts: doubled each time, less up to a quarter by chance, so that many messages
        /// do not stay in step.
        package func delay(afterAttempts attempts: Int, using entropy: inout some RandomNumberGenerator) -> Duration {
            var delay = min(first, longest)
            // Thirty days are fewer than 2^22 s, and the first wait is at least one.
            for _ in 0..<min(max(attempts, 1) - 1, 22) { delay += delay }
            delay = min(delay, longest)
            return delay - delay / 4000 * Int64.random(in: 0...1000, using: &entropy)
        }

        /// When to try a message again after an attempt now: once a day if it is a dead letter.
        package func retry(
            of message: OutgoingMessage, at now: Timestamp, using entropy: inout some RandomNumberGenerator
        ) -> Timestamp {
            if message.isDeadLetter(at: now) { return now + .seconds(86_400) }
            return now + delay(afterAttempts: message.attempts + 1, using: &entropy)
        }
    }
}
