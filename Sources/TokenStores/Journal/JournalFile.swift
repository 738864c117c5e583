/// The file into which a store writes now.
struct JournalFile: Sendable {
    private let file: any File
    /// Which snapshot it follows.
    let generation: Int
    /// How long it is as far as it is durable.
    private(set) var byteCount: Int

    /// Goes on behind what was read.
    init(continuing recovered: Recovery, in folder: any Folder) throws(StoreFailure) {
        try Compaction.sweep(folder, before: recovered.oldestGeneration)
        file = try folder.open(FileName.journal(recovered.generation).text, .continuing)
        generation = recovered.generation
        byteCount = recovered.byteCount
        // What a crash tore is gone before anything comes behind it.
        try recede()
    }

    /// Begins a file, with room for so many bytes; where there is not as much, no file is left.
    init(beginning generation: Int, with room: Int = 0, in folder: any Folder) throws(StoreFailure) {
        let name = FileName.journal(generation).text
        file = try folder.open(name, .anew)
        do throws(StoreFailure) {
            if room > 0 { try file.reserve(room, at: 0) }
        } catch {
            try folder.remove(name)
            throw error
        }
        try folder.synchronize()
        self.generation = generation
        byteCount = 0
    }

    /// Writes lines as one group, which is durable when this returns.
    mutating func append(_ lines: [UInt8]) throws(StoreFailure) {
        var bytes = Group(of: lines).header
        bytes += lines
        try file.write(bytes, at: byteCount)
        try file.synchronize()
        byteCount += bytes.count
    }

    /// Sees to it that so many bytes more find room.
    func reserve(_ byteCount: Int) throws(StoreFailure) {
        try file.reserve(byteCount, at: self.byteCount)
    }

    /// Cuts off what is behind the last group: room that was made, and what an append left that failed, so that it
    /// cannot become durable later.
    func recede() throws(StoreFailure) {
        try file.truncate(to: byteCount)
        try file.synchronize()
    }
}

/// What the files of a folder are called.
enum FileName: Hashable {
    /// A state of the tree.
    case snapshot(Int)
    /// What was committed since that state, until the next one.
    case journal(Int)
    /// A state that is being written, or was when the process ended.
    case part(Int)

    /// The name that this text is; `nil` for what does not belong to a store.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 2, let number = Int(parts[1]), number > 0 else { return nil }
        switch parts[0] {
        case "snapshot": self = parts.count == 2 ? .snapshot(number) : .part(number)
        case "journal": self = .journal(number)
        default: return nil
        }
        guard self.text == text else { return nil }
    }

    /// How it is written.
    var text: String {
        switch self {
        case .snapshot(let number): "snapshot-\(number)"
        case .journal(let number): "journal-\(number)"
        case .part(let number): "snapshot-\(number)-part"
        }
    }

    /// The generation to which it belongs.
    var generation: Int {
        switch self {
        case .snapshot(let number), .journal(let number), .part(let number): number
        }
    }
}
