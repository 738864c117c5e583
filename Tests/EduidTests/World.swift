import TestSupport
import Wire

@testable import eduid

/// A world in memory: the fixtures as files, a clock that stands still, chance from a seed.
final class World {
    struct File: Equatable {
        var bytes: [UInt8]
        var isSecret: Bool
    }

    struct Answer: Equatable {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var status: Int32 = 0

        var text: String { String(decoding: output, as: UTF8.self) }
        var complaint: String { String(decoding: errors, as: UTF8.self) }
    }

    /// 2027-01-15T08:00:00Z.
    static let now = Timestamp(seconds: 1_800_000_000)

    private(set) var files: [String: File] = [:]
    private var generator = SeededGenerator(seed: 1)
    var hasColours = false
    /// How often the person was waited for.
    private(set) var pauses = 0

    private var answer = Answer()

    /// Runs the program once.
    func run(_ words: [String], input: [UInt8] = []) -> Answer {
        answer = Answer()
        var console = Console(
            load: { [self] (path, _) throws(Failure) in try load(path, input) },
            store: { [self] (bytes, path, protection, replaces) throws(Failure) in
                try store(bytes, path, protection, replaces)
            },
            output: { [self] bytes in
                answer.output += bytes
                return true
            },
            errors: { [self] bytes in answer.errors += bytes }, now: Self.now, entropy: generator,
            colours: (hasColours, hasColours))
        console.pause = { [self] in pauses += 1 }
        answer.status = Program.command.execute(words, on: &console)
        if let used = console.entropy as? SeededGenerator { generator = used }
        return answer
    }

    private func store(_ bytes: [UInt8], _ path: String, _ protection: Console.Protection, _ replaces: Bool)
        throws(Failure)
    {
        guard replaces || files[path] == nil else { throw .refused("'\(path)' exists; '--force' replaces it") }
        files[path] = File(bytes: bytes, isSecret: protection == .secret)
    }

    private func load(_ path: String, _ input: [UInt8]) throws(Failure) -> [UInt8] {
        if path == "-" { return input }
        if let file = files[path] { return file.bytes }
        guard let bytes = try? Repository.fixture("command-line/files/" + path) else {
            throw .refused("cannot read '\(path)': No such file or directory")
        }
        return bytes
    }
}
