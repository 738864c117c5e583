internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

extension Authority {
    /// Gives a grant that can be renewed (AUT-3, TOK-2): what its holder is told, and its record, still to be stored.
    ///
    /// - Parameter key: what the record is bound to; one without it is good for whoever bears its token.
    /// - Parameter publicKey: the same key, where it has been read.
    /// - Parameter provided: what is kept with it.
    /// - Parameter request: the digest of the request that it answers.
    func grant(
        _ kind: Record.Kind, on ground: TokenID, to holder: Record.Holder?, about subject: Record.Subject?,
        at audience: Record.Audience? = nil, scope: Scope, boundTo key: Record.BoundKey?,
        knowing publicKey: JWK? = nil, keeping provided: JSON.Object = [:], lifetime: Duration,
        ending end: Timestamp? = nil, answering request: Fingerprint,
        _ asking: inout Inquiry
    ) throws(Refusal) -> (told: HTTP.Response, record: Record) {
        let id = TokenID(using: &asking.chance)
        let refresh = Record.Refresh.issued(for: id, under: master, answering: request, using: &asking.chance)
        let secret = key == nil ? OpaqueToken(for: id, using: &asking.chance) : nil
        var attributes = provided
        if let secret { attributes[OpaqueToken.member] = secret.kept }
        let record = Record(
            id: id, kind: kind, parent: ground, issued: asking.now, holder: holder, subject: subject,
            audience: audience, scope: scope.isEmpty ? nil : .named(scope.text), boundKey: key,
            accessExpiry: asking.now + lifetime, finalExpiry: end, refresh: refresh.refresh,
            attributes: attributes)
        let told = try response(
            for: record, scope: scope, lifetime: lifetime, secret: secret, refreshToken: refresh.token,
            knowing: publicKey,
            &asking)
        return (told, record)
    }

    /// Gives the holder of a grant a new token in the place of its present one, which ends with its refresh token; what
    /// stands on the grant stays.
    ///
    /// - Parameter provided: what is known of the person's sign-in now, in the place of what was.
    func renewedGrant(
        of record: Record, noting provided: JSON.Object = [:], lifetime: Duration, answering request: Fingerprint,
        _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        guard let old = record.refresh, old.generation < .max else { throw .failed }
        let refresh = Record.Refresh.issued(
            for: record.id, under: master, answering: request, generation: old.generation + 1, using: &asking.chance)
        let serial = Base64URL.encode(asking.chance.bytes(6))
        var renewed = record
        renewed.attributes = record.attributes(replacingTokenWith: serial, noting: provided)
        let told = try response(
            for: renewed, scope: record.grantedScope, lifetime: lifetime, refreshToken: refresh.token, serial: serial,
            &asking)
        return Answer(
            told,
            [
                .rotate(record.id, from: old, to: refresh.refresh, accessExpiry: asking.now + lifetime),
                record.keeping(renewed.attributes),
            ])
    }

    /// What was given for an assertion or code, once more, to who lost the answer (threat 72): the same records and the
    /// same refresh token, and JWTs signed anew.
    ///
    /// Who asks has proved the same key again, freshly. The answer is `nil` if it is too late for that, or if nobody
    /// can tell who lost it.
    ///
    /// - Parameter granted: the records one of which may be what was given.
    /// - Parameter request: the digest of the request; one that asks for something else is given nothing, and ends
    ///   nothing.
    /// - Parameter admit: checks what is left to check once it is known what was given, and before it is signed anew.
    func repetition(
        of granted: [Lineage], on ground: Lineage, answering request: Fingerprint, window: Duration,
        _ asking: inout Inquiry, admitting admit: () throws(Refusal) -> Void = {}
    ) throws(Refusal) -> HTTP.Response? {
        guard let consumed = ground.entry.fate.consumed, window > .zero, asking.now <= consumed + window,
            !granted.isEmpty, granted.allSatisfy({ $0.record.boundKey != nil })
        else { return nil }
        for lineage in granted where lineage.verdict(at: asking.now).grantLives {
            let record = lineage.record
            guard let token = record.refresh?.first(for: record.id, under: master, answering: request) else { continue }
            let lifetime = record.accessExpiry.map { max($0 - asking.now, .zero) } ?? .zero
            try admit()
            return try response(
                for: record, scope: record.grantedScope, lifetime: lifetime, refreshToken: token, &asking)
        }
        throw Refusal(.invalidGrant, "it was redeemed before, for another request or by one that went on", "threat-72")
    }

