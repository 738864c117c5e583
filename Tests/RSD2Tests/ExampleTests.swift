import RSD2
import Testing
import Wire

/// The examples of the documentation, run as they stand.
@Suite("RSD2: examples") struct ExampleTests {
    @Test func readingADocumentAndAskingForAnEndpoint() throws {
        // example: endpoint
        let document =
            #"{"engineLink":"","homePageLink":"https://moodle.example.ch","apis":{"org.ietf.oauth2":{"apiLink":"auth/"}}}"#
        let service = try ServiceDescription(parsing: document)
        let token = try service.endpoint(for: ProtocolName(parsing: "org.ietf.oauth2"), path: "token")
        // https://moodle.example.ch/auth/token
        // end of example
        #expect(token.text == "https://moodle.example.ch/auth/token")
    }

    @Test func validatingAndConverting() throws {
        // example: validation
        let reading = try ServiceDescription.validate(Array(#"{"engineLink":"","apis":[]}"#.utf8), as: .json)
        for deviation in reading.deviations { print(deviation) }
        let yaml = try reading.description.encoded(as: .yaml)
        // end of example
        #expect(reading.deviations.map(\.rule.text) == ["an empty object is {}, not []"])
        #expect(yaml == Array("engineLink: \"\"\napis: {}\n".utf8))
    }
}
