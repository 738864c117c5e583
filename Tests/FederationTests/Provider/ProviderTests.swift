@testable import Federation
import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("Sign-in at a provider: going there")
struct ProviderRedirectTests {
    @Test("A browser is sent with state, nonce and challenge, and keeps a mark", .proves("OIC-4"))
    func redirect() throws {
        var desk = try SignInDesk()
        desk.wish.demand = try AuthenticationDemand(
            [Authentication.ContextClass(parsing: "urn:acr:1")], maximumAge: 300)
        desk.wish.prompt = .login
        desk.wish.loginHint = "ada"
        let redirect = try desk.redirect().get()
        var query = try SignInDesk.query(redirect.location)
        let state = try OpenID.State(parsing: #require(query["state"]))
        #expect(redirect.location.text.hasPrefix(LoginServer.issuer + "authorize?"))
        #expect(state.imprint == redirect.departure.state)
        #expect(query["nonce"].flatMap { try? OpenID.Nonce(parsing: $0) }?.imprint == redirect.departure.nonce)
        for name in ["state", "nonce", "code_challenge"] { #expect(query.removeValue(forKey: name)?.utf8.count == 43) }
        #expect(
            query == [
                "response_type": "code", "client_id": LoginServer.client, "code_challenge_method": "S256",
                "redirect_uri": LoginServer.client + "/callback/example", "scope": "openid profile email",
                "acr_values": "urn:acr:1", "max_age": "300", "prompt": "login", "login_hint": "ada",
            ])
    }

    @Test("No refresh token is asked for", .proves("OIC-14"))
    func offline() throws {
        var desk = try SignInDesk()
        let query = try SignInDesk.query(desk.redirect().get().location)
        #expect(query["scope"] == "openid profile email")
        #expect(desk.provider.scope.text.contains("offline_access"))
    }

    @Test("The answer tells nobody where the browser comes from, and only this host gets the cookie", .proves("OIC-4"))
    func response() throws {
        var desk = try SignInDesk()
        let redirect = try desk.redirect().get()
        let response = redirect.response
        #expect(response.status.code == 302 && response.body.isEmpty)
        func field(_ name: String) throws -> HTTP.Occurrence<String> {
            response.fields.value(of: try HTTP.Field.Name(parsing: name))
        }
        #expect(try field("Location") == .once(redirect.location.text))
        #expect(try field("Referrer-Policy") == .once("no-referrer") && field("Cache-Control") == .once("no-store"))
        let cookie = "__Host-eduid-signin=" + redirect.mark.secret
        #expect(
            try field("Set-Cookie") == .once(cookie + "; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600"))
        var request = HTTP.Request(.get, try HTTP.Request.Target(parsing: "/callback/example"))
        #expect(Provider.mark(of: request) == nil)
        try request.fields.append(HTTP.Field.Name(parsing: "Cookie"), "a=b; " + cookie)
        #expect(Provider.mark(of: request) == redirect.mark)
        try request.fields.append(HTTP.Field.Name(parsing: "Cookie"), cookie)
        #expect(Provider.mark(of: request) == nil)
    }

