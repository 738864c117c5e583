internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

/// Who makes a request, by what the store and a proof say: the record that opens the endpoint, with all that it stands
/// on.
struct Requester {
    let lineage: Lineage
    /// The key whose possession was proved; nothing where the token is good for whoever bears it.
    let key: Statement.BoundKey?
    /// What was proved, with the caller's claims.
    let possession: Possession?
    /// What must not pass twice.
    let changes: [Change]

    var record: Record { lineage.record }

    /// What a repeated request must prove again to be taken for the same.
    ///
    /// A symmetric key has no digest that may be told; its name is as good, because the issuer gives each name to one
    /// key.
    var proof: Fingerprint? {
        (key?.thumbprint?.text ?? (key?.id).map { "kid:" + $0.text }).map { Fingerprint(of: $0.utf8) }
    }
}

/// What an endpoint demands of its requesters.
struct Demand {
    /// What the record may be.
    let kinds: [Record.Kind]
    /// The endpoint's URL, which proofs must name.
    let url: WebURL
    var method: HTTP.Request.Method
    /// Where the endpoint is, which decides about the words of refusals.
    let place: Place
    /// Whether it is enough that the grant lives, because what is asked for is its renewal or end.
    var acceptsExpiredAccess = false
    /// Whether not even the grant need live, because the answer to whoever proves its key is the same: it is over.
    var acceptsEndedGrant = false

    enum Place {
        case authorizationServer
        case resource

        var code: OAuth2Error.Code {
            switch self {
            case .authorizationServer: .invalidClient
            case .resource: .invalidToken
            }
        }
    }

    init(_ kinds: Record.Kind..., at url: WebURL, method: HTTP.Request.Method = .post, in place: Place) {
        self.kinds = kinds
        self.url = url
        self.method = method
        self.place = place
    }
}

/// A credential as it was presented: which record it means is known, and nothing more.
struct PresentedCredential {
    let presentation: Possession.Presentation
    /// The name of the record that has to be looked up; nothing where the credential can mean none.
    let id: TokenID?
    /// What was presented in the place of a signed token.
    let opaque: OpaqueToken?
}

extension Authority {
    /// Finds the record that a credential means, and demands the proof that its key demands.
    func requester(
        _ credential: ClientCredential, _ demand: Demand, policy: Possession.Policy, _ asking: inout Consultation
    ) throws(Interruption) -> Requester {
        let now = asking.now
        let presented = try Interruption.refusing { () throws(Refusal) in try present(credential, demand, at: now) }
        let lineage: Lineage? = if let id = presented.id { try asking.lineage(of: id) } else { nil }
        return try Interruption.refusing { () throws(Refusal) in
            try requester(presented, lineage, demand, policy: policy, at: now) { (record) throws(Refusal) in
                try key(of: record)
            }
        }
    }

    /// Reads which record a credential means; of a JWT only once we know that it is ours.
    func present(_ credential: ClientCredential, _ demand: Demand, at now: Timestamp) throws(Refusal)
        -> PresentedCredential
    {
        let found: Possession.Presentation?
        do throws(TokenRejection) { found = try Possession.Presentation(credential) } catch {
            throw Refusal(error.refusal, clause: error.clause)
        }
        guard let presentation = found else { throw .noCredential(demand) }
        switch presentation.need {
        case .key(let id):
            return PresentedCredential(
                presentation: presentation, id: id.flatMap { try? TokenID(parsing: $0.text) }, opaque: nil)
        case .token(let token):
            if let opaque = OpaqueToken(presented: token.secret) {
                return PresentedCredential(presentation: presentation, id: opaque.id, opaque: opaque)
            }
            let id = ownAccessToken(token, evenExpired: demand.acceptsExpiredAccess, at: now).flatMap {
                TokenID(of: $0.id)
            }
            return PresentedCredential(presentation: presentation, id: id, opaque: nil)
        }
    }

