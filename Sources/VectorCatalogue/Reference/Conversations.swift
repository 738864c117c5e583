internal import Federation
internal import JOSE
internal import NAIL
internal import OAuth2Grants
internal import PureCrypto
internal import RSD2
internal import Wire

// What an instance of the edu-ID app asks others, step by step, and what it keeps in the end.

extension Reference {
    static func conversation(_ given: Given) throws -> JSON.Object {
        let instance = try Instance(given.part("party"))
        var steps: [JSON] = []
        for step in given.list("steps") {
            do {
                steps.append(try instance.take(step))
            } catch let rejection as Vector.Rejection {
                throw rejection
            } catch {
                instance.running = nil
                var refusal: JSON.Object = ["clause": .string(clause(of: error))]
                if case .refused(let told)? = error as? Federation.Rejection {
                    refusal["error"] = .string(told.code.text)
                }
                steps.append(["refusal": .object(refusal)])
            }
        }
        return ["steps": .array(steps), "rows": .object(instance.rows)]
    }
}

/// An instance in the middle of what it does.
private final class Instance {
    typealias Resumption = (HTTP.Response?, Timestamp) throws -> JSON

    private var session: AuthorizingApp.Session
    /// What goes on with the answer to the last request.
    var running: Resumption?
    private var now = Timestamp.epoch
    private var entropy: [UInt8] = []
    private var interactions: UInt8 = 0

    init(_ party: Given) throws {
        let pair = try party.part("key").parse("d") {
            try Curve25519.Signing.PrivateKey(rawRepresentation: Base64URL.decode($0))
        }
        let described = try party.part("edu_id")
        let issuer = try described.parse("issuer") { try Issuer(parsing: $0) }
        session = AuthorizingApp.Session(
            AuthorizingApp.Installation(
                appName: try party.parse("app_name") { try Issuer(parsing: $0) },
                versionKey: try party.decode("version_key") { try SigningKey(JWK.Private(parsing: $0)) },
                instance: try party.parse("instance") { try ClientID(parsing: $0) },
                device: try party.part("device").device, key: pair),
            with: try ServerDescription(
                authorizationServer: issuer, parsing: HTTP.Response(.ok, body: described.json.encoded())))
    }

    /// What is asked, or what came of it.
    func take(_ step: Given) throws -> JSON {
        now = try step.now
        guard step["do"] != nil else {
            guard let resume = running else { throw Vector.Rejection("steps.do") }
            running = nil
            let answer = step["answer"] ?? .null
            return try resume(answer == .null ? nil : try HTTP.Response(given: try step.part("answer")), now)
        }
        entropy = try step.bytes("entropy")
        interactions = 0
        return try begin(step)
    }

    private func begin(_ step: Given) throws -> JSON {
        func service() throws -> ServiceURL { try step.parse("service") { try ServiceURL(parsing: $0) } }
        switch step["do"] {
        case "register": return try perform(.registration) { true }
        case "sign_in":
            let user = try step.parse("user") { try UserName(parsing: $0) }
            return try perform(.signIn(user, try step.parse("password") { try Secret.Password(parsing: $0) })) { true }
        case "step": return try perform(.step(try step.stepAnswer)) { true }
        case "launch": return try perform(.launch) { true }
        case "discover":
            let services = step.texts("services") { try ServiceURL(parsing: $0) }
            return try perform(.discovery(.services(services))) { .array($0.map { .string($0.url.identity) }) }
        case "authorize": return try perform(.authorization(at: service())) { true }
        case "answer": return try answer(step)
        case "unlink": return try perform(.unlinking(service())) { Self.word($0) }
        case "sign_out": return try perform(.signOut) { Self.word($0) }
        case "endings": return try perform(.endings) { .number(JSON.Number($0.count)) }
        default: throw Vector.Rejection("steps.do")
        }
    }

