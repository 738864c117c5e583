import Dispatch
import Foundation
import TokenStores
import TokenTree
import TokenTreeTesting
import Wire

/// Kills processes that write into a journal store, each at a random moment, and looks at what is there afterwards.
enum Crashes {
    private static let writers = 6
    private static let start = Timestamp(seconds: 1_800_000_000)

    /// What a killed process left that should not be so.
    private struct Loss: Error, CustomStringConvertible { let description: String }

    /// Plays rounds; the exit status.
    static func run(rounds: Int, seed: UInt64, _ say: @escaping @Sendable (String) -> Void) -> Int32 {
        let folder = FileManager.default.temporaryDirectory.appending(path: "crashes-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return waiting(say) {
            var random = SeededSequence(seed: seed)
            var (acknowledged, unanswered, torn) = (0, 0, 0)
            for round in 0..<rounds {
                // Long lives have long journals; a new one begins now and then.
                if round % 50 == 0 { try? FileManager.default.removeItem(atPath: folder) }
                let life = Int.random(in: 0..<150, using: &random)
                let names = try killed(folder, round: round, after: .milliseconds(life))
                let store = try JournalStore.open(folder)
                unanswered += try check(store, round, names)
                acknowledged += names.count
                torn += store.opening.tornByteCount
                await store.close()
            }
            say(
                "\(rounds) processes killed, \(acknowledged) commits acknowledged and all there, "
                    + "\(unanswered) there of which nobody was told, \(torn) torn bytes\n")
        }
    }

    /// Writes until somebody kills it: six writers, who tell what was acknowledged, and a snapshot now and then.
    static func write(into folder: String, round: String, _ say: @escaping @Sendable (String) -> Void) -> Int32 {
        waiting(say) {
            let store = try JournalStore.open(folder)
            try await withThrowingTaskGroup { group in
                for writer in 0..<writers {
                    group.addTask {
                        for number in 0... {
                            let name = "\(round)-\(writer)-\(number)"
                            let batch = Batch(at: start, [insert(name), insert(name + "-too")])
                            guard try await store.commit(batch) == .applied else { continue }
                            say(name + "\n")
                            if writer == 0, number % 7 == 6 { try await store.compact() }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func insert(_ name: String) -> Change {
        .insert(Record(id: TokenID(stringLiteral: name), kind: .versionKey, parent: nil, issued: start))
    }

    /// What a process had been told before it was killed.
    private static func killed(_ folder: String, round: Int, after delay: DispatchTimeInterval) throws -> [String] {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--crash-writers", folder, "\(round)"]
        process.standardOutput = output
        try process.run()
        DispatchQueue.global().asyncAfter(deadline: .now() + delay) { kill(process.processIdentifier, SIGKILL) }
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        // A name that was cut off was not told.
        return String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map(String.init)
    }

    /// Looks for what was told and is not there, and for what is there by halves; says how much more there is.
    private static func check(_ store: JournalStore, _ round: Int, _ names: [String]) throws -> Int {
        var extra = 0
        for name in names {
            guard try store.lineage(of: TokenID(stringLiteral: name)) != nil else {
                throw Loss(description: "round \(round): \(name) was acknowledged, and is not there")
            }
        }
        for writer in 0..<writers {
            let told = names.count { $0.hasPrefix("\(round)-\(writer)-") }
            for number in 0...told {
                let name = "\(round)-\(writer)-\(number)"
                let parts = try [name, name + "-too"].map { try store.lineage(of: TokenID(stringLiteral: $0)) != nil }
                guard parts[0] == parts[1] else { throw Loss(description: "round \(round): half of \(name) is there") }
                if number == told, parts[0] { extra += 1 }
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
