internal import JOSETesting
internal import Wire

// (7) On the device: what apps ask of the authorizing app, what it answers, and what people see.

extension Catalogue {
    mutating func addDevices() {
        add(.protocolRequest, "request-", Self.requests + Self.incomplete + Self.malformed + Self.flawed) { $0 }
        add(.protocolRequest, "answer-", Self.grants) { $0 }
        addAnswers("response-", Self.responses)
        add(.mode, "mode-", Self.modes) { $0 }
        add(.mode, "mode-browser-", Self.browserModes) { $0 }
        add(.mode, "mode-demand-", Self.demandModes) { $0 }
    }

    private static let signed = DeviceMessages.token()
    private static let two: JSON.Object = ["protocols": ["org.ieee.papi", "org.imsglobal.lti"]]
    private static let alpha = DeviceMessages.service(token: "a-token")
    private static let beta = DeviceMessages.service(World.beta, token: "b-token")

    // MARK: Requests (NIF-2 to NIF-4)

    private static func asked(
        _ changes: JSON.Object = [:], isRegistered: Bool = true, grants: [JSON]? = nil
    ) -> JSON.Object {
        let registry: JSON = isRegistered ? ["ch.example.reader": [TestKey.pair("reader").publicJWK("reader-1")]] : [:]
        let given: JSON.Object = [
            "registry": registry, "now": .number(JSON.Number(World.beginning)),
            "request": DeviceMessages.request(changes),
        ]
        return given.changed(["grants": grants.map { .array($0) } ?? .null])
    }

    private static let requests: [Row<JSON.Object>] = [
        ("signed", "a request that the app has signed", ["NIF-2", "NIF-3", "NIF-1"], nil, asked(["token": signed])),
        (
            "signed-and-bound", "the app wants its tokens bound to its key", ["NIF-3", "POP-1"], nil,
            asked(["token": DeviceMessages.token { $0.claiming(["cnf": ["jwk": TestKey.pair("reader").publicJWK]]) }])
        ),
        (
            "untyped", "the type of the signed text is JWT", ["NIF-3"], nil,
            asked(["token": DeviceMessages.token { $0.heading(["typ": "JWT"]) }])
        ),
        (
            "single", "the app can handle one service only", ["NIF-4"], nil,
            asked(["token": DeviceMessages.token(for: ["single": true]), "single": true])
        ),
        (
            "many", "the app asks for two protocols", ["NIF-2"], nil,
            asked(["token": DeviceMessages.token(for: two), "protocols": two["protocols"] ?? []])
        ),
        (
            "repeated", "the order of the protocols, and repeating one, means nothing", ["NIF-2"], nil,
            asked([
                "token": DeviceMessages.token(for: two),
                "protocols": ["org.imsglobal.lti", "org.ieee.papi", "org.imsglobal.lti"],
            ])
        ),
        (
            "oldest", "the app signed ten minutes ago, to the second", ["NIF-3"], nil,
            asked(["token": DeviceMessages.token { $0.claiming(["iat": $0.time(-600)]) }])
        ),
        (
            "unknown-member", "a member that nobody knows is ignored", ["NIF-2"], nil,
            asked(["token": signed, "platform": "android"])
        ),
        (
            "unsigned", "an app that is not registered does not sign", ["NIF-3"], nil,
            asked(["app_id": "ch.example.writer"], isRegistered: false)
        ),
    ]

    private static let incomplete: [Row<JSON.Object>] = ["client_id", "app_id", "app_name", "protocols"].flatMap {
        member in
        [("without", JSON.null), ("number", 7)].map { word, value in
            (
                "\(word)-\(member)", "'\(member)' is \(word)", ["NIF-2", "NIF-1"], "NIF-2",
                asked(["token": signed, JSON.Name(member): value])
            )
        }
    }

    private static let malformed: [Row<JSON.Object>] = [
        ("no-protocols", "an empty list of protocols", ["NIF-2"], "NIF-2", asked(["protocols": []])),
        ("empty-protocol", "a protocol with an empty name", ["NIF-2"], "NIF-2", asked(["protocols": [""]])),
        ("text-as-list", "a text in the place of the list", ["NIF-2"], "NIF-2", asked(["protocols": "org.ieee.papi"])),
        ("single-text", "'single' is a text", ["NIF-2"], "NIF-2", asked(["single": "yes"])),
    ]

