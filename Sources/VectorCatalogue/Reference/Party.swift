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
    case discovery(ProtocolDiscovery)

    /// A person with an account.
    struct User {
        let name: String
        let password: String
        let subject: Record.Subject
        let profile: JSON.Object
        /// What is asked for beside the password: one of the steps of each stage.
        let stages: [[Step]]
        /// Whether they are asked for only where more is demanded.
        let asksOnDemand: Bool
    }

    /// A step that a person can make.
    struct Step {
        let offer: SignInStep
        let answer: String
        /// For how many seconds the same answer must not pass again.
        let rest: Int64?

        fileprivate init(_ given: Given) throws {
            let name = try given.parse("step") { try SignInStep.Name(parsing: $0) }
            offer = SignInStep(name, challenge: given["challenge"], hint: given["hint"]?.string)
            answer = try given.text("answer")
            rest = given["rest"]?.number?.integer(as: Int64.self)
        }
    }

    init(_ given: Given) throws {
        switch given["role"] {
        case "edu-id":
            let users = try given.list("users").map {
                User(
                    name: try $0.text("name"), password: try $0.text("password"),
                    subject: try $0.parse("subject") { try Record.Subject(parsing: $0) },
                    profile: $0["profile"]?.object ?? [:], stages: try $0.stages,
                    asksOnDemand: $0["on_demand"]?.bool ?? false)
            }
            self = .eduID(try EduIDService(given: given), users)
        case "service" where given["discovery"] != nil:
            var directory = ServiceDirectory()
            for document in try given.decodeAll("discovery", { try ServiceDescription(parsing: $0) }) {
                guard let home = document.serviceURL else { throw Vector.Rejection("party.discovery") }
                try directory.update(home, document)
            }
            self = .discovery(ProtocolDiscovery(try FederationService(given: given), directory: directory))
        case "service": self = .service(try FederationService(given: given))
        default: throw Vector.Rejection("party.role")
        }
    }

    private var users: [User] { if case .eduID(_, let users) = self { users } else { [] } }

    /// Whose name and password these are; who asks for names first offers steps for every name.
    func outcome(of attempt: SignInAttempt) -> SignInAttempt.Outcome {
        let user = users.first { $0.name.utf8.elementsEqual(attempt.user.text.utf8) }
        guard let password = attempt.password else {
            guard let asked = user ?? users.first, asked.isAsked(for: attempt.demand) else { return .nobody }
            return .more(nil, asked.offers(at: 0))
        }
        guard let user, user.password.utf8.elementsEqual(password.secret.utf8) else { return .nobody }
        return user.isAsked(for: attempt.demand) ? .more(user.subject, user.offers(at: 0)) : .user(user.subject)
    }

    /// What comes of the answer to a step, with which the number of its stage was kept.
    func outcome(of attempt: StepAttempt, at now: Timestamp) -> StepAttempt.Outcome {
        guard let user = users.first(where: { $0.name.utf8.elementsEqual(attempt.user.text.utf8) }),
            let stage = attempt.kept.number?.integer(as: Int.self), user.stages.indices.contains(stage),
            let step = user.stages[stage].first(where: { $0.offer.name == attempt.answer.step }),
            step.answer.utf8.elementsEqual(attempt.answer.response.secret.utf8)
        else { return .failed }
        let spent = step.rest.map { now + .seconds($0) }
        guard stage + 1 < user.stages.count else { return .user(user.subject, spent: spent) }
        return .more(user.subject, user.offers(at: stage + 1), spent: spent)
    }

    /// What leads from a sign-in to the one that is demanded: the first of the person's stages that would add a method,
    /// or any where a recent proof is wanted.
    func outcome(of attempt: StepUpAttempt) -> StepUpAttempt.Outcome {
        guard let user = users.first(where: { $0.subject == attempt.subject }),
            let name = try? UserName(parsing: user.name),
            let stage = user.stages.indices.first(where: { stage in
                attempt.demand.maximumAge != nil
                    || user.offers(at: stage).contains { step in
                        !step.methods.allSatisfy { attempt.authentication.contains($0) }
                    }
            })
        else { return .none }
        return .steps(name, user.offers(at: stage))
    }

    func profile(of subject: Record.Subject) -> JSON.Object { users.first { $0.subject == subject }?.profile ?? [:] }
}

extension Party.User {
    fileprivate func isAsked(for demand: AuthenticationDemand) -> Bool {
        !stages.isEmpty && !(asksOnDemand && demand.isEmpty)
    }

    fileprivate func offers(at stage: Int) -> [OfferedStep] {
        stages[stage].map { OfferedStep($0.offer, keeping: .number(JSON.Number(stage))) }
    }
}

extension Given {
    fileprivate var stages: [[Party.Step]] {
        get throws {
            let stages = self["steps"]?.array ?? []
            return try stages.map { stage in
                try (stage.array ?? []).map { try Party.Step(Given($0, "party.users.steps.")) }
            }
        }
    }

