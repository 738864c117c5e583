import Federation
import FederationTesting
import Foundation
import TokenTree
import Wire

/// A user with 260,000 introductions signs out: what that costs, how every service is told afterwards, and whether what
/// was written down can be read back (threat 59).
enum Logout {
    private static let introductions = 260_000

    /// Plays it; the exit status.
    static func run(_ say: (String) -> Void) throws -> Int32 {
        var parties = try Parties(seed: 3)
        try parties.signIn()
        let (service, now, user) = (parties.federation.eduID, parties.federation.now, parties.person.subject)
        var store = JournaledStore(tree: parties.federation.eduIDStore)
        try introduce(user, in: &store.tree, at: now)
        let snapshot = [[UInt8]](store.tree.snapshot())
        let records = store.tree.count

        var unfinished: AuditRecord?
        var entropy = parties.federation.entropy
        let begin = clock()
        let response = store.carryOut(
            { service.exchange(for: .signOut(user), at: now, using: &entropy) }, hear: { unfinished = $0 })
        let signedOut = clock()
        var upkeep = Upkeep()
        upkeep.messagesAtOnce = 0
        if let unfinished { upkeep.takeUp(unfinished) }
        var ticks = 0
        while store.changes < 2 * introductions, ticks < introductions {
            _ = upkeep.tick(for: service, in: &store, at: now, using: &entropy) { _ in nil }
            ticks += 1
        }
        let told = clock()
        var restoration = MemoryStore.Restoration()
        for piece in snapshot { try restoration.read(piece) }
        try restoration.read(store.journal)
        let restored = try restoration.finish(expecting: store.tree.head).tree
        let end = clock()

        func milliseconds(_ from: clock_t, _ to: clock_t) -> Int { Int(to - from) * 1_000 / Int(CLOCKS_PER_SEC) }
        say("\(introductions) introductions among \(records) records\n")
        say("signed out: \(milliseconds(begin, signedOut)) ms of CPU time\n")
        say("\(ticks) ticks until every service has its message: \(milliseconds(signedOut, told)) ms\n")
        say("journal of \(store.journal.count >> 20) MiB, batches of \(store.longest) changes at most\n")
        say("restored: \(milliseconds(told, end)) ms\n")
        let isSound =
            response.status == .noContent && restored.head == store.tree.head
            && restored.count == records && store.changes >= 2 * introductions
        if !isSound { say("The user is not signed out, or somebody is not told, or it cannot be read back.\n") }
        return isSound && milliseconds(begin, signedOut) < 1_000 ? EXIT_SUCCESS : EXIT_FAILURE
    }

    private static func introduce(_ user: Record.Subject, in tree: inout MemoryStore, at now: Timestamp) throws {
        let selection = Facts.Selection.subject(user, .personal)
        let page = tree.load([.records(selection, after: nil, limit: 1)]).page(of: selection, limit: 1)
        guard let ground = page?.lineages.first?.record else { throw SimulationError() }
        for start in stride(from: 0, to: introductions, by: 4_000) {
            let changes = try (start..<start + 4_000).map { number in
                Change.insert(
                    Record(
                        id: try TokenID(parsing: "assertion-\(number)"), kind: .assertion, parent: ground.id,
                        issued: now, holder: ground.holder, subject: user,
                        audience: try Record.Audience(parsing: "https://service-\(number % 1_000).example.ch/"),
                        accessExpiry: now + .seconds(300)))
            }
            guard tree.commit(Batch(at: now, changes)) == .applied else { throw SimulationError() }
        }
    }

    /// A store that is written down.
    private struct JournaledStore: TokenStore {
        var tree: MemoryStore
        var journal: [UInt8] = []
        /// How many changes there were, and the most in one batch.
        var changes = 0
        var longest = 0

        func load(_ keys: [Facts.Key]) -> Facts { tree.load(keys) }
        mutating func commit(_ batch: Batch) -> Batch.Outcome {
            changes += batch.changes.count
            longest = max(longest, batch.changes.count)
            return tree.commit(batch, journal: &journal)
        }
        mutating func purge(at now: Timestamp, keeping retention: Retention) -> Int { 0 }
    }
}
