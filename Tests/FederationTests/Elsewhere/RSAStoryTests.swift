import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import Synchronization
import TestSupport
import Testing
import TokenTree
import Wire

/// A holder whose key is one of RSA: its signatures were made elsewhere, by `Fixtures/made-elsewhere`, for these
/// messages and no others.
///
/// Where another message is to be signed the test says which; `story.py` there signs what stands in `story.json`.
private struct RSAHolder: Signer {
    struct Unknown: Error {}

    let publicKey: JWK
    private let name: JSON.Name
    private let signatures: [String: String]

    init(_ name: JSON.Name) throws {
        let holders = try JSON(parsing: try Repository.fixture("made-elsewhere/story.json"))
        let holder = try #require(holders[name]?.object)
        self.name = name
        publicKey = try JWK(parsing: try #require(holder["key"]).encoded())
        signatures = try #require(holder["signatures"]?.object).reduce(into: [:]) { signatures, member in
            signatures[member.name.text] = member.value.string
        }
    }

    func signature(for message: Span<UInt8>) throws(Unknown) -> [UInt8] {
        let text = String(decoding: message.indices.map { message[$0] }, as: UTF8.self)
        guard let signature = signatures[text].flatMap({ try? Base64URL.decode($0) }), !signature.isEmpty else {
            Issue.record("\(name) has made no signature over \(text)")
            throw Unknown()
        }
        return signature
    }

    func key(_ id: String?) throws -> SigningKey {
        SigningKey(self, for: .rs256, id: try id.map { try KeyID(parsing: $0) })
    }
}

/// What a holder was given.
private struct Given {
    let access: String
    let keyID: String
    let holder: String

    init(_ response: HTTP.Response, to holder: String) throws {
        try #require(response.status == .ok, "\(String(decoding: response.body, as: UTF8.self))")
        let members = try JSON(parsing: response.body)
        access = try #require(members["access_token"]?.string)
        keyID = try #require(members["cnf"]?["kid"]?.string)
        self.holder = holder
    }
}

@Suite("A holder whose key is one of RSA, from (1) to (9)", .proves("KEY-23"), .proves("KEY-8"))
struct RSAStoryTests {
    /// The parties list the algorithm, and draw the same in every run whatever is drawn elsewhere.
    private static func world() throws -> ElsewhereWorld {
        var world = try ElsewhereWorld(.p256)
        world.federation.eduID.policy.proof.holders.algorithms.append(.rs256)
        for place in world.federation.services.indices {
            world.federation.services[place].service.policy.proof.holders.algorithms.append(.rs256)
        }
        world.federation.entropy = SimulatedFederation.Entropy(seed: 21)
        return world
    }

    private func proof(_ given: Given, _ url: String, by holder: RSAHolder, in world: inout ElsewhereWorld) throws
        -> String
    {
        let claims: JSON.Object = [
            "iss": .string(given.holder), "aud": .string(url),
            "iat": .number(JSON.Number(world.federation.now.seconds)), "jti": .string(world.number()),
        ]
        return try JWT.signed(JWT.Claims(claims), with: holder.key(given.keyID), as: .request)
    }

    private func dpop(_ given: Given, _ url: String, by holder: RSAHolder, in world: ElsewhereWorld) throws -> String {
        // Chance of its own, so that the message is the same in every run.
        var entropy = SimulatedFederation.Entropy(seed: 22)
        return try DPoPProof.Issuance(with: holder.key(nil), publicKey: holder.publicKey).proof(
            for: .get, to: WebURL(parsing: url), with: AccessToken(parsing: given.access), at: world.federation.now,
            using: &entropy
        ).secret
    }

    /// (9) with a request token or with a DPoP proof: whether the URL opens.
    private func opens(
        _ url: String, _ given: Given, by holder: RSAHolder, withDPoP: Bool, in world: inout ElsewhereWorld
    ) throws -> Bool {
        var request = HTTP.Request(.get, .absolute(try WebURL(parsing: url)))
        if withDPoP {
            try request.fields.append(.authorization, "DPoP " + given.access)
            try request.fields.append(.dpop, dpop(given, url, by: holder, in: world))
        } else {
            try request.fields.append(
                .authorization, "Bearer " + proof(given, url, by: holder, in: &world))
        }
        if case .granted = world.federation.use(request, at: 0, try WebURL(parsing: url)) { return true }
        return false
    }

