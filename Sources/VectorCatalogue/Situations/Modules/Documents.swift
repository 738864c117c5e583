internal import JOSETesting
internal import Wire

// Service descriptions: what is read from them, which queries they match, and where their protocols live.

extension Catalogue {
    mutating func addDescriptions() {
        add(.document, "document-", Self.readable) { format, text in ["format": format, "text": .string(text)] }
        add(.document, "document-json-", Self.json) { ["format": "json", "text": .string($0)] }
        add(.document, "document-xml-", Self.xml) { ["format": "xml", "text": .string($0)] }
        add(.document, "document-yaml-", Self.yaml) { ["format": "yaml", "text": .string($0)] }
        add(.document, "endpoint-", Self.endpoints) { home, engine, link, path in
            let document: JSON.Object = [
                "engineLink": engine,
                "apis": ["org.a": ["apiLink": link], "org.a.list": ["apiLink": "https://a.example.ch/special"]],
            ]
            let ask: JSON.Object = ["protocol": "org.a"]
            return [
                "format": "json",
                "text": .string(JSON.object(document.changed(["homePageLink": home])).encodedString()),
                "endpoint": .object(ask.changed(["path": path])),
            ]
        }
        add(.document, "query-", Self.queries) { text, query in
            ["format": "json", "text": .string(text), "query": query]
        }
        addDirectories()
        addCrawls()
    }

