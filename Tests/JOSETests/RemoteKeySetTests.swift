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

    private func body(_ seeds: UInt8..., withdrawing withdrawn: [UInt8]) throws -> [UInt8] {
        let keys = try (seeds + withdrawn).map { seed in
            var attributes = JWK.Attributes(id: try Sample.id("k\(seed)"))
            if withdrawn.contains(seed) {
                attributes.withdrawal = JWK.Withdrawal(since: start + .seconds(Int64(seed)), reason: "compromised")
            }
            return JWK(try Sample.pair(seed).publicKey, attributes: attributes)
        }
        return JWKSet(keys).encoded()
    }

    @Test("A key that is withdrawn serves no longer, not even for a while, and never comes back", .proves("threat-76"))
    func withdrawal() throws {
        var set = try fresh()
        try set.received(body(1, 2), caching: nil, at: start)
        try set.received(body(2, withdrawing: [1]), caching: nil, at: start + .seconds(60))
        #expect(set.ring.keys.map { $0.id?.text } == ["k2"] && set.prepared.map { $0.id?.text } == ["k2"])
        #expect(set.withdrawn == [try Sample.id("k1"): start + .seconds(1)])
        #expect(
            set.decision(for: try Sample.id("k1"), at: start + .seconds(61)) == .refuse(until: start + .seconds(90)))
        // An older copy of the set, from a cache on the way, changes nothing.
        try set.received(body(1, 2), caching: nil, at: start + .seconds(120))
        #expect(set.ring.keys.map { $0.id?.text } == ["k2"] && set.withdrawn.count == 1)
    }

    @Test("A key that vanished before it was withdrawn serves no longer either", .proves("threat-76"))
    func lateWithdrawal() throws {
        var set = try fresh()
        try set.received(body(1), caching: nil, at: start)
        try set.received(body(2), caching: nil, at: start + .seconds(60))
        #expect(set.ring.keys.map { $0.id?.text } == ["k2", "k1"])
        try set.received(body(2, withdrawing: [1]), caching: nil, at: start + .seconds(61))
        #expect(set.ring.keys.map { $0.id?.text } == ["k2"])
    }

    @Test("A set that withdraws all keys is believed in that", .proves("threat-76"))
    func nothingLeft() throws {
        var set = try fresh()
        try set.received(body(1, 2), caching: nil, at: start)
        #expect(throws: JWK.Rejection.noUsableKey([.withdrawn, .withdrawn])) {
            try set.received(body(withdrawing: [1, 2]), caching: nil, at: start + .seconds(60))
        }
        #expect(set.ring.keys.isEmpty && set.prepared.isEmpty && set.withdrawn.count == 2)
    }

    @Test(
        "A withdrawal that cannot be read makes the key unusable, and not a good one", .proves("threat-76"),
        arguments: ["true", "{}", #"{"revoked_at":"1"}"#, #"{"revoked_at":1.5}"#, #"{"revoked_at":1,"reason":2}"#])
    func malformed(_ text: String) throws {
        let key = JWK(try Sample.pair(1).publicKey, attributes: JWK.Attributes(id: try Sample.id("k1"))).encoded()
        let marked = String(decoding: key.dropLast(), as: UTF8.self) + #","revoked":\#(text)}"#
        #expect(throws: JWK.Rejection.self) { try JWK(parsing: marked) }
        let set = try JWKSet(parsing: #"{"keys":[\#(marked)]}"#)
        #expect(set.keys.isEmpty && set.refused.count == 1)
    }

    @Test("A withdrawal is read as it was written", .proves("threat-76"))
    func written() throws {
        for reason in [nil, "compromised"] {
            var attributes = JWK.Attributes(id: try Sample.id("k1"))
            attributes.withdrawal = JWK.Withdrawal(since: start, reason: reason)
            let key = JWK(try Sample.pair(1).publicKey, attributes: attributes)
            #expect(try JWK(parsing: key.encoded()) == key)
            #expect(throws: JWK.Rejection.withdrawn) { try VerificationKey(key) }
        }
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

    @Test("Without an overlap a key that vanished is gone with the answer that lacks it", .proves("OIC-11"))
    func noOverlap() throws {
        var policy = RemoteKeySet.Policy()
        policy.overlap = .zero
        var set = RemoteKeySet(of: try Issuer(parsing: "https://issuer.example"), policy: policy)
        try set.received(body(1, 2), caching: nil, at: start)
        try set.received(body(2), caching: nil, at: start + .seconds(60))
        #expect(set.ring.keys.map { $0.id?.text } == ["k2"])
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
