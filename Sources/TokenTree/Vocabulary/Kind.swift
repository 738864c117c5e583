extension Record {
    /// The levels of the tree, and the codes by which two of them are reached.
    ///
    /// The edu-ID service holds the levels down to the assertion; a federation service holds them from the assertion
    /// on, which is the joint and there a root.
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// The key of one version of the authorizing app; the ground of all its instances.
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
    }
}

extension Record.Kind {
    /// Whether it is spent in one use; its access expiry then ends its redeemability, not the grant.
    public var isRedeemable: Bool {
        switch self {
        case .assertion, .code: true
        case .versionKey, .client, .personal, .service, .app: false
        }
    }

    /// Whether its holder's name leads to at most one unrevoked record.
    public var isKnownByHolder: Bool {
        switch self {
        case .versionKey, .client: true
        case .personal, .assertion, .service, .app, .code: false
        }
    }

    /// Whether a record of this kind may be a root.
    ///
    /// An assertion may: the federation service that redeems it does not hold the levels above.
    public var mayBeRoot: Bool {
        switch self {
        case .versionKey, .assertion: true
        case .client, .personal, .service, .app, .code: false
        }
    }

    /// Whether a record of this kind may be issued on one of the other.
    ///
    /// An app may stand on an app: with token extension its token opens the token endpoint too (APP-10). A code is
    /// transparent: what stands on it must be able to stand on what the code stands on. So the kinds allow no circle
    /// but of apps.
    public func mayStand(on ground: Record.Kind) -> Bool {
        switch (self, ground) {
        case (.client, .versionKey), (.personal, .client), (.personal, .code), (.assertion, .personal),
            (.service, .assertion),
            (.app, .service), (.app, .code), (.app, .app), (.code, .client), (.code, .service):
            true
        case (.versionKey, _), (.client, _), (.personal, _), (.assertion, _), (.service, _), (.app, _), (.code, _):
            false
        }
    }
}

extension Record.Kind: CustomStringConvertible {
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
        }
    }
}
