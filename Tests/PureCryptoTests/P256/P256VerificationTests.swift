import TestSupport
import Testing

@testable import PureCrypto

private typealias Signing = P256.Signing

@Suite("FIPS 186-5, 6.4.2: verification with P-256", .proves("FIPS186-5-6.4.2"), .proves("KEY-1"))
struct P256VerificationTests {
    @Test("accepts what is valid and refuses every single fault, with the plain and the prepared key alike")
    func verdicts() throws {
        var prepared: [[UInt8]: Signing.PreparedPublicKey] = [:]
        for line in try VectorLines("P256/verdicts.txt") {
            #if DEBUG
            if line.fields[0].hasPrefix("key-") || line.fields[0] == "chosen", line.number % 5 != 0 { continue }
            #endif
            let (encoding, digest, signature) = (line.bytes(2), line.bytes(3), line.bytes(4))
            let publicKey = try Signing.PublicKey(x963Representation: encoding)
            let expected = line.fields[1] == "accept"
            let verdict = publicKey.isValidSignature(signature.span, forDigest: digest.span)
            #expect(verdict == expected, "\(line.fields[0]), line \(line.number)")
            #if DEBUG
            // A table takes longer than all else here.
            if prepared[encoding] == nil, line.number % 25 != 2 { continue }
            #endif
            let key = prepared[encoding] ?? publicKey.prepared()
            prepared[encoding] = key
            let preparedVerdict = key.isValidSignature(signature.span, forDigest: digest.span)
            #expect(preparedVerdict == expected, "\(line.fields[0]), line \(line.number), prepared")
        }
    }

