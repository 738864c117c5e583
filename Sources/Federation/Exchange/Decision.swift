public import TokenTree

/// What a party decided: the changes that its store must apply, and behind them the answer.
///
/// There is no way to the answer but over the store's word on the changes, so that no success is reported that was not
/// stored (threat 32).
public struct Decision<Outcome: Sendable>: Sendable {
    /// What the store must apply, wholly; without changes it need not be asked.
    public let batch: Batch
    /// Why the party said no, where it did; for the party's own records.
    public let refusal: Refusal?
    private let outcome: Outcome
    private let onReplay: (@Sendable () -> Outcome)?

    init(_ outcome: Outcome, _ batch: Batch, refusal: Refusal? = nil, onReplay: (@Sendable () -> Outcome)? = nil) {
        self.batch = batch
        self.refusal = refusal
        self.outcome = outcome
        self.onReplay = onReplay
    }

    /// What becomes of an exchange when its store has spoken.
    public enum Conclusion: Sendable {
        /// The answer to send.
        case respond(Outcome)
        /// The store has changed since it was asked: begin the exchange anew, with the time that it is then.
        case startOver
    }

    /// What to do, now that the store said what became of the changes.
    public func conclusion(after outcome: Batch.Outcome) -> Conclusion {
        switch outcome {
        case .applied: return .respond(self.outcome)
        case .conflict(let conflict, _):
            // Who comes second with the same proof loses for good; every other conflict may look different on a second
            // look.
            if case .replayed = conflict, let onReplay { return .respond(onReplay()) }
            return .startOver
        }
    }

    /// The same decision with an answer made of this one's.
    func map<Other: Sendable>(_ transform: @escaping @Sendable (Outcome) -> Other) -> Decision<Other> {
        var answer: (@Sendable () -> Other)?
        if let onReplay { answer = { transform(onReplay()) } }
        return Decision<Other>(transform(outcome), batch, refusal: refusal, onReplay: answer)
    }
}
