@testable import Federation
import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("Back-channel logout: what a provider ends")
struct ProviderLogoutTests {
    static let event: JSON = ["http://schemas.openid.net/event/backchannel-logout": [:]]

    /// A service with three sign-ins: two of Ada's through the provider, in two of its sessions, and one of hers by
    /// password; and one of another person through the provider.
    private struct Hall {
        var desk: SignInDesk
        let ada: Provider.Identity
        var number = 0

        init() throws {
            desk = try SignInDesk()
            var parents: [Record] = [Record(id: "version", kind: .versionKey, parent: nil, issued: desk.now)]
            ada = try desk.signIn().get()
            desk.server.identity["sid"] = "s-2"
            let elsewhere = try desk.signIn().get()
            desk.server.identity["sub"] = "A-2"
            desk.server.userinfo["sub"] = "A-2"
            let other = try desk.signIn().get()
            let signIns: [(TokenID, Record.Subject, JSON.Object)] = [
                ("one", ada.user, ada.attributes), ("two", elsewhere.user, elsewhere.attributes),
                ("password", ada.user, [:]), ("other", other.user, other.attributes),
            ]
            for (id, user, attributes) in signIns {
                let client = Record(
                    id: try TokenID(parsing: "client of \(id)"), kind: .client, parent: "version", issued: desk.now,
                    holder: try Record.Holder(parsing: "h-\(id)"))
                parents.append(client)
                parents.append(
                    Record(
                        id: id, kind: .personal, parent: client.id, issued: desk.now, holder: client.holder,
                        subject: user, finalExpiry: desk.now + .seconds(1_000_000), attributes: attributes))
                guard let session = attributes["provider"]?["session"]?.string else { continue }
                parents.append(
                    Record(
                        id: try TokenID(parsing: "session of \(id)"), kind: .session, parent: id, issued: desk.now,
                        holder: client.holder, subject: try Record.Subject(parsing: session)))
            }
            #expect(desk.store.commit(Batch(at: desk.now, parents.map { .insert($0) })) == .applied)
        }

        var claims: [String: JSON] {
            [
                "iss": .string(LoginServer.issuer), "aud": .string(LoginServer.client), "sub": "A-1",
                "iat": .number(JSON.Number(desk.now.seconds)), "exp": .number(JSON.Number(desk.now.seconds + 120)),
                "jti": "l-1", "events": ProviderLogoutTests.event,
            ]
        }

        func token(_ changes: [String: JSON?] = [:]) throws -> String {
            var claims = claims
            for (name, value) in changes { claims[name] = value }
            return try desk.server.signed(claims, as: .logout)
        }

        /// Sends a token, and answers the status and the error.
        mutating func send(_ token: String) throws -> (answer: String, changes: [Change]) {
            var request = HTTP.Request(
                .post, .absolute(try WebURL(parsing: LoginServer.client + "/backchannel-logout")),
                body: HTTP.Form([HTTP.Form.Pair("logout_token", token)]).encoded())
            try request.fields.append(.contentType, "application/x-www-form-urlencoded")
            var entropy = SystemRandomNumberGenerator()
            let decision = try desk.carryOut(desk.service.exchange(for: request, at: desk.now, using: &entropy))
            let outcome = desk.store.commit(decision.batch)
            guard outcome == .applied, case .respond(let response) = decision.conclusion(after: outcome) else {
                throw SignInDesk.Unexpected()
            }
            let error = (try? JSON(parsing: response.body))?["error"]?.string
            let isKept = response.fields.value(of: .cacheControl) != .once("no-store") && response.status.code != 404
            return (
                "\(response.status.code)\(error.map { " " + $0 } ?? "")\(isKept ? " kept" : "")", decision.batch.changes
            )
        }

        /// The sign-ins that live, and those of which the person is to be asked again.
        var living: (names: [String], asked: [String]) {
            let ids: [TokenID] = ["one", "two", "password", "other"]
            let facts = desk.store.load(ids.map { .record($0) })
            let lineages = ids.compactMap { facts.lineage(of: $0) }.filter { $0.verdict(at: desk.now).grantLives }
            return (
                lineages.map { $0.record.id.text },
                lineages.filter { $0.record.asksAgain != nil }.map { $0.record.id.text }
            )
        }
    }

