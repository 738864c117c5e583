import Foundation

/// Runs the benchmarks that the command line selects; figures from a debug build would mislead, so it prints none.
@main
struct EduidBench {
    static func main() {
        do throws(UsageError) {
            exit(try run(Array(CommandLine.arguments.dropFirst())))
        } catch {
            complain(error.message + "\n" + error.usage.dropLast())
            exit(EX_USAGE)
        }
    }

    private static func run(_ arguments: [String]) throws(UsageError) -> Int32 {
        let isSimulation = arguments.first == "simulate"
        if arguments == ["footprint"] { return Footprint.run(say) }
        if arguments == ["flood"] { return Flood.run(say) }
        if arguments.first == "journal" { return try Durability(arguments.dropFirst()).run(say) }
        if arguments.first == "soak" { return try Soak(arguments.dropFirst()).run(say) }
        if arguments.first == "databases" { return try Databases(arguments.dropFirst()).run(say) }
        if arguments == ["threads"] {
            do { return try TwoThreads.run(say) } catch { preconditionFailure("the samples are good: \(error)") }
        }
        if arguments == ["interactions"] {
            do { return try Interactions.run(say) } catch { preconditionFailure("the samples are good: \(error)") }
        }
        if arguments == ["logout-260000"] {
            do { return try Logout.run(say) } catch { preconditionFailure("the samples are good: \(error)") }
        }
        if isSimulation && arguments.contains(where: { ["-h", "--help"].contains($0) }) {
            say(Simulate.usage)
            return EXIT_SUCCESS
        }
        if isSimulation { return try Simulate(arguments.dropFirst()).run(say) }
        let options = try Options(arguments)
        if options.help {
            say(Options.usage)
            return EXIT_SUCCESS
        }
        do { return try measure(options) } catch { preconditionFailure("the samples are good: \(error)") }
    }

    private static func measure(_ options: Options) throws -> Int32 {
        guard isOptimized else {
            complain("figures of a debug build mean nothing; build with 'swift build -c release'.")
            return EXIT_FAILURE
        }
        let selected = try topics.filter { options.mayConcern($0.names) }.flatMap { try $0.benchmarks() }.filter {
            options.selects($0.name)
        }
        guard !selected.isEmpty else {
            let known = try topics.flatMap { try $0.benchmarks() }.map(\.name).joined(separator: " ")
            complain("no benchmark is named '\(options.only ?? "")'. Known: \(known)")
            return EX_USAGE
        }
        if !options.json { say(Measurement.header) }
        for benchmark in selected {
            let row = benchmark.measured(seconds: options.seconds)
            say(options.json ? row.json : row.line)
        }
        return EXIT_SUCCESS
    }

    #if DEBUG
    private static let isOptimized = false
    #else
    private static let isOptimized = true
    #endif

    /// Benchmarks that belong together, made only when asked for, since some have much to prepare; their names begin
    /// with one of these words.
    private static let topics: [(names: [String], benchmarks: @Sendable () throws -> [Benchmark])] = [
        (["sha256", "sha512", "hmac"], hashBenchmarks),
        (["ed25519"], signatureBenchmarks),
        (["p256"], p256Benchmarks),
        (["rsa"], rsaBenchmarks),
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

    private static func complain(_ message: String) {
        FileHandle.standardError.write(Data("Error: \(message)\n".utf8))
    }

    @Sendable private static func say(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
