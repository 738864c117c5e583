import Federation
import NAIL
import OAuth2Grants
import RSD2
import TestSupport
import Wire

/// The services, tokens and stores of the tests of the app.
enum AppSample {
    static let reading = "org.example.reading"
    static let writing = "org.example.writing"
    static let alpha = "https://alpha.example.ch"
    static let beta = "https://beta.example.ch"
    static let gamma = "https://gamma.example.ch"

    static func url(_ text: String) throws -> ServiceURL { try ServiceURL(parsing: text) }

    static func names(_ texts: String...) throws -> [ProtocolName] { try texts.map { try ProtocolName(parsing: $0) } }

    /// The text of a description, with white space, an unknown member and a number that a model would write otherwise.
    static func text(
        _ home: String, named name: String? = nil, offering protocols: [String] = [reading], oauth2: String? = "oauth/"
    )
        -> String
    {
        var apis: [String] = protocols.map { "\"\($0)\" : {\"apiLink\":\"\($0)/\"}" }
        if let oauth2 { apis.append("\"org.ietf.oauth2\":{ \"apiLink\":\"\(oauth2)\"}") }
        let title = name.map { "\"engineName\":\"\($0)\", " } ?? ""
        return
            "{\(title)\"homePageLink\":\"\(home)\", \"engineLink\":\"\",\n\"x-\u{e9}\": [1.0e2, \"e\u{301}\\u00e9\"], \"apis\":{\(apis.joined(separator: ", "))}}"
    }

    static func service(_ home: String, named name: String? = nil, offering protocols: [String] = [reading]) throws
        -> AuthorizingApp.Store.Service
    {
        try AuthorizingApp.Store.Service(parsing: text(home, named: name, offering: protocols))
    }

    static func key(
        subject: String = "user-1", target: String = "https://eduid.example.ch", type: String = "access"
    ) throws -> AuthorizingApp.Store.TokenKey {
        AuthorizingApp.Store.TokenKey(subject: try name(subject), target: try name(target), type: try name(type))
    }

    static func name(_ text: String) throws -> AuthorizingApp.Store.Name {
        try AuthorizingApp.Store.Name(parsing: text)
    }

    static func token(_ secret: String) throws -> AuthorizingApp.Store.Token {
        try AuthorizingApp.Store.Token(parsing: secret)
    }

    static func service(
        _ home: String, named name: String? = nil, offering protocols: [String] = [reading], token: String
    ) throws -> AuthorizingApp.Store.Service {
        var service = try service(home, named: name, offering: protocols)
        service.token = try self.token(token)
        return service
    }

    /// A store with rows in all relations.
    static func store(limits: AuthorizingApp.Store.Limits = .standard) throws -> AuthorizingApp.Store {
        let settings = [
            try name("language"): "rm", try name("caf\u{e9}"): "composed", try name("cafe\u{301}"): "decomposed",
        ]
        let tokens = [
            try key(subject: "instance-7"): try token("secret-instance"),
            try key(): try token("{\"access_token\":\"secret-personal\"}"),
        ]
        let services = [
            try service(alpha, named: "Universit\u{e9}", token: "secret-service"),
            try service(beta, offering: [reading, writing]),
        ]
        let requested = [try url(beta): try names(writing, reading)]
        var store = AuthorizingApp.Store(limits: limits)
        try store.change { contents in
            (contents.settings, contents.tokens, contents.protocols) = (settings, tokens, requested)
            contents.cache(services)
        }
        return store
    }

    /// A seal that masks every byte and notices changes by a sum; a stand-in for AES-GCM of the host.
    static let seal = Seal(
        seal: { bytes in [check(bytes)] + bytes.map { $0 ^ 0x5a } },
        open: { sealed in
            let bytes = sealed.dropFirst().map { $0 ^ 0x5a }
            return sealed.first == check(bytes) ? bytes : nil
        })

    /// A seal that changes nothing, as a host has it whose system protects the file.
    static let clear = Seal(seal: { $0 }, open: { $0 })

    private static func check(_ bytes: [UInt8]) -> UInt8 {
        bytes.enumerated().reduce(0x17) { ($0 &* 31) &+ $1.element &+ UInt8(truncatingIfNeeded: $1.offset) }
    }

    static func request(_ protocols: [String] = [reading], single: Bool = false) throws -> ProtocolRequest {
        try ProtocolRequest(
            from: ClientID(parsing: "device-7"), of: BundleID(parsing: "ch.example.reader"),
            named: AppName(parsing: "Reader"),
            for: protocols.map { try ProtocolName(parsing: $0) }, prefersSingle: single)
    }
}
