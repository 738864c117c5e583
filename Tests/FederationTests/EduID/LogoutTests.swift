import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(10) Revocation")
struct EduIDRevocationTests {
    @Test(
        "Logging out ends the personal token with all below it", .proves("TOK-4"), .proves("TOK-1"), .proves("AUT-5"),
        arguments: ["JSON", "form", "refresh", "client"])
    func logout(_ way: String) throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        let held = scene.phone.personal
        switch way {
        case "JSON":
            let proof = try scene.proof(held, for: "revoke")
            let reply = scene.send(
                try scene.object(
                    "revoke", [("token", try #require(held?.token)), ("token_type_hint", "access_token")],
                    .bearer(proof)))
            reply.expectSuccess()
            #expect(reply.response.body.isEmpty)
        case "form": try scene.revoke(held?.token, by: held).expectSuccess()
        case "refresh": try scene.revoke(held?.refresh, by: held).expectSuccess()
        default: try scene.revoke(held?.token, by: scene.phone.client).expectSuccess()
        }
        try scene.asUser(.get, "userinfo").expectRefusal("invalid_token", 401, "TOK-1")
        #expect(try scene.verdict(scene.phone.client).isLive)
        #expect(scene.messages.count == 1)
    }

    @Test(
        "What has expired is ended all the same: no success is told of what was not stored", .proves("threat-32"),
        .proves("TOK-4"))
    func expiredToken() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        scene.wait(99 * 86_400)
        try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        #expect(try !scene.verdict(scene.phone.personal).grantLives)
        #expect(scene.messages.count == 1)
        try scene.refresh(scene.phone.personal?.refresh, by: scene.phone.client).expectRefusal(
            "invalid_grant", 400, "TOK-3")
    }

    @Test("Giving up the instance ends everything on it", .proves("TOK-1"), .proves("TOK-5"))
    func instance() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        try scene.introduce(to: Scene.beta).expectSuccess()
        try scene.revoke(scene.phone.client?.token, by: scene.phone.client).expectSuccess()
        #expect(try !scene.verdict(scene.phone.personal).grantLives)
        #expect(
            Set(scene.messages.map { $0.destination.text }) == [
                "https://alpha.example.ch/", "https://beta.example.ch/",
            ])
    }

    @Test("Foreign and unknown tokens are confirmed and stay as they are", .proves("threat-33"), .proves("TOK-4"))
    func foreign() throws {
        var scene = try Scene.signedIn()
        var other = try scene.otherPhone()
        other = try scene.signIn(other, as: scene.bob)
        let assertion = try #require(try scene.introduce()["code"])
        let before = scene.store.count
        let foreign = [
            other.personal?.token, other.personal?.refresh, other.client?.token, other.personal?.keyID,
            other.client?.keyID, "invented",
            "a.b.c", "ios-1.0", assertion,
            // The name of the own record with an invented secret.
            try #require(scene.phone.personal?.keyID) + ".invented",
            mutilated(try #require(scene.phone.personal?.refresh)),
        ]
        for token in foreign {
            // Nothing is noted but the proof.
            let reply = try scene.revoke(token, by: scene.phone.personal)
            reply.expectSuccess()
            #expect(reply.response.body.isEmpty && reply.changes.count == 1)
        }
        #expect(scene.store.count == before)
        #expect(try scene.verdict(scene.phone.personal).isLive)
        #expect(try scene.verdict(other.personal).isLive && scene.verdict(other.client).isLive)
        // A user's token does not end the instance that it stands on.
        try scene.revoke(scene.phone.client?.token, by: scene.phone.personal).expectSuccess()
        #expect(try scene.verdict(scene.phone.client).isLive)
        #expect(scene.messages.isEmpty)
    }

    @Test("A refresh token that was replaced still means its grant", .proves("TOK-4"), .proves("threat-28"))
    func replacedToken() throws {
        var scene = try Scene.signedIn()
        try scene.refresh(scene.phone.personal?.refresh, by: scene.phone.personal).expectSuccess()
        try scene.revoke(scene.phone.personal?.refresh, by: scene.phone.personal).expectSuccess()
        #expect(try scene.verdict(scene.phone.personal).reason == .surrendered)
    }

    @Test("Nobody revokes without a proof", .proves("threat-33"), .proves("threat-36"))
    func authentication() throws {
        var scene = try Scene.signedIn()
        let pairs = [("token", try #require(scene.phone.personal?.token))]
        scene.send(try scene.form("revoke", pairs)).expectRefusal("invalid_client", 401, "RFC6750-2.1")
        scene.send(try scene.form("revoke", pairs, .bearer(pairs[0].1))).expectRefusal(
            "invalid_client", 401, "threat-36")
        scene.send(try scene.form("revoke", pairs, .bearer(try scene.statement(of: scene.phone))))
            .expectRefusal("invalid_client", 401, "threat-39")
        let proof = try scene.proof(scene.phone.personal, for: "revoke")
        scene.send(try scene.form("revoke", [], .bearer(proof))).expectRefusal("invalid_request", 400, "RFC6749-3.1")
        scene.send(try scene.form("revoke", pairs + pairs, .bearer(proof))).expectRefusal(
            "invalid_request", 400, "threat-37")
        scene.send(try scene.form("revoke", pairs + [("client_id", "other")], .bearer(proof)))
            .expectRefusal("invalid_client", 401, "RFC6749-3.2.1")
        #expect(try scene.verdict(scene.phone.personal).isLive)
    }

    @Test("What was revoked is revoked for good, also for who asks again", .proves("TOK-1"), .proves("TOK-8"))
    func twice() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        for _ in 1...2 { try scene.revoke(scene.phone.personal?.token, by: scene.phone.client).expectSuccess() }
        #expect(scene.messages.count == 1)
        // The dead token itself is enough for being told that it is over, and for nothing else.
        for _ in 1...2 {
            let again = try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal)
            again.expectSuccess()
            #expect(again.changes.count == 1)
        }
        try scene.refresh(scene.phone.personal?.refresh, by: scene.phone.personal).expectRefusal(
            "invalid_grant", 400, "TOK-3")
        try scene.asUser(.get, "userinfo").expectRefusal("invalid_token", 401, "TOK-1")
    }
}
