import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import Synchronization
import TestSupport
import Testing
import Wire

/// A secure element with keys of its own, whose person declines when the test says so.
private final class Element: Sendable {
    private struct Content: Sendable {
        var entropy = SeededGenerator(seed: 77)
        var keys: [KeyID: Curve25519.Signing.PrivateKey] = [:]
        var requests: [SignatureRequest] = []
        var declined: Set<Int> = []
        var makesKeys = true
    }

    private let content = Mutex(Content())

    var requests: [SignatureRequest] { content.withLock { $0.requests } }

    /// The person declines the next request, or so many after it.
    func decline(after count: Int = 0) { content.withLock { _ = $0.declined.insert($0.requests.count + count) } }
    func makesKeys(_ makes: Bool) { content.withLock { $0.makesKeys = makes } }

    func newKey() -> DeviceKey? {
        content.withLock { content in
            guard content.makesKeys else { return nil }
            let key = Curve25519.Signing.PrivateKey(using: &content.entropy)
            guard let name = try? KeyID(parsing: "element-\(content.keys.count + 1)") else { return nil }
            content.keys[name] = key
            return try? DeviceKey(elsewhere: JWK(key.publicKey, attributes: JWK.Attributes(id: name)))
        }
    }

    func sign(_ request: SignatureRequest) -> [UInt8]? {
        content.withLock { content in
            let number = content.requests.count
            content.requests.append(request)
            guard !content.declined.contains(number), let name = request.publicKey.id else { return nil }
            return content.keys[name].map { [UInt8]($0.signature(for: request.message)) }
        }
    }
}

@Suite("NAIL: keys that lie elsewhere", .proves("KEY-21"))
struct ElsewhereTests {
    private let device = Device()
    private let element = Element()

    /// An app whose key and whose tokens' keys lie in the element, as the authorizing app knows it.
    private func app(gate: Gate? = nil) throws -> (app: ThirdPartyApp, registry: [BundleID: JWKSet]) {
        let key = try #require(element.newKey()).publicKey
        var named = key
        named.attributes.id = "element-1"
        var surroundings = try device.surroundings()
        surroundings.sign = { [element] request in
            await gate?.pass()
            return element.sign(request)
        }
        surroundings.newKey = { [element] in element.newKey() }
        var published = key
        published.attributes.id = "app-1"
        return (
            try device.app(
                proof: .signatureWithBinding(SigningKey(elsewhere: named, id: "app-1")), on: surroundings),
            [try BundleID(parsing: "ch.example.reader"): JWKSet([published])]
        )
    }

    /// What the authorizing app grants: tokens bound to the key that came with the request.
    private func grants(_ registry: [BundleID: JWKSet], expiresIn: Int64? = nil, refresh: String? = "refresh-1") {
        device.answers { request in
            guard let checked = try? request.checkedOnce(against: registry, at: Sample.now), checked.isVerified,
                let key = checked.appKey, let jwk = try? JSON(parsing: key.encoded())
            else { return nil }
            var members = Sample.plain("bound", refresh: refresh, expiresIn: expiresIn, type: "PoP").object ?? [:]
            members["cnf"] = ["jwk": jwk, "kid": "issuers-name"]
            return JSON.array([Sample.document(authorization: .object(members))]).encoded()
        }
    }

    private func verified(_ token: String) throws -> Bool {
        var key = try #require(element.requests.last).publicKey
        key.attributes.id = "issuers-name"
        let verified = try? JWS.Unverified(parsing: token).verified(by: JWKSet([key]), accepting: [.edDSA])
        return verified != nil
    }

