@testable import Federation
import JOSE
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("Sign-in at a provider: what a host keeps")
struct ProviderKeepingTests {
    @Test("A thousand tokens by an unknown key cause one reading in five minutes", .proves("OIC-11"))
    func unknownKeys() throws {
        var desk = try SignInDesk()
        #expect(try desk.refusal() == nil)
        #expect(desk.server.count("keys") == 1)
        desk.wait(301)
        desk.server.seed = 42
        for _ in 0..<1_000 { #expect(try desk.refusal()?.hasPrefix("server_error ") == true) }
        #expect(desk.server.count("keys") == 2)
        desk.wait(299)
        #expect(try desk.refusal() != nil)
        #expect(desk.server.count("keys") == 2)
        desk.server.published = [41, 42]
        desk.wait(1)
        #expect(try desk.refusal() == nil)
        #expect(desk.server.count("keys") == 3)
    }

    @Test("A key that has vanished is not used again, from the moment on in which that is known", .proves("OIC-11"))
    func vanished() throws {
        var desk = try SignInDesk()
        #expect(try desk.refusal() == nil)
        desk.server.published = [42]
        desk.wait(301)
        desk.server.seed = 42
        #expect(try desk.refusal() == nil)
        desk.server.seed = 41
        #expect(try desk.refusal()?.hasPrefix("server_error ") == true)
    }

    @Test("Keys serve between five minutes and a day, whatever the answer says", .proves("OIC-11"))
    func lifetimes() throws {
        for (told, served, over) in [("no-store", 299, 300), ("max-age=1000000", 86_399, 86_400)] {
            var desk = try SignInDesk()
            let published = try desk.server.answer(keysRequest(), nonce: "", at: desk.now)
            var set = try #require(published)
            try set.fields.append(.cacheControl, told)
            desk.server.instead["keys"] = set
            desk.server.asked = []
            #expect(try desk.refusal() == nil)
            desk.wait(Int64(served))
            #expect(try desk.refusal() == nil)
            #expect(desk.server.count("keys") == 1, "\(told)")
            desk.wait(Int64(over - served))
            #expect(try desk.refusal() == nil)
            #expect(desk.server.count("keys") == 2, "\(told)")
        }
    }

    private func keysRequest() throws -> HTTP.Request {
        HTTP.Request(.get, .absolute(try WebURL(parsing: LoginServer.issuer + "keys")))
    }

    @Test("What is no key set leaves the keys that there are", .proves("OIC-11"))
    func broken() throws {
        var desk = try SignInDesk()
        #expect(try desk.refusal() == nil)
        desk.server.instead["keys"] = HTTP.Response(.ok, body: Array("<html>".utf8))
        desk.wait(601)
        #expect(try desk.refusal() == nil)
        #expect(desk.server.count("keys") == 2)
        desk.wait(3_700)
        #expect(try desk.refusal() == "temporarily_unavailable threat-76")
    }

    @Test("A description is read once an hour", .proves("OIC-10"))
    func descriptions() throws {
        var desk = try SignInDesk()
        let place = "openid-configuration"
        _ = try desk.signIn().get()
        desk.wait(3_599)
        _ = try desk.signIn().get()
        #expect(desk.server.count(place) == 1)
        desk.wait(1)
        _ = try desk.signIn().get()
        #expect(desk.server.count(place) == 2)
    }

    @Test("While a provider cannot be read, what was read before serves for a day", .proves("OIC-10"))
    func stale() throws {
        var desk = try SignInDesk()
        let place = "openid-configuration"
        _ = try desk.signIn().get()
        let broken: [HTTP.Response?] = [
            nil, HTTP.Response(.found), LoginServer.json(["issuer": .string(LoginServer.issuer)]),
            LoginServer.json(desk.server.description.merging(["issuer": "https://b.example/"]) { $1 }),
        ]
        desk.wait(3_600)
        for (number, response) in broken.enumerated() {
            desk.server.instead[place] = .some(response)
            _ = try desk.redirect().get()
            _ = try desk.redirect().get()
            #expect(desk.server.count(place) == 2 + number)
            desk.wait(60)
        }
        desk.wait(86_400 - 4 * 60 - 1)
        _ = try desk.redirect().get()
        desk.wait(1)
        #expect(try desk.redirect().refusal != nil)
    }

    @Test(
        "Who was never read is asked again after a minute, and meanwhile by those who came together", .proves("OIC-10"))
    func never() throws {
        var kept = ProviderDescriptions()
        let place = HTTP.Request(
            .get, .absolute(try WebURL(parsing: LoginServer.issuer + ".well-known/openid-configuration")))
        let now = Timestamp(seconds: 0)
        #expect(kept.step(for: place, at: now) == .send && kept.step(for: place, at: now) == .send)
        #expect(kept.take(nil, for: place, at: now) == nil)
        #expect(kept.step(for: place, at: now + .seconds(59)) == .serve(nil))
        #expect(kept.step(for: place, at: now + .seconds(60)) == .send)
        let good = LoginServer.json(LoginServer().description)
        #expect(kept.take(good, for: place, at: now + .seconds(61)) == good)
        #expect(kept.step(for: place, at: now + .seconds(62)) == .serve(good))
        // A clock that was set back.
        #expect(kept.step(for: place, at: now) == .send)
    }

    @Test("Other requests pass", .proves("OIC-10"))
    func others() throws {
        var kept = ProviderDescriptions()
        let place = try WebURL(parsing: LoginServer.issuer + ".well-known/openid-configuration")
        let origin = HTTP.Request(.get, .origin(path: place.path, query: nil))
        for request in [
            HTTP.Request(.post, .absolute(place)),
            HTTP.Request(.get, .absolute(try WebURL(parsing: LoginServer.issuer))),
            origin,
        ] {
            #expect(kept.step(for: request, at: .epoch) == .pass)
            #expect(kept.take(HTTP.Response(.ok), for: request, at: .epoch) == HTTP.Response(.ok))
        }
        for number in 0..<100 {
            let url = try WebURL(parsing: "https://p\(number).example/.well-known/openid-configuration")
            let step = kept.step(for: HTTP.Request(.get, .absolute(url)), at: .epoch)
            #expect(step == (number < 64 ? .send : .pass))
        }
    }
}
