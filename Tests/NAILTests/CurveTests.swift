import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import Wire

@Suite("NAIL: an app whose keys are of P-256", .proves("KEY-21"))
struct CurveTests {
    private let pair = Result { try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 3, count: 32)) }

    @Test("Its request is taken with ES256, unless the policy names other algorithms", .proves("NIF-3"))
    func request() throws {
        let key = try pair.get()
        let id: KeyID = "app-256"
        let signed = try Sample.request().signed(with: SigningKey(key, id: id))
        let registry = [
            try BundleID(parsing: "ch.example.reader"): JWKSet([
                JWK(key.publicKey, attributes: JWK.Attributes(id: id))
            ])
        ]
        #expect(try signed.checkedOnce(against: registry, at: Sample.now).isVerified)
        var policy = ProtocolRequest.CheckPolicy()
        policy.algorithms = [.edDSA]
        #expect(throws: MessageRejection.self) {
            try signed.checkedOnce(against: registry, policy: policy, at: Sample.now)
        }
    }

    @Test("A token bound to it is signed with it, also by whoever reads the state back", .proves("NIF-7"))
    func state() throws {
        let key = DeviceKey(try pair.get())
        let state = try Sample.state(
            Sample.document(authorization: Sample.bound("own", to: key, refresh: "refresh-1")), key: key)
        let text = state.serialized()
        #expect(text.hasPrefix("{\"nail\":2,") && text.contains(#""keys":[{"p256":"AwMD"#))
        let restored = try NAILState(parsing: text)
        let parts = try SignedParts(restored.token(Sample.alpha))
        #expect(parts.header["alg"] == "ES256" && parts.header["kid"] == "key-2" && restored.serialized() == text)
        // Another key of the curve is not this one.
        let other = DeviceKey(try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 4, count: 32)))
        #expect(
            try Sample.state(Sample.document(authorization: Sample.bound("own", to: key)), key: other).serviceNames
                .isEmpty)
    }
}
