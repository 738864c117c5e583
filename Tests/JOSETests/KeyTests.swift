import JOSE
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("RFC 7517 §4: keys")
struct KeyTests {
    private static let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
    private static let d = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"

    struct Fault: CustomTestStringConvertible, Sendable {
        let members: String
        let rejection: JWK.Rejection

        init(_ members: String, _ rejection: JWK.Rejection) {
            self.members = members
            self.rejection = rejection
        }

        var testDescription: String { members }
    }

    private func refusal(_ text: String) -> JWK.Rejection? {
        rejection { () throws(JWK.Rejection) in try JWK(parsing: text) }
    }
    private func privateRefusal(_ text: String) -> JWK.Rejection? {
        rejection { () throws(JWK.Rejection) in try JWK.Private(parsing: text) }
    }

    @Test("A public key is read, kept with everything it says, and written again")
    func roundTrip() throws {
        let text =
            #"{"kty":"OKP","crv":"Ed25519","x":"\#(Self.x)","kid":"k","use":"sig","key_ops":["verify"],"alg":"EdDSA","x5t":"YQ","ext":true}"#
        let key = try JWK(parsing: text)
        #expect(String(decoding: key.encoded(), as: UTF8.self) == text)
        #expect(key.id == (try Sample.id("k")))
        #expect(key.attributes.use == .signature)
        #expect(key.attributes.operations == [.verify])
        #expect(key.attributes.algorithm == .edDSA)
        #expect(key.attributes.others["ext"] == true)
        #expect(try JWK(parsing: key.encoded()) == key)
    }

