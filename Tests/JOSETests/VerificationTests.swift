import JOSE
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("RFC 8725 §3.1: the key fixes the algorithm")
struct VerificationTests {
    private func refusal(
        _ text: String, _ keys: [VerificationKey], _ accepted: [Algorithm] = [.edDSA, .ed25519, .hs256, .hs384, .hs512]
    ) throws -> JWS.Rejection? {
        let token = try JWS.Unverified(parsing: text)
        return rejection { () throws(JWS.Rejection) in try token.verified(by: keys, accepting: accepted) }
    }

    @Test("A public key is no HMAC secret", .proves("threat-3"), .proves("RFC8725-3.1"))
    func confusion() throws {
        let pair = try Sample.pair()
        let key = VerificationKey(pair.publicKey)
        // The attacker knows the public key in every form and authenticates with it.
        for secret in [
            pair.publicKey.rawRepresentation, pair.publicKey.derRepresentation,
            Array(pair.publicKey.pemRepresentation.utf8),
        ] {
            let forger = try SigningKey(SymmetricKey(data: secret), for: .hs256)
            let token = try JWS.signed([1], with: forger)
            #expect(try refusal(token, [key]) == .algorithmNotOfKey(found: .hs256, expected: [.edDSA, .ed25519]))
        }
    }

    @Test("The accepted list and the key's own algorithm both bind", .proves("threat-4"), .proves("REQ-4"))
    func bothBind() throws {
        let token = try JWS.signed([1], with: SigningKey(Sample.secret, for: .hs512))
        let forHS512 = try VerificationKey(Sample.secret, for: .hs512)
        let forHS256 = try VerificationKey(Sample.secret, for: .hs256)
        #expect(try refusal(token, [forHS512]) == nil)
        #expect(try refusal(token, [forHS512], [.hs256]) == .algorithmNotAccepted(found: .hs512, accepted: [.hs256]))
        #expect(try refusal(token, [forHS256]) == .algorithmNotOfKey(found: .hs512, expected: [.hs256]))
        #expect(try refusal(token, [forHS512], []) == .algorithmNotAccepted(found: .hs512, accepted: []))
    }

    @Test(
        "Both names of Ed25519 verify, 'EdDSA' is sent unless the key says otherwise", .proves("RFC8037-3.1"),
        .proves("RFC9864-2.2"))
    func names() throws {
        let pair = try Sample.pair()
        let plain = SigningKey(pair)
        let named = try SigningKey(JWK.Private(pair, attributes: JWK.Attributes(algorithm: .ed25519)))
        #expect(plain.algorithm == .edDSA)
        #expect(named.algorithm == .ed25519)
        let key = VerificationKey(pair.publicKey)
        for signer in [plain, named] { #expect(try refusal(try JWS.signed([1], with: signer), [key]) == nil) }
        // A key that names one of them is for that one.
        let pinned = try VerificationKey(JWK(pair.publicKey, attributes: JWK.Attributes(algorithm: .ed25519)))
        #expect(try refusal(try JWS.signed([1], with: named), [pinned]) == nil)
        #expect(
            try refusal(try JWS.signed([1], with: plain), [pinned])
                == .algorithmNotOfKey(found: .edDSA, expected: [.ed25519]))
    }