    /// Whoever presents a credential, when it is in order and what the store says of it too.
    ///
    /// Everything about the proof is checked before anything is said about the record, and whether there is such a
    /// record is not told by words or time (threat 39).
    func requester(
        _ presented: PresentedCredential, _ lineage: Lineage?, _ demand: Demand, policy: Possession.Policy,
        at now: Timestamp,
        readingKey: (Record) throws(Refusal) -> Statement.BoundKey?
    ) throws(Refusal) -> Requester {
        guard let lineage else { throw .unknown(presented.presentation, demand) }
        let record = lineage.record
        let key = try readingKey(record)
        // The name of a record without a key, such as a version's, says no more than that of none.
        if key == nil, case .key = presented.presentation.need { throw .unknown(presented.presentation, demand) }
        // Whether there is a record of a name is told to nobody who does not have its secret.
        if let opaque = presented.opaque, !opaque.opens(record) { throw .unknown(presented.presentation, demand) }
        let possession: Possession?
        do throws(TokenRejection) {
            possession = try presented.presentation.verified(
                by: key, for: demand.method, requesting: demand.url, policy: policy, at: now)
        } catch {
            throw Refusal(
                demand.place.code == .invalidClient ? error.clientRefusal : error.refusal, clause: error.clause)
        }
        guard demand.kinds.contains(record.kind) else { throw .otherKind(record.kind, demand) }
        let verdict = lineage.verdict(at: now)
        let suffices = verdict.isLive || demand.acceptsExpiredAccess && verdict.grantLives || demand.acceptsEndedGrant
        guard suffices else { throw .dead(verdict, demand) }
        return Requester(
            lineage: lineage, key: key, possession: possession, changes: possession.map { [$0.singleUse.change] } ?? [])
    }

    /// An access token that this service gave, and that has not expired, unless that does not matter to its renewal or
    /// end.
    func ownAccessToken(_ token: AccessToken, evenExpired: Bool = false, at now: Timestamp) -> Statement.JWTAccessToken?
    {
        guard let unverified = try? Statement.Unverified(parsing: token, as: .accessToken) else { return nil }
        var policy = Statement.Policy.accessToken
        policy.maximumLifetime = .seconds(400 * 86_400)
        if evenExpired { policy.expirationLeeway = .seconds(4_000 * 86_400) }
        return try? Statement.JWTAccessToken(
            checking: unverified, by: ownKeys, of: issuer, to: Statement.Addressee(issuer), policy: policy, at: now)
    }
}

extension Refusal {
    /// No such token: in the words, and after the time, of a wrong signature.
    fileprivate static func unknown(_ presentation: Possession.Presentation, _ demand: Demand) -> Refusal {
        Refusal(presentation.refusedAsUnknown().saying(demand.place.code), clause: "threat-39")
    }

    fileprivate static func noCredential(_ demand: Demand) -> Refusal {
        Refusal(
            OAuth2Error(demand.place.code, "the request carries no token in its Authorization header (RFC6750-2.1)"),
            clause: "RFC6750-2.1")
    }

    fileprivate static func otherKind(_ kind: Record.Kind, _ demand: Demand) -> Refusal {
        let wanted = demand.kinds.map { $0.description }.joined(separator: " or ")
        return Refusal(
            OAuth2Error(
                demand.place.code,
                "this endpoint takes tokens of the kind '\(wanted)', not of the kind '\(kind)' (threat 18)"),
            clause: "threat-18")
    }

    fileprivate static func dead(_ verdict: Verdict, _ demand: Demand) -> Refusal {
        Refusal(OAuth2Error(demand.place.code, "the access token is expired or revoked (TOK-1)"), clause: "TOK-1")
    }
}

extension OAuth2Error {
    /// The same words under another code.
    func saying(_ code: Code) -> OAuth2Error { OAuth2Error(code, explanation?.text, page: page) }
}

extension Statement.SingleUse {
    /// The change that fails when the token was presented before.
    var change: Change {
        let key =
            switch kind {
            case .clientAssertion, .appRegistration: ReplayKey("client assertion", owner, id.text)
            case .assertionGrant: ReplayKey("assertion", owner, id.text)
            case .appCode: ReplayKey("app code", owner, id.text)
            case .requestToken, .accessToken: ReplayKey("request token", owner, id.text)
            case .proof: ReplayKey("proof", owner, id.text)
            }
        return .remember(key, until: until)
    }
}
