import Federation
import FederationTesting
import Foundation
import NAIL
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

/// The tables of the person's side, each cell played: what stands in the documentation is what the code does.
@Suite("S4: the tables of the documentation")
struct StateTableTests {
    /// The rows of the table below a heading, each with its cells.
    private static func table(below heading: String) throws -> [[String]] {
        let page = Repository.root.appending(path: "Sources/Federation/Federation.docc/PersonSide.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let section = try #require(text.part(after: "## \(heading)\n")?.part(before: "\n## "))
        return section.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|").map { $0.trimmed }
        }
    }

    private static func home() throws -> ServiceURL { try ServiceURL(parsing: Parties.homes[0]) }

    // MARK: What has ended

    private static let ends: [(name: String, happen: @Sendable (inout Parties) -> Void)] = [
        ("nothing", { _ in }),
        ("the access tokens have expired", { $0.federation.wait(.seconds(3_600)) }),
        ("the registration", { $0.federation.eduIDStore.endAll(.client, at: $0.federation.now) }),
        ("the session, by the person elsewhere", { $0.federation.eduIDStore.endAll(.personal, at: $0.federation.now) }),
        ("the session, by an administrator", { $0.federation.administrate(.signOut($0.person.subject)) }),
        ("everything that the edu-ID service knew", { $0.federation.eduIDStore = MemoryStore() }),
        ("the version is shut out", { $0.federation.administrate(.block("ios-1.0")) }),
        ("the instance was rejected", { $0.federation.administrate(.reject($0.session.installation.instance)) }),
        ("the service token", { $0.federation.services[0].store.endAll(.service, at: $0.federation.now) }),
        ("the assertion", { $0.federation.services[0].store.endAll(.assertion, at: $0.federation.now) }),
        ("everything that the service knew", { $0.federation.services[0].store = MemoryStore() }),
        ("there is no network", { $0.federation.unreachable = Set($0.federation.services.compactMap(\.home)) }),
    ]

    private static let steps = ["launch", "an app asks", "sign out", "sign in"]

    private static func parties() throws -> Parties {
        var parties = try Parties(seed: 617)
        try parties.signIn()
        try parties.authorize(home())
        parties.federation.wait(.seconds(60))
        return parties
    }

    /// What a step comes to, in the words of the documentation.
    private static func play(_ step: String, _ parties: inout Parties, isOffline: Bool) throws -> String {
        let now = parties.federation.now
        let (papi, home) = (try ProtocolName(parsing: Parties.protocolName), try home())
        var entropy = SimulatedFederation.Entropy(seed: 1)
        var (session, federation) = (parties.session, parties.federation)
        func send(_ request: HTTP.Request) -> HTTP.Response? { isOffline ? nil : federation.send(request) }
        do throws(Rejection) {
            switch step {
            case "launch": try session.carryOut(.launch, at: now, using: &entropy, over: send)
            case "an app asks":
                guard let service = session.store.contents.services[home] else { return "no service" }
                _ = try session.carryOut(
                    .access(for: "com.example.reader", at: service.description, to: [papi]), at: now, using: &entropy,
                    over: send)
            case "sign out":
                let ended = try session.carryOut(.signOut, at: now, using: &entropy, over: send)
                return ended == .pending ? "is over, told later" : "is over"
            default:
                try session.carryOut(
                    .signIn(parties.person.name, parties.person.password), at: now, using: &entropy, over: send)
            }
            return session.isSignedIn ? "goes on" : "sign in"
        } catch {
            if error == .unanswered { return session.isSignedIn ? "later" : "sign in" }
            return session.isSignedIn ? "refused" : "sign in"
        }
    }

    @Test("Whatever has ended, each step leads on as the table says", .proves("REG-1"), .proves("UX-5"))
    func ends() throws {
        let table = try Self.table(below: "What has ended")
        #expect(table.first == ["what has ended"] + Self.steps)
        let begun = try Self.parties()
        let played = try Self.ends.map { end in
            [end.name]
                + (try Self.steps.map { step in
                    var parties = begun
                    end.happen(&parties)
                    return try Self.play(step, &parties, isOffline: end.name == "there is no network")
                })
        }
        #expect(Array(table.dropFirst(2)) == played)
    }