    @Test("HMAC keys are as long as the hash", .proves("threat-20"), .proves("RFC7518-3.2"))
    func lengths() throws {
        for (algorithm, least) in [(Algorithm.hs256, 32), (.hs384, 48), (.hs512, 64)] {
            #expect(throws: Never.self) {
                try VerificationKey(SymmetricKey(data: [UInt8](repeating: 7, count: least)), for: algorithm)
            }
            for count in [0, 1, least - 1] {
                let short = SymmetricKey(data: [UInt8](repeating: 7, count: count))
                let expected = JWK.Rejection.secretTooShort(algorithm, bytes: count, least: least)
                #expect(
                    rejection { () throws(JWK.Rejection) in try VerificationKey(short, for: algorithm) } == expected)
                #expect(rejection { () throws(JWK.Rejection) in try SigningKey(short, for: algorithm) } == expected)
            }
        }
        // A key that names no algorithm serves those that it is long enough for.
        let medium = try JWK.Private(SymmetricKey(data: [UInt8](repeating: 7, count: 50)))
        #expect(try VerificationKey(medium).algorithms == [.hs256, .hs384])
        #expect(try SigningKey(medium).algorithm == .hs384)
    }

    @Test(
        "Names that only look like an algorithm are none of the accepted ones", .proves("threat-4"),
        arguments: ["hs256", "HS256 ", "HS2\u{0035}6\u{0301}", "ＨＳ256"])
    func spelling(name: String) throws {
        let header = JSON.object(["alg": .string(name), "kid": "k1"]).encodedString()
        let refused = try refusal(Sample.token(header: header), [try Sample.hmacKey()])
        #expect(
            refused
                == .algorithmNotAccepted(
                    found: try #require(Algorithm(name)), accepted: [.edDSA, .ed25519, .hs256, .hs384, .hs512]))
    }

    @Test("Signatures have their exact length", .proves("threat-5"))
    func signatureLengths() throws {
        let parts = Sample.token().split(separator: ".")
        let code = try Base64URL.decode(String(parts[2]))
        for other in [
            Array(code.dropLast()), code + [0], Array(code.prefix(16)), [0], Array(code.dropFirst()), code + code,
        ] {
            #expect(
                try refusal("\(parts[0]).\(parts[1]).\(Base64URL.encode(other))", [try Sample.hmacKey()])
                    == .invalidSignature)
        }
    }

    @Test("Ed25519: S is reduced, and a point of small order is no key", .proves("threat-7"))
    func malleability() throws {
        let text = try JWS.signed([1], with: SigningKey(try Sample.pair()))
        let parts = text.split(separator: ".")
        var signature = try Base64URL.decode(String(parts[2]))
        // The group's order, little-endian (RFC 8032 §5.1).
        let order: [UInt8] = [
            0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
        ]
        var carry = 0
        for index in 0..<32 {
            carry += Int(signature[32 + index]) + Int(order[index])
            signature[32 + index] = UInt8(carry & 0xff)
            carry >>= 8
        }
        let key = VerificationKey(try Sample.pair().publicKey)
        #expect(try refusal(text, [key]) == nil)
        #expect(try refusal("\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))", [key]) == .invalidSignature)
        let identity = Base64URL.encode([1] + [UInt8](repeating: 0, count: 31))
        let small = #"{"kty":"OKP","crv":"Ed25519","x":"\#(identity)"}"#
        #expect(rejection { () throws(JWK.Rejection) in try JWK(parsing: small) } == .invalidKey(.smallOrder))
    }

    @Test("The key is found by its exact name, and an unknown name is refused", .proves("threat-10"), .proves("REQ-3"))
    func keyNames() throws {
        let key = try VerificationKey(Sample.secret, for: .hs256, id: try Sample.id("e\u{301}"))
        func token(_ name: String) -> String {
            Sample.token(header: JSON.object(["alg": "HS256", "kid": .string(name)]).encodedString())
        }
        #expect(try refusal(token("e\u{301}"), [key]) == nil)
        for other in ["\u{e9}", "e", "E\u{301}", "../e\u{301}", "__proto__", "' OR 1=1 --", "e\u{301} "] {
            #expect(try refusal(token(other), [key]) == .unknownKey(try Sample.id(other)))
        }
        #expect(try refusal(token("k1"), []) == .unknownKey(try Sample.id("k1")))
    }

    @Test("Keys that share a name are all tried, and so are keys without one; the result names the key")
    func candidates() throws {
        let wrong = try VerificationKey(Sample.otherSecret, for: .hs256, id: try Sample.id("k1"))
        let right = try VerificationKey(Sample.secret, for: .hs256, id: try Sample.id("k1"))
        let unnamed = try VerificationKey(Sample.secret, for: .hs256)
        let public1 = VerificationKey(try Sample.pair().publicKey, id: try Sample.id("k1"))
        #expect(try refusal(Sample.token(), [wrong, right]) == nil)
        #expect(try refusal(Sample.token(), [public1, right]) == nil)
        #expect(try refusal(Sample.token(), [unnamed]) == nil)
        #expect(try refusal(Sample.token(), [wrong]) == .invalidSignature)
        #expect(
            try refusal(Sample.token(), [public1]) == .algorithmNotOfKey(found: .hs256, expected: [.edDSA, .ed25519]))
        let withoutName = Sample.token(header: #"{"alg":"HS256"}"#)
        #expect(try refusal(withoutName, [wrong, right]) == nil)
        let verified = try JWS.Unverified(parsing: Sample.token()).verified(
            by: [wrong, public1, unnamed], accepting: [.hs256])
        #expect(verified.signature.key.id == nil)
    }

    @Test("Trials are bounded", .proves("threat-14"))
    func trials() throws {
        let wrong = try VerificationKey(Sample.otherSecret, for: .hs256)
        let right = try VerificationKey(Sample.secret, for: .hs256)
        #expect(try refusal(Sample.token(), Array(repeating: wrong, count: 15) + [right]) == nil)
        #expect(
            try refusal(Sample.token(), Array(repeating: wrong, count: 16) + [right]) == .tooManyCandidates(limit: 16))
    }
}

@Suite("Algorithms of the embedder's")
struct CustomAlgorithmTests {
    /// A toy that nobody should use: the digest of a prefix and the message.
    struct Toy: Signer, Verifier {
        let prefix: [UInt8]
        var isOutOfOrder = false

