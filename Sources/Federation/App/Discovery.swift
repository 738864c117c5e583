public import NAIL
internal import JOSE
internal import OAuth2Grants
public import RSD2
internal import Wire

// Shared by app and extension (DAT-4): profile, usage list, protocol discovery.

extension AuthorizingApp.Interaction where Value == Void {
    /// Asks for the profile attributes (2a), right after signing in (AUT-6); they are shown and not interpreted (FED-6,
    /// USR-7).
    public static var profile: Self {
        Self { turn throws(Rejection) in
            let query = turn.session.profileFilter.map { filter in
                HTTP.Form([HTTP.Form.Pair("claims", filter.map { $0.text }.joined(separator: " "))]).text
            }
            return try turn.resource(.get, turn.session.endpoint(.userinfo), asking: query, of: .user)
        } _: { turn, response throws(Rejection) in
            let limits = JSON.Limits(size: 64 << 10, depth: 16)
            let body = try AuthorizingApp.body(response)
            let told = try wrapping(Rejection.json, try JSON(parsing: body, limits: limits)).object ?? [:]
            // Services that know no filter tell more.
            let filter = turn.session.profileFilter.map { Set($0) }
            let profile = told.filtered { filter?.contains($0) ?? true }
            let text = profile.isEmpty ? nil : JSON.object(profile).encodedString()
            try turn.session.change { contents in contents.settings[AuthorizingApp.Session.profileSetting] = text }
        }.regaining(.user, after: .invalidToken)
    }

    /// Asks which services the user has used (3): after signing in and at every launch (USE-3); a service without a
    /// usage manager answers 404, and then there is no list (USE-4).
    public static var usage: Self {
        Self { turn throws(Rejection) in
            guard turn.session.eduID.endpoints[.usage] != nil else {
                try turn.session.keep(usage: nil)
                return .done(())
            }
            // What services have said since the list was made is told first; the last answer is the list.
            let listed = Set(turn.session.listedUsage ?? [])
            let accepted = turn.session.authorizedServices.filter { !listed.contains($0) }
            let refused = turn.session.refusingServices.filter { listed.contains($0) }
            let reports =
                accepted.map { UsageReport(of: $0, isAccepted: true) }
                + refused.map { UsageReport(of: $0, isAccepted: false) }
            return try reports.prefix(64).dropFirst().reduce(usage(telling: reports.first)) { told, report in
                told.then { turn, _ throws(Rejection) in
                    // Who has no list keeps no report either, until the next launch asks again.
                    turn.session.listedUsage == nil ? .nothing : usage(telling: report)
                }
            }.begin(&turn)
        }
    }

    private static func usage(telling report: UsageReport?) -> Self {
        Self { turn throws(Rejection) in
            let url = try turn.session.endpoint(.usage)
            guard let report else { return try turn.resource(.get, url, of: .user) }
            return try turn.resource(.post, url, of: .user, body: report.encoded)
        } _: { turn, response throws(Rejection) in
            let list = response?.status == .notFound ? nil : try Self.services(in: AuthorizingApp.body(response))
            try turn.session.keep(usage: list)
        }.regaining(.user, after: .invalidToken)
    }

    private static func services(in body: [UInt8]) throws(Rejection) -> [ServiceURL] {
        let limits = JSON.Limits(size: 1 << 20, depth: 2, values: 20_000)
        var found: [ServiceURL] = []
        for element in try wrapping(Rejection.json, try JSON.Document(parsing: body, limits: limits).root.array()) {
            let text = try wrapping(Rejection.json, try element.string())
            // What is not a valid URL leads to no service.
            if let service = try? ServiceURL(parsing: text) { found.append(service) }
        }
        return found
    }

    /// What the app does whenever it is launched (USE-3, DSC-10): it tells what is over and not confirmed yet; with a
    /// user signed in it renews, asks for profile and usage list, and fetches the descriptions of the services that the
    /// user has used.
    public static var launch: Self {
        Self { turn throws(Rejection) in
            let told = AuthorizingApp.Interaction<[AuthorizingApp.Ending]>.endings
                .then { turn, _ throws(Rejection) in
                    turn.session.isSignedIn ? Self.update : .nothing
                }
            return try told.begin(&turn)
        }
    }

    private static var update: Self {
        Self { turn throws(Rejection) in
            let first: Self = turn.session.isExpired(.user, at: turn.now) ? .regained(.user) : .nothing
            return
                try first
                .then { _, _ throws(Rejection) in .profile }
                .then { _, _ throws(Rejection) in .usage }
                .then { turn, _ throws(Rejection) in
                    let filter = AuthorizingApp.PersonalFilter(of: turn.session)
                    guard let query = filter.prefetch(into: turn.session.store) else { return .nothing }
                    return AuthorizingApp.Interaction<[AuthorizingApp.Store.Service]>.discovery(query)
                        .then { _, _ throws(Rejection) in .nothing }
                }
                .begin(&turn)
        }
    }
}

