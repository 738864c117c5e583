internal import OAuth2Grants
internal import TokenTree
internal import Wire

// People who ask to be forgotten (threat 75).

extension EduIDService {
    /// Signs a user out, and forgets all that is kept about him or her.
    ///
    /// What is kept on paper elsewhere, and in journals until the next snapshot, is the operator's to remove.
    func forget(
        _ user: Record.Subject, by reason: Record.Reason = .administrator, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let left = try signOut(user, reason, nil, &asking)
        if left.outcome.status == .accepted { return left }
        let unlocked = try asking.unlocking(.init(user))
        // What the person called the devices that nobody else uses; they stay registered.
        let devices = try ownDevices(of: user, &asking).flatMap { $0.record.withoutDevice }
        // Where services are told is forgotten with the rest, so that they are told first.
        let open = try asking.records(.subject(user, .assertion)).filter { $0.isUnended }
        let ends = open.prefix(endedAtOnce).flatMap { [now = asking.now] in ending($0, reason, at: now) }
        guard devices.count <= endedAtOnce, open.count <= endedAtOnce else {
            return .ended(left.changes + devices.prefix(endedAtOnce) + ends, isWhole: false)
        }
        var changes = unlocked + devices + left.changes + ends
        let signIns = try asking.records(.subject(user, .code)) + asking.records(.subject(user, .session))
        // What finds sign-ins by the name goes with it, also where the person came by another account since.
        changes += signIns.filter { Self.isIndex($0) && $0.isUnended }.map { .revoke($0.record.id, reason) }
        let visits = try asking.facts(.services(user)).visits(of: user)
        let grants = try asking.records(.subject(user, .personal))
        guard !grants.isEmpty || !signIns.isEmpty || !visits.isEmpty || !unlocked.isEmpty else {
            return Answer(HTTP.Response(.notFound))
        }
        return Answer(HTTP.Response(.noContent), changes + [.forget(user)])
    }
}

extension Record {
    /// Forgets the description of an instance's device, where there is one.
    fileprivate var withoutDevice: [Change] {
        var attributes = attributes
        attributes["device"] = nil
        return keepingAnew(attributes)
    }
}
