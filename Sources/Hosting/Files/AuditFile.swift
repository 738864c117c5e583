#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import Synchronization

/// A file that lines are appended to, each whole, by any number of threads and processes (OPS-10).
///
/// Only its owner can read it. A program that moves old files away has it begun anew by ``reopen()``.
public final class AuditFile: Sendable {
    private let path: String
    private let descriptor: Mutex<Int32>

    /// Opens the file, or makes it.
    public init(at path: String) throws(HostingFailure) {
        self.path = path
        descriptor = Mutex(try Self.opened(path))
    }

    deinit { close(descriptor.withLock { $0 }) }

    private static func opened(_ path: String) throws(HostingFailure) -> Int32 {
        let number = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw .file(path: path, words: String(cString: strerror(errno))) }
        return number
    }

    /// Goes on in the file that has the path now.
    public func reopen() throws(HostingFailure) {
        let anew = try Self.opened(path)
        let former = descriptor.withLock { number in
            defer { number = anew }
            return number
        }
        close(former)
    }

    /// Appends a line; answers whether the system has taken it.
    ///
    /// Bound: one call of the system for a line, so that lines of several processes do not mix.
    public func append(_ line: [UInt8]) -> Bool {
        let bytes = line + [UInt8(ascii: "\n")]
        return descriptor.withLock { number in
            bytes.withUnsafeBytes { write(number, $0.baseAddress, $0.count) } == bytes.count
        }
    }
}
