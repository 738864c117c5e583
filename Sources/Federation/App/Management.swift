public import OAuth2Grants
public import RSD2
public import Wire

// My devices, my services, my apps: what a person sees and ends from the app (USR-2, USR-3, TOK-5).

extension AuthorizingApp {
    /// An instance of the app on which the person is signed in.
    public struct LinkedInstance: Sendable, Equatable {
        /// The name by which it is ended.
        public let id: ClientID
        /// The name that its owner gave the device.
        public let name: String?
        /// What kind of device it is, and the version of its system.
        public let device: String?
        /// The platform and the version of the app.
        public let version: String?
        /// When it registered.
        public let registered: Timestamp?
        /// When it was used last.
        public let lastUse: Timestamp?
        /// Whether it is this one.
        public let isThis: Bool
    }

    /// A service that the person has used, or where something of his or hers lives.
    public struct UsedService: Sendable, Equatable {
        /// Where it lives, by which it is left.
        public let url: ServiceURL
        /// The name by which people know it.
        public let name: String?
        /// When it was used last.
        public let lastUse: Timestamp?
        /// The instances through which something lives there.
        public let instances: [ClientID]
    }

    /// What an app was given at a service.
    public struct AppGrant: Sendable, Equatable {
        /// The app, by which it is ended.
        public let app: BundleID
        /// What it may use.
        public let scope: Scope
        /// When it was given that.
        public let issued: Timestamp?
        /// When it used that last, where the service notes it.
        public let lastUse: Timestamp?
        /// When that ends by itself, if ever.
        public let expires: Timestamp?
        /// The instance through which it was given, by the name that the service knows.
        public let instance: String?
        /// Whether that is this one.
        public let isThis: Bool
    }
}

// MARK: - Calls of the app

extension AuthorizingApp {
    /// The instances on which the person is signed in (USR-2).
    public func instances() async throws(Rejection) -> [LinkedInstance] { try await process.perform(.instances) }

    /// Ends one of the person's instances, from this one (USR-3); this one itself is not registered any more then.
    ///
    /// It answers whether there was such an instance.
    @discardableResult
    public func disconnect(_ instance: ClientID) async throws(Rejection) -> Bool {
        try await process.perform(.disconnect(instance))
    }

    /// The services that the person has used, or where something of his or hers lives.
    public func services() async throws(Rejection) -> [UsedService] { try await process.perform(.services) }

    /// Ends what all of the person's instances were given at a service, and forgets that it was used.
    ///
    /// It answers whether there was anything.
    @discardableResult
    public func disconnect(_ service: ServiceURL) async throws(Rejection) -> Bool {
        try await process.perform(.disconnect(service))
    }

    /// What apps were given at a service, through whichever instance.
    public func apps(at service: ServiceURL) async throws(Rejection) -> [AppGrant] {
        try await process.perform(.apps(at: service))
    }

    /// Ends what an app was given at a service, or all apps; it learns that at its next request.
    ///
    /// It answers whether there was anything.
    @discardableResult
    public func disconnect(_ app: BundleID? = nil, at service: ServiceURL) async throws(Rejection) -> Bool {
        try await process.perform(.disconnect(app, at: service))
    }

    /// Ends everything at once: all of the person's instances, this one among the last, and all that they were given.
    public func endEverything() async throws(Rejection) { _ = try await process.perform(.endEverything) }
}

// MARK: - What there is

extension AuthorizingApp.Interaction {
    /// A list that a holder's token opens.
    fileprivate init<Element>(
        listing url: @escaping @Sendable (AuthorizingApp.Session) throws(Rejection) -> WebURL,
        of holder: AuthorizingApp.Holder, _ read: @escaping @Sendable (JSON.Document.Object) -> Element?
    ) where Value == [Element] {
        self.init { turn throws(Rejection) in
            try turn.resource(.get, url(turn.session), of: holder)
        } _: { _, response throws(Rejection) in
            let body = try AuthorizingApp.body(response)
            let limits = JSON.Limits(size: 1 << 20, depth: 4, values: 50_000)
            let list = try wrapping(Rejection.json, try JSON.Document(parsing: body, limits: limits).root.array())
            var found: [Element] = []
            for element in list {
                let members = try wrapping(Rejection.json, try element.object())
                // What has no name that it could be ended by is left out.
                if let value = read(members) { found.append(value) }
            }
            return found
        }
    }
}

extension AuthorizingApp.Interaction where Value == [AuthorizingApp.LinkedInstance] {
    /// Asks for the instances on which the person is signed in (USR-2).
    public static var instances: Self {
        Self(listing: { session throws(Rejection) in try session.endpoint(.instances) }, of: .user) { members in
            guard let id = members.words("id").flatMap({ try? ClientID(parsing: $0) }) else { return nil }
            return AuthorizingApp.LinkedInstance(
                id: id, name: members.words("name"),
                device: members.joined("device_type", "os_version"), version: members.joined("platform", "version"),
                registered: members.time("registered"), lastUse: members.time("last_used"),
                isThis: members.flag("this"))
        }.regaining(.user, after: .invalidToken)
    }
}

extension AuthorizingApp.Interaction where Value == [AuthorizingApp.UsedService] {
    /// Asks for the services that the person has used, or where something of his or hers lives.
    public static var services: Self {
        Self(listing: { session throws(Rejection) in try session.endpoint(.services) }, of: .user) { members in
            guard let url = members.words("service").flatMap({ try? ServiceURL(parsing: $0) }) else { return nil }
            let instances = (try? members["instances"].array())?.compactMap { element in
                (try? element.string()).flatMap { try? ClientID(parsing: $0) }
            }
            return AuthorizingApp.UsedService(
                url: url, name: members.words("name"), lastUse: members.time("last_used"), instances: instances ?? [])
        }.regaining(.user, after: .invalidToken)
    }
}

