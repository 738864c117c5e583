internal import Federation
internal import JOSE
internal import NAIL
internal import OAuth2Grants
internal import RSD2
internal import Wire

// What happens on a device: requests and answers between apps, and what an app keeps.

extension Reference {
    static func protocolRequest(_ given: Given) throws -> JSON.Object {
        let request = try ProtocolRequest(parsing: Array(try given.text("request").utf8))
        var seen = ProtocolRequest.Seen(given["seen"]?.object ?? [:])
        let caller = try given["caller"]?.string.map { try BundleID(parsing: $0) }
        let checked = try request.checked(
            against: given.registry, from: caller, remembering: &seen, at: try given.now)
        var members: JSON.Object = [
            "client_id": .string(request.clientID.text), "app_id": .string(request.appID.text),
            "app_name": .string(request.appName.text),
            "protocols": .array(request.protocols.map { .string($0.text) }), "single": .bool(request.prefersSingle),
        ]
        if let key = checked.appKey { members["app_key"] = json(key.encoded()) }
        var outcome: JSON.Object = ["checked": .object(members)]
        guard let grants = given["grants"]?.array else { return outcome }
        do {
            let documents = grants.compactMap { try? ServiceDescription(parsing: $0.encoded()) }
            outcome["answer"] = json(try ProtocolResponse(to: checked, granting: documents).encoded())
        } catch {
            outcome["refusal"] = ["clause": .string(clause(of: error))]
        }
        return outcome
    }

    static func protocolResponse(_ given: Given) throws -> JSON.Object {
        let request = try given.parse("request") { try ProtocolRequest(parsing: $0) }
        var state = NAILState()
        let response = try ProtocolResponse(parsing: Array(try given.text("answer").utf8))
        let now = try given.now
        var entropy = try given.entropy
        let acceptance = state.accept(response, to: request, at: now)
        var members: JSON.Object = ["accepted": .array(acceptance.accepted.map { .string($0.url.text) })]
        if !acceptance.dropped.isEmpty {
            members["dropped"] = .array(acceptance.dropped.map { .string($0.reason.clause) })
        }
        if !acceptance.unread.isEmpty { members["flaws"] = .array(acceptance.unread.map { .string($0.reason.clause) }) }
        let results = given.list("asks").map { ask -> JSON in
            let time = ask.seconds("now").map { Timestamp(seconds: $0) } ?? now
            do {
                return try answer(to: ask, &state, at: time, using: &entropy)
            } catch {
                return ["refusal": .string(clause(of: error))]
            }
        }
        if !results.isEmpty { members["results"] = .array(results) }
        members["services"] = names(of: state)
        let broken = results.last?["refusal"] ?? members["dropped"]?.array?.first ?? members["flaws"]?.array?.first
        if let broken { members["refusal"] = ["clause": broken] }
        return members
    }

    static func names(of state: NAILState) -> JSON { .array(state.serviceNames.map { .string($0.url.text) }) }

    private static func answer(
        to ask: Given, _ state: inout NAILState, at now: Timestamp, using entropy: inout Given.Entropy
    ) throws -> JSON {
        let service = ask["service"]?.string ?? ""
        let name = try ProtocolName(parsing: ask["protocol"]?.string ?? "org.ietf.oauth2")
        let path = ask["path"]?.string
        switch ask["ask"]?.string {
        case "names": return names(of: state)
        case "display_name": return .string(try state.displayName(of: service))
        case "url": return .string(try state.url(of: service).url.text)
        case "endpoint": return .string(try state.endpoint(of: service, name, path: path).text)
        case "token":
            let access = try state.access(to: service, name, path: path)
            return .string(try access.token(with: ask["claims"]?.object ?? [:], at: now, using: &entropy))
        case "remove": return .bool(state.remove(service))
        case "clear":
            state.removeAll()
            return .bool(true)
        case "refused":
            let token = ask["token"]?.string ?? ""
            return .bool(state.noteRefusal(of: token, by: service, name, path: path, at: now))
        case "standing": return try state.standing(of: service, name, path: path, at: now).vector
        case "renew": return try state.renew(service, name, path: path, at: now, using: &entropy).request.vector
        case "revoke": return .array(try state.revoke(service, at: now, using: &entropy).requests.map { $0.vector })
        // What is written is read back to the same services, names and tokens.
        case "serialize": return (try? NAILState(parsing: state.serialized())).map { names(of: $0) } ?? .bool(false)
        default: return .null
        }
    }
}

extension Given {
    /// The public keys of apps, by their names.
    var registry: [BundleID: JWKSet] {
        get throws {
            var registry: [BundleID: JWKSet] = [:]
            for entry in self["registry"]?.object ?? [:] {
                let app = Given(["id": .string(entry.name.text), "keys": entry.value], "registry.")
                registry[try app.parse("id") { try BundleID(parsing: $0) }] = JWKSet(
                    try app.decodeAll("keys") { try JWK(parsing: $0) })
            }
            return registry
        }
    }
}

extension NAILState.Standing {
    /// How it stands, in JSON.
    fileprivate var vector: JSON {
        func time(_ time: Timestamp) -> JSON { .number(JSON.Number(time.seconds)) }
        var members: JSON.Object = [:]
        switch self {
        case .valid(let end):
            members["standing"] = "valid"
            members["until"] = end.map(time)
        case .expired(let expiry, let isRenewable):
            members["standing"] = "expired"
            if case .time(let end) = expiry { members["at"] = time(end) }
            members["renewable"] = .bool(isRenewable)
        case .ended(let code):
            members["standing"] = "ended"
            members["error"] = .string(code.text)
        }
        return .object(members)
    }
}
