#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import Synchronization
internal import TokenStores

/// What the system tells a process from outside (SYS-3, SYS-4).
public enum Signal: Sendable, Hashable, CaseIterable {
    /// Stop: by a service manager, or at the terminal.
    case stop
    /// Read the configuration anew.
    case reload

    /// Hears of signals from now on; none of them ends the process by itself any more, and a lost connection does not
    /// either.
    ///
    /// A process has one such stream.
    public static func heard() throws(HostingFailure) -> AsyncStream<Signal> {
        let pipe = try Pipe()
        guard sending.compareExchange(expected: -1, desired: pipe.beginning.number, ordering: .relaxed).exchanged else {
            throw .failed(call: "sigaction", address: "this process", words: "signals are heard already")
        }
        let (stream, continuation) = AsyncStream<Signal>.makeStream()
        let code = OwnThread.start {
            takeSignals()
            while pipe.wait() {
                for number in pipe.clear() {
                    continuation.yield(Int32(number) == SIGHUP ? .reload : .stop)
                }
            }
        }
        guard code == 0 else { throw HostingFailure(call: "pthread_create", "this process", code: code) }
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGTERM, SIGINT, SIGHUP] {
            signal(number) { number in
                // Only what may be called in the middle of anything.
                var byte = UInt8(truncatingIfNeeded: number)
                let code = errno
                _ = write(Signal.sending.load(ordering: .relaxed), &byte, 1)
                errno = code
            }
        }
        return stream
    }

    /// Lets this thread take the signals, whatever the process that started this one had put off.
    private static func takeSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Where handlers write, which can take nothing along.
    private static let sending = Atomic<Int32>(-1)
}
