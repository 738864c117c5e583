internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

/// Who makes a request, by what the store and a proof say: the record that opens the endpoint, with all that it stands
/// on.
struct Requester {
    let lineage: Lineage
    /// The key whose possession was proved; `nil` if the token is good for whoever bears it.
    let key: Statement.BoundKey?
    /// What was proved, with the caller's claims.
    let possession: Possession?
    /// What must not pass twice.
    let changes: [Change]

    var record: Record { lineage.record }

    /// What is read of the record and what it stands on at a time.
    func grant(at now: Timestamp) -> Grant { Grant(lineage, at: now) }

    /// What a repeated request must prove and say again to be taken for the same.
    ///
    /// A symmetric key has no digest that may be told; its name is as good, because the issuer gives each name to one
    /// key.
    func proof(with request: TokenRequest) -> Fingerprint? { proof(with: request.digest()) }

    /// The same of a request by its digest.
    func proof(with digest: Fingerprint) -> Fingerprint? {
        guard let key = key?.thumbprint?.text ?? (key?.id).map({ "kid:" + $0.text }) else { return nil }
        return Fingerprint(of: Array(key.utf8) + digest.bytes)
    }

    /// The public key of a record, if it is the one whose possession was proved.
    func publicKey(of record: Record) -> JWK? { record.boundKey == self.record.boundKey ? key?.publicKey : nil }

    /// Whether a record is the requester's own, or stands on it.
    func owns(_ lineage: Lineage) -> Bool {
        lineage.entries.contains { $0.record.id == record.id }
    }

    /// Refuses a request that names another client than the one that is proved.
    func check(_ client: ClientID) throws(Refusal) {
        guard record.client?.canonical == client.canonical else { throw .otherClient }
    }

    /// Refuses a token that was narrowed to other endpoints when it was renewed.
    func checkScope(_ url: WebURL) throws(Refusal) {
        guard record.currentScope().covers(url) else {
            throw Refusal(.insufficientScope, "the token was not renewed for this endpoint", "AUT-5")
        }
    }
}

/// What was proved of the part of a record that a check of access reads; see ``Requester``.
struct ProvenGrant {
    let grant: Grant
    let key: Statement.BoundKey?
    let possession: Possession?
    let changes: [Change]
}

/// What an endpoint demands of its requesters.
struct Demand {
    /// What the record may be.
    let kinds: [Record.Kind]
    /// The endpoint's URL, which proofs must name.
    let url: WebURL
    let method: HTTP.Request.Method
    /// Where the endpoint is, which decides about the codes of refusals.
    let place: OAuth2Error.Place
    /// Whether it is enough that the grant lives, because what is asked for is its renewal or end.
    var acceptsExpiredAccess = false
    /// Whether not even the grant need live, because the answer to whoever proves its key is the same: it is over.
    var acceptsEndedGrant = false
    /// Whether it does not matter that the store was restored without proof that nothing is missing: what is asked for
    /// confirms the record, or only ends something (threat 67).
    var acceptsUnconfirmed = false

    /// The code for whoever does not prove who asks.
    var code: OAuth2Error.Code { place.code(.invalidClient) }
}

/// Proves who asks, given what was looked up.
typealias Proving = @Sendable (inout Inquiry) throws(Refusal) -> Requester

extension Exchange<HTTP.Response> {
    /// Answers whoever proves to be the requester; what must not pass twice is noted first.
    ///
    /// - Parameter isEnding: whether something is ended and nothing given, which works even where there is no room to
    ///   note the proof (threat 62).
    static func proved(
        by proving: @escaping Proving, toEnd isEnding: Bool = false,
        _ answer: @escaping @Sendable (Requester, inout Inquiry) throws(Refusal) -> Answer<HTTP.Response>
    ) -> Procedure {
        { asking throws(Refusal) in
            let requester = try proving(&asking)
            var answer = try answer(requester, &asking)
            let noted = isEnding ? requester.changes.evenWithoutRoom : requester.changes
            answer.changes = noted + answer.changes
            return answer
        }
    }
}

/// A credential as it was presented: which record it means is known, and nothing more.
struct PresentedCredential: Sendable {
    let presentation: Possession.Presentation
    /// The name of the record that has to be looked up; `nil` if the credential can mean none.
    let id: TokenID?
    /// What was presented in the place of a signed token.
    var opaque: OpaqueToken?
    /// What tells a signed token from others of its record.
    var serial: String?
}

