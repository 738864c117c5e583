internal import Wire

extension Contents {
    mutating func insert(_ record: Record, at now: Timestamp, log: inout UndoLog) throws(Batch.Conflict) {
        let attributes = record.attributes.stored
        let size = record.nameByteCount + attributes.count
        guard size <= limits.recordBytes else { throw .tooLarge(record.id, limit: limits.recordBytes) }
        try checkDepth(of: record.attributes, in: record.id)
        guard lives.count < limits.records, names.arena.hasRoom(for: size) else { throw .full }
        if slot(of: record.id) != nil { throw .taken(record.id) }
        let parent = try ground(for: record, at: now)
        if let holder = record.holder, record.kind.isKnownByHolder,
            let occupant = occupant(of: record.kind, holder: holder), let id = id(ofSlot: occupant)
        {
            let life = lives[occupant]
            throw life.marks.contains(.revoked) && life.reason == .barred ? .barred(by: id) : .occupied(by: id)
        }
        try checkUnlocked(record)
        add(record, Record.Fate(), parent: parent, attributes: attributes, log: &log)
    }

    /// Refuses what is issued to or about whom a lock shuts out; a lock itself need only be the only one of its name.
    private func checkUnlocked(_ record: Record) throws(Batch.Conflict) {
        guard record.kind != .lock else { return }
        try checkUnlocked(
            [record.subject?.withSpan { names.find($0) }, record.holder?.withSpan { names.find($0) }].map {
                ($0 ?? nil) ?? Names.none
            })
    }

    /// Refuses what would be given to one of these names while a lock shuts it out.
    func checkUnlocked(_ names: [UInt32]) throws(Batch.Conflict) {
        for name in names where name != Names.none {
            if let slot = occupant(of: .lock, holder: name), let id = id(ofSlot: slot) { throw .locked(by: id) }
        }
    }

    /// What a reader of the journal takes apart again must not be deeper than it goes.
    func checkDepth(of attributes: JSON.Object, in id: TokenID) throws(Batch.Conflict) {
        let limit = Self.attributeDepthLimit
        guard !JSON.object(attributes).isDeeper(than: limit) else { throw .tooNested(id, limit: limit) }
    }

    /// The slot of the parent that bears the record, or none for a root.
    private func ground(for record: Record, at now: Timestamp) throws(Batch.Conflict) -> UInt32 {
        guard let parent = record.parent else {
            guard record.kind.mayBeRoot else { throw .groundless(record.id, record.kind) }
            return Self.none
        }
        let slot = try living(parent, at: now)
        try checkGround(slot, for: record)
        // What a sign-in makes may stand on what nobody has confirmed, and confirms itself.
        let isSignIn = record.kind == .client || record.kind == .personal || lives[slot].kind == .client
        if !isSignIn { try checkConfirmed(slot, parent) }
        return slot
    }

    /// Whether a record can stand there: on that kind, and not too deep.
    func checkGround(_ slot: UInt32, for record: Record) throws(Batch.Conflict) {
        let ground = lives[slot]
        guard record.kind.mayStand(on: ground.kind) else { throw .unfit(record.id, record.kind, on: ground.kind) }
        if ground.kind == .code, ground.parent != Self.none {
            let beyond = lives[ground.parent].kind
            guard record.kind.mayStand(on: beyond) else { throw .unfit(record.id, record.kind, on: beyond) }
        }
        var depth = 1
        let isTooDeep = grounds(of: slot) { _ in
            depth += 1
            return depth > limits.depth
        }
        if isTooDeep { throw .tooDeep(record.id, limit: limits.depth) }
    }

    /// Adds a record whose conditions hold.
    mutating func add(
        _ record: Record, _ fate: Record.Fate, parent: UInt32, attributes: [UInt8], log: inout UndoLog
    ) {
        let references = References(
            holder: intern(record.holder, log: &log), subject: intern(record.subject, log: &log),
            audience: intern(record.audience, log: &log), scope: intern(record.scope, log: &log),
            boundKey: intern(record.boundKey, log: &log), attributes: intern(attributes.span, log: &log))
        add(record, fate, parent: parent, references, log: &log)
    }

