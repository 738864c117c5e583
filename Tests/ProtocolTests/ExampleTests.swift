import Foundation
import TestSupport
import Testing

@Suite("What programs write in the pages of the protocol")
struct ExampleTests {
    private static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_PROTOCOL"] == "1"
    private static let advice = "If this is meant: UPDATE_PROTOCOL=1 swift test --filter ProtocolTests"

    /// Set `UPDATE_PROTOCOL=1` to write the blocks and the references anew.
    @Test(
        "Every example is what its vector says, and every obligation leads to the table",
        arguments: Page.all.map(\.name))
    func examples(_ name: String) throws {
        let page = try #require(Page.all.first { $0.name == name })
        guard name != "obligations.md" else { return }
        let written = Self.renewed(page)
        if Self.isUpdating { return try Page.write(written.joined(separator: "\n"), as: name) }
        #expect(written == page.lines, "\(Self.advice)")
    }

    /// The page with its examples, and with the places behind it that names in brackets lead to.
    private static func renewed(_ page: Page) -> [String] {
        var written: [String] = []
        var rest = page.lines[...]
        while let line = rest.popFirst() {
            if line.contains(#/^\[[^\]]+\]: obligations/#) { continue }
            written.append(line)
            guard let example = Example(marker: line) else { continue }
            let indent = String(line.prefix { $0 == " " })
            guard let lines = example.lines, let opening = rest.popFirst(), opening.contains("```") else {
                Issue.record("\(page.name): nothing for \(line)")
                continue
            }
            written += [opening] + lines.map { $0.isEmpty ? "" : indent + $0 } + [indent + "```"]
            while let old = rest.popFirst(), !old.contains("```") {}
        }
        while written.last == "" { written.removeLast() }
        let references = Obligation.references(of: page)
        return written + (references.isEmpty ? [] : [""] + references) + [""]
    }

    @Test("Every interaction is shown with a message")
    func shown() {
        let shown = Page.all.flatMap { page in page.lines.compactMap { Example(marker: $0)?.id } }
        let chapters = Set(shown.compactMap { $0.split(separator: "/").first.map(String.init) })
        #expect(chapters.isSuperset(of: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]), "\(chapters)")
    }
}
