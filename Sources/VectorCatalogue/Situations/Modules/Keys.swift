internal import JOSETesting
internal import Wire

// Keys as JSON: what they are, what names them, and what is none.

extension Catalogue {
    mutating func addKeys() {
        addReadableKeys()
        addBrokenKeys()
        addBrokenSecrets()
    }

    /// The key of RFC 8037 appendix A.
    private static let example: JSON.Object = [
        "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    ]
    private static let seed: JSON = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
    private static let secret: JSON.Object = ["kty": "oct", "k": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"]

    private static func with(_ changes: JSON.Object, _ key: JSON.Object = example) -> String {
        var members = key
        for change in changes { members[change.name] = change.value == .null ? nil : change.value }
        return JSON.object(members).encodedString()
    }

    private mutating func addReadableKeys() {
        let keys: [(String, String, String, Bool)] = [
            ("pair", "the public key of RFC 8037 §A.2", Self.with([:]), false),
            (
                "named", "with a name, a use and an algorithm",
                Self.with(["kid": "key-1", "use": "sig", "alg": "EdDSA"]), false
            ),
            ("operations", "with operations", Self.with(["key_ops": ["verify"]]), false),
            ("strange-name", "whose name looks like a path", Self.with(["kid": "../../etc/passwd' OR 1=1"]), false),
            ("unknown", "with members that nobody knows", Self.with(["x-note": ["a": 1], "ext": true]), false),
            (
                "order", "whose members stand in another order",
                #"{"x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","crv":"Ed25519","kty":"OKP"}"#, false
            ),
            ("private", "the private key of RFC 8037 §A.1", Self.with(["d": Self.seed]), true),
            ("secret", "a symmetric key", Self.with(["kid": "s-1", "alg": "HS256"], Self.secret), true),
            (
                "rsa", "an RSA key, which is kept and named",
                joined(
                    #"{"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFF"#,
                    #"xuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-"#,
                    #"65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bF"#,
                    #"TWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","#,
                    #""e":"AQAB","kid":"2011-04-29"}"#),
                false
            ),
        ]
        for (name, title, text, secret) in keys {
            add("jwk-" + name, title, ["RFC7517-4", "RFC7638-3"], .jwk, Self.given(text, secret), expecting: nil)
        }
    }

    private static func given(_ text: String, _ secret: Bool) -> JSON.Object {
        secret ? ["text": .string(text), "secret": true] : ["text": .string(text)]
    }

    private mutating func addBrokenKeys() {
        let keys: [(String, String, String, String, String)] = [
            (
                "short", "an x of 31 bytes", "RFC8037-2", "threat-7",
                Self.with(["x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHUQ"])
            ),
            (
                "stray-bits", "an x with bits behind its last byte", "RFC7515-2", "threat-12",
                Self.with(["x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURp"])
            ),
            (
                "padded", "a padded x", "RFC7515-2", "threat-12",
                Self.with(["x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo="])
            ),
            ("number", "an x that is a number", "RFC8259-3", "threat-10", Self.with(["x": 7])),
            ("without-x", "without x", "RFC8259-4", "threat-7", Self.with(["x": .null])),
            ("without-type", "without a type", "RFC8259-4", "threat-2", Self.with(["kty": .null])),
            ("without-curve", "without a curve", "RFC8259-4", "threat-2", Self.with(["crv": .null])),
            (
                "small-order", "a point of small order", "threat-7", "threat-7",
                Self.with(["x": "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])
            ),
            (
                "off-curve", "no point at all", "RFC8032-5.1.3", "threat-7",
                Self.with(["x": "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])
            ),
            ("secret-shown", "a public key with its secret", "RFC7517-9.2", "threat-22", Self.with(["d": Self.seed])),
            ("unsecured", "for the algorithm none", "threat-1", "threat-1", Self.with(["alg": "none"])),
            (
                "other-algorithm", "for an algorithm of other keys", "RFC7517-4.4", "threat-4",
                Self.with(["alg": "HS256"])
            ),
            ("kid-number", "a name that is a number", "RFC8259-3", "threat-10", Self.with(["kid": 7])),
            ("kid-empty", "an empty name", "RFC7517-4.5", "threat-10", Self.with(["kid": ""])),
            (
                "operation-twice", "an operation that comes twice", "RFC7517-4.3", "threat-13",
                Self.with(["key_ops": ["verify", "verify"]])
            ),
            (
                "use-and-operation", "a use that excludes the operation", "RFC7517-4.3", "threat-18",
                Self.with(["use": "sig", "key_ops": ["encrypt"]])
            ),
            (
                "repeated", "a member that comes twice, once in disguise", "RFC8259-4", "threat-13",
                joined(
                    #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","#,
                    #""\u0078":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#)
            ), ("list", "a list", "RFC8259-3", "threat-12", "[]"),
        ]
        for (name, title, clause, threat, text) in keys {
            add(
                "jwk-" + name, title, [threat], .jwk, Self.given(text, false),
                expecting: Expected(error: nil, clause: clause))
        }
    }

    private mutating func addBrokenSecrets() {
        let keys: [(String, String, String, String, String)] = [
            (
                "foreign-pair", "a secret with the public key of another", "threat-8", "threat-8",
                Self.with(["d": Self.seed, "x": .string(Base64URL.encode(TestKey.pair("stranger").publicBytes))])
            ), ("without-secret", "a private key without its secret", "RFC8037-2", "threat-8", Self.with([:])),
            (
                "short-seed", "a seed of 31 bytes", "RFC8037-2", "threat-8",
                Self.with(["d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyufw"])
            ),
            ("empty-secret", "an empty secret", "RFC7518-6.4.1", "threat-20", Self.with(["k": ""], Self.secret)),
            (
                "secret-for-pairs", "a secret for signatures by pairs", "RFC7517-4.4", "threat-3",
                Self.with(["alg": "EdDSA"], Self.secret)
            ),
        ]
        for (name, title, clause, threat, text) in keys {
            add(
                "jwk-" + name, title, [threat], .jwk, Self.given(text, true),
                expecting: Expected(error: nil, clause: clause))
        }
    }
}
