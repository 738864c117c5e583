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

    @Test("A service takes the word of its federation's edu-ID service, and of no other one", .proves("FED-1"))
    func oneEduIDService() throws {
        var stage = try Stage.fresh()
        let other = "https://eduid.example.com"
        for claims: JSON.Object in [["iss": .string(other)], ["iss": .string(other), "azp": "instance-9"]] {
            try Expected("invalid_grant", 400, "RFC8725-3.8").check(
                &stage, try Stage.redeeming(stage.assertion().claiming(claims), stage.instanceProof()))
        }
        // Whose key it trusts follows from who it is: the same name by another key is nobody's word either.
        try Expected("invalid_grant", 400, "RFC7515-5.2").check(
            &stage, try Stage.redeeming(stage.assertion().signed(by: Pair.stranger), stage.instanceProof()))
        _ = try stage.redeem()
    }

    @Test("A federation has as many services as it likes, and a device as many apps", .proves("FED-1"))
    func many() throws {
        var parties = try Parties(seed: 2)
        let first = parties.federation.services[0].service
        let papi = try ProtocolName(parsing: Parties.protocolName)
        var members = parties.federation.eduID.index.listings.count
        var index: [ServiceIndex.Member] = []
        for number in 0..<40 {
            let home = try ServiceURL(parsing: "https://service-\(number).example.ch")
            var document = ServiceDescription(engineLink: "", homePageLink: home.url.text)
            for (name, link) in [("org.ietf.oauth2", "oauth"), (Parties.protocolName, "api/papi")] {
                document[try ProtocolName(parsing: name)] = ServiceDescription.API(
                    try ProtocolName(parsing: name), link: link)
            }
            let key = JWK.Private(
                try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: UInt8(number + 9), count: 32)),
                attributes: JWK.Attributes(id: try KeyID(parsing: "service-\(number)")))
            let authority = try Authority(
                Issuer(parsing: home.identity),
                keys: .init(signing: key, master: SymmetricKey(data: [UInt8](repeating: UInt8(number), count: 32))))
            parties.federation.services.append(
                SimulatedFederation.Service(
                    try FederationService(authority, document: document, trusting: first.eduID)))
            index.append(try ServiceIndex.Member(home))
            try parties.federation.eduID.directory.update(home, document)
            members += 1
        }
        parties.federation.eduID.index = ServiceIndex(index)
        try parties.signIn()
        let found = try parties.perform(.discovery(.protocols([papi])))
        #expect(found.count == members)
        for service in found where index.contains(where: { $0.home == service.url }) {
            try parties.authorize(service.url)
            for app in 0..<2 {
                let granted = try parties.perform(
                    .access(for: try BundleID(parsing: "com.example.app\(app)"), at: service.description, to: [papi]))
                #expect(granted.authorization != nil)
            }
        }
        #expect(parties.session.authorizedServices.count == 40)
    }
}
