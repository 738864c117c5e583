public import JOSE
public import OAuth2Grants
public import RSD2
public import TokenTree
public import Wire

/// What administrators of a federation do (TOK-5): each is an ``Exchange`` of its own, which the host begins for people
/// it trusts, or for a personal token of one of the policy's administrators at the endpoints below `admin`.
///
/// Lists come a ``Portion`` at a time. What ends or is locked can bear a ``Remark``, which is kept with it and listed.
public enum Administration: Sendable, Equatable {
    /// Tells where the lists are.
    case overview
    /// Lists the registered versions, and how they stand.
    case versions(Portion = Portion())
    /// Shuts a version out, with all its instances, here and at every service (FED-4).
    case block(KeyID, Remark? = nil)
    /// Lets a version in again; what ended at services stays ended.
    case unblock(KeyID)
    /// Withdraws the key of a version, because somebody else has it: it registers nothing any more, and what it
    /// registered since that time ends, here and at every service; what it registered before goes on (threat 76).
    case withdraw(KeyID, since: Timestamp, Remark? = nil)
    /// Lists the registered instances with their versions (FED-3).
    case instances(Instances = Instances(), Portion = Portion())
    /// Rejects an instance for good: it gets no token again, whatever its version (REG-7).
    case reject(ClientID, Remark? = nil)
    /// Lists users, and whether they are locked.
    case users(Users = .known, Portion = Portion())
    /// Signs a user out of every instance, which each stay registered (USR-4).
    case signOut(Record.Subject, Remark? = nil)
    /// Takes one instance from one user, who stays signed in elsewhere; the instance stays registered (USR-4).
    case remove(ClientID, from: Record.Subject, Remark? = nil)
    /// Ends what a user was given at a service, which is told, and forgets that it was used (TOK-7).
    case leave(ServiceURL, of: Record.Subject, Remark? = nil)
    /// Ends what a user was given as a member of some institution, at every service, which are told; what was given to
    /// the user as anything else stays (AFF-2).
    case expel(Affiliation, Record.Subject, Remark? = nil)
    /// Signs a user out, and lets nobody sign in under the name until it is unlocked, whatever password is given
    /// (threat 78).
    case lock(Record.Subject, Remark? = nil)
    /// Lets a user sign in again.
    case unlock(Record.Subject)
    /// Signs a user out, and forgets all that is kept about him or her, a lock too; a fingerprint takes the place of
    /// the name.
    case forget(Record.Subject)
    /// Lists services, each with how many assertions live and of how many users.
    case services(Portion = Portion())

    /// Which instances are listed: those that all of this is true of.
    public struct Instances: Sendable, Equatable {
        /// Who was signed in there.
        public var user: Record.Subject?
        /// The version that they run, by the name of its key.
        public var version: KeyID?
        /// What is part of the device's name, in letters of either case.
        public var name: String?

        /// Those of a user, of a version, with a name; all of them unless something is said.
        public init(user: Record.Subject? = nil, version: KeyID? = nil, name: String? = nil) {
            (self.user, self.version, self.name) = (user, version, name)
        }
    }

    /// Which users are listed.
    public enum Users: Sendable, Equatable {
        /// Everybody who has signed in.
        case known
        /// Everybody who is locked.
        case locked
        /// Who has this name here, and whomever the host's ``UserDirectory`` finds by it.
        case matching(String)
    }

    /// Whether the command ends something, and gives nothing.
    var isEnding: Bool {
        switch self {
        case .block, .withdraw, .reject, .signOut, .remove, .leave, .expel, .lock, .forget: true
        case .overview, .versions, .unblock, .instances, .users, .unlock, .services: false
        }
    }
}

extension Administration {
    /// What a request says in its path, its query or its body: one reading for each endpoint.
    enum Reading: Sendable {
        case versions, block, unblock, withdraw, instances, reject, users, signOut, remove, leave, expel, lock, unlock
        case forget, services, overview
    }

    /// Reads a command; `nil` where the path names nobody and nothing.
    init?(_ reading: Reading, _ call: Call) throws(Refusal) {
        let word = call.parameter
        switch reading {
        case .overview: self = .overview
        case .versions: self = .versions(try call.portion())
        case .services: self = .services(try call.portion())
        case .instances: self = .instances(try Instances(call.details()), try call.portion())
        case .users: self = .users(try Users(call), try call.portion())
        case .block, .unblock, .withdraw:
            guard let id = try? KeyID(parsing: word) else { return nil }
            switch reading {
            case .block: self = .block(id, try call.remark())
            case .unblock: self = .unblock(id)
            default: self = .withdraw(id, since: try call.theft(), try call.remark())
            }
        case .reject:
            guard let id = try? ClientID(parsing: word) else { return nil }
            self = .reject(id.canonical, try call.remark())
        case .signOut, .lock, .unlock, .forget, .remove, .leave, .expel:
            guard let user = try? Record.Subject(parsing: word) else { return nil }
            try self.init(reading, of: user, call)
        }
    }

