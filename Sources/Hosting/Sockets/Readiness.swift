#if canImport(CEventPolling)
internal import CEventPolling
#endif
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// What sockets are waited for.
struct Interest: OptionSet, Hashable {
    let rawValue: UInt8

    static let reading = Interest(rawValue: 1)
    static let writing = Interest(rawValue: 2)
    /// Told without having been asked for: the connection is lost.
    static let loss = Interest(rawValue: 4)
}

/// Tells which of many sockets can be read from or written to.
protocol Readiness: Sendable {
    init() throws(HostingFailure)

    /// Waits for a socket from now on; what becomes ready is told with the token.
    mutating func add(_ socket: Int32, _ interest: Interest, token: UInt64)
    mutating func change(_ socket: Int32, _ interest: Interest, token: UInt64)
    mutating func remove(_ socket: Int32)

    /// Waits until a socket is ready, or so many milliseconds.
    mutating func wait(_ milliseconds: Int32, _ tell: (UInt64, Interest) -> Void)
}

#if canImport(CEventPolling)
/// What the loop of a server waits with.
typealias SystemReadiness = EventPolling

/// By `epoll`, whose cost does not depend on how many sockets there are.
///
/// Sendable because the events hold numbers alone, though the system would allow them addresses.
struct EventPolling: Readiness, @unchecked Sendable {
    private let descriptor: Socket
    private var events = [epoll_event](repeating: epoll_event(), count: 256)

    init() throws(HostingFailure) {
        let number = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard number >= 0 else { throw HostingFailure(call: "epoll_create1", "all addresses") }
        descriptor = Socket(number)
    }

    mutating func add(_ socket: Int32, _ interest: Interest, token: UInt64) {
        control(EPOLL_CTL_ADD, socket, interest, token)
    }

    mutating func change(_ socket: Int32, _ interest: Interest, token: UInt64) {
        control(EPOLL_CTL_MOD, socket, interest, token)
    }

    mutating func remove(_ socket: Int32) { control(EPOLL_CTL_DEL, socket, [], 0) }

    private func control(_ call: Int32, _ socket: Int32, _ interest: Interest, _ token: UInt64) {
        var event = epoll_event()
        if interest.contains(.reading) { event.events |= EPOLLIN.rawValue }
        if interest.contains(.writing) { event.events |= EPOLLOUT.rawValue }
        event.data.u64 = token
        epoll_ctl(descriptor.number, call, socket, &event)
    }

    mutating func wait(_ milliseconds: Int32, _ tell: (UInt64, Interest) -> Void) {
        let count = epoll_wait(descriptor.number, &events, Int32(events.count), milliseconds)
        guard count > 0 else { return }
        for event in events[..<Int(count)] {
            var interest: Interest = []
            if event.events & EPOLLIN.rawValue != 0 { interest.insert(.reading) }
            if event.events & EPOLLOUT.rawValue != 0 { interest.insert(.writing) }
            if event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { interest.insert(.loss) }
            tell(event.data.u64, interest)
        }
    }
}
#else
typealias SystemReadiness = ListPolling
#endif

/// By `poll`, which every system has, and which looks at all sockets at each call.
struct ListPolling: Readiness {
    private var entries: [pollfd] = []
    private var tokens: [UInt64] = []
    private var places: [Int32: Int] = [:]

    init() {}

    mutating func add(_ socket: Int32, _ interest: Interest, token: UInt64) {
        places[socket] = entries.count
        entries.append(pollfd(fd: socket, events: Self.events(interest), revents: 0))
        tokens.append(token)
    }

    mutating func change(_ socket: Int32, _ interest: Interest, token: UInt64) {
        guard let place = places[socket] else { return }
        entries[place].events = Self.events(interest)
        tokens[place] = token
    }

    mutating func remove(_ socket: Int32) {
        guard let place = places.removeValue(forKey: socket) else { return }
        let last = entries.count - 1
        if place != last {
            (entries[place], tokens[place]) = (entries[last], tokens[last])
            places[entries[place].fd] = place
        }
        entries.removeLast()
        tokens.removeLast()
    }

    private static func events(_ interest: Interest) -> Int16 {
        Int16((interest.contains(.reading) ? POLLIN : 0) | (interest.contains(.writing) ? POLLOUT : 0))
    }

    mutating func wait(_ milliseconds: Int32, _ tell: (UInt64, Interest) -> Void) {
        guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return }
        for (entry, token) in zip(entries, tokens) where entry.revents != 0 {
            let found = Int32(entry.revents)
            var interest: Interest = []
            if found & Int32(POLLIN) != 0 { interest.insert(.reading) }
            if found & Int32(POLLOUT) != 0 { interest.insert(.writing) }
            if found & Int32(POLLERR | POLLHUP | POLLNVAL) != 0 { interest.insert(.loss) }
            tell(token, interest)
        }
    }
}
