internal import Wire

// Lists of service descriptions, and the directory that answers queries.

extension Catalogue {
    mutating func addDirectories() {
        addServiceLists()
        addDirectoryQueries()
    }

    private mutating func addServiceLists() {
        func given(_ text: String) -> JSON.Object {
            ["text": .string(text), "url": "https://service.example/about/services.txt"]
        }
        let good: [(String, String, String)] = [
            ("one", "one document", "application/rsd+json; https://service.example/rsd2.json\n"),
            (
                "three", "three documents",
                "application/rsd+json; /rsd2.json\napplication/rsd+xml; /rsd2.xml\napplication/rsd+yaml; rsd2.yaml\n"
            ),
            ("ttl", "with an interval", "ttl: 3600\napplication/rsd+json; /rsd2.json\n"), ("empty", "nothing", ""),
            ("comments", "comments and empty lines", "# what we offer\n\napplication/rsd+json; /rsd2.json\n\n"),
            (
                "line-ends", "line ends of all systems",
                "application/rsd+json; /a\r\napplication/rsd+json; /b\rapplication/rsd+json; /c"
            ),
            ("spaces", "spaces around everything", "  application/rsd+json ;  /rsd2.json  \n"),
            ("mark", "a byte order mark", "\u{feff}application/rsd+json; /rsd2.json\n"),
        ]
        for (name, title, text) in good {
            add("list-" + name, title, ["RSD-2"], .services, given(text), expecting: nil)
        }
        let bad: [(String, String, String, [String], String)] = [
            ("word", "a line that says nothing", "RSD-2", ["RSD-2"], "rsd2.json\n"),
            ("no-type", "a line without a type", "RSD-2", ["RSD-2"], "; /rsd2.json\n"),
            ("no-link", "a line without a link", "RSD-2", ["RSD-2"], "application/rsd+json;\n"),
            ("ttl-twice", "two intervals", "RSD-2", ["RSD-2"], "ttl: 1\nttl: 2\n"),
            ("ttl-word", "an interval that is no number", "RSD-2", ["RSD-2"], "ttl: soon\n"),
            ("ttl-negative", "an interval that is negative", "RSD-2", ["RSD-2", "threat-15"], "ttl: -1\n"),
            (
                "ttl-huge", "an interval that no machine holds", "RSD-2", ["RSD-2", "threat-15"],
                "ttl: 99999999999999999999\n"
            ),
            (
                "script", "a link that is a script", "threat-40", ["RSD-2", "threat-40"],
                "application/rsd+json; javascript:alert(1)\n"
            ),
            (
                "user", "a link with a user", "threat-40", ["RSD-2", "threat-40"],
                "application/rsd+json; https://u@service.example/\n"
            ),
            ("space", "a link with a space", "RFC3986-3.3", ["RSD-2"], "application/rsd+json; /rsd 2.json\n"),
            (
                "many", "three hundred documents", "threat-43", ["threat-43"],
                String(repeating: "application/rsd+json; /a\n", count: 300)
            ),
        ]
        for (name, title, clause, proves, text) in bad {
            add("list-" + name, title, proves, .services, given(text), expecting: Expected(error: nil, clause: clause))
        }
    }

    private mutating func addDirectoryQueries() {
        func document(_ home: String, _ names: [String]) -> (JSON.Name, JSON) {
            let apis = JSON.Object(names.map { (JSON.Name($0), ["apiLink": "api"]) })
            return (JSON.Name(home), ["engineLink": "", "homePageLink": .string(home), "apis": .object(apis)])
        }
        let documents: JSON = .object(
            JSON.Object([
                document("https://a.example/", ["org.ietf.oauth2", "org.x"]),
                document("https://b.example/", ["org.ietf.oauth2", "org.x", "org.y"]),
                document("https://c.example/", ["org.x", "org.y"]), document("https://d.example/", []),
                document("https://e.example/path", ["org.ietf.oauth2", "org.X"]),
            ]))
        func given(_ query: String) -> JSON.Object { ["documents": documents, "query": .string(query)] }
        let good: [(String, String, [String], String)] = [
            (
                "one", "one protocol: all services that offer it, and OAuth 2", ["DSC-1", "DSC-4", "DSC-7"],
                #"["org.x"]"#
            ),
            ("both", "two protocols: the services that offer both", ["DSC-1"], #"["org.x","org.y"]"#),
            ("twice", "a protocol that comes twice", ["DSC-1"], #"["org.y","org.y"]"#),
            ("none", "an unknown protocol", ["DSC-3"], #"["org.z"]"#),
            ("capitals", "a protocol that is another in capitals", ["DSC-1"], #"["org.X"]"#),
            ("oauth2", "OAuth 2 itself", ["DSC-7"], #"["org.ietf.oauth2"]"#),
            ("url", "a service by its URL", ["DSC-2"], #"["https://c.example/"]"#),
            (
                "url-silent", "a service that offers nothing, by its URL", ["DSC-2", "DSC-6"],
                #"["https://d.example/"]"#
            ),
            ("url-slash", "a URL without its last slash", ["DSC-2"], #"["https://a.example"]"#),
            (
                "urls", "services by URL, one of them twice, one unknown", ["DSC-2", "DSC-3"],
                #"["https://b.example/","https://a.example/","https://b.example/","https://z.example/"]"#
            ),
            ("escaped", "a name with an escaped letter", ["DSC-1"], #"["org.\u0078"]"#),
        ]
        for (name, title, proves, query) in good {
            add("directory-" + name, title, proves, .directory, given(query), expecting: nil)
        }
        let bad: [(String, String, String, [String], String)] = [
            ("empty", "nothing to look for", "DSC-1", ["DSC-1"], "[]"),
            ("object", "a query that is no list", "DSC-1", ["DSC-1"], #"{"protocols":["org.x"]}"#),
            ("number", "a number among the names", "DSC-1", ["DSC-1"], #"["org.x",7]"#),
            ("mixed", "names and URLs together", "DSC-1", ["DSC-1", "DSC-2"], #"["org.x","https://a.example/"]"#),
            ("name-empty", "an empty name", "DSC-1", ["DSC-1"], #"[""]"#),
            ("cut", "a query that ends too early", "RFC8259-5", ["DSC-1"], #"["org.x""#),
            ("deep", "lists in lists", "RFC8259-9", ["DSC-1", "threat-14"], "[[[[]]]]"),
            (
                "many", "a thousand and one names", "threat-43", ["DSC-1", "threat-43"],
                "[" + Array(repeating: #""org.x""#, count: 1_001).joined(separator: ",") + "]"
            ),
        ]
        for (name, title, clause, proves, query) in bad {
            add(
                "directory-" + name, title, proves, .directory, given(query),
                expecting: Expected(error: nil, clause: clause))
        }
    }
}
