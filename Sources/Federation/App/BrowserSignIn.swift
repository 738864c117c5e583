internal import JOSE
public import OAuth2Grants
public import Wire

// How a person signs in with the system's browser (2, OIC-1, OIC-13), where the edu-ID service sends people to a
// provider at which they have an account already.

extension AuthorizingApp {
    /// A sign-in that waits for the browser to come back; it outlives the process, so that the app may be put away
    /// meanwhile.
    public struct AwaitedBrowser: Sendable, Equatable {
        /// Where the app is called back: what opens it with another link is not the answer.
        public let address: CallbackAddress
        /// When the browser was sent.
        public let begun: Timestamp
        fileprivate let state: Secret.CallbackState
        /// The secret with which the code will be redeemed.
        fileprivate let verifier: Secret.CodeVerifier

        /// As long as the service waits for the browser to come, and for the provider.
        private static let lifetime: Duration = .seconds(690)

        fileprivate func isOver(at now: Timestamp) -> Bool { now >= begun + Self.lifetime }
    }
}

extension AuthorizingApp.Interaction where Value == WebURL {
    /// Begins a sign-in that the person makes in the system's browser, and says where the browser is to go, within 90
    /// seconds; when it calls the app back, ``AuthorizingApp/Interaction/returning(with:)`` goes on.
    ///
    /// It takes the place of a sign-in that waited. An instance that is not registered, or whose registration has
    /// ended, registers before; what is over and not told yet is told first.
    ///
    /// - Parameter address: where the app is called back, as it is registered with the app's version.
    /// - Parameter demand: what the sign-in has to be.
    public static func browserSignIn(
        callingBackAt address: CallbackAddress, demanding demand: AuthenticationDemand = .none
    ) -> Self {
        departure(callingBackAt: address, demand).asSignIn
    }

    private static func departure(callingBackAt address: CallbackAddress, _ demand: AuthenticationDemand) -> Self {
        Self { turn throws(Rejection) in
            let verifier = Secret.CodeVerifier(using: &turn.chance)
            let state = Secret.CallbackState(using: &turn.chance)
            let request = try turn.challenge { instance, credential in
                ChallengeRequest(
                    client: instance, callingBackAt: address, state: state, challenge: verifier.challenge,
                    demanding: demand, credential: credential)
            }
            let endpoint = try turn.session.endpoint(.authorization)
            return .ask(request) { turn, response throws(Rejection) in
                let outcome = try AuthorizingApp.answer(response) { response throws(ParameterRejection) in
                    try ChallengeRequest.Outcome(parsing: response)
                }
                switch outcome {
                case .refused(let error): throw .refused(error)
                case .granted, .continued: throw .unexpected(clause: "OIC-1")
                case .browser(let invitation):
                    let instance = turn.session.installation.instance
                    let location = try wrapping(
                        Rejection.unusable, try invitation.location(at: endpoint, for: instance))
                    try turn.session.keep(
                        AuthorizingApp.AwaitedBrowser(
                            address: address, begun: turn.now, state: state, verifier: verifier))
                    return .done(location)
                }
            }
        }
    }
}

extension AuthorizingApp.Interaction where Value == Void {
    /// Takes the link with which a browser has called the app back, and redeems the code in it.
    ///
    /// A link that is not the answer to the app's own request changes nothing; a refusal ends the sign-in.
    public static func returning(with link: String) -> Self {
        Self { turn throws(Rejection) in
            guard let awaited = turn.session.awaitedBrowser(at: turn.now) else {
                throw .noPendingSignIn
            }
            let service = turn.session.eduID.issuer
            let answer = try wrapping(
                Rejection.unusable,
                try BrowserReturn(parsing: link, to: awaited.address, expecting: awaited.state, by: service))
            switch answer.answer {
            case .refused(let error):
                try turn.session.forgetSignIn()
                return .next { _ throws(Rejection) in throw .refused(error) }
            case .code(let code):
                return try turn.redeem(code, awaited.verifier, calledBackAt: awaited.address)
            }
        }
    }
}

extension AuthorizingApp.Turn {
    /// Redeems a code that a browser brought, and learns whose it is before anything is taken for that person's.
    fileprivate mutating func redeem(
        _ code: Secret.AuthorizationCode, _ verifier: Secret.CodeVerifier, calledBackAt address: CallbackAddress
    ) throws(Rejection) -> AuthorizingApp.Interaction<Void>.Progress {
        try redeem(code, verifier, calledBackAt: address) { turn, token, ending throws(Rejection) in
            try turn.learnWhose(token, ending: ending, asking: 2)
        }
    }

    /// Begins a session for whoever the edu-ID service says a token is for.
    ///
    /// - Parameter times: how often it is asked at most where the answer is lost; whoever it is then gets nothing of
    ///   anybody's, not even of what was hidden before.
    private mutating func learnWhose(
        _ token: HeldToken, ending: AuthorizingApp.Store.TokenKey, asking times: Int
    ) throws(Rejection) -> AuthorizingApp.Interaction<Void>.Progress {
        // Only a session that has the token can ask with it; until the answer comes nothing of it is kept.
        let former = session
        try session.keep(token, of: .user)
        let request = try resource(.get, session.endpoint(.userinfo), of: .user)
        session = former
        return .ask(request) { turn, response throws(Rejection) in
            if response == nil, times > 1 { return try turn.learnWhose(token, ending: ending, asking: times - 1) }
            let name = (try? JSON(parsing: AuthorizingApp.body(response)))?["sub"]?.string
            let user = name.flatMap { try? UserName(parsing: "sub:" + $0) }
            return try turn.begin(user, with: token, ending: ending)
        }
    }
}

// MARK: - In the store

extension AuthorizingApp.Session {
    /// The sign-in that waits for the browser to come back.
    public func awaitedBrowser(at now: Timestamp) -> AuthorizingApp.AwaitedBrowser? {
        guard let kept = store.contents.tokens[signInKey], let awaited = AuthorizingApp.AwaitedBrowser(kept),
            !awaited.isOver(at: now)
        else { return nil }
        return awaited
    }

    /// Keeps what waits for the browser, in the place of a sign-in that waited for a step.
    fileprivate mutating func keep(_ awaited: AuthorizingApp.AwaitedBrowser) throws(Rejection) {
        let (place, kept) = (signInKey, try awaited.kept())
        try change { contents in contents.tokens[place] = kept }
    }
}

extension AuthorizingApp.AwaitedBrowser {
    fileprivate func kept() throws(Rejection) -> AuthorizingApp.Store.Token {
        try AuthorizingApp.Store.kept(
            JSON.encodedObject { object in
                object.member("redirect_uri", address.text)
                object.member("begun", begun.seconds)
                object.member("state", state.secret)
                object.member("verifier", verifier.secret)
            })
    }

    /// What a store kept; `nil` for anything else.
    fileprivate init?(_ kept: AuthorizingApp.Store.Token) {
        guard let members = try? JSON.Document(parsing: kept.secret).root.object(),
            let address = try? CallbackAddress(parsing: members["redirect_uri"].string()),
            let begun = try? members["begun"].integer(as: Int64.self),
            let state = try? Secret.CallbackState(parsing: members["state"].string()),
            let verifier = try? Secret.CodeVerifier(parsing: members["verifier"].string())
        else { return nil }
        self.init(address: address, begun: Timestamp(seconds: begun), state: state, verifier: verifier)
    }
}
