import TestSupport
import Testing

@testable import PureCrypto

/// What the public keys of both curves have in common.
private protocol PublicKey: Hashable {
    init(x963Representation: some Collection<UInt8>) throws(ECDSARejection)
    init(compressedRepresentation: some Collection<UInt8>) throws(ECDSARejection)
    init(x963Representation: Span<UInt8>) throws(ECDSARejection)
    init(compressedRepresentation: Span<UInt8>) throws(ECDSARejection)
    init(x: some Collection<UInt8>, y: some Collection<UInt8>) throws(ECDSARejection)
    var x963Representation: [UInt8] { get }
    var compressedRepresentation: [UInt8] { get }
    func isValidSignature(_ signature: Span<UInt8>, forDigest digest: Span<UInt8>) -> Bool
    func isValidSignature(_ signature: Span<UInt8>, for data: Span<UInt8>) -> Bool
    func isValidSignature(_ signature: some Collection<UInt8>, for data: some Collection<UInt8>) -> Bool
}

/// What the private keys of both curves have in common.
private protocol PrivateKey: Equatable, CustomStringConvertible {
    associatedtype Public: PublicKey
    init(rawRepresentation: some Collection<UInt8>) throws(ECDSARejection)
    init(rawRepresentation: Span<UInt8>) throws(ECDSARejection)
    init(using generator: inout some RandomNumberGenerator)
    var rawRepresentation: [UInt8] { get }
    var publicKey: Public { get }
    func signature(for data: Span<UInt8>) -> [UInt8]
    func signature(for data: some Collection<UInt8>) -> [UInt8]
    func signature(for data: Span<UInt8>, using generator: inout some RandomNumberGenerator) -> [UInt8]
    func signature(for data: some Collection<UInt8>, using generator: inout some RandomNumberGenerator) -> [UInt8]
}

extension P384.Signing.PublicKey: PublicKey {}
extension P521.Signing.PublicKey: PublicKey {}
extension P384.Signing.PrivateKey: PrivateKey {}
extension P521.Signing.PrivateKey: PrivateKey {}