    // MARK: Screens

    private static let code = [SignInStep(.oneTimeCode)]
    private static let demand = Result { try AuthenticationDemand([], maximumAge: 60) }

    private static func name(_ screen: EduIDMode.Screen) -> String {
        switch screen {
        case .login(nil): "login"
        case .login(.logoutPending): "login, logout pending"
        case .login(let notice?): "login, \(notice)"
        case .authenticating: "authenticating"
        case .step(_, nil): "step"
        case .step(_, let notice?): "step, \(notice)"
        case .browser: "browser"
        case .profile: "profile"
        case .demand(_, nil): "demand"
        case .demand(_, let notice?): "demand, \(notice)"
        case .logoutWarning: "logout warning"
        case .keyGone: "key gone"
        }
    }

    private static func name(_ errand: EduIDMode.Errand?) -> String {
        switch errand {
        case nil: "nothing"
        case .stepUp: "stepUp"
        case let errand?: "\(errand)"
        }
    }

    /// The name of a screen, which tells where a sign-in is for more.
    private static func name(of screen: String, isForMore: Bool) -> String {
        let isSigningIn = screen.hasPrefix("step") || screen == "authenticating" || screen == "browser"
        return isForMore && isSigningIn ? screen + ", for more" : screen
    }

    /// The rows of a screen.
    private static func rows(
        of title: String, _ mode: EduIDMode, isForMore: Bool = false, _ profile: JSON.Object
    ) throws -> [[String]] {
        func shown(_ screen: EduIDMode.Screen) -> String { Self.name(of: name(screen), isForMore: isForMore) }
        let events: [(String, EduIDMode.Event)] = [
            ("signed in", .signedIn(profile)), ("sign-in refused", .signInFailed(.refused)),
            ("service unreachable", .signInFailed(.unreachable)), ("step wanted", .stepWanted(code)),
            ("step refused", .stepWanted(code, .refused)), ("session ended", .sessionEnded),
            ("demanded", .demanded(try demand.get())), ("logout pending", .loggedOut(.pending)),
            ("logout confirmed", .loggedOut(.confirmed)), ("key gone", .keyGone),
        ]
        #expect(shown(mode.screen) == title)
        var rows: [[String]] = []
        for action in EduIDMode.Action.allCases {
            var next = mode
            guard let errand = try? next.take(action) as EduIDMode.Errand?? else { continue }
            rows.append([title, "\(action)", shown(next.screen), name(errand)])
        }
        for (word, event) in events {
            var next = mode
            guard (try? next.note(event)) != nil else { continue }
            rows.append([title, word, shown(next.screen), "nothing"])
        }
        return rows
    }

    @Test("The screens of edu-ID mode", .proves("UX-4"), .proves("UX-5"))
    func eduIDMode() throws {
        let profile: JSON.Object = ["name": "Ada"]
        let screens: [(String, [EduIDMode.Event], [EduIDMode.Action])] = [
            ("login", [], []), ("authenticating", [], [.signIn]), ("step", [.stepWanted(Self.code)], [.signIn]),
            ("browser", [], [.useBrowser]),
            ("profile", [.signedIn(profile)], [.signIn]), ("logout warning", [.signedIn(profile)], [.signIn, .logOut]),
            ("login, logout pending", [.loggedOut(.pending)], []), ("key gone", [.keyGone], []),
        ]
        var rows: [[String]] = []
        for (title, before, actions) in screens {
            var mode = EduIDMode(browser: .offered)
            for action in actions.prefix(1) { try mode.take(action) }
            for event in before { try mode.note(event) }
            for action in actions.dropFirst() { try mode.take(action) }
            rows += try Self.rows(of: title, mode, profile)
        }
        #expect(Array(try Self.table(below: "Edu-ID mode").dropFirst(2)) == rows)
    }

