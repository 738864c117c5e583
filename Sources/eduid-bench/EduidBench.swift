import Foundation

/// Runs the benchmarks that the command line selects; figures from a debug build would mislead, so it prints none.
@main
struct EduidBench {
    static func main() {
        exit(run(Array(CommandLine.arguments.dropFirst())))
    }

    private static func run(_ arguments: [String]) -> Int32 {
        let options: Options
        do throws(Options.UsageError) {
            options = try Options(arguments)
        } catch {
            FileHandle.standardError.write(Data("Error: \(error.message)\n\(Options.usage)".utf8))
            return EX_USAGE
        }
        guard !options.help else {
            say(Options.usage)
            return EXIT_SUCCESS
        }
        #if DEBUG
        FileHandle.standardError.write(Data("Error: figures of a debug build mean nothing; build with 'swift build -c release'.\n".utf8))
        return EXIT_FAILURE
        #else
        let selected = allBenchmarks().filter { options.selects($0.name) }
        guard !selected.isEmpty else {
            let known = allBenchmarks().map(\.name).joined(separator: " ")
            FileHandle.standardError.write(Data("Error: no benchmark is named '\(options.only ?? "")'. Known: \(known)\n".utf8))
            return EX_USAGE
        }
        if !options.json { say(Measurement.header) }
        for benchmark in selected {
            let row = benchmark.measured(seconds: options.seconds)
            say(options.json ? row.json : row.line)
        }
        return EXIT_SUCCESS
        #endif
    }

    private static func allBenchmarks() -> [Benchmark] {
        hashBenchmarks() + signatureBenchmarks() + jsonBenchmarks() + encodingBenchmarks()
    }

    private static func say(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
