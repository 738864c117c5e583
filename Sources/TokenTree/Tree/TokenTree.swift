public import Wire

/// The reference store: all records in memory, as a value that applies batches and answers verdicts at once.
///
/// ```swift
/// var tree = TokenTree()
/// switch tree.commit(decision.batch) {
/// case .applied: send(decision.response)
/// case .conflict: decideAgain()
/// }
/// tree.verdict(of: id, at: now)
/// ```
/// A copy is cheap and stays as it is while the original goes on, so that a snapshot can be written in peace. To survive a restart, keep a
/// ``snapshot()`` and after it the journal lines of each commit; a ``Restoration`` reads both back.
public struct TokenTree: Sendable {
    var lives = Chunked<Life>()
    var particulars = Chunked<Particulars>()
    var refreshes = Chunked<Record.Refresh>()
    var names = Names()
    /// The slots of the records in force for a holder, by kind and holder.
    var occupants = HashIndex()
    var replays = ReplayMemory()
    var outbox = Outbox()
    /// By subject, in the order of first use.
    var visits: [UInt32: [ServiceUse]] = [:]

    /// What the store takes on before it refuses.
    public let limits: Limits

    /// The end of the hash chain over all applied batches; whoever keeps it elsewhere can tell whether history was rewritten.
    public internal(set) var head: Fingerprint

    /// An empty tree.
    public init(limits: Limits = Limits()) {
        self.limits = limits
        head = Self.genesis
    }

    /// Where every chain begins.
    static let genesis = Fingerprint(of: [UInt8]("swift-eduid token tree 1".utf8))

    /// How many records there are, dead ones included.
    public var count: Int { lives.count }

    /// Bounds of a store; every one is checked before the work it bounds is done.
    public struct Limits: Sendable, Hashable {
        /// The most records on one path from the root: six levels and the two codes between them.
        public let depth: Int
        /// The most records.
        public let records: Int
        /// The most bytes that the names and attributes of one record have together.
        public let recordBytes: Int
        /// The most keys that are remembered at a time.
        public let replayKeys: Int

        /// Bounds for one store; what is not given takes the default.
        public init(depth: Int = 8, records: Int = 1 << 26, recordBytes: Int = 1 << 15, replayKeys: Int = 1 << 20) {
            self.depth = depth
            // Slots and references have 32 bits, one run of the arena 16.
            self.records = min(records, 1 << 31)
            self.recordBytes = min(recordBytes, Arena.longestRun)
            self.replayKeys = replayKeys
        }
    }

    struct ServiceUse: Sendable {
        let service: UInt32
        var last: Timestamp
    }

    /// The slot of no record.
    static let none = Arena.none
}

// MARK: - Verdicts

extension TokenTree {
    /// Whether the token of this name may be used at a time, or the one reason why not.
    ///
    /// The cost depends on the number of grounds, not on the size of the tree.
    public func verdict(of id: TokenID, at now: Timestamp) -> Verdict {
        guard let slot = slot(of: id) else { return .unknown }
        return verdict(ofSlot: slot, at: now)
    }

    /// The record with all it stands on.
    public func lineage(of id: TokenID) -> Lineage? {
        slot(of: id).flatMap(lineage(ofSlot:))
    }

    /// The chain of grounds with the one reason, for people.
    public func explanation(of id: TokenID, at now: Timestamp) -> Explanation {
        lineage(of: id)?.explanation(at: now) ?? Explanation(verdict: .unknown, at: now, grounds: [])
    }
}

extension TokenTree {
    func slot(of id: TokenID) -> UInt32? {
        withBytes(of: id) { names.slot(of: $0) }
    }

    func verdict(ofSlot slot: UInt32, at now: Timestamp) -> Verdict {
        let judgement = judgement(ofSlot: slot, at: now)
        if !judgement.grantLives { return death(judgement) }
        let life = lives[Int(slot)]
        if life.marks.contains(.consumed) { return .consumed(at: particulars[Int(slot)].consumed) }
        if life.marks.contains(.hasAccess), now >= life.access {
            return id(ofSlot: slot).map { .expired(Verdict.Expiry(record: $0, at: life.access, ends: .access)) } ?? .unknown
        }
        return .live
    }

