import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import RSD2
import Synchronization
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("My devices, my services, my apps, from the app")
struct ManagementCallTests {
    private let reader: BundleID = "com.example.reader"

    private func home(_ place: Int = 0) throws -> ServiceURL { try ServiceURL(parsing: Parties.homes[place]) }

    private func parties() throws -> Parties {
        var parties = try Parties(seed: 174)
        try parties.signIn()
        try parties.authorize(home())
        return parties
    }

    /// The same person on another device.
    private func second(_ parties: inout Parties) throws -> AuthorizingApp.Session {
        let first = parties.session
        let installation = try Parties.installation(
            on: "Ada's tablet", version: SigningKey(parties.versionKeys[0]), using: &parties.federation.entropy)
        parties.session = AuthorizingApp.Session(installation, with: first.eduID)
        try parties.signIn()
        let second = parties.session
        parties.session = first
        return second
    }

    private func grant(_ parties: inout Parties) throws -> ServiceDescription {
        let service = try #require(parties.session.store.contents.services[home()])
        return try parties.perform(
            .access(for: reader, at: service.description, to: [ProtocolName(parsing: Parties.protocolName)]))
    }

    @Test("The app lists the person's devices, and ends another one", .proves("USR-2"), .proves("USR-3"))
    func devices() throws {
        var parties = try parties()
        let tablet = try second(&parties)
        let list = try parties.perform(.instances)
        #expect(list.count == 2 && list.filter(\.isThis).map(\.name) == ["Ada's phone"])
        let other = try #require(list.first { !$0.isThis })
        #expect(other.name == "Ada's tablet" && other.id == tablet.installation.instance && other.version == "ios 1")
        #expect(other.device == "phone 18.1" && other.lastUse == parties.federation.now)
        #expect(try parties.perform(.disconnect(other.id)))
        #expect(try parties.perform(.instances).count == 1)
        #expect(try !parties.perform(.disconnect(other.id)))
        #expect(parties.session.isRegistered && parties.session.isSignedIn)
        // The other one learns it, and its person goes on by signing in.
        parties.session = tablet
        #expect(throws: Rejection.self) { try parties.perform(.instances) }
        #expect(!parties.session.isSignedIn)
    }

    @Test("Who ends the own device is not registered any more", .proves("USR-3"))
    func ownDevice() throws {
        var parties = try parties()
        #expect(try parties.perform(.disconnect(parties.session.installation.instance)))
        #expect(!parties.session.isRegistered && !parties.session.isSignedIn)
        #expect(parties.session.authorizedServices.isEmpty && parties.session.profile.isEmpty)
        try parties.signIn()
        #expect(parties.session.isSignedIn)
    }

    @Test("The app lists the person's services, and leaves one", .proves("TOK-7"), .proves("TOK-5"))
    func services() throws {
        var parties = try parties()
        try parties.authorize(home(1))
        let list = try parties.perform(.services)
        #expect(list.map(\.name) == ["University of Alpha", "University of Beta"])
        #expect(list.allSatisfy { $0.instances == [parties.session.installation.instance] })
        _ = try grant(&parties)
        #expect(try parties.perform(.disconnect(home())))
        #expect(parties.session.authorizedServices == [try home(1)])
        #expect(parties.federation.deliver() == 1)
        let given = parties.federation.services[0].store.page(of: .all(.app), limit: 9)?.lineages ?? []
        #expect(given.count == 1 && given.allSatisfy { !$0.verdict(at: parties.federation.now).grantLives })
        #expect(try parties.perform(.services).count == 1 && !parties.perform(.disconnect(home())))
    }

    @Test("The app lists what apps have at a service, and ends one", .proves("TOK-5"), .proves("APP-11"))
    func apps() throws {
        var parties = try parties()
        _ = try grant(&parties)
        let list = try parties.perform(.apps(at: home()))
        #expect(list.map(\.app) == [reader] && list[0].isThis && list[0].issued == parties.federation.now)
        #expect(list[0].scope.text == Parties.homes[0] + "/api/papi")
        #expect(try parties.perform(.disconnect(reader, at: home())))
        #expect(try parties.perform(.apps(at: home())).isEmpty && !parties.perform(.disconnect(at: home())))
        // What has ended is off the device's own list as well.
        #expect(parties.session.givenAuthorizations.isEmpty)
        _ = try grant(&parties)
        #expect(try !parties.perform(.disconnect("com.example.writer", at: home())))
        #expect(parties.session.givenAuthorizations.map(\.app) == [reader])
        #expect(try parties.perform(.disconnect(at: home())) && parties.session.givenAuthorizations.isEmpty)
        #expect(throws: Rejection.unauthorized(try home(1))) { try parties.perform(.apps(at: home(1))) }
    }