private func rejection(_ verdict: String) throws -> ECDSARejection {
    let parts = verdict.split(separator: ":")
    return switch parts[0] {
    case "wrongLength": .wrongLength(found: try #require(Int(parts[1])))
    case "unknownPointForm": .unknownPointForm(try #require(UInt8(parts[1])))
    case "coordinateNotReduced": .coordinateNotReduced
    case "infinity": .infinity
    default: try #require(verdict == "notOnCurve" ? .notOnCurve : nil)
    }
}

// MARK: - Keys

@Suite("SEC 1, 2.3.4 and 3.2.2.1: keys of P-384 and P-521", .proves("KEY-2"), .proves("KEY-12"))
struct PrimeCurveKeyTests {
    @Test("takes points of the curve only, and names the fault of the others")
    func points() throws {
        try check(P384.Signing.PublicKey.self, "p384", coordinateByteCount: 48)
        try check(P521.Signing.PublicKey.self, "p521", coordinateByteCount: 66)
    }

    private func check<Key: PublicKey>(_: Key.Type, _ curve: String, coordinateByteCount count: Int) throws {
        for line in try VectorLines("PrimeCurves/\(curve)-keys.txt").lines {
            let bytes = line.bytes(2)
            if line.verdict == "accept" {
                let key = try Key(x963Representation: bytes)
                #expect(key.x963Representation == bytes, "\(curve), \(line.name)")
                let spanKey = try Key(x963Representation: bytes.span)
                #expect(try spanKey == Key(x: bytes[1...count], y: bytes.suffix(count)) && spanKey == key)
                #expect(key.hashValue == spanKey.hashValue)
                continue
            }
            let rejection = try rejection(line.verdict)
            #expect(throws: rejection, "\(curve), \(line.name)") { try Key(x963Representation: bytes) }
            if bytes.count == 2 * count + 1, bytes[0] == 4 {
                #expect(throws: rejection) { try Key(x: bytes[1...count], y: bytes.suffix(count)) }
            }
        }
        for counts in [(count - 1, count), (count, count + 1), (count + 1, count), (count, 0)] {
            let wrong = counts.0 == count ? counts.1 : counts.0
            #expect(throws: ECDSARejection.wrongLength(found: wrong)) {
                try Key(x: [UInt8](repeating: 1, count: counts.0), y: [UInt8](repeating: 1, count: counts.1))
            }
        }
    }

    @Test("finds the y that a compressed point means")
    func compressed() throws {
        try checkCompressed(P384.Signing.PublicKey.self, "p384")
        try checkCompressed(P521.Signing.PublicKey.self, "p521")
    }

    private func checkCompressed<Key: PublicKey>(_: Key.Type, _ curve: String) throws {
        for line in try VectorLines("PrimeCurves/\(curve)-compressed-keys.txt").lines {
            let bytes = line.bytes(2)
            if line.verdict == "accept" {
                let key = try Key(compressedRepresentation: bytes)
                #expect(key.x963Representation == line.bytes(3), "\(curve), \(line.name)")
                #expect(key.compressedRepresentation == bytes, "\(curve), \(line.name)")
            } else {
                let rejection = try rejection(line.verdict)
                #expect(throws: rejection, "\(curve), \(line.name)") { try Key(compressedRepresentation: bytes.span) }
            }
        }
    }

    @Test("takes private keys from 1 to n − 1 only")
    func privateKeys() throws {
        try checkPrivate(P384.Signing.PrivateKey.self, P384.Order.self, byteCount: 48)
        try checkPrivate(P521.Signing.PrivateKey.self, P521.Order.self, byteCount: 66)
    }

    private func checkPrivate<Key: PrivateKey, Order: PrimeModulus>(
        _: Key.Type, _: Order.Type, byteCount: Int
    ) throws {
        let order = Order.modulus.bigEndianBytes(byteCount)
        let zero = [UInt8](repeating: 0, count: byteCount)
        let ones = [UInt8](repeating: 0xff, count: byteCount)
        for bytes in [zero, order, order.dropLast() + [order[byteCount - 1] + 1], ones] {
            #expect(throws: ECDSARejection.scalarOutOfRange) { try Key(rawRepresentation: bytes) }
        }
        for count in [0, byteCount - 1, byteCount + 1] {
            #expect(throws: ECDSARejection.wrongLength(found: count)) {
                try Key(rawRepresentation: [UInt8](repeating: 1, count: count))
            }
        }
    }
}

// MARK: - Signing

/// A generator that draws nothing but zeros.
private struct Broken: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0 }
}

@Suite("RFC 6979: signing with P-384 and P-521", .proves("KEY-6"))
struct PrimeCurveSigningTests {
    @Test("signs the examples of the standard and what OpenSSL signs", .proves("RFC6979-A.2"))
    func vectors() throws {
        try check(P384.Signing.PrivateKey.self, "p384")
        try check(P521.Signing.PrivateKey.self, "p521")
    }

    private func check<Key: PrivateKey>(_: Key.Type, _ curve: String) throws {
        let lines = try VectorLines("PrimeCurves/\(curve)-signing.txt").thinnedInDebug(toEvery: 6)
        for (index, line) in lines.enumerated() {
            let (secret, message) = (line.bytes(0), line.bytes(1))
            let key = try Key(rawRepresentation: secret)
            #expect(key.publicKey.x963Representation == line.bytes(2), "\(curve), row \(index)")
            #expect(key.rawRepresentation == secret, "\(curve), row \(index)")
            let signature = key.signature(for: message.span)
            #expect(signature == line.bytes(3), "\(curve), row \(index)")
        }
    }

