internal import PureCrypto
internal import TokenTree
internal import Wire

extension World {
    /// What a party has stored: a tree in memory, and the bytes from which it is read back.
    final class Disk {
        private(set) var tree = MemoryStore()
        /// The last snapshot, and the journal since.
        private(set) var bytes: [UInt8]
        private var lines = 0
        private var snapshotByteCount: Int
        /// Whether it is read back when a process begins anew, and so has to be written: where several processes share
        /// it, it stays while one of them is away.
        private let isWritten: Bool
        /// A copy that was put by.
        private var backup: [UInt8]?
        /// How many lines of journal are written before a snapshot takes their place.
        private static let linesAtMost = 24
        /// How many records a tree has at most that is written anew whenever there are so many lines; the journal of a
        /// larger one grows as long as its snapshot, so that writing costs no more than a few times what is written.
        private static let smallTree = 1_000
        /// A large tree is built anew when it has a vacant place for so many records.
        private static let recordsForEachVacancy = 256

        init(isShared: Bool) {
            isWritten = !isShared
            bytes = isShared ? [] : tree.snapshot().encoded()
            snapshotByteCount = bytes.count
        }

        func commit(_ batch: Batch) -> Batch.Outcome {
            defer { count() }
            guard isWritten else {
                var line: [UInt8] = []
                return tree.commit(batch, journal: &line)
            }
            return tree.commit(batch, journal: &bytes)
        }

        func purge(at now: Timestamp, keeping retention: Retention) -> Int {
            defer { count() }
            guard isWritten else {
                var lines: [UInt8] = []
                return purge(at: now, keeping: retention, writing: &lines)
            }
            return purge(at: now, keeping: retention, writing: &bytes)
        }

        private func purge(at now: Timestamp, keeping retention: Retention, writing lines: inout [UInt8]) -> Int {
            guard tree.count > Self.smallTree else { return tree.purge(at: now, keeping: retention, journal: &lines) }
            var purge = tree.planPurge(at: now, keeping: retention)
            while tree.advance(&purge, journal: &lines) {}
            // Hosts build a large tree anew beside their work, and nothing goes on beside this: not for a few records.
            if (tree.placeCount - tree.count) * Self.recordsForEachVacancy > tree.count { tree = tree.renewed() }
            return purge.removed
        }

        private func count() {
            guard isWritten else { return }
            lines += 1
            guard lines >= Self.linesAtMost, tree.count <= Self.smallTree || bytes.count >= 2 * snapshotByteCount else {
                return
            }
            // What it takes the place of goes first, and there is room for what is written until the next one: a large
            // text is not there twice.
            let room = 2 * bytes.count
            bytes = []
            bytes.reserveCapacity(room)
            for piece in tree.snapshot() { bytes += piece }
            (snapshotByteCount, lines) = (bytes.count, 0)
        }

        /// Loses everything: what it holds from now on is somebody else's.
        func empty() {
            (tree, backup) = (MemoryStore(), nil)
            if isWritten { (bytes, lines) = (tree.snapshot().encoded(), 0) }
            snapshotByteCount = bytes.count
        }

        /// Puts a copy by.
        func backUp() { backup = tree.snapshot().encoded() }

        /// Gets back the copy that was put by, of which nobody can say what it lacks; whether there was one.
        func revert(at now: Timestamp) throws(MemoryStore.Restoration.Rejection) -> Bool {
            guard let backup else { return false }
            var restoration = MemoryStore.Restoration(limits: tree.limits)
            try restoration.read(backup)
            var line: [UInt8] = []
            tree = try restoration.finish(unprovenAt: now, journal: &line).tree
            guard isWritten else { return true }
            (bytes, lines) = (backup + line, 1)
            return true
        }

        /// Forgets what is in memory, and reads it back; says what is wrong with what was written, if anything is.
        func restart(at now: Timestamp) -> String? {
            let (before, head) = (contents(at: now), tree.head)
            // The text takes the place of the tree, and goes as it is read: a large tree is not there twice.
            var pieces = isWritten ? [bytes] : tree.snapshot().reversed()
            var restoration = MemoryStore.Restoration(limits: tree.limits)
            tree = MemoryStore()
            do throws(MemoryStore.Restoration.Rejection) {
                while let piece = pieces.popLast() { try restoration.read(piece) }
                let restored = try restoration.finish(expecting: head)
                guard restored.tornByteCount == 0 else { return "\(restored.tornByteCount) bytes are torn" }
                tree = restored.tree
            } catch {
                return "\(error)"
            }
            return contents(at: now) == before ? nil : "what is read back is not what was written"
        }

        /// One hash of all that the tree holds and that still counts: nothing depends on which of the keys that are
        /// past are forgotten first.
        private func contents(at now: Timestamp) -> [UInt8] {
            var hash = SHA256()
            // The first piece is the head.
            for piece in tree.snapshot().dropFirst() {
                for line in piece.split(separator: UInt8(ascii: "\n")) where counts(line, at: now) {
                    hash.update(data: line)
                }
            }
            return Array(hash.finalize())
        }

        private func counts(_ line: ArraySlice<UInt8>, at now: Timestamp) -> Bool {
            guard !line.starts(with: Self.seal) else { return false }
            guard line.starts(with: Self.key), let members = try? JSON(parsing: Array(line)).object?["replay"]?.object,
                let until = members["until"]?.number?.integer(as: Int64.self)
            else { return true }
            return until >= now.seconds
        }

        private static let seal = Array(#"{"seal""#.utf8)
        private static let key = Array(#"{"replay""#.utf8)
    }

    /// Why a store did not do what it was asked for.
    enum StoreFailure: Error {
        /// The process that asked has ended.
        case stopped
        /// The store said no, or did not say what became of it.
        case failed
    }

    /// A process's way to the store of its party, on which much can go wrong.
    struct Connection: TokenStore {
        let disk: Disk
        unowned let world: World

        func load(_ keys: [Facts.Key]) throws(StoreFailure) -> Facts {
            world.overtake(at: .look)
            return disk.tree.load(keys)
        }

        func lineage(of id: TokenID) throws(StoreFailure) -> Lineage? {
            world.overtake(at: .look)
            return disk.tree.lineage(of: id)
        }

        func grant(of id: TokenID, at now: Timestamp) throws(StoreFailure) -> Grant? {
            world.overtake(at: .look)
            return disk.tree.grant(of: id, at: now)
        }

        mutating func commit(_ batch: Batch) throws(StoreFailure) -> Batch.Outcome {
            switch world.strike(.commit) {
            case .stoppedBefore: throw .stopped
            case .full, .uncertainBefore: throw .failed
            case .stoppedAfter:
                _ = disk.commit(batch)
                throw .stopped
            case .uncertainAfter:
                _ = disk.commit(batch)
                throw .failed
            case .overtaken: world.performNext()
            default: break
            }
            return disk.commit(batch)
        }

        mutating func purge(at now: Timestamp, keeping retention: Retention) throws(StoreFailure) -> Int {
            disk.purge(at: now, keeping: retention)
        }
    }
}
