import JOSE
import PureCrypto
import Synchronization
import TestSupport
import Testing
import Wire

/// Keys, documents and tokens that another library has made, as data; `Fixtures/jose/generate.py` writes them.
enum Written {
    static var all: JSON {
        get throws { try JSON(parsing: try Repository.fixture("jose/keys.json")) }
    }

    /// The keys of P-256, P-384 and P-521, in this order.
    static var curves: [JSON] {
        get throws { try #require(try all["curves"]?.array) }
    }

    static var rsa: JSON {
        get throws { try #require(try all["rsa"]) }
    }

    static func text(_ value: JSON, _ name: JSON.Name) throws -> String { try #require(value[name]?.string) }

    static func bytes(_ value: JSON, _ name: JSON.Name) throws -> [UInt8] {
        try Base64.decode(try text(value, name))
    }

    /// A key's public members, with some set, or left out where the new value is null.
    static func jwk(_ value: JSON, _ changes: [JSON.Name: JSON] = [:]) throws -> String {
        var members = try #require(value["jwk"]?.object)
        for (name, value) in changes { members[name] = value == .null ? nil : value }
        return JSON.object(members).encodedString()
    }
}

@Suite("RFC 7518 §6.2: keys of P-256, P-384 and P-521 as JSON")
struct CurveKeyTests {
    private func refusal(_ text: String) -> JWK.Rejection? {
        rejection { () throws(JWK.Rejection) in try JWK(parsing: text) }
    }

    private func privateRefusal(_ text: String) -> JWK.Rejection? {
        rejection { () throws(JWK.Rejection) in try JWK.Private(parsing: text) }
    }

    @Test(
        "Keys of another library are read and written, with their thumbprints", .proves("RFC7638-3.2"),
        .proves("KEY-13"))
    func roundTrip() throws {
        for written in try Written.curves {
            let key = try JWK(parsing: Written.jwk(written))
            #expect(try JSON(parsing: key.encoded()) == written["jwk"])
            #expect(try key.thumbprint().text == Written.text(written, "thumbprint"))
            let pair = try JWK.Private(parsing: Written.jwk(written, ["d": try #require(written["d"])]))
            #expect(pair.publicKey == key)
            #expect(try pair.thumbprint() == key.thumbprint())
            #expect(try JSON(parsing: try #require(pair.encoded()))["d"] == written["d"])
            #expect(try JWK.Private(parsing: try #require(pair.encoded())).publicKey == key)
        }
        let rsa = try Written.rsa
        let key = try JWK(parsing: Written.jwk(rsa))
        #expect(try JSON(parsing: key.encoded()) == rsa["jwk"])
        #expect(try key.thumbprint().text == Written.text(rsa, "thumbprint"))
    }

    @Test(
        "Coordinates have their exact length and are a point of the curve", .proves("KEY-12"),
        .proves("RFC7518-6.2.1.2"))
    func coordinates() throws {
        for (written, curve) in zip(try Written.curves, ECDSACurve.allCases) {
            let x = try Base64URL.decode(Written.text(try #require(written["jwk"]), "x"))
            let y = try Base64URL.decode(Written.text(try #require(written["jwk"]), "y"))
            func with(x: [UInt8], y: [UInt8]) throws -> JWK.Rejection? {
                refusal(
                    try Written.jwk(
                        written, ["x": .string(Base64URL.encode(x)), "y": .string(Base64URL.encode(y))]))
            }
            let length = x.count
            #expect(try with(x: x, y: y) == nil)
            #expect(try with(x: [0] + x, y: y) == .wrongCoordinateLength("x", curve, found: length + 1))
            #expect(try with(x: Array(x.dropFirst()), y: y) == .wrongCoordinateLength("x", curve, found: length - 1))
            #expect(try with(x: x, y: y + [0]) == .wrongCoordinateLength("y", curve, found: length + 1))
            #expect(try with(x: x, y: []) == .wrongCoordinateLength("y", curve, found: 0))
            #expect(try with(x: y, y: x) == .invalidCurveKey(.notOnCurve))
            let zero = [UInt8](repeating: 0, count: length)
            #expect(try with(x: zero, y: zero) == .invalidCurveKey(.notOnCurve))
            let ones = [UInt8](repeating: 0xff, count: length)
            #expect(try with(x: ones, y: y) == .invalidCurveKey(.coordinateNotReduced))
            #expect(try refusal(Written.jwk(written, ["y": .null])) == .malformed(.missing(at: "$.y")))
        }
    }

    @Test("A private key is a number on its curve, and its public half belongs to it", .proves("threat-8"))
    func privateKeys() throws {
        for (written, curve) in zip(try Written.curves, ECDSACurve.allCases) {
            let d = try Base64URL.decode(Written.text(written, "d"))
            func with(_ d: [UInt8]) throws -> JWK.Rejection? {
                privateRefusal(try Written.jwk(written, ["d": .string(Base64URL.encode(d))]))
            }
            #expect(try with(d) == nil)
            #expect(try with([0] + d) == .wrongCoordinateLength("d", curve, found: d.count + 1))
            #expect(try with(Array(d.dropLast())) == .wrongCoordinateLength("d", curve, found: d.count - 1))
            #expect(try with(d.map { _ in 0 }) == .invalidCurveKey(.scalarOutOfRange))
            #expect(try with(d.map { _ in 0xff }) == .invalidCurveKey(.scalarOutOfRange))
            #expect(try with(d.dropLast() + [d[d.count - 1] ^ 1]) == .mismatchedPair)
            #expect(privateRefusal(try Written.jwk(written)) == .noSecret)
            #expect(refusal(try Written.jwk(written, ["d": try #require(written["d"])])) == .secretMember("d"))
        }
    }

    @Test("A key names the algorithm of its curve, or none", .proves("RFC7517-4.4"))
    func algorithms() throws {
        for (written, curve) in zip(try Written.curves, ECDSACurve.allCases) {
            let key = try VerificationKey(JWK(parsing: Written.jwk(written)))
            #expect(key.algorithms == [curve.algorithm])
            #expect(
                try VerificationKey(
                    JWK(parsing: Written.jwk(written, ["alg": .string(curve.algorithm.name.text)]))
                ).algorithms
                    == [curve.algorithm])
            for other in ["ES256", "ES384", "ES512", "RS256", "HS256", "EdDSA"] where other != curve.algorithm.name.text
            {
                #expect(
                    refusal(try Written.jwk(written, ["alg": .string(other)]))
                        == .otherAlgorithm(try #require(Algorithm(other)), .ellipticCurve))
            }
            // Keys of these curves agree on secrets, too; such a key is read and checks nothing.
            let agreeing = try JWK(parsing: Written.jwk(written, ["alg": "ECDH-ES"]))
            #expect(
                rejection { () throws(JWK.Rejection) in try VerificationKey(agreeing) }
                    == .otherAlgorithm(try #require(Algorithm("ECDH-ES")), .ellipticCurve))
            let forSecrets = try JWK(parsing: Written.jwk(written, ["use": "enc"]))
            #expect(
                rejection { () throws(JWK.Rejection) in try VerificationKey(forSecrets) }
                    == .otherUse(found: .encryption))
            let mute = try JWK.Private(
                parsing: Written.jwk(written, ["d": try #require(written["d"]), "key_ops": ["verify"]]))
            #expect(
                rejection { () throws(JWK.Rejection) in try SigningKey(mute) } == .operationNotAllowed(.sign))
        }
    }
}

@Suite("RFC 7518 §6.3: RSA keys as JSON")
struct RSAKeyTests {
    private func refusal(_ changes: [JSON.Name: JSON]) throws -> JWK.Rejection? {
        let text = try Written.jwk(Written.rsa, changes)
        return rejection { () throws(JWK.Rejection) in try JWK(parsing: text) }
    }

    private func number(_ bytes: [UInt8]) -> JSON { .string(Base64URL.encode(bytes)) }

    @Test("Numbers are minimal and within bounds", .proves("KEY-12"), .proves("RFC7518-6.3.1.1"), .proves("KEY-3"))
    func numbers() throws {
        let n = try Base64URL.decode(Written.text(try #require(try Written.rsa["jwk"]), "n"))
        #expect(try refusal([:]) == nil)
        #expect(try refusal(["n": number([0] + n)]) == .notMinimal("n"))
        #expect(try refusal(["e": number([0, 1, 0, 1])]) == .notMinimal("e"))
        #expect(try refusal(["n": ""]) == .notMinimal("n"))
        #expect(try refusal(["e": number([0])]) == .notMinimal("e"))
        #expect(try refusal(["e": .null]) == .malformed(.missing(at: "$.e")))
        #expect(try refusal(["n": number(Array(n.dropLast()) + [n[255] & 0xfe])]) == .invalidRSAKey(.evenModulus))
        let short: [UInt8] = [0x80] + Array(n.dropFirst(130))
        #expect(try refusal(["n": number(short)]) == .invalidRSAKey(.modulusTooShort(bits: 1016)))
        #expect(try refusal(["n": number(n + [1])]) == nil)
        let long = Array(repeating: n, count: 4).flatMap { $0 }
        #expect(try refusal(["n": number(long)]) == nil)
        #expect(try refusal(["n": number(long + [1])]) == .invalidRSAKey(.modulusTooLong(bits: 8200)))
        #expect(try refusal(["e": number([1])]) == .invalidRSAKey(.exponentTooSmall))
        #expect(try refusal(["e": number([1, 0, 0])]) == .invalidRSAKey(.evenExponent))
        #expect(try refusal(["e": number([1, 0, 0, 0, 1])]) == .invalidRSAKey(.exponentTooLarge))
        #expect(try refusal(["e": number([3])]) == nil)
    }

    @Test("Private keys are refused in every form", .proves("KEY-5"))
    func privateKeys() throws {
        let rsa = try Written.rsa
        let text = try #require(rsa["privateJWK"]).encoded()
        #expect(rejection { () throws(JWK.Rejection) in try JWK.Private(parsing: text) } == .privateRSAKey)
        #expect(rejection { () throws(JWK.Rejection) in try JWK(parsing: text) } == .secretMember("d"))
        for name: JSON.Name in ["p", "q", "dp", "dq", "qi", "oth", "d"] {
            #expect(try refusal([name: "AQ"]) == .secretMember(name))
            let one = try Written.jwk(rsa, [name: "AQ"])
            #expect(rejection { () throws(JWK.Rejection) in try JWK.Private(parsing: one) } == .privateRSAKey)
        }
        let shown = try Written.jwk(rsa)
        #expect(rejection { () throws(JWK.Rejection) in try JWK.Private(parsing: shown) } == .noSecret)
        let set = try JWKSet(
            parsing: #"{"keys":[\#(String(decoding: text, as: UTF8.self))]}"#, allowingSecrets: true)
        #expect(set.refused.map { $0.reason } == [.privateRSAKey])
        for form: JSON.Name in ["pkcs8", "pkcs1"] {
            let document = try Written.bytes(try #require(rsa["privateDER"]), form)
            let pem = try Written.text(try #require(rsa["privatePEM"]), form)
            #expect(
                rejection { () throws(JWK.Rejection) in try PrivateKeyDocument(derRepresentation: document) }
                    == .privateRSAKey)
            #expect(
                rejection { () throws(JWK.Rejection) in try PrivateKeyDocument(pemRepresentation: pem) }
                    == .privateRSAKey)
        }
    }

    @Test("A key serves the algorithm that it names, none of another type")
    func algorithms() throws {
        for name in ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"] {
            let key = try JWK(parsing: Written.jwk(Written.rsa, ["alg": .string(name)]))
            #expect(try VerificationKey(key).algorithms.map { $0.name.text } == [name])
        }
        for name in ["ES256", "HS256", "EdDSA"] {
            #expect(
                try refusal(["alg": .string(name)]) == .otherAlgorithm(try #require(Algorithm(name)), .rsa))
        }
        let encrypting = try JWK(parsing: Written.jwk(Written.rsa, ["alg": "RSA-OAEP"]))
        #expect(rejection { () throws(JWK.Rejection) in try VerificationKey(encrypting) } != nil)
        guard case .rsa(let number) = try JWK(parsing: Written.jwk(Written.rsa)).material else {
            Issue.record("the key is one of RSA")
            return
        }
        #expect(
            rejection { () throws(JWK.Rejection) in try VerificationKey(number, for: .es256) }
                == .otherAlgorithm(.es256, .rsa))
    }

    @Test("A hedged key of P-256 signs differently each time, and rightly with bad chance", .proves("KEY-6"))
    func hedged() throws {
        let pair = try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 7, count: 32))
        let drawn = Mutex<UInt64>(0)
        let id = try KeyID(parsing: "hedged")
        let key = SigningKey(pair, id: id) {
            drawn.withLock { drawn in
                drawn += 1
                return drawn
            }
        }
        let plain = SigningKey(pair, id: id)
        #expect(key.algorithm == .es256 && key.id == id)
        let texts = try (1...3).map { _ in try JWT.signed(JWT.Claims(["sub": "ada"]), with: key) }
        #expect(drawn.withLock { $0 } == 12)
        let constant = SigningKey(pair, id: id, hedgedBy: { 0 })
        let all = texts + [try JWT.signed(JWT.Claims(["sub": "ada"]), with: constant)]
        #expect(Set(all + [try JWT.signed(JWT.Claims(["sub": "ada"]), with: plain)]).count == 5)
        for text in all {
            let verified = try JWS.Unverified(parsing: text).verified(by: VerificationKey(pair.publicKey, id: id))
            #expect(verified.signature.key.id == id)
        }
        // The nonce is that of RFC 6979 with these four words as its additional input.
        var words = Counting()
        let signed = all[0].split(separator: ".").dropLast().joined(separator: ".")
        let signature = [UInt8](pair.signature(for: Array(signed.utf8), using: &words))
        #expect(all[0] == signed + "." + Base64URL.encode(signature))
    }

    private struct Counting: RandomNumberGenerator {
        private var last: UInt64 = 0

        mutating func next() -> UInt64 {
            last += 1
            return last
        }
    }

    @Test("A key that lies elsewhere signs with the algorithm that it names, and not by guessing", .proves("KEY-8"))
    func signing() throws {
        for name in ["RS256", "RS512", "PS384"] {
            let key = try SigningKey(elsewhere: JWK(parsing: Written.jwk(Written.rsa, ["alg": .string(name)])))
            #expect(key.algorithm.name.text == name)
        }
        let undecided = try JWK(parsing: Written.jwk(Written.rsa))
        let refusal = rejection { () throws(JWK.Rejection) in try SigningKey(elsewhere: undecided) }
        #expect(refusal == .undecidedAlgorithm(.rsa))
        #expect(refusal?.clause == "KEY-8" && refusal?.text.contains("'alg'") == true)
    }
}
