import Federation
import OAuth2Grants
import TestSupport
import Testing
import VectorCatalogue

@Suite("Names of the protocol, in writing and in use")
struct NameTests {
    private let glossary = Glossary(Page.all)
    private let used = WireNames(acceptedIn: Published.vectors)

    @Test("Every name that the interactions use is defined", arguments: Glossary.Category.allCases)
    func defined(_ category: Glossary.Category) {
        var defined = glossary[category]
        // What is told of a user has the names of claims, and so have tokens' confirmations.
        if category == .member { defined.formUnion(glossary[.claim].union(glossary[.header])) }
        let missing = (used.names[category] ?? [:]).filter { !defined.contains($0.key) }
        #expect(missing.isEmpty, "\(category.rawValue): \(missing.sorted { $0.key < $1.key })")
    }

    @Test("Every name that is defined is used by a vector", arguments: Glossary.Category.allCases)
    func used(_ category: Glossary.Category) {
        guard category != .endpoint else { return }
        let unused = glossary[category].subtracting(Self.words)
        #expect(unused.isEmpty, "\(category.rawValue): \(unused.sorted())")
    }

    private static let words: Set<String> = Published.vectors.reduce(into: []) { $0.formUnion($1.words) }
}
