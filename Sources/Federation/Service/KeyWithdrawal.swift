internal import JOSE
internal import TokenTree
internal import Wire

// Keys of the edu-ID service as grounds: what was signed with one stands on it, and ends with it (threat 76).

extension FederationService {
    /// The name of the record of a key of the edu-ID service.
    func ground(ofKey id: KeyID) -> TokenID { TokenID("key", of: id.text, by: eduID.issuer.text) }

    /// The record of a key that something was signed with.
    func record(ofKey id: TokenID, at now: Timestamp) -> Record {
        Record(id: id, kind: .versionKey, parent: nil, issued: now)
    }

    /// What follows from what the edu-ID service says of its keys: nothing counts that was signed with one since it was
    /// withdrawn, however much that is.
    func withdrawing(_ keys: [KeyID: Timestamp], _ asking: inout Inquiry) throws(Refusal) -> [Change] {
        let grounds = keys.sorted { $0.key.text < $1.key.text }.map { (id: ground(ofKey: $0.key), since: $0.value) }
        let records = try asking.lineages(of: grounds.map { $0.id }).map { $0?.record }
        var changes: [Change] = []
        for ((ground, since), known) in zip(grounds, records) {
            if let earlier = known?.withdrawnSince, earlier <= since { continue }
            var record = known ?? record(ofKey: ground, at: asking.now)
            record.attributes = record.withdrawn(since: since)
            record.attributes[Self.isSwept] = nil
            changes.append(record.stored(over: known))
        }
        return changes
    }

    /// The end of single assertions that a withdrawn key signed, so that a purge removes them, 256 at a time; `nil` if
    /// none are left.
    func sweeping(after last: TokenID?, _ asking: inout Inquiry) throws(Refusal) -> Answer<Result<TokenID?, Refusal>>? {
        let keys = try asking.records(.all(.versionKey)).map { $0.record }
        guard let key = keys.first(where: { $0.withdrawnSince != nil && $0.attributes[Self.isSwept] == nil }) else {
            return nil
        }
        let page = try asking.page(of: .under(key.id, .assertion), after: last, limit: 256)
        let dead = page.lineages.filter {
            $0.entry.fate.revocation == nil && !$0.verdict(at: asking.now).grantLives
        }
        var changes = dead.map { Change.revoke($0.record.id, .issuer) }
        if page.next == nil {
            var attributes = key.attributes
            attributes[Self.isSwept] = true
            changes.append(key.keeping(attributes))
        }
        return Answer(.success(page.next), changes)
    }

    private static let isSwept: JSON.Name = "swept"
}
