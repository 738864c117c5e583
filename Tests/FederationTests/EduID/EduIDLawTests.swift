import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("The edu-ID service: laws")
struct EduIDLawTests {
    /// One good request for each endpoint, of the same scene.
    private func goodRequests(_ scene: inout Scene) throws -> [HTTP.Request] {
        scene.service.policy.administrators = [scene.parties.person.subject]
        let personal = scene.phone.personal
        let code = try scene.code(of: scene.phone)
        let assertion = try #require(try scene.introduce()["code"])
        func proof(_ path: String) throws -> Credential { .bearer(try scene.proof(personal, for: path)) }
        func clientProof(_ path: String) throws -> Credential {
            .bearer(try scene.proof(scene.phone.client, for: path))
        }
        let grant = [("grant_type", "client_credentials")]
        return [
            try scene.form("token", grant, .assertion(try scene.statement(of: Handset(number: 2)))),
            try scene.form("token", grant, try clientProof("token")),
            try scene.form(
                "authorize-challenge", scene.credentials(of: scene.phone), try clientProof("authorize-challenge")),
            try scene.form(
                "token", [("grant_type", "authorization_code"), ("code", code), ("code_verifier", Scene.verifier)],
                try clientProof("token")
            ),
            try scene.object(
                "token", [("grant_type", "refresh_token"), ("refresh_token", try #require(personal?.refresh))],
                try proof("token")),
            try scene.request(.get, "userinfo", try proof("userinfo")),
            try scene.request(.get, "usage", try proof("usage")),
            try scene.request(
                .post, "discovery", try proof("discovery"), type: "application/json",
                body: Array("[\"org.ieee.papi\"]".utf8)),
            try scene.form(
                "authorize", [("response_type", "code"), ("resource", Scene.alpha)], try proof("authorize")),
            try scene.form("introspect", [("token", assertion)], try scene.credential(of: 0)),
            try scene.form("revoke", [("token", try #require(personal?.token))], try clientProof("revoke")),
            try scene.request(.get, "instances", try proof("instances")),
            try scene.request(.delete, "instances/" + scene.phone.id, try proof("instances/" + scene.phone.id)),
            try scene.request(.get, "admin/versions", try proof("admin/versions")),
        ]
    }

    @Test("The same exchange with the same supply comes to the same decision", .proves("house"))
    func determinism() throws {
        var scene = try Scene.signedIn()
        for request in try goodRequests(&scene) {
            func decide() -> Decision<HTTP.Response> {
                var entropy = SimulatedFederation.Entropy(seed: 99)
                var exchange = scene.service.exchange(for: request, at: scene.now, using: &entropy)
                while let lookup = exchange.lookup { exchange.supply(scene.result(of: lookup)) }
                return exchange.decision
            }
            let (one, other) = (decide(), decide())
            #expect(one.refusal == nil, "\(request): \(one.refusal?.description ?? "")")
            #expect(one.batch == other.batch && one.refusal == other.refusal)
            guard case .respond(let first) = one.conclusion(after: .applied),
                case .respond(let second) = other.conclusion(after: .applied)
            else { continue }
            #expect(first == second, "\(request)")
        }
    }

    @Test("A host whose answers do not fit comes to an end", .proves("threat-32"))
    func fruitless() throws {
        var scene = try Scene.signedIn()
        let request = try scene.request(
            .get, "userinfo", .bearer(try scene.proof(scene.phone.personal, for: "userinfo")))
        var exchange = scene.service.exchange(for: request, at: scene.now, using: &scene.parties.federation.entropy)
        for _ in 1...2_000 where exchange.lookup != nil { exchange.supply(.facts(Facts())) }
        #expect(exchange.lookup == nil && exchange.decision.refusal?.error.code == .temporarilyUnavailable)
    }

    @Test("What is supplied after the decision changes nothing", .proves("house"))
    func lateSupply() throws {
        var scene = try Scene.registered()
        let proof = Credential.bearer(try scene.proof(scene.phone.client, for: "authorize-challenge"))
        let request = try scene.form("authorize-challenge", scene.credentials(of: scene.phone), proof)
        var exchange = scene.service.exchange(for: request, at: scene.now, using: &scene.parties.federation.entropy)
        while let lookup = exchange.lookup { exchange.supply(scene.result(of: lookup)) }
        exchange.supply(.user(.nobody))
        #expect(exchange.decision.refusal == nil)
    }

    @Test(
        "A request twice at the same moment is a conflict in the store, and never two successes", .proves("threat-23"),
        .proves("threat-36")
    )
    func doubled() throws {
        var scene = try Scene.signedIn()
        for request in try goodRequests(&scene).dropFirst() {
            var copy = scene
            let first = copy.send(request)
            #expect(first.refusal == nil && first.status < 300, "\(request)")
            let head = copy.store.head
            let second = copy.send(request)
            #expect(second.status == 401, "\(request): \(second.response)")
            // Where clients ask for something it is the client that has proved nothing, elsewhere the token.
            let isForClients = ["/token", "/authorize-challenge", "/authorize", "/introspect", "/revoke"].contains(
                request.target.path)
            #expect(second.error == (isForClients ? "invalid_client" : "invalid_token"), "\(request)")
            #expect(copy.store.head == head, "\(request)")
        }
    }

    @Test(
        "Mutated requests never trap, and change nothing when they are refused", .proves("threat-14"),
        arguments: [1, 2] as [UInt64])
    func mutated(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var scene = try Scene.signedIn()
        let requests = try goodRequests(&scene)
        for round in 0..<50 {
            var request = try #require(requests.randomElement(using: &generator))
            mutate(&request, using: &generator)
            expectLawful(request, scene, "seed \(seed), round \(round)")
        }
    }

    private func mutate(_ request: inout HTTP.Request, using generator: inout SeededGenerator) {
        switch Int.random(in: 0..<5, using: &generator) {
        case 0 where !request.body.isEmpty:
            let place = Int.random(in: request.body.indices, using: &generator)
            request.body[place] = UInt8.random(in: 0...255, using: &generator)
        case 1 where !request.body.isEmpty:
            request.body.removeLast(Int.random(in: 1...request.body.count, using: &generator))
        case 2 where !request.body.isEmpty:
            let place = Int.random(in: request.body.indices, using: &generator)
            request.body.insert(contentsOf: generator.bytes(3), at: place)
        case 3:
            request.method = [.get, .post, .delete, .put].randomElement(using: &generator) ?? .get
        default:
            // A credential with one character changed, or none at all.
            var fields = HTTP.Fields()
            for field in request.fields where field.name != .authorization || Bool.random(using: &generator) {
                var bytes = Array(field.value.utf8)
                if field.name == .authorization {
                    let place = Int.random(in: bytes.indices, using: &generator)
                    bytes[place] = UInt8.random(in: 0x21...0x7e, using: &generator)
                }
                try? fields.append(field.name, String(decoding: bytes, as: UTF8.self))
            }
            request.fields = fields
        }
    }

    private func expectLawful(_ request: HTTP.Request, _ scene: Scene, _ place: String) {
        var copy = scene
        let head = copy.store.head
        let reply = copy.send(request)
        if reply.refusal != nil || reply.status >= 400 {
            // What comes twice has its consequences; here nothing does.
            #expect(reply.changes.isEmpty || reply.status == 404, "\(place): \(request)")
            #expect(copy.store.head == head || reply.status == 404, "\(place): \(request)")
        }
        #expect(reply.status != 500, "\(place): \(request)")
    }

    @Test(
        "Random requests at every endpoint never trap, and change nothing", .proves("threat-14"),
        arguments: [4, 5] as [UInt64])
    func random(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let scene = try Scene.signedIn()
        let paths = [
            "token", "authorize", "authorize-challenge", "introspect", "revoke", "userinfo", "usage", "discovery",
            "instances", "jwks",
            "instances/x", "admin/versions", "admin/versions/ios-1.0/block", "",
        ]
        let values = [
            "client_credentials", "authorization_code", "refresh_token", "code", "a.b.c", "", "\u{0}", "é",
            scene.phone.id, "ios-1.0",
            String(repeating: "9", count: 400), "https://alpha.example.ch/", "{\"a\":[1,2]}",
            scene.phone.personal?.refresh ?? "",
        ]
        let names = [
            "grant_type", "code", "code_verifier", "client_assertion", "client_assertion_type", "client_id",
            "client_secret", "scope",
            "token",
            "refresh_token", "response_type", "resource", "redirect_uri", "state", "username", "password", "req_cnf",
            "instance_assertion",
        ]
        for round in 0..<250 {
            let path = paths.randomElement(using: &generator) ?? ""
            let pairs = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                (names.randomElement(using: &generator) ?? "", values.randomElement(using: &generator) ?? "")
            }
            var request = Bool.random(using: &generator) ? try scene.form(path, pairs) : try scene.object(path, pairs)
            request.method = [.get, .post, .delete].randomElement(using: &generator) ?? .get
            let scheme = ["Bearer ", "DPoP ", "Basic ", "", "Bearer"].randomElement(using: &generator) ?? ""
            if Bool.random(using: &generator) {
                try? request.fields.append(.authorization, scheme + (values.randomElement(using: &generator) ?? ""))
            }
            var copy = scene
            let reply = copy.send(request)
            #expect(copy.store.head == scene.store.head, "seed \(seed), round \(round): \(request)")
            #expect(reply.status != 500, "seed \(seed), round \(round): \(request)")
        }
    }
}