    private static let flawed: [Row<JSON.Object>] = [
        (
            "token-other-audience", "the signed text is for something else", ["NIF-3", "threat-47"], "RFC7519-4.1.3",
            asked(["token": DeviceMessages.token { $0.claiming(["aud": "urn:other"]) }])
        ),
        (
            "token-other-app", "the signed text is by another app", ["NIF-3", "threat-47"], "RFC7519-4.1.1",
            asked(["token": DeviceMessages.token { $0.claiming(["iss": "ch.example.evil"]) }])
        ),
        (
            "token-other-instance", "the signed text is for another instance", ["NIF-3", "threat-47"], "RFC7519-4.1.2",
            asked(["token": DeviceMessages.token { $0.claiming(["sub": "device-8"]) }])
        ),
        (
            "token-other-name", "the signed text has another name of the app", ["NIF-3", "threat-47"], "NIF-3",
            asked(["token": DeviceMessages.token { $0.claiming(["name": "Bank"]) }])
        ),
        (
            "token-foreign-key", "the signed text is signed by another key", ["NIF-3", "threat-47"], "RFC7515-5.2",
            asked(["token": DeviceMessages.token { $0.signed(by: .pair("stranger")) }])
        ),
        (
            "token-unsecured", "the signed text is not secured", ["NIF-3", "threat-1"], "threat-1",
            asked(["token": DeviceMessages.token { $0.heading(["alg": "none"]) }])
        ),
        (
            "token-without-audience", "the signed text is for nobody", ["NIF-3", "threat-47"], "RFC7519-4",
            asked(["token": DeviceMessages.token { $0.claiming(["aud": .null]) }])
        ),
        (
            "token-other-kind", "the signed text is a request token", ["NIF-3", "threat-18"], "RFC8725-3.11",
            asked(["token": DeviceMessages.token { $0.heading(["typ": "request+jwt"]) }])
        ),
        (
            "token-expired", "the signed text has come to its end", ["NIF-3", "threat-16"], "RFC7519-4.1.4",
            asked(["token": DeviceMessages.token { $0.claiming(["exp": .number(JSON.Number(World.beginning))]) }])
        ),
        (
            "unsigned-registered", "an app whose key is known does not sign: who can sign, must",
            ["NIF-3", "threat-58"], "NIF-3", asked()
        ),
        (
            "token-other-protocols", "the signed text covers other protocols", ["NIF-3", "threat-58"], "threat-58",
            asked(["token": signed, "protocols": two["protocols"] ?? []])
        ),
        (
            "token-other-wish", "the signed text covers no wish for one service", ["NIF-3", "threat-58"], "threat-58",
            asked(["token": signed, "single": true])
        ),
        (
            "token-without-digest", "the signed text does not say what it covers", ["NIF-3", "threat-58"],
            "RFC7519-4", asked(["token": DeviceMessages.token { $0.claiming(["req_hash": .null]) }])
        ),
        (
            "token-without-name", "the signed text has no name by which it comes once", ["NIF-3", "threat-58"],
            "RFC7519-4", asked(["token": DeviceMessages.token { $0.claiming(["jti": .null]) }])
        ),
        (
            "token-without-time", "the signed text does not say when it was made", ["NIF-3", "threat-58"],
            "RFC7519-4", asked(["token": DeviceMessages.token { $0.claiming(["iat": .null]) }])
        ),
        (
            "printed-claims", "the signed text has the claims that the source prints and no others",
            ["NIF-3", "threat-58"], "RFC7519-4",
            asked(["token": DeviceMessages.token { $0.claiming(["iat": .null, "jti": .null, "req_hash": .null]) }])
        ),
        (
            "token-too-old", "the app signed more than ten minutes ago", ["NIF-3", "threat-58"], "RFC7519-4.1.6",
            asked(["token": DeviceMessages.token { $0.claiming(["iat": $0.time(-601)]) }])
        ),
        (
            "token-replayed", "the signed text came before", ["NIF-3", "threat-58"], "threat-58",
            asked(["token": signed])
                .changed(["seen": ["ch.example.reader": ["request-1": .number(JSON.Number(World.beginning + 300))]]])
        ),
        (
            "other-caller", "the operating system says that another app asks", ["NIF-1", "threat-58"], "threat-58",
            asked(["token": signed]).changed(["caller": "ch.example.evil"])
        ),
        (
            "hidden-name", "the app's name hides what it is", ["NIF-2", "threat-58"], "threat-58",
            asked(["app_id": "ch.example.writer", "app_name": "Bank\u{202e}redaeR"], isRegistered: false)
        ),
        (
            "unknown-app", "a signed request by an app whose key is not known", ["NIF-3", "threat-47"], "NIF-3",
            asked(["token": signed], isRegistered: false)
        ),
    ]

