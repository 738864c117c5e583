import JOSE
import NAIL
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import Wire

@Suite("NAIL state: addresses that documents name", .proves("threat-70"))
struct AddressTests {
    /// A state whose service takes tokens at an address.
    private func state(_ address: String) throws -> NAILState {
        let apis: JSON = [
            "org.ietf.oauth2": ["apiLink": .string(address)], "org.example.reading": ["apiLink": "reading"],
        ]
        return try Sample.state(
            Sample.document(authorization: Sample.plain("token-1", refresh: "r-1"), extra: ["apis": apis]))
    }

    @Test(
        "What renews goes neither into the own network nor to a port that is not the service's",
        arguments: [
            "https://127.0.0.1/oauth/", "https://10.1.2.3/oauth/", "https://[fe80::1]/oauth/",
            "https://localhost/oauth/",
            "https://router.lan/oauth/", "https://alpha.example.ch:22/oauth/",
        ])
    func renewal(_ address: String) throws {
        var state = try state(address)
        let (name, endpoint) = (try Sample.name(Sample.reading), try WebURL(parsing: address + "token"))
        var entropy = SeededGenerator(seed: 70)
        #expect(throws: NAILState.Refusal.closedAddress(endpoint)) {
            try state.renew(Sample.alpha, name, at: Sample.now, using: &entropy)
        }
        state.destinations = .anywhere
        #expect((try? state.renew(Sample.alpha, name, at: Sample.now, using: &entropy)) != nil || endpoint.port == 22)
        var former = try self.state(address)
        let revocation = try former.revoke(Sample.alpha, at: Sample.now, using: &entropy)
        #expect(revocation.requests.isEmpty && !revocation.isComplete)
        #expect(former.serviceNames.isEmpty, "forgotten all the same")
    }

    @Test("The service's own port is its own") func ownPort() throws {
        let home = "https://alpha.example.ch:8443"
        var state = try Sample.state(Sample.document(home, authorization: Sample.plain("token-1", refresh: "r-1")))
        var entropy = SeededGenerator(seed: 70)
        let renewal = try state.renew(home, Sample.name(Sample.reading), at: Sample.now, using: &entropy)
        #expect(renewal.request.target == .absolute(try WebURL(parsing: home + "/oauth/token")))
    }

    @Test("An app says where its device may go") func device() async throws {
        let device = Device()
        let app = try device.app()
        #expect(app.state.destinations == .worldwide)
        var adapter = try device.surroundings()
        adapter.destinations = .anywhere
        #expect(ThirdPartyApp(named: "Reader", id: "ch.example.reader", on: adapter).state.destinations == .anywhere)
    }
}
