internal import PureCrypto
internal import JOSETesting
internal import Wire

// What an app keeps of what it was granted: addresses, tokens, and its state as a text.

extension Catalogue {
    mutating func addApps() {
        addAnswers("", Self.answers)
        add(.state, "state-", Self.states) { ["text": .string($0)] }
        addSeals()
        addStores()
    }

    /// What the app makes of answers, with chance of its own for the tokens that it signs.
    mutating func addAnswers(_ prefix: String, _ rows: [Row<(documents: JSON, asks: [JSON])>]) {
        for row in rows {
            let given = DeviceMessages.answered(row.value.documents, row.value.asks)
                .changed(["entropy": chance(of: prefix + row.name)])
            add(prefix + row.name, row.title, row.proves, .protocolResponse, given, expecting: row.refusal)
        }
    }

    private static let alpha = DeviceMessages.service(token: "a-token")
    private static let beta = DeviceMessages.service(World.beta, token: "b-token")
    private static let short = DeviceMessages.service(token: "a-token", more: ["expires_in": 60])
    private static let scoped = DeviceMessages.service(
        token: "a-token", more: ["scope": .string(World.papi + "/books")])
    private static let bound = DeviceMessages.service(
        token: "an.access.token",
        more: [
            "token_type": "PoP", "cnf": ["jwk": TestKey.secret("secret of the app").privateJWK("app-key-1")],
            "expires_in": 60,
        ])
    /// A service that takes tokens somewhere else.
    private static func taking(_ link: String) -> JSON {
        let apis: JSON = ["org.ietf.oauth2": ["apiLink": .string(link)], "org.ieee.papi": ["apiLink": "api/papi"]]
        return DeviceMessages.service(
            token: "a-token", more: ["refresh_token": "r-token"], extra: ["apis": apis])
    }

    /// A service that takes what a path below its authorization component is for in a place of its own.
    private static func having(_ path: String, at link: String) -> JSON {
        let apis: JSON.Object = [
            "org.ietf.oauth2": ["apiLink": "oauth"], "org.ieee.papi": ["apiLink": "api/papi"],
            JSON.Name("org.ietf.oauth2." + path): ["apiLink": .string(link)],
        ]
        return DeviceMessages.service(
            token: "a-token", more: ["refresh_token": "r-token"], extra: ["apis": .object(apis)])
    }

    private static let late: JSON = .number(JSON.Number(World.beginning + 60))

