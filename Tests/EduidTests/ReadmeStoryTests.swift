import Foundation
import TestSupport
import Testing

@testable import eduid

@Suite("Command line: the story in README.md")
struct ReadmeStoryTests {
    /// The lines of the first block of text, `…` for what is left out.
    private static func story(in readme: String) -> [Substring] {
        let lines = readme.split(separator: "\n")
        guard let start = lines.firstIndex(of: "```text") else { return [] }
        return lines[(start + 1)...].prefix { $0 != "```" }.filter { $0 != "…" }
    }

    @Test("Every line that README.md shows is told, in its order") func story() throws {
        let readme = try String(contentsOf: Repository.root.appending(path: "README.md"), encoding: .utf8)
        let shown = Self.story(in: readme)
        #expect(shown.count > 4)
        var told = World().run(["demo", "--seed", "1"]).text.split(separator: "\n")[...]
        for line in shown {
            let place = try #require(told.firstIndex(of: line), "'\(line)' is not told")
            told = told[(place + 1)...]
        }
    }

    @Test("The first block is read, without what is left out") func reading() {
        #expect(Self.story(in: "a\n```text\nb\n…\nc\n```\n```text\nd\n```") == ["b", "c"])
        #expect(Self.story(in: "no block").isEmpty)
    }
}
