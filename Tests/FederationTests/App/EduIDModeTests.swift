import Federation
import NAIL
import OAuth2Grants
import TestSupport
import Testing
import Wire

@Suite("S4: edu-ID mode")
struct EduIDModeTests {
    typealias Screen = EduIDMode.Screen

    static let profile: JSON.Object = ["name": "Ladina"]
    static let steps = [SignInStep(.oneTimeCode), SignInStep(.passkey)]
    static let demand = (try? AuthenticationDemand([], maximumAge: 60)) ?? .none
    static let screens: [Screen] = [
        .login(nil), .login(.refused), .login(.logoutPending), .authenticating, .step(steps, nil),
        .step(steps, .refused), .browser, .profile(profile), .demand(demand, nil), .demand(demand, .unreachable),
        .logoutWarning(profile), .keyGone,
    ]
    static let events: [EduIDMode.Event] = [
        .signedIn(profile), .signInFailed(.refused), .signInFailed(.unreachable), .loggedOut(.pending),
        .loggedOut(.confirmed),
        .sessionEnded, .keyGone, .stepWanted(steps), .stepWanted(steps, .refused), .demanded(demand),
    ]

    /// The mode at a screen, reached as people reach it.
    static func mode(at screen: Screen) throws -> EduIDMode {
        var mode = EduIDMode(browser: .offered)
        switch screen {
        case .login(nil): break
        case .login(.logoutPending): try mode.note(.loggedOut(.pending))
        case .login(let notice?):
            try mode.take(.signIn)
            try mode.note(.signInFailed(notice))
        case .authenticating: try mode.take(.signIn)
        case .step(let steps, let notice):
            try mode.take(.signIn)
            try mode.note(.stepWanted(steps, notice))
        case .browser: try mode.take(.useBrowser)
        case .profile(let profile): mode = EduIDMode(signedIn: profile, browser: .offered)
        case .demand(let demand, let notice):
            mode = EduIDMode(signedIn: profile, browser: .offered)
            try mode.note(.demanded(demand))
            if let notice {
                try mode.take(.stepUp)
                try mode.note(.signInFailed(notice))
            }
        case .logoutWarning(let profile):
            mode = EduIDMode(signedIn: profile, browser: .offered)
            try mode.take(.logOut)
        case .keyGone: try mode.note(.keyGone)
        }
        #expect(mode.screen == screen)
        return mode
    }

    /// Where an action leads, and what the host has to do; whatever is not in the table is refused.
    static func target(of action: EduIDMode.Action, from screen: Screen) -> (Screen, EduIDMode.Errand?)? {
        switch (screen, action) {
        case (.login, .signIn), (.demand, .signIn): (.authenticating, .authenticate)
        case (.login, .useBrowser), (.demand, .useBrowser): (.browser, .openBrowser)
        case (.demand(let demand, _), .stepUp): (.authenticating, .stepUp(demand))
        case (.demand, .turnBack): (.profile(profile), nil)
        case (.step, .answer): (.authenticating, .answer)
        case (.step, .turnBack), (.browser, .turnBack): (.login(nil), .abandon)
        case (.profile, .logOut): (.logoutWarning(profile), nil)
        case (.logoutWarning, .confirm): (.login(nil), .unlink)
        case (.logoutWarning, .turnBack): (.profile(profile), nil)
        case (.keyGone, .beginAnew): (.login(nil), .install)
        default: nil
        }
    }

    /// Where an event leads; whatever is not in the table is refused.
    static func target(of event: EduIDMode.Event, from screen: Screen) -> Screen? {
        switch (screen, event) {
        case (.authenticating, .signedIn), (.browser, .signedIn): .profile(profile)
        case (.authenticating, .signInFailed(let notice)), (.browser, .signInFailed(let notice)): .login(notice)
        case (.authenticating, .stepWanted(let steps, let notice)): .step(steps, notice)
        case (.login(nil), .loggedOut(.pending)): .login(.logoutPending)
        case (.login(.logoutPending), .loggedOut(.confirmed)): .login(nil)
        case (.login, .loggedOut), (.authenticating, .loggedOut), (.step, .loggedOut), (.browser, .loggedOut),
            (.keyGone, .loggedOut):
            screen
        case (.keyGone, .keyGone): nil
        case (_, .keyGone): .keyGone
        case (.profile, .demanded(let demand)): .demand(demand, nil)
        case (.profile, .sessionEnded), (.logoutWarning, .sessionEnded), (.demand, .sessionEnded): .login(nil)
        default: nil
        }
    }

