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
    @Test("A person's app is registered, signs in, is introduced, and lets an app in", .proves("REG-1"))
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
        try cast.authorize(home)
        let reader = try BundleID(parsing: "ch.example.reader")
        let granted = try cast.authorizeApp(reader, at: alpha, for: [papi])
        #expect(granted.authorization != nil)
        #expect(cast.federation.refusals.isEmpty)
    }
}
