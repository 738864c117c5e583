internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

// A key of ours that was stolen: every service is told to read our keys anew (threat 76).

extension EduIDService {
    private static let word = "notice"
    private static let everybody: JSON.Name = "told"

    /// The messages about keys that this service publishes as withdrawn, 256 at a time; `nil` if everybody was told.
    ///
    /// Who was told is kept, so that a service that joins the federation later, or comes back to it, is told as well.
    func notices(after last: TokenID?, _ asking: inout Inquiry) throws(Refusal) -> Answer<Result<TokenID?, Refusal>>? {
        let withdrawn = authority.publicKeys.members.compactMap { key in
            key.attributes.withdrawal.flatMap { withdrawal in key.id.map { (id: $0, since: withdrawal.since) } }
        }
        guard !withdrawn.isEmpty else { return nil }
        let services = index.name
        let names = withdrawn.map { TokenID("key", of: $0.id.text, by: authority.issuer.text) }
        let records = try asking.lineages(of: names).map { $0?.record }
        for ((id, since), (told, known)) in zip(withdrawn, zip(names, records)) {
            // Of a theft that was earlier than was believed everybody is told once more.
            if let earlier = known?.withdrawnSince, earlier <= since, known?.attributes[Self.everybody] == services {
                continue
            }
            let place = last.flatMap { last in index.services.firstIndex { notice(of: id, since, to: $0) == last } }
            let page = index.services[(place.map { $0 + 1 } ?? 0)...].prefix(256)
            let notices = page.map { notice(of: id, since, to: $0) }
            let facts = try asking.facts(notices.map { .record($0) })
            var changes: [Change] = []
            for (service, notice) in zip(page, notices) where facts.lineage(of: notice) == nil {
                changes.append(
                    .enqueue(
                        OutgoingMessage(
                            id: .named(notice.text), destination: .init(service.issuer), about: nil,
                            body: ["key": .string(id.text)], due: asking.now)))
                changes.append(.insert(Record(id: notice, kind: .versionKey, parent: nil, issued: asking.now)))
            }
            if page.endIndex == index.services.endIndex {
                var record = known ?? Record(id: told, kind: .versionKey, parent: nil, issued: asking.now)
                record.attributes = record.withdrawn(since: since)
                record.attributes[Self.everybody] = services
                changes.append(record.stored(over: known))
            }
            return Answer(.success(notices.last ?? told), changes)
        }
        return nil
    }

    private func notice(of key: KeyID, _ since: Timestamp, to service: ServiceIndex.Member) -> TokenID {
        TokenID(Self.word, of: service.issuer.text, by: "\(key.text) \(since.seconds)")
    }

    /// Whether a place in a search is one among notices.
    static func isNotice(_ place: TokenID) -> Bool {
        place.text.utf8.starts(with: (word + "-").utf8) || place.text.utf8.starts(with: "key-".utf8)
    }
}

extension ServiceIndex {
    /// A name that only an index of the same services has.
    fileprivate var name: JSON {
        let issuers = services.map { $0.issuer.text }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return .string(Fingerprint(of: issuers.joined(separator: " ").utf8).description)
    }
}

extension OutgoingMessage {
    /// What a message of the edu-ID service says is over, and what that is: an assertion, or one of its own keys.
    var meaning: (name: String, hint: RevocationRequest.Hint)? {
        if let name = body["key"]?.string { return (name, .key) }
        return body["token"]?.string.map { ($0, .assertion) }
    }
}
