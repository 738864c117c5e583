#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Files that are written whole, and on the disk before anything else is done: whoever reads one has what was before or
/// what is now.
package enum WholeFile {
    /// Why a file was not written.
    package struct Failure: Error {
        /// What the system said.
        package let code: Int32
        package var words: String { String(cString: strerror(code)) }
        package var exists: Bool { code == EEXIST }

        fileprivate init() { code = errno }
    }

    /// Puts bytes into a file.
    ///
    /// - Parameters:
    ///   - mode: who may read it, as the system writes that.
    ///   - isReplaced: whether a file that is there is replaced, or left as it is and told.
    package static func write(
        _ bytes: [UInt8], to path: String, mode: UInt32 = 0o600, replacing isReplaced: Bool = true
    ) throws(Failure) {
        let place = isReplaced ? "\(path).\(UInt64.random(in: .min ... .max))" : path
        let number = open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode))
        guard number >= 0 else { throw Failure() }
        do throws(Failure) {
            adopt(number, into: path)
            defer { close(number) }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { systemWrite(number, $0) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Failure() }
                rest = rest.dropFirst(count)
            }
            guard fsync(number) == 0 else { throw Failure() }
            guard !isReplaced || rename(place, path) == 0 else { throw Failure() }
        } catch {
            unlink(place)
            throw error
        }
    }

    /// Does something while no other process does that has the same file in mind: of several, one waits for the other.
    ///
    /// Who has the turn is told by a file beside, which stays: one that was removed could be two.
    package static func alone<Outcome, Cause: Error>(
        with path: String, _ body: () throws(Cause) -> Outcome, otherwise refusal: (Failure) -> Cause
    ) throws(Cause) -> Outcome {
        let number: Int32
        do throws(Failure) { number = try turn(at: path) } catch { throw refusal(error) }
        // What closes it ends the turn, and so does the end of the process.
        defer { close(number) }
        return try body()
    }

    private static func turn(at path: String) throws(Failure) -> Int32 {
        let place = path + ".lock"
        var number = open(place, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if number >= 0 {
            adopt(number, into: path)
        } else if errno == EEXIST {
            number = open(place, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        }
        guard number >= 0 else { throw Failure() }
        while flock(number, LOCK_EX) != 0 {
            if errno == EINTR { continue }
            let failure = Failure()
            close(number)
            throw failure
        }
        return number
    }

    /// What the superuser writes into somebody's folder is that user's, who has to be able to read it.
    private static func adopt(_ number: Int32, into path: String) {
        guard geteuid() == 0 else { return }
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let place = folder.isEmpty ? (path.utf8.first == UInt8(ascii: "/") ? "/" : ".") : folder
        var status = stat()
        if stat(place, &status) == 0, status.st_uid != 0 { _ = fchown(number, status.st_uid, status.st_gid) }
    }

    private static func systemWrite(_ number: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(number, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(number, bytes.baseAddress, bytes.count)
        #else
        Darwin.write(number, bytes.baseAddress, bytes.count)
        #endif
    }
}
