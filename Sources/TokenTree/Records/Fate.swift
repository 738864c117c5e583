public import Wire

extension Record {
    /// What happened to a record after it was issued.
    public struct Fate: Sendable, Hashable {
        /// When and why it was revoked; final.
        public var revocation: Revocation?
        /// When it was redeemed; an assertion or code is redeemed once.
        public var consumed: Timestamp?
        /// When it was last used, as far as somebody noted it.
        public var lastUse: Timestamp?
        /// When it was confirmed last, after a restoration that left open what had ended.
        public var confirmed: Timestamp?

        /// The fate of a record to which these things happened.
        public init(
            revocation: Revocation? = nil, consumed: Timestamp? = nil, lastUse: Timestamp? = nil,
            confirmed: Timestamp? = nil
        ) {
            self.revocation = revocation
            self.consumed = consumed
            self.lastUse = lastUse
            self.confirmed = confirmed
        }
    }

    /// That a record was revoked: final, and with it all that stands on it.
    public struct Revocation: Sendable, Hashable {
        /// When it took effect.
        public let at: Timestamp
        /// Why.
        public let reason: Reason

        /// A revocation at a time, for a reason.
        public init(at: Timestamp, reason: Reason) {
            self.at = at
            self.reason = reason
        }
    }

    /// Why a record was revoked.
    public enum Reason: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// Its holder gave it up.
        case surrendered
        /// Its user ended it from another client.
        case user
        /// An administrator ended it.
        case administrator
        /// The issuer of the assertion it stands on took that back.
        case issuer
        /// A new registration of the same instance took its place.
        case superseded
        /// An assertion or code was presented a second time.
        case replayed
        /// A refresh token was presented again after its successor had been given out.
        case refreshReused
        /// It was used outside its scope.
        case misused
        /// Its holder is excluded for good: no record for the same holder is ever admitted again.
        case barred

        /// The word that stands for the reason in messages and in JSON.
        public var description: String {
            switch self {
            case .surrendered: "surrendered"
            case .user: "user"
            case .administrator: "administrator"
            case .issuer: "issuer"
            case .superseded: "superseded"
            case .replayed: "replayed"
            case .refreshReused: "refreshReused"
            case .misused: "misused"
            case .barred: "barred"
            }
        }
    }
}
