import Federation
import FederationTesting
import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import TokenTree
import Wire

/// The story of a person with devices: what is lost, stolen, shared and left, and how each of it goes on.
struct PersonStory: Story {
    private var parties: Parties
    private var narrator = Narrator()
    private let bob: SimulatedFederation.User
    /// What Bob's authenticator shows.
    private let code: Secret.OneTimeCode
    private let alpha: ServiceURL
    private let beta: ServiceURL
    private var reader: Reader
    /// Who is who on the tablet, and what the tablet keeps of each, sealed.
    private var tablet = AuthorizingApp.People()
    private var kept: [ClientID: (installation: AuthorizingApp.Installation, text: String)] = [:]
    private let tabletKey: SymmetricKey
    private var phone: AuthorizingApp.Session

    init(seed: UInt64) throws {
        parties = try Parties(seed: seed)
        var bob = SimulatedFederation.User(
            try UserName(parsing: "bob"), password: try Secret.Password(parsing: "staple battery horse"),
            subject: try Record.Subject(parsing: "user-0002"), profile: ["name": "Bob Beispiel", "given_name": "Bob"])
        code = try Secret.OneTimeCode(parsing: "314159")
        bob.oneTimeCode = code
        self.bob = bob
        parties.federation.users.append(bob)
        alpha = try ServiceURL(parsing: Parties.homes[0])
        beta = try ServiceURL(parsing: Parties.homes[1])
        tabletKey = SymmetricKey(data: parties.federation.entropy.bytes(32))
        reader = try Reader(using: &parties.federation.entropy)
        phone = parties.session
    }

    mutating func sign(by service: SigningService) throws { try parties.sign(by: service) }

    mutating func tell(in presentation: inout Presentation) throws {
        presentation.introduce([
            "Ada has the edu-ID app on her phone and on a tablet, which she shares with Bob.",
            "Things go wrong, as they do: answers are lost, networks and phones too. Every state has a way on.",
        ])
        try begin(&presentation)
        try loseAnAnswer(&presentation)
        try choose(&presentation)
        try endAnApp(&presentation)
        try fly(&presentation)
        try share(&presentation)
        try loseThePhone(&presentation)
        try leaveAService(&presentation)
        try takeANewPhone(&presentation)
    }

    // MARK: Scenes

    private mutating func begin(_ presentation: inout Presentation) throws {
        try parties.signIn()
        try parties.authorize(alpha)
        try parties.authorize(beta)
        try giveReaderAccess()
        guard parties.session.givenAuthorizations.map(\.app) == [reader.bundle] else {
            throw Broken("what Reader was given is not recorded")
        }
        narrator.skip(parties.federation)
        show(
            "1 to 8", "Ada signs in on her phone, is introduced to two universities, and lets Reader in at Alpha",
            ["AUT-1", "AST-1", "APP-7", "DAT-2"], &presentation,
            remarks: ["recorded on the phone: \(reader.bundle) at \(name(alpha))"])
    }

    /// The answer to a renewal never arrives: the process is killed, and begins with what is kept.
    private mutating func loseAnAnswer(_ presentation: inout Presentation) throws {
        parties.federation.wait(.seconds(3_600))
        let kept = parties.session.store
        _ = try? perform(.renewal(of: .user), losing: true)
        parties.session.store = kept
        parties.federation.wait(.seconds(20))
        try parties.perform(.renewal(of: .user))
        guard parties.session.isSignedIn else { throw Broken("a lost answer signs Ada out") }
        tell(
            "2", "A lost answer: the same request within the minute gets the same answer, and nothing ends",
            ["TOK-2", "threat 72"], &presentation, remarks: ["the first of the two answers never reached the phone"])
    }

