import Federation
import NAIL
import RSD2
import TestSupport
import Testing
import Wire

@Suite("S4: authorization mode")
struct AuthorizationModeTests {
    typealias Mode = AuthorizationMode

    let alpha: ServiceURL
    let beta: ServiceURL
    let stranger: ServiceURL

    init() throws {
        alpha = try AppSample.url(AppSample.alpha)
        beta = try AppSample.url(AppSample.beta)
        stranger = try AppSample.url("https://stranger.example")
    }

    private func candidate(_ service: ServiceURL, isPreselected: Bool = false) -> AuthorizingApp.Candidate {
        AuthorizingApp.Candidate(
            service, named: service.url.host.text, isUsed: isPreselected)
    }

    private func selecting(
        _ candidates: [AuthorizingApp.Candidate], picking picks: [ServiceURL] = [], single: Bool = false
    ) throws
        -> Mode
    {
        var mode = Mode(for: try AppSample.request(single: single), isSignedIn: true)
        try mode.note(.found(candidates))
        for service in picks { try mode.take(.pick(service)) }
        return mode
    }

    private func picked(_ mode: Mode) -> Set<ServiceURL>? {
        guard case .selection(let selection) = mode.screen else { return nil }
        return selection.picked
    }

    // MARK: the complete tables

    /// Every situation that the mode tells apart, by name.
    private func situations() throws -> [(name: String, mode: Mode)] {
        let both = [candidate(alpha), candidate(beta)]
        let request = try AppSample.request()
        let login = Mode(for: request, isSignedIn: false)
        let offering = Mode(for: request, isSignedIn: false, browser: .offered)
        var browsing = offering
        try browsing.take(.useBrowser)
        var authenticating = login
        try authenticating.take(.signIn)
        var refused = authenticating
        try refused.note(.signInFailed(.refused))
        var accepted = try selecting(both)
        try accepted.take(.accept)
        var rejected = login
        try rejected.take(.reject)
        return [
            ("login", login), ("login, or a browser", offering), ("browser", browsing), ("login again", refused),
            ("authenticating", authenticating),
            ("searching", Mode(for: request, isSignedIn: true)), ("none picked", try selecting(both)),
            ("alpha picked", try selecting(both, picking: [alpha])),
            ("both picked", try selecting(both, picking: [alpha, beta])),
            ("single, none picked", try selecting(both, single: true)),
            ("single, alpha picked", try selecting(both, picking: [alpha], single: true)),
            ("nothing found", try selecting([])), ("accepted", accepted), ("rejected", rejected),
        ]
    }

    /// What comes of an action: another screen, what is picked then, an outcome, or a refusal.
    private enum Result: Equatable {
        case screen(Mode.Screen)
        case picked(Set<ServiceURL>)
        case granted([ServiceURL])
        case rejected
        case refused(Rejection)
    }

    private func result(of action: Mode.Action, on mode: inout Mode) -> Result {
        do throws(Rejection) {
            let errand = try mode.take(action)
            switch (mode.screen, errand) {
            case (.finished(.accepted(let choice)), .finish(.accepted(let same))):
                return choice == same ? .granted(choice.services) : .rejected
            case (.finished(.rejected), .finish(.rejected)): return .rejected
            case (.selection(let selection), nil): return .picked(selection.picked)
            default: return .screen(mode.screen)
            }
        } catch {
            return .refused(error)
        }
    }

