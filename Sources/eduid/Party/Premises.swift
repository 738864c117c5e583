import Hosting
import Wire

/// What a party is given from outside: the sockets that the service manager opened, somebody to tell that the party is
/// alive, and somewhere to write lines.
struct Premises: Sendable {
    /// What a socket is for; by these names a service manager hands them over.
    enum Purpose: String, CaseIterable, Sendable {
        case http, scgi
        case guarding = "guard"
        case operating = "admin"
        case monitoring = "metrics"
    }

    /// The sockets that are there already.
    var inherited: [(name: String, listener: Listener)] = []
    /// How often, and how, somebody is told that the party is alive.
    var pulse: Server.Pulse?
    /// Takes a line for whoever runs the party.
    let say: @Sendable (String, LogLevel) -> Void

    /// The sockets for a purpose: those that are there, or else new ones.
    func listeners(for purpose: Purpose, of configuration: Configuration) throws(Failure) -> [Listener] {
        let given = inherited.filter { $0.name.spells(purpose.rawValue) }.map { $0.listener }
        guard given.isEmpty else { return given }
        let addresses =
            switch purpose {
            case .http: configuration.listening.http
            case .scgi: configuration.listening.scgi
            case .guarding: configuration.listening.guarding
            case .operating: [configuration.listening.operating]
            case .monitoring: configuration.listening.monitoring
            }
        var listeners: [Listener] = []
        for address in addresses {
            do throws(HostingFailure) {
                listeners += try Listener.listen(at: address, isForOwner: purpose == .operating)
            } catch {
                throw .refused("\(error)")
            }
        }
        return listeners
    }
}
