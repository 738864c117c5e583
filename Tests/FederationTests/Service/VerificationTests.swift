import Federation
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(6) Verification")
struct VerificationTests {
    private static func active(_ stage: Stage, _ changes: JSON.Object = [:]) -> HTTP.Response {
        var members: JSON.Object = [
            "active": true, "iss": .string(Stage.eduID), "sub": .string(Stage.user), "aud": .string(Stage.home),
            "client_id": .string(Stage.instance), "exp": stage.time(300), "iat": stage.time(0), "jti": "assertion-1",
            "user_token": "user-token-1",
        ]
        for member in changes { members[member.name] = member.value == .null ? nil : member.value }
        return response(members)
    }

    private static func response(_ members: JSON.Object, _ status: HTTP.Response.Status = .ok) -> HTTP.Response {
        var fields = HTTP.Fields()
        try? fields.append(.contentType, "application/json")
        return HTTP.Response(status, fields: fields, body: members.encoded())
    }

    private static let asking = Result { try Stage(introspecting: true) }

    @Test("A service that wants to know asks the edu-ID service, by its own assertion", .proves("AST-8"))
    func asked() throws {
        var stage = try Self.asking.get()
        stage.answer = Self.active(stage)
        let held = try stage.redeem()
        #expect(try stage.opens(Stage.token, held))
        let question = try #require(stage.questions.first)
        #expect(stage.questions.count == 1)
        #expect(question.target == .absolute(try WebURL(parsing: Stage.introspect)))
        let form = try HTTP.Form(parsing: question.body)
        #expect(form.value(of: "token").value == (try stage.assertion().text))
        let proof = try #require(form.value(of: "client_assertion").value)
        let claims = try JSON(parsing: Base64URL.decode(String(proof.split(separator: ".")[1]))).object
        #expect(claims?["iss"]?.string == Stage.home)
        #expect(claims?["aud"]?.string == Stage.eduID)
    }

    @Test("Without an endpoint to ask at, the signature is enough", .proves("AST-8"))
    func offline() throws {
        var stage = try Stage.fresh()
        _ = try stage.redeem()
        #expect(stage.questions.isEmpty)
    }

    @Test("Nobody is asked about an assertion that is refused anyway", .proves("AST-4"))
    func notAsked() throws {
        var stage = try Self.asking.get()
        stage.answer = Self.active(stage)
        let forged = try stage.assertion().signed(by: Pair.stranger)
        try Expected("invalid_grant", 400, "RFC7515-5.2").check(
            &stage, try Stage.redeeming(forged, stage.instanceProof()))
        stage.service.policy.users = .only([])
        let request = try Stage.redeeming(stage.assertion(), stage.instanceProof())
        try Expected("access_denied", 400, "AST-4").check(&stage, request)
        #expect(stage.questions.isEmpty)
    }

    @Test("An edu-ID service that cannot be asked leaves the assertion as it is", .proves("AST-8"))
    func unreachable() throws {
        var stage = try Self.asking.get()
        let later = Expected("temporarily_unavailable", 503, "AST-8")
        for answer in [
            nil, Self.response(["error": "invalid_client"], .unauthorized), Self.response([:], .internalServerError),
            Self.response([:]),
        ] {
            stage.answer = answer
            try later.check(&stage, try Stage.redeeming(stage.assertion(), stage.instanceProof()))
        }
        stage.answer = Self.active(stage)
        _ = try stage.redeem()
    }

    @Test(
        "An answer that is not about this assertion refuses it", .proves("AST-8"),
        arguments: [
            ["active": false], ["jti": "assertion-2"], ["jti": .null], ["sub": "user-8"], ["sub": .null],
            ["client_id": "instance-2"],
            ["iss": "https://other.example.ch"],
        ] as [JSON.Object])
    func contradicted(_ changes: JSON.Object) throws {
        var stage = try Self.asking.get()
        stage.answer = Self.active(stage, changes)
        try Expected("invalid_grant", 400, "AST-8").check(
            &stage, try Stage.redeeming(stage.assertion(), stage.instanceProof()))
    }

    @Test(
        "What the answer leaves out it does not contradict", .proves("AST-8"),
        arguments: ["client_id", "iss", "user_token"] as [JSON.Name])
    func omitted(_ member: JSON.Name) throws {
        var stage = try Self.asking.get()
        stage.answer = Self.active(stage, [member: .null])
        _ = try stage.redeem()
    }

    @Test("An assertion that was redeemed is refused without asking again", .proves("AST-3"))
    func secondUse() throws {
        var stage = try Self.asking.get()
        stage.answer = Self.active(stage)
        _ = try stage.redeem()
        stage.now = stage.now + .seconds(61)
        try Expected("invalid_grant", 400, "AST-3").check(
            &stage, try Stage.redeeming(stage.assertion(), stage.instanceProof()), changes: true)
        #expect(stage.questions.count == 1)
    }

