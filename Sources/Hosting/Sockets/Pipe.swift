#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Wakes whoever waits for sockets.
final class Pipe: Sendable {
    /// Can be read when there was a signal.
    let end: Socket
    let beginning: Socket

    init() throws(HostingFailure) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw HostingFailure(call: "pipe", "all addresses") }
        (end, beginning) = (Socket(ends[0]), Socket(ends[1]))
    }

    /// A full pipe wakes as well.
    func signal() {
        var byte: UInt8 = 1
        _ = write(beginning.number, &byte, 1)
    }

    /// Waits for a signal.
    func wait() -> Bool {
        var entry = pollfd(fd: end.number, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, -1) < 0 { guard errno == EINTR else { return false } }
        return true
    }

    /// Takes all signals, and says what they were.
    @discardableResult
    func clear() -> [UInt8] {
        var found: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64)
        while true {
            let count = read(end.number, &buffer, buffer.count)
            guard count > 0 else { return found }
            found += buffer[..<count]
            // Less than there was room for is all there is.
            if count < buffer.count { return found }
        }
    }
}
