#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import RSD2
internal import Synchronization
internal import Wire

/// One request on its way: it is carried out by a thread that may wait, and ends once, whoever ends it.
final class Call: Sendable {
    typealias Outcome = Result<HTTP.Response, NetworkFailure>

    let deadline: ContinuousClock.Instant
    let request: HTTP.Request
    let url: WebURL
    let policy: Network.Policy
    private let state = Mutex(State.new)

    private enum State {
        case new
        case awaited(@Sendable (Outcome) -> Void)
        case over(Outcome)
    }

    /// The longest time after which a thread that waits for the system looks whether anybody still waits for it.
    private static let glance: Int32 = 100

    init(_ request: HTTP.Request, to url: WebURL, policy: Network.Policy) {
        (self.request, self.url, self.policy) = (request, url, policy)
        deadline = ContinuousClock.now + policy.time
    }

    /// Says who is told of the end, also if that was before.
    func onEnd(_ told: @escaping @Sendable (Outcome) -> Void) {
        let outcome: Outcome? = state.withLock { state in
            if case .over(let outcome) = state { return outcome }
            state = .awaited(told)
            return nil
        }
        if let outcome { told(outcome) }
    }

    /// Ends the call, unless it has ended.
    func finish(_ outcome: Outcome) {
        let told: (@Sendable (Outcome) -> Void)? = state.withLock { state in
            switch state {
            case .over: return nil
            case .new:
                state = .over(outcome)
                return nil
            case .awaited(let told):
                state = .over(outcome)
                return told
            }
        }
        told?(outcome)
    }

    /// Whether it has not ended.
    var isWaitedFor: Bool {
        state.withLock { state in
            if case .over = state { return false }
            return true
        }
    }

    /// Sends the request and waits for the answer, on a thread of its own.
    func carryOut() {
        if isWaitedFor { finish(outcome()) }
    }

    private func outcome() -> Outcome {
        do throws(NetworkFailure) {
            guard url.scheme == .http else {
                #if Curl
                return .success(try answerOverTLS())
                #else
                throw .withoutTLS(host: host)
                #endif
            }
            return .success(try exchange(on: try connection()))
        } catch {
            return .failure(error)
        }
    }

    var host: String { policy.door ?? url.origin.description }
}

// MARK: - Over HTTP to this machine

extension Call {
    /// The addresses that the URL means, each with the bytes by which it is judged.
    private func addresses() throws(NetworkFailure) -> [(name: SocketName, octets: [UInt8])] {
        if let door = policy.door {
            guard let name = SocketName(path: door) else {
                throw .unreachable(host: door, words: "the path is too long for a socket")
            }
            return [(name, [])]
        }
        let port = url.port ?? 80
        let (first, second) = (URI.IPv4Address(bits: 0x7f00_0001), URI.IPv6Address(bits: 1))
        switch url.host {
        case .ipv4(let address) where address.isLoopback: return [Self.place(address, port)]
        case .ipv6(let address) where address.isLoopback: return [Self.place(address, port)]
        // The name means this machine, whatever a resolver says (RFC 6761 §6.3).
        case .domain where url.host.isLoopback: return [Self.place(first, port), Self.place(second, port)]
        default: throw .notEncrypted(host: host)
        }
    }

    private static func place(_ address: URI.IPv4Address, _ port: UInt16) -> (name: SocketName, octets: [UInt8]) {
        (SocketName(address, port), withUnsafeBytes(of: address.bits.bigEndian) { Array($0) })
    }

    private static func place(_ address: URI.IPv6Address, _ port: UInt16) -> (name: SocketName, octets: [UInt8]) {
        (SocketName(address, port), withUnsafeBytes(of: address.bits.bigEndian) { Array($0) })
    }

    /// Connects to the first address that takes connections.
    private func connection() throws(NetworkFailure) -> Socket {
        var words = ""
        for (name, octets) in try addresses() {
            guard policy.door != nil || policy.destinations.permits(octets: octets) else {
                throw .notPermitted(host: host)
            }
            let socket: Socket
            do throws(HostingFailure) { socket = try Socket(name.family, for: host) } catch {
                words = "\(error)"
                continue
            }
            var code = name.with { connect(socket.number, $0, $1) } == 0 ? 0 : errno
            if code == EINPROGRESS || code == EINTR {
                try waitUntilReady(socket, POLLOUT)
                var length = socklen_t(MemoryLayout<Int32>.size)
                if getsockopt(socket.number, SOL_SOCKET, SO_ERROR, &code, &length) != 0 { code = errno }
            }
            if code == 0 { return socket }
            words = String(cString: strerror(code))
        }
        throw .unreachable(host: host, words: words)
    }

    /// Waits until the system says that something can be done, as long as somebody waits for the answer.
    private func waitUntilReady(_ socket: Socket, _ events: Int32) throws(NetworkFailure) {
        while true {
            guard ContinuousClock.now < deadline else { throw .late(policy.time) }
            guard isWaitedFor else { throw .cancelled }
            var place = pollfd(fd: socket.number, events: Int16(events), revents: 0)
            let count = poll(&place, 1, Self.glance)
            if count > 0 { return }
            if count < 0, errno != EINTR { throw .failed(call: "poll", code: errno) }
        }
    }

    private func exchange(on socket: Socket) throws(NetworkFailure) -> HTTP.Response {
        var output: [UInt8] = []
        HTTP1.append(request, to: url, to: &output)
        var limits = HTTP1.Limits()
        limits.body = policy.responseLimit
        var reader = HTTP1.AnswerReader(to: request.method, limits: limits)
        var sent = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let isSending = sent < output.count
            // Whoever refuses a request may say so before it has taken all of it.
            try waitUntilReady(socket, isSending ? POLLIN | POLLOUT : POLLIN)
            switch socket.receive(into: &buffer) {
            case .bytes(let count):
                if let answer = try answer(reader.take(buffer.span.extracting(0..<count))) { return answer }
                continue
            case .over:
                if let answer = try answer(reader.end()) { return answer }
                throw .lost(host: host)
            case .later: break
            }
            guard isSending else { continue }
            switch socket.send(output, from: sent) {
            case .bytes(let count): sent += count
            case .later: break
            // What the other side said before it went may still be there to be read.
            case .over: sent = output.count
            }
        }
    }

    private func answer(_ event: HTTP1.AnswerReader.Event) throws(NetworkFailure) -> HTTP.Response? {
        switch event {
        case .needsMore: return nil
        case .answer(let response): return response
        case .refusal(let refusal): throw .unreadable(host: host, refusal.rule)
        }
    }
}
