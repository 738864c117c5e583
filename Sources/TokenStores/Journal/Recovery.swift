public import TokenTree
public import Wire

/// What a folder gives back: the last snapshot, and what was committed since.
///
/// Bound: two seconds of processor time for a million records (STO-6); most of it goes into the seal's hash and the
/// index of names.
struct Recovery {
    /// The tree as it was at the last whole group.
    let tree: MemoryStore
    /// How long the snapshot is.
    let snapshotByteCount: Int
    /// How long the journals are that follow it.
    let journalByteCount: Int
    /// The generation of the snapshot.
    let oldestGeneration: Int
    /// The generation of the last journal that has anything, or of the snapshot.
    let generation: Int
    /// How long that journal is as far as it is whole.
    let byteCount: Int
    /// How many bytes behind that were torn by a crash: nobody had been told of them.
    let tornByteCount: Int

    /// Reads a folder; `nil` if there is no store in it yet.
    init?(
        _ folder: any Folder, as provenance: Provenance, limits: MemoryStore.Limits,
        clock: (@Sendable () -> Timestamp)?, unproven line: inout [UInt8]
    ) throws(StoreFailure) {
        let names = try folder.names().compactMap(FileName.init)
        let snapshots = names.compactMap { if case .snapshot(let number) = $0 { number } else { nil } }
        let journals = names.compactMap { if case .journal(let number) = $0 { number } else { nil } }
        guard let first = snapshots.max() else {
            // A store that was being made has a journal without anything in it.
            for journal in journals {
                guard try folder.open(FileName.journal(journal).text, .reading).byteCount() == 0 else {
                    throw .missing(path: folder.path(of: FileName.snapshot(journal).text))
                }
            }
            return nil
        }
        var reader = Reader(folder, MemoryStore.Restoration(limits: limits, clock: clock))
        snapshotByteCount = try reader.readSnapshot(first)
        for generation in first...max(first, journals.max() ?? first) {
            guard journals.contains(generation) else {
                throw .missing(path: folder.path(of: FileName.journal(generation).text))
            }
            try reader.readJournal(generation)
        }
        oldestGeneration = first
        generation = max(first, reader.generation)
        byteCount = reader.byteCount
        tornByteCount = reader.tornByteCount
        journalByteCount = reader.total
        tree = try reader.finish(provenance, unproven: &line)
    }
}

extension Recovery {
    /// Reads a folder, in which an empty store is made if there is none, and goes on with its journal.
    static func open(
        _ folder: any Folder, as provenance: Provenance, limits: MemoryStore.Limits,
        clock: (@Sendable () -> Timestamp)?
    ) throws(StoreFailure) -> (Recovery, JournalFile, isNew: Bool) {
        var line: [UInt8] = []
        var found = try Recovery(folder, as: provenance, limits: limits, clock: clock, unproven: &line)
        let isNew = found == nil
        if isNew {
            try prepare(folder, holding: MemoryStore(limits: limits))
            found = try Recovery(folder, as: .inPlace, limits: limits, clock: clock, unproven: &line)
        }
        guard let found else { throw .gone(path: folder.path) }
        var file = try JournalFile(continuing: found, in: folder)
        if !line.isEmpty { try file.append(line) }
        return (found, file, isNew)
    }

    /// Makes a store with what a tree has; a crash in the middle leaves none.
    static func prepare(_ folder: any Folder, holding tree: MemoryStore) throws(StoreFailure) {
        _ = try folder.open(FileName.journal(1).text, .anew)
        try folder.synchronize()
        var compaction = try Compaction(of: tree, as: 1, in: folder)
        try compaction.run()
    }
}

/// Whether what a folder holds is all that there was.
public enum Provenance: Sendable, Hashable {
    /// It was here all the time: what was acknowledged is in it.
    case inPlace
    /// It ends where it is known to end, by a head that was kept elsewhere.
    case proven(Fingerprint)
    /// It is a copy of which nobody knows what is missing: what was issued before now is unconfirmed (threat 67).
    case copy(at: Timestamp)
}

/// Reads files in their order into a restoration.
private struct Reader: ~Copyable {
    private let folder: any Folder
    private var restoration: MemoryStore.Restoration
    private(set) var generation = 0
    private(set) var byteCount = 0
    private(set) var tornByteCount = 0
    /// Of all journals.
    private(set) var total = 0
    /// Where the last journal is torn, if it is.
    private var tear: String?

    private static let pieceByteCount = 1 << 20

    init(_ folder: any Folder, _ restoration: consuming MemoryStore.Restoration) {
        self.folder = folder
        self.restoration = restoration
    }

