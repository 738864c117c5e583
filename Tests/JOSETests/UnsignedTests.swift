import JOSE
import PureCrypto
import TestSupport
import Testing
import Wire

/// A key whose private half lies elsewhere, and whoever has that half.
private struct Elsewhere {
    let pair: P256.Signing.PrivateKey
    let key: SigningKey

    init(_ number: UInt8, id: KeyID? = "element") throws {
        pair = try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: number, count: 32))
        key = try SigningKey(elsewhere: JWK(pair.publicKey), id: id)
    }

    func signature(for request: SignatureRequest) -> [UInt8] { [UInt8](pair.signature(for: request.message)) }
}

@Suite("What is to be signed", .proves("KEY-20"))
struct UnsignedTests {
    private static let claims = JWT.Claims(["sub": "user-1", "exp": 1_800_000_300])

    @Test("The signature is put in, and the token is the one that a key here signs at once")
    func token() throws {
        let elsewhere = try Elsewhere(1)
        let unsigned = try JWT.unsigned(Self.claims, for: elsewhere.key)
        let request = try #require(unsigned.request)
        #expect(request.algorithm == .es256)
        #expect(request.publicKey == JWK(elsewhere.pair.publicKey))
        // RFC 6979 leaves no choice, so both sign the same.
        let here = try JWT.signed(Self.claims, with: SigningKey(elsewhere.pair, id: "element"))
        #expect(try unsigned.signed(by: elsewhere.signature(for: request)) == here)
        #expect(here.utf8.starts(with: request.message + [UInt8(ascii: ".")]))
    }

    @Test("A key that lies here signs at once, and asks for nothing")
    func here() throws {
        let key = SigningKey(try Elsewhere(1).pair)
        let unsigned = try JWT.unsigned(Self.claims, for: key)
        #expect(unsigned.request == nil)
        #expect(try unsigned.signed() == JWT.signed(Self.claims, with: key))
    }

    @Test("Until the key has signed there is no token, and the rejection says what is awaited")
    func awaited() throws {
        let elsewhere = try Elsewhere(1)
        let unsigned = try JWT.unsigned(Self.claims, for: elsewhere.key)
        let request = try #require(unsigned.request)
        #expect(rejection { () throws(SigningKey.Rejection) in try unsigned.signed() } == .awaited(request))
        let atOnce = rejection { () throws(SigningKey.Rejection) in try JWT.signed(Self.claims, with: elsewhere.key) }
        #expect(atOnce == .awaited(request))
        // A signature over something else does not serve.
        let other = try #require(try JWT.unsigned(JWT.Claims(["sub": "user-2"]), for: elsewhere.key).request)
        var signatures = Signatures()
        try signatures.add(elsewhere.signature(for: other), for: other)
        let known = rejection { () throws(SigningKey.Rejection) in try unsigned.signed(knowing: signatures) }
        #expect(known == .awaited(request))
    }

    @Test("What is no signature by the key over what was asked is refused")
    func wrong() throws {
        let (elsewhere, stranger) = (try Elsewhere(1), try Elsewhere(2))
        let unsigned = try JWT.unsigned(Self.claims, for: elsewhere.key)
        let request = try #require(unsigned.request)
        let right = elsewhere.signature(for: request)
        let wrong: [[UInt8]] = [
            stranger.signature(for: request), [UInt8](elsewhere.pair.signature(for: request.message + [0])),
            try ECDSASignature(rawRepresentation: right, on: .p256).derRepresentation, right.dropLast() + [],
            right + [0],
            [],
        ]
        for signature in wrong {
            #expect(
                rejection { () throws(SigningKey.Rejection) in try unsigned.signed(by: signature) } == .wrongSignature)
        }
    }

    @Test("The name of the public key is told to nobody")
    func name() throws {
        let pair = try Elsewhere(1).pair
        let named = JWK(pair.publicKey, attributes: JWK.Attributes(id: "slot-7"))
        let key = try SigningKey(elsewhere: named)
        let request = try #require(try JWT.unsigned(Self.claims, for: key).request)
        #expect(request.publicKey.id == "slot-7")
        let here = try JWT.signed(Self.claims, with: SigningKey(pair))
        #expect(here.utf8.starts(with: request.message))
    }
}