    @Test("An app asks, uses, renews and revokes with signatures from elsewhere, each declined once first")
    func everything() async throws {
        let (app, registry) = try app()
        grants(registry, expiresIn: 600)
        element.decline()
        let before = app.serialize()
        await #expect(throws: NAILState.Refusal.unsigned) { try await app.authorize([Sample.name(Sample.reading)]) }
        #expect(app.serialize() == before && device.asked.isEmpty && device.stored.isEmpty)
        let service = try #require(try await app.authorize([Sample.name(Sample.reading)]).first)
        #expect(element.requests.count == 2 && device.asked.count == 1)
        // A token for a request.
        let opened = app.serialize()
        element.decline()
        await #expect(throws: NAILState.Refusal.unsigned) {
            try await service.request(.get, Sample.name(Sample.reading))
        }
        #expect(app.serialize() == opened)
        let request = try await service.request(.get, Sample.name(Sample.reading))
        let token = try #require(request.fields.values(of: .authorization).first).dropFirst("Bearer ".count)
        #expect(try verified(String(token)))
        #expect(try SignedParts(String(token)).header["kid"] == "issuers-name")
        #expect(try !JSON(parsing: SignedParts(String(token)).header.encoded()).encodedString().contains("element"))
        // A renewal.
        device.pass(seconds: 601)
        device.serves(["access_token": "renewed", "token_type": "PoP", "expires_in": 600, "refresh_token": "refresh-2"])
        element.decline()
        await #expect(throws: NAILState.Refusal.unsigned) {
            try await service.request(.get, Sample.name(Sample.reading))
        }
        #expect(device.sent.isEmpty && app.serialize() == opened)
        _ = try await service.request(.get, Sample.name(Sample.reading))
        #expect(device.sent.count == 1 && app.serialize() != opened)
        #expect(try device.sent[0].field("grant_type") == "refresh_token")
        // The end.
        device.serves([:])
        let asked = element.requests.count
        #expect(await service.revoke() && app.services.isEmpty)
        #expect(device.sent.count == 3 && element.requests.count == asked + 2)
    }

    @Test("Who does not sign for the end forgets, and is told that the service does not know")
    func unsignedEnd() async throws {
        let (app, registry) = try app()
        grants(registry)
        let service = try #require(try await app.authorize([Sample.name(Sample.reading)]).first)
        for place in [0, 1] {
            let text = app.serialize()
            element.decline(after: place)
            #expect(await !service.revoke() && app.services.isEmpty && device.sent.isEmpty)
            try app.parse(text)
        }
        device.serves([:])
        #expect(await service.revoke() && device.sent.count == 2)
    }

    @Test("The forms that answer at once have no such signature, and say so; the others wait for it")
    func integrationLayer() async throws {
        let (app, registry) = try app()
        grants(registry)
        let nail = IntegrationLayer(app)
        await nail.authorizeProtocols([Sample.reading])
        #expect(nail.serviceNames() == [Sample.alpha + "/"] || nail.serviceNames().count == 1)
        #expect(nail.tokenNow(Sample.alpha) == "")
        guard case .refused(.signing(.signing(.awaited)))? = device.notices.last else {
            Issue.record("no notice of what is awaited")
            return
        }
        let token = await nail.getServiceToken(Sample.alpha, Sample.reading)
        #expect(try verified(token))
        element.decline()
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "")
        guard case .refused(.unsigned)? = device.notices.last else {
            Issue.record("no notice of what was declined")
            return
        }
    }

    @Test("A person who declines a new key is asked for no signature")
    func noKey() async throws {
        let (app, registry) = try app()
        grants(registry)
        element.makesKeys(false)
        await #expect(throws: NAILState.Refusal.unsigned) { try await app.authorize([Sample.name(Sample.reading)]) }
        #expect(element.requests.isEmpty && device.asked.isEmpty)
    }

    @Test("However many ask at once, one signature renews", .proves("threat-28"))
    func oneRenewal() async throws {
        let gate = Gate()
        let (app, registry) = try app(gate: gate)
        grants(registry, expiresIn: 600)
        let name = try Sample.name(Sample.reading)
        gate.open()
        let service = try #require(try await app.authorize([name]).first)
        device.pass(seconds: 601)
        device.serves(["access_token": "renewed", "token_type": "PoP", "expires_in": 600, "refresh_token": "refresh-2"])
        let before = element.requests.count
        try await withThrowingTaskGroup(of: HTTP.Request.self) { group in
            for _ in 0..<10 { group.addTask { try await service.request(.get, name) } }
            for try await request in group { #expect(request.fields.values(of: .authorization).count == 1) }
        }
        #expect(device.sent.count == 1)
        // Ten tokens, and one renewal.
        #expect(element.requests.count == before + 11)
    }
}

