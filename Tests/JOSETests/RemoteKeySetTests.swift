import JOSE
import PureCrypto
import TestSupport
import Testing
import Wire

@Suite("Keeping another party's key set")
struct RemoteKeySetTests {
    private let start = Timestamp(seconds: 1_000_000)

    private func body(_ seeds: UInt8...) throws -> [UInt8] {
        let keys = try seeds.map {
            JWK(try Sample.pair($0).publicKey, attributes: JWK.Attributes(id: try Sample.id("k\($0)")))
        }
        return JWKSet(keys).encoded()
    }

    private func fresh() throws -> RemoteKeySet { RemoteKeySet(of: try Issuer(parsing: "https://issuer.example")) }

    @Test("The first token makes the set be fetched; then it serves while it is fresh")
    func first() throws {
        var set = try fresh()
        #expect(set.decision(for: try Sample.id("k1"), at: start) == .fetch)
        try set.received(body(1), caching: "public, max-age=120", at: start)
        #expect(set.decision(for: try Sample.id("k1"), at: start + .seconds(119)) == .verify)
        #expect(set.decision(for: try Sample.id("k1"), at: start + .seconds(120)) == .verifyAndFetch)
        #expect(set.decision(for: nil, at: start + .seconds(1)) == .verify)
        #expect(set.ring.keys.first?.issuer == set.issuer)
    }

    @Test("An unknown key makes the set be fetched again, once in the cooldown", .proves("threat-14"))
    func unknown() throws {
        var set = try fresh()
        try set.received(body(1), caching: nil, at: start)
        let soon = start + .seconds(5)
        #expect(set.decision(for: try Sample.id("k2"), at: soon) == .refuse(until: start + .seconds(30)))
        let later = start + .seconds(30)
        #expect(set.decision(for: try Sample.id("k2"), at: later) == .fetch)
        set.began(at: later)
        #expect(set.decision(for: try Sample.id("k2"), at: later) == .refuse(until: later + .seconds(30)))
        #expect(set.decision(for: try Sample.id("k1"), at: later) == .verify)
        try set.received(body(1, 2), caching: nil, at: later)
        #expect(set.decision(for: try Sample.id("k2"), at: later) == .verify)
        // A clock that was set back does not lock the set.
        #expect(set.decision(for: try Sample.id("k3"), at: start) == .fetch)
    }

    @Test("A key that vanished serves for a while, for tokens signed before")
    func rotation() throws {
        var set = try fresh()
        try set.received(body(1), caching: nil, at: start)
        try set.received(body(2), caching: nil, at: start + .seconds(60))
        #expect(set.decision(for: try Sample.id("k1"), at: start + .seconds(359)) == .verify)
        #expect(set.ring.keys.map { $0.id?.text } == ["k2", "k1"])
        #expect(set.decision(for: try Sample.id("k1"), at: start + .seconds(360)) == .fetch)
        #expect(set.ring.keys.map { $0.id?.text } == ["k2"])
        // A key that returns is no longer on its way out.
        try set.received(body(1), caching: nil, at: start + .seconds(400))
        #expect(set.ring.keys.map { $0.id?.text } == ["k1", "k2"])
    }

    @Test("While it cannot be fetched, a stale set serves; in the end it does not")
    func stale() throws {
        var set = try fresh()
        try set.received(body(1), caching: "max-age=60", at: start)
        let later = start + .seconds(100)
        #expect(set.decision(for: try Sample.id("k1"), at: later) == .verifyAndFetch)
        set.began(at: later)
        set.failed(at: later)
        #expect(set.decision(for: try Sample.id("k1"), at: later + .seconds(1)) == .verify)
        #expect(set.decision(for: try Sample.id("k1"), at: later + .seconds(30)) == .verifyAndFetch)
        let end = start + .seconds(60 + 86_400)
        #expect(set.decision(for: try Sample.id("k1"), at: end) == .fetch)
        #expect(set.ring.keys.isEmpty)
    }

    @Test("A response that is no set, or has no usable key, changes nothing")
    func useless() throws {
        var set = try fresh()
        try set.received(body(1), caching: nil, at: start)
        func refusal(_ text: String) -> JWK.Rejection? {
            rejection { () throws(JWK.Rejection) in
                try set.received(text.utf8, caching: nil, at: start + .seconds(40))
            }
        }
        #expect(refusal("<html>") == .malformedSet(.unexpectedByte(0x3c, offset: 0, expected: .value)))
        #expect(refusal(#"{"keys":[]}"#) == .noUsableKey([]))
        #expect(refusal(#"{"keys":[{"kty":"XYZ"}]}"#) == .noUsableKey([.unsupportedType("XYZ")]))
        #expect(
            refusal(String(repeating: " ", count: 70_000))
                == .malformedSet(.tooLarge(size: 70_000, limit: 65_536)))
        #expect(set.decision(for: try Sample.id("k1"), at: start + .seconds(41)) == .verify)
        // The attempt counts for the cooldown.
        #expect(
            set.decision(for: try Sample.id("k2"), at: start + .seconds(41)) == .refuse(until: start + .seconds(70)))
    }

    @Test(
        "What a response says about its life is heeded within bounds", .proves("RFC9111-5.2.2"),
        arguments: [
            (nil, 600), ("max-age=300", 300), ("MAX-AGE=300", 300), ("no-cache", 60), ("no-store, max-age=9999", 60),
            ("max-age=1", 60),
            ("max-age=99999999999999999999999", 86_400), ("max-age=-5", 60), ("max-age=", 60),
            ("max-age=300, max-age=200", 60),
            ("private , max-age=300 ,x", 300), ("s-maxage=5", 600),
        ] as [(String?, Int64)])
    func lifetimes(field: String?, seconds: Int64) throws {
        var set = try fresh()
        try set.received(body(1), caching: field, at: start)
        #expect(set.decision(for: nil, at: start + .seconds(seconds - 1)) == .verify)
        #expect(set.decision(for: nil, at: start + .seconds(seconds)) == .verifyAndFetch)
    }

    @Test("Its keys are prepared by use and say whose they are", .proves("threat-25"))
    func verification() throws {
        var set = try fresh()
        try set.received(body(1), caching: nil, at: start)
        let text = try JWS.signed([1], with: SigningKey(try Sample.pair(1), id: try Sample.id("k1")))
        for _ in 0..<2 { _ = try JWS.Unverified(parsing: text).verified(by: &set.ring, accepting: [.edDSA]) }
        #expect(set.ring.preparations == 1)
    }
}
