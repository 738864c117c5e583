public import Wire

/// The name of a record: the `jti` of what was issued, and the issuer's `kid` of what is bound to a key.
///
/// It leads to the record and proves nothing; unguessable names are the issuer's part, secrets never serve as names.
public typealias TokenID = Identifier<Record>

extension Record {
    /// Who may present what was issued: a version key's `kid`, an instance's UUID, a third-party app's bundle id.
    public typealias Holder = Identifier<HolderKind>

    /// Names a holder.
    public enum HolderKind: IdentifierKind {}

    /// Whom it speaks for: the user, as this store's issuer names him or her.
    public typealias Subject = Identifier<SubjectKind>

    /// Names a subject.
    public enum SubjectKind: IdentifierKind {}

    /// Where it is meant to be presented: one service.
    public typealias Audience = Identifier<AudienceKind>

    /// Names an audience.
    public enum AudienceKind: IdentifierKind {}

    /// What it allows, in the words of the role that issued it; the tree keeps the text and reads no meaning into it.
    public typealias Scope = Identifier<ScopeKind>

    /// Names a scope.
    public enum ScopeKind: IdentifierKind {
        /// Enough for many endpoint URLs.
        public static var lengthLimit: Int { 16_384 }
    }

    /// The key whose possession must be proved along with it: a public JWK or its thumbprint, opaque to the tree.
    public typealias BoundKey = Identifier<BoundKeyKind>

    /// Names a key.
    public enum BoundKeyKind: IdentifierKind {
        /// Enough for the JWK of a large RSA key.
        public static var lengthLimit: Int { 16_384 }
    }
}