    @Test("The screens of edu-ID mode while more of the sign-in is shown", .proves("UX-4"), .proves("FPA-20"))
    func eduIDModeForMore() throws {
        let profile: JSON.Object = ["name": "Ada"]
        let demand = try Self.demand.get()
        var demanded = EduIDMode(signedIn: profile, browser: .offered)
        try demanded.note(.demanded(demand))
        var authenticating = demanded
        #expect(try authenticating.take(.stepUp) == .stepUp(demand))
        var step = authenticating
        try step.note(.stepWanted(Self.code))
        var browsing = demanded
        try browsing.take(.useBrowser)
        #expect(EduIDMode(signedIn: profile, waitingFor: Self.code, demanding: demand, browser: .offered) == step)
        let rows =
            try Self.rows(of: "demand", demanded, isForMore: true, profile)
            + Self.rows(of: "authenticating, for more", authenticating, isForMore: true, profile)
            + Self.rows(of: "step, for more", step, isForMore: true, profile)
            + Self.rows(of: "browser, for more", browsing, isForMore: true, profile)
        #expect(Array(try Self.table(below: "Edu-ID mode, where more is demanded").dropFirst(2)) == rows)
        // Whoever turns back has the profile of before.
        #expect(try demanded.take(.turnBack) == nil && demanded == EduIDMode(signedIn: profile, browser: .offered))
    }

    @Test("The screens of authorization mode", .proves("UX-2"), .proves("UX-3"))
    func authorizationMode() throws {
        let service = try Self.home()
        let candidates = [AuthorizingApp.Candidate(service, named: "Alpha", isUsed: false)]
        let request = try AppSample.request()
        var authenticating = AuthorizationMode(for: request, isSignedIn: false)
        try authenticating.take(.signIn)
        var browsing = AuthorizationMode(for: request, isSignedIn: false, browser: .offered)
        try browsing.take(.useBrowser)
        var waiting = authenticating
        try waiting.note(.stepWanted(Self.code))
        let searching = AuthorizationMode(for: request, isSignedIn: true)
        var (known, found) = (searching, searching)
        try known.note(.known(candidates))
        try found.note(.found(candidates))
        var picked = found
        try picked.take(.pick(service))
        let screens = [
            ("login", AuthorizationMode(for: request, isSignedIn: false, browser: .offered)),
            ("authenticating", authenticating), ("step", waiting), ("browser", browsing), ("searching", searching),
            ("selection, searching", known), ("selection", found),
        ]
        var rows: [[String]] = []
        for (title, mode) in screens {
            // What is not picked cannot be put back.
            rows += try Self.rows(of: title, mode, unpicking: title == "selection" ? picked : mode, service, candidates)
        }
        #expect(Array(try Self.table(below: "Authorization mode").dropFirst(2)) == rows)
    }

    @Test("The screens of authorization mode while more of the sign-in is shown", .proves("UX-3"), .proves("FPA-21"))
    func authorizationModeForMore() throws {
        let service = try Self.home()
        let candidates = [AuthorizingApp.Candidate(service, named: "Alpha", isUsed: false)]
        let demand = try Self.demand.get()
        var finished = AuthorizationMode(for: try AppSample.request(), isSignedIn: true, browser: .offered)
        try finished.note(.found(candidates))
        let errand = try finished.take(.accept)
        var demanded = finished
        try demanded.note(.demanded(demand))
        var authenticating = demanded
        #expect(try authenticating.take(.stepUp) == .stepUp(demand))
        var step = authenticating
        try step.note(.stepWanted(Self.code))
        var browsing = demanded
        try browsing.take(.useBrowser)
        var rows: [[String]] = []
        for (title, mode) in [
            ("finished", finished), ("demand", demanded), ("authenticating, for more", authenticating),
            ("step, for more", step), ("browser, for more", browsing),
        ] {
            rows += try Self.rows(of: title, mode, unpicking: mode, isForMore: true, service, candidates)
        }
        #expect(Array(try Self.table(below: "Authorization mode, where more is demanded").dropFirst(2)) == rows)
        // What was accepted is answered once more, as it was; whoever was never asked for more is not.
        #expect(try authenticating.note(.signedIn) == errand && authenticating == finished)
        var rejected = AuthorizationMode(for: try AppSample.request(), isSignedIn: true)
        try rejected.take(.reject)
        #expect(throws: Rejection.self) { try rejected.note(.demanded(demand)) }
        // Nor is whoever has the answer already.
        #expect(try demanded.take(.goWithout) == .handOver)
        #expect(throws: Rejection.self) { try demanded.note(.demanded(demand)) }
    }