    @Test(
        "Broken keys are refused for what is broken", .proves("threat-7"), .proves("threat-13"), .proves("RFC8037-2"),
        arguments: [
            Fault(#""crv":"Ed25519","x":"\#(x)""#, .malformed(.missing(at: "$.kty"))),
            Fault(
                #""kty":7,"crv":"Ed25519","x":"\#(x)""#,
                .malformed(.mismatch(at: "$.kty", expected: .string, found: .number))),
            Fault(#""kty":"OKP","x":"\#(x)""#, .malformed(.missing(at: "$.crv"))),
            Fault(#""kty":"OKP","crv":"Ed25519""#, .malformed(.missing(at: "$.x"))),
            Fault(
                #""kty":"OKP","crv":"Ed25519","x":null"#,
                .malformed(.mismatch(at: "$.x", expected: .string, found: .null))),
            Fault(
                #""kty":"OKP","crv":"Ed25519","x":"\#(x)=""#, .malformedBase64URL("x", .misplacedPadding(offset: 43))),
            Fault(
                #""kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo""#,
                .malformedBase64URL("x", .foreignCharacter(.base64, offset: 13))),
            Fault(
                #""kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURp""#,
                .malformedBase64URL("x", .strayBits(offset: 42))),
            Fault(#""kty":"OKP","crv":"Ed25519","x":"""#, .wrongLength("x", expected: 32, found: 0)),
            Fault(#""kty":"OKP","crv":"Ed25519","x":"YWJj""#, .wrongLength("x", expected: 32, found: 3)),
            Fault(
                #""kty":"OKP","crv":"Ed25519","x":"AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA""#,
                .invalidKey(.notOnCurve)),
            Fault(
                #""kty":"OKP","crv":"Ed25519","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA""#,
                .invalidKey(.smallOrder)),
            Fault(
                #""kty":"OKP","crv":"Ed25519","x":"7v_______________________________________38""#,
                .invalidKey(.nonCanonicalY)),
            Fault(#""kty":"OKP","crv":"Ed25519","x":"\#(x)","x":"\#(x)""#, .malformed(.duplicateName(offset: 79))),
            Fault(#""kty":"OKP","crv":"Ed25519","x":"\#(x)","\u0078":"\#(x)""#, .malformed(.duplicateName(offset: 79))),
            Fault(#""kty":"OKP","crv":"Ed25519","x":"\#(x)","alg":"none""#, .unsecuredAlgorithm),
            Fault(#""kty":"OKP","crv":"Ed25519","x":"\#(x)","alg":"HS256""#, .otherAlgorithm(.hs256, .octetKeyPair)),
            Fault(
                #""kty":"OKP","crv":"Ed25519","x":"\#(x)","alg":7"#,
                .malformed(.mismatch(at: "$.alg", expected: .string, found: .number))),
            Fault(
                #""kty":"OKP","crv":"Ed25519","x":"\#(x)","kid":7"#,
                .malformed(.mismatch(at: "$.kid", expected: .string, found: .number))),
            Fault(#""kty":"OKP","crv":"Ed25519","x":"\#(x)","kid":"""#, .malformedID(.empty(.identifier))),
            Fault(
                #""kty":"OKP","crv":"Ed25519","x":"\#(x)","use":["sig"]"#,
                .malformed(.mismatch(at: "$.use", expected: .string, found: .array))),
            Fault(
                #""kty":"OKP","crv":"Ed25519","x":"\#(x)","key_ops":"verify""#,
                .malformed(.mismatch(at: "$.key_ops", expected: .array, found: .string))),
            Fault(
                #""kty":"OKP","crv":"Ed25519","x":"\#(x)","key_ops":[7]"#,
                .malformed(.mismatch(at: "$.key_ops[0]", expected: .string, found: .number))),
            Fault(
                #""kty":"OKP","crv":"Ed25519","x":"\#(x)","key_ops":["verify","verify"]"#, .repeatedOperation(.verify)),
            Fault(
                #""kty":"OKP","crv":"Ed25519","x":"\#(x)","use":"enc","key_ops":["verify"]"#,
                .inconsistentUse(.encryption, .verify)),
            Fault(#""kty":"OKP","crv":"Ed25519","x":"\#(x)","d":"\#(d)""#, .secretMember("d")),
            Fault(#""kty":"OKP","crv":"Ed25519","x":"\#(x)","k":"YQ""#, .secretMember("k")),
            Fault(#""kty":"oct","k":"YQ""#, .secretMember("k")),
            Fault(#""kty":"oct""#, .malformed(.missing(at: "$.k"))),
            Fault(#""kty":"EC","crv":"secp256k1","x":"YQ","y":"YQ""#, .wrongLength("x", expected: 32, found: 1)),
            Fault(#""kty":"RSA","n":"AAEC","e":"AQAB""#, .notMinimal("n")),
            Fault(#""kty":"RSA","n":"AQ","e":"""#, .notMinimal("e")),
        ])
    func broken(fault: Fault) { #expect(refusal("{\(fault.members)}") == fault.rejection) }

    @Test("A private key is its seed, and its public half belongs to it", .proves("threat-8"))
    func privateKeys() throws {
        let key = try JWK.Private(parsing: #"{"kty":"OKP","crv":"Ed25519","x":"\#(Self.x)","d":"\#(Self.d)"}"#)
        #expect(try key.publicKey == JWK(parsing: #"{"kty":"OKP","crv":"Ed25519","x":"\#(Self.x)"}"#))
        #expect(try JWK.Private(parsing: try #require(key.encoded())).publicKey == key.publicKey)
        let other = Base64URL.encode(try Sample.pair(3).publicKey.rawRepresentation)
        #expect(privateRefusal(#"{"kty":"OKP","crv":"Ed25519","x":"\#(other)","d":"\#(Self.d)"}"#) == .mismatchedPair)
        #expect(
            privateRefusal(#"{"kty":"OKP","crv":"Ed25519","x":"\#(Self.x)","d":"YQ"}"#)
                == .wrongLength("d", expected: 32, found: 1))
        #expect(privateRefusal(#"{"kty":"OKP","crv":"Ed25519","d":"\#(Self.d)"}"#) == .malformed(.missing(at: "$.x")))
        #expect(privateRefusal(#"{"kty":"OKP","crv":"Ed25519","x":"\#(Self.x)"}"#) == .noSecret)
        #expect(privateRefusal(#"{"kty":"oct","k":""}"#) == .emptySecret)
        #expect(privateRefusal(#"{"kty":"oct","k":"YQ","alg":"EdDSA"}"#) == .otherAlgorithm(.edDSA, .octetSequence))
    }

    @Test(
        "'use', 'key_ops' and 'alg' are honoured", .proves("RFC7517-4.2"), .proves("RFC7517-4.3"),
        .proves("RFC7517-4.4"))
    func attributes() throws {
        func verification(_ members: String) throws -> JWK.Rejection? {
            let key = try JWK(parsing: #"{"kty":"OKP","crv":"Ed25519","x":"\#(Self.x)"\#(members)}"#)
            return rejection { () throws(JWK.Rejection) in try VerificationKey(key) }
        }
        func signing(_ members: String) throws -> JWK.Rejection? {
            let key = try JWK.Private(
                parsing: #"{"kty":"OKP","crv":"Ed25519","x":"\#(Self.x)","d":"\#(Self.d)"\#(members)}"#)
            return rejection { () throws(JWK.Rejection) in try SigningKey(key) }
        }
        #expect(try verification("") == nil)
        #expect(try verification(#","use":"sig""#) == nil)
        #expect(try verification(#","use":"enc""#) == .otherUse(found: .encryption))
        #expect(try verification(#","use":"SIG""#) == .otherUse(found: "SIG"))
        #expect(try verification(#","key_ops":["verify"]"#) == nil)
        #expect(try verification(#","key_ops":["sign"]"#) == .operationNotAllowed(.verify))
        #expect(try verification(#","key_ops":[]"#) == .operationNotAllowed(.verify))
        #expect(try signing(#","key_ops":["sign"]"#) == nil)
        #expect(try signing(#","key_ops":["verify"]"#) == .operationNotAllowed(.sign))
        #expect(try signing(#","use":"enc""#) == .otherUse(found: .encryption))
        let wrapping = try JWK.Private(
            parsing: #"{"kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","alg":"A256KW"}"#)
        let expected = JWK.Rejection.otherAlgorithm(try #require(Algorithm("A256KW")), .octetSequence)
        #expect(rejection { () throws(JWK.Rejection) in try VerificationKey(wrapping) } == expected)
    }

    @Test("Keys of other types are read, kept and written, and refused for use", .proves("RFC7517-4.1"))
    func foreign() throws {
        let texts = [
            #"{"kty":"EC","crv":"secp256k1","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","kid":"e"}"#,
            #"{"kty":"OKP","crv":"X25519","x":"hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo","use":"enc"}"#,
            #"{"kty":"AKP","kid":"pq","alg":"ML-DSA-44","pub":"YWJj"}"#,
        ]
        for text in texts {
            let key = try JWK(parsing: text)
            #expect(try JSON(parsing: key.encoded()).object?.count == JSON(parsing: text).object?.count)
            #expect(try JWK(parsing: key.encoded()) == key)
            #expect(rejection { () throws(JWK.Rejection) in try VerificationKey(key) } == .unsupportedType(key.type))
        }
        let secret = try JWK.Private(
            parsing:
                #"{"kty":"OKP","crv":"X25519","x":"hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo","d":"YQ"}"#)
        #expect(rejection { () throws(JWK.Rejection) in try SigningKey(secret) } == .unsupportedType(.octetKeyPair))
        #expect(secret.encoded() == nil)
    }

    @Test("Secrets show themselves nowhere but in their encoding", .proves("threat-22"))
    func redaction() throws {
        let pair = try JWK.Private(
            parsing: #"{"kty":"OKP","crv":"Ed25519","kid":"k","x":"\#(Self.x)","d":"\#(Self.d)"}"#)
        let symmetric = try JWK.Private(SymmetricKey(data: Array("correct horse battery staple 12345".utf8)))
        let signing = try SigningKey(pair)
        let seed = try Base64URL.decode(Self.d)
        let curve = try JWK.Private(P256.Signing.PrivateKey(rawRepresentation: seed))
        let values: [Any] = [
            pair, symmetric, signing, try SigningKey(symmetric), try VerificationKey(symmetric), curve,
            try SigningKey(curve), try #require(curve.document),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in [dumped, "\(value)", String(reflecting: value)] {
                #expect(!text.contains(Self.d))
                #expect(!text.contains("9d61b19deffd"))
                #expect(!text.contains("horse"))
                #expect(!text.contains("99, 111, 114, 114"))
                #expect(!text.contains("\(seed[0]), \(seed[1]), \(seed[2])"))
                // The dump of an array shows an element a line.
                #expect(!text.contains("- \(seed[0])\n"))
            }
        }
        #expect("\(pair)" == "JWK.Private(OKP, kid: k, redacted)")
        let broken = privateRefusal(#"{"kty":"OKP","crv":"Ed25519","x":"\#(Self.x)","d":"\#(Self.d)AAAA"}"#)
        #expect(broken?.text == "'d' has 35 bytes, expected 32")
    }
}

@Suite("RFC 7517 §5: key sets")
struct KeySetTests {
    private static let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"

    @Test("One strange key does not spoil the others")
    func strange() throws {
        let text = """
            {"keys":[{"kty":"XYZ","kid":"a"},{"kty":"OKP","crv":"Ed25519","x":"\(Self.x)","kid":"b"},{"kid":"c"},7,
            {"kty":"OKP","crv":"Ed25519","x":"YQ","kid":"d"},{"kty":"oct","k":"YQ","kid":"e"},
            {"kty":"OKP","crv":"Ed25519","x":"\(Self.x)","kid":"f","use":"enc"}],"other":1}
            """
        let set = try JWKSet(parsing: text)
        #expect(set.keys.map { $0.id?.text } == ["b"])
        #expect(set.members.map { $0.id?.text } == ["a", "b", "f"])
        #expect(set.refused.map { $0.position } == [0, 2, 3, 4, 5, 6])
        #expect(
            set.refused.map { $0.reason } == [
                .unsupportedType("XYZ"), .malformed(.missing(at: "$.keys[2].kty")),
                .malformed(.mismatch(at: "$.keys[3]", expected: .object, found: .number)),
                .wrongLength("x", expected: 32, found: 1),
                .secretMember("k"), .otherUse(found: .encryption),
            ])
        #expect(set.refused.map { $0.id?.text } == ["a", "c", nil, "d", "e", "f"])
    }

    @Test("Secrets are taken only from a party's own set, and never written", .proves("threat-22"))
    func secrets() throws {
        let k = Base64URL.encode([UInt8](repeating: 7, count: 32))
        let text = #"{"keys":[{"kty":"oct","k":"\#(k)","kid":"s"},{"kty":"OKP","crv":"Ed25519","x":"\#(Self.x)"}]}"#
        #expect(try JWKSet(parsing: text).keys.count == 1)
        let own = try JWKSet(parsing: text, allowingSecrets: true)
        #expect(own.keys.count == 2)
        #expect(!String(decoding: own.encoded(), as: UTF8.self).contains(k))
        #expect(try JWKSet(parsing: own.encoded()).members == own.members)
    }

    @Test("Keys are selected by name, algorithm and issuer", .proves("threat-25"))
    func selection() throws {
        let issuer = try Issuer(parsing: "https://issuer.example")
        let text =
            #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"\#(Self.x)","kid":"a"},{"kty":"OKP","crv":"Ed25519","x":"\#(Self.x)","kid":"b","alg":"Ed25519"}]}"#
        let set = try JWKSet(parsing: text, of: issuer)
        #expect(set.keys.allSatisfy { $0.issuer == issuer })
        #expect(set.keys(named: try Sample.id("a"), for: .edDSA).count == 1)
        #expect(set.keys(named: nil, for: .ed25519).count == 2)
        #expect(set.keys(named: nil, for: .edDSA).count == 1)
        #expect(set.keys(named: try Sample.id("c"), for: .edDSA).isEmpty)
        #expect(set.keys(named: nil, for: .hs256).isEmpty)
        #expect(set.keys(named: nil, for: .ed25519, of: try Issuer(parsing: "https://other.example")).isEmpty)
    }

    @Test("Sets are bounded, and are objects with an array", .proves("threat-14"))
    func bounds() throws {
        func refusal(_ text: String) -> JWK.Rejection? {
            rejection { () throws(JWK.Rejection) in try JWKSet(parsing: text) }
        }
        let many = Array(repeating: "{}", count: 129).joined(separator: ",")
        #expect(refusal(#"{"keys":[\#(many)]}"#) == .tooManyKeys(found: 129, limit: 128))
        #expect(refusal(#"{"keys":{}}"#) == .malformedSet(.mismatch(at: "$.keys", expected: .array, found: .object)))
        #expect(refusal("{}") == .malformedSet(.missing(at: "$.keys")))
        #expect(refusal(#"{"keys":[],"keys":[]}"#) == .malformedSet(.duplicateName(offset: 11)))
        let large = String(repeating: " ", count: 65_537)
        #expect(refusal(large) == .malformedSet(.tooLarge(size: 65_537, limit: 65_536)))
        #expect(refusal(#"{"keys":[]}"#) == nil)
    }
}
