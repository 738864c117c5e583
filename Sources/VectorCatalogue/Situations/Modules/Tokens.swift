internal import JOSETesting
internal import Wire

// Signed content, and tokens with everything that is expected of them.

extension Catalogue {
    mutating func addTokens() {
        addKeys()
        addSignedContent()
        addRefusedContent()
        addReadableTokens()
        addRefusedTokens()
        addIssuances()
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

    private mutating func addSignedContent() {
        let example: JSON = [
            "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        ]
        let texts: [(String, String, [String], JSON.Object)] = [
            (
                "rfc8037", "the example of RFC 8037 §A.4", ["RFC8037-3.1"],
                Self.signed(
                    joined(
                        "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09P",
                        "GcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"),
                    ["keys": [["jwk": example]]])
            ),
            ("pair", "by a key pair", ["RFC7515-5.2"], Self.signed(Self.content.text)),
            (
                "secret", "by a shared secret", ["RFC7515-5.2"],
                Self.signed(TestToken("JWT", Self.secret, named: "secret-1", ["a": 1]).text)
            ),
            (
                "without-name", "that names no key: the one that fits is found", ["RFC7515-6"],
                Self.signed(Self.content.heading(["kid": .null]).text)
            ),
            (
                "extension", "with header parameters that nobody needs to know", ["RFC7515-4.2"],
                Self.signed(Self.content.heading(["x-note": ["a": 1]]).text)
            ),
            (
                "detached", "whose payload comes beside it", ["RFC7515-F"],
                Self.signed(
                    Self.content.finished { text in
                        let parts = text.split(separator: ".")
                        return parts[0] + ".." + parts[2]
                    }.text, ["detached": #"{"note":"what was agreed"}"#])
            ),
            (
                "unencoded", "whose payload is not encoded", ["RFC7797-3"],
                Self.signed(
                    Self.unencoded("what was agreed", Self.unencodedHeader),
                    ["unencoded": true, "detached": "what was agreed"])
            ),
            (
                "general", "in JSON, by two keys", ["RFC7515-7.2.1"],
                Self.signed(Self.general([(Self.pair, "pair-1"), (Self.secret, "secret-1")]))
            ),
            (
                "general-one", "in JSON, by a key that is known and by one that is not", ["RFC7515-7.2.1"],
                Self.signed(Self.general([(.pair("stranger"), "strange-1"), (Self.pair, "pair-1")]))
            ),
        ]
        for (name, title, proves, given) in texts { add("jws-" + name, title, proves, .jws, given, expecting: nil) }
    }

    private mutating func addRefusedContent() {
        let content = Self.content
        func headed(_ changes: JSON.Object) -> JSON.Object { Self.signed(content.heading(changes).text) }
        func finished(_ finish: @escaping @Sendable (String) -> String) -> JSON.Object {
            Self.signed(content.finished(finish).text)
        }
        let text = content.text
        let texts: [(String, String, String, String, JSON.Object)] = [
            ("unsecured", "whose algorithm is none", "threat-1", "threat-1", headed(["alg": "none"])),
            ("unsecured-spelled", "whose algorithm is NonE", "threat-1", "threat-1", headed(["alg": "NonE"])),
            ("without-algorithm", "without an algorithm", "RFC7515-4.1", "threat-2", headed(["alg": .null])),
            ("algorithm-list", "whose algorithm is a list", "RFC7515-4.1", "threat-2", headed(["alg": ["EdDSA"]])),
            (
                "not-accepted", "whose algorithm is not accepted", "RFC8725-3.1", "threat-4",
                Self.signed(text, ["algorithms": ["HS256"]])
            ),
            (
                "other-hash", "whose algorithm is another of the family", "RFC8725-3.1", "threat-4",
                headed(["alg": "HS512"])
            ),
            (
                "public-key-as-secret", "whose code was made with the public key", "RFC8725-3.1", "threat-3",
                Self.signed(
                    content.heading(["alg": "HS256"]).signed(by: .secret(TestKey.pair("signer").publicBytes)).text)
            ),
            (
                "foreign", "signed by another key", "RFC7515-5.2", "threat-5",
                Self.signed(content.signed(by: .pair("stranger")).text)
            ),
            (
                "no-signature", "without a signature", "threat-5", "threat-5",
                finished { String($0.prefix(through: $0.lastIndex(of: ".") ?? $0.startIndex)) }
            ),
            (
                "cut", "whose signature lacks its last bytes", "RFC7515-5.2", "threat-5",
                finished { String($0.dropLast(6)) }
            ),
            ("unknown-key", "of a key that is not known", "RFC7515-6", "threat-10", headed(["kid": "../pair-1"])),
            ("kid-number", "whose key has a number for a name", "RFC7515-4.1", "threat-10", headed(["kid": 1])),
            ("kid-empty", "whose key has an empty name", "RFC7515-4.1.4", "threat-10", headed(["kid": ""])),
            ("embedded-key", "that brings a key along", "threat-9", "threat-9", headed(["jwk": Self.pair.publicJWK])),
            (
                "key-address", "that says where its key is", "threat-9", "threat-9",
                headed(["jku": "https://evil.example/keys"])
            ),
            ("certificate", "that brings a certificate along", "threat-9", "threat-9", headed(["x5c": ["AA"]])),
            (
                "critical-unknown", "with an extension that must be understood, and is not", "RFC7515-4.1.11",
                "threat-11",
                headed(["crit": ["x-a"], "x-a": 1])
            ),
            (
                "critical-empty", "whose list of extensions is empty", "RFC7515-4.1.11", "threat-11",
                headed(["crit": []])
            ),
            (
                "critical-standard", "that calls a standard parameter an extension", "RFC7515-4.1.11", "threat-11",
                headed(["crit": ["alg"]])
            ),
            (
                "critical-absent", "with an extension that is not there", "RFC7515-4.1.11", "threat-11",
                Self.signed(content.heading(["crit": ["b64"]]).text, ["unencoded": true])
            ),
            (
                "critical-number", "whose list of extensions is a number", "RFC7515-4.1", "threat-11",
                headed(["crit": 1])
            ),
            (
                "unencoded-quietly", "whose payload is not encoded, without saying that this is critical", "RFC7797-6",
                "threat-11",
                headed(["b64": false])
            ),
            ("padded", "with padding", "RFC7515-2", "threat-12", finished { $0 + "==" }),
            ("space", "with a space before it", "RFC7515-2", "threat-12", finished { " " + $0 }),
            (
                "stray-bits", "with bits behind the signature's last byte", "RFC7515-2", "threat-12",
                finished { Self.withStrayBits($0) }
            ),
            ("four-parts", "of four parts", "RFC7515-7.1", "threat-12", finished { $0 + ".AA" }),
            ("five-parts", "of five parts, encrypted", "RFC7515-7.1", "threat-12", finished { $0 + ".AA.AA" }),
            (
                "two-parts", "of two parts", "RFC7515-7.1", "threat-12",
                finished { $0.split(separator: ".").prefix(2).joined(separator: ".") }
            ),
            (
                "dots", "of ten thousand parts", "RFC7515-7.1", "threat-14",
                Self.signed(String(repeating: ".", count: 10_000))
            ),
            (
                "too-large", "of more than twenty thousand bytes", "threat-14", "threat-14",
                Self.signed(content.claiming(["note": .string(String(repeating: "a", count: 20_000))]).text)
            ),
            (
                "repeated", "with a parameter that comes twice, once in disguise", "RFC7515-4", "threat-13",
                Self.signed(Self.raw(#"{"alg":"EdDSA","kid":"pair-1","\u0061lg":"EdDSA"}"#))
            ), ("header-list", "whose header is a list", "RFC7515-4.1", "threat-12", Self.signed(Self.raw("[]"))),
            (
                "detached-and-there", "whose payload is in it and beside it", "RFC7515-F", "threat-12",
                Self.signed(text, ["detached": "something else"])
            ),
            (
                "general-flattened", "in JSON, in both forms at once", "RFC7515-7.2.2", "threat-12",
                Self.signed(Self.general([(Self.pair, "pair-1")], ["signature": "AA"]))
            ),
            (
                "general-many", "in JSON, with nine signatures", "threat-14", "threat-14",
                Self.signed(Self.general(Array(repeating: (Self.pair, "pair-1"), count: 9)))
            ),
            (
                "general-foreign", "in JSON, by unknown keys alone", "RFC7515-6", "threat-10",
                Self.signed(Self.general([(.pair("stranger"), "strange-1")]))
            ),
        ]
        for (name, title, clause, threat, given) in texts {
            add(
                "jws-" + name, "a text " + title, [threat], .jws, given, expecting: Expected(error: nil, clause: clause)
            )
        }
    }

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

    private mutating func addReadableTokens() {
        let token = Self.token
        let texts: [(String, String, [String], JSON.Object)] = [
            ("plain", "with everything that is expected", ["RFC7519-7.2"], Self.expecting(token)),
            (
                "last-second", "in the second before it expires", ["RFC7519-4.1.4"],
                Self.expecting(token, ["now": Self.time(299)])
            ),
            (
                "clock-ahead", "issued a minute from now", ["RFC7519-4.1.6"],
                Self.expecting(token.claiming(["iat": Self.time(60)]))
            ),
            (
                "not-before-ahead", "that holds in a minute", ["RFC7519-4.1.5"],
                Self.expecting(token.claiming(["nbf": Self.time(60)]))
            ),
            (
                "fraction", "whose times have fractions", ["RFC7519-2"],
                Self.expecting(token.claiming(["exp": .number(Self.half(300))]))
            ),
            (
                "audience-list", "whose audience is a list of one", ["RFC7519-4.1.3"],
                Self.expecting(token.claiming(["aud": [.string(Self.audience)]]))
            ),
            (
                "type-with-tree", "whose type has the prefix that media types have", ["RFC7515-4.1.9"],
                Self.expecting(token.heading(["typ": "application/at+jwt"]))
            ),
            (
                "type-capitals", "whose type is in capitals", ["RFC7515-4.1.9"],
                Self.expecting(token.heading(["typ": "AT+JWT"]))
            ),
            (
                "untyped", "without a type, where just a token is expected", ["RFC8725-3.11"],
                Self.expecting(token.heading(["typ": .null]), ["type": "JWT"])
            ),
            (
                "endless", "without an end, where none is demanded", ["RFC7519-4.1.4"],
                Self.expecting(token.claiming(["exp": .null]), ["endless": true])
            ),
            (
                "owner", "by the issuer that the key belongs to", ["RFC8725-3.8"],
                Self.expecting(token, ["issuer": true])
            ),
            (
                "one-of", "by one of two issuers", ["RFC7519-4.1.1"],
                Self.expecting(token, ["issuer": ["https://other.example", .string(Self.issuer)]])
            ),
            (
                "subject", "about the one who is expected", ["RFC7519-4.1.2"],
                Self.expecting(token, ["subject": "user-1"])
            ),
            (
                "unnamed", "for nobody in particular", ["RFC7519-4.1.3"],
                Self.expecting(token.claiming(["aud": .null]), ["audience": false])
            ),
            (
                "young", "as old as it may be", ["RFC7519-4.1.6"],
                Self.expecting(token.claiming(["iat": Self.time(-120)]), ["maximum_age": 120])
            ),
            (
                "secret", "by a shared secret, which belongs to no issuer", ["RFC7519-7.2"],
                Self.expecting(TestToken("at+jwt", Self.secret, named: "secret-1", token.claims))
            ),
            (
                "more", "with claims that nobody expects", ["RFC7519-4"],
                Self.expecting(token.claiming(["x-note": ["a": [1, 2]]]))
            ),
        ]
        for (name, title, proves, given) in texts {
            add("jwt-" + name, "a token " + title, proves, .jwt, given, expecting: nil)
        }
    }

    private static func half(_ offset: Int64) -> JSON.Number {
        (try? JSON(parsing: "\(now + offset).5"))?.number ?? JSON.Number(0)
    }

    private mutating func addRefusedTokens() {
        let token = Self.token
        func claiming(_ changes: JSON.Object, _ more: JSON.Object = [:]) -> JSON.Object {
            Self.expecting(token.claiming(changes), more)
        }
        let texts: [(String, String, String, String, JSON.Object)] = [
            (
                "expired", "in the second in which it expires", "RFC7519-4.1.4", "threat-16",
                Self.expecting(token, ["now": Self.time(300)])
            ),
            ("endless", "without an end", "RFC7519-4", "threat-16", claiming(["exp": .null])),
            (
                "end-text", "whose end is a text", "RFC7519-2", "threat-16",
                claiming(["exp": .string("\(Self.now + 300)")])
            ),
            (
                "end-null", "whose end is null", "RFC7519-2", "threat-16",
                Self.expecting(token.claiming(["exp": .null]).adding(#""exp":null"#))
            ),
            (
                "end-huge", "whose end is beyond all times", "RFC7519-2", "threat-15",
                Self.expecting(token.claiming(["exp": .null]).adding(#""exp":1e400"#))
            ),
            (
                "begun-later", "that holds 61 seconds from now", "RFC7519-4.1.5", "threat-16",
                claiming(["nbf": Self.time(61)])
            ),
            (
                "issued-later", "issued 61 seconds from now", "RFC7519-4.1.6", "threat-16",
                claiming(["iat": Self.time(61)])
            ),
            ("issued-negative", "issued before all times", "RFC7519-2", "threat-16", claiming(["iat": -1])),
            (
                "old", "a second older than it may be", "RFC7519-4.1.6", "threat-16",
                claiming(["iat": Self.time(-121)], ["maximum_age": 120])
            ),
            ("issuer", "by another issuer", "RFC7519-4.1.1", "threat-17", claiming(["iss": "https://other.example"])),
            (
                "issuer-slash", "by an issuer with a slash more", "RFC7519-4.1.1", "threat-17",
                claiming(["iss": .string(Self.issuer + "/")])
            ),
            (
                "issuer-capitals", "by an issuer in capitals", "RFC7519-4.1.1", "threat-17",
                claiming(["iss": "https://Issuer.example"])
            ),
            ("without-issuer", "by nobody", "RFC7519-4", "threat-17", claiming(["iss": .null])),
            ("issuer-list", "by a list", "RFC7519-4.1.1", "threat-17", claiming(["iss": [.string(Self.issuer)]])),
            (
                "key-of-another", "by an issuer with the key of another", "RFC8725-3.8", "threat-25",
                claiming(["iss": "https://other.example"], ["issuer": ["https://other.example", .string(Self.issuer)]])
            ),
            (
                "key-without-owner", "by a key that belongs to nobody, where its owner has to be the issuer",
                "RFC8725-3.8", "threat-25",
                Self.expecting(TestToken("at+jwt", Self.secret, named: "secret-1", token.claims), ["issuer": true])
            ),
            (
                "audience", "for another reader", "RFC7519-4.1.3", "threat-24",
                claiming(["aud": "https://reader.example/"])
            ),
            (
                "audience-longer", "for a reader whose name begins alike", "RFC7519-4.1.3", "threat-17",
                claiming(["aud": .string(Self.audience + "/x")])
            ),
            (
                "audiences", "for the reader and a stranger", "RFC7519-4.1.3", "threat-24",
                claiming(["aud": [.string(Self.audience), "https://evil.example"]])
            ),
            (
                "audience-mixed", "whose list of readers is one of numbers", "RFC7519-4.1.3", "threat-17",
                claiming(["aud": [7]])
            ),
            ("audience-empty", "whose list of readers is empty", "RFC7519-4.1.3", "threat-17", claiming(["aud": []])),
            ("without-audience", "for nobody", "RFC7519-4", "threat-24", claiming(["aud": .null])),
            (
                "subject", "about somebody else", "RFC7519-4.1.2", "threat-35",
                Self.expecting(token, ["subject": "user-2"])
            ),
            ("subject-number", "about a number", "RFC7519-4.1.2", "threat-17", claiming(["sub": 7])),
            ("id-number", "whose name is a number", "RFC7519-4.1.7", "threat-17", claiming(["jti": 7])),
            (
                "required", "without a claim that is demanded", "RFC7519-4", "threat-18",
                Self.expecting(token, ["requires": ["client_id"]])
            ),
            (
                "other-type", "of another type", "RFC8725-3.11", "threat-18",
                Self.expecting(token.heading(["typ": "request+jwt"]))
            ),
            ("untyped", "without a type", "RFC8725-3.11", "threat-18", Self.expecting(token.heading(["typ": .null]))),
            (
                "just-a-token", "of the type JWT, where another is expected", "RFC8725-3.11", "threat-18",
                Self.expecting(token.heading(["typ": "JWT"]))
            ),
            (
                "nested", "whose content is declared to be a token", "RFC7519-5.2", "threat-18",
                Self.expecting(token.heading(["cty": "JWT"]))
            ),
            (
                "repeated", "with a claim that comes twice, once in disguise", "RFC7519-7.2", "threat-13",
                Self.expecting(token.adding(#""\u0069ss":"https://issuer.example""#))
            ),
            (
                "payload-list", "whose payload is a list", "RFC7519-7.2", "threat-12",
                Self.expecting(token.paying(Array("[]".utf8)))
            ),
            (
                "payload-text", "whose payload is no JSON", "RFC7519-7.2", "threat-12",
                Self.expecting(token.paying(Array("what was agreed".utf8)))
            ),
            (
                "payload-latin-1", "whose payload is not UTF-8", "RFC7519-7.2", "threat-19",
                Self.expecting(token.paying([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]))
            ),
            (
                "deep", "whose claims lie too deep", "RFC7519-7.2", "threat-14",
                Self.expecting(
                    token.adding(
                        "\"a\":" + String(repeating: "[", count: 100) + String(repeating: "]", count: 100))
                )
            ),
            (
                "foreign-signature", "signed by another key", "RFC7515-5.2", "threat-5",
                Self.expecting(token.signed(by: .pair("stranger")))
            ),
            (
                "unsecured", "whose algorithm is none", "threat-1", "threat-1",
                Self.expecting(token.heading(["alg": "none"]))
            ),
        ]
        for (name, title, clause, threat, given) in texts {
            add(
                "jwt-refused-" + name, "a token " + title, [threat], .jwt, given,
                expecting: Expected(error: nil, clause: clause))
        }
    }

    private mutating func addIssuances() {
        let claims: JSON = .object(Self.token.claims)
        let good: [(String, String, JSON, JSON?)] = [
            ("pair", "by a key pair", Self.pair.privateJWK("pair-1"), "at+jwt"),
            ("secret", "by a shared secret", Self.secret.privateJWK("secret-1"), "at+jwt"),
            ("plain", "of no type of its own", Self.pair.privateJWK("pair-1"), nil),
        ]
        for (name, title, key, type) in good {
            var given: JSON.Object = ["claims": claims, "key": key]
            given["type"] = type
            add("issue-" + name, "a token is made " + title, ["RFC7519-7.1"], .issue, given, expecting: nil)
        }
        let short = TestKey.secret([UInt8](repeating: 7, count: 31)).privateJWK("short-1")
        add(
            "issue-short-secret", "with a secret of 31 bytes", ["threat-20"], .issue, ["claims": claims, "key": short],
            expecting: Expected(error: nil, clause: "RFC7518-3.2"))
        var other = Self.pair.privateJWK("pair-1").object ?? [:]
        other["use"] = "enc"
        add(
            "issue-other-use", "with a key for encryption", ["threat-18"], .issue,
            ["claims": claims, "key": .object(other)],
            expecting: Expected(error: nil, clause: "RFC7517-4.2"))
    }
}
