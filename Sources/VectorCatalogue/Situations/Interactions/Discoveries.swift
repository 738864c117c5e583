internal import JOSETesting
internal import Wire

// (3) The list of services that a user has used; (3b) the service descriptions that answer a query.

extension Catalogue {
    mutating func addDiscoveries() throws {
        var world = World()
        let client = try world.register()
        let personal = try world.signIn(client)
        try addUsage(world, client, personal)
        try addQueries(world, client, personal)
        try addPrintedLists()
    }

    private mutating func addUsage(_ world: World, _ client: Held, _ personal: Held) throws {
        try add(
            in: world, at: .eduID,
            [
                .accepted("usage-none", "a user who has used no service", ["USE-2", "USE-3"]) {
                    $0.asking(personal, "GET", "/usage")
                }
            ])
        var used = world
        try used.use(personal, World.alpha)
        try add(
            in: used, at: .eduID,
            [
                .accepted("usage-one", "a user who has used one service", ["USE-1", "USE-2"]) {
                    $0.asking(personal, "GET", "/usage")
                }
            ])
        _ = used.asking(personal, "GET", "/usage")
        used = used.later(10)
        try used.use(personal, World.beta)
        try add(
            in: used, at: .eduID,
            [
                .accepted("usage-two", "a user who has used two services", ["USE-2"]) {
                    $0.asking(personal, "GET", "/usage")
                }
            ])
        _ = used.asking(personal, "GET", "/usage")
        try add(
            in: used, at: .eduID,
            [
                .accepted("usage-of-another", "another user learns nothing about the first one's services", ["USE-1"]) {
                    try $0.asking(
                        $0.signIn($0.register(World.tablet, device: "tablet"), "bob", "hunter2hunter2"), "GET", "/usage"
                    )
                },
                .accepted("usage-other-device", "the same user on another device", ["USE-1"]) {
                    try $0.asking($0.signIn($0.register(World.tablet, device: "tablet")), "GET", "/usage")
                },
            ])
        try addAcceptances(world, personal)
        try addOwnDiscovery()
        try addRefusedUsage(world, client, personal)
    }

