internal import OAuth2Grants
internal import TokenTree
internal import Wire

// Sign-in at a provider: from the app to a browser, from there to the provider, and back to the app (OIC-1 to OIC-6,
// OIC-13).

/// What an app has begun that a browser is to carry on, as a record of the kind `session` keeps it: first under a name
/// that the browser brings once, then under the imprint of the state with which the provider answers.
struct BrowserTrip {
    /// The digest of the secret with which the code will be redeemed.
    let challenge: ChallengeRequest.CodeChallenge
    /// Where the app is called back.
    let callback: CallbackAddress
    /// What the app has its answer known by.
    let state: Secret.CallbackState
    /// What the sign-in has to be.
    let demand: AuthenticationDemand

    /// How long a browser may take to come.
    static let arrival: Duration = .seconds(90)
    /// Where it and the code at its end keep the app's address.
    static let callback: JSON.Name = "redirect_uri"
    private static let state: JSON.Name = "app_state"

    var members: JSON.Object {
        var members: JSON.Object = [
            SignInSession.codeChallenge: .string(challenge.text), Self.callback: .string(callback.text),
            Self.state: .string(state.secret),
        ]
        for member in demand.members { members[member.name] = member.value }
        return members
    }

    init(
        _ challenge: ChallengeRequest.CodeChallenge, callingBackAt callback: CallbackAddress,
        _ state: Secret.CallbackState, demanding demand: AuthenticationDemand
    ) {
        (self.challenge, self.callback, self.state, self.demand) = (challenge, callback, state, demand)
    }

    /// Reads what a record keeps; `nil` for what is no trip.
    init?(_ members: JSON.Object) {
        let challenge = members[SignInSession.codeChallenge]?.string
        guard let challenge = challenge.flatMap({ ChallengeRequest.CodeChallenge($0) }),
            let callback = members[Self.callback]?.string.flatMap({ try? CallbackAddress(parsing: $0) }),
            let state = members[Self.state]?.string.flatMap({ try? Secret.CallbackState(parsing: $0) }),
            let demand = AuthenticationDemand(keptIn: members)
        else { return nil }
        self.init(challenge, callingBackAt: callback, state, demanding: demand)
    }
}

// MARK: - From the app to a browser

extension EduIDService {
    /// Sends an app's user to a browser, in the place of an earlier sign-in on the instance.
    func begin(
        _ trip: BrowserTrip, on instance: Requester, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        guard provider != nil else { throw Refusal.noProvider.changing(instance.changes) }
        guard version(of: instance.lineage)?.callbacks.contains(trip.callback) ?? false else {
            throw Refusal.foreignCallback.changing(instance.changes)
        }
        let token = OpaqueToken(for: TokenID(using: &asking.chance), using: &asking.chance)
        guard let name = try? BrowserInvitation.name(of: token.text) else { throw .failed }
        var members = trip.members
        members[OpaqueToken.member] = token.kept
        let record = Record(
            id: token.id, kind: .session, parent: instance.record.id, issued: asking.now,
            holder: instance.record.holder, boundKey: instance.record.boundKey,
            finalExpiry: asking.now + BrowserTrip.arrival, attributes: members)
        let invitation = BrowserInvitation(name, for: BrowserTrip.arrival.components.seconds)
        return Answer(
            ChallengeRequest.Outcome.browser(invitation).encoded(),
            try endingSignIns(on: instance, &asking) + [.insert(record)], refusal: .browserWanted)
    }

    /// Whether an app can begin a sign-in that a browser carries on.
    func takesBrowsers(of instance: Requester) -> Bool {
        provider != nil && version(of: instance.lineage)?.callbacks.isEmpty == false
    }

    /// Sends a browser that has come with the name of a sign-in on to the provider, once.
    func leave(_ call: Call) throws(Refusal) -> Procedure {
        let arrival = try refusing(ParameterRejection.self, try BrowserArrival(parsing: call.request))
        guard let provider else { throw .noProvider }
        return { asking throws(Refusal) in
            guard let secret = BrowserInvitation.secret(in: arrival.request),
                let token = OpaqueToken(presented: secret), let lineage = try asking.lineage(of: token.id),
                lineage.record.kind == .session, token.opens(lineage.record),
                lineage.record.client?.canonical == arrival.client.canonical,
                lineage.verdict(at: asking.now).isLive, let trip = BrowserTrip(lineage.record.attributes)
            else { throw .unknownTrip }
            asking.requester = lineage.record
            try checkAdmitted(lineage)
            var wish = Provider.Wish()
            wish.demand = trip.demand
            let redirect = try provider.redirect(for: wish, from: authority, &asking)
            guard let id = try? TokenID(parsing: redirect.departure.state.text) else { throw .failed }
            var members = trip.members
            for member in redirect.departure.attributes { members[member.name] = member.value }
            let departed = Record(
                id: id, kind: .session, parent: lineage.record.parent, issued: asking.now,
                holder: lineage.record.holder, boundKey: lineage.record.boundKey,
                finalExpiry: asking.now + Provider.patience, attributes: members)
            // Without its secret the name leads nowhere: of two browsers that bring it at once, one goes on.
            return Answer(redirect.response, [lineage.record.keeping(trip.members), .insert(departed)])
        }
    }
}

