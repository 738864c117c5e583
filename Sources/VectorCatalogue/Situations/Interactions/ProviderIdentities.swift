internal import JOSETesting
internal import Wire

// (2) What a provider says of whoever signed in there, and what is wrong with it.

extension Catalogue {
    private typealias Change = @Sendable (TestToken) -> TestToken

    mutating func addProviderIdentities(_ world: World, _ client: Held) throws {
        try addFlawedIdentities(world, client)
        try addDemandedIdentities(world, client)
    }

    private static let flaws: [Defect] =
        [
            Defect("foreign-signature", "signed by another key", ["OIC-8"], "RFC7515-5.2") {
                $0.signed(by: .pair("stranger"))
            },
            Defect("nameless-key", "that names no key", ["OIC-8"], "RFC7515-4.1.4") { $0.heading(["kid": .null]) },
            Defect("unsecured", "whose algorithm is none", ["OIC-8", "threat-1"], "threat-1") {
                $0.heading(["alg": "none"]).finished { text in
                    String(text[...(text.lastIndex(of: ".") ?? text.startIndex)])
                }
            },
            Defect("client-secret", "signed by the client's secret", ["OIC-8", "threat-3"], "RFC8725-3.1") {
                $0.heading(["alg": "HS256"]).signed(by: .secret(Array("secret of the service".utf8)))
            },
            Defect("own-key", "that brings its key along", ["OIC-8", "threat-9"], "threat-9") {
                $0.heading(["jwk": TestKey.pair("stranger").publicJWK]).signed(by: .pair("stranger"))
            },
            Defect("key-elsewhere", "that says where its key is", ["OIC-8", "threat-9"], "threat-9") {
                $0.heading(["jku": "https://login.example.net/keys"])
            },
            Defect("certificate-elsewhere", "that says where its certificate is", ["OIC-8", "threat-9"], "threat-9") {
                $0.heading(["x5u": "https://login.example.net/certificate"])
            },
            Defect("encrypted", "that is encrypted", ["OIC-8"], "RFC7515-7.1") { $0.finished { $0 + ".e30.e30" } },
            Defect("access-token", "that says it is an access token", ["OIC-8", "threat-18"], "RFC8725-3.11") {
                $0.heading(["typ": "at+jwt"])
            },
            Defect("logout-token", "that says it is a logout token", ["OIC-16", "threat-18"], "RFC8725-3.11") {
                $0.heading(["typ": "logout+jwt"])
            },
        ] + flawedClaims

    private static let flawedClaims: [Defect] = [
        Defect("expired", "whose end has come", ["OIC-8"], "RFC7519-4.1.4") { $0.claiming(["exp": $0.time(0)]) },
        Defect("endless", "without an end", ["OIC-8"], "RFC7519-4") { $0.claiming(["exp": .null]) },
        Defect("stale", "of 601 seconds ago", ["OIC-8"], "RFC7519-4.1.6") {
            $0.claiming(["iat": $0.time(-601), "auth_time": .null])
        },
        Defect("early", "of 61 seconds ahead", ["OIC-8"], "RFC7519-4.1.6") { $0.claiming(["iat": $0.time(61)]) },
        Defect("timeless", "without a time", ["OIC-8"], "RFC7519-4") { $0.claiming(["iat": .null]) },
        Defect("other-issuer", "by another provider", ["OIC-8"], "RFC8725-3.8") {
            $0.claiming(["iss": "https://login.example.net/"])
        },
        Defect("slashless-issuer", "by the provider without its slash", ["OIC-8"], "RFC8725-3.8") {
            $0.claiming(["iss": "https://login.example.org"])
        },
        Defect("other-client", "for another client", ["OIC-8"], "RFC7519-4.1.3") { $0.claiming(["aud": "edu-ID"]) },
        Defect("two-audiences", "for a stranger too", ["OIC-8", "threat-24"], "threat-24") {
            $0.claiming(["aud": ["edu-id", "stranger"]])
        },
        Defect("other-party", "made for another client's use", ["OIC-8"], "OIC-8") { $0.claiming(["azp": "stranger"]) },
        Defect("without-nonce", "without a nonce", ["OIC-8"], "RFC7519-4") { $0.claiming(["nonce": .null]) },
        Defect("other-nonce", "with the nonce of another request", ["OIC-8"], "OIC-8") {
            $0.claiming(["nonce": "AbcdefghijklmnopqrstuvwxyZ-0123456789._~AbC"])
        },
        Defect("nobody", "about nobody", ["OIC-8"], "RFC7519-4") { $0.claiming(["sub": .null]) },
        Defect("long-subject", "about somebody with 256 letters", ["OIC-8"], "OIC-8") {
            $0.claiming(["sub": .string(String(repeating: "a", count: 256))])
        },
        Defect("wide-subject", "about somebody with an umlaut", ["OIC-8"], "OIC-8") {
            $0.claiming(["sub": "\u{e4}da-at-provider"])
        },
        Defect("signed-in-later", "about a sign-in 61 seconds ahead", ["OIC-8"], "OIC-8") {
            $0.claiming(["auth_time": $0.time(61)])
        },
        Defect("text-as-time", "about a sign-in at a time that is a text", ["OIC-8"], "RFC7519-2") {
            $0.claiming(["auth_time": "1800000000"])
        },
        Defect("other-hash", "that came with another access token", ["OIC-8"], "OIC-8") {
            $0.claiming(["at_hash": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])
        },
    ]

