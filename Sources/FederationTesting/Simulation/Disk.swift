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
        /// How many lines of journal are written before a snapshot takes their place.
        private static let linesAtMost = 24
        /// How many records a tree has at most that is written anew whenever there are so many lines; the journal of a
        /// larger one grows as long as its snapshot, so that writing costs no more than a few times what is written.
        private static let smallTree = 1_000

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
                return tree.purge(at: now, keeping: retention, journal: &lines)
            }
            return tree.purge(at: now, keeping: retention, journal: &bytes)
        }

        private func count() {
            guard isWritten else { return }
            lines += 1
            guard lines >= Self.linesAtMost, tree.count <= Self.smallTree || bytes.count >= 2 * snapshotByteCount else {
                return
            }
            bytes = tree.snapshot().encoded()
            (snapshotByteCount, lines) = (bytes.count, 0)
        }

        /// Forgets what is in memory, and reads it back; says what is wrong with what was written, if anything is.
        func restart() -> String? {
            let (before, head) = (hash, tree.head)
            var restoration = MemoryStore.Restoration(limits: tree.limits)
            // One of them at a time is in memory.
            tree = MemoryStore()
            do throws(MemoryStore.Restoration.Rejection) {
                try restoration.read(bytes)
                let restored = try restoration.finish(expecting: head)
                guard restored.tornByteCount == 0 else { return "\(restored.tornByteCount) bytes are torn" }
                tree = restored.tree
            } catch {
                return "\(error)"
            }
            return hash == before ? nil : "what is read back is not what was written"
        }

        /// One hash of all that the tree holds.
        private var hash: [UInt8] { Array(SHA256.hash(data: tree.snapshot().encoded())) }
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
