internal import OAuth2Grants
internal import PureCrypto
internal import TokenTree
internal import Wire

// Membership as a ground (AFF-1 to AFF-4): a service that is for the members of some institutions is introduced to
// somebody as one of them, and what comes of that ends when he or she is one no more.

extension EduIDService {
    /// The affiliation on which an introduction is to stand.
    struct Membership {
        let record: Record
        /// What makes it known, and ends those that are over by what is known now.
        let changes: [Change]
    }

    /// Where a sign-in keeps which of the affiliations on it is the newest.
    private static let newestAffiliation: JSON.Name = "affiliation"

    /// What somebody is at which institution, and until when that counts.
    private struct Word {
        var affiliations: [Affiliation] = []
        var end: Timestamp?
    }

    /// As what somebody is introduced to a service; `nil` to one that is for everybody.
    ///
    /// The first that the service prefers counts, and of several that it likes the same the first of the person's.
    func membership(
        of requester: Requester, for service: ServiceIndex.Member, _ asking: inout Inquiry
    ) throws(Refusal) -> Membership? {
        guard !service.affiliations.isEmpty else { return nil }
        let personal = requester.record
        guard let user = personal.subject else { throw .failed }
        let word = try word(about: user, keptIn: personal.attributes, since: personal.issued, &asking)
        let living = try affiliations(on: personal, &asking)
        let lapses = lapses(among: living, of: user, by: word, at: asking.now)
        let found = service.affiliations.lazy.compactMap { demand in
            word.affiliations.first { demand.isMet(by: $0) }
        }.first
        guard let found else { throw Refusal.stranger.changing(requester.changes + lapses) }
        if let end = word.end, end <= asking.now { throw Refusal.oldWord.changing(requester.changes + lapses) }
        let name = name(of: found, of: user)
        if let known = living.first(where: { $0.record.subject == name && $0.record.finalExpiry == word.end }) {
            return Membership(record: known.record, changes: lapses)
        }
        let record = Record(
            id: TokenID(using: &asking.chance), kind: .affiliation, parent: personal.id, issued: asking.now,
            holder: personal.holder, subject: name, finalExpiry: word.end)
        var attributes = personal.attributes
        attributes[Self.newestAffiliation] = .string(record.id.text)
        // Where the list is kept with the sign-in, whoever takes something out of it meanwhile is first, or sees this.
        let noted = Provider.profile(in: personal.attributes) == nil ? [] : [personal.keeping(attributes)]
        return Membership(record: record, changes: lapses + noted + [.insert(record)])
    }

    /// What is known of somebody: what the host says now, and otherwise what the provider said at the sign-in.
    private func word(
        about user: Record.Subject, keptIn kept: JSON.Object, since signIn: Timestamp, _ asking: inout Inquiry
    ) throws(Refusal) -> Word {
        if let listed = try asking.profile(of: user)[policy.affiliationClaim] {
            return Word(affiliations: Self.affiliations(in: listed))
        }
        guard let listed = Provider.profile(in: kept)?[policy.affiliationClaim] else { return Word() }
        return Word(
            affiliations: Self.affiliations(in: listed),
            end: policy.affiliationLifetime.map { (Provider.told(in: kept) ?? signIn) + $0 })
    }

    /// What a profile lists, in its order; what is none is passed over.
    private static func affiliations(in listed: JSON) -> [Affiliation] {
        (listed.array ?? [listed]).prefix(64).compactMap { $0.string.flatMap { try? Affiliation(parsing: $0) } }
    }

    /// The name of a record of an affiliation, by which it is found and from which nobody learns what it is.
    func name(of affiliation: Affiliation, of user: Record.Subject) -> Record.Subject {
        let message = "affiliation: \(user.text.utf8.count):" + user.text + affiliation.text
        return .named(Base64URL.encode([UInt8](authority.master.authenticationCode(for: Array(message.utf8)))))
    }