    /// The commands about a user.
    private init?(_ reading: Reading, of user: Record.Subject, _ call: Call) throws(Refusal) {
        switch reading {
        case .lock: self = .lock(user, try call.remark())
        case .unlock: self = .unlock(user)
        case .forget: self = .forget(user)
        case .remove:
            guard let id = try? ClientID(parsing: call.parameters[1]) else { return nil }
            self = .remove(id.canonical, from: user, try call.remark())
        case .leave:
            guard let service = EduIDService.service(inPath: call.parameters[1]) else { return nil }
            self = .leave(service, of: user, try call.remark())
        case .expel:
            guard let affiliation = EduIDService.affiliation(inPath: call.parameters[1]) else { return nil }
            self = .expel(affiliation, user, try call.remark())
        default: self = .signOut(user, try call.remark())
        }
    }
}

extension Administration.Instances {
    fileprivate init(_ form: HTTP.Form) throws(Refusal) {
        user = try form.read("user", "the name of a user") { try? Record.Subject(parsing: $0) }
        version = try form.read("version", "the name of a version's key") { try? KeyID(parsing: $0) }
        name = try form.read("name", "a part of a device's name") { try? Record.Holder(parsing: $0).text }
    }
}

extension Administration.Users {
    fileprivate init(_ call: Call) throws(Refusal) {
        let isLocked = try call.wantsLocked()
        let name = try call.details().read("name", "the name of a user") { try? Record.Subject(parsing: $0).text }
        self = isLocked ? .locked : name.map { .matching($0) } ?? .known
    }
}

extension Call {
    /// Since when somebody else has a key: seconds since 1970.
    fileprivate func theft() throws(Refusal) -> Timestamp {
        let since = try? HTTP.Form(parsing: request.body).value(of: "since")
        guard case .once(let text)? = since, let time = Int64(text), (0...1 << 40).contains(time) else {
            throw Refusal(
                .invalidRequest, "'since' must be the time of the theft, in seconds since 1970", "threat-76")
        }
        return Timestamp(seconds: time)
    }
}

