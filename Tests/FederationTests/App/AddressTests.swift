import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("S3: addresses that others name", .proves("threat-70"))
struct AddressTests {
    private static let closed = [
        "https://127.0.0.1/oauth/", "https://10.1.2.3/oauth/", "https://[fd00::1]/oauth/", "https://localhost/oauth/",
        "https://printer.local/oauth/", "https://intranet/oauth/", "https://169.254.169.254/oauth/",
        "https://alpha.example.ch:22/oauth/",
    ]

    /// Carries out an interaction whose answers name another address; what was asked, and why it ended.
    private func asked<Value>(
        _ interaction: AuthorizingApp.Interaction<Value>, of session: AuthorizingApp.Session,
        over send: (HTTP.Request) -> HTTP.Response?
    ) -> (urls: [WebURL], rejection: Rejection?) {
        var (session, urls, entropy) = (session, [WebURL](), SimulatedFederation.Entropy(seed: 1))
        do throws(Rejection) {
            _ = try session.carryOut(interaction, at: Timestamp(seconds: 1_800_000_000), using: &entropy) { request in
                if case .absolute(let url) = request.target { urls.append(url) }
                return send(request)
            }
        } catch {
            return (urls, error)
        }
        return (urls, nil)
    }

    @Test("An instance takes no token to an address that an introduction names", arguments: closed)
    func introductions(_ address: String) throws {
        var parties = try Parties(seed: 70)
        try parties.signIn()
        let service = try ServiceURL(parsing: Parties.homes[0])
        let url = try WebURL(parsing: address)
        func introduced(_ session: AuthorizingApp.Session) -> (urls: [WebURL], rejection: Rejection?) {
            var federation = parties.federation
            return asked(.introduction(to: service), of: session) { request in
                guard let response = federation.send(request), var body = (try? JSON(parsing: response.body))?.object
                else { return nil }
                body["redirect_uri"] = .string(address)
                return HTTP.Response(response.status, fields: response.fields, body: body.encoded())
            }
        }
        try parties.perform(.discovery(.services([service])))
        let (urls, rejection) = introduced(parties.session)
        #expect(rejection == .closedAddress(url))
        #expect(urls.count == 1 && urls.allSatisfy { $0.host.text == "eduid.example.ch" })
        // Whoever wants that for a test says so; a port of its own is refused all the same.
        parties.session.destinations = .anywhere
        #expect((introduced(parties.session).rejection == .closedAddress(url)) == (url.port != nil))
    }

    @Test("A token is neither renewed nor ended at an address that its service's document names", arguments: closed)
    func renewals(_ address: String) throws {
        var parties = try Parties(seed: 71)
        try parties.signIn()
        let service = try ServiceURL(parsing: Parties.homes[0])
        try parties.authorize(service)
        let url = try WebURL(parsing: address)
        try parties.session.store.change { $0.services[service]?.tokenTarget = url }
        let holder = AuthorizingApp.Holder.service(service)
        let (urls, rejection) = asked(.renewal(of: holder), of: parties.session) { _ in nil }
        #expect(rejection == .closedAddress(url) && urls.isEmpty)
        // Nothing is forgotten for that; what the person ends is over here, and waits for a place to tell it.
        #expect(parties.session.authorizedServices == [service])
        let before = parties.federation.traffic.count
        #expect(try parties.perform(.unlinking(service)) == .pending)
        #expect(parties.federation.traffic.count == before && parties.session.authorizedServices.isEmpty)
        #expect(parties.session.endings.map(\.matter) == [.service(service)])
    }

    @Test("The edu-ID service's own endpoints are no exception") func metadata() throws {
        let parties = try Parties(seed: 72)
        let issuer: Issuer = "https://eduid.example.ch"
        for address in Self.closed.dropLast() {
            let members: JSON = ["issuer": .string(issuer.text), "token_endpoint": .string(address)]
            let described = try ServerDescription(
                authorizationServer: issuer, parsing: HTTP.Response(.ok, body: members.encoded()))
            let session = AuthorizingApp.Session(parties.session.installation, with: described)
            let (urls, rejection) = asked(.registration, of: session) { _ in nil }
            #expect(rejection == .closedAddress(try WebURL(parsing: address)) && urls.isEmpty)
        }
    }

