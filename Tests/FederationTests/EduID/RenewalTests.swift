import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(2) User authentication: renewal")
struct EduIDRenewalTests {
    @Test("An expired personal token opens nothing until it is renewed", .proves("TOK-2"), .proves("AUT-3"))
    func renewal() throws {
        var scene = try Scene.signedIn()
        scene.wait(3_599)
        try scene.asUser(.get, "userinfo").expectSuccess()
        scene.wait(1)
        try scene.asUser(.get, "userinfo").expectRefusal("invalid_token", 401, "TOK-1")
        let reply = try scene.refresh(scene.phone.personal?.refresh, by: scene.phone.personal)
        reply.expectSuccess()
        #expect(reply["refresh_token"] != nil && reply["refresh_token"] != scene.phone.personal?.refresh)
        try scene.asUser(.get, "userinfo").expectSuccess()
        // The client's proof renews it as well, and so does an expired token with its DPoP proof.
        scene.wait(4_000)
        let second = try scene.refresh(reply["refresh_token"], by: scene.phone.client)
        second.expectSuccess()
        scene.wait(4_000)
        let pairs = [("grant_type", "refresh_token"), ("refresh_token", try #require(second["refresh_token"]))]
        scene.send(try scene.form("token", pairs, try scene.dpop(scene.phone.personal, .post, "token"))).expectSuccess()
    }

    @Test("A refresh token that comes again ends its family", .proves("threat-28"), .proves("TOK-3"))
    func reuse() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        let old = scene.phone.personal?.refresh
        let reply = try scene.refresh(old, by: scene.phone.personal)
        reply.expectSuccess()
        scene.wait(61)
        try scene.refresh(old, by: scene.phone.personal).expectRefusal(
            "invalid_grant", 400, "threat-28", changing: true)
        #expect(scene.messages.count == 1)
        #expect(try scene.verdict(scene.phone.personal).reason == .refreshReused)
        try scene.refresh(reply["refresh_token"], by: scene.phone.client).expectRefusal("invalid_grant", 400, "TOK-3")
        try scene.asUser(.get, "userinfo").expectRefusal("invalid_token", 401, "TOK-1")
    }

    @Test(
        "A lost answer can be asked for again with the same key and wishes", .proves("threat-28"), .proves("threat-72"))
    func repetition() throws {
        var scene = try Scene.signedIn()
        scene.service.policy.repetitionWindow = .seconds(29)
        let old = scene.phone.personal?.refresh
        let reply = try scene.refresh(old, by: scene.phone.personal)
        scene.wait(29)
        let again = try scene.refresh(old, by: scene.phone.personal)
        again.expectSuccess()
        #expect(again["refresh_token"] == reply["refresh_token"])
        try scene.refresh(old, by: scene.phone.personal, scope: Parties.eduID + "/userinfo").expectRefusal(
            "invalid_grant", 400, "threat-72")
        // For the rest of its time.
        #expect(reply.json?["expires_in"] == 3600 && again.json?["expires_in"] == 3571)
        scene.wait(1)
        try scene.refresh(old, by: scene.phone.personal).expectRefusal(
            "invalid_grant", 400, "threat-28", changing: true)
    }

    @Test("An answer that is asked for after its time is told as over", .proves("threat-28"), .proves("TOK-2"))
    func lateRepetition() throws {
        var scene = try Scene.signedIn()
        scene.service.policy.repetitionWindow = .seconds(7_200)
        let old = scene.phone.personal?.refresh
        try scene.refresh(old, by: scene.phone.personal).expectSuccess()
        scene.wait(3_700)
        #expect(try scene.refresh(old, by: scene.phone.personal).json?["expires_in"] == 0)
    }

    @Test("Two renewals at once are one renewal", .proves("threat-28"), .proves("threat-72"))
    func race() throws {
        var scene = try Scene.signedIn()
        let pairs = [("grant_type", "refresh_token"), ("refresh_token", try #require(scene.phone.personal?.refresh))]
        let first = try scene.form("token", pairs, .bearer(try scene.proof(scene.phone.personal, for: "token")))
        let second = try scene.form("token", pairs, .bearer(try scene.proof(scene.phone.personal, for: "token")))
        let reply = scene.send(first) { #expect($0.send(second).status == 200) }
        reply.expectSuccess()
        #expect(reply.rounds == 2)
    }

    @Test("The same message twice is a replay and ends nothing", .proves("threat-36"))
    func doubledMessage() throws {
        var scene = try Scene.signedIn()
        let pairs = [("grant_type", "refresh_token"), ("refresh_token", try #require(scene.phone.personal?.refresh))]
        let request = try scene.form("token", pairs, .bearer(try scene.proof(scene.phone.personal, for: "token")))
        scene.send(request).expectSuccess()
        let again = scene.send(request)
        #expect(again.error == "invalid_client" && again.status == 401)
        try scene.asUser(.get, "userinfo").expectSuccess()
    }

    @Test("The proof comes before the token is spent", .proves("threat-29"))
    func proofFirst() throws {
        var scene = try Scene.signedIn()
        let refresh = try #require(scene.phone.personal?.refresh)
        let pairs = [("grant_type", "refresh_token"), ("refresh_token", refresh)]
        scene.send(try scene.form("token", pairs)).expectRefusal("invalid_client", 401, "RFC6750-2.1")
        let plain = try #require(scene.phone.personal?.token)
        scene.send(try scene.form("token", pairs, .bearer(plain))).expectRefusal("invalid_client", 401, "threat-36")
        let elsewhere = try scene.proof(scene.phone.personal, for: "userinfo")
        scene.send(try scene.form("token", pairs, .bearer(elsewhere))).expectRefusal(
            "invalid_client", 401, "RFC7519-4.1.3")
        let other = try scene.otherPhone()
        let foreign = try scene.proof(other.client, of: other, for: "token")
        scene.send(try scene.form("token", pairs, .bearer(foreign))).expectRefusal("invalid_grant", 400, "RFC6749-6")
        // A version's key proves no instance.
        let statement = try scene.statement(of: scene.phone)
        scene.send(try scene.form("token", pairs, .bearer(statement))).expectRefusal("invalid_client", 401, "threat-39")
        scene.send(try scene.form("token", pairs, .assertion(statement))).expectRefusal(
            "invalid_client", 401, "RFC6750-2.1")
        try scene.refresh(refresh, by: scene.phone.personal, scope: Parties.eduID + "/admin")
            .expectRefusal("invalid_scope", 400, "threat-30")
        try scene.refresh(refresh, by: scene.phone.personal).expectSuccess()
    }

    @Test("What is no refresh token of the grant renews nothing", .proves("TOK-3"), .proves("threat-18"))
    func foreignTokens() throws {
        var scene = try Scene.signedIn()
        for text in ["invented", try #require(scene.phone.personal?.token), try #require(scene.phone.personal?.keyID)] {
            try scene.refresh(text, by: scene.phone.personal).expectRefusal("invalid_grant", 400, "RFC6749-6")
        }
        try scene.refresh(mutilated(try #require(scene.phone.personal?.refresh)), by: scene.phone.personal)
            .expectRefusal("invalid_grant", 400, "RFC6749-6")
        try scene.asUser(.get, "userinfo").expectSuccess()
    }

    @Test(
        "A scope shrinks and never grows; a narrowed token opens what it names", .proves("threat-30"), .proves("AUT-5"))
    func scopes() throws {
        var scene = try Scene.signedIn()
        let userinfo = Parties.eduID + "/userinfo"
        let reply = try scene.refresh(scene.phone.personal?.refresh, by: scene.phone.personal, scope: userinfo)
        reply.expectSuccess()
        #expect(reply["scope"] == userinfo)
        try scene.asUser(.get, "userinfo").expectSuccess()
        try scene.asUser(.get, "usage").expectRefusal("insufficient_scope", 403, "AUT-5")
        try scene.asUser(.get, "instances").expectRefusal("insufficient_scope", 403, "AUT-5")
        try scene.introduce().expectRefusal("insufficient_scope", 403, "AUT-5")
        // A later renewal may ask for all of the grant again, and for nothing beyond.
        for scope in [
            Parties.eduID, Parties.eduID + "/token", "https://eduid.example.ch.evil.example/userinfo", "admin",
        ] {
            try scene.refresh(reply["refresh_token"], by: scene.phone.personal, scope: scope)
                .expectRefusal("invalid_scope", 400, "threat-30")
        }
        let second = try scene.refresh(reply["refresh_token"], by: scene.phone.personal)
        try scene.asUser(.get, "usage").expectSuccess()
        try scene.refresh(second["refresh_token"], by: scene.phone.personal, scope: Parties.eduID + "/usage")
            .expectSuccess()
        try scene.asUser(.get, "userinfo").expectRefusal("insufficient_scope", 403, "AUT-5")
    }

    @Test(
        "Nothing is recovered by refresh from what was revoked, or stands on it", .proves("TOK-3"), .proves("threat-31")
    )
    func revoked() throws {
        var scene = try Scene.signedIn()
        let refresh = scene.phone.personal?.refresh
        var ended = scene
        try ended.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        try ended.refresh(refresh, by: scene.phone.client).expectRefusal("invalid_grant", 400, "TOK-3")
        try scene.revoke(scene.phone.client?.token, by: scene.phone.client).expectSuccess()
        try scene.refresh(refresh, by: scene.phone.client).expectRefusal("invalid_grant", 400, "TOK-3")
        try scene.refresh(refresh, by: scene.phone.personal).expectRefusal("invalid_grant", 400, "TOK-3")
    }

    @Test("A renewal that races a revocation renews nothing", .proves("threat-31"))
    func racesRevocation() throws {
        var scene = try Scene.signedIn()
        let phone = scene.phone
        let pairs = [("grant_type", "refresh_token"), ("refresh_token", try #require(phone.personal?.refresh))]
        let request = try scene.form("token", pairs, .bearer(try scene.proof(phone.client, for: "token")))
        let reply = scene.send(request) { _ = try? $0.revoke(phone.personal?.token, by: phone.personal) }
        reply.expectRefusal("invalid_grant", 400, "TOK-3")
        #expect(reply.rounds == 2)
    }

    @Test("'client_id' is the client that is proved", .proves("threat-35"))
    func otherClient() throws {
        var scene = try Scene.signedIn()
        for name in [Handset(number: 2).id, "user-0001"] {
            let pairs = [
                ("grant_type", "refresh_token"), ("refresh_token", try #require(scene.phone.personal?.refresh)),
                ("client_id", name),
            ]
            scene.send(try scene.form("token", pairs, .bearer(try scene.proof(scene.phone.personal, for: "token"))))
                .expectRefusal("invalid_client", 401, "RFC6749-3.2.1")
        }
    }
}
