internal import Synchronization
internal import TokenStores
public import Wire

/// Answers requests of HTTP/1.1 at sockets.
///
/// One thread reads and writes, and holds all connections; what answers runs where Swift runs tasks. TLS is the web
/// server's in front of it.
///
/// ```swift
/// let server = try Server(at: Listener.listen(at: .loopback(8080))) { request, client in
///     await host.response(to: request)
/// }
/// try await server.run()
/// ```
public final class Server: Sendable {
    /// Finds the answer to a request.
    public typealias Answering = @Sendable (HTTP.Request, HTTP.Client) async -> HTTP.Response

    private let mailbox: Mailbox
    private let state: Mutex<State>

    private enum State {
        case new(Loop<SystemReadiness>)
        case running
        case draining
        case stopped
    }

    /// Gets ready to serve.
    ///
    /// - Parameters:
    ///   - listeners: the sockets that take connections.
    ///   - policy: how much is taken.
    ///   - log: hears of each answer, on the thread that reads and writes: it must not wait.
    ///   - answer: finds the answers.
    public init(
        at listeners: [Listener], policy: Policy = Policy(), log: @escaping @Sendable (AccessLine) -> Void = { _ in },
        answer: @escaping Answering
    ) throws(HostingFailure) {
        if policy.dialect == .scgi, let open = listeners.first(where: { !$0.isLocal }) {
            throw .publicSCGI(address: open.address)
        }
        mailbox = try Mailbox()
        state = Mutex(
            .new(try Loop(listeners, policy: policy, mailbox: mailbox, readiness: .init(), log: log, answer: answer)))
    }

    /// Serves until it is told to stop, and what has begun has ended; to cancel the task is to tell so.
    public func run() async throws(HostingFailure) {
        let loop: Loop<SystemReadiness>? = state.withLock { state in
            guard case .new(let loop) = state else { return nil }
            state = .running
            return loop
        }
        guard let loop else { return }
        let code = await withTaskCancellationHandler {
            await withCheckedContinuation { end in
                let code = OwnThread.start {
                    var loop = loop
                    loop.run()
                    end.resume(returning: Int32(0))
                }
                if code != 0 { end.resume(returning: code) }
            }
        } onCancel: {
            stop()
        }
        state.withLock { $0 = .stopped }
        guard code == 0 else { throw HostingFailure(call: "pthread_create", "all addresses", code: code) }
    }

    /// Takes no further connections, and lets what has begun end; told again, it ends at once (SYS-3).
    public func stop() {
        let post: Mailbox.Post = state.withLock { state in
            switch state {
            case .new, .running:
                if case .running = state { state = .draining }
                return .drain
            case .draining, .stopped: return .stop
            }
        }
        mailbox.post(post)
    }
}
