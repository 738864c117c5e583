import Foundation

/// Runs the benchmarks that the command line selects; figures from a debug build would mislead, so it prints none.
@main
struct EduidBench {
    static func main() {
        exit(run(Array(CommandLine.arguments.dropFirst())))
    }

    private static func run(_ arguments: [String]) -> Int32 {
        if arguments.first == "simulate" { return simulate(arguments.dropFirst()) }
        if arguments == ["footprint"] { return Footprint.run(say) }
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
        FileHandle.standardError.write(
            Data("Error: figures of a debug build mean nothing; build with 'swift build -c release'.\n".utf8))
        return EXIT_FAILURE
        #else
        let selected = topics.filter { options.mayConcern($0.names) }.flatMap { $0.benchmarks() }.filter {
            options.selects($0.name)
        }
        guard !selected.isEmpty else {
            let known = topics.flatMap { $0.benchmarks() }.map(\.name).joined(separator: " ")
            FileHandle.standardError.write(
                Data("Error: no benchmark is named '\(options.only ?? "")'. Known: \(known)\n".utf8))
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

    private static func simulate(_ arguments: ArraySlice<String>) -> Int32 {
        if arguments.contains(where: { ["-h", "--help"].contains($0) }) {
            say(Simulate.usage)
            return EXIT_SUCCESS
        }
        do throws(Options.UsageError) {
            return try Simulate(arguments).run(say)
        } catch {
            FileHandle.standardError.write(Data("Error: \(error.message)\n\(Simulate.usage)".utf8))
            return EX_USAGE
        }
    }

    /// Benchmarks that belong together, made only when asked for, since some have much to prepare; their names begin
    /// with one of these words.
    private static let topics: [(names: [String], benchmarks: @Sendable () -> [Benchmark])] = [
        (["sha256", "sha512", "hmac"], hashBenchmarks),
        (["ed25519"], signatureBenchmarks),
        (["json"], jsonBenchmarks),
        (["base64url"], encodingBenchmarks),
        (["jwt", "jwk"], joseBenchmarks),
        (["rsd2"], serviceDescriptionBenchmarks),
        (["tokentree"], tokenTreeBenchmarks),
        (["nail"], nailBenchmarks),
        (["federation"], federationBenchmarks),
        (["signed"], signedTokenBenchmarks),
        (["oauth"], messageBenchmarks),
    ]

    private static func say(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
