import Federation
import FederationTesting
@testable import Hosting
import JOSE
import OAuth2Grants
import RSD2
import Synchronization
import TestSupport
import Testing
import TokenTree
import Wire

/// What a web server is told that asks whether it may answer.
@Suite("A guard beside a web server")
struct GuardTests {
    private typealias Door = Guard<SharedStore<MemoryStore>>

    /// A service of which an app has a plain token for its first protocol, and the target of a request to that.
    private struct Scene {
        let host: PartyHost<FederationService, SharedStore<MemoryStore>>
        let token: String
        let target: String
        let origin: WebURL

        var door: Door { Door(host, at: origin) }

        init() throws {
            var parties = try Parties(seed: 51)
            parties.federation.services[0].service.policy.keylessApps = .bearerToken
            try parties.signIn()
            origin = try WebURL(parsing: Parties.homes[0])
            let home = try ServiceURL(parsing: Parties.homes[0])
            try parties.authorize(home)
            let service = parties.federation.services[0].service
            let name = try ProtocolName(parsing: Parties.protocolName)
            let asked = try AuthorizingApp.Conversation(
                .access(for: BundleID(parsing: "com.example.reader"), at: service.document, to: [name]),
                of: &parties.session, at: parties.federation.now, using: &parties.federation.entropy)
            let request = try #require(asked.request)
            let response = parties.federation.send(request)
            let answer = try #require(response)
            guard case .granted(let granted) = try TokenRequest.Outcome(parsing: answer) else {
                throw SimulationError()
            }
            token = granted.accessToken.secret
            target = try service.document.endpoint(for: name, path: "list").path
            let now = parties.federation.now
            host = PartyHost(service, in: SharedStore(parties.federation.services[0].store), clock: { now })
        }

        /// A question as a web server asks it.
        func question(
            _ fields: [(String, String)], method: HTTP.Request.Method = .get, target: String = "/"
        ) throws -> HTTP.Request {
            var request = HTTP.Request(method, try HTTP.Request.Target(parsing: target))
            for (name, value) in fields { try request.fields.append(HTTP.Field.Name(parsing: name), value) }
            return request
        }

        func asked(_ fields: [(String, String)]) async throws -> HTTP.Response {
            try await door.response(to: question([("Authorization", "Bearer " + token)] + fields))
        }
    }

    @Test("Who has a token for what was asked is let through, and told to what answers it", .proves("OPS-5"))
    func granted() async throws {
        let scene = try Scene()
        let response = try await scene.asked([("X-Original-Method", "GET"), ("X-Original-URI", scene.target + "?a=b")])
        #expect(response.status == .noContent)
        #expect(response.body.isEmpty)
        func told(_ name: String) throws -> String? {
            response.fields.value(of: try HTTP.Field.Name(parsing: name)).value
        }
        #expect(try told("Eduid-App") == "com.example.reader")
        #expect(try told("Eduid-Scope")?.contains("/api/papi") == true)
        #expect(try told("Eduid-Subject")?.isEmpty == false)
        let attributes = try #require(try told("Eduid-Attributes"))
        #expect(try JSON(parsing: Base64URL.decode(attributes))["given_name"] == "Ada")
        #expect(try told("Cache-Control") == "no-store")
    }

    @Test("Over SCGI the question has the method and the target of the request itself", .proves("OPS-5"))
    func ownTarget() async throws {
        let scene = try Scene()
        let question = try scene.question([("Authorization", "Bearer " + scene.token)], target: scene.target)
        #expect(await scene.door.response(to: question).status == .noContent)
    }

    @Test("What is asked twice, or is no target or method, opens nothing", .proves("OPS-6"))
    func doubtful() async throws {
        let scene = try Scene()
        let target = ("X-Original-URI", scene.target)
        #expect(try await scene.asked([target]).status == .noContent)
        for fields in [
            [target, target], [target, ("X-Original-Method", "GET"), ("X-Original-Method", "GET")],
            [target, ("X-Original-Method", "G T")], [("X-Original-URI", "list")],
            [("X-Original-URI", "https://alpha.example.ch" + scene.target)], [("X-Original-URI", scene.target + "#a")],
        ] {
            #expect(try await scene.asked(fields).status == .forbidden, "\(fields)")
        }
    }

    @Test("What is refused is 401 or 403, which web servers hand on", .proves("OPS-7"))
    func refused() async throws {
        let scene = try Scene()
        let target = ("X-Original-URI", scene.target)
        let nobody = await scene.door.response(to: try scene.question([target]))
        #expect(nobody.status == .unauthorized)
        // One field: of several, nginx before 1.23 passes on the first alone.
        let challenges = nobody.fields.values(of: .wwwAuthenticate)
        #expect(challenges.count == 1 && challenges[0].hasPrefix("Bearer") && challenges[0].contains(", DPoP "))
        #expect(try await scene.asked([("X-Original-URI", "/private")]).status == .forbidden)
        let stranger = try scene.question([target, ("Authorization", "Bearer AAAA")])
        #expect(await scene.door.response(to: stranger).status == .unauthorized)
        let malformed = try scene.question([target, ("Authorization", "Bearer a"), ("Authorization", "Bearer b")])
        let response = await scene.door.response(to: malformed)
        #expect(response.status == .unauthorized)
        #expect(
            response.fields.values(of: .wwwAuthenticate).contains { $0.contains("invalid_request") },
            "\(response.fields.map { $0.name.text + $0.value })")
    }

    @Test("A path that names another host at its beginning stays a path here", .proves("OPS-6"))
    func slashes() async throws {
        let scene = try Scene()
        #expect(try await scene.asked([("X-Original-URI", "//beta.example.ch" + scene.target)]).status == .forbidden)
        #expect(try await scene.asked([("X-Original-URI", scene.target + "/../../../x")]).status == .forbidden)
    }

    @Test("While the store fails nobody is let through, and told to come back", .proves("OPS-7"), .proves("SYS-5"))
    func failing() async throws {
        let scene = try Scene()
        let host = PartyHost(scene.host.party, in: FailingStore(), clock: { Timestamp(seconds: 1_800_000_000) })
        let heard = HeardFailures()
        let door = Guard(host, at: scene.origin)
        let question = try scene.question(
            [("Authorization", "Bearer " + scene.token), ("X-Original-URI", scene.target)])
        let response = await door.response(to: question) { _ in heard.add() }
        #expect(response.status == .serviceUnavailable)
        #expect(response.fields.value(of: .retryAfter).value == "5")
        #expect(response.body.isEmpty)
        let answer = await host.response(to: question) { _ in heard.add() }
        #expect(answer.status == .notFound)
        let apps = try scene.host.party.document.endpoint(for: "org.ietf.oauth2", path: "apps")
        let token = HTTP.Request(.post, .absolute(apps))
        _ = await host.response(to: token) { _ in heard.add() }
        #expect(heard.count == 1)
    }
}

/// A store that cannot be asked.
private struct FailingStore: AsyncTokenStore {
    struct Failure: Error {}

    func load(_ keys: [Facts.Key]) async throws(Failure) -> Facts { throw Failure() }
    func commit(_ batch: Batch) async throws(Failure) -> Batch.Outcome { throw Failure() }
    func purge(at now: Timestamp, keeping retention: Retention) async throws(Failure) -> Int { throw Failure() }
}

private final class HeardFailures: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add() { number.withLock { $0 += 1 } }
}
