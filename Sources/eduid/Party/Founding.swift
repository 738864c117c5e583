import Foundation
import Hosting
import JOSE
import PureCrypto
import RSD2
import Wire

/// A party that does not exist yet: what its folder is made from.
struct Founding {
    enum Role {
        case eduID
        case service(under: Issuer, offering: [(name: ProtocolName, link: String)])
    }

    let issuer: Issuer
    let role: Role
    /// The name for people.
    let name: String
    /// Where it listens for HTTP; `nil` where a web server starts a process for each request.
    let address: Address?

    /// Makes the folder of the party with keys, secrets, the configuration and, for a service, its description.
    ///
    /// A folder that is there must be empty; of what cannot be written whole, parts may be left.
    func make(_ folder: String, on console: inout Console) throws(Failure) {
        try Self.makeFolder(folder)
        func write(_ text: String, _ name: String, _ protection: Console.Protection) throws(Failure) {
            try console.store(Array(text.utf8), folder + "/" + name, protection, false)
        }
        let key = Self.signingKey(using: &console.entropy)
        try console.store(
            KeyFile([.secret(key)]).encoded(as: .jwk), folder + "/signing.jwk", .secret, false)
        let secret = (0..<4).flatMap { _ in withUnsafeBytes(of: console.entropy.next()) { Array($0) } }
        try write(Base64URL.encode(secret) + "\n", "secret", .secret)
        switch role {
        case .eduID:
            try write(Self.noServices, "services.yaml", .shared)
            try write(Self.noVersions, "versions.yaml", .shared)
            try write(Self.eduIDText(issuer, name, address), Configuration.fileName, .shared)
        case .service(let eduID, let protocols):
            try console.store(
                description(offering: protocols).encoded() + [0x0a], folder + "/service.json", .shared, false)
            try write(Self.serviceText(issuer, address, under: eduID), Configuration.fileName, .shared)
        }
    }

    /// A key pair that is named by its thumbprint, and by one that no command line takes for an option.
    static func signingKey(using entropy: inout any RandomNumberGenerator) -> JWK.Private {
        while true {
            var key = JWK.Private(
                Curve25519.Signing.PrivateKey(using: &entropy),
                attributes: JWK.Attributes(use: .signature, algorithm: .edDSA))
            key.attributes.id = (try? key.thumbprint()).flatMap { try? KeyID(parsing: $0.text) }
            if key.id?.text.utf8.first != UInt8(ascii: "-") { return key }
        }
    }

    static func makeFolder(_ folder: String) throws(Failure) {
        let files = FileManager.default
        if let found = try? files.contentsOfDirectory(atPath: folder) {
            guard found.isEmpty else { throw .refused("'\(folder)' is not empty; choose a new folder") }
            return
        }
        try Failure.refusing(
            "'\(folder)' cannot be made",
            try files.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]))
    }

    private func description(offering protocols: [(name: ProtocolName, link: String)]) -> ServiceDescription {
        var document = ServiceDescription(engineLink: "", homePageLink: issuer.text)
        document.engineName = name
        let authorization: ProtocolName = "org.ietf.oauth2"
        document[authorization] = ServiceDescription.API(authorization, link: "oauth")
        for (name, link) in protocols { document[name] = ServiceDescription.API(name, link: link) }
        return document
    }
}

// MARK: - What is written

extension Founding {
    private static let noServices = """
        # The services of the federation. For each of them:
        #
        # services:
        #   - url: https://moodle.example.edu     # its home page, as its own description says
        #     releases: [given_name, email]       # what it learns about users
        #     users: pairwise                     # 'common' lets services join what they know
        #     hosts: []                           # other hosts on which its description may lie
        #     affiliations: ['*@example.edu']     # it is for members of these alone; 'staff@example.edu' for some
        #     sign-in:                            # what sign-ins of its users have to be: 'classes', 'max-age'
        #       max-age: 3600
        services: []

        """

    private static let noVersions = """
        # The released versions of the edu-ID app. For each of them:
        #
        # versions:
        #   - app: ch.example.eduid               # the name of the app
        #     platform: ios
        #     number: '1.0'
        #     key: versions/ios-1.0.jwk           # its public key, in this folder
        #     callbacks: [ch.example.eduid:/signed-in]   # where browsers call it back
        #     blocked: false
        versions: []

        """

    private static let head = """
        # Paths are relative to this folder. 'eduid check' says what is wrong with all of it, 'eduid serve' runs it;
        # SIGHUP has it read anew.

        """

    /// The text of a value, in which nothing means anything to YAML.
    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

