internal import OAuth2Grants
internal import TokenTree
internal import Wire

/// A grant that is renewed: what its holder gets, and what the store must change before.
struct RenewedGrant {
    /// The refresh token that takes the place of the one presented.
    let token: Record.Refresh.Token
    /// What the new access token is good for.
    let scope: Scope
    /// How long the new access token is good; of one that is told a second time, for the rest of its time.
    let lifetime: Duration
    /// The change that spends the token presented; none where the answer to the same request was lost.
    let changes: [Change]
}

extension Authority {
    /// Renews the grant of a refresh token for the holder who proved to be its own.
    ///
    /// The proof comes before the token is spent (threat 29); a token that had been replaced ends its family (threat
    /// 28); nothing comes of a grant that has ended, or stands on one that has (TOK-3).
    ///
    /// - Parameter window: how long after a renewal its answer may be asked for again with the token that was spent on
    ///   it.
    func renewal(
        with token: RefreshToken, by requester: Requester, scope requested: Scope?, lifetime: Duration,
        window: Duration = .zero,
        _ asking: inout Inquiry,
        ending: (TokenID, Record.Reason, inout Inquiry) throws(Refusal) -> [Change]
    ) throws(Refusal) -> (RenewedGrant, Lineage) {
        guard let presented = try? Record.Refresh.Token(parsing: token.secret),
            let lineage = try asking.lineage(of: presented.id),
            requester.owns(lineage)
        else { throw .unknownRefreshToken }
        let expiry = asking.now + lifetime
        switch lineage.renewal(
            with: presented, proof: requester.proof, accessExpiry: expiry, at: asking.now, window: window)
        {
        case .granted(let next, let change):
            // Looked at before the token counts as spent.
            let scope = try lineage.record.narrowed(to: requested)
            return (RenewedGrant(token: next, scope: scope, lifetime: lifetime, changes: [change]), lineage)
        case .repeated(let next):
            let scope = try lineage.record.narrowed(to: requested)
            let rest = lineage.record.accessExpiry.map { max($0 - asking.now, .zero) } ?? lifetime
            return (RenewedGrant(token: next, scope: scope, lifetime: rest, changes: []), lineage)
        case .reused:
            // With the proof noted, the same message that comes twice is a replay, and ends nothing.
            throw Refusal(
                .invalidGrant, "the refresh token was replaced before; the grant has been revoked", "threat-28",
                changes: requester.changes + (try ending(lineage.record.id, .refreshReused, &asking)))
        case .dead:
            throw Refusal(.invalidGrant, "the grant has ended, and nothing is recovered from it by refresh", "TOK-3")
        case .foreign:
            throw .unknownRefreshToken
        }
    }
}

extension Record {
    /// All that the grant is good for.
    var grantedScope: OAuth2Grants.Scope {
        scope.flatMap { try? OAuth2Grants.Scope(parsing: $0.text) } ?? OAuth2Grants.Scope()
    }

    /// What its current access token is good for, which may be less.
    ///
    /// - Parameter known: words that need not be read anew where one of them is all of the scope.
    func currentScope(knowing known: [OAuth2Grants.Scope.Token] = []) -> OAuth2Grants.Scope {
        guard let text = attributes[Self.narrowedScope]?.string ?? scope?.text else { return OAuth2Grants.Scope() }
        if let token = known.first(where: { JSON.Name($0.text) == JSON.Name(text) }) {
            return OAuth2Grants.Scope([token])
        }
        return (try? OAuth2Grants.Scope(parsing: text)) ?? OAuth2Grants.Scope()
    }

    private static let narrowedScope: JSON.Name = "narrowed_scope"

    /// Whether its current access token is good for less than the grant.
    var isNarrowed: Bool { attributes[Self.narrowedScope] != nil }

    /// What a renewed token is good for: all of the grant, or the part that was asked for, and never more (threat 30).
    fileprivate func narrowed(to requested: OAuth2Grants.Scope?) throws(Refusal) -> OAuth2Grants.Scope {
        guard let requested else { return grantedScope }
        guard grantedScope.contains(requested) else {
            throw Refusal(.invalidScope, "the scope exceeds what was granted", "threat-30")
        }
        return requested
    }

    /// Notes what the new access token is good for and, of a plain one, by which secret it is known; nothing if
    /// neither has changed.
    func noting(_ scope: OAuth2Grants.Scope, _ secret: OpaqueToken? = nil) -> [Change] {
        guard scope != currentScope() || secret != nil else { return [] }
        var attributes = attributes
        attributes[Self.narrowedScope] = scope == grantedScope ? nil : .string(scope.text)
        if let secret { attributes[OpaqueToken.member] = secret.kept }
        return [.describe(id, attributes)]
    }
}

extension Refusal {
    static let unknownRefreshToken = Refusal(
        .invalidGrant, "the refresh token is unknown, or of another client", "RFC6749-6")
}
