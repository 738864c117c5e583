import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("S0, Service Architecture, as printed")
struct ServiceArchitectureTests {
    /// "Service Usage Manager": what a user of two Moodle systems has used.
    static let usage = PrintedText(
        """
        For example, a user that uses only the Moodle instances at HTW Chur and USI will receive the following list.

        ```json
        [
        "https://moodle.htwchur.ch",
        "https://www2.icorsi.ch/"
        ]
        ```
        (Line-breaks are for illustration pruposes)
        """)

    /// "Protocol Discovery": the form of a query by protocols, and two queries.
    static let protocols = PrintedText(
        """
        ```json
        [
        "protocol-name1",
        "protocol-name2",
        ...
        "protocol-nameN"
        ]
        ```
        (Line-breaks are for illustration pruposes)

        The protocol discovery returns only those services that fully match the requested protocol list. For example, \
        the following statement will return only services that expose Moodle mobile web-services.

        ```json
        [
        "org.moodle.mobile"
        ]
        ```
        (Line-breaks are for illustration pruposes)

        If an app requires access to the mobile protocol __and__ the XAPI protocol, then the request SHOULD include \
        both protocols such as:

        ```json
        [
        "org.moodle.mobile",
        "gov.adlnet.xapi"
        ]
        ```
        (Line-breaks are for illustration pruposes)
        """)

    /// "Protocol Discovery": the form of a query by services, and one such query.
    static let services = PrintedText(
        """
        ```json
        [
        "service-url1",
        "service-url2",
        ...
        "service-urlN"
        ]
        ```
        (Line-breaks are for illustration pruposes)

        For example, if a user has accessed the Moodle Systems at HTW Chur or at USI then the request would be as \
        following:

        ```json
        [
        "https://moodle.htwchur.ch",
        "https://www2.icorsi.ch/"
        ]
        ```
        (Line-breaks are for illustration pruposes)
        """)

    static let moodle = "https://moodle.htwchur.ch"
    static let icorsi = "https://www2.icorsi.ch/"

    /// Ada is signed in, in a federation that has the services of the examples, and one that exposes nothing.
    private func scene() throws -> Scene {
        var scene = try Scene.signedIn()
        let offered = [
            (Self.moodle, ["org.ietf.oauth2", "org.moodle.mobile"]),
            (Self.icorsi, ["org.ietf.oauth2", "org.moodle.mobile", "gov.adlnet.xapi"]),
            ("https://lrs.example.ch", ["org.ietf.oauth2", "gov.adlnet.xapi"]),
            ("https://silent.example.ch", []),
        ]
        var directory = ServiceDirectory()
        for (home, names) in offered {
            var document = ServiceDescription(engineLink: "", homePageLink: home)
            for text in names {
                let name = try ProtocolName(parsing: text)
                document[name] = ServiceDescription.API(name, link: text)
            }
            try directory.update(ServiceURL(parsing: home), document)
        }
        scene.service.directory = directory
        return scene
    }

    private func ask(_ scene: inout Scene, _ body: String) throws -> Reply {
        try scene.asUser(.post, "discovery", body: Array(body.utf8))
    }

    private func homes(_ reply: Reply) -> Set<String?> {
        Set((reply.json?.array ?? []).map { $0["homePageLink"]?.string })
    }

    // MARK: the usage list

    @Test("The app takes the usage list as it is printed", .proves("USE-2"), .proves("USE-3"))
    func usageList() throws {
        let list = try #require(Self.usage.blocks.first)
        var parties = try Parties(seed: 17)
        try parties.signIn()
        var (session, entropy) = (parties.session, SimulatedFederation.Entropy(seed: 1))
        try session.carryOut(.usage, at: parties.federation.now, using: &entropy) { request in
            guard case .absolute(let url) = request.target, url.text.hasSuffix("/usage") else { return nil }
            return HTTP.Response(.ok, body: Array(list.utf8))
        }
        #expect(session.usage == [try ServiceURL(parsing: Self.moodle), try ServiceURL(parsing: Self.icorsi)])
    }

