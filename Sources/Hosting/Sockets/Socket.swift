#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A socket that is closed when nothing refers to it any more; it never makes a thread wait.
final class Socket: Sendable {
    let number: Int32

    /// Takes over a descriptor, which becomes this process's own and never waits.
    init(_ number: Int32) {
        self.number = number
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    }

    /// Opens one of a family: for a stream, or for datagrams.
    ///
    /// - Parameter address: what it is for, in words.
    convenience init(_ family: Int32, isStream: Bool = true, for address: String) throws(HostingFailure) {
        let number = systemSocket(family, isStream ? Self.stream : Self.datagram, 0)
        guard number >= 0 else { throw HostingFailure(call: "socket", address) }
        self.init(number)
    }

    deinit { close(number) }

    /// What a call that moves bytes came to.
    enum Moved: Equatable {
        case bytes(Int)
        /// Nothing can be moved now.
        case later
        /// The other side has ended, or the connection is lost.
        case over
    }

    /// Receives what is there into a buffer, from its beginning.
    func receive(into buffer: inout [UInt8]) -> Moved {
        Self.moved(buffer.withUnsafeMutableBytes { recv(number, $0.baseAddress, $0.count, 0) })
    }

    /// Sends bytes from an offset on, as many as the system takes.
    func send(_ bytes: [UInt8], from offset: Int) -> Moved {
        Self.moved(
            bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[offset...])
                return systemSend(number, rest.baseAddress, rest.count, Self.withoutSignal)
            })
    }

    /// Tells the other side that nothing more comes, while what it sends is still taken.
    func endSending() { shutdown(number, Int32(SHUT_WR)) }

    #if canImport(Glibc)
    static let stream = Int32(SOCK_STREAM.rawValue)
    private static let datagram = Int32(SOCK_DGRAM.rawValue)
    #else
    static let stream = SOCK_STREAM
    private static let datagram = SOCK_DGRAM
    #endif

    #if canImport(Darwin)
    private static let withoutSignal: Int32 = 0
    #else
    private static let withoutSignal = Int32(MSG_NOSIGNAL)
    #endif

    private static func moved(_ count: Int) -> Moved {
        if count > 0 { return .bytes(count) }
        if count == 0 { return .over }
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? .later : .over
    }
}

// MARK: - Calls whose names members have as well

private func systemSocket(_ family: Int32, _ kind: Int32, _ number: Int32) -> Int32 { socket(family, kind, number) }

private func systemSend(_ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(socket, bytes, count, flags)
}