    /// Weighs a record and its grounds; ends because no record stands on itself.
    @inline(__always)
    func judgement(ofSlot slot: UInt32, at now: Timestamp) -> Judgement<UInt32> {
        var judgement = Judgement<UInt32>()
        var current = slot
        while current != Self.none {
            let life = lives[Int(current)]
            if life.marks.contains(.revoked) || life.marks.contains(.ends) && now >= life.end {
                judgement.weigh(
                    current, revoked: life.marks.contains(.revoked) ? life.revoked : nil, end: life.marks.contains(.ends) ? life.end : nil,
                    now: now)
            }
            current = life.parent
        }
        return judgement
    }

    /// The verdict for a judgement that found a reason.
    @inline(never)
    func death(_ judgement: Judgement<UInt32>) -> Verdict {
        if let revoked = judgement.revoked, let id = id(ofSlot: revoked.by) {
            return .revoked(by: id, at: revoked.at, reason: lives[Int(revoked.by)].reason)
        }
        if let ended = judgement.ended, let id = id(ofSlot: ended.by) {
            return .expired(Verdict.Expiry(record: id, at: ended.at, ends: .grant))
        }
        return .unknown
    }
}

// MARK: - Records

extension TokenTree {
    func id(ofSlot slot: UInt32) -> TokenID? {
        names.identifier(particulars[Int(slot)].id)
    }

    func lineage(ofSlot slot: UInt32) -> Lineage? {
        var entries: [Lineage.Entry] = []
        var current = slot
        while current != Self.none {
            guard let entry = entry(ofSlot: current) else { return nil }
            entries.append(entry)
            current = lives[Int(current)].parent
        }
        return Lineage(entries)
    }

    func entry(ofSlot slot: UInt32) -> Lineage.Entry? {
        let life = lives[Int(slot)]
        let more = particulars[Int(slot)]
        guard let id: TokenID = names.identifier(more.id) else { return nil }
        let record = Record(
            id: id,
            kind: life.kind,
            parent: life.parent == Self.none ? nil : self.id(ofSlot: life.parent),
            issued: more.issued,
            holder: names.identifier(more.holder),
            subject: names.identifier(more.subject),
            audience: names.identifier(more.audience),
            scope: names.identifier(more.scope),
            boundKey: names.identifier(more.boundKey),
            accessExpiry: life.marks.contains(.hasAccess) ? life.access : nil,
            finalExpiry: life.marks.contains(.hasFinal) ? more.final : nil,
            refresh: more.refresh == Self.none ? nil : refreshes[Int(more.refresh)],
            attributes: names.attributes(more.attributes)
        )
        let fate = Record.Fate(
            revocation: life.marks.contains(.revoked) ? Record.Revocation(at: life.revoked, reason: life.reason) : nil,
            consumed: life.marks.contains(.consumed) ? more.consumed : nil,
            lastUse: life.marks.contains(.used) ? more.used : nil
        )
        return Lineage.Entry(record: record, fate: fate)
    }

    /// The slot of the record in force for a holder.
    func occupant(of kind: Record.Kind, holder: Record.Holder) -> UInt32? {
        guard let reference = withBytes(of: holder, { names.find($0) }) else { return nil }
        return occupant(of: kind, holder: reference)
    }

    func occupant(of kind: Record.Kind, holder: UInt32) -> UInt32? {
        occupants.first(hash: Self.hash(kind, holder)) {
            lives[Int($0)].kind == kind && particulars[Int($0)].holder == holder
        }
    }

    static func hash(_ kind: Record.Kind, _ holder: UInt32) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(UInt64(kind.rawValue) << 32 | UInt64(holder))
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}
