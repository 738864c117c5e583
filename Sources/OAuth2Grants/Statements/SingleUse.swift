public import JOSE
public import Wire

extension Statement {
    /// What must not be presented twice: a token's name in the realm of the key that signed it, and until when it has
    /// to be remembered.
    ///
    /// Checks hand it out, and nothing here remembers anything: the caller puts it into the batch of changes that the
    /// request causes, whose precondition it is that the store does not know it yet (threats 23 and 36). So proof comes
    /// before consumption, and both are one step.
    public struct SingleUse: Hashable, Sendable {
        /// What kind of statement it is; names of different kinds never meet.
        public let kind: Statement.Kind
        /// Whose names these are: an issuer, or a key by its thumbprint.
        public let owner: String
        /// The token's name among those of its owner.
        public let id: JWT.ID
        /// When it would be refused for its age anyway, so that nobody need remember it any longer.
        public let until: Timestamp
        /// When the token was made, if it says that.
        public var made: Timestamp?

        /// The single use of a token.
        public init(
            _ kind: Statement.Kind, of id: JWT.ID, owner: String, until: Timestamp, made: Timestamp? = nil
        ) {
            self.kind = kind
            self.owner = owner
            self.id = id
            self.until = until
            self.made = made
        }

        /// Whether both are the same token's, byte by byte.
        public static func == (one: SingleUse, other: SingleUse) -> Bool {
            one.kind == other.kind && one.id == other.id && one.until == other.until
                && one.owner.utf8.elementsEqual(other.owner.utf8)
        }

        /// Feeds kind, owner and name.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(kind)
            hasher.combine(id)
            for byte in owner.utf8 { hasher.combine(byte) }
        }
    }
}
