import JOSE
import OAuth2Grants
import TestSupport
import Testing
import Wire

/// The examples of the documentation, run as they stand.
@Suite("OAuth2Grants: examples") struct ExampleTests {
    @Test("a code is redeemed by whoever has its verifier", .proves("RFC7636-4.5"))
    func aCodeIsRedeemed() throws {
        var entropy = SeededGenerator(seed: 1)
        let code = try Secret.AuthorizationCode(parsing: "SplxlOBeZQQYbYS6WxSbIA")
        let requestToken = try AccessToken(parsing: Part.signed)
        let token = try AccessToken(parsing: "2YotnFZFEjr1zCsicMWpAA")
        let endpoint = try WebURL(parsing: "https://eduid.example.ch/token")
        var kept: [TokenResponse] = []
        var reported: [OAuth2Error] = []
        func keep(_ tokens: TokenResponse) { kept.append(tokens) }
        func report(_ error: OAuth2Error) { reported.append(error) }
        // example: a code is redeemed
        // The client: a request that lacks nothing.
        let verifier = Secret.CodeVerifier(using: &entropy)
        let request = try TokenRequest.code(code, verifier: verifier, credential: .bearer(requestToken)).encoded(
            to: endpoint)

        // The server: what it sees has been checked, and what it refuses, it refuses with the code and status that the
        // standard has for it.
        func answer(_ http: HTTP.Request, against challenge: ChallengeRequest.CodeChallenge) -> HTTP.Response {
            do {
                let request = try TokenRequest(parsing: http)
                guard case .code(code, let verifier) = request.grant, challenge.isMet(by: verifier) else {
                    return TokenRequest.Outcome.refused(OAuth2Error(.invalidGrant, "not the code's verifier")).encoded()
                }
                var tokens = TokenResponse(token, .bearer)
                tokens.lifetime = 3_600
                return TokenRequest.Outcome.granted(tokens).encoded()
            } catch {
                return error.refusal.response()
            }
        }

        // The client again: an outcome has two sides, and what is neither is a rejection that says nothing about the
        // grant.
        switch try TokenRequest.Outcome(parsing: answer(request, against: verifier.challenge)) {
        case .granted(let tokens): keep(tokens)
        case .refused(let error): report(error)
        }
        // end of example
        #expect(kept.map(\.lifetime) == [3_600])
        #expect(kept.map(\.accessToken) == [token])
        #expect(reported.isEmpty)
        let other = Secret.CodeVerifier(using: &entropy).challenge
        guard case .refused(let error) = try TokenRequest.Outcome(parsing: answer(request, against: other)) else {
            throw ParameterRejection.state
        }
        #expect(error.code == .invalidGrant)
        #expect(answer(HTTP.Request(.get, request.target), against: other).status == .badRequest)
    }
}
