internal import JOSE
public import OAuth2Grants
internal import RSD2
public import TokenTree
public import Wire

// What users see of what is kept about them, on the host's own pages (OPS-16).

/// All that an edu-ID service knows about one of its users: where he or she is signed in, what was introduced to which
/// service from there, what each service learns, and what happened lately.
public struct AccountOverview: Sendable {
    /// What the host's directory says about the user, by OpenID Connect names.
    public internal(set) var profile = JSON.Object()
    /// Where the user is signed in, the newest first.
    public internal(set) var devices: [Device] = []
    /// The services that the user has used, or where something lives, in the order of their URLs.
    public internal(set) var services: [Service] = []
    /// What happened, the newest first, as far as records are kept.
    public internal(set) var events: [Event] = []

    /// An instance of the app, or a browser, on which the user is signed in.
    public struct Device: Sendable {
        /// Its name, by which it is ended.
        public let id: ClientID
        /// What its owner or its maker calls it.
        public let name: String?
        /// What it runs on, and in which version of the app; for a browser nothing.
        public let platform, version: String?
        /// Whether it is a browser.
        public let isBrowser: Bool
        /// When it was registered, and when it was used last, as far as that is noted.
        public let registered: Timestamp, lastUse: Timestamp?
        /// What was introduced from it to services, and lives; the newest first.
        public let introductions: [Introduction]
    }

    /// An introduction of the user to a service, on which stands all that was given there from one device.
    public struct Introduction: Sendable {
        /// Its name, by which it is ended.
        public let id: TokenID
        /// The URL of the service, and the name that people know it by.
        public let service: String, serviceName: String?
        /// When it was made.
        public let since: Timestamp
    }

    /// A service, and what it learns about the user.
    public struct Service: Sendable {
        /// Its URL, by which it is left, and the name that people know it by.
        public let url: String, name: String?
        /// When it was used last.
        public let lastUse: Timestamp
        /// What it may read about the user, as that is now.
        public let released: JSON.Object
        /// Whether it knows the user by a name that no other service has.
        public let hasOwnName: Bool
        /// Whether something lives there.
        public let isOpen: Bool
    }

    /// Something that happened.
    public struct Event: Sendable {
        /// What it was.
        public enum Kind: String, Sendable, CaseIterable {
            /// The user signed in, or was signed out.
            case signedIn = "signed-in", signedOut = "signed-out"
            /// The user was introduced to a service, or that ended.
            case introduced, ended
        }

        /// What.
        public let kind: Kind
        /// When.
        public let time: Timestamp
        /// On which device, and whether that is a browser.
        public let device: String?, isBrowsers: Bool
        /// The URL of the service, and the name that people know it by.
        public let service: String?, serviceName: String?
        /// Why it ended.
        public let reason: Record.Reason?
    }
}

extension EduIDService {
    /// Begins to gather what is known about a user; the host has made sure who asks.
    public func exchange(
        overviewOf user: Record.Subject, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) -> Exchange<Result<AccountOverview, Refusal>> {
        Exchange(Refuser(code: .invalidToken) { .failure($0) }, at: now, chance: Chance(using: &entropy)) {
            { asking throws(Refusal) in Answer(.success(try overview(of: user, &asking))) }
        }.at("account")
    }

    private func overview(of user: Record.Subject, _ asking: inout Inquiry) throws(Refusal) -> AccountOverview {
        let now = asking.now
        let signIns = try asking.records(.subject(user, .personal))
        let assertions = try asking.records(.subject(user, .assertion))
        let living = assertions.filter { $0.verdict(at: now).grantLives }
        var overview = AccountOverview()
        let signIn = signIns.first { signIn in
            signIn.verdict(at: now).grantLives && Provider.profile(in: signIn.record.attributes) != nil
        }
        overview.profile = try profile(of: user, through: signIn, &asking)
        overview.devices = signIns.compactMap { signIn in
            guard signIn.verdict(at: now).grantLives, let instance = signIn.grounded(on: .client) else { return nil }
            return device(instance, introducing: living.filter { $0.nearest(.client)?.id == instance.record.id })
        }
        overview.services = try services(of: user, &asking).map { service throws(Refusal) in
            let member = (try? ServiceURL(parsing: service.place.text)).flatMap { index[$0] }
            let released = try member.map { member throws(Refusal) in
                try self.released(to: member, about: user, through: signIn, &asking)
            }
            return AccountOverview.Service(
                url: service.place.text, name: displayName(of: service.place), lastUse: service.lastUse,
                released: released ?? JSON.Object(), hasOwnName: member?.subjects != .common,
                isOpen: !service.instances.isEmpty)
        }
        let happened = signIns.flatMap { events(ofSignIn: $0) } + assertions.flatMap { events(ofAssertion: $0) }
        overview.events = happened.sorted { $0.time > $1.time }
        return overview
    }

