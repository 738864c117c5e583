internal import JOSE
public import OAuth2Grants
public import RSD2
public import TokenTree
public import Wire

// What users see and end of what is theirs (USR-2, USR-3): by a personal token, or on the host's own pages.

extension EduIDService {
    /// What a user asks of the account: a ``Federation/Exchange`` of its own, which the host begins for whoever it has
    /// authenticated by itself, such as in a browser, or for a personal token at the endpoints of the same names.
    public enum AccountCommand: Sendable, Equatable {
        /// Lists the instances on which the user is signed in (USR-2).
        case instances
        /// Ends one of them with its registration (USR-3, REG-8).
        case disconnect(ClientID)
        /// Ends all of them, and with them everything that the user was ever introduced to.
        case disconnectAll
        /// Lists the services that the user has used, or where something lives.
        case services
        /// Ends what every instance was given at a service, which is told (TOK-7), and forgets that it was used.
        case leave(ServiceURL)
        /// Ends what one instance was given at a service by one introduction, which is told.
        case takeBack(TokenID)
        /// Signs the user out, and forgets all that is kept about him or her, a lock excepted.
        case erase

        fileprivate var isAboutServices: Bool {
            switch self {
            case .services, .leave, .takeBack: true
            case .instances, .disconnect, .disconnectAll, .erase: false
            }
        }

        /// Whether the command ends something, and gives nothing.
        var isEnding: Bool {
            switch self {
            case .instances, .services: false
            case .disconnect, .disconnectAll, .leave, .takeBack, .erase: true
            }
        }
    }

    /// Begins what a user wants; the host has made sure who it is.
    ///
    /// An ending is answered by 204 when it is done, by 404 where there was nothing, and by 202 where only a part was
    /// done, because there was too much for one time: then it has to be asked for again.
    public func exchange(
        for command: AccountCommand, of user: Record.Subject, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) -> Exchange<HTTP.Response> {
        Exchange(Refuser(at: .resource(), under: proof), at: now, chance: Chance(using: &entropy)) {
            { asking throws(Refusal) in try carryOut(command, of: user, by: nil, &asking) }
        }.followed(by: takingBack).at("account")
    }

    /// The endpoint for a command, which its path says.
    ///
    /// Services are opened by what opens instances: whoever may end those ends with them all that they were given.
    static func account(
        _ command: @escaping @Sendable (Call) -> AccountCommand?
    ) -> Route<EduIDService>.Handler {
        { service in
            { call throws(Refusal) in
                guard let command = command(call) else { return { _ in Answer(HTTP.Response(.notFound)) } }
                let scope = command.isAboutServices ? service.authority.endpoint("instances") : call.url
                return try service.personal(call, of: scope, toEnd: command.isEnding) {
                    requester, user, asking throws(Refusal) in
                    try service.carryOut(command, of: user, by: requester, &asking)
                }
            }
        }
    }

    private func carryOut(
        _ command: AccountCommand, of user: Record.Subject, by requester: Requester?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let own = requester?.lineage.nearest(.client)?.id
        switch command {
        case .instances:
            let lineages = try instances(of: user, &asking)
            return .list(
                JSON.encodedArray { list in
                    for lineage in lineages {
                        list.object { write(lineage, to: &$0, isOwn: lineage.record.id == own) }
                    }
                }, nil)
        case .disconnect(let id):
            let instance = try instances(of: user, &asking).first { $0.record.client?.canonical == id.canonical }
            return .ended(instance?.ended(.user, at: asking.now) ?? [])
        case .disconnectAll: return try disconnectAll(of: user, sparing: own, &asking)
        case .services:
            let services = try services(of: user, &asking)
            return .list(
                JSON.encodedArray { list in for service in services { list.object { write(service, to: &$0) } } }, nil)
        case .leave(let service): return try leave(service, of: user, .user, nil, &asking)
        case .takeBack(let id):
            guard let assertion = try asking.lineage(of: id), assertion.record.kind == .assertion,
                assertion.record.subject == user, assertion.isUnended
            else { return .ended([]) }
            return .ended(ending(assertion, .user, at: asking.now))
        case .erase:
            // A lock is not the user's to lift.
            guard try asking.lock(of: .init(user)) == nil else { throw .lockedOut }
            // What the user called the devices goes first, and with it their registrations.
            let devices = try ownDevices(of: user, &asking)
            if devices.isEmpty { return try forget(user, by: .user, &asking) }
            return .ended(
                devices.prefix(endedAtOnce / 2).flatMap { [now = asking.now] in
                    [$0.record.keeping(JSON.Object())] + $0.ended(.user, at: now)
                }, isWhole: false)
        }
    }

    /// The instances on which a user is or was signed in, that are registered, and on which nobody else is; of one
    /// whose time is over, as of a browser, nothing can be changed, and it goes by itself.
    func ownDevices(of user: Record.Subject, _ asking: inout Inquiry) throws(Refusal) -> [Lineage] {
        let now = asking.now
        var seen: Set<TokenID> = []
        let instances = try asking.records(.subject(user, .personal)).compactMap { $0.grounded(on: .client) }
            .filter { $0.verdict(at: now).grantLives && seen.insert($0.record.id).inserted }
        let signIns = try asking.records(instances.map { .under($0.record.id, .personal) })
        return zip(instances, signIns).filter { _, signIns in
            !signIns.contains { $0.record.subject != user && $0.verdict(at: now).grantLives }
        }.map { $0.0 }
    }

