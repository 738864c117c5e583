import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

/// Keys of the edu-ID service that change while everybody works (threat 76).
@Suite("Keys that change")
struct LiveKeyTests {
    private static let alpha = Result { try ServiceURL(parsing: Parties.homes[0]) }
    private static let beta = Result { try ServiceURL(parsing: Parties.homes[1]) }

    /// Ada is signed in, and Alpha gave her a token.
    private func parties() throws -> Parties {
        var parties = try Parties(seed: 76)
        try parties.signIn()
        try parties.authorize(Self.alpha.get())
        return parties
    }

    private func tokens(_ parties: Parties, at place: Int) -> [Lineage] {
        parties.federation.services[place].store.page(of: .all(.service), limit: 100)?.lineages ?? []
    }

    private func publicKey(_ key: JWK.Private, since time: Timestamp? = nil) throws -> JWK {
        var key = try #require(key.publicKey)
        key.attributes.withdrawal = time.map { JWK.Withdrawal(since: $0, reason: "compromised") }
        return key
    }

    // MARK: A planned rotation

    @Test("A planned rotation interrupts neither introductions nor renewals nor revocation", .proves("threat-76"))
    func planned() throws {
        var parties = try parties()
        let old = try #require(parties.keys.pair)
        let next = try parties.keyPair(named: "edu-id-2")
        try parties.sign(with: old, publishing: [publicKey(next)])
        // What was fresh is no longer, and the next key is read before it signs.
        parties.federation.wait(.seconds(301))
        try parties.authorize(Self.beta.get())
        try parties.sign(with: next, publishing: [publicKey(old)])
        parties.federation.wait(.seconds(3_600))
        // Ada's access token is over; the app renews it, and introduces her again.
        try parties.perform(.launch)
        try parties.authorize(Self.alpha.get())
        try parties.authorize(Self.beta.get())
        #expect(parties.federation.refusals.allSatisfy { $0.error.code != .invalidGrant && $0.clause != "threat-76" })
        // The old key goes.
        try parties.sign(with: next, publishing: [])
        parties.federation.wait(.seconds(3_600))
        try parties.perform(.launch)
        try parties.authorize(Self.alpha.get())
        try parties.perform(.signOut)
        parties.federation.reconcile()
        parties.federation.deliver()
        for place in 0...1 {
            #expect(!tokens(parties, at: place).isEmpty)
            #expect(tokens(parties, at: place).allSatisfy { !$0.verdict(at: parties.federation.now).grantLives })
        }
    }

    @Test(
        "A key that signs before anybody could read it makes services read, once in the cooldown", .proves("threat-76"))
    func unannounced() throws {
        var parties = try parties()
        try parties.sign(with: try parties.keyPair(named: "edu-id-2"), publishing: [])
        // Alpha read the keys this second: an unknown name is a wrong signature for it.
        #expect(throws: (any Error).self) { try parties.authorize(Self.alpha.get()) }
        #expect(parties.federation.refusals.last?.error.code == .invalidGrant)
        parties.federation.wait(.seconds(30))
        try parties.authorize(Self.alpha.get())
        let requests = parties.federation.traffic.filter { $0.request.target.path == "/jwks" }
        #expect(requests.count == 2)
    }

    // MARK: A stolen key

