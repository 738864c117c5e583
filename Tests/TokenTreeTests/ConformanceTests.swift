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
        #expect(brokenLaws({ PurgesTooEarly() }) == ["what is dead is purged after its time, and only that"])
        #expect(
            brokenLaws({ ForgetsMessages() }) == ["a message is kept until it is settled, once, and not sent again"])
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
