#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A thread of its own that does one kind of work whenever its bell rings.
///
/// Disks make threads wait, and those of Swift's pool are too few for that.
enum Worker {
    /// Starts the thread.
    ///
    /// Several rings while it works are one call, and it works once more when it is told to end.
    static func start(waitingFor bell: Bell, _ work: @escaping @Sendable () -> Void) throws(StoreFailure) {
        let code = OwnThread.start {
            var call = Bell.Call.work
            repeat {
                call = bell.wait()
                work()
            } while call != .end
        }
        guard code == 0 else { throw .failed(call: "pthread_create", path: "a thread of the store", code: code) }
    }
}

extension Worker {
    /// Lets other threads run that can.
    static func giveWay() { sched_yield() }
}

/// Wakes the one thread that waits for it.
///
/// Sendable because what it holds is used under its own lock only.
final class Bell: @unchecked Sendable {
    enum Call { case none, work, end }

    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var call = Call.none

    init() {
        pthread_mutex_init(lock, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(lock)
        condition.deallocate()
        lock.deallocate()
    }

    func ring(_ next: Call) {
        pthread_mutex_lock(lock)
        // Nothing is taken back from who was told to end.
        if call != .end { call = next }
        pthread_cond_signal(condition)
        pthread_mutex_unlock(lock)
    }

    func wait() -> Call {
        pthread_mutex_lock(lock)
        while call == .none { pthread_cond_wait(condition, lock) }
        let rung = call
        call = .none
        pthread_mutex_unlock(lock)
        return rung
    }
}
