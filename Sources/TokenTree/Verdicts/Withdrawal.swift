package import Wire

// Keys that were stolen, and the records that stand on them.

extension Record {
    private static let withdrawal: JSON.Name = "withdrawn"

    /// The time since which nothing counts that was signed with the key that this record stands for; `nil` unless the
    /// key was withdrawn (threat 76).
    package var withdrawnSince: Timestamp? {
        guard kind == .versionKey, let number = attributes[Self.withdrawal]?.number else { return nil }
        return number.integer(as: Int64.self).map { Timestamp(seconds: $0) }
    }

    /// What is kept with the record of a key that is withdrawn; the earlier of two times counts.
    package func withdrawn(since time: Timestamp) -> JSON.Object {
        var attributes = attributes
        attributes[Self.withdrawal] = .number(JSON.Number(min(withdrawnSince ?? time, time).seconds))
        return attributes
    }
}

extension Lineage {
    /// The key that all of this stands on, if it was withdrawn before it signed the first of it.
    var withdrawnGround: (id: TokenID, since: Timestamp)? {
        guard entries.count > 1, let key = entries.last?.record, let since = key.withdrawnSince,
            entries[entries.count - 2].record.issued >= since
        else { return nil }
        return (key.id, since)
    }
}