    private func table() -> [String: [Result]] {
        func impossible(_ action: Mode.Action) -> Result { .refused(.impossible(action)) }
        let actions = actions
        // Neither pick nor accept, where there is nothing on the screen to pick from.
        let blocked = actions.dropFirst(3).dropLast().map(impossible)
        let over = [Result](repeating: .refused(.finished), count: actions.count)
        let noSignIn = impossible(.signIn)
        let noSignInAtAll = [noSignIn, impossible(.useBrowser), impossible(.turnBack)]
        let login: [Result] = [.screen(.authenticating), impossible(.useBrowser), impossible(.turnBack)]
        return [
            "login": login + blocked + [.rejected],
            "login, or a browser": [.screen(.authenticating), .screen(.browser), impossible(.turnBack)] + blocked
                + [.rejected],
            "browser": [noSignIn, impossible(.useBrowser), .screen(.login(nil))] + blocked + [.rejected],
            "login again": login + blocked + [.rejected],
            "authenticating": noSignInAtAll + blocked + [.rejected],
            "searching": noSignInAtAll + blocked + [.rejected],
            "none picked": noSignInAtAll + [
                .picked([alpha]), .picked([beta]), .refused(.noCandidate(stranger)),
                .refused(.notPicked(alpha)),
                .refused(.notPicked(stranger)), .granted([alpha, beta]), .rejected,
            ],
            "alpha picked": noSignInAtAll + [
                .refused(.alreadyPicked(alpha)), .picked([alpha, beta]), .refused(.noCandidate(stranger)),
                .picked([]),
                .refused(.notPicked(stranger)), .granted([alpha]), .rejected,
            ],
            "both picked": noSignInAtAll + [
                .refused(.alreadyPicked(alpha)), .refused(.alreadyPicked(beta)),
                .refused(.noCandidate(stranger)),
                .picked([beta]), .refused(.notPicked(stranger)), .granted([alpha, beta]), .rejected,
            ],
            "single, none picked": noSignInAtAll + [
                .picked([alpha]), .picked([beta]), .refused(.noCandidate(stranger)),
                .refused(.notPicked(alpha)),
                .refused(.notPicked(stranger)), .refused(.notExactlyOne(picked: 0)), .rejected,
            ],
            "single, alpha picked": noSignInAtAll + [
                .refused(.alreadyPicked(alpha)), .picked([beta]), .refused(.noCandidate(stranger)),
                .picked([]),
                .refused(.notPicked(stranger)), .granted([alpha]), .rejected,
            ],
            "nothing found": noSignInAtAll + [
                .refused(.noCandidate(alpha)), .refused(.noCandidate(beta)), .refused(.noCandidate(stranger)),
                .refused(.notPicked(alpha)), .refused(.notPicked(stranger)), .refused(.nothingToGrant), .rejected,
            ],
            "accepted": over,
            "rejected": over,
        ]
    }

    private var actions: [Mode.Action] {
        [
            .signIn, .useBrowser, .turnBack, .pick(alpha), .pick(beta), .pick(stranger), .unpick(alpha),
            .unpick(stranger), .accept, .reject,
        ]
    }

    @Test(.proves("UX-2"), .proves("UX-3")) func everyActionInEverySituation() throws {
        let table = table()
        for (name, mode) in try situations() {
            let row = try #require(table[name])
            #expect(row.count == actions.count)
            for (action, expected) in zip(actions, row) {
                var copy = mode
                #expect(result(of: action, on: &copy) == expected, "\(name): \(action)")
                if case .refused = expected {
                    #expect(copy == mode, "\(name): \(action)")
                    #expect(!mode.actions.contains(action), "\(name): \(action)")
                } else {
                    #expect(mode.actions.contains(action), "\(name): \(action)")
                }
            }
        }
    }

    @Test(.proves("UX-2"), .proves("UX-3"), .proves("threat-39")) func everyEventInEverySituation() throws {
        let found: [AuthorizingApp.Candidate] = [candidate(alpha)]
        let events: [Mode.Event] = [
            .signedIn, .signInFailed(.refused), .signInFailed(.unreachable), .found(found), .sessionEnded,
        ]
        for (name, mode) in try situations() {
            for event in events {
                var copy = mode
                let expected: Mode.Screen?
                switch (name, event) {
                case ("authenticating", .signedIn), ("browser", .signedIn): expected = .searching
                case ("authenticating", .signInFailed(let notice)), ("browser", .signInFailed(let notice)):
                    expected = .login(notice)
                case ("searching", .found): expected = try selecting(found).screen
                case ("searching", .sessionEnded): expected = .login(nil)
                case (_, .sessionEnded): expected = if case .selection = mode.screen { .login(nil) } else { nil }
                default: expected = nil
                }
                guard let expected else {
                    #expect(throws: Rejection.unexpected(clause: "UX-3"), "\(name): \(event)") { try copy.note(event) }
                    #expect(copy == mode)
                    continue
                }
                let errand = try copy.note(event)
                #expect(copy.screen == expected, "\(name): \(event)")
                #expect(errand == (event == .signedIn ? .search : nil))
            }
        }
    }

