import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("POP-1: what a bound token demands, it gets")
struct PresentationTests {
    typealias Rejection = TokenRejection

    static let url = RequestTokenTests.url

    static func request(_ draft: Draft = RequestTokenTests.draft) throws -> Possession.Presentation {
        Possession.Presentation(bearer: try AccessToken(parsing: draft.text))
    }

    static func proven(_ draft: Draft = DPoPTests.draft) throws -> Possession.Presentation {
        try Possession.Presentation(DPoPTests.token(), proof: draft.assertion)
    }

    static func check(
        _ presentation: Possession.Presentation, by key: Statement.BoundKey?, method: HTTP.Request.Method = .post,
        url: String = url,
        policy: Possession.Policy = Possession.Policy()
    ) throws -> Rejection? {
        let url = try Scene.url(url)
        return rejection { () throws(Rejection) in
            try presentation.verified(by: key, for: method, requesting: url, policy: policy, at: Scene.now)
        }
    }

    static func key(_ seed: UInt8 = 7) throws -> Statement.BoundKey { try Pair.bound(seed, to: Scene.instance) }

    @Test("What came as a bearer token is told apart by its type", .proves("threat-18"), .proves("NIF-7"))
    func forms() throws {
        func need(_ text: String) throws -> Possession.Presentation.Need {
            Possession.Presentation(bearer: try AccessToken(parsing: text)).need
        }
        let name = try Scene.name("k7")
        #expect(try need(RequestTokenTests.draft.text) == .key(name))
        #expect(try need(RequestTokenTests.draft.heading(["typ": ""]).text) == .key(name))
        #expect(try need(RequestTokenTests.draft.heading(["typ": #""JWT""#]).text) == .key(name))
        #expect(try need(RequestTokenTests.draft.heading(["kid": ""]).text) == .key(nil))
        for draft in [
            JWTAccessTokenTests.draft, RequestTokenTests.draft.heading(["typ": #""authorization-grant+jwt""#]),
        ] {
            #expect(try need(draft.text) == .token(AccessToken(parsing: draft.text)))
        }
        for text in ["opaque", "a.b.c", "eyJ9.e30.AA"] { #expect(try need(text) == .token(AccessToken(parsing: text))) }
        #expect(try Self.proven().need == .token(DPoPTests.token()))
    }

    @Test("Either proof is taken for the other's equal, and tells who made it", .proves("POP-1"))
    func equals() throws {
        let url = try Scene.url(Self.url)
        let one = try #require(try Self.request().verified(by: Self.key(), for: .post, requesting: url, at: Scene.now))
        let other = try #require(try Self.proven().verified(by: Self.key(), for: .post, requesting: url, at: Scene.now))
        #expect(one.holder == other.holder)
        #expect(one.holder == .client(try Scene.client()))
        #expect(one.singleUse.owner == other.singleUse.owner)
        #expect(one.singleUse.kind == .requestToken && other.singleUse.kind == .proof)
        #expect(one.claims == ["page": 3] && other.claims == [:])
    }

    @Test("A token that is bound to a key is not good without a proof", .proves("threat-36"))
    func stripped() throws {
        let plain = Possession.Presentation(bearer: try DPoPTests.token())
        #expect(try Self.check(plain, by: Self.key()) == .missingProof)
        #expect(try Self.check(plain, by: nil) == nil)
        #expect(try plain.verified(by: nil, for: .get, requesting: Scene.url(Self.url), at: Scene.now) == nil)
    }

    @Test("A proof for a token that is bound to none proves nothing", .proves("threat-36"))
    func unbound() throws {
        #expect(try Self.check(Self.request(), by: nil) == .unboundToken)
        #expect(try Self.check(Self.proven(), by: nil) == .unboundToken)
    }

    @Test("A proof by another key is refused", .proves("threat-36"))
    func swapped() throws {
        let other = try Statement.BoundKey(Pair.jwk(8), id: Scene.name("k7"), of: .client(Scene.client()))
        #expect(try Self.check(Self.request(), by: other) == .token(.invalidSignature))
        #expect(try Self.check(Self.request(), by: Self.key(8)) == .otherKey(Scene.name("k7")))
        #expect(try Self.check(Self.proven(), by: other) == .proofByAnotherKey)
        #expect(
            try Self.check(Self.proven(DPoPTests.draft.heading(["jwk": Pair.json(8)])), by: Self.key())
                == .token(.invalidSignature))
    }

    @Test("A proof for another URL, method or token is refused", .proves("threat-36"), .proves("threat-51"))
    func elsewhere() throws {
        let url = "https://moodle.example.ch/admin"
        #expect(
            try Self.check(Self.request(), by: Self.key(), url: url)
                == .audience(expected: url, found: Self.url))
        #expect(
            try Self.check(Self.proven(), by: Self.key(), url: url)
                == .url(expected: Scene.url(url), found: Self.url))
        #expect(
            try Self.check(Self.proven(), by: Self.key(), method: .get)
                == .method(expected: .get, found: "POST"))
        let swapped = try Possession.Presentation(
            AccessToken(parsing: "another-token"), proof: DPoPTests.draft.assertion)
        #expect(try Self.check(swapped, by: Self.key()) == .digestOfAnotherToken)
        let without = try Self.proven(DPoPTests.draft.claiming(["ath": ""]))
        #expect(try Self.check(without, by: Self.key()) == .missingDigest)
    }

    @Test("A replayed proof has the same name in the same realm, so that no store takes it twice", .proves("threat-36"))
    func replayed() throws {
        let url = try Scene.url(Self.url)
        let uses = try (0..<2).map { second in
            try Self.request().verified(
                by: Self.key(), for: .post, requesting: url, at: Scene.time(1_700_000_000 + Int64(second)))?
                .singleUse
        }
        #expect(uses[0] != nil && uses[0] == uses[1])
        // Another key's tokens have names of their own.
        let draft = RequestTokenTests.draft.signed(by: 8).heading(["kid": #""k8""#])
        #expect(
            try Self.request(draft).verified(by: Self.key(8), for: .post, requesting: url, at: Scene.now)?.singleUse
                != uses[0])
    }

    @Test("A key of which only the digest is known takes a DPoP proof", .proves("RFC9449-6.1"))
    func digest() throws {
        let document = try JSON.Document(parsing: #"{"jkt":"\#(Pair.jwk(7).thumbprint().text)","kid":"k7"}"#)
        let key = try Statement.BoundKey(JWT.Confirmation(document.root), of: .client(Scene.client()))
        #expect(try Self.check(Self.proven(), by: key) == nil)
        #expect(try Self.check(Self.request(), by: key) == .keyUnknown)
        #expect(
            try Self.check(Self.proven(DPoPTests.draft.heading(["jwk": Pair.json(8)]).signed(by: 8)), by: key)
                == .proofByAnotherKey)
    }

    @Test(
        "A symmetric key checks request tokens, and no DPoP proof is its own", .proves("RFC7800-3.4"),
        .proves("threat-3"))
    func symmetric() throws {
        let secret = SymmetricKey(data: (0..<32).map { UInt8($0) })
        let name = try Scene.name("s1")
        let holder = Statement.BoundKey.Holder.app(try BundleID(parsing: "ch.example.reader"))
        let key = try Statement.BoundKey(
            JWT.Confirmation(keyID: name), of: holder, known: VerificationKey(secret, for: .hs256, id: name))
        var entropy = SeededGenerator(seed: 3)
        let token = try RequestToken.Issuance(with: SigningKey(secret, for: .hs256, id: name), of: holder)
            .token(for: Scene.url(Self.url), at: Scene.now, using: &entropy)
        let possession = try Possession.Presentation(bearer: token).verified(
            by: key, for: .post, requesting: Scene.url(Self.url), at: Scene.now)
        #expect(possession?.singleUse.owner == "kid:s1")
        #expect(try Self.check(Self.proven(), by: key) == .proofByAnotherKey)
        let forged = RequestTokenTests.draft.heading(["kid": #""s1""#]).claiming(["iss": #""ch.example.reader""#])
        #expect(
            try Self.check(Self.request(forged), by: key)
                == .token(.algorithmNotOfKey(found: .edDSA, expected: [.hs256])))
    }

    @Test("A policy takes no DPoP proofs", .proves("POP-1"))
    func policy() throws {
        var policy = Possession.Policy()
        policy.acceptsDPoP = false
        #expect(try Self.check(Self.proven(), by: Self.key(), policy: policy) == .proofNotAccepted)
        #expect(try Self.check(Self.request(), by: Self.key(), policy: policy) == nil)
    }

    @Test("A prepared key checks the same", .proves("threat-36"))
    func prepared() throws {
        #expect(try Self.check(Self.request(), by: Self.key().prepared()) == nil)
        let other = try Statement.BoundKey(Pair.jwk(8), id: Scene.name("k7"), of: .client(Scene.client())).prepared()
        #expect(try Self.check(Self.request(), by: other) == .token(.invalidSignature))
    }

    @Test("An unknown key is answered like a wrong signature", .proves("threat-39"))
    func unknown() throws {
        let forged = try #require(try Self.check(Self.request(RequestTokenTests.draft.signed(by: 8)), by: Self.key()))
        #expect(try Self.request().refusedAsUnknown() == forged.refusal)
        #expect(try Self.request(RequestTokenTests.draft.heading(["kid": ""])).refusedAsUnknown() == forged.refusal)
        #expect(
            try Self.proven().refusedAsUnknown()
                == Possession.Presentation(bearer: DPoPTests.token()).refusedAsUnknown())
    }

    @Test("At an endpoint of the issuer the same is said of the client", .proves("RFC6749-5.2"))
    func answers() throws {
        let plain = try #require(try Self.check(Possession.Presentation(bearer: DPoPTests.token()), by: Self.key()))
        #expect(plain.refusal.code == .invalidToken && plain.clientRefusal.code == .invalidClient)
        let forged = try #require(try Self.check(Self.request(RequestTokenTests.draft.signed(by: 8)), by: Self.key()))
        #expect(forged.refusal.code == .invalidToken && forged.clientRefusal.code == .invalidClient)
    }
}