    @Test("The usage list is the query for the services of the user", .proves("DSC-2"), .proves("DSC-10"))
    func usageListAsQuery() throws {
        var scene = try scene()
        #expect(Self.usage.blocks.first == Self.services.blocks.last)
        let reply = try ask(&scene, try #require(Self.usage.blocks.first))
        reply.expectSuccess()
        #expect(homes(reply) == [Self.moodle, Self.icorsi])
        #expect(try DiscoveryQuery(parsing: Self.services.blocks[1]) == .services(scene.urls(Self.moodle, Self.icorsi)))
    }

    // MARK: queries

    @Test("A query by one protocol finds who offers it", .proves("DSC-1"), .proves("DSC-6"))
    func oneProtocol() throws {
        var scene = try scene()
        let reply = try ask(&scene, Self.protocols.blocks[1])
        reply.expectSuccess()
        #expect(homes(reply) == [Self.moodle, Self.icorsi])
    }

    @Test("A query by two protocols finds who offers both", .proves("DSC-1"), .proves("DSC-9"))
    func twoProtocols() throws {
        var scene = try scene()
        let reply = try ask(&scene, Self.protocols.blocks[2])
        reply.expectSuccess()
        #expect(homes(reply) == [Self.icorsi])
        // The answer is the documents, each with what it offers.
        let apis = reply.json?.array?.first?["apis"]?.object
        #expect(apis?["gov.adlnet.xapi"] != nil && apis?["org.moodle.mobile"] != nil)
    }

    /// The forms are printed with an ellipsis, and so are no JSON: what is sent so is refused, and nothing is guessed.
    @Test("The forms with their ellipsis are no queries; with names in its place they are", .proves("DSC-1"))
    func forms() throws {
        var scene = try scene()
        for form in [Self.protocols.blocks[0], Self.services.blocks[0]] {
            let reply = try ask(&scene, form)
            #expect(reply.status == 400 && reply.error == "invalid_request" && reply.changes.isEmpty)
            let whole = form.split(separator: "\n").filter { $0 != "..." }.joined(separator: "\n")
            #expect(whole != form)
            let answer = try ask(&scene, whole.replacing("\"service-url", with: "\"https://service-url"))
            answer.expectSuccess()
            // Nobody in the federation has these names: an empty list, and no error.
            #expect(answer.json == [])
        }
    }

    @Test("Nothing printed is answered to whoever is not signed in", .proves("DSC-5"))
    func withoutAUser() throws {
        var scene = try scene()
        for query in Self.protocols.blocks + Self.services.blocks {
            scene.send(try scene.request(.post, "discovery", body: Array(query.utf8))).expectChallenge()
        }
    }

    // MARK: grants

    /// "Institution-level Service Endpoints": the first name has `param` where the registry of IANA has `params`.
    static let grants = PrintedText(
        """
        The token endpoint MUST support at least the following grant-types:

        * urn:ietf:param:oauth:grant-type:jwt-bearer
        * authorization_code
        """)

    @Test("The token endpoint takes the grants under the names that are printed", .proves("GRT-1"))
    func printedGrants() throws {
        var stage = try Stage.fresh()
        let redeeming = try Stage.form(
            ["grant_type": Self.grants.points[0], "assertion": stage.assertion().text],
            bearer: stage.instanceProof().text)
        let service = try Held(stage.send(redeeming), .pair(Pair.instance), of: Stage.instance)
        let authorizing = try Stage.form(
            [
                "grant_type": Self.grants.points[1], "code": stage.code(with: service, binding: Pair.app).text,
                "scope": Stage.papi,
            ], bearer: stage.proof(service).text)
        let app = try Held(stage.send(authorizing), .pair(Pair.app), of: Stage.reader)
        #expect(try stage.opens(Stage.papi, app))
    }

    // MARK: the authorization code

    /// "Institution-level API Authorization".
    static let code = PrintedText(
        """
        The authorization code is a JWT with the following claims.

        * iss: EduID Mobile App client id
        * aud: Federation Service authorization endpoint
        * sub: third party app's bundle id.

        Additionally, the authorization request MUST include a scope referring to the service endpoints of the \
        requested protocols.
        """)

    private var printedClaims: [String] {
        Self.code.points.compactMap { $0.split(separator: ":").first.map(String.init) }
    }

    @Test("A code needs each claim that is printed, and a scope beside it", .proves("APP-3"), .proves("APP-4"))
    func eachClaimOfTheCode() throws {
        #expect(printedClaims == ["iss", "aud", "sub"])
        var (stage, service) = try Stage.redeemed()
        for name in printedClaims {
            // The code is a JWT with these claims; one that is missing is named.
            let code = try stage.code(with: service).claiming([JSON.Name(name): .null])
            try Expected("invalid_grant", 400, "RFC7519-4").check(
                &stage, try Stage.authorizing(code, stage.proof(service)))
        }
        let unscoped = try Stage.form(
            ["grant_type": "authorization_code", "code": stage.code(with: service).text],
            bearer: stage.proof(service).text)
        #expect(stage.send(unscoped).status == .badRequest)
    }

    /// With the printed claims alone a code would hold for ever, and whoever saw one could use it again (threat 26).
    ///
    /// Ours carries its time and a name beside them, and demands both.
    @Test("A code with nothing but the printed claims is refused, because it would never end", .proves("threat-26"))
    func nothingButThePrintedClaims() throws {
        var (stage, service) = try Stage.redeemed()
        var code = try stage.code(with: service)
        for claim in code.claims.map(\.name) where !printedClaims.contains(claim.text) { code.claims[claim] = nil }
        #expect(code.claims.map(\.name.text).sorted() == printedClaims.sorted())
        try Expected("invalid_grant", 400, "RFC7519-4").check(&stage, try Stage.authorizing(code, stage.proof(service)))
        #expect(stage.refusals.last?.description.contains("'exp' is missing") == true)
        // With an end and no name it could be used until then as often as one likes.
        code.claims["exp"] = stage.time(60)
        try Expected("invalid_grant", 400, "RFC7519-4").check(&stage, try Stage.authorizing(code, stage.proof(service)))
    }
}

extension Scene {
    fileprivate func urls(_ texts: String...) throws -> [ServiceURL] { try texts.map { try ServiceURL(parsing: $0) } }
}
