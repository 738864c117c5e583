internal import Wire

// Lists of service descriptions, and the directory that answers queries.

extension Catalogue {
    mutating func addDirectories() {
        add(.services, "list-", Self.lists) {
            ["text": .string($0), "url": "https://service.example/about/services.txt"]
        }
        add(.directory, "directory-", Self.queries) { ["documents": Self.documents, "query": .string($0)] }
        add(.directory, "printed-", Self.printed) { ["documents": Self.moodles, "query": .string($0)] }
    }

    private static let lists: [Row<String>] = [
        ("one", "one document", ["RSD-2"], nil, "application/rsd+json; https://service.example/rsd2.json\n"),
        (
            "three", "three documents", ["RSD-2"], nil,
            "application/rsd+json; /rsd2.json\napplication/rsd+xml; /rsd2.xml\napplication/rsd+yaml; rsd2.yaml\n"
        ),
        (
            "registered", "the types under which services publish", ["RSD-2"], nil,
            "application/x-rsd+json; /rsd2.json\napplication/x-rsd+yaml; /rsd2.yml\napplication/x-rsd+xml; /rsd2.xml\n"
        ),
        ("ttl", "with an interval", ["RSD-2"], nil, "ttl: 3600\napplication/rsd+json; /rsd2.json\n"),
        ("empty", "nothing", ["RSD-2"], nil, ""),
        (
            "comments", "comments and empty lines", ["RSD-2"], nil,
            "# what we offer\n\napplication/rsd+json; /rsd2.json\n\n"
        ),
        (
            "line-ends", "line ends of all systems", ["RSD-2"], nil,
            "application/rsd+json; /a\r\napplication/rsd+json; /b\rapplication/rsd+json; /c"
        ),
        ("spaces", "spaces around everything", ["RSD-2"], nil, "  application/rsd+json ;  /rsd2.json  \n"),
        ("mark", "a byte order mark", ["RSD-2"], nil, "\u{feff}application/rsd+json; /rsd2.json\n"),
        ("word", "a line that says nothing", ["RSD-2"], nil, "rsd2.json\n"),
        (
            "skipped", "one bad line costs that line, and no other", ["RSD-2", "threat-57"], nil,
            "rsd2.json\nttl: soon\napplication/rsd+json; /one\na/b; javascript:x\nttl: 60\napplication/rsd+json; /two\n"
        ),
        ("no-type", "a line without a type", ["RSD-2"], nil, "; /rsd2.json\n"),
        ("no-link", "a line without a link", ["RSD-2"], nil, "application/rsd+json;\n"),
        ("ttl-twice", "two intervals", ["RSD-2"], nil, "ttl: 1\nttl: 2\n"),
        ("ttl-word", "an interval that is no number", ["RSD-2"], nil, "ttl: soon\n"),
        ("ttl-negative", "an interval that is negative", ["RSD-2", "threat-15"], nil, "ttl: -1\n"),
        (
            "ttl-huge", "an interval that no machine holds", ["RSD-2", "threat-15"], nil,
            "ttl: 99999999999999999999\n"
        ),
        (
            "script", "a link that is a script", ["RSD-2", "threat-40"], nil,
            "application/rsd+json; javascript:alert(1)\n"
        ),
        (
            "user", "a link with a user", ["RSD-2", "threat-40"], nil,
            "application/rsd+json; https://u@service.example/\n"
        ),
        ("space", "a link with a space", ["RSD-2"], nil, "application/rsd+json; /rsd 2.json\n"),
        (
            "many", "three hundred documents", ["threat-43"], nil,
            String(repeating: "application/rsd+json; /a\n", count: 300)
        ),
    ]

    private static func document(_ home: String, _ names: [String]) -> (JSON.Name, JSON) {
        let apis = JSON.Object(names.map { (JSON.Name($0), ["apiLink": "api"]) })
        return (JSON.Name(home), ["engineLink": "", "homePageLink": .string(home), "apis": .object(apis)])
    }

    private static let documents: JSON = .object(
        JSON.Object([
            document("https://a.example/", ["org.ietf.oauth2", "org.x"]),
            document("https://b.example/", ["org.ietf.oauth2", "org.x", "org.y"]),
            document("https://c.example/", ["org.x", "org.y"]), document("https://d.example/", []),
            document("https://e.example/path", ["org.ietf.oauth2", "org.X"]),
        ]))

