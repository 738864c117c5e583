import Federation
import JOSE
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(0) Publication")
struct PublicationTests {
    private func published(_ url: String, _ type: String, method: HTTP.Request.Method = .get) throws -> HTTP.Response {
        var stage = try Stage.fresh()
        let response = stage.send(try Stage.get(url, method: method))
        #expect(response.status == .ok)
        #expect(response.fields.values(of: .contentType) == [type])
        #expect(response.fields.values(of: .cacheControl) == ["max-age=3600"])
        return response
    }

    @Test("services.txt leads to the service description, which leads to the endpoints", .proves("RSD-2"))
    func chain() throws {
        let list = try ServiceList(parsing: published(Stage.home + "/services.txt", "text/plain; charset=utf-8").body)
        #expect(list.entries.map { $0.mediaType } == ["application/x-rsd+json"])
        // It may be kept as long as its response.
        #expect(list.timeToLive == 3_600)
        let publication = try #require(list.publications(at: try WebURL(parsing: Stage.home + "/services.txt")).first)
        let response = try published(publication.url.text, "application/x-rsd+json")
        let description = try ServiceDescription(parsing: response.body)
        #expect(description.serviceURL == (try ServiceURL(parsing: Stage.home)))
        #expect(
            try description.endpoint(for: ProtocolName(parsing: "org.ietf.oauth2"), path: "token").text == Stage.token)
        #expect(try description.endpoint(for: ProtocolName(parsing: "org.ieee.papi")).text == Stage.papi)
    }

    /// Publisher and crawler, played together: whoever changes one of them finds the other here.
    @Test(
        "A crawl finds what a service publishes, wherever its home page lies", .proves("threat-57"), .proves("RSD-1"),
        arguments: ["https://alpha.example.ch", "https://alpha.example.ch/moodle", "https://alpha.example.ch/a/b/"])
    func crawled(_ home: String) throws {
        var stage = try Stage.fresh()
        var document = try Stage.document()
        document.homePageLink = home
        stage.service = try FederationService(
            Stage.authority(of: home), document: document, trusting: stage.service.eduID)
        let service = try ServiceURL(parsing: home)
        var crawl = Crawl()
        _ = crawl.setIndex([Crawl.Listing(service)], at: stage.now)
        while case let requests = crawl.requests(at: stage.now, limit: 1).requests, let request = requests.first {
            _ = crawl.receive(.response(stage.send(request.http)), for: request.id, at: stage.now)
        }
        let found = try #require(crawl.document(of: service))
        #expect(found.serviceURL == service)
        #expect(found.offers("org.ieee.papi"))
    }

    @Test("A service that wants mobile access lists org.ietf.oauth2, or is none", .proves("DSC-7"))
    func oauthIsListed() throws {
        let trusted = try Stage.fresh().service.eduID
        #expect(throws: ServiceDescription.LinkRejection.notOffered(try ProtocolName(parsing: "org.ietf.oauth2"))) {
            try FederationService(Stage.authority(), document: try Stage.document([:]), trusting: trusted)
        }
    }

    @Test("Whatever authorizations a description carries, none is published", .proves("threat-45"))
    func tokensInDocuments() throws {
        var document = try Stage.document()
        document.authorization = try ServiceDescription.Authorization(members: [
            "access_token": "leaked-token", "token_type": "Bearer",
        ])
        let service = try FederationService(
            Stage.authority(), document: document, trusting: Stage.fresh().service.eduID)
        var stage = try Stage.fresh()
        stage.service = service
        let text = String(decoding: stage.send(try Stage.get(Stage.home + "/rsd2.json")).body, as: UTF8.self)
        #expect(!text.contains("leaked-token"))
        #expect(text.contains("org.ieee.papi"))
    }

    @Test("What is published can be asked for by HEAD, and by no method that changes things")
    func methods() throws {
        let head = try published(Stage.home + "/rsd2.json", "application/x-rsd+json", method: .head)
        #expect(head.body.isEmpty)
        var stage = try Stage.fresh()
        for path in ["/rsd2.json", "/services.txt", "/oauth/jwks", "/.well-known/oauth-authorization-server"] {
            let response = stage.send(try Stage.get(Stage.home + path, method: .post))
            #expect(response.status == .methodNotAllowed, "\(path)")
            #expect(response.fields.values(of: try HTTP.Field.Name(parsing: "Allow")) == ["GET, HEAD"])
        }
        #expect(stage.send(try Stage.get(Stage.home + "/elsewhere")).status == .notFound)
        #expect(stage.send(try Stage.get("https://beta.example.ch/rsd2.json")).status == .notFound)
    }
}

