internal import Wire

/// One thing that is wrong with a signed text, and the clause that says so.
struct Fault: Sendable {
    let name: String
    let title: String
    let proves: [String]
    let clause: String
    let change: @Sendable (Draft, Stage) -> Draft

    init(
        _ name: String, _ title: String, _ proves: [String], _ clause: String,
        _ change: @escaping @Sendable (Draft, Stage) -> Draft
    ) {
        self.name = name
        self.title = title
        self.proves = proves
        self.clause = clause
        self.change = change
    }
}

extension Fault {
    /// The few that tell whether a place checks at all, whose request token it is, for what and when.
    static let ofRequestTokens: [Fault] = [
        Fault("foreign-signature", "signed by another key", ["POP-1", "threat-36"], "RFC7515-5.2") { draft, _ in
            draft.signed(by: .pair("stranger"))
        },
        Fault("unknown-key", "of a key that nobody was given", ["POP-1", "threat-39"], "threat-39") { draft, _ in
            draft.heading(["kid": "nobody"])
        },
        Fault("another-url", "for another URL", ["threat-27"], "RFC7519-4.1.3") { draft, _ in
            draft.claiming(["aud": "https://elsewhere.example.ch/"])
        },
        Fault("another-party", "in the name of another party", ["threat-25"], "RFC7519-4.1.1") { draft, _ in
            draft.claiming(["iss": "somebody-else"])
        },
        Fault("stale", "made 61 seconds ago", ["threat-36"], "RFC7519-4.1.6") { draft, stage in
            draft.claiming(["iat": stage.time(-61)])
        },
    ]

    /// Where a plain token is taken as well, what is no signed text is a plain token that nobody was given, and is
    /// answered like that.
    static let unread = [
        "unsecured": "threat-39", "unsecured-spelled": "threat-39", "without-algorithm": "threat-39",
        "empty-signature": "threat-39",
        "padded": "threat-39", "critical": "threat-39", "detached": "threat-39", "repeated-parameter": "threat-39",
    ]

