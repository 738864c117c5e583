import Federation
import FederationTesting
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

/// A description may have the endpoints of the authorization component in places of their own: service, edu-ID service
/// and apps look for them by the same rule.
@Suite("Where a service has its endpoints")
struct EndpointPlaceTests {
    private static let reader: BundleID = "com.example.reader"
    private static let links = ["token": "login/token", "authorize": "login/codes", "revoke": "logout"]

    private func home() throws -> ServiceURL { try ServiceURL(parsing: Parties.homes[0]) }

    private func document(_ parties: Parties, _ links: [String: String]) throws -> ServiceDescription {
        var document = parties.federation.services[0].service.document
        for (path, link) in links {
            let name = try ProtocolName(parsing: "org.ietf.oauth2." + path)
            document[name] = ServiceDescription.API(name, link: link)
        }
        return document
    }

    /// A person who has used nothing yet, and a service with this description.
    private func parties(_ links: [String: String]) throws -> Parties {
        var parties = try Parties(seed: 311)
        let former = parties.federation.services[0].service
        let document = try document(parties, links)
        parties.federation.services[0] = SimulatedFederation.Service(
            try FederationService(former.authority, document: document, trusting: former.eduID))
        try parties.federation.eduID.directory.update(home(), document)
        try parties.signIn()
        return parties
    }

    private func living(_ kind: Record.Kind, _ parties: Parties) -> Int {
        parties.federation.services[0].store.living(kind, at: parties.federation.now)
    }

    @Test(
        "Whatever has a place of its own, all that a person does works", .proves("RSD-3"), .proves("APP-3"),
        arguments: [["token"], ["authorize"], ["revoke"], ["token", "authorize", "revoke"]])
    func elsewhere(_ paths: [String]) throws {
        var parties = try parties(Self.links.filter { paths.contains($0.key) })
        try parties.authorize(home())
        let known = try #require(parties.session.store.contents.services[home()]?.description)
        let given = try parties.perform(
            .access(for: Self.reader, at: known, to: [ProtocolName(parsing: Parties.protocolName)]))
        // The app that gets it finds the same places, and is offered nothing else.
        let oauth2 = try ProtocolName(parsing: "org.ietf.oauth2")
        for path in ["token", "revoke"] {
            #expect(try given.endpoint(for: oauth2, path: path) == known.endpoint(for: oauth2, path: path))
        }
        #expect(given.apis.count == 2 + paths.count)
        #expect(try parties.perform(.apps(at: home())).map(\.app) == [Self.reader])
        #expect(living(.service, parties) == 1 && living(.app, parties) == 1)
        #expect(try parties.perform(.ending(Self.reader, at: home())) == .confirmed)
        #expect(living(.service, parties) == 1 && living(.app, parties) == 0)
        try parties.perform(
            .access(for: Self.reader, at: known, to: [ProtocolName(parsing: Parties.protocolName)]))
        #expect(try parties.perform(.disconnect(Self.reader, at: home())))
        #expect(living(.app, parties) == 0)
        parties.federation.wait(.seconds(3_600))
        try parties.perform(.introduction(to: home()))
        #expect(try parties.perform(.unlinking(home())) == .confirmed)
        #expect(living(.service, parties) == 0)
    }

    @Test("No app is given what is the authorization component's", .proves("RSD-3"), .proves("APP-4"))
    func offer() throws {
        let parties = try parties(Self.links)
        let scopes = parties.federation.services[0].service.description?.scopes
        #expect(scopes?.text == "https://alpha.example.ch/api/papi https://alpha.example.ch/api/lti")
    }

    @Test(
        "A token is shown at no other place than where it was given, be it of renewals or of endings",
        .proves("DAT-3"), arguments: ["token", "revoke", "authorize"])
    func moved(_ path: String) throws {
        var parties = try parties([:])
        try parties.authorize(home())
        try parties.federation.eduID.directory.update(
            home(), document(parties, Self.links.filter { $0.key == path }))
        try parties.perform(.discovery(.services([home()])))
        // Nothing is shown where codes are for.
        #expect(parties.session.authorizedServices == (path == "authorize" ? [try home()] : []))
    }
}