    /// The end of everything: in one change of the store, so that nobody who loses a token meanwhile stops it half-way.
    ///
    /// Where that is too much for one change, the instance that asks is among the last ones.
    private func disconnectAll(
        of user: Record.Subject, sparing own: TokenID?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        var instances = try instances(of: user, &asking)
        if let place = instances.firstIndex(where: { $0.record.id == own }) {
            instances.append(instances.remove(at: place))
        }
        let begun = try begunSignIns(of: user, &asking)
        let ends = (begun + instances).prefix(endedAtOnce)
        return .ended(
            ends.flatMap { [now = asking.now] in $0.ended(.user, at: now) },
            isWhole: ends.count == begun.count + instances.count)
    }

    /// The sign-ins of who has typed the password already, and not come back with the code or made the next step: where
    /// everything ends they are not to come in after that.
    func begunSignIns(of user: Record.Subject, _ asking: inout Inquiry) throws(Refusal) -> [Lineage] {
        let now = asking.now
        let sessions = try asking.records(.subject(user, .session))
        return try (asking.records(.subject(user, .code)) + sessions.filter { !Self.isIndex($0) })
            .filter { $0.verdict(at: now).isLive } + begunSignIns(foundBy: sessions, &asking)
    }
}

// MARK: - Services

extension EduIDService {
    /// A service that a user has used, or where something of his or hers lives.
    struct UsedService {
        /// Where it lives; under its issuer's name where the federation does not know it any more.
        let place: Record.Audience
        var lastUse: Timestamp
        var instances: [Record.Holder] = []
    }

    /// Which service an assertion is for, by the name that its uses have.
    func place(of assertion: Lineage) -> Record.Audience? {
        guard let audience = assertion.record.audience else { return nil }
        return index[Issuer(audience)].flatMap { try? Record.Audience(parsing: $0.home.identity) } ?? audience
    }

    /// The services that a user has used, or where something lives, in the order of their names.
    func services(of user: Record.Subject, _ asking: inout Inquiry) throws(Refusal) -> [UsedService] {
        var found: [Record.Audience: UsedService] = [:]
        if policy.hasUsageManager {
            for visit in try asking.facts(.services(user)).visits(of: user) {
                found[visit.service] = UsedService(place: visit.service, lastUse: visit.last)
            }
        }
        for assertion in try asking.records(.subject(user, .assertion)) {
            guard assertion.verdict(at: asking.now).grantLives, let place = place(of: assertion) else { continue }
            let last = max(assertion.entry.fate.lastUse ?? assertion.record.issued, assertion.record.issued)
            var service = found[place] ?? UsedService(place: place, lastUse: last)
            service.lastUse = max(service.lastUse, last)
            if let holder = assertion.record.holder, !service.instances.contains(holder) {
                service.instances.append(holder)
            }
            found[place] = service
        }
        return found.values.sorted { $0.place < $1.place }
    }

    private func write(_ service: UsedService, to object: inout JSON.ObjectWriter) {
        writeName(of: service.place, to: &object)
        object.member("last_used", service.lastUse.seconds)
        object.array("instances") { list in for instance in service.instances { list.element(instance.text) } }
    }

    /// What is told of a service: the word for it in paths, its URL, and the name by which people know it.
    func writeName(of place: Record.Audience, to object: inout JSON.ObjectWriter) {
        object.member("id", Self.pathWord(for: place.text))
        object.member("service", place.text)
        object.member("name", ifPresent: displayName(of: place))
    }

    /// The end of a user's assertions for a service, from whatever instance, and of its place among those used.
    func leave(
        _ service: ServiceURL, of user: Record.Subject, _ reason: Record.Reason, _ remark: Remark?,
        _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        guard let place = try? Record.Audience(parsing: service.identity) else { return .ended([]) }
        let assertions = try asking.records(.subject(user, .assertion)).filter { assertion in
            assertion.isUnended && self.place(of: assertion) == place
        }
        let visits = try asking.facts(.services(user)).visits(of: user)
        let ends = assertions.prefix(endedAtOnce).flatMap { [now = asking.now] assertion in
            ending(assertion, reason, remark, at: now)
        }
        let forgets = visits.contains { $0.service == place } ? [Change.leave(user, place)] : []
        return .ended(ends + forgets, isWhole: assertions.count <= endedAtOnce)
    }

    /// How paths name a service: by its URL in Base64url, because no server reads an encoded slash in a path like
    /// another one (threat 65).
    static func pathWord(for service: String) -> String { Base64URL.encode(Array(service.utf8)) }

    /// The service that a path names.
    static func service(inPath word: String) -> ServiceURL? {
        text(inPath: word).flatMap { try? ServiceURL(parsing: $0) }
    }

    /// What a path names by its Base64url.
    static func text(inPath word: String) -> String? {
        (try? Base64URL.decode(word)).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
