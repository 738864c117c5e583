import FederationTesting
import Testing
import Wire

@Suite("Large federations, simulated")
struct LargeSimulationTests {
    private static func history(_ text: String) throws -> FederationSimulation.History {
        try #require(FederationSimulation.History(parsing: text))
    }

    @Test("A phone that nobody has touched is, when somebody comes, what it would have been")
    func untouched() throws {
        var size = FederationSimulation.Size()
        (size.services, size.phones, size.people, size.eduIDProcesses) = (1, 4, 2, 1)
        let simulation = try FederationSimulation(size)
        let rest = """
            signIn 2 0 0, expel 0, leave 0 0, block 0, unblock 0, signIn 0 0 0, ask 0 0 1 0, use 0 0 0, signIn 2 0 0
            ask 2 0 1 0, use 2 0 0, reinstall 2, lock 1, unlock 1, signIn 2 1 0, ask 2 1 1 0, use 2 1 0
            """
        // An app that has kept nothing is the same after it was killed.
        let touching = "kill 3, kill 1, kill 0, kill 2\n"
        let waiting = "wait 0, wait 0, wait 0, wait 0\n"
        let eager = simulation.play(try Self.history(touching + rest), seed: 11)
        let lazy = simulation.play(try Self.history(waiting + rest), seed: 11)
        #expect(eager.violation == nil && lazy.violation == nil)
        #expect(eager.digest == lazy.digest && eager.coverage.alive == lazy.coverage.alive)
        #expect(eager.coverage.refusals == lazy.coverage.refusals)
    }

    @Test("Of more services than there are bits, each bit stands for all that are counted around to it")
    func manyServices() throws {
        var size = FederationSimulation.Size()
        (size.services, size.phones, size.people, size.eduIDProcesses) = (62, 1, 1, 1)
        let history = try Self.history("signIn 0 0 0, ask 0 0 2 0, use 0 0 61")
        let played = try FederationSimulation(size).play(history, seed: 5, telling: true)
        #expect(played.violation == nil)
        #expect(played.story.contains { $0.contains("reader 0 got [1, 61]") || $0.contains("reader 0 got [61, 1]") })
    }

    @Test("Where there are very many phones and services, most things happen where somebody has come in")
    func growth() {
        var size = FederationSimulation.Size()
        (size.services, size.phones, size.people) = (800, 100_000, 50_000)
        let steps = FederationSimulation.History(seed: 3, steps: 2_000, size: size).steps
        let uses = steps.filter { $0.verb == .use }.compactMap(\.arguments.first)
        let visited = Set(steps.filter { $0.verb == .signIn }.compactMap(\.arguments.first))
        #expect(uses.count { visited.contains($0) } > uses.count / 2)
        #expect(steps.contains { ($0.arguments.first ?? 0) > 10_000 && $0.verb == .signIn })
        for ask in steps where ask.verb == .ask { #expect(ask.arguments[2].nonzeroBitCount == 1) }
    }

    @Test("Steps are spread over as many days as one says, and are the same steps", arguments: [1, 30, 365])
    func days(_ days: Int) throws {
        let given = FederationSimulation.History(seed: 4, steps: 3_000).steps
        let spread = FederationSimulation.History(seed: 4, steps: 3_000, days: days).steps
        #expect(given.map(\.verb) == spread.map(\.verb))
        let waits = spread.filter { $0.verb == .wait }.compactMap(\.arguments.first)
        let sum = waits.reduce(0, +)
        // Each is cut to whole seconds.
        #expect(sum <= days * 86_400 && sum > days * 86_400 - waits.count)
        for (one, other) in zip(given, spread) where one.verb != .wait { #expect(one == other) }
        let played = try FederationSimulation().play(.init(seed: 4, steps: 30, days: days), seed: 4)
        #expect(played.violation == nil && played.coverage.time >= .seconds(days * 86_400 - 30))
    }

    @Test("Of services of several kinds a reader finds those of the kind that it asks for")
    func kinds() throws {
        var size = FederationSimulation.Size()
        (size.services, size.phones, size.people, size.eduIDProcesses) = (82, 1, 1, 1)
        let history = try Self.history("signIn 0 0 0, ask 0 0 0 0 1, ask 0 1 1 0 0, use 0 0 0, use 0 1 0")
        let played = try FederationSimulation(size).play(history, seed: 5, telling: true)
        #expect(played.violation == nil)
        let story = played.story.joined(separator: "\n")
        #expect(story.contains("reader 0 got [80, 81]") || story.contains("reader 0 got [81, 80]"))
        #expect(story.contains("reader 1 got [0, 60]") || story.contains("reader 1 got [60, 0]"))
        #expect(
            story.contains("s80.example.ch/api/reading -> 200") && story.contains("s0.example.ch/api/reading -> 200"))
    }

    @Test(
        "What ends at all copies at once has ended at each, also for whoever comes to one of them later",
        arguments: 0..<60 as Range<UInt64>)
    func everywhere(_ seed: UInt64) {
        var twin = Twin(seed: seed)
        for _ in 0..<80 {
            twin.step()
            for visit in twin.visits {
                let (of, each) = twin.holdings(visit)
                for witness in [Ledger.Witness.eduID, .service(visit.service)] {
                    #expect(twin.one.end(of: of, by: witness) == twin.each.end(of: each, by: witness))
                }
                #expect(twin.one.doubt(about: of) == twin.each.doubt(about: each))
            }
        }
    }
}

/// The same things in two ledgers: one notes what happens to all copies once, the other one for each copy.
private struct Twin {
    struct Visit: Hashable {
        let copy: Int
        let person: Int
        let service: Int
    }