    @Test("Everything ends from one device", .proves("USR-3"), .proves("TOK-5"))
    func everything() throws {
        var parties = try parties()
        let tablet = try second(&parties)
        #expect(try parties.perform(.endEverything))
        #expect(!parties.session.isRegistered && !parties.session.isSignedIn)
        parties.session = tablet
        #expect(throws: Rejection.self) { try parties.perform(.services) }
        #expect(parties.federation.deliver() == 1)
    }

    @Test("The calls of the app wait for their turn", .proves("TOK-5"))
    func calls() async throws {
        let network = Wires(try parties())
        let app = AuthorizingApp(network.session, on: network.host)
        #expect(try await app.instances().count == 1)
        #expect(try await app.services().count == 1)
        #expect(try await app.apps(at: home()).isEmpty)
        #expect(try await !app.disconnect(at: home()))
        #expect(try await app.disconnect(home()))
        try await app.endEverything()
        #expect(await !app.session.isRegistered)
    }

    @Test(
        "Answers that say something else, or too much, are not taken", .proves("threat-71"), .proves("threat-60"),
        arguments: ["{}", "[7]", "[", #"["x"]"#, String(repeating: "[", count: 40)])
    func hostileLists(_ body: String) throws {
        let parties = try parties()
        let before = parties.session.store.revisionText
        var entropy = SimulatedFederation.Entropy(seed: 1)
        var session = parties.session
        #expect(throws: Rejection.self) {
            try session.carryOut(.instances, at: parties.federation.now, using: &entropy) { _ in
                HTTP.Response(.ok, body: Array(body.utf8))
            }
        }
        #expect(session.store.revisionText == before)
        // What is not to be ended, or not to be shown, is left out.
        let odd = #"[{"id":""},{"id":"a\u0007"},{"id":"x","name":"a\u202eb","registered":"soon"}]"#
        let list = try session.carryOut(.instances, at: parties.federation.now, using: &entropy) { _ in
            HTTP.Response(.ok, body: Array(odd.utf8))
        }
        #expect(list.map(\.id) == ["x"] && list[0].name == nil && list[0].registered == nil)
    }

    @Test(
        "Nothing but the service's own word ends anything here", .proves("threat-60"), arguments: [200, 302, 404, 500])
    func doubtfulEnds(_ code: Int) throws {
        let parties = try parties()
        var entropy = SimulatedFederation.Entropy(seed: 1)
        var session = parties.session
        let status = try #require(HTTP.Response.Status(code))
        let isEnded = try? session.carryOut(.endEverything, at: parties.federation.now, using: &entropy) { _ in
            HTTP.Response(status, body: Array("<html>".utf8))
        }
        #expect(isEnded != true && session.isRegistered && session.isSignedIn)
        // A service that always has more comes to an end too.
        var count = 0
        #expect(throws: Rejection.self) {
            try session.carryOut(.endEverything, at: parties.federation.now, using: &entropy) { _ in
                count += 1
                return HTTP.Response(HTTP.Response.Status(202)!)
            }
        }
        #expect(count == 65)
    }
}

/// The federation as a network of several.
private final class Wires: Sendable {
    private let parties: Mutex<Parties>
    let session: AuthorizingApp.Session

    init(_ parties: Parties) {
        session = parties.session
        self.parties = Mutex(parties)
    }

    var host: AuthorizingApp.Host {
        AuthorizingApp.Host(
            send: { request in self.parties.withLock { $0.federation.send(request) } }, keep: { _ in },
            now: { self.parties.withLock { $0.federation.now } },
            entropy: { self.parties.withLock { $0.federation.entropy.next() } })
    }
}

extension AuthorizingApp.Store {
    fileprivate var revisionText: Int { contents.settings.count + contents.services.count }
}
