import Glibc
import Testing
@testable import Hosting
import TokenStores
import Wire

/// A client that waits, for ten seconds at most, for what a server sends.
final class TestClient {
    let number: Int32

    init(_ name: SocketName) throws {
        number = socket(name.family, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let number = number
        try #require(name.with { connect(number, $0, $1) } == 0)
    }

    convenience init(_ port: UInt16) throws { try self.init(SocketName(URI.IPv4Address(bits: 0x7f00_0001), port)) }

    deinit { close(number) }

    func send(_ text: String) { _ = Glibc.send(number, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

    /// What comes until there is so much, or nothing more; whether the stream ended tells the second value.
    func receive(_ count: Int = .max) -> (text: String, isOver: Bool) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < count {
            let step = recv(number, &buffer, buffer.count, 0)
            guard step > 0 else { return (String(decoding: bytes, as: UTF8.self), step == 0 || errno != EAGAIN) }
            bytes += buffer[..<step]
        }
        return (String(decoding: bytes, as: UTF8.self), false)
    }

    /// Whether the other side has closed.
    var isClosed: Bool { receive().isOver }
}

/// Does what waits on a thread of its own, because servers under test answer on those of Swift's pool.
func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (end: CheckedContinuation<Void, any Error>) in
        let code = OwnThread.start { end.resume(with: Result { try body() }) }
        if code != 0 { end.resume(throwing: HostingFailure(call: "pthread_create", "a test", code: code)) }
    }
}

/// Threads for servers under test, because hundreds of other tests keep those of Swift's pool busy.
final class TestWorkers: TaskExecutor {
    static let shared = TestWorkers()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let code = OwnThread.start { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        precondition(code == 0)
    }
}

/// A name for a socket that no other test has.
func temporaryPath(_ name: String) -> String { "/tmp/eduid-\(getpid())-\(UInt32.random(in: .min ... .max))-\(name)" }
