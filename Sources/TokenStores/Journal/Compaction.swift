internal import TokenTree

/// Writes a state of the tree beside the work, a piece at a time, and removes what it takes the place of.
///
/// In every step a crash leaves either the old snapshot with all journals since, or the new one.
struct Compaction {
    private let folder: any Folder
    private let generation: Int
    private let file: any File
    private var snapshot: MemoryStore.Snapshot
    /// How many bytes were written.
    private(set) var byteCount = 0
    private var unsynchronized = 0

    /// So many bytes at most are left to the system before they are made durable, so that the last step is as short as
    /// all others.
    private static let syncInterval = 8 << 20

    /// Begins to write the state that this generation's journal follows.
    init(of tree: MemoryStore, as generation: Int, in folder: any Folder) throws(StoreFailure) {
        self.folder = folder
        self.generation = generation
        snapshot = tree.snapshot()
        file = try folder.open(FileName.part(generation).text, .anew)
    }

    /// Writes the next piece; false when all is done.
    mutating func step() throws(StoreFailure) -> Bool {
        guard let piece = snapshot.next() else {
            try finish()
            return false
        }
        try file.write(piece, at: byteCount)
        byteCount += piece.count
        unsynchronized += piece.count
        if unsynchronized >= Self.syncInterval {
            try file.synchronize()
            unsynchronized = 0
        }
        return true
    }

    /// Writes all that is left.
    mutating func run() throws(StoreFailure) { while try step() {} }

    private func finish() throws(StoreFailure) {
        try file.synchronize()
        try folder.rename(FileName.part(generation).text, to: FileName.snapshot(generation).text)
        try folder.synchronize()
        try Self.sweep(folder, before: generation)
    }

    /// Removes the files of earlier generations, and what a crash left of snapshots that were being written.
    static func sweep(_ folder: any Folder, before generation: Int) throws(StoreFailure) {
        for text in try folder.names() {
            guard let name = FileName(text) else { continue }
            var isPart = false
            if case .part = name { isPart = true }
            if isPart || name.generation < generation { try folder.remove(text) }
        }
        try folder.synchronize()
    }
}
