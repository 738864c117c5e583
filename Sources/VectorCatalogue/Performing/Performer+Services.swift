internal import Federation
internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

// What the services do: requests to their endpoints, checks of access, and messages that are due.

extension Performer {
    private static func party(_ given: JSON.Object) throws(Malformed) -> Party {
        try Party(try Malformed.need(given["party"], "party"))
    }

    /// What a decision comes to: its changes as far as the store took them, and why the party said no.
    private static func settled<Outcome>(
        _ decision: Decision<Outcome>, in store: inout MemoryStore
    ) -> (conclusion: Decision<Outcome>.Conclusion, members: JSON.Object) {
        let outcome = decision.batch.changes.isEmpty ? .applied : store.commit(decision.batch)
        var members: JSON.Object = [:]
        if case .applied = outcome {
            members["changes"] = Self.json(decision.batch.changes)
            if let refusal = decision.refusal {
                members["refusal"] = ["error": .string(refusal.error.code.text), "clause": .string(refusal.clause)]
            }
        } else {
            members["changes"] = []
            members["refusal"] = ["clause": "threat-36"]
        }
        return (decision.conclusion(after: outcome), members)
    }

    static func exchange(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let (party, now) = (try party(given), try now(given))
        var store = try store(given)
        var entropy = try GivenEntropy(given)
        let administration = given["administration"]
        let request: HTTP.Request? =
            administration == nil ? try HTTP.Request(vector: try Malformed.need(given["request"], "request")) : nil
        let answer: HTTP.Response? =
            if let answer = given["answer"], answer != .null { try HTTP.Response(vector: answer) } else { nil }
        var exchange: Exchange
        switch (party, request) {
        case (.eduID(let service, _), let request?): exchange = service.exchange(for: request, at: now, using: &entropy)
        case (.service(let service), let request?): exchange = service.exchange(for: request, at: now, using: &entropy)
        case (.eduID(let service, _), nil):
            let command = try Malformed.need(administration.flatMap { Administration(vector: $0) }, "administration")
            exchange = service.exchange(for: command, at: now, using: &entropy)
        case (.service, nil): throw Malformed("request")
        }
        var questions: [JSON] = []
        while let needs = exchange.needs {
            var supply = Supply(facts: store.load(needs.facts))
            if case .eduID(_, let users) = party {
                if let login = needs.login {
                    let user = users.first { user in
                        user.name.utf8.elementsEqual(login.name.text.utf8)
                            && user.password.utf8.elementsEqual(login.password.secret.utf8)
                    }
                    supply.login = user.map { .accepted($0.subject) } ?? .refused
                }
                if let subject = needs.profile {
                    supply.profile = users.first { $0.subject == subject }?.profile ?? [:]
                }
            }
            if let call = needs.call {
                questions.append(call.vector)
                supply.answer = answer.map { .received($0) } ?? Supply.Answer.none
            }
            exchange.supply(supply)
        }
        var (conclusion, members) = settled(exchange.decision, in: &store)
        let response: HTTP.Response =
            switch conclusion {
            case .respond(let response): response
            case .startOver: exchange.contention
            }
        members["response"] = response.vector
        if !response.status.isSuccess {
            var refusal = members["refusal"]?.object ?? [:]
            refusal["error"] = refusal["error"] ?? response.errorCode.map { .string($0) }
            members["refusal"] = .object(refusal)
        }
        if !questions.isEmpty { members["questions"] = .array(questions) }
        return members
    }

    static func access(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        guard case .service(let service) = try party(given) else { throw Malformed("party.role") }
        var store = try store(given)
        let request = try HTTP.Request(vector: try Malformed.need(given["request"], "request"))
        guard case .absolute(let url) = request.target else { throw Malformed("request.url") }
        let check = service.access(for: request, to: url, at: try now(given))
        var (conclusion, members) = settled(
            check.decided(on: check.needs.flatMap { store.lineage(of: $0) }), in: &store)
        guard case .respond(let outcome) = conclusion else { throw Malformed("store") }
        switch outcome {
        case .granted(let access):
            var granted: JSON.Object = [
                "subject": .string(access.subject.text), "scope": .string(access.scope.text),
                "grant": .string(access.grant.text),
                "profile": .object(access.profile),
            ]
            granted["instance"] = access.instance.map { .string($0.text) }
            granted["app"] = access.app.map { .string($0.text) }
            if !access.claims.isEmpty { granted["claims"] = .object(access.claims) }
            members["granted"] = .object(granted)
        case .refused(let response):
            members["response"] = response.vector
            var refusal = members["refusal"]?.object ?? [:]
            refusal["error"] = refusal["error"] ?? response.errorCode.map { .string($0) }
            members["refusal"] = .object(refusal)
        }
        return members
    }

    static func delivery(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        guard case .eduID(let service, _) = try party(given) else { throw Malformed("party.role") }
        let now = try now(given)
        var entropy = try GivenEntropy(given)
        guard let message = store(given, at: now)?.first else { throw Malformed("store") }
        guard let delivery = service.delivery(of: message, at: now, using: &entropy) else {
            return ["refusal": ["clause": "TOK-7"]]
        }
        var members: JSON.Object = ["request": delivery.request.vector, "attempt": json(delivery.attempt)]
        if let answer = given["answer"] {
            let response: HTTP.Response? = if answer == .null { nil } else { try HTTP.Response(vector: answer) }
            members["changes"] = json(delivery.settlement(after: response))
        }
        return members
    }

    private static func store(_ given: JSON.Object, at now: Timestamp) -> [OutgoingMessage]? {
        guard let store = try? store(given) else { return nil }
        return store.load([.outgoing(due: now, limit: 100)]).messages(due: now, limit: 100)
    }
}

extension Administration {
    /// What an administrator wants: `{"do": "block", "kid": …}` and the like.
    fileprivate init?(vector json: JSON) {
        let key = json["kid"]?.string.flatMap { try? KeyID(parsing: $0) }
        switch json["do"]?.string {
        case "versions": self = .versions
        case "instances": self = .instances
        case "block":
            guard let key else { return nil }
            self = .block(key)
        case "unblock":
            guard let key else { return nil }
            self = .unblock(key)
        case "reject":
            guard let id = json["instance"]?.string.flatMap({ try? ClientID(parsing: $0) }) else { return nil }
            self = .reject(id)
        case "sign_out":
            guard let user = json["user"]?.string.flatMap({ try? Record.Subject(parsing: $0) }) else { return nil }
            self = .signOut(user)
        default: return nil
        }
    }
}
