public import OAuth2Grants
public import Wire

// How a person signs in with the app (2): with name and password, and with further steps where the edu-ID service asks
// for them.

extension AuthorizingApp {
    /// A sign-in that waits for one more step; it outlives the process, so that a person can look up a code elsewhere.
    public struct PendingSignIn: Sendable {
        /// Who signs in; `nil` for whoever is signed in already, and of whom more is demanded.
        public let user: UserName?
        /// The steps one of which is to be made, in the order in which the service would have them.
        public let steps: [SignInStep]
        /// What the sign-in has to be in the end.
        public let demand: AuthenticationDemand
        /// When the sign-in began; it has to be done within ten minutes.
        public let begun: Timestamp
        /// What the next request has to bear, in the place of the one before (FPA-4).
        fileprivate let session: Secret.SignInSession
        /// The secret with which the code will be redeemed.
        fileprivate let verifier: Secret.CodeVerifier

        /// How long a service waits for all steps together (FPA-7).
        private static let lifetime: Duration = .seconds(600)

        fileprivate func isOver(at now: Timestamp) -> Bool { now >= begun + Self.lifetime }

        fileprivate func going(on continuation: ChallengeRequest.Continuation) -> PendingSignIn {
            PendingSignIn(
                user: user, steps: continuation.steps.isEmpty ? steps : continuation.steps, demand: demand,
                begun: begun,
                session: continuation.session, verifier: verifier)
        }
    }
}

extension AuthorizingApp.Interaction where Value == Void {
    /// Hands the user's credentials over (2), which the app does not keep (AUT-2), and redeems the code that they are
    /// answered with; the secret behind the code is this instance's alone (RFC 7636).
    ///
    /// Where the service asks for more it is rejected with ``Rejection/stepWanted``, and
    /// ``AuthorizingApp/Session/pendingSignIn(at:)`` says what; it goes on with ``step(_:)``. An instance that is not
    /// registered, or whose registration has ended, registers before; what is over and not told yet is told first.
    ///
    /// - Parameter password: `nil` where the service asks for everything but the name in steps.
    /// - Parameter demand: what the sign-in has to be; without one that is, there is none.
    public static func signIn(
        _ user: UserName, _ password: Secret.Password?, demanding demand: AuthenticationDemand = .none
    ) -> Self {
        authentication(user, password, demand).asSignIn
    }

    /// Makes more of the sign-in than it was (FPA-20), as a service demands that refuses the person for
    /// ``Rejection/demand``: where steps are missing it is rejected with ``Rejection/stepWanted``, and ``step(_:)``
    /// goes on; the person stays signed in, and everything that apps were given stays.
    ///
    /// What is demanded, and no step leads to, the person may have by signing in anew.
    public static func stepUp(to demand: AuthenticationDemand) -> Self {
        Self { turn throws(Rejection) in
            _ = try turn.session.token(of: .user)
            try turn.session.keep(nil)
            let verifier = Secret.CodeVerifier(using: &turn.chance)
            let steps = turn.session.steps
            let request = try turn.challenge { instance, credential in
                ChallengeRequest(
                    client: instance, demanding: demand, steps: steps.isEmpty ? nil : steps,
                    challenge: verifier.challenge, credential: credential)
            }
            return .ask(request) { turn, response throws(Rejection) in
                try turn.goOn(with: nil, verifier, for: demand, nil, response)
            }
        }.regaining(.instance, after: .invalidClient)
    }

    /// Goes on with a sign-in by the answer to one of its steps.
    ///
    /// A wrong answer is rejected with what the service says; if the sign-in still waits then, the step can be made
    /// once more.
    public static func step(_ answer: SignInStep.Answer) -> Self {
        Self { turn throws(Rejection) in
            guard let pending = turn.session.pendingSignIn(at: turn.now) else {
                try turn.session.keep(nil)
                throw .noPendingSignIn
            }
            let request = try turn.challenge { instance, credential in
                ChallengeRequest(client: instance, answering: answer, in: pending.session, credential: credential)
            }
            return .ask(request) { turn, response throws(Rejection) in
                try turn.goOn(with: pending.user, pending.verifier, for: pending.demand, pending, response)
            }
        }
    }