    fileprivate func secret(_ member: JSON.Name) throws -> SymmetricKey {
        SymmetricKey(data: try parse(member) { try Base64URL.decode($0) })
    }

    fileprivate func verificationKeys(_ member: JSON.Name) throws -> [VerificationKey] {
        self[member] == nil ? [] : try decodeAll(member) { try VerificationKey(JWK(parsing: $0)) }
    }

    /// The policy that is given, or one with nothing in it.
    fileprivate var policy: Given { Given(self["policy"] ?? [:], "party.policy.") }

    fileprivate func duration(_ member: JSON.Name) -> Duration? { seconds(member).map { .seconds($0) } }
}

extension Authority {
    fileprivate init(given: Given) throws {
        let pair = try given.decode("key") { try JWK.Private(parsing: $0) }
        let others = given["other_keys"] == nil ? [] : try given.decodeAll("other_keys") { try JWK(parsing: $0) }
        let master = try given.secret("master")
        let keys =
            try given.policy["signer"] == nil
            ? Keys(signing: pair, others: others, master: master)
            : Keys(
                signingElsewhere: Vector.Rejection.need(pair.publicKey, "party.key"), others: others, master: master)
        try self.init(given.parse("issuer") { try Issuer(parsing: $0) }, keys: keys)
    }
}

extension Given {
    /// What a signer that lies elsewhere gives, by the party's policy: the signature, another one, or nothing.
    func signature(for request: SignatureRequest) throws -> [UInt8]? {
        switch policy["signer"] {
        case "elsewhere": try decode("key") { try JWK.Private(parsing: $0).signature(over: request.message) }
        case "wrong": try decode("key") { try JWK.Private(parsing: $0).signature(over: request.message + [0]) }
        case "der":
            try decode("key") { try JWK.Private(parsing: $0).signature(over: request.message) }.flatMap {
                try? ECDSASignature(rawRepresentation: $0, on: .p256).derRepresentation
            }
        default: nil
        }
    }
}

extension JWK.Private {
    fileprivate func signature(over message: [UInt8]) -> [UInt8]? {
        switch document {
        case .ed25519(let key): [UInt8](key.signature(for: message))
        case .p256(let key): [UInt8](key.signature(for: message))
        case .p384(let key): key.signature(for: message)
        case .p521(let key): key.signature(for: message)
        case nil: nil
        }
    }
}

extension EduIDService {
    fileprivate init(given: Given) throws {
        let members = try given.list("services").map { try ServiceIndex.Member(given: $0) }
        var directory = ServiceDirectory()
        for (member, service) in zip(members, given.list("services")) where service["document"] != nil {
            try directory.update(member.home, try service.decode("document") { try ServiceDescription(parsing: $0) })
        }
        self.init(
            try Authority(given: given),
            versions: try AppVersion.Registry(given.list("versions").map { try AppVersion(given: $0) }),
            index: ServiceIndex(members), directory: directory,
            pseudonyms: Pseudonyms(secret: try given.secret("pseudonyms")), policy: try Policy(given: given.policy))
        if given["provider"] != nil { provider = try Provider(given: try given.part("provider")) }
    }
}

extension EduIDService.Policy {
    fileprivate init(given: Given) throws {
        self.init()
        takesPasswords = given["takes_passwords"]?.bool ?? takesPasswords
        asksNameFirst = given["asks_name_first"]?.bool ?? asksNameFirst
        hasUsageManager = given["has_usage_manager"]?.bool ?? hasUsageManager
        appRequest.strictSource = given["strict_source"]?.bool ?? appRequest.strictSource
        proof.acceptsDPoP = given["accepts_dpop"]?.bool ?? proof.acceptsDPoP
        proof.nonce = given["dpop_nonce"]?.string
        repetitionWindow = given.duration("repetition_window") ?? repetitionWindow
        excludedPlatforms = Set(given.texts("excluded_platforms") { AppVersion.Platform(JSON.Name($0)) })
        administrators = Set(given.texts("administrators") { try Record.Subject(parsing: $0) })
        administratorsDemand = try given.demand("administrators_demand")
        affiliationClaim = given["affiliation_claim"]?.string.map { JSON.Name($0) } ?? affiliationClaim
        affiliationLifetime = given.duration("affiliation_lifetime")
        revokers = try given.list("revokers").map { given in
            EduIDService.Revoker(
                try given.parse("issuer") { try Issuer(parsing: $0) }, keys: try given.verificationKeys("keys"))
        }
        for given in given.list("context_classes") {
            contextClasses.append(
                EduIDService.ContextClass(
                    try given.parse("name") { try Authentication.ContextClass(parsing: $0) },
                    takes: given.texts("methods") { $0 }))
        }
    }
}

