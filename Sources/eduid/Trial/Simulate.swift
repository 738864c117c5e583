import FederationTesting
import Foundation
import Synchronization
import Wire

/// Whole federations to which everything happens that can, by seeds.
enum Simulate {
    private static let seed = Option(
        name: "seed", value: "number", abstract: "The seed of the first history; the others follow on it.",
        fallback: "0")
    private static let histories = Option(
        name: "histories", value: "count", abstract: "How many histories.", fallback: "100")
    private static let steps = Option(
        name: "steps", value: "count", abstract: "How many steps each has, up to 1000000.", fallback: "24")
    private static let services = Option(
        name: "services", value: "count", abstract: "How many services the federation has, up to 800.", fallback: "3")
    private static let phones = Option(
        name: "phones", value: "count", abstract: "How many phones there are, up to 1000000.", fallback: "2")
    private static let people = Option(
        name: "people", value: "count", abstract: "How many people have an account, up to 1000000.", fallback: "3")
    private static let days = Option(
        name: "days", value: "count",
        abstract: "Over how many days the steps are spread, up to 36500; chance decides unless you say.")
    private static let play = Option(
        name: "play", value: "steps", abstract: "Play these steps, parted by commas, in the place of a seed's own.")
    private static let explain = Option(
        name: "explain",
        abstract: "Tell one history as a story: each step, each message, what was refused, and what lives then.")

    static let command = Command(
        name: "simulate", abstract: "Let histories with faults happen to whole federations, and check the laws.",
        options: [seed, histories, steps, services, phones, people, days, play, explain, .output],
        discussion: """
            A federation of an edu-ID service, services, phones with people and third-party apps
            runs in memory, by the code that hosts run. What people and administrators do follows
            from a seed, and so does what goes wrong: messages are lost, doubled and held back,
            sign-ins are left in the middle, links come into wrong hands, processes and stores fail
            in the middle, stores are restored from backups, phones are killed and restored, clocks
            are wrong, keys change, and services leave, lie in what they say and change hands. Others
            send messages astray, change and forge them, and guess passwords. In the end everything
            is repaired and time passes.

            Then, and at each step, the laws must hold: what ended stays ended and is over
            everywhere, what was granted and not ended works, nothing is granted that no person
            granted, a sign-in takes all its steps, a message that comes twice gives nothing, a
            token works for its app at its service alone, services learn what is released to them
            and cannot join what they know, everything that was written can be read, and from every
            state an honest person gets to a working app.

            The same seed is the same history on every machine; what breaks a law is shrunk to
            the fewest steps that still break it, with the command that plays it again.

            As JSON: histories, steps, seconds (how much time passed in all of them), digest (one
            hash of everything that went over the wire), unreached (what never happened), and where
            a law was broken seed, law, evidence and history (an array of steps).

            Exit status: 0 when all laws held, and 1000 histories or more reached everything.
            """
    ) { (invocation, console) throws(Failure) in
        let first = try number(seed, in: 0...UInt64.max / 2, invocation)
        let count = try number(histories, in: 1...1_000_000_000, invocation)
        var size = FederationSimulation.Size()
        size.services = Int(try number(services, in: 1...800, invocation))
        size.phones = Int(try number(phones, in: 1...1_000_000, invocation))
        size.people = Int(try number(people, in: 1...1_000_000, invocation))
        let length = Length(
            steps: Int(try number(steps, in: 1...1_000_000, invocation)),
            days: invocation.has(days) ? Int(try number(days, in: 1...36_500, invocation)) : nil)
        let simulation = try console.simulation(size)
        let history = try invocation[play].map { text throws(Failure) in
            guard let history = FederationSimulation.History(parsing: text) else {
                throw Invocation.invalid(text, play, "expected steps as a failure prints them, parted by commas")
            }
            return history
        }
        if let history {
            try show(
                Trial(simulation, size, first, length, history), tells: invocation.has(explain), invocation, &console)
        } else if invocation.has(explain) {
            try show(Trial(simulation, size, first, length, nil), tells: true, invocation, &console)
        } else {
            try run(simulation, size, from: first, count: count, length, invocation, &console)
        }
    }

