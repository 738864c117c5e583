import PureCrypto
import TestSupport
import Testing

@Suite("PBKDF2, RFC 8018")
struct PBKDF2Tests {
    private func key<Hash: HashFunction>(
        _: Hash.Type, _ password: [UInt8], _ salt: [UInt8], _ rounds: Int, _ count: Int
    ) -> [UInt8]? {
        PBKDF2<Hash>.deriveKey(
            password: SymmetricKey(data: password), salt: salt, rounds: rounds, outputByteCount: count)?
            .withSpan { span in span.indices.map { span[$0] } }
    }

    private let password = Array("password".utf8)
    private let salt = Array("salt".utf8)

    @Test("The example of RFC 7914 §11 that takes one round")
    func example() {
        #expect(
            key(SHA256.self, Array("passwd".utf8), salt, 1, 64)
                == [UInt8](
                    hex: "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
                        + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"))
    }

    // The other values come from the hashlib of Python, which asks OpenSSL.

    @Test("Three rounds, and a last block of a single byte")
    func blocks() {
        #expect(
            key(SHA256.self, password, salt, 3, 65)
                == [UInt8](
                    hex: "ad35240ac683febfaf3cd49d845473fbbbaa2437f5f82d5a415ae00ac76c6bfc"
                        + "cf9a9b8d6d2fe4a1e700c4460b040dbed692c1cb85a747f35588c08930fcfc41ac"))
        #expect(
            key(SHA384.self, password, salt, 3, 97)
                == [UInt8](
                    hex: "1bfb451b6087e5d24eeffb57d7284448da95b581d35a1887d9a6e756af559b1f"
                        + "b4798a4529502f87cdf71f435d66d25e344483fb1f24ab37be82ed35c43762d0"
                        + "1520cd6457ab0240e0b334cfc688f5da7cc7febb0af6bbb4a7d1def8190116be"
                        + "a3"))
        #expect(
            key(SHA512.self, password, salt, 3, 129)
                == [UInt8](
                    hex: "b6b07cb2cebf4ad84468391a543824fccffe0e0769dbe6bddf10a65673c4b648"
                        + "e612d44918f9ce9a19a1294cf5140628084ba994c3b21a4ef4741220b811c633"
                        + "cfc0641fccbcc4164f1bbfcb1f33f595ae9aa4a33ddcce570157775980362c0e"
                        + "e28aa340c842a3ae84710167aea2f9ba34833cbf66a8922e5f165d886868fd3fd4"))
    }

    @Test("A password longer than a block, no salt, and neither of both")
    func extremes() {
        let long = [UInt8](0..<200)
        #expect(key(SHA256.self, long, [], 2, 7) == [UInt8](hex: "f1d5319c7b2ac6"))
        #expect(key(SHA384.self, long, [], 2, 7) == [UInt8](hex: "2f45272daa51ee"))
        #expect(key(SHA512.self, long, [], 2, 7) == [UInt8](hex: "10bf684ae73004"))
        #expect(
            key(SHA256.self, [], [], 1, 32)
                == [UInt8](hex: "f7ce0b653d2d72a4108cf5abe912ffdd777616dbbb27a70e8204f3ae2d0f6fad"))
    }

    @Test("As much as there is, and no more")
    func limits() {
        let all = key(SHA256.self, password, salt, 1, 255 * 32)
        #expect(all.map { Array($0.suffix(16)) } == [UInt8](hex: "d2197a66574d5f37bbe211e70be05084"))
        for count in [.min, -1, 0, 255 * 32 + 1, .max] {
            #expect(key(SHA256.self, password, salt, 1, count) == nil, "\(count) bytes")
        }
        for rounds in [.min, -1, 0, PBKDF2<SHA256>.roundLimit + 1, .max] {
            #expect(key(SHA256.self, password, salt, rounds, 32) == nil, "\(rounds) rounds")
        }
    }
}
