#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import Synchronization
internal import Wire

/// A socket that takes connections.
public final class Listener: Sendable {
    let socket: Socket
    /// Where it listens, as it was asked for.
    let address: String
    /// Whether only processes of this machine can connect.
    let isLocal: Bool
    /// The path to remove when it ends, as long as it is there.
    private let path: Mutex<String?>

    private init(_ socket: Socket, at address: String, isLocal: Bool, removing path: String? = nil) {
        (self.socket, self.address, self.isLocal) = (socket, address, isLocal)
        self.path = Mutex(path)
    }

    deinit { withdraw() }

    /// Removes the path, at once and once: who looks for it finds nobody there, or who comes after.
    func withdraw() {
        path.withLock { path in
            if let path { unlink(path) }
            path = nil
        }
    }

    /// The port at which it listens, which the system chose where none was named; `nil` for a path.
    public var port: UInt16? {
        guard let name = SocketName.found(by: { getsockname(socket.number, $0, $1) }) else { return nil }
        // It stands at the same place for both versions.
        let port = withUnsafeBytes(of: name) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
        return name.ss_family == sa_family_t(AF_UNIX) ? nil : port
    }
}

// MARK: - Listening

extension Listener {
    /// Listens at an address; at loopback there are two listeners, one for each version of the protocol.
    ///
    /// - Parameter isForOwner: whether a path is for the owner's processes alone, and not for the group's as well.
    public static func listen(at address: Address, isForOwner: Bool = false) throws(HostingFailure) -> [Listener] {
        switch address {
        case .path(let path): return [try listen(atPath: path, mask: isForOwner ? 0o177 : 0o117)]
        case .version4(let number, let port):
            return [try listen(SocketName(number, port), at: address.description, isLocal: address.isLocal)]
        case .version6(let number, let port):
            return [try listen(SocketName(number, port), at: address.description, isLocal: address.isLocal)]
        case .loopback(let port):
            let first = try listen(
                SocketName(URI.IPv4Address(bits: 0x7f00_0001), port), at: address.description, isLocal: true)
            let second = SocketName(URI.IPv6Address(bits: 1), first.port ?? port)
            do throws(HostingFailure) {
                return [first, try listen(second, at: address.description, isLocal: true)]
            } catch {
                // Machines without version 6 have the other one all the same.
                guard case .failed = error else { throw error }
                return [first]
            }
        }
    }

    /// Listens at a path; what a process that has ended left there is removed (SYS-7).
    private static func listen(atPath path: String, mask: mode_t) throws(HostingFailure) -> Listener {
        guard let name = SocketName(path: path) else { throw .pathTooLong(path) }
        let address = Address.path(path).description
        try removeStale(name, path, address)
        return try listen(name, at: address, isLocal: true, removing: path, mask: mask)
    }

    private static func listen(
        _ name: SocketName, at address: String, isLocal: Bool, removing path: String? = nil, mask: mode_t = 0
    ) throws(HostingFailure) -> Listener {
        let socket = try Socket(name.family, for: address)
        if name.family != AF_UNIX { socket.set(SO_REUSEADDR, of: SOL_SOCKET) }
        if name.family == AF_INET6 { socket.set(IPV6_V6ONLY, of: Int32(IPPROTO_IPV6)) }
        let former = path.map { _ in umask(mask) }
        let bound = name.with { bind(socket.number, $0, $1) }
        let code = errno
        if let former { umask(former) }
        guard bound == 0 else {
            if code == EADDRINUSE { throw .taken(address: address) }
            throw HostingFailure(call: "bind", address, code: code)
        }
        guard systemListen(socket.number) == 0 else { throw HostingFailure(call: "listen", address) }
        return Listener(socket, at: address, isLocal: isLocal, removing: path)
    }

    /// Takes over a socket that the service manager opened, which stays its own when this process ends (SYS-1).
    convenience init(inherited number: Int32) throws(HostingFailure) {
        var isListening: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        var kind: Int32 = 0
        guard getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0, isListening != 0,
            getsockopt(number, SOL_SOCKET, SO_TYPE, &kind, &length) == 0, kind == Socket.stream
        else { throw .notListening(descriptor: number) }
        guard let name = SocketName.found(by: { getsockname(number, $0, $1) }), let peer = HTTP.Peer(name) else {
            throw .notListening(descriptor: number)
        }
        self.init(Socket(number), at: "descriptor \(number)", isLocal: peer.isLocal)
    }

    private static func removeStale(_ name: SocketName, _ path: String, _ address: String) throws(HostingFailure) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        let probe = try Socket(AF_UNIX, for: address)
        let refused = name.with { connect(probe.number, $0, $1) } != 0 && errno == ECONNREFUSED
        guard refused else { throw .taken(address: address) }
        unlink(path)
    }
}

// MARK: - Accepting

extension Listener {
    /// What a call that takes a connection came to.
    enum Accepted {
        case connection(Socket, HTTP.Peer)
        /// Nobody waits.
        case nobody
        /// This process, or the system, has no room for another one.
        case full
    }

    /// Takes the connection that waits longest.
    func accept() -> Accepted {
        while true {
            var number: Int32 = -1
            let name = SocketName.found { name, length in
                number = systemAccept(socket.number, name, length)
                return number
            }
            if let name {
                let accepted = Socket(number)
                if name.ss_family != sa_family_t(AF_UNIX) { accepted.set(TCP_NODELAY, of: Int32(IPPROTO_TCP)) }
                return .connection(accepted, HTTP.Peer(name) ?? .localSocket)
            }
            switch errno {
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .full
            // Who was waiting may have gone away; the next one may not have.
            case EINTR, ECONNABORTED: continue
            default: return .nobody
            }
        }
    }
}

extension HostingFailure {
    init(call: String, _ address: String, code: Int32 = errno) {
        self = .failed(call: call, address: address, words: String(cString: strerror(code)))
    }
}

extension Socket {
    /// Turns an option on.
    func set(_ option: Int32, of level: Int32) {
        var isOn: Int32 = 1
        setsockopt(number, level, option, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }
}

// MARK: - Calls whose names methods have as well

private func systemListen(_ socket: Int32) -> Int32 { listen(socket, SOMAXCONN) }

private func systemAccept(
    _ socket: Int32, _ name: UnsafeMutablePointer<sockaddr>, _ length: UnsafeMutablePointer<socklen_t>
) -> Int32 { accept(socket, name, length) }
