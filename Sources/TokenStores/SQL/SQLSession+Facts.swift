internal import TokenTree
internal import Wire

extension SQLSession {
    /// Answers each of the keys from one state of the tables, in one round trip.
    func load(_ keys: [Facts.Key]) throws(SessionFailure) -> Facts { try load(keys, after: []) ?? Facts() }

    /// The same if that state has some commits in it, which is asked of that very state; none if it lacks one.
    func load(
        _ keys: [Facts.Key], after commits: [(writer: String, count: Int64)]
    ) throws(SessionFailure) -> Facts? {
        let lookups = keys.map { words.statements(for: $0) }
        let arrivals = commits.map { SQLStatement(words.upkeep.reached, [.text($0.writer), .integer($0.count)]) }
        let answers = try perform(
            [Self.look, SQLStatement(words.upkeep.marks)] + arrivals + lookups.flatMap { $0 } + [Self.end])
        return try reading { () throws(StoreFailure) in
            let unprovenBefore = try TreeRow(answers[1], of: words).marks.unprovenBefore
            var position = 2 + arrivals.count
            guard answers[2..<position].allSatisfy({ !$0.isEmpty }) else { return nil }
            var facts = Facts()
            for (key, lookup) in zip(keys, lookups) {
                facts[key] = try answer(
                    to: key, [[SQLRow]](answers[position..<position + lookup.count]), unprovenBefore)
                position += lookup.count
            }
            return facts
        }
    }

    private func answer(
        to key: Facts.Key, _ rows: [[SQLRow]], _ unprovenBefore: Timestamp?
    ) throws(StoreFailure) -> Facts.Answer {
        switch key {
        case .record, .holder:
            return .lineage(try RecordRows(rows[0]).lineages(unprovenBefore: unprovenBefore).first)
        case .replay:
            guard let row = rows[0].first else { return .remembered(until: nil) }
            var reader = RowReader(row, "replay")
            return .remembered(until: try reader.moment())
        case .services:
            var visits: [Facts.Visit] = []
            for row in rows[0] { visits.append(try Facts.Visit(row)) }
            return .visits(visits)
        case .message:
            guard let row = rows[0].first, case .pending(let message) = try MessageRow(row) else {
                return .message(nil)
            }
            return .message(message)
        case .outgoing:
            var messages: [OutgoingMessage] = []
            for row in rows[0] {
                guard case .pending(let message) = try MessageRow(row) else { continue }
                messages.append(message)
            }
            return .messages(messages)
        case .records(let selection, let last, let limit):
            return .page(try page(of: selection, after: last, limit: limit, rows, unprovenBefore))
        }
    }

    /// A page, whose first answer is the record to begin after, and whose second the record to look below.
    private func page(
        of selection: Facts.Selection, after last: TokenID?, limit: Int, _ rows: [[SQLRow]],
        _ unprovenBefore: Timestamp?
    ) throws(StoreFailure) -> Facts.Page? {
        guard limit > 0 else { return Facts.Page(lineages: [], next: last) }
        let after = try RecordRows(rows[0]).lineages(unprovenBefore: nil).first
        if last != nil, after == nil { return nil }
        var lineages = try RecordRows(rows[2]).lineages(unprovenBefore: unprovenBefore)
        switch selection {
        case .all: break
        case .subject(let subject, _):
            if let after, after.record.subject != subject { return nil }
            lineages.reverse()
        case .under(let root, _):
            if rows[1].isEmpty { return nil }
            if let after, !after.entries.contains(where: { $0.record.id == root }) { return nil }
            lineages.reverse()
        }
        guard lineages.count > limit else { return Facts.Page(lineages: lineages, next: nil) }
        let shown = [Lineage](lineages.prefix(limit))
        return Facts.Page(lineages: shown, next: shown.last?.record.id)
    }
}

extension Statements {
    /// What has to be asked for one key.
    fileprivate func statements(for key: Facts.Key) -> [SQLStatement] {
        switch key {
        case .record(let id): [statement(for: .record(id))]
        case .holder(let kind, let holder): [statement(for: .holder(kind, holder))]
        case .replay(let key): [statement(for: .replay(key))]
        case .services(let subject): [SQLStatement(rest.visits, [.text(subject.text)])]
        case .message(let id): [statement(for: .message(id))]
        case .outgoing(let time, let limit):
            [
                SQLStatement(
                    rest.due,
                    [.integer(time.seconds), .integer(Int64(time.nanoseconds)), .integer(Int64(max(0, limit)))])
            ]
        case .records(let selection, let last, let limit):
            page(of: selection, after: .text(last?.text), .integer(Int64(min(max(0, limit), 1 << 40)) + 1))
        }
    }

    private func page(of selection: Facts.Selection, after last: SQLValue, _ limit: SQLValue) -> [SQLStatement] {
        let after = SQLStatement(records.lineage, [last])
        switch selection {
        case .all(let kind):
            return [after, after, SQLStatement(records.pageOfKind, [.text(kind.description), last, limit])]
        case .subject(let subject, let kind):
            let page = SQLStatement(records.pageOfSubject, [.text(subject.text), .text(kind.description), last, limit])
            return [after, after, page]
        case .under(let root, let kind):
            let page = SQLStatement(records.pageBelow, [.text(root.text), .text(kind.description), last, limit])
            return [after, SQLStatement(records.lineage, [.text(root.text)]), page]
        }
    }
}
