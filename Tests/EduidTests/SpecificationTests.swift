import TestSupport
import Testing

@testable import eduid

@Suite("Command line: the protocol in a terminal")
struct SpecificationTests {
    private func run(_ words: String...) -> World.Answer {
        World().run(["spec", "--pages", "../../protocol"] + words)
    }

    @Test("Without a topic every page is listed, with what it is about") func list() throws {
        let answer = run()
        #expect(answer.status == 0 && answer.complaint.isEmpty)
        let lines = answer.text.split(separator: "\n").map(String.init)
        let page = try #require(lines.firstIndex(of: "tokens"))
        #expect(lines[page + 1].hasPrefix("    Tokens. "))
        #expect(lines.first == "README" && lines.contains("interactions") && lines.contains("obligations"))
    }

    @Test("A page is shown, without what programs alone read") func page() throws {
        let answer = run("proofs")
        #expect(answer.status == 0 && answer.text.hasPrefix("# Proofs of possession\n"))
        #expect(!answer.text.contains("<!--"))
    }

    @Test("An obligation and a threat are shown with the lines that name them", arguments: ["AST-3", "threat-23"])
    func obligation(_ id: String) throws {
        let answer = run(id)
        let lines = answer.text.split(separator: "\n").map(String.init)
        #expect(answer.status == 0 && lines[0].hasPrefix(id + ": "))
        #expect(lines[1].hasPrefix("Library: `") && lines[2].hasPrefix("Vectors: "))
        #expect(lines.dropFirst(3).contains { $0.hasPrefix("federation-service:") && $0.contains("[\(id)]") })
        // Where the name leads is no line about it.
        #expect(!lines.contains { $0.contains("[\(id)]: obligations.md") })
    }

    @Test("What is not there is told, with what was meant") func unknown() {
        let near = run("tokns")
        #expect(near.status == 64 && near.complaint.contains("There is no page 'tokns'. Did you mean 'tokens'?"))
        let far = run("everything")
        #expect(far.status == 64 && far.complaint.contains("'eduid spec' lists the pages."))
        // Put together here, so that it does not count as a mention.
        let unknown = "AST" + "-99"
        let obligation = run(unknown)
        #expect(obligation.status == 1 && obligation.complaint.contains("there is no obligation '\(unknown)'"))
        #expect(World().run(["spec", "--pages", "nowhere"]).status == 1)
    }
}
