public import Wire

/// What a store answers about a name at a time.
public enum Verdict: Sendable, Hashable, CustomStringConvertible {
    /// It may be used: neither it nor anything it stands on has ended.
    case live
    /// Its time is over, or that of something it stands on; which record's, since when, and what ended then.
    case expired(by: TokenID, at: Timestamp, ends: End)
    /// It or something it stands on was revoked.
    case revoked(by: TokenID, at: Timestamp, reason: Record.Reason)
    /// It was redeemed; what was granted for it may live on.
    case consumed(at: Timestamp)
    /// It was issued before its store was restored without proof that nothing is missing, and nobody confirmed it
    /// since; what it stands on has not ended as far as the store knows.
    case unconfirmed(before: Timestamp)
    /// There is no record of this name.
    case unknown

    /// What an expiry ends.
    public enum End: String, Sendable, Hashable {
        /// The access token, which a refresh token may renew, or the time for redeeming; what stands on the record
        /// lives on.
        case access
        /// The grant, with all that stands on it.
        case grant
    }

    /// Whether what was asked about may be used now.
    public var isLive: Bool { if case .live = self { true } else { false } }

    /// Whether the grant lives, so that what stands on it lives and it can be renewed, unless it has to be confirmed
    /// before.
    public var grantLives: Bool {
        switch self {
        case .live, .consumed, .expired(_, _, .access), .unconfirmed: true
        case .expired(_, _, .grant), .revoked, .unknown: false
        }
    }

    /// Whether somebody has to confirm it before it can be used or renewed.
    package var isUnconfirmed: Bool { if case .unconfirmed = self { true } else { false } }

    /// The one reason, in words.
    public var description: String {
        switch self {
        case .live: "live"
        case .expired(let id, let time, let end): "expired, \(end.rawValue) of \(id) at \(time)"
        case .revoked(let id, let time, let reason): "revoked with \(id) at \(time): \(reason)"
        case .consumed(let time): "consumed at \(time)"
        case .unconfirmed(let time): "unconfirmed since the restoration at \(time)"
        case .unknown: "unknown"
        }
    }
}

/// Finds the one reason why a record and its grounds are not alive, weighing them one by one from the record up to its
/// root.
///
/// Revocation comes before expiry, because it is final. Of several revocations the first in time is the reason, so that
/// a verdict once given does not change by later ones; likewise of several expiries. At equal times it is the one
/// nearer to the root.
struct Judgement<Name> {
    private(set) var revoked: (by: Name, at: Timestamp)?
    private(set) var ended: (by: Name, at: Timestamp)?

    var grantLives: Bool { revoked == nil && ended == nil }

    /// Weighs one record: when it was revoked, and when its grant ends by itself.
    @inline(__always)
    mutating func weigh(_ name: Name, revoked revocation: Timestamp?, end: Timestamp?, now: Timestamp) {
        if let revocation, revocation <= revoked?.at ?? revocation { revoked = (name, revocation) }
        if let end, now >= end, end <= ended?.at ?? end { ended = (name, end) }
    }
}
