import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import Synchronization
import TestSupport
import Testing
import TokenTree
import Wire

/// Counts how often a signature is checked by it; none is right.
private final class CountingKey: Verifier {
    private let checks = Mutex(0)

    func isValid(_ signature: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        checks.withLock { $0 += 1 }
        return false
    }

    /// How many signatures were checked by what is done, however often it was begun anew.
    func count<Value>(_ body: () throws -> Value) rethrows -> (Int, Value) {
        checks.withLock { $0 = 0 }
        let value = try body()
        return (checks.withLock { $0 }, value)
    }
}

/// What a stranger can make a party do who holds no key: some reading, and one check of a signature at most (threat
/// 74).
@Suite("What a forged request costs")
struct ForgeryCostTests {
    private func stage() throws -> (Stage, CountingKey) {
        var stage = try Stage.fresh()
        let key = CountingKey()
        stage.service.eduID = FederationService.Trusted(
            try Issuer(parsing: Stage.eduID),
            keys: [VerificationKey(key, for: .edDSA, id: try KeyID(parsing: "edu-id-1"))],
            introspection: try WebURL(parsing: Stage.introspect))
        return (stage, key)
    }

    @Test("At (5): nothing is checked for a name that no key has, and once where one has it", .proves("threat-74"))
    func redemption() throws {
        var (stage, key) = try stage()
        let good = try stage.assertion()
        let attempts: [(Draft, Int)] = [
            (good, 1), (good.heading(["kid": "edu-id-2"]), 0), (good.heading(["kid": .null]), 0),
            (good.heading(["alg": "HS256"]), 0), (good.heading(["alg": "none"]), 0), (good.heading(["crit": ["x"]]), 0),
            (good.claiming(["jti": .null]), 1), (good.claiming(["exp": stage.time(-9)]), 1),
        ]
        for (assertion, expected) in attempts {
            let request = try Stage.redeeming(assertion, stage.instanceProof())
            let (count, status) = key.count { stage.send(request).status }
            #expect(count == expected && status.code >= 400)
        }
        // Nor is the edu-ID service asked.
        #expect(stage.questions.isEmpty)
        for (text, most) in [(try good.text, 1), ("a.b.c", 0)] {
            let request = try Stage.form(["grant_type": Stage.jwtBearer, "assertion": text])
            let (count, status) = key.count { stage.send(request).status }
            #expect(count <= most && status.code >= 400)
        }
    }

    @Test("At (10), by whoever says to be the edu-ID service", .proves("threat-74"))
    func takingBack() throws {
        var (stage, key) = try stage()
        for hint in ["assertion", "key", nil] {
            let request = try stage.takingBack("assertion-1", hint: hint)
            let (count, status) = key.count { stage.send(request).status }
            #expect(count == 1 && status == .unauthorized)
        }
        #expect(stage.questions.isEmpty)
    }

    @Test("At (6), by whoever says to be a service", .proves("threat-74"))
    func introspection() throws {
        var scene = try Scene.signedIn()
        let assertion = try #require(try scene.introduce()["code"])
        let member = try #require(scene.service.index.services.first)
        let key = CountingKey()
        scene.service.index = ServiceIndex([
            try ServiceIndex.Member(
                member.home, issuer: member.issuer,
                keys: [VerificationKey(key, for: .edDSA, id: try KeyID(parsing: "university-0"))])
        ])
        for (place, expected) in [(0, 1), (1, 0)] {
            let (count, reply) = try key.count { try scene.introspect(assertion, by: place) }
            #expect(count == expected && reply.error == "invalid_client")
        }
    }
}