    /// Gives up a sign-in that waits for a step, or for a browser; the service forgets it by itself.
    public static var abandonedSignIn: Self {
        Self { turn throws(Rejection) in
            try turn.session.forgetSignIn()
            return .done(())
        }
    }

    private static func authentication(
        _ user: UserName, _ password: Secret.Password?, _ demand: AuthenticationDemand
    ) -> Self {
        Self { turn throws(Rejection) in
            try turn.session.keep(nil)
            let verifier = Secret.CodeVerifier(using: &turn.chance)
            let steps = turn.session.steps
            let request = try turn.challenge { instance, credential in
                ChallengeRequest(
                    client: instance, user: user, password: password, steps: steps.isEmpty ? nil : steps,
                    challenge: verifier.challenge, demanding: demand, credential: credential)
            }
            return .ask(request) { turn, response throws(Rejection) in
                try turn.goOn(with: user, verifier, for: demand, nil, response)
            }
        }
    }
}

extension AuthorizingApp.Interaction {
    /// This attempt to sign in, from whatever state the instance is in: what is over and not told yet is told before,
    /// and an instance that is not registered, or whose registration has ended, registers.
    var asSignIn: Self {
        let attempt = regaining(.instance, after: .invalidClient)
        return AuthorizingApp.Interaction<Void>.sessionsTold.then { turn, _ throws(Rejection) in
            guard turn.session.isRegistered else {
                return AuthorizingApp.Interaction<Void>.registration.then { _, _ throws(Rejection) in attempt }
            }
            return attempt
        }
    }
}

extension AuthorizingApp.Turn {
    mutating func challenge(
        _ make: (ClientID, ClientCredential) -> ChallengeRequest
    ) throws(Rejection) -> HTTP.Request {
        let instance = session.installation.instance
        let url = try session.endpoint(.authorizationChallenge)
        return try message(to: url, of: .instance) { credential, url throws(SyntaxError) in
            try make(instance, credential).encoded(to: url)
        }
    }

    /// Takes what a challenge was answered with: redeems a code, or keeps what waits for the next step.
    fileprivate mutating func goOn(
        with user: UserName?, _ verifier: Secret.CodeVerifier, for demand: AuthenticationDemand,
        _ pending: AuthorizingApp.PendingSignIn?, _ response: HTTP.Response?
    ) throws(Rejection) -> AuthorizingApp.Interaction<Void>.Progress {
        let outcome = try AuthorizingApp.answer(response) { response throws(ParameterRejection) in
            try ChallengeRequest.Outcome(parsing: response)
        }
        switch outcome {
        case .refused(let error):
            // What is no word on the sign-in itself leaves it as it is.
            let ends: [OAuth2Error.Code] = [.invalidSession, .invalidGrant, .accessDenied, .unmetRequirements]
            if ends.contains(error.code) { try session.keep(nil) }
            throw .refused(error)
        case .continued(let continuation):
            let next =
                pending?.going(on: continuation)
                ?? AuthorizingApp.PendingSignIn(
                    user: user, steps: continuation.steps, demand: demand, begun: now, session: continuation.session,
                    verifier: verifier)
            try session.keep(next)
            throw continuation.isPassed ? .stepWanted : .refused(continuation.error)
        case .browser: throw .unexpected(clause: "FPA-3")
        case .granted(let code):
            guard let user else { return try renew(by: code, verifier) }
            return try redeem(code, verifier) { turn, token, ending throws(Rejection) in
                try turn.begin(user, with: token, ending: ending)
            }
        }
    }

    /// Redeems a code for a token in the place of the one that whoever is signed in has.
    private mutating func renew(
        by code: Secret.AuthorizationCode, _ verifier: Secret.CodeVerifier
    ) throws(Rejection) -> AuthorizingApp.Interaction<Void>.Progress {
        let request = try redemption(of: code, verifier)
        try session.forgetSignIn()
        return .ask(request) { turn, response throws(Rejection) in
            .done(try turn.keep(response, of: .user, renewing: true))
        }
    }

    private mutating func redemption(
        of code: Secret.AuthorizationCode, _ verifier: Secret.CodeVerifier,
        calledBackAt callback: CallbackAddress? = nil
    ) throws(Rejection) -> HTTP.Request {
        let url = try session.endpoint(.token)
        return try message(to: url, of: .instance) { credential, url throws(SyntaxError) in
            try TokenRequest.code(code, verifier: verifier, calledBackAt: callback, credential: credential)
                .encoded(to: url)
        }
    }

