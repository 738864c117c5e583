import Federation
import FederationTesting
import NAIL
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("From the edu-ID service to the app (0) to (10)")
struct ChainTests {
    @Test(
        "An app's tokens open its endpoints, are renewed and revoked, of whatever kind they are", .proves("APP-7"),
        arguments: Story.Kind.allCases)
    func chain(_ kind: Story.Kind) throws {
        var story = try Story.introduced()
        let app = try App()
        let (papi, lti) = (try Story.papi.get(), try Story.lti.get())
        #expect(try story.grant(kind, to: app, at: [story.alpha], for: [papi]) == [])
        let access = try #require(try story.uses(app, story.alpha, papi))
        #expect(access.app == app.id)
        // The university knows the instance by a name of its own.
        #expect(access.instance != story.parties.session.installation.instance)
        #expect(access.instance?.text.utf8.count == 43)
        #expect(access.profile["given_name"] == "Ada")
        #expect(access.profile["name"] == nil)
        // Each request has a token of its own, or the same plain one; the app need not know which.
        #expect(try story.uses(app, story.alpha, papi) != nil)
        #expect(try story.uses(app, story.alpha, papi, path: "books/7") != nil)
        let name = try story.identity(story.alpha)
        let way = try app.state.access(to: name, papi)
        #expect(way.isPerRequest == (kind != .bearerToken))
        #expect(throws: NAILState.Refusal.notGranted(lti)) { try app.state.access(to: name, lti) }
        // A token for one endpoint is refused at another one, whatever the app does.
        let token = try way.token(at: story.parties.federation.now, using: &story.parties.federation.entropy)
        guard
            case .refused(let response)? = story.parties.federation.use(
                try WebURL(parsing: "https://alpha.example.ch/api/lti"), with: token)
        else {
            Issue.record("the token opens another endpoint")
            return
        }
        #expect(response.status.code == (kind == .bearerToken ? 403 : 401))

        story.parties.federation.wait(.seconds(3_600))
        #expect(throws: NAILState.Refusal.expired) { try story.uses(app, story.alpha, papi) }
        #expect(try story.renews(app, story.alpha, papi) == .renewed)
        #expect(try story.uses(app, story.alpha, papi) != nil)

        let revocation = try app.state.revoke(
            name, at: story.parties.federation.now, using: &story.parties.federation.entropy)
        let last = try? way.token(at: story.parties.federation.now, using: &story.parties.federation.entropy)
        #expect(last == nil)
        #expect(revocation.isConfirmed(by: revocation.requests.map { story.parties.federation.send($0) }))
        #expect(
            story.parties.federation.services[Story.alphaPlace].store.living(.app, at: story.parties.federation.now)
                == 0)
    }

    @Test("Two universities, two apps and two scopes stand side by side, each on its own", .proves("APP-9"))
    func sideBySide() throws {
        var story = try Story.introduced()
        let (papi, lti) = (try Story.papi.get(), try Story.lti.get())
        let (reader, writer) = (try App(), try App("ch.example.writer"))
        #expect(try story.grant(.ownKey, to: reader, at: [story.alpha, story.beta], for: [papi]) == [])
        #expect(try story.grant(.symmetricKey, to: reader, at: [story.alpha], for: [lti]) == [])
        #expect(try story.grant(.bearerToken, to: writer, at: [story.alpha], for: [papi, lti]) == [])
        #expect(reader.state.serviceNames.count == 2)
        let name = try story.identity(story.beta)
        let revocation = try reader.state.revoke(
            name, at: story.parties.federation.now, using: &story.parties.federation.entropy)
        #expect(revocation.isConfirmed(by: revocation.requests.map { story.parties.federation.send($0) }))
        #expect(try story.uses(reader, story.alpha, papi) != nil)
        #expect(try story.uses(reader, story.alpha, lti) != nil)
        #expect(try story.uses(writer, story.alpha, papi) != nil)
        #expect(try story.uses(writer, story.alpha, lti) != nil)
        // The same person has another name at each university.
        let subjects = story.parties.federation.services.map { $0.store.subjects() }
        #expect(subjects[0].count == 1 && subjects[1].count == 1 && subjects[0] != subjects[1])
    }

    @Test("A token of one university is good for nothing at the other", .proves("threat-27"))
    func substitution() throws {
        var story = try Story.introduced()
        let papi = try Story.papi.get()
        for kind in Story.Kind.allCases {
            let app = try App()
            _ = try story.grant(kind, to: app, at: [story.alpha], for: [papi])
            let way = try app.state.access(to: story.identity(story.alpha), papi)
            let token = try way.token(at: story.parties.federation.now, using: &story.parties.federation.entropy)
            guard
                case .refused(let response)? = story.parties.federation.use(
                    try WebURL(parsing: "https://beta.example.ch/api/papi"), with: token)
            else {
                Issue.record("\(kind): the token opens another service")
                continue
            }
            #expect(response.status == .unauthorized)
            #expect(story.parties.federation.refusals.last?.clause == "threat-39")
        }
    }

    @Test(
        "An assertion goes through the edu-ID service where a university asks there, and waits while it is away",
        .proves("AST-8"))
    func verification() throws {
        var story = try Story.introduced()
        let home = try #require(story.alpha.serviceURL)
        story.parties.federation.services[Story.alphaPlace].service.eduID.introspection = try WebURL(
            parsing: Parties.eduID + "/introspect")
        try story.parties.authorize(home)
        #expect(story.parties.federation.refusals.isEmpty)
        let asked = story.parties.federation.traffic.filter { $0.request.target.path == "/introspect" }
        #expect(asked.count == 1)
        story.parties.federation.services[Story.alphaPlace].service.eduID.userinfo = try WebURL(
            parsing: Parties.eduID + "/userinfo")
        try story.parties.authorize(home)
        #expect(story.parties.federation.refusals.isEmpty)
        #expect(
            story.parties.federation.traffic.contains {
                $0.request.target.path == "/userinfo" && $0.response?.status == .ok
            })
        // The edu-ID service has taken the assertion back, and the message about it is still on its way.
        let now = story.parties.federation.now
        var introduction = try AuthorizingApp.Conversation(
            .introduction(to: home), of: &story.parties.session, at: now, using: &story.parties.federation.entropy)
        try introduction.take(story.parties.federation.send(try #require(introduction.request)), at: now)
        let redemption = try #require(introduction.request)
        try story.parties.perform(.signOut)
        #expect(story.parties.federation.send(redemption)?.status == .badRequest)
        #expect(story.parties.federation.refusals.last?.clause == "AST-8")
    }
}

extension MemoryStore {
    private func all(_ kind: Record.Kind) -> [Lineage] { page(of: .all(kind), limit: 1_000)?.lineages ?? [] }

    /// How many records of a kind have not ended.
    func living(_ kind: Record.Kind, at now: Timestamp) -> Int { all(kind).count { $0.verdict(at: now).grantLives } }

    /// The people whom records of apps are about.
    func subjects() -> Set<Record.Subject> { Set(all(.app).compactMap { $0.record.subject }) }
}
