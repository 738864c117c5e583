import TestSupport
import Testing
import TokenTree
import TokenTreeTesting
import Wire

@Suite("TOK: the laws of a store")
struct ConformanceTests {
    private func report(_ breaches: [Conformance.Breach]) -> Comment {
        Comment(rawValue: breaches.map(\.description).joined(separator: "\n"))
    }

    @Test(.proves("TOK-1"), .proves("TOK-8")) func theTreeKeepsEveryLaw() {
        let breaches = Conformance.breaches(
            making: { DurableTree() },
            restarting: { store in
                var store = store
                store.restart()
                return store
            })
        #expect(breaches.isEmpty, report(breaches))
    }

    @Test func theModelKeepsEveryLaw() {
        let breaches = Conformance.breaches(making: { PlainStore() })
        #expect(breaches.isEmpty, report(breaches))
    }
}
