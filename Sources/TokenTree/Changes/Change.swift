public import Wire

/// One step in the life of a store: what is to change, on a condition that the store checks when it applies it.
///
/// The time of a change is its batch's. "Lives" means that a record's grant, and that of every record it stands on, is
/// neither revoked nor past its end.
public enum Change: Sendable, Hashable, CustomStringConvertible {
    /// Adds a record. Its name is new; a parent is known, lives, and is of a kind that bears this one, as is what a
    /// code stands on; the holder of a version key, client or lock has no other unrevoked record and is not barred;
    /// no lock is in force for its holder or subject.
    case insert(Record)
    /// Ends a record and with it all that stands on it. The record is known. What has been revoked stays as it was,
    /// except that barring adds to it, unless another record is in force for the same holder by now.
    case revoke(TokenID, Record.Reason)
    /// Redeems an assertion or code. The record lives, is still redeemable, and was not redeemed before.
    case consume(TokenID)
    /// Renews a grant: puts the refresh token of the next generation in the place of the current one. The record lives,
    /// what the store knows is exactly `from`, and no lock is in force for its holder or subject.
    case rotate(TokenID, from: Record.Refresh, to: Record.Refresh, accessExpiry: Timestamp?)
    /// Puts an instance on the ground of another version key. The client and both version keys live, and it stands on
    /// `from`.
    case reground(TokenID, from: TokenID, onto: TokenID)
    /// Replaces what the issuer keeps with a record. The record lives, and what is kept is exactly `from` where that is
    /// given, so that of two who change it at once neither undoes the other.
    case describe(TokenID, JSON.Object, from: JSON.Object? = nil)
    /// Confirms a record whose store was restored without proof that nothing is missing, and with it what stands on it.
    /// The record lives.
    case confirm(TokenID)
    /// Notes that a record was used. The record is known.
    case touch(TokenID)
    /// Notes that a user used a service; without condition.
    case visit(Record.Subject, Record.Audience)
    /// Forgets that a user used a service; without condition.
    case leave(Record.Subject, Record.Audience)
    /// Forgets a person: a fingerprint takes the place of the name, what was kept with the records goes, and so do the
    /// uses of services. No record of the subject can be used or redeemed any more.
    case forget(Record.Subject)
    /// Remembers what must not pass again until a time. It is not remembered yet, the store has forgotten nothing of
    /// that time, and there is room; where a restoration left open what was seen, it was made after that. What only
    /// ends something is let pass without the last two.
    case remember(ReplayKey, until: Timestamp, evenWithoutRoom: Bool = false)
    /// Puts a message on its way; without condition. A message whose name is known is not put there again.
    case enqueue(OutgoingMessage)
    /// Takes a message for one attempt, and says when the next is due. It is on its way and was tried exactly so often.
    case attempt(OutgoingMessage.ID, after: Int, retry: Timestamp)
    /// Ends the way of a message. It is on its way.
    case settle(OutgoingMessage.ID, OutgoingMessage.Settlement)

    /// The change in a few words, without any secret.
    public var description: String {
        switch self {
        case .insert(let record): "insert \(record.kind) \(record.id)" + (record.parent.map { " on \($0)" } ?? "")
        case .revoke(let id, let reason): "revoke \(id): \(reason)"
        case .consume(let id): "consume \(id)"
        case .rotate(let id, let from, let to, _): "rotate \(id) from generation \(from.generation) to \(to.generation)"
        case .reground(let id, let from, let onto): "reground \(id) from \(from) onto \(onto)"
        case .describe(let id, _, _): "describe \(id)"
        case .confirm(let id): "confirm \(id)"
        case .touch(let id): "touch \(id)"
        case .forget(let subject): "forget \(Fingerprint(of: subject))"
        case .visit(let subject, let service): "visit of \(subject) to \(service)"
        case .leave(let subject, let service): "\(subject) leaves \(service)"
        case .remember(let key, let until, _): "remember \(key) until \(until)"
        case .enqueue(let message): "enqueue \(message.id) to \(message.destination)"
        case .attempt(let id, let attempts, let retry): "attempt \(id) after \(attempts), again at \(retry)"
        case .settle(let id, let settlement): "settle \(id): \(settlement)"
        }
    }
}
