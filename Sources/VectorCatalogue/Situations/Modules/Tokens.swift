internal import JOSETesting
internal import Wire

// Signed content, and tokens with everything that is expected of them.

extension Catalogue {
    mutating func addTokens() {
        addKeys()
        add(.jws, "jws-", Self.contents) { $0 }
        addMadeElsewhere(.jwk, "", MadeElsewhere.keys)
        addMadeElsewhere(.keyDocument, "", MadeElsewhere.documents)
        addMadeElsewhere(.signatureForm, "", MadeElsewhere.forms)
        addMadeElsewhere(.jws, "jws-", MadeElsewhere.contents)
        add(.jwt, "jwt-", Self.tokens) { $0 }
        add(.issue, "issue-", Self.issuances) { key, type in
            (["claims": .object(Self.token.claims), "key": key] as JSON.Object).changed(["type": type])
        }
    }

    private static let issuer = "https://issuer.example"
    private static let audience = "https://reader.example/api"
    private static let pair = TestKey.pair("signer")
    private static let secret = TestKey.secret("secret of the tokens")

    private static func keys(_ more: [JSON] = []) -> JSON {
        .array(
            [["jwk": pair.publicJWK("pair-1"), "issuer": .string(issuer)], ["jwk": secret.privateJWK("secret-1")]]
                + more)
    }

    // MARK: Signed content

    private static let content = TestToken("JWT", pair, named: "pair-1", ["note": "what was agreed"])

    private static func signed(_ text: String, _ changes: JSON.Object = [:]) -> JSON.Object {
        let given: JSON.Object = ["text": .string(text), "keys": keys(), "algorithms": ["EdDSA", "HS256"]]
        return given.changed(changes)
    }

    /// A payload as it is, by RFC 7797: the signature is over the header, a dot and the very bytes.
    private static func unencoded(_ payload: String, _ header: JSON.Object) -> String {
        let head = Base64URL.encode(header.encoded())
        let signature = TestKey.pair("signer").signature(of: Array((head + "." + payload).utf8))
        return head + ".." + Base64URL.encode(signature)
    }

    private static let unencodedHeader: JSON.Object = ["alg": "EdDSA", "kid": "pair-1", "b64": false, "crit": ["b64"]]

    /// The general serialization with a signature by each of the keys.
    private static func general(_ signers: [(TestKey, String)], _ more: JSON.Object = [:]) -> String {
        let payload = Base64URL.encode(Array("what was agreed".utf8))
        let signatures = signers.map { key, name -> JSON in
            let head = Base64URL.encode(TestToken(nil, key, named: name, [:]).header.encoded())
            let signature = key.signature(of: Array((head + "." + payload).utf8))
            return ["protected": .string(head), "signature": .string(Base64URL.encode(signature))]
        }
        let text: JSON.Object = ["payload": .string(payload), "signatures": .array(signatures)]
        return JSON.object(text.changed(more)).encodedString()
    }

