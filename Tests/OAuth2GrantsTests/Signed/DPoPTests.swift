import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("RFC 9449 §4: DPoP proofs")
struct DPoPTests {
    typealias Rejection = TokenRejection

    static let url = "https://moodle.example.ch/webservice/rest"
    /// The SHA-256 of `opaque-token`, as another program computes it.
    static let digest = "hNPyPam19RsyaVZu_wXT-yNgfu74lWf5zSgLkMoNvFw"
    static let draft: Draft = {
        var draft = Draft(
            "dpop+jwt", seed: 7,
            ["htm": #""POST""#, "htu": #""\#(url)""#, "iat": "1700000000", "jti": #""n-1""#, "ath": #""\#(digest)""#])
        draft.header["kid"] = nil
        draft.header["jwk"] = try? Pair.json(7)
        return draft
    }()

    static func token() throws -> AccessToken { try AccessToken(parsing: "opaque-token") }

    static func check(
        _ draft: Draft, url: String = url, token: AccessToken?, policy: Possession.Policy = Possession.Policy(),
        at now: Timestamp = Scene.now
    ) throws -> Rejection? {
        let (assertion, url) = (try draft.assertion, try Scene.url(url))
        return rejection { () throws(Rejection) in
            try DPoPProof(
                checking: DPoPProof.Unverified(parsing: assertion), for: .post, requesting: url, with: token,
                policy: policy, at: now)
        }
    }

    @Test("A proof in order tells which key made it, and what must not come twice", .proves("RFC9449-4.3"))
    func good() throws {
        let proof = try DPoPProof(
            checking: .init(parsing: Self.draft.claiming(["page": "3"]).assertion), for: .post,
            requesting: Scene.url(Self.url + "?q#f"),
            with: Self.token(), at: Scene.time(1_700_000_059))
        #expect(try proof.key == Pair.jwk(7))
        #expect(try proof.thumbprint == Pair.jwk(7).thumbprint())
        #expect(proof.singleUse.until == Scene.time(1_700_000_061))
        #expect(proof.singleUse.kind == .proof && proof.singleUse.id.text == "n-1")
        #expect(try proof.singleUse.owner == Pair.jwk(7).thumbprint().text)
        #expect(proof.claims == ["page": 3])
        #expect(proof["htm"] == nil)
    }

    static let secretKey =
        #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}"#
    static let foreignKey =
        #"{"kty":"EC","crv":"secp256k1","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#

    static let faults: [Fault<TokenRejection.Reason>] = [
        Fault("a name of the key", draft.heading(["kid": #""any""#]), nil),
        Fault(
            "the URL, spelled differently",
            draft.claiming(["htu": #""https://MOODLE.example.ch:443/webservice/rest/""#]), nil),
        Fault("the URL with its query", draft.claiming(["htu": #""\#(url)?q=1""#]), nil),
        Fault("no type", draft.heading(["typ": ""]), .token(.wrongKind(expected: "dpop+jwt", found: nil))),
        Fault(
            "just JWT", draft.heading(["typ": #""JWT""#]),
            .token(.wrongKind(expected: "dpop+jwt", found: "JWT"))),
        Fault("no key", draft.heading(["jwk": ""]), .missingKey),
        Fault("a key that is none", draft.heading(["jwk": "{}"]), .embeddedKey(.malformed(.missing(at: "$.jwk.kty")))),
        Fault("a key with its secret", draft.heading(["jwk": secretKey]), .embeddedKey(.secretMember("d"))),
        Fault(
            "a symmetric key", draft.heading(["jwk": #"{"kty":"oct","k":"AAAA"}"#]), .embeddedKey(.secretMember("k"))),
        Fault("a symmetric algorithm", draft.heading(["alg": #""HS256""#]), .symmetricAlgorithm(.hs256)),
        Fault("no algorithm", draft.heading(["alg": #""none""#]), .token(.unsecured)),
        Fault("a key to fetch", draft.heading(["jku": #""https://keys.example/""#]), .foreignKeySource("jku")),
        Fault("certificates to fetch", draft.heading(["x5u": #""https://keys.example/""#]), .foreignKeySource("x5u")),
        Fault("certificates", draft.heading(["x5c": "[]"]), .foreignKeySource("x5c")),
        Fault(
            "a key of a foreign type", draft.heading(["alg": #""ES256K""#, "jwk": foreignKey]),
            .embeddedKey(.unsupportedType(.ellipticCurve))),
        Fault("another key", draft.heading(["jwk": (try? Pair.json(8)) ?? ""]), .token(.invalidSignature)),
        Fault("no method", draft.claiming(["htm": ""]), .token(.missing("htm"))),
        Fault("another method", draft.claiming(["htm": #""GET""#]), .method(expected: .post, found: "GET")),
        Fault("a method in another case", draft.claiming(["htm": #""post""#]), .method(expected: .post, found: "post")),
        Fault(
            "a method that is none", draft.claiming(["htm": "1"]),
            .token(.wrongType("htm", expected: .string, found: .number))),
        Fault("no URL", draft.claiming(["htu": ""]), .token(.missing("htu"))),
        Fault("another URL", draft.claiming(["htu": #""\#(url)/x""#]), .url(expected: expectedURL, found: url + "/x")),
        Fault(
            "another host", draft.claiming(["htu": #""https://b.example/webservice/rest""#]),
            .url(expected: expectedURL, found: "https://b.example/webservice/rest")),
        Fault(
            "another scheme", draft.claiming(["htu": #""http://moodle.example.ch/webservice/rest""#]),
            .url(expected: expectedURL, found: "http://moodle.example.ch/webservice/rest")),
        Fault(
            "a URL that is none", draft.claiming(["htu": #""/webservice/rest""#]),
            .url(expected: expectedURL, found: "/webservice/rest")),
        Fault("no time", draft.claiming(["iat": ""]), .token(.missing("iat"))),
        Fault(
            "at the edge of the past", draft.claiming(["iat": "1699999940"]), nil),
        Fault(
            "too old", draft.claiming(["iat": "1699999939"]),
            .token(.tooOld(issued: Scene.time(1_699_999_939), now: Scene.now))),
        Fault(
            "too far ahead", draft.claiming(["iat": "1700000061"]),
            .token(.issuedInTheFuture(at: Scene.time(1_700_000_061), now: Scene.now))),
        Fault("no name", draft.claiming(["jti": ""]), .token(.missing("jti"))),
        Fault(
            "an empty name", draft.claiming(["jti": #""""#]),
            .token(.malformedName("jti", .empty(.identifier)))),
        Fault("no digest", draft.claiming(["ath": ""]), .missingDigest),
        Fault(
            "the digest of another token", draft.claiming(["ath": #""fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo""#]),
            .digestOfAnotherToken
        ),
        Fault(
            "a digest that is none", draft.claiming(["ath": "null"]),
            .token(.wrongType("ath", expected: .string, found: .null))),
    ]

    static let expectedURL: WebURL = {
        guard let url = try? WebURL(parsing: url) else { preconditionFailure("no URL") }
        return url
    }()

    @Test(
        "Whatever is wrong is refused for that", .proves("RFC9449-4.3"), .proves("threat-36"), .proves("threat-9"),
        arguments: faults)
    func fault(_ fault: Fault<TokenRejection.Reason>) throws {
        #expect(try Self.check(fault.draft, token: Self.token()) == fault.rejection.map { TokenRejection(.proof, $0) })
    }

    @Test("Where no token goes with it, no digest is asked for", .proves("RFC9449-4.3"))
    func tokenless() throws { #expect(try Self.check(Self.draft.claiming(["ath": ""]), token: nil) == nil) }

    @Test("A nonce that the server demands is there, and is that one", .proves("RFC9449-8"))
    func nonce() throws {
        var policy = Possession.Policy()
        policy.nonce = "n-0S6"
        func check(_ nonce: String) throws -> Rejection? {
            try Self.check(Self.draft.claiming(["nonce": nonce]), token: Self.token(), policy: policy)
        }
        #expect(try check(#""n-0S6""#) == nil)
        #expect(try check("") == .missingNonce)
        #expect(try check(#""n-0S7""#) == .otherNonce)
        #expect(try check("6") == .token(.wrongType("nonce", expected: .string, found: .number)))
        #expect(try check("")?.refusal.code == .useNonce)
        #expect(try check(#""n-0S7""#)?.refusal.code == .useNonce)
    }

    @Test("Every refusal is that of a proof", .proves("RFC9449-5"))
    func answers() throws {
        for fault in Self.faults {
            guard let rejection = try Self.check(fault.draft, token: Self.token()) else { continue }
            #expect(rejection.refusal.code == .invalidProof, "\(fault.change)")
            #expect(!rejection.clause.isEmpty && !rejection.description.isEmpty)
        }
    }

    @Test("What is built is believed, for random requests", .proves("RFC9449-4.2"))
    func roundTrip() throws {
        let seed: UInt64 = 0x5eed_0004
        var entropy = SeededGenerator(seed: seed)
        for round in 0..<20 {
            let proofs = try DPoPProof.Issuance(with: Pair.of(UInt8(round)))
            let url = try Scene.url("https://h\(entropy.next() % 9).example/\(entropy.next())?q=\(round)")
            let token = round % 3 == 0 ? nil : try AccessToken(parsing: "t\(entropy.next())")
            var policy = Possession.Policy()
            policy.nonce = round % 2 == 0 ? "n\(entropy.next())" : nil
            let made = try proofs.proof(
                for: .get, to: url, with: token, nonce: policy.nonce, adding: ["x": "y"], at: Scene.now, using: &entropy
            )
            let proof = try DPoPProof(
                checking: .init(parsing: made), for: .get, requesting: url, with: token, policy: policy, at: Scene.now)
            #expect(try proof.key == Pair.jwk(UInt8(round)), "seed \(seed), round \(round)")
            #expect(proof.claims == ["x": "y"])
        }
    }

    @Test("Claims that make the proof are not the caller's to set", .proves("threat-50"))
    func reserved() throws {
        let proofs = try DPoPProof.Issuance(with: Pair.of(7))
        let url = try Scene.url(Self.url)
        for name: JSON.Name in ["jti", "htm", "htu", "iat", "ath", "nonce", "exp", "nbf"] {
            var entropy = SeededGenerator(seed: 1)
            let claims = JSON.Object([(name, JSON.string("mine"))])
            let refused = rejection { () throws(IssuanceRejection) in
                try proofs.proof(for: .get, to: url, adding: claims, at: Scene.now, using: &entropy)
            }
            #expect(refused == .reservedClaim(name))
        }
    }

    // MARK: The examples of the standard

    private struct Example {
        let proof: Assertion
        let method: HTTP.Request.Method
        let url: WebURL
        let token: AccessToken?
        let now: Timestamp
        let id: String

        init(_ value: JSON.Document.Value) throws {
            let members = try value.object()
            proof = try Assertion(parsing: members["proof"].string())
            method = try HTTP.Request.Method(parsing: members["method"].string())
            url = try WebURL(parsing: members["url"].string())
            token = try members.optional("token").map { try AccessToken(parsing: $0.string()) }
            now = Timestamp(seconds: try members["time"].integer())
            id = try members["id"].string()
        }
    }

    private struct Trusting: Verifier {
        func isValid(_ signature: Span<UInt8>, for message: Span<UInt8>) -> Bool { signature.count == 64 }
    }

    @Test("The examples are good", .proves("RFC9449-4.1"), .proves("RFC9449-7.1"))
    func examples() throws {
        let document = try JSON.Document(parsing: Repository.fixture("oauth/rfc9449.json")).root.object()
        let thumbprint = try #require(JWK.Thumbprint(document["thumbprint"].string()))
        for value in try document["proofs"].array() {
            let example = try Example(value)
            let received = try DPoPProof.Unverified(parsing: example.proof)
            #expect(try received.key.thumbprint() == thumbprint)
            let proof = try DPoPProof(
                checking: received, for: example.method, requesting: example.url, with: example.token, at: example.now)
            #expect(proof.thumbprint == thumbprint)
            #expect(proof.singleUse.id.text == example.id)
        }
    }

    @Test("A key of a type that is not computed with is the embedder's to check")
    func foreignKeys() throws {
        let draft = Self.draft.heading(["alg": #""ES256K""#, "jwk": Self.foreignKey])
        let received = try DPoPProof.Unverified(parsing: draft.assertion)
        let es256k = try #require(Algorithm("ES256K"))
        var policy = Possession.Policy()
        policy.holders.accept(es256k) { _ in Trusting() }
        let proof = try DPoPProof(
            checking: received, for: .post, requesting: Scene.url(Self.url), with: Self.token(),
            policy: policy, verifying: VerificationKey(Trusting(), for: es256k), at: Scene.now)
        #expect(try proof.thumbprint == received.key.thumbprint())
    }
}
