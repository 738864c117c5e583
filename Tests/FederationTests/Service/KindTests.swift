import Federation
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("Kinds of tokens and names")
struct KindTests {
    /// One token in order of each kind that a service sees, and the name of its kind.
    private func tokens(_ stage: inout Stage, _ service: Held, _ app: Held) throws -> [(kind: String, text: String)] {
        [
            ("service assertion", try stage.assertion("kind").text),
            ("app code", try stage.code(with: service, binding: Pair.app).text),
            ("request token of the instance", try stage.proof(service).text),
            ("request token of the app", try stage.proof(app).text),
            ("client assertion", try stage.clientAssertion().text), ("service token", service.access),
            ("app token", app.access),
            ("DPoP proof", try stage.dpop(app).text), ("refresh token", app.refresh),
        ]
    }

    @Test("No token of another kind is taken for a service assertion, or for a code", .proves("threat-18"))
    func grants() throws {
        var (stage, service, app) = try Stage.authorized()
        for (kind, text) in try tokens(&stage, service, app) {
            let before = stage.state
            if kind != "service assertion" {
                let response = stage.send(
                    try Stage.form(
                        ["grant_type": Stage.jwtBearer, "assertion": text], bearer: stage.instanceProof().text))
                #expect(response.status == .badRequest, "\(kind) as an assertion")
            }
            if kind != "app code" {
                let response = stage.send(
                    try Stage.form(
                        ["grant_type": "authorization_code", "code": text, "scope": Stage.papi],
                        bearer: stage.proof(service).text))
                #expect(response.status == .badRequest, "\(kind) as a code")
            }
            if kind != "refresh token" {
                let response = stage.send(try stage.refreshing(app, text))
                #expect(response.status == .badRequest, "\(kind) as a refresh token")
            }
            #expect(stage.state == before, "\(kind)")
        }
    }

    @Test("No token of another kind opens an endpoint", .proves("threat-18"))
    func access() throws {
        var (stage, service, app) = try Stage.authorized()
        for (kind, text) in try tokens(&stage, service, app) {
            guard case .refused(let response) = try stage.use(Stage.get(Stage.papi, bearer: text), Stage.papi) else {
                Issue.record("\(kind) opens an endpoint")
                continue
            }
            #expect(response.status == .unauthorized, "\(kind)")
        }
    }

    @Test("No token of another kind authenticates the edu-ID service", .proves("threat-18"))
    func clientAuthentication() throws {
        var (stage, service, app) = try Stage.authorized()
        for (kind, text) in try tokens(&stage, service, app) where kind != "client assertion" {
            try Expected("invalid_client", 401, stage.clause(of: kind)).check(
                &stage,
                try Stage.form(
                    [
                        "token": "assertion-1", "client_assertion_type": ClientCredential.assertionType,
                        "client_assertion": text,
                    ], to: Stage.revoke))
        }
    }

    @Test("An app that bears an instance's name, or a user's, is neither", .proves("threat-35"))
    func namesakes() throws {
        var (stage, service) = try Stage.redeemed()
        for name in [Stage.instance, Stage.user, Stage.home] {
            let app = try stage.authorize(with: service, for: name)
            guard
                case .granted(let access) = try stage.use(
                    Stage.get(Stage.papi, bearer: stage.proof(app, Stage.papi).text), Stage.papi)
            else {
                Issue.record("\(name) is a name like others")
                continue
            }
            #expect(access.app?.text == name)
            #expect(access.instance?.text == Stage.instance)
            #expect(access.subject.text == Stage.user)
            try Expected("invalid_client", 401, "threat-18").check(
                &stage, try Stage.authorizing(stage.code(with: app, for: "ch.example.other"), stage.proof(app)))
            // Nor does it end what belongs to the instance.
            #expect(stage.send(try stage.revoking(service.access, by: app)).status == .ok)
            #expect(try stage.opens(Stage.token, service))
        }
    }

    @Test("Rights follow from the store, not from what an older token says", .proves("threat-34"))
    func rightsComeFromTheStore() throws {
        var (stage, service) = try Stage.redeemed()
        let wide = try stage.authorize(with: service, scope: Stage.papi + " " + Stage.lti)
        let narrowed = stage.send(
            try Stage.form(
                ["grant_type": "refresh_token", "refresh_token": wide.refresh, "scope": Stage.papi],
                bearer: stage.proof(wide).text))
        #expect(narrowed.status == .ok)
        #expect(try wide.claims["scope"]?.string == Stage.papi + " " + Stage.lti)
        var request = try Stage.get(Stage.lti)
        try request.fields.append(.authorization, "DPoP " + wide.access)
        try request.fields.append(.dpop, stage.dpop(wide, Stage.lti, "GET", with: wide.access).text)
        guard case .refused(let response) = try stage.use(request, Stage.lti) else {
            Issue.record("an older token opens what the grant is not good for any more")
            return
        }
        Expected("insufficient_scope", 403, "APP-9").check(response, stage.refusals.last)
    }
}

extension Stage {
    /// Which rule a token of a kind breaks where a client assertion is expected.
    fileprivate func clause(of kind: String) -> String {
        switch kind {
        case "service assertion": "RFC8725-3.11"
        case "refresh token": "RFC7515-7.1"
        case "DPoP proof": "threat-9"
        default: "RFC7515-6"
        }
    }
}
