import Federation
import FederationTesting
import NAIL
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import Wire

@Suite("S0, S3: the personal filter")
struct PersonalFilterTests {
    let alpha: ServiceURL
    let beta: ServiceURL
    let gamma: ServiceURL
    let reading: [ProtocolName]

    init() throws {
        alpha = try AppSample.url(AppSample.alpha)
        beta = try AppSample.url(AppSample.beta)
        gamma = try AppSample.url(AppSample.gamma)
        reading = try AppSample.names(AppSample.reading)
    }

    /// Three services that serve the protocol, named against the order of their URLs.
    private func discovered() throws -> [AuthorizingApp.Store.Service] {
        [
            try AppSample.service(AppSample.alpha, named: "zurich"),
            try AppSample.service(AppSample.beta, named: "Bern"),
            try AppSample.service(AppSample.gamma, named: "aarau"),
        ]
    }

    private func offered(_ candidates: [AuthorizingApp.Candidate]) -> [String] {
        candidates.map { candidate in
            candidate.name + (candidate.isUsed ? " used" : "") + (candidate.isPreselected ? " preselected" : "")
                + (candidate.isDeclined ? " declined" : "") + (candidate.isRefusing ? " refusing" : "")
        }
    }

    @Test(.proves("DSC-9"), .proves("DSC-10")) func usedServicesComeFirstAndArePreselectedOthersAreMarkedAsNew() throws
    {
        let filter = AuthorizingApp.PersonalFilter(usage: [try AppSample.url("https://ALPHA.example.ch/"), gamma])
        let candidates = filter.candidates(for: reading, in: AuthorizingApp.Store(), among: try discovered())
        #expect(offered(candidates) == ["aarau used preselected", "zurich used preselected", "Bern"])
        #expect(candidates.map(\.service) == [gamma, alpha, beta])
    }

    @Test(.proves("USE-4")) func withoutAUsageListAllMatchingServicesAreOffered() throws {
        let filter = AuthorizingApp.PersonalFilter(usage: nil)
        let candidates = filter.candidates(for: reading, in: AuthorizingApp.Store(), among: try discovered())
        #expect(offered(candidates) == ["aarau", "Bern", "zurich"])
        #expect(filter.prefetch(into: AuthorizingApp.Store()) == nil)
    }

