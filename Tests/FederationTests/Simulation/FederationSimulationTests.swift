import FederationTesting
import TestSupport
import Testing
import Wire

/// Many histories are played by `eduid simulate`, in a release build; here it is about the simulation itself.
@Suite("Whole federations, simulated")
struct FederationSimulationTests {
    private static let simulation = Result {
        var size = FederationSimulation.Size()
        (size.services, size.phones, size.people, size.eduIDProcesses) = (1, 1, 2, 1)
        return try FederationSimulation(size)
    }

    private static func history(_ text: String) throws -> FederationSimulation.History {
        try #require(FederationSimulation.History(parsing: text))
    }

    @Test("A history is the text that describes it, in lines and in commas")
    func text() throws {
        let history = FederationSimulation.History(seed: 7, steps: 60)
        #expect(history.steps.count == 60)
        #expect(try Self.history(history.description) == history)
        #expect(try Self.history(history.steps.map(\.description).joined(separator: ",")) == history)
        for wrong in ["signin 0", "signIn a", "signIn 0 0\n-1"] {
            #expect(FederationSimulation.History(parsing: wrong) == nil)
        }
    }

    @Test("Many seeds reach every step, and each seed another history")
    func growth() {
        var verbs: Set<FederationSimulation.Step.Verb> = []
        var histories: Set<FederationSimulation.History> = []
        for seed in 0..<200 as Range<UInt64> {
            let history = FederationSimulation.History(seed: seed, steps: 40)
            verbs.formUnion(history.steps.map(\.verb))
            histories.insert(history)
        }
        #expect(verbs.count == FederationSimulation.Step.Verb.allCases.count && histories.count == 200)
    }

    @Test("What cannot happen in a federation of two people is not missed there")
    func unreached() {
        let (nothing, unknowing) = (FederationSimulation.Coverage(), "fault '\(FederationSimulation.Fault.unknowing)'")
        var size = FederationSimulation.Size()
        #expect(nothing.unreached(in: size).contains(unknowing))
        let possible = nothing.unreached(in: size).count
        size.people = 2
        #expect(!nothing.unreached(in: size).contains(unknowing) && nothing.unreached(in: size).count == possible - 1)
    }

    @Test("A history with faults keeps the laws, says what it reached, and is the same once more")
    func plays() throws {
        let simulation = try Self.simulation.get()
        let history = try Self.history(
            "signIn 0 0, ask 0 0 1 0, fault 1 0, use 0 0 0, fault 7 0, unlink 0 0, use 0 0 0")
        let played = simulation.play(history, seed: 3, telling: true)
        #expect(played.violation == nil)
        #expect(played.coverage.steps[.ask] == 1 && played.coverage.faults[.lostAnswer] == 1)
        #expect(played.coverage.unreached(in: .init()).contains("step block"))
        #expect(played.story.contains { $0.contains("an answer is lost") })
        let again = simulation.play(history, seed: 3)
        #expect(again.digest == played.digest && again.story.isEmpty)
        #expect(simulation.play(history, seed: 4).digest != played.digest)
    }

    @Test("People sign in with codes and at a provider, others cannot, and what the provider ends is over")
    func signIns() throws {
        var size = FederationSimulation.Size()
        (size.services, size.eduIDProcesses) = (1, 1)
        let simulation = try FederationSimulation(size)
        let history = try Self.history(
            """
            signIn 0 1 1, goOn 0 1, goOn 0 0, ask 0 0 1 0, use 0 0 0, signIn 1 2 1, goOn 1 0, goOn 1 0, goOn 1 0
            goOn 1 1, goOn 1 0, ask 1 0 1 0, use 1 0 0, disavow 2 1, wait 4000, launch 1, signIn 1 2 0, launch 1
            disavow 2 0, launch 1
            """)
        let played = simulation.play(history, seed: 3, telling: true)
        #expect(played.violation == nil)
        let story = played.story.joined(separator: "\n")
        // In the end everybody is signed out, and signs in once more.
        let steps = played.story.prefix { !$0.hasPrefix("the end: ") }
        #expect(steps.filter { $0.contains("person 1 is signed in") }.count == 1)
        #expect(story.ranges(of: "person 2 is signed in").count >= 2)
        #expect(played.coverage.refusals["FPA-10"] == 1 && (played.coverage.refusals["OIC-17"] ?? 0) > 0)
        #expect(story.contains("assertion") && story.contains("the edu-ID service has"))
    }

