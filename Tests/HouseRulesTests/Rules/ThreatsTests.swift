import TestSupport
import Testing

@Suite("House: threats", .proves("house"))
struct ThreatsTests {
    private static let path = "Fixtures/threats.tsv"
    private static let heading = "id\tpart\tattack\tdefence\tstate\n"
    // Put together here, so that the samples do not count as mentions.
    private let word = "thr" + "eat"

    private func rules(_ rows: String..., heading: String = heading) -> [String] {
        threats(in: SourceFile(path: "a.tsv", text: heading + rows.joined(separator: "\n"))).violations.map(\.rule)
    }

    private func rules(sources: String, tests: String) -> [String] {
        let catalogue = [(1, Requirement.State.implemented), (2, .planned)].map {
            Threat(id: "\(word)-\($0.0)", attack: "a", defence: "b", state: $0.1)
        }
        return threatViolations(
            threats: catalogue, sources: [SourceFile(path: "Sources/Wire/A.md", text: sources)],
            tests: [SourceFile(path: "Tests/WireTests/A.md", text: tests)], catalogue: "a.tsv"
        ).map(\.rule)
    }

    @Test func everyNumberIsInTheCatalogueAndEveryThreatIsMet() {
        let (threats, violations) = threats(in: Checkout.file(Self.path))
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
        #expect(threats.count >= 51)
        let broken = threatViolations(
            threats: threats, sources: Checkout.sources, tests: Checkout.tests, catalogue: Self.path)
        #expect(broken.isEmpty, Comment(rawValue: report(broken)))
    }

    @Test func badLinesOfTheCatalogueAreFound() {
        let (one, two) = ("\(word)-1", "\(word)-2")
        #expect(rules("\(one)\ta\tb\tc\timplemented", "\(two)\ta\tb\tc; planned because d\tplanned").isEmpty)
        #expect(rules("\(one)\ta\tb\tc") == ["has no five filled columns"])
        #expect(rules("\(one)\ta\t\tc\timplemented") == ["has no five filled columns"])
        #expect(rules("\(two)\ta\tb\tc\timplemented") == ["'\(two)' stands in the place of '\(one)'"])
        #expect(rules("\(one)\ta\tb\tc\tdone") == ["'done' is not a state"])
        #expect(rules("\(one)\ta\tb\tc\tplanned") == ["'\(one)' is planned without a reason"])
        #expect(rules("\(one)\ta\tb\tc\tdeclined") == ["'\(one)' is declined without a reason"])
        #expect(rules(heading: "id\n").count == 1)
    }

    @Test func mentionsAreFoundInEveryForm() {
        let forms = "(\(word) 1),\n/// \(word)\n/// 2) `\(word)-3`, \(word)s 4, 5 and 6"
        let found = threatMentions(in: forms + ", but not \(word) or \(word)-x 7 x\(word)-8")
        #expect(found.map(\.id) == (1...6).map { "\(word)-\($0)" })
        #expect(found.map(\.line) == [1, 2, 3, 3, 3, 3])
    }

    @Test func brokenThreadsAreFound() {
        #expect(rules(sources: "\(word)-1", tests: "\(word) 1").isEmpty)
        #expect(rules(sources: "", tests: "\(word)-1") == ["\(word)-1 is named nowhere in Sources"])
        #expect(rules(sources: "\(word)-1", tests: "") == ["\(word)-1 is named nowhere in Tests"])
        #expect(
            rules(sources: "\(word)-1 \(word)-3", tests: "\(word)-1") == [
                "'\(word)-3' is not in the catalogue of threats"
            ])
    }
}
