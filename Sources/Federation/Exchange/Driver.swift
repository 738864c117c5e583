public import TokenTree

// The one loop around an exchange, for hosts that do not wait and for hosts that do.

/// How often an exchange is begun anew because the store has changed, before it ends in a 503.
let exchangeAttempts = 8

extension TokenStore {
    /// Carries an exchange through: supplies it, commits what it decided, and begins anew if the store has changed in
    /// between.
    ///
    /// - Parameter lookUp: finds what is not in the store.
    /// - Parameter hear: hears what was decided.
    public mutating func carryOut<Outcome>(
        _ begin: () -> Exchange<Outcome>, lookUp: (Lookup) -> Lookup.Result = { $0.nothing },
        hear: (AuditRecord) -> Void = { _ in }
    ) throws(Failure) -> Outcome {
        for _ in 0..<exchangeAttempts {
            var exchange = begin()
            while let lookup = exchange.lookup {
                if case .facts(let keys) = lookup {
                    exchange.supply(.facts(try load(keys)))
                } else {
                    exchange.supply(lookUp(lookup))
                }
            }
            let decision = exchange.decision
            let outcome = decision.batch.changes.isEmpty ? .applied : try commit(decision.batch)
            if case .respond(let answer) = decision.conclusion(after: outcome) {
                hear(decision.record(after: outcome))
                return answer
            }
        }
        hear(AuditRecord(requester: nil, changes: [], refusal: .contended))
        return begin().contention
    }
}

extension AsyncTokenStore {
    /// Carries an exchange through: supplies it, commits what it decided, and begins anew if the store has changed in
    /// between.
    ///
    /// - Parameter lookUp: finds what is not in the store.
    /// - Parameter hear: hears what was decided.
    public func carryOut<Outcome>(
        _ begin: () -> Exchange<Outcome>, lookUp: (Lookup) async -> Lookup.Result = { $0.nothing },
        hear: (AuditRecord) -> Void = { _ in }
    ) async throws(Failure) -> Outcome {
        for _ in 0..<exchangeAttempts {
            var exchange = begin()
            while let lookup = exchange.lookup {
                if case .facts(let keys) = lookup {
                    exchange.supply(.facts(try await load(keys)))
                } else {
                    exchange.supply(await lookUp(lookup))
                }
            }
            let decision = exchange.decision
            let outcome = decision.batch.changes.isEmpty ? .applied : try await commit(decision.batch)
            if case .respond(let answer) = decision.conclusion(after: outcome) {
                hear(decision.record(after: outcome))
                return answer
            }
        }
        hear(AuditRecord(requester: nil, changes: [], refusal: .contended))
        return begin().contention
    }
}