    private static func eduIDText(_ issuer: Issuer, _ name: String, _ address: Address?) -> String {
        """
        # An edu-ID service: it knows the people and the app, and introduces them to services.
        \(head)
        role: edu-id

        # The name under which it signs, and below which its endpoints lie. It is for ever.
        issuer: \(quoted(issuer.text))

        \(listening(address, isService: false))
        \(storing(address == nil ? "sqlite:store.sqlite" : "journal:store"))
        # The people: a file that 'eduid account' writes, or a program that checks logins, asked on its standard input.
        accounts: accounts
        # login:
        #   command: /usr/local/libexec/eduid-login
        #   arguments: []
        #   seconds: 10

        # An OpenID provider at which people sign in with a browser, and the name that this service has there; it has to
        # know '/callback/provider' and '/backchannel-logout' below the issuer, and the keys at '/jwks'.
        # provider:
        #   issuer: https://login.example.ch/
        #   client: eduid
        #   scope: profile email
        #   algorithms: [RS256]
        #   # Where it takes no signed statements by the key that signs here: another key, or a secret, in files.
        #   # key: provider.jwk
        #   # secret: provider.secret
        #   # secret-in: header
        #   # A program that says whose an account there is, asked on its standard input at each sign-in.
        #   # link:
        #   #   command: /usr/local/libexec/eduid-link

        # The services of the federation, and the versions of the app.
        services: services.yaml
        versions: versions.yaml

        # Who may administrate, by the names that 'eduid account list' shows.
        administrators: []

        # Tools that may have all ended that somebody was given, by POST to 'global-token-revocation'.
        # revokers:
        #   - issuer: https://watch.example.ch
        #     keys: watch.jwks

        # How many seconds an access token is good, and an assertion can be redeemed.
        access-lifetime: 3600
        assertion-lifetime: 300

        # The pages for people and administrators, below 'account' of the issuer: what the service is called there,
        # where people find help, the language for those whose browsers ask for no other (en, de, fr, it), and after how
        # many days backups are removed, as people are told who erase their data.
        pages:
          shown: true
          name: \(quoted(name))
          # help: https://help.example.ch
          language: en
          # backup-days: 30

        """
    }

    private static func serviceText(_ issuer: Issuer, _ address: Address?, under eduID: Issuer) -> String {
        """
        # A service of a federation: it gives tokens to the apps of its users, and knows them again.
        \(head)
        role: service

        # The name under which it signs, and below which its endpoints lie. It is for ever, and the home page of the
        # description.
        issuer: \(quoted(issuer.text))
        description: service.json

        # Whose word about people counts, and whether it is asked again at each introduction.
        edu-id:
          issuer: \(quoted(eduID.text))
          introspection: true
          userinfo: true

        \(listening(address, isService: true))
        \(storing(address == nil ? "sqlite:store.sqlite" : "journal:store"))
        # What an app gets that brings no key: 'symmetric-key', or 'bearer', which whoever has it can use.
        keyless-apps: symmetric-key

        # Whether it is noted when a token was used last.
        notes-use: false

        # Who may administrate, by the names under which the service knows people.
        administrators: []

        # How many seconds an access token is good.
        access-lifetime: 3600

        """
    }

    /// At a path nobody but the web server can connect; elsewhere it has to be said who that is.
    private static func forwarded(_ address: Address?) -> String {
        let (mark, peer) = if case .path = address { ("  ", "unix") } else { ("  # ", "127.0.0.1") }
        return ["forwarded:", "  field: x-forwarded-for", "  proxies: [\(peer)]", "  hops: 1"]
            .map { mark + $0 }.joined(separator: "\n")
    }

    private static func listening(_ address: Address?, isService: Bool) -> String {
        let door = """

              # Where the web server asks before it answers requests to pages of its own ('auth_request' of nginx):
              # guard: unix:/run/eduid/guard
            """
        return """
            # Where the web server in front, which has the TLS, connects to: 'loopback:8080', '127.0.0.1:8080',
            # '[::1]:8080' or 'unix:/run/eduid/http', or a list of them.
            listen:
              \(address.map { "http: " + quoted($0.description) } ?? "# http: 'loopback:8080'")
              # scgi: unix:/run/eduid/scgi
              # Whether the web server starts a program for each request, so that no process of the party's is needed:
              \(address == nil ? "" : "# ")cgi: true\(isService && address != nil ? door : "")
              # Whose word counts about where requests come from, for limits and logs; a change takes a restart:
            \(forwarded(address))
              # Where monitoring asks for '/metrics', '/health' and '/ready':
              # metrics: loopback:9464
              # Where 'eduid admin' asks; nobody else can reach it:
              # admin: unix:/run/eduid/admin
              connections: 512

            # A record of every decision, a line of JSON each, which names nobody; 'none' for no records.
            audit: audit.jsonl

            # How much is written to standard output and standard error: error, warning, notice, info (each request) or
            # debug (each request to others, too).
            log: info

            """
    }

    private static func storing(_ store: String) -> String {
        """
        # Where other parties may be: 'worldwide' leaves out this machine and its network, so that nobody can have them
        # asked by a URL that leads there; 'anywhere' is for federations that live in one network.
        # destinations: worldwide

        # The authorities that vouch for other parties' certificates, in PEM; without this those that the system trusts.
        # authorities: authorities.pem

        # Where everything is stored that was given: journal:FOLDER for one process, sqlite:FILE for several on one
        # machine, postgresql:CONNECTION for several machines.
        store: \(store)

        # Who signs, which other keys are published, and the secret that much else follows from. Whoever loses the
        # secret has other names for all users. 'eduid admin key' puts the next key and the former ones beside the one
        # that signs; they are published too.
        keys:
          signing: signing.jwk
          published: []
          secret: secret

        """
    }
}
