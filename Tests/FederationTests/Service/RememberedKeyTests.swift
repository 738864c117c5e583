import Federation
import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("Keys that are remembered from one exchange to the next")
struct RememberedKeyTests {
    /// A stage of its own, whose service remembers so many keys.
    private static func stage(remembering count: Int) throws -> Stage {
        var stage = try Stage()
        stage.service.authority = try Stage.authority().remembering(holders: count)
        return stage
    }

    /// The key of an assertion with what its holder says about it.
    private static func assertion(
        _ stage: inout Stage, _ seed: UInt8 = Pair.instance, of user: String = Stage.user,
        saying members: JSON.Object = [:]
    ) throws -> Draft {
        var key = try Pair.json(seed).object ?? [:]
        for member in members { key[member.name] = member.value }
        return try stage.assertion(stage.number()).claiming([
            "cnf": ["jwk": .object(key), "kid": "client-1"], "sub": .string(user),
        ])
    }

    private static func redeem(
        _ stage: inout Stage, _ seed: UInt8 = Pair.instance, of user: String = Stage.user,
        saying members: JSON.Object = [:], provenBy other: UInt8? = nil
    ) throws -> HTTP.Response {
        let assertion = try assertion(&stage, seed, of: user, saying: members)
        let proof = stage.requestToken(
            Stage.token, .pair(other ?? seed), named: "client-1", of: Stage.instance)
        return stage.send(try Stage.redeeming(assertion, proof))
    }

    @Test("A key that has come before vouches for what it signed, and for nothing that another one signed")
    func vouches() throws {
        var stage = try Self.stage(remembering: 16)
        for _ in 0..<3 { #expect(try Self.redeem(&stage).status == .ok) }
        #expect(stage.service.authority.rememberedKeys == 1)
        let refused = try Self.redeem(&stage, provenBy: Pair.stranger)
        #expect(refused.status == .unauthorized && stage.refusals.last?.clause == "RFC7515-5.2")
        // Nobody is remembered who has proved nothing.
        #expect(try Self.redeem(&stage, Pair.otherInstance, provenBy: Pair.instance).status == .unauthorized)
        #expect(stage.service.authority.rememberedKeys == 1)
        #expect(try Self.redeem(&stage).status == .ok)
    }

    @Test("A proof that brings a key along is checked by that key, whether it has come before or not", .proves("POP-1"))
    func proofs() throws {
        var stage = try Self.stage(remembering: 16)
        func redeem(_ seed: UInt8, signedBy other: UInt8? = nil) throws -> HTTP.Response {
            let assertion = try Self.assertion(&stage, seed)
            var request = try Stage.form(["grant_type": Stage.jwtBearer, "assertion": assertion.text])
            let held = try Stage.redeemed().1
            let proof = try stage.dpop(held).heading(["jwk": try Pair.json(seed)]).signed(by: other ?? seed)
            try request.fields.append(.dpop, proof.text)
            return stage.send(request)
        }
        for _ in 0..<3 { #expect(try redeem(Pair.instance).status == .ok) }
        #expect(try redeem(Pair.instance, signedBy: Pair.stranger).status == .badRequest)
        #expect(try redeem(Pair.stranger, signedBy: Pair.instance).status == .badRequest)
        #expect(stage.service.authority.rememberedKeys == 1)
    }

    @Test("What a key says about itself binds, though the same one has come before", .proves("KEY-8"))
    func attributes() throws {
        var stage = try Self.stage(remembering: 16)
        for _ in 0..<3 { #expect(try Self.redeem(&stage).status == .ok) }
        for members: JSON.Object in [["use": "enc"], ["key_ops": ["encrypt"]], ["alg": "Ed25519"]] {
            // The proof is by `EdDSA`, as ever.
            let refused = try Self.redeem(&stage, saying: members)
            #expect(refused.status != .ok, "\(members)")
        }
        #expect(try Self.redeem(&stage, saying: ["use": "sig", "device": "mine"]).status == .ok)
    }

    @Test("Answers are the same by a service that remembers and by one that does not")
    func sameAnswers() throws {
        var stage = try Self.stage(remembering: 16)
        var forgetful = stage
        forgetful.service.authority = try Stage.authority().remembering(holders: 0)
        func both(_ request: HTTP.Request) throws -> HTTP.Response {
            let (one, other) = (stage.send(request), forgetful.send(request))
            #expect(one == other && stage.state == forgetful.state)
            return one
        }
        for members: JSON.Object in [[:], ["device": "mine", "kid": "n"], ["alg": "EdDSA"]] {
            let assertion = try Self.assertion(&stage, saying: members)
            let request = try Stage.redeeming(assertion, stage.instanceProof())
            let held = try Held(try both(request), .pair(Pair.instance), of: Stage.instance)
            for seed in [Pair.app, nil] {
                let code = try stage.code(with: held, binding: seed)
                let given = try both(try Stage.authorizing(code, stage.proof(held)))
                #expect(given.status == .ok)
                guard seed != nil else { continue }
                let app = try Held(given, .pair(Pair.app), of: Stage.reader)
                #expect(try both(try stage.refreshing(app)).status == .ok)
            }
            #expect(try both(try stage.refreshing(held)).status == .ok)
        }
        #expect(forgetful.service.authority.rememberedKeys == 0)
        #expect(forgetful.service.authority.rememberedHolders == 0)
    }

    @Test("Of one user's keys a sixteenth of the memory is filled at most, and nobody else's are pushed out")
    func shares() throws {
        var stage = try Self.stage(remembering: 48)
        for _ in 0..<2 { #expect(try Self.redeem(&stage, of: "user-1").status == .ok) }
        #expect(stage.service.authority.rememberedKeys == 1)
        for seed: UInt8 in 20..<30 { #expect(try Self.redeem(&stage, seed, of: "user-2").status == .ok) }
        #expect(stage.service.authority.rememberedKeys == 1 + 3)
        // The records of a user's apps count likewise.
        var (again, service) = try Stage.redeemed()
        again.service.authority = stage.service.authority
        for number in 0..<6 {
            let app = try again.authorize(with: service, for: "ch.example.app\(number)")
            #expect(try again.opens(Stage.papi, app))
        }
        #expect(again.service.authority.rememberedHolders == 3)
    }

    @Test("Of however many users, no more keys are kept than was said")
    func bound() throws {
        var stage = try Self.stage(remembering: 3)
        for seed: UInt8 in 20..<34 { #expect(try Self.redeem(&stage, seed, of: "user-\(seed)").status == .ok) }
        #expect(stage.service.authority.rememberedKeys <= 6)
        #expect(stage.service.authority.rememberedKeys >= 3)
    }
}