    @Test("What is kept leads to neither state, nonce, mark nor verifier", .proves("OIC-4"))
    func kept() throws {
        var desk = try SignInDesk()
        desk.wish.demand = try AuthenticationDemand([Authentication.ContextClass(parsing: "a")], maximumAge: 0)
        let redirect = try desk.redirect().get()
        let attributes = redirect.departure.attributes
        #expect(Provider.Departure(attributes) == redirect.departure)
        let text = String(decoding: attributes.encoded(), as: UTF8.self)
        let query = try SignInDesk.query(redirect.location)
        for secret in [query["state"], query["nonce"], redirect.mark.secret] {
            #expect(!text.contains(try #require(secret)))
        }
        let challenge = try #require(query["code_challenge"])
        let state = try OpenID.State(parsing: #require(query["state"]))
        let verifier = desk.provider.verifier(of: state, following: desk.service.authority.master)
        #expect(verifier.challenge.text == challenge && !text.contains(verifier.secret))
        for member in attributes {
            var changed = attributes
            changed[member.name] = member.name == "acr_values" || member.name == "max_age" ? "x" : nil
            #expect(Provider.Departure(changed) == nil, "\(member.name)")
        }
        var later = attributes
        later["version"] = 2
        #expect(Provider.Departure(later) == nil)
        #expect(Provider.Departure([:]) == nil)
    }

    @Test("Each request has a verifier of its own, which nobody knows without the service's secret", .proves("OIC-4"))
    func verifiers() throws {
        var desk = try SignInDesk()
        let challenges = try (0..<2).map { _ in
            try SignInDesk.query(desk.redirect().get().location)["code_challenge"]
        }
        #expect(challenges[0] != challenges[1])
        let state = try OpenID.State(parsing: String(repeating: "s", count: 43))
        let verifiers = ([1, 2] as [UInt8]).map { byte in
            let secret = HMAC<SHA256>.PreparedKey(SymmetricKey(data: [UInt8](repeating: byte, count: 32)))
            return desk.provider.verifier(of: state, following: secret)
        }
        #expect(verifiers[0] != verifiers[1])
    }

    @Test("What an earlier version kept is read", .proves("threat-69"))
    func earlier() throws {
        // Written by version 1; the imprints are SHA-256 of 43 times the letters s, n and b, by `hashlib` of Python.
        let kept: JSON.Object = [
            "version": 1, "provider": "example", "state": "1kuTyfG2DrM45ctBXWo2vZIO3Q6bNvfqXHMNDhD_FH8",
            "nonce": "aSC5Xp-HNsKU0lQRgfKps70vF0F4oDAc0LbrxuASjOo",
            "browser": "8BtXImJhrjdWuTk24cTmuEn5pbCTP6O5GEO_QZW52WQ", "acr_values": ["a", "b"], "max_age": 300,
        ]
        let departure = try #require(Provider.Departure(kept))
        #expect(departure.nonce == (try OpenID.Nonce(parsing: String(repeating: "n", count: 43)).imprint))
        #expect(departure.demand.contextClasses.map(\.text) == ["a", "b"] && departure.demand.maximumAge == 300)
    }

    @Test("A request is left at a provider that takes that, and its name goes through the browser", .proves("OIC-7"))
    func pushed() throws {
        var desk = try SignInDesk()
        desk.server.description["pushed_authorization_request_endpoint"] = .string(LoginServer.issuer + "par")
        let redirect = try desk.redirect().get()
        #expect(
            try SignInDesk.query(redirect.location) == [
                "client_id": LoginServer.client, "request_uri": LoginServer.requestName,
            ])
        let form = try desk.server.form("par")
        #expect(form["state"].flatMap { try? OpenID.State(parsing: $0) }?.imprint == redirect.departure.state)
        let claims = try ProviderAnswerTests.claims(of: #require(form["client_assertion"]))
        #expect(claims["aud"] == .string(LoginServer.issuer))
        let identity = try desk.conclude(try desk.answer(to: redirect), redirect, in: redirect.mark).get()
        #expect(identity.subject.text == "A-1")
    }

    @Test("A request that the provider does not take is not sent otherwise", .proves("OIC-7"))
    func unkept() throws {
        var desk = try SignInDesk()
        desk.server.description["require_pushed_authorization_requests"] = true
        #expect(try desk.redirect().refusal == "server_error OIC-7")
        desk = try SignInDesk()
        desk.server.description["pushed_authorization_request_endpoint"] = .string(LoginServer.issuer + "par")
        desk.server.instead["par"] = LoginServer.json(["error": "invalid_client"], .unauthorized)
        #expect(try desk.redirect().refusal == "server_error OIC-7")
        desk.server.instead["par"] = .some(nil)
        #expect(try desk.redirect().refusal == "temporarily_unavailable OIC-7")
        desk.server.instead["par"] = HTTP.Response(.found)
        #expect(try desk.redirect().refusal == "temporarily_unavailable RFC6749-5.2")
    }

    @Test("A provider that describes itself by another name is not asked", .proves("OIC-10"))
    func described() throws {
        var desk = try SignInDesk()
        desk.server.description["issuer"] = "https://login.example.org"
        #expect(try desk.redirect().refusal == "server_error OIC-10")
        desk = try SignInDesk()
        desk.server.instead["openid-configuration"] = .some(nil)
        #expect(try desk.redirect().refusal == "temporarily_unavailable OIC-7")
    }

    @Test("A configuration that could not work is none", .proves("OIC-6"), .proves("OIC-10"))
    func configuration() throws {
        let (issuer, client) = try (Issuer(parsing: LoginServer.issuer), ClientID(parsing: "c"))
        let secret = Provider.Credential.secretInBody(try Secret.Password(parsing: "s"))
        func refused(_ issuer: Issuer, _ credential: Provider.Credential, _ name: String) -> Rejection? {
            rejection { () throws(Rejection) in
                try Provider(issuer, client: client, by: credential, answeringAt: name)
            }
        }
        #expect(refused(issuer, secret, "switch-1.a_b~") == nil)
        #expect(refused(issuer, secret, "") == .syntax(.empty(.identifier)))
        let long = String(repeating: "a", count: 65)
        #expect(refused(issuer, secret, long) == .syntax(.tooLong(.identifier, length: 65, limit: 64)))
        for name in ["a/b", "a b", "aä", "a?"] {
            #expect(refused(issuer, secret, name) == .syntax(.foreignCharacter(.identifier, offset: 1)))
        }
        let http = try Issuer(parsing: "http://login.example.org/")
        #expect(refused(http, secret, "a") == .unusable(.issuerIdentifier(http.text)))
        let nameless = SigningKey(
            try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 1, count: 32)))
        #expect(refused(issuer, .key(nameless), "a") == .issuance(.namelessKey))
    }
}