    // MARK: 6*

    private static let curious = Result {
        var stage = try Stage(introspecting: true)
        stage.service.eduID.userinfo = try WebURL(parsing: Stage.eduID + "/userinfo")
        return stage
    }

    @Test(
        "A service that wants to know more about the user asks with the user token that came with the answer",
        .proves("AST-8"))
    func identity() throws {
        var stage = try Self.curious.get()
        stage.answer = Self.active(stage)
        stage.userinfo = Self.response(["sub": .string(Stage.user), "given_name": "Ada M.", "affiliation": "staff"])
        // What is told counts for the right to the service too.
        stage.service.policy.entitles = { $0["affiliation"] == "staff" }
        let service = try stage.redeem()
        #expect(stage.questions.map { $0.target.path } == ["/introspect", "/userinfo"])
        #expect(stage.questions.last?.fields.values(of: .authorization) == ["Bearer user-token-1"])
        #expect(stage.questions.last?.fields.values(of: .accept) == ["application/json"])
        let app = try stage.authorize(with: service)
        guard
            case .granted(let access) = try stage.use(
                Stage.get(Stage.papi, bearer: stage.proof(app, Stage.papi).text), Stage.papi)
        else {
            Issue.record("the app has access")
            return
        }
        #expect(access.profile == ["given_name": "Ada M.", "affiliation": "staff"])
    }

    @Test("What stands in the assertion counts where nothing else is told", .proves("AST-8"))
    func addition() throws {
        var stage = try Self.curious.get()
        stage.answer = Self.active(stage)
        stage.userinfo = Self.response(["sub": .string(Stage.user), "affiliation": "staff"])
        stage.service.policy.entitles = { $0 == ["given_name": "Ada", "affiliation": "staff"] }
        _ = try stage.redeem()
    }

    @Test("How somebody signed in is told by the assertion alone", .proves("FPA-19"))
    func signIn() throws {
        var stage = try Self.curious.get()
        stage.answer = Self.active(stage)
        stage.userinfo = Self.response([
            "sub": .string(Stage.user), "acr": "mfa", "amr": ["otp"], "auth_time": stage.time(0),
        ])
        stage.service.policy.entitles = { $0 == ["given_name": "Ada"] }
        #expect(try stage.redeem().claims["acr"] == nil)
    }

    @Test("More than 16 KiB, or nested deeper than 16, is no answer", .proves("threat-14"))
    func bounds() throws {
        var stage = try Self.curious.get()
        stage.answer = Self.active(stage)
        let deep = (1...16).reduce(JSON.string("x")) { inner, _ in .array([inner]) }
        for note in [.string(String(repeating: "x", count: 16 << 10)), deep] {
            stage.userinfo = Self.response(["sub": .string(Stage.user), "note": note])
            try Expected("temporarily_unavailable", 503, "AST-8").check(
                &stage, try Stage.redeeming(stage.assertion(), stage.instanceProof()))
        }
    }

    @Test("A host that gets no answer is not asked again", .proves("AST-8"))
    func unansweredOnce() throws {
        var stage = try Self.asking.get()
        let request = try Stage.redeeming(stage.assertion(), stage.instanceProof())
        var host = StubbornHost()
        host.isReachable = false
        let (service, now) = (stage.service, stage.now)
        let response = host.carryOut { service.exchange(for: request, at: now, using: &stage.entropy) }
        #expect(response.status == .serviceUnavailable)
        #expect(host.sent.count == 1)
    }

    @Test("What is told about somebody else, or by nobody, is not used", .proves("AST-8"))
    func foreignIdentity() throws {
        var stage = try Self.curious.get()
        stage.answer = Self.active(stage)
        let later = Expected("temporarily_unavailable", 503, "AST-8")
        for answer in [nil, Self.response(["sub": .string(Stage.user)], .unauthorized), Self.response([:], .ok)] {
            stage.userinfo = answer
            let isEmpty = answer?.status == .ok
            let expected = isEmpty ? Expected("invalid_grant", 400, "AST-8") : later
            try expected.check(&stage, try Stage.redeeming(stage.assertion(), stage.instanceProof()))
        }
        stage.userinfo = Self.response(["sub": "user-8", "affiliation": "staff"])
        try Expected("invalid_grant", 400, "AST-8").check(
            &stage, try Stage.redeeming(stage.assertion(), stage.instanceProof()))
        // Without a user token there is nothing to ask with, and the assertion is all.
        stage.answer = Self.active(stage, ["user_token": .null])
        _ = try stage.redeem()
    }
}
