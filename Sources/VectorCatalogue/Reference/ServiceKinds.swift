internal import Federation
internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

// What the services do: requests to their endpoints, checks of access, and messages that are due.

extension Reference {
    static func exchange(_ given: Given) throws -> JSON.Object {
        let (party, now) = (try given.party, try given.now)
        var (store, entropy) = (try store(given), try given.entropy)
        var answers = try Answers(given)
        var exchange: Exchange<HTTP.Response>
        if given["administration"] != nil {
            guard case .eduID(let service, _) = party else { throw Vector.Rejection("party.role") }
            exchange = service.exchange(
                for: try Administration(given: given.part("administration")), at: now, using: &entropy)
        } else {
            let request = try HTTP.Request(given: try given.part("request"))
            exchange =
                switch party {
                case .eduID(let service, _): service.exchange(for: request, at: now, using: &entropy)
                case .service(let service): service.exchange(for: request, at: now, using: &entropy)
                case .discovery(let discovery): discovery.exchange(for: request, at: now, using: &entropy)
                }
        }
        var (questions, keySets): ([JSON], KeySets) = ([], KeySets())
        while let lookup = exchange.lookup {
            switch lookup {
            case .facts(let keys): exchange.supply(.facts(store.load(keys)))
            case .user(let attempt): exchange.supply(.user(party.outcome(of: attempt)))
            case .stepUp(let attempt): exchange.supply(.stepUp(party.outcome(of: attempt)))
            case .step(let attempt): exchange.supply(.step(party.outcome(of: attempt, at: now)))
            case .profile(let subject): exchange.supply(.profile(party.profile(of: subject)))
            case .search, .link: exchange.supply(lookup.nothing)
            case .signature(let request):
                exchange.supply(.signature(try given.part("party").signature(for: request)))
            case .answer(let question):
                questions.append(question.vector)
                exchange.supply(.answer(answers.next()))
            case .keys(let question):
                exchange.supply(
                    keySets.answer(question, at: now) { request in
                        questions.append(request.vector)
                        return answers.next()
                    })
            }
        }
        var (conclusion, members) = settled(exchange.decision, in: &store)
        let response: HTTP.Response =
            switch conclusion {
            case .respond(let response): response
            case .startOver: exchange.contention
            }
        members["response"] = response.vector
        // A browser that is sent on has its answer.
        if !response.status.isSuccess, response.status != .found { refuse(&members, with: response) }
        if !questions.isEmpty { members["questions"] = .array(questions) }
        return members
    }

    static func access(_ given: Given) throws -> JSON.Object {
        guard case .service(let service) = try given.party else { throw Vector.Rejection("party.role") }
        var store = try store(given)
        let request = try HTTP.Request(given: try given.part("request"))
        guard case .absolute(let url) = request.target else { throw Vector.Rejection("request.url") }
        var exchange = service.access(for: request, to: url, at: try given.now)
        while case .facts(let keys)? = exchange.lookup { exchange.supply(.facts(store.load(keys))) }
        var (conclusion, members) = settled(exchange.decision, in: &store)
        guard case .respond(let outcome) = conclusion else { throw Vector.Rejection("store") }
        switch outcome {
        case .granted(let access):
            var granted: JSON.Object = [
                "subject": .string(access.subject.text), "scope": .string(access.scope.text),
                "grant": .string(access.grant.text), "profile": .object(access.profile),
            ]
            granted["instance"] = access.instance.map { .string($0.text) }
            granted["app"] = access.app.map { .string($0.text) }
            if !access.claims.isEmpty { granted["claims"] = .object(access.claims) }
            members["granted"] = .object(granted)
        case .refused(let response):
            members["response"] = response.vector
            refuse(&members, with: response)
        }
        return members
    }