@Suite("Sign-in at a provider: coming back")
struct ProviderAnswerTests {
    static func claims(of token: String) throws -> JSON.Object {
        let payload = try #require(token.split(separator: ".").dropFirst().first)
        return try #require(JSON(parsing: Base64URL.decode(String(payload))).object)
    }

    @Test("Who signed in follows from issuer and subject, and nothing that can be given to others", .proves("OIC-12"))
    func identity() throws {
        var desk = try SignInDesk()
        let identity = try desk.signIn().get()
        // Base64URL(HMAC-SHA-256(32 times 9, "user at a provider: 26:" + issuer + "A-1")), by `hmac` of Python.
        #expect(identity.user.text == "lu93o8rU7F_Eq4MGhmHlxpis3luMS6jSeTBSGTpPCe8")
        #expect(identity.subject.text == "A-1" && identity.authentication.methods == ["pwd"])
        #expect(identity.authentication.contextClass?.text == "urn:acr:1" && identity.authentication.time == nil)
        desk.server.identity["email"] = "other@example.org"
        desk.server.identity["eduPersonPrincipalName"] = "other"
        #expect(try desk.signIn().get().user == identity.user)
        desk.server.identity["sub"] = "A-2"
        desk.server.userinfo["sub"] = "A-2"
        #expect(try desk.signIn().get().user != identity.user)
    }