    @Test("imports points of the curve only, and names the fault of the others", .proves("RFC8446-4.2.8.2"))
    func publicKeys() throws {
        let rejections: [String: Signing.Rejection] = [
            "notOnCurve": .notOnCurve, "coordinateNotReduced": .coordinateNotReduced, "infinity": .infinity,
        ]
        for line in try VectorLines("P256/public-keys.txt") {
            let bytes = line.bytes(2)
            let isCompressed = line.fields[0].hasPrefix("compressed")
            func key() throws(Signing.Rejection) -> Signing.PublicKey {
                if isCompressed { return try Signing.PublicKey(compressedRepresentation: bytes) }
                return try Signing.PublicKey(x963Representation: bytes)
            }
            if line.fields[1] == "accept" {
                let key = try key()
                #expect(
                    (isCompressed ? key.compressedRepresentation : key.x963Representation) == bytes,
                    "\(line.fields[0])")
                let uncompressed = key.x963Representation
                #expect(try Signing.PublicKey(x963Representation: uncompressed) == key)
                #expect(try Signing.PublicKey(compressedRepresentation: key.compressedRepresentation) == key)
                #expect(try Signing.PublicKey(x: uncompressed[1..<33], y: uncompressed[33...]) == key)
            } else {
                let expected = rejections[line.fields[1]] ?? .unknownPointForm(bytes[0])
                #expect(rejection(of: key) == expected, "\(line.fields[0])")
                guard bytes.count == 65, bytes[0] == 4 else { continue }
                let found = rejection { () throws(Signing.Rejection) in
                    try Signing.PublicKey(x: bytes[1..<33], y: bytes[33...])
                }
                #expect(found == expected, "\(line.fields[0])")
            }
        }
    }

    @Test("refuses points and coordinates of another length", .proves("RFC5480-2.2"))
    func publicKeyLengths() throws {
        let bytes = P256.Signing.PublicKey(point: .base).x963Representation
        for count in [0, 1, 32, 33, 64, 66] {
            let some = [UInt8]((bytes + [0]).prefix(count))
            #expect(throws: Signing.Rejection.wrongLength(found: count)) {
                try Signing.PublicKey(x963Representation: some)
            }
        }
        for count in [1, 32, 34, 65] {
            let some = [UInt8](repeating: 2, count: count)
            #expect(throws: Signing.Rejection.wrongLength(found: count)) {
                try Signing.PublicKey(compressedRepresentation: some)
            }
        }
        for count in [0, 31, 33] {
            let (good, bad) = (bytes[1..<33], [UInt8](repeating: 1, count: count))
            #expect(throws: Signing.Rejection.wrongLength(found: count)) { try Signing.PublicKey(x: bad, y: good) }
            #expect(throws: Signing.Rejection.wrongLength(found: count)) { try Signing.PublicKey(x: good, y: bad) }
        }
    }

    @Test("refuses every proper prefix and every extension of a signature", .proves("threat-5"))
    func signatureLength() throws {
        let key = try Signing.PrivateKey(rawRepresentation: 1...32)
        let signature = [UInt8](key.signature(for: [1, 2, 3]))
        let prepared = key.publicKey.prepared()
        for count in 0..<64 {
            #expect(!key.publicKey.isValidSignature(signature.prefix(count), for: [1, 2, 3]), "\(count) bytes")
            #expect(!prepared.isValidSignature(signature.prefix(count), for: [1, 2, 3]), "\(count) bytes")
        }
        for extra in [[0], [1], [UInt8](repeating: 0, count: 64)] as [[UInt8]] {
            for longer in [signature + extra, extra + signature] {
                #expect(!key.publicKey.isValidSignature(longer, for: [1, 2, 3]))
                #expect(!prepared.isValidSignature(longer, for: [1, 2, 3]))
            }
        }
    }

    @Test("never traps on random and mutated bytes, and both kinds of key agree")
    func mutations() throws {
        let seed: UInt64 = 13
        var generator = SeededGenerator(seed: seed)
        let privateKey = Signing.PrivateKey(using: &generator)
        let prepared = privateKey.publicKey.prepared()
        let valid = [UInt8](privateKey.signature(for: [5]))
        for round in 0..<18 {
            var signature = round % 3 == 0 ? generator.bytes(64) : valid
            if round % 3 == 1 { signature[Int(generator.next() % 64)] ^= UInt8(1 << (generator.next() % 8)) }
            let verdict = privateKey.publicKey.isValidSignature(signature, for: [5])
            #expect(
                verdict == (round % 3 == 2) && verdict == prepared.isValidSignature(signature, for: [5]),
                "seed \(seed), round \(round)")
            _ = try? Signing.PublicKey(x963Representation: [4] + generator.bytes(64))
            _ = try? Signing.PublicKey(compressedRepresentation: [2] + generator.bytes(32))
        }
    }

    @Test("compares and hashes keys by their point")
    func equality() throws {
        let one = try Signing.PrivateKey(rawRepresentation: 1...32).publicKey
        let other = try Signing.PrivateKey(rawRepresentation: 2...33).publicKey
        let twin = try Signing.PublicKey(compressedRepresentation: one.compressedRepresentation)
        let uncompressed = one.x963Representation
        let opposite = try Signing.PublicKey(
            compressedRepresentation: [1 ^ one.compressedRepresentation[0]] + uncompressed[1..<33])
        #expect(one == twin && one != other && one != opposite)
        #expect(Set([one, twin, other, opposite]).count == 3)
        #expect(Set([one.prepared(), twin.prepared(), other.prepared()]).count == 2)
        #expect(twin.prepared().x963Representation == twin.x963Representation)
    }

    @Test("states the clause of every rejection")
    func clauses() {
        #expect(
            Signing.Rejection.wrongLength(found: 31).description
                == "no key of this curve and form has 31 bytes (RFC5480-2.2)")
        #expect(
            Signing.Rejection.unknownPointForm(6).description
                == "a point of this form does not begin with 6 (RFC5480-2.2)")
        for rejection in [.coordinateNotReduced, .notOnCurve, .infinity] as [Signing.Rejection] {
            #expect(rejection.clause == "RFC8446-4.2.8.2")
        }
        #expect(Signing.Rejection.scalarOutOfRange.clause == "RFC6979-2.2")
    }
}