    private static let answers: [Row<(documents: JSON, asks: [JSON])>] = [
        (
            "endpoint", "the URL of an endpoint, and of a path below it", ["NAI-5", "RSD-3"], nil,
            ([alpha], [DeviceMessages.ask("endpoint"), DeviceMessages.ask("endpoint", ["path": "books/7"])])
        ),
        (
            "token", "a plain token goes unchanged to every endpoint", ["NAI-6", "NIF-7"], nil,
            (
                [alpha],
                [
                    DeviceMessages.ask("token"), DeviceMessages.ask("token", ["path": "books/7"]),
                    DeviceMessages.ask("token", ["claims": ["a": 1]]),
                ]
            )
        ),
        (
            "own-authorization", "an authorization at the protocol wins", ["NIF-8"], nil,
            (
                [
                    DeviceMessages.service(
                        token: "at-service", own: ["access_token": "at-protocol", "token_type": "Bearer"])
                ], [DeviceMessages.ask("token")]
            )
        ),
        (
            "serialized", "the state is written and read back", ["NAI-3"], nil,
            ([alpha, beta], [DeviceMessages.ask("serialize")])
        ),
        (
            "removed", "a service is removed, the other stays", ["NAI-8"], nil,
            ([alpha, beta], [DeviceMessages.ask("remove"), DeviceMessages.ask("names")])
        ),
        (
            "cleared", "all services are removed", ["NAI-8"], nil,
            ([alpha, beta], [DeviceMessages.ask("clear"), DeviceMessages.ask("names")])
        ),
        (
            "revoked", "a token is revoked at the service, and is gone here", ["NAI-7", "NIF-10"], nil,
            ([alpha], [DeviceMessages.ask("revoke"), DeviceMessages.ask("names")])
        ),
        (
            "renewed", "an expired token is renewed at the service's token endpoint", ["NIF-9"], nil,
            (
                [DeviceMessages.service(token: "a-token", more: ["expires_in": 60, "refresh_token": "r-token"])],
                [DeviceMessages.ask("renew", ["now": .number(JSON.Number(World.beginning + 60))])]
            )
        ),
        (
            "renewed-elsewhere", "an expired token is renewed where the description has the token endpoint",
            ["NIF-9", "NIF-5", "RSD-3"], nil,
            (
                [having("token", at: "login")],
                [DeviceMessages.ask("renew", ["now": .number(JSON.Number(World.beginning + 60))])]
            )
        ),
        (
            "revoked-elsewhere", "a token is revoked where the description has that", ["NIF-10", "NIF-5", "RSD-3"], nil,
            ([having("revoke", at: "https://login.example.ch/out")], [DeviceMessages.ask("revoke")])
        ),
        (
            "standing", "how it stands with an authorization, before its end and after it", ["NIF-12"], nil,
            (
                [short], [DeviceMessages.ask("standing"), DeviceMessages.ask("standing", ["now": late])]
            )
        ),
        (
            "standing-refused", "how it stands with a token that the service has refused, and that can be renewed",
            ["NIF-12", "NIF-9"], nil,
            (
                [DeviceMessages.service(token: "a-token", more: ["expires_in": 60, "refresh_token": "r-token"])],
                [DeviceMessages.ask("refused", ["token": "a-token"]), DeviceMessages.ask("standing")]
            )
        ),
        (
            "refused-standing", "how it stands with what was not granted", ["NIF-12", "NAI-12"], "NAI-12",
            ([alpha], [DeviceMessages.ask("standing", ["protocol": "org.imsglobal.lti"])])
        ),
        (
            "bound", "a bound token becomes a request token for the endpoint", ["NAI-6", "NIF-7", "POP-1"], nil,
            ([bound], [DeviceMessages.ask("token")])
        ),
        (
            "bound-path", "and one for a path below it", ["NAI-6", "NAI-5"], nil,
            ([bound], [DeviceMessages.ask("token", ["path": "books/7"])])
        ),
        (
            "bound-twice", "each time it is another one", ["NIF-7", "POP-1"], nil,
            ([bound], [DeviceMessages.ask("token"), DeviceMessages.ask("token")])
        ),
        (
            "bound-claims", "with claims of the app's own", ["NAI-6"], nil,
            ([bound], [DeviceMessages.ask("token", ["claims": ["page": 7]])])
        ),
        (
            "refused-bound-expired", "a bound token that has expired", ["NAI-6"], "NAI-6",
            ([bound], [DeviceMessages.ask("token", ["now": late])])
        ),
        (
            "refused-bound-issuer", "a claim that would replace the issuer", ["NAI-6", "threat-50"], "threat-50",
            ([bound], [DeviceMessages.ask("token", ["claims": ["iss": "somebody"]])])
        ),
        (
            "refused-bound-audience", "a claim that would replace the audience", ["NAI-6", "threat-50"], "threat-50",
            ([bound], [DeviceMessages.ask("token", ["claims": ["aud": "https://evil.example"]])])
        ),
        (
            "refused-unknown-service", "a service that the app does not have", ["NAI-2", "NAI-4", "NAI-6"], "NAI-2",
            ([alpha], [DeviceMessages.ask("token", ["service": "https://gamma.example.ch/"])])
        ),
        (
            "refused-unknown-name", "the display name of a service that the app does not have", ["NAI-4"], "NAI-2",
            ([alpha], [DeviceMessages.ask("display_name", ["service": "https://gamma.example.ch/"])])
        ),
        (
            "refused-not-granted", "a protocol that was not asked for", ["NAI-12", "NAI-9", "threat-48"], "NAI-12",
            ([alpha], [DeviceMessages.ask("endpoint", ["protocol": "org.imsglobal.lti"])])
        ),
        (
            "refused-expired", "an expired token", ["NAI-6", "NIF-9"], "NAI-6",
            ([short], [DeviceMessages.ask("token", ["now": late])])
        ),
        (
            "refused-refused", "a token that the service has refused", ["NIF-9", "UX-6"], "NAI-6",
            ([alpha], [DeviceMessages.ask("refused", ["token": "a-token"]), DeviceMessages.ask("token")])
        ),
        (
            "refused-not-renewable", "an expired token without a refresh token", ["NIF-9", "TOK-2"], "TOK-2",
            ([short], [DeviceMessages.ask("renew", ["now": late])])
        ),
        (
            "refused-own-network", "a document that takes tokens at an address of the own network", ["threat-70"],
            "threat-70", ([taking("https://10.0.0.7/oauth")], [DeviceMessages.ask("renew")])
        ),
        (
            "refused-own-machine", "a document that takes tokens at the own machine", ["threat-70"],
            "threat-70", ([taking("https://localhost/oauth")], [DeviceMessages.ask("renew")])
        ),
        (
            "refused-odd-port", "a document that takes tokens at a port that is not its service's", ["threat-70"],
            "threat-70", ([taking(World.alpha + ":22/oauth")], [DeviceMessages.ask("renew")])
        ),
        (
            "refused-climbing", "a path that climbs", ["NAI-5", "threat-41"], "threat-41",
            ([alpha], [DeviceMessages.ask("endpoint", ["path": "../x"])])
        ),
        (
            "refused-outside-scope", "a path outside the token's scope", ["NIF-7", "threat-51"], "threat-51",
            ([scoped], [DeviceMessages.ask("token", ["path": "people"])])
        ),
        (
            "refused-after-removal", "a service that was removed", ["NAI-8"], "NAI-2",
            ([alpha], [DeviceMessages.ask("remove"), DeviceMessages.ask("token")])
        ),
        (
            "refused-after-revocation", "a service whose token was revoked", ["NAI-7"], "NAI-2",
            ([alpha], [DeviceMessages.ask("revoke"), DeviceMessages.ask("token")])
        ),
        (
            "refused-own-expired",
            "the authorization at the protocol has expired; the service's own does not take its place", ["NIF-8"],
            "NAI-6",
            (
                [
                    DeviceMessages.service(
                        token: "at-service",
                        own: ["access_token": "at-protocol", "token_type": "Bearer", "expires_in": 60])
                ], [DeviceMessages.ask("token", ["now": late])]
            )
        ),
    ]

    private static let states: [Row<String>] = [
        ("empty", "an empty text", ["NAI-3", "threat-49"], "RFC8259-2", ""),
        ("no-json", "a text that is no JSON", ["NAI-3", "threat-49"], "RFC8259-2", "services"),
        (
            "future", "a state of a later version", ["NAI-3", "threat-49"], "threat-49",
            #"{"nail":99,"digest":"\#(Base64URL.encode([UInt8](SHA256.hash(data: Array("{}".utf8)))))","state":{}}"#
        ),
        (
            "changed", "a state that was changed after it was written", ["NAI-3", "threat-49"], "threat-49",
            #"{"nail":1,"digest":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","state":{"keys":[],"services":[]}}"#
        ),
        ("list", "a list", ["NAI-3", "threat-49"], "RFC8259-3", "[]"),
    ]
}
