import Dispatch
import Foundation
import TokenStores
import TokenTree
import TokenTreeTesting
import Wire

/// Kills processes that write into a store, each at a random moment, and looks at what is there afterwards.
enum Crashes {
    private static let writers = 6
    private static let start = Timestamp(seconds: 1_800_000_000)

    /// What a killed process left that should not be so.
    private struct Loss: Error, CustomStringConvertible { let description: String }

    /// Plays rounds; the exit status.
    static func run(
        rounds: Int, seed: UInt64, _ kind: CrashedStore.Kind, _ say: @escaping @Sendable (String) -> Void
    ) -> Int32 {
        let folder = FileManager.default.temporaryDirectory.appending(path: "crashes-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return waiting(say) {
            var random = SeededSequence(seed: seed)
            var (acknowledged, unanswered, torn, disturbed) = (0, 0, 0, 0)
            var place = ""
            for round in 0..<rounds {
                // Long lives have long journals; a new one begins now and then.
                if round % 50 == 0 {
                    try? FileManager.default.removeItem(atPath: folder)
                    place = try kind.place(in: folder)
                }
                let disturbance = kind.disturbance(round: round)
                let life = Int.random(in: 0..<kind.longestLife, using: &random)
                let names = try killed(kind, place, round: round, after: .milliseconds(life), disturbance)
                let store = try CrashedStore(kind, place)
                unanswered += try await check(store, round, names)
                acknowledged += names.count
                torn += store.tornByteCount
                disturbed += disturbance == nil ? 0 : 1
                await store.close()
            }
            let servers = disturbed == 0 ? "" : ", the server in \(disturbed) lives"
            say(
                "\(rounds) processes killed\(servers), \(acknowledged) commits acknowledged and all there, "
                    + "\(unanswered) there of which nobody was told, \(torn) torn bytes\n")
        }
    }

    /// Writes until somebody kills it: six writers, who tell what was acknowledged, and a snapshot now and then.
    static func write(
        _ kind: CrashedStore.Kind, into place: String, round: String, _ say: @escaping @Sendable (String) -> Void
    ) -> Int32 {
        waiting(say) {
            let store = try CrashedStore(kind, place)
            try await withThrowingTaskGroup { group in
                for writer in 0..<writers {
                    group.addTask {
                        for number in 0... {
                            let name = "\(round)-\(writer)-\(number)"
                            say(try await write(name, into: store) + "\n")
                            if writer == 0, number % 7 == 6 { try await store.compact() }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Writes until it is acknowledged; what the store was not certain of is looked up, as a host does.
    private static func write(_ name: String, into store: CrashedStore) async throws -> String {
        let batch = Batch(at: start, [insert(name), insert(name + "-too")])
        var isUncertain = false
        while true {
            do {
                if try await store.commit(batch) == .applied { return name }
                // Nobody else has this name: it was there, and the first answer should have said so.
                return isUncertain ? name : "\(name) twice"
            } catch {
                isUncertain = true
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private static func insert(_ name: String) -> Change {
        .insert(Record(id: TokenID(stringLiteral: name), kind: .versionKey, parent: nil, issued: start))
    }

    /// What a process had been told before it was killed.
    private static func killed(
        _ kind: CrashedStore.Kind, _ place: String, round: Int, after delay: DispatchTimeInterval,
        _ disturbance: String?
    ) throws -> [String] {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--crash-writers", kind.rawValue, place, "\(round)"]
        process.standardOutput = output
        try process.run()
        let number = process.processIdentifier
        DispatchQueue.global().asyncAfter(deadline: .now() + delay) {
            if let disturbance { CrashedStore.disturb(disturbance) }
            kill(number, SIGKILL)
        }
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        // A name that was cut off was not told.
        return String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map(String.init)
    }

    /// Looks for what was told and is not there, and for what is there by halves; says how much more there is.
    private static func check(_ store: CrashedStore, _ round: Int, _ names: [String]) async throws -> Int {
        var extra = 0
        for name in names {
            guard try await store.has(name) else {
                throw Loss(description: "round \(round): \(name) was acknowledged, and is not there")
            }
        }
        for writer in 0..<writers {
            let told = names.count { $0.hasPrefix("\(round)-\(writer)-") }
            for number in 0...told {
                let name = "\(round)-\(writer)-\(number)"
                let isThere = try await store.has(name)
                guard try await store.has(name + "-too") == isThere else {
                    throw Loss(description: "round \(round): half of \(name) is there")
                }
                if number == told, isThere { extra += 1 }
            }
        }
        return extra
    }

    private static func waiting(
        _ say: @escaping @Sendable (String) -> Void, _ body: @escaping @Sendable () async throws -> Void
    ) -> Int32 {
        final class Outcome: @unchecked Sendable { var status = EXIT_SUCCESS }
        let (end, outcome) = (DispatchSemaphore(value: 0), Outcome())
        Task {
            do {
                try await body()
            } catch {
                say("Error: \(error)\n")
                outcome.status = EXIT_FAILURE
            }
            end.signal()
        }
        end.wait()
        return outcome.status
    }
}
