import TestSupport
import Testing

@testable import PureCrypto

private typealias Signing = RSA.Signing

@Suite("RFC 8017, 8.1.2 and 8.2.2: RSA verification", .proves("KEY-3"), .proves("KEY-4"))
struct RSAVerificationTests {
    private let hashes: [String: Signing.Hash] = ["sha256": .sha256, "sha384": .sha384, "sha512": .sha512]

    @Test("accepts signatures of every length, and refuses every single fault", arguments: ["pkcs1", "pss"])
    func verdicts(scheme: String) throws {
        let keys = try RSAFixture.keys()
        let padding: Signing.Padding = scheme == "pss" ? .pss : .pkcs1v15
        for line in try VectorLines("RSA/signatures.txt").lines where line.fields[3] == scheme {
            let (key, hash) = (try #require(keys[line.fields[2]]), try #require(hashes[line.fields[4]]))
            let verdict = key.isValidSignature(line.bytes(6), for: line.bytes(5), padding: padding, hash: hash)
            #expect(verdict == (line.verdict == "accept"), "\(line.name)")
        }
    }

    @Test("takes spans and collections alike, in one piece or not")
    func inputs() throws {
        let line = try #require(try VectorLines("RSA/signatures.txt").lines.first { $0.name == "2048-pss-sha384" })
        let key = try #require(try RSAFixture.keys()["2048"])
        let (message, signature) = (line.bytes(5), line.bytes(6))
        let verdict = key.isValidSignature(signature.span, for: message.span, padding: .pss, hash: .sha384)
        #expect(verdict)
        #expect(
            key.isValidSignature(
                signature.lazy.map { $0 }, for: message.lazy.map { $0 }, padding: .pss, hash: .sha384))
    }

    @Test("refuses a signature with any bit changed, and never traps on random ones")
    func mutations() throws {
        let seed: UInt64 = 17
        var generator = SeededGenerator(seed: seed)
        let key = try #require(try RSAFixture.keys()["2048-three"])
        let lines = try VectorLines("RSA/signatures.txt").lines
        let cases: [(String, Signing.Padding)] = [("2048-three-pkcs1", .pkcs1v15), ("2048-three-pss", .pss)]
        for (name, padding) in cases {
            let line = try #require(lines.first { $0.name.hasPrefix(name) })
            let (hash, valid) = (try #require(hashes[line.fields[4]]), line.bytes(6))
            for round in 0..<12 {
                var signature = round % 3 == 0 ? generator.bytes(256) : valid
                if round % 3 == 1 { signature[Int(generator.next() % 256)] ^= 1 << UInt8(generator.next() % 8) }
                let verdict = key.isValidSignature(signature, for: line.bytes(5), padding: padding, hash: hash)
                #expect(verdict == (round % 3 == 2), "\(name), seed \(seed), round \(round)")
            }
        }
    }
}
