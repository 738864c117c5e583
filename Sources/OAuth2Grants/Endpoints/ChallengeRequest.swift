public import Wire

/// What a person signs in with, on its way to the edu-ID service (2), after OAuth 2.0 for First-Party Applications: by
/// a registered instance, which alone can redeem the code that it gets (FPA-1, FPA-2), in one request or in several.
public struct ChallengeRequest: Equatable, Sendable {
    /// Which client hands it over, where it says so beside what proves it.
    public let client: ClientID?
    /// What is handed over.
    public let evidence: Evidence
    /// The digest of the secret with which the code will be redeemed (RFC 7636); what goes on with a session may leave
    /// it out, and cannot change it.
    public let challenge: CodeChallenge?
    /// What the sign-in has to be that begins here.
    public let demand: AuthenticationDemand
    /// With what the client says who it is.
    public let credential: ClientCredential

    /// What is handed over.
    public enum Evidence: Equatable, Sendable {
        /// Begins a sign-in: who the person claims to be, and what is to prove it. A service may ask for the name
        /// first, and for everything else in steps.
        ///
        /// - Parameter steps: those that the client can make, where it says so.
        case credentials(UserName, Secret.Password?, steps: [SignInStep.Name]?)
        /// Begins a sign-in that the person makes in a browser, at a provider where he or she has an account (OIC-1).
        ///
        /// The app is called back at an address that is registered with its version, with a state that it made for this
        /// sign-in alone.
        case browser(CallbackAddress, Secret.CallbackState)
        /// Asks for what the sign-in of whoever is signed in on the instance lacks for the demand (FPA-20).
        ///
        /// - Parameter steps: those that the client can make, where it says so.
        case more(steps: [SignInStep.Name]?)
        /// Goes on with one, by the answer to one of the steps that were offered.
        case step(SignInStep.Answer, in: Secret.SignInSession)
    }

    /// Hands something over.
    private init(
        _ evidence: Evidence, client: ClientID?, challenge: CodeChallenge?, demanding demand: AuthenticationDemand,
        credential: ClientCredential
    ) {
        self.evidence = evidence
        self.client = client
        self.challenge = challenge
        self.demand = demand
        self.credential = credential
    }

    /// Begins a sign-in.
    ///
    /// - Parameter steps: those that the client can make.
    public init(
        client: ClientID? = nil, user: UserName, password: Secret.Password?, steps: [SignInStep.Name]? = nil,
        challenge: CodeChallenge, demanding demand: AuthenticationDemand = .none, credential: ClientCredential
    ) {
        self.init(
            .credentials(user, password, steps: steps), client: client, challenge: challenge, demanding: demand,
            credential: credential)
    }

    /// Asks for what the sign-in of whoever is signed in lacks.
    ///
    /// - Parameter steps: those that the client can make.
    public init(
        client: ClientID? = nil, demanding demand: AuthenticationDemand, steps: [SignInStep.Name]? = nil,
        challenge: CodeChallenge, credential: ClientCredential
    ) {
        self.init(
            .more(steps: steps), client: client, challenge: challenge, demanding: demand, credential: credential)
    }

    /// Begins a sign-in in a browser.
    public init(
        client: ClientID? = nil, callingBackAt address: CallbackAddress, state: Secret.CallbackState,
        challenge: CodeChallenge, demanding demand: AuthenticationDemand = .none, credential: ClientCredential
    ) {
        self.init(
            .browser(address, state), client: client, challenge: challenge, demanding: demand, credential: credential)
    }

    /// Goes on with a sign-in.
    public init(
        client: ClientID? = nil, answering answer: SignInStep.Answer, in session: Secret.SignInSession,
        credential: ClientCredential
    ) {
        self.init(
            .step(answer, in: session), client: client, challenge: nil, demanding: .none, credential: credential)
    }

    /// The request to the endpoint at a URL.
    public func encoded(to endpoint: WebURL) throws(SyntaxError) -> HTTP.Request {
        var pairs = [HTTP.Form.Pair("response_type", ResponseType.code)]
        switch evidence {
        case .credentials(let user, let password, let steps):
            pairs.append(HTTP.Form.Pair("username", user.text))
            if let password { pairs.append(HTTP.Form.Pair("password", password.secret)) }
            pairs += Self.pairs(of: steps)
        case .more(let steps): pairs += Self.pairs(of: steps)
        case .browser(let address, let state):
            pairs += [HTTP.Form.Pair("redirect_uri", address.text), HTTP.Form.Pair("state", state.secret)]
        case .step(let answer, let session):
            pairs.append(HTTP.Form.Pair("auth_session", session.secret))
            pairs += answer.pairs
        }
        if let challenge {
            pairs.append(HTTP.Form.Pair("code_challenge", challenge.text))
            pairs.append(HTTP.Form.Pair("code_challenge_method", CodeChallenge.method))
        }
        pairs += demand.parameters.map { HTTP.Form.Pair($0.name, $0.value) }
        return try HTTP.Request(form: pairs, client: client, to: endpoint, credential)
    }

    private static func pairs(of steps: [SignInStep.Name]?) -> [HTTP.Form.Pair] {
        guard let steps else { return [] }
        return [HTTP.Form.Pair("steps_supported", steps.map { $0.text }.joined(separator: " "))]
    }

