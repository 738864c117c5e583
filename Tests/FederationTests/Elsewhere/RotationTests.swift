import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("A change of algorithm is a rotation like any other")
struct RotationTests {
    @Test("From Ed25519 to ES256 nothing breaks that lives, and back", .proves("KEY-24"), arguments: PairKind.allCases)
    func rotation(_ first: PairKind) throws {
        var world = try ElsewhereWorld(first, here: true)
        let (phone, app) = (try SomePair(.ed25519, 21), try SomePair(.p256, 23))
        let personal = try world.signIn(world.register(phone))
        let service = try world.redeem(world.introduce(personal, to: 0), at: 0, by: phone)
        let given = try world.authorize(app, with: service, at: 0)
        let pending = try world.introduce(personal, to: 0)
        #expect(try headerMember("alg", of: pending.0) == first.algorithm)

        // The next keys are published before they sign, and lie elsewhere.
        let old = world.signers
        let next = try ["edu-id", "alpha", "beta"].enumerated().map {
            try SomePair(first.other, UInt8($0.offset + 31), named: $0.element + "-2")
        }
        try world.set { place, pair in
            Authority.Keys(
                signing: try pair.privateKey, others: [next[place].publicKey], master: ElsewhereWorld.master)
        }
        world.federation.wait(.seconds(60))
        world.signers = next
        try world.signElsewhere(publishing: old.map { [$0.publicKey] })

        let keys = try JSON(parsing: world.get(ElsewhereWorld.eduID + "/jwks").body)["keys"]?.array
        #expect(keys?.map { $0["kid"]?.string } == ["edu-id-2", "edu-id-1"])

        // What the last keys signed is as good as before.
        let (userinfo, papi) = (ElsewhereWorld.eduID + "/userinfo", ElsewhereWorld.papi(0))
        #expect(try world.opens(userinfo, personal, withDPoP: true))
        #expect(try world.opens(papi, given, withDPoP: true))
        let late = try world.redeem(pending, at: 0, by: phone)
        #expect(try headerMember("alg", of: late.access) == first.other.algorithm)

        // What is given from now on, the next ones sign, and everybody takes that too.
        let renewed = try world.refresh(given, at: ElsewhereWorld.component(0) + "token")
        #expect(try headerMember("alg", of: renewed.access) == first.other.algorithm)
        #expect(try headerMember("kid", of: renewed.access) == "alpha-2")
        #expect(try world.opens(papi, renewed, withDPoP: true))
        let again = try world.refresh(personal, at: ElsewhereWorld.eduID + "/token")
        #expect(try world.opens(userinfo, again, withDPoP: true))
        let introduction = try world.introduce(again, to: 0)
        #expect(try headerMember("alg", of: introduction.0) == first.other.algorithm)
        _ = try world.redeem(introduction, at: 0, by: phone)

        // Gone from the set, the last key vouches for nothing.
        try world.signElsewhere(publishing: [[], [], []])
        #expect(try world.opens(userinfo, personal, withDPoP: true) == false)
        #expect(try world.opens(userinfo, again, withDPoP: true))
        try world.signOut(again)
        #expect(world.federation.deliver() > 0)
        #expect(try world.opens(papi, renewed, withDPoP: true) == false)
    }
}

extension ElsewhereWorld {
    mutating func get(_ url: String) throws -> HTTP.Response {
        let response = federation.send(HTTP.Request(.get, .absolute(try WebURL(parsing: url))))
        return try #require(response)
    }
}
