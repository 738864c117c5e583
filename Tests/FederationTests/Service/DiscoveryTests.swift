import Federation
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(3b) Protocol discovery beside a service")
struct DiscoveryTests {
    private static let discovery = Stage.home + "/discovery"

    /// A discovery that knows of no services, at a service that has something to add to its tokens' scope already.
    private func opened() throws -> (Stage, ProtocolDiscovery, Held) {
        var stage = try Stage.fresh()
        stage.service.policy.serviceScope = Scope([try Scope.Token(try WebURL(parsing: Stage.home + "/news"))])
        let discovery = ProtocolDiscovery(stage.service, directory: ServiceDirectory())
        stage.service = discovery.service
        let service = try stage.redeem()
        return (stage, discovery, service)
    }

    /// What is answered to a query whose proof is for a URL.
    private func ask(
        _ stage: inout Stage, _ discovery: ProtocolDiscovery, _ method: HTTP.Request.Method = .post, at url: String,
        _ proof: Draft
    ) throws -> HTTP.Response {
        var request = try Stage.get(url, bearer: proof.text, method: method)
        request.body = Array("[\"org.ieee.papi\"]".utf8)
        var exchange = discovery.exchange(for: request, at: stage.now, using: &stage.entropy)
        while case .facts(let keys)? = exchange.lookup { exchange.supply(.facts(stage.store.load(keys))) }
        let decision = exchange.decision
        guard case .respond(let response) = decision.conclusion(after: .applied) else {
            throw Missing(member: "an answer")
        }
        // The host is told why, as everywhere.
        #expect((response.status == .unauthorized) == (decision.refusal != nil))
        return response
    }

    @Test("The discovery comes beside what else a service token opens", .proves("DSC-8"))
    func scope() throws {
        let (_, _, service) = try opened()
        #expect(service.members["scope"]?.string == Stage.home + "/oauth " + Stage.home + "/news " + Self.discovery)
    }

    @Test(
        "A proof is for the endpoint that is asked", .proves("DSC-5"), .proves("threat-36"),
        arguments: [discovery, discovery + "/protocols"])
    func proofs(_ url: String) throws {
        var (stage, discovery, service) = try opened()
        #expect(try ask(&stage, discovery, at: url, stage.proof(service, url)).status == .ok)
        #expect(
            try ask(&stage, discovery, at: url, stage.proof(service, Self.discovery + "/services")).status
                == .unauthorized)
    }

    @Test("A query comes by POST", .proves("DSC-1"))
    func methods() throws {
        var (stage, discovery, service) = try opened()
        let response = try ask(&stage, discovery, .get, at: Self.discovery, stage.proof(service, Self.discovery))
        #expect(response.status == .methodNotAllowed)
    }
}
