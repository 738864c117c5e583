import Federation
import FederationTesting
import NAIL
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

/// A class of sign-ins with a password and a one-time code.
private let mfa = "https://refeds.org/profile/mfa"

@Suite("A service asks for more than the sign-in was, and gets it")
struct StepUpAppTests {
    private let papi: ProtocolName = "org.ieee.papi"
    private let demand = Result { try AuthenticationDemand([Authentication.ContextClass(parsing: mfa)]) }

    /// Somebody who is signed in with a password, and can show a one-time code.
    private func parties() throws -> Parties {
        var parties = try Parties(seed: 83)
        parties.federation.users[0].oneTimeCode = try Secret.OneTimeCode(parsing: "246810")
        parties.federation.users[0].showsCodeOnDemand = true
        parties.federation.eduID.policy.contextClasses = [
            EduIDService.ContextClass(try Authentication.ContextClass(parsing: mfa), takes: ["pwd", "otp"])
        ]
        try parties.signIn()
        return parties
    }

    private func discover(_ parties: inout Parties) throws {
        _ = try parties.perform(.discovery(.protocols([papi])))
    }

    private func demand(_ demand: AuthenticationDemand, at place: Int, _ parties: inout Parties) throws {
        parties.federation.services[place].service.policy.demand = demand
    }

    private func step(_ parties: inout Parties) throws {
        try parties.perform(.step(.oneTimeCode(try Secret.OneTimeCode(parsing: "246810"))))
    }

    private func home(_ place: Int = 0) throws -> ServiceURL { try ServiceURL(parsing: Parties.homes[place]) }

    private func rejection(of interaction: AuthorizingApp.Interaction<Void>, _ parties: inout Parties) -> Rejection? {
        do throws(Rejection) {
            try parties.perform(interaction)
            return nil
        } catch { return error }
    }

    @Test("The service says what it demands, the person shows it, and the service takes it", .proves("FPA-21"))
    func stepsUp() throws {
        var parties = try parties()
        try discover(&parties)
        try parties.perform(.introduction(to: home(1)))
        try demand(demand.get(), at: 0, &parties)
        let refused = try #require(rejection(of: try .introduction(to: home()), &parties))
        #expect(try refused.demand == demand.get())
        let demanded = try #require(refused.demand)
        #expect(throws: Rejection.stepWanted) { try parties.perform(.stepUp(to: demanded)) }
        let pending = try #require(parties.session.pendingSignIn(at: parties.federation.now))
        #expect(pending.user == nil && pending.steps.map { $0.name } == [.oneTimeCode] && parties.session.isSignedIn)
        // It outlives the process as any sign-in does.
        let text = parties.session.store.serialized(sealing: AppSample.seal)
        parties.session.store = try AuthorizingApp.Store(parsing: text, opening: AppSample.seal)
        try step(&parties)
        #expect(parties.session.pendingSignIn(at: parties.federation.now) == nil)
        try parties.perform(.introduction(to: home()))
        #expect(parties.session.authorizedServices == [try home(), try home(1)])
        #expect(parties.federation.eduIDStore.living(.personal, at: parties.federation.now) == 1)
        // The new token is the one that is held, and can be renewed.
        parties.federation.wait(.seconds(3_600))
        try parties.perform(.launch)
        #expect(parties.session.isSignedIn)
    }

