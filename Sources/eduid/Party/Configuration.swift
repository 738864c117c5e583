import Foundation
import Federation
import Hosting
import JOSE
import OAuth2Grants
import RSD2
import TokenTree
import Wire

/// What a party of the federation is told in its folder: who it is, where it listens, where it stores, and whom it
/// trusts.
struct Configuration: Sendable {
    /// The name of the file in the folder of a party.
    static let fileName = "eduid.yaml"

    /// The folder of the party.
    let folder: String
    let issuer: Issuer
    /// Where its endpoints lie.
    let base: WebURL
    private(set) var role: Role
    let listening: Listening
    let store: StorePlace
    let keys: KeyPlaces
    /// Where requests may go.
    let destinations: Destinations
    /// The certificates of authorities that other parties are known by; `nil` for those that the system trusts.
    let authorities: String?
    /// The users who may administrate.
    let administrators: [String]
    /// What their sign-in has to be.
    let administratorsDemand: AuthenticationDemand
    /// How long access tokens are good.
    let accessLifetime: Duration
    /// The file with a record of every decision; `nil` for none.
    let audit: String?
    /// Up to which level lines are written.
    let log: LogLevel

    /// Where people sign in as well, beside what the folder says.
    private(set) var addedProvider: ProviderSettings?

    /// What the party is.
    enum Role: Sendable {
        case eduID(EduID)
        case service(Service)
    }

    /// What only an edu-ID service has.
    struct EduID: Sendable {
        let accounts: Accounts
        /// The file with the services of the federation.
        let services: String
        /// The file with the versions of the app.
        let versions: String
        let takesPasswords: Bool
        /// What sign-ins may amount to, the strongest first.
        let contextClasses: [EduIDService.ContextClass]
        /// Where profiles list what people are at which institution, and how long a provider's list counts.
        let affiliationClaim: JSON.Name?
        let affiliationLifetime: Duration?
        let assertionLifetime: Duration
        /// The tools that may have all ended that somebody was given, with the files of their keys.
        let revokers: [(issuer: Issuer, keys: String)]
        /// What the pages say of the service; `nil` for no pages.
        let pages: PageSettings?
        /// Where people sign in who have an account there; `nil` if there is no such place.
        fileprivate(set) var provider: ProviderSettings?

        /// How logins are checked.
        enum Accounts: Sendable, Equatable {
            case file(String, asksOnDemand: Bool)
            case command(ProgramSettings)
        }
    }

    /// What only a service of the federation has.
    struct Service: Sendable {
        /// The file with the description.
        let description: String
        /// The edu-ID service whose word it takes.
        let eduID: Issuer
        let asksWhetherAssertionsStand: Bool
        let asksForProfiles: Bool
        let keylessApps: FederationService.Policy.Keyless
        let notesUse: Bool
        /// What the sign-in of everybody has to be.
        let demand: AuthenticationDemand
    }

    /// Where the party listens, for what.
    struct Listening: Sendable {
        var http: [Address] = []
        var scgi: [Address] = []
        /// Whether a web server starts a process for each request.
        var isByCGI = false
        /// Where the web server asks before it answers itself.
        var guarding: [Address] = []
        /// Where operators reach the party, and nobody else.
        var operating: Address
        /// Whether the configuration says where that is.
        var namesOperating = false
        /// Where monitoring asks for numbers and health.
        var monitoring: [Address] = []
        var forwarding = HTTP.Forwarding.ignored
        var connections = 512
    }

    /// Where the keys are.
    struct KeyPlaces: Sendable {
        let signing: String
        /// Further keys that are published: those that sign next, and those that signed before.
        let published: [String]
        let secret: String
    }

    /// Has people sign in at a provider as well, whatever the folder says.
    mutating func signInAlso(at provider: ProviderSettings) {
        guard case .eduID(var eduID) = role else { return }
        eduID.provider = provider
        (role, addedProvider) = (.eduID(eduID), provider)
    }

    /// Whether the whole federation is on this machine, where plain HTTP is not overheard.
    var isLocal: Bool { base.scheme == .http }

