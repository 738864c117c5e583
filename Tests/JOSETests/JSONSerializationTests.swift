import JOSE
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("RFC 7515 §7.2: JSON serializations")
struct JSONSerializationTests {
    private func malformation(_ json: String, _ change: (inout JWS.Policy) -> Void = { _ in }) -> JWS.Rejection? {
        var policy = JWS.Policy()
        change(&policy)
        return rejection { () throws(JWS.Rejection) in
            try JWS.Unverified(parsingJSON: json.utf8, policy: policy)
        }
    }

    private let protected = Base64URL.encode(Array(#"{"alg":"HS256","kid":"k1"}"#.utf8))
    private let bare = Base64URL.encode(Array("{}".utf8))

    @Test("Several signatures: the result says which verified", .proves("RFC7515-7.2.1"))
    func several() throws {
        let keys = [
            SigningKey(try Sample.pair(1), id: try Sample.id("a")),
            SigningKey(try Sample.pair(2), id: try Sample.id("b")),
        ]
        let text = try JWS.signedJSON(Array("content".utf8), with: keys)
        let received = try JWS.Unverified(parsingJSON: text)
        #expect(received.headers.map { $0.keyID?.text } == ["a", "b"])
        let first = try #require(keys[0].verificationKey)
        let second = try #require(keys[1].verificationKey)
        let bySecond = try received.verified(by: second, accepting: [.edDSA])
        #expect(bySecond.signature.position == 1)
        #expect(bySecond.further.isEmpty)
        #expect(bySecond.failures.map { $0.position } == [0])
        #expect(bySecond.failures.first?.reason == .unknownKey(try Sample.id("a")))
        let byBoth = try received.verified(by: [second, first], accepting: [.edDSA])
        #expect(byBoth.signature.position == 0)
        #expect(byBoth.further.map { $0.position } == [1])
        #expect(byBoth.failures.isEmpty)
        #expect(byBoth.payload == Array("content".utf8))
    }

    @Test("None of several signatures verifies: nothing is believed")
    func none() throws {
        let keys = [SigningKey(try Sample.pair(1)), SigningKey(try Sample.pair(2))]
        let received = try JWS.Unverified(parsingJSON: try JWS.signedJSON([1], with: keys))
        let stranger = VerificationKey(try Sample.pair(3).publicKey)
        #expect(
            rejection { () throws(JWS.Rejection) in try received.verified(by: stranger, accepting: [.edDSA]) }
                == .invalidSignature
        )
    }

    @Test("A JSON serialization is no token", .proves("RFC7519-3"))
    func noToken() throws {
        let key = SigningKey(try Sample.pair(1))
        let received = try JWS.Unverified(parsingJSON: try JWS.signedJSON(Array(Sample.claims().utf8), with: [key]))
        let verified = try received.verified(by: try #require(key.verificationKey), accepting: [.edDSA])
        let expectation = try Sample.expectation()
        let refusal = rejection { () throws(JWT.Rejection) in
            try verified.validated(expecting: expectation, at: Sample.now)
        }
        #expect(refusal == .notCompact)
    }

    @Test("The two headers are disjoint, and what must be protected is", .proves("RFC7515-7.2.1"), .proves("RFC7797-3"))
    func headers() {
        func flattened(_ protected: String, _ header: String) -> String {
            let encoded = protected.isEmpty ? "" : #""protected":"\#(Base64URL.encode(Array(protected.utf8)))","#
            return #"{"payload":"YQ",\#(encoded)"header":\#(header),"signature":"YQ"}"#
        }
        #expect(malformation(flattened(#"{"alg":"HS256"}"#, #"{"kid":"a"}"#)) == nil)
        #expect(malformation(flattened(#"{"alg":"HS256","kid":"a"}"#, #"{"kid":"a"}"#)) == .repeatedParameter("kid"))
        #expect(malformation(flattened("", #"{"alg":"HS256"}"#)) == .unprotected("alg"))
        #expect(malformation(flattened("", #"{"alg":"HS256"}"#)) { $0.allowsUnprotectedAlgorithm = true } == nil)
        #expect(malformation(flattened(#"{"alg":"HS256"}"#, #"{"crit":["x"],"x":1}"#)) == .unprotected("crit"))
        #expect(
            malformation(flattened(#"{"alg":"HS256"}"#, #"{"b64":false}"#)) { $0.allowsUnencodedPayload = true }
                == .unprotected("b64"))
        // An extension that is critical must itself be protected.
        #expect(
            malformation(flattened(#"{"alg":"HS256","crit":["x"]}"#, #"{"x":1}"#)) { $0.understoodExtensions = ["x"] }
                == .absentCritical("x"))
        #expect(malformation(flattened(#"{"alg":"HS256"}"#, #"{"jku":"https://evil.example"}"#)) == .embeddedKey("jku"))
    }

    @Test("The forms are not mixed, and their members have the right types", .proves("RFC7515-7.2.2"))
    func forms() {
        let entry = #"{"protected":"\#(protected)","signature":"YQ"}"#
        #expect(malformation(#"{"payload":"YQ","signatures":[\#(entry)]}"#) == nil)
        #expect(
            malformation(#"{"payload":"YQ","signatures":[\#(entry)],"signature":"YQ"}"#)
                == .mixedSerializations("signature"))
        #expect(
            malformation(#"{"payload":"YQ","signatures":[\#(entry)],"protected":"e30"}"#)
                == .mixedSerializations("protected"))
        #expect(
            malformation(#"{"payload":"YQ","signatures":[]}"#)
                == .malformedSerialization(.missing(at: "$.signatures[0]")))
        #expect(malformation(#"{"signatures":[\#(entry)]}"#) == .malformedSerialization(.missing(at: "$.payload")))
        #expect(
            malformation(#"{"payload":"YQ","protected":"\#(protected)"}"#)
                == .malformedSerialization(.missing(at: "$.signature")))
        #expect(malformation(#"{"payload":"YQ","protected":"\#(protected)","signature":""}"#) == .emptySignature)
        #expect(
            malformation(#"{"payload":"YQ==","protected":"\#(protected)","signature":"YQ"}"#)
                == .malformedBase64URL(.payload, .misplacedPadding(offset: 2)))
        #expect(malformation("[]") == .malformedSerialization(.mismatch(at: "$", expected: .object, found: .array)))
        #expect(
            malformation(#"{"payload":"YQ","payload":"YQ"}"#) == .malformedSerialization(.duplicateName(offset: 16)))
        let many = Array(repeating: entry, count: 9).joined(separator: ",")
        #expect(malformation(#"{"payload":"YQ","signatures":[\#(many)]}"#) == .tooManySignatures(found: 9, limit: 8))
    }

    @Test("All signatures see the payload in one form", .proves("RFC7797-3"))
    func oneForm() {
        let raw = Base64URL.encode(Array(#"{"alg":"HS256","b64":false,"crit":["b64"]}"#.utf8))
        let entries = #"{"protected":"\#(protected)","signature":"YQ"},{"protected":"\#(raw)","signature":"YQ"}"#
        #expect(
            malformation(#"{"payload":"YQ","signatures":[\#(entries)]}"#) { $0.allowsUnencodedPayload = true }
                == .payloadInTwoForms)
    }
}
