public import Wire

extension Lineage {
    /// What follows from presenting a refresh token; nothing of it counts before its change has been committed.
    public enum Renewal: Sendable {
        /// The grant is renewed: commit the change, then hand out the token.
        case granted(Record.Refresh.Token, Change)
        /// The answer to the same request was lost: hand out the same token again, there is nothing to commit.
        case repeated(Record.Refresh.Token)
        /// A replaced token was presented: commit the revocation, and refuse.
        case reused(Change)
        /// The grant has ended: refuse.
        case dead(Verdict)
        /// The token was never one of this record: refuse, nothing else.
        case foreign
    }

    /// Decides on a refresh token that is presented for this record.
    ///
    /// - Parameters:
    ///   - token: what was presented; the request's other proofs have been checked before, because this is where the token
    ///     is spent.
    ///   - proof: what the holder proved along with it; see ``Record/Refresh/presentation(of:proof:at:window:)``.
    ///   - accessExpiry: when the new access token is to expire.
    ///   - window: how long after a renewal its answer may be asked for again.
    public func renewal(
        with token: Record.Refresh.Token, proof: Fingerprint?, accessExpiry: Timestamp?, at now: Timestamp,
        window: Duration = .seconds(60)
    ) -> Renewal {
        guard token.id == record.id, let refresh = record.refresh else { return .foreign }
        let presentation = refresh.presentation(of: token, proof: proof, at: now, window: window)
        if case .foreign = presentation { return .foreign }
        let verdict = verdict(at: now)
        guard verdict.grantLives else { return .dead(verdict) }
        switch presentation {
        case .current(let next):
            return .granted(next.token, .rotate(record.id, from: refresh, to: next.refresh, accessExpiry: accessExpiry))
        case .repeated(let token):
            return .repeated(token)
        case .reused:
            return .reused(.revoke(record.id, .refreshReused))
        case .foreign:
            return .foreign
        }
    }
}