        struct OutOfOrder: Error {}

        func signature(for message: Span<UInt8>) throws(OutOfOrder) -> [UInt8] {
            guard !isOutOfOrder else { throw OutOfOrder() }
            var hash = SHA384()
            hash.update(data: prefix)
            hash.update(data: message)
            return [UInt8](hash.finalize())
        }

        func isValid(_ signature: Span<UInt8>, for message: Span<UInt8>) -> Bool {
            guard let expected = try? self.signature(for: message) else { return false }
            return constantTimeEquals(signature, expected.span)
        }
    }

    @Test("An algorithm that this module has never heard of signs and verifies", .proves("REQ-5"))
    func toy() throws {
        let algorithm = try #require(Algorithm("TOY384"))
        let toy = Toy(prefix: [1, 2, 3])
        let text = try JWT.signed(
            JWT.Claims(["exp": 1_700_000_060]), with: SigningKey(toy, for: algorithm, id: try Sample.id("toy")))
        let key = VerificationKey(toy, for: algorithm, id: try Sample.id("toy"))
        let token = try JWS.Unverified(parsing: text)
        #expect(throws: Never.self) { try token.verified(by: key, accepting: [algorithm]) }
        let stranger = VerificationKey(Toy(prefix: [1]), for: algorithm)
        #expect(
            rejection { () throws(JWS.Rejection) in try token.verified(by: stranger, accepting: [algorithm]) }
                == .invalidSignature
        )
        // The pin holds for it as for all others.
        let notAccepted = rejection { () throws(JWS.Rejection) in
            try token.verified(by: key, accepting: [.edDSA])
        }
        #expect(notAccepted == .algorithmNotAccepted(found: algorithm, accepted: [.edDSA]))
        let other = VerificationKey(toy, for: try #require(Algorithm("OTHER")))
        let notOfKey = rejection { () throws(JWS.Rejection) in
            try token.verified(by: other, accepting: [algorithm])
        }
        #expect(notOfKey == .algorithmNotOfKey(found: algorithm, expected: other.algorithms))
    }

    @Test("A signer that fails signs nothing")
    func failure() throws {
        let key = SigningKey(Toy(prefix: [], isOutOfOrder: true), for: try #require(Algorithm("TOY384")))
        #expect(rejection { () throws(SigningKey.Rejection) in try JWS.signed([1], with: key) } == .signerRefused)
    }

    @Test("A hardware key with a built-in algorithm is verified by the module's own implementation")
    func hardware() throws {
        struct Module: Signer {
            let key: Curve25519.Signing.PrivateKey
            func signature(for message: Span<UInt8>) throws(Never) -> [UInt8] { [UInt8](key.signature(for: message)) }
        }
        let pair = try Sample.pair()
        let text = try JWS.signed([1, 2, 3], with: SigningKey(Module(key: pair), for: .edDSA))
        let verified = try JWS.Unverified(parsing: text).verified(
            by: VerificationKey(pair.publicKey), accepting: [.edDSA])
        #expect(verified.payload == [1, 2, 3])
    }
}

@Suite("Key rings")
struct KeyRingTests {
    @Test("Keys are prepared at their second use, within bounds, and say the same as before")
    func preparation() throws {
        let pairs = try (1...3).map { try Sample.pair($0) }
        let keys = try pairs.enumerated().map { VerificationKey($1.publicKey, id: try Sample.id("k\($0)")) }
        let tokens = try pairs.enumerated().map {
            try JWS.signed([1], with: SigningKey($1, id: try Sample.id("k\($0)")))
        }
        var ring = KeyRing(keys, preparing: 2)
        func use(_ index: Int) throws {
            _ = try JWS.Unverified(parsing: tokens[index]).verified(by: &ring, accepting: [.edDSA])
        }
        try use(0)
        #expect(ring.preparations == 0)
        try use(0)
        #expect(ring.preparations == 1)
        for index in [1, 1, 2, 2, 0, 1, 2] {
            try use(index)
            #expect(ring.preparations <= 2)
        }
        #expect(ring.preparations == 2)
        // A prepared key is as strict as a plain one.
        let stranger = try JWS.Unverified(
            parsing: try JWS.signed([1], with: SigningKey(try Sample.pair(9), id: try Sample.id("k1"))))
        #expect(
            rejection { () throws(JWS.Rejection) in try stranger.verified(by: &ring, accepting: [.edDSA]) }
                == .invalidSignature)
        var none = KeyRing(keys, preparing: 0)
        for _ in 0..<3 { _ = try JWS.Unverified(parsing: tokens[0]).verified(by: &none, accepting: [.edDSA]) }
        #expect(none.preparations == 0)
    }
}
