import TestSupport
import Testing
import TokenTree
import TokenTreeTesting
import Wire

@Suite("TOK: the laws of a store")
struct ConformanceTests {
    private func report(_ violations: [Violation]) -> Comment {
        Comment(rawValue: violations.map(\.description).joined(separator: "\n"))
    }

    @Test(.proves("TOK-1"), .proves("TOK-8")) func theTreeKeepsEveryLaw() {
        let violations = Conformance.violations(
            making: { DurableTree() },
            restarting: { store in
                var store = store
                store.restart()
                return store
            })
        #expect(violations.isEmpty, report(violations))
    }

    @Test func theModelKeepsEveryLaw() {
        let violations = Conformance.violations(making: { PlainStore() })
        #expect(violations.isEmpty, report(violations))
    }

    private func brokenLaws(_ make: @escaping () -> PlainStore) -> [String] {
        Conformance.violations(
            making: make,
            restarting: { store in
                store.restart()
                return store
            },
            except: [.bytes]
        ).map(\.law)
    }

    @Test func brokenStoresAreCaught() {
        #expect(brokenLaws({ CascadeStopsEarly() }).contains("nothing is inserted under a dead ground, however far up"))
        #expect(
            brokenLaws({ RefreshIgnoresAncestors() }).contains(
                "nothing is renewed once anything it stands on was revoked"))
        #expect(
            brokenLaws({ ForgetsWhatWasSeen() }) == [
                "what is remembered does not pass again before its time, also after a restart"
            ])
        #expect(brokenLaws({ AppliesByHalves() }).contains("a batch is applied wholly or not at all"))
        #expect(
            brokenLaws({ InsertsUnderTheDead() }).contains(
                "a child and its ground's end in one batch: the order decides, and nothing is left of a refused one"))
        #expect(
            brokenLaws({ ForgetsRevocations() }).contains("revocations, redemptions and renewals survive a restart"))
        #expect(
            brokenLaws({ PurgesTooEarly() }) == [
                "what is dead is purged after its time, and only that",
                "an assertion on a key goes when it is past and nothing stands on it any more",
            ])
        #expect(
            brokenLaws({ ForgetsMessages() }) == ["a message is kept until it is settled, once, and not sent again"])
    }

    @Test(.proves("STO-9"), arguments: HastyStore.Defect.allCases)
    func aShorterWayThatSaysSomethingElseIsCaught(defect: HastyStore.Defect) {
        let found = Conformance.violations(making: { HastyStore(defect) }, except: [.durability])
        let law =
            defect == .ignoresWithdrawals
            ? "a check of access knows of keys that were withdrawn"
            : "a check of access reads what the lineage says, and nothing of others"
        #expect(found.map(\.law).contains(law), report(found))
    }

    @Test func aStoreBehindAConnectionIsHeldAgainstTheSameLaws() async {
        let violations = await Conformance.violations(
            making: { Distant(store: DurableTree()) }, restarting: { await $0.restarted() })
        #expect(violations.isEmpty, report(violations))
        let found = await Conformance.violations(
            making: { Distant(store: AppliesByHalves()) }, restarting: { await $0.restarted() })
        #expect(found.map(\.law).contains("a batch is applied wholly or not at all"))
    }
}

/// A store that finds grants in a way of its own, and something else by it than what their lineages say.
struct HastyStore: TokenStore {
    private var tree = MemoryStore()
    private let defect: Defect

    init(_ defect: Defect) { self.defect = defect }

    enum Defect: CaseIterable, Sendable {
        /// Keys that were withdrawn are taken for good.
        case ignoresWithdrawals
        /// A grant is looked up without a look at the time.
        case ignoresTime
        /// The record alone is looked at, and nothing that it stands on.
        case ignoresGrounds
        /// Whoever is known by no name is somebody else.
        case invents
        /// What was found once is found again.
        case remembers
    }

    private final class Memory: @unchecked Sendable { var grants: [TokenID: Grant] = [:] }
    private let memory = Memory()

    func load(_ keys: [Facts.Key]) -> Facts { tree.load(keys) }

    func grant(of id: TokenID, at now: Timestamp) -> Grant? {
        guard let lineage = tree.lineage(of: id) else {
            return defect == .invents
                ? Lineage([entry(Record(id: id, kind: .lock, parent: nil, issued: now))]).map {
                    Grant($0, at: now)
                } : nil
        }
        switch defect {
        case .ignoresTime: return Grant(lineage, at: lineage.record.issued)
        case .invents: return Grant(lineage, at: now)
        case .ignoresGrounds:
            var record = lineage.record
            record = Record(
                id: record.id, kind: record.kind, parent: nil, issued: record.issued, holder: record.holder,
                subject: record.subject, scope: record.scope, boundKey: record.boundKey,
                accessExpiry: record.accessExpiry, refresh: record.refresh, attributes: record.attributes)
            return Lineage([Lineage.Entry(record: record, fate: lineage.entry.fate)]).map { Grant($0, at: now) }
        case .ignoresWithdrawals:
            return Lineage(
                lineage.entries.map { entry in
                    var record = entry.record
                    if record.kind == .versionKey { record.attributes = [:] }
                    return Lineage.Entry(record: record, fate: entry.fate)
                }
            ).map { Grant($0, at: now) }
        case .remembers:
            if let known = memory.grants[id] { return known }
            memory.grants[id] = Grant(lineage, at: now)
            return memory.grants[id]
        }
    }

    private func entry(_ record: Record) -> Lineage.Entry { Lineage.Entry(record: record, fate: Record.Fate()) }

    mutating func commit(_ batch: Batch) -> Batch.Outcome { tree.commit(batch) }

    mutating func purge(at now: Timestamp, keeping retention: Retention) -> Int {
        tree.purge(at: now, keeping: retention)
    }
}

/// A store whose answers take time.
actor Distant<Store: SimulatedStore>: AsyncTokenStore {
    private var store: Store

    init(store: sending Store) { self.store = store }

    func load(_ keys: [Facts.Key]) -> Facts { store.load(keys) }

    func commit(_ batch: Batch) -> Batch.Outcome { store.commit(batch) }

    func purge(at now: Timestamp, keeping retention: Retention) -> Int { store.purge(at: now, keeping: retention) }

    func restarted() -> Distant {
        store.restart()
        return self
    }
}
