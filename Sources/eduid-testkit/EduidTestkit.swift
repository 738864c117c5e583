import Foundation
import Wire

/// Answers test vectors: `eduid-testkit <op>` reads a JSON object per line and writes an answer per line, in order, flushed.
@main
struct EduidTestkit {
    static let usage = """
        USAGE: eduid-testkit <op>
               eduid-testkit --ops

        Reads one JSON object per line from standard input and answers each with one line of JSON: the verdict of the
        operation (true or false) or an object with its result. A line that cannot be read answers {"error": …}; an
        operation that is not served answers {"unsupported": true} to each line.

        OPTIONS:
          --ops        List the operations, one per line.
          -h, --help   Show this text.

        """

    static func main() {
        exit(run(Array(CommandLine.arguments.dropFirst())))
    }

    private static func run(_ arguments: [String]) -> Int32 {
        guard let argument = arguments.first, arguments.count == 1, !argument.isEmpty else {
            FileHandle.standardError.write(Data("Error: expected one operation\n\(usage)".utf8))
            return EX_USAGE
        }
        switch argument {
        case "-h", "--help": say(usage)
        case "--ops": say(Operation.all.map { $0.name + "\n" }.joined())
        case _ where argument.hasPrefix("-"):
            FileHandle.standardError.write(Data("Error: unknown option '\(argument)'\n\(usage)".utf8))
            return EX_USAGE
        default: answerLines(Operation.all.first { $0.name == argument })
        }
        return EXIT_SUCCESS
    }

    private static func answerLines(_ operation: Operation?) {
        var lines = LineReader()
        while let line = lines.next() {
            say(answer(to: line, with: operation).encodedString() + "\n")
        }
    }

    /// The answer to one line; whatever is wrong with the line becomes an answer too, so that the other side never waits in vain.
    static func answer(to line: LineReader.Line, with operation: Operation?) -> JSON {
        guard let operation else { return ["unsupported": true] }
        do throws(Fault) {
            guard case .bytes(let bytes) = line else { throw .tooLong }
            return try operation.answer(Input(parsing: bytes))
        } catch {
            return error.answer
        }
    }

    private static func say(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
