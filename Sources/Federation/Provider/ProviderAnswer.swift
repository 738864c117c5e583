internal import JOSE
internal import OAuth2Grants
internal import PureCrypto
internal import TokenTree
internal import Wire

extension Provider {
    /// Who signed in at a provider, and what it says about that.
    struct Identity: Sendable {
        /// The person's name at the edu-ID service, unless its host has another (OIC-12).
        let user: Record.Subject
        /// The person's account at the provider, with what is said about it.
        let account: ProvidedAccount
        /// How and when the person was asked for proof, in the provider's words.
        let authentication: Authentication
        /// What is kept with the sign-in, by which it is known again when the provider ends it: names from which the
        /// provider's own do not follow.
        let attributes: JSON.Object
    }

    /// Takes what a provider answers to a browser that was sent there, and finds out who signed in.
    ///
    /// Whoever calls has found the departure by the imprint of the answer's state, at this provider's own path, and has
    /// it count once; before that the code is sent nowhere.
    ///
    /// - Parameter mark: what the browser kept.
    func conclude(
        _ callback: OpenID.Callback, of departure: Departure, in mark: OpenID.BrowserMark?, at service: Authority,
        _ asking: inout Inquiry
    ) throws(Refusal) -> Identity {
        guard departure.callbackName.utf8.elementsEqual(callbackName.utf8) else { throw .otherCallback }
        guard let mark, mark.imprint == departure.browser else { throw .otherBrowser }
        let description = try asking.description(of: self)
        let answer = try refusing(
            ParameterRejection.self,
            try callback.answer(to: departure.state, by: issuer, promised: description.promisesIssuer))
        let code: Secret.AuthorizationCode
        switch answer {
        case .code(let given): code = given
        case .refused(let error): throw .refused(by: error)
        }
        let exchange = OpenID.CodeExchange(
            code, sentTo: self.callback(at: service),
            verifier: verifier(of: callback.state, following: service.master), by: client)
        let tokens = try tokens(for: exchange, at: description, &asking)
        let identity = try identity(tokens, of: departure, description, &asking)
        // What userinfo tells is newer than what the ID token does.
        var claims = identity.claims
        for claim in try userinfo(tokens, of: identity, description, &asking) { claims[claim.name] = claim.value }
        let profile = self.claims.profile(from: claims)
        // Whose account it is does not depend on the session in which the person came.
        claims["sid"] = nil
        return Identity(
            user: user(identity.subject, following: service.master),
            account: ProvidedAccount(identity.subject, at: issuer, claims: claims, profile: profile),
            authentication: Authentication(
                by: identity.methods, as: identity.contextClass, at: identity.authenticated),
            attributes: attributes(of: identity, following: service.master, at: asking.now))
    }

    private func tokens(
        for exchange: OpenID.CodeExchange, at description: OpenID.ProviderDescription, _ asking: inout Inquiry
    ) throws(Refusal) -> OpenID.CodeExchange.Tokens {
        let credential = try authentication(&asking)
        let sent = try wrapping(
            Refusal.unsendable,
            try exchange.encoded(to: description.token, by: credential))
        switch try asking.outcome(of: sent, OpenID.CodeExchange.Outcome.init(parsing:)) {
        case .granted(let tokens): return tokens
        case .refused(let error): throw .failingProvider("it does not redeem the code: \(error.code)", "OIC-7")
        }
    }

    private func identity(
        _ tokens: OpenID.CodeExchange.Tokens, of departure: Departure, _ description: OpenID.ProviderDescription,
        _ asking: inout Inquiry
    ) throws(Refusal) -> Statement.IDToken {
        let received = try refusing(
            TokenRejection.self, try Statement.Unverified(parsing: tokens.identity, as: .idToken))
        var expected = Statement.IDToken.Expectation(
            for: client, nonce: departure.nonce, signedBy: algorithms)
        expected.maximumAge = departure.demand.maximumAge.map { .seconds($0) }
        expected.contextClasses = departure.demand.contextClasses
        let known = try asking.keys(of: self, description, naming: received.keyID)
        return try refusing(
            TokenRejection.self,
            try Statement.IDToken(
                checking: received, by: known, of: issuer, expecting: expected, with: tokens.access, at: asking.now))
    }

