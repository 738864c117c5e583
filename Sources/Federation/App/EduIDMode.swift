public import NAIL
public import OAuth2Grants
public import Wire

/// What the edu-ID app shows to the person who opens it by itself (UX-1): login when nobody is signed in, else the
/// profile (UX-4).
///
/// Each screen says which actions are possible from it; every other one is refused and changes nothing. The person acts
/// with ``take(_:)``, which says what the host has to do about it; what came of that the host tells with ``note(_:)``.
public struct EduIDMode: Sendable, Equatable {
    /// What is on the screen.
    public enum Screen: Sendable, Equatable {
        /// Fields for user name and password, and what became of the last attempt.
        case login(AuthorizingApp.LoginNotice?)
        /// That the service is being asked about what was typed.
        case authenticating
        /// The steps one of which is to be made beside name and password, and what became of the last attempt.
        case step([SignInStep], AuthorizingApp.LoginNotice?)
        /// That the person signs in with the system's browser.
        case browser
        /// The attributes of the person who is signed in, by their OpenID Connect names; for display only (USR-7).
        case profile(JSON.Object)
        /// That more is demanded than the sign-in was, and what became of the last attempt to show it.
        case demand(AuthenticationDemand, AuthorizingApp.LoginNotice?)
        /// That to log out ends the authorization of every app (UX-5), over the profile to turn back to.
        case logoutWarning(JSON.Object)
        /// That the key of this installation is gone for good, and that the way on is to begin anew.
        case keyGone
    }

    /// What the person can do.
    public enum Action: Sendable, Hashable, CaseIterable {
        /// Sends off what was typed; where more is demanded, to sign in anew, as those do to whom no step leads there.
        case signIn
        /// Signs in with the system's browser, where the federation has a provider for that.
        case useBrowser
        /// Sends off the answer to a step.
        case answer
        /// Shows more than the sign-in was.
        case stepUp
        /// Wants to unlink the app from the account.
        case logOut
        /// Has read the warning and means it.
        case confirm
        /// Turns back to the profile, from a step or a browser to login, or from a step to what is demanded.
        case turnBack
        /// Gives up what the key could still do, and begins with a new installation.
        case beginAnew
    }

    /// What can happen meanwhile.
    public enum Event: Sendable, Equatable {
        /// The service took the credentials and told the attributes (AUT-6).
        case signedIn(JSON.Object)
        /// The service did not take the credentials, or was not there.
        case signInFailed(AuthorizingApp.LoginNotice)
        /// One of these steps is to be made (``Rejection/stepWanted``), or once more.
        case stepWanted([SignInStep], AuthorizingApp.LoginNotice? = nil)
        /// Something was rejected with a ``Rejection/demand``.
        case demanded(AuthenticationDemand)
        /// How far the logout has come that was confirmed before; told again when that changes.
        case loggedOut(AuthorizingApp.Ended)
        /// The session ended elsewhere: the device was disconnected, or the app's version excluded.
        case sessionEnded
        /// Something was rejected with ``Rejection/keyGone``.
        case keyGone
    }

    /// What the host has to do after an action.
    public enum Errand: Sendable, Hashable {
        /// Authenticate with what was typed, for what is demanded if anything is, fetch the profile, and tell with an
        /// event what came of it.
        case authenticate
        /// Call ``AuthorizingProcess/beginBrowserSignIn(callingBackAt:demanding:)``, open what it answers in the
        /// system's browser, and when that calls the app back ``AuthorizingProcess/returned(with:)``; tell with an
        /// event what came of it.
        case openBrowser
        /// Hand over the answer to the step, and tell with an event what came of it.
        case answer
        /// Call ``AuthorizingApp/stepUp(to:)``, and tell with an event what came of it.
        case stepUp(AuthenticationDemand)
        /// Call ``AuthorizingProcess/abandonSignIn()``.
        case abandon
        /// Revoke the personal token and forget the user's data, so that third-party apps' requests end in an error
        /// (UX-6), and tell how far that has come.
        case unlink
        /// Call ``AuthorizingApp/abandonEndings()``, and go on with a new installation: a new key, a new UUID and a new
        /// store.
        case install
    }

    /// What is on the screen.
    public private(set) var screen: Screen
    private let offersBrowser: Bool
    /// Who is signed in while more of the sign-in is shown, and what for.
    private var standing: Standing?

    private struct Standing: Sendable, Equatable {
        let profile: JSON.Object
        let demand: AuthenticationDemand
    }

    /// Begins with login, with the profile of the person who is signed in already, or with that for which a sign-in
    /// waits that began before.
    ///
    /// - Parameter steps: those of the sign-in that waits.
    /// - Parameter demand: what the sign-in that waits is to show beside, where somebody is signed in.
    /// - Parameter browser: whether the federation has a provider at which people sign in, and whether a sign-in waits
    ///   for the browser to come back from there.
    public init(
        signedIn profile: JSON.Object? = nil, waitingFor steps: [SignInStep] = [],
        demanding demand: AuthenticationDemand = .none, browser: AuthorizingApp.BrowserUse = .none
    ) {
        offersBrowser = browser != .none
        switch profile {
        case let profile? where !demand.isEmpty && !steps.isEmpty:
            standing = Standing(profile: profile, demand: demand)
            screen = .step(steps, nil)
        case let profile?: screen = .profile(profile)
        case nil: screen = browser == .awaited ? .browser : steps.isEmpty ? .login(nil) : .step(steps, nil)
        }
    }

