import Foundation
import VectorCatalogue
import Wire

/// Answers test vectors: `eduid-testkit <op>` reads a JSON object per line and writes an answer per line, in order,
/// flushed.
@main
struct EduidTestkit {
    static let usage = """
        USAGE: eduid-testkit <op>
               eduid-testkit --ops
               eduid-testkit --storm <count> [<seed>]
               eduid-testkit --crashes <count> [<seed> [<store>]]

        Reads one JSON object per line from standard input and answers each with one line of JSON: the verdict of the
        operation (true or false) or an object with its result. A line that cannot be read answers {"error": …}; an
        operation that is not served answers {"unsupported": true} to each line.

        The operations oauth-request-parse, oauth-request-make, oauth-response-parse and oauth-response-make take an
        "endpoint" (token, challenge, authorization, revocation, introspection, resource) and speak of HTTP as JSON:
        {"method", "path", "headers", "body"} and {"status", "headers", "body"}, the body as text.

        OPTIONS:
          --ops                     List the operations, one per line.
          --storm <count> [<seed>]  Give each parser so many random and mutated inputs (seed: 1), and apps a
                                    sixteenth as many distorted answers and stored texts. A parser that traps ends
                                    the process, and so does an app that cannot read what it wrote; how many inputs
                                    were accepted is printed for each.
          --crashes <count> [<seed> [<store>]]
                                    Kill so many processes that write into a store, each at a random moment, and look
                                    whether all is there that was acknowledged: journal, sqlite, or postgresql, whose
                                    server is killed and fails over meanwhile ('.ci/databases' starts one).
          --break <rule> vector     Serve the operation vector by an implementation that leaves a rule out
                                    (\(rules)):
                                    a runner of vectors is good if it notices.
          -h, --help                Show this text.

        """

    /// What can be left out on purpose.
    private static let rules = OmittedRule.allCases.map(\.rawValue).joined(separator: ", ")

    static func main() {
        exit(run(Array(CommandLine.arguments.dropFirst())))
    }

    private static func run(_ arguments: [String]) -> Int32 {
        switch (arguments.first ?? "", arguments.count) {
        case ("-h", 1), ("--help", 1): say(usage)
        case ("--ops", 1): say(Operation.all.map { $0.name + "\n" }.joined())
        case ("--storm", 2...3): return storm(arguments[1], seed: arguments.count == 3 ? arguments[2] : "1")
        case ("--crashes", 2...4):
            return crashes(
                arguments[1], seed: arguments.count > 2 ? arguments[2] : "1",
                arguments.count > 3 ? arguments[3] : "journal")
        case ("--crash-writers", 4):
            guard let kind = CrashedStore.Kind(rawValue: arguments[1]) else { return complain("expected a store") }
            return Crashes.write(kind, into: arguments[2], round: arguments[3], say)
        case (let name, 1) where !name.isEmpty && !name.hasPrefix("-"):
            answerLines(Operation.all.first { $0.name == name })
        case ("--break", 3) where arguments[2] == "vector":
            guard let rule = OmittedRule(rawValue: arguments[1]) else {
                return complain("'--break' takes one of \(rules)")
            }
            answerLines(.vector(breaking: rule))
        case (_, 0): return complain("expected an operation")
        default: return complain("unknown arguments '\(arguments.joined(separator: " "))'")
        }
        return EXIT_SUCCESS
    }

    private static func storm(_ count: String, seed: String) -> Int32 {
        guard let count = Int(count), count > 0, let seed = UInt64(seed) else {
            return complain("'--storm' takes a count and a seed")
        }
        var storm = Storm(seed: seed)
        for target in Storm.Target.all {
            say("\(target.name): \(count) inputs, \(storm.run(target, count: count)) accepted\n")
        }
        // Each of what follows takes dozens of signatures.
        let rounds = max(1, count / 64)
        for scene in Storm.Scene.all {
            guard let taken = storm.run(scene, count: rounds, seed: seed) else {
                say("\(scene.name): what was taken in cannot be read back (seed \(seed))\n")
                return EXIT_FAILURE
            }
            say("\(scene.name): \(rounds) distortions, \(taken) taken\n")
        }
        say("\(count * Storm.Target.all.count + rounds * Storm.Scene.all.count) inputs, no trap\n")
        return EXIT_SUCCESS
    }

    private static func crashes(_ count: String, seed: String, _ store: String) -> Int32 {
        guard let count = Int(count), count > 0, let seed = UInt64(seed), let kind = CrashedStore.Kind(rawValue: store)
        else {
            return complain("'--crashes' takes a count, a seed, and journal, sqlite or postgresql")
        }
        return Crashes.run(rounds: count, seed: seed, kind, say)
    }

    private static func complain(_ message: String) -> Int32 {
        FileHandle.standardError.write(Data("Error: \(message)\n\(usage)".utf8))
        return EX_USAGE
    }

    private static func answerLines(_ operation: Operation?) {
        var lines = LineReader()
        while let line = lines.next() {
            say(answer(to: line, with: operation).encodedString() + "\n")
        }
    }

    /// The answer to one line; whatever is wrong with the line becomes an answer too, so that the other side never
    /// waits in vain.
    static func answer(to line: LineReader.Line, with operation: Operation?) -> JSON {
        guard let operation else { return ["unsupported": true] }
        do throws(Fault) {
            guard case .bytes(let bytes) = line else { throw .tooLong }
            return try operation.answer(Input(parsing: bytes))
        } catch {
            return error.answer
        }
    }

    @Sendable private static func say(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
