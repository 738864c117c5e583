import TestSupport
import Testing

@Suite("House: shape and names", .proves("house"))
struct ShapeTests {
    private func file(lines: Int, first: String = "// One.") -> SourceFile {
        SourceFile(path: "Sources/Wire/A.md", text: first + String(repeating: "\n// More.", count: lines - 1) + "\n")
    }

    private func names(_ text: String, _ path: String = "Sources/Wire/A.swift") -> [String] {
        namingViolations(in: SourceFile(path: path, text: text)).map(\.rule)
    }

    @Test func filesAreShortOrSayWhyNot() {
        let violations = (Checkout.swiftSources + Checkout.swiftTests).flatMap(lengthViolations)
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
    }

    @Test func theTopOfTheRepositoryHoldsNothingElse() {
        #expect(Checkout.names(in: "").contains("Package.swift"))
        #expect(strangers(among: Checkout.names(in: "")) == [])
    }

    @Test func typesAndFunctionsHaveTellingNames() {
        let violations = Checkout.librarySources.flatMap(namingViolations)
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
    }

    @Test func longFilesAreFoundAtTheLimit() {
        #expect(lengthViolations(in: file(lines: 500)).isEmpty)
        #expect(lengthViolations(in: file(lines: 501)).map(\.line) == [501])
        #expect(lengthViolations(in: file(lines: 501, first: "// Longer than 500 lines: long")).count == 1)
        #expect(
            lengthViolations(in: file(lines: 501, first: "// Longer than 500 lines: eighty rounds, unrolled.")).isEmpty)
        #expect(
            lengthViolations(in: file(lines: 500, first: "// Longer than 500 lines: eighty rounds, unrolled.")).count
                == 1)
    }

    @Test func strangersAreFound() {
        #expect(
            strangers(among: ["Package.swift", "Sources", ".ci", "LICENSE", "Scripts", "README.md"]) == [
                "LICENSE", "Scripts",
            ])
    }

    @Test func hollowNamesAreFound() {
        #expect(names("struct TokenManager {}") == ["'TokenManager' is named 'Manager'"])
        #expect(names("enum StringUtils {}") == ["'StringUtils' is named 'Util'"])
        #expect(names("struct WireError {}") == ["'WireError' repeats the name of its module"])
        #expect(names("func getToken() {}") == ["'getToken' begins with 'get'"])
        #expect(names("func getServiceToken() {}", "Sources/NAIL/A.swift").isEmpty)
        #expect(names("struct Token {}; func getaway() {}; let managerInfo = 1").isEmpty)
    }
}
