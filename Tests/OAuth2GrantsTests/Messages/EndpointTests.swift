import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("RFC 7009: revocation")
struct RevocationTests {
    static let good = Sent(["token": "45ghiukldjahdnhzdauz", "token_type_hint": "refresh_token"]).authorized("Bearer t")

    static func refused(_ request: HTTP.Request) -> ParameterRejection? {
        rejection { () throws(ParameterRejection) in try RevocationRequest(parsing: request) }
    }

    @Test("§2.1: a token, and what it is said to be", .proves("RFC7009-2.1"))
    func reading() throws {
        let expected = RevocationRequest(
            try Part.token("45ghiukldjahdnhzdauz"), hint: .refreshToken, credential: .bearer(try Part.token("t")))
        #expect(try RevocationRequest(parsing: Self.good.posted) == expected)
        #expect(try RevocationRequest(parsing: Self.good.json) == expected)
        #expect(try RevocationRequest(parsing: expected.encoded(to: Part.url())) == expected)
        #expect(try RevocationRequest(parsing: Self.good.without("token_type_hint").posted).hint == nil)
        #expect(try RevocationRequest(parsing: Self.good.with("token_type_hint", "other").posted).hint?.text == "other")
    }

    @Test("an assertion is named by its identifier", .proves("TOK-7"))
    func assertion() throws {
        let request = RevocationRequest(
            try Part.token("jti-1"), hint: .assertion, credential: .assertion(try Part.assertion()))
        let http = try request.encoded(to: Part.url())
        #expect(
            String(decoding: http.body, as: UTF8.self).hasPrefix(
                "token=jti-1&token_type_hint=assertion&client_assertion_type="))
        #expect(try RevocationRequest(parsing: http) == request)
    }

    @Test("a client's name stands once, also where its password brings it", .proves("threat-37"))
    func name() throws {
        let (client, password) = (try ClientID(parsing: "me"), try Secret.Password(parsing: "s"))
        let request = RevocationRequest(try Part.token(), credential: .password(client, password), client: client)
        #expect(try RevocationRequest(parsing: request.encoded(to: Part.url())) == request)
        #expect(RevocationRequest(try Part.token(), credential: .password(client, password)) == request)
    }

    @Test("one fault each", .proves("RFC7009-2.1"))
    func refusals() throws {
        #expect(Self.refused(try Self.good.without("token").posted) == .missing("token"))
        #expect(
            Self.refused(try Self.good.with("token", "a b").posted)
                == .secret(.foreignCharacter(.secret("access token"), offset: 1)))
        #expect(
            Self.refused(try Self.good.with("token", Part.longToken).posted)
                == .secret(.tooLong(.secret("access token"), length: 16_385, limit: 16_384)))
        #expect(Self.refused(try Self.good.method(.delete).posted) == .method(.delete))
        #expect(Self.refused(try Self.good.adding("token", "x").posted) == .repeated("token"))
    }

    @Test("§2.2: the answer is an empty success, or a refusal, or says nothing", .proves("RFC7009-2.2"))
    func answers() throws {
        let confirmed = RevocationRequest.Outcome.confirmed.encoded()
        #expect(confirmed.status == .ok)
        #expect(confirmed.body == [])
        expectUncached(confirmed)
        #expect(try RevocationRequest.Outcome(parsing: confirmed) == .confirmed)
        #expect(try RevocationRequest.Outcome(parsing: answer("whatever", type: "text/plain")) == .confirmed)
        let refused = RevocationRequest.Outcome.refused(OAuth2Error(.unsupportedTokenType))
        #expect(try RevocationRequest.Outcome(parsing: refused.encoded()) == refused)
        #expect(throws: ParameterRejection.status(.serviceUnavailable)) {
            try RevocationRequest.Outcome(parsing: answer("", .serviceUnavailable))
        }
        // What confirms is 200 or 204 without a page (threat 60).
        #expect(try RevocationRequest.Outcome(parsing: answer("", .noContent)) == .confirmed)
        #expect(throws: ParameterRejection.answerMediaType("text/html")) {
            try RevocationRequest.Outcome(parsing: answer("<html>", type: "text/html"))
        }
        #expect(throws: ParameterRejection.status(.found)) {
            try RevocationRequest.Outcome(parsing: answer("", .found))
        }
    }
}

@Suite("RFC 7662: introspection")
struct IntrospectionTests {
    static let good = Sent(["token": Part.signed]).authorized("Bearer t")

    static func refused(_ request: HTTP.Request) -> ParameterRejection? {
        rejection { () throws(ParameterRejection) in try IntrospectionRequest(parsing: request) }
    }

