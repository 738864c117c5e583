import Federation
import JOSE
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(10) Everything of a person, at a service")
struct ServiceGlobalRevocationTests {
    private static let place = Stage.home + "/oauth/global-token-revocation"

    /// The edu-ID service has all of somebody ended.
    private func ending(_ stage: inout Stage, _ user: String = Stage.user) throws -> HTTP.Request {
        try GlobalRevocation(
            of: Subject(parsing: user), by: Issuer(parsing: Stage.eduID),
            credential: Assertion(parsing: stage.clientAssertion().text)
        ).encoded(to: WebURL(parsing: Self.place))
    }

    private func end(_ stage: inout Stage) throws {
        let request = try ending(&stage)
        #expect(stage.send(request).status == .noContent)
    }

    @Test("What was given to instances and apps ends, and is not renewed", .proves("GTR-1"))
    func ends() throws {
        var (stage, service, app) = try Stage.authorized()
        #expect(try stage.opens(Stage.papi, app))
        try end(&stage)
        #expect(try !stage.opens(Stage.papi, app))
        for held in [service, app] {
            #expect(!stage.store.verdict(of: try held.record, at: stage.now).grantLives)
            #expect(stage.send(try stage.refreshing(held)).status == .badRequest)
        }
    }

    @Test("An introduction that was made before and comes after is not taken; a later one is", .proves("GTR-1"))
    func late() throws {
        var (stage, _) = try Stage.redeemed()
        let before = try stage.assertion("assertion-2")
        stage.now = stage.now + .seconds(1)
        try end(&stage)
        try Expected("invalid_grant", 400, "GTR-1").check(&stage, try Stage.redeeming(before, stage.instanceProof()))
        stage.now = stage.now + .seconds(1)
        _ = try stage.redeem("assertion-3")
        // Ended once more, it ends once more.
        try end(&stage)
        #expect(stage.store.living(.assertion, at: stage.now) == 0)
        stage.now = stage.now + .seconds(1)
        _ = try stage.redeem("assertion-4")
    }

    @Test("Of somebody else nothing ends, and introductions of others are taken", .proves("GTR-2"))
    func others() throws {
        var (stage, _, app) = try Stage.authorized()
        let request = try ending(&stage, "somebody-else")
        #expect(stage.send(request).status == .noContent)
        #expect(try stage.opens(Stage.papi, app))
        _ = try stage.redeem("assertion-2")
    }

    @Test("What bars older introductions is no lock: it is not listed, and nobody lifts it", .proves("TOK-5"))
    func noLock() throws {
        var (stage, _) = try Stage.redeemed()
        let before = try stage.assertion("assertion-2")
        try end(&stage)
        func ask(_ command: FederationService.Administration) -> HTTP.Response {
            let (service, now) = (stage.service, stage.now)
            var entropy = stage.entropy
            return stage.store.carryOut { service.exchange(for: command, at: now, using: &entropy) }
        }
        let bar = try #require(stage.store.page(of: .all(.lock), limit: 9)?.lineages.first?.record.holder)
        #expect(ask(.unlockApp(try BundleID(parsing: bar.text))).status == .notFound)
        #expect(ask(.unlockUser(Record.Subject(stringLiteral: Stage.user))).status == .notFound)
        for list in [ask(.apps(locked: true)), ask(.users(locked: true))] {
            #expect(try JSON(parsing: list.body) == [])
        }
        try Expected("invalid_grant", 400, "GTR-1").check(&stage, try Stage.redeeming(before, stage.instanceProof()))
    }
}
