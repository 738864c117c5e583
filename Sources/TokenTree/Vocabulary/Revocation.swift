public import Wire

extension Record {
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
    public enum Reason: UInt8, Sendable, Hashable, CaseIterable {
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
    }
}

extension Record.Reason: CustomStringConvertible {
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
