internal import Wire

extension Contents {
    /// What a check of access reads, from the texts that it needs and no others.
    func grant(of id: TokenID, at now: Timestamp) -> Grant? {
        guard let slot = slot(of: id) else { return nil }
        let grounds = Grounds(of: slot, in: lives)
        let life = lives[slot]
        let more = particulars[slot]
        return Grant(
            id: id, kind: life.kind, verdict: verdict(ofSlot: slot, over: grounds, at: now),
            holder: names.identifier(more.holder), subject: names.identifier(more.subject),
            scope: names.identifier(more.scope), boundKey: names.identifier(more.boundKey),
            attributes: names.attributes(more.attributes),
            instance: grounds.service == Self.none ? nil : names.identifier(particulars[grounds.service].holder),
            introducedWith: grounds.assertion == Self.none
                ? .object(JSON.Object()) : kept(particulars[grounds.assertion].attributes))
    }

    /// The places in a record's lineage that its grant is about.
    private struct Grounds {
        /// The nearest grant of a service.
        var service = Contents.none
        /// The nearest assertion.
        var assertion = Contents.none
        /// The last record, and the one that stands on it.
        var root = Contents.none
        var first = Contents.none

        init(of slot: UInt32, in lives: borrowing Chunked<Life>) {
            var current = slot
            while current != Contents.none {
                let life = lives[current]
                if life.kind == .service, service == Contents.none { service = current }
                if life.kind == .assertion, assertion == Contents.none { assertion = current }
                (first, root) = (root, current)
                current = life.parent
            }
        }
    }

    /// The verdict that a lineage gives, which knows of keys that were withdrawn too.
    private func verdict(ofSlot slot: UInt32, over grounds: Grounds, at now: Timestamp) -> Verdict {
        let judgement = judgement(ofSlot: slot, at: now)
        // Few keys have anything kept with them, so that this costs nothing for most.
        guard judgement.grantLives, grounds.first != Self.none,
            particulars[grounds.root].attributes != Names.none,
            let key = entry(ofSlot: grounds.root)?.record, let since = key.withdrawnSince,
            particulars[grounds.first].issued >= since
        else { return verdict(ofSlot: slot, judgement, at: now) }
        return .revoked(by: key.id, at: since, reason: .administrator)
    }

    /// What is kept with a record, unread.
    private func kept(_ reference: UInt32) -> Grant.Kept {
        guard reference != Names.none else { return .object(JSON.Object()) }
        return .text(names.arena.bytes(reference))
    }
}
