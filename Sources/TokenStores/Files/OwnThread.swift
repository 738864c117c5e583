#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A thread for work that waits for the system: those of Swift's pool are too few for that.
package enum OwnThread {
    /// Starts work on a thread of its own; 0, or why the system has none.
    package static func start(_ work: @escaping @Sendable () -> Void) -> Int32 {
        let duty = Unmanaged.passRetained(Duty(work))
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
            if let argument { Unmanaged<Duty>.fromOpaque(argument).takeRetainedValue().work() }
            return nil
        }
        #if canImport(Darwin)
        let code = pthread_create(&thread, nil, { body($0) }, duty.toOpaque())
        if code == 0, let thread { pthread_detach(thread) }
        #else
        let code = pthread_create(&thread, nil, body, duty.toOpaque())
        if code == 0 { pthread_detach(thread) }
        #endif
        if code != 0 { duty.release() }
        return code
    }
}

/// What a thread was made for.
private final class Duty: Sendable {
    let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
}
