public import JOSE
public import NAIL
public import OAuth2Grants
public import RSD2
public import Wire

// The extension's part (DAT-4): service authorization (4, 5), and access for apps (7, 8).

extension AuthorizingApp.Interaction where Value == Void {
    /// Asks the edu-ID service to introduce the user to a service (4, AST-1), and redeems the assertion that comes with
    /// the answer, at the token endpoint that comes with it (5).
    ///
    /// The request brings a key for that service alone; whether the service is to know the instance by it, the answer
    /// says (threat 77).
    ///
    /// - Parameter demand: what the service has said that the sign-in has to be (``Rejection/demand``).
    public static func introduction(
        to service: ServiceURL, demanding demand: AuthenticationDemand = .none
    ) -> Self {
        let attempt = Self { turn throws(Rejection) in
            _ = try turn.session.token(of: .user)
            // Before anything is spent: what a service gives is kept with its description.
            guard turn.session.store.contents.services[service] != nil else { throw .unknownService(service) }
            let key = try turn.newKey(for: service)
            return try asking(for: service, bringing: key, demanding: demand).begin(&turn)
        }.regaining(.user, after: .invalidClient, .invalidToken)
        return attempt.recovering { _, rejection throws(Rejection) in
            guard case .refused(let error) = rejection else { throw rejection }
            switch error.code {
            // The assertion ended on its way, or the key that signed it: the edu-ID service makes another one.
            case .invalidGrant: return attempt
            // The service has other words for what it wants of the sign-in than it was told.
            case .insufficientUserAuthentication where demand.isEmpty && !error.demand.isEmpty:
                return introduction(to: service, demanding: error.demand)
            default: throw rejection
            }
        }
    }

    /// Asks for the assertion.
    ///
    /// - Parameter nonce: what the edu-ID service wants in the proof of the key.
    private static func asking(
        for service: ServiceURL, bringing key: DeviceKey, demanding demand: AuthenticationDemand, nonce: String? = nil
    ) -> Self {
        Self { turn throws(Rejection) in
            let url = try turn.session.endpoint(.authorization)
            let state = Base64URL.encode(turn.chance.bytes(16))
            let credential = try ClientCredential.bearer(
                turn.session.token(of: .user).proof(
                    for: url, at: turn.signingTime(for: url), knowing: turn.signatures, using: &turn.chance))
            var asked = AuthorizationRequest(for: service.url, state: state, credential: credential)
            asked.key = key.publicKey
            asked.demand = demand
            asked.keyProof = try turn.proof(of: key, for: url, nonce: nonce)
            let (request, issuer) = (asked, turn.session.eduID.issuer)
            return .ask(try wrapping(Rejection.syntax, try request.encoded(to: url))) {
                turn, response throws(Rejection) in
                let outcome = try AuthorizingApp.answer(response) { response throws(ParameterRejection) in
                    try AuthorizationRequest.Outcome(parsing: response, to: request, by: issuer)
                }
                switch outcome {
                case .refused(let error):
                    let rejection = Rejection.refused(error)
                    guard nonce == nil, let wanted = rejection.nonce(in: response) else { throw rejection }
                    return try asking(for: service, bringing: key, demanding: demand, nonce: wanted).begin(&turn)
                case .granted(let granted):
                    let pairwise = granted.client.map { ClientIdentity(client: $0, key: key) }
                    return try redemption(of: granted, at: service, by: pairwise).begin(&turn)
                }
            }
        }
    }

