import Federation
import FederationTesting
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("UUIDs, in any case")
struct UUIDTests {
    /// The same instance, which writes its name in capitals.
    private func shouting(_ phone: Handset) -> Handset {
        var shouting = Handset(named: phone.id.uppercased(), phone.pair)
        (shouting.client, shouting.personal) = (phone.client, phone.personal)
        return shouting
    }

    /// A name with letters in it.
    private static let name = "abcdef00-0000-4000-8000-0000000000ab"

    @Test("An instance that writes its UUID in capitals is the same instance", .proves("REQ-10"))
    func sameInstance() throws {
        var scene = try Scene.fresh()
        let quiet = Handset(named: Self.name, Handset(number: 3).pair)
        scene.phone = try scene.register(shouting(quiet))
        #expect(
            scene.store.lineage(of: try TokenID(parsing: scene.phone.client?.keyID ?? ""))?.record.holder?.text
                == Self.name)
        // Its requests bear the name either way.
        scene.phone = try scene.signIn(scene.phone)
        try scene.asUser(.get, "userinfo").expectSuccess()
        var other = quiet
        (other.client, other.personal) = (scene.phone.client, scene.phone.personal)
        scene.phone = other
        try scene.asUser(.get, "userinfo").expectSuccess()
        // Who registers under it without proof is refused.
        let statement = try scene.statement(of: shouting(quiet))
        scene.send(try scene.form("token", [("grant_type", "client_credentials")], .assertion(statement)))
            .expectRefusal("invalid_client", 401, "threat-63")
        try scene.asUser(.delete, "instances/" + Self.name.uppercased()).expectSuccess(204)
    }

    @Test("Other names are compared byte by byte", .proves("REQ-10"))
    func otherNames() throws {
        let names = ["Client-A", "ABCDEF00-0000-4000-8000-0000000000AG", "ABCDEF0000000-4000-8000-0000000000AB"]
        for name in names { #expect(try ClientID(parsing: name).canonical.text == name) }
        #expect(try ClientID(parsing: Self.name.uppercased()).canonical.text == Self.name)
    }
}
