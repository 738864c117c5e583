internal import PureCrypto
internal import TokenTree
internal import JOSETesting
internal import Wire

/// The parties of the situations with all that has happened so far: an edu-ID service, two services, and devices whose
/// keys everybody knows.
///
/// It is a value: a situation begins with a copy and goes its own way.
struct World: Sendable {
    /// The time of everything that does not say another one.
    static let beginning: Int64 = 1_800_000_000
    static let eduID = "https://eduid.example.ch"
    static let alpha = "https://alpha.example.ch"
    static let beta = "https://beta.example.ch"
    static let papi = alpha + "/api/papi"
    static let lti = alpha + "/api/lti"
    static let appName = "ch.eduid.mobile"
    static let reader = "ch.example.reader"
    static let phone = "6f1c3c4e-7a3a-4c55-9d1e-0a4b8f7f0001"
    static let tablet = "6f1c3c4e-7a3a-4c55-9d1e-0a4b8f7f0002"
    static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// The example of RFC 7636 appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    enum Role: String, Sendable { case eduID, alpha, beta }

    var now = World.beginning
    var parties: [Role: JSON.Object] = [.eduID: Parties.eduID, .alpha: Parties.alpha, .beta: Parties.beta]
    /// The batches that each party's store has applied.
    private(set) var pasts: [Role: [JSON]] = [:]
    private var serial = 0
    private(set) var steps = 0
    /// What other services answer to the next request, in the order in which they are asked; `nil` for no answer then,
    /// and after the last one.
    var answers: [JSON]?

    private func with(_ change: (inout World) -> Void) -> World {
        var copy = self
        change(&copy)
        return copy
    }

    /// The same with a policy for one of the parties.
    func with(_ policy: JSON.Object, at role: Role) -> World { with { $0.parties[role]?["policy"] = .object(policy) } }

    func later(_ seconds: Int64) -> World { with { $0.now += seconds } }

    /// The same with something else that a party knows, made of what it knew.
    func with(_ member: JSON.Name, at role: Role, _ change: (JSON) -> JSON) -> World {
        let value = change(parties[role]?[member] ?? .null)
        return with { $0.parties[role]?[member] = value }
    }

    /// The same where one of the services knows instances by names and keys of its own.
    var takingPairwiseNames: World {
        withEach("services", at: .eduID) { $0["home"] == .string(Self.alpha) ? $0.with("clients", "pairwise") : $0 }
    }

    /// The same where one of the services has endpoints of its authorization component in places of their own.
    func having(_ paths: String..., at links: String) -> World {
        func moved(_ document: JSON) -> JSON {
            var apis = document["apis"]?.object ?? [:]
            for path in paths { apis[JSON.Name("org.ietf.oauth2." + path)] = ["apiLink": .string(links + path)] }
            return document.with("apis", .object(apis))
        }
        return withEach("services", at: .eduID) { service in
            guard service["home"] == .string(Self.alpha) else { return service }
            return service.with("document", moved(service["document"] ?? .null))
        }.with("document", at: .alpha, moved)
    }

    /// The same with every one of the things in a list that a party knows changed.
    func withEach(_ member: JSON.Name, at role: Role, _ change: (JSON) -> JSON) -> World {
        with(member, at: role) { .array(($0.array ?? []).map(change)) }
    }

    /// The same with a version shut out in the registry.
    func blocking(_ id: String) -> World {
        withEach("versions", at: .eduID) { $0["kid"] == .string(id) ? $0.with("blocked", true) : $0 }
    }

    /// A name that no token had before; whoever leaves one out comes after a request that was made and not sent.
    @discardableResult
    mutating func name() -> String {
        serial += 1
        return "n-\(serial)"
    }

    func time(_ offset: Int64) -> JSON { .number(JSON.Number(now + offset)) }

    /// The entropy that belongs to a name: its SHA-256.
    static func entropy(_ name: String) -> JSON { .string(Hex.encode([UInt8](SHA256.hash(data: Array(name.utf8))))) }