    private static let originals = 4
    var one = Ledger(copies: originals)
    var each = Ledger()
    private(set) var visits: Set<Visit> = []
    private var copies = originals
    private var touched: Set<Int> = []
    private var chance: SimulatedFederation.Entropy

    init(seed: UInt64) { chance = SimulatedFederation.Entropy(seed: seed) }

    private mutating func below(_ bound: Int) -> Int { Int(chance.next() % UInt64(bound)) }

    mutating func step() {
        let (copy, person, service) = (1 + below(copies), below(2), below(2))
        switch below(7) {
        case 0, 1: comeIn(copy, person)
        case 2: end(one.everywhere(of: person), (1...copies).map { .session($0, person: person) })
        case 3:
            end(
                one.everywhere(of: person, at: service),
                (1...copies).map { .link($0, person: person, service: service) })
        case 4:
            let known = touched.map { Ledger.Ground.installation($0) }
            let later =
                copies > Self.originals ? (Self.originals + 1...copies).map { Ledger.Ground.installation($0) } : []
            end(known + [.installation(Ledger.elsewhere)] + later, (1...copies).map { .installation($0) })
        case 5:
            guard
                let visit = visits.sorted(by: { ($0.copy, $0.person, $0.service) < ($1.copy, $1.person, $1.service) })
                    .dropFirst(below(visits.count + 1)).first
            else { return }
            let ground = Ledger.Ground.link(visit.copy, person: visit.person, service: visit.service)
            one.end(ground, by: .service(visit.service))
            each.end(ground, by: .service(visit.service))
        default: copies = one.addCopy()
        }
    }

    private mutating func comeIn(_ copy: Int, _ person: Int) {
        if copy <= Self.originals, touched.insert(copy).inserted { one.takeUp(copy) }
        one.visit(copy, by: person)
        one.doubt(.session(copy, person: person))
        each.doubt(.session(copy, person: person))
        for service in 0..<2 { visits.insert(Visit(copy: copy, person: person, service: service)) }
    }

    private mutating func end(_ general: [Ledger.Ground], _ all: [Ledger.Ground]) {
        let isConfirmed = below(3) > 0
        Self.end(general, isConfirmed, in: &one)
        Self.end(all, isConfirmed, in: &each)
    }

    private static func end(_ grounds: [Ledger.Ground], _ isConfirmed: Bool, in ledger: inout Ledger) {
        for ground in grounds {
            if isConfirmed {
                ledger.end(ground, by: .eduID)
                ledger.distrust(ground)
            } else {
                ledger.doubt(ground)
            }
        }
    }

    /// What an app would get now by a visit.
    func holdings(_ visit: Visit) -> (one: Ledger.Holding, each: Ledger.Holding) {
        var (one, each) = (one, each)
        func get(_ ledger: inout Ledger) -> Ledger.Holding {
            ledger.holding(
                visit.copy, person: visit.person, service: visit.service, reader: 0, at: Timestamp(seconds: 0))
        }
        return (get(&one), get(&each))
    }
}
