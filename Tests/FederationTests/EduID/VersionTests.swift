import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(1) Registration: versions of the app")
struct VersionTests {
    private func upgrade(
        _ scene: inout Scene, to version: Int, of phone: Handset? = nil, provedBy proof: String? = nil,
        _ edit: (inout JSON.Object) throws -> Void = { _ in }
    ) throws -> Reply {
        let own = try scene.proof(scene.phone.client, for: "token")
        let statement = try scene.statement(of: phone ?? scene.phone, version: version, edit)
        let pairs = [("grant_type", "client_credentials"), ("instance_assertion", proof ?? own)]
        return scene.send(try scene.form("token", pairs, .assertion(statement)))
    }

    private func registration(_ scene: inout Scene, of phone: Handset, version: Int) throws -> Reply {
        let statement = try scene.statement(of: phone, version: version)
        return scene.send(try scene.form("token", [("grant_type", "client_credentials")], .assertion(statement)))
    }

    @Test(
        "With the key of a higher version an instance moves up, and its user stays signed in", .proves("REG-5"),
        .proves("FED-2"))
    func upgrade() throws {
        var scene = try Scene.signedIn()
        let reply = try upgrade(&scene, to: 1) { $0["os_version"] = "19.0" }
        reply.expectSuccess()
        #expect(reply.json?["cnf"]?["kid"]?.string == scene.phone.client?.keyID)
        let own = try scene.asUser(.get, "instances").json?.array?.first
        #expect(own?["version"] == "2" && own?["platform"] == "ios" && own?["os_version"] == "19.0")
        try scene.asUser(.get, "userinfo").expectSuccess()
    }

    @Test("There is no way but up, and in the own line", .proves("REG-5"), .proves("FED-2"), .proves("threat-38"))
    func noWayBack() throws {
        var scene = try Scene.registered()
        try upgrade(&scene, to: 0).expectSuccess()
        try upgrade(&scene, to: 2).expectRefusal("unauthorized_client", 400, "REG-5")
        try upgrade(&scene, to: 1).expectSuccess()
        try upgrade(&scene, to: 0).expectRefusal("unauthorized_client", 400, "REG-5")
        // Nor by registering anew.
        try registration(&scene, of: scene.phone, version: 0).expectRefusal("unauthorized_client", 400, "REG-5")
        #expect(try scene.verdict(scene.phone.client).isLive)
    }

    @Test("A live instance moves by its own key and no other way", .proves("REG-5"), .proves("threat-63"))
    func otherLines() throws {
        var scene = try Scene.fresh()
        let first = try registration(&scene, of: scene.phone, version: 1)
        first.expectSuccess()
        scene.phone.client = try scene.phone.held(first)
        // A lower number on another platform.
        try registration(&scene, of: scene.phone, version: 2).expectRefusal("invalid_client", 401, "threat-63")
        try upgrade(&scene, to: 2).expectRefusal("unauthorized_client", 400, "REG-5")
        // Where the higher version is registered no longer there is nothing to go back from.
        let all = scene.service.versions.all
        scene.service.versions = try AppVersion.Registry([all[0], all[2]])
        try registration(&scene, of: scene.phone, version: 0).expectRefusal("invalid_client", 401, "threat-63")
        try upgrade(&scene, to: 0).expectSuccess()
        #expect(try scene.verdict(scene.phone.client).isLive)
    }

    @Test("The proof of an upgrade is good once", .proves("REG-5"), .proves("threat-36"))
    func upgradeProofTwice() throws {
        var scene = try Scene.registered()
        let proof = try scene.proof(scene.phone.client, for: "token")
        try upgrade(&scene, to: 1, provedBy: proof).expectSuccess()
        let again = scene.send(try scene.form("token", [("grant_type", "client_credentials")], .bearer(proof)))
        #expect(again.error == "invalid_client" && again.status == 401)
    }

