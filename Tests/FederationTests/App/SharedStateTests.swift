import Federation
import FederationTesting
import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import Synchronization
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("S3: app and extension write the same store")
struct SharedStateTests {
    private let papi: ProtocolName = "org.ieee.papi"

    private func place(seed: UInt64 = 317) async throws -> SharedPlace {
        let place = SharedPlace(try Parties(seed: seed))
        let person = place.federation.withLock { $0.person }
        let app = place.app()
        try await app.register()
        try await app.signIn(person.name, person.password)
        return place
    }

    private func homes() throws -> [ServiceURL] { try Parties.homes.map { try ServiceURL(parsing: $0) } }

    private func discover(_ place: SharedPlace) async throws {
        let request = try AppSample.request([Parties.protocolName])
        _ = try await place.part().choices(for: request)
    }

    @Test("What each has changed is there when both have written, whoever was first", .proves("DAT-1"))
    func bothWrite() async throws {
        let (place, homes) = (try await place(), try homes())
        try await discover(place)
        // Two processes that were begun before, each at its own service, one while the other waits.
        let other = place.part()
        let one = place.part { request in
            if request.target.path == "/authorize" { try? await other.authorize(homes[1]) }
        }
        try await one.authorize(homes[0])
        #expect(place.session().authorizedServices == homes)
        #expect(await one.session.authorizedServices == homes)
    }

    @Test("A renewed token is not lost to a process that wrote meanwhile", .proves("threat-28"), .proves("DAT-1"))
    func renewal() async throws {
        let (place, homes) = (try await place(), try homes())
        try await discover(place)
        place.federation.withLock { $0.federation.wait(.seconds(3_600)) }
        let part = place.part()
        let app = place.app { request in
            if request.target.path == "/token" { try? await part.hide(homes[1]) }
        }
        try await app.launch()
        place.federation.withLock { $0.federation.wait(.seconds(3_600)) }
        // Another process, from what is kept: the refresh token there is the current one.
        try await place.app().launch()
        #expect(place.session().isSignedIn && place.session().hiddenServices == [homes[1]])
    }

    @Test("Who signs out while the other waits is signed out: nothing of the session comes back", .proves("UX-5"))
    func signOut() async throws {
        let (place, homes) = (try await place(), try homes())
        try await discover(place)
        let app = place.app()
        let part = place.part { request in
            if request.target.path.hasSuffix("/oauth/token") { _ = try? await app.signOut() }
        }
        _ = try? await part.authorize(homes[0])
        let session = place.session()
        #expect(!session.isSignedIn && session.authorizedServices.isEmpty && session.store.contents.services.isEmpty)
        #expect(session.isRegistered)
    }

    @Test("A service that one leaves while the other renews its token is left", .proves("TOK-5"))
    func leaving() async throws {
        let (place, homes) = (try await place(), try homes())
        try await discover(place)
        for home in homes { try await place.part().authorize(home) }
        place.federation.withLock { $0.federation.wait(.seconds(3_600)) }
        let app = place.app()
        let part = place.part { request in
            if request.target.path == "/oauth/token" { _ = try? await app.unlink(homes[0]) }
        }
        try await part.authorize(homes[0])
        #expect(place.session().authorizedServices == [homes[1]] && place.session().endings.isEmpty)
        #expect(await part.session.authorizedServices == [homes[1]])
        // What was known of the service is still known.
        #expect(place.session().store.contents.services.count == 2)
    }