    /// Everything that the person can do now.
    public var actions: [Action] {
        switch screen {
        case .login: offersBrowser ? [.signIn, .useBrowser] : [.signIn]
        case .authenticating: []
        case .step: [.answer, .turnBack]
        case .browser: [.turnBack]
        case .profile: [.logOut]
        case .demand: (offersBrowser ? [.signIn, .useBrowser] : [.signIn]) + [.stepUp, .turnBack]
        case .logoutWarning: [.confirm, .turnBack]
        case .keyGone: [.beginAnew]
        }
    }

    /// Does what the person wants; answers what the host has to do about it.
    @discardableResult
    public mutating func take(_ action: Action) throws(Rejection) -> Errand? {
        switch (screen, action) {
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
        case (.demand(let demand, _), .stepUp):
            screen = .authenticating
            return .stepUp(demand)
        case (.demand, .turnBack):
            screen = .profile(standing?.profile ?? JSON.Object())
            standing = nil
        case (.profile(let profile), .logOut):
            screen = .logoutWarning(profile)
        case (.logoutWarning, .confirm):
            screen = .login(nil)
            return .unlink
        case (.logoutWarning(let profile), .turnBack):
            screen = .profile(profile)
        case (.keyGone, .beginAnew):
            screen = .login(nil)
            return .install
        default:
            throw .impossible(action)
        }
        return nil
    }

    /// Shows what happened; what nobody waits for is refused.
    public mutating func note(_ event: Event) throws(Rejection) {
        switch (screen, event) {
        case (.authenticating, .signedIn(let profile)), (.browser, .signedIn(let profile)):
            (screen, standing) = (.profile(profile), nil)
        case (.authenticating, .signInFailed(let notice)), (.browser, .signInFailed(let notice)):
            screen = standing.map { .demand($0.demand, notice) } ?? .login(notice)
        case (.profile(let profile), .demanded(let demand)):
            standing = Standing(profile: profile, demand: demand)
            screen = .demand(demand, nil)
        case (.authenticating, .stepWanted(let steps, let notice)): screen = .step(steps, notice)
        case (.login(nil), .loggedOut(.pending)): screen = .login(.logoutPending)
        case (.login(.logoutPending), .loggedOut(.confirmed)): screen = .login(nil)
        // Who has begun to sign in again need not be told.
        case (.login, .loggedOut), (.authenticating, .loggedOut), (.step, .loggedOut), (.browser, .loggedOut),
            (.keyGone, .loggedOut):
            break
        case (.profile, .sessionEnded), (.logoutWarning, .sessionEnded): screen = .login(nil)
        case (_, .sessionEnded) where standing != nil: (screen, standing) = (.login(nil), nil)
        case (.login, .keyGone), (.authenticating, .keyGone), (.step, .keyGone), (.browser, .keyGone),
            (.profile, .keyGone), (.logoutWarning, .keyGone), (.demand, .keyGone):
            (screen, standing) = (.keyGone, nil)
        default: throw .unexpected(clause: "UX-4")
        }
    }
}

extension Rejection {
    /// An action that the screen does not offer.
    package static func impossible(_ action: EduIDMode.Action) -> Rejection {
        .impossible("\(action)", clause: [.signIn, .useBrowser, .answer, .stepUp].contains(action) ? "UX-4" : "UX-5")
    }
}

extension AuthorizingApp {
    /// The two ways in which people meet the edu-ID app (UX-1).
    public enum Mode: Sendable, Equatable {
        /// The app was opened by itself.
        case eduID(EduIDMode)
        /// A third-party app asks for authorization.
        case authorization(AuthorizationMode)

        /// The mode to open in: authorization mode with a request, else edu-ID mode; both with login when there is no
        /// profile of somebody signed in.
        ///
        /// - Parameter steps: those for which a sign-in waits that began before.
        /// - Parameter demand: what the sign-in that waits is to show beside, where somebody is signed in.
        /// - Parameter browser: whether people sign in with a browser, and whether one is waited for.
        public init(
            opening request: ProtocolRequest?, signedIn profile: JSON.Object?, waitingFor steps: [SignInStep] = [],
            demanding demand: AuthenticationDemand = .none, browser: BrowserUse = .none
        ) {
            if let request {
                self = .authorization(
                    AuthorizationMode(
                        for: request, isSignedIn: profile != nil, waitingFor: steps, browser: browser))
            } else {
                self = .eduID(
                    EduIDMode(signedIn: profile, waitingFor: steps, demanding: demand, browser: browser))
            }
        }
    }

    /// What the system's browser is for in a sign-in.
    public enum BrowserUse: Sendable, Hashable {
        /// Nothing: the federation has no provider at which people sign in.
        case none
        /// Who wants signs in with it.
        case offered
        /// A sign-in that began before waits for it to come back (``Session/awaitedBrowser(at:)``).
        case awaited
    }

    /// What a person is told who has to sign in once more.
    public enum LoginNotice: Sendable, Hashable, CaseIterable {
        /// User name or password are wrong, nobody is told which (threat 39), or the answer to a step is.
        case refused
        /// The service was not there.
        case unreachable
        /// The person has logged out, all secrets are gone, and the service will be told as soon as it can be reached:
        /// until then third-party apps keep what they got.
        case logoutPending
    }
}
