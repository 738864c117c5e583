import Foundation
import Synchronization
import TokenStores
import TokenTree
import Wire

/// Whether memory and files stay bounded when a store works at its highest rate for long.
///
/// Every record ends after some seconds and is purged soon after; keys are remembered for about two minutes. What the
/// last third of the time needs at most, for each commit that may still be remembered, is held against the second.
struct Soak {
    private let path: String
    private let kind: Kind
    private let seconds: Int

    private enum Kind: String { case journal, sqlite, postgresql }

    private static let writers = 64
    private static let lifetime: Duration = .seconds(5)
    private static let purgeInterval: Duration = .seconds(4)
    /// What garbage, and a tree that is being built anew, may add at one sample and not at another.
    private static let tolerance = 1.25
    /// For so long something of a commit is there: its key, until it ends, and by slices of time and clocks longer.
    private static let memory = 140

    /// What was needed at a time, and how much had been committed.
    private struct Sample {
        let memory, disk, commits: Int
    }

    /// `FOLDER [journal|sqlite|postgresql] [SECONDS]`.
    init(_ arguments: ArraySlice<String>) throws(UsageError) {
        let arguments = Array(arguments)
        let kind = arguments.count > 1 ? Kind(rawValue: arguments[1]) : .journal
        let seconds = arguments.count > 2 ? Int(arguments[2]) : 600
        guard (1...3).contains(arguments.count), let kind, let seconds, (9...86_400).contains(seconds),
            !FileManager.default.fileExists(atPath: arguments[0])
        else {
            throw UsageError(
                message: "'soak' takes a folder that is not there yet, 'journal', 'sqlite' or 'postgresql', "
                    + "and a number of seconds",
                usage: Options.usage)
        }
        (path, self.kind, self.seconds) = (arguments[0], kind, seconds)
    }

    /// Plays it; the exit status.
    func run(_ say: @escaping @Sendable (String) -> Void) -> Int32 {
        defer { try? FileManager.default.removeItem(atPath: path) }
        return exitStatus(say) {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            return try await play(say)
        }
    }

    private func play(_ say: @escaping @Sendable (String) -> Void) async throws -> Bool {
        switch kind {
        case .journal:
            let store = try JournalStore.open(path + "/journal")
            let isBounded = try await play(store, say, diskByteCount)
            await store.close()
            return isBounded
        case .sqlite:
            #if SQLite
            let store = try SQLStore { [path] () throws(SQLFailure) in
                try SQLiteConnection(path: path + "/tree.sqlite")
            }
            let isBounded = try await play(store, say, diskByteCount)
            await store.close()
            return isBounded
            #else
            say("this program was built without the trait SQLite\n")
            return false
            #endif
        case .postgresql:
            #if PostgreSQL
            guard let servers = ProcessInfo.processInfo.environment["EDUID_TEST_POSTGRESQL"] else {
                say("EDUID_TEST_POSTGRESQL has no connection string\n")
                return false
            }
            let space = "soak\(UInt32.random(in: .min ... .max))"
            let store = try SQLStore(space: space, connections: 16) { () throws(SQLFailure) in
                try PostgreSQLConnection(servers)
            }
            let watcher = try PostgreSQLConnection(servers)
            let isBounded = try await play(store, say) { try Databases.tableByteCount(of: space, watcher) }
            await store.close()
            return isBounded
            #else
            say("this program was built without the trait PostgreSQL\n")
            return false
            #endif
        }
    }

    /// What was seen so far.
    private final class Course: Sendable {
        let isOver = Mutex(false)
        let commits = Mutex(0)
        let purged = Mutex(0)
    }

    private func play(
        _ store: some AsyncTokenStore, _ say: @escaping @Sendable (String) -> Void, _ diskByteCount: () throws -> Int
    ) async throws -> Bool {
        let course = Course()
        return try await withThrowingTaskGroup { group in
            for writer in 0..<Self.writers { group.addTask { try await write(writer, to: store, course) } }
            group.addTask { try await purge(store, course) }
            var samples: [Sample] = []
            let clock = ContinuousClock()
            let start = clock.now
            while clock.now < start + .seconds(seconds) {
                try await Task.sleep(for: .milliseconds(500))
                samples.append(
                    Sample(
                        memory: Footprint.resident() ?? 0, disk: try diskByteCount(),
                        commits: course.commits.withLock { $0 }))
                if samples.count % max(2, seconds / 5) == 0 { say(line(samples, course) + "\n") }
            }
            course.isOver.withLock { $0 = true }
            try await group.waitForAll()
            return verdict(samples, course, say)
        }
    }

    private func write(_ writer: Int, to store: some AsyncTokenStore, _ course: Course) async throws {
        var number = 0
        while !course.isOver.withLock({ $0 }) {
            let name = "\(writer)-\(number)-of-the-soak"
            let now = Self.now
            let record = Record(
                id: TokenID(stringLiteral: name), kind: .assertion, parent: nil, issued: now,
                subject: Record.Subject(stringLiteral: "person-\(number % 10_000)"),
                audience: "https://service.example/", accessExpiry: now + Self.lifetime)
            let key = Change.remember(ReplayKey("soak", name), until: now + Self.lifetime)
            guard try await store.commit(Batch(at: now, [key, .insert(record)])) == .applied else {
                throw StoreFailure.closed
            }
            course.commits.withLock { $0 += 1 }
            number += 1
        }
    }

    private func purge(_ store: some AsyncTokenStore, _ course: Course) async throws {
        while !course.isOver.withLock({ $0 }) {
            try await Task.sleep(for: Self.purgeInterval)
            let removed = try await store.purge(at: Self.now, keeping: Retention(explained: .zero, settled: .zero))
            course.purged.withLock { $0 += removed }
        }
    }

    // MARK: What it needs

    private static var now: Timestamp { Timestamp(seconds: Int64(Date().timeIntervalSince1970)) }

    private func diskByteCount() -> Int {
        let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return files.reduce(0) { total, file in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/" + file)
            return total + ((attributes?[.size] as? NSNumber)?.intValue ?? 0)
        }
    }

    private func line(_ samples: [Sample], _ course: Course) -> String {
        let last = samples.suffix(max(2, seconds / 5))
        let (memory, disk) = (last.map(\.memory).max() ?? 0, last.map(\.disk).max() ?? 0)
        return "\(samples.count / 2) s: \(course.commits.withLock { $0 }) commits, "
            + "\(course.purged.withLock { $0 }) records purged, at most \(memory >> 20) MiB of memory, "
            + "\(disk >> 20) MiB of files"
    }

    private func verdict(_ samples: [Sample], _ course: Course, _ say: (String) -> Void) -> Bool {
        let third = samples.count / 3
        func most(_ indices: Range<Int>, _ value: (Sample) -> Int) -> Double {
            indices.map { index in
                let before = index >= 2 * Self.memory ? samples[index - 2 * Self.memory].commits : 0
                return Double(value(samples[index])) / Double(max(1, samples[index].commits - before))
            }.max() ?? 0
        }
        func ratio(_ value: (Sample) -> Int) -> Double {
            most(2 * third..<samples.count, value) / max(1, most(third..<2 * third, value))
        }
        let (memory, disk) = (ratio { $0.memory }, ratio { $0.disk })
        let rate = course.commits.withLock { $0 } / seconds
        say(
            "\(kind.rawValue): \(rate) commits a second for \(seconds) s; for what may still be remembered, the last "
                + String(format: "third needed %.2f times the memory and %.2f times the files\n", memory, disk))
        return memory <= Self.tolerance && disk <= Self.tolerance
    }
}
