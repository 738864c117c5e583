internal import JOSE
public import OAuth2Grants
internal import RSD2
public import TokenTree
public import Wire

// What administrators of a service do (TOK-5).

extension FederationService {
    /// What administrators of a service do: each is an ``Exchange`` of its own, which the host begins for people it
    /// trusts, or for a service token of one of the policy's administrators at the endpoints below `admin`.
    public enum Administration: Sendable, Equatable {
        /// Tells where the lists are.
        case overview
        /// Lists the users who were introduced, or those who are locked.
        case users(locked: Bool = false, Portion = Portion())
        /// Lists the apps that were given something, or those that are locked.
        case apps(locked: Bool = false, Portion = Portion())
        /// Ends all that was given for a user, to instances and apps.
        case endUser(Record.Subject, Remark? = nil)
        /// Ends all that an app was given, for whomever: a portion of all tokens at a time.
        case endApp(BundleID, Remark? = nil, Portion = Portion())
        /// Ends all that an app was given for a user.
        case endAppOfUser(BundleID, of: Record.Subject, Remark? = nil)
        /// Ends all that was given for a user, and gives nothing more until the user is unlocked (AST-6).
        case lockUser(Record.Subject, Remark? = nil)
        /// Lets a user in again, who has to be introduced anew.
        case unlockUser(Record.Subject)
        /// Gives and renews nothing for an app until it is unlocked (APP-6); what it has ends by ``endApp(_:_:_:)``.
        case lockApp(BundleID, Remark? = nil)
        /// Lets an app in again.
        case unlockApp(BundleID)

        /// Whether the command ends something, and gives nothing.
        var isEnding: Bool {
            switch self {
            case .overview, .users, .apps, .unlockUser, .unlockApp: false
            case .endUser, .endApp, .endAppOfUser, .lockUser, .lockApp: true
            }
        }
    }

