#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The service manager that started this process, as systemd does it: it hands sockets over, and hears how far the
/// process is.
///
/// Without one nothing is handed over, and nothing is said.
public struct ServiceManager: Sendable {
    /// The sockets that it opened, by the names that it gave them (SYS-1).
    public let listeners: [(name: String, listener: Listener)]
    /// How often it wants to hear that the process is alive: half of the time after which it gives up (SYS-2).
    public let heartbeat: Duration?
    private let channel: Channel?

    /// Where it is told.
    private struct Channel: Sendable {
        let socket: Socket
        let name: SocketName
    }

    /// Takes over what the environment says, and forgets it, so that no process that is started from here takes it over
    /// once more.
    public init() throws(HostingFailure) {
        try self.init(environment: Self.environment, process: getpid())
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"] {
            unsetenv(name)
        }
    }

    init(environment: (String) -> String?, process: Int32) throws(HostingFailure) {
        listeners = try Self.listeners(environment, process)
        heartbeat = Self.heartbeat(environment, process)
        guard let path = environment("NOTIFY_SOCKET"), path.hasPrefix("/") || path.hasPrefix("@"),
            let name = SocketName(path: path)
        else {
            channel = nil
            return
        }
        channel = Channel(socket: try Socket(AF_UNIX, isStream: false, for: "NOTIFY_SOCKET"), name: name)
    }

    private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Descriptors begin behind the standard ones.
    private static var firstDescriptor: Int32 { 3 }
    /// More sockets than any service needs.
    private static var mostDescriptors: Int32 { 1_024 }

    private static func listeners(
        _ environment: (String) -> String?, _ process: Int32
    ) throws(HostingFailure) -> [(name: String, listener: Listener)] {
        guard let owner = environment("LISTEN_PID").flatMap(Int32.init), owner == process,
            let count = environment("LISTEN_FDS").flatMap(Int32.init), (1...mostDescriptors).contains(count)
        else { return [] }
        let names = (environment("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
        var listeners: [(name: String, listener: Listener)] = []
        for index in 0..<count {
            let name = Int(index) < names.count ? String(names[Int(index)]) : ""
            listeners.append((name, try Listener(inherited: firstDescriptor + index)))
        }
        return listeners
    }

    private static func heartbeat(_ environment: (String) -> String?, _ process: Int32) -> Duration? {
        guard let interval = environment("WATCHDOG_USEC").flatMap(Int64.init), interval > 0,
            environment("WATCHDOG_PID").flatMap(Int32.init) ?? process == process
        else { return nil }
        return .microseconds(interval / 2)
    }
}

extension ServiceManager {
    /// How far the process is.
    public enum State: Sendable, Hashable {
        /// Keys are loaded, the store is open, sockets listen.
        case ready
        /// Configuration is read anew; ``ready`` follows.
        case reloading
        /// Nothing new begins.
        case stopping
        /// The process is at work.
        case alive
        /// A few words for people, without secrets.
        case status(String)
    }

    /// Tells it; a manager that does not listen is not waited for.
    public func tell(_ state: State) {
        guard let channel else { return }
        let words = Self.words(state)
        _ = channel.name.with { name, length in
            Int32(
                words.withUnsafeBytes {
                    sendto(channel.socket.number, $0.baseAddress, $0.count, 0, name, length)
                })
        }
    }

    private static func words(_ state: State) -> [UInt8] {
        switch state {
        case .ready: return Array("READY=1".utf8)
        case .reloading:
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            return Array("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000)".utf8)
        case .stopping: return Array("STOPPING=1".utf8)
        case .alive: return Array("WATCHDOG=1".utf8)
        case .status(let words):
            // A second line would be another word to the manager.
            return Array("STATUS=".utf8) + words.utf8.map { $0 < 0x20 ? 0x20 : $0 }
        }
    }
}
