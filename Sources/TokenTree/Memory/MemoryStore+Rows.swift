package import Wire

// A tree moves from one kind of store to another by its rows: this one gives all of them, and takes them.

extension MemoryStore {
    /// What a tree knows beside its rows.
    package struct Marks: Sendable {
        package let horizon, unknownBefore, unprovenBefore: Timestamp?

        package init(horizon: Timestamp?, unknownBefore: Timestamp?, unprovenBefore: Timestamp?) {
            self.horizon = horizon
            self.unknownBefore = unknownBefore
            self.unprovenBefore = unprovenBefore
        }
    }

    /// A tree without rows.
    package init(_ marks: Marks, limits: Limits) {
        var contents = Contents(limits: limits)
        contents.replays.unknownBefore = marks.unknownBefore
        contents.replays.horizon = marks.horizon
        contents.unprovenBefore = marks.unprovenBefore
        self.init(contents, clock: nil)
    }

    /// What this tree knows beside its rows.
    package var marks: Marks {
        Marks(
            horizon: box.contents.replays.horizon, unknownBefore: box.contents.replays.unknownBefore,
            unprovenBefore: box.contents.unprovenBefore)
    }

    /// Takes a record, and says whether its ground was there already: what stands on nothing is not taken.
    ///
    /// - Bound: nobody else has this tree.
    package mutating func take(_ entry: Lineage.Entry) -> Bool {
        guard let parent = entry.record.parent else {
            box.contents.take(entry, on: Contents.none)
            return true
        }
        guard let ground = box.contents.slot(of: parent) else { return false }
        box.contents.take(entry, on: ground)
        return true
    }

    /// Takes until when a key is remembered.
    package mutating func take(_ key: ReplayKey, until: Timestamp) { box.contents.replays.remember(key, until: until) }

    /// Takes when a subject used a service last.
    package mutating func take(_ visit: Facts.Visit, of subject: Record.Subject) {
        box.contents.take(visit, of: subject)
    }

    /// Takes a message that is on its way.
    package mutating func take(_ message: OutgoingMessage) { box.contents.take(message) }

    /// Takes that a message was settled.
    package mutating func take(
        settled id: OutgoingMessage.ID, as settlement: OutgoingMessage.Settlement, at time: Timestamp
    ) {
        box.contents.take(settled: id, as: settlement, at: time)
    }

    /// How many places for records there are; a purge leaves vacant ones.
    package var placeCount: Int { box.contents.lives.count }

    /// The record at a place, the oldest being at 0; none at a vacant one.
    package func entry(at place: Int) -> Lineage.Entry? { box.contents.lineage(ofSlot: UInt32(place))?.entry }

    /// What is kept beside the records, as it would be written.
    package var edits: [WorkingSet.Edit] {
        let contents = box.contents.copy()
        var edits = contents.replays.ordered.map { WorkingSet.Edit.remember($0.key, until: $0.until) }
        for reference in contents.visits.keys.sorted() {
            guard let subject: Record.Subject = contents.names.identifier(reference),
                case .visits(let visits) = contents.answer(to: .services(subject))
            else { continue }
            edits += visits.map { .visit(subject, $0) }
        }
        edits += contents.outbox.pending.values.sorted { $0.id < $1.id }.map { .message($0) }
        for (id, settled) in contents.outbox.settled.sorted(by: { $0.key < $1.key }) {
            edits.append(.settled(id, settled.settlement, at: settled.at))
        }
        return edits
    }
}
