internal import JOSE
internal import OAuth2Grants
internal import RSD2
internal import TokenTree
internal import Wire

// What administrators see: lists of bounded length, each with the place where it goes on.

extension EduIDService {
    func listVersions(
        _ portion: Portion, _ call: Call?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        var rest = versions.all[...]
        if let last = portion.last {
            guard let place = rest.firstIndex(where: { ground(of: $0.keyID) == last }) else { throw .lostPlace }
            rest = rest[(place + 1)...]
        }
        let page = rest.prefix(portion.limit)
        let facts = try asking.facts(page.map { .record(ground(of: $0.keyID)) })
        let body = JSON.encodedArray { list in
            for version in page {
                list.object { object in
                    object.member("kid", version.keyID.text)
                    object.member("platform", version.platform.name.text)
                    object.member("version", version.number.description)
                    let record = facts.lineage(of: ground(of: version.keyID))?.record
                    object.member("blocked", isExcluded(version, by: record))
                    if let since = record?.withdrawnSince { object.member("withdrawn", since.seconds) }
                    object.member("reason", ifPresent: record?.remark)
                }
            }
        }
        let isLast = page.endIndex == versions.all.endIndex
        return .list(body, nextOf: call, isLast ? nil : page.last.map { ground(of: $0.keyID) })
    }

    /// The instances of a user come by his or her sign-ins, each once; all others by themselves.
    func listInstances(
        _ which: Administration.Instances, _ portion: Portion, _ call: Call?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let selection: Facts.Selection =
            if let user = which.user { .subject(user, .personal) } else if let version = which.version {
                .under(ground(of: version), .client)
            } else { .all(.client) }
        let page = try asking.portion(portion, of: selection)
        let name = which.name.map { Array($0.lowercased().utf8) }
        var seen: Set<TokenID> = []
        let found = page.lineages.compactMap { $0.grounded(on: .client) }.filter { instance in
            guard seen.insert(instance.record.id).inserted else { return false }
            if let version = which.version, instance.nearest(.versionKey)?.id != ground(of: version) { return false }
            guard let name else { return true }
            let device = instance.record.attributes["device"]?.object?["name"]?.string ?? ""
            return Array(device.lowercased().utf8).contains(name)
        }
        let body = JSON.encodedArray { list in
            for lineage in found {
                list.object { object in
                    write(lineage, to: &object, isOwn: false)
                    object.member("state", lineage.verdict(at: asking.now).description)
                }
            }
        }
        return .list(body, nextOf: call, page.next)
    }

    func listUsers(
        _ which: Administration.Users, _ portion: Portion, _ call: Call?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        var next: TokenID?
        var users: [Record.Subject] = []
        switch which {
        case .known, .locked:
            let page = try asking.portion(portion, of: .all(which == .known ? .personal : .lock))
            next = page.next
            let standing = which == .known ? page.lineages : page.lineages.filter { $0.isUnended }
            // Everybody comes once, where his or her newest record does.
            let subjects = standing.compactMap { $0.record.subject }.distinct
            let newest = try asking.facts(subjects.map { .records(Self.signIns(of: $0), after: nil, limit: Self.most) })
            users = subjects.filter { user in
                guard which == .known else { return true }
                let first = newest.page(of: Self.signIns(of: user), limit: Self.most)?.lineages.first
                return standing.contains { $0.record.id == first?.record.id }
            }
        case .matching(let name):
            let named = [try? Record.Subject(parsing: name)].compactMap { $0 }
            users = Array((named + (try asking.users(matching: name))).distinct.prefix(portion.limit))
        }
        let facts = try asking.facts(
            users.flatMap { user in
                [
                    .records(Self.signIns(of: user), after: nil, limit: Self.most),
                    .holder(.lock, Record.Holder(user)),
                ]
            })
        let now = asking.now
        if case .matching(let name) = which {
            // Who only might be called so is nobody.
            let found = try asking.users(matching: name)
            users.removeAll { user in
                let isKnown =
                    facts.page(of: Self.signIns(of: user), limit: Self.most)?.lineages.isEmpty == false
                    || facts.lineage(of: .lock, heldBy: .init(user)) != nil
                return !isKnown && !found.contains(user)
            }
        }
        let body = JSON.encodedArray { list in
            for user in users { list.object { write(user, facts, to: &$0, at: now) } }
        }
        return .list(body, nextOf: call, next)
    }

    private static func signIns(of user: Record.Subject) -> Facts.Selection { .subject(user, .personal) }
    /// How many sign-ins of a user are counted.
    private static let most = 256

    private func write(_ user: Record.Subject, _ facts: Facts, to object: inout JSON.ObjectWriter, at now: Timestamp) {
        let signIns = facts.page(of: Self.signIns(of: user), limit: Self.most)?.lineages ?? []
        object.member("user", user.text)
        object.member("instances", signIns.count { $0.verdict(at: now).grantLives })
        object.member("last_used", ifPresent: signIns.compactMap { $0.lastUse }.max()?.seconds)
        if let lock = facts.lineage(of: .lock, heldBy: .init(user))?.record {
            object.member("locked", lock.issued.seconds)
            object.member("reason", ifPresent: lock.remark)
        } else {
            object.member("reason", ifPresent: signIns.first?.record.remark)
        }
    }

    /// What stands in a portion of all assertions, by the services that they are for; the sums over all portions are
    /// the whole, but for users who come in several.
    func listServices(
        _ portion: Portion, _ call: Call?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let page = try asking.portion(portion, of: .all(.assertion))
        var counts: [Record.Audience: (assertions: Int, users: Set<Record.Subject>)] = [:]
        if portion.last == nil {
            for service in index.services.prefix(1_000) {
                if let place = try? Record.Audience(parsing: service.home.identity) { counts[place] = (0, []) }
            }
        }
        for assertion in page.lineages where assertion.verdict(at: asking.now).grantLives {
            guard let place = place(of: assertion), let user = assertion.record.subject else { continue }
            counts[place, default: (0, [])].assertions += 1
            counts[place]?.users.insert(user)
        }
        let body = JSON.encodedArray { list in
            for (place, count) in counts.sorted(by: { $0.key < $1.key }) {
                list.object { object in
                    writeName(of: place, to: &object)
                    object.member("assertions", count.assertions)
                    object.member("users", count.users.count)
                }
            }
        }
        return .list(body, nextOf: call, page.next)
    }
}

extension Lineage {
    /// The nearest record of a kind with what that stands on.
    func grounded(on kind: Record.Kind) -> Lineage? {
        entries.firstIndex { $0.record.kind == kind }.flatMap { Lineage(Array(entries[$0...])) }
    }

    /// When the instance of a sign-in was last used.
    fileprivate var lastUse: Timestamp? { grounded(on: .client)?.entry.fate.lastUse }
}

extension Array where Element: Hashable {
    /// Each element once, where it comes first.
    var distinct: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

extension Array where Element == UInt8 {
    /// Whether some bytes stand in it one after the other.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        guard !part.isEmpty, count >= part.count else { return part.isEmpty }
        return (0...count - part.count).contains { self[$0...].starts(with: part) }
    }
}