    /// Reads a request.
    public init(parsing request: HTTP.Request) throws(ParameterRejection) {
        let parameters = try Parameters(bodyOf: request)
        try ResponseType.check(parameters)
        let credential = try ClientCredential(of: request, parameters)
        let client: ClientID? = try parameters.identifier("client_id")
        if let session: Secret.SignInSession = try parameters.secret("auth_session") {
            for name in ["username", "password"] where try parameters.text(name) != nil {
                throw .together("auth_session", name)
            }
            let answer = try SignInStep.Answer(parameters)
            let isChallenged = try parameters.text("code_challenge") != nil
            self.init(
                .step(answer, in: session), client: client, challenge: isChallenged ? try parameters.challenge() : nil,
                demanding: try parameters.demand(), credential: credential)
            return
        }
        let demand = try parameters.demand()
        let isNamed = try parameters.text("username") != nil
        if !isNamed, let address = try parameters.text("redirect_uri") {
            let state: Secret.CallbackState = try parameters.required("state", try parameters.secret("state"))
            self.init(
                .browser(try CallbackAddress(parsing: address), state), client: client,
                challenge: try parameters.challenge(), demanding: demand, credential: credential)
        } else if !isNamed, !demand.isEmpty, try parameters.text("password") == nil {
            self.init(
                .more(steps: try parameters.supportedSteps()), client: client, challenge: try parameters.challenge(),
                demanding: demand, credential: credential)
        } else {
            let user: UserName = try parameters.required("username", try parameters.identifier("username"))
            let password: Secret.Password? = try parameters.secret("password")
            self.init(
                .credentials(user, password, steps: try parameters.supportedSteps()), client: client,
                challenge: try parameters.challenge(), demanding: demand, credential: credential)
        }
    }
}

// MARK: - Answers

extension ChallengeRequest {
    /// How it is answered: with a code, with what is asked next, or with a refusal that is the same whatever is wrong
    /// with name and password (threat 39).
    public enum Outcome: Equatable, Sendable {
        /// The code, to be redeemed at the token endpoint within a minute.
        case granted(Secret.AuthorizationCode)
        /// The sign-in goes on.
        case continued(Continuation)
        /// The person is to go on in a browser.
        case browser(BrowserInvitation)
        /// Why there is none.
        case refused(OAuth2Error)

        /// The answer.
        public func encoded() -> HTTP.Response {
            switch self {
            case .granted(let code): .json { $0.member("authorization_code", code.secret) }
            case .continued(let continuation): continuation.encoded()
            case .browser(let invitation): invitation.encoded()
            case .refused(let error): error.response()
            }
        }

        /// Reads an answer.
        ///
        /// One that says two things at once is none.
        public init(parsing response: HTTP.Response) throws(ParameterRejection) {
            if let continuation = try Continuation(parsing: response) {
                self = .continued(continuation)
            } else if let invitation = try BrowserInvitation(parsing: response) {
                self = .browser(invitation)
            } else if let error = try OAuth2Error.refusal(in: response) {
                self = .refused(error)
            } else {
                let members = try Parameters(answer: response)
                for name in ["error", "steps"] where members.contains(name) {
                    throw .together("authorization_code", name)
                }
                self = .granted(try members.required("authorization_code", try members.secret("authorization_code")))
            }
        }
    }

    /// What somebody goes on with whose sign-in has more steps.
    public struct Continuation: Equatable, Sendable {
        /// Why it is not over: ``OAuth2Error/Code/insufficientAuthorization`` asks for more; every other code says what
        /// was wrong with the last step, which may be made once more.
        public let error: OAuth2Error
        /// What the next request has to bear, in the place of the one before.
        public let session: Secret.SignInSession
        /// The steps one of which is to be made, in the order in which the server would have them; those of before
        /// where it names none.
        public let steps: [SignInStep]

        /// A sign-in that goes on.
        public init(_ error: OAuth2Error, session: Secret.SignInSession, steps: [SignInStep]) {
            (self.error, self.session, self.steps) = (error, session, steps)
        }

        /// Whether the step before was passed.
        public var isPassed: Bool { error.code == .insufficientAuthorization }

        fileprivate func encoded() -> HTTP.Response {
            .json(error.status()) { object in
                error.write(to: &object)
                object.member("auth_session", session.secret)
                object.array("steps") { list in for step in steps { list.element(step) } }
            }
        }

        /// Reads an answer that goes on; `nil` if it is another.
        fileprivate init?(parsing response: HTTP.Response) throws(ParameterRejection) {
            guard [.badRequest, .forbidden].contains(response.status),
                let members = try? Parameters(membersOf: response),
                let session: Secret.SignInSession = try members.secret("auth_session")
            else { return nil }
            guard !members.contains("authorization_code") else {
                throw .together("auth_session", "authorization_code")
            }
            let error = try OAuth2Error(parsing: response)
            // Each of the two goes with its status, whoever sent it.
            guard (response.status == .forbidden) == (error.code == .insufficientAuthorization) else {
                throw .status(response.status)
            }
            // Where this ends the session there is nothing to go on with.
            guard error.code != .invalidSession else { return nil }
            self.init(error, session: session, steps: try members.offeredSteps())
        }
    }
}
