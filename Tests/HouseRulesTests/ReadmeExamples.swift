import JOSE
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("README: examples", .proves("house"))
struct ReadmeExamples {
    @Test func aSignedStatement() throws {
        let seed = [UInt8](repeating: 7, count: 32)
        // example: a signed statement
        // Signing: the 32 secret bytes of `seed` come from your own random source.
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        let statement = JSON.encodedObject { claims in
            claims.member("iss", "https://idp.example.org")
            claims.member("exp", 1_700_000_000)
        }
        let signature = key.signature(for: statement)

        // Checking, then reading: each claim is there and of its type, or there is a rejection that says where it is
        // not.
        let isGenuine = key.publicKey.isValidSignature(signature, for: statement)
        let claims = try JSON.Document(parsing: statement).root.object()
        let issuer = try claims["iss"].string()
        let expiry = try claims["exp"].integer(as: Int.self)
        // end of example
        #expect(isGenuine)
        #expect(issuer == "https://idp.example.org")
        #expect(expiry == 1_700_000_000)
    }

    @Test func aToken() throws {
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 7, count: 32))
        // example: a token
        // Issuing: the key fixes the algorithm, the kind of token its type.
        let issuing = SigningKey(key, id: try KeyID(parsing: "2026-11"))
        let token = try JWT.signed(
            JWT.Claims(["iss": "https://idp.example.org", "aud": "https://api.example.edu", "exp": 1_700_000_000]),
            with: issuing)

        // Believing: unverified, verified, validated are three types, and only the check leads from one to the next.
        let keys = JWKSet([JWK(key.publicKey)], of: try Issuer(parsing: "https://idp.example.org"))
        let received = try JWS.Unverified(parsing: token)
        let verified = try received.verified(by: keys, accepting: [.edDSA])
        let expectation = JWT.Expectation(audience: .only(try Audience(parsing: "https://api.example.edu")))
        let accepted = try verified.validated(expecting: expectation, at: Timestamp(seconds: 1_699_999_999))
        // end of example
        #expect(accepted.issuer?.text == "https://idp.example.org")
        #expect(throws: JWT.Rejection.self) {
            try verified.validated(expecting: expectation, at: Timestamp(seconds: 1_700_000_000))
        }
    }

    @Test func aRejection() {
        var reports: [String] = []
        func print(_ text: String) { reports.append(text) }
        // example: a rejection
        do {
            _ = try JSON(parsing: #"{"sub": "alice", "s\u0075b": "mallory"}"#)
        } catch {
            print("\(error)")  // duplicate member name at byte 17 (RFC8259-4)
        }
        // end of example
        #expect(reports == ["duplicate member name at byte 17 (RFC8259-4)"])
    }
}
