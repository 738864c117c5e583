import TestSupport
import Testing

@testable import PureCrypto

private typealias Signing = Curve25519.Signing

@Suite("RFC 8032, 5.1.5 and 5.1.6: keys and signing")
struct Ed25519SigningTests {
    @Test("signs the examples of the standard", .proves("RFC8032-7.1"), arguments: ["rfc8032-7.1.txt", "openssl.txt"])
    func vectors(file: String) throws {
        for line in try VectorLines("Ed25519/\(file)").thinnedInDebug(toEvery: file == "openssl.txt" ? 8 : 1) {
            let (seed, message, publicKey, signature) = (line.bytes(0), line.bytes(1), line.bytes(2), line.bytes(3))
            let key = try Signing.PrivateKey(rawRepresentation: seed)
            #expect(
                key.publicKey.rawRepresentation == publicKey && key.rawRepresentation == seed,
                "\(file), line \(line.number)")
            #expect([UInt8](key.signature(for: message)) == signature, "\(file), line \(line.number)")
            #expect(key.publicKey.isValidSignature(signature, for: message), "\(file), line \(line.number)")
        }
    }

    @Test("takes spans and collections alike, in one piece or not")
    func inputs() throws {
        let seed = [UInt8](0..<32)
        let message = [UInt8](repeating: 7, count: 700)
        let key = try Signing.PrivateKey(rawRepresentation: seed)
        let signature = key.signature(for: message)
        let spanSignature = key.signature(for: message.span)
        let spanKey = try Signing.PrivateKey(rawRepresentation: seed.span)
        #expect(try key == spanKey && key == Signing.PrivateKey(rawRepresentation: 0..<32))
        #expect(signature == spanSignature && signature == key.signature(for: repeatElement(7, count: 700)))

        let publicKey = key.publicKey
        let publicBytes = publicKey.rawRepresentation
        let spanPublicKey = try Signing.PublicKey(rawRepresentation: publicBytes.span)
        #expect(publicKey == spanPublicKey)
        #expect(try publicKey == Signing.PublicKey(rawRepresentation: publicKey.rawRepresentation.lazy.map { $0 }))
        let bytes = [UInt8](signature)
        let spanVerdict = publicKey.isValidSignature(bytes.span, for: message.span)
        #expect(spanVerdict)
        #expect(publicKey.isValidSignature(signature, for: repeatElement(7, count: 700)))
        #expect(publicKey.isValidSignature([UInt8](signature).lazy.map { $0 }, for: message))
        #expect(publicKey.prepared().isValidSignature(signature, for: message))
        let lentVerdict = signature.withSpan { publicKey.isValidSignature($0, for: message.span) }
        #expect(lentVerdict)
    }

    @Test("is a signature of 64 bytes, each where it belongs")
    func signatureBytes() throws {
        let signature = try Signing.PrivateKey(rawRepresentation: 0..<32).signature(for: [])
        let bytes = signature.withSpan { span in span.indices.map { span[$0] } }
        #expect(
            signature.count == 64 && [UInt8](signature) == bytes && signature.indices.map { signature[$0] } == bytes)
        #expect(signature.elementsEqual(bytes) && signature.reversed() == bytes.reversed())
    }

    @Test("refuses seeds of another length, and says how long they are", arguments: [0, 31, 33, 64])
    func seedLength(count: Int) {
        #expect(throws: Signing.Rejection.wrongLength(found: count)) {
            try Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 1, count: count))
        }
    }

    @Test("draws a key from a generator")
    func generated() throws {
        var (generator, twin) = (SeededGenerator(seed: 1), SeededGenerator(seed: 1))
        let key = Signing.PrivateKey(using: &generator)
        let words = FourWords(twin.next(), twin.next(), twin.next(), twin.next())
        #expect(key.rawRepresentation == words.bytes && key != Signing.PrivateKey(using: &generator))
        #expect(try key == Signing.PrivateKey(rawRepresentation: words.bytes))
    }

    @Test("keeps the secret out of descriptions and dumps", .proves("threat-22"))
    func redaction() throws {
        let seed = [UInt8](repeating: 0xa7, count: 32)
        let key = try Signing.PrivateKey(rawRepresentation: seed)
        var dumped = ""
        dump(key, to: &dumped)
        #expect(Mirror(reflecting: key).children.isEmpty)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(text.contains("redacted"))
            for trace in ["a7", "A7", "167", "12080808080808080807"] { #expect(!text.contains(trace), "\(text)") }
        }
    }

    @Test("signs with the public key of its seed: there is no other to supply", .proves("threat-8"))
    func ownPublicKey() throws {
        let key = try Signing.PrivateKey(rawRepresentation: 0..<32)
        let again = try Signing.PrivateKey(rawRepresentation: key.rawRepresentation)
        #expect(key.publicKey == again.publicKey && key.signature(for: [1]) == again.signature(for: [1]))
    }
}