    /// How other parties are asked.
    var network: Network {
        var policy = Network.Policy()
        policy.destinations = destinations
        policy.authorities = authorities
        return Network(policy: policy)
    }
}

// MARK: - Reading

extension Configuration {
    /// Reads the configuration in a folder, or says everything that is wrong with it.
    init(in folder: String, from console: Console) throws(Failure) {
        let path = folder + "/" + Self.fileName
        let (configuration, problems) = Self.read(
            try Self.members(of: path, console), of: path, in: folder)
        guard let configuration, problems.isEmpty else {
            throw .refused(problems.joined(separator: "\n  "))
        }
        self = configuration
    }

    /// The members of a file in YAML.
    static func members(of path: String, _ console: Console) throws(Failure) -> JSON.Object {
        let bytes = try console.read(path, limit: 4 << 20)
        let value = try Failure.refusing("'\(path)' is refused", try YAML.value(parsing: bytes.span))
        guard let members = value.object else { throw .refused("'\(path)' has to have members, such as 'issuer: …'") }
        return members
    }

    private static func read(
        _ members: JSON.Object, of path: String, in folder: String
    ) -> (Configuration?, [String]) {
        var settings = Settings(members, of: path)
        func place(_ name: String) -> String { name.hasPrefix("/") ? name : folder + "/" + name }
        let base = settings.required(
            "issuer", "an https URL without query, or http://localhost for trials", readBase)
        let isEduID = settings.required("role", "edu-id or service") { word throws -> Bool in
            guard let role = ["edu-id": true, "service": false][word] else { throw Failure.refused("no such role") }
            return role
        }
        let listening = settings.part("listen") { Listening(&$0, place) } ?? Listening(at: place)
        if listening.http.isEmpty && listening.scgi.isEmpty && !listening.isByCGI {
            settings.complain("'listen' needs 'http' or 'scgi', such as 'http: loopback:8080', or 'cgi: true'")
        }
        let store = storePlace(&settings, place)
        if listening.isByCGI, let store, !store.isShared {
            settings.complain(
                "'store' is a journal, which one process has at a time, and by CGI each request has a process; "
                    + "expected sqlite:FILE or postgresql:CONNECTION")
        }
        let keys =
            settings.part("keys") { keys in
                KeyPlaces(
                    signing: place(keys.text("signing") ?? "signing.jwk"),
                    published: keys.list("published", "files") { place($0) },
                    secret: place(keys.text("secret") ?? "secret"))
            } ?? KeyPlaces(signing: place("signing.jwk"), published: [], secret: place("secret"))
        let destinations = settings.word(
            "destinations", ["worldwide": Destinations.worldwide, "anywhere": .anywhere],
            otherwise: base?.url.scheme == .http ? .anywhere : .worldwide)
        let authorities = settings.text("authorities").map { place($0) }
        let administrators = settings.list("administrators", "names of users") { $0 }
        let administratorsDemand = settings.demand("administrators-sign-in")
        let audit = settings.text("audit") ?? "audit.jsonl"
        let log = settings.word("log", LogLevel.words, otherwise: .info)
        let lifetime = settings.lifetime("access-lifetime", upTo: Authority.longestAccessLifetime) ?? .seconds(3_600)
        var role: Role?
        switch isEduID {
        case true?: role = EduID(&settings, place, named: base?.url.host.text).map { .eduID($0) }
        case false?: role = Service(&settings, place).map { .service($0) }
        case nil: break
        }
        if listening.isByCGI, case .eduID(let eduID)? = role, case .command = eduID.accounts {
            settings.complain(
                "'login' needs a process that remembers what is told about people, and by CGI none does; "
                    + "expected 'accounts'")
        }
        if case .eduID(let eduID)? = role, let flaw = eduID.flaw(of: administratorsDemand, "administrators-sign-in") {
            settings.complain(flaw)
        }
        let problems = settings.finish()
        guard let base, let role, let store else { return (nil, problems) }
        let issuer = isEduID == false ? name(ofServiceAt: base) : base.issuer
        let configuration = Configuration(
            folder: folder, issuer: issuer, base: base.url, role: role, listening: listening, store: store, keys: keys,
            destinations: destinations, authorities: authorities, administrators: administrators,
            administratorsDemand: administratorsDemand, accessLifetime: lifetime,
            audit: audit.spells("none") ? nil : place(audit), log: log)
        return (configuration, problems)
    }

