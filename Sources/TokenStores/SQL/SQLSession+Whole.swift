internal import TokenTree
internal import Wire

// A whole tree at once, for whoever moves it to another store, backs it up, or looks at it.

extension SQLSession {
    private static var slice: Int64 { 1_000 }

    /// The tree of one state of the tables, in memory.
    func export() throws(SessionFailure) -> MemoryStore {
        let marks = try perform([Self.look, SQLStatement(words.upkeep.marks)])[1]
        let row = try reading { () throws(StoreFailure) in try TreeRow(marks, of: words) }
        var tree = MemoryStore(row.marks, limits: limits)
        try exportRecords(to: &tree)
        try each(words.rest.allReplays) { (reader: inout RowReader) throws(StoreFailure) in
            let key = try reader.required(ReplayKey.init(text:))
            tree.take(key, until: try reader.moment())
        }
        try each(words.rest.allVisits) { (reader: inout RowReader) throws(StoreFailure) in
            let subject: Record.Subject = try reader.name()
            tree.take(Facts.Visit(service: try reader.name(), last: try reader.moment()), of: subject)
        }
        var last = ""
        while true {
            let rows = try perform([SQLStatement(words.rest.allMessages, [.text(last), .integer(Self.slice)])])[0]
            try reading { () throws(StoreFailure) in
                for row in rows {
                    switch try MessageRow(row) {
                    case .pending(let message):
                        tree.take(message)
                        last = message.id.text
                    case .settled(let id, let settlement, let time):
                        tree.take(settled: id, as: settlement, at: time)
                        last = id.text
                    }
                }
            }
            if rows.count < Self.slice { break }
        }
        _ = try perform([Self.end])
        return tree
    }

    private func exportRecords(to tree: inout MemoryStore) throws(SessionFailure) {
        // An instance can stand on a key that is newer than itself, and comes after it then, as does what stands on it.
        var late: [Lineage.Entry] = []
        var place: Int64 = 0
        var count = Self.slice
        while count == Self.slice {
            let rows = try perform([SQLStatement(words.records.oldest, [.integer(place), .integer(Self.slice)])])[0]
            try reading { () throws(StoreFailure) in
                for row in rows {
                    var reader = RowReader(row, "record")
                    _ = try reader.next()
                    place = try reader.integer()
                    let entry = try Lineage.Entry(&reader)
                    if !tree.take(entry) { late.append(entry) }
                }
            }
            count = Int64(rows.count)
        }
        while !late.isEmpty {
            let rest = late.filter { !tree.take($0) }
            if rest.count == late.count { throw .store(.foreignRow("record \(late[0].record.id)", column: 2)) }
            late = rest
        }
    }

    /// Reads the rows of a table whose first two columns are texts and tell them apart, in slices.
    private func each(
        _ statement: String, _ read: (inout RowReader) throws(StoreFailure) -> Void
    ) throws(SessionFailure) {
        var last = [SQLValue](repeating: .text(""), count: 2)
        var count = Self.slice
        while count == Self.slice {
            let rows = try perform([SQLStatement(statement, last + [.integer(Self.slice)])])[0]
            try reading { () throws(StoreFailure) in
                for row in rows {
                    var reader = RowReader(row, "table")
                    try read(&reader)
                }
            }
            if let row = rows.last { last = [SQLValue](row.prefix(2)) }
            count = Int64(rows.count)
        }
    }

    /// Fills empty tables with a tree, in one transaction.
    func fill(with tree: MemoryStore) throws(SessionFailure) {
        let found = try perform([
            Self.begin, SQLStatement(words.upkeep.marks),
            SQLStatement(words.records.oldest, [.integer(0), .integer(1)]),
        ])
        _ = try reading { () throws(StoreFailure) in try TreeRow(found[1], of: words) }
        guard found[2].isEmpty else { throw .store(.notEmpty) }
        let marks = tree.marks
        _ = try perform([
            SQLStatement(
                words.upkeep.setMarks, [.time(marks.horizon), .time(marks.unknownBefore), .time(marks.unprovenBefore)])
        ])
        var place = 0
        while place < tree.placeCount {
            let end = min(tree.placeCount, place + Int(Self.slice))
            _ = try perform(
                (place..<end).compactMap { tree.entry(at: $0) }.map { SQLStatement(words.records.insert, $0.columns) })
            place = end
        }
        let edits = tree.edits
        for start in stride(from: 0, to: edits.count, by: Int(Self.slice)) {
            let end = min(edits.count, start + Int(Self.slice))
            _ = try perform(edits[start..<end].map { words.statement(for: $0) })
        }
        _ = try perform([Self.end])
    }
}
