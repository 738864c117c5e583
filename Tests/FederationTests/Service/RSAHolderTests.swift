import Federation
import JOSE
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

/// Holders whose keys are RSA, from their first proof to the next token.
///
/// Nothing in this package signs by RSA; `Fixtures/made-elsewhere/holders.py` has made the proofs.
@Suite("Holders with RSA keys")
struct RSAHolderTests {
    /// A holder's key, and what was signed with it and with a stranger's.
    private struct Holder {
        let algorithm: Algorithm
        let key: JSON
        /// Proofs for the token endpoint, each with a name of its own.
        let proofs: [String]
        /// A proof by another key, which it shows.
        let other: String
        /// A proof that shows this key, and is signed with another one.
        let forged: String

        init(_ name: String) throws {
            let all = try JSON(parsing: try Repository.fixture("RSA/holders.json"))
            let members = try #require(all[JSON.Name(name)])
            algorithm = try #require(Algorithm(name))
            key = try #require(members["jwk"])
            proofs = try #require(members["proofs"]?.array).compactMap { $0.string }
            other = try #require(members["other"]?.string)
            forged = try #require(members["forged"]?.string)
        }
    }

    private func stage(_ algorithms: [Algorithm]) throws -> Stage {
        var stage = try Stage.fresh()
        stage.service.policy.proof.holders.algorithms = algorithms
        return stage
    }

    private func redeeming(_ stage: Stage, _ holder: Holder, by proof: String) throws -> HTTP.Request {
        let assertion = try stage.assertion().claiming(["cnf": ["jwk": holder.key]])
        var request = try Stage.form(["grant_type": Stage.jwtBearer, "assertion": assertion.text])
        try request.fields.append(.dpop, proof)
        return request
    }

    private func refreshing(_ token: String, by proof: String) throws -> HTTP.Request {
        var request = try Stage.form(["grant_type": "refresh_token", "refresh_token": token])
        try request.fields.append(.dpop, proof)
        return request
    }

    @Test(
        "The key is bound, its proofs are taken, and another key's are not",
        .proves("POP-1"), .proves("KEY-3"), .proves("KEY-23"), arguments: ["RS256", "PS256"])
    func bound(_ name: String) throws {
        let holder = try Holder(name)
        var stage = try stage(Algorithm.ofHolders + [holder.algorithm])
        for (proof, clause) in [(holder.other, "RFC9449-7.1"), (holder.forged, "RFC7515-5.2")] {
            let before = stage.state
            #expect(stage.send(try redeeming(stage, holder, by: proof)).status.code / 100 == 4)
            #expect(stage.refusals.last?.clause == clause && stage.state == before)
        }
        let held = try Held(stage.send(redeeming(stage, holder, by: holder.proofs[0])), .pair(0), of: Stage.instance)
        let confirmed = try #require(try held.claims["cnf"]?["jwk"])
        for member in ["kty", "n", "e", "alg"] as [JSON.Name] { #expect(confirmed[member] == holder.key[member]) }
        let record = try #require(stage.store.lineage(of: held.record)?.record)
        let kept = try JWK(parsing: try #require(record.boundKey?.text).utf8)
        let own = try JWK(parsing: holder.key.encoded())
        #expect(kept.material == own.material && kept.attributes.algorithm == holder.algorithm)

        for proof in [holder.other, holder.forged, holder.proofs[0]] {
            #expect(stage.send(try refreshing(held.refresh, by: proof)).status.code / 100 == 4)
        }
        #expect(stage.store.verdict(of: try held.record, at: stage.now).isLive)
        #expect(stage.send(try refreshing(held.refresh, by: holder.proofs[1])).status == .ok)
    }

    @Test("Where the algorithm is not listed, nothing is bound", .proves("KEY-9"), arguments: ["RS256", "PS256"])
    func unlisted(_ name: String) throws {
        let holder = try Holder(name)
        var stage = try stage(Algorithm.ofHolders)
        let before = stage.state
        #expect(stage.send(try redeeming(stage, holder, by: holder.proofs[0])).status.code / 100 == 4)
        #expect(stage.state == before)
    }
}