    // MARK: single rules

    @Test(.proves("UX-3")) func withoutAUserItBeginsWithLogin() throws {
        var mode = Mode(for: try AppSample.request(), isSignedIn: false)
        #expect(mode.screen == .login(nil))
        #expect(try mode.take(.signIn) == .authenticate)
        #expect(try mode.note(.signedIn) == .search)
        try mode.note(.found([candidate(alpha)]))
        #expect(mode.request.appName.text == "Reader")
        #expect(mode.request.protocols == (try AppSample.names(AppSample.reading)))
        #expect(mode.actions == [.pick(alpha), .hide(alpha), .accept, .reject])
    }

    @Test(.proves("UX-2")) func pickingNoneMeansAllButNotWhereOneIsTheMost() throws {
        var mode = try selecting([candidate(beta), candidate(alpha)])
        #expect(try mode.take(.accept) == .finish(.accepted(try #require(choice(mode)))))
        #expect(choice(mode)?.services == [beta, alpha])
        #expect(mode.actions.isEmpty)
        var single = try selecting([candidate(alpha)], single: true)
        #expect(throws: Rejection.notExactlyOne(picked: 0)) { try single.take(.accept) }
        try single.take(.pick(alpha))
        try single.take(.accept)
        #expect(choice(single)?.services == [alpha])
    }

    private func choice(_ mode: Mode) -> Mode.Choice? {
        guard case .finished(.accepted(let choice)) = mode.screen else { return nil }
        return choice
    }

    @Test(.proves("UX-2")) func theChoiceKeepsTheOrderOfTheScreenAndTheRequest() throws {
        var mode = try selecting([candidate(beta), candidate(alpha), candidate(stranger)], picking: [stranger, beta])
        try mode.take(.accept)
        #expect(choice(mode)?.services == [beta, stranger])
        #expect(choice(mode)?.request == (try AppSample.request()))
    }

    @Test(.proves("UX-2"), .proves("DSC-10")) func preselectedServicesArePicked() throws {
        let used = [candidate(alpha, isPreselected: true), candidate(beta, isPreselected: true), candidate(stranger)]
        #expect(picked(try selecting(used)) == [alpha, beta])
        #expect(picked(try selecting(used, single: true)) == [], "nobody knows which of two is meant")
        #expect(picked(try selecting(Array(used.dropFirst()), single: true)) == [beta])
    }

    @Test(.proves("UX-2"), .proves("DSC-10")) func whatIsFoundLaterLeavesAloneWhatThePersonDid() throws {
        let three = [alpha, beta, stranger].map { candidate($0, isPreselected: true) }
        var mode = Mode(for: try AppSample.request(), isSignedIn: true)
        #expect(try mode.note(.known([])) == nil && mode.screen == .searching)
        try mode.note(.known([three[0], three[2]]))
        #expect(picked(mode) == [alpha, stranger])
        // What nobody has touched is as if all had been known.
        var untouched = mode
        try untouched.note(.found(three))
        #expect(picked(untouched) == [alpha, beta, stranger])
        #expect(try mode.take(.hide(stranger)) == .hide(stranger))
        try mode.take(.unpick(alpha))
        try mode.note(.found(three.reversed()))
        guard case .selection(let selection) = mode.screen else {
            Issue.record("\(mode.screen)")
            return
        }
        #expect(selection.candidates.map(\.service) == [alpha, beta], "what is hidden stays so")
        #expect(selection.picked == [] && !selection.isSearching)
        #expect(throws: Rejection.unexpected(clause: "UX-3")) { try mode.note(.found(three)) }
    }

