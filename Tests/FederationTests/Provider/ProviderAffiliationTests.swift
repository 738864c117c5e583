import Federation
import FederationTesting
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(4) Membership, as a provider tells it")
struct ProviderAffiliationTests {
    private static let staff = "staff@alpha.example.ch"
    private static let student = "student@beta.example.ch"
    private static let places = Result { try Parties.homes.map { try ServiceURL(parsing: $0) } }

    /// Ada belongs to two universities by the provider's word, and each has a service for its own people.
    private func street(_ listed: [String] = [staff, student]) throws -> Street {
        var street = try Street()
        let services = street.parties.federation.eduID.index.services
        street.parties.federation.eduID.index = ServiceIndex(
            try zip(services, ["*@alpha.example.ch", "*@beta.example.ch"]).map { service, demand in
                var service = service
                service.affiliations = [try AffiliationDemand(parsing: demand)]
                return service
            })
        tell(listed, &street)
        return street
    }

    /// What the provider says of Ada from now on.
    private func tell(_ listed: [String], _ street: inout Street) {
        var claims = Street.ada.claims
        claims["eduperson_scoped_affiliation"] = .array(listed.map { .string($0) })
        street.parties.federation.provider?.people[0] = SimulatedProvider.Person("A-1", claims: claims)
    }

    /// How many introductions stand, and of how many affiliations.
    private func standing(_ street: Street) -> [Int] {
        let (store, now) = (street.parties.federation.eduIDStore, street.parties.federation.now)
        return [store.living(.assertion, at: now), store.living(.affiliation, at: now)]
    }

    private func authorize(_ place: Int, _ street: inout Street) throws {
        try street.parties.authorize(try Self.places.get()[place])
    }

    /// That somebody is not introduced, and for which reason.
    private func expectRefusal(_ clause: String, at place: Int, _ street: inout Street) throws {
        let url = try Self.places.get()[place]
        try street.parties.perform(.discovery(.services([url])))
        #expect(throws: Rejection.self) { try street.perform(.introduction(to: url)) }
        #expect(street.lastClause == clause)
    }

    private func expel(_ affiliation: String, _ street: inout Street) throws {
        let user = try #require(
            street.parties.federation.eduIDStore.page(of: .all(.personal), limit: 9)?.lineages.first?.record.subject)
        street.parties.federation.administrate(.expel(try Affiliation(parsing: affiliation), user))
    }

    @Test("What a newer sign-in lists no more ends, and the rest stays", .proves("AFF-2"), .proves("AFF-3"))
    func newerWord() throws {
        var street = try street()
        try street.signIn()
        for place in 0...1 { try authorize(place, &street) }
        #expect(standing(street) == [2, 2])
        tell([Self.student], &street)
        street.wait(60)
        #expect(standing(street) == [2, 2], "nobody knows yet")
        try street.signIn()
        #expect(standing(street) == [1, 1])
        try expectRefusal("AFF-1", at: 0, &street)
        try street.perform(.introduction(to: try Self.places.get()[1]))
    }

    @Test("A word that is too old ends what stands on it, and a new sign-in gives a new one", .proves("AFF-3"))
    func oldWord() throws {
        var street = try street()
        street.parties.federation.eduID.policy.affiliationLifetime = .seconds(1_000)
        try street.signIn()
        try authorize(0, &street)
        street.wait(999)
        #expect(standing(street) == [1, 1])
        street.wait(1)
        #expect(standing(street) == [0, 0])
        try expectRefusal("AFF-3", at: 0, &street)
        #expect(street.parties.session.isSignedIn, "whoever is signed in stays so")
        try street.signIn()
        try authorize(0, &street)
        #expect(standing(street) == [1, 1])
    }

    @Test("A newer word does not prolong what stands on an older one", .proves("AFF-3"))
    func notProlonged() throws {
        var street = try street()
        street.parties.federation.eduID.policy.affiliationLifetime = .seconds(1_000)
        try street.signIn()
        try authorize(0, &street)
        street.wait(500)
        try street.signIn()
        try authorize(0, &street)
        #expect(standing(street)[1] == 2)
        street.wait(500)
        #expect(standing(street) == [1, 1])
    }

    @Test("Whoever is expelled stays out until the provider says otherwise", .proves("AFF-2"))
    func expelled() throws {
        var street = try street()
        try street.signIn()
        for place in 0...1 { try authorize(place, &street) }
        try expel(Self.staff, &street)
        #expect(standing(street) == [1, 1])
        try expectRefusal("AFF-1", at: 0, &street)
        try street.signIn()
        try authorize(0, &street)
        #expect(standing(street) == [2, 2])
    }

    @Test("Nor does a sign-in that had begun bring the old word back", .proves("AFF-2"))
    func expelledMeanwhile() throws {
        var street = try street()
        try street.signIn()
        try authorize(0, &street)
        let link = try street.link()
        try expel(Self.staff, &street)
        try street.perform(.returning(with: link))
        #expect(standing(street) == [0, 0])
        try expectRefusal("AFF-1", at: 0, &street)
    }

    @Test("What the host says itself counts in the place of that", .proves("AFF-1"))
    func directory() throws {
        var street = try street([Self.student])
        street.parties.federation.eduID.policy.affiliationLifetime = .seconds(1)
        try street.signIn()
        let user = try #require(
            street.parties.federation.eduIDStore.page(of: .all(.personal), limit: 9)?.lineages.first?.record.subject)
        street.parties.federation.users.append(
            SimulatedFederation.User(
                try UserName(parsing: "somebody"), password: try Secret.Password(parsing: "somebody's"), subject: user,
                profile: ["eduPersonScopedAffiliation": .string(Self.staff)]))
        street.wait(2)
        try authorize(0, &street)
        #expect(standing(street) == [1, 1])
        try expectRefusal("AFF-1", at: 1, &street)
    }
}
