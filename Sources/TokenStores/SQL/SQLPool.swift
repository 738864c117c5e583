internal import Synchronization
internal import TokenTree
internal import Wire
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Connections, each on a thread of its own, and what waits for one of them.
final class SQLPool<Connection: SQLConnection>: Sendable {
    private let state = Mutex(State())
    private let bells: [Bell]
    /// What the names of all writers of this pool begin with, each of which adds its number.
    let origin: String

    fileprivate struct State {
        var jobs: [@Sendable (inout SQLPost<Connection>) -> Void] = []
        /// The threads that wait for a job.
        var idle: [Int] = []
        var working = 0
        var isClosed = false
        var closers: [@Sendable () -> Void] = []
    }

    init(
        count: Int, words: Statements, limits: MemoryStore.Limits, patience: Duration,
        clock: StoreClock, connect: @escaping @Sendable () throws(SQLFailure) -> Connection
    ) throws(StoreFailure) {
        bells = (0..<count).map { _ in Bell() }
        origin = Self.makeOrigin()
        for (number, bell) in bells.enumerated() {
            let post = Mutex(
                SQLPost(
                    writer: "\(origin)/\(number)", words: words, limits: limits, patience: patience, clock: clock,
                    connect: connect))
            try Worker.start(waitingFor: bell) { [weak self] in
                guard let self else { return post.withLock { $0.hangUp() } }
                post.withLock { self.work(number, &$0) }
            }
            state.withLock { $0.idle.append(number) }
        }
    }

    /// This process among all that write, as operators know it: the machine, the process, and when it began.
    private static func makeOrigin() -> String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let host = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            .map { Freshness.isWord($0) && $0 != UInt8(ascii: "/") ? $0 : UInt8(ascii: "-") }
        return "\(String(decoding: host, as: UTF8.self))/\(getpid())/\(time.tv_sec).\(time.tv_nsec)"
    }

    /// Runs a job on one of the threads.
    func run<Value: Sendable>(
        _ job: @escaping @Sendable (inout SQLPost<Connection>) throws(StoreFailure) -> Value
    ) async throws(StoreFailure) -> Value {
        try await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, StoreFailure>, Never>) in
            let isTaken = submit { post in
                do throws(StoreFailure) {
                    continuation.resume(returning: .success(try job(&post)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            if !isTaken { continuation.resume(returning: .failure(.closed)) }
        }.get()
    }

    private func submit(_ job: @escaping @Sendable (inout SQLPost<Connection>) -> Void) -> Bool {
        let (isTaken, number) = state.withLock { state -> (Bool, Int?) in
            guard !state.isClosed else { return (false, nil) }
            state.jobs.append(job)
            return (true, state.idle.popLast())
        }
        if let number { bells[number].ring(.work) }
        return isTaken
    }

    /// Does jobs as long as there are any.
    private func work(_ number: Int, _ post: inout SQLPost<Connection>) {
        while true {
            let job = state.withLock { state -> (@Sendable (inout SQLPost<Connection>) -> Void)? in
                guard !state.jobs.isEmpty else {
                    if !state.idle.contains(number) { state.idle.append(number) }
                    return nil
                }
                state.working += 1
                return state.jobs.removeFirst()
            }
            guard let job else { break }
            job(&post)
            let closers = state.withLock { state -> [@Sendable () -> Void] in
                state.working -= 1
                return state.takeClosers()
            }
            for closer in closers { closer() }
        }
        if state.withLock({ $0.isClosed }) { post.hangUp() }
    }

    /// Takes no more jobs, and answers when the last one is done.
    func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let closers = state.withLock { state -> [@Sendable () -> Void] in
                state.isClosed = true
                state.closers.append { continuation.resume() }
                return state.takeClosers()
            }
            for closer in closers { closer() }
        }
        dismiss()
    }

    /// Ends the threads after the jobs that they have.
    func dismiss() {
        state.withLock { $0.isClosed = true }
        for bell in bells { bell.ring(.end) }
    }
}

extension SQLPool.State {
    /// Who waits for the end, if it has come.
    fileprivate mutating func takeClosers() -> [@Sendable () -> Void] {
        guard isClosed, jobs.isEmpty, working == 0 else { return [] }
        defer { closers = [] }
        return closers
    }
}

extension StoreFailure {
    /// What a failure of a database is to whoever asked the store, after so many attempts.
    init(_ failure: SQLFailure, after attempts: Int) {
        self =
            switch failure {
            case .conflicting, .taken: .contended(attempts: attempts)
            case .lost(let reason): .unreachable(reason)
            case .slow(let reason): .slow(reason)
            case .full(let place): .full(path: place)
            case .readOnly(let place): .readOnly(path: place)
            case .notPermitted(let place): .notPermitted(path: place)
            case .refused(let code, let reason): .refused(code: code, reason)
            }
    }
}
