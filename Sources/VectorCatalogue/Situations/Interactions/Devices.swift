internal import JOSETesting
internal import Wire

// (7) On the device: what apps ask of the authorizing app, what it answers, and what people see.

extension Catalogue {
    mutating func addDevices() {
        addProtocolRequests()
        addProtocolResponses()
        addModes()
    }

    // MARK: Requests (NIF-2, NIF-3)

    private static func asked(_ changes: JSON.Object = [:], grants: [JSON]? = nil) -> JSON.Object {
        var given: JSON.Object = [
            "registry": ["ch.example.reader": [TestKey.pair("reader").publicJWK("reader-1")]],
            "now": .number(JSON.Number(World.beginning)), "request": DeviceMessages.request(changes),
        ]
        given["grants"] = grants.map { .array($0) }
        return given
    }

    private mutating func addProtocolRequests() {
        let signed = DeviceMessages.token()
        let good: [(String, String, [String], JSON.Object)] = [
            ("signed", "a request that the app has signed", ["NIF-2", "NIF-3", "NIF-1"], ["token": signed]),
            (
                "signed-and-bound", "the app wants its tokens bound to its key", ["NIF-3", "POP-1"],
                ["token": DeviceMessages.token { $0.claiming(["cnf": ["jwk": TestKey.pair("reader").publicJWK]]) }]
            ),
            (
                "untyped", "the type of the signed text is JWT", ["NIF-3"],
                ["token": DeviceMessages.token { $0.heading(["typ": "JWT"]) }]
            ), ("single", "the app can handle one service only", ["NIF-4"], ["token": signed, "single": true]),
            (
                "many", "the app asks for two protocols", ["NIF-2"],
                ["token": signed, "protocols": ["org.ieee.papi", "org.imsglobal.lti"]]
            ),
            (
                "unknown-member", "a member that nobody knows is ignored", ["NIF-2"],
                ["token": signed, "platform": "android"]
            ),
        ]
        for (name, title, proves, changes) in good {
            add("request-" + name, title, proves, .protocolRequest, Self.asked(changes), expecting: nil)
        }
        var unregistered = Self.asked(["app_id": "ch.example.writer"])
        unregistered["registry"] = [:]
        add(
            "request-unsigned", "an app that is not registered does not sign", ["NIF-3"], .protocolRequest,
            unregistered, expecting: nil)
        for member in ["client_id", "app_id", "app_name", "protocols"] {
            for (word, value) in [("without", JSON.null), ("number", 7)] {
                add(
                    "request-\(word)-\(member)", "'\(member)' is \(word)", ["NIF-2", "NIF-1"], .protocolRequest,
                    Self.asked(["token": signed, JSON.Name(member): value]),
                    expecting: Expected(error: nil, clause: "NIF-2"))
            }
        }
        let malformed: [(String, String, JSON.Object, String)] = [
            ("no-protocols", "an empty list of protocols", ["protocols": []], "NIF-2"),
            ("empty-protocol", "a protocol with an empty name", ["protocols": [""]], "NIF-2"),
            ("text-as-list", "a text in the place of the list", ["protocols": "org.ieee.papi"], "NIF-2"),
            ("single-text", "'single' is a text", ["single": "yes"], "NIF-2"),
        ]
        for (name, title, changes, clause) in malformed {
            add(
                "request-" + name, title, ["NIF-2"], .protocolRequest, Self.asked(changes),
                expecting: Expected(error: nil, clause: clause))
        }
        let flawed: [(String, String, [String], String, (TestToken) -> TestToken)] = [
            (
                "other-audience", "is for something else", ["threat-47"], "RFC7519-4.1.3",
                { $0.claiming(["aud": "urn:other"]) }
            ),
            (
                "other-app", "is by another app", ["threat-47"], "RFC7519-4.1.1",
                { $0.claiming(["iss": "ch.example.evil"]) }
            ),
            (
                "other-instance", "is for another instance", ["threat-47"], "RFC7519-4.1.2",
                { $0.claiming(["sub": "device-8"]) }
            ), ("other-name", "has another name of the app", ["threat-47"], "NIF-3", { $0.claiming(["name": "Bank"]) }),
            (
                "foreign-key", "is signed by another key", ["threat-47"], "RFC7515-5.2",
                { $0.signed(by: .pair("stranger")) }
            ), ("unsecured", "is not secured", ["threat-1"], "threat-1", { $0.heading(["alg": "none"]) }),
            ("without-audience", "is for nobody", ["threat-47"], "RFC7519-4", { $0.claiming(["aud": .null]) }),
            ("other-kind", "is a request token", ["threat-18"], "RFC8725-3.11", { $0.heading(["typ": "request+jwt"]) }),
            (
                "expired", "has come to its end", ["threat-16"], "RFC7519-4.1.4",
                { $0.claiming(["exp": .number(JSON.Number(World.beginning))]) }
            ),
        ]
        for (name, title, proves, clause, change) in flawed {
            add(
                "request-token-" + name, "the signed text " + title, ["NIF-3"] + proves, .protocolRequest,
                Self.asked(["token": DeviceMessages.token(change)]), expecting: Expected(error: nil, clause: clause))
        }
        add(
            "request-unsigned-registered", "an app whose key is known does not sign: the text is optional",
            ["NIF-2", "NIF-3"], .protocolRequest, Self.asked(), expecting: nil)
        var unknown = Self.asked(["token": signed])
        unknown["registry"] = [:]
        add(
            "request-unknown-app", "a signed request by an app whose key is not known", ["NIF-3", "threat-47"],
            .protocolRequest, unknown, expecting: Expected(error: nil, clause: "NIF-3"))
        addAnswers(signed)
    }

