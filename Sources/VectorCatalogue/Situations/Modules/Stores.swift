internal import JOSETesting
internal import PureCrypto
internal import Wire

// The store of the edu-ID app: what is read back, what is not, and what is saved of a damaged one.

extension Catalogue {
    mutating func addStores() {
        add(.store, "store-", Self.readable) { Self.storing($0) }
        add(.store, "store-refused-", Self.unreadable) { Self.storing($0) }
        add(.store, "store-text-", Self.storedTexts) { $0 }
        add(.store, "store-bound-", Self.bounded) { relation, limits in
            Self.storing(relation).changed(["limits": limits])
        }
        add(.store, "store-salvaged-", Self.damaged) { Self.storing($0).changed(["salvage": true]) }
        add(.store, "store-place-", Self.places) { place, content in
            ["place": place, "content": .string(content)]
        }
    }

    private static let group: JSON = "group.ch.eduid.mobile"

    private static func content(_ relations: JSON.Object, of store: JSON = group) -> String {
        let members: JSON.Object = ["store": store, "revision": 7]
        return JSON.object(members.changed(relations)).encodedString()
    }

    private static func storing(_ relations: JSON.Object) -> JSON.Object {
        ["place": group, "content": .string(content(relations))]
    }

    // MARK: Rows

    private static func description(_ home: String = World.alpha, _ apis: JSON? = nil) -> String {
        joined(
            "{\"engineName\":\"University of Alpha\", \"engineLink\":\"\",\n\"homePageLink\":\"\(home)\", \"apis\":",
            (apis ?? ["org.ietf.oauth2": ["apiLink": "oauth"]]).encodedString(), "}")
    }

    private static let settings: JSON.Object = ["cfg_name": "language", "cfg_value": "rm"]
    private static let token: JSON.Object = [
        "subject": .string(World.phone), "target": .string(World.eduID), "type": "instance", "token": "secret-1",
    ]
    private static let service: JSON.Object = [
        "baseurl": .string(World.alpha + "/"), "name": "University of Alpha", "rsd": .string(description()),
        "token": "secret-2", "token_target": .string(World.alpha + "/oauth"),
    ]
    private static let requested: JSON.Object = [
        "baseurl": .string(World.alpha + "/"), "protocol_id": "org.ieee.papi",
    ]
    private static let other: JSON.Object = [
        "baseurl": .string(World.beta + "/"), "name": "Beta", "rsd": .string(description(World.beta)),
    ]

    private static let whole: JSON.Object = [
        "EduidConfiguration": [.object(settings)], "Protocols": [.object(requested)], "Tokens": [.object(token)],
        "UserServices": [.object(service)],
    ]

    private static func with(_ relation: JSON.Name, _ rows: JSON.Object...) -> JSON.Object {
        whole.changed([relation: .array(rows.map { .object($0) })])
    }

    private static let readable: [Row<JSON.Object>] = [
        ("whole", "a row in each of the four relations", ["DAT-2", "DAT-3"], nil, whole),
        ("empty", "no row at all", ["DAT-2"], nil, [:]),
        (
            "two-forms", "keys are compared byte by byte: two settings", ["DAT-2", "threat-17"], nil,
            with(
                "EduidConfiguration", ["cfg_name": "caf\u{e9}", "cfg_value": "1"],
                ["cfg_name": "cafe\u{301}", "cfg_value": "2"])
        ),
        (
            "sorted", "rows in another order are the same store", ["DAT-2"], nil,
            with("UserServices", other, service)
        ),
        (
            "tokens", "tokens of one subject and target, of two types", ["DAT-2"], nil,
            with("Tokens", token, token.changed(["type": "personal", "token": "{\"access_token\":\"a\"}"]))
        ),
        (
            "protocols", "several protocols of one service, one in a line", ["DAT-2"], nil,
            with("Protocols", requested.changed(["protocol_id": "org.x\norg.ieee.papi"]))
        ),
        (
            "spelling", "a service under another spelling of its URL", ["DAT-2"], nil,
            with("UserServices", service.changed(["baseurl": "HTTPS://ALPHA.example.ch:443"]))
        ),
        (
            "without-token", "a service at which nothing is held", ["DAT-3"], nil,
            with("UserServices", service.changed(["token": .null, "token_target": .null]))
        ),
        (
            "own-machine", "a token for an endpoint on the own machine", ["DAT-3", "threat-40"], nil,
            with("UserServices", service.changed(["token_target": "http://localhost:8080/oauth"]))
        ),
        (
            "no-value", "a setting without a text", ["DAT-2"], nil,
            with("EduidConfiguration", settings.changed(["cfg_value": ""]))
        ),
    ]

