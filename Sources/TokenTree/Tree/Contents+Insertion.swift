internal import Wire

extension Contents {
    mutating func insert(_ record: Record, at now: Timestamp, log: inout UndoLog) throws(Breach) {
        let attributes = record.attributes.members.isEmpty ? [] : record.attributes.encoded()
        let size = record.nameByteCount + attributes.count
        guard size <= limits.recordBytes else { throw .tooLarge(record.id, limit: limits.recordBytes) }
        guard lives.count < limits.records, names.hasRoom(for: size) else { throw .full }
        if slot(of: record.id) != nil { throw .taken(record.id) }
        let parent = try ground(for: record, at: now)
        if let holder = record.holder, record.kind.isKnownByHolder,
            let occupant = occupant(of: record.kind, holder: holder),
            let id = id(ofSlot: occupant)
        {
            let life = lives[Int(occupant)]
            throw life.marks.contains(.revoked) && life.reason == .barred ? .barred(by: id) : .occupied(by: id)
        }
        add(record, Record.Fate(), parent: parent, attributes: attributes, log: &log)
    }

    /// The slot of the parent that bears the record, or none for a root.
    private func ground(for record: Record, at now: Timestamp) throws(Breach) -> UInt32 {
        guard let parent = record.parent else {
            guard record.kind.mayBeRoot else { throw .groundless(record.id, record.kind) }
            return Self.none
        }
        let slot = try living(parent, at: now)
        try checkGround(slot, for: record)
        return slot
    }

    /// Whether a record can stand there: on that kind, and not too deep.
    func checkGround(_ slot: UInt32, for record: Record) throws(Breach) {
        guard record.kind.mayStand(on: lives[Int(slot)].kind) else {
            throw .unfit(record.id, record.kind, on: lives[Int(slot)].kind)
        }
        let beyond = lives[Int(slot)].parent
        if lives[Int(slot)].kind == .code, beyond != Self.none, !record.kind.mayStand(on: lives[Int(beyond)].kind) {
            throw .unfit(record.id, record.kind, on: lives[Int(beyond)].kind)
        }
        var depth = 1
        var current = slot
        while current != Self.none {
            depth += 1
            guard depth <= limits.depth else { throw .tooDeep(record.id, limit: limits.depth) }
            current = lives[Int(current)].parent
        }
    }

    /// Adds a record whose conditions hold.
    mutating func add(_ record: Record, _ fate: Record.Fate, parent: UInt32, attributes: [UInt8], log: inout UndoLog) {
        let references = References(
            holder: intern(record.holder, log: &log), subject: intern(record.subject, log: &log),
            audience: intern(record.audience, log: &log), scope: intern(record.scope, log: &log),
            boundKey: intern(record.boundKey, log: &log),
            attributes: attributes.isEmpty ? Names.none : intern(attributes, log: &log))
        add(record, fate, parent: parent, references, log: &log)
    }

    /// Adds a record whose conditions hold and whose names are known; what the record itself says of them is not looked
    /// at.
    mutating func add(
        _ record: Record, _ fate: Record.Fate, parent: UInt32, _ references: References, log: inout UndoLog
    ) {
        let slot = UInt32(truncatingIfNeeded: lives.count)
        var marks: Life.Marks = []
        if fate.revocation != nil { marks.insert(.revoked) }
        if record.end != nil { marks.insert(.ends) }
        if record.accessExpiry != nil { marks.insert(.hasAccess) }
        if record.finalExpiry != nil { marks.insert(.hasFinal) }
        if fate.consumed != nil { marks.insert(.consumed) }
        if fate.lastUse != nil { marks.insert(.used) }
        if let refresh = record.refresh { refreshes.append(refresh) }
        lives.append(
            Life(
                end: record.end ?? .epoch, parent: parent, marks: marks, kind: record.kind,
                reason: fate.revocation?.reason ?? .surrendered))
        particulars.append(
            Particulars(
                issued: record.issued, id: names.insert(record.id, slot: slot),
                final: record.finalExpiry ?? .epoch, holder: references.holder,
                consumed: fate.consumed ?? .epoch, subject: references.subject,
                used: fate.lastUse ?? .epoch, audience: references.audience,
                scope: references.scope, boundKey: references.boundKey,
                access: record.accessExpiry ?? .epoch, attributes: references.attributes,
                revoked: fate.revocation?.at ?? .epoch,
                refresh: record.refresh == nil ? Self.none : UInt32(truncatingIfNeeded: refreshes.count - 1),
                firstChild: Self.none, next: Self.none, previous: Self.none, nextOfSubject: Self.none))
        log.append(.record)
        hang(slot, on: parent, log: &log)
        if references.subject != Names.none {
            let first = names.link(of: references.subject)
            log.append(.link(references.subject, first))
            particulars[Int(slot)].nextOfSubject = first
            names.setLink(of: references.subject, to: slot)
        }
        if occupies(slot) {
            log.append(.occupied(slot))
            occupy(slot)
        }
    }

    /// Whether a record is in force for its holder: not revoked, or barred.
    private func occupies(_ slot: UInt32) -> Bool {
        let life = lives[Int(slot)]
        return life.kind.isKnownByHolder && particulars[Int(slot)].holder != Names.none
            && (!life.marks.contains(.revoked) || life.reason == .barred)
    }

    mutating func intern(_ identifier: (some Identifier)?, log: inout UndoLog) -> UInt32 {
        guard let identifier else { return Names.none }
        let (reference, isNew) = names.intern([UInt8](identifier.text.utf8))
        if isNew { log.append(.text(reference)) }
        return reference
    }

    mutating func intern(_ text: [UInt8], log: inout UndoLog) -> UInt32 {
        let (reference, isNew) = names.intern(text)
        if isNew { log.append(.text(reference)) }
        return reference
    }

    /// Makes a record the first child of a parent.
    mutating func hang(_ slot: UInt32, on parent: UInt32, log: inout UndoLog) {
        guard parent != Self.none else { return }
        let sibling = particulars[Int(parent)].firstChild
        log.append(.particulars(parent, particulars[Int(parent)]))
        particulars[Int(parent)].firstChild = slot
        particulars[Int(slot)].next = sibling
        guard sibling != Self.none else { return }
        log.append(.particulars(sibling, particulars[Int(sibling)]))
        particulars[Int(sibling)].previous = slot
    }
}

/// The names in a record, as references.
struct References {
    var holder = Names.none
    var subject = Names.none
    var audience = Names.none
    var scope = Names.none
    var boundKey = Names.none
    var attributes = Names.none
}

extension Record {
    /// The bytes that the names in a record have together.
    var nameByteCount: Int {
        id.text.utf8.count + (holder?.text.utf8.count ?? 0) + (subject?.text.utf8.count ?? 0)
            + (audience?.text.utf8.count ?? 0)
            + (scope?.text.utf8.count ?? 0) + (boundKey?.text.utf8.count ?? 0)
    }
}
