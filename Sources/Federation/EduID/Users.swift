internal import JOSE
internal import OAuth2Grants
internal import RSD2
internal import TokenTree
internal import Wire

// (2a), (3) and what users do with their instances.

extension EduIDService {
    /// The user's own request for something, opened by a personal token (AUT-5).
    private func person(_ http: HTTP.Request, at url: WebURL, _ asking: inout Consultation) throws(Interruption)
        -> Requester
    {
        let demand = Demand(.personal, at: url, method: http.method, in: .resource)
        let requester = try authority.requester(try Self.credential(of: http), demand, policy: policy.proof, &asking)
        try checkAdmitted(requester.lineage, in: .resource)
        try requester.checkScope(url)
        return requester
    }

    static func credential(of http: HTTP.Request) throws(Interruption) -> ClientCredential {
        try Interruption.reading { () throws(ParameterRejection) in try ClientCredential(headerOf: http) }
    }

    /// The profile attributes: all of them for the user's own app (AUT-6), the released ones for a service that
    /// verified an assertion (6*).
    func userinfo(_ http: HTTP.Request, _ asking: inout Consultation) throws(Interruption) -> Answer {
        // A user token means the record of the assertion that was verified, and ends with that.
        let demand = Demand(
            .personal, .assertion, at: authority.endpoint(Path.userinfo), method: http.method, in: .resource)
        let requester = try authority.requester(try Self.credential(of: http), demand, policy: policy.proof, &asking)
        try checkAdmitted(requester.lineage, in: .resource)
        if requester.record.kind == .personal { try requester.checkScope(demand.url) }
        guard let user = requester.record.subject else { throw .refused(.failed) }
        var claims: JSON.Object = ["sub": .string(user.text)]
        let told: JSON.Object
        if requester.record.kind == .assertion {
            guard let audience = requester.record.audience, let service = index[Issuer(audience)] else {
                throw .refused(.failed)
            }
            claims["sub"] = .string(pseudonyms.name(of: user, at: service))
            told = try released(to: service, about: user, &asking)
        } else {
            told = try asking.profile(of: user)
        }
        for claim in told where claim.name != "sub" { claims[claim.name] = claim.value }
        return Answer(response: .json(claims.encoded()), changes: requester.changes)
    }

    /// The services that the user has used, as URLs (USE-1, USE-2).
    func usage(_ http: HTTP.Request, _ asking: inout Consultation) throws(Interruption) -> Answer {
        let requester = try person(http, at: authority.endpoint(Path.usage), &asking)
        guard let user = requester.record.subject else { throw .refused(.failed) }
        let visits = try asking.facts(.services(user)).visits(of: user)
        let body = JSON.encodedArray { list in for visit in visits { list.element(visit.service.text) } }
        return Answer(response: .json(body), changes: requester.changes)
    }

    /// The service descriptions that answer a query (DSC-1, DSC-2), made for an authenticated user (DSC-5), be the
    /// services new to him or her or not (DSC-9).
    func discover(_ form: DiscoveryForm, _ http: HTTP.Request, _ asking: inout Consultation) throws(Interruption)
        -> Answer
    {
        let requester = try person(http, at: authority.endpoint(form.path), &asking)
        let documents = try Interruption.refusing { () throws(Refusal) in try form.documents(for: http, from: directory)
        }
        return Answer(response: .json(documents), changes: requester.changes)
    }

    /// The instances that are linked to the user's account (USR-2).
    func instances(_ http: HTTP.Request, _ asking: inout Consultation) throws(Interruption) -> Answer {
        let requester = try person(http, at: authority.endpoint(Path.instances), &asking)
        var seen: Set<TokenID> = []
        let lineages = try linked(to: requester.record.subject, asking).filter { seen.insert($0.record.id).inserted }
        let body = JSON.encodedArray { list in
            for lineage in lineages {
                list.object {
                    write(lineage, to: &$0, isOwn: lineage.record.id == requester.lineage.nearest(.client)?.id)
                }
            }
        }
        return Answer(response: .json(body), changes: requester.changes)
    }

    /// Ends one of the user's instances (USR-3, REG-8), from whichever client the user is signed in with.
    func disconnect(_ id: String, _ http: HTTP.Request, _ asking: inout Consultation) throws(Interruption) -> Answer {
        let requester = try person(http, at: authority.endpoint(Path.instances + "/" + id), &asking)
        guard
            let instance = try linked(to: requester.record.subject, asking).first(where: {
                $0.record.holder.map { $0.text.utf8.elementsEqual(id.utf8) } ?? false
            })
        else { return Answer(response: .nowhere, changes: requester.changes) }
        let changes = try ending(instance.record.id, .user, &asking)
        return Answer(response: HTTP.Response(.noContent), changes: requester.changes + changes)
    }

    /// The instances through which a user is signed in.
    private func linked(to user: Record.Subject?, _ asking: Consultation) throws(Interruption) -> [Lineage] {
        guard let user else { throw .refused(.failed) }
        return try asking.records(.subject(user, .personal)).compactMap { personal in
            guard personal.verdict(at: asking.now).grantLives else { return nil }
            guard let place = personal.entries.firstIndex(where: { $0.record.kind == .client }) else { return nil }
            return Lineage(Array(personal.entries[place...]))
        }
    }

    /// What is told of an instance: its name, device, version, when it registered and when it was used (FED-3).
    func write(_ instance: Lineage, to object: inout JSON.ObjectWriter, isOwn: Bool) {
        object.member("id", ifPresent: instance.record.holder?.text)
        for member in instance.record.attributes["device"]?.object ?? JSON.Object() {
            object.member(member.name, member.value)
        }
        if let version = instance.nearest(.versionKey)?.attributes {
            object.member("platform", ifPresent: version["platform"])
            object.member("version", ifPresent: version["version"])
        }
        object.member("registered", instance.record.issued.seconds)
        object.member("last_used", ifPresent: instance.entry.fate.lastUse?.seconds)
        if isOwn { object.member("this", true) }
    }
}

extension Requester {
    /// Refuses a token that was narrowed to other endpoints when it was renewed.
    func checkScope(_ url: WebURL) throws(Interruption) {
        guard record.currentScope().covers(url) else {
            throw .refused(Refusal(.insufficientScope, "the token was not renewed for this endpoint", "AUT-5"))
        }
    }
}

/// The three endpoints of protocol discovery, of which two say what the query asks for.
enum DiscoveryForm {
    case either
    case protocols
    case services

    init?(_ way: Way) {
        if way.leads("discovery") {
            self = .either
        } else if way.leads("discovery", "protocols") {
            self = .protocols
        } else if way.leads("discovery", "services") {
            self = .services
        } else {
            return nil
        }
    }

    var path: String {
        switch self {
        case .either: "discovery"
        case .protocols: "discovery/protocols"
        case .services: "discovery/services"
        }
    }

    /// The documents that answer a query, as a JSON array; an empty one where nothing matches (DSC-3).
    func documents(for http: HTTP.Request, from directory: ServiceDirectory) throws(Refusal) -> [UInt8] {
        do throws(FormatRejection) {
            let query = try DiscoveryQuery(parsing: http.body)
            switch (self, query) {
            case (.protocols, .services), (.services, .protocols): throw .mixed
            case (.either, _), (.protocols, .protocols), (.services, .services): break
            }
            return try directory.answer(to: query)
        } catch {
            throw Refusal(.invalidRequest, "the query: \(error)", error.clause)
        }
    }
}
