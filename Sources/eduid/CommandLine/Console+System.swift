import Foundation
import VectorCatalogue
import Wire

extension Console {
    /// The world of a process.
    static func system() -> Console {
        var console = Console(
            load: { (path, limit) throws(Failure) in try bytes(at: path, limit) },
            store: { (bytes, path, protection, replaces) throws(Failure) in try store(bytes, path, protection, replaces)
            },
            output: { append($0, to: STDOUT_FILENO) },
            errors: { _ = append($0, to: STDERR_FILENO) },
            now: Timestamp(seconds: Int64(Date().timeIntervalSince1970)),
            entropy: SystemRandomNumberGenerator(),
            colours: (showsColours(STDOUT_FILENO), showsColours(STDERR_FILENO)))
        console.start = { line throws(Failure) in try Peer(line) }
        console.meet = {}
        console.catalogue = { () throws(Failure) in
            do { return try Catalogue() } catch { throw .refused("the catalogue: \(error)") }
        }
        console.pause = { _ = readLine() }
        return console
    }

    private static func showsColours(_ stream: Int32) -> Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(stream) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    // MARK: reading

    private static func bytes(at path: String, _ limit: Int) throws(Failure) -> [UInt8] {
        if path.spells("-") { return try bytes(of: STDIN_FILENO, named: name(of: path), limit) }
        let file = open(path, O_RDONLY)
        guard file >= 0 else { throw refusal("cannot read \(name(of: path))") }
        defer { close(file) }
        return try bytes(of: file, named: name(of: path), limit)
    }

    private static func bytes(of file: Int32, named name: String, _ limit: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Foundation.read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw refusal("cannot read \(name)") }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= limit else { throw .refused("\(name) has more than \(limit) bytes") }
            bytes += piece[..<count]
        }
    }

    // MARK: writing

    /// Whether all was written, or nobody listens any more, which is no fault of ours.
    private static func append(_ bytes: [UInt8], to file: Int32) -> Bool {
        var written = 0
        while written < bytes.count {
            // Bound: `written` is less than the count, and no more than the rest is asked for.
            let count = bytes.withUnsafeBytes {
                Foundation.write(file, $0.baseAddress.map { $0 + written }, bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EPIPE { return true }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }

    /// Makes a file that did not exist, or puts a new one in the place of an old one, so that no reader sees half of it
    /// and no mode is inherited.
    private static func store(_ bytes: [UInt8], _ path: String, _ protection: Protection, _ replaces: Bool)
        throws(Failure)
    {
        let mode: mode_t =
            switch protection {
            case .shared: 0o644
            case .secret: 0o600
            }
        let place = replaces ? "\(path).\(UInt64.random(in: .min ... .max))" : path
        if replaces {
            var status = stat()
            guard lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
                throw .refused("'\(path)' is not a regular file")
            }
        }
        let file = open(place, O_WRONLY | O_CREAT | O_EXCL, mode)
        guard file >= 0 else {
            if errno == EEXIST { throw .refused("'\(path)' exists; '--force' replaces it") }
            throw refusal("cannot write '\(path)'")
        }
        adopt(file, into: path)
        // What takes the place of something else must be there before that is gone.
        let isWritten = append(bytes, to: file) && fsync(file) == 0
        // The first error is the one that tells.
        let error = errno
        guard close(file) == 0, isWritten else {
            unlink(place)
            if !isWritten { errno = error }
            throw refusal("cannot write '\(path)'")
        }
        guard replaces, rename(place, path) != 0 else { return }
        let failure = refusal("cannot replace '\(path)'")
        unlink(place)
        throw failure
    }

    /// What the superuser writes into somebody's folder is that user's, who has to be able to read it.
    private static func adopt(_ file: Int32, into path: String) {
        guard geteuid() == 0 else { return }
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        var status = stat()
        let place = folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder
        if stat(place, &status) == 0, status.st_uid != 0 { _ = fchown(file, status.st_uid, status.st_gid) }
    }

    private static func refusal(_ what: String) -> Failure {
        .refused(what + ": " + String(cString: strerror(errno)))
    }
}
