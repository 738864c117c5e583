import TestSupport
import Testing

@testable import PureCrypto

private typealias Signing = RSA.Signing

@Suite("RFC 8017, 3.1: RSA public keys", .proves("KEY-3"), .proves("KEY-12"))
struct RSAKeyTests {
    @Test("takes keys within the bounds, gives their numbers back, and names the fault of the others")
    func keys() throws {
        let rejections: [String: Signing.Rejection] = [
            "leadingZero": .leadingZero, "evenModulus": .evenModulus, "evenExponent": .evenExponent,
            "exponentTooSmall": .exponentTooSmall, "exponentTooLarge": .exponentTooLarge,
        ]
        for line in try VectorLines("RSA/keys.txt").lines {
            let (modulus, exponent) = (line.bytes(2), line.bytes(3))
            if line.verdict == "accept" {
                let key = try Signing.PublicKey(modulus: modulus, exponent: exponent)
                #expect(key.modulus == modulus && key.exponent == exponent, "\(line.name)")
                continue
            }
            let parts = line.verdict.split(separator: ":")
            let rejection: Signing.Rejection
            switch parts[0] {
            case "modulusTooShort": rejection = .modulusTooShort(bits: try #require(Int(parts[1])))
            case "modulusTooLong": rejection = .modulusTooLong(bits: try #require(Int(parts[1])))
            default: rejection = try #require(rejections[line.verdict])
            }
            #expect(throws: rejection, "\(line.name)") {
                try Signing.PublicKey(modulus: modulus, exponent: exponent)
            }
        }
    }

    @Test("compares and hashes keys by both numbers")
    func equality() throws {
        let keys = try RSAFixture.keys()
        let (key, other) = (try #require(keys["2048"]), try #require(keys["2048-three"]))
        let twin = try Signing.PublicKey(modulus: key.modulus.lazy.map { $0 }, exponent: key.exponent.lazy.map { $0 })
        let third = try Signing.PublicKey(modulus: key.modulus, exponent: [3])
        #expect(key == twin && key != other && key != third)
        #expect(Set([key, twin, other, third]).count == 3)
    }

    @Test("states the clause of every rejection")
    func clauses() {
        #expect(
            Signing.Rejection.modulusTooShort(bits: 1024).description
                == "an RSA modulus has 2048 bits at least, not 1024 (RFC7518-3.3)")
        #expect(Signing.Rejection.modulusTooLong(bits: 9000).clause == "KEY-3")
        #expect(Signing.Rejection.exponentTooLarge.clause == "KEY-3")
        #expect(Signing.Rejection.leadingZero.clause == "RFC7518-6.3.1")
        for rejection in [.evenModulus, .evenExponent, .exponentTooSmall] as [Signing.Rejection] {
            #expect(rejection.clause == "RFC8017-3.1" && rejection.text.contains("RSA"))
        }
    }
}

enum RSAFixture {
    /// The keys that signatures of the fixtures are by.
    static func keys() throws -> [String: RSA.Signing.PublicKey] {
        var keys: [String: RSA.Signing.PublicKey] = [:]
        for line in try VectorLines("RSA/keys.txt").lines where line.verdict == "accept" {
            keys[line.name] = try RSA.Signing.PublicKey(modulus: line.bytes(2), exponent: line.bytes(3))
        }
        return keys
    }
}