// MARK: - From the provider to the app

extension EduIDService {
    /// Takes a browser that comes from a provider, and sends it to the app with a code, or with why there is none.
    ///
    /// What leads to no sign-in of this browser is answered here, and nothing is redeemed (OIC-5).
    func comeBack(_ call: Call) throws(Refusal) -> Procedure {
        guard let provider, provider.callbackName.utf8.elementsEqual(call.parameter.utf8) else { throw .otherCallback }
        let callback = try refusing(ParameterRejection.self, try OpenID.Callback(parsing: call.request))
        let mark = Provider.mark(of: call.request)
        return { asking throws(Refusal) in
            guard let id = try? TokenID(parsing: callback.state.imprint.text),
                let lineage = try asking.lineage(of: id), lineage.record.kind == .session,
                lineage.verdict(at: asking.now).isLive, let departure = Provider.Departure(lineage.record.attributes),
                let trip = BrowserTrip(lineage.record.attributes)
            else { throw .unknownTrip }
            guard let mark, mark.imprint == departure.browser else { throw .otherBrowser }
            asking.requester = lineage.record
            // Whatever comes of it, the provider's answer counts no second time.
            let spent = lineage.record.keeping(trip.members)
            do throws(Refusal) {
                try checkAdmitted(lineage)
                let identity = try provider.conclude(callback, of: departure, in: mark, at: authority, &asking)
                return try welcome(identity, after: trip, on: lineage, spent, &asking)
            } catch {
                // What is not known yet is looked up first, and the decision made again.
                guard asking.missing == nil else { throw error }
                return Answer(returning(.refused(error.toldToApp), trip), [spent], refusal: error)
            }
        }
    }

    /// Gives a code to the app of somebody who has signed in at a provider.
    private func welcome(
        _ identity: Provider.Identity, after trip: BrowserTrip, on lineage: Lineage, _ spent: Change,
        _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        guard let client = lineage.grounded(on: .client) else { throw .failed }
        let user = try user(of: identity, &asking)
        let instance = Requester(lineage: client, key: nil, possession: nil, changes: [])
        let code = OpaqueToken(for: TokenID(using: &asking.chance), using: &asking.chance)
        var kept = identity.kept
        kept[BrowserTrip.callback] = .string(trip.callback.text)
        var answer = try welcome(
            user, by: code, trip.challenge, on: instance, keeping: client.record.attributes, adding: kept, &asking)
        guard let text = try? Secret.AuthorizationCode(parsing: code.text) else { throw .failed }
        answer.outcome = returning(.code(text), trip)
        answer.changes.insert(spent, at: 0)
        answer.changes += indexing(kept, of: user, on: client.record, finding: code.id, &asking)
        return answer
    }

    private func returning(_ answer: BrowserReturn.Answer, _ trip: BrowserTrip) -> HTTP.Response {
        .sending(toLink: BrowserReturn(answer, state: trip.state, by: authority.issuer).link(to: trip.callback))
    }
}

// MARK: - Refusals

extension Refusal {
    fileprivate static let browserWanted = Refusal(BrowserInvitation.error, clause: "OIC-1")
    fileprivate static let noProvider = Refusal(
        .invalidRequest, "nobody signs in with a browser here; send name and password", "OIC-1")
    fileprivate static let foreignCallback = Refusal(
        .invalidRequest, "'redirect_uri' is not registered with this version of the app", "OIC-2")
    /// Unknown, used, too late or another app's: all are told alike.
    fileprivate static let unknownTrip = Refusal(
        .invalidRequest, "this sign-in is unknown, over, or was gone on with before", "OIC-5")

    /// What an app is told through a browser (OIC-13): who failed, and nothing that is not for everybody on the way.
    fileprivate var toldToApp: OAuth2Error {
        switch error.code {
        case .accessDenied, .temporarilyUnavailable: OAuth2Error(error.code)
        // What the person can do about it is worth more than a word.
        case .invalidGrant, .unauthorizedClient: OAuth2Error(.accessDenied, error.explanation?.text)
        default: OAuth2Error(.serverError)
        }
    }

    /// What a person is shown in a browser: there is no app that would read anything else.
    func page() -> HTTP.Response {
        let words = error.explanation?.text ?? error.code.text
        let text = "This sign-in cannot go on: \(words).\nGo back to the app, and sign in again.\n"
        var response = HTTP.Response(status ?? error.status(), body: Array(text.utf8))
        // Fixed words keep the rules of fields.
        try? response.fields.append(.contentType, "text/plain; charset=utf-8")
        try? response.fields.append(.cacheControl, "no-store")
        if let name = try? HTTP.Field.Name(parsing: "X-Content-Type-Options") {
            try? response.fields.append(name, "nosniff")
        }
        if let pause { try? response.fields.append(.retryAfter, "\(pause.components.seconds)") }
        return response
    }
}
