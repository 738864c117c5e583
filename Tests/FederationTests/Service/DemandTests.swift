@testable import Federation
import JOSE
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("Services that need more of a sign-in")
struct DemandTests {
    static let mfa = "https://refeds.org/profile/mfa"
    static let weak = Expected("insufficient_user_authentication", 400, "FPA-21")

    private static func demand(_ classes: String..., within age: Int64? = nil) throws -> AuthenticationDemand {
        try AuthenticationDemand(classes.map { try Authentication.ContextClass(parsing: $0) }, maximumAge: age)
    }

    /// An assertion that tells how the person signed in.
    private static func assertion(
        _ stage: Stage, _ id: String = "assertion-1", as name: String = mfa, before seconds: Int64 = 0
    ) throws -> Draft {
        try stage.assertion(id).claiming([
            "acr": .string(name), "amr": ["pwd", "otp"], "auth_time": stage.time(-seconds),
        ])
    }

    private static func redeem(_ assertion: Draft, _ stage: inout Stage) throws -> Held {
        let response = stage.send(try Stage.redeeming(assertion, stage.instanceProof()))
        return try Held(response, .pair(Pair.instance), of: Stage.instance)
    }

    @Test("A class is demanded byte for byte, and told in every token", .proves("FPA-21"), .proves("FPA-19"))
    func contextClass() throws {
        var stage = try Stage.fresh()
        stage.service.policy.demand = try Self.demand("other", Self.mfa)
        for name in ["mfa", Self.mfa + "/", Self.mfa.uppercased(), ""] {
            let assertion = try Self.assertion(stage, as: name)
            try Self.weak.check(&stage, Stage.redeeming(assertion, stage.instanceProof()))
        }
        try Self.weak.check(&stage, Stage.redeeming(stage.assertion(), stage.instanceProof()))
        let held = try Self.redeem(Self.assertion(stage), &stage)
        let app = try stage.authorize(with: held)
        for claims in [try held.claims, try app.claims] {
            #expect(claims["acr"]?.string == Self.mfa && claims["amr"] == ["pwd", "otp"])
            #expect(claims["auth_time"] == stage.time(0))
        }
    }

    @Test("A proof may be a minute older than what is demanded, because clocks differ", .proves("FPA-21"))
    func age() throws {
        var stage = try Stage.fresh()
        stage.service.policy.demand = try Self.demand(within: 600)
        let stale = try Self.assertion(stage, before: 661)
        try Self.weak.check(&stage, Stage.redeeming(stale, stage.instanceProof()))
        let untimed = try Self.assertion(stage).claiming(["auth_time": .null])
        try Self.weak.check(&stage, Stage.redeeming(untimed, stage.instanceProof()))
        _ = try Self.redeem(Self.assertion(stage, before: 660), &stage)
    }

    @Test("What was enough once ends by its age at each use, and nothing is lost by that", .proves("FPA-21"))
    func everyUse() throws {
        var stage = try Stage.fresh()
        stage.service.policy.demand = try Self.demand(within: 600)
        let held = try Self.redeem(Self.assertion(stage), &stage)
        let app = try stage.authorize(with: held)
        #expect(try stage.opens(Stage.papi, app))
        stage.now = stage.now + .seconds(661)
        let request = try Stage.get(Stage.papi, bearer: stage.proof(app, Stage.papi).text)
        guard case .refused(let response) = try stage.use(request, Stage.papi) else {
            Issue.record("an old sign-in opens the service")
            return
        }
        let challenge = response.fields.values(of: .wwwAuthenticate).joined()
        #expect(
            challenge.contains(#"error="insufficient_user_authentication""#) && challenge.contains(#"max_age="600""#))
        try Self.weak.check(&stage, stage.refreshing(held))
        let code = try stage.code(with: held, for: Stage.reader, binding: Pair.app)
        try Self.weak.check(&stage, Stage.authorizing(code, stage.proof(held)))
        // Another assertion for the same instance tells of a newer proof.
        let renewed = try Self.redeem(Self.assertion(stage, "assertion-2"), &stage)
        #expect(try stage.opens(Stage.papi, try stage.authorize(with: renewed)))
    }

    @Test("Administrators may need more of a sign-in than others", .proves("FPA-21"))
    func administrators() throws {
        let users = Stage.home + "/oauth/admin/users"
        var stage = try Stage.fresh()
        stage.service.policy.administrators = [Subject(stringLiteral: Stage.user)]
        stage.service.policy.administratorsDemand = try Self.demand(Self.mfa)
        let weak = try Self.redeem(Self.assertion(stage, as: "password"), &stage)
        try Expected(Self.weak.code, 401, "FPA-21").check(
            &stage, Stage.get(users, bearer: stage.proof(weak, users).text))
        #expect(try stage.opens(Stage.papi, try stage.authorize(with: weak)), "that of others is enough for the rest")
        let strong = try Self.redeem(Self.assertion(stage, "assertion-2"), &stage)
        #expect(try stage.send(Stage.get(users, bearer: stage.proof(strong, users).text)).status == .ok)
    }
}
