import FederationTesting
import Foundation
import Hosting
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
        console.simulation = { size throws(Failure) in
            do { return try FederationSimulation(size) } catch { throw .refused("the federation cannot be set up") }
        }
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
        let mode: UInt32 =
            switch protection {
            case .shared: 0o644
            case .secret: 0o600
            }
        if replaces {
            var status = stat()
            guard lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
                throw .refused("'\(path)' is not a regular file")
            }
        }
        do throws(WholeFile.Failure) {
            try WholeFile.write(bytes, to: path, mode: mode, replacing: replaces)
        } catch {
            guard replaces || !error.exists else { throw .refused("'\(path)' exists; '--force' replaces it") }
            throw .refused("cannot write '\(path)': \(error.words)")
        }
    }

    private static func refusal(_ what: String) -> Failure {
        .refused(what + ": " + String(cString: strerror(errno)))
    }
}
