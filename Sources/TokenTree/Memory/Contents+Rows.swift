internal import Wire

// What another store has kept is taken as it is: its conditions held when it was committed there.

extension Contents {
    /// Takes a record whose ground is known, or that has none here, and says where it is.
    @discardableResult
    mutating func take(_ entry: Lineage.Entry, on parent: UInt32) -> UInt32 {
        var log = UndoLog()
        let slot = lives.end
        add(entry.record, entry.fate, parent: parent, attributes: entry.record.attributes.stored, log: &log)
        return slot
    }

    /// Takes when a subject used a service last.
    mutating func take(_ visit: Facts.Visit, of subject: Record.Subject) {
        var log = UndoLog()
        note(subject, visit.service, at: visit.last, log: &log)
    }

    /// Takes a message that is on its way.
    mutating func take(_ message: OutgoingMessage) { outbox[message.id] = Outbox.State(pending: message) }

    /// Takes that a message was settled.
    mutating func take(
        settled id: OutgoingMessage.ID, as settlement: OutgoingMessage.Settlement, at time: Timestamp
    ) {
        outbox[id] = Outbox.State(settled: Outbox.Settled(settlement: settlement, at: time))
    }
}
