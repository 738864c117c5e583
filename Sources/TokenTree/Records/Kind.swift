extension Record {
    /// The levels of the tree, and the codes by which two of them are reached.
    ///
    /// A key is the ground of what it signed. The edu-ID service holds the levels down to the assertion, on the keys of
    /// the app's versions; a federation service holds them from the assertion on, which is the joint and stands there
    /// on the edu-ID service's key, or is a root.
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// The key of one version of the authorizing app, the ground of all its instances; at a federation service a
        /// key of the edu-ID service, the ground of its assertions.
        case versionKey
        /// A registered app instance.
        case client
        /// What a user gave an instance by signing in.
        case personal
        /// What lets an instance introduce its user to one service, once.
        case assertion
        /// What a service gave an instance for an assertion.
        case service
        /// What a service gave a third-party app through an instance.
        case app
        /// An authorization code: what is granted for it stands on it, so that a second use can end it.
        case code
        /// What shuts a name out: as long as it is in force, nothing is issued to its holder, nor about a subject of
        /// that name. Nothing stands on it.
        case lock
        /// How far somebody has come who signs in on an instance in several steps; on what came of a sign-in, the name
        /// of the session elsewhere that it began with. Nothing stands on it.
        case session
        /// That a user belongs to some institution as something: what a service was given for that stands on it.
        case affiliation

        /// Whether it is spent in one use; its access expiry then ends its redeemability, not the grant.
        public var isRedeemable: Bool { self == .assertion || self == .code }

        /// Whether its holder's name leads to at most one unrevoked record.
        public var isKnownByHolder: Bool { self == .versionKey || self == .client || self == .lock }

        /// Whether a record of this kind may be a root.
        ///
        /// An assertion may: the federation service that redeems it does not hold the levels above, and one that was
        /// taken back before it came has no key.
        public var mayBeRoot: Bool { self == .versionKey || self == .assertion || self == .lock }

        /// Whether a record of this kind may be issued on one of the other.
        ///
        /// An app may stand on an app: with token extension its token opens the token endpoint too (APP-10). A code is
        /// transparent: what stands on it must be able to stand on what the code stands on. So the kinds allow no
        /// circle but of apps, and nothing stands on the code with which somebody who is signed in shows more (FPA-20).
        public func mayStand(on ground: Kind) -> Bool {
            switch self {
            case .versionKey, .lock: false
            case .client: ground == .versionKey
            case .session: ground == .client || ground == .personal
            case .personal: ground == .client || ground == .code
            case .affiliation: ground == .personal
            case .assertion: ground == .personal || ground == .affiliation || ground == .versionKey
            case .service: ground == .assertion
            case .app: ground == .service || ground == .code || ground == .app
            case .code: ground == .client || ground == .personal || ground == .service
            }
        }

        /// The word that stands for the kind in messages and in JSON.
        public var description: String {
            switch self {
            case .versionKey: "versionKey"
            case .client: "client"
            case .personal: "personal"
            case .assertion: "assertion"
            case .service: "service"
            case .app: "app"
            case .code: "code"
            case .lock: "lock"
            case .session: "session"
            case .affiliation: "affiliation"
            }
        }
    }
}
