import Dispatch
import Foundation
import Synchronization
import TokenStores
import TokenTree
import Wire

/// What durable commits cost on a disk: the journal store beside one call that makes a file durable.
struct Durability {
    private let path: String
    private let records: Int
    private let start = Timestamp(seconds: 1_800_000_000)

    /// `FOLDER [RECORDS]`: a folder that is not there yet, and how many records it is filled with.
    init(_ arguments: ArraySlice<String>) throws(UsageError) {
        guard let path = arguments.first, arguments.count <= 2, !FileManager.default.fileExists(atPath: path),
            let records = arguments.count == 2 ? arguments.last.flatMap(Int.init) : 100_000,
            (1...10_000_000).contains(records)
        else {
            throw UsageError(
                message: "'journal' takes a folder that is not there yet, and a number of records if you like",
                usage: Options.usage)
        }
        self.path = path
        self.records = records
    }

    /// Plays it; the exit status.
    func run(_ say: @escaping @Sendable (String) -> Void) -> Int32 {
        defer { try? FileManager.default.removeItem(atPath: path) }
        return exitStatus(say) {
            try await play(say)
            return true
        }
    }

    private func play(_ say: (String) -> Void) async throws {
        let store = try JournalStore.open(path)
        let synchronization = try self.synchronization()
        say("one file made durable: \(Int(synchronization * 1e6)) µs at \(path)\n")
        var number = 0
        for writers in [1, 16, 64] {
            let before = (wall: wall(), cpu: clock())
            let count = writers * 200
            try await commit(number..<number + count, to: store, by: writers)
            number += count
            let (seconds, cpu) = (wall() - before.wall, Double(clock() - before.cpu) / Double(CLOCKS_PER_SEC))
            let (rate, ratio) = (Double(count) / seconds, Double(count) / seconds * synchronization)
            say(
                "\(writers) writers: \(Int(rate)) durable commits a second, \(tenths(ratio)) for one synchronization, "
                    + "\(Int(cpu / Double(count) * 1e6)) µs of CPU time each\n")
        }
        try await commit(number..<max(number, records), to: store, by: 256)
        await store.close()
        try await restart(say)
    }

    private func restart(_ say: (String) -> Void) async throws {
        let before = clock()
        let store = try JournalStore.open(path)
        let seconds = Double(clock() - before) / Double(CLOCKS_PER_SEC)
        let count = store.opening.records
        say("\(try byteCount() / count) bytes on the disk for each of \(count) records, history included\n")
        say("restart with \(count) records: \(tenths(seconds * 1e6 / Double(count))) s of CPU time for a million\n")
        try await beside("a snapshot", from: count, store, say) { try await store.compact() }
        // The snapshot that follows a purge takes away from the files what is gone.
        try await beside("a purge and what follows it", from: 2 * count, store, say) {
            let removed = try await store.purge(at: start + .seconds(20), keeping: Retention(explained: .zero))
            say("\(removed) records were removed\n")
            try await store.compact()
        }
        await store.close()
    }

    /// What all files of the store hold.
    private func byteCount() throws -> Int {
        let files = try FileManager.default.contentsOfDirectory(
            at: URL(filePath: path), includingPropertiesForKeys: [.fileSizeKey])
        return try files.reduce(0) { $0 + (try $1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
    }

    /// Whether what goes on has come to its end.
    private final class End: Sendable { let isReached = Mutex(false) }

    /// Commits and looks up while something else goes on, and tells how long the longest took.
    private func beside(
        _ what: String, from first: Int, _ store: JournalStore, _ say: (String) -> Void, _ work: () async throws -> Void
    ) async throws {
        let end = End()
        async let worst = withThrowingTaskGroup { group in
            group.addTask { [self] in
                var (longest, number) = (0.0, first)
                while !end.isReached.withLock({ $0 }) {
                    let start = wall()
                    try await commit(number..<number + 1, to: store, by: 1)
                    (longest, number) = (max(longest, wall() - start), number + 1)
                }
                return (commit: longest, lookUp: 0.0, count: number - first)
            }
            group.addTask { [self] in
                var (longest, count) = (0.0, 0)
                while !end.isReached.withLock({ $0 }) {
                    let start = wall()
                    _ = try await store.lineage(of: Self.name(count % first))
                    (longest, count) = (max(longest, wall() - start), count + 1)
                    if count % 64 == 0 { try await Task.sleep(for: .milliseconds(1)) }
                }
                return (commit: 0.0, lookUp: longest, count: 0)
            }
            return try await group.reduce((commit: 0.0, lookUp: 0.0, count: 0)) {
                (commit: max($0.commit, $1.commit), lookUp: max($0.lookUp, $1.lookUp), count: $0.count + $1.count)
            }
        }
        try await work()
        end.isReached.withLock { $0 = true }
        let longest = try await worst
        say(
            "\(longest.count) commits beside \(what): the longest took \(tenths(longest.commit * 1e3)) ms, "
                + "the longest look-up \(tenths(longest.lookUp * 1e3)) ms\n")
    }

    /// Commits one record after the other, each durable before its writer goes on.
    private func commit(_ numbers: Range<Int>, to store: JournalStore, by writers: Int) async throws {
        try await withThrowingTaskGroup { group in
            for writer in 0..<writers {
                group.addTask { [start] in
                    for number in stride(from: numbers.lowerBound + writer, to: numbers.upperBound, by: writers) {
                        // Every other one can be purged later.
                        let record = Record(
                            id: Self.name(number), kind: .assertion, parent: nil, issued: start,
                            subject: Record.Subject(stringLiteral: "person-\(number / 8)"),
                            audience: "https://service.example/",
                            accessExpiry: start + .seconds(number % 2 == 0 ? 10 : 86_400))
                        _ = try await store.commit(Batch(at: start, [.insert(record)]))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func name(_ number: Int) -> TokenID { TokenID(stringLiteral: "token-\(number)-of-the-benchmark") }

    /// The median of 51 small writes, each made durable.
    private func synchronization() throws -> Double {
        let file = URL(filePath: path).appending(path: "durable")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        let times = try (0..<51).map { _ in
            let start = wall()
            try handle.write(contentsOf: Data(repeating: 120, count: 512))
            try handle.synchronize()
            return wall() - start
        }
        return times.sorted()[25]
    }

    private func wall() -> Double {
        Double(DispatchTime.now().uptimeNanoseconds) / 1e9
    }

    private func tenths(_ value: Double) -> String { String(format: "%.1f", value) }
}
