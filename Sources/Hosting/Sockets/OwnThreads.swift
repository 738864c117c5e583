internal import Synchronization
internal import TokenStores

/// Threads of this process for work that waits or computes for long: so many at a time, and the rest in its turn.
final class OwnThreads: Sendable {
    private let state: Mutex<State>

    /// Work for a thread.
    struct Job: Sendable {
        /// Whether anybody still wants it.
        let isWanted: @Sendable () -> Bool
        let work: @Sendable () -> Void
    }

    /// Why there is no thread for a job.
    enum Refusal: Error {
        /// Too many wait already.
        case busy
        /// The system has no thread.
        case failed(code: Int32)
    }

    fileprivate struct State {
        let limit: Int
        let waitingLimit: Int
        var running = 0
        var waiting: [Job] = []
        /// Those before it have had their turn.
        var first = 0
    }

    init(limit: Int, waitingLimit: Int) {
        state = Mutex(State(limit: max(1, limit), waitingLimit: max(0, waitingLimit)))
    }

    /// Has a job done when it is its turn.
    func begin(_ job: Job) throws(Refusal) {
        let isNow = try state.withLock { state throws(Refusal) in try state.take(job) }
        guard isNow, let code = start(job) else { return }
        throw .failed(code: code)
    }

    /// Starts a thread that does one job after the other; answers why there is none.
    private func start(_ job: Job) -> Int32? {
        let code = OwnThread.start { [self] in
            var next: Job? = job
            while let job = next {
                job.work()
                next = state.withLock { $0.next() }
            }
        }
        guard code != 0 else { return nil }
        state.withLock { $0.running -= 1 }
        return code
    }
}

extension OwnThreads.State {
    /// Whether the job has its turn now; otherwise it waits.
    fileprivate mutating func take(_ job: OwnThreads.Job) throws(OwnThreads.Refusal) -> Bool {
        if running < limit {
            running += 1
            return true
        }
        // Each job is moved once, and not each time that one before it has begun.
        if first > waiting.count / 2 {
            waiting.removeFirst(first)
            first = 0
        }
        guard waiting.count - first < waitingLimit else { throw .busy }
        waiting.append(job)
        return false
    }

    /// The next job that somebody wants; without one there is a thread less.
    fileprivate mutating func next() -> OwnThreads.Job? {
        while first < waiting.count {
            let job = waiting[first]
            first += 1
            if job.isWanted() { return job }
        }
        waiting = []
        first = 0
        running -= 1
        return nil
    }
}
