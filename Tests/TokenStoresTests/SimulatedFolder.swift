import Synchronization
import TestSupport
import TokenStores
import Wire

/// A folder in memory that forgets on a loss of power what was not synchronized, and tears what was being written.
final class SimulatedFolder: Folder {
    let path = "/simulated"
    let disk: Mutex<Disk>

    init(_ disk: Disk = Disk()) { self.disk = Mutex(disk) }

    /// What the system has, and what of it the disk has.
    struct Disk: Sendable {
        var files: [Int: Content] = [:]
        var names: [String: Int] = [:]
        /// The names as they were after the last synchronization, and what was done to them since, in order.
        var durableNames: [String: Int] = [:]
        var steps: [[String: Int?]] = []
        var nextFile = 0
        /// How many calls that change anything are carried out before the process ends; none if it does not.
        var remainingCalls: Int?
        /// How many such calls there were.
        var calls = 0
        /// What a write says that finds no room.
        var capacity = Int.max
        /// Fails every synchronization, and loses what was not durable before, as disks do.
        var breaksSync = false

        struct Content: Sendable {
            var current: [UInt8] = []
            var durable: [UInt8] = []
        }
    }

    /// That the process has ended in the middle of a call.
    static let ended = StoreFailure.failed(call: "end", path: "/simulated", code: 0)

    func names() throws(StoreFailure) -> [String] { disk.withLock { Array($0.names.keys) } }

    func open(_ name: String, _ mode: OpenMode) throws(StoreFailure) -> any File {
        let number: Int? = try change { disk throws(StoreFailure) in
            if mode != .anew { return disk.names[name] }
            disk.nextFile += 1
            disk.files[disk.nextFile] = Disk.Content()
            disk.name(name, disk.nextFile)
            return disk.nextFile
        }
        guard let number else { throw .gone(path: path + "/" + name) }
        return SimulatedFile(folder: self, number: number)
    }

    func rename(_ name: String, to other: String) throws(StoreFailure) {
        try change { disk throws(StoreFailure) in
            guard let number = disk.names[name] else { throw .gone(path: "/simulated/" + name) }
            disk.names[name] = nil
            disk.names[other] = number
            disk.steps.append([name: nil, other: number])
        }
    }

    func remove(_ name: String) throws(StoreFailure) {
        try change { disk throws(StoreFailure) in disk.name(name, nil) }
    }

    func synchronize() throws(StoreFailure) {
        try change { disk throws(StoreFailure) in
            disk.durableNames = disk.names
            disk.steps = []
        }
    }

    /// Carries a call out, unless the process ended before.
    func change<Result: Sendable>(
        _ body: @Sendable (inout Disk) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        try disk.withLock { disk throws(StoreFailure) in
            disk.calls += 1
            if let remaining = disk.remainingCalls {
                guard remaining > 0 else { throw Self.ended }
                disk.remainingCalls = remaining - 1
            }
            return try body(&disk)
        }
    }
}

extension SimulatedFolder.Disk {
    fileprivate mutating func name(_ name: String, _ number: Int?) {
        names[name] = number
        steps.append([name: number])
    }

    /// What is there after the process was killed: all that the system had been given.
    func afterKill() -> Self {
        var disk = self
        disk.remainingCalls = nil
        return disk
    }

    /// What is there after the power was lost: any of the changes to names since they were synchronized, and of every
    /// file what was synchronized, with any of the sectors that were written since.
    func afterPowerLoss(_ random: inout some RandomNumberGenerator) -> Self {
        var disk = Self()
        disk.nextFile = nextFile
        disk.capacity = capacity
        disk.names = durableNames
        for step in steps where Bool.random(using: &random) {
            for (name, number) in step { disk.names[name] = number }
        }
        disk.durableNames = disk.names
        for number in Set(disk.names.values) {
            let content = files[number]?.torn(&random) ?? []
            disk.files[number] = Content(current: content, durable: content)
        }
        return disk
    }
}

extension SimulatedFolder.Disk.Content {
    /// A length between both, and each sector as it was or as it was to be.
    fileprivate func torn(_ random: inout some RandomNumberGenerator) -> [UInt8] {
        let sector = 64
        let lengths = [current.count, durable.count].sorted()
        var bytes = [UInt8](repeating: 0, count: Int.random(in: lengths[0]...lengths[1], using: &random))
        for start in stride(from: 0, to: bytes.count, by: sector) {
            let source = Bool.random(using: &random) ? current : durable
            for index in start..<min(start + sector, bytes.count) where index < source.count {
                bytes[index] = source[index]
            }
        }
        return bytes
    }
}

/// A file of a simulated folder.
private struct SimulatedFile: File {
    let folder: SimulatedFolder
    let number: Int

    private func change(
        _ body: @Sendable (inout SimulatedFolder.Disk.Content, SimulatedFolder.Disk) throws(StoreFailure) -> Void
    ) throws(StoreFailure) {
        try folder.change { disk throws(StoreFailure) in
            var content = disk.files[number] ?? SimulatedFolder.Disk.Content()
            disk.files[number] = nil
            defer { disk.files[number] = content }
            try body(&content, disk)
        }
    }

    func byteCount() throws(StoreFailure) -> Int { folder.disk.withLock { $0.files[number]?.current.count ?? 0 } }

    func read(at offset: Int, upTo count: Int) throws(StoreFailure) -> [UInt8] {
        folder.disk.withLock { Array(($0.files[number]?.current ?? []).dropFirst(offset).prefix(count)) }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(StoreFailure) {
        do throws(StoreFailure) {
            try change { content, disk throws(StoreFailure) in
                guard offset + bytes.count <= disk.capacity else { throw .full(path: "/simulated") }
                content.put(bytes, at: offset)
            }
        } catch {
            // A write that was interrupted has come as far as the half.
            if error == SimulatedFolder.ended {
                folder.disk.withLock { disk in
                    guard disk.remainingCalls == 0 else { return }
                    disk.remainingCalls = -1
                    disk.files[number]?.put(Array(bytes.prefix(bytes.count / 2)), at: offset)
                }
            }
            throw error
        }
    }

    func synchronize() throws(StoreFailure) {
        try change { content, disk throws(StoreFailure) in
            if disk.breaksSync { throw .failed(call: "fsync", path: "/simulated", code: 5) }
            content.durable = content.current
        }
    }

    func truncate(to byteCount: Int) throws(StoreFailure) {
        try change { content, _ throws(StoreFailure) in
            if content.current.count > byteCount { content.current.removeLast(content.current.count - byteCount) }
        }
    }

    func reserve(_ byteCount: Int, at offset: Int) throws(StoreFailure) {
        try change { content, disk throws(StoreFailure) in
            guard offset + byteCount <= disk.capacity else { throw .full(path: "/simulated") }
            // So few that the tests do not carry millions of zeros.
            content.put([], at: max(content.current.count, offset + min(byteCount, 4096)))
        }
    }
}

extension SimulatedFolder.Disk.Content {
    fileprivate mutating func put(_ bytes: [UInt8], at offset: Int) {
        let end = offset + bytes.count
        if current.count < end { current += [UInt8](repeating: 0, count: end - current.count) }
        current.replaceSubrange(offset..<end, with: bytes)
    }
}