    /// What the authorizing app makes of what the person granted (NIF-5).
    private static let grants: [Row<JSON.Object>] = [
        (
            "one", "one service, filtered to what was asked for", ["NIF-5"], nil,
            asked(["token": signed], grants: [alpha])
        ),
        ("none", "nothing was granted: an empty array", ["NIF-5", "APP-1"], nil, asked(["token": signed], grants: [])),
        ("two", "two services", ["NIF-5", "NIF-6"], nil, asked(["token": signed], grants: [alpha, beta])),
        (
            "unauthorized", "a service without an authorization is not answered", ["NIF-5"], "NIF-5",
            asked(["token": signed], grants: [DeviceMessages.service(token: nil)])
        ),
        (
            "two-of-one", "two services for an app that can handle one", ["NIF-4"], "NIF-4",
            asked(
                ["token": DeviceMessages.token(for: ["single": true]), "single": true],
                grants: [alpha, beta])
        ),
        (
            "other-protocol", "a service that does not offer what was asked for", ["NIF-5", "NAI-12"], "NAI-12",
            asked(
                ["token": DeviceMessages.token(for: ["protocols": ["org.unknown"]]), "protocols": ["org.unknown"]],
                grants: [alpha])
        ),
    ]

    // MARK: Answers (NIF-5 to NIF-9)

