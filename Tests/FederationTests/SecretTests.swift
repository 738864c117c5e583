import Federation
import FederationTesting
import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("No text and no dump of a value shows a secret in it", .proves("threat-22"))
struct SecretTests {
    private static let token = "secret-token-5f1c"
    private static let bytes = (0..<32).map { 0xa0 + UInt8($0) }

    /// What of a value holds a secret, where its texts, its dump or anything that a mirror leads to does.
    private func leak(_ value: Any, depth: Int = 0) -> String? {
        for text in ["\(value)", String(reflecting: value)] where text.contains(Self.token) { return text }
        if let found = value as? [UInt8], found.starts(with: Self.bytes) || found.text.contains(Self.token) {
            return "bytes"
        }
        if let found = value as? ArraySlice<UInt8>, Array(found).text.contains(Self.token) { return "bytes" }
        if depth == 0 {
            var dumped = ""
            dump(value, to: &dumped)
            if dumped.contains(Self.token) || dumped.contains(Self.token.dropFirst(7)) { return dumped }
        }
        guard depth < 24 else { return nil }
        for child in Mirror(reflecting: value).children {
            if let found = leak(child.value, depth: depth + 1) { return "\(child.label ?? "element"): \(found)" }
        }
        return nil
    }

    private func check(_ values: [(String, Any)]) {
        for (name, value) in values {
            let found = leak(value)
            #expect(found == nil, "\(name): \(found ?? "")")
        }
    }

    @Test func vocabularyAndMessages() throws {
        let access = try AccessToken(parsing: Self.token)
        let refresh = try RefreshToken(parsing: Self.token)
        let password = try Secret.Password(parsing: Self.token)
        let url = try WebURL(parsing: "https://a.example/token")
        var response = TokenResponse(access, .bearer)
        response.refreshToken = refresh
        response.others = ["secret": .string(Self.token)]
        let request = try TokenRequest.refresh(refresh, credential: .bearer(access)).encoded(to: url)
        let field = try HTTP.Field(.authorization, Array("Bearer \(Self.token)".utf8))
        check([
            ("access token", access), ("refresh token", refresh), ("password", password), ("answer", response),
            ("request", TokenRequest.refresh(refresh, credential: .bearer(access))),
            ("credential", ClientCredential.proven(access, proof: try Assertion(parsing: Self.token))),
            ("client's password", ClientCredential.password("c", password)),
            ("revocation", RevocationRequest(access, hint: .accessToken, credential: .bearer(access))),
            ("HTTP request", request), ("HTTP response", response.encoded()), ("field", field),
            ("fields", request.fields), ("form", try HTTP.Form(parsing: request.body)),
            ("authentication", try HTTP.Authentication(parsing: Array("Bearer \(Self.token)".utf8))),
            (
                "question",
                Lookup.user(
                    SignInAttempt(
                        user: try UserName(parsing: "u"), password: password, client: "c", version: nil, failures: 0))
            ), ("question", Lookup.answer(request)),
            ("finding", Lookup.Result.answer(response.encoded())),
        ])
    }

    @Test func keys() throws {
        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: Self.bytes)
        let secret = SymmetricKey(data: Self.bytes)
        let jwk = JWK.Private(pair, attributes: JWK.Attributes(id: "k"))
        let keys = Authority.Keys(signing: jwk, master: secret)
        let oct = try JWK.Private(
            parsing: JSON.object(["kty": "oct", "k": .string(Base64URL.encode(Self.bytes)), "kid": "k"]).encoded())
        var response = TokenResponse(try AccessToken(parsing: "t"), .proofOfPossession)
        response.confirmation = .made(oct)
        check([
            ("pair", pair), ("symmetric key", secret), ("prepared", HMAC<SHA256>.PreparedKey(secret)),
            ("private JWK", jwk), ("symmetric JWK", oct), ("signing key", SigningKey(pair, id: "k")),
            ("signing key", try SigningKey(oct)), ("confirmation", response), ("keys", keys),
            ("authority", try Authority("https://a.example/", keys: keys)), ("pseudonyms", Pseudonyms(secret: secret)),
        ])
    }

    @Test func onTheDevice() throws {
        var parties = try Parties(seed: 22)
        try parties.signIn()
        let service = try ServiceURL(parsing: Parties.homes[0])
        try parties.authorize(service)
        var session = parties.session
        let kept = try AuthorizingApp.Store.Token(parsing: "{\"access_token\":\"\(Self.token)\"}")
        try session.store.change { contents in
            for key in contents.tokens.keys { contents.tokens[key] = kept }
            for key in contents.services.keys { contents.services[key]?.token = kept }
        }
        var entropy = SimulatedFederation.Entropy(seed: 1)
        let conversation = try AuthorizingApp.Conversation(
            .renewal(of: .user), of: &parties.session, at: parties.federation.now, using: &entropy)
        let sent = try #require(conversation.request)
        let bearer = try #require(sent.fields.value(of: .authorization).value?.split(separator: " ").last)
        check([
            ("session", session), ("store", session.store), ("contents", session.store.contents),
            ("service", session.store.contents.services.values.first as Any),
            ("installation", session.installation), ("users", parties.federation.users),
        ])
        for text in [conversation.request.debugDescription, "\(conversation)", String(reflecting: conversation)] {
            #expect(!text.contains(bearer))
        }
        var dumped = ""
        dump(conversation, to: &dumped)
        #expect(!dumped.contains(bearer))
        #expect(!dumped.contains("words"), "what chance will give")
    }

    @Test func inApps() throws {
        var document = ServiceDescription(engineLink: "", homePageLink: "https://a.example")
        document.authorization = ServiceDescription.Authorization(accessToken: Self.token)
        let apis: JSON = ["org.ietf.oauth2": ["apiLink": "o"], "org.example.reading": ["apiLink": "r"]]
        let authorization: JSON = ["access_token": .string(Self.token), "refresh_token": .string(Self.token)]
        let granted: JSON = [
            ["engineLink": "", "homePageLink": "https://a.example", "apis": apis, "authorization": authorization]
        ]
        let response = try ProtocolResponse(parsing: granted.encoded())
        let name: ProtocolName = "org.example.reading"
        let request = try ProtocolRequest(from: "d", of: "ch.example.reader", named: "Reader", for: [name])
        var (state, entropy) = (NAILState(), SeededGenerator(seed: 22))
        state.accept(response, to: request, at: .epoch)
        let access = try state.access(to: "https://a.example", name)
        var (renewing, revoking) = (state, state)
        let renewal = try renewing.renew("https://a.example", name, at: .epoch, using: &entropy)
        let revocation = try revoking.revoke("https://a.example", at: .epoch, using: &entropy)
        check([
            ("description", document), ("response", response), ("state", state), ("access", access),
            ("renewal", renewal), ("under way", renewing), ("revocation", revocation), ("key", AppKey(using: &entropy)),
        ])
    }
}

extension [UInt8] {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
