import TestSupport
import Testing

@testable import eduid

/// What holds for every command of the table.
@Suite("Command line: the table")
struct CommandTests {
    /// Every command with all above it.
    private static let paths: [[Command]] = below([Program.command])

    private static func below(_ path: [Command]) -> [[Command]] {
        [path] + (path.last?.subcommands ?? []).flatMap { below(path + [$0]) }
    }

    private static func words(_ path: [Command]) -> [String] { path.dropFirst().map(\.name) }

    @Test("names are distinct, and every command is explained") func table() {
        for path in Self.paths {
            guard let command = path.last else { continue }
            let spellings = command.allOptions.flatMap(\.spellings)
            #expect(Set(spellings).count == spellings.count, "\(command.name)")
            #expect(Set(command.arguments.map(\.name)).count == command.arguments.count, "\(command.name)")
            #expect(Set(command.subcommands.map(\.name)).count == command.subcommands.count, "\(command.name)")
            let abstracts = [command.abstract] + command.options.map(\.abstract) + command.arguments.map(\.abstract)
            #expect(abstracts.allSatisfy { $0.hasSuffix(".") || $0.hasSuffix(").") }, "\(command.name): \(abstracts)")
            #expect((command.run == nil) != command.subcommands.isEmpty, "\(command.name)")
        }
    }

    @Test("help is the same however it is asked for, and fits a terminal") func help() {
        for path in Self.paths {
            let words = Self.words(path)
            let help = World().run(words + ["--help"])
            #expect(help.status == 0)
            #expect(help.errors.isEmpty)
            #expect(help == World().run(words + ["-h"]))
            #expect(help == World().run(["help"] + words))
            let lines = help.text.split(separator: "\n")
            #expect(lines.allSatisfy { $0.count <= 80 }, "\(words): \(lines.filter { $0.count > 80 })")
        }
    }

    @Test("completions know every command and every option", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) {
        let script = World().run(["completions", shell])
        #expect(script.status == 0)
        for path in Self.paths {
            #expect(script.text.contains(path[path.count - 1].name))
            for option in path.last?.options ?? [] {
                #expect(
                    script.text.contains(shell == "fish" ? "-l \(option.name)" : "--\(option.name)"), "\(option.name)")
            }
        }
    }

    @Test("every option is understood in both spellings, and refused twice unless it may be repeated") func options()
        throws
    {
        for path in Self.paths {
            guard let command = path.last, command.run != nil else { continue }
            let required = command.options.filter(\.isRequired).map {
                "--\($0.name)=" + ($0.kind.choices.first ?? "x")
            }
            let arguments = command.arguments.map { $0.kind.choices.first ?? "x" }
            for option in command.options {
                let others = required.filter { !$0.hasPrefix("--\(option.name)=") } + arguments
                let value = option.value.map { _ in option.kind.choices.first ?? "y" }
                for spelling in option.spellings {
                    let separate = try Invocation([spelling] + (value.map { [$0] } ?? []) + others, to: path)
                    #expect(separate.all(option) == [value ?? ""])
                }
                guard let value else { continue }
                let joined = "--\(option.name)=\(value)"
                let together = try Invocation([joined] + others, to: path)
                #expect(together.all(option) == [value])
                let twice = try? Invocation([joined, joined] + others, to: path)
                #expect(twice?.all(option) == (option.isRepeated ? [value, value] : nil))
            }
        }
    }

    @Test("no words make the program trap, and each status is one of three", arguments: 0..<8 as Range<UInt64>)
    func hostile(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let names = Self.paths.flatMap { [$0[$0.count - 1].name] + ($0.last?.allOptions.flatMap(\.spellings) ?? []) }
        let strange = [
            "", "-", "--", "---", "-=", "--=", "--to=", "--=x", "=", "é", "e\u{301}", "\u{1b}[31m", "\0", "-é",
            "--é=\u{202e}", "0", "-1",
            "9223372036854775808", "1e999", "--at", "1e18", "--leeway", "31556952001", "pem", "json",
            "https://a.example",
            "org.ietf.oauth2",
        ]
        let files = [
            "pair.jwk", "pair.der", "set.jwks", "token.jwt", "claims.json", "service.json", "service.xml",
            "tree.snapshot", "-",
        ]
        for round in 0..<300 {
            var words = Self.paths.randomElement(using: &generator).map(Self.words) ?? []
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                let pool = [names, strange, files].randomElement(using: &generator) ?? []
                words.append(pool.randomElement(using: &generator) ?? "")
            }
            let answer = World().run(words, input: generator.bytes(Int.random(in: 0...40, using: &generator)))
            #expect([0, 1, 64].contains(answer.status), "seed \(seed), round \(round): \(words)")
            #expect((answer.status == 0) || !answer.errors.isEmpty, "seed \(seed), round \(round): \(words)")
            let control = (answer.errors + answer.output).contains { $0 == 0x1b }
            #expect(!control, "seed \(seed), round \(round): \(words)")
        }
    }

    @Test("mutated files never trap", arguments: 0..<4 as Range<UInt64>)
    func mutated(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let commands: [(file: String, words: [String])] = [
            ("pair.jwk", ["key", "convert", "-", "--to", "pem"]), ("pair.der", ["key", "public", "-"]),
            ("pair.pem", ["key", "public", "-"]),
            ("private-set.jwks", ["key", "thumbprint", "-"]), ("token.jwt", ["jwt", "inspect", "-"]),
            ("token.jwt", ["jwt", "verify", "--key", "public.jwk", "-"]),
            ("claims.json", ["jwt", "sign", "--key", "pair.jwk", "-"]),
            ("service.xml", ["rsd2", "validate", "-", "--output", "json"]),
            ("service.yaml", ["rsd2", "convert", "-", "--to", "json"]),
            ("tree.snapshot", ["tree", "explain", "-", "app-1"]),
        ]
        for (file, words) in commands {
            let bytes = try Repository.fixture("command-line/files/" + file)
            for _ in 0..<40 {
                var copy = bytes
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    copy[Int.random(in: copy.indices, using: &generator)] = UInt8.random(
                        in: .min ... .max, using: &generator)
                }
                if Bool.random(using: &generator) { copy.removeLast(Int.random(in: 0..<copy.count, using: &generator)) }
                let answer = World().run(words, input: copy)
                #expect(answer.status == 0 || answer.status == 1, "seed \(seed), \(words): \(copy)")
            }
        }
    }

    @Test("colours appear only where they are wanted") func colours() {
        let world = World()
        let words = ["jwt", "inspect", "steering.jwt"]
        #expect(!world.run(words).output.contains(0x1b))
        world.hasColours = true
        let coloured = world.run(words).text
        #expect(coloured.hasPrefix("\u{1b}[31mNOT VERIFIED"))
        #expect(coloured.contains(#""sub": "\u001b[2J\u009b31m\u202eadmin""#))
    }
}
