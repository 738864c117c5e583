internal import Federation
internal import JOSE
internal import OAuth2Grants
internal import PureCrypto
internal import RSD2
internal import TokenTree
internal import Wire

/// Who performs a vector, made from the description in it: keys, registry, policy.
enum Party {
    case eduID(EduIDService, [User])
    case service(FederationService)

    /// A person with an account.
    struct User {
        let name: String
        let password: String
        let subject: Record.Subject
        let profile: JSON.Object
    }

    init(_ json: JSON) throws(Malformed) {
        switch json["role"]?.string {
        case "edu-id": self = .eduID(try EduIDService(vector: json), try Self.users(json))
        case "service": self = .service(try FederationService(vector: json))
        default: throw Malformed("party.role")
        }
    }

    private static func users(_ json: JSON) throws(Malformed) -> [User] {
        var users: [User] = []
        for user in json["users"]?.array ?? [] {
            users.append(
                User(
                    name: try Malformed.need(user["name"]?.string, "party.users.name"),
                    password: try Malformed.need(user["password"]?.string, "party.users.password"),
                    subject: try Malformed.need(
                        user["subject"]?.string.flatMap { try? Record.Subject(parsing: $0) }, "party.users.subject"),
                    profile: user["profile"]?.object ?? [:]))
        }
        return users
    }
}

extension Authority {
    init(vector json: JSON) throws(Malformed) {
        let issuer = try Malformed.need(json["issuer"]?.string.flatMap { try? Issuer(parsing: $0) }, "party.issuer")
        let key = try Malformed.need(json["key"].flatMap { try? JWK.Private(parsing: $0.encoded()) }, "party.key")
        let master = try SymmetricKey(vector: json, "master")
        guard
            let authority = try? Authority(
                issuer, signingWith: key, others: try .init(vector: json, "other_keys"), master: master)
        else {
            throw Malformed("party.key")
        }
        self = authority
    }
}

extension SymmetricKey {
    fileprivate init(vector json: JSON, _ member: JSON.Name) throws(Malformed) {
        let bytes = json[member]?.string.flatMap { try? Base64URL.decode($0) }
        self.init(data: try Malformed.need(bytes, "party.\(member)"))
    }
}

extension [JWK] {
    fileprivate init(vector json: JSON, _ member: JSON.Name) throws(Malformed) {
        self = []
        for key in json[member]?.array ?? [] {
            append(try Malformed.need(try? JWK(parsing: key.encoded()), "party.\(member)"))
        }
    }
}

extension [VerificationKey] {
    fileprivate init(vector json: JSON, _ member: JSON.Name) throws(Malformed) {
        self = []
        for key in try [JWK](vector: json, member) {
            append(try Malformed.need(try? VerificationKey(key), "party.\(member)"))
        }
    }
}

extension EduIDService {
    init(vector json: JSON) throws(Malformed) {
        var versions: [AppVersion] = []
        for version in json["versions"]?.array ?? [] { versions.append(try AppVersion(vector: version)) }
        var members: [ServiceIndex.Member] = []
        var directory = ServiceDirectory()
        for service in json["services"]?.array ?? [] {
            let member = try ServiceIndex.Member(vector: service)
            members.append(member)
            guard let document = service["document"] else { continue }
            directory.update(
                member.home,
                try Malformed.need(try? ServiceDescription(parsing: document.encoded()), "party.services.document"))
        }
        self.init(
            try Authority(vector: json), versions: try Malformed.need(try? AppVersions(versions), "party.versions"),
            index: ServiceIndex(members), directory: directory,
            pseudonyms: Pseudonyms(secret: try SymmetricKey(vector: json, "pseudonyms")),
            policy: try Policy(vector: json["policy"] ?? [:]))
    }
}

extension EduIDService.Policy {
    init(vector json: JSON) throws(Malformed) {
        self.init()
        takesPasswords = json["takes_passwords"]?.bool ?? takesPasswords
        hasUsageManager = json["has_usage_manager"]?.bool ?? hasUsageManager
        acceptsEndpointAsAudience = json["accepts_endpoint_as_audience"]?.bool ?? acceptsEndpointAsAudience
        proof.acceptsDPoP = json["accepts_dpop"]?.bool ?? proof.acceptsDPoP
        if let seconds = json["repetition_window"]?.number?.integer(as: Int64.self) {
            repetitionWindow = .seconds(seconds)
        }
        excludedPlatforms = Set(
            (json["excluded_platforms"]?.array ?? []).compactMap {
                $0.string.map { AppVersion.Platform(JSON.Name($0)) }
            })
        administrators = Set(
            (json["administrators"]?.array ?? []).compactMap { $0.string.flatMap { try? Record.Subject(parsing: $0) } })
    }
}