    /// A thief has the edu-ID service's key since a while, and a token of Alpha's on a word of his own.
    private func robbed() throws -> (parties: Parties, theft: Timestamp, token: TokenID) {
        var parties = try parties()
        parties.federation.wait(.seconds(600))
        let theft = parties.federation.now
        let answer = try steal(&parties, signedWith: #require(parties.keys.pair), id: "forged")
        #expect(answer.status == .ok)
        parties.federation.wait(.seconds(60))
        let given = try #require(tokens(parties, at: 0).last { $0.nearest(.assertion)?.subject?.text == "victim" })
        return (parties, theft, given.record.id)
    }

    /// Redeems the thief's own word about somebody at Alpha.
    private func steal(_ parties: inout Parties, signedWith key: JWK.Private, id: String) throws -> HTTP.Response {
        let now = parties.federation.now
        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 99, count: 32))
        let mine = JWK(pair.publicKey)
        let words = try Statement.AssertionGrant.Issuance(
            with: SigningKey(key), of: Issuer(parsing: Parties.eduID))
        let assertion = try words.assertion(
            JWT.ID(parsing: id), about: Subject(parsing: "victim"), to: Issuer(parsing: Self.alpha.get().identity),
            for: ClientID(parsing: "thief"), holding: mine, named: KeyID(parsing: "mine"), at: now)
        let url = try WebURL(parsing: Parties.homes[0] + "/oauth/token")
        let proof = try JWT.signed(
            JWT.Claims([
                "iss": "thief", "aud": .string(url.text), "iat": .number(JSON.Number(now.seconds)),
                "jti": .string("proof of " + id),
            ]), with: SigningKey(pair, id: KeyID(parsing: "mine")), as: .request)
        let request = try Stage.form(
            ["grant_type": Stage.jwtBearer, "assertion": assertion.secret], to: url.text, bearer: proof)
        let response = parties.federation.send(request)
        return try #require(response)
    }

    private func isLive(_ parties: Parties, _ id: TokenID) -> Bool {
        tokens(parties, at: 0).first { $0.record.id == id }?.verdict(at: parties.federation.now).isLive ?? false
    }

    @Test("What a stolen key signed ends everywhere at once, and honest devices come back", .proves("threat-76"))
    func stolen() throws {
        var (parties, theft, forged) = try robbed()
        // Beta gives Ada a token after the theft: nobody can tell it from a thief's.
        try parties.authorize(Self.beta.get())
        parties.federation.wait(.seconds(60))
        let honest = try #require(tokens(parties, at: 0).first { $0.record.issued < theft }).record.id
        #expect(isLive(parties, honest) && isLive(parties, forged))

        let next = try parties.keyPair(named: "edu-id-2")
        let old = try #require(parties.keys.pair)
        try parties.sign(with: next, publishing: [publicKey(old, since: theft)])
        parties.federation.reconcile()
        #expect(parties.federation.deliver() == 2)
        #expect(isLive(parties, honest) && !isLive(parties, forged))
        #expect(tokens(parties, at: 1).allSatisfy { !$0.verdict(at: parties.federation.now).grantLives })
        #expect(try steal(&parties, signedWith: old, id: "forged again").status == .badRequest)
        // Nobody is told twice.
        parties.federation.reconcile()
        #expect(parties.federation.deliver() == 0)

        // The person does nothing but use the app.
        try parties.perform(.launch)
        try parties.authorize(Self.beta.get())
        try parties.authorize(Self.alpha.get())
        #expect(tokens(parties, at: 1).contains { $0.verdict(at: parties.federation.now).isLive })
        // What is to be told beside goes on.
        parties.federation.eduID.policy.excludedPlatforms = [.iOS]
        parties.federation.reconcile()
        let assertions = parties.federation.eduIDStore.page(of: .all(.assertion), limit: 100)?.lineages ?? []
        #expect(assertions.count > 2 && assertions.allSatisfy { $0.entry.fate.revocation != nil })
    }

    @Test("What ended with a key is cleared away in pages", .proves("threat-76"))
    func swept() throws {
        var (parties, theft, forged) = try robbed()
        try parties.sign(
            with: parties.keyPair(named: "edu-id-2"), publishing: [publicKey(#require(parties.keys.pair), since: theft)]
        )
        parties.federation.reconcile()
        parties.federation.deliver()
        func ground() -> Record.Fate? {
            tokens(parties, at: 0).first { $0.record.id == forged }?.entries[1].fate
        }
        #expect(ground()?.revocation == nil)
        parties.federation.reconcile()
        #expect(ground()?.revocation?.reason == .issuer)
        // Who learns the same again has nothing to do.
        func key() -> Record? { tokens(parties, at: 0).first { $0.record.id == forged }?.entries.last?.record }
        let cleared = try #require(key())
        parties.federation.wait(.seconds(301))
        try parties.authorize(Self.alpha.get())
        #expect(key() == cleared)
    }

    @Test("The message is confirmed when the published keys say the same, and not before", .proves("threat-76"))
    func confirmation() throws {
        var (parties, theft, forged) = try robbed()
        let (old, next) = (try #require(parties.keys.pair), try parties.keyPair(named: "edu-id-2"))
        try parties.sign(with: next, publishing: [publicKey(old, since: theft)])
        parties.federation.reconcile()
        // What everybody reads is an old copy that knows the new key and no withdrawal.
        try parties.sign(with: next, publishing: [publicKey(old)])
        #expect(parties.federation.deliver() == 0)
        #expect(parties.federation.refusals.last?.clause == "threat-76" && isLive(parties, forged))
        try parties.sign(with: next, publishing: [publicKey(old, since: theft)])
        parties.federation.wait(.seconds(3_600))
        #expect(parties.federation.deliver() == 2 && !isLive(parties, forged))
    }

    @Test("A service that the message does not reach learns it with the next introduction", .proves("threat-76"))
    func unreached() throws {
        var (parties, theft, forged) = try robbed()
        try parties.sign(
            with: parties.keyPair(named: "edu-id-2"), publishing: [publicKey(#require(parties.keys.pair), since: theft)]
        )
        parties.federation.wait(.seconds(301))
        #expect(isLive(parties, forged))
        try parties.authorize(Self.alpha.get())
        #expect(!isLive(parties, forged))
    }

    @Test("An earlier time of the theft ends more, a later one revives nothing", .proves("threat-76"))
    func corrected() throws {
        var (parties, theft, forged) = try robbed()
        let old = try #require(parties.keys.pair)
        let next = try parties.keyPair(named: "edu-id-2")
        for (offset, lives) in [(1, true), (0, false), (1, false)] {
            let time = theft + .seconds(offset)
            try parties.sign(with: next, publishing: [publicKey(old, since: time)])
            parties.federation.wait(.seconds(301))
            try parties.authorize(Self.alpha.get())
            #expect(isLive(parties, forged) == lives)
        }
    }

    @Test("Signing out ends the token, whatever key signed it", .proves("threat-76"), .proves("TOK-4"))
    func signOut() throws {
        var parties = try parties()
        try parties.sign(
            with: parties.keyPair(named: "edu-id-2"),
            publishing: [publicKey(#require(parties.keys.pair), since: parties.federation.now)])
        parties.federation.wait(.seconds(60))
        try parties.perform(.signOut)
        let personal = parties.federation.eduIDStore.page(of: .all(.personal), limit: 10)?.lineages ?? []
        #expect(!personal.isEmpty)
        #expect(personal.allSatisfy { $0.entry.fate.revocation?.reason == .surrendered })
    }

    @Test("Tokens of the edu-ID service that the key signed are renewed by themselves", .proves("threat-76"))
    func ownTokens() throws {
        var parties = try parties()
        try parties.sign(
            with: parties.keyPair(named: "edu-id-2"),
            publishing: [publicKey(#require(parties.keys.pair), since: parties.federation.now)])
        parties.federation.wait(.seconds(60))
        try parties.perform(.launch)
        #expect(parties.session.profile["given_name"] == "Ada")
    }
}
