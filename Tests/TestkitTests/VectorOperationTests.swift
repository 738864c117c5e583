import Testing
import VectorCatalogue
import Wire

@testable import eduid_testkit

@Suite("Testkit protocol: vectors")
struct VectorOperationTests {
    private func answer(_ line: String, breaking rule: OmittedRule? = nil) -> JSON {
        EduidTestkit.answer(to: .bytes([UInt8](line.utf8)[...]), with: .vector(breaking: rule))
    }

    @Test("a vector is performed") func performed() {
        #expect(
            answer(#"{"id":"7/x","kind":"state","given":{"text":"[]"}}"#) == ["refusal": ["clause": "RFC8259-3"]])
    }

    @Test(
        "what is no vector is answered with the reason",
        arguments: [
            #"{"id":1}"#, #"{"id":1,"kind":"dance","given":{}}"#, #"{"id":1,"kind":"state"}"#,
            #"{"id":1,"kind":"exchange","given":{}}"#,
            #"{"id":1,"kind":"exchange","given":{"party":{"role":"edu-id"}}}"#,
            #"{"id":1,"kind":"exchange","given":{"party":{"role":"service"},"now":1e400}}"#,
            #"{"id":1,"kind":"mode","given":{"request":"x"}}"#,
        ])
    func malformed(line: String) throws {
        let members = try #require(answer(line).object)
        #expect(members.contains { $0.name == "error" } || members.contains { $0.name == "screens" })
    }

    @Test("a rule that is left out changes nothing where it knows of nothing", arguments: OmittedRule.allCases)
    func unconcerned(_ rule: OmittedRule) {
        let line = #"{"id":"7/x","kind":"state","given":{"text":"[]"}}"#
        #expect(answer(line, breaking: rule) == answer(line))
    }
}
