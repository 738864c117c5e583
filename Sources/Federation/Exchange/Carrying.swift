public import TokenTree
public import Wire

/// What a host without waiting gives to its party: a store, and the look-ups that are no store's.
///
/// A host whose answers take time writes the same loop with `await`; it is a dozen lines, and stands in
/// <doc:EmbedItInYourServer>.
public protocol Host {
    /// Where the party's records live.
    associatedtype Store: TokenStore

    /// Where the party's records live.
    var store: Store { get set }

    /// Checks credentials, in a time that does not depend on what is wrong with them (threat 39).
    mutating func check(_ login: Needs.Login) -> Supply.Login

    /// The profile attributes of a user by their OpenID Connect names.
    mutating func profile(of subject: Record.Subject) -> JSON.Object

    /// Sends a request to another service.
    mutating func send(_ request: HTTP.Request) -> HTTP.Response?
}

extension Host {
    /// Nobody's: for a party that authenticates no users.
    public mutating func check(_ login: Needs.Login) -> Supply.Login { .refused }

    /// Nothing: for a party that knows no attributes.
    public mutating func profile(of subject: Record.Subject) -> JSON.Object { JSON.Object() }

    /// No answer: for a party that asks nobody.
    public mutating func send(_ request: HTTP.Request) -> HTTP.Response? { nil }

    /// Looks up what an exchange needs.
    public mutating func lookUp(_ needs: Needs) throws(Store.Failure) -> Supply {
        var supply = Supply(facts: try store.load(needs.facts))
        if let login = needs.login { supply.login = check(login) }
        if let subject = needs.profile { supply.profile = profile(of: subject) }
        if let call = needs.call { supply.answer = send(call).map { .received($0) } ?? Supply.Answer.none }
        return supply
    }

    /// Carries an exchange through: supplies it, commits what it decided, and begins anew where the store has changed
    /// in between.
    public mutating func carryOut(_ begin: () -> Exchange) throws(Store.Failure) -> HTTP.Response {
        for _ in 0..<8 {
            var exchange = begin()
            while let needs = exchange.needs { exchange.supply(try lookUp(needs)) }
            let decision = exchange.decision
            let outcome = decision.batch.changes.isEmpty ? .applied : try store.commit(decision.batch)
            if case .respond(let response) = decision.conclusion(after: outcome) { return response }
        }
        return begin().contention
    }

    /// Carries the check of a request to the host's own endpoints through; nothing comes of it where others were faster
    /// again and again.
    public mutating func carryOut(_ begin: () -> AccessCheck) throws(Store.Failure) -> Access.Outcome? {
        for _ in 0..<8 {
            let check = begin()
            let lineage: Lineage? =
                if let id = check.needs { try store.load([.record(id)]).lineage(of: id) } else { nil }
            let decision = check.decided(on: lineage)
            let outcome = decision.batch.changes.isEmpty ? .applied : try store.commit(decision.batch)
            if case .respond(let access) = decision.conclusion(after: outcome) { return access }
        }
        return nil
    }
}
