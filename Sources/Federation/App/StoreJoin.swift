extension AuthorizingApp.Store {
    /// This store with the changes that the other process made to the one that both began with.
    ///
    /// A row that only one of them changed is as that one left it. Of a row that both changed, one that was removed
    /// stays removed, because ending wins; else the one of this store counts, which is the later. Where one of them has
    /// signed somebody in or out, the other's changes are of a session that is over: only what belongs to the instance
    /// is taken of them.
    package func joined(
        with other: AuthorizingApp.Store, since base: AuthorizingApp.Store
    ) throws(Rejection) -> AuthorizingApp.Store {
        let session = AuthorizingApp.Session.sessionSetting
        func isEqual(_ one: AuthorizingApp.Store, _ two: AuthorizingApp.Store) -> Bool {
            one.contents.settings[session] == two.contents.settings[session]
        }
        var joined = other
        if isEqual(self, other) {
            // Each of the two may have found as much as fits.
            try joined.change(makingRoomFor: news(since: base)) { contents in
                contents.join(self.contents, since: base.contents)
            }
        } else if isEqual(self, base) {
            try joined.change { contents in contents.joinInstance(self.contents, since: base.contents) }
        } else {
            try joined.change { contents in
                let other = contents
                contents = self.contents
                contents.joinInstance(other, since: base.contents)
            }
        }
        return joined
    }

    /// The services of which this store knows something else than the one that it began with.
    private func news(since base: AuthorizingApp.Store) -> [Service] {
        contents.services.values.filter { service in
            base.contents.services[service.url].map { !$0.isSame(as: service) } ?? true
        }
    }
}

extension AuthorizingApp.Store.Contents {
    /// Takes in all of the changes.
    fileprivate mutating func join(_ later: Self, since base: Self) {
        let exceptions = AuthorizingApp.Session.exceptionsSetting
        // What the person hides is not for what is noted of refusals to undo.
        let joined = AuthorizingApp.Exceptions(settings[exceptions])
            .joined(with: .init(later.settings[exceptions]), since: .init(base.settings[exceptions]))
        Self.join(later.settings, since: base.settings, to: &settings) { $0 == $1 }
        settings[exceptions] = joined.text
        Self.join(later.tokens, since: base.tokens, to: &tokens) { $0 == $1 }
        // A service's token is a row of its own here: who leaves a service leaves its description.
        var held = services.compactMapValues { $0.held }
        Self.join(
            later.services.compactMapValues { $0.held }, since: base.services.compactMapValues { $0.held }, to: &held
        ) { $0 == $1 }
        let former = services
        Self.join(later.services, since: base.services, to: &services) { $0.isSame(as: $1) }
        // Whoever makes room does not forget where the other was given something meanwhile.
        for url in held.keys where services[url] == nil { services[url] = later.services[url] ?? former[url] }
        for url in services.keys { services[url]?.held = held[url] }
        Self.join(later.protocols, since: base.protocols, to: &protocols) { $0 == $1 }
        // A row needs the service that it refers to.
        protocols = protocols.filter { services[$0.key] != nil }
    }

    /// Takes in the changes to what is the instance's, whoever is signed in.
    fileprivate mutating func joinInstance(_ later: Self, since base: Self) {
        func own(_ tokens: [AuthorizingApp.Store.TokenKey: AuthorizingApp.Store.Token])
            -> [AuthorizingApp.Store.TokenKey: AuthorizingApp.Store.Token]
        {
            tokens.filter { AuthorizingApp.Session.isOfInstance($0.key) }
        }
        Self.join(own(later.tokens), since: own(base.tokens), to: &tokens) { $0 == $1 }
        // Which requests came must not be forgotten, whoever is signed in (threat 58).
        let seen = AuthorizingApp.Session.seenSetting
        func requests(_ settings: [AuthorizingApp.Store.Name: String]) -> [AuthorizingApp.Store.Name: String] {
            settings.filter { $0.key == seen }
        }
        Self.join(requests(later.settings), since: requests(base.settings), to: &settings) { $0 == $1 }
    }

    private static func join<Key: Hashable, Value>(
        _ later: [Key: Value], since base: [Key: Value], to rows: inout [Key: Value], _ isSame: (Value, Value) -> Bool
    ) {
        for key in Set(later.keys).union(base.keys) {
            let isUnchanged =
                switch (later[key], base[key]) {
                case (let one?, let other?): isSame(one, other)
                case (nil, nil): true
                default: false
                }
            let isRemoved = base[key] != nil && rows[key] == nil
            if !isUnchanged && !isRemoved { rows[key] = later[key] }
        }
    }
}
