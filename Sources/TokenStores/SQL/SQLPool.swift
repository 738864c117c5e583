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
        clock: (@Sendable () -> Timestamp)?, connect: @escaping @Sendable () throws(SQLFailure) -> Connection
    ) throws(StoreFailure) {
        bells = (0..<count).map { _ in Bell() }
        let origin = Self.origin
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
    private static var origin: String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(host)/\(getpid())/\(time.tv_sec).\(time.tv_nsec)"
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

// MARK: - Tables

extension SQLPool {
    /// Makes the tables of a tree where they are not there, and refuses those of a later version.
    static func prepare(
        _ schema: Schema, _ connect: () throws(SQLFailure) -> Connection
    ) throws(StoreFailure) {
        do throws(SQLFailure) {
            let connection = try connect()
            let version = try version(of: schema, over: connection)
            if version > Schema.version { throw .refused(code: laterCode, "\(version)") }
        } catch {
            if case .refused(laterCode, let version) = error {
                throw .later(version: Int64(version) ?? .max, known: Schema.version)
            }
            throw StoreFailure(error, after: 1)
        }
    }

    private static var laterCode: String { "later" }

    private static func version(of schema: Schema, over connection: Connection) throws(SQLFailure) -> Int64 {
        var attempts = 8
        while true {
            do throws(SQLFailure) {
                if let found = try? connection.perform([schema.version]).first?.first?.first?.integer { return found }
                let begin = SQLStatement(Connection.dialect.beginWriting)
                _ = try connection.perform([begin] + schema.creation + [SQLStatement("COMMIT")])
            } catch {
                _ = try? connection.perform([SQLStatement("ROLLBACK")])
                attempts -= 1
                // Two processes may make the tables at once, and one of them finds them made.
                switch error {
                case .conflicting where attempts > 0, .taken where attempts > 0: continue
                default: throw error
                }
            }
        }
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