    private func device(_ instance: Lineage, introducing assertions: [Lineage]) -> AccountOverview.Device? {
        guard let id = instance.record.client else { return nil }
        let version = instance.nearest(.versionKey)?.attributes
        return AccountOverview.Device(
            id: id, name: instance.record.deviceName,
            platform: version?["platform"]?.string, version: version?["version"]?.string,
            isBrowser: isBrowsers(instance), registered: instance.record.issued, lastUse: instance.entry.fate.lastUse,
            introductions: assertions.compactMap { assertion in
                guard let place = place(of: assertion) else { return nil }
                return AccountOverview.Introduction(
                    id: assertion.record.id, service: place.text, serviceName: displayName(of: place),
                    since: assertion.record.issued)
            })
    }

    private func events(ofSignIn signIn: Lineage) -> [AccountOverview.Event] {
        let device = signIn.nearest(.client)?.deviceName
        func event(_ kind: AccountOverview.Event.Kind, _ time: Timestamp, _ reason: Record.Reason? = nil)
            -> AccountOverview.Event
        {
            .init(
                kind: kind, time: time, device: device, isBrowsers: isBrowsers(signIn), service: nil, serviceName: nil,
                reason: reason)
        }
        var events = [event(.signedIn, signIn.record.issued)]
        if let end = signIn.firstEnd { events.append(event(.signedOut, end.at, end.reason)) }
        return events
    }

    /// That an introduction ended with the device, or with the sign-in there, is told of these.
    private func events(ofAssertion assertion: Lineage) -> [AccountOverview.Event] {
        guard let place = place(of: assertion) else { return [] }
        let (device, name) = (assertion.nearest(.client)?.deviceName, displayName(of: place))
        func event(_ kind: AccountOverview.Event.Kind, _ time: Timestamp, _ reason: Record.Reason? = nil)
            -> AccountOverview.Event
        {
            .init(
                kind: kind, time: time, device: device, isBrowsers: false, service: place.text, serviceName: name,
                reason: reason)
        }
        var events = [event(.introduced, assertion.record.issued)]
        if let end = assertion.entry.fate.revocation, end == assertion.firstEnd {
            events.append(event(.ended, end.at, end.reason))
        }
        return events
    }

    /// The name by which people know a service.
    func displayName(of place: Record.Audience) -> String? {
        (try? ServiceURL(parsing: place.text)).flatMap { directory[$0]?.displayName }
    }
}

extension Record {
    /// What the owner or the maker of an instance's device calls it.
    fileprivate var deviceName: String? { attributes["device"]?.object?["name"]?.string }
}

extension Lineage {
    /// The first revocation of the record or of what it stands on, down from the keys of versions.
    fileprivate var firstEnd: Record.Revocation? {
        entries.filter { $0.record.kind != .versionKey }.compactMap { $0.fate.revocation }.min { $0.at < $1.at }
    }
}

// MARK: - To take away

extension AccountOverview {
    /// All of it as a JSON text, for the user to keep.
    ///
    /// - Parameter user: the name by which the service knows the user.
    public func encoded(about user: Record.Subject, at now: Timestamp) -> [UInt8] {
        JSON.encodedObject { document in
            document.member("user", user.text)
            document.member("time", now.description)
            document.member("profile", profile)
            document.array("devices") { list in
                for device in devices {
                    list.object { object in
                        object.member("id", device.id.text)
                        object.member("name", ifPresent: device.name)
                        object.member("platform", ifPresent: device.platform)
                        object.member("version", ifPresent: device.version)
                        object.member("registered", device.registered.description)
                        object.member("last-use", ifPresent: device.lastUse?.description)
                        object.array("introductions") { list in
                            for introduction in device.introductions {
                                list.object { object in
                                    object.member("id", introduction.id.text)
                                    object.member("service", introduction.service)
                                    object.member("since", introduction.since.description)
                                }
                            }
                        }
                    }
                }
            }
            document.array("services") { list in
                for service in services {
                    list.object { object in
                        object.member("service", service.url)
                        object.member("name", ifPresent: service.name)
                        object.member("last-use", service.lastUse.description)
                        object.member("released", service.released)
                    }
                }
            }
            document.array("events") { list in
                for event in events {
                    list.object { object in
                        object.member("event", event.kind.rawValue)
                        object.member("time", event.time.description)
                        object.member("device", ifPresent: event.device)
                        object.member("service", ifPresent: event.service)
                        object.member("reason", ifPresent: event.reason?.description)
                    }
                }
            }
        }
    }
}