    @Test("What was given to an app is good no more where more is demanded, and says so", .proves("FPA-21"))
    func access() throws {
        var parties = try parties()
        try discover(&parties)
        let app = try BundleID(parsing: "com.example.reader")
        let url = try home()
        try parties.perform(.introduction(to: url))
        let known = try #require(parties.session.store.contents.services[url]?.description)
        func access() -> AuthorizingApp.Interaction<ServiceDescription> {
            .access(for: app, at: known, to: [papi])
        }
        let bearer = FederationService.Policy.Keyless.bearerToken
        parties.federation.services[0].service.policy.keylessApps = bearer
        let granted = try parties.perform(access())
        let token = try #require(granted.authorization?.accessToken)
        let endpoint = try known.endpoint(for: papi)
        guard case .granted(let used)? = parties.federation.use(endpoint, with: token) else {
            Issue.record("not granted")
            return
        }
        #expect(used.authentication.methods == ["pwd"])
        try demand(AuthenticationDemand(demand.get().contextClasses, maximumAge: 600), at: 0, &parties)
        guard case .refused(let response)? = parties.federation.use(endpoint, with: token) else {
            Issue.record("granted")
            return
        }
        #expect(response.status == .unauthorized)
        let challenges = response.fields.values(of: .wwwAuthenticate)
        #expect(challenges.contains { $0.contains("insufficient_user_authentication") })
        #expect(challenges.contains { $0.contains("acr_values=\"\(mfa)\"") && $0.contains("max_age=\"600\"") })
        let told = try OAuth2Error(parsing: response)
        #expect(told.demand.contextClasses.map { $0.text } == [mfa] && told.demand.maximumAge == 600)
        // Nothing new is given either, and ending goes on.
        #expect(throws: Rejection.self) { try parties.perform(access()) }
        // With more shown, the app asks anew, and the service is told in a new introduction.
        #expect(throws: Rejection.stepWanted) { try parties.perform(.stepUp(to: told.demand)) }
        try step(&parties)
        let again = try parties.perform(access())
        guard
            case .granted(let anew)? = parties.federation.use(
                endpoint, with: try #require(again.authorization?.accessToken))
        else {
            Issue.record("not granted")
            return
        }
        #expect(anew.authentication.contextClass?.text == mfa)
        // Time makes it too old, whatever it was.
        parties.federation.wait(.seconds(661))
        if case .granted? = parties.federation.use(
            endpoint, with: try #require(again.authorization?.accessToken))
        {
            Issue.record("granted")
        }
        #expect(try parties.perform(.unlinking(url)) == .confirmed)
    }

    @Test("Who has shown more than a service asks for is told to it in its own words", .proves("FPA-21"))
    func weakerWords() throws {
        var parties = try parties()
        parties.federation.eduID.policy.contextClasses.append(
            EduIDService.ContextClass(try Authentication.ContextClass(parsing: "password"), takes: ["pwd"]))
        #expect(throws: Rejection.stepWanted) { try parties.perform(.stepUp(to: demand.get())) }
        try step(&parties)
        try discover(&parties)
        try demand(AuthenticationDemand([Authentication.ContextClass(parsing: "password")]), at: 0, &parties)
        try parties.perform(.introduction(to: home()))
        #expect(parties.session.authorizedServices == [try home()])
    }

    @Test("Whoever signs in anew for more keeps what stands on the sign-in", .proves("FPA-20"))
    func anew() throws {
        var parties = try parties()
        try discover(&parties)
        try parties.perform(.introduction(to: home(1)))
        let (person, demand) = (parties.person, try demand.get())
        #expect(throws: Rejection.stepWanted) {
            try parties.perform(.signIn(person.name, person.password, demanding: demand))
        }
        try step(&parties)
        #expect(parties.session.authorizedServices == [try home(1)])
        try self.demand(demand, at: 0, &parties)
        try parties.perform(.introduction(to: home()))
    }

    @Test("An edu-ID service can demand it for a service", .proves("FPA-22"))
    func indexed() throws {
        var parties = try parties()
        try discover(&parties)
        let demand = try demand.get()
        parties.federation.eduID.index = ServiceIndex(
            parties.federation.eduID.index.services.map { service in
                var service = service
                service.demand = demand
                return service
            })
        let refused = try #require(rejection(of: try .introduction(to: home()), &parties))
        #expect(refused.demand == demand)
        #expect(throws: Rejection.stepWanted) { try parties.perform(.stepUp(to: demand)) }
        try step(&parties)
        try parties.perform(.introduction(to: home()))
    }

    @Test("Who signs in for it need not step up", .proves("FPA-18"))
    func demandedAtOnce() throws {
        var parties = try parties()
        let (person, demand) = (parties.person, try demand.get())
        #expect(try parties.perform(.signOut) == .confirmed)
        #expect(throws: Rejection.stepWanted) {
            try parties.perform(.signIn(person.name, person.password, demanding: demand))
        }
        try step(&parties)
        try discover(&parties)
        try self.demand(demand, at: 0, &parties)
        try parties.perform(.introduction(to: home()))
    }

    @Test("Nobody who is not signed in shows more", .proves("FPA-20"))
    func signedOut() throws {
        var parties = try parties()
        #expect(try parties.perform(.signOut) == .confirmed)
        #expect(throws: Rejection.signedOut) { try parties.perform(.stepUp(to: demand.get())) }
    }

    @Test(
        "Whose answer is lost on the way is signed in all the same, and has shown it", .proves("FPA-20"),
        arguments: [1, 2])
    func lostAnswer(_ lost: Int) throws {
        var parties = try parties()
        #expect(throws: Rejection.stepWanted) { try parties.perform(.stepUp(to: demand.get())) }
        var (session, federation) = (parties.session, parties.federation)
        var entropy = SimulatedFederation.Entropy(seed: 5)
        var count = 0
        let answer = SignInStep.Answer.oneTimeCode(try Secret.OneTimeCode(parsing: "246810"))
        _ = try? session.carryOut(
            .step(answer), at: federation.now, using: &entropy,
            over: { request in
                count += 1
                let response = federation.send(request)
                return count == lost ? nil : response
            })
        (parties.session, parties.federation) = (session, federation)
        if lost == 1 { try step(&parties) }
        // Nobody is signed out by that, and nothing needs to be shown once more.
        parties.federation.wait(.seconds(3_600))
        try parties.perform(.launch)
        #expect(parties.session.isSignedIn)
        try parties.perform(.stepUp(to: demand.get()))
        try discover(&parties)
        try parties.perform(.introduction(to: home()))
        #expect(parties.federation.eduIDStore.living(.personal, at: parties.federation.now) == 1)
    }
}
