import TestSupport
import Testing
import TokenTree
import TokenTreeTesting
import Wire

@Suite("STO: the laws of two who write at once")
struct RaceTests {
    private func report(_ violations: [Violation]) -> Comment {
        Comment(rawValue: violations.map(\.description).joined(separator: "\n"))
    }

    @Test(.proves("STO-7")) func oneWriterAfterTheOtherKeepsEveryLaw() async {
        let violations = await Conformance.violations(connecting: {
            let store = Distant(store: DurableTree())
            return (store, store)
        })
        #expect(violations.isEmpty, report(violations))
    }
}
