import JOSE
import PureCrypto
import TestSupport
import Testing
import Wire

/// The examples of the standards, as data.
enum Vectors {
    static var all: JSON {
        get throws { try JSON(parsing: try Repository.fixture("jose/rfc-vectors.json")) }
    }

    static func key(of vector: JSON) throws -> VerificationKey {
        try VerificationKey(JWK.Private(parsing: try #require(vector["key"]).encoded()))
    }
}

@Suite("RFC 7515, 7520, 7797, 8037: examples")
struct VectorTests {
    private let algorithms: [Algorithm] = [.edDSA, .hs256]

    @Test(
        "Compact serializations", .proves("RFC7515-A.1"), .proves("RFC8037-A.4"), .proves("RFC7797-4.1"),
        .proves("RFC7520-4.4"))
    func compact() throws {
        for vector in try #require(try Vectors.all["signatures"]?.array) {
            let token = try JWS.Unverified(parsing: try #require(vector["compact"]?.string))
            let verified = try token.verified(by: Vectors.key(of: vector), accepting: algorithms)
            #expect(
                verified.payload == Array(try #require(vector["payload"]?.string).utf8),
                "\(vector["source"]?.string ?? "")")
        }
    }

    @Test("Detached payloads, encoded and not", .proves("RFC7797-4.2"), .proves("RFC7520-4.5"))
    func detached() throws {
        var policy = JWS.Policy()
        policy.allowsUnencodedPayload = true
        for vector in try #require(try Vectors.all["detached"]?.array) {
            let payload = Array(try #require(vector["payload"]?.string).utf8)
            let text = try #require(vector["compact"]?.string)
            let verified = try JWS.Unverified(parsing: text, detachedPayload: payload, policy: policy)
                .verified(by: Vectors.key(of: vector), accepting: algorithms)
            #expect(verified.payload == payload)
        }
    }

    @Test("JSON serializations", .proves("RFC7520-4.4"), .proves("RFC7520-4.6"), .proves("RFC7520-4.7"))
    func serializations() throws {
        for vector in try #require(try Vectors.all["serializations"]?.array) {
            var policy = JWS.Policy()
            policy.allowsUnprotectedAlgorithm = vector["unprotectedAlgorithm"]?.bool ?? false
            let verified = try JWS.Unverified(parsingJSON: try #require(vector["json"]).encoded(), policy: policy)
                .verified(by: Vectors.key(of: vector), accepting: algorithms)
            #expect(
                verified.payload == Array(try #require(vector["payload"]?.string).utf8),
                "\(vector["source"]?.string ?? "")")
        }
    }

    @Test("Ed25519 signatures are those of the standard, to the byte", .proves("RFC8037-A.4"))
    func signing() throws {
        let vector = try #require(try Vectors.all["signatures"]?[1])
        let key = try SigningKey(JWK.Private(parsing: try #require(vector["key"]).encoded()))
        #expect(try JWS.signed(Array("Example of Ed25519 signing".utf8), with: key) == vector["compact"]?.string)
        let unencoded = try #require(try Vectors.all["detached"]?[0])
        let secret = try JWK.Private(parsing: try #require(unencoded["key"]).encoded())
        var attributes = secret
        attributes.attributes.algorithm = .hs256
        #expect(
            try JWS.signedDetached(Array("$.02".utf8), encoded: false, with: SigningKey(attributes))
                == unencoded["compact"]?.string)
    }
}

@Suite("Laws")
struct LawTests {
    @Test("What is signed verifies, whatever it is; nothing else does")
    func signAndVerify() throws {
        let seed: UInt64 = 0x7515
        var generator = SeededGenerator(seed: seed)
        let keys = [
            SigningKey(try Sample.pair()), try SigningKey(Sample.secret, for: .hs256),
            try SigningKey(Sample.secret, for: .hs384),
            try SigningKey(Sample.secret, for: .hs512),
        ]
        for round in 0..<40 {
            let payload = generator.bytes(Int(generator.next(upperBound: UInt64(300))))
            for (index, key) in keys.enumerated() {
                let token = try JWS.Unverified(parsing: try JWS.signed(payload, with: key))
                let verified = try token.verified(by: try #require(key.verificationKey), accepting: [key.algorithm])
                #expect(verified.payload == payload, "seed \(seed), round \(round)")
                for other in keys.indices where other != index {
                    let stranger = try #require(keys[other].verificationKey)
                    #expect(
                        rejection { () throws(JWS.Rejection) in
                            try token.verified(by: stranger, accepting: [key.algorithm])
                        }
                            != nil)
                }
            }
        }
    }

    @Test("Every proper prefix of a token is refused")
    func prefixes() throws {
        let text = Sample.token(payload: Sample.claims())
        let key = try Sample.hmacKey()
        for length in 0..<text.utf8.count {
            let prefix = String(text.prefix(length))
            #expect((try? JWS.Unverified(parsing: prefix).verified(by: key, accepting: [.hs256])) == nil)
        }
    }

    @Test("No token with one byte changed is believed", .proves("threat-12"))
    func mutations() throws {
        let text = Array(Sample.token(payload: Sample.claims()).utf8)
        let key = try Sample.hmacKey()
        let seed: UInt64 = 0x7519
        var generator = SeededGenerator(seed: seed)
        for offset in text.indices {
            for _ in 0..<4 {
                var copy = text
                copy[offset] ^= UInt8(1 + generator.next(upperBound: UInt64(255)))
                #expect(
                    (try? JWS.Unverified(parsing: copy).verified(by: key, accepting: [.hs256])) == nil,
                    "seed \(seed), offset \(offset)")
            }
            var shorter = text
            shorter.remove(at: offset)
            #expect(
                (try? JWS.Unverified(parsing: shorter).verified(by: key, accepting: [.hs256])) == nil,
                "without byte \(offset)")
            var longer = text
            longer.insert(UInt8(ascii: "A"), at: offset)
            #expect(
                (try? JWS.Unverified(parsing: longer).verified(by: key, accepting: [.hs256])) == nil,
                "with one more at \(offset)")
        }
    }

    @Test("Random texts never trap")
    func random() {
        var generator = SeededGenerator(seed: 0x7797)
        let alphabet = Array(#"eyJhbGciOiJIUzI1NiJ9.{}[]":,\u0061 -_=123null"#.utf8)
        var policy = JWS.Policy()
        policy.allowsUnencodedPayload = true
        policy.allowsUnprotectedAlgorithm = true
        for _ in 0..<3000 {
            let length = Int(generator.next(upperBound: UInt64(80)))
            let text = (0..<length).map { _ in alphabet[Int(generator.next(upperBound: UInt64(alphabet.count)))] }
            _ = try? JWS.Unverified(parsing: text, policy: policy)
            _ = try? JWS.Unverified(parsingJSON: text, policy: policy)
            _ = try? JWK(parsing: text)
            _ = try? JWKSet(parsing: text)
        }
    }

    @Test("Claims keep their order, their numbers' texts and everything unknown")
    func claims() throws {
        let text = #"{"z":1.50,"iss":"i","a":[1e2,{"b":null}],"exp":1700000060,"aud":["x"]}"#
        let claims = JWT.Claims(try #require(try JSON(parsing: text).object))
        let token = try JWS.Unverified(parsing: try JWT.signed(claims, with: SigningKey(try Sample.pair())))
        let verified = try token.verified(by: VerificationKey(try Sample.pair().publicKey), accepting: [.edDSA])
        #expect(String(decoding: verified.payload, as: UTF8.self) == text)
    }
}

@Suite("RFC 7519 §4: making claims")
struct ClaimsTests {
    @Test("Typed claims are written as the standard wants them, each once")
    func typed() throws {
        var claims = JWT.Claims()
        claims.issuer = try Issuer(parsing: "i")
        claims.subject = try Subject(parsing: "s")
        claims.audience = [try Audience(parsing: "a")]
        claims.expiration = Timestamp(seconds: 10)
        claims.notBefore = Timestamp(seconds: 5, nanoseconds: 500_000_000)
        claims.issuedAt = Timestamp(seconds: 4)
        claims.id = "j"
        claims["name"] = "n"
        claims.issuer = try Issuer(parsing: "k")
        #expect(
            JSON.object(claims.members).encodedString()
                == #"{"iss":"k","sub":"s","aud":"a","exp":10,"nbf":5.5,"iat":4,"jti":"j","name":"n"}"#)
        #expect(claims.issuer?.text == "k")
        #expect(claims.notBefore == Timestamp(seconds: 5, nanoseconds: 500_000_000))
        claims.audience = [try Audience(parsing: "a"), try Audience(parsing: "b")]
        #expect(claims["aud"] == ["a", "b"])
        #expect(claims.audience.count == 2)
        claims.audience = []
        claims.expiration = nil
        #expect(claims["aud"] == nil)
        #expect(claims["exp"] == nil)
    }

    @Test("The header says what the key and the kind say, and callers cannot replace that")
    func header() throws {
        let key = try SigningKey(Sample.secret, for: .hs384, id: try Sample.id("k"))
        let issuance = try JWT.Issuance(with: key, as: .accessToken)
        let header = try JWS.Unverified(parsing: try issuance.token(JWT.Claims())).header
        #expect(header.protected?.value.raw == Array(#"{"alg":"HS384","kid":"k","typ":"at+jwt"}"#.utf8))
        for name: JSON.Name in ["alg", "kid", "typ", "cty", "crit", "b64"] {
            var header = JWS.SigningHeader()
            header.others[name] = "x"
            #expect(
                rejection { () throws(SigningKey.Rejection) in try JWS.signed([1], with: key, header: header) }
                    == .reservedParameter(name))
        }
    }
}