    /// Adds a record whose conditions hold and whose names are known; what the record itself says of them is not looked
    /// at.
    mutating func add(
        _ record: Record, _ fate: Record.Fate, parent: UInt32, _ references: References, log: inout UndoLog
    ) {
        let slot = lives.end
        var marks: Life.Marks = []
        if fate.revocation != nil { marks.insert(.revoked) }
        if record.end != nil { marks.insert(.ends) }
        if record.accessExpiry != nil { marks.insert(.hasAccess) }
        if record.finalExpiry != nil { marks.insert(.hasFinal) }
        if fate.consumed != nil { marks.insert(.consumed) }
        if fate.lastUse != nil { marks.insert(.used) }
        if let confirmed = fate.confirmed {
            marks.insert(.confirmed)
            confirmations[slot] = confirmed
        }
        let refresh = record.refresh == nil ? Self.none : refreshes.end
        if let refresh = record.refresh { refreshes.append(refresh) }
        lives.append(
            Life(
                end: record.end ?? .epoch, parent: parent, marks: marks, kind: record.kind,
                reason: fate.revocation?.reason ?? .surrendered))
        particulars.append(
            Particulars(
                issued: record.issued, id: record.id.withSpan { names.insert($0, slot: slot) },
                final: record.finalExpiry ?? .epoch, holder: references.holder, consumed: fate.consumed ?? .epoch,
                subject: references.subject, used: fate.lastUse ?? .epoch, audience: references.audience,
                scope: references.scope, boundKey: references.boundKey, access: record.accessExpiry ?? .epoch,
                attributes: references.attributes, revoked: fate.revocation?.at ?? .epoch, refresh: refresh))
        log.append(.record)
        hang(slot, on: parent, log: &log)
        enter(slot, log: &log)
    }

    /// Lets a record be found by its subject, and by the holder for whom it is in force.
    mutating func enter(_ slot: UInt32, log: inout UndoLog) {
        let subject = particulars[slot].subject
        if subject != Names.none {
            let first = names.arena.link(of: subject)
            log.append(.link(subject, first))
            particulars[slot].nextOfSubject = first
            names.arena.setLink(of: subject, to: slot)
        }
        if isOccupant(slot) {
            log.append(.occupied(slot))
            occupy(slot)
        }
    }

    /// Whether a record is in force for a holder: it was not revoked, or it was barred.
    func isOccupant(_ slot: UInt32) -> Bool {
        let life = lives[slot]
        return life.kind.isKnownByHolder && particulars[slot].holder != Names.none
            && (!life.marks.contains(.revoked) || life.reason == .barred)
    }

    mutating func intern<Kind>(_ identifier: Identifier<Kind>?, log: inout UndoLog) -> UInt32 {
        identifier?.withSpan { intern($0, log: &log) } ?? Names.none
    }

    /// The reference of a text; none for the empty one.
    mutating func intern(_ text: Span<UInt8>, log: inout UndoLog) -> UInt32 {
        guard !text.isEmpty else { return Names.none }
        let (reference, isNew) = names.intern(text)
        if isNew { log.append(.text(reference)) }
        return reference
    }

    /// Makes a record the first child of a parent.
    mutating func hang(_ slot: UInt32, on parent: UInt32, log: inout UndoLog) {
        guard parent != Self.none else { return }
        let sibling = particulars[parent].firstChild
        amend(parent, log: &log) { $0.firstChild = slot }
        particulars[slot].next = sibling
        if sibling != Self.none { amend(sibling, log: &log) { $0.previous = slot } }
    }

    /// Takes a record from among its siblings.
    mutating func unhang(_ slot: UInt32, from parent: UInt32, log: inout UndoLog) {
        let (previous, next) = (particulars[slot].previous, particulars[slot].next)
        if previous == Self.none {
            amend(parent, log: &log) { $0.firstChild = next }
        } else {
            amend(previous, log: &log) { $0.next = next }
        }
        if next != Self.none { amend(next, log: &log) { $0.previous = previous } }
        amend(slot, log: &log) { $0.previous = Self.none }
    }
}

/// The names in a record, as references.
struct References {
    let holder, subject, audience, scope, boundKey, attributes: UInt32
}

extension Record {
    /// The bytes that the names in a record have together.
    fileprivate var nameByteCount: Int {
        id.text.utf8.count + (holder?.text.utf8.count ?? 0) + (subject?.text.utf8.count ?? 0)
            + (audience?.text.utf8.count ?? 0) + (scope?.text.utf8.count ?? 0) + (boundKey?.text.utf8.count ?? 0)
    }
}

extension JSON {
    /// Whether arrays and objects lie deeper within each other; looks no further than that.
    func isDeeper(than limit: Int) -> Bool {
        switch self {
        case .array(let elements): limit == 0 || elements.contains { $0.isDeeper(than: limit - 1) }
        case .object(let object): limit == 0 || object.members.contains { $0.value.isDeeper(than: limit - 1) }
        default: false
        }
    }
}

extension JSON.Object {
    /// The text that is kept of a record's attributes; none of none.
    var stored: [UInt8] { members.isEmpty ? [] : encoded() }
}
