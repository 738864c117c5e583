import Foundation
import TokenTree

/// How much memory the large values take for each of what they hold: the growth of the process's resident set while
/// they are built, and so an upper bound: what the building itself needed in between is in it.
enum Footprint {
    /// Builds each value in turn and says what it took; the exit status.
    static func run(_ say: (String) -> Void) -> Int32 {
        guard resident() != nil else {
            say("The memory of a process is read from /proc, which is not here.\n")
            return EXIT_FAILURE
        }
        let directory = measured("service directory", of: "document", count: 100_000, directoryOfSize, say)
        let tree = measured("token tree", of: "record", count: 1_000_000, tokenTreeOfSize, say)
        if let tree = tree as? MemoryStore {
            say("token tree: \(tree.textByteCount / tree.count) of these bytes are text, of which one tree has 4 GiB\n")
        }
        // Both live to the end, so that neither is built in memory that the other gave back.
        return withExtendedLifetime((directory, tree)) { EXIT_SUCCESS }
    }

    private static func measured(
        _ title: String, of unit: String, count: Int, _ build: (Int) -> Any, _ say: (String) -> Void
    ) -> Any {
        let before = resident() ?? 0
        let value = build(count)
        say("\(title): \(((resident() ?? 0) - before) / count) bytes per \(unit), \(count) of them\n")
        return value
    }

    /// How many bytes of this process lie in memory.
    static func resident() -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * Int(getpagesize()) }
    }
}