    @Test("draws a number of twice the length modulo n")
    func drawn() {
        var (generator, broken) = (SeededGenerator(seed: 7), Broken())
        // Computed by other arithmetic from the words of SplitMix64, the lower half first.
        let p384 = P384.Signing.PrivateKey(using: &generator).rawRepresentation
        #expect(
            p384
                == [UInt8](
                    hex: "eeaad682ad43827077b6307ada0cb14cecdd30ca6fbeed53acc5db9faf0148a4b651c917fdf60770"
                        + "5e113f5de6f2364d"))
        let p521 = P521.Signing.PrivateKey(using: &generator).rawRepresentation
        #expect(
            p521
                == [UInt8](
                    hex: "01f661dfc742489560b9533fbc4fe50fce78c8732360ba446c4760df323346847c031aaeefd6b347"
                        + "fe920bbf4de6c29c80df46f286f813cff9b23fc393daf668bea5"))
        #expect(P384.Signing.PrivateKey(using: &broken).rawRepresentation == [UInt8](repeating: 0, count: 47) + [1])
    }

    @Test("mixes randomness in, and signs as validly with a generator that has none")
    func hedged() throws {
        try checkHedged(P384.Signing.PrivateKey.self)
        try checkHedged(P521.Signing.PrivateKey.self)
    }

    private func checkHedged<Key: PrivateKey>(_: Key.Type) throws {
        var (generator, twin, broken) = (SeededGenerator(seed: 5), SeededGenerator(seed: 5), Broken())
        let key = Key(using: &generator)
        #expect(key == Key(using: &twin))
        let message: [UInt8] = [1, 2, 3]
        let one = key.signature(for: message, using: &generator)
        let other = key.signature(for: message.span, using: &twin)
        let third = key.signature(for: message, using: &broken)
        #expect(one == other && one != third && third != key.signature(for: message))
        #expect(key.publicKey.isValidSignature(third, for: message))
    }

    @Test("keeps the secret out of descriptions and dumps, and compares by it", .proves("threat-22"))
    func redaction() throws {
        try checkRedaction(P384.Signing.PrivateKey.self, byteCount: 48)
        try checkRedaction(P521.Signing.PrivateKey.self, byteCount: 66)
    }

    private func checkRedaction<Key: PrivateKey>(_: Key.Type, byteCount: Int) throws {
        let secret = [UInt8](repeating: 0, count: byteCount - 3) + [0xa7, 0xa7, 0xa7]
        let key = try Key(rawRepresentation: secret.span)
        var dumped = ""
        dump(key, to: &dumped)
        #expect(Mirror(reflecting: key).children.isEmpty)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(text.contains("redacted"))
            for trace in ["a7", "A7", "167", "10987431"] { #expect(!text.contains(trace), "\(text)") }
        }
        #expect(try key == Key(rawRepresentation: secret.lazy.map { $0 }))
        #expect(try key != Key(rawRepresentation: secret.dropLast() + [0xa8]))
    }
}

// MARK: - Verification

@Suite("FIPS 186-5, 6.4.2: verification with P-384 and P-521", .proves("KEY-2"), .proves("RFC7518-3.4"))
struct PrimeCurveVerificationTests {
    @Test("accepts what the rule accepts and refuses every single fault", arguments: ["p384", "p521"])
    func verdicts(curve: String) throws {
        try curve == "p384" ? check(P384.Signing.PublicKey.self, curve) : check(P521.Signing.PublicKey.self, curve)
    }

    private func check<Key: PublicKey>(_: Key.Type, _ curve: String) throws {
        // What the curves share is tested by both; a debug build thins them, since it is some hundred times slower.
        let step = curve == "p384" ? 2 : 5
        for line in try VectorLines("PrimeCurves/\(curve)-verdicts.txt").thinnedInDebug(toEvery: step) {
            let key = try Key(x963Representation: line.bytes(2))
            let (digest, signature) = (line.bytes(3), line.bytes(4))
            let verdict = key.isValidSignature(signature.span, forDigest: digest.span)
            #expect(verdict == (line.verdict == "accept"), "\(curve), \(line.name)")
        }
    }

    @Test("hashes messages with the hash of the curve, and takes spans and collections alike")
    func messages() throws {
        try checkMessages(P384.Signing.PublicKey.self, "p384")
        try checkMessages(P521.Signing.PublicKey.self, "p521")
    }

    private func checkMessages<Key: PublicKey>(_: Key.Type, _ curve: String) throws {
        let line = try #require(try VectorLines("PrimeCurves/\(curve)-signing.txt").lines.first)
        let key = try Key(x963Representation: line.bytes(2))
        let (message, signature) = (line.bytes(1), line.bytes(3))
        let verdict = key.isValidSignature(signature.span, for: message.span)
        #expect(verdict && key.isValidSignature(signature.lazy.map { $0 }, for: message.lazy.map { $0 }))
    }
}
