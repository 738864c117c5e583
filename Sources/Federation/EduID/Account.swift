internal import JOSE
internal import OAuth2Grants
internal import RSD2
internal import TokenTree
internal import Wire

// (2a), (3), and what is told of a user's instances.

extension EduIDService {
    /// Answers whoever holds a token that opens one of the resources (AUT-5).
    func personal(
        _ call: Call, withinScope: Bool = true, of url: WebURL? = nil, toEnd isEnding: Bool = false,
        _ answer:
            @escaping @Sendable (Requester, Record.Subject, inout Inquiry) throws(Refusal) -> Answer<HTTP.Response>
    ) throws(Refusal) -> Procedure {
        let credential = try refusing(ParameterRejection.self, try ClientCredential(headerOf: call.request))
        // Users end what is theirs however old their token is; administrators sign in again after a restoration.
        let isOwn = isEnding && withinScope
        let client = try client(credential, call.demand(evenExpired: isOwn, evenUnconfirmed: isOwn), call.now)
        return Exchange.proved(by: client, toEnd: isEnding) { requester, asking throws(Refusal) in
            if withinScope, requester.record.kind == .personal { try requester.checkScope(url ?? call.url) }
            guard let user = requester.record.subject else { throw .failed }
            return try answer(requester, user, &asking)
        }
    }

    /// The profile attributes, for the user's own app (AUT-6) and for a service that verified an assertion (6*).
    ///
    /// The app is told those that it asks for in `claims`, or else all, as far as the policy releases them; the service
    /// those that are released to it. Its user token means the record of that assertion, and ends with it.
    func userinfo(_ call: Call) throws(Refusal) -> Procedure {
        let asked = try call.claims()
        return try personal(call) { requester, user, asking throws(Refusal) in
            var claims: JSON.Object = ["sub": .string(user.text)]
            let told: JSON.Object
            if requester.record.kind == .assertion {
                guard let audience = requester.record.audience, let service = index[Issuer(audience)] else {
                    throw .failed
                }
                claims["sub"] = .string(pseudonyms.name(of: user, at: service))
                told = try released(to: service, about: user, through: requester.lineage, &asking)
            } else {
                told = try profile(of: user, through: requester.lineage, &asking).filtered {
                    policy.profileFilter?.contains($0) ?? true
                }
            }
            for claim in told.filtered({ asked?.contains($0) ?? true }) where claim.name != "sub" {
                claims[claim.name] = claim.value
            }
            return Answer(.json(claims.encoded()))
        }
    }

    /// What is known of a user: what the host says, and below that what the provider said at which he or she signed in.
    func profile(
        of user: Record.Subject, through signIn: Lineage?, _ asking: inout Inquiry
    ) throws(Refusal) -> JSON.Object {
        var profile = try asking.profile(of: user)
        let provided = (signIn?.nearest(.personal)?.attributes).flatMap { Provider.profile(in: $0) }
        for member in provided ?? [:] where profile[member.name] == nil { profile[member.name] = member.value }
        return profile
    }

    /// The services that the user has used, as URLs (USE-1, USE-2).
    ///
    /// Whether a service has accepted the user only the app can tell, and does so in the body of a POST: a service is
    /// used when it has, and not when an assertion was made for it. What was never introduced in this session is passed
    /// over.
    func usage(_ call: Call) throws(Refusal) -> Procedure {
        let told = call.request.method == .post ? try UsageReport(call.request.body) : nil
        return try personal(call) { requester, user, asking throws(Refusal) in
            var known = try asking.facts(.services(user)).visits(of: user).map { $0.service }
            var changes: [Change] = []
            if let told, let member = index[told.service],
                let place = try? Record.Audience(parsing: member.home.identity)
            {
                if !told.isAccepted {
                    if known.contains(place) { changes = [.leave(user, place)] }
                    known.removeAll { $0 == place }
                } else if let introduction = try introduction(
                    to: Record.Audience(member.issuer), on: requester.record.id, &asking)
                {
                    // TOK-7, threat 75: a report that comes while the service is left, or its person forgotten, finds
                    // the introduction ended.
                    changes = [introduction.keeping(introduction.attributes), .visit(user, place)]
                    if !known.contains(place) { known.append(place) }
                }
            }
            return Answer(
                .json(JSON.encodedArray { list in for service in known { list.element(service.text) } }), changes)
        }
    }