extension AuthorizingApp.Interaction where Value == [AuthorizingApp.Store.Service] {
    /// Asks for the descriptions of the services that answer a query (3b), in an order that means nothing (DSC-4), and
    /// keeps them; what the edu-ID service does not find any more is offered no more (RSD-1).
    ///
    /// - Parameter service: a discovery that is a federation service of its own (DSC-8), where the instance has a
    ///   service token; else the edu-ID service is asked.
    public static func discovery(_ query: DiscoveryQuery, at service: ServiceURL? = nil) -> Self {
        guard let service else { return asking(query, of: .user) }
        return AuthorizingApp.Interaction<ServerDescription>.metadata(of: service).then { _, description in
            asking(query, of: .service(service), at: description)
        }
    }

    /// - Parameter server: who is asked; the edu-ID service without anything.
    private static func asking(
        _ query: DiscoveryQuery, of holder: AuthorizingApp.Holder, at server: ServerDescription? = nil
    ) -> Self {
        Self { turn throws(Rejection) in
            let body = JSON.encodedArray { list in
                switch query {
                case .protocols(let names): for name in names { list.element(name.text) }
                case .services(let services): for service in services { list.element(service.url.text) }
                }
            }
            let url = try turn.session.endpoint(.discovery, of: server)
            return try turn.resource(.post, url, of: holder, body: body)
        } _: { turn, response throws(Rejection) in
            let answer = try Self.answer(response)
            let found = answer.services
            try turn.session.keep(found)
            // A discovery that is a service of its own may know fewer, and one that is full may have left out some.
            if server == nil, !answer.isFull {
                try turn.session.change { contents in contents.withdraw(whatIsMissingIn: found, askedFor: query) }
            }
            return found
        }.regaining(holder, after: .invalidToken)
    }

    private static func answer(_ response: HTTP.Response?) throws(Rejection) -> AuthorizingApp.DiscoveryAnswer {
        // Older services say 404 where they mean none.
        let body = response?.status == .notFound ? Array("[]".utf8) : try AuthorizingApp.body(response)
        return try wrapping(Rejection.json, try AuthorizingApp.DiscoveryAnswer(parsing: body))
    }
}

extension AuthorizingApp.Interaction where Value == ServerDescription {
    /// Asks a service what it says about itself (RFC 8414), under the issuer identifier that follows from its URL.
    fileprivate static func metadata(of service: ServiceURL) -> Self {
        Self { turn throws(Rejection) in
            let server = try description(of: service)
            let url = try turn.session.permitted(server.location(of: .authorizationServer), namedBy: service.url)
            return HTTP.Request(.get, .absolute(url))
        } _: { _, response throws(Rejection) in
            guard let response else { throw .unanswered }
            // With a slash at its end or without, a name leads to this document, and what leads to another is not the
            // service's (RFC 8414 §3.3).
            let asked = try description(of: service)
            let told = (try? JSON(parsing: response.body))?["issuer"]?.string.flatMap { try? Issuer(parsing: $0) }
            let named = told.flatMap { try? ServerDescription($0) }.flatMap { named in
                named.location(of: .authorizationServer) == asked.location(of: .authorizationServer) ? named : nil
            }
            return try wrapping(
                Rejection.unusable,
                try ServerDescription(authorizationServer: (named ?? asked).issuer, parsing: response))
        }
    }

    private static func description(of service: ServiceURL) throws(Rejection) -> ServerDescription {
        let issuer = try wrapping(Rejection.syntax, try Issuer(parsing: service.identity))
        return try wrapping(Rejection.unusable, try ServerDescription(issuer))
    }
}

extension AuthorizingApp.Session {
    /// Keeps what was found; where there is no room, in the place of what is known of services where nothing is held.
    fileprivate mutating func keep(_ found: [AuthorizingApp.Store.Service]) throws(Rejection) {
        try store.change(makingRoomFor: found) { contents in contents.cache(found) }
    }

    /// The services that can serve an app's request by what is known already, without asking anybody (DSC-10).
    public func knownChoices(for request: ProtocolRequest) -> [AuthorizingApp.Candidate] {
        AuthorizingApp.PersonalFilter(of: self, for: request.appID).candidates(for: request.protocols, in: store)
    }

    /// The services that can serve an app's request of those that the discovery has found now.
    fileprivate func choices(
        for request: ProtocolRequest, among found: [AuthorizingApp.Store.Service]
    ) -> [AuthorizingApp.Candidate] {
        AuthorizingApp.PersonalFilter(of: self, for: request.appID)
            .candidates(for: request.protocols, in: store, among: found)
    }
}

extension AuthorizingApp.Interaction where Value == [AuthorizingApp.Candidate] {
    /// The services that can serve an app's request: those that the discovery finds (3b), and no others; where nobody
    /// answers, those that are known.
    public static func candidates(for request: ProtocolRequest) -> Self {
        Self { turn throws(Rejection) in
            try AuthorizingApp.Interaction<[AuthorizingApp.Store.Service]>.discovery(.protocols(request.protocols))
                .then { turn, found throws(Rejection) in .value(turn.session.choices(for: request, among: found)) }
                .recovering { turn, rejection throws(Rejection) in
                    let known = turn.session.knownChoices(for: request)
                    guard rejection == .unanswered, !known.isEmpty else { throw rejection }
                    return .value(known)
                }
                .begin(&turn)
        }
    }
}
