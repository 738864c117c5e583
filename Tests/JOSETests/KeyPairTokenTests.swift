import JOSE
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("RFC 7518 §3.3 to §3.5: ES256 to ES512, RS256 to RS512, PS256 to PS512")
struct KeyPairTokenTests {
    private func refusal(_ text: String, _ keys: [VerificationKey], _ accepted: [Algorithm]? = nil) throws
        -> JWS.Rejection?
    {
        let token = try JWS.Unverified(parsing: text)
        return rejection { () throws(JWS.Rejection) in try token.verified(by: keys, accepting: accepted) }
    }

    private func key(_ written: JSON) throws -> VerificationKey {
        try VerificationKey(JWK(parsing: Written.jwk(written)))
    }

    private func rsaKey(_ algorithm: String?) throws -> VerificationKey {
        try VerificationKey(
            JWK(parsing: Written.jwk(Written.rsa, algorithm.map { ["alg": .string($0)] } ?? [:])))
    }

    @Test(
        "The examples of the standards", .proves("RFC7515-A.2"), .proves("RFC7515-A.3"), .proves("RFC7515-A.4"),
        .proves("RFC7520-4.1"), .proves("RFC7520-4.2"), .proves("RFC7520-4.3"), .proves("KEY-1"), .proves("KEY-2"),
        .proves("KEY-3"), .proves("KEY-4"))
    func examples() throws {
        for vector in try #require(try Vectors.all["keyPairs"]?.array) {
            let text = try #require(vector["key"]).encoded()
            let key: VerificationKey
            if let publicKey = try? JWK(parsing: text) {
                key = try VerificationKey(publicKey)
            } else {
                key = try VerificationKey(JWK.Private(parsing: text))
            }
            let algorithm = try #require(Algorithm(Written.text(vector, "algorithm")))
            let verified = try JWS.Unverified(parsing: Written.text(vector, "compact"))
                .verified(by: key, accepting: [algorithm])
            #expect(verified.payload == Array(try Written.text(vector, "payload").utf8), "\(algorithm)")
        }
    }

    @Test("Tokens of another library are believed, those of another key or text are not")
    func tokens() throws {
        let payload = Array(try Written.text(try Written.all, "payload").utf8)
        var tokens: [(String, VerificationKey)] = []
        for written in try Written.curves { tokens.append((try Written.text(written, "token"), try key(written))) }
        for token in try #require(try Written.rsa["tokens"]?.object) {
            tokens.append((try #require(token.value.string), try rsaKey(token.name.text)))
        }
        for (index, (text, key)) in tokens.enumerated() {
            #expect(try JWS.Unverified(parsing: text).verified(by: key).payload == payload)
            var parts = text.split(separator: ".").map(String.init)
            parts[1] = Base64URL.encode(payload + [0x20])
            #expect(try refusal(parts.joined(separator: "."), [key]) == .invalidSignature)
            parts = text.split(separator: ".").map(String.init)
            let signature = try Base64URL.decode(parts[2])
            for other in [Array(signature.dropLast()), signature + [0], Array(signature.dropFirst()), [0] + signature] {
                #expect(
                    try refusal("\(parts[0]).\(parts[1]).\(Base64URL.encode(other))", [key]) == .invalidSignature)
            }
            for (other, (_, stranger)) in tokens.enumerated() where other != index {
                #expect(
                    try refusal(text, [stranger])
                        == .algorithmNotOfKey(found: key.algorithms[0], expected: stranger.algorithms))
            }
        }
    }

    @Test("A signature in DER is none where R‖S is due", .proves("RFC7518-3.4"), .proves("KEY-1"))
    func derSignatures() throws {
        for written in try Written.curves {
            #expect(try refusal(Written.text(written, "tokenWithDER"), [key(written)]) == .invalidSignature)
        }
    }

    @Test("What a key signs verifies, by the key itself, by its public half and prepared")
    func signing() throws {
        for written in try Written.curves {
            let pair = try JWK.Private(parsing: Written.jwk(written, ["d": try #require(written["d"])]))
            let signer = try SigningKey(pair)
            #expect(signer.algorithm.name.text == (try Written.text(written, "algorithm")))
            let text = try JWS.signed(Array("a".utf8), with: signer)
            for key in [try #require(signer.verificationKey), try key(written).prepared()] {
                #expect(try refusal(text, [key]) == nil)
            }
        }
    }

    @Test("RFC 6979 makes one signature of a key and a message, the same everywhere", .proves("KEY-6"))
    func deterministic() throws {
        let payload = Array(try Written.text(try Written.all, "payload").utf8)
        for written in try Written.curves {
            let signer = try SigningKey(JWK.Private(parsing: Written.jwk(written, ["d": try #require(written["d"])])))
            #expect(try JWS.signed(payload, with: signer) == (try Written.text(written, "token")))
        }
    }

    @Test("Typed keys do as their JSON forms")
    func typed() throws {
        let curves = try Written.curves
        func scalar(_ index: Int) throws -> [UInt8] { try Base64URL.decode(Written.text(curves[index], "d")) }
        let (p256, p384, p521) = (
            try P256.Signing.PrivateKey(rawRepresentation: scalar(0)),
            try P384.Signing.PrivateKey(rawRepresentation: scalar(1)),
            try P521.Signing.PrivateKey(rawRepresentation: scalar(2))
        )
        let id = try Sample.id("k")
        let issuer = try Issuer(parsing: "https://issuer.example")
        let pairs = [
            (SigningKey(p256, id: id), VerificationKey(p256.publicKey, id: id, issuer: issuer)),
            (SigningKey(p384, id: id), VerificationKey(p384.publicKey, id: id, issuer: issuer)),
            (SigningKey(p521, id: id), VerificationKey(p521.publicKey, id: id, issuer: issuer)),
        ]
        for (signer, key) in pairs {
            let text = try JWS.signed([1], with: signer)
            #expect(try refusal(text, [key]) == nil)
            #expect(key.prepared().issuer == issuer)
            #expect(signer.id == id)
        }
    }
}

@Suite("RFC 8725 §3.1: one key, one algorithm")
struct OneAlgorithmTests {
    private func refusal(_ text: String, _ keys: [VerificationKey], _ accepted: [Algorithm]? = nil) throws
        -> JWS.Rejection?
    {
        let token = try JWS.Unverified(parsing: text)
        return rejection { () throws(JWS.Rejection) in try token.verified(by: keys, accepting: accepted) }
    }

    private func rsaKey(_ changes: [JSON.Name: JSON]) throws -> VerificationKey {
        try VerificationKey(JWK(parsing: Written.jwk(Written.rsa, changes)))
    }

    private func rsaToken(_ algorithm: JSON.Name) throws -> String {
        try Written.text(try #require(try Written.rsa["tokens"]), algorithm)
    }

    @Test("An RSA key is for the algorithm that it names", .proves("KEY-8"), .proves("RFC8725-3.1"))
    func named() throws {
        let key = try rsaKey(["alg": "RS256"])
        #expect(try refusal(rsaToken("RS256"), [key]) == nil)
        for other: JSON.Name in ["RS384", "RS512", "PS256", "PS384", "PS512"] {
            let found = try #require(Algorithm(other.text))
            #expect(try refusal(rsaToken(other), [key]) == .algorithmNotOfKey(found: found, expected: [.rs256]))
            // The list of the caller's narrows what the key says, and widens nothing.
            #expect(
                try refusal(rsaToken(other), [key], [found, .rs256])
                    == .algorithmNotOfKey(found: found, expected: [.rs256]))
        }
        #expect(
            try refusal(rsaToken("RS256"), [key], [.ps256])
                == .algorithmNotAccepted(found: .rs256, accepted: [.ps256]))
    }

    @Test("One that names none is good for what the caller lists, and by itself for nothing", .proves("KEY-8"))
    func unnamed() throws {
        let key = try rsaKey([:])
        #expect(try refusal(rsaToken("RS256"), [key]) == .algorithmNotListed(.rs256))
        #expect(try refusal(rsaToken("PS512"), [key]) == .algorithmNotListed(.ps512))
        #expect(try refusal(rsaToken("RS256"), [key], [.rs256]) == nil)
        #expect(
            try refusal(rsaToken("PS256"), [key], [.rs256])
                == .algorithmNotAccepted(found: .ps256, accepted: [.rs256]))
        #expect(
            try refusal(rsaToken("RS256"), [key.owned(by: try Issuer(parsing: "i"))]) == .algorithmNotListed(.rs256))
        #expect(JWS.Rejection.algorithmNotListed(.rs256).isUnverified)
        // A strange key in the set does not hide the one that is meant.
        #expect(try refusal(rsaToken("RS256"), [key, try rsaKey(["alg": "RS256"])]) == nil)
        // The set and its ring say the same.
        let set = try JWKSet(parsing: #"{"keys":[\#(try Written.jwk(Written.rsa))]}"#)
        let token = try JWS.Unverified(parsing: rsaToken("RS256"))
        #expect(
            rejection { () throws(JWS.Rejection) in try token.verified(by: set) } == .algorithmNotListed(.rs256))
        var ring = KeyRing(set)
        #expect(
            rejection { () throws(JWS.Rejection) in try token.verified(by: &ring) } == .algorithmNotListed(.rs256))
        #expect(throws: Never.self) { try token.verified(by: &ring, accepting: [.rs256]) }
    }

    @Test("The header selects among keys, and the key of a name is for its own algorithm alone", .proves("KEY-8"))
    func selection() throws {
        let curves = try Written.curves
        let p256 = try VerificationKey(JWK(parsing: Written.jwk(curves[0], ["kid": "k"])))
        let rsa = try rsaKey(["alg": "PS256", "kid": "k"])
        #expect(try refusal(Written.text(curves[0], "token"), [rsa, p256]) == nil)
        #expect(try refusal(rsaToken("PS256"), [p256, rsa]) == nil)
        #expect(
            try refusal(Written.text(curves[0], "token"), [rsa])
                == .algorithmNotOfKey(found: .es256, expected: [.ps256]))
    }

    @Test("A public key of a curve is no HMAC secret", .proves("threat-3"))
    func confusion() throws {
        for written in try Written.curves {
            let key = try VerificationKey(JWK(parsing: Written.jwk(written)))
            for secret in [
                try Written.bytes(written, "point"), try Written.bytes(written, "compressed"),
                try Written.bytes(written, "spki"), Array(try Written.text(written, "spkiPEM").utf8),
            ] {
                let token = try JWS.signed([1], with: SigningKey(SymmetricKey(data: secret), for: .hs256))
                #expect(
                    try refusal(token, [key], [.hs256, .es256, .es384, .es512])
                        == .algorithmNotOfKey(found: .hs256, expected: key.algorithms))
            }
        }
    }

    @Test("Ed25519 signatures go out under the name that the key is set to, and both are read", .proves("KEY-10"))
    func edwardsNames() throws {
        let pair = try Sample.pair()
        #expect(SigningKey(pair).algorithm == .edDSA)
        #expect(SigningKey(pair, writing: .ed25519).algorithm == .ed25519)
        let key = VerificationKey(pair.publicKey)
        for name: SigningKey.EdwardsName in [.edDSA, .ed25519] {
            let text = try JWS.signed([1], with: SigningKey(pair, writing: name))
            #expect(try refusal(text, [key]) == nil)
            #expect(try refusal(text, [try VerificationKey(JWK(pair.publicKey))]) == nil)
        }
    }
}
