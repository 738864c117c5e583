import JOSE
import OAuth2Grants
import PureCrypto
import Testing
import Wire

/// A token put together from raw texts, so that a test can break exactly one thing; the signature is always that of the
/// key.
struct Draft: Sendable {
    var header: [String: String]
    var claims: [String: String]
    var seed: UInt8

    /// A token with a type, signed with the pair of this seed, whose name is `k` and the seed.
    init(_ type: String?, seed: UInt8, _ claims: [String: String]) {
        header = ["alg": #""EdDSA""#, "kid": #""k\#(seed)""#]
        if let type { header["typ"] = #""\#(type)""# }
        self.claims = claims
        self.seed = seed
    }

    /// The same with some claims replaced or, by an empty text, left out.
    func claiming(_ changes: [String: String]) -> Draft {
        var copy = self
        for (name, value) in changes { copy.claims[name] = value.isEmpty ? nil : value }
        return copy
    }

    /// The same with some header parameters replaced or, by an empty text, left out.
    func heading(_ changes: [String: String]) -> Draft {
        var copy = self
        for (name, value) in changes { copy.header[name] = value.isEmpty ? nil : value }
        return copy
    }

    /// The same, signed by another pair under the same name.
    func signed(by seed: UInt8) -> Draft {
        var copy = self
        copy.seed = seed
        return copy
    }

    private static func object(_ members: [String: String]) -> String {
        "{" + members.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",") + "}"
    }

    /// The compact serialization.
    var text: String {
        get throws {
            let input =
                Base64URL.encode(Array(Self.object(header).utf8)) + "."
                + Base64URL.encode(Array(Self.object(claims).utf8))
            return input + "." + Base64URL.encode(try Pair.of(seed).signature(for: Array(input.utf8)))
        }
    }

    var assertion: Assertion { get throws { try Assertion(parsing: text) } }
    var unverified: Statement.Unverified {
        get throws { try Statement.Unverified(parsing: assertion, as: .requestToken) }
    }
}

/// The key pairs of the tests, told apart by seeds.
enum Pair {
    /// Making a pair takes a debug build as long as signing; most tests need these.
    private static let common = (1...9).compactMap { try? make($0) }

    private static func make(_ seed: UInt8) throws -> Curve25519.Signing.PrivateKey {
        try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32))
    }

    static func of(_ seed: UInt8) throws -> Curve25519.Signing.PrivateKey {
        1...9 ~= seed ? common[Int(seed) - 1] : try make(seed)
    }

    static func signing(_ seed: UInt8, id: String? = nil) throws -> SigningKey {
        SigningKey(try of(seed), id: try KeyID(parsing: id ?? "k\(seed)"))
    }

    static func verifying(_ seed: UInt8, id: String? = nil) throws -> VerificationKey {
        VerificationKey(try of(seed).publicKey, id: try KeyID(parsing: id ?? "k\(seed)"))
    }

    static func jwk(_ seed: UInt8) throws -> JWK { JWK(try of(seed).publicKey) }

    /// The public key as the value of a claim or header parameter.
    static func json(_ seed: UInt8) throws -> String { String(decoding: try jwk(seed).encoded(), as: UTF8.self) }

    static func bound(_ seed: UInt8, to client: String) throws -> Statement.BoundKey {
        try Statement.BoundKey(jwk(seed), id: KeyID(parsing: "k\(seed)"), of: .client(ClientID(parsing: client)))
    }
}

/// Names and times that the tests share.
enum Scene {
    static let now = Timestamp(seconds: 1_700_000_000)
    static let instance = "0f8fad5b-d9cb-469f-a165-70867728950e"
    static let eduID = "https://eduid.example.ch/"
    static let service = "https://moodle.example.ch/"

    static func url(_ text: String) throws -> WebURL { try WebURL(parsing: text) }
    static func issuer(_ text: String) throws -> Issuer { try Issuer(parsing: text) }
    static func client(_ text: String = instance) throws -> ClientID { try ClientID(parsing: text) }
    static func time(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds) }
    static func name(_ text: String) throws -> KeyID { try KeyID(parsing: text) }
}

/// Whether a rejection is for this reason.
func == (rejection: TokenRejection?, reason: TokenRejection.Reason) -> Bool { rejection?.reason == reason }

/// One change to a token in order, and the rejection that it must meet; nothing where the token stays in order.
struct Fault<Rejection: Equatable & Sendable>: CustomTestStringConvertible, Sendable {
    let change: String
    let draft: Draft
    let rejection: Rejection?

    init(_ change: String, _ draft: Draft, _ rejection: Rejection?) {
        self.change = change
        self.draft = draft
        self.rejection = rejection
    }

    var testDescription: String { change }
}