extension AuthorizingApp.Interaction where Value == [AuthorizingApp.AppGrant] {
    /// Asks what apps were given at a service, where the instance holds a service token.
    public static func apps(at service: ServiceURL) -> Self {
        Self(
            listing: { session throws(Rejection) in try session.apps(at: service, nil) }, of: .service(service)
        ) { members in
            guard let app = members.words("app").flatMap({ try? BundleID(parsing: $0) }) else { return nil }
            return AuthorizingApp.AppGrant(
                app: app, scope: members.words("scope").flatMap { try? Scope(parsing: $0) } ?? Scope(),
                issued: members.time("issued"), lastUse: members.time("last_used"), expires: members.time("expires"),
                instance: members.words("instance"), isThis: members.flag("this"))
        }.regaining(.service(service), after: .invalidToken)
    }
}

extension JSON.Document.Object {
    /// A text that people can be shown, and that is of no unusual length.
    fileprivate func words(_ name: JSON.Name) -> String? {
        guard let text = optional(name).flatMap({ try? $0.string() }), !text.isEmpty, text.utf8.count <= 4_096,
            text.firstUnfitForDisplay == nil
        else { return nil }
        return text
    }

    fileprivate func joined(_ first: JSON.Name, _ second: JSON.Name) -> String? {
        let words = [words(first), words(second)].compactMap { $0 }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    fileprivate func time(_ name: JSON.Name) -> Timestamp? {
        optional(name).flatMap { try? $0.integer(as: Int64.self) }.map { Timestamp(seconds: $0) }
    }

    fileprivate func flag(_ name: JSON.Name) -> Bool { optional(name).flatMap { try? $0.bool() } ?? false }
}

// MARK: - What ends

extension AuthorizingApp.Interaction where Value == Bool {
    /// Ends one of the person's instances (USR-3); whoever ends this one is not registered any more.
    public static func disconnect(_ instance: ClientID) -> Self {
        let word = PercentEncoding.encode(instance.text)
        return ending({ session throws(Rejection) in try session.endpoint(.instances).below(word) }, of: .user)
            .then { turn, isEnded throws(Rejection) in
                let own = turn.session.installation.instance.canonical
                if isEnded, instance.canonical == own { try turn.session.forgetRegistration() }
                return .value(isEnded)
            }
    }

    /// Ends what all of the person's instances were given at a service; this one's token there is forgotten too.
    public static func disconnect(_ service: ServiceURL) -> Self {
        let word = EduIDService.pathWord(for: service.identity)
        return ending({ session throws(Rejection) in try session.endpoint(.services).below(word) }, of: .user)
            .then { turn, isEnded throws(Rejection) in
                if isEnded { try turn.session.forget(.service(service)) }
                return .value(isEnded)
            }
    }

    /// Ends what an app was given at a service, or all apps.
    public static func disconnect(_ app: BundleID? = nil, at service: ServiceURL) -> Self {
        ending({ session throws(Rejection) in try session.apps(at: service, app) }, of: .service(service))
            .then { turn, isEnded throws(Rejection) in
                for given in turn.session.givenAuthorizations
                where given.service == service && (app == nil || given.app == app) {
                    try turn.session.forgetGiven(to: given.app, at: service)
                }
                return .value(isEnded)
            }
    }

    /// Ends all of the person's instances, this one among the last, and forgets its registration.
    public static var endEverything: Self {
        ending({ session throws(Rejection) in try session.endpoint(.instances) }, of: .user)
            .then { turn, isEnded throws(Rejection) in
                if isEnded { try turn.session.forgetRegistration() }
                return .value(isEnded)
            }
    }

    /// Asks for an end until all of it is done; it answers whether there was anything.
    ///
    /// Nothing but 204 says that it is done (threat 60). 202 says that there is more; bound: 64 times.
    private static func ending(
        _ url: @escaping @Sendable (AuthorizingApp.Session) throws(Rejection) -> WebURL,
        of holder: AuthorizingApp.Holder, again rest: Int = 64
    ) -> Self {
        Self { turn throws(Rejection) in
            .ask(try turn.resource(.delete, url(turn.session), of: holder)) { turn, response throws(Rejection) in
                guard let response else { throw .unanswered }
                switch response.status {
                case .noContent: return .done(true)
                case .notFound: return .done(false)
                case .accepted where rest > 0: return try ending(url, of: holder, again: rest - 1).begin(&turn)
                default:
                    guard !response.status.isSuccess else { throw .unusable(.status(response.status)) }
                    throw .refused(try wrapping(Rejection.unusable, try OAuth2Error(parsing: response)))
                }
            }
        }.regaining(holder, after: .invalidToken)
    }
}

extension AuthorizingApp.Session {
    /// Where a service tells of apps.
    fileprivate func apps(at service: ServiceURL, _ app: BundleID?) throws(Rejection) -> WebURL {
        guard let component = store.contents.services[service]?.component else { throw .unauthorized(service) }
        let apps = try permitted(component, namedBy: service.url).below("apps")
        return app.map { apps.below(PercentEncoding.encode($0.text)) } ?? apps
    }

    /// Forgets the user, and that the instance was registered.
    mutating func forgetRegistration() throws(Rejection) {
        try forget(.user)
        let instance = AuthorizingApp.Store.Name(installation.instance)
        try change { contents in contents.tokens = contents.tokens.filter { $0.key.subject != instance } }
    }
}
