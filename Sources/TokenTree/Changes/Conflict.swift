public import Wire

extension Batch {
    /// Why a change could not be applied: the condition that did not hold, with what was found in its place.
    public enum Conflict: BrokenRule, Hashable {
        /// There is a record of this name already.
        case taken(TokenID)
        /// There is no record of this name.
        case unknown(TokenID)
        /// The record's grant, or one it stands on, has ended.
        case dead(TokenID, Verdict)
        /// A record of this kind must have a parent.
        case groundless(TokenID, Record.Kind)
        /// A record of this kind cannot stand on one of that kind.
        case unfit(TokenID, Record.Kind, on: Record.Kind)
        /// The record would stand on more records than the limit.
        case tooDeep(TokenID, limit: Int)
        /// The record has more bytes of names and attributes than the limit.
        case tooLarge(TokenID, limit: Int)
        /// The record's attributes lie deeper within each other than the limit.
        case tooNested(TokenID, limit: Int)
        /// The message has more bytes than the limit.
        case messageTooLarge(OutgoingMessage.ID, limit: Int)
        /// The batch has more changes than the limit.
        case tooManyChanges(Int, limit: Int)
        /// The batch has more bytes than a line of the journal may have.
        case batchTooLarge(byteCount: Int, limit: Int)
        /// The store holds as many records as it can.
        case full
        /// The holder has another unrevoked record, which must be revoked first.
        case occupied(by: TokenID)
        /// The holder was barred, and is never admitted again.
        case barred(by: TokenID)
        /// The record's holder or subject is locked out.
        case locked(by: TokenID)
        /// The record's kind is not redeemed.
        case notRedeemable(TokenID, Record.Kind)
        /// A record that is to be forgotten, itself or its person, can still be used.
        case inUse(TokenID)
        /// The assertion or code was redeemed before.
        case consumed(TokenID, at: Timestamp)
        /// The assertion or code can no longer be redeemed.
        case lapsed(TokenID, at: Timestamp)
        /// The record has no refresh token.
        case notRefreshable(TokenID)
        /// The refresh token has been replaced since the decision.
        case rotated(TokenID, expected: UInt32, found: UInt32)
        /// What is kept with the record has changed since the decision.
        case described(TokenID)
        /// The record stands on another one than was expected.
        case regrounded(TokenID, expected: TokenID, found: TokenID?)
        /// The key was seen before and is remembered.
        case replayed(ReplayKey, until: Timestamp)
        /// The decision is older than what the store still remembers, so that it cannot know whether the key was seen.
        case forgotten(horizon: Timestamp)
        /// What the key stands for may have been seen before a restoration that left open what had been.
        case unproven(ReplayKey, before: Timestamp)
        /// The store remembers as many keys as it may, or as many of this owner.
        case memoryFull(limit: Int)
        /// No message of this name is on its way.
        case settled(OutgoingMessage.ID)
        /// Somebody else took the message since the decision.
        case attempted(OutgoingMessage.ID, expected: Int, found: Int)

        /// The condition in words, and the requirement or threat that it answers.
        public var rule: Rule {
            switch self {
            case .taken(let id): Rule("TOK-1", "\(id) exists already")
            case .unknown(let id): Rule("TOK-1", "\(id) is unknown")
            case .dead(let id, let verdict): Rule("TOK-1", "\(id) is \(verdict)")
            case .groundless(let id, let kind): Rule("threat-35", "\(id) is a \(kind) without a parent")
            case .unfit(let id, let kind, let ground):
                Rule("threat-35", "\(id) is a \(kind) and cannot stand on a \(ground)")
            case .tooDeep(let id, let limit): Rule("threat-14", "\(id) would stand on more than \(limit) records")
            case .tooLarge(let id, let limit): Rule("threat-14", "\(id) has more than \(limit) bytes")
            case .tooNested(let id, let limit):
                Rule("threat-53", "\(id) has attributes more than \(limit) deep")
            case .messageTooLarge(let id, let limit): Rule("threat-53", "\(id) has more than \(limit) bytes")
            case .tooManyChanges(let count, let limit):
                Rule("threat-53", "the batch has \(count) changes, at most \(limit) are taken at once")
            case .batchTooLarge(let count, let limit):
                Rule("threat-53", "the batch has \(count) bytes, at most \(limit) are written as one line")
            case .full: Rule("threat-14", "the store is full")
            case .occupied(let id): Rule("REQ-10", "\(id) is in force for the same holder")
            case .barred(let id): Rule("REG-7", "the holder was barred with \(id)")
            case .locked(let id): Rule("threat-78", "the name was locked out with \(id)")
            case .notRedeemable(let id, let kind): Rule("threat-18", "\(id) is a \(kind), which is not redeemed")
            case .inUse(let id): Rule("threat-75", "\(id) has to end before it or its subject is forgotten")
            case .consumed(let id, let time): Rule("AST-3", "\(id) was redeemed at \(time)")
            case .lapsed(let id, let time): Rule("AST-3", "\(id) could be redeemed before \(time)")
            case .notRefreshable(let id): Rule("TOK-2", "\(id) has no refresh token")
            case .rotated(let id, let expected, let found):
                Rule("threat-28", "\(id) is at generation \(found), expected \(expected)")
            case .described(let id): Rule("threat-73", "what is kept with \(id) has changed")
            case .regrounded(let id, let expected, let found):
                Rule("REG-5", "\(id) stands on \(found?.text ?? "nothing"), expected \(expected)")
            case .replayed(let key, let until):
                Rule("threat-36", "\(key) was seen and is remembered until \(until)")
            case .forgotten(let horizon): Rule("threat-36", "what was seen before \(horizon) has been forgotten")
            case .unproven(let key, let time):
                Rule("threat-67", "\(key) may have been seen before \(time), of which not all is known")
            case .memoryFull(let limit):
                Rule("threat-54", "\(limit) keys are remembered, and no more can be for now")
            case .settled(let id): Rule("TOK-7", "\(id) is not on its way")
            case .attempted(let id, let expected, let found):
                Rule("TOK-7", "\(id) was tried \(found) times, expected \(expected)")
            }
        }
    }
}
