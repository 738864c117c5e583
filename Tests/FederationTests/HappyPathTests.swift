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
        var cast = try Cast(seed: 1)
        try cast.register()
        #expect(cast.session.isRegistered)
        try cast.signIn()
        #expect(cast.session.isSignedIn)
        #expect(cast.session.profile["name"] == "Ada Muster")
        #expect(cast.session.usage == [])
        let papi = try ProtocolName(parsing: Cast.protocolName)
        let found = try cast.discover([papi])
        #expect(found.count == 2)
        let alpha = try #require(found.first { $0.engineName == "University of Alpha" })
        let home = try #require(alpha.serviceURL)
        let beta = try #require(found.first { $0.engineName == "University of Beta" })
        try cast.authorize(home)
        try cast.authorize(try #require(beta.serviceURL))
        #expect(cast.session.authorizedServices.count == 2)
        for app in ["ch.example.reader", "com.example.writer"] {
            for service in [alpha, beta] {
                let granted = try cast.authorizeApp(try BundleID(parsing: app), at: service, for: [papi])
                #expect(granted.authorization != nil)
            }
        }
        #expect(cast.federation.refusals.isEmpty)
    }
}
