import TestSupport
import Testing

@Suite("House: purity", .proves("house"))
struct PurityTests {
    private func rules(_ text: String, path: String = "Sources/Wire/A.swift") -> [String] {
        purityViolations(in: SourceFile(path: path, text: text)).map(\.rule)
    }

    @Test func theLibrariesArePure() {
        let violations = Checkout.librarySources.flatMap { purityViolations(in: $0) }
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
    }

    @Test func unsafeMemoryStaysAtTheBottom() {
        let violations = Checkout.librarySources.flatMap(unsafeViolations)
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
    }

    @Test func everySwiftFileCanBeRead() {
        #expect(!Checkout.librarySources.isEmpty)
        let violations = (Checkout.swiftSources + Checkout.swiftTests + [Checkout.manifest]).flatMap(readingViolations)
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
    }

    @Test func everyExceptionIsStillNeeded() {
        for exception in PurityException.granted {
            let covered = Checkout.librarySources.filter(exception.covers)
            let used = covered.contains { file in impurities(in: file.tokens).contains { $0.rule == exception.rule } }
            #expect(
                used || covered.isEmpty, "\(exception.place) no longer needs its exception from '\(exception.rule)'")
        }
    }

    @Test(arguments: Forbidden.inLibraries.map(\.tokens))
    func everyForbiddenSpellingIsFound(_ tokens: [String]) {
        #expect(rules("let a = \(tokens.joined(separator: " ")) x").contains { $0.hasSuffix(": " + tokens.joined()) })
    }

    @Test func waitingActingThrowingAndBoxingAreFound() {
        #expect(rules("actor Store {}") == ["task: actor"])
        #expect(rules("func f() throws {}") == ["embeddable: throws without a type"])
        #expect(rules("func f() throws -> Int { 1 }") == ["embeddable: throws without a type"])
        #expect(rules("var a: any Error") == ["embeddable: any"])
        #expect(rules("func f() async {}") == ["async: async"])
        #expect(rules("let e = \"\\(Date())\"") == ["clock: Date("])
    }

    @Test func chanceNeedsItsGenerator() {
        #expect(rules("UInt8.random(in: 0...3)") == ["chance: .random() without a generator"])
        #expect(rules("a.shuffled()") == ["chance: .shuffled() without a generator"])
        #expect(rules("UInt8.random(in: f(using: 1))") == ["chance: .random() without a generator"])
        #expect(rules("UInt8.random(in: 0...3, using: &entropy) + a.shuffled(using: &entropy)").isEmpty)
    }

    @Test func wordsInCommentsStringsAndOtherRolesPass() {
        #expect(rules("// print(Date())\n/* Mutex */ let a = \"fatalError( try! \"").isEmpty)
        #expect(rules("func f() throws(Rejection) { try g() }").isEmpty)
        #expect(rules("let actor = 1; let x = actor; func any(of a: Int) {}").isEmpty)
        #expect(rules("let date: Date; extension Task: Sendable {}").isEmpty)
        #expect(rules("print(Date())", path: "Sources/eduid/main.swift").isEmpty)
    }

    @Test func exceptionsHoldForOnePlaceAndOneRule() {
        #expect(rules("unsafeBitCast(a, to: B.self)", path: "Sources/Wire/Text/Sextets.swift").isEmpty)
        #expect(
            rules("unsafeBitCast(a, to: B.self)", path: "Sources/Wire/Text/Sextets2.swift") == ["bits: unsafeBitCast"])
        #expect(rules("func f() async {}", path: "Sources/NAIL/A.swift").isEmpty)
        #expect(rules("Task {}", path: "Sources/NAIL/A.swift") == ["task: Task{"])
        #expect(rules("func f() async {}", path: "Sources/JOSE/A.swift") == ["async: async"])
    }

    @Test func unsafeMemoryIsFoundAboveTheGround() {
        func found(_ text: String, _ path: String) -> Int {
            unsafeViolations(in: SourceFile(path: path, text: text)).count
        }
        #expect(found("a.withUnsafeBytes { (p: UnsafeRawBufferPointer) in }", "Sources/JOSE/A.swift") == 2)
        #expect(found("String(unsafeUninitializedCapacity: 3)", "Sources/RSD2/A.swift") == 1)
        #expect(found("a.withContiguousStorageIfAvailable(f)", "Sources/RSD2/A.swift") == 1)
        #expect(found("a.withUnsafeBytes { $0 } // UnsafePointer", "Sources/Wire/A.swift") == 0)
        #expect(found("let a = \"UnsafePointer\"", "Sources/JOSE/A.swift") == 0)
    }

    @Test func anUnreadableFileIsFound() {
        #expect(readingViolations(in: SourceFile(path: "Sources/Wire/A.swift", text: "let a = \"")).count == 1)
        #expect(readingViolations(in: SourceFile(path: "README.md", text: "\"")).isEmpty)
    }
}
