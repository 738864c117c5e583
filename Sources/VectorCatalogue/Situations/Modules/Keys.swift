internal import JOSETesting
internal import Wire

// Keys as JSON: what they are, what names them, and what is none.

extension Catalogue {
    mutating func addKeys() {
        add(.jwk, "jwk-", Self.keys) { text, isSecret in
            isSecret ? ["text": .string(text), "secret": true] : ["text": .string(text)]
        }
    }

    /// The key of RFC 8037 appendix A.
    private static let example: JSON.Object = [
        "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    ]
    private static let seed: JSON = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
    private static let secret: JSON.Object = ["kty": "oct", "k": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"]

    private static func with(_ changes: JSON.Object, _ key: JSON.Object = example) -> String {
        JSON.object(key.changed(changes)).encodedString()
    }

    private static let keys: [Row<(text: String, isSecret: Bool)>] = [
        ("pair", "the public key of RFC 8037 §A.2", ["RFC7517-4", "RFC7638-3"], nil, (Self.with([:]), false)),
        (
            "named", "with a name, a use and an algorithm", ["RFC7517-4", "RFC7638-3"], nil,
            (Self.with(["kid": "key-1", "use": "sig", "alg": "EdDSA"]), false)
        ),
        (
            "operations", "with operations", ["RFC7517-4", "RFC7638-3"], nil,
            (Self.with(["key_ops": ["verify"]]), false)
        ),
        (
            "strange-name", "whose name looks like a path", ["RFC7517-4", "RFC7638-3"], nil,
            (Self.with(["kid": "../../etc/passwd' OR 1=1"]), false)
        ),
        (
            "unknown", "with members that nobody knows", ["RFC7517-4", "RFC7638-3"], nil,
            (Self.with(["x-note": ["a": 1], "ext": true]), false)
        ),
        (
            "order", "whose members stand in another order", ["RFC7517-4", "RFC7638-3"], nil,
            (#"{"x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","crv":"Ed25519","kty":"OKP"}"#, false)
        ),
        (
            "private", "the private key of RFC 8037 §A.1", ["RFC7517-4", "RFC7638-3"], nil,
            (Self.with(["d": Self.seed]), true)
        ),
        (
            "secret", "a symmetric key", ["RFC7517-4", "RFC7638-3"], nil,
            (Self.with(["kid": "s-1", "alg": "HS256"], Self.secret), true)
        ),
        (
            "rsa", "an RSA key, which is kept and named", ["RFC7517-4", "RFC7638-3"], nil,
            (
                joined(
                    #"{"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFF"#,
                    #"xuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-"#,
                    #"65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bF"#,
                    #"TWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","#,
                    #""e":"AQAB","kid":"2011-04-29"}"#), false
            )
        ),
        (
            "withdrawn", "that its owner has withdrawn, which is kept and named", ["RFC7517-4", "threat-76"], nil,
            (Self.with(["kid": "key-1", "revoked": ["revoked_at": 1_800_000_000, "reason": "compromised"]]), false)
        ),
        (
            "withdrawn-never", "that was withdrawn at no time", ["threat-76"], "RFC8259-4",
            (Self.with(["revoked": ["reason": "compromised"]]), false)
        ),
        (
            "withdrawn-flag", "whose withdrawal is a word", ["threat-76"], "RFC8259-3",
            (Self.with(["revoked": true]), false)
        ),
        (
            "short", "an x of 31 bytes", ["threat-7"], "RFC8037-2",
            (Self.with(["x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHUQ"]), false)
        ),
        (
            "stray-bits", "an x with bits behind its last byte", ["threat-12"], "RFC7515-2",
            (Self.with(["x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURp"]), false)
        ),
        (
            "padded", "a padded x", ["threat-12"], "RFC7515-2",
            (Self.with(["x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo="]), false)
        ),
        ("number", "an x that is a number", ["threat-10"], "RFC8259-3", (Self.with(["x": 7]), false)),
        ("without-x", "without x", ["threat-7"], "RFC8259-4", (Self.with(["x": .null]), false)),
        ("without-type", "without a type", ["threat-2"], "RFC8259-4", (Self.with(["kty": .null]), false)),
        ("without-curve", "without a curve", ["threat-2"], "RFC8259-4", (Self.with(["crv": .null]), false)),
        (
            "small-order", "a point of small order", ["threat-7"], "threat-7",
            (Self.with(["x": "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]), false)
        ),
        (
            "off-curve", "no point at all", ["threat-7"], "RFC8032-5.1.3",
            (Self.with(["x": "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]), false)
        ),
        (
            "secret-shown", "a public key with its secret", ["threat-22"], "RFC7517-9.2",
            (Self.with(["d": Self.seed]), false)
        ),
        ("unsecured", "for the algorithm none", ["threat-1"], "threat-1", (Self.with(["alg": "none"]), false)),
        (
            "other-algorithm", "for an algorithm of other keys", ["threat-4"], "RFC7517-4.4",
            (Self.with(["alg": "HS256"]), false)
        ),
        ("kid-number", "a name that is a number", ["threat-10"], "RFC8259-3", (Self.with(["kid": 7]), false)),
        ("kid-empty", "an empty name", ["threat-10"], "RFC7517-4.5", (Self.with(["kid": ""]), false)),
        (
            "operation-twice", "an operation that comes twice", ["threat-13"], "RFC7517-4.3",
            (Self.with(["key_ops": ["verify", "verify"]]), false)
        ),
        (
            "use-and-operation", "a use that excludes the operation", ["threat-18"], "RFC7517-4.3",
            (Self.with(["use": "sig", "key_ops": ["encrypt"]]), false)
        ),
        (
            "repeated", "a member that comes twice, once in disguise", ["threat-13"], "RFC8259-4",
            (
                joined(
                    #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","#,
                    #""\u0078":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#), false
            )
        ),
        ("list", "a list", ["threat-12"], "RFC8259-3", ("[]", false)),
        (
            "foreign-pair", "a secret with the public key of another", ["threat-8"], "threat-8",
            (Self.with(["d": Self.seed, "x": .string(Base64URL.encode(TestKey.pair("stranger").publicBytes))]), true)
        ),
        ("without-secret", "a private key without its secret", ["threat-8"], "RFC8037-2", (Self.with([:]), true)),
        (
            "short-seed", "a seed of 31 bytes", ["threat-8"], "RFC8037-2",
            (Self.with(["d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyufw"]), true)
        ),
        ("empty-secret", "an empty secret", ["threat-20"], "RFC7518-6.4.1", (Self.with(["k": ""], Self.secret), true)),
        (
            "secret-for-pairs", "a secret for signatures by pairs", ["threat-3"], "RFC7517-4.4",
            (Self.with(["alg": "EdDSA"], Self.secret), true)
        ),
    ]
}