    private mutating func addFlawedIdentities(_ world: World, _ client: Held) throws {
        for flaw in Self.flaws {
            try add(
                in: world, at: .eduID,
                [
                    .refused(
                        "identity-" + flaw.name, "with an ID token \(flaw.title)", flaw.proves, "server_error",
                        flaw.clause
                    ) { $0.returning(try $0.depart(client), changing: flaw.change) }
                ])
        }
        let good: [(String, String, Change)] = [
            ("untyped", "without a type", { $0.heading(["typ": .null]) }),
            ("own-party", "made for this client's use", { $0.claiming(["azp": "edu-id"]) }),
            ("sole-audience", "for this client as the only one in a list", { $0.claiming(["aud": ["edu-id"]]) }),
            ("hashless", "without a hash of the access token", { $0.claiming(["at_hash": .null]) }),
            ("bare", "that tells neither when nor how", { $0.claiming(["auth_time": .null, "amr": .null]) }),
            ("last-second", "in its last second", { $0.claiming(["iat": $0.time(-600), "exp": $0.time(1)]) }),
            (
                "long-enough", "about somebody with 255 letters",
                { $0.claiming(["sub": .string(String(repeating: "a", count: 255))]) }
            ),
        ]
        for (name, title, change) in good {
            try add(
                in: world, at: .eduID,
                [
                    .accepted("identity-" + name, "with an ID token \(title)", ["OIC-8"]) {
                        let request = $0.returning(try $0.depart(client), changing: change)
                        $0.answers = $0.answers.map { Array($0.prefix(1)) + $0[1...2] }
                        $0.answers?[0] = World.description(["userinfo_endpoint": .null])
                        return request
                    }
                ])
        }
        try add(
            in: World().signingInAtProvider(["algorithms": ["RS256", "ES256"]]), at: .eduID,
            [
                .refused(
                    "identity-other-algorithm", "with an ID token of an algorithm that the provider does not use",
                    ["OIC-8", "OIC-18"], "server_error", "RFC8725-3.1"
                ) {
                    let client = try $0.register()
                    return $0.returning(try $0.depart(client))
                }
            ])
    }

    private mutating func addDemandedIdentities(_ world: World, _ client: Held) throws {
        func demanding(_ claims: @escaping Change) -> Situation.Request {
            {
                let trip = try $0.depart(client, demanding: ["acr_values": "mfa password", "max_age": "60"])
                return $0.returning(trip, changing: claims)
            }
        }
        try add(
            in: world, at: .eduID,
            [
                .accepted(
                    "demanded", "the person was asked for what the app demands", ["OIC-8", "FPA-18"],
                    demanding { $0.claiming(["acr": "password", "auth_time": $0.time(-120)]) }),
                .refused(
                    "demanded-old", "the person was asked too long ago", ["OIC-8", "FPA-18"], "server_error", "OIC-8",
                    demanding { $0.claiming(["acr": "password", "auth_time": $0.time(-121)]) }),
                .refused(
                    "demanded-timeless", "it is not told when the person was asked", ["OIC-8", "FPA-18"],
                    "server_error", "RFC7519-4", demanding { $0.claiming(["acr": "password", "auth_time": .null]) }),
                .refused(
                    "demanded-otherwise", "the person was asked for something else", ["OIC-8", "FPA-18"],
                    "server_error", "OIC-8", demanding { $0.claiming(["acr": "Password"]) }),
                .refused(
                    "demanded-classless", "it is not told what the person was asked for", ["OIC-8", "FPA-18"],
                    "server_error", "OIC-8", demanding { $0 }),
            ])
    }
}