@Suite("Metadata and keys")
struct MetadataTests {
    private func metadata(_ name: String) throws -> JSON.Object {
        var stage = try Stage.fresh()
        let response = stage.send(try Stage.get(Stage.home + "/.well-known/" + name))
        #expect(response.status == .ok)
        return try JSON(parsing: response.body).object ?? [:]
    }

    @Test(
        "The metadata name the endpoints, the grants that are served, and the scopes that are offered", .proves("GRT-1")
    )
    func server() throws {
        let members = try metadata("oauth-authorization-server")
        #expect(members["issuer"]?.string == Stage.home)
        #expect(members["token_endpoint"]?.string == Stage.token)
        #expect(members["revocation_endpoint"]?.string == Stage.revoke)
        #expect(members["authorization_endpoint"]?.string == Stage.authorize)
        // What the metadata name answers, be it that there is nothing to get.
        var stage = try Stage.fresh()
        for method in [HTTP.Request.Method.get, .post] {
            let request = HTTP.Request(method, .absolute(try WebURL(parsing: Stage.authorize)))
            try Expected("unsupported_response_type", 400, "APP-3").check(&stage, request)
        }
        #expect(members["jwks_uri"]?.string == Stage.home + "/oauth/jwks")
        let grants = members["grant_types_supported"]?.array?.compactMap { $0.string } ?? []
        #expect(Set(grants) == [Stage.jwtBearer, "authorization_code", "refresh_token"])
        #expect(members["scopes_supported"]?.array?.compactMap { $0.string } == [Stage.papi, Stage.lti])
    }

    @Test("As a protected resource it names itself and the server that gives its tokens", .proves("RFC9728-2"))
    func resource() throws {
        let members = try metadata("oauth-protected-resource")
        #expect(members["resource"]?.string == Stage.home)
        #expect(members["authorization_servers"]?.array?.compactMap { $0.string } == [Stage.home])
    }

    @Test("The published keys check the tokens, and none of them is a secret")
    func keys() throws {
        var (stage, held) = try Stage.redeemed()
        let response = stage.send(try Stage.get(Stage.home + "/oauth/jwks"))
        #expect(response.fields.values(of: .cacheControl) == ["max-age=300"])
        let set = try JSON(parsing: response.body).object?["keys"]?.array ?? []
        #expect(set.count == 1)
        #expect(set.first?.object?["kid"] == "service-1")
        #expect(set.first?.object?["d"] == nil)
        let parts = held.access.split(separator: ".").map(String.init)
        let key = try Curve25519.Signing.PublicKey(
            rawRepresentation: Base64URL.decode(set.first?.object?["x"]?.string ?? ""))
        #expect(try key.isValidSignature(Base64URL.decode(parts[2]), for: Array((parts[0] + "." + parts[1]).utf8)))
        #expect(try JSON(parsing: Base64URL.decode(parts[0])).object?["kid"] == "service-1")
    }

    @Test("When keys are rotated, tokens of the last key are good as long as it is published")
    func rotation() throws {
        var (stage, _, app) = try Stage.authorized()
        func dpop() throws -> HTTP.Request {
            var request = try Stage.get(Stage.papi)
            try request.fields.append(.authorization, "DPoP " + app.access)
            try request.fields.append(.dpop, stage.dpop(app, Stage.papi, "GET", with: app.access).text)
            return request
        }
        let next = JWK.Private(
            try Pair.of(Pair.stranger), attributes: JWK.Attributes(id: try KeyID(parsing: "service-2")))
        var last = JWK(try Pair.of(Pair.service).publicKey)
        last.attributes.id = try KeyID(parsing: "service-1")
        let master = SymmetricKey(data: [UInt8](repeating: 9, count: 32))
        stage.service.authority = try Authority(
            Issuer(parsing: Stage.home), keys: .init(signing: next, others: [last], master: master))
        guard case .granted = try stage.use(dpop(), Stage.papi) else {
            Issue.record("the last key is still published")
            return
        }
        stage.service.authority = try Authority(Issuer(parsing: Stage.home), keys: .init(signing: next, master: master))
        guard case .refused = try stage.use(dpop(), Stage.papi) else {
            Issue.record("the last key is published no longer")
            return
        }
    }

    @Test("Keys of the edu-ID service vouch for no other issuer", .proves("threat-25"))
    func keysOfIssuers() throws {
        var stage = try Stage.fresh()
        // The same key, trusted as another issuer's.
        let key = VerificationKey(try Pair.of(Pair.eduID).publicKey, id: try KeyID(parsing: "edu-id-1"))
        stage.service.eduID = FederationService.Trusted(try Issuer(parsing: "https://other.example.ch"), keys: [key])
        try Expected("invalid_grant", 400, "RFC8725-3.8").check(
            &stage, try Stage.redeeming(stage.assertion(), stage.instanceProof()))
    }
}
