internal import Wire

// (3) The list of services that a user has used; (3b) the service descriptions that answer a query.

extension Catalogue {
    mutating func addDiscoveries() throws(Malformed) {
        var stage = Stage()
        let client = try stage.register()
        let personal = try stage.signIn(client)
        try addUsage(stage, client, personal)
        addQueries(stage, client, personal)
    }

    private mutating func addUsage(_ stage: Stage, _ client: Held, _ personal: Held) throws(Malformed) {
        let url = Stage.eduID + "/usage"
        var copy = stage
        accept(
            "usage-none", "a user who has used no service", ["USE-2", "USE-3"], copy, .eduID,
            copy.asking(personal, "GET", "/usage"))
        copy = stage
        _ = try copy.introduce(personal)
        accept(
            "usage-one", "a user who has used one service", ["USE-1", "USE-2"], copy, .eduID,
            copy.asking(personal, "GET", "/usage"))
        copy = copy.later(10)
        _ = try copy.introduce(personal, to: Stage.beta)
        accept(
            "usage-two", "a user who has used two services", ["USE-2"], copy, .eduID,
            copy.asking(personal, "GET", "/usage"))
        var other = copy
        let tablet = try other.register(Stage.tablet, device: "tablet")
        let bob = try other.signIn(tablet, "bob", "hunter2hunter2")
        accept(
            "usage-of-another", "another user learns nothing about the first one's services", ["USE-1"], other, .eduID,
            other.asking(bob, "GET", "/usage"))
        var second = copy
        let twin = try second.register(Stage.tablet, device: "tablet")
        let twinPersonal = try second.signIn(twin)
        accept(
            "usage-other-device", "the same user on another device", ["USE-1"], second, .eduID,
            second.asking(twinPersonal, "GET", "/usage")
        )
        refuseRequestTokens("usage", Fault.ofRequestTokens, "invalid_token", ["USE-1"], stage, .eduID, personal, url) {
            Stage.request("GET", url, bearer: $0)
        }
        refuse(
            "usage-nobody", "without an authenticated user", ["USE-1", "DSC-5"], "invalid_token", "RFC6750-2.1", stage,
            .eduID,
            Stage.request("GET", url))
        copy = stage
        refuse(
            "usage-by-client", "by an instance on which nobody is signed in", ["USE-1", "threat-18"], "invalid_token",
            "threat-18", copy,
            .eduID,
            copy.asking(client, "GET", "/usage"))
        copy = stage.with(["has_usage_manager": false], at: .eduID)
        refuse(
            "usage-absent", "a federation without a usage manager", ["USE-4", "USE-2", "USE-3"], "http_404", "-", copy,
            .eduID,
            copy.asking(personal, "GET", "/usage"))
        copy = stage.later(3_600)
        refuse(
            "usage-lapsed", "the personal token has expired", ["USE-1", "TOK-1"], "invalid_token", "TOK-1", copy,
            .eduID,
            copy.asking(personal, "GET", "/usage"))
    }

    private mutating func addQueries(_ stage: Stage, _ client: Held, _ personal: Held) {
        let good: [(String, String, [String], String, String)] = [
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
            ),
            ("service", "the description of a service", ["DSC-2"], "/discovery", #"["https://alpha.example.ch"]"#),
            (
                "services", "the descriptions of two services, one of them unknown", ["DSC-2"], "/discovery/services",
                #"["https://beta.example.ch/","https://gamma.example.ch"]"#
            ),
            (
                "service-twice", "a service that is asked for twice, under two spellings", ["DSC-2"],
                "/discovery/services",
                #"["https://ALPHA.example.ch:443/","https://alpha.example.ch"]"#
            ),
            (
                "script-url", "a URL that is a script is no service's", ["DSC-3", "threat-40"], "/discovery/services",
                #"["javascript://alpha.example.ch/%0aalert(1)"]"#
            ),
            ("oauth2", "the protocol by which services are mobile", ["DSC-7"], "/discovery", #"["org.ietf.oauth2"]"#),
        ]
        for (name, title, proves, path, body) in good {
            var copy = stage
            accept("discovery-" + name, title, proves, copy, .eduID, copy.asking(personal, "POST", path, body: body))
        }
        let bad: [(String, String, [String], String, String, String)] = [
            ("empty", "an empty query", ["DSC-1"], "/discovery", "[]", "DSC-1"),
            (
                "mixed", "protocols and URLs together", ["DSC-1", "DSC-2"], "/discovery",
                #"["org.ieee.papi","https://alpha.example.ch"]"#,
                "DSC-1"
            ),
            ("object", "an object", ["DSC-1"], "/discovery", #"{"protocols":["org.ieee.papi"]}"#, "DSC-1"),
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
        for (name, title, proves, path, body, clause) in bad {
            var copy = stage
            refuse(
                "discovery-" + name, title, proves, "invalid_request", clause, copy, .eduID,
                copy.asking(personal, "POST", path, body: body)
            )
        }
        let url = Stage.eduID + "/discovery"
        let query = #"["org.ieee.papi"]"#
        refuseRequestTokens(
            "discovery", Fault.ofRequestTokens, "invalid_token", ["DSC-5"], stage, .eduID, personal, url
        ) {
            Stage.request("POST", url, bearer: $0, type: "application/json", body: query)
        }
        refuse(
            "discovery-nobody", "without an authenticated user", ["DSC-5"], "invalid_token", "RFC6750-2.1", stage,
            .eduID,
            Stage.request("POST", url, type: "application/json", body: query))
        var copy = stage
        refuse(
            "discovery-by-client", "by an instance on which nobody is signed in", ["DSC-5", "threat-18"],
            "invalid_token", "threat-18",
            copy, .eduID,
            copy.asking(client, "POST", "/discovery", body: query))
        copy = stage
        refuse(
            "discovery-get", "with the method GET", ["DSC-5"], "http_405", "-", copy, .eduID,
            copy.asking(personal, "GET", "/discovery"))
    }
}
