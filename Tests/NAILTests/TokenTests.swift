import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import Wire

@Suite("NAIL state: endpoints and tokens", .proves("NAI-6"))
struct TokenTests {
    private let both = [Sample.reading, Sample.writing]

    private func refusal(
        _ state: NAILState, _ service: String = Sample.alpha, _ name: String = Sample.reading, path: String? = nil,
        claims: JSON.Object = [:], at now: Timestamp = Sample.now
    ) -> NAILState.Refusal? {
        do throws(NAILState.Refusal) {
            _ = try state.token(service, name, path: path, claims: claims, at: now)
            return nil
        } catch {
            return error
        }
    }

    // MARK: services

    @Test func aServiceIsFoundByAnySpellingOfItsIdentity() throws {
        let state = try Sample.state(Sample.document())
        for spelling in [
            "https://alpha.example.ch", "https://alpha.example.ch/", "HTTPS://ALPHA.example.ch:443", Sample.alpha,
        ] {
            #expect(try state.token(spelling) == "token-1")
        }
        #expect(refusal(state, "https://alpha.example.ch/other") == .unknownService("https://alpha.example.ch/other"))
        #expect(refusal(state, "http://alpha.example.ch") == .unknownService("http://alpha.example.ch"))
    }

    @Test func aDisplayNameWillDoWhereItIsUnique() throws {
        let state = try Sample.state(
            Sample.document(name: "Alpha"), Sample.document(Sample.beta, name: "Twin"),
            Sample.document("https://c.example.ch", name: "Twin"))
        #expect(try state.token("Alpha") == "token-1")
        #expect(refusal(state, "alpha") == .unknownService("alpha"))
        #expect(refusal(state, "Twin") == .ambiguousName("Twin", count: 2))
        #expect(refusal(state, "") == .unknownService(""))
    }

    @Test(.proves("threat-17")) func noServicePassesForAnotherByItsName() throws {
        let state = try Sample.state(
            Sample.document(name: "https://bank.example.ch/"), Sample.document(Sample.beta, name: "Cafe\u{301}"))
        #expect(refusal(state, "https://bank.example.ch/") == .unknownService("https://bank.example.ch/"))
        #expect(refusal(state, "Caf\u{e9}") == .unknownService("Caf\u{e9}"))
        #expect(try state.displayName(of: "Cafe\u{301}") == "Cafe\u{301}")
    }

    // MARK: endpoints