    /// Redeems an assertion: by the installation's key with its name at the edu-ID service, or by the key that the
    /// service alone is to know, for which nobody has a name yet, and which its proof brings along.
    private static func redemption(
        of granted: AuthorizationRequest.Response, at service: ServiceURL, by pairwise: ClientIdentity?,
        nonce: String? = nil
    ) -> Self {
        let attempt = Self { turn throws(Rejection) in
            // What was forgotten before the introduction was kept since, and joined with what the person did meanwhile.
            guard !turn.isEndedMeanwhile(service) else { throw .endedMeanwhile(service) }
            let url = try turn.session.permitted(granted.tokenEndpoint, namedBy: service.url)
            let request: HTTP.Request
            if let pairwise {
                var redeeming = TokenRequest.assertion(granted.code, credential: .none)
                redeeming.client = pairwise.client
                redeeming.proof = try turn.proof(of: pairwise.key, for: url, nonce: nonce)
                request = try wrapping(Rejection.syntax, try redeeming.encoded(to: url))
            } else {
                request = try turn.message(to: url, of: .instance) { credential, url throws(SyntaxError) in
                    try TokenRequest.assertion(granted.code, credential: credential).encoded(to: url)
                }
            }
            return .ask(request) { turn, response throws(Rejection) in
                do throws(Rejection) {
                    return .done(try turn.keep(response, of: .service(service), from: url, as: pairwise))
                } catch {
                    guard pairwise != nil, nonce == nil, let wanted = error.nonce(in: response) else { throw error }
                    return try redemption(of: granted, at: service, by: pairwise, nonce: wanted).begin(&turn)
                }
            }
        }
        return attempt.then { turn, _ throws(Rejection) in
            try turn.session.except { $0.note(service, isRefusing: false) }
            return .nothing
        }.recovering { turn, rejection throws(Rejection) in
            if case .refused(let error) = rejection, error.code == .accessDenied {
                try turn.session.except { $0.note(service, isRefusing: true) }
            }
            throw rejection
        }
    }

    /// Makes sure that the instance holds a service's token that is good now: as it is, renewed, or by a new
    /// introduction.
    public static func authorization(at service: ServiceURL) -> Self {
        Self { turn throws(Rejection) in
            guard turn.session.held(.service(service)) != nil else {
                return try introduction(to: service).begin(&turn)
            }
            guard turn.session.isExpired(.service(service), at: turn.now) else { return .done(()) }
            return try regained(.service(service)).begin(&turn)
        }
    }
}

extension AuthorizingApp.Turn {
    /// A proof of a key that brings the key along (RFC 9449 §5).
    mutating func proof(of key: DeviceKey, for url: WebURL, nonce: String?) throws(Rejection) -> Assertion {
        let signer = try wrapping(Rejection.key, try key.signing())
        return try wrapping(
            Rejection.issuance,
            try DPoPProof.Issuance(with: signer, publicKey: key.publicKey)
                .proof(
                    for: .post, to: url, nonce: nonce, at: signingTime(for: url), knowing: signatures, using: &chance))
    }

    /// A key for a service alone: made by chance where the installation's own is kept here, and by the host where it
    /// lies elsewhere.
    mutating func newKey(for service: ServiceURL) throws(Rejection) -> DeviceKey {
        if let key = session.installation.key.another(using: &chance) ?? keys[service] { return key }
        throw .awaitedKey(service)
    }
}

extension Rejection {
    /// What a server that refused a proof wants to see in the next one (RFC 9449 §8).
    func nonce(in response: HTTP.Response?) -> String? {
        guard case .refused(let error) = self, error.code == .useNonce,
            case .once(let nonce)? = response?.fields.value(of: .dpopNonce)
        else { return nil }
        return nonce
    }
}

