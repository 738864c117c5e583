internal import NAIL
internal import OAuth2Grants
public import RSD2
internal import Wire

extension AuthorizingApp {
    /// What is not offered like everything else: services that the person has hidden, that were declined for an app,
    /// and that have refused the person.
    struct Exceptions: Sendable, Equatable {
        /// What the person does not want to see, until that is undone.
        var hidden: [ServiceURL] = []
        /// The services that refused the person when they were asked last (AST-6), the latest last.
        var refusing: [ServiceURL] = []
        /// What the person left out of what an app was granted, the latest last.
        var declined: [Declined] = []

        struct Declined: Sendable, Equatable {
            let app: BundleID
            let service: ServiceURL
        }

        /// The most entries of each kind; of what is only noted the oldest gives way.
        static let limit = 1_024

        /// The services that were left out for an app when it asked last.
        func leftOut(for app: BundleID?) -> Set<ServiceURL> {
            Set(declined.filter { $0.app == app }.map { $0.service })
        }

        /// Notes what was granted to an app, and what was left out beside it.
        mutating func note(_ choice: AuthorizationMode.Choice) {
            let shown = Set(choice.services + choice.declined)
            declined.removeAll { $0.app == choice.request.appID && shown.contains($0.service) }
            declined += choice.declined.map { Declined(app: choice.request.appID, service: $0) }
            declined.removeFirst(max(0, declined.count - Self.limit))
        }

        /// Notes that a service has refused the person, or has not.
        mutating func note(_ service: ServiceURL, isRefusing: Bool) {
            refusing.removeAll { $0 == service }
            guard isRefusing else { return }
            refusing.append(service)
            refusing.removeFirst(max(0, refusing.count - Self.limit))
        }

        /// These with what others have changed of those that both began with: each list as the last one that changed it
        /// has left it.
        func joined(with later: Exceptions, since base: Exceptions) -> Exceptions {
            var joined = self
            if later.hidden != base.hidden { joined.hidden = later.hidden }
            if later.refusing != base.refusing { joined.refusing = later.refusing }
            if later.declined != base.declined { joined.declined = later.declined }
            return joined
        }
    }
}

extension AuthorizingApp.Session {
    static let exceptionsSetting = Store.Name("exceptions")

    var exceptions: AuthorizingApp.Exceptions {
        AuthorizingApp.Exceptions(store.contents.settings[Self.exceptionsSetting])
    }

    /// The services that the person does not want to see, sorted.
    public var hiddenServices: [ServiceURL] { exceptions.hidden.sorted() }

    /// The services that refused the person when they were asked last (AST-6), sorted.
    public var refusingServices: [ServiceURL] { exceptions.refusing.sorted() }

    /// Changes the exceptions, and keeps them if that changed anything.
    mutating func except(_ change: (inout AuthorizingApp.Exceptions) -> Void) throws(Rejection) {
        let before = exceptions
        var exceptions = before
        change(&exceptions)
        guard exceptions != before else { return }
        try self.change { [exceptions] contents in contents.settings[Self.exceptionsSetting] = exceptions.text }
    }
}

extension AuthorizingApp.Interaction where Value == Void {
    /// Neither shows a service nor includes it in what is granted, until that is undone.
    public static func hiding(_ service: ServiceURL) -> Self {
        Self { turn throws(Rejection) in
            let limit = AuthorizingApp.Exceptions.limit
            guard turn.session.exceptions.hidden.count < limit else { throw .tooManyRows(limit: limit) }
            try turn.session.except { exceptions in
                if !exceptions.hidden.contains(service) { exceptions.hidden.append(service) }
            }
            return .done(())
        }
    }

    /// Shows a service again that was hidden.
    public static func showing(_ service: ServiceURL) -> Self {
        Self { turn throws(Rejection) in
            try turn.session.except { exceptions in exceptions.hidden.removeAll { $0 == service } }
            return .done(())
        }
    }
}

// MARK: - In the store

extension AuthorizingApp.Exceptions {
    /// Reads what a store kept; what is damaged is left out.
    init(_ text: String?) {
        let object = text.flatMap { try? JSON(parsing: $0) }?.object ?? JSON.Object()
        func services(_ name: JSON.Name) -> [ServiceURL] {
            (object[name]?.array ?? []).compactMap { $0.string.flatMap { try? ServiceURL(parsing: $0) } }
        }
        (hidden, refusing) = (services("hidden"), services("refusing"))
        declined = (object["declined"]?.array ?? []).compactMap { entry in
            guard let app = entry["app"]?.string, let service = entry["service"]?.string,
                let id = try? BundleID(parsing: app), let url = try? ServiceURL(parsing: service)
            else { return nil }
            return Declined(app: id, service: url)
        }
    }

    /// As a store keeps it; `nil` where there are none.
    var text: String? { self == Self() ? nil : JSON.object(json).encodedString() }

    private var json: JSON.Object {
        func texts(_ services: [ServiceURL]) -> JSON { .array(services.map { .string($0.identity) }) }
        return [
            "hidden": texts(hidden), "refusing": texts(refusing),
            "declined": .array(
                declined.map { ["app": .string($0.app.text), "service": .string($0.service.identity)] }),
        ]
    }
}
