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
    public static func violations<Store: TokenStore>(
        making make: () -> Store, restarting restart: (Store) -> Store = { $0 }
    ) -> [Violation] {
        Law.all.compactMap { law in
            var store = make()
            for (step, move) in law.script.enumerated() {
                let evidence: String?
                do throws(Store.Failure) {
                    switch move {
                    case .commit(let batch, let expected):
                        evidence = move.difference(try store.commit(batch), from: expected)
                    case .ask(let keys, let check): evidence = check(try store.load(keys))
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
    public static func violations<Store: AsyncTokenStore>(
        making make: () async -> Store, restarting restart: (Store) async -> Store
    ) async -> [Violation] {
        var violations: [Violation] = []
        for law in Law.all {
            var store = await make()
            for (step, move) in law.script.enumerated() {
                let evidence: String?
                do throws(Store.Failure) {
                    switch move {
                    case .commit(let batch, let expected):
                        evidence = move.difference(try await store.commit(batch), from: expected)
                    case .ask(let keys, let check): evidence = check(try await store.load(keys))
                    case .purge(let now, let retention, let count):
                        evidence = move.difference(try await store.purge(at: now, keeping: retention), from: count)
                    case .restart:
                        store = await restart(store)
                        evidence = nil
                    }
                } catch {
                    evidence = "the store failed"
                }
                guard let evidence else { continue }
                violations.append(Violation(law: law.name, clause: law.clause, step: step, evidence: evidence))
                break
            }
        }
        return violations
    }
    #endif
}

/// A law that a store broke, with what was expected of it and found.
public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// The law's name.
    public let law: String
    /// The requirement or threat behind it.
    public let clause: String
    /// The position in the law's script or in the history.
    public let step: Int
    /// What was expected and found.
    public let evidence: String

    /// The law with the evidence and its place.
    public var description: String { "\(law) (\(clause)), step \(step): \(evidence)" }
}
