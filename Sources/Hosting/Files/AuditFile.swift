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
    private let state: Mutex<State>
    private let write: @Sendable (Int32, UnsafeRawBufferPointer) -> Int

    private struct State {
        var descriptor: Int32
        /// Whether the system took a part of the last line alone, as on a full disk.
        var isTorn = false
    }

    /// Opens the file, or makes it.
    public convenience init(at path: String) throws(HostingFailure) {
        try self.init(at: path) { number, bytes in systemWrite(number, bytes) }
    }

    /// - Parameter write: takes the place of the system's call.
    init(
        at path: String, writing write: @escaping @Sendable (Int32, UnsafeRawBufferPointer) -> Int
    ) throws(HostingFailure) {
        (self.path, self.write) = (path, write)
        state = Mutex(State(descriptor: try Self.opened(path)))
    }

    deinit { close(state.withLock { $0.descriptor }) }

    private static func opened(_ path: String) throws(HostingFailure) -> Int32 {
        let number = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw .file(path: path, words: String(cString: strerror(errno))) }
        return number
    }

    /// Goes on in the file that has the path now.
    public func reopen() throws(HostingFailure) {
        let anew = try Self.opened(path)
        let former = state.withLock { state in
            defer { state = State(descriptor: anew) }
            return state.descriptor
        }
        close(former)
    }

    /// Appends a line; answers whether the system has taken it.
    ///
    /// A line of which it took a part is ended before the next one. Bound: one call of the system for a line, so that
    /// lines of several processes do not mix.
    public func append(_ line: [UInt8]) -> Bool {
        let end = UInt8(ascii: "\n")
        return state.withLock { state in
            let bytes = (state.isTorn ? [end] : []) + line + [end]
            let count = bytes.withUnsafeBytes { write(state.descriptor, $0) }
            if count > 0 { state.isTorn = count < bytes.count && !(state.isTorn && count == 1) }
            return count == bytes.count
        }
    }
}

private func systemWrite(_ number: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(number, bytes.baseAddress, bytes.count)
}