    @Test("Nor does anything of one person come into the next one's session", .proves("USR-1"))
    func otherPerson() async throws {
        let (place, homes) = (try await place(), try homes())
        try await discover(place)
        let other = SimulatedFederation.User(
            "bob", password: try Secret.Password(parsing: "another password"), subject: "user-0002", profile: [:])
        place.federation.withLock { $0.federation.users.append(other) }
        let app = place.app()
        let part = place.part { request in
            guard request.target.path.hasSuffix("/oauth/token") else { return }
            _ = try? await app.signOut()
            try? await app.signIn(other.name, other.password)
            _ = try? await app.choices(for: try AppSample.request([Parties.protocolName]))
        }
        _ = try? await part.authorize(homes[0])
        let session = place.session()
        #expect(session.isSignedIn && session.profile["given_name"] == nil)
        #expect(session.store.contents.services.count == 2 && session.authorizedServices.isEmpty)
    }

    @Test("What began in one person's session asks for nothing in the next one's", .proves("USR-1"))
    func nextSession() async throws {
        let (place, homes) = (try await place(), try homes())
        try await discover(place)
        let other = SimulatedFederation.User(
            "bob", password: try Secret.Password(parsing: "another password"), subject: "user-0002", profile: [:])
        place.federation.withLock { $0.federation.users.append(other) }
        let (checked, choice) = try await place.request(for: homes)
        let app = place.app()
        let part = place.part { request in
            guard request.target.path == "/oauth/token" else { return }
            _ = try? await app.signOut()
            try? await app.signIn(other.name, other.password)
            _ = try? await app.choices(for: try AppSample.request([Parties.protocolName]))
        }
        await #expect(throws: Rejection.signedOut) { try await part.answer(checked, with: choice) }
        #expect(place.session().isSignedIn && place.session().authorizedServices.isEmpty)
        // The second service was not asked for anything in the name of whoever came after.
        let left = place.federation.withLock { $0.federation.services[1].store.living(.service, at: $0.federation.now) }
        #expect(left == 0)
    }

    @Test("A service that the person ends while an app is answered is not begun anew for it", .proves("TOK-5"))
    func endedMeanwhile() async throws {
        let (place, homes) = (try await place(), try homes())
        try await discover(place)
        try await place.part().authorize(homes[0])
        let app = place.app()
        // What was ended before is begun anew by whoever chooses it again.
        _ = try await app.unlink(homes[0])
        // By SHA-256 of "https://alpha.example.ch/", by `hashlib` of Python: as short for the longest URL.
        #expect(place.session().store.contents.settings["ended"] == "[\"iE0z6E_o8YyD1q2aQI50L8Qq4YpAy3gSv2BIq7JKpys\"]")
        try await place.part().authorize(homes[0])
        let (checked, choice) = try await place.request(for: [homes[0]])
        let isEnded = Mutex(false)
        var host = place.host()
        host.send = { [send = host.send] request in
            let isFirst = isEnded.withLock { isEnded in
                defer { isEnded = isEnded || request.target.path == "/oauth/token" }
                return !isEnded && request.target.path == "/oauth/token"
            }
            if isFirst { _ = try? await app.unlink(homes[0]) }
            return await send(request)
        }
        let answer = try await AuthorizingExtension(place.session(), on: host).answer(checked, with: choice)
        #expect(answer.missing.map(\.service) == [homes[0]])
        #expect(answer.missing.first?.reason == .endedMeanwhile(homes[0]))
        #expect(place.session().authorizedServices.isEmpty)
        try await place.part().authorize(homes[0])
        #expect(place.session().authorizedServices == [homes[0]])
    }

    @Test("What an app gets while the person signs out is in no list", .proves("UX-5"))
    func givenMeanwhile() async throws {
        let (place, homes) = (try await place(), try homes())
        try await discover(place)
        try await place.part().authorize(homes[0])
        let (checked, choice) = try await place.request(for: homes)
        let app = place.app()
        let part = place.part { request in
            if request.target.path == "/oauth/token" { _ = try? await app.signOut() }
        }
        await #expect(throws: Rejection.signedOut) { try await part.answer(checked, with: choice) }
        #expect(place.session().givenAuthorizations.isEmpty && !place.session().isSignedIn)
    }

