public import OAuth2Grants
internal import RSD2
internal import Wire

// What outlives the process: the tokens, in the store that app and extension share (DAT-1). The key pair stays with the system's key chain.

extension Session {
    private static let clientKind = StoredToken.Kind.named("client")
    private static let personalKind = StoredToken.Kind.named("personal")

    private func key(_ kind: StoredToken.Kind) -> StoredToken.Key {
        StoredToken.Key(subject: .named(installation.instance.text), target: .named(eduID.issuer.text), type: kind)
    }

    /// Puts the tokens into a store, in the place of those that were there.
    ///
    /// Services are kept with their descriptions, so that only those which the store knows keep their tokens.
    public func keep(in store: inout GroupStore) throws(RowRejection) {
        var copy = store
        for (kind, token) in [(Self.clientKind, client), (Self.personalKind, personal)] {
            copy.remove(key(kind))
            if let kept = token?.kept { try copy.put(StoredToken(kept, as: key(kind))) }
        }
        for row in copy.userServices.rows {
            let held = services[row.baseURL]
            try copy.put(row.holding(held?.token.kept, from: held?.tokenEndpoint))
        }
        store = copy
    }

    /// A copy of the app with the tokens that a store kept.
    public init(_ installation: Installation, with eduID: ServerDescription, from store: GroupStore) {
        self.init(installation, with: eduID)
        client = store.tokens[key(Self.clientKind)].flatMap { HeldToken($0.token, of: installation) }
        personal = store.tokens[key(Self.personalKind)].flatMap { HeldToken($0.token, of: installation) }
        for row in store.userServices.rows {
            guard let kept = row.token, let token = HeldToken(kept, of: installation), let endpoint = row.tokenTarget else { continue }
            services[row.baseURL] = ServiceToken(token: token, tokenEndpoint: endpoint)
        }
    }
}
