import JOSE
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("RFC 8410: keys as PKCS #8 and SubjectPublicKeyInfo")
struct DocumentTests {
    private typealias Public = Curve25519.Signing.PublicKey
    private typealias Private = Curve25519.Signing.PrivateKey

    private let publicDER: [UInt8]
    private let privateDER: [UInt8]
    private let bothDER: [UInt8]

    init() throws {
        let documents = try #require(try Vectors.all["documents"])
        publicDER = try Base64.decode(try #require(documents["publicKey"]?.string))
        privateDER = try Base64.decode(try #require(documents["privateKey"]?.string))
        bothDER = try Base64.decode(try #require(documents["privateKeyWithPublicKey"]?.string))
    }

    private func refusal(_ bytes: [UInt8]) -> JWK.Rejection? {
        rejection { () throws(JWK.Rejection) in try Private(derRepresentation: bytes) }
    }

    private func publicRefusal(_ bytes: [UInt8]) -> JWK.Rejection? {
        rejection { () throws(JWK.Rejection) in try Public(derRepresentation: bytes) }
    }

    @Test("The examples of the standard, both directions", .proves("RFC8410-10.1"), .proves("RFC8410-10.3"))
    func examples() throws {
        let key = try Private(derRepresentation: privateDER)
        #expect(try Public(derRepresentation: publicDER) == key.publicKey)
        #expect(try Private(derRepresentation: bothDER) == key)
        #expect(key.derRepresentation == privateDER)
        #expect(key.publicKey.derRepresentation == publicDER)
        #expect(try Private(derRepresentation: key.derRepresentationWithPublicKey) == key)
        #expect(try Private(pemRepresentation: key.pemRepresentation) == key)
        #expect(try Public(pemRepresentation: key.publicKey.pemRepresentation) == key.publicKey)
        #expect(
            key.publicKey.pemRepresentation
                == "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n"
        )
    }

    @Test("Every proper prefix is refused, and so is anything behind")
    func prefixes() {
        for document in [privateDER, bothDER] {
            for length in document.indices { #expect(refusal(Array(document[..<length])) == .truncated) }
            #expect(refusal(document + [0]) == .trailingBytes(offset: document.count))
        }
        for length in publicDER.indices { #expect(publicRefusal(Array(publicDER[..<length])) == .truncated) }
        #expect(publicRefusal(publicDER + [0]) == .trailingBytes(offset: publicDER.count))
    }

    @Test(
        "One encoding for each key: lengths in their shortest form, the right tags, versions and parameters",
        .proves("RFC8410-7"))
    func strictness() throws {
        func changed(_ document: [UInt8], _ offset: Int, _ byte: UInt8) -> [UInt8] {
            var copy = document
            copy[offset] = byte
            return copy
        }
        // 30 2e | 02 01 00 | 30 05 06 03 2b 65 70 | 04 22 04 20 …
        #expect(refusal(changed(privateDER, 0, 0x31)) == .unexpectedTag(offset: 0, expected: 0x30, found: 0x31))
        #expect(refusal([0x30, 0x81, 0x2e] + privateDER[2...]) == .unreasonableLength(offset: 1))
        #expect(refusal([0x30, 0x80] + privateDER[2...]) == .unreasonableLength(offset: 1))
        #expect(refusal([0x30, 0x84, 0, 0, 0, 0x2e] + privateDER[2...]) == .unreasonableLength(offset: 1))
        #expect(refusal(changed(privateDER, 4, 1)) == .unknownVersion)
        #expect(refusal(changed(privateDER, 4, 2)) == .unknownVersion)
        #expect(refusal(changed(bothDER, 4, 0)) == .unknownVersion)
        #expect(
            refusal(changed(privateDER, 11, 0x6e)) == .otherKeyAlgorithm(found: "X25519", expected: "Ed25519"))
        #expect(refusal(changed(privateDER, 14, 0x03)) == .unexpectedTag(offset: 14, expected: 0x04, found: 0x03))
        let parameters: [UInt8] =
            [0x30, 0x30, 2, 1, 0, 0x30, 0x07, 6, 3, 0x2b, 0x65, 0x70, 0x05, 0x00] + privateDER[12...]
        #expect(refusal(parameters) == .trailingBytes(offset: 12))
        #expect(
            refusal([0x30, 0x2d, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x21, 4, 0x1f] + privateDER[17...])
                == .invalidKey(.wrongLength(found: 31)))
        #expect(publicRefusal(changed(publicDER, 11, 1)) == .unusedBits)
        // Another key's public half beside the private one.
        let stranger = try Sample.pair(5).publicKey.rawRepresentation
        #expect(refusal(Array(bothDER.dropLast(32)) + stranger) == .mismatchedPair)
    }

    @Test("Text has its boundaries, lines of 64 characters, and nothing beside", .proves("RFC7468-2"))
    func text() throws {
        func refusal(_ text: String) -> JWK.Rejection? {
            rejection { () throws(JWK.Rejection) in try Private(pemRepresentation: text) }
        }
        let pem = try Private(derRepresentation: privateDER).pemRepresentation
        #expect(refusal(pem) == nil)
        #expect(refusal(pem.split(separator: "\n").joined(separator: "\r\n")) == nil)
        #expect(refusal("# comment\n" + pem) == .noBoundary(label: "PRIVATE KEY"))
        #expect(refusal(pem + pem) == .malformedBase64)
        let publicPEM = try Public(derRepresentation: publicDER).pemRepresentation
        #expect(refusal(publicPEM) == .otherDocument(found: "PUBLIC KEY", expected: "PRIVATE KEY"))
        #expect(refusal(String(pem.dropLast(3))) == .noBoundary(label: "PRIVATE KEY"))
        let lines = pem.split(separator: "\n").map(String.init)
        #expect(
            refusal("\(lines[0])\n\(lines[1].prefix(32))\n\(lines[1].dropFirst(32))\n\(lines[2])\n") == .malformedBase64
        )
        #expect(refusal("\(lines[0])\n \(lines[1])\n\(lines[2])\n") == .malformedBase64)
        #expect(refusal("\(lines[0])\n\(lines[2])\n") == .noBoundary(label: "PRIVATE KEY"))
        #expect(refusal("") == .noBoundary(label: "PRIVATE KEY"))
    }

    @Test("Random and mutated documents never trap, and whatever is read is written again as it was")
    func mutation() {
        let seed: UInt64 = 0x8410
        var generator = SeededGenerator(seed: seed)
        for document in [privateDER, bothDER, publicDER] {
            for round in 0..<150 {
                var copy = document
                for _ in 0...generator.next(upperBound: UInt64(2)) {
                    copy[Int(generator.next(upperBound: UInt64(copy.count)))] = UInt8(
                        truncatingIfNeeded: generator.next())
                }
                if let key = try? Public(derRepresentation: copy) {
                    #expect(key.derRepresentation == copy, "seed \(seed), round \(round)")
                }
                _ = try? Private(derRepresentation: copy)
            }
        }
    }
}

@Suite("RFC 7638: thumbprints")
struct ThumbprintTests {
    @Test(
        "The examples of the standards, also as URI", .proves("RFC7638-3.1"), .proves("RFC8037-A.3"),
        .proves("RFC9278-3"))
    func examples() throws {
        for vector in try #require(try Vectors.all["thumbprints"]?.array) {
            let key = try JWK(parsing: try #require(vector["key"]).encoded())
            let thumbprint = try key.thumbprint()
            let expected = try #require(vector["thumbprint"]?.string)
            #expect(thumbprint.text == expected)
            #expect(thumbprint.uri == "urn:ietf:params:oauth:jwk-thumbprint:sha-256:" + expected)
            #expect(JWK.Thumbprint(expected) == thumbprint)
        }
    }

