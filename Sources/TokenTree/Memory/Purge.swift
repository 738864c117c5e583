package import Wire

extension MemoryStore {
    /// A purge that goes on in slices, so that nobody waits long for one: how far it has come.
    ///
    /// ```swift
    /// var purge = MemoryStore.Purge(at: now, keeping: retention)
    /// while tree.advance(&purge, journal: &lines) { /* others have their turn */ }
    /// ```
    /// It walks from the newest record to the oldest, so that what stands on a record goes before it; then through the
    /// keys of versions, because an instance may have moved to one that is newer than itself. What of a record decides
    /// whether it goes is asked when it goes.
    package struct Purge: Sendable {
        /// By which time things are past.
        let time: Timestamp
        let retention: Retention
        let bounds: Bounds
        /// How many records went so far.
        package internal(set) var removed = 0
        var stage = Stage.start

        enum Stage {
            case start
            /// What lies before this slot comes next.
            case records(before: UInt32)
            case versionKeys(before: UInt32)
            case end
        }

        /// When the names of a slice's records have so many bytes, it ends.
        static let nameByteLimit = 1 << 15

        /// More bytes than the line of a slice has: the last name passes the limit by its length at most, and each byte
        /// may be escaped.
        package static let sliceByteLimit = 3 * (nameByteLimit + Record.lengthLimit)

        /// Whether nothing is left.
        var isOver: Bool { if case .end = stage { true } else { false } }

        /// What one slice does at most, so that it takes about a millisecond, and its line has a few thousand bytes.
        package struct Bounds: Sendable {
            let slots, records, keys, messages: Int

            /// So many slots are looked at, and so many records removed, keys forgotten and names of messages.
            package init(slots: Int = 4_096, records: Int = 128, keys: Int = 1_024, messages: Int = 128) {
                (self.slots, self.records, self.keys, self.messages) = (slots, records, keys, messages)
            }
        }

        /// A purge that has not begun.
        package init(at now: Timestamp, keeping retention: Retention, bounds: Bounds = Bounds()) {
            (time, self.retention, self.bounds) = (now, retention, bounds)
        }
    }

    /// What one slice of a purge forgets and removes, which is the same when its line is read back.
    struct PurgeSlice {
        /// How many keys.
        var keys = 0
        /// How many names of messages that arrived.
        var messages = 0
        /// Which records, what stands on others first.
        var records: [TokenID] = []

        var isEmpty: Bool { keys == 0 && messages == 0 && records.isEmpty }
    }
}

extension Contents {
    /// Takes the next slice of a purge.
    mutating func advance(_ purge: inout MemoryStore.Purge) -> MemoryStore.PurgeSlice {
        var slice = MemoryStore.PurgeSlice()
        switch purge.stage {
        case .start:
            slice.keys = replays.forget(purge.bounds.keys, at: purge.time)
            slice.messages = outbox.forget(
                purge.bounds.messages, settledBefore: purge.time - purge.retention.settled)
            if slice.isEmpty { purge.stage = .records(before: lives.end) }
        case .records(let slot):
            let next = remove(before: slot, purge, into: &slice) { $0 != .versionKey }
            purge.stage = next > 0 ? .records(before: next) : .versionKeys(before: lives.end)
        case .versionKeys(let slot):
            let next = remove(before: slot, purge, into: &slice) { $0 == .versionKey }
            purge.stage = next > 0 ? .versionKeys(before: next) : .end
        case .end: break
        }
        purge.removed += slice.records.count
        return slice
    }

    /// Removes what can go of some records before a slot, and says before which slot the next ones lie.
    private mutating func remove(
        before slot: UInt32, _ purge: MemoryStore.Purge, into slice: inout MemoryStore.PurgeSlice,
        where isMeant: (Record.Kind) -> Bool
    ) -> UInt32 {
        // The tree may have been built anew since the last slice, and have fewer slots.
        var slot = min(slot, lives.end)
        let end = slot - min(slot, UInt32(purge.bounds.slots))
        var nameByteCount = 0
        while slot > end, slice.records.count < purge.bounds.records,
            nameByteCount < MemoryStore.Purge.nameByteLimit
        {
            slot -= 1
            guard isMeant(lives[slot].kind), isRemovable(slot, at: purge.time, keeping: purge.retention),
                let id = id(ofSlot: slot)
            else { continue }
            remove(slot)
            nameByteCount += id.text.utf8.count
            slice.records.append(id)
        }
        return slot
    }

