internal import Wire

/// What a tree holds.
///
/// It cannot be copied by accident: a ``MemoryStore`` copies it on purpose, when it is shared and about to change.
///
/// What grows with the number of records lies in pieces, so that such a copy shares the pieces.
struct Contents: ~Copyable {
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
    let limits: MemoryStore.Limits
    var chain = HashChain()
    /// How many slots are vacant because a purge removed their records.
    var vacancies = 0
    /// Whether there may be texts that nothing refers to any more.
    var hasLitter = false
    /// When the tree was restored without proof that nothing is missing, if it was; what was issued before is good when
    /// it was confirmed since (threat 67).
    var unprovenBefore: Timestamp?
    /// When records were confirmed, by their slots: few ever are.
    var confirmations: [UInt32: Timestamp] = [:]

    struct ServiceUse: Sendable {
        let service: UInt32
        var last: Timestamp
    }

    /// How deep attributes may lie within each other; a journal's lines are read some steps deeper.
    static let attributeDepthLimit = 64

    /// The slot of no record.
    static let none = Arena.none

    func copy() -> Contents {
        Contents(
            lives: lives, particulars: particulars, refreshes: refreshes, names: names, occupants: occupants,
            replays: replays, outbox: outbox, visits: visits, limits: limits, chain: chain, vacancies: vacancies,
            hasLitter: hasLitter, unprovenBefore: unprovenBefore, confirmations: confirmations)
    }

    /// How many records there are.
    var count: Int { lives.count - vacancies }

    func slot(of id: TokenID) -> UInt32? {
        id.withSpan { names.slot(of: $0) }
    }

    func id(ofSlot slot: UInt32) -> TokenID? {
        names.identifier(particulars[slot].id)
    }

    /// The slot of the record in force for a holder.
    func occupant(of kind: Record.Kind, holder: Record.Holder) -> UInt32? {
        guard let reference = holder.withSpan({ names.find($0) }) else { return nil }
        return occupant(of: kind, holder: reference)
    }

    func occupant(of kind: Record.Kind, holder: UInt32) -> UInt32? {
        occupants.first(hash: Self.hash(kind, holder)) {
            lives[$0].kind == kind && particulars[$0].holder == holder
        }
    }

    static func hash(_ kind: Record.Kind, _ holder: UInt32) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(UInt64(kind.rawValue) << 32 | UInt64(holder))
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}

// MARK: - Verdicts

extension Contents {
    func verdict(of id: TokenID, at now: Timestamp) -> Verdict {
        guard let slot = slot(of: id) else { return .unknown }
        return verdict(ofSlot: slot, judgement(ofSlot: slot, at: now), at: now)
    }

    /// The verdict on a record whose grounds were weighed.
    @inline(__always)
    func verdict(ofSlot slot: UInt32, _ judgement: Judgement<UInt32>, at now: Timestamp) -> Verdict {
        if !judgement.grantLives { return death(judgement) }
        if let unprovenBefore, !isConfirmed(slot) { return .unconfirmed(before: unprovenBefore) }
        let life = lives[slot]
        if life.marks.contains(.consumed) { return .consumed(at: particulars[slot].consumed) }
        if life.marks.contains(.hasAccess), now >= particulars[slot].access {
            guard let id = self.id(ofSlot: slot) else { return .unknown }
            return .expired(by: id, at: particulars[slot].access, ends: .access)
        }
        return .live
    }

    /// Weighs a record and its grounds; ends because no record stands on itself.
    @inline(__always)
    func judgement(ofSlot slot: UInt32, at now: Timestamp) -> Judgement<UInt32> {
        var judgement = Judgement<UInt32>()
        var current = slot
        while current != Self.none {
            let life = lives[current]
            if life.marks.contains(.revoked) || life.marks.contains(.ends) && now >= life.end {
                judgement.weigh(
                    current, revoked: life.marks.contains(.revoked) ? particulars[current].revoked : nil,
                    end: life.marks.contains(.ends) ? life.end : nil, now: now)
            }
            current = life.parent
        }
        return judgement
    }

