internal import Federation
internal import NAIL
internal import OAuth2Grants
internal import RSD2
internal import Wire

// The screens of the authorizing app.

extension Reference {
    static func mode(_ given: Given) throws -> JSON.Object {
        let steps = given.texts("steps") { $0 }
        if given["request"] != nil {
            let request = try given.parse("request") { try ProtocolRequest(parsing: $0) }
            var mode = AuthorizationMode(
                for: request, isSignedIn: given["signed_in"]?.bool ?? false,
                waitingFor: given["step_wanted"]?.bool ?? false ? [oneTimeCode] : [], browser: try browser(given))
            let candidates = given.texts("candidates") { try ServiceURL(parsing: $0) }.map {
                AuthorizingApp.Candidate($0, named: $0.url.text, isUsed: false)
            }
            return screens(&mode, after: steps, screen) { mode, step in
                try take(step, candidates, in: &mode).map(word)
            }
        }
        let isWaiting = given["step_wanted"]?.bool ?? false
        var mode = EduIDMode(
            signedIn: given["signed_in"]?.object, waitingFor: isWaiting ? [oneTimeCode] : [],
            demanding: given["demanded"] == true ? try demand : .none, browser: try browser(given))
        let profile = given["profile"]?.object ?? [:]
        return screens(&mode, after: steps, screen) { mode, step in
            try take(step, profile, in: &mode).map(word)
        }
    }

    /// What the browser is for, where that is given.
    private static func browser(_ given: Given) throws -> AuthorizingApp.BrowserUse {
        ["offered": .offered, "awaited": .awaited][given["browser"]?.string ?? ""] ?? .none
    }

    /// The screens that steps lead through, and the errands that they come with, as far as they are allowed.
    private static func screens<Mode>(
        _ mode: inout Mode, after steps: [String], _ screen: (Mode) -> JSON,
        _ take: (inout Mode, String) throws -> JSON?
    ) -> JSON.Object {
        var screens: [JSON] = [screen(mode)]
        var errands: [JSON] = []
        do {
            for step in steps {
                if let errand = try take(&mode, step) { errands.append(errand) }
                screens.append(screen(mode))
            }
        } catch {
            return [
                "screens": .array(screens), "errands": .array(errands),
                "refusal": ["clause": .string(clause(of: error))],
            ]
        }
        return ["screens": .array(screens), "errands": .array(errands)]
    }

    private static func take(
        _ step: String, _ profile: JSON.Object, in mode: inout EduIDMode
    ) throws -> EduIDMode.Errand? {
        let actions: [String: EduIDMode.Action] = [
            "sign in": .signIn, "log out": .logOut, "confirm": .confirm, "turn back": .turnBack,
            "begin anew": .beginAnew, "answer": .answer, "use browser": .useBrowser, "step up": .stepUp,
        ]
        let events: [String: EduIDMode.Event] = [
            "demanded": .demanded(try demand),
            "signed in": .signedIn(profile), "sign-in failed": .signInFailed(.refused),
            "logout pending": .loggedOut(.pending), "logout confirmed": .loggedOut(.confirmed), "key gone": .keyGone,
            "step wanted": .stepWanted([oneTimeCode]),
        ]
        if let action = actions[step] { return try mode.take(action) }
        try mode.note(events[step] ?? .sessionEnded)
        return nil
    }

    private static func take(
        _ step: String, _ candidates: [AuthorizingApp.Candidate], in mode: inout AuthorizationMode
    ) throws -> AuthorizationMode.Errand? {
        let actions: [String: AuthorizationMode.Action] = [
            "sign in": .signIn, "accept": .accept, "reject": .reject, "answer": .answer, "turn back": .turnBack,
            "use browser": .useBrowser, "step up": .stepUp, "go without": .goWithout,
        ]
        let events: [String: AuthorizationMode.Event] = [
            "demanded": .demanded(try demand),
            "signed in": .signedIn, "sign-in failed": .signInFailed(.refused), "known": .known(candidates),
            "found": .found(candidates), "session ended": .sessionEnded, "key gone": .keyGone,
            "step wanted": .stepWanted([oneTimeCode]),
        ]
        if let action = actions[step] { return try mode.take(action) }
        if let event = events[step] { return try mode.note(event) }
        let words = step.split(separator: " ")
        guard words.count == 2, let service = try? ServiceURL(parsing: String(words[1])) else {
            throw Rejection.unexpected(clause: "UX-3")
        }
        let choices: [String: AuthorizationMode.Action] = [
            "pick": .pick(service), "unpick": .unpick(service), "hide": .hide(service),
        ]
        guard let choice = choices[String(words[0])] else { throw Rejection.unexpected(clause: "UX-3") }
        return try mode.take(choice)
    }

    private static let oneTimeCode = SignInStep(.oneTimeCode)

    /// What is demanded, which makes no difference to the screens.
    private static var demand: AuthenticationDemand {
        get throws { try AuthenticationDemand([], maximumAge: 60) }
    }

    private static func screen(_ mode: EduIDMode) -> JSON {
        switch mode.screen {
        case .login(.logoutPending): "login, logout pending"
        case .login: "login"
        case .authenticating: "authenticating"
        case .step: "step"
        case .browser: "browser"
        case .profile(let profile): ["profile": .object(profile)]
        case .demand: "demand"
        case .logoutWarning: "logout warning"
        case .keyGone: "key gone"
        }
    }

    private static func word(_ errand: EduIDMode.Errand) -> JSON {
        switch errand {
        case .authenticate: "authenticate"
        case .answer: "answer"
        case .openBrowser: "open browser"
        case .abandon: "abandon"
        case .stepUp: "step up"
        case .unlink: "unlink"
        case .install: "install"
        }
    }

    private static func word(_ errand: AuthorizationMode.Errand) -> JSON {
        switch errand {
        case .authenticate: "authenticate"
        case .answer: "answer"
        case .openBrowser: "open browser"
        case .abandon: "abandon"
        case .search: "search"
        case .stepUp: "step up"
        case .handOver: "hand over"
        case .hide(let service): ["hide": .string(service.url.text)]
        case .finish(.rejected): "finish: nothing"
        case .finish(.accepted(let choice)): ["finish": .array(choice.services.map { .string($0.url.text) })]
        }
    }

    private static func screen(_ mode: AuthorizationMode) -> JSON {
        switch mode.screen {
        case .login: return "login"
        case .authenticating: return "authenticating"
        case .step: return "step"
        case .browser: return "browser"
        case .searching: return "searching"
        case .demand: return "demand"
        case .finished: return "finished"
        case .selection(let selection):
            func names(_ candidates: [AuthorizingApp.Candidate]) -> JSON {
                .array(candidates.map { .string($0.service.url.text) })
            }
            let picked = selection.candidates.filter { selection.picked.contains($0.service) }
            return ["candidates": names(selection.candidates), "picked": names(picked)]
        }
    }
}
