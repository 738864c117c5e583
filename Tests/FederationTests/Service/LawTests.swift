import Federation
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("Laws of a federation service")
struct LawTests {
    /// Requests in order, one to each thing that the service does.
    private func requests(_ stage: inout Stage, _ service: Held, _ app: Held) throws -> [HTTP.Request] {
        [
            try Stage.redeeming(stage.assertion("a-9"), stage.instanceProof()),
            try Stage.authorizing(stage.code(with: service, binding: Pair.app), stage.proof(service)),
            try stage.refreshing(app), try stage.revoking(app.access, by: app), try stage.takingBack("a-9"),
        ]
    }

    /// The rules that let a refused request change something.
    private static let endings: Set<String> = ["AST-3", "threat-26", "threat-28"]

    private func check(_ stage: Stage, _ request: HTTP.Request, _ words: String) {
        var stage = stage
        let (before, count) = (stage.state, stage.refusals.count)
        let response = stage.send(request)
        guard response.status != .ok else { return }
        let clause = stage.refusals.dropFirst(count).last?.clause ?? ""
        #expect(stage.state == before || Self.endings.contains(clause), "\(words): \(clause)")
    }

    @Test(
        "A mutated request never traps, and changes nothing when it is refused", .proves("threat-14"),
        arguments: 1...3 as ClosedRange<UInt64>)
    func mutations(seed: UInt64) throws {
        var (stage, service, app) = try Stage.authorized()
        var chance = SeededGenerator(seed: seed)
        for (number, request) in try requests(&stage, service, app).enumerated() {
            for round in 0..<6 {
                var request = request
                if chance.next() % 3 == 0, case .once(let credential) = request.fields.value(of: .authorization) {
                    var fields = HTTP.Fields()
                    for field in request.fields where field.name != .authorization { try fields.append(field) }
                    let text = String(decoding: Self.mutated(Array(credential.utf8), &chance), as: UTF8.self)
                    // Not every text can stand in a field; then there is none.
                    try? fields.append(.authorization, text)
                    request.fields = fields
                } else {
                    request.body = Self.mutated(request.body, &chance)
                }
                check(stage, request, "seed \(seed), request \(number), round \(round)")
            }
        }
    }

    private static func mutated(_ bytes: [UInt8], _ chance: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        let place = Int(chance.next() % UInt64(max(1, bytes.count)))
        switch chance.next() % 5 {
        case 0: bytes[place] ^= 1 << UInt8(chance.next() % 8)
        case 1: bytes.insert(UInt8(truncatingIfNeeded: chance.next()), at: place)
        case 2: bytes.remove(at: place)
        case 3: bytes.removeSubrange(place...)
        default: bytes.insert(contentsOf: bytes[place...], at: place)
        }
        return bytes
    }

    @Test("No beginning of a request is one", .proves("threat-14"))
    func prefixes() throws {
        var (stage, service, app) = try Stage.authorized()
        for (number, request) in try requests(&stage, service, app).enumerated() {
            for length in stride(from: 0, to: request.body.count - 2, by: max(1, request.body.count / 12)) {
                var request = request
                request.body = Array(request.body.prefix(length))
                var copy = stage
                let response = copy.send(request)
                // Where the token to be revoked is cut off, it is a token that nobody knows.
                if number < 3 { #expect(response.status != .ok, "request \(number), \(length) bytes") }
                #expect(
                    copy.store.living(.app, at: copy.now) == 1 || response.status == .ok,
                    "request \(number), \(length) bytes")
            }
        }
    }

