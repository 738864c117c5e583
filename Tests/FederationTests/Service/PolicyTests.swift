import Federation
import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("Policies")
struct PolicyTests {
    typealias Policy = FederationService.Policy

    struct Exclusion: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let clause: String
        /// With which code the token endpoint refuses.
        let code: String
        let exclude: @Sendable (inout Policy) throws -> Void
    }

    static let exclusions: [Exclusion] = [
        Exclusion(testDescription: "an instance that is denied", clause: "USR-5", code: "unauthorized_client") {
            policy in
            policy.instances = .allBut([try ClientID(parsing: Stage.instance)])
        },
        Exclusion(testDescription: "an instance beside the selected ones", clause: "USR-6", code: "unauthorized_client")
        { policy in
            policy.instances = .only([try ClientID(parsing: "instance-2")])
        },
        Exclusion(testDescription: "a user who is denied", clause: "AST-4", code: "access_denied") { policy in
            policy.users = .allBut([try Subject(parsing: Stage.user)])
        },
        Exclusion(testDescription: "a user without what gives the right", clause: "AST-4", code: "access_denied") {
            policy in
            policy.entitles = { $0["affiliation"] != nil }
        },
    ]

    @Test("Whoever is not admitted gets no service token", .proves("AST-6"), arguments: exclusions)
    func redemption(_ exclusion: Exclusion) throws {
        var stage = try Stage.fresh()
        try exclusion.exclude(&stage.service.policy)
        try Expected(exclusion.code, 400, exclusion.clause).check(
            &stage, try Stage.redeeming(stage.assertion(), stage.instanceProof()))
        // The assertion is not spent: whoever is admitted later redeems it.
        stage.service.policy = Policy()
        _ = try stage.redeem()
    }

    @Test(
        "An exclusion reaches those who hold tokens already, wherever they use them", .proves("USR-5"),
        arguments: exclusions)
    func laterExclusion(_ exclusion: Exclusion) throws {
        var (stage, service, app) = try Stage.authorized()
        try exclusion.exclude(&stage.service.policy)
        let expected = Expected(exclusion.code, 400, exclusion.clause)
        try expected.check(&stage, try Stage.authorizing(stage.code(with: service), stage.proof(service)))
        try expected.check(&stage, try stage.refreshing(service))
        try expected.check(&stage, try stage.refreshing(app))
        #expect(try stage.opens(Stage.papi, app) == false)
        #expect(stage.refusals.last?.clause == exclusion.clause)
        #expect(stage.refusals.last?.error.code == .invalidToken)
        // Whoever is excluded can still end what there is.
        #expect(stage.send(try stage.revoking(app.access, by: app)).status == .ok)
    }

    @Test("Users are admitted through selected instances alone", .proves("USR-6"))
    func selectedInstances() throws {
        var stage = try Stage.fresh()
        stage.service.policy.instances = .only([try ClientID(parsing: "instance-2")])
        try Expected("unauthorized_client", 400, "USR-6").check(
            &stage, try Stage.redeeming(stage.assertion(), stage.instanceProof()))
        let other = try stage.assertion("assertion-2").claiming([
            "azp": "instance-2", "cnf": ["jwk": try Pair.json(Pair.otherInstance), "kid": "client-2"],
        ])
        let proof = stage.requestToken(Stage.token, .pair(Pair.otherInstance), named: "client-2", of: "instance-2")
        let held = try Held(stage.send(Stage.redeeming(other, proof)), .pair(Pair.otherInstance), of: "instance-2")
        #expect(try stage.opens(Stage.token, held))
    }

    @Test(
        "A service decides by app: at authorization, at renewal and at each use", .proves("APP-6"),
        arguments: [false, true])
    func apps(bySelection: Bool) throws {
        var (stage, service, app) = try Stage.authorized()
        let other = try stage.authorize(with: service, for: "ch.example.other")
        stage.service.policy.apps =
            bySelection
            ? .only([try BundleID(parsing: "ch.example.other")]) : .allBut([try BundleID(parsing: Stage.reader)])
        let denied = Expected("access_denied", 400, "APP-6")
        try denied.check(&stage, try Stage.authorizing(stage.code(with: service), stage.proof(service)))
        try denied.check(&stage, try stage.refreshing(app))
        #expect(try stage.opens(Stage.papi, app) == false)
        #expect(stage.refusals.last?.clause == "APP-6")
        #expect(try stage.opens(Stage.papi, other))
        _ = try stage.authorize(with: service, for: "ch.example.other")
        #expect(try stage.opens(Stage.token, service))
    }

    @Test("What a service adds to its own tokens' scope opens that, and apps get none of it", .proves("DSC-8"))
    func serviceScope() throws {
        var stage = try Stage.fresh()
        let discovery = Stage.home + "/discovery"
        stage.service.policy.serviceScope = Scope([try Scope.Token(try WebURL(parsing: discovery))])
        let service = try stage.redeem()
        #expect(service.members["scope"]?.string == Stage.home + "/oauth " + discovery)
        #expect(try stage.opens(discovery + "/protocols", service))
        #expect(try stage.opens(Stage.papi, service) == false)
        try Expected("invalid_scope", 400, "APP-4").check(
            &stage, try Stage.authorizing(stage.code(with: service), stage.proof(service), scope: discovery))
    }

    @Test(
        "The exact URL of an endpoint is as good as the service's name, where the policy lets it be",
        .proves("RFC7523-3"), .proves("BIS-4"), .proves("threat-64"))
    func endpointAsAudience() throws {
        var stage = try Stage.fresh()
        let named = try stage.assertion("a-1").claiming(["aud": .string(Stage.token)])
        let (client, grant) = (
            Expected("invalid_client", 401, "RFC7519-4.1.3"), Expected("invalid_grant", 400, "RFC7519-4.1.3")
        )
        func takingBack(_ audience: JSON) throws -> HTTP.Request {
            let proof = try stage.clientAssertion().claiming(["aud": audience]).text
            return try Stage.form(
                ["token": "a-1", "client_assertion_type": ClientCredential.assertionType, "client_assertion": proof],
                to: Stage.revoke)
        }
        for isAccepted in [false, true] {
            stage.service.policy.acceptsEndpointAsAudience = isAccepted
            if !isAccepted { try grant.check(&stage, try Stage.redeeming(named, stage.instanceProof())) }
            // The service by another spelling is another text, and no policy lets clients name endpoints.
            let spelled = try stage.assertion("a-2").claiming(["aud": .string(Stage.home + "/")])
            try grant.check(&stage, try Stage.redeeming(spelled, stage.instanceProof()))
            try client.check(&stage, try takingBack(.string(Stage.revoke)))
            try client.check(&stage, try takingBack(.string(Stage.home + "/")))
            try Expected("invalid_client", 401, "threat-24").check(
                &stage, try takingBack([.string(Stage.home), .string(Stage.home)]))
        }
        #expect(stage.send(try Stage.redeeming(named, stage.instanceProof())).status == .ok)
        #expect(stage.send(try takingBack([.string(Stage.home)])).status == .ok)
    }

    @Test("Two issuers' assertions of one name are two", .proves("threat-64"))
    func names() throws {
        var stage = try Stage.fresh()
        let held = try stage.redeem("a-1")
        var other = stage
        let key = VerificationKey(try Pair.of(Pair.eduID).publicKey, id: try KeyID(parsing: "edu-id-1"))
        let foreign = "https://other.example.ch"
        other.service.eduID = .init(try Issuer(parsing: foreign), keys: [key])
        #expect(stage.service.ground(ofAssertion: "a-1") != other.service.ground(ofAssertion: "a-1"))
        // The other issuer's assertion of the same name redeems, and its notice ends nothing of the first one's.
        let assertion = try other.assertion("a-1").claiming(["iss": .string(foreign)])
        let response = other.send(try Stage.redeeming(assertion, other.instanceProof()))
        let second = try Held(response, .pair(Pair.instance), of: Stage.instance)
        let proof = try other.clientAssertion().claiming(["iss": .string(foreign), "sub": .string(foreign)]).text
        let notice = try Stage.form(
            ["token": "a-1", "client_assertion_type": ClientCredential.assertionType, "client_assertion": proof],
            to: Stage.revoke)
        #expect(other.send(notice).status == .ok)
        let (own, theirs) = (try held.record, try second.record)
        #expect(!other.store.verdict(of: theirs, at: other.now).grantLives)
        #expect(other.store.verdict(of: own, at: other.now).grantLives)
        // A name that is nothing else's either: it leads to no record that is not an assertion's.
        #expect(stage.send(try stage.takingBack(held.id)).status == .ok)
        #expect(stage.store.verdict(of: own, at: stage.now).grantLives)
    }

    @Test("An assertion that an earlier version kept by its own name is not redeemed anew", .proves("threat-64"))
    func formerNames() throws {
        var stage = try Stage.fresh()
        let former = Record(
            id: try TokenID(parsing: "a-1"), kind: .assertion, parent: nil, issued: stage.now,
            audience: .init(stage.service.authority.issuer), accessExpiry: stage.now + .seconds(300))
        let kept = Batch(at: stage.now, [.insert(former), .consume(former.id)])
        #expect(stage.store.commit(kept) == .applied)
        try Expected("invalid_grant", 400, "AST-3").check(
            &stage, try Stage.redeeming(stage.assertion("a-1"), stage.instanceProof()), changes: true)
        #expect(stage.store.verdict(of: former.id, at: stage.now).grantLives == false)
    }

    @Test("Access tokens live as long as the policy says", .proves("TOK-2"))
    func accessLifetime() throws {
        var stage = try Stage.fresh()
        stage.service.policy.accessLifetime = .seconds(90)
        let service = try stage.redeem()
        let app = try stage.authorize(with: service)
        #expect(service.members["expires_in"] == 90)
        #expect(app.members["expires_in"] == 90)
        #expect(try app.claims["exp"] == stage.time(90))
        stage.now = stage.now + .seconds(90)
        #expect(try stage.opens(Stage.papi, app) == false)
    }

    @Test("DPoP is taken where the policy takes it", .proves("threat-36"))
    func proofPolicy() throws {
        var (stage, _, app) = try Stage.authorized()
        stage.service.policy.proof.acceptsDPoP = false
        var request = try Stage.get(Stage.papi)
        try request.fields.append(.authorization, "DPoP " + app.access)
        try request.fields.append(.dpop, stage.dpop(app, Stage.papi, "GET", with: app.access).text)
        guard case .refused(let response) = try stage.use(request, Stage.papi) else {
            Issue.record("proofs are not taken")
            return
        }
        Expected("invalid_token", 401, "RFC9449-5").check(response, stage.refusals.last)
    }
}
