internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

// A key of ours that was stolen: every service is told to read our keys anew (threat 76).

extension EduIDService {
    private static let word = "notice"

    /// The messages about keys that this service publishes as withdrawn, 256 at a time; `nil` if everybody was told.
    func notices(after last: TokenID?, _ asking: inout Inquiry) throws(Refusal) -> Answer<Result<TokenID?, Refusal>>? {
        for key in authority.publicKeys.members {
            guard let withdrawal = key.attributes.withdrawal, let id = key.id else { continue }
            let (told, since) = (TokenID("key", of: id.text, by: authority.issuer.text), withdrawal.since)
            let known = try asking.lineage(of: told)?.record
            // Of a theft that was earlier than was believed everybody is told once more.
            if let earlier = known?.withdrawnSince, earlier <= since { continue }
            let place = last.flatMap { last in index.services.firstIndex { notice(of: id, since, to: $0) == last } }
            let page = index.services[(place.map { $0 + 1 } ?? 0)...].prefix(256)
            var changes = page.map { service in
                Change.enqueue(
                    OutgoingMessage(
                        id: .named(notice(of: id, since, to: service).text), destination: .init(service.issuer),
                        about: nil,
                        body: ["key": .string(id.text)], due: asking.now))
            }
            if page.endIndex == index.services.endIndex {
                var record = known ?? Record(id: told, kind: .versionKey, parent: nil, issued: asking.now)
                record.attributes = record.withdrawn(since: since)
                changes.append(record.stored(over: known))
            }
            return Answer(.success(page.last.map { notice(of: id, since, to: $0) } ?? told), changes)
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

extension OutgoingMessage {
    /// What a message of the edu-ID service says is over, and what that is: an assertion, or one of its own keys.
    var meaning: (name: String, hint: RevocationRequest.Hint)? {
        if let name = body["key"]?.string { return (name, .key) }
        return body["token"]?.string.map { ($0, .assertion) }
    }
}
