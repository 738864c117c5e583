internal import Federation
internal import JOSE
internal import NAIL
internal import OAuth2Grants
internal import RSD2
internal import Wire

// What happens on a device: requests and answers between apps, what an app keeps, and the screens of the authorizing
// app.

extension Performer {
    static func protocolRequest(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        var registry: [BundleID: JWKSet] = [:]
        for entry in given["registry"]?.object ?? [:] {
            let id = try Malformed.need(try? BundleID(parsing: entry.name.text), "registry")
            var keys: [JWK] = []
            for key in entry.value.array ?? [] {
                keys.append(try Malformed.need(try? JWK(parsing: key.encoded()), "registry"))
            }
            registry[id] = JWKSet(keys)
        }
        let request: ProtocolRequest
        do throws(MessageRejection) {
            request = try ProtocolRequest(parsing: Array(try text(request: given).utf8))
        } catch {
            return refused(error.clause)
        }
        let checked: ProtocolRequest.Checked
        do throws(MessageRejection) {
            checked = try request.checked(against: registry, at: try time(given))
        } catch {
            return refused(error.clause)
        }
        var members: JSON.Object = [
            "client_id": .string(request.clientID.text), "app_id": .string(request.appID.text),
            "app_name": .string(request.appName.text),
            "protocols": .array(request.protocols.map { .string($0.text) }), "single": .bool(request.prefersSingle),
        ]
        if let key = checked.appKey { members["app_key"] = json(key.encoded()) }
        var outcome: JSON.Object = ["checked": .object(members)]
        guard let grants = given["grants"]?.array else { return outcome }
        let documents = grants.compactMap { try? ServiceDescription(parsing: $0.encoded()) }
        do throws(MessageRejection) {
            let response = try ProtocolResponse(to: checked, granting: documents)
            outcome["answer"] = json(response.encoded())
        } catch {
            outcome["refusal"] = ["clause": .string(error.clause)]
        }
        return outcome
    }

    private static func text(request given: JSON.Object) throws(MessageRejection) -> String {
        given["request"]?.string ?? ""
    }

    private static func time(_ given: JSON.Object) throws(MessageRejection) -> Timestamp {
        Timestamp(seconds: given["now"]?.number?.integer(as: Int64.self) ?? 0)
    }

    static func protocolResponse(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let request = try Malformed.need(try? ProtocolRequest(parsing: try text(given, "request")), "request")
        var state = NAILState()
        let text = try text(given, "answer")
        let response: ProtocolResponse
        do throws(MessageRejection) {
            response = try ProtocolResponse(parsing: Array(text.utf8))
        } catch {
            return refused(error.clause)
        }
        let now = try now(given)
        var entropy = try GivenEntropy(given)
        let acceptance = state.accept(response, to: request, at: now)
        var members: JSON.Object = ["accepted": .array(acceptance.accepted.map { .string($0.url.text) })]
        if !acceptance.dropped.isEmpty {
            members["dropped"] = .array(acceptance.dropped.map { .string($0.reason.clause) })
        }
        if !acceptance.unread.isEmpty { members["flaws"] = .array(acceptance.unread.map { .string($0.reason.clause) }) }
        var results: [JSON] = []
        for ask in given["asks"]?.array ?? [] {
            let at = ask["now"]?.number?.integer(as: Int64.self).map { Timestamp(seconds: $0) } ?? now
            do throws(NAILState.Refusal) {
                results.append(try self.answer(to: ask, &state, at: at, using: &entropy))
            } catch {
                results.append(["refusal": .string(error.clause)])
            }
        }
        if !results.isEmpty { members["results"] = .array(results) }
        members["services"] = .array(state.serviceNames.map { .string($0.url.text) })
        let clause = results.last?["refusal"] ?? members["dropped"]?.array?.first ?? members["flaws"]?.array?.first
        if let clause { members["refusal"] = ["clause": clause] }
        return members
    }

    private static func answer(
        to ask: JSON, _ state: inout NAILState, at now: Timestamp, using entropy: inout GivenEntropy
    ) throws(NAILState.Refusal) -> JSON {
        let service = ask["service"]?.string ?? ""
        let name: ProtocolName
        do throws(SyntaxError) {
            name = try ProtocolName(parsing: ask["protocol"]?.string ?? "org.ietf.oauth2")
        } catch {
            throw .malformedProtocol(error)
        }
        let path = ask["path"]?.string
        switch ask["ask"]?.string {
        case "names": return .array(state.serviceNames.map { .string($0.url.text) })
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
            return .bool(state.noteRefusal(of: ask["token"]?.string ?? "", by: service, name, path: path))
        case "renew": return try state.renew(service, name, path: path, at: now, using: &entropy).request.vector
        case "revoke":
            let revocation = try state.revoke(service, at: now, using: &entropy)
            return .array(revocation.requests.map { $0.vector })
        case "serialize":
            // What is written is read back to the same services, names and tokens.
            guard let copy = try? NAILState(parsing: state.serialized()) else { return .bool(false) }
            return .array(copy.serviceNames.map { .string($0.url.text) })
        default: return .null
        }
    }

    static func state(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        do throws(NAILState.Rejection) {
            let state = try NAILState(parsing: given["text"]?.string ?? "")
            return ["services": .array(state.serviceNames.map { .string($0.url.text) })]
        } catch {
            return refused(error.clause)
        }
    }
}