    @Test(.proves("UX-4"), .proves("UX-5"), arguments: screens, EduIDMode.Action.allCases)
    func everyActionOnEveryScreen(_ screen: Screen, _ action: EduIDMode.Action) throws {
        var mode = try Self.mode(at: screen)
        #expect(mode.actions.contains(action) == (Self.target(of: action, from: screen) != nil))
        guard let (target, errand) = Self.target(of: action, from: screen) else {
            #expect(throws: Rejection.impossible(action)) { try mode.take(action) }
            #expect(mode.screen == screen)
            return
        }
        #expect(try mode.take(action) == errand)
        #expect(mode.screen == target)
    }

    @Test(.proves("UX-4"), .proves("UX-5"), arguments: screens, events)
    func everyEventOnEveryScreen(_ screen: Screen, _ event: EduIDMode.Event) throws {
        var mode = try Self.mode(at: screen)
        guard let target = Self.target(of: event, from: screen) else {
            #expect(throws: Rejection.unexpected(clause: "UX-4")) { try mode.note(event) }
            #expect(mode.screen == screen)
            return
        }
        try mode.note(event)
        #expect(mode.screen == target)
    }

    @Test(.proves("UX-1"), .proves("UX-3"), .proves("UX-4")) func theAppOpensInOneOfTwoModes() throws {
        let request = try AppSample.request()
        #expect(AuthorizingApp.Mode(opening: nil, signedIn: nil) == .eduID(EduIDMode()))
        #expect(AuthorizingApp.Mode(opening: nil, signedIn: Self.profile) == .eduID(EduIDMode(signedIn: Self.profile)))
        #expect(EduIDMode(waitingFor: Self.steps).screen == .step(Self.steps, nil))
        // A browser that is waited for comes before a step: it began later.
        #expect(
            AuthorizingApp.Mode(opening: nil, signedIn: nil, browser: .awaited) == .eduID(try Self.mode(at: .browser)))
        #expect(EduIDMode(signedIn: Self.profile, browser: .awaited).screen == .profile(Self.profile))
        // Where there is no provider nobody is sent to a browser.
        #expect(EduIDMode().actions == [.signIn])
        #expect(throws: Rejection.impossible(EduIDMode.Action.useBrowser)) {
            var mode = EduIDMode()
            try mode.take(.useBrowser)
        }
        #expect(EduIDMode().screen == .login(nil))
        #expect(EduIDMode(signedIn: Self.profile).screen == .profile(Self.profile))
        #expect(
            AuthorizingApp.Mode(opening: request, signedIn: nil)
                == .authorization(AuthorizationMode(for: request, isSignedIn: false)))
        #expect(
            AuthorizingApp.Mode(opening: request, signedIn: Self.profile)
                == .authorization(AuthorizationMode(for: request, isSignedIn: true)))
    }

    @Test(.proves("UX-5")) func nobodyLogsOutWithoutTheWarning() throws {
        let seed: UInt64 = 0x10607
        var entropy = SeededGenerator(seed: seed)
        var mode = EduIDMode(browser: .offered)
        var unlinkings = 0
        for step in 0..<60_000 {
            let before = mode
            if Bool.random(using: &entropy) {
                let action = try #require(EduIDMode.Action.allCases.randomElement(using: &entropy))
                let errand = try? mode.take(action)
                if !before.actions.contains(action) { #expect(mode == before, "seed \(seed), step \(step)") }
                if case .unlink? = errand {
                    unlinkings += 1
                    #expect(before.screen == .logoutWarning(Self.profile), "seed \(seed), step \(step)")
                    #expect(mode.screen == .login(nil), "seed \(seed), step \(step)")
                }
            } else {
                let event = try #require(Self.events.randomElement(using: &entropy))
                do throws(Rejection) { try mode.note(event) } catch {
                    #expect(mode == before, "seed \(seed), step \(step)")
                }
            }
        }
        #expect(unlinkings > 20)
    }

    @Test(.proves("threat-22")) func aRejectionTellsNothingOfTheProfile() throws {
        for screen in Self.screens {
            for action in EduIDMode.Action.allCases {
                var mode = try Self.mode(at: screen)
                do throws(Rejection) { try mode.take(action) } catch {
                    #expect(!"\(error)\(error.clause)".contains("Ladina"))
                }
            }
        }
        #expect(
            "\(Rejection.impossible(EduIDMode.Action.confirm))" == "'confirm' is not possible from this screen (UX-5)")
        #expect("\(Rejection.unexpected(clause: "UX-4"))" == "nobody waits for this event (UX-4)")
    }
}
