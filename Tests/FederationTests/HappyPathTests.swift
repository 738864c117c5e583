import Federation
import FederationTesting
import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("Journeys: everything goes well")
struct HappyPathTests {
    @Test(
        "One edu-ID service and one app on the device introduce a person to every service, and let in any app",
        .proves("FED-1"),
        .proves("REG-1"))
    func wholeStory() throws {
        var parties = try Parties(seed: 1)
        try parties.perform(.registration)
        #expect(parties.session.isRegistered)
        try parties.signIn()
        #expect(parties.session.isSignedIn)
        #expect(parties.session.profile["name"] == "Ada Muster")
        #expect(parties.session.usage == [])
        let papi = try ProtocolName(parsing: Parties.protocolName)
        let found = try parties.perform(.discovery(.protocols([papi]))).map(\.description)
        #expect(found.count == 2)
        let alpha = try #require(found.first { $0.engineName == "University of Alpha" })
        let home = try #require(alpha.serviceURL)
        let beta = try #require(found.first { $0.engineName == "University of Beta" })
        try parties.authorize(home)
        try parties.authorize(try #require(beta.serviceURL))
        #expect(parties.session.authorizedServices.count == 2)
        for app in ["ch.example.reader", "com.example.writer"] {
            for service in [alpha, beta] {
                let granted = try parties.perform(.access(for: try BundleID(parsing: app), at: service, to: [papi]))
                #expect(granted.authorization != nil)
            }
        }
        #expect(parties.federation.refusals.isEmpty)
    }
}