    private mutating func choose(_ presentation: inout Presentation) throws {
        let request = try reader.request(of: &parties).request
        var mode = AuthorizationMode(for: request, isSignedIn: true)
        try mode.note(.known(parties.session.knownChoices(for: request)))
        guard case .selection(let known) = mode.screen, known.isSearching else { throw Broken("nothing is known") }
        try mode.note(.found(parties.perform(.candidates(for: request))))
        for service in known.picked { try mode.take(.unpick(service)) }
        guard case .selection(let none) = mode.screen, none.granted.count == 2 else {
            throw Broken("the screen does not say what picking none means")
        }
        guard case .hide(beta) = try mode.take(.hide(beta)) else { throw Broken("Beta is not hidden") }
        try parties.perform(.hiding(beta))
        let offered = parties.session.knownChoices(for: request)
        guard offered.map(\.service) == [alpha] else { throw Broken("a hidden service is shown") }
        tell(
            "3b", "Ada chooses: what she used is preselected, picking none means all, and what she hides stays away",
            ["UX-2", "DSC-10"], &presentation,
            remarks: [
                "preselected: " + known.picked.sorted().map(name).joined(separator: ", "),
                "with none picked, the screen says that all would be granted: "
                    + none.granted.map(name).joined(separator: ", "),
                "hidden until she undoes it: \(name(beta))",
            ])
    }

    private mutating func endAnApp(_ presentation: inout Presentation) throws {
        // What it got first has expired with the hour.
        try giveReaderAccess()
        guard try isLetIn() else { throw Broken("Reader is not let in") }
        narrator.skip(parties.federation)
        guard try parties.perform(.ending(reader.bundle, at: alpha)) == .confirmed else {
            throw Broken("not confirmed")
        }
        guard try !isLetIn() else { throw Broken("Reader is still let in") }
        guard parties.session.authorizedServices.contains(alpha) else { throw Broken("the service is gone too") }
        tell(
            "10", "An app ended: Reader loses what it got at Alpha, and nothing else ends", ["TOK-5", "DAT-2"],
            &presentation, remarks: ["Reader's next request: refused, it has to ask Ada again"])
    }

    private mutating func fly(_ presentation: inout Presentation) throws {
        guard try perform(.signOut, losing: nil) == .pending else { throw Broken("confirmed without a network") }
        guard !parties.session.isSignedIn, parties.session.authorizedServices.isEmpty else {
            throw Broken("the session can still be used")
        }
        var mode = EduIDMode(signedIn: [:])
        _ = (try mode.take(.logOut), try mode.take(.confirm))
        try mode.note(.loggedOut(.pending))
        guard mode.screen == .login(.logoutPending) else { throw Broken("the screen does not say that it is pending") }
        let pending = parties.session.endings
        narrator.skip(parties.federation)
        parties.federation.wait(.seconds(7_200))
        try parties.perform(.launch)
        guard parties.session.endings.isEmpty, parties.federation.deliver() == 2 else {
            throw Broken("the logout was not told")
        }
        tell(
            "10", "A flight without network: Ada logs out in the air, and the services hear of it on the ground",
            ["UX-5", "TOK-7", "threat 32"], &presentation,
            remarks: [
                "in the air: nobody is signed in, \(pending.count) ending is pending",
                "all that was left of the session was a key that could only end it",
            ])
        try parties.signIn()
        try parties.authorize(alpha)
        phone = parties.session
        narrator.skip(parties.federation)
    }

