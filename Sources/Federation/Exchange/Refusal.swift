public import OAuth2Grants
internal import TokenTree
public import Wire

/// That a party says no: what the peer is told, and which rule was broken.
///
/// The clause is for the party's own records; what the peer learns stands in the error.
public struct Refusal: BrokenRule, Hashable {
    /// What the peer is told.
    public let error: OAuth2Error
    /// The rule that was broken.
    public var rule: Rule { Rule(ruleClause, error.explanation?.text ?? error.code.text) }
    private let ruleClause: String
    /// What has to be changed all the same: a second use ends what the first one gave.
    private(set) var changes: [Change]
    /// How long the peer should wait before it asks again, where that is known.
    var pause: Duration?
    /// The status of the answer, where it is not the one that goes with the code.
    var status: HTTP.Response.Status?
    /// Whether the request says nothing about who makes it, which a resource answers with the way to come back alone.
    var isAnonymous = false

    /// Refuses with an error, for the breach of a rule.
    package init(_ error: OAuth2Error, clause: String) {
        self.init(error, clause, changes: [])
    }

    /// Refuses in words that help the peer, for the breach of a rule that it is not told.
    init(_ code: OAuth2Error.Code, _ words: String, _ clause: String, changes: [Change] = []) {
        self.init(OAuth2Error(code, words), clause, changes: changes)
    }

    private init(_ error: OAuth2Error, _ clause: String, changes: [Change]) {
        self.error = error
        self.changes = changes
        ruleClause = clause
    }

    /// The same refusal, with which something changes.
    func changing(_ changes: [Change]) -> Refusal {
        var refusal = self
        refusal.changes = changes
        return refusal
    }

    /// What the peer is answered, with how long it should wait.
    ///
    /// - Parameter policy: what is demanded of proofs: their algorithms, and what they must bear, which a peer is told
    ///   whose proof lacks it (RFC 9449 §8).
    func response(at place: OAuth2Error.Place, under policy: Possession.Policy) -> HTTP.Response {
        if isAnonymous, case .resource(let scope) = place {
            return OAuth2Error.challengeWithoutToken(scope: scope, acceptingProofsBy: policy.holders.algorithms)
        }
        var response = error.response(at: place, acceptingProofsBy: policy.holders.algorithms)
        if let status { response.status = status }
        if error.code == .useNonce, let nonce = policy.nonce {
            try? response.fields.append(.dpopNonce, nonce)
        }
        // A number has the characters of a field.
        if let pause { try? response.fields.append(.retryAfter, "\(pause.components.seconds)") }
        return response
    }
}

extension Refusal {
    /// The host did not look up what it was asked for.
    static let unsupplied = Refusal(
        .temporarilyUnavailable, "the service could not look up what it has to know; try again later", "threat-32")
    /// Others were faster again and again.
    static let contended = Refusal(
        .temporarilyUnavailable, "too many requests change the same records; try again later", "threat-32")
    /// So much must not pass again just now that nothing more can be remembered; what is remembered goes by slices of
    /// 64 seconds.
    static let memoryFull = {
        var refusal = Refusal(
            .temporarilyUnavailable, "too many requests at this moment; wait as long as 'Retry-After' says", "threat-62"
        )
        refusal.pause = .seconds(64)
        return refusal
    }()
    /// The store was restored, and may have seen the proof before; it is sure of those that are made after the next
    /// minute.
    static let justRestored = {
        var refusal = Refusal(
            .temporarilyUnavailable, "the service was just restored; wait as long as 'Retry-After' says, and sign anew",
            "threat-67")
        refusal.pause = .seconds(60)
        return refusal
    }()
    /// A lock is in force for whom it would be given to, or about; the store alone knows of that in time.
    static let lockedOut = Refusal(
        .accessDenied, "locked out of this service; whoever runs it can say why", "threat-78")
    /// Whoever has the key did not sign, or signed something else: nothing has changed, and the same request with the
    /// same proof can be sent again (KEY-21).
    static let unsigned = Refusal(
        .temporarilyUnavailable, "the service's signer did not sign; send the same request again later", "KEY-21")
    /// Something that was made here breaks a rule: a fault of this service, and of nobody else.
    static let failed = Refusal(.serverError, "the service failed; its operator can find out why", "threat-32")

    /// A proof that was presented before, and would prove nothing the second time.
    static func replayed(_ code: OAuth2Error.Code) -> Refusal {
        Refusal(code, "the request's proof was presented before; make a new one for each request", "threat-36")
    }
}

// MARK: - What is refused before a party decides

/// Why a message is not taken, with what its sender is told.
protocol PeerRejection: Error {
    var refusal: OAuth2Error { get }
    var clause: String { get }
    /// The status of the answer, where it is not the one that goes with the error.
    var status: HTTP.Response.Status? { get }
}

extension ParameterRejection: PeerRejection {
    var status: HTTP.Response.Status? {
        if case .tooLarge = self { .contentTooLarge } else { nil }
    }
}

extension TokenRejection: PeerRejection {
    var status: HTTP.Response.Status? { nil }
}

extension Refusal {
    init(_ rejection: some PeerRejection) {
        self.init(rejection.refusal, clause: rejection.clause)
        status = rejection.status
    }
}

/// What a reading or a check gives, its rejection as a refusal.
func refusing<Value, Inner: PeerRejection>(
    _ type: Inner.Type, _ body: @autoclosure () throws(Inner) -> Value
) throws(Refusal) -> Value {
    try wrapping({ (error: Inner) in Refusal(error) }, try body())
}

/// What a check of that by which a client authenticates gives, its rejection as a refusal of the client.
func refusingClient<Value>(_ body: @autoclosure () throws(TokenRejection) -> Value) throws(Refusal) -> Value {
    try wrapping({ (error: TokenRejection) in Refusal(error.clientRefusal, clause: error.clause) }, try body())
}
