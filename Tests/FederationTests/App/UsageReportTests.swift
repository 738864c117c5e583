import Federation
import FederationTesting
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import Wire

@Suite("What the app tells of services that were asked to take the person")
struct UsageReportTests {
    /// What is sent to the usage list at the next launch.
    private func told(_ parties: inout Parties) throws -> [String] {
        let count = parties.federation.traffic.count
        try parties.perform(.launch)
        return parties.federation.traffic.dropFirst(count).map(\.request).filter { $0.target.path == "/usage" }.map {
            $0.method.text + String(decoding: $0.body, as: UTF8.self)
        }
    }

    @Test("Who accepted is told once, and so is who refused afterwards", .proves("USE-3"), .proves("AST-6"))
    func outcomes() throws {
        var parties = try Parties(seed: 6)
        try parties.signIn()
        let alpha = try ServiceURL(parsing: Parties.homes[0])
        try parties.authorize(alpha)
        #expect(parties.session.usage == [alpha])
        #expect(try told(&parties) == [#"POST{"service":"\#(alpha.identity)","outcome":"accepted"}"#])
        #expect(try told(&parties) == ["GET"] && parties.session.usage == [alpha])
        // Asked once more, the service refuses, and is not used any more.
        try parties.perform(.unlinking(alpha))
        parties.federation.services[0].service.policy.users = .only([])
        try parties.perform(.discovery(.services([alpha])))
        #expect(throws: Rejection.self) { try parties.perform(.introduction(to: alpha)) }
        #expect(parties.session.refusingServices == [alpha])
        #expect(try told(&parties) == [#"POST{"service":"\#(alpha.identity)","outcome":"refused"}"#])
        #expect(try told(&parties) == ["GET"] && parties.session.usage == [])
    }

    @Test("Without a usage manager nothing is asked", .proves("USE-4"))
    func withoutManager() throws {
        var parties = try Parties(seed: 7)
        parties.federation.eduID.policy.hasUsageManager = false
        let description = try #require(parties.federation.eduID.description)
        #expect(description.endpoints[.usage] == nil)
        parties.session = AuthorizingApp.Session(parties.session.installation, with: description)
        try parties.signIn()
        #expect(try told(&parties) == [] && parties.session.usage == nil && parties.session.isSignedIn)
    }

    @Test("Who answers that there is no list is told nothing more before the next launch", .proves("USE-4"))
    func listGone() throws {
        var parties = try Parties(seed: 8)
        try parties.signIn()
        for home in Parties.homes.prefix(2) { try parties.authorize(ServiceURL(parsing: home)) }
        // The metadata that the app has read still name the endpoint.
        parties.federation.eduID.policy.hasUsageManager = false
        for _ in 1...2 {
            #expect(try told(&parties).count == 1)
            #expect(parties.session.usage == nil && parties.session.authorizedServices.count == 2)
        }
        parties.federation.eduID.policy.hasUsageManager = true
        #expect(try told(&parties).count == 2)
        #expect(parties.session.usage?.count == 2)
    }
}
