import Federation
import FederationTesting
import NAIL
import OAuth2Grants
import RSD2
import Synchronization
import TestSupport
import Testing
import TokenTree
import Wire

/// What the person ends while the other process of the app does something: neither is lost, and the end counts.
@Suite("S4: what the person ends while the other process is at work")
struct EndingMeanwhileTests {
    private static let reader: BundleID = "com.example.reader"

    private func homes() throws -> [ServiceURL] { try Parties.homes.map { try ServiceURL(parsing: $0) } }

    /// A place where somebody is signed in and an app has something at the first service.
    private func place() async throws -> SharedPlace {
        let place = SharedPlace(try Parties(seed: 317))
        let person = place.federation.withLock { $0.person }
        let app = place.app()
        try await app.register()
        try await app.signIn(person.name, person.password)
        _ = try await place.part().choices(for: try AppSample.request([Parties.protocolName]))
        try await place.part().authorize(homes()[0])
        try await give(place, by: place.part())
        place.federation.withLock { $0.federation.wait(.seconds(60)) }
        return place
    }

    /// The app is given something at the first service.
    private func give(_ place: SharedPlace, by part: AuthorizingExtension) async throws {
        let (checked, choice) = try await place.request(for: [homes()[0]])
        #expect(try await part.answer(checked, with: choice).missing.isEmpty)
    }

    /// How much an app can use at a service, by the service's own word.
    private func living(_ place: SharedPlace, at service: Int = 0) -> Int {
        place.federation.withLock { $0.federation.services[service].store.living(.app, at: $0.federation.now) }
    }

    private func silent(_ place: SharedPlace) -> AuthorizingApp {
        var host = place.host()
        host.send = { _ in nil }
        return AuthorizingApp(place.session(), on: host)
    }

    @Test("What is ended while the end of something else is confirmed stays to be told", .proves("threat-32"))
    func endedWhileTold() async throws {
        let (place, home) = (try await place(), try homes()[0])
        #expect(try await silent(place).end(Self.reader, at: home) == .pending)
        let isFirst = Mutex(true)
        let app = place.app { request in
            guard request.target.path == "/oauth/revoke",
                isFirst.withLock({ isFirst in
                    defer { isFirst = false }
                    return isFirst
                })
            else { return }
            // The other process hears it first; then the app gets something again, and that is ended, too.
            _ = try? await place.app().endings()
            try? await self.give(place, by: place.part())
            _ = try? await self.silent(place).end(Self.reader, at: home)
        }
        #expect(try await app.endings().map(\.matter) == [.app(Self.reader, at: home)])
        #expect(place.session().endings.count == 1 && living(place) == 1)
        #expect(try await place.app().endings().isEmpty)
        #expect(place.session().endings.isEmpty && living(place) == 0)
    }

    @Test("Two ends that two processes keep at once are both told", .proves("threat-32"), .proves("UX-5"))
    func endedTwice() async throws {
        let (place, home) = (try await place(), try homes()[0])
        let person = place.federation.withLock { $0.person }
        // Somebody signs in anew in the one, and out in the other, which no answer comes to.
        let app = place.app { request in
            if request.target.path == "/authorize-challenge" { _ = try? await self.silent(place).signOut() }
        }
        _ = try? await app.signIn(person.name, person.password)
        #expect(!place.session().isSignedIn && place.session().endings.contains { $0.matter == .session })
        place.federation.withLock { $0.federation.wait(.seconds(180)) }
        #expect(try await place.app().endings().isEmpty)
        let left = place.federation.withLock { $0.federation.eduIDStore.living(.personal, at: $0.federation.now) }
        #expect(left == 0)
        place.federation.withLock { _ = $0.federation.deliver() }
        #expect(living(place) == 0)
        await #expect(throws: Rejection.self) { try await place.part().authorize(home) }
    }

    @Test("A sign-in that waits for its token is not ended by the other process", .proves("USE-3"))
    func launchedWhileSigningIn() async throws {
        let place = SharedPlace(try Parties(seed: 318))
        let person = place.federation.withLock { $0.person }
        try await place.app().register()
        let other = place.part()
        let app = place.app { request in
            guard request.target.path == "/token" else { return }
            try? await other.launch()
            _ = try? await other.endings()
        }
        try await app.signIn(person.name, person.password)
        #expect(place.session().isSignedIn && place.session().endings.isEmpty)
        // Whose token nobody waits for any more is ended.
        var host = place.host()
        host.send = { [send = host.send] request in
            let response = await send(request)
            return request.target.path == "/token" ? nil : response
        }
        _ = try await place.app().signOut()
        place.federation.withLock { $0.federation.wait(.seconds(60)) }
        await #expect(throws: Rejection.self) {
            try await AuthorizingApp(place.session(), on: host).signIn(person.name, person.password)
        }
        let living = { @Sendable () -> Int in
            place.federation.withLock { $0.federation.eduIDStore.living(.personal, at: $0.federation.now) }
        }
        for (seconds, left) in [(118 as Int64, 1), (3, 0)] {
            place.federation.withLock { $0.federation.wait(.seconds(seconds)) }
            try await place.app().launch()
            #expect(living() == left && place.session().endings.count == left)
        }
    }

    @Test(
        "What an app is given while the person ends what it has there is over, and it does not get it",
        arguments: [0, 1])
    func givenMeanwhile(_ moment: Int) async throws {
        let (place, homes) = (try await place(), try homes())
        let app = place.app()
        // The first request is for the token of the second service, which the person leaves alone.
        let paths = Mutex<[String]>([])
        var host = place.host()
        host.send = { [send = host.send] request in
            let isAsked = paths.withLock { paths in
                if request.target.path == "/oauth/token" { paths.append(request.target.path) }
                return request.target.path == "/oauth/token" && paths.count == 1
            }
            if isAsked, moment == 0 { _ = try? await app.end(Self.reader, at: homes[0]) }
            let response = await send(request)
            if isAsked, moment == 1 { _ = try? await app.end(Self.reader, at: homes[0]) }
            return response
        }
        let (checked, choice) = try await place.request(for: homes)
        let answer = try await AuthorizingExtension(place.session(), on: host).answer(checked, with: choice)
        #expect(answer.missing.map(\.service) == [homes[0]])
        #expect(answer.missing.first?.reason == .endedMeanwhile(homes[0]))
        #expect(living(place) == 0 && living(place, at: 1) == 1)
        #expect(place.session().givenAuthorizations.map(\.service) == [homes[1]] && place.session().endings.isEmpty)
        // Who chooses it again, gets it again.
        place.federation.withLock { $0.federation.wait(.seconds(60)) }
        let (again, chosen) = try await place.request(for: homes)
        #expect(try await place.part().answer(again, with: chosen).missing.isEmpty)
        #expect(living(place) == 1)
    }

    @Test("What the person hides while a service refuses is hidden, and the refusal is noted", .proves("DAT-1"))
    func hiddenMeanwhile() async throws {
        let (place, homes) = (try await place(), try homes())
        let app = place.app()
        var host = place.host()
        host.send = { [send = host.send] request in
            guard request.target.path == "/oauth/token" else { return await send(request) }
            try? await app.hide(homes[0])
            return HTTP.Response(.badRequest, body: [UInt8](#"{"error":"access_denied"}"#.utf8))
        }
        await #expect(throws: Rejection.self) {
            try await AuthorizingExtension(place.session(), on: host).authorize(homes[1])
        }
        #expect(place.session().hiddenServices == [homes[0]] && place.session().refusingServices == [homes[1]])
    }
}
