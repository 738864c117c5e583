internal import TokenTree
internal import Wire

extension SQLSession {
    /// So much is looked at or removed in one transaction.
    private static var slice: Int { 256 }

    /// One step of a purge, each of which is a transaction of its own, so that nobody waits long for it.
    enum PurgeStep {
        case keys
        case messages
        /// Records older than one at this place; what stands on others comes before them.
        case records(before: Int64)
        /// Keys of versions once more: an instance may have moved to one that is newer than itself.
        case versions(before: Int64)
        case writers

        static var first: PurgeStep { .keys }
    }

    /// Takes a step, and says how many records it removed and which step is next, if there is one.
    func purge(
        _ step: PurgeStep, at now: Timestamp, keeping retention: Retention
    ) throws(SessionFailure) -> (removed: Int, next: PurgeStep?) {
        let now = MemoryStore.correction(of: now, clock) ?? now
        switch step {
        case .keys: return (0, try forgetKeys(at: now) ? .keys : .messages)
        case .messages:
            let rows = try perform([
                SQLStatement(
                    words.upkeep.forgetSettled,
                    [.integer((now - retention.settled).seconds), .integer(Int64(Self.slice))])
            ])
            return (0, rows[0].count == Self.slice ? .messages : .records(before: .max))
        case .records(let place):
            let (removed, next) = try removeRecords(words.records.newest, before: place, at: now, keeping: retention)
            return (removed, next.map { .records(before: $0) } ?? .versions(before: .max))
        case .versions(let place):
            let (removed, next) = try removeRecords(
                words.records.newestKeys, before: place, at: now, keeping: retention)
            return (removed, next.map { .versions(before: $0) } ?? .writers)
        case .writers:
            // Long after the last commit nobody asks any more what became of it.
            _ = try perform([
                SQLStatement(words.upkeep.forgetWriters, [.integer((now - .seconds(30 * 86_400)).seconds)])
            ])
            return (0, nil)
        }
    }

    /// Forgets some keys whose time is over, and says whether there may be more.
    private func forgetKeys(at now: Timestamp) throws(SessionFailure) -> Bool {
        let time = WorkingSet.forgetting(at: now)
        let answers = try perform([
            Self.begin, SQLStatement(words.upkeep.marks),
            SQLStatement(words.upkeep.forgetKeys, [.integer(time.seconds), .integer(Int64(Self.slice))]),
        ])
        let horizon = try reading { () throws(StoreFailure) in
            var horizon = try TreeRow(answers[1], of: words).marks.horizon
            for row in answers[2] {
                var reader = RowReader(row, "replay")
                let until = try reader.moment()
                horizon = max(until, horizon ?? until)
            }
            return horizon
        }
        let isChanged = !answers[2].isEmpty
        _ = try perform((isChanged ? [SQLStatement(words.upkeep.setHorizon, [.time(horizon)])] : []) + [Self.end])
        return answers[2].count == Self.slice
    }

    /// Removes what is dead of some records, and says where the next ones begin.
    ///
    /// Which these may be is looked up without being in anybody's way; whether they are is asked again when they go.
    private func removeRecords(
        _ page: String, before place: Int64, at now: Timestamp, keeping retention: Retention
    ) throws(SessionFailure) -> (removed: Int, next: Int64?) {
        let answers = try perform([
            Self.look, SQLStatement(page, [.integer(place), .integer(Int64(Self.slice))]), Self.end,
        ])
        let (candidates, next) = try reading { () throws(StoreFailure) in
            let rows = try RecordRows(answers[1])
            var set = WorkingSet(limits: limits, clock: clock)
            for lineage in try rows.lineages(unprovenBefore: nil) { set.add(lineage) }
            let listed = Set(rows.listed.map(\.id))
            return (
                set.removable(at: now, keeping: retention).filter { listed.contains($0) },
                rows.listed.count == Self.slice ? rows.listed.first?.seq : nil
            )
        }
        return (candidates.isEmpty ? 0 : try remove(candidates, at: now, keeping: retention), next)
    }

    private func remove(
        _ candidates: [TokenID], at now: Timestamp, keeping retention: Retention
    ) throws(SessionFailure) -> Int {
        let questions = candidates.flatMap { id in
            [
                SQLStatement(words.records.lineage, [.text(id.text)]),
                SQLStatement(words.records.awaited, [.text(id.text)]),
            ]
        }
        let answers = try perform([Self.begin] + questions)
        let dead = try reading { () throws(StoreFailure) in
            var set = WorkingSet(limits: limits, clock: clock)
            for position in candidates.indices {
                for lineage in try RecordRows(answers[1 + 2 * position]).lineages(unprovenBefore: nil) {
                    set.add(lineage)
                }
                for row in answers[2 + 2 * position] {
                    var reader = RowReader(row, "message")
                    set.add(awaited: try reader.name())
                }
            }
            return Set(set.removable(at: now, keeping: retention))
        }
        let removals = candidates.filter { dead.contains($0) }.map {
            SQLStatement(words.records.remove, [.text($0.text)])
        }
        return try perform(removals + [Self.end]).reduce(0) { $0 + $1.count }
    }
}
