import Dispatch
import Foundation
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
        let end = DispatchSemaphore(value: 0)
        let outcome = Outcome()
        Task {
            do {
                try await play(say)
            } catch {
                say("Error: \(error)\n")
                outcome.status = EXIT_FAILURE
            }
            end.signal()
        }
        end.wait()
        try? FileManager.default.removeItem(atPath: path)
        return outcome.status
    }

    /// The status, written before the end is told and read after it.
    private final class Outcome: @unchecked Sendable { var status = EXIT_SUCCESS }

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
        say("restart with \(count) records: \(tenths(seconds * 1e6 / Double(count))) s of CPU time for a million\n")
        async let compaction: Void = store.compact()
        var worst = 0.0
        for number in 0..<400 {
            let start = wall()
            try await commit(count + number..<count + number + 1, to: store, by: 1)
            worst = max(worst, wall() - start)
        }
        try await compaction
        say("400 commits beside a snapshot: the longest took \(tenths(worst * 1e3)) ms\n")
        await store.close()
    }

    /// Commits one record after the other, each durable before its writer goes on.
    private func commit(_ numbers: Range<Int>, to store: JournalStore, by writers: Int) async throws {
        try await withThrowingTaskGroup { group in
            for writer in 0..<writers {
                group.addTask { [start] in
                    for number in stride(from: numbers.lowerBound + writer, to: numbers.upperBound, by: writers) {
                        let record = Record(
                            id: TokenID(stringLiteral: "token-\(number)-of-the-benchmark"), kind: .versionKey,
                            parent: nil,
                            issued: start, holder: Record.Holder(stringLiteral: "holder-\(number)"))
                        _ = try await store.commit(Batch(at: start, [.insert(record)]))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

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
