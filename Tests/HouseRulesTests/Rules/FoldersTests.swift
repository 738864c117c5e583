import TestSupport
import Testing

@Suite("House: folders and sizes", .proves("house"))
struct FoldersTests {
    private func file(_ path: String, _ text: String) -> SourceFile {
        SourceFile(path: "Sources/" + path, text: text)
    }

    @Test func foldersLeanOneWay() {
        let violations = circlesOfFolders(in: Checkout.swiftSources)
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
    }

    @Test func everyNounHasOneModule() {
        let violations = clashingNames(in: Checkout.swiftSources)
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
    }

    @Test func linesAndFunctionsAreShort() {
        let violations = Checkout.swiftSources.flatMap { wideLines(in: $0) + longFunctions(in: $0) }
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
    }

    @Test func errorsAreMappedByTheHelper() {
        let places = Checkout.swiftSources.flatMap(mappingCatches)
        #expect(places.count <= 60, Comment(rawValue: report(places)))
    }

    // MARK: The rules themselves

    @Test func circlesAreFound() {
        let one = file("Wire/A/One.swift", "struct One { var two: Two }")
        let two = file("Wire/B/Two.swift", "struct Two { var one: One }")
        let three = file(
            "Wire/C/Three.swift", "struct Three { var one: One; /* Two */ var text = \"\\(Two.self) Two\" }")
        #expect(circlesOfFolders(in: [one, three]).isEmpty)
        #expect(circlesOfFolders(in: [one, two, three]).map(\.path) == ["Sources/Wire/A", "Sources/Wire/B"])
        // A name that is declared twice, and one of another module, lead nowhere.
        #expect(circlesOfFolders(in: [one, two, file("Wire/D/Other.swift", "enum Two {}")]).isEmpty)
        #expect(circlesOfFolders(in: [one, file("JOSE/B/Two.swift", "struct Two { var one: One }")]).isEmpty)
        let below = file("Wire/A/Below/Two.swift", "struct Two { var one: One }")
        #expect(circlesOfFolders(in: [one, below]).map(\.path) == ["Sources/Wire/A", "Sources/Wire/A/Below"])
    }

    @Test func clashesAreFound() {
        #expect(clashingNames(in: [file("Wire/A.swift", "enum Wire {}")]).count == 1)
        let nouns = [file("Wire/A.swift", "public struct Key {}"), file("JOSE/A.swift", "public enum Key {}")]
        #expect(clashingNames(in: nouns).count == 2)
        let nested = file("JOSE/A.swift", "public enum JWK {\n    public struct Key {}\n}\nstruct Wide {}")
        #expect(clashingNames(in: [nouns[0], nested, file("RSD2/A.swift", "public struct Wide {}")]).isEmpty)
    }

    @Test func longLinesAndFunctionsAreFound() {
        let wide = String(repeating: "a", count: 120)
        #expect(wideLines(in: file("Wire/A.swift", wide)).isEmpty)
        #expect(wideLines(in: file("Wire/A.swift", "\n" + wide + "a")).map(\.line) == [2])
        func function(
            _ count: Int, _ line: String = "    print()\n", open: String = "", close: String = ""
        ) -> SourceFile {
            let body = String(repeating: line, count: count)
            return file("Wire/A.swift", "func f<T>(_ a: [T]) -> T where T: A {\n\(open)\(body)\(close)}\n")
        }
        #expect(longFunctions(in: function(59)).isEmpty)
        #expect(longFunctions(in: function(60)).map(\.line) == [1])
        // The rows of a table do not count.
        #expect(longFunctions(in: function(100, "    1,\n", open: "    let rows = [\n", close: "    ]\n")).isEmpty)
        #expect(longFunctions(in: file("Wire/A.swift", "protocol P { func f(); func g() -> Int }")).isEmpty)
    }

    @Test func mappingCatchesAreFound() {
        let text = "do { } catch { throw .a }\ndo { } catch {\n    throw .b(error)\n}\ndo { } catch { return }"
        #expect(mappingCatches(in: file("Wire/A.swift", text)).map(\.line) == [1, 2])
    }
}