extension AppVersion {
    fileprivate init(vector json: JSON) throws(Malformed) {
        let platform = Platform(JSON.Name(try Malformed.need(json["platform"]?.string, "party.versions.platform")))
        let number = try Malformed.need(
            json["version"]?.string.flatMap { try? Number(parsing: $0) }, "party.versions.version")
        let name = try Malformed.need(
            json["app_name"]?.string.flatMap { try? Issuer(parsing: $0) }, "party.versions.app_name")
        let id = try Malformed.need(json["kid"]?.string.flatMap { try? KeyID(parsing: $0) }, "party.versions.kid")
        let key = try Malformed.need(json["key"], "party.versions.key").encoded()
        let version: AppVersion?
        if json["key"]?["kty"]?.string == "oct" {
            version = (try? JWK.Private(parsing: key)).flatMap {
                try? AppVersion(platform, number, appName: name, keyID: id, secret: $0)
            }
        } else {
            version = (try? JWK(parsing: key)).flatMap {
                try? AppVersion(platform, number, appName: name, keyID: id, key: $0)
            }
        }
        self = try Malformed.need(version, "party.versions.key")
        isBlocked = json["blocked"]?.bool ?? false
    }
}

extension ServiceIndex.Member {
    fileprivate init(vector json: JSON) throws(Malformed) {
        let home = try Malformed.need(
            json["home"]?.string.flatMap { try? ServiceURL(parsing: $0) }, "party.services.home")
        let issuer = try Malformed.need(
            json["issuer"]?.string.flatMap { try? Issuer(parsing: $0) }, "party.services.issuer")
        let keys = try [VerificationKey](vector: json, "keys")
        let claims = (json["released_claims"]?.array ?? []).compactMap { $0.string.map { JSON.Name($0) } }
        let subjects: Subjects = json["subjects"]?.string == "common" ? .common : .pairwise
        func url(_ member: JSON.Name) throws(Malformed) -> WebURL? {
            guard let text = json[member]?.string else { return nil }
            return try Malformed.need(try? WebURL(parsing: text), "party.services.\(member)")
        }
        let (token, revocation) = (try url("token_endpoint"), try url("revocation_endpoint"))
        self = try Malformed.need(
            try? ServiceIndex.Member(
                home, issuer: issuer, keys: keys, tokenEndpoint: token, revocationEndpoint: revocation,
                releasedClaims: claims,
                subjects: subjects), "party.services")
    }
}

extension FederationService {
    init(vector json: JSON) throws(Malformed) {
        let document = try Malformed.need(
            json["document"].flatMap { try? ServiceDescription(parsing: $0.encoded()) }, "party.document")
        let trust = try Malformed.need(json["edu_id"], "party.edu_id")
        let issuer = try Malformed.need(
            trust["issuer"]?.string.flatMap { try? Issuer(parsing: $0) }, "party.edu_id.issuer")
        let keys = try [VerificationKey](vector: trust, "keys")
        let introspection = trust["introspection"]?.string.flatMap { try? WebURL(parsing: $0) }
        let authority = try Authority(vector: json)
        let policy = try Policy(vector: json["policy"] ?? [:])
        self = try Malformed.need(
            try? FederationService(
                authority, document: document, trusting: Trusted(issuer, keys: keys, introspection: introspection),
                policy: policy),
            "party.document")
    }
}

extension FederationService.Policy {
    init(vector json: JSON) throws(Malformed) {
        self.init()
        extendsTokens = json["extends_tokens"]?.bool ?? extendsTokens
        revokesMisuse = json["revokes_misuse"]?.bool ?? revokesMisuse
        acceptsEndpointAsAudience = json["accepts_endpoint_as_audience"]?.bool ?? acceptsEndpointAsAudience
        proof.acceptsDPoP = json["accepts_dpop"]?.bool ?? proof.acceptsDPoP
        if json["keyless_apps"]?.string == "bearer_token" { keylessApps = .bearerToken }
        if let seconds = json["grant_lifetime"]?.number?.integer(as: Int64.self) { grantLifetime = .seconds(seconds) }
        if let seconds = json["repetition_window"]?.number?.integer(as: Int64.self) {
            repetitionWindow = .seconds(seconds)
        }
        instances = .init(vector: json, denied: "denied_instances", only: "only_instances")
        apps = .init(vector: json, denied: "denied_apps", only: "only_apps")
        users = .init(vector: json, denied: "denied_users", only: "only_users")
    }
}

extension FederationService.Admission {
    fileprivate init<Kind>(vector json: JSON, denied: JSON.Name, only: JSON.Name) where Party == Identifier<Kind> {
        func parties(_ member: JSON.Name) -> Set<Party>? {
            json[member]?.array.map { Set($0.compactMap { $0.string.flatMap { try? Party(parsing: $0) } }) }
        }
        if let parties = parties(only) {
            self = .only(parties)
        } else if let parties = parties(denied) {
            self = .allBut(parties)
        } else {
            self = .everybody
        }
    }
}
