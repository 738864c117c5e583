internal import OAuth2Grants
public import RSD2
internal import Wire

extension AuthorizingApp {
    /// A service that can serve what an app requests, as it is offered to the person.
    public struct Candidate: Sendable, Equatable {
        /// The service.
        public let service: ServiceURL
        /// The name that people know it by; names repeat, the service's host does not lie.
        public let name: String
        /// Whether the person has used the service before, as far as that is known; the others are marked as new
        /// (DSC-9).
        public let isUsed: Bool
        /// Whether the person left the service out when the same app asked last.
        public let isDeclined: Bool
        /// Whether the service refused the person when it was asked last (AST-6); it does not count as used then.
        public let isRefusing: Bool

        /// Whether it is picked before the person touches anything: what was used, unless it was left out.
        public var isPreselected: Bool { isUsed && !isDeclined }

        /// Offers a service.
        package init(
            _ service: ServiceURL, named name: String, isUsed: Bool, isDeclined: Bool = false, isRefusing: Bool = false
        ) {
            (self.service, self.name, self.isUsed) = (service, name, isUsed)
            (self.isDeclined, self.isRefusing) = (isDeclined, isRefusing)
        }

        /// Whether both say the same, the names byte for byte.
        public static func == (one: Candidate, other: Candidate) -> Bool {
            one.service == other.service && one.name.utf8.elementsEqual(other.name.utf8) && one.isUsed == other.isUsed
                && one.isDeclined == other.isDeclined && one.isRefusing == other.isRefusing
        }
    }

    /// The app's personal filter: which services a person is offered for a request, and which of them are preselected.
    package struct PersonalFilter: Sendable {
        /// The services that the person has used, where the federation has a usage manager (USE-2).
        package let usage: Set<ServiceURL>?
        /// The services that the person has hidden.
        private let hidden: Set<ServiceURL>
        /// The services that the person left out when the same app asked last.
        private let declined: Set<ServiceURL>
        /// The services that refused the person when they were asked last (AST-6).
        private let refusing: Set<ServiceURL>

        /// A filter for one person; without a usage list the app's own record of successful authorizations takes its
        /// place (USE-4).
        package init(
            usage: [ServiceURL]?, hiding hidden: Set<ServiceURL> = [], declined: Set<ServiceURL> = [],
            refusing: Set<ServiceURL> = []
        ) {
            self.usage = usage.map { Set($0) }
            (self.hidden, self.declined, self.refusing) = (hidden, declined, refusing)
        }

        /// The filter of the person who is signed in, for an app's request.
        init(of session: Session, for app: BundleID? = nil) {
            let exceptions = session.exceptions
            self.init(
                usage: session.usage, hiding: Set(exceptions.hidden), declined: exceptions.leftOut(for: app),
                refusing: Set(exceptions.refusing))
        }

        /// What to ask the protocol discovery ahead of time, after login and at every launch: the person's services
        /// (DSC-10).
        ///
        /// Those that are not cached come first, because a query has a limit; the others are asked for because
        /// descriptions change.
        package func prefetch(into store: Store) -> DiscoveryQuery? {
            let services = (usage ?? []).filter { !hidden.contains($0) && !refusing.contains($0) }.sorted()
            let isCached = { service in store.contents.services[service] != nil }
            let ordered = services.filter { !isCached($0) } + services.filter(isCached)
            return ordered.isEmpty ? nil : .services(Array(ordered.prefix(DiscoveryQuery.lengthLimit)))
        }

        /// The services that can serve all of the requested protocols: those that the person has used first, then by
        /// name, then by URL.
        ///
        /// - Parameter discovered: what was discovered now, which takes the place of what is cached, so that nothing is
        ///   offered that is not found any more (RSD-1); its order does not matter (DSC-4). Without it what is cached.
        package func candidates(
            for protocols: [ProtocolName], in store: Store, among discovered: [Store.Service]? = nil
        ) -> [Candidate] {
            // What is left of those that have left is where tokens end; of what is kept that is no offer.
            let pool =
                discovered.map { Store.Service.distinct($0) }
                ?? store.contents.services.values.filter { $0.description.apis.contains { !$0.name.belongsToOAuth2 } }
            let matching = pool.filter { $0.description.matches(protocols) && !hidden.contains($0.url) }
            return matching.map { candidate($0, in: store) }.sorted(by: Self.precedes)
        }

        private func candidate(_ service: Store.Service, in store: Store) -> Candidate {
            let isRefusing = refusing.contains(service.url)
            let isUsed = usage?.contains(service.url) ?? (store.contents.services[service.url]?.token != nil)
            return Candidate(
                service.url, named: service.name, isUsed: isUsed && !isRefusing,
                isDeclined: declined.contains(service.url), isRefusing: isRefusing)
        }

        private static func precedes(_ one: Candidate, _ other: Candidate) -> Bool {
            if one.isUsed != other.isUsed { return one.isUsed }
            let (left, right) = (folded(one.name), folded(other.name))
            return left == right ? one.service < other.service : left.lexicographicallyPrecedes(right)
        }

        /// The bytes of a name with ASCII capitals as small letters; enough for an order that people find their way in.
        private static func folded(_ name: String) -> [UInt8] {
            name.utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
        }
    }
}