    private func userinfo(
        _ tokens: OpenID.CodeExchange.Tokens, of identity: Statement.IDToken,
        _ description: OpenID.ProviderDescription, _ asking: inout Inquiry
    ) throws(Refusal) -> JSON.Object {
        guard asksForUserinfo, let endpoint = description.userinfo else { return [:] }
        let sent = try wrapping(
            Refusal.unsendable,
            try OpenID.Userinfo.request(to: endpoint, with: tokens.access))
        return try asking.outcome(of: sent) { response throws(ParameterRejection) in
            try OpenID.Userinfo(parsing: response, about: identity.subject)
        }.claims
    }
}

// MARK: - What is kept with a sign-in

extension Provider {
    private static let member: JSON.Name = "provider"

    private func attributes(
        of identity: Statement.IDToken, following master: HMAC<SHA256>.PreparedKey, at now: Timestamp
    ) -> JSON.Object {
        var names: JSON.Object = [
            "user": .string(user(identity.subject, following: master).text),
            Self.told: .number(JSON.Number(now.seconds)),
        ]
        if let session = identity.session { names["session"] = .string(name(of: session, following: master)) }
        return [Self.member: .object(names)]
    }

    /// Whether a sign-in was made at a provider.
    static func isSource(of record: Record) -> Bool { record.attributes[member] != nil }

    /// Whether a sign-in came from this user at the provider.
    static func isSource(of record: Record, user: Record.Subject) -> Bool { self.user(in: record.attributes) == user }

    /// The name that follows from the account at the provider with which a sign-in was made.
    static func user(in kept: JSON.Object) -> Record.Subject? { kept[member]?["user"]?.string.map { .named($0) } }

    /// The name of the session at the provider in which a sign-in was made, where there is one.
    static func session(in kept: JSON.Object) -> String? { kept[member]?["session"]?.string }

    /// By which names a sign-in is found beside its user's: of the session at the provider, where there is one, and of
    /// the account there, where that is called otherwise here.
    static func names(finding kept: JSON.Object, of user: Record.Subject?) -> [Record.Subject] {
        let account = self.user(in: kept).flatMap { $0 == user ? nil : $0 }
        return [session(in: kept).map { .named($0) }, account].compactMap { $0 }
    }

    /// What the provider says of a person, as it is kept with the sign-in.
    static func profile(in kept: JSON.Object) -> JSON.Object? { kept[profile]?.object }

    /// When a provider said that.
    static func told(in kept: JSON.Object) -> Timestamp? {
        kept[member]?[told]?.number?.integer(as: Int64.self).map { Timestamp(seconds: $0) }
    }

    /// When somebody last signed in with what a record stands for.
    static func signedIn(_ record: Record) -> Timestamp { told(in: record.attributes) ?? record.issued }

    fileprivate static let told: JSON.Name = "told"

    /// The same with another profile.
    static func keeping(_ profile: JSON.Object, in kept: JSON.Object) -> JSON.Object {
        var kept = kept
        kept[Self.profile] = profile.isEmpty ? nil : .object(profile)
        return kept
    }

    /// The same when what the provider said has gone over from a code to the sign-in: it has one home, so that whatever
    /// is taken out of it meanwhile is out of both (AFF-2).
    static func withoutWord(in kept: JSON.Object) -> JSON.Object { keeping([:], in: kept) }

    fileprivate static let profile: JSON.Name = "profile"

    /// What a code keeps of the sign-in behind it, be it at a provider or here.
    static func kept(in code: Record) -> JSON.Object {
        let names = [member, profile] + Authentication.names
        return JSON.Object(names.compactMap { name in code.attributes[name].map { (name, $0) } })
    }
}

extension Provider.Identity {
    /// The person's name at the provider.
    var subject: Subject { account.subject }
    /// What goes into the profile.
    var profile: JSON.Object { account.profile }

    /// What is kept with the code and then with the sign-in: where it came from, what goes into the profile, and how
    /// and when the person was asked for proof.
    var kept: JSON.Object {
        var kept = attributes
        if !profile.isEmpty { kept[Provider.profile] = .object(profile) }
        for claim in authentication.claims { kept[claim.name] = claim.value }
        return kept
    }
}
