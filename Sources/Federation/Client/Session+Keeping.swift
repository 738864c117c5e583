public import OAuth2Grants
internal import RSD2
internal import Wire

// What outlives the process, in the store that app and extension share (DAT-1): tokens, profile and usage list. The key
// pair stays with the system's key chain.

extension Session {
    private static let clientKind = StoredToken.Kind("client")
    private static let personalKind = StoredToken.Kind("personal")

    private static let usageSetting = Setting.Name("usage")
    private static let profileSetting = Setting.Name("profile")

    private func key(_ kind: StoredToken.Kind) -> StoredToken.Key {
        StoredToken.Key(subject: .init(installation.instance), target: .init(eduID.issuer), type: kind)
    }

    /// Puts tokens, profile and usage list into a store, in the place of those that were there.
    ///
    /// Services are kept with their descriptions, so that only those which the store knows keep their tokens.
    public func keep(in store: inout GroupStore) throws(RowRejection) {
        var copy = store
        for (kind, token) in [(Self.clientKind, client), (Self.personalKind, personal)] {
            copy.remove(key(kind))
            if let token { try copy.put(StoredToken(try token.kept(), as: key(kind))) }
        }
        for row in copy.userServices.rows {
            let held = services[row.baseURL]
            try copy.put(row.holding(try held?.token.kept(), from: held?.tokenEndpoint))
        }
        copy.remove(Self.usageSetting)
        if let usage {
            let text = JSON.encodedArray { list in for service in usage { list.element(service.url.text) } }
            try copy.put(Setting(Self.usageSetting, to: String(decoding: text, as: UTF8.self)))
        }
        copy.remove(Self.profileSetting)
        if !profile.isEmpty { try copy.put(Setting(Self.profileSetting, to: JSON.object(profile).encodedString())) }
        store = copy
    }

    /// A copy of the app with what a store kept of it.
    public init(_ installation: Installation, with eduID: ServerDescription, from store: GroupStore) {
        self.init(installation, with: eduID)
        client = store.tokens[key(Self.clientKind)].flatMap { HeldToken($0.token, of: installation) }
        personal = store.tokens[key(Self.personalKind)].flatMap { HeldToken($0.token, of: installation) }
        for row in store.userServices.rows {
            guard let kept = row.token, let token = HeldToken(kept, of: installation), let endpoint = row.tokenTarget
            else { continue }
            services[row.baseURL] = ServiceToken(token: token, tokenEndpoint: endpoint)
        }
        guard isSignedIn else { return }
        if let text = store.configuration[Self.profileSetting]?.value {
            profile = (try? JSON(parsing: text))?.object ?? JSON.Object()
        }
        if let text = store.configuration[Self.usageSetting]?.value, let list = (try? JSON(parsing: text))?.array {
            usage = list.compactMap { $0.string.flatMap { try? ServiceURL(parsing: $0) } }
        }
    }
}
