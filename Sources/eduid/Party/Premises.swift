import Federation
import Hosting
import Wire

/// What a party is given from outside: the sockets that the service manager opened, somebody to tell that the party is
/// alive, and somewhere to write lines.
struct Premises: Sendable {
    /// What a socket is for; by these names a service manager hands them over.
    enum Purpose: String, CaseIterable, Sendable {
        case http, scgi
        case guarding = "guard"
    }

    /// The sockets that are there already.
    var inherited: [(name: String, listener: Listener)] = []
    /// How often, and how, somebody is told that the party is alive.
    var pulse: Server.Pulse?
    /// Takes a line that whoever runs the party should know.
    let say: @Sendable (String) -> Void
    /// Takes a line about a request.
    let note: @Sendable (String) -> Void

    /// Hears what was decided: why something was refused is a line of its own.
    var heard: @Sendable (AuditRecord) -> Void {
        { [note] record in
            guard let refusal = record.refusal else { return }
            note("refused \(record.request?.path ?? ""): \(refusal)")
        }
    }

    /// The sockets for a purpose: those that are there, or else new ones.
    func listeners(for purpose: Purpose, of configuration: Configuration) throws(Failure) -> [Listener] {
        let given = inherited.filter { $0.name.spells(purpose.rawValue) }.map { $0.listener }
        guard given.isEmpty else { return given }
        let addresses =
            switch purpose {
            case .http: configuration.listening.http
            case .scgi: configuration.listening.scgi
            case .guarding: configuration.listening.guarding
            }
        var listeners: [Listener] = []
        for address in addresses {
            do throws(HostingFailure) {
                listeners += try Listener.listen(at: address)
            } catch {
                throw .refused("\(error)")
            }
        }
        return listeners
    }
}
