internal import JOSE
internal import RSD2
internal import Synchronization
internal import Wire

/// The Native Application Integration Layer's framework interface: what an app needs to use authorized services, under
/// the source's own names.
///
/// An app connects the ``shared`` object to its surroundings once, asks for authorization with
/// ``authorizeProtocols(_:)``, and then takes the URL and the token for each of its requests from here. The requests
/// themselves are its own business (NAI-9).
///
/// The object may be used from any thread. What the calls give is described where they stand; where they have nothing
/// to give, it is the empty string, as the source has it. A service goes by its identity, its normalized home page URL;
/// where a display name belongs to one service alone, that will do as well.
public final class IntegrationLayer: Sendable {
    /// The object that the app shares (NAI-1).
    public static let shared = IntegrationLayer()

    private let core: Mutex<Core>

    /// An object of its own, for tests and for programs that act for several apps.
    public init(_ host: Host? = nil) {
        core = Mutex(Core(host: host))
    }

    /// Connects the object to its surroundings; without that it asks nobody and gives no tokens.
    public func connect(to host: Host) {
        core.withLock { $0.host = host }
    }

    /// What the object holds, as a value; what it has done since is not seen in it.
    public var state: NAILState { core.withLock { $0.state } }

    /// What the lock guards.
    struct Core: Sendable {
        var host: Host?
        private(set) var state = NAILState()
        /// The renewals on their way.
        var flights: [Renewal.Key: Flight] = [:]
        /// The last of the tasks that store the state, each of which waits for the one before it.
        var storing: Flight?
        /// Ways that were asked for before, until the state changes.
        private var ways: [Way: NAILState.Access] = [:]

        init(host: Host?) {
            self.host = host
        }

        /// The only way to change the state: what was prepared from the former one is dropped.
        mutating func change<Result, Failure: Error>(_ body: (inout NAILState) throws(Failure) -> Result)
            throws(Failure) -> Result
        {
            ways = [:]
            return try body(&state)
        }

        mutating func access(_ way: Way) throws(NAILState.Refusal) -> NAILState.Access {
            if let access = ways[way] { return access }
            let access = try state.access(to: way.service.text, way.protocolName(), path: way.path.text)
            if ways.count >= 256 { ways = [:] }
            ways[way] = access
            return access
        }
    }

    /// The arguments of a call, compared as bytes.
    struct Way: Hashable, Sendable {
        let service: JSON.Name
        let name: JSON.Name
        let path: JSON.Name

        init(_ serviceName: String, _ protocolName: String, _ endpointPath: String = "") {
            service = JSON.Name(serviceName)
            name = JSON.Name(protocolName)
            path = JSON.Name(endpointPath)
        }

        func protocolName() throws(NAILState.Refusal) -> ProtocolName {
            do throws(IdentifierRejection) { return try ProtocolName(parsing: name.text) } catch {
                throw .malformedProtocol(error)
            }
        }
    }

    func withCore<Result: Sendable, Failure: Error>(_ body: (inout Core) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        try core.withLock { (core) throws(Failure) in try body(&core) }
    }
}

// MARK: - Services

extension IntegrationLayer {
    /// The services of all authorizations so far, sorted; none at first (NAI-2).
    public func serviceNames() -> [String] {
        state.serviceNames.map { $0.identity }
    }

    /// The name of a service for people (NAI-4), or the empty string for a service that is not there.
    public func getDisplayName(_ serviceName: String) -> String {
        answer { state throws(NAILState.Refusal) in try state.displayName(of: serviceName) }
    }

    /// The URL of a service's home page (NAI-4), or the empty string for a service that is not there.
    public func getServiceUrl(_ serviceName: String) -> String {
        answer { state throws(NAILState.Refusal) in try state.url(of: serviceName).url.text }
    }

    /// The absolute URL of a protocol (NAI-5), or the empty string where it was not granted or has none.
    public func getEndpointUrl(_ serviceName: String, _ protocolName: String) -> String {
        getEndpointUrl(serviceName, protocolName, "")
    }

    /// The absolute URL of a path below a protocol (NAI-5), or the empty string where there is none.
    public func getEndpointUrl(_ serviceName: String, _ protocolName: String, _ endpointPath: String) -> String {
        let way = Way(serviceName, protocolName, endpointPath)
        return answer { state throws(NAILState.Refusal) in
            try state.endpoint(of: serviceName, way.protocolName(), path: endpointPath).text
        }
    }

    /// Forgets a service (NAI-8); its tokens stay valid at the service until they expire or are revoked.
    public func removeService(_ serviceName: String) {
        withCore { core in core.change { state in _ = state.remove(serviceName) } }
    }

    /// Forgets all services (NAI-8).
    public func clearAllServices() {
        withCore { core in core.change { state in state.removeAll() } }
    }

    private func answer(_ question: (NAILState) throws(NAILState.Refusal) -> String) -> String {
        do throws(NAILState.Refusal) {
            return try question(state)
        } catch {
            notice(.refused(error))
            return ""
        }
    }

    func notice(_ notice: Notice) {
        withCore { $0.host?.notice }?(notice)
    }
}

// MARK: - Persistence

extension IntegrationLayer {
    /// The whole state as a text (NAI-3), sealed where the host has a seal; it holds tokens and keys.
    public func serialize() -> String {
        let (state, seal) = withCore { ($0.state, $0.host?.seal) }
        return state.serialized(sealing: seal)
    }

    /// Takes a state back from the text that ``serialize()`` gave, in the place of the present one (NAI-3).
    ///
    /// What cannot be read wholly is refused, and the present state stays (threat 49).
    public func parse(_ nailSerialization: String) throws(NAILState.Rejection) {
        let seal = withCore { $0.host?.seal }
        let parsed = try NAILState(parsing: nailSerialization, opening: seal)
        withCore { core in core.change { state in state.replace(with: parsed) } }
    }
}
