import Foundation
import TestSupport
import Testing

@Suite("Obligations in the pages of the protocol")
struct ObligationTests {
    private static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_PROTOCOL"] == "1"
    private static let advice = "If this is meant: UPDATE_PROTOCOL=1 swift test --filter ProtocolTests"

    @Test("Every obligation and every threat is told on a page")
    func told() {
        let untold = Obligation.all.filter { $0.pages.isEmpty }.map(\.id)
        #expect(untold.isEmpty)
    }

    @Test("Pages name nothing else")
    func named() {
        let known = Set(Obligation.all.map(\.id))
        for page in Page.all { #expect(page.obligations.subtracting(known).isEmpty, "\(page.name)") }
    }

    /// How long something takes, what a recipe says, what becomes of disks, and what a provider of others answers, no
    /// vector shows.
    private static let beyondVectors: Set<String> = {
        let families = [
            ("STO", 12), ("HTP", 36), ("SCG", 12), ("CGI", 5), ("FWD", 7), ("SYS", 10), ("NET", 8), ("OPS", 19),
            ("OIC", 18),
        ]
        return Set(["KEY-7", "KEY-25"] + families.flatMap { family, count in (1...count).map { "\(family)-\($0)" } })
    }()

    @Test("Every obligation has a vector")
    func shown() {
        let unshown = Obligation.all.filter { $0.vectors.isEmpty && !$0.id.hasPrefix("threat") }.map(\.id)
            .filter { !Self.beyondVectors.contains($0) }
        #expect(unshown.isEmpty)
    }

    /// Set `UPDATE_PROTOCOL=1` to write it anew.
    @Test("The table of obligations is what pages, code and vectors say")
    func table() throws {
        let page = Obligation.page()
        if Self.isUpdating { return try Page.write(page, as: "obligations.md") }
        #expect(Page.all.first { $0.name == "obligations.md" }?.text == page, "\(Self.advice)")
    }
}
