import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(2a) Profile")
struct ProfileTests {
    @Test(
        "Right after signing in the app reads the attributes, as they are", .proves("AUT-6"), .proves("FED-6"),
        .proves("USR-7"))
    func attributes() throws {
        var scene = try Scene.signedIn()
        let profile: JSON.Object = [
            "given_name": "e\u{301}\u{1F980}", "address": ["formatted": "Bern\nCH", "list": [1, true, .null]],
            "email_verified": "no",
            "sub": "somebody-else", "zoneinfo": "x",
        ]
        let ada = scene.parties.person
        scene.parties.federation.users[0] = SimulatedFederation.User(
            ada.name, password: ada.password, subject: ada.subject, profile: profile)
        let reply = try scene.asUser(.get, "userinfo")
        reply.expectSuccess()
        let answer = try #require(reply.json?.object)
        // The name of the user is the service's to say, everything else comes through unread.
        #expect(answer["sub"] == "user-0001")
        for member in profile where member.name != "sub" { #expect(answer[member.name] == member.value) }
        #expect(answer["given_name"]?.string?.utf8.elementsEqual("e\u{301}\u{1F980}".utf8) == true)
        #expect(reply.response.fields.value(of: .cacheControl) == .once("no-store"))
    }

    @Test("An app is told what it asks for, as far as the service releases it to apps at all", .proves("USR-7"))
    func filter() throws {
        var scene = try Scene.signedIn()
        func told(_ query: String) throws -> [String] {
            var request = try scene.request(
                .get, "userinfo", .bearer(scene.proof(scene.phone.personal, for: "userinfo")))
            request.target = .absolute(try WebURL(parsing: scene.url("userinfo").text + query))
            let reply = scene.send(request)
            reply.expectSuccess()
            return try #require(reply.json?.object).map(\.name.text).sorted()
        }
        #expect(try told("") == ["email", "given_name", "name", "sub"])
        #expect(try told("?claims=name+locale") == ["name", "sub"])
        scene.service.policy.profileFilter = ["given_name", "locale"]
        #expect(try told("") == ["given_name", "sub"])
        #expect(try told("?claims=name") == ["sub"])
        for claims in ["name++email", "+name", "", (0..<65).map { "a\($0)" }.joined(separator: "+")] {
            var request = try scene.request(
                .get, "userinfo", .bearer(scene.proof(scene.phone.personal, for: "userinfo")))
            request.target = .absolute(try WebURL(parsing: scene.url("userinfo").text + "?claims=" + claims))
            scene.send(request).expectRefusal("invalid_request", 400, "RFC6749-3.1")
        }
    }

    @Test("The app asks for what it shows, and keeps nothing else", .proves("USR-7"), .proves("AUT-6"))
    func asking() throws {
        var parties = try Parties(seed: 219)
        parties.session.profileFilter = ["name", "locale"]
        try parties.signIn()
        #expect(parties.session.profile.map(\.name.text) == ["name"])
        let asked = parties.federation.traffic.compactMap { $0.request.target.query }
        #expect(asked == ["claims=name+locale"])
        // A service that knows no filter tells everything.
        var (session, entropy) = (parties.session, SimulatedFederation.Entropy(seed: 1))
        try session.carryOut(.profile, at: parties.federation.now, using: &entropy) { _ in
            HTTP.Response(.ok, body: Array(#"{"sub":"user-0001","name":"Ada","email":"ada@example.ch"}"#.utf8))
        }
        #expect(session.profile == ["name": "Ada"])
    }

    @Test("Of whom nothing is known the name is told", .proves("AUT-6"))
    func empty() throws {
        var scene = try Scene.signedIn()
        let ada = scene.parties.person
        scene.parties.federation.users[0] = SimulatedFederation.User(
            ada.name, password: ada.password, subject: ada.subject, profile: JSON.Object())
        #expect(try scene.asUser(.get, "userinfo").json == ["sub": "user-0001"])
    }

    @Test("Without a personal token there is nothing to read", .proves("AUT-5"), .proves("threat-18"))
    func unauthenticated() throws {
        var scene = try Scene.signedIn()
        scene.send(try scene.request(.get, "userinfo")).expectChallenge()
        let client = try scene.proof(scene.phone.client, for: "userinfo")
        scene.send(try scene.request(.get, "userinfo", .bearer(client))).expectRefusal(
            "invalid_token", 401, "threat-18")
        let version = try scene.statement(of: scene.phone)
        scene.send(try scene.request(.get, "userinfo", .bearer(version))).expectRefusal(
            "invalid_token", 401, "threat-39")
        let assertion = try #require(try scene.introduce()["code"])
        scene.send(try scene.request(.get, "userinfo", .bearer(assertion))).expectRefusal(
            "invalid_token", 401, "threat-39")
        let basic = HTTP.Request(.get, .absolute(try scene.url("userinfo")))
        var request = basic
        try request.fields.append(.authorization, "Basic YWRhOnBhc3N3b3Jk")
        scene.send(request).expectRefusal("invalid_token", 401, "RFC6750-2.1")
    }
}

@Suite("(3) Usage")
struct UsageTests {
    @Test(
        "The services that have accepted the user are told, as URLs, and nobody else's", .proves("USE-1"),
        .proves("USE-2"))
    func usage() throws {
        var scene = try Scene.signedIn()
        #expect(try scene.asUser(.get, "usage").json == [])
        let alpha: JSON = ["https://alpha.example.ch/"]
        try scene.introduce().expectSuccess()
        try scene.introduce().expectSuccess()
        #expect(try scene.asUser(.get, "usage").json == [], "an assertion alone is no use")
        #expect(try scene.report("https://alpha.example.ch").json == alpha)
        #expect(try scene.asUser(.get, "usage").json == alpha)
        for other in [Scene.beta, "https://gamma.example.ch/"] {
            #expect(try scene.report(other).json == alpha, "never introduced, or unknown")
        }
        try scene.introduce(to: Scene.beta).expectSuccess()
        #expect(try scene.report(Scene.beta).json?.array?.count == 2)
        #expect(try scene.asUser(.get, "usage").json?.array?.count == 2)
        try scene.signOut()
        scene.phone = try scene.signIn(scene.phone, as: scene.bob)
        #expect(try scene.asUser(.get, "usage").json == [])
        // It follows the user to another device.
        scene.phone = try scene.signIn(try scene.otherPhone())
        #expect(try scene.asUser(.get, "usage").json?.array?.count == 2)
    }

    @Test("Who has refused the user is not used any more", .proves("AST-6"), .proves("USE-1"))
    func refusal() throws {
        var scene = try Scene.signedIn()
        for home in [Scene.alpha, Scene.beta] {
            try scene.introduce(to: home).expectSuccess()
            try scene.report(home).expectSuccess()
        }
        let beta: JSON = [.string(Scene.beta)]
        #expect(try scene.report(Scene.alpha, "refused").json == beta)
        #expect(try scene.asUser(.get, "usage").json == beta)
        #expect(try scene.report(Scene.alpha, "refused").json == beta)
        #expect(try scene.report("https://gamma.example.ch/", "refused").json == beta)
    }

    @Test("What an app tells is one service, and what it said", .proves("USE-1"))
    func reports() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        let flawed = [
            "", "{}", "[]", "alpha", #"["https://alpha.example.ch/"]"#, #"{"service":"https://alpha.example.ch/"}"#,
            #"{"outcome":"accepted"}"#, #"{"service":"alpha","outcome":"accepted"}"#,
            #"{"service":"https://alpha.example.ch/","outcome":"maybe"}"#,
            #"{"service":"https://alpha.example.ch/","outcome":true}"#,
        ]
        for body in flawed {
            let reply = try scene.asUser(.post, "usage", body: Array(body.utf8))
            reply.expectRefusal("invalid_request", 400, "USE-1")
        }
        #expect(try scene.asUser(.get, "usage").json == [])
        // Another session of the same user was never introduced.
        scene.phone = try scene.signIn(try scene.otherPhone())
        #expect(try scene.report(Scene.alpha).json == [])
        try scene.introduce(to: Scene.beta).expectSuccess()
        #expect(try scene.report(Scene.beta).json?.array?.count == 1)
        try scene.signOut()
        scene.phone = try scene.signIn(scene.phone, as: scene.bob)
        #expect(try scene.report(Scene.beta).json == [])
    }

    @Test("Nobody is told who is not signed in", .proves("USE-1"))
    func unauthenticated() throws {
        var scene = try Scene.signedIn()
        scene.send(try scene.request(.get, "usage")).expectChallenge()
        let client = try scene.proof(scene.phone.client, for: "usage")
        scene.send(try scene.request(.get, "usage", .bearer(client))).expectRefusal("invalid_token", 401, "threat-18")
    }

    @Test("Without the usage manager nothing is told, nor noted", .proves("USE-4"))
    func absent() throws {
        var scene = try Scene.signedIn()
        scene.service.policy.hasUsageManager = false
        try scene.introduce().expectSuccess()
        let reply = try scene.asUser(.get, "usage")
        #expect(reply.status == 404 && reply.response.body.isEmpty)
        scene.service.policy.hasUsageManager = true
        #expect(try scene.asUser(.get, "usage").json == [])
    }

    @Test(
        "The app lives with a service that has no usage manager, and with one that has", .proves("USE-4"),
        .proves("USE-2"))
    func app() throws {
        var parties = try Parties(seed: 3)
        parties.federation.eduID.policy.hasUsageManager = false
        try parties.signIn()
        #expect(parties.session.isSignedIn && parties.session.usage == nil)
        parties.federation.eduID.policy.hasUsageManager = true
        let home = try #require(parties.federation.services[0].home)
        try parties.authorize(home)
        try parties.perform(.usage)
        #expect(parties.session.usage == [home])
    }
}

@Suite("(3b) Discovery")
struct EduIDDiscoveryTests {
    private func ask(_ scene: inout Scene, _ query: String, _ path: String = "discovery") throws -> Reply {
        try scene.asUser(.post, path, body: Array(query.utf8))
    }

    private func names(_ reply: Reply) -> Set<String> {
        Set((reply.json?.array ?? []).compactMap { $0["engineName"]?.string })
    }

    @Test(
        "Names of protocols find the services that offer all of them", .proves("DSC-1"), .proves("DSC-9"),
        .proves("DSC-3"))
    func protocols() throws {
        var scene = try Scene.signedIn()
        for path in ["discovery", "discovery/protocols"] {
            #expect(
                names(try ask(&scene, "[\"org.ieee.papi\"]", path)) == ["University of Alpha", "University of Beta"])
            #expect(
                names(try ask(&scene, "[\"org.ieee.papi\",\"org.imsglobal.lti\"]", path)) == ["University of Alpha"])
            let none = try ask(&scene, "[\"org.example.none\"]", path)
            none.expectSuccess()
            #expect(none.json == [])
        }
    }

