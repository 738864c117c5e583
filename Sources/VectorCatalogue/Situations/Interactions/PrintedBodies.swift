internal import JOSETesting
internal import Wire

// What the source documents print is sent as it stands there, with its line breaks.

extension World {
    static let moodle = "https://moodle.htwchur.ch"
    static let icorsi = "https://www2.icorsi.ch"

    /// The same where the federation has the services of the source's examples, and one that offers nothing.
    var withPrintedServices: World {
        let offered: [(home: String, name: String, protocols: [JSON.Name])] = [
            (Self.moodle, "moodle", ["org.ietf.oauth2", "org.moodle.mobile"]),
            (Self.icorsi + "/", "icorsi", ["org.ietf.oauth2", "org.moodle.mobile", "gov.adlnet.xapi"]),
            ("https://lrs.example.ch", "lrs", ["org.ietf.oauth2", "gov.adlnet.xapi"]),
            ("https://silent.example.ch", "silent", []),
        ]
        let services = offered.map { home, name, protocols -> JSON in
            [
                "home": .string(home), "issuer": .string(home),
                "keys": [TestKey.pair(name).publicJWK(name + "-1")],
                "released_claims": [], "subjects": "common",
                "document": [
                    "engineLink": "", "homePageLink": .string(home),
                    "apis": .object(JSON.Object(protocols.map { ($0, ["apiLink": .string("api/" + $0.text)]) })),
                ],
            ]
        }
        return with("services", at: .eduID) { .array(($0.array ?? []) + services) }
    }
}

/// The printed lists, line by line (S0, "Service Usage Manager" and "Protocol Discovery").
private enum Printed {
    static let services = "[\n\"https://moodle.htwchur.ch\",\n\"https://www2.icorsi.ch/\"\n]\n"
    static let oneProtocol = "[\n\"org.moodle.mobile\"\n]\n"
    static let twoProtocols = "[\n\"org.moodle.mobile\",\n\"gov.adlnet.xapi\"\n]\n"
    static let protocolForm = "[\n\"protocol-name1\",\n\"protocol-name2\",\n...\n\"protocol-nameN\"\n]\n"
    static let serviceForm = "[\n\"service-url1\",\n\"service-url2\",\n...\n\"service-urlN\"\n]\n"
    static let names = "[\n\"protocol-name1\",\n\"protocol-name2\",\n\"protocol-nameN\"\n]\n"
}

// MARK: (3)

extension Catalogue {
    mutating func addPrintedLists() throws {
        var world = World().withPrintedServices
        let personal = try world.signIn(try world.register())
        func asking(_ body: String) -> Situation.Request {
            { $0.asking(personal, "POST", "/discovery", body: body) }
        }
        try add(
            in: world, at: .eduID,
            [
                .accepted(
                    "printed-protocol", "the query for Moodle's mobile interface, as the source prints it",
                    ["DSC-1", "DSC-6"], asking(Printed.oneProtocol)),
                .accepted(
                    "printed-protocols", "the query for services with both protocols, as the source prints it",
                    ["DSC-1", "DSC-9"], asking(Printed.twoProtocols)),
                .accepted(
                    "printed-services", "the query for the services of a user, as the source prints it",
                    ["DSC-2", "DSC-10"], asking(Printed.services)),
                .accepted(
                    "printed-names", "the form of a query without its dots: nobody offers these protocols",
                    ["DSC-1", "DSC-3"], asking(Printed.names)),
                .refused(
                    "printed-protocol-form", "the form of a query by protocols, with the dots that the source prints",
                    ["DSC-1"], "invalid_request", "RFC8259-2", asking(Printed.protocolForm)),
                .refused(
                    "printed-service-form", "the form of a query by services, with the dots that the source prints",
                    ["DSC-2"], "invalid_request", "RFC8259-2", asking(Printed.serviceForm)),
                .refused(
                    "printed-nobody", "the query as the source prints it, without an authenticated user", ["DSC-5"],
                    "invalid_token", "RFC6750-2.1"
                ) { _ in
                    World.request(
                        "POST", World.eduID + "/discovery", type: "application/json", body: Printed.oneProtocol)
                },
            ])
        var used = world
        try used.use(personal, World.moodle)
        try used.use(personal, World.icorsi)
        try add(
            in: used, at: .eduID,
            [
                .accepted(
                    "printed-usage", "the list of the source's user, who uses two Moodle systems",
                    ["USE-2", "USE-3"]
                ) { $0.asking(personal, "GET", "/usage") }
            ])
        try addPrintedUsage()
    }

    /// The app takes the list as it is printed, and asks for the services in it.
    private mutating func addPrintedUsage() throws {
        let journey = try Journey.signedIn("printed")
        add(
            "printed-usage-taken", "the app is told the list as the source prints it, and asks for these services",
            ["USE-2", "USE-3", "DSC-2", "DSC-10"], .conversation,
            try journey.conversation(until: "/usage", answers: Printed.services), expecting: nil)
    }
}

// MARK: (1), (8)

extension Catalogue {
    /// What S1 demands of a statement and nothing else, in the header as it says there.
    mutating func addPrintedStatements() throws {
        func presenting(_ more: JSON.Object = [:]) -> Situation.Request {
            { world in
                let printed: JSON.Object = ["iat": .null, "jti": .null]
                let statement = world.statement(device: nil).claiming(printed.changed(more))
                return World.form(
                    World.eduID + "/token", ["grant_type": "client_credentials"], bearer: statement.text)
            }
        }
        let strict = World().with(["strict_source": true], at: .eduID)
        try add(
            in: strict, at: .eduID,
            [
                .accepted(
                    "printed-statement", "a statement with the printed claims and no others, where a policy takes that",
                    ["REQ-6", "REQ-13", "REG-2"], presenting()),
                .accepted(
                    "printed-statement-time", "the same with the time that it may have", ["REQ-7"],
                    presenting(["iat": .number(JSON.Number(World.beginning))])),
                .refused(
                    "printed-statement-end",
                    "the same with an end that has passed: it should have none, and is held to it",
                    ["REQ-8"], "invalid_client", "REQ-8",
                    presenting(["exp": .number(JSON.Number(World.beginning - 61))])),
                .refused(
                    "printed-statement-default", "a statement with the printed claims and no others, by default",
                    ["REQ-7", "threat-63"], "invalid_client", "threat-63", in: World(), presenting()),
            ])
    }

    /// An app code with the claims that S0 prints and no others would never end.
    mutating func addPrintedCodes(_ world: World, _ service: Held) throws {
        try add(
            in: world, at: .alpha,
            [
                .refused(
                    "printed-code", "an app code with the printed claims and no others", ["APP-3", "threat-26"],
                    "invalid_grant", "RFC7519-4"
                ) {
                    let code = $0.code(service, binding: nil)
                    return $0.authorizing(
                        code.claiming(["iat": .null, "exp": .null, "jti": .null]), by: service)
                }
            ])
    }
}
