import TokenTree
import TokenTreeTesting
import Wire

/// A store that keeps something else than what it was given, as databases do by their settings.
struct AlteringStore: SimulatedStore {
    private let store = PlainStore()
    private let names: Names
    private let defect: Defect

    init(_ defect: Defect) {
        self.defect = defect
        names = Names(defect)
    }

    enum Defect: String, CaseIterable, Sendable {
        /// Names are compared without regard to case.
        case foldsCase
        /// Names are compared by what they look like, whether "é" is one scalar or two.
        case composes
        /// Names are compared without the spaces at their ends.
        case trims
        /// Names are compared as far as an index goes.
        case cuts
        /// Times are kept to the microsecond.
        case rounds
        /// Numbers are kept by their value.
        case counts
    }

    /// The names as they came first; a later one that is equal to it means the same.
    private final class Names {
        private var first: [String: String] = [:]
        private let defect: Defect

        init(_ defect: Defect) { self.defect = defect }

        func meant(by name: String) -> String {
            let key =
                switch defect {
                case .foldsCase: bytewise(name.lowercased())
                // `String` itself compares like that.
                case .composes: name
                case .trims: bytewise(String(name.reversed().drop { $0 == " " }))
                case .cuts: bytewise(String(decoding: name.utf8.prefix(1_000), as: UTF8.self))
                case .rounds, .counts: bytewise(name)
                }
            if let first = first[key] { return first }
            first[key] = name
            return name
        }

        private func bytewise(_ name: String) -> String { name.utf8.map { String($0, radix: 16) + " " }.joined() }
    }

    func load(_ keys: [Facts.Key]) -> Facts {
        var facts = Facts()
        for key in keys {
            let meant = meant(by: key)
            facts[key] = store.load([meant])[meant]
        }
        return facts
    }

    func commit(_ batch: Batch) -> Batch.Outcome {
        store.commit(Batch(at: kept(batch.at), batch.changes.map(kept)))
    }

    func purge(at now: Timestamp, keeping retention: Retention) -> Int { store.purge(at: now, keeping: retention) }

    func restart() {}
}

extension AlteringStore {
    private func kept<Kind>(_ identifier: Identifier<Kind>) -> Identifier<Kind> {
        name(names.meant(by: identifier.text))
    }

    private func kept(_ time: Timestamp) -> Timestamp {
        guard defect == .rounds else { return time }
        return Timestamp(seconds: time.seconds, nanoseconds: time.nanoseconds / 1_000 * 1_000)
    }

    private func kept(_ object: JSON.Object) -> JSON.Object {
        guard defect == .counts else { return object }
        return JSON.Object(
            object.members.map { member in
                guard case .number(let number) = member.value,
                    let value = number.double.flatMap(JSON.Number.init(exactly:))
                else { return (member.name, member.value) }
                return (member.name, .number(value))
            })
    }

    private func kept(_ record: Record) -> Record {
        Record(
            id: kept(record.id), kind: record.kind, parent: record.parent.map(kept), issued: kept(record.issued),
            holder: record.holder.map(kept), subject: record.subject.map(kept), audience: record.audience,
            scope: record.scope, boundKey: record.boundKey, accessExpiry: record.accessExpiry.map(kept),
            finalExpiry: record.finalExpiry.map(kept), refresh: record.refresh, attributes: kept(record.attributes))
    }

    private func kept(_ message: OutgoingMessage) -> OutgoingMessage {
        OutgoingMessage(
            id: kept(message.id), destination: kept(message.destination), about: message.about.map(kept),
            body: kept(message.body), due: kept(message.due), attempts: message.attempts, tried: message.tried)
    }

    private func kept(_ change: Change) -> Change {
        switch change {
        case .insert(let record): .insert(kept(record))
        case .revoke(let id, let reason): .revoke(kept(id), reason)
        case .consume(let id): .consume(kept(id))
        case .rotate(let id, let from, let to, let access): .rotate(kept(id), from: from, to: to, accessExpiry: access)
        case .reground(let id, let from, let onto): .reground(kept(id), from: kept(from), onto: kept(onto))
        case .describe(let id, let attributes, let former):
            .describe(kept(id), kept(attributes), from: former.map(kept))
        case .confirm(let id): .confirm(kept(id))
        case .touch(let id): .touch(kept(id))
        case .visit(let subject, let service): .visit(kept(subject), kept(service))
        case .leave(let subject, let service): .leave(kept(subject), kept(service))
        case .forget(let subject): .forget(kept(subject))
        case .remember(let key, let until, let evenWithoutRoom):
            .remember(key, until: kept(until), evenWithoutRoom: evenWithoutRoom)
        case .enqueue(let message): .enqueue(kept(message))
        case .attempt(let id, let attempts, let retry): .attempt(kept(id), after: attempts, retry: kept(retry))
        case .settle(let id, let settlement): .settle(kept(id), settlement)
        }
    }

    private func meant(by key: Facts.Key) -> Facts.Key {
        switch key {
        case .record(let id): .record(kept(id))
        case .holder(let kind, let holder): .holder(kind, kept(holder))
        case .replay: key
        case .services(let subject): .services(kept(subject))
        case .message(let id): .message(kept(id))
        case .records(let selection, let last, let limit):
            switch selection {
            case .all: .records(selection, after: last.map(kept), limit: limit)
            case .subject(let subject, let kind):
                .records(.subject(kept(subject), kind), after: last.map(kept), limit: limit)
            case .under(let id, let kind): .records(.under(kept(id), kind), after: last.map(kept), limit: limit)
            }
        case .outgoing(let due, let limit): .outgoing(due: kept(due), limit: limit)
        }
    }
}
