internal import OAuth2Grants
internal import TokenTree
internal import Wire

// People whom the host knows by another name than the one that follows from their account at the provider (OIC-12).
//
// Their sign-ins bear the host's name for them. Whoever speaks of the account, which is the provider, or an
// administrator who shut its name out before, finds them by a record of the kind `session` with the account's name.

extension EduIDService {
    /// Who has signed in with an account at the provider: whom the host says, if it says anything, and otherwise
    /// whoever is called as follows from the account.
    func user(of identity: Provider.Identity, _ asking: inout Inquiry) throws(Refusal) -> Record.Subject {
        // A name that was shut out before the account belonged to somebody else stays out.
        try refuseLocked(identity.user, &asking)
        guard users.link != nil else { return identity.user }
        switch try asking.link(of: identity.account) {
        case .unknown?: return identity.user
        case .refused?: throw .refusedAccount
        case .user(let user)?:
            if user != identity.user { try refuseLocked(user, &asking) }
            return user
        // Under the other name the person would be somebody else, and stay so.
        case nil: throw .unlinked
        }
    }

    /// Whether a record only finds another one.
    static func isIndex(_ lineage: Lineage) -> Bool {
        lineage.record.kind == .session
            && (lineage.record.attributes[indexed] != nil || lineage.nearest(.personal) != nil)
    }

    /// The codes that are found by a session at the provider, or by an account there whose owner is known here by
    /// another name, with what finds them.
    func begunSignIns(foundBy sessions: [Lineage], _ asking: inout Inquiry) throws(Refusal) -> [Lineage] {
        let now = asking.now
        let indexes = sessions.filter { $0.verdict(at: now).isLive }.compactMap { session in
            let code = session.record.attributes[Self.indexed]?.string.flatMap { try? TokenID(parsing: $0) }
            return code.map { (session: session, code: $0) }
        }
        return zip(indexes, try asking.lineages(of: indexes.map { $0.code })).flatMap { index, code in
            guard let code, code.record.kind == .code else { return [Lineage]() }
            return [index.session, code].filter { $0.verdict(at: now).isLive }
        }
    }

    /// What somebody has signed in to, by a name here: as the user of that name, and by the account at the provider
    /// from which it follows, whoever the host says that is.
    func signIns(of name: Record.Subject, _ asking: inout Inquiry) throws(Refusal) -> [Lineage] {
        let own = try asking.records(.subject(name, .personal))
        let others = try asking.records(.subject(name, .session)).compactMap { $0.grounded(on: .personal) }
        var seen: Set<TokenID> = []
        return own
            + others.filter { other in
                // An account that somebody signed in with on the same phone before is not the one that is meant.
                other.record.subject != name && Provider.isSource(of: other.record, user: name)
                    && seen.insert(other.record.id).inserted
            }
    }

    static let indexed: JSON.Name = "finds"
}

extension Refusal {
    fileprivate static let refusedAccount = Refusal(
        .invalidGrant, "nobody may sign in with this account; ask whoever runs this service", "OIC-12")
    fileprivate static let unlinked = Refusal(
        .temporarilyUnavailable, "the service could not find out whose account this is; sign in again later", "OIC-12")
}
