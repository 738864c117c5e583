internal import OAuth2Grants
internal import Synchronization
internal import TokenTree

/// The keys of holders who come again and again: each is read once, and prepared when it comes for the second time,
/// after which a check of its signatures takes a third of the time.
///
/// It may be emptied at any time, and no answer depends on it: it knows keys and nothing about what is alive. A
/// record's key never changes, and one that is of another record, or of another holder, is not used.
final class HolderKeys: Sendable {
    /// Two generations: when the young one is full it becomes the old one, and what was not asked for since is
    /// forgotten.
    private struct Generations: Sendable {
        var young: [TokenID: Entry] = [:]
        var old: [TokenID: Entry] = [:]
    }

    private struct Entry: Sendable {
        let binding: Record.BoundKey
        let holder: Record.Holder?
        let key: Statement.BoundKey
        let isPrepared: Bool

        func isOf(_ record: some Presentable) -> Bool { binding == record.boundKey && holder == record.holder }
    }

    private let capacity: Int
    private let generations = Mutex(Generations())

    /// Keeps so many keys at least, and twice as many at most; each takes about 7 KiB once it is prepared.
    init(capacity: Int) {
        self.capacity = max(capacity, 0)
    }

    /// How many keys are kept.
    var count: Int { generations.withLock { $0.young.count + $0.old.count } }

    /// The key of a record, remembered or read; `nil` if the record is bound to none.
    func key(
        of record: some Presentable, reading read: () throws(Refusal) -> Statement.BoundKey?
    ) throws(Refusal) -> Statement.BoundKey? {
        guard capacity > 0, let binding = record.boundKey else { return try read() }
        let (known, isYoung) = generations.withLock { generations in
            generations.young[record.id].map { ($0, true) } ?? (generations.old.removeValue(forKey: record.id), false)
        }
        if let known, known.isOf(record) {
            if isYoung, known.isPrepared { return known.key }
            // Prepared outside of the lock; two who do it at once do the same.
            let key = known.isPrepared ? known.key : known.key.prepared()
            keep(Entry(binding: binding, holder: record.holder, key: key, isPrepared: true), of: record.id)
            return key
        }
        guard let key = try read() else { return nil }
        keep(Entry(binding: binding, holder: record.holder, key: key, isPrepared: false), of: record.id)
        return key
    }

    private func keep(_ entry: Entry, of id: TokenID) {
        generations.withLock {
            if $0.young.count >= capacity, $0.young[id] == nil { $0 = Generations(old: $0.young) }
            $0.young[id] = entry
        }
    }
}