    private static func name(_ screen: AuthorizationMode.Screen) -> String {
        switch screen {
        case .login(nil): "login"
        case .login(let notice?): "login, \(notice)"
        case .authenticating: "authenticating"
        case .step(_, nil): "step"
        case .step(_, let notice?): "step, \(notice)"
        case .browser: "browser"
        case .searching: "searching"
        case .selection(let selection): selection.isSearching ? "selection, searching" : "selection"
        case .demand(_, nil): "demand"
        case .demand(_, let notice?): "demand, \(notice)"
        case .finished: "finished"
        }
    }

    private static func name(_ errand: AuthorizationMode.Errand?) -> String {
        switch errand {
        case nil: "nothing"
        case .authenticate: "authenticate"
        case .openBrowser: "openBrowser"
        case .answer: "answer"
        case .abandon: "abandon"
        case .search: "search"
        case .hide: "hide"
        case .stepUp: "stepUp"
        case .finish(.accepted): "answer with what was granted"
        case .finish(.rejected): "answer with nothing"
        case .handOver: "answer as it is"
        }
    }

    private static func rows(
        of title: String, _ mode: AuthorizationMode, unpicking picked: AuthorizationMode, isForMore: Bool = false,
        _ service: ServiceURL, _ candidates: [AuthorizingApp.Candidate]
    ) throws -> [[String]] {
        func shown(_ screen: AuthorizationMode.Screen) -> String { Self.name(of: name(screen), isForMore: isForMore) }
        let actions: [(String, AuthorizationMode.Action)] = [
            ("signIn", .signIn), ("useBrowser", .useBrowser), ("answer", .answer), ("turnBack", .turnBack),
            ("pick", .pick(service)), ("unpick", .unpick(service)), ("hide", .hide(service)), ("accept", .accept),
            ("reject", .reject), ("stepUp", .stepUp), ("goWithout", .goWithout),
        ]
        let events: [(String, AuthorizationMode.Event)] = [
            ("signed in", .signedIn), ("sign-in refused", .signInFailed(.refused)), ("step wanted", .stepWanted(code)),
            ("step refused", .stepWanted(code, .refused)), ("known", .known(candidates)), ("found", .found(candidates)),
            ("demanded", .demanded(try demand.get())), ("session ended", .sessionEnded), ("key gone", .keyGone),
        ]
        #expect(shown(mode.screen) == title)
        var rows: [[String]] = []
        for (word, action) in actions {
            var next = word == "unpick" ? picked : mode
            guard let errand = try? next.take(action) as AuthorizationMode.Errand?? else { continue }
            rows.append([title, word, shown(next.screen), name(errand)])
        }
        for (word, event) in events {
            var next = mode
            guard let errand = try? next.note(event) as AuthorizationMode.Errand?? else { continue }
            rows.append([title, word, shown(next.screen), name(errand)])
        }
        return rows
    }
}

extension MemoryStore {
    /// Ends all records of a kind.
    fileprivate mutating func endAll(_ kind: Record.Kind, at now: Timestamp) {
        for lineage in page(of: .all(kind), limit: 10)?.lineages ?? [] {
            #expect(commit(Batch(at: now, [.revoke(lineage.record.id, .user)])) == .applied)
        }
    }
}

extension StringProtocol {
    /// What comes after the first place of a text.
    fileprivate func part(after text: String) -> String? {
        firstRange(of: text).map { String(self[$0.upperBound...]) }
    }

    /// What comes before the first place of a text; all, if it does not occur.
    fileprivate func part(before text: String) -> String {
        firstRange(of: text).map { String(self[..<$0.lowerBound]) } ?? String(self)
    }

    fileprivate var trimmed: String {
        var text = Substring(self)
        while text.first == " " { text = text.dropFirst() }
        while text.last == " " { text = text.dropLast() }
        return String(text)
    }
}
