import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("The app at services that know it by names and keys of their own")
struct PairwiseAppTests {
    private static let homes = Result { try Parties.homes.map { try ServiceURL(parsing: $0) } }

    private static let beginning = Result {
        var parties = try Parties(seed: 77)
        try parties.signIn()
        for home in try homes.get() { try parties.authorize(home) }
        return parties
    }

    @Test("Each service gets a key and a name of its own, and the same instance asks with them", .proves("threat-77"))
    func keys() throws {
        let parties = try Self.beginning.get()
        #expect(parties.federation.refusals.isEmpty)
        let introductions = parties.federation.traffic.filter { $0.request.target.path == "/authorize" }
        let told = try introductions.map { try JSON(parsing: try #require($0.response).body)["client_id"]?.string }
        let brought = try introductions.map { try JSON(parsing: try #require($0.request.parameter("req_cnf"))) }
        let redemptions = parties.federation.traffic.filter { $0.request.target.path == "/oauth/token" }
        #expect(Set(told).count == 2 && Set(brought.map { $0.encodedString() }).count == 2 && redemptions.count == 2)
        for (place, redemption) in redemptions.map(\.request).enumerated() {
            #expect(redemption.parameter("client_id") == told[place])
            #expect(redemption.fields.value(of: .authorization) == .absent)
            let proof = try header(of: redemption.fields.values(of: .dpop).first)
            #expect(proof["jwk"] == brought[place]["jwk"])
        }
        let identities = [parties.session.installation.instance.text]
        #expect(!told.contains { identities.contains($0 ?? "") })
    }

    @Test(
        "Name and key outlive a restart, and serve apps, renewal and the end", .proves("threat-77"), .proves("DAT-1"))
    func restart() throws {
        var parties = try Self.beginning.get()
        let text = parties.session.store.serialized(sealing: AppSample.seal)
        let (installation, eduID) = (parties.session.installation, parties.session.eduID)
        func begin() throws -> AuthorizingApp.Session {
            let store = try AuthorizingApp.Store(parsing: text, opening: AppSample.seal)
            return AuthorizingApp.Session(installation, with: eduID, store: store)
        }
        parties.session = try begin()
        #expect(parties.session.authorizedServices.count == 2)
        let before = parties.federation.traffic.count
        for service in parties.federation.services {
            let papi = try ProtocolName(parsing: Parties.protocolName)
            try parties.perform(.access(for: "com.example.reader", at: service.service.document, to: [papi]))
        }
        parties.federation.wait(.seconds(3_600))
        for home in try Self.homes.get() {
            try parties.perform(.renewal(of: .service(home)))
            try parties.perform(.unlinking(home))
        }
        #expect(parties.federation.refusals.isEmpty)
        let messages = parties.federation.traffic.dropFirst(before).map(\.request)
        let names = try messages.map { message in
            let token = message.fields.values(of: .authorization).first?.split(separator: " ").last
            return try claims(of: token.map(String.init))["iss"]?.string
        }
        // An app at each, and at each renewal and end.
        #expect(names.count == 6 && [2, 3].allSatisfy { names[$0] == names[0] })
        #expect([4, 5].allSatisfy { names[$0] == names[1] })
        #expect(names[0] != names[1] && !names.contains(installation.instance.text))
    }

    @Test("A key goes with the tokens that it is for, and the next one is another", .proves("threat-77"))
    func keysGo() throws {
        var parties = try Self.beginning.get()
        let home = try #require(try Self.homes.get().first)
        let seed = try #require(Self.identity(of: parties.session, at: home)?["key"]?.string)
        try parties.perform(.unlinking(home))
        #expect(!parties.session.keeps(seed))
        try parties.perform(.introduction(to: home))
        let next = try #require(Self.identity(of: parties.session, at: home)?["key"]?.string)
        #expect(next != seed && parties.session.keeps(next))
        try parties.perform(.signOut)
        #expect(!parties.session.keeps(next) && !parties.session.keeps("identity"))
    }

    @Test("No description shows a service's key", .proves("threat-77"), .proves("threat-45"))
    func silence() throws {
        let session = try Self.beginning.get().session
        let home = try #require(try Self.homes.get().first)
        let seed = try #require(Self.identity(of: session, at: home)?["key"]?.string)
        var shown = ""
        dump(session, to: &shown)
        dump(session.store.contents, to: &shown)
        print(session, session.store, session.store.contents, to: &shown)
        #expect(!shown.contains(seed))
        #expect(!session.store.serialized(sealing: AppSample.seal).contains(seed))
    }

    @Test("Where the federation's names are taken nothing is as it was not before", .proves("threat-77"))
    func commonNames() throws {
        var parties = try Parties(seed: 78)
        parties.take(.common)
        try parties.signIn()
        let homes = try Self.homes.get()
        for home in homes { try parties.authorize(home) }
        #expect(!parties.session.keeps("identity"))
        // The federation changes its mind: what was given stays what it is, and what is given next is pairwise.
        parties.take(.pairwise)
        parties.federation.wait(.seconds(3_600))
        for home in homes { try parties.perform(.renewal(of: .service(home))) }
        #expect(!parties.session.keeps("identity"))
        try parties.perform(.renewal(of: .user))
        try parties.perform(.introduction(to: homes[0]))
        #expect(Self.identity(of: parties.session, at: homes[0]) != nil)
        #expect(Self.identity(of: parties.session, at: homes[1]) == nil)
        #expect(parties.federation.refusals.isEmpty)
    }

    @Test("A damaged key costs the service's token and nothing else", .proves("threat-77"), .proves("threat-56"))
    func damage() throws {
        let homes = try Self.homes.get()
        for broken in ["\"key\":\"AA\"", "\"key\":\"!\"", "\"kex\":\"AA\""] {
            var session = try Self.beginning.get().session
            let kept = try #require(session.store.contents.services[homes[0]]?.token?.secret)
            let seed = try #require(Self.identity(of: session, at: homes[0])?["key"]?.string)
            let changed = kept.replacing("\"key\":\"\(seed)\"", with: broken)
            try session.store.change { contents in
                contents.services[homes[0]]?.token = try? AuthorizingApp.Store.Token(parsing: changed)
            }
            #expect(changed != kept && session.authorizedServices == [homes[1]])
        }
        var session = try Self.beginning.get().session
        let other = session.store.contents.services[homes[1]]?.token
        try session.store.change { contents in contents.services[homes[0]]?.token = other }
        #expect(session.authorizedServices.count == 2, "whole, though it opens nothing there")
    }

    @Test("Who wants a nonce in a proof gets it, once", .proves("threat-77"), .proves("RFC9449-8"))
    func nonces() throws {
        var parties = try Parties(seed: 79)
        try parties.signIn()
        parties.federation.eduID.policy.proof.nonce = "n-1"
        parties.federation.services[0].service.policy.proof.nonce = "n-2"
        let home = try #require(try Self.homes.get().first)
        try parties.authorize(home)
        #expect(parties.session.authorizedServices == [home])
        #expect(parties.federation.refusals.map(\.clause) == ["RFC9449-8", "RFC9449-8"])
        // A server that never has enough is given up.
        var entropy = SimulatedFederation.Entropy(seed: 1)
        var (session, federation, asked) = (parties.session, parties.federation, 0)
        #expect(throws: Rejection.self) {
            try session.carryOut(.introduction(to: home), at: federation.now, using: &entropy) { request in
                asked += 1
                federation.eduID.policy.proof.nonce = "n-\(asked + 5)"
                return federation.send(request)
            }
        }
        #expect(asked == 2)
    }

    /// What is kept of the instance's name and key at a service.
    private static func identity(of session: AuthorizingApp.Session, at home: ServiceURL) -> JSON? {
        session.store.contents.services[home]?.token.flatMap { try? JSON(parsing: $0.secret) }?["identity"]
    }
}

extension AuthorizingApp.Session {
    /// Whether a text stands anywhere in what is kept.
    fileprivate func keeps(_ text: String) -> Bool {
        store.contents.services.values.contains { $0.token?.secret.contains(text) == true }
            || store.contents.tokens.values.contains { $0.secret.contains(text) }
    }
}

extension Parties {
    /// Lets both universities take such names of instances.
    mutating func take(_ names: ServiceIndex.Member.Names) {
        let members = federation.eduID.index.services.map { member in
            var member = member
            member.clients = names
            return member
        }
        federation.eduID.index = ServiceIndex(members)
    }
}

extension HTTP.Request {
    /// A parameter of the form that it carries.
    func parameter(_ name: String) -> String? {
        (try? HTTP.Form(parsing: body))?.value(of: name).value
    }
}
