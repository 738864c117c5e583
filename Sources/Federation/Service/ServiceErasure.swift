internal import OAuth2Grants
public import TokenTree
public import Wire

// People who ask to be forgotten (threat 75).

extension FederationService {
    /// Begins to end all that a user was given here, and to forget what is kept about him or her; a fingerprint takes
    /// the place of the name.
    ///
    /// It answers whether there was anything.
    ///
    /// - Parameter user: the name under which the service knows the user.
    public func forgetting(
        _ user: Record.Subject, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<Result<Bool, Refusal>> {
        Exchange(Refuser(code: .invalidToken) { .failure($0) }, at: now, chance: Chance(using: &entropy)) {
            { asking throws(Refusal) in
                guard let erasure = try erasure(of: user, &asking) else { return Answer(.success(false)) }
                guard erasure.isWhole else { throw Refusal.moreToErase.changing(erasure.changes) }
                return Answer(.success(true), erasure.changes)
            }
        }
    }

    /// The same, answered to an administrator.
    func exchange(
        toForget user: Record.Subject, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<HTTP.Response> {
        Exchange(Refuser(at: .resource(), under: proof), at: now, chance: Chance(using: &entropy)) {
            { asking throws(Refusal) in
                guard let erasure = try erasure(of: user, &asking) else {
                    return Answer(HTTP.Response(.notFound))
                }
                return .ended(erasure.changes, isWhole: erasure.isWhole)
            }
        }.at("admin/users/*/data")
    }

    /// Whom a path below `admin` names whose data are to be forgotten.
    static func person(toForgetIn path: String) -> Record.Subject? {
        let words = Route<Self>.parts(path[...])
        guard words.count == 4, words[0].isEmpty, words[1] == "users", words[3] == "data",
            let name = try? PercentEncoding.decode(words[2].utf8)
        else { return nil }
        return try? Record.Subject(parsing: name.span)
    }

    /// What ends and forgets all that a user was given, or a part of it where that is too much for one time; `nil`
    /// where there is nothing.
    private func erasure(
        of user: Record.Subject, _ asking: inout Inquiry
    ) throws(Refusal) -> (changes: [Change], isWhole: Bool)? {
        let grounds = try asking.records(.subject(user, .assertion))
        let unlocked = try asking.unlocking(.init(user))
        guard !grounds.isEmpty || !unlocked.isEmpty else { return nil }
        let ends = grounds.filter { $0.isUnended }.map { Change.revoke($0.record.id, .administrator) }
        // Nothing is forgotten before it has ended.
        guard ends.count <= endedAtOnce else { return (Array(ends.prefix(endedAtOnce)), false) }
        return (unlocked + ends + [.forget(user)], true)
    }
}

extension Refusal {
    fileprivate static let moreToErase = Refusal(
        .temporarilyUnavailable, "a part has ended, and there is more; ask again", "threat-75")
}
