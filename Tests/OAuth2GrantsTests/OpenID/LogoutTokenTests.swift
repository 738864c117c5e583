import JOSE
import OAuth2Grants
import TestSupport
import Testing
import Wire

@Suite("Back-Channel Logout 1.0 §2.6: logout tokens")
struct LogoutTokenTests {
    static let event = "http://schemas.openid.net/event/backchannel-logout"
    static let draft = Draft(
        "logout+jwt", seed: 1,
        [
            "iss": #""\#(Login.issuer)""#, "sub": #""A-1""#, "aud": #""\#(Login.client)""#, "iat": "1700000000",
            "exp": "1700000120", "jti": #""l-1""#, "sid": #""s-1""#, "events": #"{"\#(event)":{}}"#,
        ])

    @Test("A token in order tells whose session ended, and what must not come twice", .proves("OIC-16"))
    func good() throws {
        let token = try Login.logout(Self.draft.text).get()
        #expect(token.issuer.text == Login.issuer && token.subject?.text == "A-1" && token.session?.text == "s-1")
        #expect(token.issuedAt == Scene.now)
        #expect(
            token.singleUse
                == Statement.SingleUse(
                    .logoutToken, of: try JWT.ID(parsing: "l-1"), owner: Login.issuer, until: Scene.time(1_700_000_120))
        )
        #expect(try Login.logout(Self.draft.claiming(["sid": ""]).text).get().session == nil)
        #expect(try Login.logout(Self.draft.claiming(["sub": ""]).text).get().subject == nil)
    }

    @Test("What holds for a day is remembered no longer than it would be taken", .proves("threat-62"))
    func memory() throws {
        let day = Self.draft.claiming(["exp": "1700086400"])
        let end = try Login.logout(day.text).get().singleUse.until
        #expect(end == Scene.time(1_700_000_601))
        #expect(try Login.logout(day.text, at: Scene.time(1_700_000_600)).rejection == nil)
        #expect(
            try Login.logout(day.text, at: end).rejection?.reason == .token(.tooOld(issued: Scene.now, now: end)))
    }

    static let other = "https://b.example/"

    static let faults: [Fault<TokenRejection.Reason>] = [
        Fault("no type", draft.heading(["typ": ""]), nil),
        Fault("just JWT", draft.heading(["typ": #""JWT""#]), nil),
        Fault("its type in full", draft.heading(["typ": #""application/logout+jwt""#]), nil),
        Fault(
            "another kind", draft.heading(["typ": #""secevent+jwt""#]),
            .token(.wrongKind(expected: "logout+jwt", found: "secevent+jwt"))),
        Fault("no key's name", draft.heading(["kid": ""]), .missingKeyID),
        Fault("another key", draft.signed(by: 6), .token(.invalidSignature)),
        Fault(
            "another issuer", draft.claiming(["iss": #""\#(other)""#]),
            .issuer(expected: Login.issuer, found: other)),
        Fault("no issuer", draft.claiming(["iss": ""]), .token(.missing("iss"))),
        Fault("no audience", draft.claiming(["aud": ""]), .token(.missing("aud"))),
        Fault(
            "another client", draft.claiming(["aud": #""\#(other)""#]),
            .audience(expected: Login.client, found: other)),
        Fault(
            "other clients", draft.claiming(["aud": #"["\#(other)","c"]"#]),
            .audience(expected: Login.client, found: other + "', 'c")),
        Fault("us among others", draft.claiming(["aud": #"["\#(other)","\#(Login.client)"]"#]), nil),
        Fault("no time of issue", draft.claiming(["iat": ""]), .token(.missing("iat"))),
        Fault(
            "older than ten minutes", draft.claiming(["iat": "1699999399"]),
            .token(.tooOld(issued: Scene.time(1_699_999_399), now: Scene.now))),
        Fault(
            "more than a minute ahead", draft.claiming(["iat": "1700000061"]),
            .token(.issuedInTheFuture(at: Scene.time(1_700_000_061), now: Scene.now))),
        Fault("no end", draft.claiming(["exp": ""]), .token(.missing("exp"))),
        Fault(
            "ended", draft.claiming(["exp": "1700000000"]), .token(.expired(at: Scene.now, now: Scene.now))),
        Fault("no name", draft.claiming(["jti": ""]), .token(.missing("jti"))),
        Fault("a nonce, as in ID tokens", draft.claiming(["nonce": #""n""#]), .foreignClaim("nonce")),
        Fault("a nonce that is nothing", draft.claiming(["nonce": "null"]), .foreignClaim("nonce")),
        Fault("no events", draft.claiming(["events": ""]), .token(.missing("events"))),
        Fault("other events", draft.claiming(["events": #"{"urn:x":{}}"#]), .noLogout),
        Fault("events in a list", draft.claiming(["events": #"["\#(event)"]"#]), .noLogout),
        Fault("an event that is no object", draft.claiming(["events": #"{"\#(event)":true}"#]), .noLogout),
        Fault("an event with more in it", draft.claiming(["events": #"{"\#(event)":{"a":1},"b":{}}"#]), nil),
        Fault("neither subject nor session", draft.claiming(["sub": "", "sid": ""]), .token(.missing("sub"))),
        Fault("a subject beyond ASCII", draft.claiming(["sub": #""Käthe""#]), .subjectForm),
        Fault(
            "a session that is no text", draft.claiming(["sid": "1"]),
            .token(.wrongType("sid", expected: .string, found: .number))),
    ]

    @Test("Whatever is wrong is refused for that", .proves("OIC-16"), arguments: faults)
    func fault(_ fault: Fault<TokenRejection.Reason>) throws {
        let found = try Login.logout(fault.draft.text).rejection
        #expect(found == fault.rejection.map { TokenRejection(.logoutToken, $0) })
        if let found { #expect(found.refusal.code == .invalidRequest && found.refusal.status() == .badRequest) }
    }

    @Test("Neither passes for an ID token, nor an ID token for it", .proves("OIC-16"), .proves("threat-18"))
    func kinds() throws {
        let identity = IDTokenTests.draft.claiming(["jti": #""i-1""#])
        #expect(
            try Login.logout(identity.text).rejection?.reason == .token(.missing("events")))
        let both = identity.claiming(["events": #"{"\#(Self.event)":{}}"#])
        #expect(try Login.logout(both.text).rejection?.reason == .foreignClaim("nonce"))
        let untyped = Self.draft.heading(["typ": ""])
        #expect(try Login.identity(untyped.text).rejection?.reason == .token(.missing("nonce")))
        #expect(
            try Login.identity(Self.draft.text).rejection?.reason
                == .token(.wrongKind(expected: .jwt, found: "logout+jwt")))
    }

    @Test("The algorithms are those of the provider", .proves("OIC-18"))
    func algorithms() throws {
        #expect(
            try Login.logout(Self.draft.text, algorithms: [.rs256]).rejection?.reason
                == .token(.algorithmNotAccepted(found: .edDSA, accepted: [.rs256])))
    }

    @Test("It comes as a form, and what is taken is answered empty", .proves("OIC-16"))
    func message() throws {
        let sent = Sent(["logout_token": Part.signed])
        #expect(try OpenID.LogoutRequest(parsing: sent.posted).token == Part.assertion())
        func refused(_ request: HTTP.Request) -> ParameterRejection? {
            rejection { () throws(ParameterRejection) in try OpenID.LogoutRequest(parsing: request) }
        }
        #expect(try refused(sent.without("logout_token").posted) == .missing("logout_token"))
        #expect(try refused(sent.adding("logout_token", Part.signed).posted) == .repeated("logout_token"))
        #expect(try refused(sent.query) == .method(.get))
        let taken = OpenID.LogoutRequest.taken
        #expect(taken.status == .ok && taken.body.isEmpty)
        expectUncached(taken)
    }
}
