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
                var record = decision.record(after: outcome)
                if case .applied = outcome { record.unfinished = followUp(decision) }
                hear(record)
                return answer
            }
        }
        let exchange = begin()
        hear(AuditRecord(at: exchange.endpoint, by: nil, changes: [], refusal: .contended))
        return exchange.contention
    }

    /// Takes back what hangs on what a stored decision ended; answers what there is more of than is done at once.
    ///
    /// What fails here is left to the upkeep: the end itself is stored.
    package mutating func followUp<Outcome>(_ decision: Decision<Outcome>) -> [TokenID] {
        var rest = FollowUpPages(of: decision)
        while let page = rest.next() { rest.take(try? carryOut(page)) }
        return rest.unfinished
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
                var record = decision.record(after: outcome)
                if case .applied = outcome { record.unfinished = await followUp(decision) }
                hear(record)
                return answer
            }
        }
        let exchange = begin()
        hear(AuditRecord(at: exchange.endpoint, by: nil, changes: [], refusal: .contended))
        return exchange.contention
    }

    /// Takes back what hangs on what a stored decision ended; answers what there is more of than is done at once.
    ///
    /// What fails here is left to the upkeep: the end itself is stored.
    package func followUp<Outcome>(_ decision: Decision<Outcome>) async -> [TokenID] {
        var rest = FollowUpPages(of: decision)
        while let page = rest.next() { rest.take(try? await carryOut(page)) }
        return rest.unfinished
    }
}
