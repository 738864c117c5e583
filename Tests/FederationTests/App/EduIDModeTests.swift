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
    static let screens: [Screen] = [
        .login(nil), .login(.refused), .login(.logoutPending), .authenticating, .step(steps, nil),
        .step(steps, .refused), .profile(profile), .logoutWarning(profile), .keyGone,
    ]
    static let events: [EduIDMode.Event] = [
        .signedIn(profile), .signInFailed(.refused), .signInFailed(.unreachable), .loggedOut(.pending),
        .loggedOut(.confirmed),
        .sessionEnded, .keyGone, .stepWanted(steps), .stepWanted(steps, .refused),
    ]

    /// The mode at a screen, reached as people reach it.
    static func mode(at screen: Screen) throws -> EduIDMode {
        var mode = EduIDMode()
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
        case .profile(let profile): mode = EduIDMode(signedIn: profile)
        case .logoutWarning(let profile):
            mode = EduIDMode(signedIn: profile)
            try mode.take(.logOut)
        case .keyGone: try mode.note(.keyGone)
        }
        #expect(mode.screen == screen)
        return mode
    }

    /// Where an action leads, and what the host has to do; whatever is not in the table is refused.
    static func target(of action: EduIDMode.Action, from screen: Screen) -> (Screen, EduIDMode.Errand?)? {
        switch (screen, action) {
        case (.login, .signIn): (.authenticating, .authenticate)
        case (.step, .answer): (.authenticating, .answer)
        case (.step, .turnBack): (.login(nil), .abandon)
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
        case (.authenticating, .signedIn): .profile(profile)
        case (.authenticating, .signInFailed(let notice)): .login(notice)
        case (.authenticating, .stepWanted(let steps, let notice)): .step(steps, notice)
        case (.login(nil), .loggedOut(.pending)): .login(.logoutPending)
        case (.login(.logoutPending), .loggedOut(.confirmed)): .login(nil)
        case (.login, .loggedOut), (.authenticating, .loggedOut), (.step, .loggedOut), (.keyGone, .loggedOut): screen
        case (.keyGone, .keyGone): nil
        case (_, .keyGone): .keyGone
        case (.profile, .sessionEnded), (.logoutWarning, .sessionEnded): .login(nil)
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
        #expect(
            AuthorizingApp.Mode(opening: nil, signedIn: nil, waitingFor: Self.steps)
                == .eduID(try Self.mode(at: .step(Self.steps, nil))))
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
        var mode = EduIDMode()
        var unlinkings = 0
        for step in 0..<30_000 {
            let before = mode
            if Bool.random(using: &entropy) {
                let action = EduIDMode.Action.allCases[Int.random(in: 0..<6, using: &entropy)]
                let errand = try? mode.take(action)
                if !before.actions.contains(action) { #expect(mode == before, "seed \(seed), step \(step)") }
                if case .unlink? = errand {
                    unlinkings += 1
                    #expect(before.screen == .logoutWarning(Self.profile), "seed \(seed), step \(step)")
                    #expect(mode.screen == .login(nil), "seed \(seed), step \(step)")
                }
            } else {
                let event = Self.events[Int.random(in: 0..<8, using: &entropy)]
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
