import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import Wire

/// Random messages, with an eye on the edges: every optional part is there half of the time, texts have any characters
/// that they may have.
struct Chance {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

    mutating func some<Value>(_ value: (inout Chance) throws -> Value) rethrows -> Value? {
        below(2) == 0 ? nil : try value(&self)
    }

    private mutating func characters(_ set: [UInt8], _ count: Int) -> String {
        String(decoding: (0..<count).map { _ in set[below(set.count)] }, as: UTF8.self)
    }

    private static let visible = Array(0x21...0x7e as ClosedRange<UInt8>)
    private static let token68 = Array("ABCxyz019-._~+/".utf8)
    private static let base64URL = Array("ABCxyz019-_".utf8)

    /// Any visible characters: what stands among parameters.
    mutating func visible() -> String { characters(Self.visible, 1 + below(40)) }

    /// What a header field can carry as a token.
    mutating func token68() -> String {
        characters(Self.token68, 1 + below(40)) + String(repeating: "=", count: below(3))
    }

    mutating func signed() -> String {
        (0..<3).map { _ in characters(Self.base64URL, 1 + below(20)) }.joined(separator: ".")
    }

    /// Any text without control characters.
    mutating func text() -> String {
        let words = [
            "a", "&", "=", "+", "%", "%41", " ", "é", "e\u{301}", "\u{1F600}", "\"", "\\", ";", "/", "?", "#",
            "\u{FEFF}", "null",
        ]
        return (0...below(8)).map { _ in words[below(words.count)] }.joined()
    }

    mutating func client() throws -> ClientID { try ClientID(parsing: text()) }

    mutating func scope() throws -> Scope {
        let words = [
            "openid", "profile", "!", "~", "a'b", "https://a.example/x", "https://moodle.example.ch/api/v1", "[", "0",
        ]
        return Scope(try (0...below(5)).map { _ in try Scope.Token(parsing: words[below(words.count)]) })
    }

    mutating func url() throws -> WebURL {
        let urls = [
            "https://moodle.example.ch/", "https://a.example/x?y=1&z=%26", "https://[::1]:8443/t",
            "https://xn--bcher-kva.example/%C3%A9",
        ]
        return try WebURL(parsing: urls[below(urls.count)])
    }

    mutating func key() throws -> JWK {
        var key = JWK(try Pair.of(UInt8(1 + below(9))).publicKey)
        key.attributes.id = try some { try KeyID(parsing: $0.text()) }
        return key
    }

    mutating func credential() throws -> ClientCredential {
        switch below(5) {
        case 0: .none
        case 1: .assertion(try Assertion(parsing: visible()))
        case 2: .bearer(try AccessToken(parsing: token68()))
        case 3: .proven(try AccessToken(parsing: token68()), proof: try Assertion(parsing: visible()))
        default: .password(try client(), try Secret.Password(parsing: text()))
        }
    }

    mutating func tokenRequest() throws -> TokenRequest {
        var request: TokenRequest
        switch below(6) {
        case 0: request = .registration(try Assertion(parsing: visible()))
        case 1: request = .upgrade(try Assertion(parsing: visible()), of: try Assertion(parsing: visible()))
        case 2:
            request = .code(
                try Secret.AuthorizationCode(parsing: below(2) == 0 ? visible() : signed()),
                verifier: Secret.CodeVerifier(using: &generator),
                credential: try credential())
        case 3: request = .assertion(try Assertion(parsing: visible()), credential: try credential())
        case 4:
            request = .app(
                try Assertion(parsing: signed()), scope: try scope(), key: try some { try $0.key() },
                credential: try credential())
        default:
            request = .refresh(
                try RefreshToken(parsing: visible()), scope: try some { try $0.scope() }, credential: try credential())
        }
        request.resource = try some { try $0.url() }
        if request.client == nil { request.client = try some { try $0.client() } }
        if case .proven = request.credential {
        } else {
            request.proof = try some { try Assertion(parsing: $0.visible()) }
        }
        return request
    }

    mutating func tokenResponse() throws -> TokenResponse {
        var response = TokenResponse(
            try AccessToken(parsing: visible()),
            [.bearer, .proofOfPossession, .dpop, TokenResponse.TokenType("N_A")][below(4)])
        response.lifetime = some { Int64($0.below(1 << 40)) }
        response.refreshToken = try some { try RefreshToken(parsing: $0.visible()) }
        response.scope = try some { try $0.scope() }
        response.confirmation = try some { chance in
            switch chance.below(3) {
            case 0: return .held(JWT.Confirmation(keyID: try KeyID(parsing: chance.text())))
            case 1: return .held(JWT.Confirmation(key: try chance.key(), id: try KeyID(parsing: chance.text())))
            default:
                var key = try JWK.Private(SymmetricKey(data: chance.generator.bytes(32)))
                key.attributes.id = try KeyID(parsing: chance.text())
                return .made(key)
            }
        }
        response.others = others()
        return response
    }

    mutating func others() -> JSON.Object {
        let values: [JSON] = [.null, "", "x", 1, ["a": [.null, true]], false, []]
        return JSON.Object((0..<below(4)).map { (JSON.Name("x\($0)" + text()), values[below(values.count)]) })
    }

    mutating func facts() throws -> IntrospectionRequest.Outcome.Facts {
        var facts = IntrospectionRequest.Outcome.Facts()
        facts.issuer = try some { try Issuer(parsing: $0.text()) }
        facts.subject = try some { try Subject(parsing: $0.text()) }
        facts.audience = some { $0.text() }
        facts.client = try some { try $0.client() }
        facts.expiration = some {
            Timestamp(seconds: Int64($0.below(1 << 40)), nanoseconds: UInt32($0.below(3) * 250_000_000))
        }
        facts.issuedAt = some { Timestamp(seconds: Int64($0.below(1 << 40))) }
        facts.id = try some { try JWT.ID(parsing: $0.text()) }
        facts.scope = try some { try $0.scope() }
        facts.userToken = try some { try AccessToken(parsing: $0.visible()) }
        facts.others = others()
        return facts
    }

    mutating func refusal() throws -> OAuth2Error {
        let codes: [OAuth2Error.Code] = [
            .invalidRequest, .invalidClient, .invalidGrant, .unauthorizedClient, .unsupportedGrantType, .invalidScope,
            .accessDenied,
            .unsupportedResponseType, .invalidToken, .insufficientScope, .unsupportedTokenType, .invalidTarget,
            .invalidProof, .useNonce,
            .insufficientAuthorization, try OAuth2Error.Code(parsing: "slow_down"),
        ]
        return OAuth2Error(codes[below(codes.count)], some { $0.text() }, page: try some { try $0.url() })
    }

    /// A change to a text: a byte put in, replaced, turned or taken out, or the end cut off.
    mutating func change(_ input: inout [UInt8]) {
        let place = below(input.count + 1)
        switch below(5) {
        case 0: input.insert(UInt8(truncatingIfNeeded: generator.next()), at: place)
        case 1 where place < input.count: input[place] = UInt8(truncatingIfNeeded: generator.next())
        case 2 where place < input.count: input[place] ^= 1 << UInt8(below(8))
        case 3 where place < input.count: input.remove(at: place)
        default: input.removeSubrange(place...)
        }
    }
}