extension EduIDService {
    /// Begins what an administrator wants; the host has made sure that it is one.
    public func exchange(
        for command: Administration, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<HTTP.Response> {
        Exchange(Refuser(at: .resource(), under: proof), at: now, chance: Chance(using: &entropy)) {
            { asking throws(Refusal) in try carryOut(command, nil, &asking) }
        }.followed(by: takingBack)
    }

    /// Begins what a request to an endpoint below `admin` asks for, without any token: the host has made sure that an
    /// administrator made it.
    ///
    /// - Parameter request: names the endpoint from there on, as `/users`.
    public func exchange(
        administering request: HTTP.Request, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<HTTP.Response> {
        administered(request, below: authority.endpoint("admin"), at: now, using: &entropy).followed(by: takingBack)
    }

    /// The endpoint for a command.
    static func administration(_ reading: Administration.Reading) -> Route<EduIDService>.Handler {
        { service in
            { call throws(Refusal) in
                guard let command = try Administration(reading, call) else {
                    return { _ in Answer(HTTP.Response(.notFound)) }
                }
                if call.isAdministrators {
                    return { asking throws(Refusal) in try service.carryOut(command, call, &asking) }
                }
                return try service.personal(call, withinScope: false, toEnd: command.isEnding) {
                    requester, user, asking throws(Refusal) in
                    // A token that was narrowed to something is for that, and for nothing beside what all personal
                    // tokens are for.
                    guard service.policy.administrators.contains(user), !requester.record.isNarrowed
                    else { throw Refusal(.insufficientScope, "this takes an administrator", "TOK-5") }
                    try service.checkAdministrator(service.authentication(of: requester.record), asking.now)
                    return try service.carryOut(command, call, &asking)
                }
            }
        }
    }

    private func carryOut(
        _ command: Administration, _ call: Call?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        switch command {
        case .overview:
            .overview(of: ["versions", "instances", "users", "services"], below: authority.endpoint("admin"))
        case .versions(let portion): try listVersions(portion, call, &asking)
        case .block(let id, let remark): try setBlocked(true, id, remark, &asking)
        case .unblock(let id): try setBlocked(false, id, nil, &asking)
        case .withdraw(let id, let time, let remark): try withdraw(id, since: time, remark, &asking)
        case .instances(let which, let portion): try listInstances(which, portion, call, &asking)
        case .reject(let id, let remark): try reject(id, remark, &asking)
        case .users(let which, let portion): try listUsers(which, portion, call, &asking)
        case .signOut(let user, let remark): try signOut(user, .administrator, remark, &asking)
        case .remove(let id, let user, let remark): try remove(id, from: user, remark, &asking)
        case .leave(let service, let user, let remark): try leave(service, of: user, .administrator, remark, &asking)
        case .expel(let affiliation, let user, let remark): try expel(user, from: affiliation, remark, &asking)
        case .lock(let user, let remark): try lock(user, remark, &asking)
        case .unlock(let user): .ended(try asking.unlocking(.init(user)))
        case .forget(let user): try forget(user, &asking)
        case .services(let portion): try listServices(portion, call, &asking)
        }
    }

    /// The version's record says that it is blocked, so that this outlives restarts; what its instances were given at
    /// services is revoked there.
    private func setBlocked(
        _ isBlocked: Bool, _ id: KeyID, _ remark: Remark?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        guard let version = versions[id] else { return Answer(HTTP.Response(.notFound)) }
        let known = try asking.lineage(of: ground(of: id))?.record
        var record = known ?? self.record(of: version, at: asking.now)
        record.attributes = record.remarked(remark)
        record.attributes[Self.blocked] = isBlocked ? true : nil
        return Answer(HTTP.Response(.noContent), [record.stored(over: known)], ending: isBlocked ? [record.id] : [])
    }

    /// The version's record says since when its key is not its own; what stands on what came later ends with that.
    private func withdraw(
        _ id: KeyID, since time: Timestamp, _ remark: Remark?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        guard let version = versions[id] else { return Answer(HTTP.Response(.notFound)) }
        let known = try asking.lineage(of: ground(of: id))?.record
        var record = known ?? self.record(of: version, at: asking.now)
        record.attributes = record.remarked(remark)
        record.attributes = record.withdrawn(since: time)
        return Answer(HTTP.Response(.noContent), [record.stored(over: known)], ending: [record.id])
    }

    private func reject(
        _ id: ClientID, _ remark: Remark?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let holder = Record.Holder(id)
        var found = try asking.lineage(of: .client, heldBy: holder)
        // One that has been ended is in force for nobody, and is to stay out all the same.
        if found == nil { found = try asking.records(.all(.client)).last { $0.record.holder == holder } }
        guard let lineage = found else { return Answer(HTTP.Response(.notFound)) }
        return Answer(HTTP.Response(.noContent), ending(lineage, .barred, remark, at: asking.now))
    }

    func signOut(
        _ user: Record.Subject, _ reason: Record.Reason, _ remark: Remark?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let personals = try signIns(of: user, &asking).filter { $0.isUnended }
        let ends = personals.prefix(endedAtOnce).flatMap { [now = asking.now] in ending($0, reason, remark, at: now) }
        // Whoever has begun to sign in does not come in after that.
        let begun = try begunSignIns(of: user, &asking)
        return .ended(
            ends + begun.prefix(endedAtOnce).map { .revoke($0.record.id, reason) },
            isWhole: personals.count <= endedAtOnce && begun.count <= endedAtOnce)
    }

    private func remove(
        _ id: ClientID, from user: Record.Subject, _ remark: Remark?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let personals = try asking.records(.subject(user, .personal)).filter { personal in
            personal.isUnended && personal.nearest(.client)?.client?.canonical == id.canonical
        }
        let ends = personals.prefix(endedAtOnce).flatMap { [now = asking.now] in
            ending($0, .administrator, remark, at: now)
        }
        return .ended(ends, isWhole: personals.count <= endedAtOnce)
    }

    /// From the lock on nothing new is given; what there is ends with it, unless that is too much for one time.
    private func lock(
        _ user: Record.Subject, _ remark: Remark?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        var answer = try signOut(user, .administrator, remark, &asking)
        if answer.outcome.status == .notFound { answer.outcome = HTTP.Response(.noContent) }
        answer.changes = try asking.locking(.init(user), of: user, remark) + answer.changes
        return answer
    }
}
