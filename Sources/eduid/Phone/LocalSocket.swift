import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

// example: a connection of a local socket
/// A connection of a local socket: one message goes each way, and each is ended by closing that direction.
///
/// Whoever is at the other end may be slow, silent, or talk for ever, so each message has a bound in bytes and in time.
/// The program ignores `SIGPIPE`, because the other end may hang up while it is written to.
final class LocalConnection: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit { close(descriptor) }

    /// Connects to the process that listens at a path; `nil` if there is none, or another user's.
    convenience init?(to path: String) {
        let descriptor = LocalAddress.socket()
        guard descriptor >= 0 else { return nil }
        self.init(descriptor)
        guard LocalAddress.with(path, { connect(descriptor, $0, $1) }) == 0, isOfSameUser else { return nil }
    }

    /// Whether the process at the other end is the same user's, by the word of the kernel; which program it runs, the
    /// kernel does not say.
    var isOfSameUser: Bool {
        #if os(Linux)
        // Process, user and group.
        var peer: [UInt32] = [0, 0, 0]
        var length = socklen_t(MemoryLayout<UInt32>.stride * peer.count)
        return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer[1] == geteuid()
        #else
        var (user, group) = (uid_t.max, gid_t.max)
        return getpeereid(descriptor, &user, &group) == 0 && user == geteuid()
        #endif
    }

    /// The whole message of the other end; `nil` if it is longer, takes longer, or breaks off.
    func receive(atMost limit: Int, within time: Duration) -> [UInt8]? {
        let deadline = ContinuousClock.now + time
        var message: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 14)
        while isReady(for: POLLIN, until: deadline) {
            let count = recv(descriptor, &piece, piece.count, 0)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count >= 0, message.count + count <= limit else { return nil }
            if count == 0 { return message }
            message += piece[..<count]
        }
        return nil
    }

    /// Sends a whole message and ends it; answers whether the other end has taken it.
    @discardableResult
    func send(_ message: [UInt8], within time: Duration) -> Bool {
        let deadline = ContinuousClock.now + time
        var rest = message[...]
        while !rest.isEmpty {
            guard isReady(for: POLLOUT, until: deadline) else { return false }
            let count = Array(rest.prefix(1 << 14)).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return shutdown(descriptor, LocalAddress.endOfWriting) == 0
    }

    private func isReady(for events: some BinaryInteger, until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { return false }
            var place = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let count = poll(&place, 1, Int32(clamping: 1 + Int64(min(left / .milliseconds(1), 1e9))))
            if count < 0, errno == EINTR { continue }
            return count > 0
        }
    }
}

/// What the calls of the system need to know of a path.
enum LocalAddress {
    #if canImport(Glibc)
    static let stream = Int32(SOCK_STREAM.rawValue)
    #else
    static let stream = SOCK_STREAM
    #endif
    static let endOfWriting = Int32(SHUT_WR)

    static func socket() -> Int32 { Foundation.socket(AF_UNIX, stream, 0) }

    /// Calls with the address of a path, or answers -1 where the path is too long for one.
    static func with(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
            guard path.utf8.count < place.count else { return false }
            place.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { return -1 }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
// end of example

// example: a listener of a local socket
/// Listens at a path in a folder that belongs to the user alone: whoever else could write there could listen in its
/// place.
final class LocalListener: Sendable {
    /// What to wait for, with `poll`.
    let descriptor: Int32
    private let path: String

    /// `nil` if the folder is not the user's alone, or another process listens there already.
    init?(at path: String) {
        var folder = stat()
        let parent = URL(filePath: path).deletingLastPathComponent().path
        guard lstat(parent, &folder) == 0, folder.st_mode & S_IFMT == S_IFDIR, folder.st_uid == geteuid(),
            folder.st_mode & 0o077 == 0, LocalConnection(to: path) == nil
        else { return nil }
        // What a process left behind that has ended; anything but a socket stays, and the path is taken.
        var former = stat()
        if lstat(path, &former) == 0, former.st_mode & S_IFMT == S_IFSOCK { unlink(path) }
        let descriptor = LocalAddress.socket()
        guard descriptor >= 0 else { return nil }
        guard LocalAddress.with(path, { bind(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            return nil
        }
        (self.descriptor, self.path) = (descriptor, path)
        guard chmod(path, 0o600) == 0, listen(descriptor, 16) == 0 else { return nil }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// The next process of the same user that has connected.
    func accept() -> LocalConnection? {
        let accepted = Foundation.accept(descriptor, nil, nil)
        guard accepted >= 0 else { return nil }
        let connection = LocalConnection(accepted)
        return connection.isOfSameUser ? connection : nil
    }
}
// end of example
