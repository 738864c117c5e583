import PureCrypto
import Testing
import Wire

/// A signed text put together from its members, so that a test can break exactly one thing; the signature is right
/// unless the key is another's.
struct Draft: Sendable {
    var header: JSON.Object
    var claims: JSON.Object
    var key: Key

    /// With what a draft is signed.
    enum Key: Sendable {
        case pair(UInt8)
        case secret([UInt8])
    }

    init(_ type: String, _ key: Key, named name: String, _ claims: JSON.Object) {
        let algorithm: JSON = if case .pair = key { "EdDSA" } else { "HS256" }
        header = ["alg": algorithm, "typ": .string(type), "kid": .string(name)]
        self.claims = claims
        self.key = key
    }

    /// The same with some claims replaced, or left out where the new value is null.
    func claiming(_ changes: JSON.Object) -> Draft {
        var copy = self
        for member in changes { copy.claims[member.name] = member.value == .null ? nil : member.value }
        return copy
    }

    /// The same with some header parameters replaced, or left out where the new value is null.
    func heading(_ changes: JSON.Object) -> Draft {
        var copy = self
        for member in changes { copy.header[member.name] = member.value == .null ? nil : member.value }
        return copy
    }

    /// The same signed by another pair under the same name.
    func signed(by seed: UInt8) -> Draft {
        var copy = self
        copy.key = .pair(seed)
        return copy
    }

    /// The compact serialization.
    var text: String {
        get throws {
            let input = Base64URL.encode(header.encoded()) + "." + Base64URL.encode(claims.encoded())
            let signature =
                switch key {
                case .pair(let seed): [UInt8](try Pair.of(seed).signature(for: Array(input.utf8)))
                case .secret(let bytes):
                    [UInt8](HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: SymmetricKey(data: bytes)))
                }
            return input + "." + Base64URL.encode(signature)
        }
    }
}

/// One thing wrong in a draft, and the rule that it breaks.
struct Flaw: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let clause: String
    let change: @Sendable (Draft, Stage) throws -> Draft

    init(_ name: String, _ clause: String, _ change: @escaping @Sendable (Draft, Stage) throws -> Draft) {
        testDescription = name
        self.clause = clause
        self.change = change
    }
}

/// The key pairs of the tests, told apart by seeds.
enum Pair {
    static let eduID: UInt8 = 1
    static let service: UInt8 = 2
    static let instance: UInt8 = 3
    static let otherInstance: UInt8 = 4
    static let app: UInt8 = 5
    static let stranger: UInt8 = 6

    private static let common = (1...6).compactMap { try? make($0) }

    private static func make(_ seed: UInt8) throws -> Curve25519.Signing.PrivateKey {
        try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32))
    }

    /// Making a pair takes a debug build as long as signing.
    static func of(_ seed: UInt8) throws -> Curve25519.Signing.PrivateKey {
        1...6 ~= seed ? common[Int(seed) - 1] : try make(seed)
    }

    /// The public key as the value of a claim.
    static func json(_ seed: UInt8) throws -> JSON {
        ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(try of(seed).publicKey.rawRepresentation))]
    }
}