extension Authority {
    /// Reads which record a credential means; of a JWT only once we know that it is ours.
    func present(_ credential: ClientCredential, _ demand: Demand, at now: Timestamp) throws(Refusal)
        -> PresentedCredential
    {
        guard let presentation = try refusing(TokenRejection.self, try Possession.Presentation(credential)) else {
            throw .noCredential(demand, isAnonymous: credential == .none)
        }
        switch presentation.need {
        case .key(let id):
            return PresentedCredential(
                presentation: presentation, id: id.flatMap { try? TokenID(parsing: $0.text) })
        case .token(let token):
            if let opaque = OpaqueToken(presented: token.secret) {
                return PresentedCredential(presentation: presentation, id: opaque.id, opaque: opaque)
            }
            let own = ownAccessToken(token, evenExpired: demand.acceptsExpiredAccess, at: now)?.id
            return PresentedCredential(
                presentation: presentation, id: own.flatMap { TokenID(of: $0) },
                serial: own.map { String($0.text.split(separator: ".").last ?? "") })
        }
    }

    /// Reads a credential, and says how to prove who presents it.
    func proving(
        _ credential: ClientCredential, _ demand: Demand, policy: Possession.Policy, at now: Timestamp
    ) throws(Refusal) -> Proving {
        let presented = try present(credential, demand, at: now)
        return { asking throws(Refusal) in try requester(presented, demand, policy: policy, &asking) }
    }

    /// Finds the record that a credential means, and demands the proof that its key demands.
    func requester(
        _ presented: PresentedCredential, _ demand: Demand, policy: Possession.Policy, _ asking: inout Inquiry
    ) throws(Refusal) -> Requester {
        let requester = try requester(
            presented, try asking.lineage(of: presented.id), demand, policy: policy, at: asking.now)
        asking.requester = requester.record
        return requester
    }

    /// Whoever presents a credential, when it is in order and what the store says of it too.
    private func requester(
        _ presented: PresentedCredential, _ lineage: Lineage?, _ demand: Demand, policy: Possession.Policy,
        at now: Timestamp
    ) throws(Refusal) -> Requester {
        guard let lineage else { throw .unknown(presented.presentation, demand) }
        let proven = try proven(presented, Grant(lineage, at: now), demand, policy: policy, at: now)
        return Requester(
            lineage: lineage, key: proven.key, possession: proven.possession, changes: proven.changes)
    }

    /// What is proved by a credential that is in order, where what the store says of it is too.
    ///
    /// Everything about the proof is checked before anything is said about the record, and whether there is such a
    /// record is not told by words or time (threat 39).
    ///
    /// - Parameter grant: what the store says at this time; `nil` if there is no such record.
    func proven(
        _ presented: PresentedCredential, _ grant: Grant?, _ demand: Demand, policy: Possession.Policy,
        at now: Timestamp
    ) throws(Refusal) -> ProvenGrant {
        guard let grant else { throw .unknown(presented.presentation, demand) }
        let key = try key(of: grant, policy)
        // The name of a record without a key, such as a version's, says no more than that of none.
        if key == nil, case .key = presented.presentation.need { throw .unknown(presented.presentation, demand) }
        // Whether there is a record of a name is told to nobody who does not have its secret.
        if let opaque = presented.opaque, !opaque.opens(grant) { throw .unknown(presented.presentation, demand) }
        // An instance that registered again has a new token, and only that (REQ-10).
        if let serial = presented.serial, !grant.isCurrent(serial) {
            throw .unknown(presented.presentation, demand)
        }
        let possession: Possession?
        do throws(TokenRejection) {
            possession = try presented.presentation.verified(
                by: key, for: demand.method, requesting: demand.url, policy: policy, at: now)
        } catch {
            throw Refusal(
                demand.code == .invalidClient ? error.clientRefusal : error.refusal, clause: error.clause)
        }
        guard demand.kinds.contains(grant.kind) else { throw .otherKind(grant.kind, demand) }
        let verdict = grant.verdict
        if verdict.isUnconfirmed, !demand.acceptsUnconfirmed, !demand.acceptsEndedGrant {
            throw .unconfirmed(grant.kind, demand.code)
        }
        let suffices =
            verdict.isLive || verdict.isUnconfirmed || demand.acceptsExpiredAccess && verdict.grantLives
            || demand.acceptsEndedGrant
        guard suffices else {
            throw Refusal(demand.code, "the access token is expired or revoked", "TOK-1")
        }
        return ProvenGrant(
            grant: grant, key: key, possession: possession, changes: possession.map { [$0.singleUse.change] } ?? [])
    }

    /// The longest that an access token may be good: what is to hold for longer is not known any more.
    package static let longestAccessLifetime: Duration = .seconds(400 * 86_400)

    /// An access token that this service gave, and that has not expired, unless that does not matter to its renewal or
    /// end.
    func ownAccessToken(_ token: AccessToken, evenExpired: Bool = false, at now: Timestamp) -> Statement.JWTAccessToken?
    {
        guard let unverified = try? Statement.Unverified(parsing: token, as: .accessToken) else { return nil }
        var policy = Statement.Policy.accessToken
        policy.maximumLifetime = Self.longestAccessLifetime
        if evenExpired { policy.expirationLeeway = .seconds(4_000 * 86_400) }
        return try? Statement.JWTAccessToken(
            checking: unverified, by: ownKeys, of: issuer, to: Statement.Addressee(issuer), policy: policy, at: now)
    }