extension AuthorizingApp.Interaction where Value == ServiceDescription {
    /// Obtains the token of a third-party app at a service (8), for the endpoints of the protocols that it wants and
    /// bound to its key where it has one.
    ///
    /// What comes of it is the service's description, filtered for these protocols, with what the service gave the app
    /// (NIF-5).
    public static func access(
        for app: BundleID, at service: ServiceDescription, to protocols: [ProtocolName], binding appKey: JWK? = nil
    ) -> Self {
        Self { turn throws(Rejection) in
            guard let url = service.serviceURL else { throw .nameless }
            guard !turn.isEndedMeanwhile(url, for: app) else { throw .endedMeanwhile(url) }
            let held = try turn.session.token(of: .service(url))
            let key = try wrapping(Rejection.key, try held.identity.key.signing(as: held.keyID))
            let endpoint = try turn.session.tokenEndpoint(of: .service(url))
            // What RSD2 gives is an endpoint: a URL without query.
            let endpoints = try protocols.map { name throws(Rejection) in
                try wrapping(Rejection.link, try service.endpoint(for: name))
            }
            let scope = endpoints.compactMap { try? Scope.Token($0) }
            // App codes are for the authorization endpoint (APP-3).
            guard let target = turn.session.store.contents.services[url]?.endpoint("authorize") else {
                throw .unauthorized(url)
            }
            let code = try wrapping(
                Rejection.issuance,
                try Statement.AppCode.signed(
                    with: key, of: held.identity.client, authorizing: app, to: target, binding: appKey,
                    at: turn.signingTime(for: endpoint), knowing: turn.signatures, using: &turn.chance))
            return try turn.message(to: endpoint, of: .service(url)) { credential, url throws(SyntaxError) in
                try TokenRequest.app(code, scope: Scope(scope), key: appKey, credential: credential).encoded(to: url)
            }
        } _: { turn, response throws(Rejection) in
            let granted = try AuthorizingApp.granted(response)
            guard let members = (try? JSON.Document(of: granted))?.tree().object,
                let authorization = try? ServiceDescription.Authorization(members: members)
            else { throw .unusable(.missing("access_token")) }
            if let url = service.serviceURL {
                try turn.session.record(GivenToken(granted, at: turn.now), of: app, at: url)
            }
            var filtered = service.filtered(for: protocols)
            filtered.authorization = authorization
            return filtered
        }.regaining(at: service.serviceURL)
    }

    private func regaining(at service: ServiceURL?) -> Self {
        guard let service else { return self }
        let again = self
        return regaining(.service(service), after: .invalidClient, .invalidToken, .invalidGrant)
            .recovering { _, rejection throws(Rejection) in
                // What a service demands of a sign-in, it may find in a new introduction that tells it in its words.
                guard case .refused(let error) = rejection, error.code == .insufficientUserAuthentication else {
                    throw rejection
                }
                return AuthorizingApp.Interaction<Void>.introduction(to: service, demanding: error.demand)
                    .then { _, _ throws(Rejection) in again }
            }
    }

    /// What one service gives an app that asked: its token is seen to before, and the service must be known.
    package static func access(for checked: ProtocolRequest.Checked, at service: ServiceURL) -> Self {
        AuthorizingApp.Interaction<Void>.authorization(at: service).then { turn, _ throws(Rejection) in
            guard let known = turn.session.store.contents.services[service] else { throw .unknownService(service) }
            let request = checked.request
            return .access(
                for: request.appID, at: known.description, to: request.protocols, binding: checked.appKey)
        }
    }
}

extension AuthorizingApp.Interaction where Value == ProtocolRequest.Checked {
    /// Checks an app's request (7), and remembers its signature in the store, so that it comes once, also after a
    /// restart (threat 58).
    ///
    /// - Parameter registry: the public keys of each app, from a source that the host trusts, such as the federation's.
    /// - Parameter caller: the app that asks, as the operating system names it, where it does.
    public static func check(
        _ request: ProtocolRequest, against registry: [BundleID: JWKSet], from caller: BundleID? = nil,
        policy: ProtocolRequest.CheckPolicy = ProtocolRequest.CheckPolicy()
    ) -> Self {
        Self { turn throws(Rejection) in
            let before = turn.session.seenRequests
            var seen = before
            let checked = try wrapping(
                Rejection.request,
                try request.checked(
                    against: registry, from: caller, policy: policy, remembering: &seen, at: turn.now))
            if seen != before { try turn.session.keep(seen) }
            return .done(checked)
        }
    }
}

