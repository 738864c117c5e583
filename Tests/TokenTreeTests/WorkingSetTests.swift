import TestSupport
import Testing
import TokenTree
import TokenTreeTesting
import Wire

/// A store that loads and saves rows and knows no rule: the tables are the plain store's, what may change is the working
/// set's.
private final class RowStore: PlainStore {
    override func apply(_ batch: Batch) -> Batch.Outcome {
        var set = WorkingSet()
        var beside: [Lineage.Entry] = []
        for question in WorkingSet.questions(of: batch) {
            switch question {
            case .record(let id): if let lineage = lineage(of: id) { set.add(lineage) }
            case .holder(let kind, let holder):
                if let lineage = inForce(kind, holder) { set.add(lineage) }
            case .beside(let id):
                guard let record = entries[id]?.record else { continue }
                let names = [record.holder, record.subject.map { Record.Holder($0) }]
                beside += names.compactMap { $0 }.compactMap { inForce(.lock, $0)?.entry }
                if let holder = record.holder, let other = inForce(record.kind, holder) { beside.append(other.entry) }
            case .subject(let subject):
                for id in order where entries[id]?.record.subject == subject {
                    if let lineage = lineage(of: id) { set.add(lineage) }
                }
            case .replay(let key): if let until = remembered[key] { set.add(key, until: until) }
            case .visit(let subject, let service):
                if let visit = visits[subject]?.first(where: { $0.service == service }) { set.add(visit, of: subject) }
            case .message(let id):
                if let message = pending[id] { set.add(message) }
                if let time = settled[id] { set.add(settled: id, as: .delivered, at: time) }
            }
        }
        for entry in beside { set.add(inForce: entry) }
        switch set.apply(batch) {
        case .conflict(let conflict, let index): return .conflict(conflict, change: index)
        case .write(let edits):
            for edit in edits { write(edit) }
            return .applied
        }
    }

    private func inForce(_ kind: Record.Kind, _ holder: Record.Holder) -> Lineage? {
        load([.holder(kind, holder)]).lineage(of: kind, heldBy: holder)
    }

    private func write(_ edit: WorkingSet.Edit) {
        switch edit {
        case .insert(let record):
            entries[record.id] = Lineage.Entry(record: record, fate: Record.Fate())
            order.append(record.id)
        case .update(let entry): entries[entry.record.id] = entry
        case .remember(let key, let until): remembered[key] = until
        case .visit(let subject, let visit):
            write(.leave(subject, visit.service))
            visits[subject, default: []].append(visit)
        case .leave(let subject, let service): visits[subject]?.removeAll { $0.service == service }
        case .forget(let subject): visits[subject] = nil
        case .message(let message): (pending[message.id], settled[message.id]) = (message, nil)
        case .settled(let id, _, let time): (pending[id], settled[id]) = (nil, time)
        }
    }

    override func purge(at now: Timestamp, keeping retention: Retention) -> Int {
        settled = settled.filter { $0.value >= now - retention.settled }
        var set = WorkingSet()
        for id in order { if let lineage = lineage(of: id) { set.add(lineage) } }
        for message in pending.values { if let about = message.about { set.add(awaited: about) } }
        let removed = Set(set.removable(at: now, keeping: retention))
        order.removeAll { removed.contains($0) }
        entries = entries.filter { !removed.contains($0.key) }
        return removed.count
    }
}

@Suite("Working sets", .proves("STO-7"), .proves("threat-31"))
struct WorkingSetTests {
    @Test("A store that knows no rule keeps every law") func laws() {
        #expect(Conformance.violations(making: { RowStore() }) == [])
    }

    @Test("A store that knows no rule says what the model says, in random histories")
    func histories() {
        let failure = Simulation(making: { RowStore() }).run(seeds: 0..<150)
        #expect(failure == nil, Comment(rawValue: failure?.description ?? ""))
    }

    @Test("What did not change is not written") func unchanged() throws {
        let tree = RowStore()
        let record = Record(id: "key", kind: .versionKey, parent: nil, issued: at(0))
        #expect(tree.commit(Batch(at: at(0), [.insert(record), .revoke("key", .user)])) == .applied)
        var set = WorkingSet()
        set.add(try #require(tree.lineage(of: "key")))
        guard case .write(let edits) = set.apply(Batch(at: at(5), [.revoke("key", .administrator)])) else {
            Issue.record("a second revocation is refused")
            return
        }
        #expect(edits == [])
    }

    @Test("The example of the documentation") func example() {
        let tree = RowStore()
        let batch = Batch(at: at(0), [.touch("key")])
        let (horizon, unprovenBefore): (Timestamp?, Timestamp?) = (nil, nil)
        func lineage(of id: TokenID) -> Lineage? { tree.lineage(of: id) }
        // example: a working set
        var set = WorkingSet(horizon: horizon, unprovenBefore: unprovenBefore)
        for question in WorkingSet.questions(of: batch) {
            if case .record(let id) = question, let lineage = lineage(of: id) { set.add(lineage) }
            // …and so for the other kinds of question
        }
        let outcome = set.apply(batch)
        // end of example
        #expect(outcome == .conflict(.unknown("key"), change: 0))
    }

    @Test("Each question is asked once") func once() {
        let message = OutgoingMessage(id: "m", destination: "s", about: nil, body: [:], due: at(0))
        let changes: [Change] = [
            .consume("a"), .insert(Record(id: "b", kind: .service, parent: "a", issued: at(0), subject: "u")),
            .insert(Record(id: "c", kind: .app, parent: "b", issued: at(0), subject: "u")), .enqueue(message),
            .settle("m", .delivered),
        ]
        #expect(
            WorkingSet.questions(of: Batch(at: at(0), changes)) == [
                .record("a"), .record("b"), .holder(.lock, "u"), .record("c"), .message("m"),
            ])
    }
}
