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
                let grounds = try asking.records(.subject(user, .assertion))
                let unlocked = try asking.unlocking(.init(user))
                guard !grounds.isEmpty || !unlocked.isEmpty else { return Answer(.success(false)) }
                let ends = grounds.filter { $0.entry.fate.revocation == nil }.map { lineage in
                    Change.revoke(lineage.record.id, .administrator)
                }
                return Answer(.success(true), unlocked + ends + [.forget(user)])
            }
        }
    }
}