    @Test(.proves("NAI-5"), .proves("RSD-3")) func endpointsFollowTheRulesOfLinks() throws {
        let state = try Sample.state(Sample.document(Sample.alpha + "/base/"))
        let name = try Sample.name(Sample.reading)
        #expect(try state.endpoint(of: Sample.alpha + "/base", name).text == "https://alpha.example.ch/base/reading")
        #expect(
            try state.endpoint(of: Sample.alpha + "/base", name, path: "list?page=2").text
                == "https://alpha.example.ch/base/reading/list?page=2")
        let oauth2 = try Sample.name("org.ietf.oauth2")
        #expect(
            try state.endpoint(of: Sample.alpha + "/base", oauth2, path: "token").text
                == "https://alpha.example.ch/base/oauth/token")
    }

    @Test(
        .proves("threat-41"),
        arguments: ["../up", "a/%2e%2e/b", "//evil.example", "https://evil.example", "a#b", "javascript:alert(1)"])
    func noPathLeavesTheEndpoint(_ path: String) throws {
        let state = try Sample.state(Sample.document(authorization: Sample.symmetric("a")))
        guard case .link? = refusal(state, path: path) else {
            Issue.record("\(path) gave a token")
            return
        }
    }

    @Test(
        .proves("threat-40"),
        arguments: [
            "javascript://alpha.example.ch/%0aalert(1)", "data://text/html,x", "file:///etc/passwd",
            "https://user:pass@alpha.example.ch/",
            "https://alpha.example.ch\\@evil.example/", "https://0x7f.1/", "javascript:alert(1)", "../up",
            "//evil.example/",
        ])
    func linksThatAreNoneGiveNeitherEndpointNorToken(_ link: String) throws {
        var members = Sample.document().object ?? [:]
        members["apis"] = ["org.example.reading": ["apiLink": .string(link)], "org.ietf.oauth2": ["apiLink": "oauth/"]]
        let state = try Sample.state(.object(members))
        guard case .link? = refusal(state) else {
            Issue.record("\(link) gave a token")
            return
        }
        #expect(throws: NAILState.Refusal.self) { try state.endpoint(of: Sample.alpha, Sample.name(Sample.reading)) }
    }

    @Test(.proves("threat-40"), .proves("threat-51")) func unencryptedEndpointsGetNoToken() throws {
        let state = try Sample.state(Sample.document("http://alpha.example.ch"))
        #expect(
            refusal(state, "http://alpha.example.ch") == .link(.unencrypted(.apiLink(try Sample.name(Sample.reading)))))
        let local = try Sample.state(Sample.document("http://127.0.0.1:8080"))
        #expect(try local.token("http://127.0.0.1:8080") == "token-1")
    }

    @Test func aProtocolWithoutLinkHasNoEndpointAndNoToken() throws {
        var members = Sample.document().object ?? [:]
        members["apis"] = ["org.example.reading": [:], "org.ietf.oauth2": ["apiLink": "oauth/"]]
        let state = try Sample.state(.object(members))
        #expect(refusal(state) == .link(.missing(.apiLink(try Sample.name(Sample.reading)))))
    }

    // MARK: plain tokens

    @Test(.proves("NIF-7")) func aPlainTokenIsGivenUnchanged() throws {
        let state = try Sample.state(Sample.document(offering: both), requesting: both)
        for name in both {
            #expect(try state.token(Sample.alpha, name) == "token-1")
            #expect(try state.token(Sample.alpha, name, path: "deep/path", claims: ["iss": "evil"]) == "token-1")
        }
    }

    @Test func theAuthorizationComponentIsReachedWithTheSameToken() throws {
        let state = try Sample.state(Sample.document(authorization: Sample.symmetric("a")))
        let parts = try SignedParts(state.token(Sample.alpha, "org.ietf.oauth2", path: "token"))
        #expect(parts.claims["aud"]?.string == "https://alpha.example.ch/oauth/token")
    }

    @Test(.proves("NIF-8")) func theProtocolsOwnAuthorizationWins() throws {
        let document = Sample.document(
            offering: both, authorization: Sample.plain("common", expiresIn: 10),
            own: [Sample.reading: Sample.plain("own", expiresIn: 20)])
        let state = try Sample.state(document, requesting: both)
        #expect(try state.token(Sample.alpha, Sample.reading) == "own")
        #expect(try state.token(Sample.alpha, Sample.writing) == "common")
        let later = Sample.now + .seconds(15)
        #expect(try state.token(Sample.alpha, Sample.reading, at: later) == "own")
        #expect(refusal(state, Sample.alpha, Sample.writing, at: later) == .expired)
        // An expired one of its own does not fall back to the service's.
        let reversed = Sample.document(
            authorization: Sample.plain("common"), own: [Sample.reading: Sample.plain("own", expiresIn: 20)])
        #expect(refusal(try Sample.state(reversed), at: Sample.now + .seconds(20)) == .expired)
    }

    @Test(.proves("NIF-8")) func aPathWithAProtocolOfItsOwnTakesThatOnesAuthorization() throws {
        let names = ["org.example.reading", "org.example.reading.list"]
        let document = Sample.document(offering: names, own: [names[1]: Sample.plain("own")])
        let state = try Sample.state(document, requesting: names)
        #expect(try state.token(Sample.alpha, names[0], path: "list") == "own")
        #expect(try state.token(Sample.alpha, names[0], path: "other") == "token-1")
        #expect(
            try state.endpoint(of: Sample.alpha, Sample.name(names[0]), path: "list").text
                == "https://alpha.example.ch/list")
    }

    @Test func expiryIsExactAndCountsFromTheReceipt() throws {
        let state = try Sample.state(Sample.document(authorization: Sample.plain("a", expiresIn: 60)))
        #expect(try state.token(Sample.alpha, at: Timestamp(seconds: 1_700_000_059, nanoseconds: 999_999_999)) == "a")
        #expect(refusal(state, at: Timestamp(seconds: 1_700_000_060)) == .expired)
        for seconds in [0, -1, Int64.min] {
            #expect(
                refusal(try Sample.state(Sample.document(authorization: Sample.plain("a", expiresIn: seconds))))
                    == .expired)
        }
        let endless = try Sample.state(Sample.document(authorization: Sample.plain("a", expiresIn: .max)))
        #expect(try endless.token(Sample.alpha, at: .distantFuture - .seconds(1)) == "a")
    }

    // MARK: request tokens

    @Test(.proves("NIF-7"), .proves("APP-8")) func aSymmetricKeySignsWithHS256() throws {
        let state = try Sample.state(Sample.document(authorization: Sample.symmetric("opaque")))
        let token = try state.token(Sample.alpha)
        let parts = try SignedParts(token)
        #expect(parts.header == ["alg": "HS256", "kid": "key-1", "typ": "request+jwt"])
        #expect(parts.claims["iss"]?.string == "ch.example.reader")
        #expect(parts.claims["aud"]?.string == "https://alpha.example.ch/reading")
        #expect(parts.claims["iat"] == 1_700_000_000)
        #expect((parts.claims["jti"]?.string?.utf8.count ?? 0) >= 22)
        #expect(!token.contains("opaque"))
        let key = try VerificationKey(SymmetricKey(data: Sample.secret), for: .hs256, id: KeyID(parsing: "key-1"))
        _ = try JWS.Unverified(parsing: token).verified(by: key, accepting: [.hs256])
    }

    @Test func aLongerKeySignsWithHS256TooUnlessItSaysOtherwise() throws {
        let long = JSON.string(Base64URL.encode(Sample.secret + Sample.secret))
        for (algorithm, expected) in [(nil, "HS256"), ("HS512", "HS512")] as [(JSON?, JSON)] {
            var jwk: JSON.Object = ["kty": "oct", "kid": "k", "k": long]
            jwk["alg"] = algorithm
            let authorization: JSON = ["access_token": "a", "token_type": "PoP", "cnf": ["jwk": .object(jwk)]]
            let state = try Sample.state(Sample.document(authorization: authorization))
            #expect(try SignedParts(state.token(Sample.alpha)).header["alg"] == expected)
        }
    }

    @Test(.proves("NIF-7"), .proves("POP-1")) func theAppsKeySignsWithEdDSA() throws {
        let key = Sample.appKey()
        let state = try Sample.state(Sample.document(authorization: Sample.bound("a.b.c", to: key)), key: key)
        let token = try state.token(Sample.alpha, path: "list?page=2")
        let parts = try SignedParts(token)
        #expect(parts.header == ["alg": "EdDSA", "kid": "key-2", "typ": "request+jwt"])
        #expect(parts.claims["aud"]?.string == "https://alpha.example.ch/reading/list")
        let public_ = try VerificationKey(key.publicKey)
        let verified = try JWS.Unverified(parsing: token).verified(by: public_, accepting: [.edDSA])
        var expectation = JWT.Expectation(
            issuer: .exactly(try Issuer(parsing: "ch.example.reader")),
            audience: .only(try Audience(parsing: "https://alpha.example.ch/reading/list")), type: .request)
        expectation.requiresExpiration = false
        _ = try verified.validated(expecting: expectation, at: Sample.now)
    }

    @Test func theKeyThatTheIssuerNeedNotRepeatIsNamedInTheAccessToken() throws {
        let key = Sample.appKey()
        func access(_ confirmation: JSON) throws -> String {
            let issuer = SigningKey(try Curve25519.Signing.PrivateKey(rawRepresentation: Sample.secret))
            return try JWT.signed(JWT.Claims(["iss": "https://alpha.example.ch", "cnf": confirmation]), with: issuer)
        }
        let jwk = try JSON(parsing: key.publicKey.encoded())
        let named = try access(["jwk": jwk, "kid": "inner"])
        for type in ["PoP", nil] {
            let state = try Sample.state(Sample.document(authorization: Sample.plain(named, type: type)), key: key)
            #expect(try SignedParts(state.token(Sample.alpha)).header["kid"]?.string == "inner")
        }
        // What says that it is plain, and what is bound to nobody here, is given unchanged.
        let plain = try Sample.state(Sample.document(authorization: Sample.plain(named)), key: key)
        #expect(try plain.token(Sample.alpha) == named)
        let foreign = try Sample.state(Sample.document(authorization: Sample.plain(named, type: nil)))
        #expect(try foreign.token(Sample.alpha) == named)
    }

    @Test func everyRequestTokenIsNew() throws {
        let state = try Sample.state(Sample.document(authorization: Sample.symmetric("a")))
        let access = try state.access(to: Sample.alpha, Sample.name(Sample.reading))
        var entropy = SeededGenerator(seed: 3)
        var names: Set<String> = []
        for _ in 0..<100 {
            let parts = try SignedParts(access.token(at: Sample.now, using: &entropy))
            names.insert(parts.claims["jti"]?.string ?? "")
        }
        #expect(names.count == 100)
    }

    @Test(.proves("threat-50"), arguments: ["iss", "sub", "aud", "exp", "nbf", "iat", "jti", "cnf"])
    func reservedClaimsAreNotTheCallers(_ claim: String) throws {
        let state = try Sample.state(Sample.document(authorization: Sample.symmetric("a")))
        #expect(refusal(state, claims: ["nonce": "n", JSON.Name(claim): "evil"]) == .reservedClaim(JSON.Name(claim)))
    }

    @Test func furtherClaimsEnter() throws {
        let state = try Sample.state(Sample.document(authorization: Sample.symmetric("a")))
        let parts = try SignedParts(
            state.token(Sample.alpha, claims: ["nonce": "n", "ISS": "other", "body": ["sha": [1, 2]]]))
        #expect(parts.claims["nonce"]?.string == "n")
        #expect(parts.claims["ISS"]?.string == "other")
        #expect(parts.claims["body"] == ["sha": [1, 2]])
        #expect(parts.claims["iss"]?.string == "ch.example.reader")
    }

    // MARK: where tokens go

    @Test(.proves("threat-51")) func noTokenForAURLOutsideOfTheEndpoint() throws {
        let state = try Sample.state(Sample.document(authorization: Sample.symmetric("a")))
        let access = try state.access(to: Sample.alpha, Sample.name(Sample.reading))
        let inside = try WebURL(parsing: "https://alpha.example.ch/reading/list?page=2")
        var entropy = SeededGenerator(seed: 4)
        let token = try access.narrowed(to: inside).token(at: Sample.now, using: &entropy)
        #expect(try SignedParts(token).claims["aud"]?.string == "https://alpha.example.ch/reading/list")
        for text in [
            "https://alpha.example.ch/readings", "https://alpha.example.ch/", "https://beta.example.ch/reading/list",
            "http://alpha.example.ch/reading/list", "https://alpha.example.ch:8443/reading",
            "https://alpha.example.ch/reading/../admin",
        ] {
            let url = try WebURL(parsing: text)
            #expect(throws: NAILState.Refusal.outsideEndpoint(url)) { try access.narrowed(to: url) }
        }
    }

    @Test(.proves("threat-51")) func noTokenForAnEndpointOutsideOfItsScope() throws {
        func state(_ scope: String) throws -> NAILState {
            try Sample.state(
                Sample.document(offering: both, authorization: Sample.plain("a", scope: scope)), requesting: both)
        }
        let narrow = try state("https://alpha.example.ch/reading")
        #expect(try narrow.token(Sample.alpha, path: "list") == "a")
        let writing = try WebURL(parsing: "https://alpha.example.ch/writing")
        #expect(refusal(narrow, Sample.alpha, Sample.writing) == .outsideScope(writing))
        #expect(
            try state("https://alpha.example.ch/reading org.example.writing").token(Sample.alpha, Sample.writing) == "a"
        )
        // Words, and URLs that are mere words of somebody else's, restrict nothing that could be told.
        for scope in ["read write", "https://scopes.example.com/auth/read", "broken  scope", ""] {
            #expect(try state(scope).token(Sample.alpha, Sample.writing) == "a", "\(scope)")
        }
    }

    // MARK: standing

    @Test(.proves("NIF-12")) func theStateSaysHowItStandsAndWhy() throws {
        var state = try Sample.state(
            Sample.document(authorization: Sample.plain("a", refresh: "r", expiresIn: 60)),
            Sample.document(Sample.beta, authorization: Sample.plain("b", expiresIn: 60)),
            Sample.document("https://c.example.ch", authorization: Sample.plain("c")))
        let name = try Sample.name(Sample.reading)
        let end = Sample.now + .seconds(60)
        #expect(try state.standing(of: Sample.alpha, name, at: Sample.now) == .valid(until: end))
        #expect(try state.standing(of: Sample.alpha, name, at: end) == .expired(.time(end), isRenewable: true))
        #expect(try state.standing(of: Sample.beta, name, at: end) == .expired(.time(end), isRenewable: false))
        #expect(try state.standing(of: "https://c.example.ch", name, at: .distantFuture) == .valid(until: nil))
        state.noteRefusal(of: "c", by: "https://c.example.ch", name)
        #expect(
            try state.standing(of: "https://c.example.ch", name, at: Sample.now)
                == .expired(.refused, isRenewable: false))
        #expect(throws: NAILState.Refusal.notGranted(try Sample.name(Sample.writing))) {
            try state.standing(of: Sample.alpha, Sample.name(Sample.writing), at: Sample.now)
        }
    }
}