    /// What the authorizing app makes of what the person granted (NIF-5).
    private mutating func addAnswers(_ signed: JSON) {
        let alpha = DeviceMessages.service(token: "a-token")
        add(
            "answer-one", "one service, filtered to what was asked for", ["NIF-5"], .protocolRequest,
            Self.asked(["token": signed], grants: [alpha]), expecting: nil)
        add(
            "answer-none", "nothing was granted: an empty array", ["NIF-5", "APP-1"], .protocolRequest,
            Self.asked(["token": signed], grants: []), expecting: nil)
        add(
            "answer-two", "two services", ["NIF-5", "NIF-6"], .protocolRequest,
            Self.asked(["token": signed], grants: [alpha, DeviceMessages.service(World.beta, token: "b-token")]),
            expecting: nil)
        add(
            "answer-unauthorized", "a service without an authorization is not answered", ["NIF-5"], .protocolRequest,
            Self.asked(["token": signed], grants: [DeviceMessages.service(token: nil)]),
            expecting: Expected(error: nil, clause: "NIF-5"))
        add(
            "answer-two-of-one", "two services for an app that can handle one", ["NIF-4"], .protocolRequest,
            Self.asked(
                ["token": signed, "single": true],
                grants: [alpha, DeviceMessages.service(World.beta, token: "b-token")]),
            expecting: Expected(error: nil, clause: "NIF-4"))
        add(
            "answer-other-protocol", "a service that does not offer what was asked for", ["NIF-5", "NAI-12"],
            .protocolRequest, Self.asked(["token": signed, "protocols": ["org.unknown"]], grants: [alpha]),
            expecting: Expected(error: nil, clause: "NAI-12"))
    }

    // MARK: Answers (NIF-5 to NIF-9)

