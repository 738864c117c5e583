import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import TokenTree
import Wire

// example: a server whose key lies elsewhere
/// A service whose key lies in a security module, which signs with ES256.
struct SealedServer {
    let host: FederationService.Host<Database>

    init(
        _ service: FederationService, module: SecurityModule, database: Database,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        host = FederationService.Host(
            service, in: database, clock: clock,
            signer: { request in
                // Modules and key services give DER; JOSE wants R‖S.
                guard let der = await module.signature(over: request.message, by: request.publicKey.id) else {
                    return nil
                }
                return try? ECDSASignature(derRepresentation: der, on: .p256).rawRepresentation
            })
    }
}
// end of example

/// In the place of a security module: it never shows its key, and signs in DER, by the digest as PKCS #11 does.
actor SecurityModule {
    private let pair: SomePair
    private(set) var count = 0
    private var isAway = false

    init(_ pair: SomePair) { self.pair = pair }

    func signature(over message: [UInt8], by name: KeyID?) -> [UInt8]? {
        guard !isAway, name == pair.publicKey.id, let raw = pair.signature(for: message) else { return nil }
        count += 1
        return try? ECDSASignature(rawRepresentation: raw, on: .p256).derRepresentation
    }

    func leave(_ isAway: Bool) { self.isAway = isAway }
}

@Suite("The recipe for a key in a security module")
struct SealedServerTests {
    @Test(
        "A token is signed by the module, or not at all", .proves("KEY-21"), .proves("KEY-25"),
        .proves("threat-79"))
    func sealed() async throws {
        var world = try ElsewhereWorld(.p256)
        let phone = try SomePair(.ed25519, 21)
        let personal = try world.signIn(world.register(phone))
        let service = try world.redeem(world.introduce(personal, to: 0), at: 0, by: phone)
        let token = ElsewhereWorld.component(0) + "token"
        let request = try world.form(
            token, [("grant_type", "refresh_token"), ("refresh_token", try #require(service.refresh))],
            bearer: world.proof(service, token))
        let (now, module) = (world.federation.now, SecurityModule(world.signers[1]))
        let database = Database(world.federation.services[0].store)
        let server = SealedServer(
            world.federation.services[0].service, module: module, database: database, clock: { now })
        await module.leave(true)
        #expect(try await server.host.answer(request).status == .serviceUnavailable)
        await module.leave(false)
        let held = try Holding(try await server.host.answer(request), phone, of: ElsewhereWorld.instance)
        #expect(await module.count == 1)
        #expect(try headerMember("alg", of: held.access) == "ES256")
        // The same proof has been taken now, which is the store's word, after the signature.
        #expect(try await server.host.answer(request).status == .unauthorized)
    }
}
