import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import PureCrypto
import RSD2
import Synchronization
import Testing
import TokenTree
import Wire

/// What can be wrong with a signer.
enum Trouble: String, CaseIterable, Sendable {
    case away, lying, signingSomethingElse, otherForm, nothing

    func signature(_ message: [UInt8], by pair: SomePair) -> [UInt8]? {
        switch self {
        case .away: nil
        case .lying: (try? SomePair(pair.kind, 0x77))?.signature(for: message)
        case .signingSomethingElse: pair.signature(for: message + [0])
        case .otherForm:
            // DER as security modules give it, in the place of R‖S; of Ed25519 there is one form, so a byte too many.
            pair.signature(for: message).flatMap { raw in
                pair.kind == .ed25519
                    ? raw + [0] : (try? ECDSASignature(rawRepresentation: raw, on: .p256))?.derRepresentation
            }
        case .nothing: []
        }
    }
}

/// The federation of two universities, requests to which are made by hand: all parties' keys lie elsewhere, and every
/// request that needs a signature is first sent while whoever has the key is in trouble.
struct ElsewhereWorld: Sendable {
    var federation: SimulatedFederation
    let person: SimulatedFederation.User
    var versionKey: SigningKey
    /// The keys of the parties, by their names.
    var signers: [SomePair]
    var troubles: [Trouble] = []
    /// Which kind of request met which trouble with whose key.
    var met: Set<String> = []
    private var serial = 0

    static let instance = "00000000-0000-4000-8000-000000000007"
    static let reader = "ch.example.reader"
    static let eduID = Parties.eduID
    static let master = SymmetricKey(data: [UInt8](repeating: 9, count: 32))

    init(_ kind: PairKind, here: Bool = false) throws {
        let parties = try Parties(seed: 8)
        (federation, person) = (parties.federation, parties.person)
        versionKey = try SigningKey(parties.versionKeys[0])
        signers = try ["edu-id", "alpha", "beta"].enumerated().map {
            try SomePair(kind, UInt8($0.offset + 1), named: $0.element + "-1")
        }
        let members = try federation.eduID.index.services.enumerated().map { place, member in
            try ServiceIndex.Member(
                member.home, issuer: member.issuer, releasedClaims: member.releasedClaims,
                clients: place == 0 ? .common : .pairwise)
        }
        federation.eduID.index = ServiceIndex(members)
        for place in federation.services.indices {
            federation.services[place].service.eduID.introspection = try WebURL(parsing: Self.eduID + "/introspect")
        }
        if here { try signHere() } else { try signElsewhere(publishing: [[], [], []]) }
    }

    /// Lets all parties sign with keys that lie elsewhere.
    mutating func signElsewhere(publishing others: [[JWK]]) throws {
        try set { place, pair in
            Authority.Keys(signingElsewhere: pair.publicKey, others: others[place], master: Self.master)
        }
        federation.signer = Self.signer(signers)
    }

    private mutating func signHere() throws {
        try set { _, pair in
            Authority.Keys(signing: try pair.privateKey, master: Self.master)
        }
    }

    /// Gives each party keys.
    mutating func set(_ keys: (Int, SomePair) throws -> Authority.Keys) throws {
        federation.eduID.authority = try Authority(
            federation.eduID.authority.issuer, keys: keys(0, signers[0]))
        for place in federation.services.indices {
            let issuer = federation.services[place].service.authority.issuer
            federation.services[place].service.authority = try Authority(
                issuer, keys: keys(place + 1, signers[place + 1]))
        }
    }

    static func signer(
        _ signers: [SomePair], _ trouble: Trouble? = nil, with party: KeyID? = nil, _ asked: Asked? = nil
    ) -> @Sendable (SignatureRequest) -> [UInt8]? {
        { request in
            guard let pair = signers.first(where: { $0.publicKey == request.publicKey }) else { return nil }
            guard request.algorithm.name.text == pair.kind.algorithm else { return nil }
            asked?.note(request)
            guard let trouble, pair.publicKey.id == party else { return pair.signature(for: request.message) }
            return trouble.signature(request.message, by: pair)
        }
    }

    /// Which keys were asked to sign.
    final class Asked: Sendable {
        private let requests = Mutex<[SignatureRequest]>([])
        func note(_ request: SignatureRequest) { requests.withLock { $0.append(request) } }
        func contains(_ id: KeyID?) -> Bool { requests.withLock { $0.contains { $0.publicKey.id == id } } }
        var count: Int { requests.withLock { $0.count } }
    }

    /// What the parties store, byte for byte.
    var states: [[UInt8]] {
        [federation.eduIDStore.snapshot().encoded()] + federation.services.map { $0.store.snapshot().encoded() }
    }
}

