internal import OAuth2Grants
public import TokenTree
public import Wire

// (6): asking about what was given before the store was restored.

extension FederationService {
    /// Begins to ask the edu-ID service whether assertions still stand that nobody has confirmed since the store was
    /// restored without proof that nothing is missing (threat 67): each is confirmed without what apps got by it, or
    /// ends.
    ///
    /// Hosts begin it with their ticks. It looks at 256 assertions, asks about eight, and tells the last one that it
    /// looked at if there are more. Without an endpoint to ask at, users authorize the service again.
    public func reconciliation(
        under ground: TokenID?, after last: TokenID?, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<Result<TokenID?, Refusal>> {
        Exchange(Refuser(code: .invalidToken) { .failure($0) }, at: now, chance: Chance(using: &entropy)) {
            { asking throws(Refusal) in
                if ground == nil, let answer = try sweeping(after: last, &asking) { return answer }
                guard let introspection = eduID.introspection else { return Answer(.success(nil)) }
                let page = try asking.page(of: .all(.assertion), after: last, limit: 256)
                // A store that is whole has nothing to ask about.
                guard page.lineages.first?.unprovenBefore != nil else { return Answer(.success(nil)) }
                var (changes, questions): ([Change], Int) = ([], 0)
                for assertion in page.lineages where assertion.verdict(at: asking.now).isUnconfirmed {
                    guard let name = assertion.record.attributes[Self.assertionName]?.string else { continue }
                    changes += try confirmation(of: assertion.record, named: name, at: introspection, &asking)
                    questions += 1
                    if questions == 8 { return Answer(.success(assertion.record.id), changes) }
                }
                return Answer(.success(page.next), changes)
            }
        }
    }

    /// Where the record of an assertion keeps the name that its issuer gave it.
    static let assertionName: JSON.Name = "assertion"

    /// What follows from the edu-ID service's word about an assertion: nothing if it speaks of another one.
    private func confirmation(
        of record: Record, named name: String, at introspection: WebURL, _ asking: inout Inquiry
    ) throws(Refusal) -> [Change] {
        guard let token = try? Assertion(parsing: name) else { return [] }
        guard case .active(let facts) = try word(about: token, at: introspection, &asking) else {
            return [.revoke(record.id, .issuer)]
        }
        guard let id = facts.id, let subject = facts.subject, id.text.utf8.elementsEqual(name.utf8),
            Record.Subject(subject) == record.subject
        else { return [] }
        // The edu-ID service does not know what ended here since the copy was made. What an app got before, it has to
        // ask for again; nothing is confirmed before that has ended.
        let apps = try asking.records(.under(record.id, .app)).filter { $0.isUnended }
        let ends = apps.prefix(endedAtOnce).map { Change.revoke($0.record.id, .issuer) }
        return ends.count < apps.count ? ends : ends + [.confirm(record.id)]
    }
}
