import TestSupport
import Testing

@Suite("House: traceability", .proves("house"))
struct TraceabilityTests {
    private static let path = "Fixtures/requirements.tsv"
    private static let heading = "id\tlevel\ttext\tsource\tstate\n"
    // Put together here, so that the samples do not count as mentions.
    private let unknown = "REQ" + "-99"
    private let planned = "REQ" + "-1"
    private let implemented = "REQ" + "-2"
    private let threat = "thr" + "eat-1"
    private let strange = "thr" + "eat-2"

    private func catalogueRules(_ rows: String...) -> [String] {
        catalogue(in: SourceFile(path: "a.tsv", text: Self.heading + rows.joined(separator: "\n"))).violations.map(
            \.rule)
    }

    private func rules(sources: String = "", tests: String = "") -> [String] {
        let requirements = [(planned, Requirement.State.planned), (implemented, .implemented)].map {
            Requirement(id: $0.0, level: "MUST", text: "a", source: "b", state: $0.1)
        }
        return traceabilityViolations(
            requirements: requirements, threats: [Threat(id: threat, attack: "a", defence: "b", state: .implemented)],
            sources: [SourceFile(path: "Sources/Wire/A.swift", text: sources)],
            tests: [SourceFile(path: "Tests/WireTests/A.swift", text: tests)], catalogue: "a.tsv"
        ).map(\.rule)
    }

