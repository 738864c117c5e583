internal import NAIL
package import OAuth2Grants
public import RSD2
public import Wire

extension AuthorizingApp {
    /// The data of one of the three places where the app's data lies (DAT-1): a value, which the host keeps in its
    /// place and reads and writes whole.
    public struct Store: Sendable {
        /// Where the data lies.
        package let place: Place
        /// What the store holds at most.
        package let limits: Limits
        /// The data.
        public private(set) var contents = Contents()
        /// How often the data was changed, since there was a store here; kept with it, so that of two who write the
        /// same place one notices the other.
        public internal(set) var revision: UInt64 = 0

        /// An empty store.
        public init(in place: Place = .group, limits: Limits = .standard) {
            self.place = place
            self.limits = limits
        }

        /// Changes the data, all of it or nothing: what no store may hold, or this one has no room for, is rejected.
        public mutating func change(_ body: (inout Contents) throws(Rejection) -> Void) throws(Rejection) {
            var changed = contents
            try body(&changed)
            try changed.check(in: place, within: limits)
            contents = changed
            revision &+= 1
        }

        /// A place for data; its name is sealed into what is stored there, so that no store passes for another.
        public enum Place: String, Sendable, CaseIterable {
            /// Where only the app itself reads and writes: settings that play no part in the authorization of apps.
            case app
            /// Where only the app's extension reads and writes: settings of that kind.
            case `extension`
            /// Where app and extension both read and write: the app group of the source.
            case group = "group.ch.eduid.mobile"
        }

        /// The four relations of the data model, each key once (DAT-2); keys are compared byte by byte.
        public struct Contents: Sendable {
            /// `EduidConfiguration`: settings of the app or its user.
            public var settings: [Name: String] = [:]
            /// `Protocols`: which protocols apps have requested of a service, each once and at least one, whose
            /// description `UserServices` keeps.
            ///
            /// The source's key allows a service one row. Where several protocols were requested, its one field
            /// `protocol_id` lists them, one in a line; line ends are no part of names.
            package var protocols: [ServiceURL: [ProtocolName]] = [:]
            /// `Tokens`: the tokens of the instance and its user.
            package var tokens: [TokenKey: Token] = [:]
            /// `UserServices`: what the discovery said about services, and the tokens that the instance holds there.
            public var services: [ServiceURL: Service] = [:]
        }

        /// The name of a setting, of a party, or of a type of token.
        public typealias Name = Identifier<NameKind>

        /// Names a setting, a party, or a type of token.
        public enum NameKind: IdentifierKind {}

        /// What tells tokens apart.
        package struct TokenKey: Hashable, Comparable, Sendable {
            /// Whom the token speaks for: the instance, or its user.
            package let subject: Name
            /// Where it is good: the name or URL of its audience.
            package let target: Name
            /// What it is; the list is open.
            package let type: Name

            /// Names a token.
            package init(subject: Name, target: Name, type: Name) {
                (self.subject, self.target, self.type) = (subject, target, type)
            }

            /// Whether one comes before the other: by subject, then by target, then by type, byte by byte.
            package static func < (one: TokenKey, other: TokenKey) -> Bool {
                (one.subject, one.target, one.type) < (other.subject, other.target, other.type)
            }
        }

        /// A text that only its user understands, be it a token alone or all that an issuer answered.
        package typealias Token = Secret.Text<TokenKind>

        /// The kind of ``Token``.
        package enum TokenKind: Secret.Kind {
            /// What messages call it.
            package static var title: String { "stored token" }
            /// A token may be of 16 KiB, and an answer has two.
            package static var lengths: ClosedRange<Int> { 1...65_536 }
            /// An issuer's answer has characters that a token alone has not.
            package static var alphabet: Secret.Alphabet { .typed }
        }

        /// What is made here, as a token that a store keeps: it has the characters that a store takes, and may only be
        /// too much of them.
        static func kept(_ text: [UInt8]) throws(Rejection) -> Token {
            guard let kept = try? Token(parsing: text) else {
                throw .fieldTooLong(length: text.count, limit: TokenKind.lengths.upperBound)
            }
            return kept
        }

        /// Bounds of what a store holds.
        public struct Limits: Sendable, Equatable {
            /// The most rows of a relation.
            package let rows: Int
            /// The longest field in bytes.
            package let field: Int
            /// The most bytes of all fields together.
            package let bytes: Int

            /// Room for every service of a large federation, and for the longest description that readers take.
            public static let standard = Limits(rows: 4_096, field: 512 << 10, bytes: 32 << 20)

            /// Bounds of the caller's choice, each at most a gigabyte.
            public init(rows: Int, field: Int, bytes: Int) {
                func bounded(_ limit: Int) -> Int { min(max(limit, 0), 1 << 30) }
                (self.rows, self.field, self.bytes) = (bounded(rows), bounded(field), bounded(bytes))
            }
        }
    }
}

// MARK: - The rules of the data

