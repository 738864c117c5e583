import TokenTree
import TokenTreeTesting
import Wire

// Stores with one defect each. Suite and simulation have to find every one of them, or they prove nothing.

/// Conditions do not look at the root: the cascade stops one level early.
final class CascadeStopsEarly: PlainStore {
    override func standing(of id: TokenID, at now: Timestamp) -> Verdict {
        let path = path(of: id)
        return verdict(of: path.count > 1 ? path.dropLast() : path, at: now)
    }
}

/// A renewal looks at the record alone.
final class RefreshIgnoresAncestors: PlainStore {
    override func renewable(_ id: TokenID, at now: Timestamp) -> Verdict {
        verdict(of: [id], at: now)
    }
}

/// What was seen is not written down.
final class ForgetsWhatWasSeen: PlainStore {
    override func restart() {
        remembered = [:]
    }
}

/// A refused batch leaves behind what came before the refusal.
final class AppliesByHalves: PlainStore {
    override func apply(_ batch: Batch) -> Batch.Outcome {
        for (index, change) in batch.changes.enumerated() {
            if case .conflict(let conflict, _) = super.apply(Batch(at: batch.at, [change])) {
                return .conflict(conflict, change: index)
            }
        }
        return .applied
    }
}

/// A child is inserted without a look at its parent's life.
final class InsertsUnderTheDead: PlainStore {
    override func standing(of id: TokenID, at now: Timestamp) -> Verdict {
        entries[id] == nil ? .unknown : .live
    }
}

/// Revocations are not written down.
final class ForgetsRevocations: PlainStore {
    override func restart() {
        for (id, entry) in entries {
            entries[id] = Lineage.Entry(
                record: entry.record, fate: Record.Fate(consumed: entry.fate.consumed, lastUse: entry.fate.lastUse))
        }
    }
}

/// What is dead goes at once.
final class PurgesTooEarly: PlainStore {
    override func purge(at now: Timestamp, keeping retention: Retention) -> Int {
        super.purge(at: now, keeping: Retention(explained: .zero, settled: .zero))
    }
}

/// Messages on their way are not written down.
final class ForgetsMessages: PlainStore {
    override func restart() {
        pending = [:]
    }
}