    @Test(
        "Of all sessions: what the person signed in to through the provider ends, and nothing else", .proves("OIC-15"),
        .proves("OIC-17"))
    func all() throws {
        var hall = try Hall()
        #expect(try hall.send(hall.token()).answer == "200")
        #expect(hall.living.names == ["password", "other"] && hall.living.asked == [])
    }

    @Test("Of one session: nothing ends, and the person is asked again there", .proves("OIC-17"))
    func session() throws {
        var hall = try Hall()
        #expect(try hall.send(hall.token(["sid": "s-2"])).answer == "200")
        #expect(hall.living.names == ["one", "two", "password", "other"] && hall.living.asked == ["two"])
        // A session that nobody knows here.
        #expect(try hall.send(hall.token(["sid": "s-3", "jti": "l-2"])).answer == "200")
        #expect(hall.living.asked == ["two"])
    }

    @Test("A session without a person is found by its name alone", .proves("OIC-16"), .proves("OIC-17"))
    func sessionAlone() throws {
        var hall = try Hall()
        #expect(try hall.send(hall.token(["sub": nil, "sid": "s-2"])).answer == "200")
        // Of whoever signed in in that session, here of two.
        #expect(hall.living.names.count == 4 && hall.living.asked == ["two", "other"])
    }

    @Test("The second time the same word is taken, and nothing more ends", .proves("OIC-16"))
    func replayed() throws {
        var hall = try Hall()
        let token = try hall.token(["sub": "A-2"])
        #expect(try hall.send(token).changes.count == 2)
        let again = try hall.send(token)
        #expect(again.answer == "200" && again.changes.isEmpty)
        #expect(hall.living.names == ["one", "two", "password"])
    }

    @Test("Nobody learns who is known here", .proves("OIC-16"))
    func unknown() throws {
        var hall = try Hall()
        #expect(try hall.send(hall.token(["sub": "A-9"])).answer == "200")
        #expect(hall.living.names.count == 4)
    }

    @Test("A sign-in that began after the word was given lives", .proves("OIC-17"))
    func later() throws {
        var hall = try Hall()
        hall.desk.wait(300)
        let old = hall.desk.now.seconds
        #expect(try hall.send(hall.token(["iat": .number(JSON.Number(old - 361))])).answer == "200")
        #expect(hall.living.names.count == 4)
        #expect(try hall.send(hall.token(["iat": .number(JSON.Number(old - 360)), "jti": "l-2"])).answer == "200")
        #expect(hall.living.names == ["password", "other"])
    }

    @Test("What is no word of the provider's is refused, and nothing ends", .proves("OIC-16"))
    func refused() throws {
        var hall = try Hall()
        let changes: [[String: JSON?]] = [
            ["nonce": "n"], ["events": [:]], ["events": nil], ["sub": nil], ["aud": "c"], ["jti": nil],
            ["iss": "https://b.example/"], ["iat": .number(JSON.Number(hall.desk.now.seconds - 601))],
        ]
        for change in changes {
            let refused = try hall.send(hall.token(change))
            #expect(refused.answer == "400 invalid_request" && refused.changes.isEmpty, "\(change)")
        }
        let identity = try hall.desk.server.signed(hall.claims.merging(["nonce": "n"]) { $1 }, as: .identity)
        #expect(try hall.send(identity).answer == "400 invalid_request")
        #expect(try hall.send("x").answer == "400 invalid_request")
        hall.desk.server.seed = 42
        #expect(try hall.send(hall.token()).answer == "400 invalid_request")
        #expect(hall.living.names.count == 4)
    }

    @Test("A word of another issuer needs no key to be refused", .proves("OIC-11"))
    func otherIssuer() throws {
        var hall = try Hall()
        let asked = hall.desk.server.asked.count
        hall.desk.keys = KeySets()
        _ = try hall.send(hall.token(["iss": "https://b.example/"]))
        #expect(hall.desk.server.asked.count == asked)
    }

    @Test("Without a provider there is no such endpoint", .proves("OIC-15"))
    func nowhere() throws {
        var hall = try Hall()
        let token = try hall.token()
        hall.desk.service.provider = nil
        #expect(try hall.send(token).answer == "404")
    }
}
