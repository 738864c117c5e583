import JOSE
import OAuth2Grants
import TestSupport
import Testing
import Wire

@Suite("Profile, request tokens: proof of possession for each request")
struct RequestTokenTests {
    typealias Rejection = TokenRejection

    static let url = "https://moodle.example.ch/webservice/rest"
    static let draft = Draft(
        "request+jwt", seed: 7,
        [
            "iss": #""\#(Scene.instance)""#, "aud": #""\#(url)""#, "iat": "1700000000", "jti": #""n-1""#, "page": "3",
        ])

    static func check(
        _ draft: Draft, url: String = url, key: Statement.BoundKey? = nil,
        policy: Possession.Policy = Possession.Policy(),
        at now: Timestamp = Scene.now
    ) throws -> Rejection? {
        let (token, key, url) = (try draft.unverified, try key ?? Pair.bound(7, to: Scene.instance), try Scene.url(url))
        return rejection { () throws(Rejection) in
            try RequestToken(checking: token, by: key, requesting: url, policy: policy, at: now)
        }
    }

    @Test(
        "A token in order tells who made it, with which key, and what must not come twice", .proves("POP-1"),
        .proves("threat-36"))
    func good() throws {
        let key = try Pair.bound(7, to: Scene.instance)
        let token = try RequestToken(
            checking: Self.draft.unverified, by: key, requesting: Scene.url(Self.url), at: Scene.time(1_700_000_030))
        #expect(token.holder == .client(try Scene.client()))
        #expect(try token.keyID == Scene.name("k7"))
        #expect(token.claims == ["page": 3])
        #expect(try token["page"]?.integer(as: Int.self) == 3)
        #expect(token["iss"] == nil)
        #expect(token.singleUse.kind == .requestToken)
        #expect(token.singleUse.id.text == "n-1")
        #expect(token.singleUse.owner == (try Pair.jwk(7).thumbprint().text))
        #expect(token.singleUse.until == Scene.time(1_700_000_061))
    }

