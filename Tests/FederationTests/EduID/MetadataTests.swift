import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("Metadata and keys")
struct EduIDMetadataTests {
    @Test("The service describes itself where RFC 8414 looks", .proves("REG-9"))
    func metadata() throws {
        var scene = try Scene.fresh()
        let reply = scene.send(try scene.request(.get, ".well-known/oauth-authorization-server"))
        reply.expectSuccess()
        #expect(reply.response.fields.value(of: .cacheControl) == .once("max-age=3600"))
        let read = try ServerDescription(
            authorizationServer: try Issuer(parsing: Parties.eduID), parsing: reply.response)
        #expect(read.endpoints == scene.service.description?.endpoints && read.endpoints.count == 12)
        for endpoint in read.endpoints.values {
            let found = scene.send(HTTP.Request(.get, .absolute(endpoint)))
            #expect(found.status != 404, "\(endpoint) is named and not there")
        }
        scene.service.policy.hasUsageManager = false
        #expect(scene.service.description?.endpoints[.usage] == nil)
        #expect(read.grants == [.clientCredentials, .authorizationCode, .refreshToken])
        scene.service.policy.takesPasswords = true
        #expect(scene.service.description?.grants.contains(.password) == true)
    }

    @Test(
        "Keys are published, without secrets; a key that is retired is trusted as long as it is published",
        .proves("threat-22"))
    func keyRotation() throws {
        var scene = try Scene.signedIn()
        let assertion = try #require(try scene.introduce()["code"])
        let token = scene.phone.personal
        let keys = scene.send(try scene.request(.get, "jwks"))
        keys.expectSuccess()
        #expect(keys.response.fields.value(of: .cacheControl) == .once("max-age=300"))
        #expect(
            keys.json?["keys"]?.array?.count == 1
                && !String(decoding: keys.response.body, as: UTF8.self).contains("\"d\""))
        let next = JWK.Private(
            try #require(Handset(number: 42).pair), attributes: JWK.Attributes(id: try KeyID(parsing: "edu-id-2")))
        let old = try JWK(parsing: try #require(keys.json?["keys"]?.array?.first).encoded())
        let master = SymmetricKey(data: [UInt8](repeating: 1, count: 32))
        let issuer = scene.service.authority.issuer
        scene.service.authority = try Authority(issuer, keys: .init(signing: next, others: [old], master: master))
        #expect(scene.send(try scene.request(.get, "jwks")).json?["keys"]?.array?.count == 2)
        #expect(try scene.introspect(assertion, by: 0).json?["active"] == true)
        scene.send(try scene.request(.get, "userinfo", try scene.dpop(token, .get, "userinfo"))).expectSuccess()
        #expect(try header(of: try scene.introduce()["code"])["kid"] == "edu-id-2")
        // Gone from the set, it vouches for nothing.
        scene.service.authority = try Authority(issuer, keys: .init(signing: next, master: master))
        scene.send(try scene.request(.get, "userinfo", try scene.dpop(token, .get, "userinfo")))
            .expectRefusal("invalid_token", 401, "threat-39")
        #expect(try scene.introspect(assertion, by: 0).json == ["active": false])
        // Request tokens are by the instance's key, and go on.
        try scene.asUser(.get, "userinfo").expectSuccess()
    }

    @Test(
        "An issuer with a path has its endpoints below it, and its metadata between", .proves("REQ-11"),
        arguments: ["/eduid", "/a/b/"])
    func issuerWithPath(_ path: String) throws {
        var scene = try Scene.fresh()
        let key = JWK.Private(
            try #require(Handset(number: 42).pair), attributes: JWK.Attributes(id: try KeyID(parsing: "k")))
        let master = SymmetricKey(data: [UInt8](repeating: 1, count: 32))
        scene.service.authority = try Authority(
            Issuer(parsing: Parties.eduID + path), keys: .init(signing: key, master: master))
        let base = path.hasSuffix("/") ? String(path.dropFirst().dropLast()) : String(path.dropFirst())
        func at(_ path: String, _ request: HTTP.Request) throws -> HTTP.Request {
            var request = request
            request.target = .absolute(try WebURL(parsing: Parties.eduID + "/" + path))
            return request
        }
        let statement = try scene.statement(of: scene.phone)
        let form = try scene.form("token", [("grant_type", "client_credentials")], .assertion(statement))
        #expect(scene.send(try at("token", form)).status == 404)
        #expect(scene.send(try at("other/token", form)).status == 404)
        let reply = scene.send(try at(base + "/token", form))
        reply.expectSuccess()
        scene.phone.client = try scene.phone.held(reply)
        let metadata = HTTP.Request(.get, .absolute(try WebURL(parsing: Parties.eduID)))
        // A slash at the end is left out of the place of the metadata (RFC 8414 §3.1).
        let described = scene.send(try at(".well-known/oauth-authorization-server/" + base, metadata))
        described.expectSuccess()
        #expect(described["token_endpoint"] == Parties.eduID + "/" + base + "/token")
        // In origin form, as servers see it.
        let origin = HTTP.Request(.get, try HTTP.Request.Target(parsing: "/" + base + "/jwks"))
        scene.send(origin).expectSuccess()
    }

    @Test("A service that could not sign, or has no place for its endpoints, is none", .proves("RFC8414-2"))
    func authorities() throws {
        let pair = try #require(Handset(number: 42).pair)
        let named = JWK.Private(pair, attributes: JWK.Attributes(id: try KeyID(parsing: "k")))
        let master = SymmetricKey(data: [UInt8](repeating: 1, count: 32))
        for issuer in ["https://eduid.example.ch?x", "https://eduid.example.ch/#x"] {
            #expect(throws: Rejection.issuerWithQuery) {
                try Authority(Issuer(parsing: issuer), keys: .init(signing: named, master: master))
            }
        }
        let issuer = try Issuer(parsing: Parties.eduID)
        #expect(throws: Rejection.self) {
            try Authority(Issuer(parsing: "eduid"), keys: .init(signing: named, master: master))
        }
        #expect(throws: Rejection.noKeyPair) {
            try Authority(
                issuer,
                keys: .init(
                    signing: JWK.Private(master, attributes: JWK.Attributes(id: try KeyID(parsing: "k"))),
                    master: master))
        }
        #expect(throws: Rejection.self) {
            try Authority(issuer, keys: .init(signing: JWK.Private(pair), master: master))
        }
    }

    @Test("What is not there is not found, and what is there has its methods", .proves("threat-18"))
    func paths() throws {
        var scene = try Scene.signedIn()
        for path in [
            "", "tokens", "token/", "Token", "token/x", "instances/a/b", "instances/", "discovery/other", "admin/",
            "%74oken",
            "authorize/../token",
        ] {
            let reply = scene.send(try scene.request(.get, path))
            #expect(reply.status == 404 && reply.changes.isEmpty, "\(path)")
        }
        for (path, allowed) in [
            ("token", "POST"), ("authorize-challenge", "POST"), ("introspect", "POST"), ("revoke", "POST"),
            ("discovery", "POST"),
        ] {
            let reply = scene.send(try scene.request(.get, path))
            let told = reply.response.fields.values(of: try HTTP.Field.Name(parsing: "Allow"))
            #expect(reply.status == 405 && told == [allowed])
        }
        for path in ["userinfo", "services", "instances", "jwks", ".well-known/oauth-authorization-server"] {
            #expect(scene.send(try scene.request(.post, path)).status == 405)
        }
        #expect(scene.send(try scene.request(.delete, "authorize")).status == 405)
        #expect(scene.send(try scene.request(.get, "instances/" + scene.phone.id)).status == 405)
        // Another host is not this service.
        #expect(
            scene.send(HTTP.Request(.get, .absolute(try WebURL(parsing: "https://other.example.ch/jwks")))).status
                == 404)
    }
}
