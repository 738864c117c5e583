import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import Synchronization
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(2) Somebody at a provider whom the host knows by another name")
struct LinkedAccountTests {
    /// Whom the host knows, by the names of accounts at the provider, and what it was asked.
    private final class Register: Sendable {
        private let state: Mutex<(links: [String: ProvidedAccount.Link], asked: [ProvidedAccount])>

        init(_ links: [String: ProvidedAccount.Link]) { state = Mutex((links, [])) }

        /// An account that is not among them is none that the host can say anything about.
        func link(_ account: ProvidedAccount) -> ProvidedAccount.Link? {
            state.withLock { state in
                state.asked.append(account)
                return state.links[account.subject.text]
            }
        }

        var asked: [ProvidedAccount] { state.withLock { $0.asked } }
    }

    /// A street whose host says whose accounts there are, and what it is asked.
    private func street(_ links: [String: ProvidedAccount.Link]) throws -> (Street, Register) {
        var street = try Street()
        let register = Register(links)
        street.parties.federation.linkAccounts { register.link($0) }
        return (street, register)
    }

    /// A street where both accounts are those of the person who also has a password.
    private func linkedStreet() throws -> Street {
        let person = try Parties(seed: 231).person.subject
        return try street(["A-1": .user(person), "E-1": .user(person)]).0
    }

    /// The users whose sign-ins live.
    private func signedIn(_ street: Street) -> [Record.Subject] {
        let lineages = street.parties.federation.eduIDStore.page(of: .all(.personal), limit: 99)?.lineages ?? []
        return lineages.filter { $0.verdict(at: street.parties.federation.now).grantLives }
            .compactMap { $0.record.subject }
    }

    /// The name that follows from Ada's account at the provider.
    private func nameOfAccount() throws -> Record.Subject {
        var street = try Street()
        try street.signIn()
        return try #require(signedIn(street).first)
    }