    /// A user who has signed out, a service that has to be told, and what it is told.
    private func signedOut(seed: UInt64) throws -> (Parties, ServiceURL, OutgoingMessage) {
        var parties = try Parties(seed: seed)
        try parties.signIn()
        let service = try ServiceURL(parsing: Parties.homes[0])
        try parties.authorize(service)
        try parties.perform(.signOut)
        let (now, store) = (parties.federation.now, parties.federation.eduIDStore)
        let message = try #require(store.load([.outgoing(due: now, limit: 8)]).messages(due: now, limit: 8).first)
        return (parties, service, message)
    }

    @Test("The edu-ID service tells no service at such an address, and sends no app there", arguments: closed)
    func deliveries(_ address: String) throws {
        let (parties, service, message) = try signedOut(seed: 73)
        let now = parties.federation.now
        func place(_ eduID: EduIDService) -> String? {
            var entropy = SimulatedFederation.Entropy(seed: 1)
            let delivery = eduID.delivery(of: message, at: now, using: &entropy)
            guard case .absolute(let url)? = delivery?.request.target else { return nil }
            return url.text
        }
        var eduID = parties.federation.eduID
        let former = place(eduID)
        #expect(former != nil)
        let host = try WebURL(parsing: address).host
        var document = try #require(eduID.directory[service]).description
        document.engineLink = String(address.dropLast("/oauth/".count))
        try eduID.directory.update(service, document, allowedHosts: [host])
        // It is told where it was.
        #expect(place(eduID) == former)
        eduID.policy.destinations = .anywhere
        #expect((place(eduID) == former) == address.contains(":22"))
    }

    @Test("What is kept of where a service took revocations is judged anew", arguments: closed)
    func kept(_ address: String) throws {
        let (parties, _, message) = try signedOut(seed: 75)
        let now = parties.federation.now
        func isDelivered(_ place: JSON?, within destinations: Destinations = .worldwide) -> Bool {
            var eduID = parties.federation.eduID
            eduID.index = ServiceIndex([])
            eduID.policy.destinations = destinations
            var body = message.body
            body["revocation"] = place
            let kept = OutgoingMessage(
                id: message.id, destination: message.destination, about: message.about, body: body, due: message.due)
            var entropy = SimulatedFederation.Entropy(seed: 1)
            return eduID.delivery(of: kept, at: now, using: &entropy) != nil
        }
        #expect(isDelivered(message.body["revocation"]) && !isDelivered(nil) && !isDelivered("oauth/revoke"))
        // Where it was in the index it may have any port.
        #expect(isDelivered(.string(address)) == address.contains(":22"))
        #expect(isDelivered(.string(address), within: .anywhere))
    }

    @Test("The federation's management may name ports, and no address of the own network by default")
    func listed() throws {
        let (parties, _, message) = try signedOut(seed: 74)
        let now = parties.federation.now
        func isDelivered(to address: String, within destinations: Destinations = .worldwide) throws -> Bool {
            var eduID = parties.federation.eduID
            var members = eduID.index.services
            members[0].revocationEndpoint = try WebURL(parsing: address)
            eduID.index = ServiceIndex(members)
            eduID.policy.destinations = destinations
            var entropy = SimulatedFederation.Entropy(seed: 1)
            let delivery = eduID.delivery(of: message, at: now, using: &entropy)
            return try delivery?.request.target == .absolute(WebURL(parsing: address))
        }
        #expect(try isDelivered(to: "https://tokens.example.ch:8443/revoke"))
        #expect(try !isDelivered(to: "https://192.168.1.1/revoke"))
        #expect(try isDelivered(to: "http://127.0.0.1:8080/revoke", within: .anywhere))
    }
}
