import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("Laws: messages of all endpoints")
struct MessageLaws {
    private static let endpoint = "https://eduid.example.ch/token?tenant=1"

    /// The request as a server gets it, in origin form.
    private func received(_ request: HTTP.Request) throws -> HTTP.Request {
        var copy = request
        copy.target = try HTTP.Request.Target(
            parsing: request.target.path + (request.target.query.map { "?" + $0 } ?? ""))
        return copy
    }

    @Test("what is written is read as the same request", .proves("RFC6749-3.2"), arguments: [1, 2, 3] as [UInt64])
    func requests(seed: UInt64) throws {
        var chance = Chance(seed: seed)
        let endpoint = try Part.url(Self.endpoint)
        for _ in 0..<150 {
            let token = try chance.tokenRequest()
            #expect(try TokenRequest(parsing: received(token.encoded(to: endpoint))) == token, "seed \(seed)")
            let challenge = ChallengeRequest(
                client: try chance.client(), user: try UserName(parsing: chance.text()),
                password: try Secret.Password(parsing: chance.text()),
                challenge: Secret.CodeVerifier(using: &chance.generator).challenge, credential: try credential(&chance))
            #expect(
                try ChallengeRequest(parsing: received(challenge.encoded(to: endpoint))) == challenge,
                "seed \(seed)")
            var question = AuthorizationRequest(
                for: try chance.url(), state: chance.some { $0.text() }, credential: try chance.credential())
            question.key = try chance.some { try $0.key() }
            question.keyProof = try chance.some { try Assertion(parsing: $0.visible()) }
            #expect(
                try AuthorizationRequest(parsing: received(question.encoded(to: endpoint))) == question, "seed \(seed)")
            let credential = try chance.credential()
            let hints = [
                RevocationRequest.Hint.accessToken, .refreshToken, .assertion, RevocationRequest.Hint(chance.text()),
            ]
            let end = RevocationRequest(
                try AccessToken(parsing: chance.visible()), hint: chance.some { hints[$0.below(4)] },
                credential: credential,
                client: credential.isPassword ? nil : try chance.some { try $0.client() })
            #expect(try RevocationRequest(parsing: received(end.encoded(to: endpoint))) == end, "seed \(seed)")
            let introspection = IntrospectionRequest(
                try Assertion(parsing: chance.visible()), credential: try chance.credential())
            #expect(
                try IntrospectionRequest(parsing: received(introspection.encoded(to: endpoint))) == introspection,
                "seed \(seed)")
        }
    }

    /// A credential that does not name another client than the request does.
    private func credential(_ chance: inout Chance) throws -> ClientCredential {
        let credential = try chance.credential()
        return credential.isPassword ? .none : credential
    }

    @Test("what is written is read as the same answer", .proves("RFC6749-5.1"), arguments: [1, 2, 3] as [UInt64])
    func answers(seed: UInt64) throws {
        var chance = Chance(seed: seed)
        for _ in 0..<150 {
            let tokens = try chance.tokenResponse()
            let written = TokenRequest.Outcome.granted(tokens).encoded()
            let read = try TokenResponse(parsing: written)
            #expect(read.encoded() == written, "seed \(seed)")
            #expect(
                read.accessToken == tokens.accessToken && read.type == tokens.type
                    && read.refreshToken == tokens.refreshToken)
            #expect(
                read.lifetime == tokens.lifetime && read.scope == tokens.scope && read.others == tokens.others,
                "seed \(seed)")
            #expect(read.confirmation?.keyID == tokens.confirmation?.keyID, "seed \(seed)")
            #expect(try TokenResponse(parsing: written.body).encoded() == written, "seed \(seed)")

            let facts = try chance.facts()
            guard
                case .active(let told) = try IntrospectionRequest.Outcome(
                    parsing: IntrospectionRequest.Outcome.active(facts).encoded())
            else {
                Issue.record("an active token was read as inactive, seed \(seed)")
                return
            }
            #expect(told == facts, "seed \(seed)")

            let state = chance.some { $0.text() }
            let request = AuthorizationRequest(for: try chance.url(), state: state, credential: .none)
            let issuer = try Issuer(parsing: chance.text())
            let granted = AuthorizationRequest.Outcome.granted(
                AuthorizationRequest.Response(
                    try Assertion(parsing: chance.visible()), redeemedAt: try chance.url(), state: state, by: issuer,
                    for: try chance.some { try $0.client() }))
            #expect(
                try AuthorizationRequest.Outcome(parsing: granted.encoded(), to: request, by: issuer) == granted,
                "seed \(seed)"
            )
            let code = ChallengeRequest.Outcome.granted(try Secret.AuthorizationCode(parsing: chance.visible()))
            #expect(try ChallengeRequest.Outcome(parsing: code.encoded()) == code, "seed \(seed)")

            let refusal = try chance.refusal()
            #expect(
                try OAuth2Error(parsing: refusal.response(at: .resource(scope: chance.scope()))) == refusal,
                "seed \(seed)")
            #expect(try RevocationRequest.Outcome(parsing: refusal.response()) == .refused(refusal), "seed \(seed)")
            #expect(try ChallengeRequest.Outcome(parsing: refusal.response()) == .refused(refusal), "seed \(seed)")
        }
    }

    /// A request of each endpoint in order, with what reads it.
    private static let complete:
        [(name: String, sent: Sent, read: @Sendable (HTTP.Request) throws(ParameterRejection) -> Void)] = [
            ("registration", TokenRequestTests.registration.adding("instance_assertion", "a.b.c"), token),
            ("code", TokenRequestTests.code, token), ("app", TokenRequestTests.app, token),
            ("service", TokenRequestTests.service.adding("resource", "https://a.example/"), token),
            ("refresh", TokenRequestTests.refresh.adding("client_id", "me").adding("client_secret", "s"), token),
            ("password", TokenRequestTests.password, token),
            (
                "challenge", AuthorizeChallengeTests.good,
                { request throws(ParameterRejection) in _ = try ChallengeRequest(parsing: request) }
            ), ("authorization", AuthorizationTests.good, authorization),
            (
                "revocation", RevocationTests.good,
                { request throws(ParameterRejection) in _ = try RevocationRequest(parsing: request) }
            ),
            (
                "introspection", IntrospectionTests.good,
                { request throws(ParameterRejection) in _ = try IntrospectionRequest(parsing: request) }
            ),
        ]

    private static let token: @Sendable (HTTP.Request) throws(ParameterRejection) -> Void = {
        request throws(ParameterRejection) in
        _ = try TokenRequest(parsing: request)
    }
    private static let authorization: @Sendable (HTTP.Request) throws(ParameterRejection) -> Void = {
        request throws(ParameterRejection) in
        _ = try AuthorizationRequest(parsing: request)
    }

    @Test(
        "every parameter that comes twice is refused, with the same value, another or none, unknown ones too",
        .proves("threat-37"))
    func doubled() throws {
        for (name, sent, read) in Self.complete {
            let good = sent.adding("unknown", "x")
            #expect(throws: Never.self, "\(name)") { try read(good.posted) }
            #expect(throws: Never.self, "\(name)") { try read(good.json) }
            for pair in good.pairs {
                for value in [pair.value, pair.value + "x", ""] {
                    let doubled = good.adding(pair.name, value)
                    #expect(throws: ParameterRejection.repeated(pair.name), "\(name)") {
                        try read(doubled.posted)
                    }
                    let offset = try good.json.body.count
                    #expect(throws: ParameterRejection.json(.duplicateName(offset: offset)), "\(name)") {
                        try read(doubled.json)
                    }
                }
            }
            // The name with an escape in it is the same name.
            let pair = try #require(good.pairs.first)
            var request = try good.posted
            request.body += Array("&%\(Hex.encode([pair.name.utf8.first ?? 0]))\(pair.name.dropFirst())=x".utf8)
            #expect(throws: ParameterRejection.repeated(pair.name), "\(name)") { try read(request) }
        }
        let query = AuthorizationTests.good
        for pair in query.pairs {
            #expect(throws: ParameterRejection.repeated(pair.name)) {
                try Self.authorization(query.adding(pair.name, pair.value).query)
            }
        }
    }

    @Test(
        "random and mutated requests are judged and never trap", .proves("threat-14"), arguments: [11, 12] as [UInt64])
    func hostileRequests(seed: UInt64) throws {
        var chance = Chance(seed: seed)
        for (_, sent, read) in Self.complete {
            for original in [try sent.posted, try sent.json] {
                for _ in 0..<150 {
                    var request = original
                    for _ in 0...chance.below(4) { chance.change(&request.body) }
                    if chance.below(8) == 0 { request.body = chance.generator.bytes(chance.below(200)) }
                    do throws(ParameterRejection) { try read(request) } catch {
                        #expect(error.refusal.response().status.code / 100 == 4)
                    }
                }
            }
        }
    }

    @Test(
        "random and mutated answers are judged and never trap", .proves("threat-14"), arguments: [21, 22] as [UInt64])
    func hostileAnswers(seed: UInt64) throws {
        var chance = Chance(seed: seed)
        let request = try AuthorizationTests.request()
        let metadata = try MetadataTests.server()
        let originals = [
            try answer(TokenResponseTests.good), try answer(IntrospectionTests.text),
            try AuthorizationRequest.Outcome.granted(AuthorizationTests.response()).encoded(),
            metadata.authorizationServerMetadata(), metadata.protectedResourceMetadata(authorizedBy: [metadata.issuer]),
            OAuth2Error(.invalidGrant, "no").response(),
        ]
        for original in originals {
            for _ in 0..<100 {
                var response = original
                for _ in 0...chance.below(4) { chance.change(&response.body) }
                if chance.below(8) == 0 { response.body = chance.generator.bytes(chance.below(200)) }
                _ = try? TokenRequest.Outcome(parsing: response)
                _ = try? OAuth2Error(parsing: response)
                _ = try? IntrospectionRequest.Outcome(parsing: response)
                _ = try? AuthorizationRequest.Outcome(parsing: response, to: request, by: AuthorizationTests.issuer)
                _ = try? ChallengeRequest.Outcome(parsing: response)
                _ = try? RevocationRequest.Outcome(parsing: response)
                _ = try? ServerDescription(authorizationServer: metadata.issuer, parsing: response)
                _ = try? ServerDescription.protectedResource(metadata.issuer, parsing: response)
            }
        }
    }

    @Test("every proper prefix of an answer is refused", .proves("RFC6749-5.1"))
    func prefixes() throws {
        for text in [TokenResponseTests.good, IntrospectionTests.text] {
            for length in 0..<text.utf8.count {
                let response = try answer(String(decoding: text.utf8.prefix(length), as: UTF8.self))
                #expect((try? TokenResponse(parsing: response)) == nil, "\(length)")
                #expect((try? IntrospectionRequest.Outcome(parsing: response)) == nil, "\(length)")
            }
        }
    }
}

extension ClientCredential {
    var isPassword: Bool {
        if case .password = self { true } else { false }
    }
}
