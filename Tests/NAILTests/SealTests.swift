import Foundation
import PureCrypto
import TestSupport
import Testing
import Wire

@testable import NAIL

@Suite("S3: the seal of stored texts")
struct SealTests {
    private static func key(_ byte: UInt8) -> SymmetricKey { SymmetricKey(data: [UInt8](repeating: byte, count: 32)) }

    private static func seal(_ byte: UInt8 = 7, for purpose: String = "") -> Seal {
        Seal(key(byte), for: purpose) { .random(in: 0 ... .max) }
    }

    private let message = Array("tokens and keys".utf8)

    @Test("What was sealed opens, whatever its length", .proves("DAT-1"))
    func opens() {
        for length in [0, 1, 15, 16, 63, 64, 65, 4_096] {
            let message = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
            #expect(Self.seal().open(Self.seal().seal(message)) == message)
        }
    }

    @Test("A single bit that is changed, left out or added keeps it shut", .proves("threat-49"))
    func changed() {
        let sealed = Self.seal().seal(message)
        for index in sealed.indices {
            var other = sealed
            other[index] ^= 0x10
            #expect(Self.seal().open(other) == nil)
        }
        for count in 0..<sealed.count { #expect(Self.seal().open(Array(sealed.prefix(count))) == nil) }
        #expect(Self.seal().open(sealed + [0]) == nil)
    }

    @Test("Another key, or another purpose, does not open it", .proves("threat-49"))
    func others() {
        let sealed = Self.seal(7, for: "Ada").seal(message)
        #expect(Self.seal(8, for: "Ada").open(sealed) == nil)
        #expect(Self.seal(7, for: "Bob").open(sealed) == nil)
        #expect(Self.seal(7, for: "Ada").open(sealed) == message)
    }

    @Test("It shows nothing of the text, and no two texts are alike", .proves("DAT-1"))
    func hides() {
        let (one, other) = (Self.seal().seal(message), Self.seal().seal(message))
        #expect(one != other && one.count == message.count + 1 + 32 + 16)
        #expect(!one.indices.contains { one[$0...].starts(with: message.prefix(6)) })
    }

    @Test("The form is the one that is written down", .proves("DAT-1"))
    func form() throws {
        // Computed by hashlib, hmac and the cipher of Python's `cryptography`, from the documentation alone.
        let seal = Seal(SymmetricKey(data: Array(0..<32)), for: "test") { 0x0102_0304_0506_0708 }
        #expect(try seal.seal(message) == Hex.decode(Self.expected))
    }

    private static let expected =
        "010102030405060708010203040506070801020304050607080102030405060708"
        + "5e4b62db39609c9743ddaf43ebbebe965ff01204414c4b915a10b268e31a7f"
}