    /// Each on the tablet has an instance, a key and a sealed store of his or her own.
    private mutating func share(_ presentation: inout Presentation) throws {
        let (ada, other) = (try addToTablet("Ada"), try addToTablet("Bob"))
        try turnTablet(to: ada)
        try parties.signIn()
        try turnTablet(to: other)
        guard rejection(of: .signIn(bob.name, bob.password), in: &parties) == .stepWanted, !parties.session.isSignedIn,
            let pending = parties.session.pendingSignIn(at: parties.federation.now)
        else { throw Broken("a password alone signs Bob in") }
        try parties.perform(.step(.oneTimeCode(code)))
        try parties.perform(.launch)
        guard parties.session.profile["given_name"] == "Bob" else { throw Broken("Bob is not Bob") }
        tell(
            "1, 2, 2a, 3",
            "A second person on the tablet: Bob signs in with a one-time code too, and with an instance of his own",
            ["USR-1", "FED-1", "DAT-1", "FPA-3"], &presentation,
            remarks: [
                "after the password the app was told what else it takes: "
                    + pending.steps.map(\.name.text).joined(separator: ", ")
            ])
        let before = parties.federation.traffic.count
        try turnTablet(to: ada)
        guard parties.session.isSignedIn, parties.session.profile["given_name"] == "Ada",
            parties.federation.traffic.count == before
        else { throw Broken("to switch costs Ada something") }
        let seal = AuthorizingApp.People.seal(of: other, under: tabletKey) { 0 }
        guard let text = kept[ada]?.text, (try? AuthorizingApp.Store(parsing: text, opening: seal)) == nil else {
            throw Broken("Bob can open what is Ada's")
        }
        show(
            "-", "Ada takes the tablet again: she is still signed in, and nobody had to be asked", ["USR-1", "DAT-1"],
            &presentation, remarks: ["what is kept of Ada does not open with Bob's seal"])
    }

    private mutating func loseThePhone(_ presentation: inout Presentation) throws {
        let instances = try parties.perform(.instances)
        guard instances.count == 2, let stolen = instances.first(where: { !$0.isThis }) else {
            throw Broken("\(instances.count) instances are listed, two exist")
        }
        guard try parties.perform(.disconnect(stolen.id)) else { throw Broken("the phone goes on") }
        _ = parties.federation.deliver()
        tell(
            "10", "A device stolen: from the tablet Ada sees her instances, and ends the phone's",
            ["USR-2", "USR-3", "REG-8"], &presentation,
            remarks: instances.map { "\($0.name ?? "?"): \($0.version ?? "?")\($0.isThis ? ", this one" : "")" })
        var thief = parties
        thief.session = phone
        guard case .some = rejection(of: .launch, in: &thief), !thief.session.isSignedIn else {
            throw Broken("the thief is still signed in")
        }
        parties.federation = thief.federation
        try parties.perform(.launch)
        guard parties.session.isSignedIn else { throw Broken("the tablet ended with the phone") }
        tell(
            "3", "The thief is signed out at the next launch; the tablet goes on", ["REG-8", "UX-6"], &presentation,
            remarks: ["the first requests are the thief's, the others Ada's"])
    }

    private mutating func leaveAService(_ presentation: inout Presentation) throws {
        try parties.authorize(alpha)
        try parties.authorize(beta)
        narrator.skip(parties.federation)
        guard try parties.perform(.unlinking(alpha)) == .confirmed else { throw Broken("not confirmed") }
        guard parties.session.authorizedServices == [beta] else { throw Broken("something else was left too") }
        tell(
            "10", "A service left: Alpha ends what it gave this tablet, and Beta goes on", ["TOK-5", "TOK-6"],
            &presentation)
    }

    /// A phone whose keys lie in its secure element: each signature is for Ada to give.
    private mutating func takeANewPhone(_ presentation: inout Presentation) throws {
        let seed = parties.federation.entropy.next()
        try parties.turn(to: SecureElement(seed: seed, on: .p256), named: "Ada's new phone")
        try parties.signIn()
        try parties.perform(.discovery(.services([beta])))
        var declining = parties
        let asked = parties.element?.requests.count ?? 0
        declining.element?.answer = { $0 == asked ? .nothing : .signature }
        guard rejection(of: .introduction(to: beta), in: &declining) == .unsigned,
            declining.session.store.revision == parties.session.store.revision,
            declining.federation.traffic.count == parties.federation.traffic.count
        else { throw Broken("something was lost with a signature that Ada declined") }
        parties.element = declining.element
        try parties.perform(.introduction(to: beta))
        guard parties.session.authorizedServices == [beta], parties.session.keyNames.count == 2 else {
            throw Broken("the new phone's keys do not lead on")
        }
        let signatures = parties.element?.requests.count ?? 0
        tell(
            "1 to 5", "A new phone, with keys of P-256 in its secure element: Ada declines once, nothing is lost",
            ["KEY-21", "POP-1", "threat 77"], &presentation,
            remarks: [
                "\(signatures) signatures asked for, one declined: \(Rejection.unsigned.text)",
                "nothing had been sent or stored; asked again, Ada agreed",
                "the tablet goes on with the keys that it keeps itself",
            ])
    }