    @Test("Random requests are refused and change nothing", .proves("threat-14"))
    func noise() throws {
        let (stage, service, app) = try Stage.authorized()
        var chance = SeededGenerator(seed: 5)
        let names = [
            "grant_type", "code", "assertion", "refresh_token", "scope", "req_cnf", "client_id", "resource", "token",
            "token_type_hint",
            "client_assertion", "client_assertion_type", "client_secret", "instance_assertion", "code_verifier",
        ]
        let values = [
            "authorization_code", Stage.jwtBearer, "refresh_token", "client_credentials", service.access, app.refresh,
            app.access, "", ".",
            "..", "a.b.c", "\u{0}", "%", "{}", #"{"jwk":{}}"#, #"{"jwk":{"kty":"oct","k":"AAAA"}}"#, Stage.papi,
            Stage.reader, "é",
            ClientCredential.assertionType, String(repeating: "x", count: 20_000),
        ]
        let schemes = ["Bearer ", "DPoP ", "Basic ", "Digest ", "", "Bearer  "]
        for round in 0..<300 {
            func pick<Value>(_ list: [Value]) -> Value { list[Int(chance.next() % UInt64(list.count))] }
            let url = try WebURL(parsing: pick([Stage.token, Stage.revoke]))
            var request = HTTP.Request(.post, .absolute(url))
            try request.fields.append(
                .contentType, pick(["application/x-www-form-urlencoded", "application/json", "text/plain", ";"]))
            if chance.next() % 2 == 0 { try? request.fields.append(.authorization, pick(schemes) + pick(values)) }
            if chance.next() % 4 == 0 { try? request.fields.append(.dpop, pick(values)) }
            let pairs = (0..<chance.next() % 6).map { _ in HTTP.Form.Pair(pick(names), pick(values)) }
            request.body = chance.next() % 8 == 0 ? chance.bytes(Int(chance.next() % 200)) : HTTP.Form(pairs).encoded()
            check(stage, request, "round \(round)")
            let path = pick([Stage.papi, Stage.lti, Stage.home + "/api/papi/%00", Stage.home + "/api/papi/%E9"])
            var copy = stage
            let outcome = try copy.use(request, path)
            guard case .refused = outcome else {
                Issue.record("round \(round): noise opens an endpoint")
                continue
            }
            #expect(copy.state == stage.state, "round \(round)")
        }
    }

    @Test("The same exchange comes to the same decision, so that it can be gone through again", .proves("threat-32"))
    func determinism() throws {
        var (stage, service, app) = try Stage.authorized()
        for request in try requests(&stage, service, app) {
            func decided() -> (HTTP.Response, [UInt8]) {
                var copy = stage
                return (copy.send(request), copy.state)
            }
            let (one, other) = (decided(), decided())
            #expect(one.0 == other.0)
            #expect(one.1 == other.1)
        }
    }

    @Test("One look-up is enough for each request, so that no signature is checked twice")
    func rounds() throws {
        var (stage, service, app) = try Stage.authorized()
        for (number, request) in try requests(&stage, service, app).enumerated() {
            var exchange = stage.service.exchange(for: request, at: stage.now, using: &stage.entropy)
            var rounds = 0
            while case .facts(let keys)? = exchange.lookup {
                rounds += 1
                exchange.supply(.facts(stage.store.load(keys)))
            }
            #expect(exchange.decision.refusal == nil, "request \(number)")
            // A revocation names one token and is proved by another one.
            #expect(rounds <= (number == 3 ? 2 : 1), "request \(number): \(rounds) look-ups")
        }
    }

    @Test("No refusal repeats a secret of the request", .proves("threat-22"))
    func secretsInRefusals() throws {
        var (stage, service, app) = try Stage.authorized()
        let secrets = [service.access, app.access, app.refresh, try stage.assertion().text]
        var requests: [HTTP.Request] = []
        for name in ["assertion", "code", "refresh_token", "grant_type", "scope", "client_id", "resource", "req_cnf"] {
            for secret in secrets {
                requests.append(
                    try Stage.form(
                        name == "grant_type"
                            ? ["grant_type": secret]
                            : ["grant_type": Stage.jwtBearer, "assertion": secrets[0], name: secret],
                        bearer: secret))
                requests.append(
                    try Stage.form(
                        ["grant_type": "refresh_token", "refresh_token": secret, name + "_": secret],
                        bearer: stage.proof(app).text + "x"))
            }
        }
        for request in requests {
            let response = stage.send(request)
            guard response.status != .ok else { continue }
            let text = String(decoding: response.body, as: UTF8.self)
            for secret in secrets { #expect(!text.contains(secret), "\(text.prefix(200))") }
        }
    }
}