    /// The services of the source's examples.
    private static let moodles: JSON = .object(
        JSON.Object([
            document("https://moodle.htwchur.ch/", ["org.ietf.oauth2", "org.moodle.mobile"]),
            document("https://www2.icorsi.ch/", ["org.ietf.oauth2", "org.moodle.mobile", "gov.adlnet.xapi"]),
            document("https://lrs.example.ch/", ["org.ietf.oauth2", "gov.adlnet.xapi"]),
        ]))

    /// The queries that the source prints, line by line (S0, "Protocol Discovery").
    private static let printed: [Row<String>] = [
        (
            "protocol", "the query for Moodle's mobile interface, as the source prints it", ["DSC-1"], nil,
            "[\n\"org.moodle.mobile\"\n]\n"
        ),
        (
            "protocols", "the query for services with both protocols, as the source prints it", ["DSC-1"], nil,
            "[\n\"org.moodle.mobile\",\n\"gov.adlnet.xapi\"\n]\n"
        ),
        (
            "services", "the query for the services of a user, as the source prints it", ["DSC-2", "USE-2"], nil,
            "[\n\"https://moodle.htwchur.ch\",\n\"https://www2.icorsi.ch/\"\n]\n"
        ),
        (
            "form", "the form of a query, with the dots that the source prints", ["DSC-1"], "RFC8259-2",
            "[\n\"protocol-name1\",\n\"protocol-name2\",\n...\n\"protocol-nameN\"\n]\n"
        ),
    ]

    private static let queries: [Row<String>] = [
        (
            "one", "one protocol: all services that offer it, and OAuth 2", ["DSC-1", "DSC-4", "DSC-7"], nil,
            #"["org.x"]"#
        ),
        ("both", "two protocols: the services that offer both", ["DSC-1"], nil, #"["org.x","org.y"]"#),
        ("twice", "a protocol that comes twice", ["DSC-1"], nil, #"["org.y","org.y"]"#),
        ("none", "an unknown protocol", ["DSC-3"], nil, #"["org.z"]"#),
        ("capitals", "a protocol that is another in capitals", ["DSC-1"], nil, #"["org.X"]"#),
        ("oauth2", "OAuth 2 itself", ["DSC-7"], nil, #"["org.ietf.oauth2"]"#),
        ("url", "a service by its URL", ["DSC-2"], nil, #"["https://c.example/"]"#),
        (
            "url-silent", "a service that offers nothing, by its URL", ["DSC-2", "DSC-6"], nil,
            #"["https://d.example/"]"#
        ),
        ("url-slash", "a URL without its last slash", ["DSC-2"], nil, #"["https://a.example"]"#),
        (
            "urls", "services by URL, one of them twice, one unknown", ["DSC-2", "DSC-3"], nil,
            #"["https://b.example/","https://a.example/","https://b.example/","https://z.example/"]"#
        ),
        ("escaped", "a name with an escaped letter", ["DSC-1"], nil, #"["org.\u0078"]"#),
        ("empty", "nothing to look for", ["DSC-1"], "DSC-1", "[]"),
        ("object", "a query that is no list", ["DSC-1"], "DSC-1", #"{"protocols":["org.x"]}"#),
        ("number", "a number among the names", ["DSC-1"], "DSC-1", #"["org.x",7]"#),
        ("mixed", "names and URLs together", ["DSC-1", "DSC-2"], "DSC-1", #"["org.x","https://a.example/"]"#),
        ("name-empty", "an empty name", ["DSC-1"], "DSC-1", #"[""]"#),
        ("cut", "a query that ends too early", ["DSC-1"], "RFC8259-5", #"["org.x""#),
        ("deep", "lists in lists", ["DSC-1", "threat-14"], "RFC8259-9", "[[[[]]]]"),
        (
            "many", "a thousand and one names", ["DSC-1", "threat-43"], "threat-43",
            "[" + Array(repeating: #""org.x""#, count: 1_001).joined(separator: ",") + "]"
        ),
    ]
}