    /// The name under which edu-ID services know a service where nothing else is said: its URL in the normal form.
    ///
    /// Byte by byte it is the audience of every assertion for the service, however the URL was typed here and there.
    private static func name(ofServiceAt base: (issuer: Issuer, url: WebURL)) -> Issuer {
        (try? Issuer(parsing: ServiceURL(base.url).identity)) ?? base.issuer
    }

    /// The issuer identifier, which everything of the party lies below.
    private static func readBase(_ text: String) throws -> (issuer: Issuer, url: WebURL) {
        let (issuer, url) = (try Issuer(parsing: text), try WebURL(parsing: text))
        guard url.scheme == .https || url.isLoopback else {
            throw Failure.refused("'http' is overheard; it is for 'localhost' alone")
        }
        guard url.query == nil, url.fragment == nil else { throw Failure.refused("without query and fragment") }
        return (issuer, url)
    }

    private static func storePlace(_ settings: inout Settings, _ place: (String) -> String) -> StorePlace? {
        let space = settings.text("space") ?? "eduid"
        let text = settings.text("store") ?? "journal:store"
        if let found = StorePlace(text, space: space, at: place) { return found }
        settings.complain(
            "'store' is '\(text)'; expected journal:FOLDER, sqlite:FILE or postgresql:CONNECTION")
        return nil
    }
}

extension Failure: CustomStringConvertible {
    /// What went wrong, as it is shown.
    var description: String {
        switch self {
        case .misuse(let words), .refused(let words): words
        }
    }
}

extension Configuration.EduID {
    fileprivate init?(_ settings: inout Settings, _ place: (String) -> String, named host: String?) {
        let command = settings.part("login") { ProgramSettings(&$0) }
        let file = settings.text("accounts")
        if let command {
            if file != nil { settings.complain("'accounts' and 'login' exclude each other") }
            accounts = .command(command)
        } else {
            let codes = settings.word("one-time-codes", ["always": false, "on-demand": true], otherwise: false)
            accounts = .file(place(file ?? "accounts"), asksOnDemand: codes)
        }
        services = place(settings.text("services") ?? "services.yaml")
        versions = place(settings.text("versions") ?? "versions.yaml")
        takesPasswords = settings.flag("takes-passwords", otherwise: false)
        let longest = Statement.Policy.assertionGrant.maximumLifetime
        assertionLifetime = settings.lifetime("assertion-lifetime", upTo: longest) ?? .seconds(300)
        contextClasses = settings.list("sign-in-classes", "a class and its methods, such as 'mfa pwd otp'") { text in
            let words = text.split(separator: " ").map { String($0) }
            guard let name = words.first, words.count > 1 else { throw Failure.refused("it names no method") }
            return EduIDService.ContextClass(
                try Authentication.ContextClass(parsing: name), takes: Array(words.dropFirst()))
        }
        affiliationClaim = settings.text("affiliation-claim").map { JSON.Name($0) }
        affiliationLifetime = settings.seconds("affiliation-lifetime")
        revokers = settings.parts("revokers") { part in
            let issuer = part.required("issuer", "the name under which the tool signs") { try Issuer(parsing: $0) }
            let keys = part.required("keys", "a file with its public keys") { place($0) }
            guard let issuer, let keys else { return nil }
            return (issuer, keys)
        }
        var pages = PageSettings(named: host ?? "edu-ID")
        let areShown = settings.part("pages") { part in
            pages.name = part.text("name") ?? pages.name
            pages.help = part.optional("help", "a URL") { try WebURL(parsing: $0) }
            let languages = Dictionary(uniqueKeysWithValues: PageLanguage.allCases.map { ($0.rawValue, $0) })
            pages.language = part.word("language", languages, otherwise: .english)
            pages.backupDays = part.number("backup-days", 0...36_500).map { Int($0) }
            return part.flag("shown", otherwise: true)
        }
        self.pages = areShown ?? true ? pages : nil
        provider = settings.part("provider") { ProviderSettings(&$0, place) } ?? nil
    }