    /// What goes into a vector at one of the parties.
    func given(_ role: Role, _ request: JSON, entropy name: String) -> JSON.Object {
        var given: JSON.Object = [
            "party": .object(parties[role] ?? [:]), "store": .array(pasts[role] ?? []),
            "now": .number(JSON.Number(now)),
            "entropy": Self.entropy(name), "request": request,
        ]
        given["answers"] = answers.map { .array($0) }
        return given
    }

    /// All changes of a party's store so far.
    func past(_ role: Role) -> [JSON] { (pasts[role] ?? []).flatMap { $0["changes"]?.array ?? [] } }

    /// Lets a party answer a request, and its store apply what follows; it must be a success.
    @discardableResult
    mutating func perform(_ role: Role, _ request: JSON, answer: JSON? = nil) throws(Vector.Rejection) -> JSON {
        steps += 1
        var given = given(role, request, entropy: "step \(steps)")
        given["answer"] = answer
        let outcome = try Reference.outcome(of: .exchange, given)
        try commit(outcome, at: role)
        guard let response = outcome["response"], outcome["refusal"] == nil else {
            throw Vector.Rejection("step \(steps): \(JSON.object(outcome).encodedString())")
        }
        return (try? JSON(parsing: response["body"]?.string ?? "")) ?? .null
    }

    /// Lets a party refuse a request, with what follows from that.
    mutating func attempt(_ role: Role, _ request: JSON, kind: Vector.Kind = .exchange) throws(Vector.Rejection) {
        steps += 1
        try commit(try Reference.outcome(of: kind, given(role, request, entropy: "step \(steps)")), at: role)
    }

    /// Lets a party answer a request, be it a yes or not, and gives what the answer says.
    mutating func ask(_ role: Role, _ request: JSON) throws(Vector.Rejection) -> JSON {
        (try? JSON(parsing: try respond(role, request)["body"]?.string ?? "")) ?? .null
    }

    /// The same, and gives the whole answer.
    mutating func respond(_ role: Role, _ request: JSON) throws(Vector.Rejection) -> JSON {
        steps += 1
        let outcome = try Reference.outcome(of: .exchange, given(role, request, entropy: "step \(steps)"))
        try commit(outcome, at: role)
        return outcome["response"] ?? .null
    }

    /// Lets an administrator do something.
    mutating func administrate(_ command: JSON) throws(Vector.Rejection) {
        steps += 1
        var given = given(.eduID, .null, entropy: "step \(steps)")
        given["administration"] = command
        try commit(try Reference.outcome(of: .exchange, given), at: .eduID)
    }

    mutating func commit(_ outcome: JSON.Object, at role: Role) throws(Vector.Rejection) {
        answers = nil
        guard let changes = outcome["changes"]?.array else { throw Vector.Rejection("step \(steps)") }
        append(changes, at: role)
    }

    /// Lets the edu-ID service take back all that it introduced, as it does after an end.
    ///
    /// - Parameter place: where the messages say that services took revocations, of what is kept with the assertions.
    mutating func takeBack(at place: (JSON?) -> JSON? = { $0 }) {
        let assertions = past(.eduID).compactMap { $0["record"] }.filter { $0["kind"] == "assertion" }
        append(
            assertions.flatMap { record -> [JSON] in
                guard let id = record["id"], let name = id.string, let audience = record["audience"] else { return [] }
                var body: JSON.Object = ["token": id]
                body["revocation"] = place(record["attributes"]?["revocation"])
                let message: JSON = [
                    "id": .string("revocation of " + name), "to": audience, "about": id, "body": .object(body),
                    "due": .number(JSON.Number(now)),
                ]
                return [
                    ["do": "enqueue", "message": message], ["do": "revoke", "id": id, "reason": "administrator"],
                ]
            }, at: .eduID)
    }

    /// Puts changes into a party's past.
    mutating func append(_ changes: [JSON], at role: Role) {
        guard !changes.isEmpty else { return }
        pasts[role, default: []].append(["at": .number(JSON.Number(now)), "changes": .array(changes)])
    }
}

extension JSON {
    /// An object with one more member.
    func with(_ name: JSON.Name, _ value: JSON) -> JSON { .object((object ?? [:]).changed([name: value])) }
}

