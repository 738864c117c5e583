internal import OAuth2Grants
internal import TokenTree
internal import Wire

/// The keys of holders who come again and again: each is read once, and prepared when it comes for the second time,
/// after which a check of its signatures takes a third of the time.
///
/// It is the host's, beside its store, and may be thrown away at any time: it knows keys and nothing about what is
/// alive. A record's key never changes, and one that is of another record, or of another holder, is not used.
public struct HolderKeys: Sendable {
    /// Two generations: when the young one is full it becomes the old one, and what was not asked for since is
    /// forgotten.
    private var young: [TokenID: Entry] = [:]
    private var old: [TokenID: Entry] = [:]
    private let capacity: Int

    private struct Entry: Sendable {
        let binding: Record.BoundKey
        let holder: Record.Holder?
        let key: Statement.BoundKey
        var isPrepared = false
    }

    /// Keeps so many keys at least, and twice as many at most; each takes about 7 KiB once it is prepared.
    public init(capacity: Int = 4_096) {
        self.capacity = max(capacity, 1)
    }

    /// How many keys are kept.
    public var count: Int { young.count + old.count }

    /// The key of a record, read or remembered; nothing where the record is bound to none.
    mutating func key(of record: Record, by authority: Authority) throws(Refusal) -> Statement.BoundKey? {
        guard let binding = record.boundKey else { return nil }
        if let known = young[record.id], known.binding == binding, known.holder == record.holder, known.isPrepared {
            return known.key
        }
        let known = young[record.id] ?? old.removeValue(forKey: record.id)
        if let known, known.binding == binding, known.holder == record.holder {
            let key = known.isPrepared ? known.key : known.key.prepared()
            keep(Entry(binding: binding, holder: record.holder, key: key, isPrepared: true), of: record.id)
            return key
        }
        guard let key = try authority.key(of: record) else { return nil }
        keep(Entry(binding: binding, holder: record.holder, key: key), of: record.id)
        return key
    }

    private mutating func keep(_ entry: Entry, of id: TokenID) {
        if young.count >= capacity, young[id] == nil { (old, young) = (young, [:]) }
        young[id] = entry
    }
}