    /// Checks an app's request, looks for services, and gives those that the person picks.
    private func answer(_ step: Given) throws -> JSON {
        let registry = try step.registry
        let request = try ProtocolRequest(parsing: Array(try step.text("request").utf8))
        let picked = step.texts("pick") { try ServiceURL(parsing: $0) }
        return try run(.check(request, against: registry)) { [self] checked in
            try run(.candidates(for: request)) { [self] candidates in
                var mode = AuthorizationMode(for: request, isSignedIn: true)
                _ = try mode.note(.found(candidates))
                for candidate in candidates where candidate.isPreselected != picked.contains(candidate.service) {
                    _ = try mode.take(candidate.isPreselected ? .unpick(candidate.service) : .pick(candidate.service))
                }
                guard case .finish(.accepted(let choice))? = try mode.take(.accept) else { return ["done": []] }
                return try perform(.answer(to: checked, with: choice)) { answer in
                    (try? JSON(parsing: answer.response.encoded())) ?? .null
                }
            }
        }
    }

    private static func word(_ ended: AuthorizingApp.Ended) -> JSON { ended == .confirmed ? "confirmed" : "pending" }

    // MARK: Interactions

    private func perform<Value>(
        _ interaction: AuthorizingApp.Interaction<Value>, _ told: @escaping (Value) -> JSON
    ) throws -> JSON {
        try run(interaction) { ["done": told($0)] }
    }

    /// Each interaction of a step has chance of its own: SHA-256 of the step's entropy and its number.
    private func run<Value>(
        _ interaction: AuthorizingApp.Interaction<Value>, _ then: @escaping (Value) throws -> JSON
    ) throws -> JSON {
        var chance = try Given.Entropy([UInt8](SHA256.hash(data: entropy + [interactions])))
        interactions += 1
        return try go(
            on: AuthorizingApp.Conversation(interaction, of: &session, at: now, using: &chance), then)
    }

    private func go<Value>(
        on conversation: AuthorizingApp.Conversation<Value>, _ then: @escaping (Value) throws -> JSON
    ) throws -> JSON {
        session = conversation.session
        if let value = conversation.value { return try then(value) }
        guard let request = conversation.request else { return .null }
        running = { [self] response, now in
            var conversation = conversation
            do {
                try conversation.take(response, at: now)
            } catch {
                session = conversation.session
                throw error
            }
            return try go(on: conversation, then)
        }
        return ["request": request.vector]
    }

    // MARK: What is kept

    /// The keys of the rows of the four relations (DAT-2), and whether a service has given a token.
    var rows: JSON.Object {
        let contents = session.store.contents
        func list(_ rows: [JSON.Object]) -> JSON { .array(rows.map { .object($0) }) }
        return [
            "EduidConfiguration": list(contents.settings.keys.sorted().map { ["cfg_name": .string($0.text)] }),
            "Protocols": list(
                contents.protocols.sorted { $0.key < $1.key }.map { service, names in
                    [
                        "baseurl": .string(service.identity),
                        "protocol_id": .string(names.sorted().map { $0.text }.joined(separator: "\n")),
                    ]
                }),
            "Tokens": list(
                contents.tokens.keys.sorted().map { key in
                    [
                        "subject": .string(key.subject.text), "target": .string(key.target.text),
                        "type": .string(key.type.text),
                    ]
                }),
            "UserServices": list(
                contents.services.sorted { $0.key < $1.key }.map { url, service in
                    [
                        "baseurl": .string(url.identity), "name": .string(service.name),
                        "token": .bool(service.token != nil),
                        "token_target": service.tokenTarget.map { .string($0.text) } ?? .null,
                    ]
                }),
        ]
    }
}

extension Given {
    fileprivate var device: AppVersion.Device {
        get throws {
            func detail(_ member: JSON.Name) throws -> AppVersion.Device.Detail {
                try parse(member) { try AppVersion.Device.Detail(parsing: $0) }
            }
            return try AppVersion.Device(
                id: detail("device_id"), name: detail("name"), type: detail("device_type"),
                systemVersion: detail("os_version"))
        }
    }
}

extension Given {
    /// The answer to a step of a sign-in.
    fileprivate var stepAnswer: SignInStep.Answer {
        get throws {
            if self["otp"] != nil { return .oneTimeCode(try parse("otp") { try Secret.OneTimeCode(parsing: $0) }) }
            return SignInStep.Answer(
                .text(try parse("step_response") { try Secret.StepResponse(parsing: $0) }),
                to: try parse("step") { try SignInStep.Name(parsing: $0) })
        }
    }
}