    mutating func readSnapshot(_ generation: Int) throws(StoreFailure) -> Int {
        let path = folder.path(of: FileName.snapshot(generation).text)
        let file = try folder.open(FileName.snapshot(generation).text, .reading)
        var offset = 0
        while true {
            let piece = try file.read(at: offset, upTo: Self.pieceByteCount)
            if piece.isEmpty { break }
            try feed(piece, of: path)
            offset += piece.count
        }
        guard restoration.isSealed else { throw .unreadable(path: path, .truncated(line: restoration.line)) }
        return offset
    }

    /// Reads the groups of a journal up to its end or to where a crash tore it.
    mutating func readJournal(_ generation: Int) throws(StoreFailure) {
        let path = folder.path(of: FileName.journal(generation).text)
        let file = try folder.open(FileName.journal(generation).text, .reading)
        let end = try file.byteCount()
        guard try contentEnd(of: file, behind: 0, before: end) > 0 else { return }
        // The former one was durable to its end before this one was written to.
        if let tear { throw .damaged(path: tear, offset: byteCount) }
        self.generation = generation
        byteCount = 0
        while byteCount < end {
            guard let (lines, length) = try group(of: file, at: byteCount, end: end) else {
                guard try isTail(of: file, at: byteCount, end: end) else {
                    throw .damaged(path: path, offset: byteCount)
                }
                tornByteCount = try contentEnd(of: file, behind: byteCount, before: end) - byteCount
                if tornByteCount > 0 { tear = path }
                break
            }
            try feed(lines, of: path)
            byteCount += length
        }
        total += byteCount
    }

    /// The lines of the whole group that begins there, and how long it is.
    private func group(
        of file: any File, at offset: Int, end: Int
    ) throws(StoreFailure) -> (lines: [UInt8], length: Int)? {
        let beginning = try file.read(at: offset, upTo: Group.headerLimit)
        guard let (group, length) = Group.read(beginning),
            group.byteCount <= end - offset - length
        else { return nil }
        let lines = try file.read(at: offset + length, upTo: group.byteCount)
        return group.holds(lines) ? (lines, length + lines.count) : nil
    }

    /// Whether what begins there was torn by a crash: nothing shows that the group had been durable.
    private func isTail(of file: any File, at offset: Int, end: Int) throws(StoreFailure) -> Bool {
        let beginning = try file.read(at: offset, upTo: Group.headerLimit)
        guard let (group, length) = Group.read(beginning), group.byteCount <= end - offset - length else {
            return try !hasGroup(file, after: offset, end: end)
        }
        // Its end is known, and what follows it was written after it was durable.
        let behind = offset + length + group.byteCount
        return try contentEnd(of: file, behind: behind, before: end) == behind
    }

    /// Where the last byte of a file ends, from a place on, that is not a zero of the room that was made for more.
    private func contentEnd(of file: any File, behind start: Int, before end: Int) throws(StoreFailure) -> Int {
        var last = start
        var place = start
        while place < end {
            let piece = try file.read(at: place, upTo: Self.pieceByteCount)
            if piece.isEmpty { break }
            if let index = piece.lastIndex(where: { $0 != 0 }) { last = place + index + 1 }
            place += piece.count
        }
        return last
    }

    /// Whether a whole group lies anywhere behind a place.
    private func hasGroup(_ file: any File, after start: Int, end: Int) throws(StoreFailure) -> Bool {
        var place = start
        while place < end {
            let piece = try file.read(at: place, upTo: Self.pieceByteCount)
            for index in piece.indices where piece[index] == UInt8(ascii: "\n") {
                let next = place + index + 1
                guard next < end else { continue }
                let header = try file.read(at: next, upTo: Group.headerLimit)
                guard let (group, length) = Group.read(header), group.byteCount <= end - next - length else {
                    continue
                }
                let lines = try file.read(at: next + length, upTo: group.byteCount)
                if group.holds(lines) { return true }
            }
            place += max(1, piece.count)
        }
        return false
    }

    private mutating func feed(_ bytes: [UInt8], of path: String) throws(StoreFailure) {
        do throws(MemoryStore.Restoration.Rejection) { try restoration.read(bytes) } catch {
            throw .unreadable(path: path, error)
        }
    }

    consuming func finish(_ provenance: Provenance, unproven line: inout [UInt8]) throws(StoreFailure) -> MemoryStore {
        let path = folder.path
        do throws(MemoryStore.Restoration.Rejection) {
            switch provenance {
            case .inPlace: return try restoration.inspected().tree
            case .proven(let head): return try restoration.finish(expecting: head).tree
            case .copy(let now): return try restoration.finish(unprovenAt: now, journal: &line).tree
            }
        } catch {
            throw .unreadable(path: path, error)
        }
    }
}