    private mutating func addProtocolResponses() {
        let alpha = DeviceMessages.service(token: "a-token")
        let beta = DeviceMessages.service(World.beta, token: "b-token")
        let good: [(String, String, [String], JSON, [JSON])] = [
            (
                "one", "one service", ["NAI-2", "NIF-5"], [alpha],
                [DeviceMessages.ask("names"), DeviceMessages.ask("display_name"), DeviceMessages.ask("url")]
            ),
            (
                "two", "two services, though one was preferred", ["NAI-10", "NIF-6"], [alpha, beta],
                [DeviceMessages.ask("names")]
            ), ("none", "nothing was granted", ["NIF-5", "NAI-2", "APP-1"], [], [DeviceMessages.ask("names")]),
            (
                "keyed", "an object keyed by home page, as deployed apps send it", ["NAI-11"],
                .object(JSON.Object([(JSON.Name(World.alpha), alpha)])), [DeviceMessages.ask("names")]
            ),
            (
                "services-member", "an object with 'services'", ["NAI-11"], ["services": [alpha]],
                [DeviceMessages.ask("names")]
            ),
            (
                "text-authorization", "an authorization that is JSON in a text", ["NAI-11"],
                [
                    DeviceMessages.service(
                        token: nil, extra: ["authorization": #"{"access_token":"a-token","token_type":"Bearer"}"#])
                ], [DeviceMessages.ask("token")]
            ),
            (
                "token-member", "'token' in the place of 'authorization'", ["NAI-11"],
                [
                    DeviceMessages.service(
                        token: nil, extra: ["token": ["access_token": "a-token", "token_type": "Bearer"]])
                ], [DeviceMessages.ask("token")]
            ),
        ]
        for (name, title, proves, documents, asks) in good {
            addAnswer("response-" + name, title, proves, documents, asks, expecting: nil)
        }
        let bad: [(String, String, [String], String, JSON, [JSON])] = [
            (
                "not-offered", "a service that does not offer what was asked for is dropped",
                ["NAI-12", "NAI-1", "threat-48"], "NAI-12",
                [DeviceMessages.service(token: "t", offering: ["org.other"])], []
            ),
            (
                "unauthorized", "a service without an authorization is dropped", ["NIF-5"], "NIF-5",
                [DeviceMessages.service(token: nil)], []
            ),
            (
                "one-flawed", "one service is flawed, the other is handled", ["NIF-6", "NAI-10"], "NAI-12",
                [alpha, DeviceMessages.service(World.beta, token: "t", offering: ["org.other"])],
                [DeviceMessages.ask("names")]
            ),
            (
                "repeated", "a service that comes twice", ["NIF-6", "DSC-2"], "DSC-2",
                [alpha, DeviceMessages.service(token: "other")], []
            ),
            (
                "unknown-type", "a token of a type that nobody knows", ["NIF-7", "NAI-11"], "RFC6749-7.1",
                [DeviceMessages.service(token: "t", more: ["token_type": "mac"])], []
            ), ("text", "an answer that is a text", ["NIF-5", "NIF-1"], "NIF-5", "granted", []),
            ("number-service", "a number among the services", ["NIF-6"], "NIF-5", [7], []),
        ]
        for (name, title, proves, clause, documents, asks) in bad {
            addAnswer(
                "response-" + name, title, proves, documents, asks, expecting: Expected(error: nil, clause: clause))
        }
    }

    // MARK: Screens (UX)

    private mutating func addModes() {
        let profile: JSON = ["name": "Ada Muster"]
        func eduID(_ signedIn: Bool, _ steps: [JSON]) -> JSON.Object {
            var given: JSON.Object = ["steps": .array(steps), "profile": profile]
            if signedIn { given["signed_in"] = profile }
            return given
        }
        func authorizing(_ signedIn: Bool, _ steps: [JSON], single: Bool = false) -> JSON.Object {
            [
                "request": DeviceMessages.request(single ? ["single": true] : [:]), "signed_in": .bool(signedIn),
                "candidates": [.string(World.alpha + "/"), .string(World.beta + "/")], "steps": .array(steps),
            ]
        }
        let pick: JSON = .string("pick \(World.alpha)/")
        let good: [(String, String, [String], JSON.Object)] = [
            (
                "login", "nobody is signed in: login, then the profile", ["UX-1", "UX-4", "USR-7"],
                eduID(false, ["sign in", "signed in"])
            ),
            (
                "login-again", "a wrong password leads back to login", ["UX-4"],
                eduID(false, ["sign in", "sign-in failed", "sign in", "signed in"])
            ),
            ("logout", "logout warns first, then shows login", ["UX-5", "UX-6"], eduID(true, ["log out", "confirm"])),
            ("turn-back", "the user turns back to the profile", ["UX-5"], eduID(true, ["log out", "turn back"])),
            ("session-ended", "the session ended elsewhere", ["UX-4", "UX-6"], eduID(true, ["session ended"])),
            ("pick-one", "the user picks a service", ["UX-2", "APP-1"], authorizing(true, ["found", pick, "accept"])),
            ("pick-none", "who picks none grants all", ["UX-2"], authorizing(true, ["found", "accept"])),
            ("reject", "who rejects grants nothing", ["UX-2", "APP-1"], authorizing(true, ["found", pick, "reject"])),
            (
                "reject-early", "the user turns the request down before anything was found", ["UX-2", "APP-1"],
                authorizing(true, ["reject"])
            ),
            (
                "login-first", "without a signed-in user it begins with login", ["UX-3"],
                authorizing(false, ["sign in", "signed in", "found", pick, "accept"])
            ),
            (
                "single", "an app that can handle one service gets one", ["UX-2", "NIF-4"],
                authorizing(true, ["found", pick, "accept"], single: true)
            ),
        ]
        for (name, title, proves, given) in good { add("mode-" + name, title, proves, .mode, given, expecting: nil) }
        let bad: [(String, String, [String], String, JSON.Object)] = [
            ("confirm-unasked", "logout without the warning", ["UX-5"], "UX-5", eduID(true, ["confirm"])),
            ("logout-nobody", "logout when nobody is signed in", ["UX-5", "UX-6"], "UX-5", eduID(false, ["log out"])),
            (
                "login-twice", "login when somebody is signed in", ["UX-4", "UX-1", "USR-7"], "UX-4",
                eduID(true, ["sign in"])
            ), ("unexpected", "an event that nobody waits for", ["UX-4", "UX-1"], "UX-4", eduID(false, ["signed in"])),
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
        for (name, title, proves, clause, given) in bad {
            add("mode-" + name, title, proves, .mode, given, expecting: Expected(error: nil, clause: clause))
        }
    }
}
