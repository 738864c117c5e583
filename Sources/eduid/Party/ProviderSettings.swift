import Federation
import Foundation
import Hosting
import JOSE
import OAuth2Grants
import Wire

/// The OpenID provider at which people sign in, as an edu-ID service is told of it.
struct ProviderSettings: Sendable {
    let issuer: Issuer
    private let client: ClientID
    private let credential: Credential
    /// The last part of the path at which it answers.
    private let name: String
    private let scope: Scope
    private let algorithms: [Algorithm]
    private let asksForUserinfo: Bool
    /// The program that says whose accounts there are; `nil` where nobody is asked.
    private let link: ProgramSettings?

    /// By what the service shows at the provider who it is.
    private enum Credential {
        /// The file of a key whose public half the provider has; without one it is the key that signs.
        case key(String?)
        /// The file of a secret.
        case secret(String, isInBody: Bool)
    }

    init?(_ settings: inout Settings, _ place: (String) -> String) {
        let issuer = settings.required("issuer", "the provider's issuer identifier, as it writes that itself") {
            try Issuer(parsing: $0)
        }
        let client = settings.required("client", "the name of the edu-ID service there") {
            try ClientID(parsing: $0)
        }
        let (key, secret) = (settings.text("key").map(place), settings.text("secret").map(place))
        if key != nil, secret != nil { settings.complain("'key' and 'secret' exclude each other") }
        let isInBody = settings.word("secret-in", ["header": false, "body": true], otherwise: false)
        credential = secret.map { .secret($0, isInBody: isInBody) } ?? .key(key)
        name = settings.text("name") ?? "provider"
        scope = settings.optional("scope", "words apart by spaces") { try Scope(parsing: $0) } ?? Scope()
        let known = OpenID.algorithms
        let chosen = settings.list("algorithms", known.map { $0.name.text }.joined(separator: ", ")) { word in
            guard let algorithm = known.first(where: { $0.name.text.spells(word) }) else {
                throw Failure.refused("it is none of these")
            }
            return algorithm
        }
        algorithms = chosen.isEmpty ? [.rs256] : chosen
        asksForUserinfo = settings.flag("userinfo", otherwise: true)
        link = settings.part("link") { ProgramSettings(&$0) }
        guard let issuer, let client else { return nil }
        (self.issuer, self.client) = (issuer, client)
    }

    /// A provider that takes what the service's own key signs.
    init(at issuer: Issuer, as client: ClientID, signingBy algorithms: [Algorithm]) {
        (self.issuer, self.client, self.algorithms) = (issuer, client, algorithms)
        (credential, name, scope, asksForUserinfo, link) = (.key(nil), "provider", Scope(), true, nil)
    }

    /// The provider, with the service's credential.
    func provider(for configuration: Configuration, _ console: Console) throws(Failure) -> Provider {
        var provider = try Failure.refusing(
            "the provider",
            try Provider(
                issuer, client: client, by: try shown(configuration, console), answeringAt: name))
        provider.scope = scope
        provider.algorithms = algorithms
        provider.asksForUserinfo = asksForUserinfo
        return provider
    }

    /// The users of the service, of whom some may have accounts at the provider.
    func linking(_ users: UserDirectory) -> UserDirectory {
        guard let link else { return users }
        let command = LinkCommand(link.path, link.arguments, within: link.time)
        return users.linking { await command.link(of: $0) }
    }

    private func shown(
        _ configuration: Configuration, _ console: Console
    ) throws(Failure) -> Provider.Credential {
        switch credential {
        case .key(let path):
            let pair = try Configuration.pair(in: path ?? configuration.keys.signing, console)
            return .key(try Failure.refusing("the key for the provider", try SigningKey(pair)))
        case .secret(let path, let isInBody):
            try Configuration.checkPrivacy(of: path)
            let text = String(decoding: try console.read(path, limit: 4_096), as: UTF8.self)
            let secret = try Failure.refusing(
                "the secret for the provider",
                try Secret.Password(parsing: text.trimmingCharacters(in: .whitespacesAndNewlines)))
            return isInBody ? .secretInBody(secret) : .secretInHeader(secret)
        }
    }

    /// Where the provider describes itself.
    var description: String {
        let root = issuer.text.hasSuffix("/") ? String(issuer.text.dropLast()) : issuer.text
        return root + "/.well-known/openid-configuration"
    }

    /// What has to be registered at the provider, below the URL of the edu-ID service.
    func places(below base: WebURL) -> (callback: String, logout: String) {
        let root = base.text.hasSuffix("/") ? base.text : base.text + "/"
        return (root + "callback/" + name, root + "backchannel-logout")
    }
}
