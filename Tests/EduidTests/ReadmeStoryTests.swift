import Foundation
import TestSupport
import Testing

@testable import eduid

@Suite("Command line: the story in README.md")
struct ReadmeStoryTests {
    /// The lines of the first block of text, without `…` for what is left out.
    private static func story(in readme: String) -> [Substring] {
        let lines = readme.split(separator: "\n")
        guard let start = lines.firstIndex(of: "```text") else { return [] }
        return lines[(start + 1)...].prefix { $0 != "```" }.filter { $0 != "…" }
    }

    /// What is typed at the second terminal, in words.
    private static func commands(in readme: String) -> [[String]] {
        let beginning = "swift run eduid "
        return readme.split(separator: "\n").filter { line in
            ["phone ", "reader "].contains { line.hasPrefix(beginning + $0) }
        }.map { line in
            line.prefix { $0 != "#" }.dropFirst(beginning.count).split(separator: " ").map(String.init)
        }
    }

    /// Whether a line is the one that is shown, which may break off with `…`.
    private static func isShown(_ line: Substring, by shown: String) -> Bool {
        shown.hasSuffix("…") ? line.hasPrefix(shown.dropLast()) : line == shown
    }

    @Test("Every line that README.md shows is told by the commands that it shows, in their order") func story() throws {
        let readme = try String(contentsOf: Repository.root.appending(path: "README.md"), encoding: .utf8)
        let (shown, commands) = (Self.story(in: readme), Self.commands(in: readme))
        #expect(shown.count > 4 && commands.count == 5)
        let trial = try RunningTrial()
        var output = ""
        for words in commands {
            let typed = words.contains("sign-in") ? try trial.password(of: "ada") + "\n" : "\n"
            let done = try trial.run(words, input: typed)
            #expect(done.status == 0, "\(words): \(done.output)")
            output += done.output
        }
        var told = output.split(separator: "\n")[...]
        for line in shown {
            var line = String(line)
            for offset in 1...2 {
                line = line.replacingOccurrences(of: "http://localhost:808\(offset)/", with: trial.url(of: offset))
            }
            let place = try #require(
                told.firstIndex { Self.isShown($0, by: line) }, "'\(line)' is not told in \(output)")
            told = told[(place + 1)...]
        }
    }

    @Test("The first block is read, without what is left out") func reading() {
        #expect(Self.story(in: "a\n```text\nb\n…\nc\n```\n```text\nd\n```") == ["b", "c"])
        #expect(Self.story(in: "no block").isEmpty)
        #expect(Self.commands(in: "swift run eduid up\nswift run eduid phone list  # all\n") == [["phone", "list"]])
        #expect(Self.isShown("abc", by: "ab…") && !Self.isShown("abc", by: "ab") && Self.isShown("ab", by: "ab"))
    }
}