    @Test("A token that is renewed while another person signs in takes nobody's place", .proves("USR-1"))
    func renewedMeanwhile() async throws {
        let place = try await place()
        let other = SimulatedFederation.User(
            "bob", password: try Secret.Password(parsing: "another password"), subject: "user-0002",
            profile: ["given_name": "Bob"])
        place.federation.withLock {
            $0.federation.users.append(other)
            $0.federation.wait(.seconds(3_600))
        }
        let app = place.app()
        let part = place.part { request in
            guard request.target.path == "/token", await app.session.profile["given_name"] != "Bob" else { return }
            _ = try? await app.signOut()
            try? await app.signIn(other.name, other.password)
        }
        _ = try? await part.launch()
        try await place.app().launch()
        #expect(place.session().isSignedIn && place.session().profile["given_name"] == "Bob")
    }

    @Test("What one leaves without a network while the other signs in is still to be told", .proves("threat-32"))
    func leftMeanwhile() async throws {
        let (place, homes) = (try await place(), try homes())
        try await discover(place)
        try await place.part().authorize(homes[0])
        let person = place.federation.withLock { $0.person }
        var offline = place.host()
        offline.send = { _ in nil }
        let silent = AuthorizingApp(place.session(), on: offline)
        let app = place.app { request in
            if request.target.path == "/token" { _ = try? await silent.unlink(homes[0]) }
        }
        // Whoever has signed in is launched, and tells what is over.
        try await app.signIn(person.name, person.password)
        // Beside it stands what would end the session that has no answer yet.
        #expect(await silent.session.endings.map(\.matter) == [.service(homes[0]), .session])
        #expect(place.session().isSignedIn && place.session().endings.isEmpty)
        let left = place.federation.withLock {
            $0.federation.services[0].store.living(.service, at: $0.federation.now)
        }
        #expect(left == 0)
    }

    @Test("A captured request passes once, whichever process it comes to", .proves("threat-58"))
    func requestsComeOnce() async throws {
        let place = try await place()
        let (request, registry) = try place.signedRequest()
        let parts = (0..<4).map { _ in place.part() }
        let passed = await withTaskGroup(of: Bool.self) { group in
            for part in parts {
                group.addTask { (try? await part.check(request, against: registry)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(passed == 1)
    }

    @Test("A captured request passes once, though somebody signs in when it comes first", .proves("threat-58"))
    func requestWhileSigningIn() async throws {
        let place = SharedPlace(try Parties(seed: 318))
        let person = place.federation.withLock { $0.person }
        try await place.app().register()
        let (request, registry) = try place.signedRequest()
        let part = place.part()
        let app = place.app { message in
            if message.target.path == "/token" { _ = try? await part.check(request, against: registry) }
        }
        try await app.signIn(person.name, person.password)
        #expect(place.session().isSignedIn)
        await #expect(throws: Rejection.self) { try await place.part().check(request, against: registry) }
    }

    @Test("What cannot be kept is told, is not lost while the process runs, and is kept with the next change")
    func full() async throws {
        let (place, homes) = (try await place(), try homes())
        try await discover(place)
        let (part, writes) = (place.part(), place.writes)
        place.fill(true)
        await #expect(throws: Rejection.unkept) { try await part.authorize(homes[0]) }
        #expect(place.writes == writes)
        place.fill(false)
        try await part.authorize(homes[0])
        try await part.hide(homes[1])
        #expect(place.session().authorizedServices == [homes[0]] && place.session().hiddenServices == [homes[1]])
    }

    @Test("Many at once lose nothing", .proves("DAT-1"))
    func storm() async throws {
        let place = try await place()
        let services = try (0..<40).map { try ServiceURL(parsing: "https://s\($0).example.ch") }
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                let process = place.part()
                for service in services[(part * 10)..<(part * 10 + 10)] {
                    group.addTask { try? await process.hide(service) }
                }
            }
        }
        #expect(place.session().hiddenServices == services.sorted())
    }
}