    @Test(
        "What histories found holds: seeds and their steps",
        arguments: [
            // A version is shut out, the store fails before anybody is told, and the phone moves to another version.
            (1641, "signIn 0 0 0, ask 0 1 5 0, fault 9 1, block 0, upgrade 0 1"),
            // A person ends a service while the extension answers an app from there.
            (500_559, "signIn 0 0 0, ask 0 0 7 0, fault 5 2, ask 0 1 7 0, unlink 0 1"),
            // A person is forgotten, and signs in again before the phone has noticed.
            (7_002_327, "signIn 0 0 0, ask 0 1 3 0, forget 0, signIn 0 0 0, ask 0 1 0 0"),
            // A phone is restored from a backup, and does not know who has signed in there since.
            (203_491, "signIn 0 0 0, backUp 0, signOut 0, fault 11 2, signIn 0 1 0, restore 0"),
            // An administrator is told that the store failed, and it has done what he wanted.
            (30_003_346, "signIn 1 0 0, lock 1, fault 10 0, unlock 1, signIn 0 1 0"),
            // An edu-ID service is restored without proof, and does not know whom it has introduced since.
            (5_241, "signIn 0 0 0, archive 0, ask 0 0 7 0, revert 0, use 0 0 0"),
            // A service has left, and the app still holds a token there.
            (1, "signIn 0 0 0, ask 0 0 7 0, publish 0 1 0, ask 0 1 7 0"),
            // An edu-ID service is restored twice without what was told it of a version.
            (9, "archive 0, discredit 0 0, revert 0, archive 0, discredit 0 0, revert 0, signIn 1 1 0"),
        ] as [(UInt64, String)])
    func found(_ seed: UInt64, _ steps: String) throws {
        let simulation = try FederationSimulation()
        #expect(simulation.play(try Self.history(steps), seed: seed).violation == nil)
    }

    @Test("What is granted on a phone whose clock is wrong can be used there")
    func clocks() throws {
        let simulation = try FederationSimulation()
        for direction in 0...1 {
            let clocks = (0...3).map { "clock \($0) 120 \(direction)" }.joined(separator: ", ")
            let history = try Self.history("signIn 0 0 0, \(clocks), ask 0 0 7 0, use 0 0 1")
            let played = simulation.play(history, seed: 1, telling: true)
            #expect(played.violation == nil)
            let steps = played.story.prefix { !$0.hasPrefix("the end: ") }
            let used = steps.last { $0.contains("GET https://s1.example.ch/api/reading") }
            #expect(used?.hasSuffix("-> 200") == true)
        }
    }

    @Test("Whoever sends astray, changes, forges and guesses comes to nothing, and is answered")
    func adversaries() throws {
        let simulation = try FederationSimulation()
        let history = try Self.history(
            """
            signIn 0 0 0, ask 0 0 7 0, use 0 0 0, misdeliver 0 2, misdeliver 1 0, misdeliver 2 0, misdeliver 3 1
            garble 0 1, garble 1 2, garble 2 3, garble 3 4, garble 4 5, garble 5 6
            forge 1 0, forge 2 1, forge 1 2, forge 1 3, forge 1 4, forge 0 9, flood 1 0 0, use 0 0 0, use 0 0 1
            """)
        let played = simulation.play(history, seed: 8, telling: true)
        #expect(played.violation == nil)
        let story = played.story.joined(separator: "\n")
        #expect(story.ranges(of: "refused: ").count > 60)
        // A proof for one place is none for another, a stranger ends nothing, and a forged logout has the wrong key.
        for answer in [
            "POST https://eduid.example.ch/backchannel-logout -> 400", "/introspect -> 200",
            "POST https://eduid.example.ch/global-token-revocation -> 40", "/oauth/global-token-revocation -> 40",
        ] {
            #expect(story.contains(answer), "\(answer)")
        }
        #expect(played.coverage.alive == 3)
    }

    @Test("Who lies in an answer is believed by nobody but for what is its own")
    func liars() throws {
        let simulation = try FederationSimulation()
        for seed in 0..<12 as Range<UInt64> {
            let history = try Self.history(
                "signIn 0 0 0, fault 12 \(seed % 3), ask 0 0 7 0, use 0 0 0, use 0 0 1, use 0 0 2, unlink 0 1, launch 0"
            )
            let played = simulation.play(history, seed: seed)
            #expect(played.violation == nil, "\(seed)")
            #expect(played.coverage.faults[.distorted] == 1, "\(seed)")
        }
    }