    @Test func theCatalogueIsWellFormed() {
        let (requirements, violations) = catalogue(in: Checkout.file(Self.path))
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
        let families = Set(requirements.map(\.family))
        #expect(
            families == [
                "FED", "POP", "USR", "REG", "REQ", "AUT", "OIC", "FPA", "AFF", "BIS", "GTR", "USE", "DSC", "RSD", "AST",
                "GRT",
                "APP",
                "TOK",
                "NAI", "NIF", "DAT", "UX", "KEY", "STO", "HTP", "FWD", "SCG", "CGI", "SYS", "NET", "OPS",
            ]
        )
        // The page of keys leaves numbers free between its two parts.
        let free = ["KEY": 14...19]
        for family in families {
            let numbers = requirements.filter { $0.family == family }.compactMap {
                Int($0.id.dropFirst(family.count + 1))
            }
            let expected = (1...).lazy.filter { free[String(family)]?.contains($0) != true }.prefix(numbers.count)
            #expect(numbers == Array(expected), "\(family) is not numbered without gaps")
        }
    }

    @Test func everyRequirementCanBeFollowedToItsProof() {
        let requirements = catalogue(in: Checkout.file(Self.path)).requirements
        #expect(!requirements.isEmpty)
        let violations = traceabilityViolations(
            requirements: requirements, threats: threats(in: Checkout.file("Fixtures/threats.tsv")).threats,
            sources: Checkout.sources, tests: Checkout.tests, catalogue: Self.path
        )
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
    }

    @Test func badLinesOfTheCatalogueAreFound() {
        #expect(catalogueRules("ABC-1\tMUST\ta\tb\tplanned", "ABC-2\tSHOULD NOT\ta\tb\timplemented").isEmpty)
        #expect(catalogueRules("ABC-1\tMUST\ta\tb") == ["has no five filled columns"])
        #expect(catalogueRules("ABC-1\tMUST\t\tb\tplanned") == ["has no five filled columns"])
        #expect(catalogueRules("ABC1\tMUST\ta\tb\tplanned") == ["'ABC1' is no identifier"])
        #expect(catalogueRules("ABC-1\tOUGHT\ta\tb\tplanned") == ["'OUGHT' is no level"])
        #expect(catalogueRules("ABC-1\tMAY\ta; declined because it is\tb\tdeclined").isEmpty)
        #expect(catalogueRules("ABC-1\tMAY\ta\tb\tdeclined") == ["'ABC-1' is declined without a reason"])
        #expect(catalogueRules("ABC-1\tMUST\ta; declined because it is\tb\tdeclined") == ["'ABC-1' must be done"])
        #expect(catalogueRules("ABC-1\tMUST\ta\tb\tdone") == ["'done' is no state"])
        #expect(catalogueRules("ABC-1\tMAY\ta\tb\tplanned", "ABC-1\tMUST\ta\tb\tplanned") == ["'ABC-1' stands twice"])
        #expect(!catalogue(in: SourceFile(path: "a.tsv", text: "id\n")).violations.isEmpty)
    }

    @Test func mentionsAreWholeWords() {
        let text = "AB-1, (ABC-23)\n`XY-4` X-AB-5 AB-6-7 aAB-8 ABCD-9 SHA-256 AB-1x AB-"
        #expect(mentions(in: text, ofFamilies: nil).map(\.id) == ["AB-1", "ABC-23", "XY-4", "SHA-256"])
        #expect(mentions(in: text, ofFamilies: ["XY"]).map(\.line) == [2])
    }

    @Test func brokenThreadsAreFound() {
        let proof = "@Test(.proves(\"\(implemented)\")) func a() {}"
        #expect(rules(sources: "// \(implemented)", tests: proof).isEmpty)
        #expect(rules(sources: "", tests: proof) == ["\(implemented) is named nowhere in Sources"])
        #expect(
            rules(sources: "// \(implemented)", tests: "// \(implemented)") == ["\(implemented) is proved by no test"])
        #expect(
            rules(sources: "// \(implemented) \(unknown)", tests: proof) == ["'\(unknown)' is not in the catalogue"])
        #expect(
            rules(sources: "// \(implemented)", tests: proof + "// \(unknown)") == [
                "'\(unknown)' is not in the catalogue"
            ])
    }

    @Test func proofsOfUnknownFormAreFound() {
        let threads = (sources: "// \(implemented)", tests: "@Test(.proves(\"\(implemented)\")) func a() {}\n")
        func found(_ proof: String) -> [String] {
            rules(sources: threads.sources, tests: threads.tests + "@Test(.proves(\(proof))) func b() {}")
        }
        #expect(found("\"\(strange)\"") == ["'\(strange)' is no known form of an obligation"])
        #expect(found("section") == ["'an expression' is no known form of an obligation"])
        #expect(found("\"\(threat)\"").isEmpty)
    }

    @Test func clausesOfUnknownFormAreFound() {
        let cases = "case .a: \"RFC8259-7\"; case .b(let x): \"JSON\""
        let clause = "/* \(implemented) */ var clause: String { switch self { \(cases) } } let a = \"b\""
        let proof = "@Test(.proves(\"\(implemented)\")) func a() {}"
        #expect(rules(sources: clause, tests: proof) == ["'JSON' is no known form of a clause"])
        let rule = "[Rule(\"RFC8259-7\", \"a\"), Rule(\n\"YAML\", \"b\"), Rule(other.clause, \"c\")]"
        #expect(
            rules(sources: "/* \(implemented) */ let rules = " + rule, tests: proof) == [
                "'YAML' is no known form of a clause"
            ])
    }

    @Test func formsOfObligations() {
        let known = [
            threat, "RFC8259-7", "RFC8032-5.1.7", "RFC7518-A.2", "RFC4648-10", "FIPS180-4",
            "FIPS180-4-6.2.2", "rsd2",
            "rsd2-links", "XML-4.3.3", "XML-NAMES-3", "YAML-8.1.1", "house", planned,
        ]
        let strange = [
            self.strange, threat + "0", threat.replacing("1", with: "01"), threat.replacing("1", with: ""), "RFC8259",
            "RFC-7", "RFC8259-", "RFC8259-seven",
            "RFC8259-7.", "FIPS",
            "FIPS180-x", "",
            "House", "rsd2-", "XML", "XML-", "XML-NAMES-", "JSON-1", unknown, "RFC8259-7/8",
        ]
        for id in known { #expect(isKnownObligation(id, catalogue: [planned, threat]), "\(id)") }
        for id in strange { #expect(!isKnownObligation(id, catalogue: [planned, threat]), "\(id)") }
    }
}
