import JOSE
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("A token in one call")
struct StatementTests {
    private static let now = Timestamp(seconds: 1_700_000_000)
    private static let key = pair(of: 7, named: "2026-11")

    /// The key set of the issuer as it is published.
    private static func published(_ others: JWK...) -> String {
        String(decoding: JWKSet([key.publicKey].compactMap { $0 } + others).encoded(), as: UTF8.self)
    }

    private static func signed(
        _ changes: JSON.Object = [:], as kind: JWT.Kind = .plain, by key: JWK.Private = key
    ) throws -> String {
        var claims = JWT.Claims([
            "iss": "https://idp.example.org", "sub": "alice", "aud": "https://api.example.edu", "exp": 1_700_000_300,
            "name": "Alice",
        ])
        for change in changes { claims[change.name] = change.value == .null ? nil : change.value }
        return try JWT.signed(claims, with: SigningKey(key), as: kind)
    }

    @Test func aToken() throws {
        let (json, text, now) = (Self.published(), try Self.signed(), Self.now)
        var lines: [String] = []
        func print(_ subject: Subject, _ name: String) { lines.append("\(subject) \(name)") }
        // example: verify a token
        let keys = try JWKSet(parsing: json, of: "https://idp.example.org")
        let token = try keys.validate(text, for: "https://api.example.edu", at: now)
        print(token.subject, try token["name"].string())
        // end of example
        #expect(lines == ["alice Alice"])
        #expect(token.issuer == "https://idp.example.org")
        #expect(token.token.expiration == Timestamp(seconds: 1_700_000_300))
        #expect(throws: JSON.Rejection.missing(at: "$.email")) { try token["email"] }
        var ring = KeyRing(keys)
        #expect(try ring.validate(text, for: "https://api.example.edu", at: now).subject == "alice")
    }

    @Test func anAccessToken() throws {
        let keys = try JWKSet(parsing: Self.published(), of: "https://idp.example.org")
        let now = Self.now
        let text = try Self.signed(["client_id": "c", "jti": "1", "iat": 1_699_999_700], as: .accessToken)
        // example: verify an access token
        let expectation = JWT.Expectation(
            audience: .only("https://api.example.edu"), type: .accessToken, maximumAge: .seconds(300))
        let token = try keys.validate(text, expecting: expectation, at: now)
        // end of example
        #expect(token.subject == "alice")
        #expect(refusal(text, expecting: expectation, at: now + .seconds(1)) != nil)
        #expect(refusal(try Self.signed(), expecting: expectation) == .wrongKind(expected: "at+jwt", found: "JWT"))
    }

    @Test(
        "What is not said is the strict default", .proves("RFC8725-3.1"), .proves("RFC8725-3.11"), .proves("threat-16"),
        arguments: [
            (["iss": "https://other.example"], .keyOfAnotherIssuer(owner: issuer, found: "https://other.example")),
            (["iss": .null], .missing("iss")), (["sub": .null], .missing("sub")), (["aud": .null], .missing("aud")),
            (
                ["aud": "https://other.example"],
                .wrongAudience(
                    expected: ["https://api.example.edu"], alone: false, found: ["https://other.example"])
            ),
            (["aud": ["https://other.example", "https://api.example.edu"]], nil),
            (["exp": .null], .missing("exp")), (["exp": 1_700_000_001], nil),
            (["exp": 1_700_000_000], .expired(at: now, now: now)),
            (["nbf": 1_700_000_000], nil),
            (["nbf": 1_700_000_001], .notYetValid(from: now + .seconds(1), now: now)),
            (["iat": 1_700_000_001], .issuedInTheFuture(at: now + .seconds(1), now: now)),
        ] as [(JSON.Object, JWT.Rejection?)])
    func defaults(changes: JSON.Object, expected: JWT.Rejection?) throws {
        #expect(refusal(try Self.signed(changes)) == expected)
    }

    @Test(
        "The trusted keys decide who may have signed, and by which algorithm", .proves("threat-1"), .proves("threat-3"),
        .proves("threat-25"))
    func keys() throws {
        let stranger = Self.pair(of: 8, named: "2026-11")
        #expect(refusal(try Self.signed(by: stranger)) == .invalidSignature)
        #expect(refusal(try Self.signed(by: Self.pair(of: 7, named: "other"))) == .unknownKey("other"))
        // The published key as if it were a secret, which is how algorithms are confused.
        let published = try Sample.pair(7).publicKey.rawRepresentation
        let secret = try JWK.Private(SymmetricKey(data: published), attributes: JWK.Attributes(id: "2026-11"))
        #expect(
            refusal(try Self.signed(by: secret)) == .algorithmNotOfKey(found: .hs256, expected: [.edDSA, .ed25519]))
        #expect(refusal("e30.e30.AA") == .malformedHeader(.missing(at: "$.alg")))
        #expect(
            refusal(try Self.signed(as: JWT.Kind("request+jwt"))) == .wrongKind(expected: "JWT", found: "request+jwt"))
        var narrow = JWT.Expectation(audience: .unchecked)
        narrow.algorithms = [.ed25519]
        #expect(
            refusal(try Self.signed(), expecting: narrow)
                == .algorithmNotAccepted(found: .edDSA, accepted: [.ed25519]))
        let unowned = try JWKSet(parsing: Self.published())
        #expect(
            rejection { () throws(JWT.Rejection) in
                try unowned.validate(Self.text, for: "https://api.example.edu", at: Self.now)
            } == .keyWithoutOwner)
    }

    /// A key pair of one byte, repeated.
    private static func pair(of seed: UInt8, named name: KeyID) -> JWK.Private {
        guard let pair = try? Sample.pair(seed) else { preconditionFailure("a seed has 32 bytes") }
        return JWK.Private(pair, attributes: JWK.Attributes(id: name))
    }

    private static let issuer: Issuer = "https://idp.example.org"
    private static let text = (try? signed()) ?? ""

    private func refusal(
        _ text: String, expecting expectation: JWT.Expectation? = nil, at now: Timestamp = now
    ) -> JWT.Rejection? {
        rejection { () throws(JWT.Rejection) in
            let keys = JWKSet([Self.key.publicKey].compactMap { $0 }, of: Self.issuer)
            guard let expectation else { return try keys.validate(text, for: "https://api.example.edu", at: now) }
            return try keys.validate(text, expecting: expectation, at: now)
        }
    }
}