extension Given {
    /// What is demanded of a sign-in.
    fileprivate func demand(_ name: JSON.Name = "demand") throws -> AuthenticationDemand {
        guard let members = self[name]?.object else { return .none }
        guard let demand = AuthenticationDemand(keptIn: members) else { throw Vector.Rejection("demand") }
        return demand
    }
}

extension Provider {
    fileprivate init(given: Given) throws {
        try self.init(
            given.parse("issuer") { try Issuer(parsing: $0) },
            client: given.parse("client") { try ClientID(parsing: $0) },
            by: .secretInHeader(given.parse("secret") { try Secret.Password(parsing: $0) }),
            answeringAt: given.text("callback"))
        algorithms = given.texts("algorithms") { try Vector.Rejection.need(Algorithm($0), "party.provider.algorithms") }
    }
}

extension AppVersion {
    fileprivate init(given: Given) throws {
        let platform = Platform(JSON.Name(try given.text("platform")))
        let number = try given.parse("version") { try Number(parsing: $0) }
        let name = try given.parse("app_name") { try Issuer(parsing: $0) }
        let id = try given.parse("kid") { try KeyID(parsing: $0) }
        if given["key"]?["kty"] == "oct" {
            let secret = try given.decode("key") { try JWK.Private(parsing: $0) }
            try self.init(platform, number, appName: name, keyID: id, secret: secret)
        } else {
            let key = try given.decode("key") { try JWK(parsing: $0) }
            try self.init(platform, number, appName: name, keyID: id, key: key)
        }
        isBlocked = given["blocked"]?.bool ?? false
        callbacks = given.texts("callbacks") { try CallbackAddress(parsing: $0) }
    }
}

extension ServiceIndex.Member {
    fileprivate init(given: Given) throws {
        try self.init(
            given.parse("home") { try ServiceURL(parsing: $0) },
            issuer: given.parse("issuer") { try Issuer(parsing: $0) },
            keys: given.verificationKeys("keys"),
            tokenEndpoint: given.parseIfThere("token_endpoint") { try WebURL(parsing: $0) },
            revocationEndpoint: given.parseIfThere("revocation_endpoint") { try WebURL(parsing: $0) },
            releasedClaims: given.texts("released_claims") { JSON.Name($0) },
            subjects: given["subjects"] == "common" ? .common : .pairwise,
            clients: given["clients"] == "pairwise" ? .pairwise : .common)
        demand = try given.demand()
        affiliations = given.texts("affiliations") { try AffiliationDemand(parsing: $0) }
    }
}

extension FederationService {
    fileprivate init(given: Given) throws {
        let trust = try given.part("edu_id")
        let issuer = try trust.parse("issuer") { try Issuer(parsing: $0) }
        let introspection = try trust.parseIfThere("introspection") { try WebURL(parsing: $0) }
        let trusted =
            if let url = try trust.parseIfThere("keys_url", { try WebURL(parsing: $0) }) {
                Trusted(issuer, publishing: url, introspection: introspection)
            } else {
                Trusted(issuer, keys: try trust.verificationKeys("keys"), introspection: introspection)
            }
        try self.init(
            Authority(given: given), document: given.decode("document") { try ServiceDescription(parsing: $0) },
            trusting: trusted, policy: try Policy(given: given.policy))
    }
}

extension FederationService.Policy {
    fileprivate init(given: Given) throws {
        self.init()
        extendsTokens = given["extends_tokens"]?.bool ?? extendsTokens
        revokesMisuse = given["revokes_misuse"]?.bool ?? revokesMisuse
        acceptsEndpointAsAudience = given["accepts_endpoint_as_audience"]?.bool ?? acceptsEndpointAsAudience
        proof.acceptsDPoP = given["accepts_dpop"]?.bool ?? proof.acceptsDPoP
        proof.nonce = given["dpop_nonce"]?.string
        if given["keyless_apps"] == "bearer_token" { keylessApps = .bearerToken }
        grantLifetime = given.duration("grant_lifetime") ?? grantLifetime
        repetitionWindow = given.duration("repetition_window") ?? repetitionWindow
        instances = .init(given: given, denied: "denied_instances", only: "only_instances")
        apps = .init(given: given, denied: "denied_apps", only: "only_apps")
        users = .init(given: given, denied: "denied_users", only: "only_users")
        administrators = Set(given.texts("administrators") { try Subject(parsing: $0) })
        (demand, administratorsDemand) = (try given.demand(), try given.demand("administrators_demand"))
    }
}

extension FederationService.Admission {
    fileprivate init<Kind>(given: Given, denied: JSON.Name, only: JSON.Name) where Party == Identifier<Kind> {
        func parties(_ member: JSON.Name) -> Set<Party> { Set(given.texts(member) { try Party(parsing: $0) }) }
        if given[only] != nil {
            self = .only(parties(only))
        } else {
            self = given[denied] == nil ? .everybody : .allBut(parties(denied))
        }
    }
}