extension AuthorizingApp.Store {
    /// Changes the contents; where there is no room for that, what is known of services goes where nothing is held,
    /// besides these.
    mutating func change(
        makingRoomFor needed: @autoclosure () -> [Service], _ body: (inout Contents) -> Void
    ) throws(Rejection) {
        do throws(Rejection) {
            try change { contents in body(&contents) }
        } catch {
            switch error {
            case .storeFull, .tooManyRows: break
            default: throw error
            }
            try change { contents in
                body(&contents)
                contents.forgetDescriptions(besides: needed())
            }
        }
    }
}

extension AuthorizingApp.Store.Contents {

    var rowCount: Int { settings.count + protocols.count + tokens.count + services.count }

    /// Refuses what no store may hold.
    fileprivate func check(
        in place: AuthorizingApp.Store.Place, within limits: AuthorizingApp.Store.Limits
    ) throws(Rejection) {
        guard place == .group || rowCount == settings.count else { throw .notShared(place.rawValue) }
        do throws(Rejection) {
            try checkRows(within: limits, sorted: false)
        } catch {
            // The first in the order of keys is told, whatever order a dictionary has.
            try checkRows(within: limits, sorted: true)
        }
    }

    private func checkRows(
        within limits: AuthorizingApp.Store.Limits, sorted isSorted: Bool
    ) throws(Rejection) {
        var room = AuthorizingApp.Store.Room(limits)
        for relation in AuthorizingApp.Store.Relation.allCases {
            room.begin()
            for row in rows(of: relation, sorted: isSorted) {
                try check(row)
                try room.take(row)
            }
        }
    }

    /// Refuses a row that breaks a rule of the data; what it refers to must be there.
    func check(_ row: AuthorizingApp.Store.Row) throws(Rejection) {
        switch row {
        case .setting, .token: return
        case .requested(let service, let names):
            guard services[service] != nil else { throw .unknownService(service) }
            guard !names.isEmpty else { throw .nothingRequested }
            let sorted = names.sorted()
            for (name, next) in zip(sorted, sorted.dropFirst()) where name == next { throw .repeatedProtocol(name) }
        case .service(let url, let service):
            guard service.url == url else { throw .otherService(expected: url, found: service.url) }
            if let target = service.tokenTarget, target.scheme != .https, !target.isLoopback {
                throw .unencrypted(target)
            }
        }
    }

    /// Caches what was discovered (DSC-10); tokens stay with services whose OAuth2 endpoint stays.
    package mutating func cache(_ found: [AuthorizingApp.Store.Service]) {
        for service in AuthorizingApp.Store.Service.distinct(found) {
            services[service.url] = services[service.url]?.rediscovered(as: service) ?? service
        }
        forgetGiven(at: found.map { $0.url }.filter { services[$0]?.token == nil })
    }

    /// Forgets services where nothing is held, besides these.
    fileprivate mutating func forgetDescriptions(besides found: [AuthorizingApp.Store.Service]) {
        let needed = Set(found.map { $0.url })
        services = services.filter { $0.value.token != nil || needed.contains($0.key) }
        protocols = protocols.filter { services[$0.key] != nil }
    }

    /// Offers no more what the discovery was asked for and no longer finds (RSD-1); what ends tokens there stays.
    mutating func withdraw(
        whatIsMissingIn found: [AuthorizingApp.Store.Service], askedFor query: DiscoveryQuery
    ) {
        let answered = Set(found.map { $0.url })
        let isAskedFor: (AuthorizingApp.Store.Service) -> Bool
        switch query {
        case .protocols(let names): isAskedFor = { $0.description.matches(names) }
        case .services(let urls):
            let asked = Set(urls)
            isAskedFor = { asked.contains($0.url) }
        }
        for (url, service) in services where !answered.contains(url) && isAskedFor(service) {
            services[url] = service.withdrawn
        }
    }

    /// Forgets what apps were given at services: it stood on a token that is gone, and nobody but its holder could end
    /// it there.
    package mutating func forgetGiven(at services: [ServiceURL]) {
        let targets = Set(services.compactMap { $0.name })
        guard !targets.isEmpty else { return }
        tokens = tokens.filter { $0.key.type != GivenToken.type || !targets.contains($0.key.target) }
    }

    /// Notes in `Protocols` what an app requested of the services that were chosen for it, beside what was requested of
    /// them before; services that are not known are passed over.
    package mutating func record(_ choice: AuthorizationMode.Choice) {
        for service in choice.services where services[service] != nil {
            protocols[service] = Set(protocols[service] ?? []).union(choice.request.protocols).sorted()
        }
    }

    /// Forgets the user after logout (UX-5): all services, and all tokens but those of the instance itself; settings
    /// stay.
    package mutating func unlink(keepingTokensOf instance: AuthorizingApp.Store.Name) {
        (services, protocols) = ([:], [:])
        tokens = tokens.filter { $0.key.subject == instance }
    }
}

extension AuthorizingApp.Store: CustomStringConvertible, CustomReflectable {
    /// The place and the number of rows, without any of their fields.
    public var description: String { "Store(\(place.rawValue), \(contents.rowCount) rows; redacted)" }

    /// Nothing to look into: a dump ends up in logs as well.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
