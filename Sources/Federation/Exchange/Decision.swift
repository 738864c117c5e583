public import TokenTree
public import Wire

/// What a party decided: the changes that its store must apply, and behind them the answer.
///
/// The answer is to be had only for the store's word on the changes, so that no success is reported that was not stored
/// (threat 32).
public struct Decision<Outcome: Sendable>: Sendable {
    /// What the store must apply, wholly; without changes it need not be asked.
    public let batch: Batch
    /// Why the party says no, if it does; for the party's own records.
    public let refusal: Refusal?
    /// The record whose holder asked, if the request proved one.
    public let requester: Record?
    private let outcome: Outcome
    private let refuser: Refuser<Outcome>
    private let others: [TokenID]
    /// The keys that were looked up: that one of them is taken means that others were faster.
    var contested: Set<ReplayKey> = []
    /// The endpoint that was asked, if one was.
    var endpoint: String?
    /// How to look for what hangs on an ended record; `nil` for a party that tells nobody.
    var followUp: FollowUp?

    init(
        _ outcome: Outcome, _ batch: Batch, refusal: Refusal? = nil, ending others: [TokenID] = [],
        requester: Record? = nil, refuser: Refuser<Outcome>
    ) {
        self.others = others
        self.batch = batch
        self.refusal = refusal
        self.requester = requester
        self.outcome = outcome
        self.refuser = refuser
    }

    /// A refusal, with what has to be changed all the same.
    init(_ refusal: Refusal, at now: Timestamp, requester: Record?, refuser: Refuser<Outcome>) {
        self.init(
            refuser.refusing(refusal), Batch(at: now, refusal.changes), refusal: refusal, requester: requester,
            refuser: refuser)
    }

    /// The records that end, of which services have to be told once the batch is stored: for each a
    /// ``EduIDService/reconciliation(under:after:at:using:)`` is due.
    ///
    /// It begins after that, so that it finds what was given in the same instant (threat 59). `carryOut` does it.
    public var ended: [TokenID] {
        guard followUp != nil else { return [] }
        let told = Set(batch.changes.compactMap { if case .enqueue(let message) = $0 { message.about } else { nil } })
        return others
            + batch.changes.compactMap { change in
                if case .revoke(let id, _) = change, !told.contains(id) { id } else { nil }
            }
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
        guard case .conflict(let conflict, _) = outcome else { return .respond(self.outcome) }
        return refusal(after: conflict).map { .respond(refuser.refusing($0)) } ?? .startOver
    }

    /// What a conflict means that a second look would not change: whoever is locked stays so (threat 78), who comes
    /// second with a proof loses for good, and where nothing more is remembered trying again at once would only add to
    /// the flood (threat 62).
    private func refusal(after conflict: Batch.Conflict) -> Refusal? {
        switch conflict {
        case .replayed(let key, _): contested.contains(key) ? nil : .replayed(refuser.code)
        case .memoryFull: .memoryFull
        case .unproven: .justRestored
        case .locked: .lockedOut
        default: nil
        }
    }

    /// What is worth keeping about the decision, now that the store said what became of the changes.
    func record(after outcome: Batch.Outcome) -> AuditRecord {
        guard case .conflict(let conflict, _) = outcome else {
            return AuditRecord(at: endpoint, by: requester, changes: batch.changes, refusal: refusal)
        }
        return AuditRecord(at: endpoint, by: requester, changes: [], refusal: refusal(after: conflict) ?? .contended)
    }
}