    /// The newest assertion for a service that lives on a session; bound: it looks at the newest 256.
    private func introduction(
        to service: Record.Audience, on session: TokenID, _ asking: inout Inquiry
    ) throws(Refusal) -> Record? {
        let page = try asking.page(of: .under(session, .assertion), after: nil, limit: 256)
        return page.lineages.first { [now = asking.now] in
            $0.record.audience == service && $0.verdict(at: now).grantLives
        }?.record
    }

    /// The service descriptions that answer a query (DSC-1, DSC-2), made for an authenticated user (DSC-5), be the
    /// services new to him or her or not (DSC-9).
    static func discovery(_ endpoint: DiscoveryEndpoint) -> Route<EduIDService>.Handler {
        { service in
            { call throws(Refusal) in
                try service.personal(call) { _, _, _ throws(Refusal) in
                    Answer(.json(try endpoint.documents(for: call.request, from: service.directory)))
                }
            }
        }
    }

    /// The instances through which a user is signed in: each once, because on one lives one grant of a user (USR-1).
    func instances(of user: Record.Subject, _ asking: inout Inquiry) throws(Refusal) -> [Lineage] {
        try asking.records(.subject(user, .personal)).compactMap { [now = asking.now] personal in
            guard personal.verdict(at: now).grantLives else { return nil }
            return personal.grounded(on: .client)
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
        object.member("reason", ifPresent: instance.record.remark)
        if isOwn { object.member("this", true) }
    }
}

/// What an app tells of a service that was asked to take its user's assertion.
struct UsageReport: Sendable {
    let service: ServiceURL
    /// Whether it accepted the user; else it refused.
    let isAccepted: Bool

    /// Makes a report.
    init(of service: ServiceURL, isAccepted: Bool) {
        (self.service, self.isAccepted) = (service, isAccepted)
    }

    /// Reads a report.
    init(_ body: [UInt8]) throws(Refusal) {
        let told = try? JSON(parsing: body, limits: JSON.Limits(size: 64 << 10, depth: 2, values: 16)).object
        guard let service = told?["service"]?.string.flatMap({ try? ServiceURL(parsing: $0) }),
            let outcome = told?["outcome"]?.string, let isAccepted = Self.outcomes[outcome]
        else {
            throw Refusal(
                .invalidRequest,
                "the body must be a JSON object with 'service', a URL, and 'outcome', which is 'accepted' or 'refused'",
                "USE-1")
        }
        self.init(of: service, isAccepted: isAccepted)
    }

    /// The report as a body.
    var encoded: [UInt8] {
        JSON.encodedObject { object in
            object.member("service", service.identity)
            object.member("outcome", isAccepted ? "accepted" : "refused")
        }
    }

    private static let outcomes = ["accepted": true, "refused": false]
}

extension Call {
    /// The attributes that are asked for by name, with spaces between them; all of them, if nothing is said.
    fileprivate func claims() throws(Refusal) -> Set<JSON.Name>? {
        try details().read("claims", "at most 64 names of attributes, with spaces between them") { text in
            let names = text.split(separator: " ", omittingEmptySubsequences: false)
            guard names.count <= 64, !names.contains(where: { $0.isEmpty }) else { return nil }
            return Set(names.map { JSON.Name(String($0)) })
        }
    }
}

extension JSON.Object {
    /// The members whose names are meant.
    func filtered(_ isMeant: (JSON.Name) -> Bool) -> JSON.Object {
        var object = JSON.Object()
        for member in self where isMeant(member.name) { object[member.name] = member.value }
        return object
    }
}
