import Foundation
import TestSupport
import Testing

@Suite("House: documentation", .proves("house"))
struct DocumentationTests {
    private func rules(_ document: String, _ test: String) -> [String] {
        exampleViolations(
            documents: [SourceFile(path: "README.md", text: document)],
            tests: [SourceFile(path: "Tests/A.swift", text: test)]
        )
        .map(\.description)
    }

    @Test func everySwiftExampleIsATest() {
        #expect(!Checkout.readme.text.isEmpty)
        let articles = Checkout.sources.filter { $0.path.contains(".docc/") && $0.path.hasSuffix(".md") }
        // The program that the package builds is compiled and played as tests are.
        let program = Checkout.swiftSources.filter { $0.path.hasPrefix("Sources/eduid/") }
        let violations = exampleViolations(
            documents: [Checkout.readme] + articles, tests: Checkout.swiftTests + program)
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
    }

    @Test func theLinksOfTheReadmeLeadSomewhere() {
        let violations = linkViolations(in: Checkout.readme) {
            FileManager.default.fileExists(atPath: Repository.root.appending(path: $0).path)
        }
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
    }

    @Test func thePathsThatArticlesNameLeadSomewhere() {
        let articles = Checkout.sources.filter { $0.path.contains(".docc/") && $0.path.hasSuffix(".md") }
        let violations = articles.flatMap { article in
            pathViolations(in: article) {
                FileManager.default.fileExists(atPath: Repository.root.appending(path: $0).path)
            }
        }
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
    }

    @Test(arguments: ["PureCrypto", "Wire", "JOSE", "RSD2", "TokenTree", "OAuth2Grants", "NAIL", "Federation"])
    func everyModuleLeadsFromStandardsToTypesTestsAndVectors(module: String) throws {
        let article = try #require(
            Checkout.sources.first { $0.path == "Sources/\(module)/\(module).docc/\(module).md" })
        let violations = conformanceViolations(in: article) { path, kind in
            (try? String(contentsOf: Repository.root.appending(path: path), encoding: .utf8))?.contains(
                "\"kind\":\"\(kind)\"") ?? false
        }
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
    }

    @Test func linesThatLeadToNoVectorsAreFound() {
        func rules(_ row: String) -> [String] {
            let table = "| Section | Type |\n| --- | --- |\n\(row)\n"
            let file = SourceFile(path: "A.md", text: "## Conformance\n\n\(table)\n## Topics\n| a |\n")
            return conformanceViolations(in: file) { path, kind in path == "Fixtures/v" && kind == "a" }.map(\.rule)
        }
        #expect(rules("| §1 | ``T`` | `Tests/A.swift` | `Fixtures/v`: `a` |").isEmpty)
        let strange = "there are no vectors of the kind 'b' in Fixtures/v"
        #expect(rules("| §1 | ``T`` | `Tests/A.swift` | `Fixtures/v`: `a`, `b` |") == [strange])
        #expect(rules("| §1 | ``T`` | `Tests/A.swift` | `Fixtures/v` |") == ["names no kind of vectors"])
        let gap = "does not lead from a section to a type, its tests and vectors"
        #expect(rules("| §1 | T | `Tests/A.swift` | `Fixtures/v`: `a` |") == [gap])
        #expect(rules("") == ["has no table of conformance"])
    }

    @Test func pathsIntoTheVoidAreFound() {
        let file = SourceFile(
            path: "A.md", text: "`Sources/A.swift` and `Tests/B.swift`\n`code` `Fixtures/c`, ``Symbol``")
        #expect(
            pathViolations(in: file) { $0 == "Sources/A.swift" }.map(\.rule) == [
                "names 'Tests/B.swift', which is not there", "names 'Fixtures/c', which is not there",
            ])
    }

    @Test func theReadmeNamesEveryModule() {
        for module in Set(Checkout.librarySources.map(\.module)) {
            #expect(Checkout.readme.text.contains("`\(module)`"), "README.md does not name \(module)")
        }
    }

    private let block = "Text\n\n```swift\nimport Wire\n\nlet a = 1\nif a == 1 {\n    print(a)\n}\n```\n"
    private let test =
        "import Wire\n@Test func f() {\n    // example: a\n    let a = 1\n    if a == 1 {\n        print(a)\n    }\n    // end of example\n}\n"

    @Test func anExampleWithItsTestPassesWhateverItsIndentation() {
        #expect(rules(block, test).isEmpty)
        #expect(rules("```\nno Swift\n```\n```sh\nswift test\n```\n", "").isEmpty)
    }

    @Test func examplesThatNobodyRunsAreFound() {
        let rule = "README.md:3: stands between no '// example:' markers of a test file"
        #expect(rules(block, "") == [rule])
        #expect(rules(block.replacing("let a = 1", with: "let a = 2"), test) == [rule])
        #expect(rules(block.replacing("    print", with: "print"), test) == [rule])
        #expect(rules(block, test.replacing("import Wire\n", with: "")) == [rule])
        #expect(rules(block, test.replacing("// example: a", with: "")) == [rule])
        #expect(rules(block, test.replacing("// end of example", with: "")) == [rule])
    }

    @Test func linksIntoTheVoidAreFound() {
        let file = SourceFile(path: "README.md", text: "[a](here) [b](there#part)\n[c](https://example.com) [d](#part)")
        #expect(linkViolations(in: file) { $0 == "here" }.map(\.rule) == ["links to 'there', which is not there"])
    }
}