    @Test(.proves("USE-4")) func theOwnRecordTakesThePlaceOfTheUsageList() throws {
        var store = AuthorizingApp.Store()
        let found = try discovered()
        try store.change { $0.cache(found) }
        let token = try AppSample.token("secret")
        try store.change { [beta] in $0.services[beta]?.token = token }
        let filter = AuthorizingApp.PersonalFilter(usage: nil)
        #expect(offered(filter.candidates(for: reading, in: store)) == ["Bern used preselected", "aarau", "zurich"])
        // Where there is a usage list, it counts.
        #expect(
            offered(AuthorizingApp.PersonalFilter(usage: []).candidates(for: reading, in: store)) == [
                "aarau", "Bern", "zurich",
            ])
    }

    @Test(.proves("DSC-10")) func whatIsCachedSparesTheInfrastructure() throws {
        var store = AuthorizingApp.Store()
        let filter = AuthorizingApp.PersonalFilter(usage: [gamma, alpha])
        #expect(filter.prefetch(into: store) == .services([alpha, gamma]))
        let zurich = try AppSample.service(AppSample.alpha, named: "zurich")
        try store.change { $0.cache([zurich]) }
        // What is not cached goes before what may have changed.
        #expect(filter.prefetch(into: store) == .services([gamma, alpha]))
        #expect(offered(filter.candidates(for: reading, in: store)) == ["zurich used preselected"])
        let third = try AppSample.service(AppSample.gamma)
        try store.change { $0.cache([third]) }
        #expect(filter.prefetch(into: store) == .services([alpha, gamma]))
    }

    @Test(.proves("DSC-4")) func theOrderOfTheAnswerDoesNotMatter() throws {
        let seed: UInt64 = 4
        var entropy = SeededGenerator(seed: seed)
        var services = try discovered()
        // Two descriptions of one service, and two services of one name.
        services.append(try AppSample.service(AppSample.alpha, named: "Bern"))
        services.append(try AppSample.service("https://delta.example.ch", named: "bern"))
        let filter = AuthorizingApp.PersonalFilter(usage: [beta])
        let expected = filter.candidates(for: reading, in: AuthorizingApp.Store(), among: services)
        #expect(offered(expected) == ["Bern used preselected", "aarau", "Bern", "bern"])
        #expect(
            expected.map(\.service.url.host.text) == ["beta", "gamma", "alpha", "delta"].map { $0 + ".example.ch" })
        for round in 0..<50 {
            let shuffled = filter.candidates(
                for: reading, in: AuthorizingApp.Store(), among: services.shuffled(using: &entropy))
            #expect(shuffled == expected, "seed \(seed), round \(round)")
        }
    }

    @Test(.proves("DSC-1"), .proves("DSC-7")) func onlyServicesThatServeAllOfTheRequestAreOffered() throws {
        let both = try AppSample.names(AppSample.reading, AppSample.writing)
        let closed = try AuthorizingApp.Store.Service(
            parsing: AppSample.text(AppSample.gamma, offering: [AppSample.reading, AppSample.writing], oauth2: nil))
        let services = [
            try AppSample.service(AppSample.alpha, named: "one"),
            try AppSample.service(AppSample.beta, named: "two", offering: [AppSample.reading, AppSample.writing]),
            closed,
        ]
        let filter = AuthorizingApp.PersonalFilter(usage: [alpha, beta, gamma])
        #expect(
            offered(filter.candidates(for: both, in: AuthorizingApp.Store(), among: services)) == [
                "two used preselected"
            ])
        #expect(filter.candidates(for: [], in: AuthorizingApp.Store(), among: services).isEmpty)
    }

    @Test func whatIsDiscoveredNowBeatsWhatIsCached() throws {
        var store = AuthorizingApp.Store()
        let found = try discovered()
        try store.change { $0.cache(found) }
        let now = [
            try AppSample.service(AppSample.alpha, named: "alpine"),
            try AppSample.service(AppSample.beta, offering: [AppSample.writing]),
        ]
        let filter = AuthorizingApp.PersonalFilter(usage: nil)
        #expect(offered(filter.candidates(for: reading, in: store, among: now)) == ["alpine"])
        #expect(filter.candidates(for: reading, in: store, among: []).isEmpty)
        #expect(offered(filter.candidates(for: reading, in: store)) == ["aarau", "Bern", "zurich"])
    }

    @Test(
        "A service that has left is offered no more, and what is held there can be ended", .proves("RSD-1"),
        .proves("DSC-1"))
    func whatHasLeft() throws {
        var parties = try Parties(seed: 1)
        try parties.signIn()
        let homes = try Parties.homes.map { try ServiceURL(parsing: $0) }
        let request = try AppSample.request([Parties.protocolName])
        #expect(try parties.perform(.candidates(for: request)).map(\.service) == homes)
        try parties.authorize(homes[0])
        let document = try #require(parties.federation.eduID.directory[homes[0]]?.description)
        parties.federation.eduID.directory.remove(homes[0])
        #expect(try parties.perform(.candidates(for: request)).map(\.service) == [homes[1]])
        // Nor where nobody answers.
        #expect(parties.session.knownChoices(for: request).map(\.service) == [homes[1]])
        #expect(parties.session.authorizedServices == [homes[0]])
        let ground = try AppSample.request(["org.ietf.oauth2"])
        #expect(parties.session.knownChoices(for: ground).map(\.service) == [homes[1]])
        // Whoever comes back is where it was.
        try parties.federation.eduID.directory.update(homes[0], document)
        #expect(try parties.perform(.candidates(for: request)).map(\.service) == homes)
        #expect(parties.session.authorizedServices == [homes[0]])
        // One that was asked for by its URL, as at each launch.
        parties.federation.eduID.directory.remove(homes[0])
        try parties.perform(.launch)
        #expect(parties.session.knownChoices(for: request).map(\.service) == [homes[1]])
        #expect(try parties.perform(.unlinking(homes[0])) == .confirmed)
    }

    @Test(.proves("DSC-4")) func namesakesComeInTheOrderOfTheirURLsWhereverTheyAreKnownFrom() throws {
        var store = AuthorizingApp.Store()
        let bern = try AppSample.service(AppSample.alpha, named: "Bern")
        try store.change { $0.cache([bern]) }
        let discovered = [try AppSample.service(AppSample.beta, named: "bern"), bern]
        let filter = AuthorizingApp.PersonalFilter(usage: nil)
        #expect(filter.candidates(for: reading, in: store, among: discovered).map(\.service) == [alpha, beta])
        try store.change { $0.cache(discovered) }
        #expect(filter.candidates(for: reading, in: store).map(\.service) == [alpha, beta])
    }

    @Test("What is found finds room in a store that is full of what was found before", .proves("threat-14"))
    func fullStore() throws {
        var parties = try Parties(seed: 2)
        let limits = AuthorizingApp.Store.Limits(rows: 8, field: 10_000, bytes: 100_000)
        parties.session = AuthorizingApp.Session(
            parties.session.installation, with: parties.session.eduID, store: AuthorizingApp.Store(limits: limits))
        try parties.signIn()
        let old = try (0..<8).map { try AppSample.service("https://s\($0).example.ch") }
        let (held, token) = (old[3].url, try AppSample.token("secret"))
        try parties.session.store.change { [reading] contents in
            contents.cache(old)
            contents.services[held]?.token = token
            contents.protocols[old[0].url] = reading
        }
        let homes = try Parties.homes.map { try ServiceURL(parsing: $0) }
        let found = try parties.perform(.candidates(for: AppSample.request([Parties.protocolName])))
        #expect(found.map(\.service) == homes)
        #expect(Set(parties.session.store.contents.services.keys) == Set(homes + [held]))
        #expect(parties.session.store.contents.protocols.isEmpty)
    }

    @Test(
        "Two that have each found as much as fits are joined, and what one of them just found stays",
        .proves("threat-14"))
    func fullStores() throws {
        var base = AuthorizingApp.Store(limits: AuthorizingApp.Store.Limits(rows: 8, field: 10_000, bytes: 100_000))
        let kept = try AppSample.service("https://kept.example.ch")
        let token = try AppSample.token("secret")
        try base.change { contents in
            contents.cache([kept])
            contents.services[kept.url]?.token = token
        }
        var (one, other) = (base, base)
        let (news, others) = (try Self.services("one", 5), try Self.services("other", 5))
        try one.change { $0.cache(news) }
        try other.change { $0.cache(others) }
        let joined = try one.joined(with: other, since: base)
        #expect(Set(joined.contents.services.keys) == Set(news.map(\.url) + [kept.url]))
        #expect(joined.contents.services[kept.url]?.token != nil)
    }

    private static func services(_ name: String, _ count: Int) throws -> [AuthorizingApp.Store.Service] {
        try (0..<count).map { try AppSample.service("https://\(name)-\($0).example.ch") }
    }

    @Test("An answer without room for one document more does not say who has left", .proves("RSD-1"))
    func fullAnswer() throws {
        func isFull(_ text: String) throws -> Bool {
            try AuthorizingApp.DiscoveryAnswer(parsing: Array(text.utf8)).isFull
        }
        #expect(try !isFull("[]"))
        #expect(try !isFull("[" + Array(repeating: "1", count: 3_999).joined(separator: ",") + "]"))
        #expect(try isFull("[" + Array(repeating: "1", count: 4_000).joined(separator: ",") + "]"))
        #expect(try !isFull("[\"" + String(repeating: "x", count: (4 << 20) - (128 << 10) - 5) + "\"]"))
        #expect(try isFull("[\"" + String(repeating: "x", count: (4 << 20) - (128 << 10) - 4) + "\"]"))
    }

    @Test("What is missing in such an answer is offered all the same where nobody answers", .proves("RSD-1"))
    func missingInAFullAnswer() throws {
        var parties = try Parties(seed: 3)
        try parties.signIn()
        let homes = try Parties.homes.map { try ServiceURL(parsing: $0) }
        let request = try AppSample.request([Parties.protocolName])
        try parties.perform(.candidates(for: request))
        let full = "[" + Array(repeating: "1", count: 4_000).joined(separator: ",") + "]"
        var entropy = SimulatedFederation.Entropy(seed: 1)
        for (answer, known) in [(full, homes), ("[]", [])] {
            let found = try parties.session.carryOut(
                .candidates(for: request), at: parties.federation.now, using: &entropy,
                over: { _ in HTTP.Response(.ok, body: Array(answer.utf8)) })
            #expect(found.isEmpty && parties.session.knownChoices(for: request).map(\.service) == known)
        }
    }

    @Test("What is too long in the form in which apps get it is left out, however it is written", .proves("threat-43"))
    func longForm() throws {
        // Versions that are written as numbers become texts.
        let versions = "[" + Array(repeating: "1", count: 64).joined(separator: ",") + "]"
        for (count, isTaken) in [(300, true), (500, false)] {
            let apis = (0..<count).map { "\"org.example.p\($0)\":{\"apiLink\":\"x\",\"apiVersion\":\(versions)}" }
            let text =
                "[{\"homePageLink\":\"https://a.example.ch/\",\"engineLink\":\"https://a.example.ch/\",\"apis\":{"
                + apis.joined(separator: ",") + "}}]"
            #expect(text.utf8.count < 128 << 10)
            let answer = try AuthorizingApp.DiscoveryAnswer(parsing: Array(text.utf8))
            #expect(answer.services.count == (isTaken ? 1 : 0) && answer.dropped.count == (isTaken ? 0 : 1))
        }
    }

    @Test(.proves("AST-6")) func servicesThatRefusedThePersonAreNotedAsSuch() throws {
        var store = AuthorizingApp.Store()
        let found = try discovered()
        try store.change { $0.cache(found) }
        let filter = AuthorizingApp.PersonalFilter(usage: [alpha, beta], refusing: [beta])
        #expect(
            offered(filter.candidates(for: reading, in: store, among: try discovered())) == [
                "zurich used preselected", "aarau", "Bern refusing",
            ])
        #expect(
            AuthorizingApp.PersonalFilter(usage: [beta], refusing: [beta]).prefetch(into: AuthorizingApp.Store()) == nil
        )
    }

    @Test(.proves("UX-2")) func whatWasDeclinedIsOfferedAndWhatIsHiddenIsNot() throws {
        let filter = AuthorizingApp.PersonalFilter(usage: [alpha, beta, gamma], hiding: [gamma], declined: [beta])
        let candidates = filter.candidates(for: reading, in: AuthorizingApp.Store(), among: try discovered())
        #expect(offered(candidates) == ["Bern used declined", "zurich used preselected"])
        #expect(filter.prefetch(into: AuthorizingApp.Store()) == .services([alpha, beta]))
    }

    @Test(.proves("threat-14")) func aQueryIsNeverLongerThanTheDiscoveryTakes() throws {
        let usage = try (0..<DiscoveryQuery.lengthLimit + 5).map { try AppSample.url("https://s\($0).example.ch") }
        guard
            case .services(let asked)? = AuthorizingApp.PersonalFilter(usage: usage).prefetch(
                into: AuthorizingApp.Store())
        else {
            Issue.record("nothing is asked")
            return
        }
        #expect(asked.count == DiscoveryQuery.lengthLimit)
        #expect(asked == asked.sorted())
        var store = AuthorizingApp.Store()
        let first = try AppSample.service(try #require(asked.first).identity)
        try store.change { $0.cache([first]) }
        guard case .services(let later)? = AuthorizingApp.PersonalFilter(usage: usage).prefetch(into: store) else {
            Issue.record("nothing is asked")
            return
        }
        #expect(!later.contains(asked[0]), "what is cached waits for what is not")
    }

    @Test(.proves("threat-14")) func whatAPersonHidesIsBounded() throws {
        var parties = try Parties(seed: 1)
        let texts = (0..<1_024).map { "\"https://s\($0).example.ch/\"" }.joined(separator: ",")
        let setting = try AppSample.name("exceptions")
        try parties.session.store.change { $0.settings[setting] = "{\"hidden\":[\(texts)]}" }
        #expect(throws: Rejection.tooManyRows(limit: 1_024)) { try parties.perform(.hiding(alpha)) }
        try parties.perform(.showing(try AppSample.url("https://s7.example.ch")))
        try parties.perform(.hiding(alpha))
        #expect(parties.session.hiddenServices.count == 1_024 && parties.session.hiddenServices.contains(alpha))
    }

    @Test(.proves("DAT-2")) func aChoiceIsRecordedBesideEarlierOnes() throws {
        var store = AuthorizingApp.Store()
        let known = [
            try AppSample.service(AppSample.alpha, offering: [AppSample.reading, AppSample.writing]),
            try AppSample.service(AppSample.beta),
        ]
        let writing = try AppSample.names(AppSample.writing)
        try store.change { [alpha] contents in
            contents.cache(known)
            contents.protocols[alpha] = writing
        }
        var mode = AuthorizationMode(for: try AppSample.request(), isSignedIn: true)
        let found = AuthorizingApp.PersonalFilter(usage: nil).candidates(for: mode.request.protocols, in: store)
        try mode.note(
            .found(found + [AuthorizingApp.Candidate(gamma, named: "not cached", isUsed: false)]))
        guard case .finish(.accepted(let choice))? = try mode.take(.accept) else {
            Issue.record("\(mode.screen)")
            return
        }
        try store.change { $0.record(choice) }
        #expect(store.contents.protocols[alpha]?.map(\.text) == [AppSample.reading, AppSample.writing])
        #expect(store.contents.protocols[beta]?.map(\.text) == [AppSample.reading])
        #expect(store.contents.protocols.count == 2)
    }
}
