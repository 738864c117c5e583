import TestSupport
import Testing

@testable import PureCrypto

private typealias Signing = Curve25519.Signing

@Suite("RFC 8032, 5.1.7: verification by the strict rule", .proves("RFC8032-5.1.7"), .proves("threat-7"))
struct Ed25519VerificationTests {
    @Test("accepts what the rule accepts and refuses every single fault, with the plain and the prepared key alike")
    func verdicts() throws {
        var prepared: [[UInt8]: Signing.PreparedPublicKey] = [:]
        for line in try VectorLines("Ed25519/verdicts.txt").thinnedInDebug(toEvery: 5) {
            let (encoding, message, signature) = (line.bytes(2), line.bytes(3), line.bytes(4))
            let key = try prepared[encoding] ?? Signing.PublicKey(rawRepresentation: encoding).prepared()
            prepared[encoding] = key
            let expected = line.fields[1] == "accept"
            #expect(
                key.publicKey.isValidSignature(signature, for: message) == expected,
                "\(line.fields[0]), line \(line.number)")
            #expect(
                key.isValidSignature(signature, for: message) == expected,
                "\(line.fields[0]), line \(line.number), prepared")
        }
    }

    /// A real R cannot be changed without changing k.
    ///
    /// With S = 0, k = 1 and A = −R chosen freely, only the comparison with R decides.
    @Test(
        "compares R as it is encoded, where nothing else is wrong",
        arguments: [3, 4, 5, 6, 9, 10, 14, 15, 16, 18] as [UInt64])
    func encodedR(y: UInt64) throws {
        let r = FourWords(y, 0, 0, 0)
        let point = try EdwardsPoint(decoding: r)
        let (zero, one) = (Scalar(reducing: FourWords.zero, .zero), Scalar(reducing: FourWords(1, 0, 0, 0), .zero))
        let key = OddMultiples(of: -point, rowLength: 8)
        func holds(_ r: FourWords) -> Bool {
            let equation = VerificationEquation(s: zero, r: r, k: one)
            let verdict = equation.holds(for: -point)
            #expect(verdict == equation.holds(for: key))
            return verdict
        }
        let nonCanonical = FourWords(y &- 19, .max, .max, .max >> 1)
        #expect(holds(r) && !holds(nonCanonical), "y = \(y)")
        #expect(!holds(FourWords(y, 0, 0, 1 << 63)) && !holds(FourWords(y ^ 1, 0, 0, 0)), "y = \(y)")
    }

    @Test("imports canonical points of large order only, and names the fault of the others", .proves("RFC8032-5.1.3"))
    func publicKeys() throws {
        let rejections: [String: Signing.Rejection] = [
            "nonCanonicalY": .nonCanonicalY, "notOnCurve": .notOnCurve, "negativeZero": .negativeZero,
            "smallOrder": .smallOrder,
        ]
        for line in try VectorLines("Ed25519/public-keys.txt") {
            let bytes = line.bytes(2)
            if line.fields[1] == "accept" {
                #expect(try Signing.PublicKey(rawRepresentation: bytes).rawRepresentation == bytes, "\(line.fields[0])")
            } else {
                let rejection = try #require(rejections[line.fields[1]])
                #expect(throws: rejection, "\(line.fields[0])") { try Signing.PublicKey(rawRepresentation: bytes) }
            }
        }
    }

    @Test("refuses public keys of another length", arguments: [0, 31, 33, 64])
    func publicKeyLength(count: Int) {
        #expect(throws: Signing.Rejection.wrongLength(found: count)) {
            try Signing.PublicKey(rawRepresentation: [UInt8](repeating: 1, count: count))
        }
    }

    @Test("refuses every proper prefix and every extension of a signature", .proves("threat-5"))
    func signatureLength() throws {
        let key = try Signing.PrivateKey(rawRepresentation: 0..<32)
        let signature = [UInt8](key.signature(for: [1, 2, 3]))
        let prepared = key.publicKey.prepared()
        for count in 0..<64 {
            #expect(!key.publicKey.isValidSignature(signature.prefix(count), for: [1, 2, 3]), "\(count) bytes")
            #expect(!prepared.isValidSignature(signature.prefix(count), for: [1, 2, 3]), "\(count) bytes")
        }
        for extra in [[0], [1], [UInt8](repeating: 0, count: 64)] as [[UInt8]] {
            #expect(!key.publicKey.isValidSignature(signature + extra, for: [1, 2, 3]))
            #expect(!prepared.isValidSignature(signature + extra, for: [1, 2, 3]))
        }
    }

    @Test("never traps on random and mutated bytes, and both kinds of key agree")
    func mutations() throws {
        let seed: UInt64 = 13
        var generator = SeededGenerator(seed: seed)
        let privateKey = Signing.PrivateKey(using: &generator)
        let prepared = privateKey.publicKey.prepared()
        let valid = [UInt8](privateKey.signature(for: [5]))
        for round in 0..<60 {
            var signature = round % 3 == 0 ? generator.bytes(64) : valid
            if round % 3 == 1 { signature[Int(generator.next() % 64)] ^= UInt8(1 << (generator.next() % 8)) }
            let verdict = privateKey.publicKey.isValidSignature(signature, for: [5])
            #expect(
                verdict == (round % 3 == 2) && verdict == prepared.isValidSignature(signature, for: [5]),
                "seed \(seed), round \(round)")
            _ = try? Signing.PublicKey(rawRepresentation: generator.bytes(32))
        }
    }

    @Test("compares and hashes keys by their one encoding")
    func equality() throws {
        let (one, other) = (
            try Signing.PrivateKey(rawRepresentation: 0..<32), try Signing.PrivateKey(rawRepresentation: 1..<33)
        )
        let twin = try Signing.PublicKey(rawRepresentation: one.publicKey.rawRepresentation)
        #expect(one.publicKey == twin && one.publicKey != other.publicKey && one != other)
        #expect(Set([one.publicKey, twin, other.publicKey]).count == 2)
        #expect(Set([one.publicKey.prepared(), twin.prepared(), other.publicKey.prepared()]).count == 2)
        #expect(twin.prepared().rawRepresentation == twin.rawRepresentation)
    }

    @Test("states the clause of every rejection")
    func clauses() {
        #expect(Signing.Rejection.wrongLength(found: 31).clause == "RFC8032-5.1.5")
        #expect(
            Signing.Rejection.wrongLength(found: 31).description
                == "an Ed25519 key has 32 bytes, not 31 (RFC8032-5.1.5)")
        for rejection in [.nonCanonicalY, .notOnCurve, .negativeZero] as [Signing.Rejection] {
            #expect(rejection.clause == "RFC8032-5.1.3")
        }
        #expect(Signing.Rejection.smallOrder.clause == "threat-7")
    }
}