    @Test("Members and recent sign-ins: what is missing is said, and what was given to a member ends")
    func members() throws {
        var size = FederationSimulation.Size()
        size.eduIDProcesses = 1
        let simulation = try FederationSimulation(size)
        let history = try Self.history(
            """
            signIn 0 0 0, belong 0 0, ask 0 0 1 0, belong 0 1, ask 0 0 1 0, use 0 0 0, dismiss 0, tick 0, use 0 0 0
            wait 700000, ask 0 0 4 0, signIn 0 0 0, ask 0 0 4 0, signIn 1 2 0, ask 1 0 7 0, renounce 2, tick 0, use 1 0 1
            """)
        let played = simulation.play(history, seed: 8, telling: true)
        #expect(played.violation == nil)
        #expect(played.coverage.refusals["AFF-1"] == 1 && played.coverage.refusals["FPA-22"] == 1)
        #expect(played.story.contains { $0.contains("global-token-revocation -> 204") })
    }

    @Test("The example in the documentation runs")
    func example() throws {
        // example: a history of a seed
        let simulation = try FederationSimulation()
        let history = FederationSimulation.History(seed: 7, steps: 2)
        let played = simulation.play(history, seed: 7)
        if played.violation != nil, let failure = simulation.shrunk(history, seed: 7) { print(failure) }
        // end of example
        #expect(played.violation == nil)
    }

    @Test("What people remember: an end is of what there was, and not of what came after it")
    func ledger() {
        var ledger = Ledger()
        let first = ledger.holding(1, person: 0, service: 2, reader: 0, at: Timestamp(seconds: 0))
        #expect(ledger.end(of: first, by: .eduID) == nil && ledger.doubt(about: first) == nil)
        ledger.end(.session(1, person: 0), by: .eduID)
        #expect(ledger.end(of: first, by: .eduID) == .session(1, person: 0))
        #expect(ledger.end(of: first, by: .service(2)) == nil)
        let second = ledger.holding(1, person: 0, service: 2, reader: 0, at: Timestamp(seconds: 0))
        #expect(ledger.end(of: second, by: .eduID) == nil && ledger.doubt(about: second) == nil)
        #expect(
            ledger.end(of: ledger.holding(1, person: 1, service: 2, reader: 0, at: Timestamp(seconds: 0)), by: .eduID)
                == nil)
        ledger.doubt(.link(1, person: 0, service: 2))
        #expect(ledger.doubt(about: second) == .link(1, person: 0, service: 2))
        #expect(
            ledger.doubt(about: ledger.holding(1, person: 0, service: 2, reader: 0, at: Timestamp(seconds: 0))) == nil)
        ledger.distrust(.installation(1))
        #expect(
            ledger.doubt(about: ledger.holding(1, person: 0, service: 2, reader: 1, at: Timestamp(seconds: 0)))
                == .installation(1))
    }

    @Test("What people remember: what is being ended may be over, and it is no end before it is confirmed")
    func ledgerOfEndings() {
        var ledger = Ledger()
        func holding() -> Ledger.Holding {
            ledger.holding(1, person: 0, service: 2, reader: 0, at: Timestamp(seconds: 0))
        }
        let session = Ledger.Ground.session(1, person: 0)
        let first = holding()
        let link = ledger.beginEnding(session)
        let second = holding()
        for holding in [first, second] {
            #expect(ledger.doubt(about: holding) == session && ledger.end(of: holding, by: .eduID) == nil)
        }
        ledger.end(link, by: .eduID)
        #expect(ledger.end(of: first, by: .eduID) == session)
        #expect(ledger.doubt(about: holding()) == nil)
        // What the app keeps is in doubt for as long as it keeps that.
        let kept = Ledger.Ground.kept(1, person: 0)
        ledger.distrust(kept)
        ledger.renew(session)
        #expect(ledger.doubt(about: holding()) == kept)
        ledger.renew(kept)
        #expect(ledger.doubt(about: holding()) == nil)
    }

    @Test("What people remember: the app ends what an app got while it keeps that, and nothing from before")
    func ledgerOfApps() {
        var ledger = Ledger()
        func holding() -> Ledger.Holding {
            ledger.holding(1, person: 0, service: 2, reader: 0, at: Timestamp(seconds: 0))
        }
        func app() -> Ledger.Ground { ledger.app(1, person: 0, service: 2, reader: 0) }
        let before = holding()
        ledger.renew(.kept(1, person: 0))
        let (since, ground) = (holding(), app())
        ledger.end(ground, by: .service(2))
        #expect(ledger.end(of: since, by: .service(2)) == ground && ledger.end(of: before, by: .service(2)) == nil)
        #expect(ledger.end(of: holding(), by: .service(2)) == nil && app() == ground)
    }
}
