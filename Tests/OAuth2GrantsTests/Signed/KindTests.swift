import JOSE
import OAuth2Grants
import TestSupport
import Testing
import Wire

/// Every kind of token, each in order, all by one key for one URL and about one party, so that nothing but the kind
/// tells them apart.
enum Kind: String, CaseIterable, Sendable {
    case appRequestToken, clientAssertion, assertionGrant, appCode, requestToken, proof, accessToken

    static let party = Scene.instance
    static let url = "https://one.example/all"

    var draft: Draft {
        var claims = ["iss": #""\#(Self.party)""#, "sub": #""\#(Self.party)""#, "aud": #""\#(Self.url)""#]
        let key = (try? Pair.json(7)) ?? ""
        let times = ["iat": "1700000000", "exp": "1700000060", "jti": #""n-1""#]
        let type: String
        switch self {
        case .appRequestToken:
            type = "client-authentication+jwt"
            claims.merge(times.filter { $0.key != "exp" }) { $1 }
            claims.merge(["name": #""n""#, "device_id": #""d""#, "device_type": #""t""#, "os_version": #""v""#]) { $1 }
        case .clientAssertion:
            type = "client-authentication+jwt"
            claims.merge(times) { $1 }
        case .assertionGrant:
            type = "authorization-grant+jwt"
            claims.merge(times) { $1 }
            claims.merge(["azp": #""\#(Self.party)""#, "cnf": #"{"jwk":\#(key),"kid":"k7"}"#]) { $1 }
        case .appCode:
            type = "authorization-grant+jwt"
            claims.merge(times) { $1 }
        case .requestToken:
            type = "request+jwt"
            claims.merge(times) { $1 }
            claims["sub"] = nil
            claims["exp"] = nil
        case .proof:
            type = "dpop+jwt"
            claims = ["iat": "1700000000", "jti": #""n-1""#, "htm": #""POST""#, "htu": #""\#(Self.url)""#]
        case .accessToken:
            type = "at+jwt"
            claims.merge(times) { $1 }
            claims["client_id"] = #""\#(Self.party)""#
        }
        var draft = Draft(type, seed: 7, claims)
        if self == .proof { draft.header["jwk"] = key }
        return draft
    }

    private static let version = try? AppVersion(
        .iOS, .init(parsing: "1"), appName: Scene.issuer(party), keyID: Scene.name("k7"), key: Pair.jwk(7))
    private static let bound = try? Pair.bound(7, to: party)

    /// What the check of this kind says of a text.
    func accepts(_ text: String) throws -> Bool {
        let assertion = try Assertion(parsing: text)
        let key = try #require(Self.bound)
        let url = try Scene.url(Self.url)
        let (issuer, client) = (try Scene.issuer(Self.party), try Scene.client(Self.party))
        let addressee = Statement.Addressee(try Scene.issuer(Self.url))
        let keys = [try Pair.verifying(7)]
        let version = Self.version
        func succeeds(_ check: () throws -> Void) -> Bool { (try? check()) != nil }
        return switch self {
        case .appRequestToken:
            succeeds {
                _ = try Statement.AppRegistration(
                    checking: .init(parsing: assertion), against: version, to: addressee, at: Scene.now)
            }
        case .clientAssertion:
            succeeds {
                _ = try Statement.ClientAssertion(
                    checking: .init(parsing: assertion, as: .clientAssertion), by: keys, of: client, to: addressee,
                    at: Scene.now)
            }
        case .assertionGrant:
            succeeds {
                _ = try Statement.AssertionGrant(
                    checking: .init(parsing: assertion, as: .accessToken), by: keys, of: issuer, to: addressee,
                    at: Scene.now)
            }
        case .appCode:
            succeeds {
                _ = try Statement.AppCode(
                    checking: .init(parsing: assertion, as: .requestToken), by: key, to: url, at: Scene.now)
            }
        case .requestToken:
            succeeds {
                _ = try RequestToken(
                    checking: .init(parsing: assertion, as: .requestToken), by: key, requesting: url, at: Scene.now)
            }
        case .proof:
            succeeds {
                _ = try DPoPProof(
                    checking: .init(parsing: assertion), for: .post, requesting: url, with: nil, at: Scene.now)
            }
        case .accessToken:
            succeeds {
                _ = try Statement.JWTAccessToken(
                    checking: .init(parsing: assertion, as: .accessToken), by: keys, of: issuer, to: addressee,
                    at: Scene.now)
            }
        }
    }
}

@Suite("Threat 18: one kind of token used as another")
struct KindTests {
    @Test(
        "Each kind is taken for itself and nothing else, by one key and for one URL", .proves("threat-18"),
        arguments: Kind.allCases)
    func crossed(kind: Kind) throws {
        let text = try kind.draft.text
        for check in Kind.allCases {
            #expect(try check.accepts(text) == (check == kind), "\(kind.rawValue) presented as \(check.rawValue)")
        }
    }

    @Test("Without types, the claims tell the kinds apart", .proves("threat-18"), arguments: Kind.allCases)
    func untyped(kind: Kind) throws {
        let text = try kind.draft.heading(["typ": ""]).text
        let readers: [Kind: Set<Kind>] = [
            .appRequestToken: [.appRequestToken, .requestToken], .requestToken: [.requestToken],
            .assertionGrant: [.assertionGrant, .clientAssertion],
            // Apart from their types, these differ in whose keys and which audience they have, which are the same here.
            .clientAssertion: [.clientAssertion, .appCode], .appCode: [.clientAssertion, .appCode], .proof: [],
            .accessToken: [.clientAssertion, .appCode],
        ]
        for check in Kind.allCases {
            #expect(
                try check.accepts(text) == readers[kind]?.contains(check),
                "\(kind.rawValue) presented as \(check.rawValue)")
        }
    }
}

@Suite("Threats 14 and 19: what comes from outside never traps")
struct HostileTests {
    @Test(
        "A token that was changed anywhere is refused", .proves("threat-5"), .proves("threat-12"),
        arguments: Kind.allCases)
    func mutations(kind: Kind) throws {
        let seed: UInt64 = 0x5eed_0007
        var entropy = SeededGenerator(seed: seed)
        let original = Array(try kind.draft.text.utf8)
        for round in 0..<40 {
            var bytes = original
            let place = Int(entropy.next() % UInt64(bytes.count))
            switch entropy.next() % 4 {
            case 0: bytes[place] = UInt8(0x21 + entropy.next() % 0x5e)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(UInt8(0x21 + entropy.next() % 0x5e), at: place)
            default: bytes.removeSubrange(place...)
            }
            guard bytes != original, !bytes.isEmpty else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(try !kind.accepts(text), "seed \(seed), round \(round), \(text)")
        }
    }

    @Test(
        "Claims of every type, signed as they must be, are believed or refused", .proves("threat-15"),
        arguments: Kind.allCases)
    func values(kind: Kind) throws {
        let values = [
            "null", "true", "0", "-1", "1e400", "9223372036854775807", "1.5", #""""#, #""\u0000""#, #""é""#, "[]",
            "[[]]", "[1]", "{}",
            #"{"jwk":{}}"#, #"{"jwk":null}"#, #"{"jkt":""}"#, "253402300799", "-0", #"["a","a"]"#,
        ]
        let seed: UInt64 = 0x5eed_0008
        var entropy = SeededGenerator(seed: seed)
        let original = kind.draft
        for name in original.claims.keys.sorted() {
            for _ in 0..<5 {
                let value = values[Int(entropy.next() % UInt64(values.count))]
                let text = try original.claiming([name: value]).text
                _ = try kind.accepts(text)
                let others = Kind.allCases.filter { $0 != kind }
                let other = others[Int(entropy.next() % UInt64(others.count))]
                #expect(
                    try !other.accepts(text),
                    "seed \(seed): \(kind.rawValue) with \(name) = \(value) presented as \(other.rawValue)")
            }
        }
    }
}