    /// Begins what an administrator wants; the host has made sure that it is one.
    public func exchange(
        for command: Administration, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<HTTP.Response> {
        Exchange(Refuser(at: .resource(), under: proof), at: now, chance: Chance(using: &entropy)) {
            { asking throws(Refusal) in try carryOut(command, nil, &asking) }
        }
    }

    /// The endpoint for a command.
    static func administration(_ reading: Administration.Reading) -> Route<FederationService>.Handler {
        { service in
            { call throws(Refusal) in
                guard let command = try Administration(reading, call) else {
                    return { _ in Answer(HTTP.Response(.notFound)) }
                }
                if call.isAdministrators {
                    return { asking throws(Refusal) in try service.carryOut(command, call, &asking) }
                }
                return try service.personal(call, toEnd: false) { requester, user, asking throws(Refusal) in
                    guard service.policy.administrators.contains(Subject(user)) else {
                        throw Refusal(.insufficientScope, "this takes an administrator", "TOK-5")
                    }
                    let demand = service.policy.administratorsDemand
                    guard demand.isMet(by: requester.record.authentication, at: asking.now, leeway: .seconds(60))
                    else { throw .weakAdministrator(for: demand) }
                    return try service.carryOut(command, call, &asking)
                }
            }
        }
    }

    /// Begins what a request to an endpoint below `admin` asks for, without any token: the host has made sure that an
    /// administrator made it.
    ///
    /// - Parameter request: names the endpoint from there on, as `/users`.
    public func exchange(
        administering request: HTTP.Request, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<HTTP.Response> {
        if request.method == .delete, let user = Self.person(toForgetIn: request.target.path) {
            return exchange(toForget: user, at: now, using: &entropy)
        }
        return administered(request, below: endpoints.component.below("admin"), at: now, using: &entropy)
    }

    private func carryOut(
        _ command: Administration, _ call: Call?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        switch command {
        case .overview: .overview(of: ["users", "apps"], below: endpoints.component.below("admin"))
        case .users(let isLocked, let portion): try listUsers(isLocked, portion, call, &asking)
        case .apps(let isLocked, let portion): try listApps(isLocked, portion, call, &asking)
        case .endUser(let user, let remark): try end(user, remark, &asking)
        case .endApp(let app, let remark, let portion): try end(app, remark, portion, call, &asking)
        case .endAppOfUser(let app, let user, let remark): try end(app, of: user, .administrator, remark, &asking)
        case .lockUser(let user, let remark): try lock(user, remark, &asking)
        case .unlockUser(let user): .ended(try asking.unlocking(.init(user)))
        case .lockApp(let app, let remark):
            Answer(HTTP.Response(.noContent), try asking.locking(.init(app), remark))
        case .unlockApp(let app): .ended(try asking.unlocking(.init(app), unless: Self.isBar))
        }
    }

    private func end(
        _ user: Record.Subject, _ remark: Remark?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let grounds = try asking.records(.subject(user, .assertion)).filter { $0.isUnended }
        let ends = grounds.prefix(endedAtOnce).flatMap { [now = asking.now] in
            $0.ended(.administrator, remark, at: now)
        }
        return .ended(ends, isWhole: grounds.count <= endedAtOnce)
    }

    private func lock(
        _ user: Record.Subject, _ remark: Remark?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        var answer = try end(user, remark, &asking)
        if answer.outcome.status == .notFound { answer.outcome = HTTP.Response(.noContent) }
        answer.changes = try asking.locking(.init(user), of: user, remark) + answer.changes
        return answer
    }

    /// Nothing leads from an app to its tokens, so all are looked through, a portion at a time.
    private func end(
        _ app: BundleID, _ remark: Remark?, _ portion: Portion, _ call: Call?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let portion = Portion(after: portion.last, limit: min(portion.limit, endedAtOnce))
        let page = try asking.portion(portion, of: .all(.app))
        let ends = page.lineages.filter { $0.isUnended && $0.record.holder == Record.Holder(app) }
            .flatMap { [now = asking.now] in $0.ended(.administrator, remark, at: now) }
        guard let next = page.next else { return Answer(HTTP.Response(.noContent), ends) }
        var answer = Answer<HTTP.Response>.ended(ends, isWhole: false)
        answer.outcome.link(to: next, call)
        return answer
    }

    /// Everybody comes once, where his or her newest introduction does.
    private func listUsers(
        _ isLocked: Bool, _ portion: Portion, _ call: Call?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let page = try asking.portion(portion, of: .all(isLocked ? .lock : .assertion))
        let standing = isLocked ? page.lineages.filter { $0.isUnended } : page.lineages
        let subjects = standing.compactMap { $0.record.subject }.distinct
        func introductions(of user: Record.Subject) -> Facts.Selection { .subject(user, .assertion) }
        let most = 16
        let facts = try asking.facts(
            subjects.flatMap { user in
                [
                    .records(introductions(of: user), after: nil, limit: most),
                    .holder(.lock, Record.Holder(user)),
                ]
            })
        let now = asking.now
        let body = JSON.encodedArray { list in
            for user in subjects {
                let own = facts.page(of: introductions(of: user), limit: most)?.lineages ?? []
                guard isLocked || standing.contains(where: { $0.record.id == own.first?.record.id }) else { continue }
                let lock = facts.lineage(of: .lock, heldBy: .init(user))?.record
                list.object { object in
                    object.member("user", user.text)
                    object.member(
                        "instances", Set(own.filter { $0.verdict(at: now).grantLives }.map { $0.record.holder }).count)
                    object.member("locked", ifPresent: lock?.issued.seconds)
                    object.member("reason", ifPresent: lock == nil ? own.first?.record.remark : lock?.remark)
                }
            }
        }
        return .list(body, nextOf: call, page.next)
    }

    /// What stands in a portion of all tokens, by the apps that they are of; the sums over all portions are the whole,
    /// but for users who come in several.
    private func listApps(
        _ isLocked: Bool, _ portion: Portion, _ call: Call?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let page = try asking.portion(portion, of: .all(isLocked ? .lock : .app))
        // The lock of a user has a subject.
        let standing =
            isLocked
            ? page.lineages.filter { $0.isUnended && $0.record.subject == nil && !Self.isBar($0.record) }
            : page.lineages
        let apps = standing.compactMap { $0.record.holder }.distinct
        let facts = try asking.facts(apps.map { .holder(.lock, $0) })
        let now = asking.now
        let body = JSON.encodedArray { list in
            for app in apps {
                let own = standing.filter { $0.record.kind == .app && $0.record.holder == app }
                let living = own.filter { $0.verdict(at: now).grantLives }
                let lock = facts.lineage(of: .lock, heldBy: app)?.record
                list.object { object in
                    object.member("app", app.text)
                    object.member("tokens", living.count)
                    object.member("users", Set(living.map { $0.record.subject }).count)
                    object.member("locked", ifPresent: lock?.issued.seconds)
                    object.member(
                        "reason", ifPresent: lock == nil ? own.compactMap { $0.record.remark }.last : lock?.remark)
                }
            }
        }
        return .list(body, nextOf: call, page.next)
    }
}

extension FederationService.Administration {
    /// What a request says in its path, its query or its body: one reading for each endpoint.
    enum Reading: Sendable {
        case overview, users, apps, endUser, endApp, endAppOfUser, lockUser, unlockUser, lockApp, unlockApp
    }

    /// Reads a command; `nil` where the path names nobody.
    init?(_ reading: Reading, _ call: Call) throws(Refusal) {
        let app = try? BundleID(parsing: call.parameters.last ?? "")
        let user = try? Record.Subject(parsing: call.parameter)
        switch (reading, user, app) {
        case (.overview, _, _): self = .overview
        case (.users, _, _): self = .users(locked: try call.wantsLocked(), try call.portion())
        case (.apps, _, _): self = .apps(locked: try call.wantsLocked(), try call.portion())
        case (.endUser, let user?, _): self = .endUser(user, try call.remark())
        case (.lockUser, let user?, _): self = .lockUser(user, try call.remark())
        case (.unlockUser, let user?, _): self = .unlockUser(user)
        case (.endAppOfUser, let user?, let app?): self = .endAppOfUser(app, of: user, try call.remark())
        case (.endApp, _, let app?): self = .endApp(app, try call.remark(), try call.portion())
        case (.lockApp, _, let app?): self = .lockApp(app, try call.remark())
        case (.unlockApp, _, let app?): self = .unlockApp(app)
        default: return nil
        }
    }
}