    /// The record that a token in a request for revocation means, wherever it leads and whatever the hint says; `nil`
    /// for what was never given.
    ///
    /// - Parameter isOwned: whether the caller makes sure that the record is the requester's: then it does not matter
    ///   who signed the token, which may be a key that is withdrawn or long gone, nor whether a plain token was renewed
    ///   since, of whose former secrets nobody keeps anything, because ending one's own always works (threat 76).
    func record(
        meantBy request: RevocationRequest, ofProvenRequester isOwned: Bool, _ asking: inout Inquiry
    ) throws(Refusal) -> Lineage? {
        let text = request.token.secret
        if let token = try? Record.Refresh.Token(parsing: text), let lineage = try asking.lineage(of: token.id),
            let refresh = lineage.record.refresh
        {
            // Every token of the family means the grant; an invention means nothing.
            switch refresh.presentation(of: token, proof: nil, at: asking.now, window: .zero) {
            case .foreign: break
            case .current, .repeated, .reused, .differing: return lineage
            }
        }
        if request.token.resemblesJWT {
            // What has expired can be renewed until it is ended: success must not be said of that (threat 32).
            let name =
                isOwned
                ? (try? Statement.Unverified(parsing: request.token, as: .accessToken))?.claimedID
                : ownAccessToken(request.token, evenExpired: true, at: asking.now)?.id
            return try asking.lineage(of: name.flatMap { TokenID(of: $0) })
        }
        guard let token = OpaqueToken(presented: text), let lineage = try asking.lineage(of: token.id) else {
            return nil
        }
        return isOwned && OpaqueToken.opensAny(lineage.record) || token.opens(lineage.record) ? lineage : nil
    }
}

extension Statement.Unverified {
    /// Reads what a party of the federation has to authenticate with.
    init(ofParty credential: ClientCredential) throws(Refusal) {
        guard case .assertion(let assertion) = credential else {
            throw Refusal(.invalidClient, "federation services authenticate with a client assertion", "RFC7523-2.2")
        }
        self = try Self(ofClient: assertion)
    }

    /// Reads what a client that is a service authenticates with.
    init(ofClient assertion: Assertion) throws(Refusal) {
        self = try refusing(
            TokenRejection.self, try Statement.Unverified(parsing: assertion, as: .clientAssertion))
    }
}

extension Refusal {
    /// No such token: in the words, and after the time, of a wrong signature.
    fileprivate static func unknown(_ presentation: Possession.Presentation, _ demand: Demand) -> Refusal {
        let error = presentation.refusedAsUnknown()
        return Refusal(
            OAuth2Error(demand.code, error.explanation?.text, page: error.page), clause: "threat-39")
    }

    static let otherClient = Refusal(
        .invalidClient, "'client_id' is not the client that the credential proves", "RFC6749-3.2.1")

    /// It may have ended in the time that is missing from a restored store: what helps is to begin anew (threat 67).
    static func unconfirmed(_ kind: Record.Kind, _ code: OAuth2Error.Code) -> Refusal {
        let way = kind == .service || kind == .app ? "authorize the service again" : "sign in again"
        return Refusal(
            code, "the service was restored and does not know whether this still stands; \(way)", "threat-67")
    }

    fileprivate static func noCredential(_ demand: Demand, isAnonymous: Bool) -> Refusal {
        var refusal = Refusal(
            demand.code, "the request carries no token in its Authorization header", "RFC6750-2.1")
        refusal.isAnonymous = isAnonymous
        return refusal
    }

    fileprivate static func otherKind(_ kind: Record.Kind, _ demand: Demand) -> Refusal {
        let wanted = demand.kinds.map { $0.description }.joined(separator: " or ")
        return Refusal(
            demand.code,
            "this endpoint takes tokens of the kind '\(wanted)', not of the kind '\(kind)'", "threat-18")
    }
}

extension [Change] {
    /// The same for what only ends something: it is done even where there is no room to note the proof of it (threat
    /// 62).
    var evenWithoutRoom: [Change] {
        map { change in
            guard case .remember(let key, let until, _) = change else { return change }
            return .remember(key, until: until, evenWithoutRoom: true)
        }
    }
}

extension Statement.SingleUse {
    /// The change that fails when the token was presented before.
    var change: Change {
        var key =
            switch kind {
            case .clientAssertion, .appRegistration: ReplayKey("client assertion", owner, id.text)
            case .assertionGrant: ReplayKey("assertion", owner, id.text)
            case .appCode: ReplayKey("app code", owner, id.text)
            case .requestToken, .accessToken: ReplayKey("request token", owner, id.text)
            case .proof: ReplayKey("proof", owner, id.text)
            case .idToken, .logoutToken: ReplayKey("provider's token", owner, id.text)
            }
        key.made = made
        return .remember(key, until: until)
    }
}