// MARK: - Sending

extension ElsewhereWorld {
    /// Sends a request, first while each key that it needs is in each trouble: then it is answered by 503, nothing
    /// changes anywhere, and the same request passes afterwards.
    mutating func send(_ request: HTTP.Request, _ what: String) throws -> HTTP.Response {
        for party in signers.compactMap({ $0.publicKey.id }) where !met.contains("\(what): \(party)") {
            for trouble in troubles {
                let (before, asked) = (states, Asked())
                var trial = federation
                trial.signer = Self.signer(signers, trouble, with: party, asked)
                let sent = trial.send(request)
                let response = try #require(sent)
                guard asked.contains(party) else { break }
                met.insert("\(what): \(party)")
                let error = try JSON(parsing: response.body)["error"]?.string
                #expect(response.status == .serviceUnavailable, "\(what), \(party) \(trouble)")
                #expect(error == "temporarily_unavailable", "\(what), \(party) \(trouble)")
                let clause = trial.refusals.dropFirst(federation.refusals.count).first?.clause
                #expect(clause == "KEY-21", "\(what), \(party) \(trouble)")
                federation = trial
                #expect(states == before, "\(what), \(party) \(trouble)")
            }
        }
        federation.signer = Self.signer(signers)
        let response = federation.send(request)
        return try #require(response)
    }

    mutating func number() -> String {
        serial += 1
        return "n-\(serial)"
    }

    func form(_ url: String, _ pairs: [(String, String)], bearer: String? = nil, dpop: String? = nil) throws
        -> HTTP.Request
    {
        var fields = HTTP.Fields()
        try fields.append(.contentType, "application/x-www-form-urlencoded")
        if let bearer { try fields.append(.authorization, "Bearer " + bearer) }
        if let dpop { try fields.append(.dpop, dpop) }
        let body = HTTP.Form(pairs.map { HTTP.Form.Pair($0.0, $0.1) }).encoded()
        return HTTP.Request(.post, .absolute(try WebURL(parsing: url)), fields: fields, body: body)
    }

    mutating func proof(_ held: Holding, _ url: String) throws -> String {
        try held.proof(for: url, number(), at: federation.now)
    }
}

// MARK: - The interactions

extension ElsewhereWorld {
    /// (1) The request.
    mutating func registering(_ key: JSON) throws -> HTTP.Request {
        let now = JSON.Number(federation.now.seconds)
        let claims: JSON.Object = [
            "iss": .string(Parties.appName), "sub": .string(Self.instance), "aud": .string(Self.eduID),
            "name": "Ada's phone", "device_id": "device-1", "device_type": "phone", "os_version": "18.1",
            "iat": .number(now), "jti": .string(number()), "cnf": ["jwk": key],
        ]
        let statement = try JWT.signed(JWT.Claims(claims), with: versionKey, as: .clientAuthentication)
        return try form(
            Self.eduID + "/token",
            [
                ("grant_type", "client_credentials"),
                ("client_assertion_type", ClientCredential.assertionType), ("client_assertion", statement),
            ])
    }

    mutating func register(_ pair: SomePair) throws -> Holding {
        try Holding(send(registering(pair.json), "registration"), pair, of: Self.instance)
    }

    /// (2) Both requests.
    mutating func signIn(_ client: Holding) throws -> Holding {
        let challenge = Self.eduID + "/authorize-challenge"
        let asked = try form(
            challenge,
            [
                ("response_type", "code"), ("client_id", Self.instance), ("username", person.name.text),
                ("password", person.password.secret), ("code_challenge", Scene.challenge),
                ("code_challenge_method", "S256"),
            ], bearer: proof(client, challenge))
        let answer = try send(asked, "challenge")
        let code = try #require(try JSON(parsing: answer.body)["authorization_code"]?.string)
        let request = try form(
            Self.eduID + "/token",
            [("grant_type", "authorization_code"), ("code", code), ("code_verifier", Scene.verifier)],
            bearer: proof(client, Self.eduID + "/token"))
        return try Holding(send(request, "sign-in"), client.pair, of: Self.instance)
    }

    /// (4): the assertion, and the name of the instance in it.
    mutating func introduce(_ personal: Holding, to place: Int, by own: SomePair? = nil) throws -> (String, String) {
        let url = Self.eduID + "/authorize"
        var pairs = [("response_type", "code"), ("resource", Parties.homes[place] + "/")]
        if let own {
            let key = try own.json
            pairs.append(("req_cnf", (["jwk": key] as JSON).encodedString()))
            let proof = try DPoPProof.Issuance(with: own.key(), publicKey: JWK(parsing: key.encoded())).proof(
                for: .post, to: WebURL(parsing: url), at: federation.now, using: &federation.entropy)
            pairs.append(("req_proof", proof.secret))
        }
        let response = try send(try form(url, pairs, bearer: proof(personal, url)), "introduction")
        let members = try JSON(parsing: response.body)
        let code = try #require(members["code"]?.string, "\(String(decoding: response.body, as: UTF8.self))")
        return (code, members["client_id"]?.string ?? personal.holder)
    }