    @Test("URLs of services find what is known of them", .proves("DSC-2"), .proves("DSC-3"))
    func services() throws {
        var scene = try Scene.signedIn()
        for path in ["discovery", "discovery/services"] {
            #expect(names(try ask(&scene, "[\"https://beta.example.ch\"]", path)) == ["University of Beta"])
            #expect(
                try ask(&scene, "[\"https://beta.example.ch\",\"https://beta.example.ch/\"]", path).json?.array?.count
                    == 1)
            #expect(try ask(&scene, "[\"https://gamma.example.ch\"]", path).json == [])
        }
    }

    @Test("A query that is none is a bad request", .proves("DSC-1"), .proves("threat-43"))
    func badQueries() throws {
        var scene = try Scene.signedIn()
        for query in ["[]", "{}", "[1]", "[\"org.ieee.papi\",\"https://beta.example.ch\"]", "[\"\\u0000\"]"] {
            try ask(&scene, query).expectRefusal("invalid_request", 400, "DSC-1")
        }
        try ask(&scene, "[\"https://beta.example.ch\"]", "discovery/protocols").expectRefusal(
            "invalid_request", 400, "DSC-1")
        try ask(&scene, "[\"org.ieee.papi\"]", "discovery/services").expectRefusal("invalid_request", 400, "DSC-1")
        let many = "[" + [String](repeating: "\"a\"", count: 1_001).joined(separator: ",") + "]"
        try ask(&scene, many).expectRefusal("invalid_request", 400, "threat-43")
        for query in ["", "[\"a\"", "[\"a\"]x", "[[[\"a\"]]]"] {
            let reply = try ask(&scene, query)
            #expect(reply.error == "invalid_request" && reply.status == 400 && reply.changes.isEmpty)
        }
    }

    @Test("A query without an authenticated user is refused, whatever it is", .proves("DSC-5"))
    func unauthenticated() throws {
        var scene = try Scene.signedIn()
        for path in ["discovery", "discovery/protocols", "discovery/services"] {
            for query in ["[\"org.ieee.papi\"]", "no JSON"] {
                scene.send(try scene.request(.post, path, body: Array(query.utf8))).expectChallenge()
                let client = try scene.proof(scene.phone.client, for: path)
                scene.send(try scene.request(.post, path, .bearer(client), body: Array(query.utf8)))
                    .expectRefusal("invalid_token", 401, "threat-18")
            }
        }
    }
}