    /// Whether the record needs no confirmation, or it or one that it stands on has been issued or confirmed since.
    func isConfirmed(_ slot: UInt32) -> Bool {
        guard let unprovenBefore, lives[slot].kind != .versionKey else { return true }
        return grounds(of: slot) { ground in
            guard lives[ground].kind != .versionKey else { return false }
            if particulars[ground].issued >= unprovenBefore { return true }
            return confirmations[ground].map { $0 >= unprovenBefore } ?? false
        }
    }

    /// The verdict for a judgement that found a reason.
    @inline(never)
    func death(_ judgement: Judgement<UInt32>) -> Verdict {
        if let revoked = judgement.revoked, let id = id(ofSlot: revoked.by) {
            return .revoked(by: id, at: revoked.at, reason: lives[revoked.by].reason)
        }
        if let ended = judgement.ended, let id = id(ofSlot: ended.by) {
            return .expired(by: id, at: ended.at, ends: .grant)
        }
        return .unknown
    }
}

// MARK: - Records

extension Contents {
    func lineage(of id: TokenID) -> Lineage? { lineage(ofSlot: slot(of: id)) }

    func lineage(ofSlot slot: UInt32?) -> Lineage? {
        guard var current = slot, var id = id(ofSlot: current) else { return nil }
        var entries: [Lineage.Entry] = []
        entries.reserveCapacity(8)
        var common = CommonNames()
        while true {
            let ground = lives[current].parent
            let parent = ground == Self.none ? nil : self.id(ofSlot: ground)
            entries.append(entry(ofSlot: current, id, on: parent, &common))
            guard let parent else { break }
            (current, id) = (ground, parent)
        }
        return Lineage(walked: entries, unprovenBefore: unprovenBefore)
    }

    /// A record without its ground.
    func entry(ofSlot slot: UInt32) -> Lineage.Entry? {
        guard let id = id(ofSlot: slot) else { return nil }
        var common = CommonNames()
        return entry(ofSlot: slot, id, on: nil, &common)
    }

    /// What the records of a branch mostly have in common, so that its text is made once.
    private struct CommonNames {
        private var subject: (reference: UInt32, name: Record.Subject?) = (Contents.none, nil)
        private var audience: (reference: UInt32, name: Record.Audience?) = (Contents.none, nil)

        mutating func subject(_ reference: UInt32, in names: borrowing Names) -> Record.Subject? {
            if reference != subject.reference { subject = (reference, names.identifier(reference)) }
            return subject.name
        }

        mutating func audience(_ reference: UInt32, in names: borrowing Names) -> Record.Audience? {
            if reference != audience.reference { audience = (reference, names.identifier(reference)) }
            return audience.name
        }
    }

    private func entry(
        ofSlot slot: UInt32, _ id: TokenID, on parent: TokenID?, _ common: inout CommonNames
    ) -> Lineage.Entry {
        let life = lives[slot]
        let more = particulars[slot]
        let record = Record(
            id: id, kind: life.kind, parent: parent, issued: more.issued, holder: names.identifier(more.holder),
            subject: common.subject(more.subject, in: names), audience: common.audience(more.audience, in: names),
            scope: names.identifier(more.scope), boundKey: names.identifier(more.boundKey),
            accessExpiry: life.marks.contains(.hasAccess) ? more.access : nil,
            finalExpiry: life.marks.contains(.hasFinal) ? more.final : nil,
            refresh: more.refresh == Self.none ? nil : refreshes[more.refresh],
            attributes: names.attributes(more.attributes))
        return Lineage.Entry(record: record, fate: fate(ofSlot: slot))
    }

    func fate(ofSlot slot: UInt32) -> Record.Fate {
        let life = lives[slot]
        return Record.Fate(
            revocation: life.marks.contains(.revoked)
                ? Record.Revocation(at: particulars[slot].revoked, reason: life.reason) : nil,
            consumed: life.marks.contains(.consumed) ? particulars[slot].consumed : nil,
            lastUse: life.marks.contains(.used) ? particulars[slot].used : nil,
            confirmed: life.marks.contains(.confirmed) ? confirmations[slot] : nil)
    }
}