    /// Which services have accepted the user is told by the app.
    private mutating func addAcceptances(_ world: World, _ personal: Held) throws {
        var introduced = world
        _ = try introduced.introduce(personal)
        func told(_ service: String, _ outcome: String) -> String {
            #"{"service":"https://\#(service).example.ch/","outcome":"\#(outcome)"}"#
        }
        var used = introduced
        try used.use(personal, World.alpha)
        try add(
            in: introduced, at: .eduID,
            [
                .accepted("usage-introduced", "an assertion alone is no use", ["USE-2"]) {
                    $0.asking(personal, "GET", "/usage")
                },
                .accepted("usage-accepted", "a service has accepted the user", ["USE-1", "USE-2"]) {
                    $0.asking(personal, "POST", "/usage", body: told("alpha", "accepted"))
                },
                .accepted("usage-never-introduced", "who was never introduced has accepted nobody", ["USE-1"]) {
                    $0.asking(personal, "POST", "/usage", body: told("beta", "accepted"))
                },
                .accepted("usage-unknown", "a service that the federation does not know", ["USE-1"]) {
                    $0.asking(personal, "POST", "/usage", body: told("gamma", "accepted"))
                },
                .accepted("usage-refused-unused", "a service has refused the user before any use", ["USE-1", "AST-6"]) {
                    $0.asking(personal, "POST", "/usage", body: told("alpha", "refused"))
                },
                .accepted(
                    "usage-refused", "a service that was used has refused the user", ["USE-1", "AST-6"], in: used
                ) { $0.asking(personal, "POST", "/usage", body: told("alpha", "refused")) },
                .accepted("usage-again", "a service has accepted the user again", ["USE-1"], in: used) {
                    $0.asking(personal, "POST", "/usage", body: told("alpha", "accepted"))
                },
                .refused("usage-list", "a list in the place of the object", ["USE-1"], "invalid_request", "USE-1") {
                    $0.asking(personal, "POST", "/usage", body: #"["https://alpha.example.ch/"]"#)
                },
                .refused("usage-outcome", "an outcome that is none", ["USE-1"], "invalid_request", "USE-1") {
                    $0.asking(personal, "POST", "/usage", body: told("alpha", "maybe"))
                },
                .refused("usage-no-url", "a service that is no URL", ["USE-1"], "invalid_request", "USE-1") {
                    $0.asking(personal, "POST", "/usage", body: #"{"service":"alpha","outcome":"accepted"}"#)
                },
            ])
    }

    private mutating func addRefusedUsage(_ world: World, _ client: Held, _ personal: Held) throws {
        let url = World.eduID + "/usage"
        try refuseRequestTokens(
            "usage", Defect.ofRequestTokens, "invalid_token", ["USE-1"], in: world, at: .eduID, of: personal, for: url
        ) { World.request("GET", url, bearer: $0) }
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "usage-nobody", "without an authenticated user", ["USE-1", "DSC-5"], "invalid_token", "RFC6750-2.1"
                ) { _ in World.request("GET", url) },
                .refused(
                    "usage-by-client", "by an instance on which nobody is signed in", ["USE-1", "threat-18"],
                    "invalid_token", "threat-18"
                ) { $0.asking(client, "GET", "/usage") },
                .refused(
                    "usage-absent", "a federation without a usage manager", ["USE-4", "USE-2", "USE-3"], "http_404",
                    "-", in: world.with(["has_usage_manager": false], at: .eduID)
                ) { $0.asking(personal, "GET", "/usage") },
                .refused(
                    "usage-lapsed", "the personal token has expired", ["USE-1", "TOK-1"], "invalid_token", "TOK-1",
                    in: world.later(3_600)
                ) { $0.asking(personal, "GET", "/usage") },
            ])
    }

    private static let queries: [(String, String, [String], String, String)] = [
        (
            "protocol", "one protocol, which both services offer", ["DSC-1", "DSC-9"], "/discovery",
            #"["org.ieee.papi"]"#
        ),
        (
            "protocols", "two protocols, which one service offers together", ["DSC-1"], "/discovery",
            #"["org.ieee.papi","org.imsglobal.lti"]"#
        ),
        (
            "protocol-of-one", "a protocol that one service offers", ["DSC-1", "DSC-6"], "/discovery/protocols",
            #"["org.imsglobal.lti"]"#
        ),
        ("no-match", "a protocol that nobody offers: an empty array", ["DSC-3"], "/discovery", #"["org.unknown"]"#),
        ("other-case", "names are compared byte by byte", ["DSC-3", "RSD-2"], "/discovery", #"["ORG.IEEE.PAPI"]"#),
        (
            "order", "the order of the query means nothing", ["DSC-4"], "/discovery",
            #"["org.imsglobal.lti","org.ieee.papi"]"#
        ), ("service", "the description of a service", ["DSC-2"], "/discovery", #"["https://alpha.example.ch"]"#),
        (
            "services", "the descriptions of two services, one of them unknown", ["DSC-2"], "/discovery/services",
            #"["https://beta.example.ch/","https://gamma.example.ch"]"#
        ),
        (
            "service-twice", "a service that is asked for twice, under two spellings", ["DSC-2"],
            "/discovery/services", #"["https://ALPHA.example.ch:443/","https://alpha.example.ch"]"#
        ),
        (
            "script-url", "a URL that is a script is no service's", ["DSC-3", "threat-40"], "/discovery/services",
            #"["javascript://alpha.example.ch/%0aalert(1)"]"#
        ),
        ("oauth2", "the protocol by which services are mobile", ["DSC-7"], "/discovery", #"["org.ietf.oauth2"]"#),
    ]

    private static let flawedQueries: [(String, String, [String], String, String, String)] = [
        ("empty", "an empty query", ["DSC-1"], "/discovery", "[]", "DSC-1"),
        (
            "mixed", "protocols and URLs together", ["DSC-1", "DSC-2"], "/discovery",
            #"["org.ieee.papi","https://alpha.example.ch"]"#, "DSC-1"
        ), ("object", "an object", ["DSC-1"], "/discovery", #"{"protocols":["org.ieee.papi"]}"#, "DSC-1"),
        ("number", "a number among the names", ["DSC-1"], "/discovery", #"["org.ieee.papi",7]"#, "DSC-1"),
        ("no-json", "a list of words that is no JSON", ["DSC-1"], "/discovery", "org.ieee.papi", "RFC8259-2"),
        (
            "urls-as-protocols", "URLs where protocols are asked for", ["DSC-1"], "/discovery/protocols",
            #"["https://alpha.example.ch"]"#, "DSC-1"
        ),
        (
            "protocols-as-urls", "protocols where URLs are asked for", ["DSC-2"], "/discovery/services",
            #"["org.ieee.papi"]"#, "DSC-1"
        ),
        (
            "empty-name", "an empty name", ["DSC-1", "DSC-3", "DSC-4", "DSC-6", "DSC-7"], "/discovery", #"[""]"#,
            "DSC-1"
        ),
    ]

    private mutating func addQueries(_ world: World, _ client: Held, _ personal: Held) throws {
        for (name, title, proves, path, body) in Self.queries {
            try add(
                in: world, at: .eduID,
                [.accepted("discovery-" + name, title, proves) { $0.asking(personal, "POST", path, body: body) }])
        }
        for (name, title, proves, path, body, clause) in Self.flawedQueries {
            try add(
                in: world, at: .eduID,
                [
                    .refused("discovery-" + name, title, proves, "invalid_request", clause) {
                        $0.asking(personal, "POST", path, body: body)
                    }
                ])
        }
        let url = World.eduID + "/discovery"
        let query = #"["org.ieee.papi"]"#
        try refuseRequestTokens(
            "discovery", Defect.ofRequestTokens, "invalid_token", ["DSC-5"], in: world, at: .eduID, of: personal,
            for: url
        ) { World.request("POST", url, bearer: $0, type: "application/json", body: query) }
        try add(
            in: world, at: .eduID,
            [
                .refused("discovery-nobody", "without an authenticated user", ["DSC-5"], "invalid_token", "RFC6750-2.1")
                { _ in World.request("POST", url, type: "application/json", body: query) },
                .refused(
                    "discovery-by-client", "by an instance on which nobody is signed in", ["DSC-5", "threat-18"],
                    "invalid_token", "threat-18"
                ) { $0.asking(client, "POST", "/discovery", body: query) },
                .refused("discovery-get", "with the method GET", ["DSC-5"], "http_405", "-") {
                    $0.asking(personal, "GET", "/discovery")
                },
            ])
    }
}

extension Catalogue {
    /// A discovery that is a federation service.
    private mutating func addOwnDiscovery() throws {
        var world = World().discovering
        let service = try world.redeem()
        let app = try world.authorize(service)
        let (url, query) = (World.alpha + "/discovery", #"["org.imsglobal.lti"]"#)
        func ask(_ url: String, _ bearer: String?) -> JSON {
            World.request("POST", url, bearer: bearer, type: "application/json", body: query)
        }
        try add(
            in: world, at: .alpha,
            [
                .accepted("own-discovery", "a discovery that is a service of its own", ["DSC-8", "DSC-1"]) {
                    ask(url, $0.proof(service, url).text)
                },
                .accepted("own-discovery-protocols", "the same for protocols alone", ["DSC-8", "DSC-1"]) {
                    ask(url + "/protocols", $0.proof(service, url + "/protocols").text)
                },
                .refused(
                    "own-discovery-nobody", "a discovery of its own, without a token", ["DSC-8", "DSC-5"],
                    "invalid_token", "RFC6750-2.1"
                ) { _ in ask(url, nil) },
                .refused(
                    "own-discovery-by-app", "a discovery of its own, with the token of an app", ["DSC-8", "APP-9"],
                    "insufficient_scope", "APP-9"
                ) { ask(url, $0.proof(app, url).text) },
                .refused(
                    "own-discovery-replayed", "a discovery of its own, with a proof that was presented before",
                    ["DSC-8", "threat-36"], "invalid_token", "threat-36"
                ) {
                    let request = ask(url, $0.proof(service, url).text)
                    try $0.perform(.alpha, request)
                    return request
                },
            ])
    }
}

extension World {
    /// The same where one of the services has a discovery of its own.
    var discovering: World {
        with("discovery", at: .alpha) { _ in
            [.object(Parties.document(Self.alpha, true)), .object(Parties.document(Self.beta, false))]
        }
    }
}

extension World {
    /// Introduces the user to a service that accepts her, and lets the app tell that.
    mutating func use(_ personal: Held, _ service: String) throws(Vector.Rejection) {
        _ = try introduce(personal, to: service + "/")
        _ = try perform(
            .eduID,
            asking(
                personal, "POST", "/usage", body: #"{"service":"\#(service)/","outcome":"accepted"}"#))
    }
}