    @Test("ID token and userinfo go into the profile as configured, the newer before the older", .proves("OIC-12"))
    func profile() throws {
        var desk = try SignInDesk()
        let profile = try desk.signIn().get().profile
        #expect(profile["given_name"] == "Augusta" && profile["email"] == "ada@example.org" && profile.count == 2)
        var mapping = OpenID.ClaimMapping([])
        mapping.take(try #require(OpenID.Claim("mail")), from: "email")
        desk.provider.claims = mapping
        #expect(try desk.signIn().get().profile == ["mail": "ada@example.org"])
        desk.provider.asksForUserinfo = false
        let asked = desk.server.count("userinfo")
        #expect(try desk.signIn().get().profile == [:])
        #expect(desk.server.count("userinfo") == asked)
    }

    @Test("What is kept with the sign-in does not name the person at the provider", .proves("OIC-12"))
    func attributes() throws {
        var desk = try SignInDesk()
        desk.server.identity["sub"] = "subject-at-provider"
        desk.server.userinfo["sub"] = "subject-at-provider"
        desk.server.identity["sid"] = "session-at-provider"
        let identity = try desk.signIn().get()
        let text = String(decoding: identity.attributes.encoded(), as: UTF8.self)
        #expect(!text.contains("-at-provider") && text.contains(identity.user.text))
        #expect(identity.attributes["provider"]?["session"] != nil)
        desk.server.identity["sid"] = nil
        #expect(try desk.signIn().get().attributes["provider"]?["session"] == nil)
    }

    @Test("The code goes with its verifier and a statement for this provider alone", .proves("OIC-7"))
    func redemption() throws {
        var desk = try SignInDesk()
        let redirect = try desk.redirect().get()
        _ = try desk.conclude(try desk.answer(to: redirect), redirect, in: redirect.mark).get()
        let form = try desk.server.form("token")
        let verifier = try Secret.CodeVerifier(parsing: #require(form["code_verifier"]))
        #expect(verifier.challenge.text == (try SignInDesk.query(redirect.location)["code_challenge"]))
        #expect(form["redirect_uri"] == LoginServer.client + "/callback/example" && form["code"] == "c-1")
        let claims = try Self.claims(of: #require(form["client_assertion"]))
        #expect(claims["aud"] == .string(LoginServer.issuer) && claims["iss"] == .string(LoginServer.client))
        let bearer = desk.server.asked.last { $0.target.path.hasSuffix("/userinfo") }
        #expect(bearer?.fields.value(of: .authorization) == .once("Bearer " + LoginServer.access))
    }

    @Test("Where it is registered so, the client shows a secret", .proves("OIC-7"))
    func secrets() throws {
        var desk = try SignInDesk()
        let secret = try Secret.Password(parsing: "s")
        for credential in [Provider.Credential.secretInHeader(secret), .secretInBody(secret)] {
            desk.provider = try Provider(
                desk.provider.issuer, client: desk.provider.client, by: credential, answeringAt: "example")
            desk.provider.algorithms = [.edDSA]
            _ = try desk.signIn().get()
            let request = try #require(desk.server.asked.last { $0.target.path.hasSuffix("/token") })
            let isInBody = try desk.server.form("token")["client_secret"] == "s"
            #expect(isInBody == (request.fields.value(of: .authorization) == .absent))
            #expect(try desk.server.form("token")["client_assertion"] == nil)
        }
    }

    @Test(
        "With another browser, at another path, to another request, or by another provider: the code is sent nowhere",
        .proves("OIC-5"), .proves("OIC-6"))
    func misplaced() throws {
        var desk = try SignInDesk()
        let (one, other) = try (desk.redirect().get(), desk.redirect().get())
        func refused(_ changes: [String: String] = [:], in mark: OpenID.BrowserMark?) throws -> String? {
            try desk.conclude(try desk.answer(to: one, changes), one, in: mark).refusal
        }
        #expect(try refused(in: nil) == "invalid_request OIC-5")
        #expect(try refused(in: other.mark) == "invalid_request OIC-5")
        let state = try #require(SignInDesk.query(other.location)["state"])
        #expect(try refused(["state": state], in: one.mark) == "invalid_request RFC6749-10.12")
        #expect(try refused(["iss": ""], in: one.mark) == "invalid_request RFC9207-2.4")
        #expect(try refused(["iss": "https://b.example/"], in: one.mark) == "invalid_request RFC9207-2.4")
        #expect(
            try refused(["iss": "", "code": "", "error": "access_denied"], in: one.mark)
                == "invalid_request RFC9207-2.4")
        let provider = desk.provider
        desk.provider = try Provider(
            provider.issuer, client: provider.client, by: provider.credential, answeringAt: "other")
        #expect(try refused(in: one.mark) == "invalid_request OIC-6")
        #expect(desk.server.count("token") == 0)
        desk.provider = provider
        #expect(try refused(in: one.mark) == nil)
    }

    @Test("A provider that does not promise its name may leave it out", .proves("OIC-5"))
    func unpromised() throws {
        var desk = try SignInDesk()
        desk.server.description["authorization_response_iss_parameter_supported"] = nil
        #expect(try desk.refusal(["iss": ""]) == nil)
        #expect(try desk.refusal(["iss": "https://b.example/"]) == "invalid_request RFC9207-2.4")
    }

    @Test("What the provider refuses is told in three words", .proves("OIC-5"))
    func errors() throws {
        var desk = try SignInDesk()
        for (error, told) in [
            ("access_denied", "access_denied"), ("login_required", "access_denied"),
            ("interaction_required", "access_denied"), ("unmet_authentication_requirements", "access_denied"),
            ("temporarily_unavailable", "temporarily_unavailable"), ("server_error", "server_error"),
            ("invalid_scope", "server_error"), ("unheard_of", "server_error"),
        ] {
            #expect(try desk.refusal(["code": "", "error": error]) == told + " OIC-13")
        }
        #expect(desk.server.count("token") == 0)
    }

    @Test("A redirect, a page, 65 KiB or nothing at the token endpoint: another time helps", .proves("OIC-7"))
    func unreadable() throws {
        var desk = try SignInDesk()
        var page = HTTP.Response(.ok, body: Array("<html>".utf8))
        try page.fields.append(.contentType, "text/html")
        let long = HTTP.Response(.ok, body: [UInt8](repeating: 0x20, count: 65 << 10))
        for response in [HTTP.Response(.found), page, long, HTTP.Response(.internalServerError), nil] {
            desk.server.instead["token"] = .some(response)
            #expect(try desk.refusal()?.hasPrefix("temporarily_unavailable ") == true)
        }
        desk.server.instead["token"] = LoginServer.json(["error": "invalid_grant"], .badRequest)
        #expect(try desk.refusal() == "server_error OIC-7")
    }

    @Test("An ID token that is not the answer ends the sign-in", .proves("OIC-8"))
    func identityToken() throws {
        var desk = try SignInDesk()
        for (name, value, clause) in [
            ("nonce", JSON.string(String(repeating: "m", count: 43)), "OIC-8"), ("aud", "c", "RFC7519-4.1.3"),
            ("iss", "https://login.example.org", "RFC8725-3.8"), ("azp", "c", "OIC-8"),
            ("iat", .number(JSON.Number(desk.now.seconds - 601)), "RFC7519-4.1.6"), ("at_hash", "x", "OIC-8"),
        ] {
            let before = desk.server.identity
            desk.server.identity[name] = value
            #expect(try desk.refusal() == "server_error " + clause, "\(name)")
            desk.server.identity = before
        }
        let userinfo = desk.server.count("userinfo")
        #expect(userinfo == 0)
        desk.provider.algorithms = [.es256]
        #expect(try desk.refusal()?.hasPrefix("server_error ") == true)
    }

    @Test("What was asked about the authentication comes back with the answer", .proves("OIC-8"))
    func authentication() throws {
        var desk = try SignInDesk()
        desk.wish.demand = try AuthenticationDemand([], maximumAge: 300)
        #expect(try desk.refusal() == "server_error RFC7519-4")
        desk.server.identity["auth_time"] = .number(JSON.Number(desk.now.seconds - 361))
        #expect(try desk.refusal() == "server_error OIC-8")
        desk.server.identity["auth_time"] = .number(JSON.Number(desk.now.seconds - 360))
        #expect(try desk.signIn().get().authentication.time == desk.now - .seconds(360))
        desk.wish.demand = try AuthenticationDemand(
            [Authentication.ContextClass(parsing: "urn:acr:2")], maximumAge: 300)
        #expect(try desk.refusal() == "server_error OIC-8")
        desk.server.identity["acr"] = "urn:acr:2"
        #expect(try desk.refusal() == nil)
    }

    @Test("Userinfo about somebody else ends the sign-in; userinfo that cannot be read delays it", .proves("OIC-9"))
    func userinfo() throws {
        var desk = try SignInDesk()
        desk.server.userinfo["sub"] = "A-2"
        #expect(try desk.refusal() == "server_error OIC-9")
        desk.server.instead["userinfo"] = HTTP.Response(.unauthorized)
        #expect(try desk.refusal() == "temporarily_unavailable RFC6749-5.2")
        desk.server.description["userinfo_endpoint"] = nil
        desk.descriptions = ProviderDescriptions()
        #expect(try desk.signIn().get().profile == ["given_name": "Ada"])
    }
}
