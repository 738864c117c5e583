internal import PureCrypto
public import Wire

// A refresh token comes once: the current generation is replaced when it is presented, and whoever presents an older
// one ends the grant, because two parties hold the family then. The one exception is the lost answer. The decision made
// here counts only when its `Change.rotate` is committed, whose condition is that nobody else's was.

extension Lineage {
    /// What follows from presenting a refresh token; nothing of it counts before its change has been committed.
    public enum Renewal: Sendable {
        /// The grant is renewed: commit the change, then hand out the token.
        case granted(Record.Refresh.Token, Change)
        /// The answer to the same request was lost: hand out the same token again, there is nothing to commit.
        case repeated(Record.Refresh.Token)
        /// A replaced token was presented: commit the revocation, and refuse.
        case reused(Change)
        /// The grant has ended, or has to be confirmed: refuse.
        case dead(Verdict)
        /// The answer to another request was lost, or to that of another holder: refuse, nothing else.
        case differing
        /// The token was never one of this record: refuse, nothing else.
        case foreign
    }

    /// Decides on a refresh token that is presented for this record.
    ///
    /// - Parameters:
    ///   - token: what was presented; the request's other proofs have been checked before, because this is where the
    ///     token is spent.
    ///   - proof: what the holder proved along with it, such as the thumbprint of the bound key, and what was asked.
    ///     Without a proof nothing is repeated.
    ///   - accessExpiry: when the new access token is to expire.
    ///   - window: how long after a renewal its answer may be asked for again, its last instant included; not at all
    ///     if it is zero.
    public func renewal(
        with token: Record.Refresh.Token, proof: Fingerprint?, accessExpiry: Timestamp?, at now: Timestamp,
        window: Duration = .seconds(60)
    ) -> Renewal {
        guard token.id == record.id, let refresh = record.refresh else { return .foreign }
        let presentation = refresh.presentation(of: token, proof: proof, at: now, window: window)
        if case .foreign = presentation { return .foreign }
        let verdict = verdict(at: now)
        guard verdict.grantLives, !verdict.isUnconfirmed else { return .dead(verdict) }
        switch presentation {
        case .current(let next, let state):
            return .granted(next, .rotate(record.id, from: refresh, to: state, accessExpiry: accessExpiry))
        case .repeated(let token): return .repeated(token)
        case .reused: return .reused(.revoke(record.id, .refreshReused))
        case .differing: return .differing
        case .foreign: return .foreign
        }
    }
}

extension Record.Refresh {
    /// What a token turns out to be when it is presented.
    package enum Presentation {
        /// The current token; this one replaces it, and the store is to know this of it.
        case current(Token, Record.Refresh)
        /// The one before, presented again by the same holder with the same proof within the window; the answer was
        /// lost, so here it is again.
        case repeated(Token)
        /// A token that had been replaced: two parties hold the family, and the grant must end.
        case reused
        /// The one before, within the window, and with something else than in the first request.
        case differing
        /// Not a token of this record: nothing follows from it.
        case foreign
    }

    /// Judges a token that is presented for the record, and derives the one that follows.
    package func presentation(
        of token: Token, proof: Fingerprint?, at now: Timestamp, window: Duration
    ) -> Presentation {
        guard constantTimeEquals(token.family, Self.family(of: token.id, salt: salt)) else { return .foreign }
        if token.generation == generation {
            guard Fingerprint(of: token.secret) == hash, generation < .max else { return .foreign }
            let next = successor(of: token, proof: proof)
            let hash = Fingerprint(of: next.secret)
            return .current(
                next, Record.Refresh(generation: next.generation, hash: hash, salt: salt, rotated: now))
        }
        guard token.generation < generation else { return .foreign }
        // Of those who bear a token without a key nobody can tell the thief.
        guard token.generation + 1 == generation, proof != nil, let rotated, window > .zero, now <= rotated + window
        else { return .reused }
        let next = successor(of: token, proof: proof)
        // Equal only if both the old secret and the proof are those of the first request.
        return Fingerprint(of: next.secret) == hash ? .repeated(next) : .differing
    }
}
