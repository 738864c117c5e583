internal import JOSE
internal import OAuth2Grants
internal import RSD2
internal import TokenTree
internal import Wire

// (2a), (3) and what users do with their instances.

extension EduIDService {
    /// Reads the token that opens one of the resources, and says how to check whoever presents it (AUT-5).
    func person(
        _ call: Call, withinScope: Bool = true
    ) throws(Refusal) -> @Sendable (inout Inquiry) throws(Refusal) -> Requester {
        let demand = call.demand()
        let presented = try authority.present(
            try refusing(ParameterRejection.self, try ClientCredential(headerOf: call.request)), demand, at: call.now)
        return { asking throws(Refusal) in
            let requester = try authority.requester(presented, demand, policy: policy.proof, &asking)
            try checkAdmitted(requester.lineage, at: demand.place)
            if withinScope, requester.record.kind == .personal { try requester.checkScope(demand.url) }
            return requester
        }
    }

    /// The profile attributes: all of them for the user's own app (AUT-6), the released ones for a service that
    /// verified an assertion (6*), whose user token means the record of that assertion, and ends with it.
    func userinfo(_ call: Call) throws(Refusal) -> Procedure {
        let person = try person(call)
        return { asking throws(Refusal) in
            let requester = try person(&asking)
            guard let user = requester.record.subject else { throw .failed }
            var claims: JSON.Object = ["sub": .string(user.text)]
            let told: JSON.Object
            if requester.record.kind == .assertion {
                guard let audience = requester.record.audience, let service = index[Issuer(audience)] else {
                    throw .failed
                }
                claims["sub"] = .string(pseudonyms.name(of: user, at: service))
                told = try released(to: service, about: user, &asking)
            } else {
                told = try asking.profile(of: user)
            }
            for claim in told where claim.name != "sub" { claims[claim.name] = claim.value }
            return Answer(.json(claims.encoded()), requester.changes)
        }
    }

    /// The services that the user has used, as URLs (USE-1, USE-2).
    func usage(_ call: Call) throws(Refusal) -> Procedure {
        let person = try person(call)
        return { asking throws(Refusal) in
            let requester = try person(&asking)
            guard let user = requester.record.subject else { throw .failed }
            let visits = try asking.facts(.services(user)).visits(of: user)
            let body = JSON.encodedArray { list in for visit in visits { list.element(visit.service.text) } }
            return Answer(.json(body), requester.changes)
        }
    }

    /// The service descriptions that answer a query (DSC-1, DSC-2), made for an authenticated user (DSC-5), be the
    /// services new to him or her or not (DSC-9).
    static func discovery(_ endpoint: DiscoveryEndpoint) -> Route<EduIDService>.Handler {
        { service in
            { call throws(Refusal) in
                let person = try service.person(call)
                return { asking throws(Refusal) in
                    let requester = try person(&asking)
                    let documents = try endpoint.documents(for: call.request, from: service.directory)
                    return Answer(.json(documents), requester.changes)
                }
            }
        }
    }

    /// The instances that are linked to the user's account (USR-2).
    func instances(_ call: Call) throws(Refusal) -> Procedure {
        let person = try person(call)
        return { asking throws(Refusal) in
            let requester = try person(&asking)
            var seen: Set<TokenID> = []
            let linked = try linked(to: requester.record.subject, &asking)
            let lineages = linked.filter { seen.insert($0.record.id).inserted }
            let own = requester.lineage.nearest(.client)?.id
            let body = JSON.encodedArray { list in
                for lineage in lineages { list.object { write(lineage, to: &$0, isOwn: lineage.record.id == own) } }
            }
            return Answer(.json(body), requester.changes)
        }
    }

    /// Ends one of the user's instances (USR-3, REG-8), from whichever client the user is signed in with.
    func disconnect(_ call: Call) throws(Refusal) -> Procedure {
        let person = try person(call)
        return { asking throws(Refusal) in
            let requester = try person(&asking)
            let instance = try linked(to: requester.record.subject, &asking).first {
                $0.record.holder.map { $0.text.utf8.elementsEqual(call.parameter.utf8) } ?? false
            }
            guard let instance else { return Answer(HTTP.Response(.notFound), requester.changes) }
            let changes = try ending(instance.record.id, .user, &asking)
            return Answer(HTTP.Response(.noContent), requester.changes + changes)
        }
    }

    /// The instances through which a user is signed in.
    private func linked(to user: Record.Subject?, _ asking: inout Inquiry) throws(Refusal) -> [Lineage] {
        guard let user else { throw .failed }
        return try asking.records(.subject(user, .personal)).compactMap { [now = asking.now] personal in
            guard personal.verdict(at: now).grantLives else { return nil }
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