@Suite("NAIL state: keys that lie elsewhere", .proves("KEY-21"), .proves("NAI-3"))
struct ElsewhereStateTests {
    private let key = Result {
        try DeviceKey(
            elsewhere: JWK(
                Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 9, count: 32)).publicKey,
                attributes: JWK.Attributes(id: "element-9")))
    }

    private func state() throws -> NAILState {
        try Sample.state(
            Sample.document(authorization: Sample.bound("own", to: key.get(), refresh: "refresh-1")), key: key.get())
    }

    private func text(_ version: Int, _ content: String) -> String {
        let digest = Base64URL.encode(SHA256.hash(data: Array(content.utf8)))
        return "{\"nail\":\(version),\"digest\":\"\(digest)\",\"state\":\(content)}"
    }

    @Test("A state says its version by what is in it, and is read again")
    func versions() throws {
        let text = try state().serialized()
        #expect(text.hasPrefix("{\"nail\":2,"))
        #expect(text.contains(#""keys":[{"elsewhere":{"kty":"OKP","crv":"Ed25519","x":"#) && text.contains("element-9"))
        #expect(try NAILState(parsing: text).serialized() == text)
        // The seal hides what it is.
        let seal = Seal(seal: { $0.reversed() }, open: { $0.reversed() })
        let sealed = try state().serialized(sealing: seal)
        #expect(try NAILState(parsing: sealed, opening: seal).serialized() == text)
        #expect(try SerializationTests.whole().serialized().hasPrefix("{\"nail\":1,"))
    }

    @Test("Damaged keys, and keys in a state of the version before, are none")
    func damage() throws {
        let whole = try state().serialized()
        let envelope = try #require(JSON(parsing: whole).object)
        let content = try #require(envelope["state"]).encodedString()
        #expect(try NAILState(parsing: text(2, content)).serviceNames.count == 1)
        let forms = [
            content.replacing("\"elsewhere\"", with: "\"else\""),
            content.replacing("\"elsewhere\":", with: "\"key\":\"AAAA\",\"elsewhere\":"),
            content.replacing("\"Ed25519\"", with: "\"X25519\""), content.replacing("\"kty\"", with: "\"kt\""),
        ]
        for (version, content) in [(1, content)] + forms.map({ (2, $0) }) {
            #expect(throws: NAILState.Rejection.self) { try NAILState(parsing: text(version, content)) }
            var lost: [NAILState.Rejection] = []
            let state = try NAILState(salvaging: text(version, content)) { lost.append($0) }
            #expect(state.serviceNames.isEmpty && lost.first.map(isKey) == true)
        }
        #expect(throws: NAILState.Rejection.unknownVersion("3")) { try NAILState(parsing: text(3, content)) }
    }

    private func isKey(_ rejection: NAILState.Rejection) -> Bool {
        if case .malformedKey = rejection { true } else { false }
    }

    @Test(
        "What is awaited changes nothing in the state, and the same moment asks for the same bytes", .proves("KEY-20"))
    func awaited() throws {
        var state = try state()
        let before = state.serialized()
        func awaited<Value>(_ body: () throws(NAILState.Refusal) -> Value) -> SignatureRequest? {
            do throws(NAILState.Refusal) { _ = try body() } catch {
                if case .signing(.signing(.awaited(let request))) = error { return request }
            }
            return nil
        }
        var requests: [SignatureRequest?] = []
        for _ in 0..<2 {
            var entropy = SeededGenerator(seed: 5)
            let name = try Sample.name(Sample.reading)
            requests.append(
                awaited { () throws(NAILState.Refusal) in
                    try state.renew(Sample.alpha, name, at: Sample.now, using: &entropy)
                })
            requests.append(
                awaited { () throws(NAILState.Refusal) in
                    try state.revoke(Sample.alpha, at: Sample.now, using: &entropy)
                })
            requests.append(
                awaited { () throws(NAILState.Refusal) in
                    try state.access(to: Sample.alpha, name).token(at: Sample.now, using: &entropy)
                })
        }
        #expect(requests.allSatisfy { $0?.publicKey.id == "element-9" } && Set(requests).count == 3)
        #expect(Array(requests.prefix(3)) == Array(requests.suffix(3)) && state.serialized() == before)
    }
}
