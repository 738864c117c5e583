public import NAIL
public import OAuth2Grants
public import RSD2
internal import Wire

/// What the edu-ID app shows when a third-party app asks for authorization (UX-1, UX-2): what is requested by whom, and
/// which services can serve it; the person picks, accepts or rejects, and returns to the app.
///
/// When nobody is signed in it begins with login (UX-3). Each screen says which actions are possible from it; every
/// other one is refused and changes nothing.
public struct AuthorizationMode: Sendable, Equatable {
    /// What is on the screen, beside the request.
    public enum Screen: Sendable, Equatable {
        /// Fields for user name and password, and what became of the last attempt.
        case login(AuthorizingApp.LoginNotice?)
        /// That the service is being asked about what was typed.
        case authenticating
        /// The steps one of which is to be made beside name and password, and what became of the last attempt.
        case step([SignInStep], AuthorizingApp.LoginNotice?)
        /// That the person signs in with the system's browser.
        case browser
        /// That services are being looked for.
        case searching
        /// The services that can serve what is requested, and those among them that are picked.
        case selection(Selection)
        /// That services want more than the sign-in was, and what became of the last attempt to show it.
        case demand(AuthenticationDemand, AuthorizingApp.LoginNotice?)
        /// Nothing any more: the person returns to the app.
        case finished(Outcome)
    }

    /// The services to select from.
    public struct Selection: Sendable, Equatable {
        /// The services that can serve what is requested, each once, in the order in which to show them.
        public private(set) var candidates: [AuthorizingApp.Candidate]
        /// Those that are picked.
        public fileprivate(set) var picked: Set<ServiceURL>
        /// Whether these are those that were known, and others are still being looked for.
        public fileprivate(set) var isSearching: Bool
        /// Whether the person has picked or unpicked something.
        fileprivate var isTouched = false
        /// What the person has hidden from this screen.
        fileprivate var hidden: Set<ServiceURL> = []
        /// Whether all that was picked is not there any more; that does not turn into everything.
        fileprivate var hasLostPicks = false

        /// What would be granted if the person accepted now, for the screen to say: what is picked, and all where
        /// nothing is picked (UX-2); nothing where all that was picked is not found any more.
        public var granted: [ServiceURL] {
            let all = candidates.map { $0.service }
            return picked.isEmpty && !hasLostPicks ? all : all.filter(picked.contains)
        }
    }

    /// What the third-party app gets.
    public enum Outcome: Sendable, Equatable {
        /// Authorizations at these services, as far as the services agree.
        case accepted(Choice)
        /// Nothing: no authorization, and nothing about the person or the services (APP-1).
        case rejected
    }

    /// What the person can do.
    public enum Action: Sendable, Hashable {
        /// Sends off what was typed.
        case signIn
        /// Signs in with the system's browser, where the federation has a provider for that.
        case useBrowser
        /// Sends off the answer to a step.
        case answer
        /// Turns back from a step or a browser to login, or from a step to what is demanded.
        case turnBack
        /// Picks a service; where only one can be picked, in the place of the one before.
        case pick(ServiceURL)
        /// Puts a picked service back.
        case unpick(ServiceURL)
        /// Never wants to see a service here, until that is undone.
        case hide(ServiceURL)
        /// Grants what is picked; where nothing is picked, all (UX-2).
        case accept
        /// Grants nothing.
        case reject
        /// Shows more than the sign-in was, for services that are missing.
        case stepUp
        /// Does without the services that are missing.
        case goWithout
    }

    /// What can happen meanwhile.
    public enum Event: Sendable, Equatable {
        /// The service took the credentials.
        case signedIn
        /// The service did not take the credentials, or was not there.
        case signInFailed(AuthorizingApp.LoginNotice)
        /// One of these steps is to be made (``Rejection/stepWanted``), or once more.
        case stepWanted([SignInStep], AuthorizingApp.LoginNotice? = nil)
        /// These services can serve what is requested by what is known already; others are being looked for (DSC-10).
        case known([AuthorizingApp.Candidate])
        /// These services can serve what is requested, and there are no others.
        case found([AuthorizingApp.Candidate])
        /// The session ended: somebody logged out in the app itself, the device was disconnected, or the app's version
        /// excluded.
        case sessionEnded
        /// Services are missing in the answer, with a ``Rejection/demand``: tell it before the app has the answer.
        case demanded(AuthenticationDemand)
        /// Something was rejected with ``Rejection/keyGone``: the app itself, opened then, says so and leads on.
        case keyGone
    }

