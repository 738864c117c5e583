import JOSE
import NAIL
import OAuth2Grants
import RSD2
import Synchronization
import TestSupport
import Testing
import Wire

@Suite("NAIL Framework API: getServiceToken", .proves("NAI-6"))
struct GetServiceTokenTests {
    private let device = Device()

    /// A service whose plain token has expired and can be renewed.
    private func expired() async throws -> IntegrationLayer {
        let nail = try await device.nail(
            Sample.document(authorization: Sample.plain("old", refresh: "r-1", expiresIn: 60)))
        device.pass(seconds: 60)
        return nail
    }

    // MARK: normal

    @Test(.proves("NIF-7")) func allFourFormsGiveAPlainTokenUnchanged() async throws {
        let nail = try await device.nail(Sample.document())
        func now() -> [String] {
            [
                nail.getServiceToken(Sample.alpha, Sample.reading),
                nail.getServiceToken(Sample.alpha, Sample.reading, "path"),
                nail.getServiceToken(Sample.alpha, Sample.reading, ["a": 1]),
                nail.getServiceToken(Sample.alpha, Sample.reading, "path", ["a": 1, "iss": "x"]),
            ]
        }
        #expect(now() == Array(repeating: "token-1", count: 4))
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "token-1")
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading, "path") == "token-1")
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading, ["a": 1]) == "token-1")
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading, "path", ["a": 1]) == "token-1")
        #expect(device.sent.isEmpty)
    }

    @Test(.proves("NIF-7")) func allFourFormsSignForEachRequest() async throws {
        let nail = try await device.nail(Sample.document(authorization: Sample.symmetric("a")))
        func now() -> [String] {
            [
                nail.getServiceToken(Sample.alpha, Sample.reading),
                nail.getServiceToken(Sample.alpha, Sample.reading, "path"),
                nail.getServiceToken(Sample.alpha, Sample.reading, ["nonce": "n"]),
                nail.getServiceToken(Sample.alpha, Sample.reading, "path", ["nonce": "n"]),
            ]
        }
        let claims = try (now() + now()).map { try SignedParts($0).claims }
        let root = "https://alpha.example.ch/reading"
        #expect(
            claims.map { $0["aud"]?.string } == [
                root, root + "/path", root, root + "/path", root, root + "/path", root, root + "/path",
            ])
        #expect(claims.map { $0["nonce"]?.string } == [nil, nil, "n", "n", nil, nil, "n", "n"])
        #expect(Set(claims.map { $0["jti"]?.string }).count == 8)
    }

    @Test func timePassesInTokens() async throws {
        let nail = try await device.nail(Sample.document(authorization: Sample.symmetric("a")))
        #expect(try SignedParts(nail.tokenNow(Sample.alpha)).claims["iat"] == 1_700_000_000)
        device.pass(seconds: 5)
        #expect(try SignedParts(nail.tokenNow(Sample.alpha)).claims["iat"] == 1_700_000_005)
    }

    @Test(.proves("threat-50")) func reservedClaimsWin() async throws {
        let nail = try await device.nail(Sample.document(authorization: Sample.symmetric("a")))
        let evil: JSON.Object = [
            "iss": "evil", "aud": "evil", "iat": 1, "jti": "evil", "sub": "evil", "exp": 1, "nbf": 1,
            "cnf": ["kid": "evil"], "nonce": "n",
        ]
        let claims = try SignedParts(await nail.getServiceToken(Sample.alpha, Sample.reading, evil)).claims
        #expect(claims.object?.map(\.name) == ["iss", "aud", "iat", "jti", "nonce"])
        #expect(!claims.encodedString().contains("evil"))
    }

    @Test(.proves("NAI-9")) func nothingIsEverSentToAProtocolsEndpoint() async throws {
        let nail = try await expired()
        device.serves(["access_token": "new", "refresh_token": "r-2"])
        // Whatever the app does with a path, a query or a claim is its own business.
        for path in ["", "a/b", "?q=1", "%7Bid%7D"] {
            #expect(nail.getEndpointUrl(Sample.alpha, Sample.reading, path) != "")
            #expect(await nail.getServiceToken(Sample.alpha, Sample.reading, path, ["anything": [.null]]) == "new")
        }
        _ = await nail.revokeToken(Sample.alpha)
        #expect(
            Set(device.sent.map(\.url)) == [
                "https://alpha.example.ch/oauth/token", "https://alpha.example.ch/oauth/revoke",
            ])
    }

    // MARK: empty

    @Test func whatWasNotGrantedGivesTheEmptyString() async throws {
        let nail = try await device.nail(Sample.document())
        #expect(nail.tokenNow(Sample.alpha, Sample.writing) == "")
        #expect(nail.tokenNow(Sample.alpha, "") == "")
        #expect(nail.tokenNow(Sample.beta) == "")
        #expect(await nail.getServiceToken(Sample.alpha, Sample.writing) == "")
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading, "../admin") == "")
        #expect(device.sent.isEmpty)
    }

    // MARK: expired

    @Test func anExpiredOneGivesTheEmptyStringAtOnce() async throws {
        let nail = try await expired()
        #expect(nail.tokenNow(Sample.alpha) == "")
        #expect(device.sent.isEmpty)
        #expect(
            nail.standing(Sample.alpha, Sample.reading) == .expired(.time(Sample.now + .seconds(60)), isRenewable: true)
        )
    }

    @Test(.proves("NIF-9"), .proves("TOK-2")) func whoWaitsGetsARenewedOne() async throws {
        let nail = try await expired()
        device.serves(["access_token": "new", "token_type": "Bearer", "expires_in": 60, "refresh_token": "r-2"])
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "new")
        #expect(device.sent.count == 1)
        let request = try #require(device.sent.first)
        #expect(request.url == "https://alpha.example.ch/oauth/token")
        #expect(try request.field("grant_type") == "refresh_token")
        #expect(try request.field("refresh_token") == "r-1")
        #expect(nail.tokenNow(Sample.alpha) == "new")
        #expect(nail.standing(Sample.alpha, Sample.reading) == .valid(until: device.now + .seconds(60)))
        #expect(device.stored.last == nail.serialize())
        #expect(nail.serialize().contains("r-2"))
        #expect(!nail.serialize().contains("r-1"))
    }

    @Test func withoutARefreshTokenTheUserHasToBeAsked() async throws {
        let nail = try await device.nail(Sample.document(authorization: Sample.plain("old", expiresIn: 60)))
        device.pass(seconds: 60)
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "")
        #expect(device.sent.isEmpty)
        #expect(nail.standing(Sample.alpha, Sample.reading) == .expired(.time(device.now), isRenewable: false))
        device.grants(Sample.document(authorization: Sample.plain("again")))
        await nail.authorizeProtocols([Sample.reading])
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "again")
    }

    @Test(.proves("NIF-9")) func theRefreshTokenThatIsNotReplacedStaysGood() async throws {
        let nail = try await expired()
        device.serves(["access_token": "new", "expires_in": 1])
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "new")
        device.pass(seconds: 1)
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "new")
        #expect(try device.sent.map { try $0.field("refresh_token") } == ["r-1", "r-1"])
    }

    // MARK: odd answers

    /// Whatever is taken in can be read back.
    @Test(
        .proves("threat-56"),
        arguments: [
            #""expires_in":"3600""#, #""expires_in":3599.5"#, #""expires_in":"3599.5""#, #""expires_in":9e18"#,
            #""expires_in":9223372036854775807"#, #""expires_in":1e400"#, #""expires_in":-1"#, #""expires_in":"soon""#,
            #""expires_in":["a"]"#, #""expires_in":null"#, #""scope":["a"]"#, #""scope":7"#, #""scope":null"#,
            #""refresh_token":7"#, #""refresh_token":null"#, #""refresh_token":"""#, #""refresh_token":"\u00e9""#,
            #""token_type":1"#, #""token_type":"N_A""#, #""cnf":"key""#, #""cnf":{"jwk":"x"}"#, #""kid":3"#,
            #""access_token":"""#, #""access_token":"a b""#, #""other":[[[[[[[[[[[[1]]]]]]]]]]]]"#, #""\u0000":1"#,
            "\"other\":\"" + String(repeating: "x", count: 65_000) + "\"",
        ])
    func whateverAnAnswerSaysTheStateCanBeReadAgain(_ odd: String) async throws {
        let nail = try await expired()
        var answer: JSON.Object = ["access_token": "new", "token_type": "Bearer", "refresh_token": "r-2"]
        for member in try #require(JSON(parsing: "{\(odd)}").object) { answer[member.name] = member.value }
        device.serves(answer)
        _ = await nail.getServiceToken(Sample.alpha, Sample.reading)
        let text = nail.serialize()
        #expect(try NAILState(parsing: text).serialized() == text)
        // The services that had nothing to do with it are there, and what was kept can be used or asked for again.
        #expect(nail.serviceNames() == [Sample.alpha + "/"])
    }

    @Test(.proves("threat-56")) func numbersAsDeployedServersWriteThem() async throws {
        for lifetime in [#""60""#, "60", "60.9", #""60.9""#, "6e1"] {
            let nail = try await expired()
            device.serves(["access_token": "new", "token_type": "Bearer", "expires_in": try JSON(parsing: lifetime)])
            #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "new")
            let standing = nail.standing(Sample.alpha, Sample.reading)
            #expect(standing == .valid(until: device.now + .seconds(60)), "\(lifetime)")
        }
        // What nobody can read as seconds is refused, with the new refresh token kept.
        let nail = try await expired()
        device.serves(["access_token": "new", "token_type": "Bearer", "expires_in": "soon", "refresh_token": "r-2"])
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "")
        #expect(nail.serialize().contains("r-2"))
    }

    // MARK: refused

    @Test(.proves("NIF-9"), .proves("NIF-12"), .proves("UX-6")) func aRefusedRenewalEndsThatAuthorizationAndNoOther()
        async throws
    {
        let both = [Sample.reading, Sample.writing]
        let nail = try await device.nail(
            Sample.document(
                offering: both, authorization: Sample.plain("common", refresh: "r-1", expiresIn: 60),
                own: [Sample.writing: Sample.plain("own", refresh: "r-2", expiresIn: 600)]),
            Sample.document(Sample.beta, offering: both, authorization: Sample.plain("other", refresh: "r-3")),
            requesting: both)
        device.pass(seconds: 60)
        device.serves(["error": "invalid_grant"], status: .badRequest)
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "")
        #expect(nail.standing(Sample.alpha, Sample.reading) == .ended(.invalidGrant))
        #expect(nail.tokenNow(Sample.alpha, Sample.writing) == "own")
        #expect(nail.tokenNow(Sample.beta) == "other")
        // It is over: nothing more is sent, and nothing of it is kept.
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "")
        #expect(device.sent.count == 1)
        #expect(!nail.serialize().contains("r-1"))
        #expect(!nail.serialize().contains("common"))
        #expect(nail.serviceNames().count == 2)
        #expect(device.stored.last == nail.serialize())
        // And the app can ask anew.
        device.grants(Sample.document(offering: both, authorization: Sample.plain("again")))
        await nail.authorizeProtocols(both)
        #expect(nail.tokenNow(Sample.alpha, Sample.reading) == "again")
    }

    @Test(.proves("NIF-9")) func anAuthorizationErrorExpiresOneTokenAndNoOther() async throws {
        let both = [Sample.reading, Sample.writing]
        let nail = try await device.nail(
            Sample.document(
                offering: both, authorization: Sample.plain("common", refresh: "r-1"),
                own: [Sample.writing: Sample.plain("own", refresh: "r-2")]),
            requesting: both)
        nail.noteRefusal(of: "common", Sample.alpha, Sample.reading)
        #expect(nail.standing(Sample.alpha, Sample.reading) == .expired(.refused, isRenewable: true))
        #expect(nail.tokenNow(Sample.alpha, Sample.reading) == "")
        #expect(nail.tokenNow(Sample.alpha, Sample.writing) == "own")
        device.serves(["access_token": "new", "refresh_token": "r-9"])
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "new")
        #expect(try device.sent.map { try $0.field("refresh_token") } == ["r-1"])
        // The late news of the old token's refusal says nothing about the new one.
        nail.noteRefusal(of: "common", Sample.alpha, Sample.reading)
        nail.noteRefusal(of: "", Sample.alpha, Sample.reading)
        #expect(nail.tokenNow(Sample.alpha, Sample.reading) == "new")
    }

    @Test(.proves("NIF-9")) func theSameForTokensThatAreSigned() async throws {
        let nail = try await device.nail(Sample.document(authorization: Sample.symmetric("a", refresh: "r-1")))
        let token = nail.tokenNow(Sample.alpha)
        nail.noteRefusal(of: "x.y.z", Sample.alpha, Sample.reading)
        #expect(nail.tokenNow(Sample.alpha) != "")
        nail.noteRefusal(of: token, Sample.alpha, Sample.reading)
        #expect(nail.tokenNow(Sample.alpha) == "")
        device.pass(seconds: 10)
        device.serves(["access_token": "b", "token_type": "PoP", "refresh_token": "r-2"])
        let renewed = await nail.getServiceToken(Sample.alpha, Sample.reading)
        #expect(try SignedParts(renewed).header["kid"] == "key-1")
        nail.noteRefusal(of: token, Sample.alpha, Sample.reading)
        #expect(nail.tokenNow(Sample.alpha) != "")
        // The renewal itself was signed with the key, for the token endpoint.
        let field = try #require(device.sent.first?.fields.value(of: .authorization).value)
        #expect(
            try SignedParts(String(field.dropFirst("Bearer ".count))).claims["aud"]
                == "https://alpha.example.ch/oauth/token")
    }

    // MARK: unavailable

    @Test(
        .proves("NIF-9"),
        arguments: [
            nil, HTTP.Response(.internalServerError),
            HTTP.Response(.serviceUnavailable, body: Array(#"{"error":"temporarily_unavailable"}"#.utf8)),
            HTTP.Response(.badRequest, body: Array(#"{"error":"server_error"}"#.utf8)),
            HTTP.Response(.ok, body: Array("<html>Log in</html>".utf8)),
            HTTP.Response(.ok, body: Array("{}".utf8)), HTTP.Response(.badRequest, body: Array("<html>".utf8)),
            HTTP.Response(.notFound),
            HTTP.Response(.found), HTTP.Response(.forbidden, body: Array(#"{"error":"access_denied"}"#.utf8)),
            HTTP.Response(.tooManyRequests),
        ])
    func silenceAndConfusionEndNothing(_ response: HTTP.Response?) async throws {
        let nail = try await expired()
        let before = nail.serialize()
        device.serves { _ in response }
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "")
        #expect(nail.serialize() == before)
        // The next call tries again, and succeeds.
        device.serves(["access_token": "new", "refresh_token": "r-2"])
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "new")
        #expect(try device.sent.map { try $0.field("refresh_token") } == ["r-1", "r-1"])
    }

    @Test func anAnswerThatCannotBeUsedKeepsTheNewRefreshToken() async throws {
        let nail = try await expired()
        device.serves(["access_token": "a b", "refresh_token": "r-2"])
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "")
        device.serves(["access_token": "new", "refresh_token": "r-3"])
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "new")
        #expect(try device.sent.map { try $0.field("refresh_token") } == ["r-1", "r-2"])
    }

    // MARK: concurrent

    @Test func concurrentCallsGiveTokensOfTheirOwn() async throws {
        let nail = try await device.nail(Sample.document(authorization: Sample.symmetric("a")))
        let names = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<100 {
                group.addTask { try? SignedParts(nail.tokenNow(Sample.alpha)).claims["jti"]?.string }
            }
            return await group.reduce(into: Set<String>()) { names, name in if let name { names.insert(name) } }
        }
        #expect(names.count == 100)
    }

    @Test(.proves("threat-28")) func tenCallsAtOnceSendOneRenewal() async throws {
        let nail = try await expired()
        let gate = Gate()
        device.serves { _ in
            await gate.pass()
            let answer: JSON.Object = ["access_token": "new", "refresh_token": "r-2", "expires_in": 60]
            return HTTP.Response(.ok, body: answer.encoded())
        }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    let token = await nail.getServiceToken(Sample.alpha, Sample.reading)
                    // Whoever has the new access token finds the new refresh token in the state.
                    return token == "new" && nail.serialize().contains("r-2")
                }
            }
            group.addTask {
                await gate.reached()
                for _ in 0..<100 { await Task.yield() }
                gate.open()
                return true
            }
            for await isRight in group { #expect(isRight) }
        }
        #expect(device.sent.count == 1)
    }

    @Test(.proves("threat-28")) func oneTokenInTwoPlacesIsSpentOnce() async throws {
        let both = [Sample.reading, Sample.writing]
        let shared = Sample.plain("old", refresh: "r-1", expiresIn: 60)
        let nail = try await device.nail(
            Sample.document(offering: both, authorization: nil, own: [Sample.reading: shared, Sample.writing: shared]),
            requesting: both)
        device.pass(seconds: 60)
        device.serves(["access_token": "new", "refresh_token": "r-2", "expires_in": 60])
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "new")
        #expect(await nail.getServiceToken(Sample.alpha, Sample.writing) == "new")
        #expect(device.sent.count == 1)
    }

    @Test func authorizationsOfSeveralServicesAreRenewedSideBySide() async throws {
        let nail = try await device.nail(
            Sample.document(authorization: Sample.plain("a", refresh: "r-1", expiresIn: 60)),
            Sample.document(Sample.beta, authorization: Sample.plain("b", refresh: "r-1", expiresIn: 60)))
        device.pass(seconds: 60)
        device.serves { request in
            let answer: JSON.Object = [
                "access_token": .string("new-" + (request.url?.split(separator: ".").first.map(String.init) ?? ""))
            ]
            return HTTP.Response(.ok, body: answer.encoded())
        }
        async let one = nail.getServiceToken(Sample.alpha, Sample.reading)
        async let other = nail.getServiceToken(Sample.beta, Sample.reading)
        #expect(await [one, other] == ["new-https://alpha", "new-https://beta"])
        #expect(device.sent.count == 2)
    }

    /// Something happens while the answer to a renewal is on its way.
    private func during(
        _ answer: JSON.Object, _ status: HTTP.Response.Status = .ok, of nail: IntegrationLayer,
        _ event: () async throws -> Void
    ) async throws -> String {
        let gate = Gate()
        device.serves { _ in
            await gate.pass()
            return HTTP.Response(status, body: answer.encoded())
        }
        async let token = nail.getServiceToken(Sample.alpha, Sample.reading)
        await gate.reached()
        try await event()
        gate.open()
        return await token
    }

    @Test(.proves("NIF-9")) func aLostRaceNeverWipesWhatCameMeanwhile() async throws {
        let nail = try await expired()
        let token = try await during(["error": "invalid_grant"], .badRequest, of: nail) {
            device.grants(Sample.document(authorization: Sample.plain("granted", refresh: "r-7")))
            await nail.authorizeProtocols([Sample.reading])
        }
        #expect(token == "granted")
        #expect(nail.serialize().contains("r-7"))
    }

    @Test func whatWasRemovedMeanwhileStaysRemoved() async throws {
        for removal in [{ $0.clearAllServices() }, { $0.removeService(Sample.alpha) }] as [(IntegrationLayer) -> Void] {
            let nail = try await expired()
            let token = try await during(["access_token": "new", "refresh_token": "r-2"], of: nail) { removal(nail) }
            #expect(token == "")
            #expect(nail.serviceNames().isEmpty)
            #expect(!nail.serialize().contains("r-2"))
        }
    }

    @Test(.proves("threat-28")) func aStateThatWasReadBackMeanwhileTakesTheAnswer() async throws {
        let nail = try await expired()
        let old = nail.serialize()
        var second: Task<String, Never>?
        let token = try await during(["access_token": "new", "refresh_token": "r-2"], of: nail) {
            try nail.parse(old)
            // Who asks now finds the old refresh token, which is on its way already.
            second = Task { await nail.getServiceToken(Sample.alpha, Sample.reading) }
            for _ in 0..<200 { await Task.yield() }
        }
        #expect(token == "new")
        #expect(await second?.value == "new")
        #expect(device.sent.count == 1)
        #expect(nail.serialize().contains("r-2"))
    }

    @Test func aCancelledCallerLosesNoRefreshToken() async throws {
        let nail = try await expired()
        let gate = Gate()
        device.serves { _ in
            await gate.pass()
            let answer: JSON.Object = ["access_token": "new", "refresh_token": "r-2"]
            // A network that heeds cancellation would have given up here.
            return Task.isCancelled ? nil : HTTP.Response(.ok, body: answer.encoded())
        }
        let caller = Task { await nail.getServiceToken(Sample.alpha, Sample.reading) }
        await gate.reached()
        caller.cancel()
        gate.open()
        #expect(await caller.value == "new")
        #expect(nail.serialize().contains("r-2"))
    }
}
