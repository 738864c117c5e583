import JOSE
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("RFC 7515 §7.1: compact serialization")
struct CompactTests {
    @Test("Three parts, no more and no less", .proves("threat-12"), .proves("RFC7515-7.1"))
    func parts() {
        let token = Sample.token()
        let parts = token.split(separator: ".")
        #expect(Sample.malformation(token) == nil)
        #expect(Sample.malformation("") == .wrongPartCount(1))
        #expect(Sample.malformation("abc") == .wrongPartCount(1))
        #expect(Sample.malformation("\(parts[0]).\(parts[1])") == .wrongPartCount(2))
        #expect(Sample.malformation(token + ".") == .wrongPartCount(4))
        #expect(Sample.malformation("." + token) == .wrongPartCount(4))
        #expect(Sample.malformation("\(parts[0])..\(parts[1]).\(parts[2])") == .wrongPartCount(4))
        #expect(Sample.malformation(token + "." + token) == .wrongPartCount(6))
        #expect(Sample.malformation("eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..aXY.Y3Q.dGFn") == .encrypted("enc"))
        #expect(Sample.malformation("\(parts[0]).a.b.c.d") == .wrongPartCount(5))
    }

    @Test(
        "Two texts never make one token: padding, white space, other alphabets, stray bits", .proves("threat-12"),
        .proves("RFC7515-2"))
    func canonical() {
        let token = Sample.token()
        let parts = token.split(separator: ".").map(String.init)
        func broken(_ part: JWS.Part, _ rejection: SyntaxError) -> JWS.Rejection {
            .malformedBase64URL(part, rejection)
        }
        #expect(Sample.malformation(token + "=") == broken(.signature, .misplacedPadding(offset: 43)))
        #expect(Sample.malformation(token + "\n") == broken(.signature, .foreignCharacter(.base64, offset: 43)))
        #expect(Sample.malformation(" " + token) == broken(.header, .foreignCharacter(.base64, offset: 0)))
        #expect(
            Sample.malformation("\(parts[0])=.\(parts[1]).\(parts[2])")
                == broken(.header, .misplacedPadding(offset: parts[0].utf8.count)))
        #expect(
            Sample.malformation("\(parts[0]).\(parts[1])+.\(parts[2])")
                == broken(.payload, .foreignCharacter(.base64, offset: parts[1].utf8.count)))
        #expect(
            Sample.malformation("\(parts[0]).\(parts[1])\u{e9}.\(parts[2])")
                == broken(.payload, .foreignCharacter(.base64, offset: parts[1].utf8.count)))
        // 32 bytes leave two bits of the last character; it must not have them set.
        let last = parts[2].removingLast()
        let canonical = "AEIMQUYcgkosw048"
        for character in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        where !canonical.contains(character) {
            #expect(
                Sample.malformation("\(parts[0]).\(parts[1]).\(last)\(character)")
                    == broken(.signature, .strayBits(offset: 42)))
        }
    }

    @Test("An empty signature is refused before anything is computed", .proves("threat-5"))
    func emptySignature() {
        let parts = Sample.token().split(separator: ".")
        #expect(Sample.malformation("\(parts[0]).\(parts[1]).") == .emptySignature)
        #expect(Sample.malformation("\(parts[0])..") == .emptySignature)
        #expect(Sample.malformation("..YQ") == .malformedHeader(.unexpectedEnd(offset: 0, expected: .value)))
    }

    @Test("A JSON serialization is not taken where a compact one is expected", .proves("threat-12"))
    func jsonText() throws {
        let text = try JWS.signedJSON(Array("{}".utf8), with: [SigningKey(try Sample.pair())])
        #expect(Sample.malformation(String(decoding: text, as: UTF8.self)) == .wrongPartCount(1))
    }

    @Test("Size is bounded before work is done", .proves("threat-14"))
    func size() {
        #expect(Sample.malformation(String(repeating: "a", count: 16_385)) == .tooLarge(size: 16_385, limit: 16_384))
        #expect(Sample.malformation(String(repeating: ".", count: 100_000)) == .tooLarge(size: 100_000, limit: 16_384))
        #expect(Sample.malformation(String(repeating: ".", count: 16_000)) == .wrongPartCount(16_001))
        var policy = JWS.Policy()
        policy.size = 10
        #expect(Sample.malformation("aaaaaaaaaaa", policy: policy) == .tooLarge(size: 11, limit: 10))
        let deep = Sample.token(header: #"{"alg":"HS256","x":"# + String(repeating: "[", count: 2000) + "}")
        #expect(Sample.malformation(deep) == .malformedHeader(.tooDeep(offset: 28, limit: 10)))
    }

    @Test("Detached payloads: the place is empty, and what is signed is the same", .proves("RFC7515-F"))
    func detached() throws {
        let payload = Array("content".utf8)
        let key = try SigningKey(Sample.secret, for: .hs256)
        let text = try JWS.signedDetached(payload, with: key)
        #expect(text.contains(".."))
        let verifier = try #require(key.verificationKey)
        let verified = try JWS.Unverified(parsing: text, detachedPayload: payload).verified(
            by: verifier, accepting: [.hs256])
        #expect(verified.payload == payload)
        // The same signature as over the attached payload.
        let attached = try JWS.signed(payload, with: key)
        #expect(attached.split(separator: ".").last == text.split(separator: ".").last)
        #expect(
            rejection { () throws(JWS.Rejection) in
                try JWS.Unverified(parsing: attached, detachedPayload: payload)
            }
                == .payloadNotDetached)
        let other = try JWS.Unverified(parsing: text, detachedPayload: payload + [0])
        #expect(
            rejection { () throws(JWS.Rejection) in try other.verified(by: verifier, accepting: [.hs256]) }
                == .invalidSignature)
        // Without its payload the text is one of the empty payload, whose signature is another.
        let empty = try JWS.Unverified(parsing: text)
        #expect(
            rejection { () throws(JWS.Rejection) in try empty.verified(by: verifier, accepting: [.hs256]) }
                == .invalidSignature)
    }

    @Test(
        "Unencoded payloads only where allowed, in printable characters, and never in tokens", .proves("threat-11"),
        .proves("RFC7797-5.2"))
    func unencoded() throws {
        var policy = JWS.Policy()
        policy.allowsUnencodedPayload = true
        func text(_ payload: [UInt8]) -> [UInt8] {
            let input =
                Array((Base64URL.encode(Array(#"{"alg":"HS256","b64":false,"crit":["b64"]}"#.utf8)) + ".").utf8)
                + payload
            return input
                + Array(
                    ("." + Base64URL.encode(HMAC<SHA256>.authenticationCode(for: input, using: Sample.secret))).utf8)
        }
        func malformation(_ payload: [UInt8]) -> JWS.Rejection? {
            rejection { () throws(JWS.Rejection) in
                try JWS.Unverified(parsing: text(payload), policy: policy)
            }
        }
        let claims = Array(Sample.claims().replacing(".", with: "").utf8)
        let verified = try JWS.Unverified(parsing: text(claims), policy: policy).verified(
            by: Sample.hmacKey(), accepting: [.hs256])
        #expect(verified.payload == claims)
        let expectation = try Sample.expectation()
        let validation = rejection { () throws(JWT.Rejection) in
            try verified.validated(expecting: expectation, at: Sample.now)
        }
        #expect(validation == .unencodedPayload)
        #expect(malformation([0x24, 0x2e, 0x30]) == .wrongPartCount(4))
        #expect(malformation([0x24, 0x0a]) == .unprintablePayload(offset: 58))
        #expect(malformation([0x24, 0xc3, 0xa9]) == .unprintablePayload(offset: 58))
    }
}

extension String {
    fileprivate func removingLast() -> String { String(dropLast()) }

    fileprivate func replacing(_ old: Character, with new: String) -> String {
        map { $0 == old ? new : String($0) }.joined()
    }
}
