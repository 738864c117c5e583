internal import Wire

/// One thing that is wrong with a signed text, and the clause that says so.
package struct Defect: Sendable {
    package let name: String
    package let title: String
    package let proves: [String]
    package let clause: String
    package let change: @Sendable (TestToken) -> TestToken

    package init(
        _ name: String, _ title: String, _ proves: [String], _ clause: String,
        _ change: @escaping @Sendable (TestToken) -> TestToken
    ) {
        self.name = name
        self.title = title
        self.proves = proves
        self.clause = clause
        self.change = change
    }
}

extension Defect {
    /// The few that tell whether a place checks at all, whose request token it is, for what and when.
    package static let ofRequestTokens: [Defect] = [
        Defect("foreign-signature", "signed by another key", ["POP-1", "threat-36"], "RFC7515-5.2") {
            $0.signed(by: .pair("stranger"))
        },
        Defect("unknown-key", "of a key that nobody was given", ["POP-1", "threat-39"], "threat-39") {
            $0.heading(["kid": "nobody"])
        },
        Defect("another-url", "for another URL", ["threat-27"], "RFC7519-4.1.3") {
            $0.claiming(["aud": "https://elsewhere.example.ch/"])
        },
        Defect("another-party", "in the name of another party", ["threat-25"], "RFC7519-4.1.1") {
            $0.claiming(["iss": "somebody-else"])
        },
        Defect("stale", "made 61 seconds ago", ["threat-36"], "RFC7519-4.1.6") { $0.claiming(["iat": $0.time(-61)]) },
    ]

    /// All of them, each shown where a server and where a resource takes a request token.
    package static let allOfRequestTokens: [Defect] =
        ofRequestTokens + ofTimes + ofMembers + ofSignatures + ofTexts

    private static let ofTimes: [Defect] = [
        Defect("early", "made 61 seconds from now", ["threat-16"], "RFC7519-4.1.6") {
            $0.claiming(["iat": $0.time(61)])
        },
        Defect("expired", "whose own end has come", ["threat-16"], "RFC7519-4.1.4") {
            $0.claiming(["exp": $0.time(0)])
        },
        Defect("not-yet", "that holds later", ["threat-16"], "RFC7519-4.1.5") { $0.claiming(["nbf": $0.time(61)]) },
        Defect("text-as-time", "whose time is a text", ["threat-16"], "RFC7519-2") {
            $0.claiming(["iat": "1800000000"])
        },
    ]

    private static let ofMembers: [Defect] = [
        Defect("two-audiences", "for two URLs", ["threat-24"], "threat-24") {
            $0.claiming(["aud": [$0.claims["aud"] ?? .null, "https://elsewhere.example.ch/"]])
        },
        Defect("without-name", "without a name", ["threat-36"], "RFC7519-4") { $0.claiming(["jti": .null]) },
        Defect("without-time", "without a time", ["threat-36"], "RFC7519-4") { $0.claiming(["iat": .null]) },
        Defect("without-audience", "for nobody", ["threat-36"], "RFC7519-4") { $0.claiming(["aud": .null]) },
    ]

    private static let ofSignatures: [Defect] = [
        Defect("unsecured", "whose algorithm is none", ["threat-1"], "REQ-2") { $0.heading(["alg": "none"]) },
        Defect("unsecured-spelled", "whose algorithm is nOnE", ["threat-1"], "REQ-2") { $0.heading(["alg": "nOnE"]) },
        Defect("without-algorithm", "without an algorithm", ["threat-2"], "RFC7515-4.1") {
            $0.heading(["alg": .null])
        },
        Defect("public-key-as-secret", "whose MAC was made with the public key", ["threat-3"], "RFC8725-3.1") {
            guard case .pair = $0.key else { return $0 }
            return $0.heading(["alg": "HS256"]).signed(by: .secret($0.key.publicBytes))
        },
        Defect("empty-signature", "without a signature", ["threat-5"], "threat-5") {
            $0.finished { text in String(text[...(text.lastIndex(of: ".") ?? text.startIndex)]) }
        },
        Defect("cut-signature", "whose signature lacks its last bytes", ["threat-5"], "RFC7515-5.2") {
            $0.finished { String($0.dropLast(6)) }
        },
    ]

    private static let ofTexts: [Defect] = [
        Defect("padded", "with padding", ["threat-12"], "RFC7515-2") { $0.finished { $0 + "==" } },
        Defect("critical", "with an extension that must be understood, and is not", ["threat-11"], "RFC7515-4.1.11") {
            $0.heading(["crit": ["exp-2027"], "exp-2027": true])
        },
        Defect("detached", "whose payload stays as it is", ["threat-11"], "RFC7515-4.1.11") {
            $0.heading(["crit": ["b64"], "b64": false])
        },
        Defect("of-another-kind", "that says it is an access token", ["threat-18"], "threat-39") {
            $0.heading(["typ": "at+jwt"])
        },
        Defect("repeated-claim", "with a claim that occurs twice, once in disguise", ["threat-13"], "RFC7519-7.2") {
            $0.adding(#""i\u0073s":"somebody-else""#)
        },
        Defect(
            "repeated-parameter", "with a header parameter that occurs twice, once in disguise",
            ["threat-2", "threat-13"], "RFC7515-4"
        ) { $0.addingToHeader(#""\u0061lg":"# + ($0.header["alg"]?.encodedString() ?? "")) },
        Defect("no-object", "whose payload is no object", ["threat-12"], "RFC7519-7.2") {
            $0.paying(Array(#"["a","b"]"#.utf8))
        },
    ]
}
