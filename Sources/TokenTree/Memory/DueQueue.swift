import Wire

/// The names of messages in the order in which they are due, in pieces: one of a million costs no more than a few
/// hundred steps.
struct DueQueue: Sendable {
    /// In order, none empty.
    private var pieces: [[Entry]] = []

    private static let longestPiece = 512

    struct Entry: Comparable, Sendable {
        let time: Timestamp
        let id: OutgoingMessage.ID

        static func < (one: Entry, other: Entry) -> Bool {
            one.time != other.time ? one.time < other.time : one.id < other.id
        }
    }

    /// The first names of those that are due.
    func first(_ most: Int, due time: Timestamp) -> [OutgoingMessage.ID] {
        var names: [OutgoingMessage.ID] = []
        for piece in pieces {
            for entry in piece {
                guard names.count < most, entry.time <= time else { return names }
                names.append(entry.id)
            }
        }
        return names
    }

    mutating func insert(_ entry: Entry) {
        guard !pieces.isEmpty else {
            pieces.append([entry])
            return
        }
        let piece = piece(for: entry)
        pieces[piece].insert(entry, at: Self.position(of: entry, in: pieces[piece]))
        guard pieces[piece].count > Self.longestPiece else { return }
        let half = pieces[piece].count / 2
        pieces.insert(Array(pieces[piece][half...]), at: piece + 1)
        pieces[piece].removeSubrange(half...)
    }

    mutating func remove(_ entry: Entry) {
        guard !pieces.isEmpty else { return }
        let piece = piece(for: entry)
        let position = Self.position(of: entry, in: pieces[piece])
        guard position < pieces[piece].count, pieces[piece][position].id == entry.id else { return }
        pieces[piece].remove(at: position)
        if pieces[piece].isEmpty { pieces.remove(at: piece) }
    }

    /// The last piece that begins with the entry or before it, or else the first.
    private func piece(for entry: Entry) -> Int {
        var (low, high) = (0, pieces.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if entry < pieces[middle][0] { high = middle } else { low = middle }
        }
        return low
    }

    private static func position(of entry: Entry, in piece: [Entry]) -> Int {
        var (low, high) = (0, piece.count)
        while low < high {
            let middle = (low + high) / 2
            if piece[middle] < entry { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
