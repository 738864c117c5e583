import TestSupport
import Testing

@Suite("Pages of the protocol")
struct PageTests {
    @Test("Every page has a title and says what it is about, and its prose is as wide as a screen")
    func shape() {
        #expect(Page.all.count > 20)
        for page in Page.all {
            #expect(page.lines[0].hasPrefix("# ") && page.lines[1].isEmpty && !page.lines[2].isEmpty, "\(page.name)")
            for (number, line) in page.prose where !line.hasPrefix("|") && !line.contains("<!--") {
                #expect(line.count <= 150, "\(page.name):\(number)")
            }
        }
    }

    @Test("Every link leads somewhere")
    func links() {
        let anchors = Dictionary(uniqueKeysWithValues: Page.all.map { ($0.name, $0.anchors) })
        for page in Page.all {
            for (line, target) in page.links where !target.hasPrefix("http") && !target.hasPrefix("../") {
                let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let name = parts[0].isEmpty ? page.name : String(parts[0])
                let place = parts.count > 1 ? String(parts[1]) : nil
                guard let found = anchors[name] else {
                    Issue.record("\(page.name):\(line): there is no page \(name)")
                    continue
                }
                if let place { #expect(found.contains(place), "\(page.name):\(line): \(target)") }
            }
        }
    }

    @Test("The list of pages in the first one has all of them")
    func list() {
        let first = Page.all.first { $0.name == "README.md" }
        let named = Set((first?.links ?? []).map { String($0.target.prefix { $0 != "#" }) })
        for page in Page.all where page.name != "README.md" { #expect(named.contains(page.name), "\(page.name)") }
    }
}