    @Test("Only the required members count, however the key is written", .proves("RFC7638-3.2"))
    func normalization() throws {
        let pair = try Sample.pair()
        let plain = try JWK(pair.publicKey).thumbprint()
        #expect(
            try JWK(pair.publicKey, attributes: JWK.Attributes(id: try Sample.id("k"), use: .signature)).thumbprint()
                == plain)
        #expect(try JWK.Private(pair).thumbprint() == plain)
        let x = Base64URL.encode(pair.publicKey.rawRepresentation)
        #expect(
            try JWK(parsing: " {\"x\" : \"\(x)\", \"\\u0063rv\":\"Ed25519\", \"kty\":\"OKP\"}").thumbprint() == plain)
        #expect(try JWK(pair.publicKey).thumbprint(.sha512) != plain)
        #expect(try JWK(pair.publicKey).thumbprint(.sha512).bytes.count == 64)
    }

    @Test("A symmetric key has one; a key of an unknown type has none")
    func others() throws {
        // Computed with Python's hashlib over {"k":…,"kty":"oct"}.
        let key = try JWK.Private(parsing: try #require(try Vectors.all["signatures"]?[0]?["key"]).encoded())
        #expect(try key.thumbprint().text == "y_x3gCJnL6oKGBBIXScabduwxTVy2Wd2bzRVEUbdUzc")
        let unknown = try JWK(parsing: #"{"kty":"AKP","pub":"YQ"}"#)
        #expect(rejection { () throws(JWK.Rejection) in try unknown.thumbprint() } == .unsupportedType("AKP"))
        #expect(JWK.Thumbprint("YQ") == nil)
        #expect(JWK.Thumbprint("not base64!") == nil)
    }
}

@Suite("RFC 7800 §3: confirmation")
struct ConfirmationTests {
    private func read(_ claim: String) throws -> JWT.Confirmation {
        try JWT.Confirmation(try JSON.Document(parsing: claim).root)
    }

    private func refusal(_ claim: String) throws -> JWT.Rejection? {
        let value = try JSON.Document(parsing: claim).root
        return rejection { () throws(JWT.Rejection) in try JWT.Confirmation(value) }
    }

    @Test(
        "Each representation is named; a key name may stand beside it or alone", .proves("POP-1"),
        .proves("RFC7800-3.1"))
    func representations() throws {
        let key = JWK(try Sample.pair().publicKey)
        let text = String(decoding: key.encoded(), as: UTF8.self)
        #expect(try read(#"{"jwk":\#(text)}"#).key == key)
        #expect(try read(#"{"jwk":\#(text),"kid":"a"}"#).keyID == (try Sample.id("a")))
        #expect(try read(#"{"kid":"a"}"#) == JWT.Confirmation(keyID: try Sample.id("a")))
        #expect(
            try read(#"{"jku":"https://issuer.example/keys","kid":"a"}"#).representation
                == .keySet(url: "https://issuer.example/keys"))
        #expect(try read(#"{"jwe":"a.b.c.d.e"}"#).representation == .encryptedKey("a.b.c.d.e"))
        let thumbprint = try key.thumbprint()
        #expect(try read(#"{"jkt":"\#(thumbprint.text)"}"#).representation == .thumbprint(thumbprint))
    }

    @Test("It means a single key, a public one", .proves("RFC7800-3.1"), .proves("RFC7800-3.2"))
    func single() throws {
        let text = String(decoding: JWK(try Sample.pair().publicKey).encoded(), as: UTF8.self)
        #expect(
            try refusal(#"{"jwk":\#(text),"jku":"https://issuer.example"}"#) == .ambiguousConfirmation("jwk", "jku"))
        #expect(try refusal(#"{"jwk":\#(text),"jwe":"x"}"#) == .ambiguousConfirmation("jwk", "jwe"))
        #expect(try refusal(#"{"jwk":{"kty":"oct","k":"YQ"}}"#) == .confirmationKey(.secretMember("k")))
        #expect(try refusal("{}") == .unknownConfirmation)
        #expect(try refusal(#"{"x5t#S256":"YQ"}"#) == .unknownConfirmation)
        #expect(try refusal("[]") == .malformedConfirmation(.mismatch(at: "$", expected: .object, found: .array)))
        #expect(
            try refusal(#"{"kid":7}"#)
                == .malformedConfirmation(.mismatch(at: "$.kid", expected: .string, found: .number)))
        #expect(try refusal(#"{"jkt":"YQ"}"#) == .malformedThumbprint)
    }

    @Test("A token is bound to a key and says so")
    func bound() throws {
        let holder = try Sample.pair(7)
        var claims = JWT.Claims(["exp": 1_700_000_060])
        let confirmation = JWT.Confirmation(key: JWK(holder.publicKey), id: try Sample.id("instance"))
        claims.confirm(by: confirmation)
        let text = try JWT.signed(claims, with: try SigningKey(Sample.secret, for: .hs256))
        var expectation = JWT.Expectation(issuer: .unchecked, audience: .unnamed)
        expectation.requiredClaims = ["cnf"]
        let token = try JWS.Unverified(parsing: text).verified(by: Sample.hmacKey(), accepting: [.hs256])
            .validated(expecting: expectation, at: Sample.now)
        #expect(try token.confirmation() == confirmation)
    }
}