    static func component(_ place: Int) -> String { Parties.homes[place] + "/oauth/" }
    static func papi(_ place: Int) -> String { Parties.homes[place] + "/api/papi" }

    /// (5) The key's name in the assertion is the one that proofs need; what it gives bears another one.
    mutating func redeem(
        _ introduction: (assertion: String, holder: String), at place: Int, by pair: SomePair, withDPoP: Bool = false
    ) throws -> Holding {
        let url = Self.component(place) + "token"
        let pairs = [("grant_type", Stage.jwtBearer), ("assertion", introduction.assertion)]
        let part = introduction.assertion.split(separator: ".")[1]
        let confirmation = try JSON(parsing: Base64URL.decode(String(part)))["cnf"]
        var request: HTTP.Request
        if let id = confirmation?["kid"]?.string, !withDPoP {
            let claims: JSON.Object = [
                "iss": .string(introduction.holder), "aud": .string(url),
                "iat": .number(JSON.Number(federation.now.seconds)), "jti": .string(number()),
            ]
            let proof = try JWT.signed(JWT.Claims(claims), with: pair.key(id), as: .request)
            request = try form(url, pairs, bearer: proof)
        } else {
            let proof = try DPoPProof.Issuance(with: pair.key(), publicKey: JWK(parsing: pair.json.encoded())).proof(
                for: .post, to: WebURL(parsing: url), at: federation.now, using: &federation.entropy)
            request = try form(url, pairs, dpop: proof.secret)
        }
        return try Holding(send(request, "redemption"), pair, of: introduction.holder)
    }

    /// (8) With the code.
    mutating func authorize(_ app: SomePair, with service: Holding, at place: Int) throws -> Holding {
        let now = federation.now.seconds
        let claims: JSON.Object = [
            "iss": .string(service.holder), "sub": .string(Self.reader),
            "aud": .string(Self.component(place) + "authorize"), "iat": .number(JSON.Number(now)),
            "exp": .number(JSON.Number(now + 60)), "jti": .string(number()), "cnf": ["jwk": try app.json],
        ]
        let code = try JWT.signed(
            JWT.Claims(claims), with: service.pair.key(service.keyID), as: .authorizationGrant)
        let url = Self.component(place) + "token"
        let request = try form(
            url, [("grant_type", "authorization_code"), ("code", code), ("scope", Self.papi(place))],
            bearer: proof(service, url))
        return try Holding(send(request, "app authorization"), app, of: Self.reader)
    }

    /// The second token, by a request token or by a DPoP proof.
    mutating func refresh(_ held: Holding, at url: String, withDPoP: Bool = false) throws -> Holding {
        let pairs = [("grant_type", "refresh_token"), ("refresh_token", try #require(held.refresh))]
        let request =
            withDPoP
            ? try form(
                url, pairs, dpop: held.dpop(.post, url, at: federation.now, using: &federation.entropy))
            : try form(url, pairs, bearer: proof(held, url))
        return try Holding(send(request, "renewal"), held.pair, of: held.holder)
    }

    /// (9): whether a token opens a URL, with a request token or as it is with a DPoP proof.
    mutating func opens(_ url: String, _ held: Holding, withDPoP: Bool = false) throws -> Bool {
        var request = HTTP.Request(.get, .absolute(try WebURL(parsing: url)))
        if withDPoP {
            try request.fields.append(.authorization, "DPoP " + held.access)
            let proof = try held.dpop(
                .get, url, with: held.access, at: federation.now, using: &federation.entropy)
            try request.fields.append(.dpop, proof)
        } else {
            try request.fields.append(.authorization, "Bearer " + proof(held, url))
        }
        if url.hasPrefix(Self.eduID) { return try send(request, "userinfo").status == .ok }
        let place = try #require(Parties.homes.firstIndex { url.hasPrefix($0) })
        if case .granted = federation.use(request, at: place, try WebURL(parsing: url)) { return true }
        return false
    }

    /// (10) at the edu-ID service.
    mutating func signOut(_ personal: Holding) throws {
        let url = Self.eduID + "/revoke"
        let request = try form(url, [("token", personal.access)], bearer: proof(personal, url))
        let response = try send(request, "revocation")
        #expect(response.status == .ok)
    }
}