    /// Why nobody would meet a demand, if that is so; a provider's words are its own.
    func flaw(of demand: AuthenticationDemand, _ name: String) -> String? {
        let reached = contextClasses.map { $0.name }
        guard !demand.contextClasses.isEmpty, provider == nil, !demand.contextClasses.contains(where: reached.contains)
        else { return nil }
        return "no sign-in here is of a class that '\(name)' demands; expected one of 'sign-in-classes'"
    }
}

extension Configuration.Service {
    fileprivate init?(_ settings: inout Settings, _ place: (String) -> String) {
        description = place(settings.text("description") ?? "service.json")
        let trusted = settings.part("edu-id") { part in
            let issuer = part.required("issuer", "the URL of the edu-ID service") { try Issuer(parsing: $0) }
            return (
                issuer, part.flag("introspection", otherwise: true), part.flag("userinfo", otherwise: true)
            )
        }
        if trusted == nil {
            settings.complain("'edu-id' is missing: a part with 'issuer', the URL of the edu-ID service")
        }
        keylessApps = settings.word(
            "keyless-apps", ["symmetric-key": .symmetricKey, "bearer": .bearerToken], otherwise: .symmetricKey)
        notesUse = settings.flag("notes-use", otherwise: false)
        demand = settings.demand()
        guard let trusted, let issuer = trusted.0 else { return nil }
        eduID = issuer
        (asksWhetherAssertionsStand, asksForProfiles) = (trusted.1, trusted.2)
    }
}

extension Configuration.Listening {
    /// Nowhere but at the operators' socket, in the party's own folder.
    fileprivate init(at place: (String) -> String) {
        operating = .path(place("admin.socket"))
    }

    fileprivate init(_ settings: inout Settings, _ place: (String) -> String) {
        self.init(at: place)
        func address(_ text: String) throws -> Address {
            guard let address = Address(text) else { throw Failure.refused("it is no address") }
            return address
        }
        let expected = "loopback:8080, 127.0.0.1:8080, '[::1]:8080' or unix:/run/eduid/http"
        http = settings.list("http", expected, address)
        scgi = settings.list("scgi", expected, address)
        isByCGI = settings.flag("cgi", otherwise: false)
        guarding = settings.list("guard", expected, address)
        monitoring = settings.list("metrics", expected, address)
        if let asked = settings.optional("admin", "unix:/run/eduid/admin", address) {
            (operating, namesOperating) = (asked, true)
        }
        if case .path = operating {
        } else {
            settings.complain("'admin' has to be a path, such as unix:/run/eduid/admin")
        }
        for open in scgi + guarding where !open.isLocal {
            settings.complain("'\(open)' is open to other machines, which would be believed; use loopback or unix:")
        }
        connections = Int(settings.number("connections", 8...100_000) ?? 512)
        let believed = settings.part("forwarded") { part in
            let family = part.word(
                "field", ["forwarded": HTTP.Forwarding.Family.standard, "x-forwarded-for": .customary],
                otherwise: .customary)
            let peers = part.list("proxies", "addresses, or unix") { text throws -> HTTP.Peer in
                if text.spells("unix") { return .localSocket }
                if let four = try? URI.IPv4Address(parsing: Array(text.utf8).span) { return .ipv4(four) }
                return HTTP.Peer(try URI.IPv6Address(parsing: Array(text.utf8).span))
            }
            let hops = part.number("hops", 1...16) ?? 1
            guard let forwarding = HTTP.Forwarding(trusting: Set(peers), family: family, hops: Int(hops)) else {
                part.complain("'proxies' is missing: the addresses of the web servers in front")
                return HTTP.Forwarding.ignored
            }
            return forwarding
        }
        forwarding = believed ?? .ignored
    }
}
