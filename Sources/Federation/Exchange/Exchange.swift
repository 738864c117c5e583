internal import OAuth2Grants
public import Wire
internal import TokenTree

/// One request on its way to a decision: it says what it needs to know, is supplied with that, and is decided (`exchange → needs → supply → decide`).
///
///     var exchange = service.exchange(for: request, at: now, using: &entropy)
///     while let needs = exchange.needs { exchange.supply(host.lookUp(needs)) }
///     let decision = exchange.decision
///     switch decision.conclusion(after: store.commit(decision.batch)) { … }
///
/// Time and chance are fixed when it begins, so that everything after that follows from what is supplied.
public struct Exchange: Sendable {
    /// Decides, or says what is missing.
    typealias Procedure = @Sendable (inout Consultation) throws(Interruption) -> Answer

    /// What a party says yes with: a response, and what has to be changed before it may be sent.
    struct Answer {
        var response: HTTPResponse
        var changes: [Change] = []
        /// What is said instead where the store knows that one of the proofs was presented before.
        var replay = Refusal.replayed
    }

    /// How often a party may ask; more would be an error of its own.
    static let roundLimit = 4

    private let procedure: Procedure
    private let refusing: @Sendable (Refusal) -> HTTPResponse
    private let now: Timestamp
    private let chance: Chance
    private var supplied = Supply()
    private var rounds = 0
    private var state: State

    private enum State {
        case needs(Needs)
        case decided(Decision)
    }

    init(
        at now: Timestamp, using entropy: inout some RandomNumberGenerator, refusing: @escaping @Sendable (Refusal) -> HTTPResponse,
        procedure: @escaping Procedure
    ) {
        self.procedure = procedure
        self.refusing = refusing
        self.now = now
        chance = Chance(using: &entropy)
        state = .needs(Needs())
        advance()
    }

    /// What has to be looked up next; nothing once the decision is made.
    public var needs: Needs? {
        guard case .needs(let needs) = state else { return nil }
        return needs
    }

    /// Takes what was looked up.
    public mutating func supply(_ supply: Supply) {
        guard case .needs = state else { return }
        supplied.merge(supply)
        advance()
    }

    /// What was decided; before everything was supplied that is to refuse, and to change nothing.
    public var decision: Decision {
        switch state {
        case .decided(let decision): decision
        case .needs: refusal(.unsupplied, [])
        }
    }

    /// What to answer when the store has changed under one decision after the other.
    public var contention: HTTPResponse { refusing(.contended) }

    private mutating func advance() {
        var consultation = Consultation(at: now, chance: chance, supplied: supplied)
        do throws(Interruption) {
            let answer = try procedure(&consultation)
            state = .decided(Decision(answer.response, Batch(at: now, answer.changes), onReplay: refusing(answer.replay)))
        } catch {
            switch error {
            case .refused(let refusal, let changes):
                state = .decided(self.refusal(refusal, changes))
            case .needs(let needs):
                rounds += 1
                state = rounds > Self.roundLimit ? .decided(refusal(.unsupplied, [])) : .needs(needs)
            }
        }
    }

    private func refusal(_ refusal: Refusal, _ changes: [Change]) -> Decision {
        Decision(refusing(refusal), Batch(at: now, changes), refusal: refusal)
    }
}

extension Refusal {
    /// The host did not answer what it was asked.
    static let unsupplied = Refusal(
        OAuth2Error(.temporarilyUnavailable, "the service could not look up what it has to know; try again later"), clause: "threat-32")
    /// Others were faster again and again.
    static let contended = Refusal(
        OAuth2Error(.temporarilyUnavailable, "too many requests change the same records; try again later"), clause: "threat-32")
    /// A proof that was presented before.
    static let replayed = Refusal(
        OAuth2Error(.invalidRequest, "the request's proof was presented before; make a new one for each request"), clause: "threat-36")
}
