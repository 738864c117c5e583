#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension AccountFile {
    /// Reads the file at a path, which nobody but its owner may be able to read.
    public init(at path: String) throws(AccountsFailure) {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw AccountsFailure(path) }
        defer { close(number) }
        var status = stat()
        guard fstat(number, &status) == 0 else { throw AccountsFailure(path) }
        guard status.st_mode & 0o077 == 0 else { throw .notPrivate(path: path) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= Self.sizeLimit {
            let count = read(number, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw AccountsFailure(path) }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        try self.init(parsing: bytes)
    }

    /// Puts the accounts into a file in one step, for its owner alone: whoever reads it has the old ones or the new.
    public func write(to path: String) throws(AccountsFailure) {
        do throws(WholeFile.Failure) {
            try WholeFile.write(serialized(), to: path)
        } catch {
            throw .file(path: path, words: error.words)
        }
    }

    /// Changes the accounts in a file: of several who do so at once, each changes what the one before has left.
    ///
    /// - Parameter isMade: whether a file that is not there is made.
    package static func change(
        at path: String, makingIt isMade: Bool = false, _ body: (inout AccountFile) throws(AccountsFailure) -> Void
    ) throws(AccountsFailure) {
        guard isMade || isThere(path) else { throw AccountsFailure(path) }
        try WholeFile.alone(with: path) { () throws(AccountsFailure) in
            var accounts = try isMade && !isThere(path) ? AccountFile() : AccountFile(at: path)
            try body(&accounts)
            try accounts.write(to: path)
        } otherwise: { failure in
            AccountsFailure.file(path: path + ".lock", words: failure.words)
        }
    }

    /// Whether there is a file, be it one that cannot be read.
    private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 || errno != ENOENT }
}

extension AccountsFailure {
    /// What the last call of the system said about a file.
    fileprivate init(_ path: String) { self = .file(path: path, words: String(cString: strerror(errno))) }
}