    private static func number(
        _ option: Option, in range: ClosedRange<UInt64>, _ invocation: Invocation
    ) throws(Failure) -> UInt64 {
        let text = invocation[option] ?? ""
        guard let value = UInt64(text), range.contains(value) else {
            throw Invocation.invalid(
                text, option, "expected a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// How long histories are.
    private struct Length {
        let steps: Int
        let days: Int?
    }

    /// One history.
    private struct Trial {
        let simulation: FederationSimulation
        let size: FederationSimulation.Size
        let seed: UInt64
        let history: FederationSimulation.History

        init(
            _ simulation: FederationSimulation, _ size: FederationSimulation.Size, _ seed: UInt64, _ length: Length,
            _ history: FederationSimulation.History?
        ) {
            (self.simulation, self.size, self.seed) = (simulation, size, seed)
            self.history =
                history
                ?? FederationSimulation.History(seed: seed, steps: length.steps, size: size, days: length.days)
        }
    }

    private static func show(
        _ trial: Trial, tells: Bool, _ invocation: Invocation, _ console: inout Console
    ) throws(Failure) {
        let played = trial.simulation.play(trial.history, seed: trial.seed, telling: tells)
        if !invocation.isForPrograms {
            for line in played.story { console.say(line) }
            if let violation = played.violation {
                console.say("\(violation)", as: .bad)
            } else {
                console.say("All laws held.", as: .good)
            }
        }
        try finish(
            1, played.coverage, digest: played.digest,
            played.violation.map { .init(seed: trial.seed, history: trial.history, violation: $0) },
            trial.size, invocation, &console)
    }

    // MARK: Many

    /// What all threads have found together.
    private struct Findings: Sendable {
        var next: UInt64
        var coverage = FederationSimulation.Coverage()
        var digests: [UInt64: [UInt8]] = [:]
        var failing: (seed: UInt64, violation: FederationSimulation.Violation)?
        var headway: Headway
    }

    private static func run(
        _ simulation: FederationSimulation, _ size: FederationSimulation.Size, from first: UInt64, count: UInt64,
        _ length: Length, _ invocation: Invocation, _ console: inout Console
    ) throws(Failure) {
        let end = first + count
        let findings = Mutex(Findings(next: first, headway: Headway(of: count)))
        let isShown = isatty(STDERR_FILENO) == 1
        let work: @Sendable (Int) -> Void = { worker in
            while true {
                let seed: UInt64? = findings.withLock { findings in
                    guard findings.failing == nil, findings.next < end else { return nil }
                    defer { findings.next += 1 }
                    return findings.next
                }
                guard let seed else { return }
                let played = simulation.play(seed: seed, steps: length.steps, days: length.days) { progress in
                    let line = findings.withLock { $0.headway.come(to: progress, in: seed, at: .now) }
                    if isShown, let line { show(line) }
                }
                let line = findings.withLock { findings in
                    findings.coverage.add(played.coverage)
                    findings.digests[seed] = played.digest
                    if let violation = played.violation, seed < findings.failing?.seed ?? .max {
                        findings.failing = (seed, violation)
                    }
                    return findings.headway.end(seed, at: .now)
                }
                if isShown, let line { show(line) }
            }
        }
        DispatchQueue.concurrentPerform(iterations: ProcessInfo.processInfo.activeProcessorCount, execute: work)
        if isShown { show("") }
        let found = findings.withLock { $0 }
        let digest = FederationSimulation.digest(of: found.digests.sorted { $0.key < $1.key }.map { $0.value })
        let failure = found.failing.flatMap { seed, violation in
            // Who does not wait for the shortest history knows what was found.
            FileHandle.standardError.write(Data("seed \(seed) is shrunk, which broke a law: \(violation)\n".utf8))
            let trial = Trial(simulation, size, seed, length, nil)
            var headway = Headway(of: 1)
            defer { if isShown { show("") } }
            return simulation.shrunk(trial.history, seed: seed, tries: triesAtMost(for: size, length)) { progress in
                if isShown, let line = headway.come(to: progress, in: seed, at: .now) { show(line) }
            }
        }
        if !invocation.isForPrograms {
            let total = found.coverage.steps.values.reduce(0, +)
            let days = found.coverage.time.components.seconds / 86_400
            console.say("\(found.digests.count) histories from seed \(first) on, \(total) steps, \(days) days in all")
            let unreached = found.coverage.unreached(in: size)
            if !unreached.isEmpty { console.say("Never reached: \(unreached.joined(separator: ", "))") }
            if let failure {
                console.say("\(failure)", as: .bad)
            } else {
                console.say("All laws held; what went over the wire: \(hexadecimal(digest))", as: .good)
            }
        }
        try finish(found.digests.count, found.coverage, digest: digest, failure, size, invocation, &console)
    }

    /// How often a part of a history that failed is played: of a large federation some few times.
    private static func triesAtMost(for size: FederationSimulation.Size, _ length: Length) -> Int {
        max(8, 1_000_000 / (length.steps + 10 * size.phones + 100 * size.services))
    }

    /// So many histories reach everything, or something is wrong with how they come about.
    private static let telling = 1_000

    /// Shows how far this has come, in the place of what was shown before.
    private static func show(_ progress: String) {
        FileHandle.standardError.write(Data("\r\u{1b}[K\(progress)".utf8))
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func finish(
        _ count: Int, _ coverage: FederationSimulation.Coverage, digest: [UInt8],
        _ failure: FederationSimulation.Failure?, _ size: FederationSimulation.Size, _ invocation: Invocation,
        _ console: inout Console
    ) throws(Failure) {
        let unreached = coverage.unreached(in: size)
        if invocation.isForPrograms {
            var report: JSON.Object = [
                "histories": .number(JSON.Number(Int64(count))),
                "steps": .number(JSON.Number(Int64(coverage.steps.values.reduce(0, +)))),
                "seconds": .number(JSON.Number(coverage.time.components.seconds)),
                "digest": .string(hexadecimal(digest)),
                "unreached": .array(unreached.map { .string($0) }),
            ]
            if let failure {
                report["seed"] = .string(String(failure.seed))
                report["law"] = .string(failure.violation.law)
                report["evidence"] = .string(failure.violation.evidence)
                report["history"] = .array(failure.history.steps.map { .string($0.description) })
            }
            console.report(report)
        }
        guard let failure else {
            guard count < Self.telling || unreached.isEmpty else {
                throw .refused("the histories reached too little: never \(unreached.joined(separator: ", "))")
            }
            return
        }
        let standard = FederationSimulation.Size()
        let sizes =
            (size.services == standard.services ? "" : " --services \(size.services)")
            + (size.phones == standard.phones ? "" : " --phones \(size.phones)")
            + (size.people == standard.people ? "" : " --people \(size.people)")
        let steps = failure.history.steps.map(\.description).joined(separator: ",")
        let again = "eduid simulate --seed \(failure.seed)\(sizes) --explain --play '\(steps)'"
        throw .refused("a law was broken; play it again: \(again)")
    }
}
