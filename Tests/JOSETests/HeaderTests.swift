import JOSE
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("RFC 7515 §4: header")
struct HeaderTests {
    /// A header and the one rule that it breaks.
    struct Fault: CustomTestStringConvertible, Sendable {
        let header: String
        let rejection: JWS.Rejection

        init(_ header: String, _ rejection: JWS.Rejection) {
            self.header = header
            self.rejection = rejection
        }

        var testDescription: String { header }
    }

    @Test(
        "'none' in any spelling is refused", .proves("threat-1"), .proves("REQ-2"),
        arguments: ["none", "None", "NONE", "nOnE"])
    func unsecured(name: String) {
        #expect(Sample.malformation(Sample.token(header: #"{"alg":"\#(name)"}"#)) == .unsecured)
        #expect(Algorithm(name) == nil)
    }

    @Test("'none' with escapes is 'none'", .proves("threat-1"))
    func escapedUnsecured() {
        #expect(Sample.malformation(Sample.token(header: #"{"alg":"\u006eone"}"#)) == .unsecured)
    }

    @Test(
        "'alg' is one string", .proves("threat-2"),
        arguments: [
            Fault("{}", .malformedHeader(.missing(at: "$.alg"))),
            Fault(#"{"alg":null}"#, .malformedHeader(.mismatch(at: "$.alg", expected: .string, found: .null))),
            Fault(#"{"alg":["HS256"]}"#, .malformedHeader(.mismatch(at: "$.alg", expected: .string, found: .array))),
            Fault(#"{"alg":{"HS256":1}}"#, .malformedHeader(.mismatch(at: "$.alg", expected: .string, found: .object))),
            Fault(#"{"alg":256}"#, .malformedHeader(.mismatch(at: "$.alg", expected: .string, found: .number))),
            Fault(#"{"alg":"HS256","alg":"HS256"}"#, .malformedHeader(.duplicateName(offset: 15))),
            Fault(#"{"alg":"HS256","\u0061lg":"none"}"#, .malformedHeader(.duplicateName(offset: 15))),
            Fault(#"{"ALG":"HS256"}"#, .malformedHeader(.missing(at: "$.alg"))),
        ])
    func algorithm(fault: Fault) {
        #expect(Sample.malformation(Sample.token(header: fault.header)) == fault.rejection)
    }

    @Test(
        "'kid' is a name, 'typ' and 'cty' are strings", .proves("threat-10"),
        arguments: [
            Fault(
                #"{"alg":"HS256","kid":1}"#, .malformedHeader(.mismatch(at: "$.kid", expected: .string, found: .number))
            ),
            Fault(
                #"{"alg":"HS256","kid":null}"#,
                .malformedHeader(.mismatch(at: "$.kid", expected: .string, found: .null))),
            Fault(
                #"{"alg":"HS256","kid":["k1"]}"#,
                .malformedHeader(.mismatch(at: "$.kid", expected: .string, found: .array))),
            Fault(#"{"alg":"HS256","kid":""}"#, .malformedKeyID(.empty(.identifier))),
            Fault(#"{"alg":"HS256","kid":"k1\u0000"}"#, .malformedKeyID(.foreignCharacter(.identifier, offset: 2))),
            Fault(#"{"alg":"HS256","kid":"k1\n"}"#, .malformedKeyID(.foreignCharacter(.identifier, offset: 2))),
            Fault(
                #"{"alg":"HS256","typ":1}"#, .malformedHeader(.mismatch(at: "$.typ", expected: .string, found: .number))
            ),
            Fault(
                #"{"alg":"HS256","cty":true}"#,
                .malformedHeader(.mismatch(at: "$.cty", expected: .string, found: .bool))),
        ])
    func texts(fault: Fault) {
        #expect(Sample.malformation(Sample.token(header: fault.header)) == fault.rejection)
    }

    @Test(
        "'crit' lists what is there, understood and no standard parameter", .proves("threat-11"),
        .proves("RFC7515-4.1.11"),
        arguments: [
            Fault(#"{"alg":"HS256","crit":[]}"#, .emptyCritical),
            Fault(
                #"{"alg":"HS256","crit":"x","x":1}"#,
                .malformedHeader(.mismatch(at: "$.crit", expected: .array, found: .string))),
            Fault(
                #"{"alg":"HS256","crit":null}"#,
                .malformedHeader(.mismatch(at: "$.crit", expected: .array, found: .null))),
            Fault(
                #"{"alg":"HS256","crit":[1]}"#,
                .malformedHeader(.mismatch(at: "$.crit[0]", expected: .string, found: .number))),
            Fault(#"{"alg":"HS256","crit":["x","x"],"x":1}"#, .repeatedCritical("x")),
            Fault(#"{"alg":"HS256","crit":["alg"]}"#, .standardCritical("alg")),
            Fault(#"{"alg":"HS256","crit":["crit"]}"#, .standardCritical("crit")),
            Fault(#"{"alg":"HS256","crit":["enc"]}"#, .standardCritical("enc")),
            Fault(#"{"alg":"HS256","crit":["x"]}"#, .absentCritical("x")),
            Fault(#"{"alg":"HS256","crit":["x"],"x":1}"#, .criticalNotUnderstood("x")),
            Fault(#"{"alg":"HS256","crit":["b64"],"b64":false}"#, .criticalNotUnderstood("b64")),
            Fault(#"{"alg":"HS256","crit":["b64"],"b64":true}"#, .criticalNotUnderstood("b64")),
            Fault(#"{"alg":"HS256","b64":false}"#, .encodingNotCritical),
            Fault(#"{"alg":"HS256","b64":true}"#, .encodingNotCritical),
            Fault(
                #"{"alg":"HS256","crit":["b64"],"b64":"false"}"#,
                .malformedHeader(.mismatch(at: "$.b64", expected: .bool, found: .string))),
        ])
    func critical(fault: Fault) {
        #expect(Sample.malformation(Sample.token(header: fault.header)) == fault.rejection)
    }

    @Test("A critical extension that the caller understands is no obstacle", .proves("RFC7515-4.1.11"))
    func understood() {
        var policy = JWS.Policy()
        policy.understoodExtensions = ["x"]
        #expect(
            Sample.malformation(Sample.token(header: #"{"alg":"HS256","crit":["x"],"x":1}"#), policy: policy) == nil)
        #expect(
            Sample.malformation(Sample.token(header: #"{"alg":"HS256","crit":["X"],"X":1}"#), policy: policy)
                == .criticalNotUnderstood("X")
        )
    }

    @Test(
        "Keys in the header are refused, and never a key source", .proves("threat-9"), .proves("REQ-14"),
        arguments: ["jwk", "jku", "x5u", "x5c"])
    func embeddedKeys(name: String) throws {
        let token = Sample.token(header: #"{"alg":"HS256","kid":"k1","\#(name)":"https://evil.example/"}"#)
        #expect(Sample.malformation(token) == .embeddedKey(JSON.Name(name)))
        var policy = JWS.Policy()
        policy.toleratesEmbeddedKeys = true
        let tolerated = try JWS.Unverified(parsing: token, policy: policy)
        #expect(throws: Never.self) { try tolerated.verified(by: Sample.hmacKey(), accepting: [.hs256]) }
    }

    @Test("A token signed by the key that it brings along is not believed", .proves("threat-9"))
    func ownKey() throws {
        let attacker = try Sample.pair(9)
        var header = JWS.SigningHeader(type: "dpop+jwt")
        header.others["jwk"] = try JSON(parsing: JWK(attacker.publicKey).encoded())
        let text = try JWS.signed(Array("{}".utf8), with: SigningKey(attacker), header: header)
        var policy = JWS.Policy()
        policy.toleratesEmbeddedKeys = true
        let token = try JWS.Unverified(parsing: text, policy: policy)
        let trusted = VerificationKey(try Sample.pair(1).publicKey)
        #expect(
            rejection { () throws(JWS.Rejection) in try token.verified(by: trusted, accepting: [.edDSA]) }
                == .invalidSignature)
        // Who wants a proof of possession asks for that key by name.
        let brought = try #require(try token.embeddedKey())
        #expect(throws: Never.self) { try token.verified(by: VerificationKey(brought), accepting: [.edDSA]) }
    }

    @Test(
        "Encrypted content is not signed content", .proves("RFC7516-9"),
        arguments: [
            Fault(#"{"alg":"HS256","enc":"A256GCM"}"#, .encrypted("enc")),
            Fault(#"{"alg":"HS256","zip":"DEF"}"#, .encrypted("zip")),
        ])
    func encrypted(fault: Fault) {
        #expect(Sample.malformation(Sample.token(header: fault.header)) == fault.rejection)
    }

    @Test(
        "A header is a JSON object in UTF-8", .proves("threat-19"),
        arguments: [
            Fault("[]", .malformedHeader(.mismatch(at: "$", expected: .object, found: .array))),
            Fault("\"HS256\"", .malformedHeader(.mismatch(at: "$", expected: .object, found: .string))),
            Fault("null", .malformedHeader(.mismatch(at: "$", expected: .object, found: .null))),
            Fault("", .malformedHeader(.unexpectedEnd(offset: 0, expected: .value))),
            Fault(#"{"alg":"HS256"}{"#, .malformedHeader(.trailingContent(offset: 15))),
            Fault("\u{feff}{\"alg\":\"HS256\"}", .malformedHeader(.byteOrderMark)),
            Fault(#"{"alg":"HS256","x":"\ud800"}"#, .malformedHeader(.loneSurrogate(offset: 20))),
        ])
    func object(fault: Fault) {
        #expect(Sample.malformation(Sample.token(header: fault.header)) == fault.rejection)
    }

    @Test("Bytes that are not UTF-8 are refused", .proves("threat-19"))
    func utf16() {
        let utf16 = #"{"alg":"HS256"}"#.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let ending: JSON.Rejection = .unexpectedByte(0, offset: 1, expected: .name)
        #expect(Sample.malformation(Sample.token(header: utf16, payload: [])) == .malformedHeader(ending))
        let latin1 = Array(#"{"alg":"HS256","x":""#.utf8) + [0xe9] + Array(#""}"#.utf8)
        #expect(
            Sample.malformation(Sample.token(header: latin1, payload: []))
                == .malformedHeader(.malformedUTF8(offset: 20)))
    }

    @Test("Parameters can be read before verification, and are typed")
    func access() throws {
        let header = try JWS.Unverified(
            parsing: Sample.token(header: #"{"alg":"HS256","kid":"k1","typ":"at+jwt","cty":"x","n":7}"#)
        ).header
        #expect(header.algorithm == .hs256)
        #expect(header.keyID == (try Sample.id("k1")))
        #expect(header.type == "application/AT+JWT")
        #expect(header.contentType == "x")
        #expect(try header["n"]?.integer() == 7)
        #expect(header["absent"] == nil)
    }
}

@Suite("RFC 7515 §4.1.9: media types")
struct ContentTypeTests {
    @Test("Letters of either case are the same, and 'application/' is understood", .proves("RFC7515-4.1.9"))
    func equality() {
        #expect(JWS.ContentType("at+jwt") == "application/at+jwt")
        #expect(JWS.ContentType("JWT") == "jwt")
        #expect(JWS.ContentType("Application/JWT") == "jwt")
        #expect(JWS.ContentType("at+jwt") != "jwt")
        #expect(JWS.ContentType("example/jwt") != "jwt")
        #expect(JWS.ContentType("application/example/jwt") != "example/jwt")
        #expect(JWS.ContentType("jwt ") != "jwt")
        #expect(JWS.ContentType("\u{212a}wt") != "kwt")
        #expect(Set<JWS.ContentType>(["at+jwt", "application/AT+JWT"]).count == 1)
    }
}
