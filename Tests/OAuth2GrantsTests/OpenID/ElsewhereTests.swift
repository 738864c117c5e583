import JOSE
import OAuth2Grants
import TestSupport
import Testing
import Wire

/// Tokens that other implementations made, by keys that nothing in this package has: `Fixtures/openid/tokens.py`.
private struct Made: Sendable {
    struct Token: Sendable, CustomTestStringConvertible {
        let by: String
        let algorithm: String
        let text: String
        var testDescription: String { "\(algorithm) by \(by)" }
    }

    let keys: [VerificationKey]
    let identities: [Token]
    let logouts: [Token]
    let forged: [Token]

    static let all: Made? = try? Made()

    init() throws {
        let file = try JSON(
            parsing: try Repository.fixture("openid/tokens.json"), limits: JSON.Limits(size: 256 << 10, depth: 8))
        keys = try JWKSet(parsing: try #require(file["jwks"]).encoded(), of: Login.provider()).keys
        func tokens(_ name: JSON.Name) throws -> [Token] {
            try #require(file[name]?.array).map {
                Token(
                    by: try #require($0["by"]?.string), algorithm: try #require($0["alg"]?.string),
                    text: try #require($0["token"]?.string))
            }
        }
        identities = try tokens("id_tokens")
        logouts = try tokens("logout_tokens")
        forged = try #require(file["forged"]?.object).map {
            Token(by: $0.name.text, algorithm: "forged", text: try #require($0.value.string))
        }
    }
}

@Suite("Tokens of other implementations")
struct ElsewhereTests {
    @Test(
        "ID tokens by joserfc and idpyoidc are believed, with the access token's hash", .proves("OIC-8"),
        .proves("OIC-18"), arguments: Made.all?.identities ?? [])
    private func identities(_ made: Made.Token) throws {
        let keys = try #require(Made.all).keys
        func read(
            _ algorithms: [Algorithm], access: String = Login.access
        ) throws -> Result<Statement.IDToken, TokenRejection> {
            let expectation = try Login.expectation(
                maximumAge: .seconds(60), contextClasses: [Login.mfa], algorithms: algorithms)
            let (assertion, token) = try (Assertion(parsing: made.text), AccessToken(parsing: access))
            let provider = try Login.provider()
            return Result { () throws(TokenRejection) in
                try Statement.IDToken(
                    checking: Statement.Unverified(parsing: assertion, as: .idToken), by: keys, of: provider,
                    expecting: expectation, with: token, at: Scene.now)
            }
        }
        let algorithm = try #require(Algorithm(made.algorithm))
        let token = try read([algorithm]).get()
        #expect(token.subject.text == "ABCDEFGH234567ABCDEFGH234567" && token.session?.text == "session-1")
        #expect(token.methods == ["pwd", "otp"] && token.claims == ["given_name": "Käthe"])
        #expect(try read([algorithm], access: Login.access + ".").rejection?.reason == .hashOfAnotherToken)
        let others = OpenID.algorithms.filter { $0 != algorithm }
        #expect(
            try read(others).rejection?.reason == .token(.algorithmNotAccepted(found: algorithm, accepted: others)))
    }

    @Test(
        "Logout tokens by joserfc, and as idpyoidc's server makes them, are believed", .proves("OIC-16"),
        .proves("OIC-18"), arguments: Made.all?.logouts ?? [])
    private func logouts(_ made: Made.Token) throws {
        let keys = try #require(Made.all).keys
        let (assertion, client) = try (Assertion(parsing: made.text), ClientID(parsing: Login.client))
        let token = try Statement.LogoutToken(
            checking: Statement.Unverified(parsing: assertion, as: .logoutToken), by: keys, of: Login.provider(),
            to: client, signedBy: [try #require(Algorithm(made.algorithm))], at: Scene.now)
        #expect(token.session?.text.hasPrefix("session-") == true)
        #expect(token.singleUse.until <= Scene.time(1_700_000_601))
    }

    private static let reasons: [String: TokenRejection.Reason] = [
        "HS256 by the client's secret": .token(.algorithmNotAccepted(found: .hs256, accepted: OpenID.algorithms)),
        "HS256 by the text of the public key": .token(
            .algorithmNotAccepted(found: .hs256, accepted: OpenID.algorithms)),
        "RS256 of the key of another": .token(.invalidSignature),
        "RS256 by the key that is for PS256": .token(.algorithmNotOfKey(found: .rs256, expected: [.ps256])),
        "RS256 by the key for encryption": .token(.unknownKey(RequestTokenTests.name("enc"))),
    ]

    @Test(
        "Secrets, keys of others and keys for something else vouch for nothing", .proves("OIC-8"), .proves("threat-3"),
        arguments: Made.all?.forged ?? [])
    private func forged(_ made: Made.Token) throws {
        let set = try #require(Made.all).keys
        let (assertion, access) = try (Assertion(parsing: made.text), AccessToken(parsing: Login.access))
        let (provider, expectation) = try (Login.provider(), Login.expectation())
        let found = rejection { () throws(TokenRejection) in
            try Statement.IDToken(
                checking: Statement.Unverified(parsing: assertion, as: .idToken), by: set, of: provider,
                expecting: expectation, with: access, at: Scene.now)
        }
        #expect(found?.reason == Self.reasons[made.by])
    }

    @Test("What idpyoidc's server says about itself is read", .proves("OIC-10"))
    func described() throws {
        let body = try Repository.fixture("openid/configuration.json")
        let told = try OpenID.ProviderDescription(of: Login.provider(), parsing: HTTP.Response(.ok, body: body))
        #expect(told.token.text == Login.issuer + "token" && told.keys.text == Login.issuer + "jwks.json")
        #expect(told.pushedRequests?.text == Login.issuer + "pushed_authorization" && told.tellsLogout)
        #expect(told.algorithms == [.rs256, .es256] && told.authenticationMethods.contains("private_key_jwt"))
        #expect(!told.promisesIssuer && !told.demandsPushedRequests)
    }

    @Test("All that was made is there")
    func complete() throws {
        let made = try #require(Made.all)
        #expect(made.identities.count == 14 && made.logouts.count == 12 && made.forged.count == 5)
        #expect(Set(made.forged.map(\.by)) == Set(Self.reasons.keys))
    }
}