    static let faults: [Fault<TokenRejection.Reason>] = [
        Fault("no type", draft.heading(["typ": ""]), nil),
        Fault("just JWT", draft.heading(["typ": #""JWT""#]), nil),
        Fault("another case of the type", draft.heading(["typ": #""application/Request+JWT""#]), nil),
        Fault("a list of one audience", draft.claiming(["aud": #"["\#(url)"]"#]), nil),
        Fault(
            "the same URL, spelled differently",
            draft.claiming(["aud": #""HTTPS://Moodle.example.ch:443/webservice/rest/""#]), nil),
        Fault("no key's name", draft.heading(["kid": ""]), .missingKeyID),
        Fault("another key's name", draft.heading(["kid": #""k8""#]), .otherKey(name("k8"))),
        Fault("a prefix of the name", draft.heading(["kid": #""k""#]), .otherKey(name("k"))),
        Fault("another key", draft.signed(by: 8), .token(.invalidSignature)),
        Fault(
            "another algorithm", draft.heading(["alg": #""HS256""#]),
            .token(.algorithmNotAccepted(found: .hs256, accepted: [.edDSA, .ed25519, .es256]))),
        Fault(
            "the type of an assertion", draft.heading(["typ": #""client-authentication+jwt""#]),
            .token(.wrongKind(expected: "request+jwt", found: "client-authentication+jwt"))),
        Fault(
            "the type of an access token", draft.heading(["typ": #""at+jwt""#]),
            .token(.wrongKind(expected: "request+jwt", found: "at+jwt"))),
        Fault("no issuer", draft.claiming(["iss": ""]), .token(.missing("iss"))),
        Fault(
            "another issuer", draft.claiming(["iss": #""ch.example.reader""#]),
            .issuer(expected: Scene.instance, found: "ch.example.reader")),
        Fault(
            "an issuer that is none", draft.claiming(["iss": "7"]),
            .token(.wrongType("iss", expected: .string, found: .number))),
        Fault("no audience", draft.claiming(["aud": ""]), .token(.missing("aud"))),
        Fault(
            "another audience", draft.claiming(["aud": #""https://moodle.example.ch/webservice""#]),
            .audience(expected: url, found: "https://moodle.example.ch/webservice")),
        Fault(
            "an audience with a query", draft.claiming(["aud": #""\#(url)?q=1""#]),
            .audience(expected: url, found: url + "?q=1")),
        Fault(
            "two audiences", draft.claiming(["aud": #"["\#(url)","https://b.example/"]"#]), .severalAudiences(2)
        ),
        Fault("no time of issue", draft.claiming(["iat": ""]), .token(.missing("iat"))),
        Fault(
            "a time that is a text", draft.claiming(["iat": #""1700000000""#]),
            .token(.wrongType("iat", expected: .number, found: .string))),
        Fault("at the edge of the future", draft.claiming(["iat": "1700000060"]), nil),
        Fault(
            "too far in the future", draft.claiming(["iat": "1700000061"]),
            .token(.issuedInTheFuture(at: Scene.time(1_700_000_061), now: Scene.now))),
        Fault("at the edge of the past", draft.claiming(["iat": "1699999940.5"]), nil),
        Fault(
            "at the edge of the past", draft.claiming(["iat": "1699999940"]), nil),
        Fault(
            "too old", draft.claiming(["iat": "1699999939"]),
            .token(.tooOld(issued: Scene.time(1_699_999_939), now: Scene.now))),
        Fault("no name", draft.claiming(["jti": ""]), .token(.missing("jti"))),
        Fault(
            "an empty name", draft.claiming(["jti": #""""#]),
            .token(.malformedName("jti", .empty(.identifier)))),
        Fault(
            "an end that has come", draft.claiming(["exp": "1700000000"]),
            .token(.expired(at: Scene.now, now: Scene.now))),
        Fault(
            "an assertion without its type",
            draft.heading(["typ": ""]).claiming(["sub": #""x""#, "exp": "1700000060"]),
            .otherKind("sub")),
    ]

    static func name(_ text: String) -> KeyID {
        guard let name = try? KeyID(parsing: text) else { preconditionFailure("'\(text)' is no name") }
        return name
    }

    @Test("Whatever is wrong is refused for that", .proves("threat-36"), .proves("POP-1"), arguments: faults)
    func fault(_ fault: Fault<TokenRejection.Reason>) throws {
        #expect(try Self.check(fault.draft) == fault.rejection.map { TokenRejection(.requestToken, $0) })
    }

    @Test("The query of the request does not matter, its path does", .proves("threat-36"))
    func query() throws {
        #expect(try Self.check(Self.draft, url: Self.url + "?page=2") == nil)
        #expect(
            try Self.check(Self.draft, url: Self.url + "/x")
                == .audience(expected: Self.url + "/x", found: Self.url))
    }

    @Test("A policy refuses tokens without a type", .proves("threat-18"))
    func untyped() throws {
        var policy = Possession.Policy()
        policy.acceptsUntyped = false
        #expect(try Self.check(Self.draft, policy: policy) == nil)
        #expect(
            try Self.check(Self.draft.heading(["typ": ""]), policy: policy)
                == .token(.wrongKind(expected: "request+jwt", found: nil)))
    }

    @Test("A wider window is remembered longer", .proves("threat-36"))
    func window() throws {
        var policy = Possession.Policy()
        policy.window = .seconds(300)
        let token = try RequestToken(
            checking: Self.draft.unverified, by: Pair.bound(7, to: Scene.instance), requesting: Scene.url(Self.url),
            policy: policy,
            at: Scene.time(1_700_000_300))
        #expect(token.singleUse.until == Scene.time(1_700_000_301))
        #expect(
            try Self.check(Self.draft, policy: policy, at: Scene.time(1_700_000_301))
                == .token(.tooOld(issued: Scene.now, now: Scene.time(1_700_000_301))))
    }

    @Test(
        "An app's tokens are by its bundle id, not by the client that obtained them", .proves("APP-8"),
        .proves("threat-35"))
    func apps() throws {
        let app = try BundleID(parsing: "ch.example.reader")
        let key = try Statement.BoundKey(Pair.jwk(7), id: Scene.name("k7"), of: .app(app))
        #expect(try Self.check(Self.draft.claiming(["iss": #""ch.example.reader""#]), key: key) == nil)
        #expect(
            try Self.check(Self.draft, key: key)
                == .issuer(expected: "ch.example.reader", found: Scene.instance))
    }

    @Test("Names are compared by their bytes", .proves("threat-17"))
    func bytes() throws {
        let key = try Statement.BoundKey(Pair.jwk(7), id: Scene.name("k7"), of: .client(ClientID(parsing: "caf\u{e9}")))
        #expect(try Self.check(Self.draft.claiming(["iss": "\"caf\u{e9}\""]), key: key) == nil)
        #expect(
            try Self.check(Self.draft.claiming(["iss": "\"cafe\u{301}\""]), key: key)
                == .issuer(expected: "caf\u{e9}", found: "cafe\u{301}"))
    }

    @Test("A wrong name of the key and a wrong signature are answered alike", .proves("threat-39"))
    func alike() throws {
        let unknown = try #require(try Self.check(Self.draft.heading(["kid": #""k8""#])))
        let forged = try #require(try Self.check(Self.draft.signed(by: 8)))
        #expect(unknown != forged)
        #expect(unknown.refusal == forged.refusal)
        #expect(unknown.refusal.code == .invalidToken)
    }

    // MARK: Making

    @Test("What is built is believed, for random URLs, claims and times", .proves("POP-1"))
    func roundTrip() throws {
        let seed: UInt64 = 0x5eed_0001
        var entropy = SeededGenerator(seed: seed)
        for round in 0..<40 {
            let holder = Statement.BoundKey.Holder.client(try ClientID(parsing: "client-\(entropy.next())"))
            let url = try Scene.url(
                "https://h\(entropy.next() % 99).example/\(entropy.next())\(round % 2 == 0 ? "?q=\(round)" : "")")
            let now = Scene.time(Int64(entropy.next() % 200_000_000_000))
            let claims: JSON.Object = ["page": .number(JSON.Number(entropy.next())), "é": ["x", true, .null]]
            let made = try RequestToken.Issuance(with: Pair.signing(7), of: holder).token(
                for: url, adding: claims, at: now, using: &entropy)
            let key = try Statement.BoundKey(Pair.jwk(7), id: Scene.name("k7"), of: holder)
            let later = Timestamp(seconds: now.seconds + Int64(entropy.next() % 60))
            let token = try RequestToken(
                checking: Statement.Unverified(parsing: made, as: .accessToken), by: key, requesting: url, at: later)
            #expect(token.claims == claims, "seed \(seed), round \(round)")
            #expect(token.holder == holder)
            #expect(token.issuedAt == now)
        }
    }

    @Test(
        "Claims that the token itself makes are not the caller's to set", .proves("threat-50"),
        arguments: ["iss", "aud", "iat", "jti", "sub", "exp", "nbf", "cnf"] as [JSON.Name])
    func reserved(name: JSON.Name) throws {
        var entropy = SeededGenerator(seed: 1)
        let requests = try RequestToken.Issuance(with: Pair.signing(7), of: .client(Scene.client()))
        let url = try Scene.url(Self.url)
        let claims = JSON.Object([(name, JSON.string("mine"))])
        #expect(
            rejection { () throws(IssuanceRejection) in
                try requests.token(for: url, adding: claims, at: Scene.now, using: &entropy)
            }
                == .reservedClaim(name))
    }

    @Test(
        "No two tokens have one name, and none is made that no reader takes", .proves("threat-36"), .proves("threat-14")
    )
    func limits() throws {
        var entropy = SeededGenerator(seed: 2)
        let requests = try RequestToken.Issuance(with: Pair.signing(7), of: .client(Scene.client()))
        let url = try Scene.url(Self.url)
        let one = try requests.token(for: url, at: Scene.now, using: &entropy)
        let other = try requests.token(for: url, at: Scene.now, using: &entropy)
        #expect(one != other)
        let claims: JSON.Object = ["x": .string(String(repeating: "x", count: 16_384))]
        let refused = rejection { () throws(IssuanceRejection) in
            try requests.token(for: url, adding: claims, at: Scene.now, using: &entropy)
        }
        guard case .tooLong(_, limit: 16_384)? = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        let nameless = SigningKey(try Pair.of(7))
        let holder = Statement.BoundKey.Holder.client(try Scene.client())
        #expect(
            rejection { () throws(IssuanceRejection) in try RequestToken.Issuance(with: nameless, of: holder) }
                == .namelessKey)
    }
}