    // MARK: What is done in them

    /// Carries out an interaction over a network that loses the answers, or with `nil` takes no requests either.
    private mutating func perform<Value>(
        _ interaction: AuthorizingApp.Interaction<Value>, losing isHeard: Bool?
    ) throws(Rejection) -> Value {
        var (session, federation) = (parties.session, parties.federation)
        defer { (parties.session, parties.federation) = (session, federation) }
        var entropy = SimulatedFederation.Entropy(seed: federation.entropy.next())
        return try session.carryOut(interaction, at: federation.now, using: &entropy) { request in
            if isHeard != nil { _ = federation.send(request) }
            return nil
        }
    }

    private func rejection<Value>(of interaction: AuthorizingApp.Interaction<Value>, in parties: inout Parties)
        -> Rejection?
    {
        do throws(Rejection) {
            try parties.perform(interaction)
            return nil
        } catch {
            return error
        }
    }

    private mutating func giveReaderAccess() throws {
        let checked = try reader.request(of: &parties)
        let granted = try parties.perform(.access(for: checked, at: alpha))
        _ = try reader.accept([granted], for: checked, at: parties.federation.now)
    }

    private mutating func isLetIn() throws -> Bool {
        if case .granted? = try reader.use(alpha, path: "items", of: &parties).1 { true } else { false }
    }

    private mutating func addToTablet(_ name: String) throws -> ClientID {
        let installation = try Parties.installation(
            on: "The tablet", version: SigningKey(parties.versionKeys[2]), using: &parties.federation.entropy)
        try tablet.add(installation, named: name)
        kept[installation.instance] = (installation, "")
        return installation.instance
    }

    /// Seals what the one has, and opens what the other has.
    private mutating func turnTablet(to person: ClientID) throws {
        let seal = { [tabletKey] (instance: ClientID) in
            AuthorizingApp.People.seal(of: instance, under: tabletKey) { .random(in: 0 ... .max) }
        }
        let before = parties.session
        kept[before.installation.instance]?.text = before.store.serialized(
            sealing: seal(before.installation.instance))
        try tablet.turn(to: person)
        guard let found = kept[person] else { throw Broken("nothing is kept of this person") }
        let store =
            found.text.isEmpty
            ? AuthorizingApp.Store() : try AuthorizingApp.Store(parsing: found.text, opening: seal(person))
        parties.session = AuthorizingApp.Session(found.installation, with: phone.eduID, store: store)
    }

    // MARK: What is shown

    private mutating func tell(
        _ interaction: String, _ title: String, _ fulfils: [String], _ presentation: inout Presentation,
        remarks: [String] = []
    ) {
        presentation.show(
            narrator.tell(interaction, title, as: "edu-ID app", fulfils, of: parties.federation, remarks: remarks))
    }

    private func show(
        _ interaction: String, _ title: String, _ fulfils: [String], _ presentation: inout Presentation,
        remarks: [String] = []
    ) {
        presentation.show(Interaction(number: interaction, title: title, remarks: remarks, fulfils: fulfils))
    }

    private func name(_ service: ServiceURL) -> String { Narrator.name(of: service, in: parties.federation) }
}