    private static let readable: [Row<(format: JSON, text: String)>] = [
        (
            "whole", "a document with every member that there is", ["RSD-2"], nil,
            (
                "json",
                joined(
                    #"{"engineName":"Moodle","engineLink":"https://moodle.example.ch/app/","#,
                    #""homePageLink":"https://moodle.example.ch/","homePageIcon":"pictures/logo.svg","#,
                    #""apis":{"org.moodle.web":{"apiLink":"rest/","apiVersion":"3.1","preferred":false,"#,
                    #""transport":["REST","SOAP"],"docs":"docs","description":"rest/description.json","#,
                    #""notes":"for courses","settings":{"service":"mobile"}}}}"#)
            )
        ),
        (
            "json", "a document in JSON", ["RSD-2"], nil,
            (
                "json",
                joined(
                    #"{"engineName":"Moodle","engineLink":"https://moodle.example.ch/","#,
                    #""homePageLink":"https://moodle.example.ch/","apis":{"org.ietf.oauth2":{"apiLink":"oauth/"},"#,
                    #""org.moodle.web":{"apiLink":"webservice/rest/","apiVersion":["3.1","3.2"],"preferred":true,"#,
                    #""transport":["REST"],"docs":"https://docs.moodle.org","settings":{"service":"mobile"}}}}"#)
            )
        ),
        (
            "json-php", "JSON as PHP writes it: empty objects are arrays, booleans and lists are texts", ["RSD-2"], nil,
            (
                "json",
                joined(
                    #"{"engineName":"Old","engineLink":"https://old.example.ch/","apis":{"org.old":{"apiLink":"api","#,
                    #""settings":[],"preferred":"Yes","transport":"JSON-RPC"}}}"#)
            )
        ),
        (
            "json-no-apis", "a document that lists no protocol", ["DSC-6", "RSD-2"], nil,
            ("json", #"{"engineLink":"https://none.example.ch/","apis":[]}"#)
        ),
        (
            "json-unknown-members", "members that nobody knows survive", ["RSD-2"], nil,
            (
                "json",
                joined(
                    #"{"engineLink":"","homePageLink":"https://x.example.ch","x-note":{"a":[1,2]},"#,
                    #""apis":{"org.x":{"apiLink":"x","x-colour":"blue"}}}"#)
            )
        ),
        (
            "json-no-engine", "without an engine: the home page is the base", ["RSD-2"], nil,
            ("json", #"{"homePageLink":"https://m.example.ch/","apis":{"org.m":{"apiLink":"m"}}}"#)
        ),
        (
            "json-no-link", "a protocol without a link, as current producers send it", ["RSD-2"], nil,
            ("json", #"{"engineLink":"https://m.example.ch/","apis":{"org.m":{"apiVersion":"1"}}}"#)
        ),
        (
            "xml", "a document in the hierarchical binding of XML", ["RSD-2"], nil,
            (
                "xml",
                joined(
                    #"<?xml version="1.0"?><rsd version="2.0" xmlns="http://github.com/rsd-spec/rsd"><service>"#,
                    #"<engineName>Moodle</engineName><engineLink>https://moodle.example.ch/</engineLink>"#,
                    #"<homePageLink>https://moodle.example.ch/</homePageLink><apis><api name="org.ietf.oauth2">"#,
                    #"<apiLink>oauth/</apiLink></api><api name="org.moodle.web"><apiLink>webservice/rest/</apiLink>"#,
                    #"<preferred>true</preferred><transport>REST</transport></api></apis></service></rsd>"#)
            )
        ),
        (
            "xml-attributes", "the attribute binding", ["RSD-2"], nil,
            (
                "xml",
                joined(
                    #"<rsd version="2.0" xmlns="http://github.com/rsd-spec/rsd"><service><engineName>A</engineName>"#,
                    #"<engineLink>https://a.example.ch/</engineLink><apis><api name="org.a" apiLink="a/" "#,
                    #"preferred="false"/></apis></service></rsd>"#)
            )
        ),
        (
            "xml-rsd1", "a document of RSD 1.0", ["RSD-2"], nil,
            (
                "xml",
                joined(
                    #"<rsd version="1.0" xmlns="http://archipelago.phrasewise.com/rsd"><service><engineName>"#,
                    #"Blog</engineName><engineLink>http://blog.example.ch/</engineLink><homePageLink>"#,
                    #"https://blog.example.ch/</homePageLink><apis><api name="MetaWeblog" preferred="true" "#,
                    #"apiLink="https://blog.example.ch/xmlrpc" blogID="7"/></apis></service></rsd>"#)
            )
        ),
        (
            "xml-entities", "the five entities and character references", ["RSD-2"], nil,
            (
                "xml",
                joined(
                    #"<rsd version="2.0" xmlns="http://github.com/rsd-spec/rsd"><service><engineName>&lt;A &amp; "#,
                    #"B&gt; &#233;</engineName><engineLink>https://a.example.ch/</engineLink><apis/></service></rsd>"#)
            )
        ),
        (
            "yaml", "a document in YAML", ["RSD-2"], nil,
            (
                "yaml",
                joined(
                    "engineName: Moodle\nengineLink: https://moodle.example.ch/\nhomePageLink: ",
                    "https://moodle.example.ch/\napis:\n  org.ietf.oauth2:\n    apiLink: oauth/\n  org.moodle.web:\n ",
                    "   apiLink: webservice/rest/\n    preferred: true\n    transport: [REST]\n")
            )
        ),
        (
            "yaml-quoted", "YAML with quotes, comments and a block of text", ["RSD-2"], nil,
            (
                "yaml",
                joined(
                    "---\n# a comment\nengineName: \"A: B\"\nengineLink: 'https://a.example.ch/'\napis:\n  org.a:\n  ",
                    "  apiLink: a\n    notes: |\n      two\n      lines\n")
            )
        ),
    ]

    private static let json: [Row<String>] = [
        ("missing-apis", "without apis", ["RSD-2"], "RSD-2", #"{"engineLink":""}"#),
        ("list", "a list", ["RSD-2"], "RSD-2", "[1]"),
        ("number-link", "a link that is a number", ["RSD-2"], "RSD-2", #"{"engineLink":7,"apis":{}}"#),
        (
            "empty-name", "a protocol with an empty name", ["RSD-2"], "RSD-2",
            #"{"engineLink":"","apis":{"":{"apiLink":"x"}}}"#
        ),
        (
            "duplicate-api", "a protocol that occurs twice", ["RSD-2", "threat-46"], "RFC8259-4",
            #"{"engineLink":"","apis":{"org.a":{"apiLink":"x"},"org.a":{"apiLink":"y"}}}"#
        ),
        (
            "truncated", "a document that ends too early", ["RSD-1", "RSD-2"], "RFC8259-4",
            #"{"engineLink":"","apis":{"#
        ),
        (
            "foreign-preferred", "an unknown word for preferred", ["RSD-2"], "RSD-2",
            #"{"engineLink":"","apis":{"org.a":{"apiLink":"x","preferred":"maybe"}}}"#
        ),
    ]

    private static func document(_ apis: String = "", root: String = "rsd", version: String = "2.0") -> String {
        #"<\#(root) version="\#(version)" xmlns="http://github.com/rsd-spec/rsd"><service>"#
            + "<engineLink>https://a.example.ch/</engineLink><apis>\(apis)</apis></service></\(root)>"
    }

    private static let xml: [Row<String>] = [
        (
            "doctype", "with a document type", ["RSD-2", "threat-44"], "threat-44",
            "<!DOCTYPE rsd [<!ENTITY x \"y\">]>" + document()
        ),
        (
            "entity", "with an entity that nobody declared", ["RSD-2", "threat-44"], "XML-4.1",
            document(#"<api name="org.a"><apiLink>&xxe;</apiLink></api>"#)
        ),
        (
            "mixed", "with both bindings", ["RSD-2", "threat-46"], "threat-46",
            document(#"<api name="org.a" apiLink="a/"/><api name="org.b"><apiLink>b/</apiLink></api>"#)
        ),
        (
            "duplicate-api", "with a protocol that occurs twice", ["RSD-2", "threat-46"], "threat-46",
            document(#"<api name="org.a" apiLink="a/"/><api name="org.a" apiLink="b/"/>"#)
        ),
        ("root", "with another root", ["RSD-2"], "RSD-2", document(root: "rss")),
        ("version", "of an unknown version", ["RSD-2"], "RSD-2", document(version: "3.0")),
        ("unclosed", "with an element that is not closed", ["RSD-2"], "XML-3.1", String(document().dropLast(6))),
    ]

    private static let yaml: [Row<String>] = [
        (
            "anchor", "with an anchor", ["RSD-2", "threat-44"], "threat-44",
            "engineLink: &a https://a.example.ch\napis: {}\n"
        ),
        (
            "alias", "with an anchor and an alias", ["RSD-2", "threat-44"], "threat-44",
            "homePageLink: &a https://a.example.ch\nengineLink: *a\napis: {}\n"
        ),
        ("tag", "with a tag", ["RSD-2", "threat-44"], "threat-44", "engineLink: !!str a\napis: {}\n"),
        ("merge", "with a merge key", ["RSD-2", "threat-44"], "threat-44", "engineLink: a\napis:\n  <<: {}\n"),
        (
            "duplicate-key", "with a key that occurs twice", ["RSD-2", "threat-44"], "YAML-3.2.1",
            "engineLink: a\nengineLink: b\napis: {}\n"
        ),
        ("tab", "indented with a tab", ["RSD-2"], "YAML-6.1", "engineLink: a\napis:\n\torg.a: {}\n"),
    ]

    private static let endpoints: [Row<(home: JSON, engine: JSON, link: JSON, path: JSON)>] = [
        (
            "absolute", "an absolute link stands for itself", ["RSD-3", "NAI-5"], nil,
            ("https://example.com", "https://service.example.com", "https://api.example.com/api/", .null)
        ),
        (
            "engine", "a relative link stands below the engine's", ["RSD-3", "NAI-5"], nil,
            ("https://example.com", "https://service.example.com", "api/", .null)
        ),
        (
            "home", "a relative engine stands below the home page", ["RSD-3", "NAI-5"], nil,
            ("https://example.com", "service/", "api/", .null)
        ),
        (
            "empty-engine", "without an engine the home page is the base", ["RSD-3", "NAI-5"], nil,
            ("https://moodle.example.ch/", "", "auth/eduid/token.php", .null)
        ),
        (
            "colon-in-query", "what has '://' behind a slash is relative", ["RSD-3", "NAI-5"], nil,
            ("https://example.com", "", "/x?u=http://h", .null)
        ),
        ("path", "a path is appended", ["RSD-3", "NAI-5"], nil, ("https://example.com", "", "api", "books/7")),
        (
            "path-query", "a path with a query", ["RSD-3", "NAI-5"], nil,
            ("https://example.com", "", "api", "books?page=2")
        ),
        (
            "named-path", "a protocol of its own answers for the path", ["RSD-3", "NAI-5"], nil,
            ("https://example.com", "", "api", "list")
        ),
        (
            "leading-slash", "exactly one slash joins", ["RSD-3", "NAI-5"], nil,
            ("https://example.com/", "", "/api", "/books")
        ),
        ("no-base", "no link is absolute", ["RSD-3"], "RSD-3", (.null, "", "api", .null)),
        (
            "climbing", "a link that climbs", ["RSD-3", "threat-41"], "threat-41",
            ("https://example.com/a/", "", "../b", .null)
        ),
        (
            "climbing-encoded", "a path that climbs in disguise", ["RSD-3", "NAI-5", "threat-41"], "threat-41",
            ("https://example.com", "", "api", "%2e%2e/b")
        ),
        (
            "absolute-path", "a path that is a URL", ["RSD-3", "NAI-5", "threat-40"], "threat-40",
            ("https://example.com", "", "api", "https://evil.example/")
        ),
        (
            "authority-path", "a path that is a host", ["RSD-3", "NAI-5", "threat-41"], "threat-41",
            ("https://example.com", "", "api", "//evil.example/x")
        ),
        ("fragment", "a path with a fragment", ["NAI-5"], "RSD-3", ("https://example.com", "", "api", "a#b")),
        (
            "user", "a link with user info", ["RSD-3", "threat-40"], "threat-40",
            ("https://user@example.com", "", "api", .null)
        ),
        (
            "script", "a link that is a script", ["RSD-3", "threat-40"], "threat-40",
            ("https://example.com", "", "javascript://x/%0aalert(1)", .null)
        ),
        (
            "plain-http", "a link without TLS", ["RSD-3", "threat-40"], "threat-40",
            ("http://example.com", "", "api", .null)
        ),
        ("query-base", "a base with a query", ["RSD-3"], "RSD-3", ("https://example.com/?x", "", "api", .null)),
    ]

    private static let both = JSON.object(Parties.document(World.alpha, true)).encodedString()
    private static let foreign =
        joined(
            #"{"engineLink":"https://x.example.ch/","homePageLink":"https://x.example.ch/","#,
            #""apis":{"org.ieee.papi":{"apiLink":"x"}}}"#)
    private static let none =
        #"{"engineLink":"https://x.example.ch/","homePageLink":"https://x.example.ch/","apis":{}}"#

    private static let queries: [Row<(text: String, query: JSON)>] = [
        (
            "all", "a service that offers all of the protocols is found", ["DSC-1"], nil,
            (both, ["org.ieee.papi", "org.imsglobal.lti"])
        ),
        (
            "some", "a service that offers some of them is not", ["DSC-1"], nil,
            (both, ["org.ieee.papi", "org.unknown"])
        ),
        ("no-oauth2", "a service without org.ietf.oauth2 is not found", ["DSC-7"], nil, (foreign, ["org.ieee.papi"])),
        ("no-protocols", "a service that lists no protocol is not found", ["DSC-6"], nil, (none, ["org.ieee.papi"])),
        ("by-url", "it is found by its URL all the same", ["DSC-2", "DSC-6"], nil, (none, ["https://x.example.ch"])),
    ]
}
