import TestSupport
import Testing

@testable import PureCrypto

@Suite("ChaCha20-Poly1305, RFC 8439")
struct ChaChaPolyTests {
    private let key = SymmetricKey(data: [UInt8](0x80...0x9f))
    private let nonce = [UInt8](hex: "070000004041424344454647")
    private let text = [UInt8](hex: "50515253c0c1c2c3c4c5c6c7")
    private let message = Array(
        ("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
            + "sunscreen would be it.").utf8)
    private let sealed = [UInt8](
        hex: "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"
            + "3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36"
            + "92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
            + "3ff4def08e4b7a9de576d26586cec64b6116" + "1ae10b594f09e26a7e902ecbd0600691")

    @Test("The example of §2.8.2")
    func example() throws {
        #expect(try ChaChaPoly.seal(message, using: key, nonce: nonce, authenticating: text) == sealed)
        #expect(try ChaChaPoly.open(sealed, using: key, nonce: nonce, authenticating: text) == message)
    }

    @Test("The key stream of §2.3.2, and of §A.1 with nothing but zeros")
    func keyStream() {
        func stream(_ key: [UInt8], _ nonce: [UInt8], _ block: UInt32) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: 64)
            ChaCha20(key: key.span, nonce: nonce.span).keyStream(of: block, to: &bytes)
            return bytes
        }
        #expect(
            stream([UInt8](0x00...0x1f), [UInt8](hex: "000000090000004a00000000"), 1)
                == [UInt8](
                    hex: "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
                        + "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"))
        #expect(
            stream([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 12), 0)
                == [UInt8](
                    hex: "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
                        + "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"))
    }

    @Test("Whatever is changed does not open")
    func changed() {
        for index in sealed.indices {
            var other = sealed
            other[index] ^= 1
            #expect(throws: ChaChaPoly.Rejection.notAuthentic) {
                try ChaChaPoly.open(other, using: key, nonce: nonce, authenticating: text)
            }
        }
        for (nonce, text) in [(nonce.reversed(), text), (nonce, text.reversed()), (nonce, text + [0]), (nonce, [])] {
            #expect(throws: ChaChaPoly.Rejection.notAuthentic) {
                try ChaChaPoly.open(sealed, using: key, nonce: nonce, authenticating: text)
            }
        }
        for length in 0..<16 {
            #expect(throws: ChaChaPoly.Rejection.notAuthentic) {
                try ChaChaPoly.open(sealed.prefix(length), using: key, nonce: nonce, authenticating: text)
            }
        }
    }

    @Test("What was sealed opens, at every length around blocks")
    func lengths() throws {
        for length in [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1_000] {
            let message = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            for text in [[], [1], Array(message.prefix(20))] {
                let sealed = try ChaChaPoly.seal(message, using: key, nonce: nonce, authenticating: text)
                #expect(sealed.count == length + 16)
                #expect(try ChaChaPoly.open(sealed, using: key, nonce: nonce, authenticating: text) == message)
            }
        }
    }

    @Test("Keys and nonces have their lengths")
    func lengthsOfKeys() {
        for count in [0, 16, 31, 33] {
            let key = SymmetricKey(data: [UInt8](repeating: 1, count: count))
            #expect(throws: ChaChaPoly.Rejection.wrongKeyLength(found: count)) {
                try ChaChaPoly.seal(message, using: key, nonce: nonce)
            }
        }
        for count in [0, 8, 11, 13, 24] {
            #expect(throws: ChaChaPoly.Rejection.wrongNonceLength(found: count)) {
                try ChaChaPoly.open(sealed, using: key, nonce: [UInt8](repeating: 1, count: count))
            }
        }
    }
}