    /// Renews the grant of a refresh token for the holder who proved to be its own, and says what the store must change
    /// before that is told.
    ///
    /// The proof comes before the token is spent (threat 29); a token that had been replaced ends its family (threat
    /// 28); nothing comes of a grant that has ended, or stands on one that has (TOK-3).
    ///
    /// - Parameter window: how long after a renewal its answer may be asked for again with the token that was spent on
    ///   it.
    func renewal(
        with token: RefreshToken, by requester: Requester, _ request: TokenRequest, lifetime: Duration,
        window: Duration, _ asking: inout Inquiry, admitting admit: (Record) throws(Refusal) -> Void = { _ in },
        ending: (Lineage, Record.Reason, Timestamp) -> [Change]
    ) throws(Refusal) -> Answer<HTTP.Response> {
        guard let presented = try? Record.Refresh.Token(parsing: token.secret),
            let lineage = try asking.lineage(of: presented.id), requester.owns(lineage),
            // What goes on with a sign-in has the same form, and renews nothing (FPA-6).
            lineage.record.kind != .session
        else { throw .unknownRefreshToken }
        let record = lineage.record
        let next: Record.Refresh.Token
        var lifetime = lifetime
        var changes: [Change] = []
        switch lineage.renewal(
            with: presented, proof: requester.proof(with: request), accessExpiry: asking.now + lifetime, at: asking.now,
            window: window)
        {
        case .granted(let token, let change): (next, changes) = (token, [change])
        case .repeated(let token):
            next = token
            lifetime = record.accessExpiry.map { max($0 - asking.now, .zero) } ?? lifetime
        case .reused:
            // With the proof noted, the same message that comes twice is a replay, and ends nothing.
            throw Refusal(
                .invalidGrant, "the refresh token was replaced before; the grant has been revoked", "threat-28",
                changes: requester.changes.evenWithoutRoom + ending(lineage, .refreshReused, asking.now))
        case .dead(.unconfirmed): throw .unconfirmed(record.kind, .invalidGrant)
        case .dead:
            throw Refusal(.invalidGrant, "the grant has ended, and nothing is recovered from it by refresh", "TOK-3")
        case .differing:
            throw Refusal(.invalidGrant, "the refresh token was replaced before, for another request", "threat-72")
        case .foreign: throw .unknownRefreshToken
        }
        // Refused before the token counts as spent.
        let scope = try record.narrowed(to: request.scope)
        try admit(record)
        let secret = record.boundKey == nil ? OpaqueToken(for: record.id, using: &asking.chance) : nil
        let told = try response(
            for: record, scope: scope, lifetime: lifetime, secret: secret, refreshToken: next,
            knowing: requester.publicKey(of: record), &asking)
        return Answer(told, changes + record.noting(scope, secret))
    }
}

extension Lineage {
    /// Confirms what was issued before a restoration, by the word of whoever signed in anew.
    func confirming(at now: Timestamp) -> [Change] {
        verdict(at: now).isUnconfirmed ? [.confirm(record.id)] : []
    }
}

extension Record {
    /// All that the grant is good for.
    var grantedScope: OAuth2Grants.Scope {
        scope.flatMap { try? OAuth2Grants.Scope(parsing: $0.text) } ?? OAuth2Grants.Scope()
    }

    /// Whether its current access token is good for less than the grant.
    var isNarrowed: Bool { attributes[Record.narrowedScope] != nil }

    /// What a renewed token is good for: all of the grant, or the part that was asked for, and never more (threat 30).
    fileprivate func narrowed(to requested: OAuth2Grants.Scope?) throws(Refusal) -> OAuth2Grants.Scope {
        guard let requested else { return grantedScope }
        guard grantedScope.contains(requested) else {
            throw Refusal(.invalidScope, "the scope exceeds what was granted", "threat-30")
        }
        return requested
    }

    /// Replaces what is kept with the record, unless others have since the decision (threat 73).
    func keeping(_ attributes: JSON.Object) -> Change { .describe(id, attributes, from: self.attributes) }

    /// The same, where there is something to replace.
    func keepingAnew(_ attributes: JSON.Object) -> [Change] {
        attributes == self.attributes ? [] : [keeping(attributes)]
    }

    /// Puts the record in the place of what is known under its name, or inserts it where nothing is.
    func stored(over known: Record?) -> Change { known.map { $0.keeping(attributes) } ?? .insert(self) }

    /// What is kept when this is the serial of the only access token, which is good for all of the grant; whoever has
    /// signed in anew need not be asked again.
    fileprivate func attributes(replacingTokenWith serial: String, noting provided: JSON.Object) -> JSON.Object {
        var attributes = attributes
        // How the person signed in before says nothing about this time.
        for name in Authentication.names { attributes[name] = nil }
        for member in provided { attributes[member.name] = member.value }
        attributes[Record.askAgain] = nil
        attributes[Record.narrowedScope] = nil
        attributes[Record.currentToken] = .string(serial)
        return attributes
    }

    /// Notes what the new access token is good for and, of a plain one, by which secret it is known; nothing if
    /// neither has changed.
    func noting(_ scope: OAuth2Grants.Scope, _ secret: OpaqueToken? = nil) -> [Change] {
        guard scope != currentScope() || secret != nil else { return [] }
        var attributes = attributes
        attributes[Record.narrowedScope] = scope == grantedScope ? nil : .string(scope.text)
        if let secret { attributes[OpaqueToken.member] = secret.kept }
        return [keeping(attributes)]
    }
}

extension TokenRequest {
    /// What is asked for, as a digest: a request that repeats another one, because its answer was lost, says the same.
    ///
    /// - Parameter ground: what is presented, where the answer is to be known by that.
    func digest(presenting ground: TokenID? = nil) -> Fingerprint {
        let key = key.flatMap { try? $0.thumbprint() }
        return Fingerprint(
            of: [scope?.text, resource?.text, key?.text, ground?.text].map { $0 ?? "" }.joined(separator: "\n").utf8)
    }
}

extension Refusal {
    static let unknownRefreshToken = Refusal(
        .invalidGrant, "the refresh token is unknown, or of another client", "RFC6749-6")
}