    private static let responses: [Row<(documents: JSON, asks: [JSON])>] = [
        (
            "one", "one service", ["NAI-2", "NIF-5"], nil,
            ([alpha], [DeviceMessages.ask("names"), DeviceMessages.ask("display_name"), DeviceMessages.ask("url")])
        ),
        (
            "two", "two services, though one was preferred", ["NAI-10", "NIF-6"], nil,
            ([alpha, beta], [DeviceMessages.ask("names")])
        ),
        ("none", "nothing was granted", ["NIF-5", "NAI-2", "APP-1"], nil, ([], [DeviceMessages.ask("names")])),
        (
            "keyed", "an object keyed by home page, as deployed apps send it", ["NAI-11"], nil,
            (.object(JSON.Object([(JSON.Name(World.alpha), alpha)])), [DeviceMessages.ask("names")])
        ),
        (
            "services-member", "an object with 'services'", ["NAI-11"], nil,
            (["services": [alpha]], [DeviceMessages.ask("names")])
        ),
        (
            "text-authorization", "an authorization that is JSON in a text", ["NAI-11"], nil,
            (
                [
                    DeviceMessages.service(
                        token: nil, extra: ["authorization": #"{"access_token":"a-token","token_type":"Bearer"}"#])
                ], [DeviceMessages.ask("token")]
            )
        ),
        (
            "token-member", "'token' in the place of 'authorization'", ["NAI-11"], nil,
            (
                [
                    DeviceMessages.service(
                        token: nil, extra: ["token": ["access_token": "a-token", "token_type": "Bearer"]])
                ], [DeviceMessages.ask("token")]
            )
        ),
        (
            "not-offered", "a service that does not offer what was asked for is dropped",
            ["NAI-12", "NAI-1", "threat-48"], "NAI-12",
            ([DeviceMessages.service(token: "t", offering: ["org.other"])], [])
        ),
        (
            "unauthorized", "a service without an authorization is dropped", ["NIF-5"], "NIF-5",
            ([DeviceMessages.service(token: nil)], [])
        ),
        (
            "one-flawed", "one service is flawed, the other is handled", ["NIF-6", "NAI-10"], "NAI-12",
            (
                [alpha, DeviceMessages.service(World.beta, token: "t", offering: ["org.other"])],
                [DeviceMessages.ask("names")]
            )
        ),
        (
            "repeated", "a service that comes twice", ["NIF-6", "DSC-2"], "DSC-2",
            ([alpha, DeviceMessages.service(token: "other")], [])
        ),
        (
            "unknown-type", "a token of a type that nobody knows", ["NIF-7", "NAI-11"], "RFC6749-7.1",
            ([DeviceMessages.service(token: "t", more: ["token_type": "mac"])], [])
        ),
        ("text", "an answer that is a text", ["NIF-5", "NIF-1"], "NIF-5", ("granted", [])),
        ("number-service", "a number among the services", ["NIF-6"], "NIF-5", ([7], [])),
    ]

    // MARK: Screens (UX)

    private static let profile: JSON = ["name": "Ada Muster"]
    private static let pick: JSON = .string("pick \(World.alpha)/")
    private static let hide: JSON = .string("hide \(World.alpha)/")

    static func eduID(_ signedIn: Bool, _ steps: [JSON]) -> JSON.Object {
        (["steps": .array(steps), "profile": profile] as JSON.Object).changed(["signed_in": signedIn ? profile : .null])
    }

    static func authorizing(_ signedIn: Bool, _ steps: [JSON], single: Bool = false) -> JSON.Object {
        [
            "request": DeviceMessages.request(single ? ["single": true] : [:]), "signed_in": .bool(signedIn),
            "candidates": [.string(World.alpha + "/"), .string(World.beta + "/")], "steps": .array(steps),
        ]
    }

    private static let modes: [Row<JSON.Object>] = [
        (
            "login", "nobody is signed in: login, then the profile", ["UX-1", "UX-4", "USR-7"], nil,
            eduID(false, ["sign in", "signed in"])
        ),
        (
            "login-again", "a wrong password leads back to login", ["UX-4"], nil,
            eduID(false, ["sign in", "sign-in failed", "sign in", "signed in"])
        ),
        (
            "step", "a step is asked for beside the password", ["UX-4", "FPA-10"], nil,
            eduID(false, ["sign in", "step wanted", "answer", "step wanted", "answer", "signed in"])
        ),
        (
            "step-begun-before", "the app is opened while a sign-in waits for a step", ["UX-4", "FPA-4"], nil,
            eduID(false, ["key gone", "begin anew"]).changed(["step_wanted": true])
        ),
        (
            "step-left", "who turns back from a step begins anew", ["UX-4"], nil,
            eduID(false, ["sign in", "step wanted", "logout confirmed", "turn back", "sign in", "sign-in failed"])
        ),
        (
            "step-unasked", "an answer to a step that nobody asked for", ["UX-4"], "UX-4", eduID(false, ["answer"])
        ),
        (
            "step-for-nobody", "a step is wanted where nobody signs in", ["UX-4"], "UX-4",
            eduID(false, ["step wanted"])
        ),
        (
            "app-step", "an app asks, and the user signs in with a step", ["UX-3", "FPA-10"], nil,
            authorizing(false, ["sign in", "step wanted", "answer", "signed in", "found", "accept"])
        ),
        (
            "app-step-begun-before", "an app asks while a sign-in waits for a step", ["UX-3", "FPA-4"], nil,
            authorizing(false, ["turn back", "sign in", "step wanted", "reject"]).changed(["step_wanted": true])
        ),
        (
            "app-step-unasked", "an answer to a step that nobody asked for, while an app asks", ["UX-3"], "UX-3",
            authorizing(false, ["answer"])
        ),
        (
            "logout", "logout warns first, then shows login", ["UX-5", "UX-6"], nil,
            eduID(true, ["log out", "confirm"])
        ),
        (
            "logout-pending", "the service hears of the logout only later", ["UX-5", "threat-32"], nil,
            eduID(true, ["log out", "confirm", "logout pending", "logout confirmed"])
        ),
        (
            "logout-pending-sign-in", "who signs in meanwhile need not be told", ["UX-5", "UX-4"], nil,
            eduID(true, ["log out", "confirm", "logout pending", "sign in", "logout confirmed", "signed in"])
        ),
        (
            "no-logout-pending", "nobody has logged out", ["UX-4", "UX-5"], "UX-4", eduID(true, ["logout pending"])
        ),
        (
            "hide", "a service that is hidden is not included", ["UX-2"], nil,
            authorizing(true, ["found", hide, "accept"])
        ),
        (
            "hide-stranger", "a service that is not on the screen cannot be hidden", ["UX-2"], "UX-2",
            authorizing(true, ["found", hide, hide])
        ),
        (
            "known-first", "what is known can be picked while others are looked for", ["DSC-10", "UX-2"], nil,
            authorizing(true, ["known", pick, "found", "accept"])
        ),
        (
            "found-twice", "after what was found nothing more is found", ["UX-2", "UX-3"], "UX-3",
            authorizing(true, ["known", "found", "found"])
        ),
        ("turn-back", "the user turns back to the profile", ["UX-5"], nil, eduID(true, ["log out", "turn back"])),
        ("session-ended", "the session ended elsewhere", ["UX-4", "UX-6"], nil, eduID(true, ["session ended"])),
        (
            "key-gone", "the key of the installation is gone for good, and the person begins anew", ["UX-4", "KEY-21"],
            nil, eduID(true, ["log out", "key gone", "logout pending", "begin anew", "sign in", "signed in"])
        ),
        ("key-gone-twice", "a key is gone once", ["UX-4"], "UX-4", eduID(false, ["key gone", "key gone"])),
        ("begin-anew-with-key", "nobody begins anew who has the key", ["UX-5"], "UX-5", eduID(true, ["begin anew"])),
        (
            "app-key-gone", "an app that asks gets nothing where the key is gone", ["UX-2", "KEY-21"], nil,
            authorizing(true, ["found", pick, "key gone"])
        ),
        (
            "pick-one", "the user picks a service", ["UX-2", "APP-1"], nil,
            authorizing(true, ["found", pick, "accept"])
        ),
        ("pick-none", "who picks none grants all", ["UX-2"], nil, authorizing(true, ["found", "accept"])),
        (
            "reject", "who rejects grants nothing", ["UX-2", "APP-1"], nil,
            authorizing(true, ["found", pick, "reject"])
        ),
        (
            "reject-early", "the user turns the request down before anything was found", ["UX-2", "APP-1"], nil,
            authorizing(true, ["reject"])
        ),
        (
            "login-first", "without a signed-in user it begins with login", ["UX-3"], nil,
            authorizing(false, ["sign in", "signed in", "found", pick, "accept"])
        ),
        (
            "single", "an app that can handle one service gets one", ["UX-2", "NIF-4"], nil,
            authorizing(true, ["found", pick, "accept"], single: true)
        ),
        ("confirm-unasked", "logout without the warning", ["UX-5"], "UX-5", eduID(true, ["confirm"])),
        ("logout-nobody", "logout when nobody is signed in", ["UX-5", "UX-6"], "UX-5", eduID(false, ["log out"])),
        (
            "login-twice", "login when somebody is signed in", ["UX-4", "UX-1", "USR-7"], "UX-4",
            eduID(true, ["sign in"])
        ),
        ("unexpected", "an event that nobody waits for", ["UX-4", "UX-1"], "UX-4", eduID(false, ["signed in"])),
        ("accept-before-login", "a grant before login", ["UX-3", "APP-1"], "UX-2", authorizing(false, ["accept"])),
        ("found-before-login", "services before login", ["UX-3"], "UX-3", authorizing(false, ["found"])),
        (
            "pick-unknown", "a service that cannot serve what is requested", ["UX-2", "APP-1"], "UX-2",
            authorizing(true, ["found", "pick https://gamma.example.ch/"])
        ),
        (
            "single-none", "none picked for an app that can handle one", ["UX-2"], "UX-2",
            authorizing(true, ["found", "accept"], single: true)
        ),
        (
            "after-decision", "a second decision", ["UX-2", "UX-1"], "UX-2",
            authorizing(true, ["found", "accept", "accept"])
        ),
    ]
}