/// What a token endpoint gave, and the key that goes with it.
struct Held: Sendable {
    let access: String
    let refresh: String?
    /// The name that the issuer gave the key.
    let id: String
    let key: TestKey
    let holder: String

    init(_ body: JSON, _ key: TestKey, of holder: String) throws(Vector.Rejection) {
        access = try Vector.Rejection.need(body["access_token"]?.string, "access_token")
        refresh = body["refresh_token"]?.string
        let confirmation = body["cnf"]
        id = confirmation?["kid"]?.string ?? confirmation?["jwk"]?["kid"]?.string ?? String(access.prefix { $0 != "." })
        if let secret = confirmation?["jwk"]?["k"]?.string, let bytes = try? Base64URL.decode(secret) {
            self.key = .secret(bytes)
        } else {
            self.key = key
        }
        self.holder = holder
    }
}

/// The parties as they are unless a situation says otherwise.
enum Parties {
    static let eduID: JSON.Object = [
        "role": "edu-id", "issuer": .string(World.eduID), "key": TestKey.pair("edu-id").privateJWK("edu-id-1"),
        "master": secret("master of edu-id"), "pseudonyms": secret("pseudonyms"),
        "versions": [
            version("ios", "1.0", .pair("ios-1.0"), "ios-1.0"), version("ios", "2.0", .pair("ios-2.0"), "ios-2.0"),
            version("android", "1.0", .pair("android-1.0"), "android-1.0"),
            version("android", "1.1", hmac, "android-1.1"),
        ],
        "services": [
            [
                "home": .string(World.alpha), "issuer": .string(World.alpha),
                "keys": [TestKey.pair("alpha").publicJWK("alpha-1")],
                "released_claims": ["given_name", "email"], "subjects": "pairwise",
                "document": .object(document(World.alpha, true)),
            ],
            [
                "home": .string(World.beta), "issuer": .string(World.beta),
                "keys": [TestKey.pair("beta").publicJWK("beta-1")],
                "released_claims": [], "subjects": "common", "document": .object(document(World.beta, false)),
            ],
        ],
        "users": [
            [
                "name": "ada", "password": "correct horse battery staple", "subject": "user-0001",
                "profile": ["name": "Ada Muster", "given_name": "Ada", "email": "ada@example.ch"],
            ],
            [
                "name": "bob", "password": "hunter2hunter2", "subject": "user-0002",
                "profile": ["name": "Bob", "given_name": "Bob"],
            ],
        ],
    ]

    static let alpha = service(World.alpha, "alpha", both: true)
    static let beta = service(World.beta, "beta", both: false)

    static let hmac = TestKey.secret("secret of android-1.1")

    static func secret(_ name: String) -> JSON {
        .string(Base64URL.encode([UInt8](SHA256.hash(data: Array(name.utf8)))))
    }

    private static func version(_ platform: JSON, _ number: JSON, _ key: TestKey, _ id: String) -> JSON {
        [
            "platform": platform, "version": number, "app_name": .string(World.appName), "kid": .string(id),
            "key": key.publicJWK(id),
        ]
    }

    private static func service(_ home: String, _ name: String, both: Bool) -> JSON.Object {
        [
            "role": "service", "issuer": .string(home), "key": TestKey.pair(name).privateJWK(name + "-1"),
            "master": secret("master of " + name), "document": .object(document(home, both)),
            "edu_id": ["issuer": .string(World.eduID), "keys": [TestKey.pair("edu-id").publicJWK("edu-id-1")]],
        ]
    }

    static func document(_ home: String, _ both: Bool) -> JSON.Object {
        var apis: JSON.Object = ["org.ietf.oauth2": ["apiLink": "oauth"], "org.ieee.papi": ["apiLink": "api/papi"]]
        if both { apis["org.imsglobal.lti"] = ["apiLink": "api/lti"] }
        return [
            "engineName": .string(both ? "University of Alpha" : "University of Beta"), "engineLink": "",
            "homePageLink": .string(home),
            "apis": .object(apis),
        ]
    }
}
