public import JOSE
public import OAuth2Grants
public import TokenTree
public import Wire

/// What administrators of a federation do (TOK-5): each is an ``Exchange`` of its own, which the host begins for people
/// it trusts, or for a personal token of one of the policy's administrators at the endpoints below `admin`.
public enum Administration: Sendable, Equatable {
    /// Lists the registered versions, and how they stand.
    case versions
    /// Shuts a version out, with all its instances, here and at every service (FED-4).
    case block(KeyID)
    /// Lets a version in again; what ended at services stays ended.
    case unblock(KeyID)
    /// Withdraws the key of a version, because somebody else has it: it registers nothing any more, and what it
    /// registered since that time ends, here and at every service; what it registered before goes on (threat 76).
    case withdraw(KeyID, since: Timestamp)
    /// Lists the registered instances with their versions (FED-3).
    case instances
    /// Rejects an instance for good: it gets no token again, whatever its version (REG-7).
    case reject(ClientID)
    /// Signs a user out of every instance, which each stay registered (USR-4).
    case signOut(Record.Subject)
    /// Signs a user out, and forgets all that is kept about him or her; a fingerprint takes the place of the name.
    case forget(Record.Subject)

    /// Whether the command ends something, and gives nothing.
    var isEnding: Bool {
        switch self {
        case .block, .withdraw, .reject, .signOut, .forget: true
        case .versions, .unblock, .instances: false
        }
    }
}

extension Administration {
    /// The withdrawal of a key that a request names in its path, with `since` in its body: seconds since 1970.
    static func withdrawal(_ call: Call) throws(Refusal) -> Administration? {
        guard let id = try? KeyID(parsing: call.parameter) else { return nil }
        let since = try? HTTP.Form(parsing: call.request.body).value(of: "since")
        guard case .once(let text)? = since, let time = Int64(text), (0...1 << 40).contains(time) else {
            throw Refusal(
                .invalidRequest, "'since' must be the time of the theft, in seconds since 1970", "threat-76")
        }
        return .withdraw(id, since: Timestamp(seconds: time))
    }
}

