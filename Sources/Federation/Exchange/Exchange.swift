internal import OAuth2Grants
internal import TokenTree
public import Wire

/// One request on its way to a decision: it says what it needs to know, is supplied with that, and is decided.
///
///     var exchange = service.exchange(for: request, at: now, using: &entropy)
///     while let needs = exchange.needs { exchange.supply(try host.lookUp(needs)) }
///     let decision = exchange.decision
///     switch decision.conclusion(after: try store.commit(decision.batch)) { … }
///
/// Time and chance are fixed when it begins, so that everything after that follows from what is supplied.
public struct Exchange: Sendable {
    /// Decides, or says what is missing; it is gone through again from its beginning whenever something was supplied.
    typealias Procedure = @Sendable (inout Consultation) throws(Interruption) -> Answer

    /// How often a party may ask, so that a host whose answers do not fit comes to an end.
    ///
    /// Two or three rounds are usual; lists of what ends with a revocation come in many pages.
    private static let roundLimit = 1_024

    private let procedure: Procedure
    private let place: OAuth2Error.Place
    private let now: Timestamp
    private let chance: Chance
    private var supplied = Supply()
    private var rounds = 0
    private var state: State

    private enum State {
        case needs(Needs)
        case decided(Decision<HTTP.Response>)
    }

    init(
        in place: OAuth2Error.Place, at now: Timestamp, using entropy: inout some RandomNumberGenerator,
        procedure: @escaping Procedure
    ) {
        self.procedure = procedure
        self.place = place
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
    public var decision: Decision<HTTP.Response> {
        switch state {
        case .decided(let decision): decision
        case .needs: refusal(.unsupplied, [])
        }
    }

    /// What to answer when the store has changed under one decision after the other.
    public var contention: HTTP.Response { Refusal.contended.error.response(at: place) }

    private mutating func advance() {
        var consultation = Consultation(at: now, chance: chance, supplied: supplied)
        do throws(Interruption) {
            let answer = try procedure(&consultation)
            let place = place
            state = .decided(
                Decision(answer.response, Batch(at: now, answer.changes)) {
                    Refusal.replayed(in: place).error.response(at: place)
                })
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

    private func refusal(_ refusal: Refusal, _ changes: [Change]) -> Decision<HTTP.Response> {
        let place = place
        return Decision(refusal.error.response(at: place), Batch(at: now, changes), refusal: refusal) {
            Refusal.replayed(in: place).error.response(at: place)
        }
    }
}

/// What a party says yes with: a response, and what has to be changed before it may be sent.
struct Answer {
    var response: HTTP.Response
    var changes: [Change] = []
}

extension Refusal {
    /// The host did not answer what it was asked.
    static let unsupplied = Refusal(
        OAuth2Error(.temporarilyUnavailable, "the service could not look up what it has to know; try again later"),
        clause: "threat-32")
    /// Others were faster again and again.
    static let contended = Refusal(
        OAuth2Error(.temporarilyUnavailable, "too many requests change the same records; try again later"),
        clause: "threat-32")

    /// A proof that was presented before, and would prove nothing the second time.
    static func replayed(in place: OAuth2Error.Place) -> Refusal {
        let code: OAuth2Error.Code = if case .resource = place { .invalidToken } else { .invalidClient }
        return Refusal(
            OAuth2Error(code, "the request's proof was presented before; make a new one for each request (threat 36)"),
            clause: "threat-36")
    }
}
