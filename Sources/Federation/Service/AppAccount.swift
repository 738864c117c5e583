internal import JOSE
public import OAuth2Grants
internal import RSD2
public import TokenTree
public import Wire

// What users see and end of what apps were given here: through an instance of theirs, or on the service's own pages.

extension FederationService {
    /// What a user asks about apps: an ``Exchange`` of its own, which the host begins for whoever it has authenticated
    /// by itself, such as in a browser, or for a service token at the endpoints below `apps`.
    public enum AccountCommand: Sendable, Equatable {
        /// Lists the tokens of apps that live, whichever instance obtained them.
        case apps
        /// Ends all that an app was given for the user; the app learns it at its next request.
        case end(BundleID)
        /// Ends all that any app was given for the user.
        case endAll
    }

    /// Begins what a user wants; the host has made sure who it is.
    ///
    /// An ending is answered by 204 when it is done, by 404 where there was nothing, and by 202 where only a part was
    /// done, because there was too much for one time: then it has to be asked for again.
    ///
    /// - Parameter user: the name under which the service knows the user.
    public func exchange(
        for command: AccountCommand, of user: Record.Subject, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) -> Exchange<HTTP.Response> {
        Exchange(Refuser(at: .resource(), under: proof), at: now, chance: Chance(using: &entropy)) {
            { asking throws(Refusal) in try carryOut(command, of: user, by: nil, &asking) }
        }
    }

    /// The endpoint for a command, which its path says.
    ///
    /// What is a user's he or she ends however old the token is, and though the service admits him or her no more.
    static func account(_ command: @escaping @Sendable (Call) -> AccountCommand?) -> Route<FederationService>.Handler {
        { service in
            { call throws(Refusal) in
                guard let command = command(call) else { return { _ in Answer(HTTP.Response(.notFound)) } }
                return try service.personal(call, toEnd: command != .apps) { requester, user, asking throws(Refusal) in
                    try service.carryOut(command, of: user, by: requester, &asking)
                }
            }
        }
    }

    /// Answers whoever holds a service token, which opens all of the authorization component (AST-7).
    func personal(
        _ call: Call, toEnd isEnding: Bool,
        _ answer:
            @escaping @Sendable (Requester, Record.Subject, inout Inquiry) throws(Refusal) -> Answer<HTTP.Response>
    ) throws(Refusal) -> Procedure {
        let credential = try refusing(ParameterRejection.self, try ClientCredential(headerOf: call.request))
        let demand = call.demand(evenExpired: isEnding, evenUnconfirmed: isEnding)
        let proving = try authority.proving(credential, demand, policy: policy.proof, at: call.now)
        return Exchange.proved(by: proving, toEnd: isEnding) { requester, asking throws(Refusal) in
            guard let standing = Standing(requester.grant(at: asking.now)) else { throw .failed }
            if !isEnding { try policy.admit(standing, at: call.place, asking.now) }
            guard requester.record.currentScope().covers(call.url) else {
                throw Refusal(.insufficientScope, "the token was not renewed for this endpoint", "AST-7")
            }
            return try answer(requester, standing.subject, &asking)
        }
    }

    private func carryOut(
        _ command: AccountCommand, of user: Record.Subject, by requester: Requester?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        switch command {
        case .apps:
            let now = asking.now
            let tokens = try asking.records(.subject(user, .app)).filter { $0.verdict(at: now).grantLives }
            return .list(
                JSON.encodedArray { list in
                    for token in tokens {
                        list.object { object in
                            write(token, to: &object)
                            if let requester, requester.owns(token) { object.member("this", true) }
                        }
                    }
                }, nil)
        case .end(let app): return try end(app, of: user, .user, nil, &asking)
        case .endAll: return try end(nil, of: user, .user, nil, &asking)
        }
    }

    /// What is told of an app's token: to whom it was given and for what, how old it is, and through which instance, by
    /// the name that the service knows.
    func write(_ token: Lineage, to object: inout JSON.ObjectWriter) {
        object.member("app", ifPresent: token.record.holder?.text)
        object.member("scope", token.record.grantedScope.text)
        object.member("issued", token.record.issued.seconds)
        object.member("last_used", ifPresent: token.entry.fate.lastUse?.seconds)
        object.member("expires", ifPresent: token.entries.compactMap { $0.record.end }.min()?.seconds)
        object.member("instance", ifPresent: token.nearest(.service)?.holder?.text)
    }

    /// The end of what an app was given for a user, or all apps.
    func end(
        _ app: BundleID?, of user: Record.Subject, _ reason: Record.Reason, _ remark: Remark?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let holder = app.map { Record.Holder($0) }
        let tokens = try asking.records(.subject(user, .app)).filter { token in
            token.isUnended && (holder == nil || token.record.holder == holder)
        }
        let ends = tokens.prefix(endedAtOnce).flatMap { [now = asking.now] in $0.ended(reason, remark, at: now) }
        return .ended(ends, isWhole: tokens.count <= endedAtOnce)
    }
}
