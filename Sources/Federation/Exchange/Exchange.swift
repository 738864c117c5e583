internal import OAuth2Grants
internal import TokenTree
internal import Wire

/// One request on its way to a decision: it says what has to be looked up, is supplied with that, and is decided.
///
///     var exchange = service.exchange(for: request, at: now, using: &entropy)
///     while let lookup = exchange.lookup { exchange.supply(try host.result(of: lookup)) }
///     let decision = exchange.decision
///     switch decision.conclusion(after: try store.commit(decision.batch)) { … }
///
/// The request is read, and time and chance are fixed, when it begins, so that everything after that follows from what
/// is supplied.
public struct Exchange<Outcome: Sendable>: Sendable {
    /// Decides on a request that has been read, or notes what is missing; it is gone through again whenever something
    /// was supplied.
    typealias Procedure = @Sendable (inout Inquiry) throws(Refusal) -> Answer<Outcome>

    private let procedure: Procedure
    private let refuser: Refuser<Outcome>
    private let now: Timestamp
    private let chance: Chance
    private var results = LookupResults()
    private var rounds = 0
    private var state: State
    private var followUp: FollowUp?
    /// The endpoint whose answer is found, as its party's table has it.
    private(set) var endpoint: String?

    private enum State {
        case lacking(Lookup)
        case decided(Decision<Outcome>)
    }

    /// How often a party may ask, so that a host whose results do not fit comes to an end.
    ///
    /// Two or three rounds are usual; lists come in many pages.
    private static var roundLimit: Int { 1_024 }

    /// - Parameter read: reads the request, and says how to decide on it.
    init(
        _ refuser: Refuser<Outcome>, at now: Timestamp, chance: Chance, reading read: () throws(Refusal) -> Procedure
    ) {
        self.refuser = refuser
        self.now = now
        self.chance = chance
        do throws(Refusal) { procedure = try read() } catch {
            procedure = { _ throws(Refusal) in throw error }
        }
        state = .lacking(.facts([]))
        advance()
    }

    /// What has to be looked up next; `nil` once the decision is made.
    public var lookup: Lookup? {
        guard case .lacking(let lookup) = state else { return nil }
        return lookup
    }

    /// Takes what was looked up.
    public mutating func supply(_ result: Lookup.Result) {
        guard case .lacking(let lookup) = state else { return }
        results.add(result, for: lookup)
        advance()
    }

    /// What was decided; before everything was supplied that is to refuse, and to change nothing.
    public var decision: Decision<Outcome> {
        switch state {
        case .decided(var decision):
            decision.followUp = followUp
            decision.endpoint = endpoint
            decision.contested = contested(by: decision.batch)
            return decision
        case .lacking: return Decision(.unsupplied, at: now, requester: nil, refuser: refuser)
        }
    }

    /// The keys that a batch remembers after the store was asked about them.
    private func contested(by batch: Batch) -> Set<ReplayKey> {
        Set(
            batch.changes.compactMap { change in
                if case .remember(let key, _, _) = change, results.facts[.replay(key)] != nil { key } else { nil }
            })
    }

    /// The same exchange, after which what hangs on an ended record is looked for.
    func followed(by followUp: @escaping FollowUp) -> Self {
        var copy = self
        copy.followUp = followUp
        return copy
    }

    /// The same exchange, at an endpoint.
    func at(_ endpoint: String) -> Self {
        var copy = self
        copy.endpoint = endpoint
        return copy
    }

    /// What to answer when the store has changed under one decision after the other.
    package var contention: Outcome { refuser.refusing(.contended) }

    private mutating func advance() {
        var inquiry = Inquiry(at: now, chance: chance, results: results)
        do throws(Refusal) {
            let answer = try procedure(&inquiry)
            state = .decided(
                Decision(
                    answer.outcome, Batch(at: now, answer.changes), refusal: answer.refusal, ending: answer.ended,
                    requester: inquiry.requester, refuser: refuser))
        } catch {
            rounds += 1
            if let missing = inquiry.missing, rounds <= Self.roundLimit {
                state = .lacking(missing)
            } else {
                state = .decided(
                    Decision(
                        inquiry.missing == nil ? error : .unsupplied, at: now, requester: inquiry.requester,
                        refuser: refuser))
            }
        }
    }
}

/// What a party says, and what has to be changed before it may be said.
struct Answer<Outcome> {
    var outcome: Outcome
    var changes: [Change]
    /// What comes to an end for others without being revoked.
    var ended: [TokenID]
    /// Why it is a no in spite of what it bears, for the party's own records.
    var refusal: Refusal?

    init(
        _ outcome: Outcome, _ changes: [Change] = [], ending ended: [TokenID] = [], refusal: Refusal? = nil
    ) {
        self.outcome = outcome
        self.changes = changes
        self.ended = ended
        self.refusal = refusal
    }
}

/// How a party says no at one place.
struct Refuser<Outcome: Sendable>: Sendable {
    /// The code for whoever does not prove who asks.
    let code: OAuth2Error.Code
    let refusing: @Sendable (Refusal) -> Outcome
}

extension Refuser<HTTP.Response> {
    init(at place: OAuth2Error.Place, under policy: Possession.Policy) {
        code = place.code(.invalidClient)
        refusing = { $0.response(at: place, under: policy) }
    }
}

extension OAuth2Error.Place {
    /// What an authorization server says by this code: at a resource it is always that the token is not good.
    func code(_ code: OAuth2Error.Code) -> OAuth2Error.Code {
        if case .resource = self { .invalidToken } else { code }
    }
}