    private func registered(_ holder: RSAHolder, in world: inout ElsewhereWorld) throws -> Given {
        let key = try JSON(parsing: holder.publicKey.encoded())
        let client = try Given(
            world.send(world.registering(key), "registration"), to: ElsewhereWorld.instance)
        let record = try #require(
            world.federation.eduIDStore.lineage(of: TokenID(parsing: client.keyID))?.record)
        #expect(try JWK(parsing: try #require(record.boundKey?.text).utf8) == holder.publicKey)
        return client
    }

    /// (2): both requests.
    private func signIn(_ client: Given, by holder: RSAHolder, in world: inout ElsewhereWorld) throws -> HTTP.Response {
        let (challenge, token) = (ElsewhereWorld.eduID + "/authorize-challenge", ElsewhereWorld.eduID + "/token")
        let asked = try world.form(
            challenge,
            [
                ("response_type", "code"), ("client_id", client.holder), ("username", world.person.name.text),
                ("password", world.person.password.secret), ("code_challenge", Scene.challenge),
                ("code_challenge_method", "S256"),
            ], bearer: proof(client, challenge, by: holder, in: &world))
        let answer = try world.send(asked, "challenge")
        guard let code = try JSON(parsing: answer.body)["authorization_code"]?.string else { return answer }
        let grant = [("grant_type", "authorization_code"), ("code", code), ("code_verifier", Scene.verifier)]
        return try world.send(
            world.form(token, grant, bearer: proof(client, token, by: holder, in: &world)), "sign-in")
    }

    /// (4) and (5): what the service gives the holder.
    private func introduced(_ personal: Given, by holder: RSAHolder, in world: inout ElsewhereWorld) throws -> Given {
        let (authorize, token) = (ElsewhereWorld.eduID + "/authorize", ElsewhereWorld.component(0) + "token")
        let asked = try world.form(
            authorize, [("response_type", "code"), ("resource", Parties.homes[0] + "/")],
            bearer: proof(personal, authorize, by: holder, in: &world))
        let answer = try world.send(asked, "introduction")
        let assertion = try #require(try JSON(parsing: answer.body)["code"]?.string)
        let part = try #require(assertion.split(separator: ".").dropFirst().first)
        let confirmation = try #require(try JSON(parsing: Base64URL.decode(String(part)))["cnf"])
        // The key travels as it was bound, with the algorithm that it names.
        #expect(try JWK(parsing: try #require(confirmation["jwk"]).encoded()).attributes.algorithm == .rs256)
        let name = try #require(confirmation["kid"]?.string)
        let claims: JSON.Object = [
            "iss": .string(personal.holder), "aud": .string(token),
            "iat": .number(JSON.Number(world.federation.now.seconds)), "jti": .string(world.number()),
        ]
        let redemption = try JWT.signed(JWT.Claims(claims), with: holder.key(name), as: .request)
        let grant = [("grant_type", Stage.jwtBearer), ("assertion", assertion)]
        return try Given(
            world.send(world.form(token, grant, bearer: redemption), "redemption"), to: personal.holder)
    }

    /// (8) with the code, for an app that has the key as well.
    private func authorized(_ service: Given, by holder: RSAHolder, in world: inout ElsewhereWorld) throws -> Given {
        let (token, now) = (ElsewhereWorld.component(0) + "token", world.federation.now.seconds)
        let claims: JSON.Object = [
            "iss": .string(service.holder), "sub": .string(ElsewhereWorld.reader),
            "aud": .string(ElsewhereWorld.component(0) + "authorize"), "iat": .number(JSON.Number(now)),
            "exp": .number(JSON.Number(now + 60)), "jti": .string(world.number()),
            "cnf": ["jwk": try JSON(parsing: holder.publicKey.encoded())],
        ]
        let code = try JWT.signed(
            JWT.Claims(claims), with: holder.key(service.keyID), as: .authorizationGrant)
        let grant = [("grant_type", "authorization_code"), ("code", code), ("scope", ElsewhereWorld.papi(0))]
        let request = try world.form(token, grant, bearer: proof(service, token, by: holder, in: &world))
        return try Given(world.send(request, "app authorization"), to: ElsewhereWorld.reader)
    }

    @Test("It registers, signs in, is introduced and opens what it may, by request tokens and by DPoP proofs")
    func story() throws {
        var world = try Self.world()
        let holder = try RSAHolder("holder")
        let client = try registered(holder, in: &world)
        let personal = try Given(signIn(client, by: holder, in: &world), to: client.holder)
        let service = try introduced(personal, by: holder, in: &world)
        let given = try authorized(service, by: holder, in: &world)
        let record = try #require(
            world.federation.services[0].store.lineage(of: TokenID(parsing: given.keyID))?.record)
        #expect(try JWK(parsing: try #require(record.boundKey?.text).utf8) == holder.publicKey)
        let url = ElsewhereWorld.papi(0)
        #expect(try opens(url, given, by: holder, withDPoP: false, in: &world))
        #expect(try opens(url, given, by: holder, withDPoP: true, in: &world))
    }

    @Test("Another key of RSA opens nothing of it, at the edu-ID service and at services", .proves("threat-36"))
    func stranger() throws {
        var world = try Self.world()
        let (holder, stranger) = (try RSAHolder("holder"), try RSAHolder("stranger"))
        let client = try registered(holder, in: &world)
        var other = world
        let refused = try signIn(client, by: stranger, in: &other)
        #expect(refused.status == .unauthorized)
        #expect(try JSON(parsing: refused.body)["error"]?.string == "invalid_client")
        let personal = try Given(signIn(client, by: holder, in: &world), to: client.holder)
        let service = try introduced(personal, by: holder, in: &world)
        let given = try authorized(service, by: holder, in: &world)
        let url = ElsewhereWorld.papi(0)
        for withDPoP in [false, true] {
            #expect(try !opens(url, given, by: stranger, withDPoP: withDPoP, in: &world))
        }
        #expect(try opens(url, given, by: holder, withDPoP: true, in: &world))
    }
}