extension EduIDService {
    /// Begins what an administrator wants; the host has made sure that it is one.
    public func exchange(
        for command: Administration, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<HTTP.Response> {
        Exchange(Refuser(at: .resource()), at: now, chance: Chance(using: &entropy)) {
            { asking throws(Refusal) in try carryOut(command, &asking) }
        }.followed(by: takingBack)
    }

    /// The endpoint for a command, which what stands in its path says in full.
    static func administration(
        _ command: @escaping @Sendable (String.UTF8View) -> Administration?
    ) -> Route<EduIDService>.Handler {
        parametrizedAdministration { call in command(call.parameter.utf8) }
    }

    /// The same for a command that the request's parameters belong to.
    static func parametrizedAdministration(
        _ command: @escaping @Sendable (Call) throws(Refusal) -> Administration?
    ) -> Route<EduIDService>.Handler {
        { service in
            { call throws(Refusal) in
                guard let command = try command(call) else { return { _ in Answer(HTTP.Response(.notFound)) } }
                return try service.personal(call, withinScope: false, toEnd: command.isEnding) {
                    requester, user, asking throws(Refusal) in
                    // A token that was narrowed to something is for that, and for nothing beside what all personal
                    // tokens are for.
                    guard service.policy.administrators.contains(user), !requester.record.isNarrowed
                    else { throw Refusal(.insufficientScope, "this takes an administrator", "TOK-5") }
                    return try service.carryOut(command, &asking)
                }
            }
        }
    }

    private func carryOut(_ command: Administration, _ asking: inout Inquiry) throws(Refusal) -> Answer<HTTP.Response> {
        switch command {
        case .versions: return try listVersions(&asking)
        case .block(let id): return try setBlocked(true, id, &asking)
        case .unblock(let id): return try setBlocked(false, id, &asking)
        case .withdraw(let id, let time): return try withdraw(id, since: time, &asking)
        case .instances: return try listInstances(&asking)
        case .reject(let id): return try reject(id, &asking)
        case .signOut(let user): return try signOut(user, &asking)
        case .forget(let user): return try forget(user, &asking)
        }
    }

    private func listVersions(_ asking: inout Inquiry) throws(Refusal) -> Answer<HTTP.Response> {
        var records: [TokenID: Record] = [:]
        for lineage in try asking.records(.all(.versionKey)) { records[lineage.record.id] = lineage.record }
        let body = JSON.encodedArray { list in
            for version in versions.all {
                list.object { object in
                    object.member("kid", version.keyID.text)
                    object.member("platform", version.platform.name.text)
                    object.member("version", version.number.description)
                    let record = records[ground(of: version.keyID)]
                    object.member("blocked", isExcluded(version, by: record))
                    if let since = record?.withdrawnSince { object.member("withdrawn", since.seconds) }
                }
            }
        }
        return Answer(.json(body))
    }

    /// The version's record says that it is blocked, so that this outlives restarts; what its instances were given at
    /// services is revoked there.
    private func setBlocked(_ isBlocked: Bool, _ id: KeyID, _ asking: inout Inquiry) throws(Refusal) -> Answer<
        HTTP.Response
    > {
        guard let version = versions[id] else { return Answer(HTTP.Response(.notFound)) }
        let known = try asking.lineage(of: ground(of: id))?.record
        var record = known ?? self.record(of: version, at: asking.now)
        record.attributes[Self.blocked] = isBlocked ? true : nil
        let change = known.map { $0.keeping(record.attributes) } ?? .insert(record)
        return Answer(HTTP.Response(.noContent), [change], ending: isBlocked ? [record.id] : [])
    }

    /// The version's record says since when its key is not its own; what stands on what came later ends with that.
    private func withdraw(
        _ id: KeyID, since time: Timestamp, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        guard let version = versions[id] else { return Answer(HTTP.Response(.notFound)) }
        let known = try asking.lineage(of: ground(of: id))?.record
        var record = known ?? self.record(of: version, at: asking.now)
        record.attributes = record.withdrawn(since: time)
        let change = known.map { $0.keeping(record.attributes) } ?? .insert(record)
        return Answer(HTTP.Response(.noContent), [change], ending: [record.id])
    }

    private func listInstances(_ asking: inout Inquiry) throws(Refusal) -> Answer<HTTP.Response> {
        let known = try asking.records(.all(.client))
        let body = JSON.encodedArray { list in
            for lineage in known {
                list.object { object in
                    write(lineage, to: &object, isOwn: false)
                    object.member("state", lineage.verdict(at: asking.now).description)
                }
            }
        }
        return Answer(.json(body))
    }

    private func reject(_ id: ClientID, _ asking: inout Inquiry) throws(Refusal) -> Answer<HTTP.Response> {
        let holder = Record.Holder(id)
        var found = try asking.lineage(of: .client, heldBy: holder)
        // One that has been ended is in force for nobody, and is to stay out all the same.
        if found == nil { found = try asking.records(.all(.client)).last { $0.record.holder == holder } }
        guard let lineage = found else { return Answer(HTTP.Response(.notFound)) }
        return Answer(HTTP.Response(.noContent), ending(lineage, .barred, at: asking.now))
    }

    func signOut(_ user: Record.Subject, _ asking: inout Inquiry) throws(Refusal) -> Answer<HTTP.Response> {
        var changes: [Change] = []
        for personal in try asking.records(.subject(user, .personal)) where personal.entry.fate.revocation == nil {
            changes += ending(personal, .administrator, at: asking.now)
        }
        // Nobody is told that something ended where nothing did.
        return Answer(HTTP.Response(changes.isEmpty ? .notFound : .noContent), changes)
    }
}