    /// The affiliations that live on a grant.
    private func affiliations(on personal: Record, _ asking: inout Inquiry) throws(Refusal) -> [Lineage] {
        let now = asking.now
        return try asking.records(.under(personal.id, .affiliation)).filter { $0.verdict(at: now).grantLives }
    }

    /// The end of those that somebody has no more.
    private func lapses(
        among living: [Lineage], of user: Record.Subject, by word: Word, at now: Timestamp
    ) -> [Change] {
        let names = Set(word.affiliations.map { name(of: $0, of: user) })
        return living.filter { $0.record.subject.map { !names.contains($0) } ?? true }
            .flatMap { ending($0, .issuer, at: now) }
    }

    /// The end of what is said no more at a newer sign-in.
    func lapses(
        on personal: Record, of user: Record.Subject, by provided: JSON.Object, _ asking: inout Inquiry
    ) throws(Refusal) -> [Change] {
        let living = try affiliations(on: personal, &asking)
        guard !living.isEmpty else { return [] }
        let kept = Provider.profile(in: provided) == nil ? personal.attributes : provided
        let word = try word(about: user, keptIn: kept, since: asking.now, &asking)
        return lapses(among: living, of: user, by: word, at: asking.now)
    }

    /// Leaves of what a profile lists the one affiliation that a service knows its user by.
    func narrow(_ profile: inout JSON.Object, of user: Record.Subject, to name: Record.Subject) {
        guard let listed = profile[policy.affiliationClaim] else { return }
        let known = Self.affiliations(in: listed).filter { self.name(of: $0, of: user) == name }
        profile[policy.affiliationClaim] = known.isEmpty ? nil : .array(known.map { .string($0.text) })
    }

    /// Ends what somebody was given as a member, and takes that out of what was kept with the sign-ins.
    ///
    /// What the host's directory lists it has taken out before.
    func expel(
        _ user: Record.Subject, from affiliation: Affiliation, _ remark: Remark?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let (most, now) = (endedAtOnce / 2, asking.now)
        let grounds = try asking.records(.subject(name(of: affiliation, of: user), .affiliation))
            .filter { $0.isUnended }
        // Of what is over already nothing can be changed, and nothing need be.
        let signIns =
            try asking.records(.subject(user, .personal)).filter { $0.verdict(at: now).grantLives }
            + asking.records(.subject(user, .code)).filter { $0.verdict(at: now).isLive }
        let kept = signIns.compactMap { $0.record.without(affiliation, in: policy.affiliationClaim) }
        return .ended(
            kept.prefix(most) + grounds.prefix(most).flatMap { ending($0, .administrator, remark, at: now) },
            isWhole: kept.count <= most && grounds.count <= most)
    }

    /// The affiliation that a path names.
    static func affiliation(inPath word: String) -> Affiliation? {
        text(inPath: word).flatMap { try? Affiliation(parsing: $0) }
    }
}

extension Record {
    /// What is kept when an affiliation is taken out of what a provider said at the sign-in; `nil` if it is not there.
    fileprivate func without(_ affiliation: Affiliation, in claim: JSON.Name) -> Change? {
        guard var profile = Provider.profile(in: attributes), let listed = profile[claim] else { return nil }
        let values = listed.array ?? [listed]
        let kept = values.filter { $0.string?.utf8.elementsEqual(affiliation.text.utf8) != true }
        guard kept.count < values.count else { return nil }
        profile[claim] = kept.isEmpty ? nil : .array(kept)
        return keeping(Provider.keeping(profile, in: attributes))
    }
}

extension Refusal {
    fileprivate static let stranger = Refusal(
        .accessDenied, "the service is for the members of some institutions, and this person is not known as one",
        "AFF-1")
    fileprivate static let oldWord = Refusal(
        .insufficientAuthorization, "sign in again: what the provider said of this person's institutions is too old",
        "AFF-3")
}