    /// What the host has to do after an action or event.
    public enum Errand: Sendable, Equatable {
        /// Authenticate with what was typed, and tell with an event what came of it.
        case authenticate
        /// As ``EduIDMode/Errand/openBrowser``.
        case openBrowser
        /// Hand over the answer to the step, and tell with an event what came of it.
        case answer
        /// Call ``AuthorizingProcess/abandonSignIn()``.
        case abandon
        /// Look for services: tell which are known, and with the protocol discovery's answer which were found.
        case search
        /// Keep that this service is hidden.
        case hide(ServiceURL)
        /// As ``EduIDMode/Errand/stepUp(_:)``.
        case stepUp(AuthenticationDemand)
        /// Carry out what was decided and return to the app.
        case finish(Outcome)
        /// Return to the app with the answer that there is.
        case handOver
    }

    /// What is requested, and by which app.
    public let request: ProtocolRequest
    /// What is on the screen.
    public private(set) var screen: Screen
    private let offersBrowser: Bool
    /// Whether the app has its answer.
    private var isOver = false
    /// What was accepted already while more of the sign-in is shown, and what for.
    private var standing: Standing?

    private struct Standing: Sendable, Equatable {
        let choice: Choice
        let demand: AuthenticationDemand
    }

    /// Begins with the search for services, or with login when nobody is signed in.
    ///
    /// - Parameter steps: those for which a sign-in waits that began before.
    /// - Parameter browser: whether people sign in with a browser, and whether one is waited for.
    public init(
        for request: ProtocolRequest, isSignedIn: Bool, waitingFor steps: [SignInStep] = [],
        browser: AuthorizingApp.BrowserUse = .none
    ) {
        self.request = request
        offersBrowser = browser != .none
        let login = browser == .awaited ? Screen.browser : steps.isEmpty ? .login(nil) : .step(steps, nil)
        screen = isSignedIn ? .searching : login
    }

    /// Everything that the person can do now, in the order of the screen.
    public var actions: [Action] {
        switch screen {
        case .login: return offersBrowser ? [.signIn, .useBrowser, .reject] : [.signIn, .reject]
        case .step: return [.answer, .turnBack, wayOut]
        case .browser: return [.turnBack, wayOut]
        case .authenticating: return [wayOut]
        case .searching: return [.reject]
        case .demand: return (offersBrowser ? [.signIn, .useBrowser] : [.signIn]) + [.stepUp, .goWithout]
        case .selection(let selection):
            let picks = selection.candidates.map { candidate in
                selection.picked.contains(candidate.service)
                    ? Action.unpick(candidate.service) : .pick(candidate.service)
            }
            let hides = selection.candidates.map { Action.hide($0.service) }
            return picks + hides + (refusalToAccept(selection) == nil ? [.accept, .reject] : [.reject])
        case .finished: return []
        }
    }

    /// How to get back to the app from here.
    private var wayOut: Action { standing == nil ? .reject : .goWithout }

    /// Does what the person wants; answers what the host has to do about it.
    @discardableResult
    public mutating func take(_ action: Action) throws(Rejection) -> Errand? {
        switch (screen, action) {
        case (.finished, _): throw .finished
        case (_, .reject) where standing == nil: return finish(.rejected)
        case (_, .goWithout) where standing != nil: return goWithout()
        case (.demand(let demand, _), .stepUp):
            screen = .authenticating
            return .stepUp(demand)
        case (.login, .signIn), (.demand, .signIn):
            screen = .authenticating
            return .authenticate
        case (.login, .useBrowser) where offersBrowser, (.demand, .useBrowser) where offersBrowser:
            screen = .browser
            return .openBrowser
        case (.step, .answer):
            screen = .authenticating
            return .answer
        case (.step, .turnBack), (.browser, .turnBack):
            screen = standing.map { .demand($0.demand, nil) } ?? .login(nil)
            return .abandon
        case (.selection(var selection), .pick(let service)):
            try selection.pick(service, alone: request.prefersSingle)
            screen = .selection(selection)
            return nil
        case (.selection(var selection), .unpick(let service)):
            guard selection.picked.remove(service) != nil else { throw .notPicked(service) }
            selection.isTouched = true
            screen = .selection(selection)
            return nil
        case (.selection(var selection), .hide(let service)):
            try selection.hide(service)
            screen = .selection(selection)
            return .hide(service)
        case (.selection(let selection), .accept):
            if let refusal = refusalToAccept(selection) { throw refusal }
            return finish(.accepted(Choice(selection, for: request)))
        default: throw .impossible(action)
        }
    }