    private static let example: JSON = [
        "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    ]

    private static func headed(_ changes: JSON.Object) -> JSON.Object { signed(content.heading(changes).text) }

    private static func finished(_ finish: @escaping @Sendable (String) -> String) -> JSON.Object {
        signed(content.finished(finish).text)
    }

    private static let contents: [Row<JSON.Object>] = [
        (
            "rfc8037", "the example of RFC 8037 §A.4", ["RFC8037-3.1"], nil,
            Self.signed(
                joined(
                    "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09P",
                    "GcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"),
                ["keys": [["jwk": example]]])
        ),
        ("pair", "by a key pair", ["RFC7515-5.2"], nil, Self.signed(Self.content.text)),
        (
            "other-name", "under the other name of its algorithm", ["KEY-10"], nil,
            Self.signed(Self.content.heading(["alg": "Ed25519"]).text, ["algorithms": ["Ed25519"]])
        ),
        (
            "secret", "by a shared secret", ["RFC7515-5.2"], nil,
            Self.signed(TestToken("JWT", Self.secret, named: "secret-1", ["a": 1]).text)
        ),
        (
            "without-name", "that names no key: the one that fits is found", ["RFC7515-6"], nil,
            Self.signed(Self.content.heading(["kid": .null]).text)
        ),
        (
            "extension", "with header parameters that nobody needs to know", ["RFC7515-4.2"], nil,
            Self.signed(Self.content.heading(["x-note": ["a": 1]]).text)
        ),
        (
            "detached", "whose payload comes beside it", ["RFC7515-F"], nil,
            Self.signed(
                Self.content.finished { text in
                    let parts = text.split(separator: ".")
                    return parts[0] + ".." + parts[2]
                }.text, ["detached": #"{"note":"what was agreed"}"#])
        ),
        (
            "unencoded", "whose payload is not encoded", ["RFC7797-3"], nil,
            Self.signed(
                Self.unencoded("what was agreed", Self.unencodedHeader),
                ["unencoded": true, "detached": "what was agreed"])
        ),
        (
            "general", "in JSON, by two keys", ["RFC7515-7.2.1"], nil,
            Self.signed(Self.general([(Self.pair, "pair-1"), (Self.secret, "secret-1")]))
        ),
        (
            "general-one", "in JSON, by a key that is known and by one that is not", ["RFC7515-7.2.1"], nil,
            Self.signed(Self.general([(.pair("stranger"), "strange-1"), (Self.pair, "pair-1")]))
        ),
        ("unsecured", "a text whose algorithm is none", ["threat-1"], "threat-1", headed(["alg": "none"])),
        ("unsecured-spelled", "a text whose algorithm is NonE", ["threat-1"], "threat-1", headed(["alg": "NonE"])),
        ("without-algorithm", "a text without an algorithm", ["threat-2"], "RFC7515-4.1", headed(["alg": .null])),
        ("algorithm-list", "a text whose algorithm is a list", ["threat-2"], "RFC7515-4.1", headed(["alg": ["EdDSA"]])),
        (
            "not-accepted", "a text whose algorithm is not accepted", ["threat-4"], "RFC8725-3.1",
            Self.signed(content.text, ["algorithms": ["HS256"]])
        ),
        (
            "other-hash", "a text whose algorithm is another of the family", ["threat-4"], "RFC8725-3.1",
            headed(["alg": "HS512"])
        ),
        (
            "public-key-as-secret", "a text whose code was made with the public key", ["threat-3"], "RFC8725-3.1",
            Self.signed(
                content.heading(["alg": "HS256"]).signed(by: .secret(TestKey.pair("signer").publicBytes)).text)
        ),
        (
            "foreign", "a text signed by another key", ["threat-5"], "RFC7515-5.2",
            Self.signed(content.signed(by: .pair("stranger")).text)
        ),
        (
            "no-signature", "a text without a signature", ["threat-5"], "threat-5",
            finished { String($0.prefix(through: $0.lastIndex(of: ".") ?? $0.startIndex)) }
        ),
        (
            "cut", "a text whose signature lacks its last bytes", ["threat-5"], "RFC7515-5.2",
            finished { String($0.dropLast(6)) }
        ),
        ("unknown-key", "a text of a key that is not known", ["threat-10"], "RFC7515-6", headed(["kid": "../pair-1"])),
        ("kid-number", "a text whose key has a number for a name", ["threat-10"], "RFC7515-4.1", headed(["kid": 1])),
        ("kid-empty", "a text whose key has an empty name", ["threat-10"], "RFC7515-4.1.4", headed(["kid": ""])),
        (
            "embedded-key", "a text that brings a key along", ["threat-9"], "threat-9",
            headed(["jwk": Self.pair.publicJWK])
        ),
        (
            "key-address", "a text that says where its key is", ["threat-9"], "threat-9",
            headed(["jku": "https://evil.example/keys"])
        ),
        ("certificate", "a text that brings a certificate along", ["threat-9"], "threat-9", headed(["x5c": ["AA"]])),
        (
            "critical-unknown", "a text with an extension that must be understood, and is not", ["threat-11"],
            "RFC7515-4.1.11", headed(["crit": ["x-a"], "x-a": 1])
        ),
        (
            "critical-empty", "a text whose list of extensions is empty", ["threat-11"], "RFC7515-4.1.11",
            headed(["crit": []])
        ),
        (
            "critical-standard", "a text that calls a standard parameter an extension", ["threat-11"], "RFC7515-4.1.11",
            headed(["crit": ["alg"]])
        ),
        (
            "critical-absent", "a text with an extension that is not there", ["threat-11"], "RFC7515-4.1.11",
            Self.signed(content.heading(["crit": ["b64"]]).text, ["unencoded": true])
        ),
        (
            "critical-number", "a text whose list of extensions is a number", ["threat-11"], "RFC7515-4.1",
            headed(["crit": 1])
        ),
        (
            "unencoded-quietly", "a text whose payload is not encoded, without saying that this is critical",
            ["threat-11"], "RFC7797-6", headed(["b64": false])
        ),
        ("padded", "a text with padding", ["threat-12"], "RFC7515-2", finished { $0 + "==" }),
        ("space", "a text with a space before it", ["threat-12"], "RFC7515-2", finished { " " + $0 }),
        (
            "stray-bits", "a text with bits behind the signature's last byte", ["threat-12"], "RFC7515-2",
            finished { Self.withStrayBits($0) }
        ),
        ("four-parts", "a text of four parts", ["threat-12"], "RFC7515-7.1", finished { $0 + ".AA" }),
        ("five-parts", "a text of five parts, encrypted", ["threat-12"], "RFC7515-7.1", finished { $0 + ".AA.AA" }),
        (
            "two-parts", "a text of two parts", ["threat-12"], "RFC7515-7.1",
            finished { $0.split(separator: ".").prefix(2).joined(separator: ".") }
        ),
        (
            "dots", "a text of ten thousand parts", ["threat-14"], "RFC7515-7.1",
            Self.signed(String(repeating: ".", count: 10_000))
        ),
        (
            "too-large", "a text of more than twenty thousand bytes", ["threat-14"], "threat-14",
            Self.signed(content.claiming(["note": .string(String(repeating: "a", count: 20_000))]).text)
        ),
        (
            "repeated", "a text with a parameter that comes twice, once in disguise", ["threat-13"], "RFC7515-4",
            Self.signed(Self.raw(#"{"alg":"EdDSA","kid":"pair-1","\u0061lg":"EdDSA"}"#))
        ),
        ("header-list", "a text whose header is a list", ["threat-12"], "RFC7515-4.1", Self.signed(Self.raw("[]"))),
        (
            "detached-and-there", "a text whose payload is in it and beside it", ["threat-12"], "RFC7515-F",
            Self.signed(content.text, ["detached": "something else"])
        ),
        (
            "general-flattened", "a text in JSON, in both forms at once", ["threat-12"], "RFC7515-7.2.2",
            Self.signed(Self.general([(Self.pair, "pair-1")], ["signature": "AA"]))
        ),
        (
            "general-many", "a text in JSON, with nine signatures", ["threat-14"], "threat-14",
            Self.signed(Self.general(Array(repeating: (Self.pair, "pair-1"), count: 9)))
        ),
        (
            "general-foreign", "a text in JSON, by unknown keys alone", ["threat-10"], "RFC7515-6",
            Self.signed(Self.general([(.pair("stranger"), "strange-1")]))
        ),
    ]

    /// A text with this header, signed as if it were a good one.
    private static func raw(_ header: String) -> String {
        let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array("{}".utf8))
        return input + "." + Base64URL.encode(TestKey.pair("signer").signature(of: Array(input.utf8)))
    }

    /// The last character of a signature of 64 bytes has four bits that belong to no byte.
    private static func withStrayBits(_ text: String) -> String {
        let twins: [Character: Character] = ["A": "B", "Q": "R", "g": "h", "w": "x"]
        return text.dropLast() + String(text.last.flatMap { twins[$0] } ?? "-")
    }

    // MARK: Tokens

    private static let now = World.beginning
    private static let token = TestToken(
        "at+jwt", pair, named: "pair-1", at: now,
        [
            "iss": .string(issuer), "sub": "user-1", "aud": .string(audience), "iat": time(0), "exp": time(300),
            "jti": "token-1",
        ])

    private static func time(_ offset: Int64) -> JSON { .number(JSON.Number(now + offset)) }

    private static func expecting(_ token: TestToken, _ changes: JSON.Object = [:]) -> JSON.Object {
        let given: JSON.Object = [
            "text": .string(token.text), "keys": keys(), "algorithms": ["EdDSA", "HS256"], "type": "at+jwt",
            "now": time(0), "issuer": .string(issuer), "audience": .string(audience),
        ]
        return given.changed(changes)
    }

    private static func claiming(_ changes: JSON.Object, _ more: JSON.Object = [:]) -> JSON.Object {
        expecting(token.claiming(changes), more)
    }

    private static func half(_ offset: Int64) -> JSON.Number {
        (try? JSON(parsing: "\(now + offset).5"))?.number ?? JSON.Number(0)
    }

    private static let tokens: [Row<JSON.Object>] = [
        ("plain", "a token with everything that is expected", ["RFC7519-7.2"], nil, Self.expecting(token)),
        (
            "last-second", "a token in the second before it expires", ["RFC7519-4.1.4"], nil,
            Self.expecting(token, ["now": Self.time(299)])
        ),
        (
            "clock-ahead", "a token issued a minute from now", ["RFC7519-4.1.6"], nil,
            Self.expecting(token.claiming(["iat": Self.time(60)]))
        ),
        (
            "not-before-ahead", "a token that holds in a minute", ["RFC7519-4.1.5"], nil,
            Self.expecting(token.claiming(["nbf": Self.time(60)]))
        ),
        (
            "fraction", "a token whose times have fractions", ["RFC7519-2"], nil,
            Self.expecting(token.claiming(["exp": .number(Self.half(300))]))
        ),
        (
            "audience-list", "a token whose audience is a list of one", ["RFC7519-4.1.3"], nil,
            Self.expecting(token.claiming(["aud": [.string(Self.audience)]]))
        ),
        (
            "type-with-tree", "a token whose type has the prefix that media types have", ["RFC7515-4.1.9"], nil,
            Self.expecting(token.heading(["typ": "application/at+jwt"]))
        ),
        (
            "type-capitals", "a token whose type is in capitals", ["RFC7515-4.1.9"], nil,
            Self.expecting(token.heading(["typ": "AT+JWT"]))
        ),
        (
            "untyped", "a token without a type, where just a token is expected", ["RFC8725-3.11"], nil,
            Self.expecting(token.heading(["typ": .null]), ["type": "JWT"])
        ),
        (
            "endless", "a token without an end, where none is demanded", ["RFC7519-4.1.4"], nil,
            Self.expecting(token.claiming(["exp": .null]), ["endless": true])
        ),
        (
            "owner", "a token by the issuer that the key belongs to", ["RFC8725-3.8"], nil,
            Self.expecting(token, ["issuer": true])
        ),
        (
            "one-of", "a token by one of two issuers", ["RFC7519-4.1.1"], nil,
            Self.expecting(token, ["issuer": ["https://other.example", .string(Self.issuer)]])
        ),
        (
            "subject", "a token about the one who is expected", ["RFC7519-4.1.2"], nil,
            Self.expecting(token, ["subject": "user-1"])
        ),
        (
            "unnamed", "a token for nobody in particular", ["RFC7519-4.1.3"], nil,
            Self.expecting(token.claiming(["aud": .null]), ["audience": false])
        ),
        (
            "young", "a token as old as it may be", ["RFC7519-4.1.6"], nil,
            Self.expecting(token.claiming(["iat": Self.time(-120)]), ["maximum_age": 120])
        ),
        (
            "secret", "a token by a shared secret, which belongs to no issuer", ["RFC7519-7.2"], nil,
            Self.expecting(TestToken("at+jwt", Self.secret, named: "secret-1", token.claims))
        ),
        (
            "more", "a token with claims that nobody expects", ["RFC7519-4"], nil,
            Self.expecting(token.claiming(["x-note": ["a": [1, 2]]]))
        ),
        (
            "refused-expired", "a token in the second in which it expires", ["threat-16"], "RFC7519-4.1.4",
            Self.expecting(token, ["now": Self.time(300)])
        ),
        ("refused-endless", "a token without an end", ["threat-16"], "RFC7519-4", claiming(["exp": .null])),
        (
            "refused-end-text", "a token whose end is a text", ["threat-16"], "RFC7519-2",
            claiming(["exp": .string("\(Self.now + 300)")])
        ),
        (
            "refused-end-null", "a token whose end is null", ["threat-16"], "RFC7519-2",
            Self.expecting(token.claiming(["exp": .null]).adding(#""exp":null"#))
        ),
        (
            "refused-end-huge", "a token whose end is beyond all times", ["threat-15"], "RFC7519-2",
            Self.expecting(token.claiming(["exp": .null]).adding(#""exp":1e400"#))
        ),
        (
            "refused-begun-later", "a token that holds 61 seconds from now", ["threat-16"], "RFC7519-4.1.5",
            claiming(["nbf": Self.time(61)])
        ),
        (
            "refused-issued-later", "a token issued 61 seconds from now", ["threat-16"], "RFC7519-4.1.6",
            claiming(["iat": Self.time(61)])
        ),
        (
            "refused-issued-negative", "a token issued before all times", ["threat-16"], "RFC7519-2",
            claiming(["iat": -1])
        ),
        (
            "refused-old", "a token a second older than it may be", ["threat-16"], "RFC7519-4.1.6",
            claiming(["iat": Self.time(-121)], ["maximum_age": 120])
        ),
        (
            "refused-issuer", "a token by another issuer", ["threat-17"], "RFC7519-4.1.1",
            claiming(["iss": "https://other.example"])
        ),
        (
            "refused-issuer-slash", "a token by an issuer with a slash more", ["threat-17"], "RFC7519-4.1.1",
            claiming(["iss": .string(Self.issuer + "/")])
        ),
        (
            "refused-issuer-capitals", "a token by an issuer in capitals", ["threat-17"], "RFC7519-4.1.1",
            claiming(["iss": "https://Issuer.example"])
        ),
        ("refused-without-issuer", "a token by nobody", ["threat-17"], "RFC7519-4", claiming(["iss": .null])),
        (
            "refused-issuer-list", "a token by a list", ["threat-17"], "RFC7519-4.1.1",
            claiming(["iss": [.string(Self.issuer)]])
        ),
        (
            "refused-key-of-another", "a token by an issuer with the key of another", ["threat-25"], "RFC8725-3.8",
            claiming(["iss": "https://other.example"], ["issuer": ["https://other.example", .string(Self.issuer)]])
        ),
        (
            "refused-key-without-owner",
            "a token by a key that belongs to nobody, where its owner has to be the issuer", ["threat-25"],
            "RFC8725-3.8",
            Self.expecting(TestToken("at+jwt", Self.secret, named: "secret-1", token.claims), ["issuer": true])
        ),
        (
            "refused-audience", "a token for another reader", ["threat-24"], "RFC7519-4.1.3",
            claiming(["aud": "https://reader.example/"])
        ),
        (
            "refused-audience-longer", "a token for a reader whose name begins alike", ["threat-17"], "RFC7519-4.1.3",
            claiming(["aud": .string(Self.audience + "/x")])
        ),
        (
            "refused-audiences", "a token for the reader and a stranger", ["threat-24"], "RFC7519-4.1.3",
            claiming(["aud": [.string(Self.audience), "https://evil.example"]])
        ),
        (
            "refused-audience-mixed", "a token whose list of readers is one of numbers", ["threat-17"], "RFC7519-4.1.3",
            claiming(["aud": [7]])
        ),
        (
            "refused-audience-empty", "a token whose list of readers is empty", ["threat-17"], "RFC7519-4.1.3",
            claiming(["aud": []])
        ),
        ("refused-without-audience", "a token for nobody", ["threat-24"], "RFC7519-4", claiming(["aud": .null])),
        (
            "refused-subject", "a token about somebody else", ["threat-35"], "RFC7519-4.1.2",
            Self.expecting(token, ["subject": "user-2"])
        ),
        ("refused-subject-number", "a token about a number", ["threat-17"], "RFC7519-4.1.2", claiming(["sub": 7])),
        ("refused-id-number", "a token whose name is a number", ["threat-17"], "RFC7519-4.1.7", claiming(["jti": 7])),
        (
            "refused-required", "a token without a claim that is demanded", ["threat-18"], "RFC7519-4",
            Self.expecting(token, ["requires": ["client_id"]])
        ),
        (
            "refused-other-type", "a token of another type", ["threat-18"], "RFC8725-3.11",
            Self.expecting(token.heading(["typ": "request+jwt"]))
        ),
        (
            "refused-untyped", "a token without a type", ["threat-18"], "RFC8725-3.11",
            Self.expecting(token.heading(["typ": .null]))
        ),
        (
            "refused-just-a-token", "a token of the type JWT, where another is expected", ["threat-18"], "RFC8725-3.11",
            Self.expecting(token.heading(["typ": "JWT"]))
        ),
        (
            "refused-nested", "a token whose content is declared to be a token", ["threat-18"], "RFC7519-5.2",
            Self.expecting(token.heading(["cty": "JWT"]))
        ),
        (
            "refused-repeated", "a token with a claim that comes twice, once in disguise", ["threat-13"], "RFC7519-7.2",
            Self.expecting(token.adding(#""\u0069ss":"https://issuer.example""#))
        ),
        (
            "refused-payload-list", "a token whose payload is a list", ["threat-12"], "RFC7519-7.2",
            Self.expecting(token.paying(Array("[]".utf8)))
        ),
        (
            "refused-payload-text", "a token whose payload is no JSON", ["threat-12"], "RFC7519-7.2",
            Self.expecting(token.paying(Array("what was agreed".utf8)))
        ),
        (
            "refused-payload-latin-1", "a token whose payload is not UTF-8", ["threat-19"], "RFC7519-7.2",
            Self.expecting(token.paying([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]))
        ),
        (
            "refused-deep", "a token whose claims lie too deep", ["threat-14"], "RFC7519-7.2",
            Self.expecting(
                token.adding(
                    "\"a\":" + String(repeating: "[", count: 100) + String(repeating: "]", count: 100))
            )
        ),
        (
            "refused-foreign-signature", "a token signed by another key", ["threat-5"], "RFC7515-5.2",
            Self.expecting(token.signed(by: .pair("stranger")))
        ),
        (
            "refused-unsecured", "a token whose algorithm is none", ["threat-1"], "threat-1",
            Self.expecting(token.heading(["alg": "none"]))
        ),
    ]

    private static let issuances: [Row<(key: JSON, type: JSON)>] = [
        ("pair", "a token is made by a key pair", ["RFC7519-7.1"], nil, (Self.pair.privateJWK("pair-1"), "at+jwt")),
        (
            "curve", "a token is made by a key on P-256", ["KEY-1", "KEY-6"], nil,
            (TestKey.p256("signer").privateJWK("curve-1"), "at+jwt")
        ),
        (
            "secret", "a token is made by a shared secret", ["RFC7519-7.1"], nil,
            (Self.secret.privateJWK("secret-1"), "at+jwt")
        ),
        (
            "plain", "a token is made of no type of its own", ["RFC7519-7.1"], nil,
            (Self.pair.privateJWK("pair-1"), .null)
        ),
        (
            "short-secret", "with a secret of 31 bytes", ["threat-20"], "RFC7518-3.2",
            (TestKey.secret([UInt8](repeating: 7, count: 31)).privateJWK("short-1"), .null)
        ),
        (
            "other-use", "with a key for encryption", ["threat-18"], "RFC7517-4.2",
            (Self.pair.privateJWK("pair-1").with("use", "enc"), .null)
        ),
    ]
}