    /// Redeems a code for the personal token, and goes on with that and with what could end it.
    ///
    /// - Parameter callback: where a browser brought the code, if one did.
    mutating func redeem(
        _ code: Secret.AuthorizationCode, _ verifier: Secret.CodeVerifier,
        calledBackAt callback: CallbackAddress? = nil,
        then next:
            @escaping @Sendable (inout Self, HeldToken, AuthorizingApp.Store.TokenKey) throws(Rejection) ->
            AuthorizingApp.Interaction<Void>.Progress
    ) throws(Rejection) -> AuthorizingApp.Interaction<Void>.Progress {
        let request = try redemption(of: code, verifier, calledBackAt: callback)
        try session.forgetSignIn()
        let ending = try session.keepEnding(ofSessionBy: code, at: now)
        return .ask(request) { turn, response throws(Rejection) in
            let token = try HeldToken(
                AuthorizingApp.granted(response), of: turn.session.installation.identity, at: turn.now)
            return try next(&turn, token, ending)
        }
    }

    /// Begins a session with the token of a person; nobody's name is another one's.
    mutating func begin(
        _ user: UserName?, with token: HeldToken, ending: AuthorizingApp.Store.TokenKey
    ) throws(Rejection) -> AuthorizingApp.Interaction<Void>.Progress {
        // A token that cannot be kept takes nobody's place.
        var session = session
        try session.change { contents in contents.tokens[ending] = nil }
        try session.begin(for: user, with: token, chance.bytes(16))
        try session.keep(token, of: .user)
        self.session = session
        return .done(())
    }
}

// MARK: - In the store

extension AuthorizingApp.Session {
    /// The sign-in that waits for a step.
    public func pendingSignIn(at now: Timestamp) -> AuthorizingApp.PendingSignIn? {
        guard let kept = store.contents.tokens[signInKey], let pending = AuthorizingApp.PendingSignIn(kept),
            !pending.isOver(at: now)
        else { return nil }
        return pending
    }

    /// Forgets what waits for a step, or for a browser.
    mutating func forgetSignIn() throws(Rejection) { try keep(nil) }

    /// Keeps what waits for a step, or that nothing does.
    fileprivate mutating func keep(_ pending: AuthorizingApp.PendingSignIn?) throws(Rejection) {
        let place = signInKey
        guard pending != nil || store.contents.tokens[place] != nil else { return }
        let kept = try pending?.kept()
        try change { contents in contents.tokens[place] = kept }
    }
}

extension AuthorizingApp.PendingSignIn {
    fileprivate func kept() throws(Rejection) -> AuthorizingApp.Store.Token {
        try AuthorizingApp.Store.kept(
            JSON.encodedObject { object in
                object.member("user", ifPresent: user?.text)
                object.member("begun", begun.seconds)
                object.member("auth_session", session.secret)
                object.member("verifier", verifier.secret)
                if !demand.isEmpty { object.member("demand", JSON.object(demand.members)) }
                object.array("steps") { list in for step in steps { list.element(step) } }
            })
    }

    /// A sign-in that a store kept; `nil` for what is none.
    fileprivate init?(_ kept: AuthorizingApp.Store.Token) {
        let limits = JSON.Limits(size: 64 << 10, depth: 16)
        guard let members = try? JSON.Document(parsing: kept.secret, limits: limits).root.object(),
            let begun = try? members["begun"].integer(as: Int64.self),
            let session = try? Secret.SignInSession(parsing: members["auth_session"].string()),
            let verifier = try? Secret.CodeVerifier(parsing: members["verifier"].string()),
            let steps = try? members["steps"].array()
        else { return nil }
        let name = members.optional("user").map { try? UserName(parsing: $0.string()) }
        let demand =
            members.optional("demand").map { value in
                value.tree().object.flatMap { AuthenticationDemand(keptIn: $0) }
            } ?? .some(.none)
        guard name != .some(nil), let demand else { return nil }
        self.init(
            user: name ?? nil, steps: steps.compactMap { SignInStep($0) }, demand: demand,
            begun: Timestamp(seconds: begun), session: session,
            verifier: verifier)
    }
}