    @Test("An upgrade takes both proofs, of one instance and by its own key", .proves("REG-5"), .proves("threat-38"))
    func upgradeProofs() throws {
        var scene = try Scene.registered()
        let other = try scene.otherPhone()
        let foreign = try scene.proof(other.client, of: other, for: "token")
        try upgrade(&scene, to: 1, provedBy: foreign).expectRefusal("invalid_client", 401, "REG-5")
        var third = Handset(number: 3)
        third.client = scene.phone.client
        try upgrade(&scene, to: 1, of: third).expectRefusal("invalid_client", 401, "REG-5")
        let stolen = try JSON(parsing: try #require(other.publicKey).encoded())
        try upgrade(&scene, to: 1) { $0["cnf"] = ["jwk": stolen] }.expectRefusal("invalid_client", 401, "threat-38")
        let elsewhere = try scene.proof(scene.phone.client, for: "authorize")
        try upgrade(&scene, to: 1, provedBy: elsewhere).expectRefusal("invalid_client", 401, "RFC7519-4.1.3")
        // A version's key is in every copy: it proves no instance.
        try upgrade(&scene, to: 1, provedBy: try scene.statement(of: scene.phone)).expectRefusal(
            "invalid_client", 401, "threat-39")
    }

    @Test(
        "A version that is blocked is out while in use, and in again when it is let in", .proves("FED-4"),
        .proves("REG-4"),
        .proves("AUT-1"))
    func blocked() throws {
        var scene = try Scene.signedIn()
        let assertion = try scene.introduce()["code"]
        let other = try scene.otherPhone()
        let id = try KeyID(parsing: "ios-1.0")
        scene.administrate(.block(id)).expectSuccess(204)
        try registration(&scene, of: Handset(number: 5), version: 0).expectRefusal("unauthorized_client", 400, "REG-4")
        let challenge = try scene.challenge(other)
        challenge.expectRefusal("unauthorized_client", 400, "FED-4")
        #expect(challenge.logins == 0)
        let proof = try scene.proof(other.client, of: other, for: "token")
        scene.send(try scene.form("token", [("grant_type", "client_credentials")], .bearer(proof)))
            .expectRefusal("unauthorized_client", 400, "FED-4")
        try scene.asUser(.get, "userinfo").expectRefusal("invalid_token", 401, "FED-4")
        try scene.asUser(.get, "usage").expectRefusal("invalid_token", 401, "FED-4")
        try scene.introduce().expectRefusal("unauthorized_client", 400, "FED-4")
        try scene.refresh(scene.phone.personal?.refresh, by: scene.phone.personal).expectRefusal(
            "unauthorized_client", 400, "FED-4")
        #expect(try scene.introspect(try #require(assertion), by: 0).json == ["active": false])
        #expect(scene.messages.count == 1)
        // Who updates comes back in.
        try upgrade(&scene, to: 1).expectSuccess()
        try scene.asUser(.get, "userinfo").expectSuccess()
        scene.administrate(.unblock(id)).expectSuccess(204)
        #expect(try scene.challenge(other).status == 200)
        // What ended at services stays ended.
        #expect(try scene.introspect(try #require(assertion), by: 0).json == ["active": false])
    }

    @Test("Who leaves a version that was shut out leaves what came through it, told or not", .proves("FED-4"))
    func left() throws {
        var scene = try Scene.signedIn()
        let assertion = try #require(try scene.introduce()["code"])
        // The version is shut out in the registry, and no reconciliation has come yet.
        var versions = scene.service.versions.all
        let place = try #require(versions.firstIndex { $0.keyID.text == "ios-1.0" })
        versions[place].isBlocked = true
        scene.service.versions = try AppVersion.Registry(versions)
        try upgrade(&scene, to: 1).expectSuccess()
        #expect(scene.messages.count == 1)
        #expect(try scene.introspect(assertion, by: 0).json == ["active": false])
        try scene.asUser(.get, "userinfo").expectSuccess()
        let later = try #require(try scene.introduce()["code"])
        try upgrade(&scene, to: 1).expectSuccess()
        #expect(try scene.introspect(later, by: 0).json?["active"] == true && scene.messages.count == 1)
    }

    @Test("What is too much for one move ends before it, and the next attempt moves", .proves("FED-4"))
    func leftInParts() throws {
        var scene = try Scene.signedIn()
        _ = try scene.introduce()
        let page = try #require(scene.store.page(of: .all(.assertion), limit: 1))
        let pattern = try #require(page.lineages.first?.record)
        let others = try (0..<300).map { number in
            let record = Record(
                id: try TokenID(parsing: "assertion-\(number)"), kind: .assertion, parent: pattern.parent,
                issued: scene.now, holder: pattern.holder, subject: pattern.subject, audience: pattern.audience,
                accessExpiry: scene.now + .seconds(300))
            return Change.insert(record)
        }
        #expect(scene.store.commit(Batch(at: scene.now, others)) == .applied)
        var versions = scene.service.versions.all
        let place = try #require(versions.firstIndex { $0.keyID.text == "ios-1.0" })
        versions[place].isBlocked = true
        scene.service.versions = try AppVersion.Registry(versions)
        try upgrade(&scene, to: 1).expectRefusal("temporarily_unavailable", 503, "FED-4", changing: true)
        let ended = try #require(scene.store.page(of: .all(.assertion), limit: 512)).lineages.count {
            $0.entry.fate.revocation != nil
        }
        #expect(ended == 256)
        try upgrade(&scene, to: 1).expectSuccess()
        let left = try #require(scene.store.page(of: .all(.assertion), limit: 512)).lineages.count {
            $0.entry.fate.revocation == nil
        }
        #expect(left == 0)
    }

    @Test("To let a version in ends nothing", .proves("FED-4"))
    func letIn() throws {
        var scene = try Scene.signedIn()
        let assertion = try #require(try scene.introduce()["code"])
        scene.administrate(.unblock(try KeyID(parsing: "ios-1.0"))).expectSuccess(204)
        #expect(scene.messages.isEmpty)
        #expect(try scene.introspect(assertion, by: 0).json?["active"] == true)
    }

    @Test("A version can be blocked before anybody runs it, and in the registry", .proves("FED-4"), .proves("REG-4"))
    func blockedFromTheStart() throws {
        var scene = try Scene.fresh()
        scene.administrate(.block(try KeyID(parsing: "ios-2.0"))).expectSuccess(204)
        try registration(&scene, of: scene.phone, version: 1).expectRefusal("unauthorized_client", 400, "REG-4")
        #expect(scene.administrate(.block(try KeyID(parsing: "unknown"))).status == 404)
        var scene2 = try Scene.signedIn()
        let assertion = try scene2.introduce()["code"]
        scene2.service.versions = try AppVersion.Registry(
            scene2.service.versions.all.map { version in
                var version = version
                version.isBlocked = version.keyID.text == "ios-1.0"
                return version
            })
        try scene2.asUser(.get, "userinfo").expectRefusal("invalid_token", 401, "FED-4")
        // The assertion is not revoked, and no service is told that it is good.
        #expect(try scene2.introspect(try #require(assertion), by: 0).json == ["active": false])
    }

    @Test("A platform is shut out as a whole, and the others are not", .proves("FED-4"), .proves("FED-2"))
    func platforms() throws {
        var scene = try Scene.signedIn()
        let android = Handset(number: 4)
        try registration(&scene, of: android, version: 2).expectSuccess()
        scene.service.policy.excludedPlatforms = [.iOS]
        try scene.asUser(.get, "userinfo").expectRefusal("invalid_token", 401, "FED-4")
        try registration(&scene, of: scene.phone, version: 1).expectRefusal("unauthorized_client", 400, "REG-4")
        try registration(&scene, of: Handset(number: 6), version: 2).expectSuccess()
        scene.service.policy.excludedPlatforms = []
        try scene.asUser(.get, "userinfo").expectSuccess()
    }

    @Test("A version that is no longer registered is out", .proves("FED-2"), .proves("REQ-3"))
    func unregisteredVersion() throws {
        var scene = try Scene.signedIn()
        scene.service.versions = try AppVersion.Registry(Array(scene.service.versions.all.dropFirst()))
        try scene.asUser(.get, "userinfo").expectRefusal("invalid_token", 401, "FED-4")
        try registration(&scene, of: scene.phone, version: 0).expectRefusal("invalid_client", 401, "REQ-3")
    }

    @Test(
        "An instance that has been rejected gets no token again, whatever its version", .proves("REG-7"),
        .proves("threat-38"))
    func rejected() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        scene.administrate(.reject(try ClientID(parsing: scene.phone.id))).expectSuccess(204)
        #expect(try !scene.verdict(scene.phone.personal).grantLives)
        #expect(scene.messages.count == 1)
        for version in 0...2 {
            try registration(&scene, of: scene.phone, version: version).expectRefusal(
                "unauthorized_client", 400, "REG-7")
        }
        try upgrade(&scene, to: 1).expectRefusal("unauthorized_client", 400, "REG-7")
        try registration(&scene, of: Handset(number: 9), version: 0).expectSuccess()
    }

    @Test("Rejected is also who had been ended before", .proves("REG-7"))
    func rejectedLate() throws {
        var scene = try Scene.registered()
        try scene.revoke(scene.phone.client?.token, by: scene.phone.client).expectSuccess()
        // Until then it may come back, with nothing.
        var again = scene
        try registration(&again, of: scene.phone, version: 0).expectSuccess()
        scene.administrate(.reject(try ClientID(parsing: scene.phone.id))).expectSuccess(204)
        try registration(&scene, of: scene.phone, version: 1).expectRefusal("unauthorized_client", 400, "REG-7")
        #expect(scene.administrate(.reject(try ClientID(parsing: Handset(number: 9).id))).status == 404)
    }
}
