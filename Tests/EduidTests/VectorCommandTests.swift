import TestSupport
import Testing
import VectorCatalogue
import Wire

@testable import eduid

@Suite("Command line: vectors")
struct VectorCommandTests {
    /// The published vectors, from where the world of the tests looks for its files.
    private static let folder = ["--vectors", "../../vectors"]
    private static let device = folder + ["--interaction", "7"]

    @Test("the list tells what each vector shows, for people and for programs") func list() throws {
        let text = World().run(["vectors", "list"] + Self.device)
        #expect(text.status == 0)
        #expect(
            text.text.contains(
                "7/request-token-other-app: no: RFC7519-4.1.1: the signed text is by another app [NIF-3 threat-47]\n"))
        #expect(text.text.contains("7/answer-none: yes: nothing was granted: an empty array [NIF-5 APP-1]\n"))
        let report = World().run(
            ["vectors", "list", "--output", "json", "--module", "nail", "--requirement", "NAI-3"] + Self.folder)
        let vectors = try #require(try JSON(parsing: report.output)["vectors"]?.array)
        #expect(vectors.count >= 5)
        #expect(vectors.allSatisfy { $0["proves"]?.array?.contains("NAI-3") ?? false })
    }

    @Test("one vector is shown whole, and an unknown one is a refusal") func show() throws {
        let shown = World().run(["vectors", "show", "7/mode-logout"] + Self.folder)
        let vector = try JSON(parsing: shown.output)
        #expect(vector["given"]?["steps"] == ["log out", "confirm"])
        #expect(vector["expect"]?["errands"] == ["unlink"])
        let unknown = World().run(["vectors", "show", "7/nothing"] + Self.folder)
        #expect(unknown.status == 1)
        #expect(unknown.complaint.contains("there is no vector '7/nothing'"))
    }

    @Test("a run passes, and counts by interaction and requirement") func run() throws {
        let text = World().run(["vectors", "run"] + Self.device)
        #expect(text.status == 0, "\(text.complaint)")
        #expect(text.text.contains("(7) an app asks the authorizing app on its device: "))
        #expect(text.text.hasSuffix(" passed\n"))
        let report = try JSON(parsing: World().run(["vectors", "run", "--output", "json"] + Self.device).output)
        #expect(report["failed"] == 0)
        #expect(report["interactions"]?["7"]?["passed"] == report["passed"])
        #expect(report["requirements"]?["NIF-3"]?["failed"] == 0)
    }

    @Test("what fails is told with its members and requirements") func failures() throws {
        let vector = Vector(
            "7/x", .device, "a situation", proves: ["NIF-3"], kind: .state, given: ["text": ""],
            expect: ["refusal": ["clause": "NAI-3"]])
        var report = VectorReport()
        report.note(vector, vector.result(of: Vectors.own(vector), by: .exact))
        report.note(vector, vector.result(of: ["unsupported": true], by: .exact))
        #expect(!report.isClean)
        #expect(report.members["failures"]?.array?.first?["members"] == ["refusal"])
        #expect(report.members["unsupported"] == 1)
        #expect(report.members["requirements"]?["NIF-3"] == ["passed": 0, "failed": 1, "unsupported": 1])
    }

    @Test("another program is asked a line at a time, and its end is a refusal") func peers() throws {
        let peer = try Peer("while read -r line; do printf '%s\\n' \"$line\"; done #")
        #expect(try peer.answer(to: ["id": "7/x"]) == ["id": "7/x"])
        #expect(try peer.answer(to: ["id": "7/y"]) == ["id": "7/y"])
        peer.end()
        let silent = try Peer("read -r line; exit 3 #")
        #expect(throws: Failure.refused("the command ended before its input did")) { try silent.answer(to: 7) }
        let babbling = try Peer("read -r line; echo words #")
        #expect(try babbling.answer(to: 7)["error"] != nil)
    }

    @Test("vectors of another version, and none at all, are refusals") func missing() {
        #expect(World().run(["vectors", "list", "--vectors", "nowhere"]).status == 1)
        #expect(World().run(["vectors", "generate"]).status == 1)
        #expect(World().run(["vectors", "run", "--against", "sh"] + Self.device).status == 1)
    }
}