    /// Shows what happened; what nobody waits for is refused.
    @discardableResult
    public mutating func note(_ event: Event) throws(Rejection) -> Errand? {
        switch (screen, event) {
        case (.authenticating, .signedIn), (.browser, .signedIn):
            if let choice = standing?.choice {
                standing = nil
                return finish(.accepted(choice))
            }
            screen = .searching
            return .search
        case (.authenticating, .signInFailed(let notice)), (.browser, .signInFailed(let notice)):
            screen = standing.map { .demand($0.demand, notice) } ?? .login(notice)
        case (.finished(.accepted(let choice)), .demanded(let demand)) where !isOver:
            standing = Standing(choice: choice, demand: demand)
            screen = .demand(demand, nil)
        case (.authenticating, .stepWanted(let steps, let notice)): screen = .step(steps, notice)
        case (.searching, .known(let candidates)):
            guard !candidates.isEmpty else { return nil }
            screen = .selection(Selection(candidates, alone: request.prefersSingle, isSearching: true))
        case (.searching, .found(let candidates)):
            screen = .selection(Selection(candidates, alone: request.prefersSingle, isSearching: false))
        case (.selection(var selection), .found(let candidates)) where selection.isSearching:
            selection.add(candidates, alone: request.prefersSingle)
            screen = .selection(selection)
        case (.searching, .sessionEnded), (.selection, .sessionEnded): screen = .login(nil)
        case (_, .sessionEnded) where standing != nil, (_, .keyGone) where standing != nil: return goWithout()
        case (.login, .keyGone), (.authenticating, .keyGone), (.step, .keyGone), (.browser, .keyGone),
            (.searching, .keyGone), (.selection, .keyGone):
            return finish(.rejected)
        default: throw .unexpected(clause: "UX-3")
        }
        return nil
    }

    /// What was given stays given, and what ended by itself is over.
    private mutating func goWithout() -> Errand? {
        guard let choice = standing?.choice else { return nil }
        (screen, standing, isOver) = (.finished(.accepted(choice)), nil, true)
        return .handOver
    }

    private mutating func finish(_ outcome: Outcome) -> Errand {
        screen = .finished(outcome)
        return .finish(outcome)
    }

    private func refusalToAccept(_ selection: Selection) -> Rejection? {
        if selection.granted.isEmpty { return .nothingToGrant }
        return request.prefersSingle && selection.picked.count != 1
            ? .notExactlyOne(picked: selection.picked.count) : nil
    }
}

extension AuthorizationMode.Selection {
    /// Begins with the services that are preselected.
    fileprivate init(_ candidates: [AuthorizingApp.Candidate], alone: Bool, isSearching: Bool) {
        (self.candidates, picked, self.isSearching) = ([], [], isSearching)
        show(candidates, alone: alone)
    }

    /// Shows those that were found: first those that stand there, without those that are not found any more, then the
    /// others; leaves alone what the person has touched.
    fileprivate mutating func add(_ found: [AuthorizingApp.Candidate], alone: Bool) {
        isSearching = false
        let (services, former) = (Set(found.map { $0.service }), picked)
        show(
            candidates.filter { services.contains($0.service) } + found.filter { !hidden.contains($0.service) },
            alone: alone)
        picked.formIntersection(services)
        hasLostPicks = picked.isEmpty && !former.isEmpty && former.isDisjoint(with: services)
    }

    private mutating func show(_ candidates: [AuthorizingApp.Candidate], alone: Bool) {
        var seen: Set<ServiceURL> = []
        self.candidates = candidates.filter { seen.insert($0.service).inserted }
        guard !isTouched else { return }
        let preselected = self.candidates.filter { $0.isPreselected }.map { $0.service }
        // Where only one can be picked, only if no other one is.
        picked = alone && preselected.count > 1 ? [] : Set(preselected)
    }

    fileprivate mutating func pick(_ service: ServiceURL, alone: Bool) throws(Rejection) {
        guard candidates.contains(where: { $0.service == service }) else { throw .noCandidate(service) }
        guard !picked.contains(service) else { throw .alreadyPicked(service) }
        if alone { picked = [] }
        picked.insert(service)
        (isTouched, hasLostPicks) = (true, false)
    }

    fileprivate mutating func hide(_ service: ServiceURL) throws(Rejection) {
        guard candidates.contains(where: { $0.service == service }) else { throw .noCandidate(service) }
        candidates.removeAll { $0.service == service }
        picked.remove(service)
        hidden.insert(service)
    }
}

extension AuthorizationMode {
    /// The services that a person granted to an app: only an accepted selection makes one.
    public struct Choice: Sendable, Equatable {
        /// The request that they were chosen for.
        package let request: ProtocolRequest
        /// The services in the order in which they were shown, at least one; exactly one where the app can handle only
        /// one.
        public let services: [ServiceURL]
        /// What was shown beside them, and not granted.
        public let declined: [ServiceURL]

        fileprivate init(_ selection: Selection, for request: ProtocolRequest) {
            self.request = request
            services = selection.granted
            let granted = Set(services)
            declined = selection.candidates.map { $0.service }.filter { !granted.contains($0) }
        }
    }
}

extension Rejection {
    /// An action that the screen does not offer.
    package static func impossible(_ action: AuthorizationMode.Action) -> Rejection {
        .impossible("\(action)", clause: [.signIn, .useBrowser, .answer, .stepUp].contains(action) ? "UX-3" : "UX-2")
    }
}