extension AuthorizingApp {
    /// What an app is answered, and what the person is told about it.
    public struct Answer: Sendable {
        /// The answer for the app; services that refused or did not answer are missing, and the app is not told why
        /// (APP-1).
        public internal(set) var response = ProtocolResponse.empty
        /// Which services are missing, and why.
        public internal(set) var missing: [(service: ServiceURL, reason: Rejection)] = []
        var granted: [ServiceDescription] = []
        /// How many bytes the granted have in the response.
        package var length = 0
        /// What the person had ended before.
        var ended: [String] = []

        /// Nothing is granted, and nothing missing.
        package init() {}
    }
}

extension AuthorizingApp.Interaction where Value == AuthorizingApp.Answer {
    /// Answers an app (7) with what the person granted, and records what was requested of whom.
    public static func answer(to checked: ProtocolRequest.Checked, with choice: AuthorizationMode.Choice) -> Self {
        let recorded = Self { turn throws(Rejection) in
            try turn.session.change { contents in contents.record(choice) }
            try turn.session.except { exceptions in exceptions.note(choice) }
            var answer = AuthorizingApp.Answer()
            answer.ended = turn.ended
            return .done(answer)
        }
        return choice.services.reduce(recorded) { answered, service in
            answered.then { _, answer throws(Rejection) in Self.adding(service, to: answer, for: checked) }
        }
    }

    /// Adds what an app gets at a service to an answer, or why it gets nothing there.
    package static func adding(
        _ service: ServiceURL, to former: AuthorizingApp.Answer, for checked: ProtocolRequest.Checked
    ) -> Self {
        // Before anything is given: of an answer that cannot be read the app would get nothing at all.
        guard ProtocolResponse.hasRoom(behind: former.granted.count, documents: former.length) else {
            var answer = former
            answer.missing.append((service, .answerFull))
            return .value(answer)
        }
        return AuthorizingApp.Interaction<ServiceDescription>.access(for: checked, at: service)
            .then { _, granted throws(Rejection) in
                var answer = former
                answer.granted.append(granted)
                answer.length += granted.filtered(for: checked.request.protocols).encoded().count + 1
                // What was just made of the request's own protocols and authorized fits the request.
                answer.response = (try? ProtocolResponse(to: checked, granting: answer.granted)) ?? .empty
                return .value(answer)
            }
            .recovering { _, rejection throws(Rejection) in
                var answer = former
                answer.missing.append((service, rejection))
                return .value(answer)
            }
    }
}

extension AuthorizingApp.Interaction where Value == AuthorizingApp.Answer {
    /// What of an answer still holds when it is kept: what the person has ended of the app while it was under way ends
    /// here, and the app does not get it (TOK-5).
    package static func upheld(_ answer: AuthorizingApp.Answer, to checked: ProtocolRequest.Checked) -> Self {
        Self { turn throws(Rejection) in
            let app = checked.request.appID
            var (upheld, places) = (answer, [AuthorizingApp.Store.TokenKey]())
            upheld.granted = []
            for granted in answer.granted {
                // What was under way when the person ended it may have been asked for before that was known here.
                guard let service = granted.serviceURL, let token = granted.givenToken,
                    turn.session.isEnded(service, for: app, since: answer.ended)
                        || turn.session.isEnded(service, since: answer.ended)
                else {
                    upheld.granted.append(granted)
                    continue
                }
                upheld.missing.append((service, .endedMeanwhile(service)))
                try turn.session.forget(token, givenTo: app, at: service)
                if let place = try turn.session.keepEnding(of: token, givenTo: app, at: service, at: turn.now) {
                    places.append(place)
                }
            }
            guard upheld.granted.count < answer.granted.count else { return .done(answer) }
            upheld.response = (try? ProtocolResponse(to: checked, granting: upheld.granted)) ?? .empty
            return try AuthorizingApp.Interaction<Bool>.telling(places).orNot
                .then { [upheld] _, _ throws(Rejection) in .value(upheld) }
                .begin(&turn)
        }
    }
}

extension ServiceDescription {
    fileprivate var givenToken: AccessToken? {
        (authorization?.members["access_token"]?.string).flatMap { try? AccessToken(parsing: $0) }
    }
}