    @Test(.proves("UX-2"), .proves("RSD-1")) func whatIsNotFoundAnyMoreIsNeitherShownNorTurnsIntoAll() throws {
        var mode = Mode(for: try AppSample.request(), isSignedIn: true)
        try mode.note(.known([candidate(alpha, isPreselected: true), candidate(beta)]))
        var other = mode
        try other.note(.found([candidate(stranger), candidate(alpha, isPreselected: true)]))
        #expect(other.actions.contains(.pick(stranger)) && !other.actions.contains(.pick(beta)))
        #expect(picked(other) == [alpha])
        // All that was picked is gone: the person has not said what else it is to be.
        try mode.note(.found([candidate(beta), candidate(stranger)]))
        guard case .selection(let selection) = mode.screen else {
            Issue.record("\(mode.screen)")
            return
        }
        #expect(selection.candidates.map(\.service) == [beta, stranger])
        #expect(selection.picked.isEmpty && selection.granted.isEmpty)
        #expect(!mode.actions.contains(.accept))
        #expect(throws: Rejection.nothingToGrant) { try mode.take(.accept) }
        try mode.take(.pick(stranger))
        try mode.take(.accept)
        #expect(choice(mode)?.services == [stranger])
    }

    @Test(.proves("UX-2")) func aServiceIsShownOnce() throws {
        let mode = try selecting([candidate(alpha), candidate(alpha, isPreselected: true), candidate(beta)])
        guard case .selection(let selection) = mode.screen else {
            Issue.record("\(mode.screen)")
            return
        }
        #expect(selection.candidates.map(\.service) == [alpha, beta])
        #expect(selection.picked == [])
    }

    @Test(.proves("UX-2")) func randomWalksKeepTheRules() throws {
        let seed: UInt64 = 0xa77
        var entropy = SeededGenerator(seed: seed)
        var decisions = 0
        for walk in 0..<300 {
            let single = Bool.random(using: &entropy)
            var mode = Mode(
                for: try AppSample.request(single: single), isSignedIn: Bool.random(using: &entropy),
                browser: .offered)
            for _ in 0..<30 {
                let before = mode
                let event: [Mode.Event] = [
                    .signedIn, .signInFailed(.refused),
                    .found([candidate(alpha, isPreselected: true), candidate(beta)]), .found([]),
                    .sessionEnded,
                ]
                let action = actions[Int.random(in: actions.indices, using: &entropy)]
                do throws(Rejection) {
                    if Int.random(in: 0..<3, using: &entropy) == 0 {
                        try mode.note(event[Int.random(in: 0..<5, using: &entropy)])
                    } else {
                        let isPossible = before.actions.contains(action)
                        try mode.take(action)
                        #expect(isPossible, "seed \(seed), walk \(walk)")
                    }
                } catch {
                    #expect(mode == before, "seed \(seed), walk \(walk)")
                }
                if single, let picked = picked(mode) { #expect(picked.count <= 1, "seed \(seed), walk \(walk)") }
            }
            guard let choice = choice(mode) else { continue }
            decisions += 1
            #expect(single ? choice.services.count == 1 : !choice.services.isEmpty, "seed \(seed), walk \(walk)")
        }
        #expect(decisions > 10)
    }

    @Test func everyRejectionNamesItsClause() {
        let rejections: [(Rejection, String)] = [
            (.impossible(Mode.Action.signIn), "UX-3"), (.impossible(Mode.Action.accept), "UX-2"), (.finished, "UX-2"),
            (.unexpected(clause: "UX-3"), "UX-3"),
            (.noCandidate(alpha), "UX-2"), (.alreadyPicked(alpha), "UX-2"), (.notPicked(alpha), "UX-2"),
            (.notExactlyOne(picked: 2), "UX-2"), (.nothingToGrant, "UX-2"),
        ]
        for (rejection, clause) in rejections {
            #expect(rejection.clause == clause)
            #expect("\(rejection)".hasSuffix("(\(clause))"))
        }
    }
}
