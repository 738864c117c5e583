import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("RFC 6749 §2.3: with what a client says who it is")
struct CredentialTests {
    private static let revocation = Sent(["token": "t"])

    private static func read(_ sent: Sent) throws(ParameterRejection) -> ClientCredential {
        guard let request = try? sent.posted else { throw .mediaType("the request cannot be written") }
        return try RevocationRequest(parsing: request).credential
    }

    private static func refused(_ sent: Sent) -> ParameterRejection? {
        rejection { () throws(ParameterRejection) in try read(sent) }
    }

    @Test("nothing, a token, a token with its proof, an assertion, a password", .proves("RFC6749-2.3"))
    func kinds() throws {
        let sent = Self.revocation
        #expect(try Self.read(sent) == .none)
        #expect(try Self.read(sent.authorized("Bearer mF_9.B5f-4.1JqM")) == .bearer(Part.token()))
        #expect(try Self.read(sent.authorized("bEARER mF_9.B5f-4.1JqM")) == .bearer(Part.token()))
        #expect(
            try Self.read(sent.authorized("DPoP t").field(.dpop, "a.b.c"))
                == .proven(Part.token("t"), proof: Part.assertion("a.b.c")))
        #expect(
            try Self.read(sent.adding("client_assertion_type", Part.bearer).adding("client_assertion", "a.b.c"))
                == .assertion(Part.assertion("a.b.c")))
        let password = ClientCredential.password(
            try ClientID(parsing: "s6BhdRkqt3"), try Secret.Password(parsing: "gX1fBat3bV"))
        #expect(try Self.read(sent.authorized("Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW")) == password)
        #expect(try Self.read(sent.adding("client_id", "s6BhdRkqt3").adding("client_secret", "gX1fBat3bV")) == password)
    }

    @Test("§2.3.1: name and password in the header are form-encoded", .proves("RFC6749-2.3.1"))
    func encodedBasic() throws {
        let token = Base64.encode(Array("a%3Ab+c:p%25%26%C3%A9:+x".utf8))
        #expect(
            try Self.read(Self.revocation.authorized("Basic \(token)"))
                == .password(ClientID(parsing: "a:b c"), Secret.Password(parsing: "p%&é: x")))
    }

    @Test("a client's own name stands beside every credential", .proves("RFC7521-4.2"))
    func name() throws {
        for sent in [Self.revocation, Self.revocation.authorized("Bearer t")] {
            #expect(try RevocationRequest(parsing: sent.adding("client_id", "me").posted).client?.text == "me")
        }
    }

    private static func basic(_ text: String) -> Sent {
        revocation.authorized("Basic " + Base64.encode(Array(text.utf8)))
    }

    static let faults: [MessageFault<Sent, ParameterRejection>] = [
        .init(
            "a token in the header and an assertion in the body",
            revocation.authorized("Bearer t").adding("client_assertion_type", Part.bearer).adding(
                "client_assertion", "a.b.c"),
            .severalCredentials),
        .init(
            "a token in the header and a password in the body",
            revocation.authorized("Bearer t").adding("client_id", "me").adding("client_secret", "s"),
            .severalCredentials),
        .init(
            "a password in the header and one in the body",
            basic("me:s").adding("client_id", "me").adding("client_secret", "s"), .severalCredentials),
        .init(
            "a proven token in the header and the type of an assertion in the body",
            revocation.authorized("DPoP t").field(.dpop, "a.b.c").adding("client_assertion_type", Part.bearer),
            .severalCredentials),
        .init(
            "an assertion and a password",
            revocation.adding("client_assertion_type", Part.bearer).adding("client_assertion", "a.b.c").adding(
                "client_id", "me"
            )
            .adding("client_secret", "s"), .severalCredentials),
        .init(
            "a password of one client in the header and the name of another", basic("me:s").adding("client_id", "you"),
            .severalCredentials),
        .init("two headers", revocation.authorized("Bearer t").authorized("Bearer t"), .repeatedField(.authorization)),
        .init("a token without its scheme", revocation.authorized("eyJhbGciOiJFZERTQSJ9.e30.AAAA"), .scheme),
        .init("another scheme", revocation.authorized("Digest username=\"x\""), .scheme),
        .init("a scheme without a token", revocation.authorized("Bearer"), .credential(.empty(.token))),
        .init(
            "parameters in the place of a token", revocation.authorized("Bearer a=\"b\""), .credential(.empty(.token))),
        .init("two tokens", revocation.authorized("Bearer a b"), .credential(.malformed(.authentication, offset: 9))),
        .init(
            "a token over 16 KiB", revocation.authorized("Bearer " + Part.longToken),
            .secret(.tooLong(.secret("access token"), length: 16_385, limit: 16_384))),
        .init("a proven token without its proof", revocation.authorized("DPoP t"), .proofWithoutScheme),
        .init(
            "a bearer token with a proof", revocation.authorized("Bearer t").field(.dpop, "a.b.c"), .proofWithoutScheme),
        .init("two proofs", revocation.authorized("DPoP t").field(.dpop, "a").field(.dpop, "b"), .repeatedField(.dpop)),
        .init("an assertion without its type", revocation.adding("client_assertion", "a.b.c"), .assertionType),
        .init(
            "an assertion of SAML",
            revocation.adding("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:saml2-bearer")
                .adding("client_assertion", "a"), .assertionType),
        .init(
            "a type without its assertion", revocation.adding("client_assertion_type", Part.bearer),
            .missing("client_assertion")),
        .init("a password without a name", revocation.adding("client_secret", "s"), .missing("client_id")),
        .init(
            "a Basic credential that is not Base64", revocation.authorized("Basic !"),
            .credential(.malformed(.authentication, offset: 7))),
        .init(
            "a Basic credential with stray bits", revocation.authorized("Basic QR=="),
            .credential(.malformed(.authentication, offset: 0))),
        .init("a Basic credential without a colon", basic("me"), .credential(.malformed(.authentication, offset: 2))),
        .init(
            "a Basic credential whose password has a part behind an ampersand", basic("me:s&t"),
            .credential(.malformed(.authentication, offset: 4))),
        .init("a Basic credential without a name", basic(":s"), .identifier("client_id", .empty(.identifier))),
        .init("a Basic credential without a password", basic("me:"), .secret(.empty(.secret("password")))),
        .init("a Basic credential with a broken triplet", basic("me:%4"), .form(.brokenTriplet(.form, offset: 1))),
    ]

    @Test("one fault each", .proves("threat-37"), arguments: faults)
    func refusals(fault: MessageFault<Sent, ParameterRejection>) throws {
        #expect(Self.refused(fault.message) == fault.rejection)
    }

    @Test("the codes by which faults are told", .proves("RFC6749-5.2"), arguments: faults)
    func codes(fault: MessageFault<Sent, ParameterRejection>) throws {
        let isClient = fault.rejection == .scheme || fault.rejection == .assertionType
        #expect(fault.rejection.refusal.code == (isClient ? .invalidClient : .invalidRequest))
        #expect(fault.rejection.refusal.response().status == (isClient ? .unauthorized : .badRequest))
        #expect(fault.rejection.description.components(of: "(\(fault.rejection.clause))") == 1, "\(fault.rejection)")
    }

    @Test("§2.3.1: a URL carries no credential", .proves("RFC6749-2.3.1"))
    func query() throws {
        let question = Sent(["response_type": "code", "resource": "https://moodle.example.ch/"])
        func refused(_ sent: Sent) throws -> ParameterRejection? {
            let request = try sent.query
            return rejection { () throws(ParameterRejection) in try AuthorizationRequest(parsing: request) }
        }
        #expect(try refused(question) == nil)
        #expect(try refused(question.authorized("Bearer t")) == nil)
        #expect(
            try refused(question.adding("client_assertion_type", Part.bearer).adding("client_assertion", "a.b.c"))
                == .credentialInQuery)
        #expect(try refused(question.adding("client_id", "me").adding("client_secret", "s")) == .credentialInQuery)
        #expect(ParameterRejection.credentialInQuery.refusal.code == .invalidRequest)
    }

    @Test("a token that no header field can carry is refused when the request is written", .proves("RFC6750-2.1"))
    func unwritable() throws {
        let request = IntrospectionRequest(try Part.assertion(), credential: .bearer(try Part.token("a,b")))
        #expect(throws: SyntaxError.foreignCharacter(.token, offset: 1)) {
            try request.encoded(to: Part.url())
        }
    }
}
