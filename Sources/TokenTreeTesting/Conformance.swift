public import TokenTree
internal import Wire

/// The laws that every store must keep, as scripts that are played to it.
///
/// ```swift
/// let breaches = Conformance.breaches(making: { MyStore(inMemory: true) }, restarting: { $0.reopened() })
/// ```
/// Nothing here depends on a test framework: what comes back is the list of laws that were broken, each with what was
/// expected and found.
public enum Conformance {
    /// A law that a store broke.
    public struct Breach: Sendable, Hashable, CustomStringConvertible {
        /// The law's name.
        public let law: String
        /// The requirement or threat behind it.
        public let clause: String
        /// The position in the law's script.
        public let step: Int
        /// What was expected and found.
        public let evidence: String

        /// The law with the evidence.
        public var description: String { "\(law) (\(clause)), step \(step): \(evidence)" }
    }

    /// Plays every law to a fresh store of its own.
    ///
    /// - Parameters:
    ///   - make: an empty store.
    ///   - restart: the store after a crash, made from nothing but what it had kept.
    public static func breaches<Store: TokenStore>(
        making make: () -> Store, restarting restart: (Store) -> Store = { $0 }
    ) -> [Breach] {
        Law.all.compactMap { law in
            var store = make()
            for (step, move) in law.script.enumerated() {
                let evidence: String?
                do throws(Store.Failure) {
                    switch move {
                    case .commit(let batch, let expected):
                        evidence = Law.difference(of: try store.commit(batch), to: batch, from: expected)
                    case .ask(let keys, let check):
                        evidence = check(try store.load(keys))
                    case .purge(let now, let retention, let expected):
                        let count = try store.purge(at: now, keeping: retention)
                        evidence = count == expected ? nil : "\(count) records purged, expected \(expected)"
                    case .restart:
                        store = restart(store)
                        evidence = nil
                    }
                } catch {
                    evidence = "the store failed"
                }
                if let evidence { return Breach(law: law.name, clause: law.clause, step: step, evidence: evidence) }
            }
            return nil
        }
    }
}

#if !hasFeature(Embedded)
extension Conformance {
    /// Plays every law to a fresh store of its own whose answers take time.
    public static func breaches<Store: AsyncTokenStore>(
        making make: () async -> Store, restarting restart: (Store) async -> Store
    ) async -> [Breach] {
        var breaches: [Breach] = []
        laws: for law in Law.all {
            var store = await make()
            for (step, move) in law.script.enumerated() {
                let evidence: String?
                do throws(Store.Failure) {
                    switch move {
                    case .commit(let batch, let expected):
                        evidence = Law.difference(of: try await store.commit(batch), to: batch, from: expected)
                    case .ask(let keys, let check):
                        evidence = check(try await store.load(keys))
                    case .purge(let now, let retention, let expected):
                        let count = try await store.purge(at: now, keeping: retention)
                        evidence = count == expected ? nil : "\(count) records purged, expected \(expected)"
                    case .restart:
                        store = await restart(store)
                        evidence = nil
                    }
                } catch {
                    evidence = "the store failed"
                }
                if let evidence {
                    breaches.append(Breach(law: law.name, clause: law.clause, step: step, evidence: evidence))
                    continue laws
                }
            }
        }
        return breaches
    }
}
#endif

/// One law: a script, and what has to come of each move.
struct Law {
    let name: String
    let clause: String
    let script: [Move]

    enum Move {
        case commit(Batch, Batch.Outcome)
        case ask([Facts.Key], (Facts) -> String?)
        case purge(Timestamp, Retention, removing: Int)
        case restart
    }

    /// What is wrong with an outcome of a batch, if anything is.
    static func difference(of outcome: Batch.Outcome, to batch: Batch, from expected: Batch.Outcome) -> String? {
        outcome == expected ? nil : "\(batch): expected \(expected), found \(outcome)"
    }

    init(_ name: String, _ clause: String, _ script: [Move]) {
        self.name = name
        self.clause = clause
        self.script = script
    }

    static var all: [Law] { treeLaws + grantLaws + namedLaws + durabilityLaws + listLaws }
}