    @Test("§2.1: a token by whoever asks", .proves("RFC7662-2.1"))
    func reading() throws {
        let expected = IntrospectionRequest(try Part.assertion(), credential: .bearer(try Part.token("t")))
        #expect(try IntrospectionRequest(parsing: Self.good.posted) == expected)
        #expect(try IntrospectionRequest(parsing: Self.good.json) == expected)
        #expect(
            try IntrospectionRequest(parsing: Self.good.adding("token_type_hint", "access_token").posted) == expected)
        #expect(try IntrospectionRequest(parsing: expected.encoded(to: Part.url())) == expected)
        #expect(Self.refused(try Self.good.without("token").posted) == .missing("token"))
        #expect(Self.refused(try Self.good.method(.get).query) == .method(.get))
        #expect(Self.refused(try Self.good.adding("token", "x").posted) == .repeated("token"))
    }

    static let text =
        #"{"active":true,"iss":"https://eduid.example.ch/","sub":"Z5O3upPC88QrAjx00dis","aud":"https://moodle.example.ch/","client_id":"l238j323ds-23ij4","exp":1419356238,"iat":1419350238.5,"jti":"j-1","scope":"read write","user_token":"u-1","username":"jdoe","extension_field":{"x":[1,null,""]},"none":null}"#

    @Test("§2.2: what an active token says", .proves("RFC7662-2.2"))
    func active() throws {
        guard case .active(let facts) = try IntrospectionRequest.Outcome(parsing: answer(Self.text)) else {
            throw ParameterRejection.state
        }
        #expect(facts.issuer?.text == "https://eduid.example.ch/")
        #expect(facts.subject?.text == "Z5O3upPC88QrAjx00dis")
        #expect(facts.audience == "https://moodle.example.ch/")
        #expect(facts.client?.text == "l238j323ds-23ij4")
        #expect(facts.expiration == Timestamp(seconds: 1_419_356_238))
        #expect(facts.issuedAt == Timestamp(seconds: 1_419_350_238, nanoseconds: 500_000_000))
        #expect(facts.id?.text == "j-1")
        #expect(try facts.scope == Scope(parsing: "write read"))
        #expect(facts.userToken == (try Part.token("u-1")))
        #expect(facts.others == ["username": "jdoe", "extension_field": ["x": [1, .null, ""]], "none": .null])
        let written = IntrospectionRequest.Outcome.active(facts).encoded()
        #expect(String(decoding: written.body, as: UTF8.self) == Self.text)
        expectUncached(written)
    }

    @Test("§2.2: of a token that is not active nothing is said", .proves("threat-33"))
    func inactive() throws {
        let written = IntrospectionRequest.Outcome.inactive.encoded()
        #expect(String(decoding: written.body, as: UTF8.self) == #"{"active":false}"#)
        expectUncached(written)
        for text in [#"{"active":false}"#, #"{"active":false,"sub":"x","exp":"never"}"#] {
            guard case .inactive = try IntrospectionRequest.Outcome(parsing: answer(text)) else {
                throw ParameterRejection.state
            }
        }
    }

    @Test("§2.2: an audience alone or in a list, one and no more", .proves("threat-24"))
    func audience() throws {
        func audience(_ text: String) throws -> String? {
            guard
                case .active(let facts) = try IntrospectionRequest.Outcome(
                    parsing: answer(#"{"active":true,"aud":\#(text)}"#))
            else {
                return nil
            }
            return facts.audience
        }
        #expect(try audience(#"["https://a.example/"]"#) == "https://a.example/")
        #expect(throws: ParameterRejection.wrongType("aud", found: .array)) { try audience(#"["a","b"]"#) }
        #expect(throws: ParameterRejection.wrongType("aud", found: .array)) { try audience("[]") }
        #expect(throws: ParameterRejection.wrongType("aud", found: .array)) { try audience("[1]") }
        #expect(throws: ParameterRejection.wrongType("aud", found: .number)) { try audience("1") }
    }

    static let faults: [MessageFault<String, ParameterRejection>] = [
        .init("nothing about its state", "{}", .missing("active")),
        .init("a state in words", #"{"active":"true"}"#, .wrongType("active", found: .string)),
        .init("a state as a number", #"{"active":1}"#, .wrongType("active", found: .number)),
        .init("an end in words", #"{"active":true,"exp":"soon"}"#, .number("exp")),
        .init("an end before all times", #"{"active":true,"exp":-1}"#, .number("exp")),
        .init("an end beyond all times", #"{"active":true,"exp":1e400}"#, .number("exp")),
        .init(
            "an empty name", #"{"active":true,"jti":"\u0000"}"#,
            .identifier("jti", .foreignCharacter(.identifier, offset: 0))),
        .init("the state twice", #"{"active":false,"active":true}"#, .json(.duplicateName(offset: 16))),
    ]

    @Test("one fault each", .proves("RFC7662-2.2"), arguments: faults)
    func refusals(fault: MessageFault<String, ParameterRejection>) throws {
        let response = try answer(fault.message)
        #expect(
            rejection { () throws(ParameterRejection) in try IntrospectionRequest.Outcome(parsing: response) }
                == fault.rejection)
    }

    @Test("a refusal is no state of the token", .proves("RFC7662-2.3"))
    func refusal() throws {
        #expect(throws: ParameterRejection.status(.unauthorized)) {
            try IntrospectionRequest.Outcome(parsing: OAuth2Error(.invalidClient).response())
        }
    }
}
