public import TokenTree
internal import Wire

/// The laws that every store must keep, as scripts that are played to it.
///
/// ```swift
/// let violations = Conformance.violations(making: { MyStore(inMemory: true) }, restarting: { $0.reopened() })
/// ```
/// Nothing here depends on a test framework: what comes back is the list of laws that were broken, each with what was
/// expected and found.
public enum Conformance {
    /// Plays every law to a fresh store of its own.
    ///
    /// - Parameters:
    ///   - make: an empty store.
    ///   - restart: the store after a crash, made from nothing but what it had kept.
    ///   - categories: what the store does not promise.
    public static func violations<Store: TokenStore>(
        making make: () -> Store, restarting restart: (Store) -> Store = { $0 }, except categories: Set<Category> = []
    ) -> [Violation] {
        Law.all.compactMap { $0.part(except: categories) }.compactMap { law in
            var store = make()
            for (step, move) in law.script.enumerated() {
                let evidence: String?
                do throws(Store.Failure) {
                    switch move {
                    case .commit(let batch, let expected):
                        evidence = move.difference(try store.commit(batch), from: expected)
                    case .ask(let keys, let check): evidence = check(try store.load(keys))
                    case .check(let id, let time, _):
                        evidence = move.fault(
                            of: try store.grant(of: id, at: time), beside: try store.lineage(of: id))
                    case .purge(let now, let retention, let count):
                        evidence = move.difference(try store.purge(at: now, keeping: retention), from: count)
                    case .restart:
                        store = restart(store)
                        evidence = nil
                    }
                } catch {
                    evidence = "the store failed"
                }
                if let evidence { return Violation(law: law.name, clause: law.clause, step: step, evidence: evidence) }
            }
            return nil
        }
    }

    #if !hasFeature(Embedded)
    /// Plays every law to a fresh store of its own whose answers take time.
    ///
    /// - Parameters:
    ///   - make: an empty store.
    ///   - restart: the store after a crash, made from nothing but what it had kept.
    ///   - categories: what the store does not promise.
    public static func violations<Store: AsyncTokenStore>(
        making make: () async -> Store, restarting restart: (Store) async -> Store,
        except categories: Set<Category> = []
    ) async -> [Violation] {
        var violations: [Violation] = []
        for law in Law.all.compactMap({ $0.part(except: categories) }) {
            var store = await make()
            for (step, move) in law.script.enumerated() {
                let evidence: String?
                if case .restart = move {
                    store = await restart(store)
                    evidence = nil
                } else {
                    evidence = await move.wrong(with: store)
                }
                guard let evidence else { continue }
                violations.append(Violation(law: law.name, clause: law.clause, step: step, evidence: evidence))
                break
            }
        }
        return violations
    }

    /// Plays every law to two connections to the same data in turn, then lets both write at the same time.
    ///
    /// Whatever two of them do at once must have come of doing one after the other: what the store answered, and what
    /// it holds then, is compared with every order of that. Two connections may be two processes, or one store that two
    /// tasks share (STO-7).
    ///
    /// - Parameters:
    ///   - connect: two connections to one empty store; asked for each law, and for each round of a race.
    ///   - rounds: how often each race is run, because chance decides how they meet.
    ///   - categories: what the store does not promise.
    ///   - disturb: what befalls those who meet: it loses their connections, or starts their server anew. It is called
    ///     before each race, during it, and once more before it is asked what came of it.
    public static func violations<Store: AsyncTokenStore>(
        connecting connect: () async -> (Store, Store), rounds: Int = 8, except categories: Set<Category> = [],
        disturbing disturb: (@Sendable () async -> Void)? = nil
    ) async -> [Violation] {
        var violations: [Violation] = []
        for law in Law.all.compactMap({ $0.part(except: categories.union([.durability])) }) {
            let stores = await connect()
            for (step, move) in law.script.enumerated() {
                guard let evidence = await move.wrong(with: step % 2 == 0 ? stores.0 : stores.1) else { continue }
                violations.append(Violation(law: law.name, clause: law.clause, step: step, evidence: evidence))
                break
            }
        }
        for race in Race.all where race.categories.isDisjoint(with: categories) {
            var failures = 0
            for round in 0..<rounds {
                var (evidence, failed) = await race.run(
                    on: await connect(), round: round, disturbing: disturb)
                failures += failed ? 1 : 0
                if failures == rounds { evidence = "the store failed in every round" }
                guard let evidence else { continue }
                violations.append(Violation(law: race.name, clause: race.clause, step: round, evidence: evidence))
                break
            }
        }
        return violations
    }
    #endif
}

#if !hasFeature(Embedded)
extension Law.Move {
    /// What is wrong with a store's answer, if anything is.
    fileprivate func wrong<Store: AsyncTokenStore>(with store: Store) async -> String? {
        do throws(Store.Failure) {
            switch self {
            case .commit(let batch, let expected): return difference(try await store.commit(batch), from: expected)
            case .ask(let keys, let check): return check(try await store.load(keys))
            case .check(let id, let time, _):
                return fault(
                    of: try await store.grant(of: id, at: time), beside: try await store.lineage(of: id))
            case .purge(let now, let retention, let count):
                return difference(try await store.purge(at: now, keeping: retention), from: count)
            case .restart: return nil
            }
        } catch {
            return "the store failed"
        }
    }
}

extension Race {
    /// What a store must promise to be held against it.
    fileprivate var categories: Set<Conformance.Category> {
        var categories: Set<Conformance.Category> = [.races]
        for batch in ground { categories.formUnion(batch.categories) }
        for act in sessions.joined() + sequel {
            switch act {
            case .commit(let batch): categories.formUnion(batch.categories)
            case .load(let keys): categories.formUnion(keys.compactMap(\.category))
            case .purge: categories.insert(.purge)
            }
        }
        return categories.union(keys.compactMap(\.category))
    }
}
#endif

/// A law that a store broke, with what was expected of it and found.
public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// The law's name.
    public let law: String
    /// The requirement or threat behind it.
    public let clause: String
    /// The position in the law's script or in the history, or the round of a race.
    public let step: Int
    /// What was expected and found.
    public let evidence: String

    /// The law with the evidence and its place.
    public var description: String { "\(law) (\(clause)), step \(step): \(evidence)" }
}