    private func endEverything(of account: String, _ street: inout Street) throws -> HTTP.Response.Status {
        let (provider, now) = (try #require(street.parties.federation.provider), street.parties.federation.now)
        let statement = try provider.statement(
            to: Issuer(parsing: Parties.eduID), at: now, using: &street.parties.federation.entropy)
        let request = try GlobalRevocation(
            of: Subject(parsing: account), by: Issuer(parsing: Street.provider), credential: statement)
        let place = try WebURL(parsing: Parties.eduID + "/global-token-revocation")
        let response = street.parties.federation.send(try request.encoded(to: place))
        return try #require(response).status
    }

    // MARK: who it is

    @Test("It is the same user as with the password, and one sign-in goes on with the other", .proves("OIC-12"))
    func sameUser() throws {
        var street = try linkedStreet()
        let person = street.parties.person.subject
        try street.signIn()
        #expect(signedIn(street) == [person])
        try street.parties.signIn()
        try street.signIn(as: "E-1")
        #expect(signedIn(street) == [person], "nobody had to sign out")
    }

    @Test("The host is told issuer, subject and all claims, and not the session", .proves("OIC-12"))
    func told() throws {
        let (begun, register) = try street(["A-1": .unknown])
        var street = begun
        try street.signIn()
        let account = try #require(register.asked.first)
        #expect(register.asked.count == 1)
        #expect(account.issuer.text == Street.provider && account.subject.text == "A-1")
        #expect(account.claims["given_name"] == "Augusta" && account.claims["email"] == "augusta@example.org")
        #expect(account.claims["sid"] == nil && account.profile["given_name"] == "Augusta")
    }

    @Test("Whom the host does not know is called as where no host is asked", .proves("OIC-12"))
    func unknown() throws {
        let (begun, _) = try street(["A-1": .unknown])
        var street = begun
        try street.signIn()
        #expect(signedIn(street) == [try nameOfAccount()])
    }

    @Test("Where the directory does not say whose accounts there are, nobody is asked", .proves("OIC-12"))
    func unasked() throws {
        let (begun, register) = try street(["A-1": .refused])
        var street = begun
        street.parties.federation.eduID.users = UserDirectory()
        try street.signIn()
        let account = try nameOfAccount()
        #expect(register.asked.isEmpty && signedIn(street) == [account])
    }

    @Test("Whom the host refuses gets no code, and is told what to do", .proves("OIC-12"), .proves("OIC-13"))
    func refused() throws {
        let (begun, _) = try street(["A-1": .refused])
        var street = begun
        let told = try street.parameters(street.link())
        #expect(told["error"] == "access_denied" && told["code"] == nil)
        #expect(told["error_description"]?.contains("ask whoever runs this service") == true)
        #expect(street.lastClause == "OIC-12")
        #expect(street.parties.federation.eduIDStore.page(of: .all(.code), limit: 9)?.lineages.isEmpty == true)
    }

    @Test("A host that cannot say lets nobody in under another name", .proves("OIC-12"), .proves("OIC-13"))
    func failing() throws {
        let (begun, _) = try street([:])
        var street = begun
        let told = try street.parameters(street.link())
        #expect(told["error"] == "temporarily_unavailable" && told["code"] == nil && street.lastClause == "OIC-12")
        #expect(street.parties.federation.eduIDStore.page(of: .all(.code), limit: 9)?.lineages.isEmpty == true)
    }

    @Test("The host hears of nobody for whom the provider does not vouch", .proves("OIC-12"), .proves("OIC-9"))
    func unverified() throws {
        let (begun, register) = try street(["A-1": .unknown, "E-1": .unknown])
        var street = begun
        street.parties.federation.provider?.distort = { $0["aud"] = "another client" }
        #expect(try street.parameters(street.link())["code"] == nil)
        // Userinfo speaks of another person then.
        street.parties.federation.provider?.distort = { $0["sub"] = "E-1" }
        #expect(try street.parameters(street.link())["code"] == nil)
        #expect(register.asked.isEmpty)
    }

    // MARK: what ends it

    @Test("The provider's logout ends it, and that of another account does not", .proves("OIC-17"))
    func logout() throws {
        var street = try linkedStreet()
        try street.signIn(as: "E-1")
        #expect(try street.tell("l-1") == .ok)
        #expect(signedIn(street).count == 1)
        // On the same phone: from now on it is a sign-in of the other account.
        try street.signIn()
        let provider = try #require(street.parties.federation.provider)
        let other = try provider.logoutToken(of: Street.eve, named: "l-2", at: street.parties.federation.now)
        #expect(try street.tell(token: other) == .ok)
        #expect(signedIn(street).count == 1)
        #expect(try street.tell("l-3") == .ok)
        #expect(signedIn(street).isEmpty)
    }

    @Test("What the user signed in to by password goes on", .proves("OIC-17"), .proves("GTR-2"))
    func password() throws {
        var street = try linkedStreet()
        try street.parties.signIn()
        #expect(try street.tell("l-1") == .ok)
        #expect(try endEverything(of: "A-1", &street) == .noContent)
        #expect(signedIn(street).count == 1)
    }

    @Test("The end of one session of the account has the person asked again", .proves("OIC-17"))
    func session() throws {
        var street = try linkedStreet()
        try street.signIn()
        #expect(try street.tell(session: "s-1", "l-1") == .ok)
        #expect(signedIn(street).count == 1)
        let personal = street.parties.federation.eduIDStore.page(of: .all(.personal), limit: 9)?.lineages.first
        #expect(personal?.record.attributes["ask_again"] != nil)
    }

    @Test("The provider has everything of its account ended, also what has only begun", .proves("GTR-1"))
    func everything() throws {
        var street = try linkedStreet()
        try street.signIn()
        let link = try street.link()
        #expect(try endEverything(of: "E-1", &street) == .noContent)
        #expect(signedIn(street).count == 1)
        #expect(try endEverything(of: "A-1", &street) == .noContent)
        #expect(signedIn(street).isEmpty)
        #expect(throws: Rejection.self) { try street.perform(.returning(with: link)) }
        try street.signIn()
        #expect(signedIn(street).count == 1, "the person comes back")
    }

    @Test("A code is found also where the phone begins another sign-in meanwhile", .proves("GTR-1"))
    func begunAnew() throws {
        var street = try linkedStreet()
        let place = try street.begin()
        let answer = try street.visitProvider(place)
        let link = try street.location(street.open(answer))
        var other = street
        _ = try other.begin()
        street.parties.federation = other.parties.federation
        #expect(try endEverything(of: "A-1", &street) == .noContent)
        #expect(throws: Rejection.self) { try street.perform(.returning(with: link)) }
        #expect(signedIn(street).isEmpty)
    }

    // MARK: what bars it

    @Test("A lock counts by either name, and ends what there is", .proves("threat-78"))
    func locked() throws {
        let account = try nameOfAccount()
        let person = try Parties(seed: 231).person.subject
        for name in [account, person] {
            var street = try linkedStreet()
            try street.signIn()
            let link = try street.link()
            street.parties.federation.administrate(.lock(name))
            #expect(signedIn(street).isEmpty, "\(name)")
            #expect(throws: Rejection.self) { try street.perform(.returning(with: link)) }
            #expect(try street.parameters(street.link())["error"] == "access_denied", "\(name)")
            #expect(street.lastClause == "threat-78")
            street.parties.federation.administrate(.unlock(name))
            try street.signIn()
            #expect(signedIn(street) == [person])
        }
    }

    @Test("Whoever is locked by the account's name comes in by password", .proves("threat-78"))
    func lockedAccount() throws {
        var street = try linkedStreet()
        street.parties.federation.administrate(.lock(try nameOfAccount()))
        try street.parties.signIn()
        #expect(signedIn(street) == [street.parties.person.subject])
    }

    @Test("Administrators sign out and forget by the account's name, also what another account goes on with")
    func forgotten() throws {
        let account = try nameOfAccount()
        var street = try linkedStreet()
        try street.signIn()
        street.parties.federation.administrate(.signOut(account))
        #expect(signedIn(street).isEmpty)
        try street.signIn()
        try street.signIn(as: "E-1")
        #expect(street.parties.federation.administrate(.forget(account)).status == .noContent)
        #expect(signedIn(street).count == 1)
        let left = street.parties.federation.eduIDStore.page(of: .subject(account, .session), limit: 9)
        #expect(left?.lineages.isEmpty == true)
        // Nothing of it is left, and the user's own goes as well.
        let person = street.parties.person.subject
        #expect(street.parties.federation.administrate(.forget(person)).status == .noContent)
        #expect(signedIn(street).isEmpty)
    }

    // MARK: at work

    @Test("A host at work asks its directory", .proves("OIC-12"))
    func atWork() async throws {
        let person = try Parties(seed: 231).person.subject
        for (link, found) in [(ProvidedAccount.Link.user(person), "code"), (nil, "error")] {
            var street = try Street()
            let answer = try street.visitProvider(try street.begin())
            let federation = street.parties.federation
            var service = federation.eduID
            service.users = UserDirectory().linking { _ in link }
            let world = Mutex(federation)
            let store = SharedStore(federation.eduIDStore)
            let host = PartyHost(
                service, in: store, clock: { federation.now },
                network: { request in world.withLock { $0.send(request) } })
            var request = HTTP.Request(.get, .absolute(try WebURL(parsing: answer)))
            let cookies = street.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            try request.fields.append(HTTP.Field.Name(parsing: "Cookie"), cookies)
            let told = try street.parameters(street.location(await host.answer(request)))
            #expect(told[found] != nil)
            let codes = store.contents.page(of: .subject(person, .code), limit: 9)?.lineages.count
            #expect(codes == (link == nil ? 0 : 1))
        }
    }
}