    /// All others, each shown where a server and where a resource takes a request token.
    static let moreOfRequestTokens: [Fault] = [
        Fault("early", "made 61 seconds from now", ["threat-16"], "RFC7519-4.1.6") { draft, stage in
            draft.claiming(["iat": stage.time(61)])
        },
        Fault("expired", "whose own end has come", ["threat-16"], "RFC7519-4.1.4") { draft, stage in
            draft.claiming(["exp": stage.time(0)])
        },
        Fault("not-yet", "that holds later", ["threat-16"], "RFC7519-4.1.5") { draft, stage in
            draft.claiming(["nbf": stage.time(61)])
        },
        Fault("text-as-time", "whose time is a text", ["threat-16"], "RFC7519-2") { draft, _ in
            draft.claiming(["iat": "1800000000"])
        },
        Fault("two-audiences", "for two URLs", ["threat-24"], "threat-24") { draft, _ in
            draft.claiming(["aud": [draft.claims["aud"] ?? .null, "https://elsewhere.example.ch/"]])
        },
        Fault("without-name", "without a name", ["threat-36"], "RFC7519-4") { draft, _ in draft.claiming(["jti": .null])
        },
        Fault("without-time", "without a time", ["threat-36"], "RFC7519-4") { draft, _ in draft.claiming(["iat": .null])
        },
        Fault("without-audience", "for nobody", ["threat-36"], "RFC7519-4") { draft, _ in draft.claiming(["aud": .null])
        },
        Fault("unsecured", "whose algorithm is none", ["threat-1"], "REQ-2") { draft, _ in
            draft.heading(["alg": "none"])
        },
        Fault("unsecured-spelled", "whose algorithm is nOnE", ["threat-1"], "REQ-2") { draft, _ in
            draft.heading(["alg": "nOnE"])
        },
        Fault("without-algorithm", "without an algorithm", ["threat-2"], "RFC7515-4.1") { draft, _ in
            draft.heading(["alg": .null])
        },
        Fault("public-key-as-secret", "whose MAC was made with the public key", ["threat-3"], "RFC8725-3.1") {
            draft, _ in
            guard let x = draft.key.publicJWK["x"]?.string, let bytes = try? Base64URL.decode(x) else { return draft }
            return draft.heading(["alg": "HS256"]).signed(by: .secret(bytes))
        },
        Fault("empty-signature", "without a signature", ["threat-5"], "threat-5") { draft, _ in
            draft.finished { text in String(text[...(text.lastIndex(of: ".") ?? text.startIndex)]) }
        },
        Fault("cut-signature", "whose signature lacks its last bytes", ["threat-5"], "RFC7515-5.2") { draft, _ in
            draft.finished { String($0.dropLast(6)) }
        },
        Fault("padded", "with padding", ["threat-12"], "RFC7515-2") { draft, _ in draft.finished { $0 + "==" } },
        Fault("critical", "with an extension that must be understood, and is not", ["threat-11"], "RFC7515-4.1.11") {
            draft, _ in
            draft.heading(["crit": ["exp-2027"], "exp-2027": true])
        },
        Fault("detached", "whose payload stays as it is", ["threat-11"], "RFC7515-4.1.11") { draft, _ in
            draft.heading(["crit": ["b64"], "b64": false])
        },
        Fault("of-another-kind", "that says it is an access token", ["threat-18"], "threat-39") { draft, _ in
            draft.heading(["typ": "at+jwt"])
        },
        Fault("repeated-claim", "with a claim that occurs twice, once in disguise", ["threat-13"], "RFC7519-7.2") {
            draft, _ in
            var copy = draft
            var text = String(decoding: draft.claims.encoded(), as: UTF8.self)
            text.removeLast()
            copy.payload = Array((text + #","i\u0073s":"somebody-else"}"#).utf8)
            return copy
        },
        Fault(
            "repeated-parameter", "with a header parameter that occurs twice, once in disguise",
            ["threat-2", "threat-13"], "RFC7515-4"
        ) {
            draft, _ in
            var copy = draft
            let algorithm = draft.header["alg"]?.encodedString() ?? ""
            copy.head = Array(
                (JSON.object(draft.header).encodedString().dropLast() + #","\u0061lg":\#(algorithm)}"#).utf8)
            return copy
        },
        Fault("no-object", "whose payload is no object", ["threat-12"], "RFC7519-7.2") { draft, _ in
            var copy = draft
            copy.payload = Array(#"["a","b"]"#.utf8)
            return copy
        },
    ]
}

extension Catalogue {
    /// What is wrong with request tokens, at one place: the request is the same in all of them.
    ///
    /// - Parameter error: what the place says, `invalid_client` or `invalid_token`.
    /// - Parameter clauses: the clauses of faults that the place meets in another order.
    /// - Parameter replays: whether nothing but the token keeps the request from going through twice.
    mutating func refuseRequestTokens(
        _ prefix: String, _ faults: [Fault], _ error: String, _ proves: [String], _ stage: Stage, _ role: Stage.Role,
        _ held: Held,
        _ url: String,
        kind: Vector.Kind = .exchange, clauses: [String: String] = [:], replays: Bool = true,
        _ request: (String) -> JSON
    ) {
        for fault in faults {
            var stage = stage
            let clause = clauses[fault.name] ?? fault.clause
            let draft = fault.change(stage.proof(held, url), stage)
            refuse(
                "\(prefix)-\(fault.name)", "with a request token \(fault.title)", proves + fault.proves, error, clause,
                stage, role,
                request(draft.text), kind: kind)
        }
        // The same token once more: the first request went through.
        var replayed = stage
        let text = replayed.proof(held, url).text
        if replays, (try? replayed.attempt(role, request(text), kind: kind)) != nil {
            refuse(
                "\(prefix)-replayed", "with a request token that was presented before", proves + ["threat-36"], error,
                "threat-36",
                replayed,
                role, request(text), kind: kind)
        }
    }
}
