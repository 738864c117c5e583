public import Wire

/// The name of a record: the `jti` of what was issued, and the issuer's `kid` of what is bound to a key.
///
/// It leads to the record and proves nothing; unguessable names are the issuer's part, secrets never serve as names.
public typealias TokenID = Identifier<Record>

/// What was issued, to whom, on which ground: one grant in the tree.
///
/// Its access tokens expire and are renewed by refresh; what stands on it lives while the grant lives. A record is what
/// the issuer decided; what happened to it afterwards is its ``Fate``.
public struct Record: IdentifierKind, Hashable {
    /// The name by which it is found.
    public let id: TokenID
    /// The level of the tree it belongs to.
    public let kind: Kind
    /// The record it was issued on; a root has none.
    ///
    /// Only ``Change/reground(_:from:onto:)`` ever changes it.
    public internal(set) var parent: TokenID?
    /// Who may present it.
    ///
    /// Of a version key and a client there is one unrevoked record per holder.
    public var holder: Holder?
    /// Whom it speaks for.
    public var subject: Subject?
    /// Where it is meant to be presented.
    public var audience: Audience?
    /// What it allows.
    public var scope: Scope?
    /// The key whose possession must be proved.
    public var boundKey: BoundKey?
    /// When it was issued.
    public let issued: Timestamp
    /// When its access token expires, or an assertion or code stops being redeemable; without refresh, the end of any
    /// other grant.
    public var accessExpiry: Timestamp?
    /// When the grant itself ends, with all that stands on it.
    public var finalExpiry: Timestamp?
    /// What the store knows of the refresh token, if there is one.
    public var refresh: Refresh?
    /// What else the issuer keeps with it: device information, released claims, the originating assertion.
    public var attributes: JSON.Object

    /// A grant on the ground of a parent, or a root.
    public init(
        id: TokenID, kind: Kind, parent: TokenID?, issued: Timestamp,
        holder: Holder? = nil, subject: Subject? = nil, audience: Audience? = nil, scope: Scope? = nil,
        boundKey: BoundKey? = nil,
        accessExpiry: Timestamp? = nil, finalExpiry: Timestamp? = nil, refresh: Refresh? = nil,
        attributes: JSON.Object = JSON.Object()
    ) {
        self.id = id
        self.kind = kind
        self.parent = parent
        self.issued = issued
        self.holder = holder
        self.subject = subject
        self.audience = audience
        self.scope = scope
        self.boundKey = boundKey
        self.accessExpiry = accessExpiry
        self.finalExpiry = finalExpiry
        self.refresh = refresh
        self.attributes = attributes
    }

    /// When the grant ends by itself: at its final expiry, and without refresh at its access expiry.
    ///
    /// The access expiry of an assertion or code ends its redeemability only, not what was granted on it.
    public var end: Timestamp? {
        guard refresh == nil, !kind.isRedeemable, let accessExpiry else { return finalExpiry }
        guard let finalExpiry else { return accessExpiry }
        return min(accessExpiry, finalExpiry)
    }
}

// MARK: - Names

extension Record {
    /// Who may present what was issued: a version key's `kid`, an instance's UUID, a third-party app's bundle id.
    public typealias Holder = Identifier<HolderKind>

    /// Names a holder.
    public enum HolderKind: IdentifierKind {}

    /// Whom it speaks for: the user, as this store's issuer names him or her.
    public typealias Subject = Identifier<SubjectKind>

    /// Names a subject.
    public enum SubjectKind: IdentifierKind {}

    /// What stands in the place of a subject that is forgotten (threat 75).
    package static func remainder(of subject: Subject) -> Subject {
        // Letters of Base64url and a colon make a name.
        (try? Subject(parsing: "forgotten:\(Fingerprint(of: subject))")) ?? "forgotten"
    }

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

// MARK: - Refresh

extension Record {
    /// What a store knows of a refresh token: which generation is current, its hash, and the salt from which the next
    /// one follows.
    public struct Refresh: Sendable, Hashable {
        /// How often the grant has been renewed.
        public let generation: UInt32
        /// The SHA-256 of the current token's secret.
        public let hash: Fingerprint
        /// Keys the derivation of tags and secrets; of no use without a token.
        public let salt: Fingerprint
        /// When the current generation replaced the one before it.
        public let rotated: Timestamp?

        /// The state that a store kept.
        public init(generation: UInt32, hash: Fingerprint, salt: Fingerprint, rotated: Timestamp?) {
            self.generation = generation
            self.hash = hash
            self.salt = salt
            self.rotated = rotated
        }
    }
}
