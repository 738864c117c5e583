import TestSupport
import Testing
import Wire

@testable import eduid

/// What commands of administrators make of a party's answers.
@Suite("Command line: answers of a party")
struct OfficeAnswerTests {
    /// An answer that says that a part is done, and where the next one begins.
    private func part(before place: String?) throws -> HTTP.Response {
        var response = HTTP.Response(.accepted)
        if let place {
            try response.fields.append(HTTP.Field.Name(parsing: "Link"), "<?reason=lost&after=\(place)>; rel=\"next\"")
        }
        return response
    }

    /// What is asked, in the words of the queries, until the answers are used up.
    private func queries(answeredBy answers: [HTTP.Response]) throws -> [String] {
        var (rest, queries) = (answers[...], [String]())
        let office = Office(answering: { (request) throws(Failure) in
            guard let answer = rest.popFirst() else { throw .refused("nothing more has to be asked") }
            if case .absolute(let url) = request.target { queries.append(url.query ?? "") }
            return answer
        })
        try office.insist(.delete, ["admin", "apps", "org.example.reader"], [.init("reason", "lost")])
        #expect(rest.isEmpty)
        return queries
    }

    @Test("What ends in parts is ended to the last one, each from where the one before ended", .proves("OPS-8"))
    func parts() throws {
        let done = HTTP.Response(.noContent)
        #expect(
            try queries(answeredBy: [part(before: "a"), part(before: "b"), done])
                == ["reason=lost", "reason=lost&after=a", "reason=lost&after=b"])
        // Where no place is told, what is left comes first by itself.
        #expect(
            try queries(answeredBy: [part(before: nil), part(before: nil), done])
                == ["reason=lost", "reason=lost", "reason=lost"])
        #expect(try queries(answeredBy: [done]) == ["reason=lost"])
    }
}
