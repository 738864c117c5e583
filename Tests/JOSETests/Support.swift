import JOSE
import PureCrypto
import Testing
import Wire

/// Keys and tokens for the tests.
///
/// Tokens are put together from raw texts, so that a test can break exactly one thing.
enum Sample {
    static let secret = SymmetricKey(data: (0..<64).map { UInt8($0) })
    static let otherSecret = SymmetricKey(data: (0..<64).map { UInt8($0 ^ 0x55) })
    static let now = Timestamp(seconds: 1_700_000_000)

    static func id(_ text: String) throws -> KeyID { try KeyID(parsing: text) }

    static func hmacKey(_ id: String? = "k1") throws -> VerificationKey {
        try VerificationKey(secret, for: .hs256, id: id.map { try KeyID(parsing: $0) })
    }

    static func pair(_ seed: UInt8 = 1) throws -> Curve25519.Signing.PrivateKey {
        try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32))
    }

    /// The compact serialization of these texts, signed with HMAC-SHA-256 whatever the header says.
    static func token(header: String = #"{"alg":"HS256","kid":"k1"}"#, payload: String = #"{"exp":1700000060}"#)
        -> String
    {
        token(header: Array(header.utf8), payload: Array(payload.utf8))
    }

    static func token(header: [UInt8], payload: [UInt8]) -> String {
        let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        let code = HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: secret)
        return input + "." + Base64URL.encode(code)
    }

    /// Claims that pass ``expectation()``, with some replaced or, by an empty text, left out.
    static func claims(_ changes: [String: String] = [:]) -> String {
        var members = [
            "iss": #""https://issuer.example""#, "sub": #""user-1""#, "aud": #""https://service.example/token""#,
            "iat": "1699999990", "exp": "1700000060", "jti": #""id-1""#,
        ]
        for (name, value) in changes { members[name] = value.isEmpty ? nil : value }
        return "{" + members.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",")
            + "}"
    }

    static func expectation() throws -> JWT.Expectation {
        JWT.Expectation(
            issuer: .exactly(try Issuer(parsing: "https://issuer.example")),
            audience: .only(try Audience(parsing: "https://service.example/token")), leeway: .seconds(60))
    }

    /// The rejection of a text that is not well-formed; the signature plays no part.
    static func malformation(_ text: String, policy: JWS.Policy = JWS.Policy()) -> JWS.Rejection? {
        do throws(JWS.Rejection) {
            _ = try JWS.Unverified(parsing: text, policy: policy)
            return nil
        } catch {
            return error
        }
    }

    /// The rejection of claims in a token that is in order otherwise.
    static func invalidity(
        _ claims: String, header: String = #"{"alg":"HS256","kid":"k1"}"#, as kind: JWT.Kind = .plain,
        expecting expectation: JWT.Expectation? = nil, at now: Timestamp = now, key: VerificationKey? = nil
    ) throws -> JWT.Rejection? {
        let key = try key ?? hmacKey()
        let verified = try JWS.Unverified(parsing: token(header: header, payload: claims)).verified(
            by: key, accepting: [.hs256])
        var expectation = try expectation ?? Self.expectation()
        expectation.kind = kind
        do throws(JWT.Rejection) {
            _ = try verified.validated(expecting: expectation, at: now)
            return nil
        } catch {
            return error
        }
    }
}