    /// Removes all that is dead and past any use, and builds the tree anew.
    mutating func removeDead(_ purge: inout MemoryStore.Purge) {
        while !purge.isOver { _ = advance(&purge) }
        if isWasteful { self = renewed() }
    }
}

// MARK: - Which records go

extension Contents {
    /// Whether a record is there that is dead and past any use, and nothing stands on it.
    func isRemovable(_ slot: UInt32, at now: Timestamp, keeping retention: Retention) -> Bool {
        !lives[slot].marks.contains(.removed) && particulars[slot].firstChild == Self.none
            && isPastUse(slot, at: now, keeping: retention) && !isAwaited(slot)
    }

    private func isPastUse(_ slot: UInt32, at now: Timestamp, keeping retention: Retention) -> Bool {
        let judgement = judgement(ofSlot: slot, at: now)
        if isUntold(slot, judgement) { return false }
        let ends = [judgement.revoked?.at, judgement.ended?.at, endOfPresentation(slot)]
        guard let death = ends.compactMap({ $0 }).min() else { return false }
        let life = lives[slot]
        if life.marks.contains(.revoked), life.reason == .barred { return false }
        if life.marks.contains(.hasAccess), now < particulars[slot].access { return false }
        return death + retention.explained <= now
    }

    /// When a code or assertion can no longer be presented: past that, it stays only for what stands on it (threat 75).
    ///
    /// An assertion on a sign-in stays as long as that: by it its service is told of the end.
    private func endOfPresentation(_ slot: UInt32) -> Timestamp? {
        let life = lives[slot]
        guard life.kind.isRedeemable, life.marks.contains(.hasAccess) else { return nil }
        let isToldOf = life.kind == .assertion && life.parent != Self.none && lives[life.parent].kind != .versionKey
        return isToldOf ? nil : particulars[slot].access
    }

    /// Whether a code or assertion can no longer be presented.
    func isLapsed(_ slot: UInt32, at now: Timestamp) -> Bool {
        lives[slot].marks.contains(.hasAccess) && particulars[slot].access <= now
    }

    /// Whether an assertion was ended with its ground and not taken back itself: nobody has told its service yet.
    private func isUntold(_ slot: UInt32, _ judgement: Judgement<UInt32>) -> Bool {
        let life = lives[slot]
        return life.kind == .assertion && life.parent != Self.none && judgement.revoked != nil
            && !life.marks.contains(.revoked)
    }

    /// Whether a message on its way is about the record or one that it stands on.
    private func isAwaited(_ slot: UInt32) -> Bool {
        outbox.isAboutRecords && grounds(of: slot) { slot in id(ofSlot: slot).map { outbox.isAbout($0) } ?? false }
    }
}

// MARK: - How they go

extension Contents {
    /// Removes a record on which nothing stands, in constant time.
    ///
    /// Its slot stays vacant, and among those of its subject, until the tree is built anew.
    mutating func remove(_ slot: UInt32) {
        if isOccupant(slot) { vacate(slot) }
        let parent = lives[slot].parent
        if parent != Self.none {
            var log = UndoLog()
            unhang(slot, from: parent, log: &log)
        }
        names.remove(id: particulars[slot].id)
        lives[slot].parent = Self.none
        lives[slot].marks = .removed
        particulars[slot].id = Names.none
        vacancies += 1
    }

    /// Removes these records, as a slice did before that is read back; what stands on others comes first.
    mutating func remove(
        _ ids: [TokenID], at now: Timestamp, keeping retention: Retention
    ) throws(Batch.Conflict) {
        for id in ids {
            guard let slot = slot(of: id) else { throw .unknown(id) }
            guard isRemovable(slot, at: now, keeping: retention) else { throw .inUse(id) }
            remove(slot)
        }
    }
}