    static func delivery(_ given: Given) throws -> JSON.Object {
        guard case .eduID(let service, _) = try given.party else { throw Vector.Rejection("party.role") }
        let now = try given.now
        var entropy = try given.entropy
        let due = try store(given).load([.outgoing(due: now, limit: 100)]).messages(due: now, limit: 100)
        guard let message = due.first else { throw Vector.Rejection("store") }
        guard let delivery = service.delivery(of: message, at: now, using: &entropy) else { return refused("TOK-7") }
        var members: JSON.Object = ["request": delivery.request.vector, "attempt": json(delivery.attempt)]
        if let answer = given["answer"] {
            let response = answer == .null ? nil : try HTTP.Response(vector: answer)
            members["next"] = delivery.next(after: response)?.vector
            members["changes"] = json(delivery.settlement(after: response))
        }
        return members
    }

    /// What a decision comes to: its changes as far as the store took them, and why the party said no.
    private static func settled<Outcome>(
        _ decision: Decision<Outcome>, in store: inout MemoryStore
    ) -> (conclusion: Decision<Outcome>.Conclusion, members: JSON.Object) {
        let outcome = decision.batch.changes.isEmpty ? .applied : store.commit(decision.batch)
        if case .conflict(let conflict, _) = outcome {
            // All others that end an exchange tell of a proof that came before.
            let clause = if case .locked = conflict { conflict.clause } else { "threat-36" }
            return (decision.conclusion(after: outcome), ["changes": [], "refusal": ["clause": .string(clause)]])
        }
        var members: JSON.Object = ["changes": json(decision.batch.changes)]
        if let refusal = decision.refusal {
            members["refusal"] = ["error": .string(refusal.error.code.text), "clause": .string(refusal.clause)]
        }
        return (decision.conclusion(after: outcome), members)
    }

    /// The error that a response tells, where none is known.
    private static func refuse(_ members: inout JSON.Object, with response: HTTP.Response) {
        var refusal = members["refusal"]?.object ?? [:]
        refusal["error"] = refusal["error"] ?? response.errorCode.map { .string($0) }
        members["refusal"] = .object(refusal)
    }
}

/// What other services answer: always the same, or one after the other.
private struct Answers {
    private let constant: HTTP.Response?
    private var rest: ArraySlice<HTTP.Response?>

    init(_ given: Given) throws(Vector.Rejection) {
        func response(_ json: JSON) throws(Vector.Rejection) -> HTTP.Response? {
            json == .null ? nil : try HTTP.Response(vector: json)
        }
        constant = try response(given["answer"] ?? .null)
        var list: [HTTP.Response?] = []
        for json in given["answers"]?.array ?? [] { list.append(try response(json)) }
        rest = list[...]
    }

    mutating func next() -> HTTP.Response? { rest.isEmpty ? constant : rest.removeFirst() }
}

extension Given {
    /// Who performs the vector; a description that makes no party is malformed, whatever rule it breaks.
    fileprivate var party: Party {
        get throws(Vector.Rejection) { try need("party") { try Party(Given($0, "party.")) } }
    }
}

extension Administration {
    /// What an administrator wants: `{"do": "block", "kid": …}` and the like.
    fileprivate init(given: Given) throws {
        switch given["do"] {
        case "versions": self = .versions()
        case "instances": self = .instances()
        case "users": self = .users()
        case "services": self = .services()
        case "lock": self = .lock(try given.parse("user") { try Record.Subject(parsing: $0) })
        case "unlock": self = .unlock(try given.parse("user") { try Record.Subject(parsing: $0) })
        case "block": self = .block(try given.parse("kid") { try KeyID(parsing: $0) })
        case "unblock": self = .unblock(try given.parse("kid") { try KeyID(parsing: $0) })
        case "withdraw":
            self = .withdraw(
                try given.parse("kid") { try KeyID(parsing: $0) },
                since: Timestamp(seconds: try given.need("since") { $0.number?.integer(as: Int64.self) }))
        case "reject": self = .reject(try given.parse("instance") { try ClientID(parsing: $0) })
        case "forget": self = .forget(try given.parse("user") { try Record.Subject(parsing: $0) })
        case "sign_out": self = .signOut(try given.parse("user") { try Record.Subject(parsing: $0) })
        default: throw Vector.Rejection("administration")
        }
    }
}
