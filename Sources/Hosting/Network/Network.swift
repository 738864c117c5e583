public import RSD2
public import Wire

/// Sends requests to other services: each once, on a connection of its own, within one time, and only to addresses that
/// may be asked.
///
/// ```swift
/// let network = Network()
/// let host = EduIDService.Host(service, in: store, clock: clock, network: { await network.send($0) })
/// ```
///
/// TLS comes with the package trait `Curl`; without it this machine alone is asked.
public final class Network: Sendable {
    private let policy: Policy
    private let threads: OwnThreads

    /// How much is taken, how long it may take, and from where.
    public struct Policy: Sendable {
        /// The most bytes of an answer's body.
        public var responseLimit = 1 << 20
        /// How long a call may take, from the wait for its turn to the last byte of the answer.
        public var time: Duration = .seconds(10)
        /// How many calls are made at a time; each has a thread.
        public var callLimit = 64
        /// How many calls may wait for their turn.
        public var waitingLimit = 1_024
        /// Which addresses may be asked (threat 70, NET-5).
        public var destinations = Destinations.worldwide
        /// A file with the certificates of authorities, in PEM, in the place of those that the system trusts.
        public var authorities: String?
        /// The path of a socket behind which all that is asked lives, whatever its URL says: a process of this machine.
        public var door: String?

        /// Modest limits, and no address of the own network.
        public init() {}
    }

    /// Gets ready to send.
    public init(policy: Policy = Policy()) {
        self.policy = policy
        threads = OwnThreads(limit: policy.callLimit, waitingLimit: policy.waitingLimit)
    }

    /// Sends a request; `nil` if there was no answer.
    public func send(_ request: HTTP.Request) async -> HTTP.Response? { try? await answer(to: request) }

    /// Sends a request, and says why there was no answer, for people.
    ///
    /// Redirects are answers, and nothing is sent twice (NET-6). When the task is cancelled nobody waits for the answer
    /// any more.
    public func answer(to request: HTTP.Request) async throws(NetworkFailure) -> HTTP.Response {
        guard case .absolute(let url) = request.target else { throw .noURL }
        let call = Call(request, to: url, policy: policy)
        let deadline = Task {
            try? await Task.sleep(until: call.deadline, clock: .continuous)
            call.finish(.failure(.late(policy.time)))
        }
        defer { deadline.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { end in
                call.onEnd { end.resume(returning: $0) }
                begin(call)
            }
        } onCancel: {
            call.finish(.failure(.cancelled))
        }
        return try result.get()
    }

    /// Begins a call when it is its turn.
    private func begin(_ call: Call) {
        do throws(OwnThreads.Refusal) {
            try threads.begin(.init(isWanted: { call.isWaitedFor }, work: { call.carryOut() }))
        } catch {
            switch error {
            case .busy: call.finish(.failure(.busy(policy.waitingLimit)))
            case .failed(let code): call.finish(.failure(.failed(call: "pthread_create", code: code)))
            }
        }
    }
}
