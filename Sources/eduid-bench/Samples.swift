/// Inputs of the size and shape that the suite meets in service.
enum Samples {
    /// The claims of an access token: 300 bytes, eight members.
    static let claims = bytes(of: [
        #"{"iss":"https://eduid.example.ch/","sub":"7f3a9c2e-5b1d-4e8f-a6c0-91d2b3e4f506","#,
        #""aud":"https://moodle.example.ch/","client_id":"c4b7e2d1-0a9f-4c3e-8b5d-6f7e8a9b0c1d","#,
        #""iat":1700000000,"exp":1700003600,"jti":"d41d8cd98f00b204e9800998ecf8427e","#,
        #""scope":"https://moodle.example.ch/rest/ grades"}"#,
    ])

    /// A service document of 60 protocols, some 19 KB.
    static let serviceDocument = bytes(of: [
        #"{"engineName":"Moodle","engineLink":"https://moodle.example.ch/","#,
        #""homePageLink":"https://moodle.example.ch/","apis":{\#((0..<60).map(api).joined(separator: ","))}}"#,
    ])

    private static func api(_ number: Int) -> String {
        let lines = [
            #""org.example.protocol\#(number)":{"apiLink":"webservice/rest/endpoint\#(number)/","#,
            #""apiVersion":["1.\#(number)","2.0"],"preferred":\#(number % 2 == 0),"transport":["REST","JSON-RPC"],"#,
            #""notes":"Serves the course data of the institution, paged; see the \"documentation\" for the terms "#,
            #"of use.","settings":{"docs":"https://docs.example.ch/\#(number)","limit":"100"}}"#,
        ]
        return lines.joined()
    }

    private static func bytes(of lines: [String]) -> [UInt8] { [UInt8](lines.joined().utf8) }

    /// Bytes without a pattern, from a fixed linear congruence.
    static func bytes(_ count: Int) -> [UInt8] {
        var state: UInt64 = 1
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }
}