    private static let unreadable: [Row<JSON.Object>] = [
        ("relation", "a relation that is none", ["DAT-2"], "DAT-1", whole.changed(["Settings": []])),
        (
            "relation-object", "a relation that is an object", ["DAT-2"], "RFC8259-3",
            whole.changed(["Tokens": .object(token)])
        ),
        ("row", "a row that is a text", ["DAT-2"], "RFC8259-3", whole.changed(["Tokens": ["secret-1"]])),
        (
            "column", "a column that is none", ["DAT-2"], "DAT-1",
            with("EduidConfiguration", settings.changed(["cfg_type": "text"]))
        ),
        (
            "key", "a setting without its name", ["DAT-2"], "RFC8259-4",
            with("EduidConfiguration", settings.changed(["cfg_name": .null]))
        ),
        (
            "type", "a setting that is a number", ["DAT-2"], "RFC8259-3",
            with("EduidConfiguration", settings.changed(["cfg_value": 7]))
        ),
        (
            "name", "a setting with an empty name", ["DAT-2"], "threat-10",
            with("EduidConfiguration", settings.changed(["cfg_name": ""]))
        ),
        ("key-twice", "two settings of one name", ["DAT-2"], "DAT-2", with("EduidConfiguration", settings, settings)),
        (
            "token-twice", "two tokens of one subject, target and type", ["DAT-2"], "DAT-2",
            with("Tokens", token, token.changed(["token": "secret-3"]))
        ),
        (
            "service-twice", "a service under two spellings", ["DAT-2"], "DAT-2",
            with("UserServices", service, service.changed(["baseurl": "https://ALPHA.example.ch"]))
        ),
        ("requested-twice", "two rows for one service", ["DAT-2"], "DAT-2", with("Protocols", requested, requested)),
        (
            "empty-token", "a token without a byte", ["DAT-2"], "RFC6749-A",
            with("Tokens", token.changed(["token": ""]))
        ),
        (
            "token-line", "a token of two lines", ["DAT-2"], "RFC6749-A",
            with("Tokens", token.changed(["token": "secret\n1"]))
        ),
        (
            "unknown-service", "a protocol of a service that is not there", ["DAT-2"], "DAT-2",
            with("Protocols", requested.changed(["baseurl": "https://beta.example.ch/"]))
        ),
        (
            "no-protocol", "no protocol that was requested", ["DAT-2"], "threat-10",
            with("Protocols", requested.changed(["protocol_id": ""]))
        ),
        (
            "protocol-twice", "a protocol that was requested twice", ["DAT-2"], "DAT-2",
            with("Protocols", requested.changed(["protocol_id": "org.x\norg.x"]))
        ),
        (
            "no-url", "a service whose URL is none", ["DAT-3"], "RFC3986-4.3",
            with("UserServices", service.changed(["baseurl": "alpha.example.ch"]))
        ),
        (
            "no-description", "a service without its description", ["DAT-3"], "RFC8259-4",
            with("UserServices", service.changed(["rsd": .null]))
        ),
        (
            "description-cut", "a description that was cut", ["DAT-3"], "RFC8259-4",
            with("UserServices", service.changed(["rsd": "{"]))
        ),
        (
            "other-description", "a description of another service", ["DAT-3"], "DAT-3",
            with("UserServices", service.changed(["rsd": .string(description(World.beta))]))
        ),
        (
            "nameless", "a description without a URL", ["DAT-3"], "DAT-3",
            with("UserServices", service.changed(["rsd": #"{"engineLink":"","apis":{}}"#]))
        ),
        (
            "target", "a token for an endpoint without encryption", ["DAT-3", "threat-40"], "threat-40",
            with("UserServices", service.changed(["token_target": "http://alpha.example.ch/oauth"]))
        ),
        (
            "target-no-url", "a token for what is no URL", ["DAT-3"], "RFC3986-4.3",
            with("UserServices", service.changed(["token_target": "oauth"]))
        ),
    ]

    // MARK: Bounds

    private static let bounded: [Row<(JSON.Object, JSON)>] = [
        (
            "rows", "as many rows as a store may have", ["DAT-2"], nil,
            (whole, ["rows": 1, "field": 512, "bytes": 1_024])
        ),
        (
            "too-many-rows", "a row more than a store may have", ["DAT-2", "threat-14"], "threat-14",
            (
                with("EduidConfiguration", settings, settings.changed(["cfg_name": "theme"])),
                ["rows": 1, "field": 512, "bytes": 1_024]
            )
        ),
        (
            "field", "a field as long as it may be", ["DAT-2"], nil,
            (["EduidConfiguration": [.object(settings)]], ["rows": 4, "field": 8, "bytes": 1_024])
        ),
        (
            "field-too-long", "a field a byte longer than it may be", ["DAT-2", "threat-14"], "threat-14",
            (["EduidConfiguration": [.object(settings)]], ["rows": 4, "field": 7, "bytes": 1_024])
        ),
        (
            "bytes", "as many bytes as a store may have", ["DAT-2"], nil,
            (["EduidConfiguration": [.object(settings)]], ["rows": 4, "field": 512, "bytes": 10])
        ),
        (
            "too-large", "a byte more than a store may have", ["DAT-2", "threat-14"], "threat-14",
            (["EduidConfiguration": [.object(settings)]], ["rows": 4, "field": 512, "bytes": 9])
        ),
    ]

    // MARK: Texts and their seals

    private static let key: JSON = .string(Hex.encode([UInt8](SHA256.hash(data: Array("key of a phone".utf8)))))

    private static func sealed(_ content: String, for purpose: JSON = "group") -> String {
        let given: JSON.Object = [
            "key": key, "purpose": purpose, "salt": World.entropy("a store"),
            "content": .string(Hex.encode(Array(content.utf8))),
        ]
        let bytes = (try? Reference.outcome(of: .sealed, given))?["sealed"]?.string.flatMap { try? Hex.decode($0) }
        return Base64URL.encode(bytes ?? [])
    }

    private static func text(
        _ text: String, purpose: JSON = "group", salt: JSON? = nil, _ more: JSON.Object = [:]
    ) -> JSON.Object {
        let seal: JSON.Object = ["key": key, "purpose": purpose]
        let given: JSON.Object = [
            "place": group, "text": .string(text), "seal": .object(seal.changed(["salt": salt ?? .null])),
        ]
        return given.changed(more)
    }

    private static let storedTexts: [Row<JSON.Object>] = [
        (
            "sealed", "a sealed store, read and written again", ["DAT-1", "DAT-2"], nil,
            text(#"{"eduid":2,"sealed":"\#(sealed(content(whole)))"}"#, salt: World.entropy("a store"))
        ),
        (
            "first", "a store of the first version, which counted no changes", ["DAT-1", "threat-69"], nil,
            text(
                #"{"eduid":1,"sealed":"\#(sealed(content(whole.changed(["revision": .null]))))"}"#,
                salt: World.entropy("a store"))
        ),
        (
            "future", "a store of a later version", ["DAT-1", "threat-69"], "threat-49",
            text(#"{"eduid":3,"sealed":"\#(sealed(content(whole)))"}"#)
        ),
        (
            "no-version", "a store that tells no version", ["DAT-1"], "RFC8259-4",
            text(#"{"sealed":"\#(sealed(content(whole)))"}"#)
        ),
        (
            "member", "a member that is none beside the sealed bytes", ["DAT-1"], "DAT-1",
            text(#"{"eduid":2,"digest":"","sealed":"\#(sealed(content(whole)))"}"#)
        ),
        (
            "other-purpose", "the store of another person", ["DAT-1", "threat-49"], "threat-49",
            text(#"{"eduid":2,"sealed":"\#(sealed(content(whole)))"}"#, purpose: "another group")
        ),
        (
            "changed", "a store that was changed", ["DAT-1", "threat-49"], "threat-49",
            text(#"{"eduid":2,"sealed":"B\#(sealed(content(whole)).dropFirst())"}"#)
        ),
        (
            "changed-salvaged", "of a store that was changed nothing is saved", ["DAT-1", "threat-49"], "threat-49",
            text(#"{"eduid":2,"sealed":"B\#(sealed(content(whole)).dropFirst())"}"#, ["salvage": true])
        ),
        (
            "open", "a store without a seal", ["DAT-1", "threat-49"], "RFC8259-3",
            text(#"{"eduid":2,"sealed":{}}"#)
        ),
        ("cut", "a text that was cut", ["DAT-1", "threat-49"], "RFC8259-7", text(#"{"eduid":2,"sealed":""#)),
        ("nothing", "a text of nothing", ["DAT-1"], "RFC8259-2", text("")),
    ]

    private static let places: [Row<(JSON, String)>] = [
        (
            "app", "the app's own store has settings", ["DAT-1"], nil,
            ("app", content(["EduidConfiguration": [.object(settings)]], of: "app"))
        ),
        (
            "extension", "the extension's own store has settings", ["DAT-1", "DAT-4"], nil,
            ("extension", content(["EduidConfiguration": [.object(settings)]], of: "extension"))
        ),
        (
            "app-tokens", "tokens in the app's own store, which the extension cannot read", ["DAT-1", "DAT-4"], "DAT-1",
            ("app", content(["Tokens": [.object(token)]], of: "app"))
        ),
        (
            "extension-services", "services in the extension's own store", ["DAT-1", "DAT-4"], "DAT-1",
            ("extension", content(["UserServices": [.object(service)]], of: "extension"))
        ),
        (
            "other", "the store of another place", ["DAT-1", "threat-49"], "DAT-1",
            (group, content(["EduidConfiguration": [.object(settings)]], of: "app"))
        ),
        ("nowhere", "a store that tells no place", ["DAT-1"], "RFC8259-4", (group, #"{"revision":7}"#)),
        ("list", "a list in the place of a store", ["DAT-1"], "RFC8259-3", (group, "[]")),
    ]

    // MARK: Damage

    private static let damaged: [Row<JSON.Object>] = [
        ("sound", "of a sound store nothing is lost", ["threat-71"], nil, whole),
        (
            "row", "a damaged row costs no other one", ["threat-56", "threat-71", "DAT-2"], nil,
            with("EduidConfiguration", settings.changed(["cfg_value": 7]), settings.changed(["cfg_name": "theme"]))
        ),
        (
            "service", "a damaged service costs what refers to it", ["threat-56", "threat-71", "DAT-2"], nil,
            with("UserServices", service.changed(["rsd": "{"]), other)
        ),
        (
            "relation", "a relation that is none, and one that is damaged whole", ["threat-71"], nil,
            whole.changed(["Settings": [], "Tokens": 7])
        ),
        (
            "twice", "of two rows of one key the first one stays", ["threat-71", "DAT-2"], nil,
            with("Tokens", token, token.changed(["token": "secret-3"]))
        ),
    ]
}
