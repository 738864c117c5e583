#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A folder on a disk, by the calls of the C library.
package struct DiskFolder: Folder {
    package let path: String
    private let folder: Descriptor

    /// Opens a folder, which is made, for its owner alone, if it is not there; the folder above must be.
    package init(path: String, creating: Bool) throws(StoreFailure) {
        if creating, mkdir(path, 0o700) != 0, errno != EEXIST { throw StoreFailure(call: "mkdir", path: path) }
        let descriptor = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreFailure(call: "open", path: path) }
        self.path = path
        folder = Descriptor(descriptor)
    }

    package func names() throws(StoreFailure) -> [String] {
        // The stream has a descriptor of its own, and closes it.
        let descriptor = openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, let stream = fdopendir(descriptor) else {
            throw StoreFailure(call: "opendir", path: path)
        }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw StoreFailure(call: "readdir", path: path) }
        return names
    }

    package func open(_ name: String, _ mode: OpenMode) throws(StoreFailure) -> any File {
        let flags =
            switch mode {
            case .reading: O_RDONLY
            case .continuing: O_RDWR
            case .anew: O_RDWR | O_CREAT | O_TRUNC
            }
        let descriptor = openat(folder.number, name, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StoreFailure(call: "open", path: path(of: name)) }
        return DiskFile(Descriptor(descriptor), path: path(of: name))
    }

    package func rename(_ name: String, to other: String) throws(StoreFailure) {
        guard renameat(folder.number, name, folder.number, other) == 0 else {
            throw StoreFailure(call: "rename", path: path(of: name))
        }
    }

    package func remove(_ name: String) throws(StoreFailure) {
        guard unlinkat(folder.number, name, 0) == 0 else { throw StoreFailure(call: "unlink", path: path(of: name)) }
    }

    package func synchronize() throws(StoreFailure) {
        guard fsync(folder.number) == 0 else { throw StoreFailure(call: "fsync", path: path) }
    }

    /// Takes the folder for this process alone, until the lock is dropped or the process ends.
    func lock() throws(StoreFailure) -> FolderLock {
        let name = "lock"
        let descriptor = openat(folder.number, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StoreFailure(call: "open", path: path(of: name)) }
        let file = DiskFile(Descriptor(descriptor), path: path(of: name))
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw StoreFailure(call: "flock", path: path(of: name)) }
            let holder = (try? file.read(at: 0, upTo: 32)).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
            throw .held(path: path, process: holder)
        }
        try file.truncate(to: 0)
        try file.write(Array(String(getpid()).utf8), at: 0)
        return FolderLock(file: file)
    }
}

/// That a folder is this process's own; the system gives it free when nothing refers to it any more.
struct FolderLock: Sendable {
    fileprivate let file: DiskFile
}

/// A file on a disk.
private final class DiskFile: File {
    private let descriptor: Descriptor
    private let path: String

    init(_ descriptor: Descriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    func byteCount() throws(StoreFailure) -> Int {
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else { throw StoreFailure(call: "fstat", path: path) }
        return Int(status.st_size)
    }

    func read(at offset: Int, upTo count: Int) throws(StoreFailure) -> [UInt8] {
        var failure: StoreFailure?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count, let place = buffer.baseAddress {
                let step = pread(descriptor.number, place + filled, count - filled, off_t(offset + filled))
                if step > 0 { filled += step }
                if step == 0 { break }
                if step < 0, errno != EINTR {
                    failure = StoreFailure(call: "read", path: path)
                    break
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(StoreFailure) {
        var failure: StoreFailure?
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count, let place = buffer.baseAddress {
                let step = pwrite(
                    descriptor.number, place + written, buffer.count - written, off_t(offset + written))
                if step >= 0 { written += step }
                if step < 0, errno != EINTR {
                    failure = StoreFailure(call: "write", path: path)
                    break
                }
            }
        }
        if let failure { throw failure }
    }

    func synchronize() throws(StoreFailure) {
        #if canImport(Darwin)
        // There, `fsync` leaves the data in the disk's own memory.
        let result = fcntl(descriptor.number, F_FULLFSYNC)
        #else
        let result = fdatasync(descriptor.number)
        #endif
        guard result == 0 else { throw StoreFailure(call: "fsync", path: path) }
    }

    func truncate(to byteCount: Int) throws(StoreFailure) {
        guard ftruncate(descriptor.number, off_t(byteCount)) == 0 else {
            throw StoreFailure(call: "ftruncate", path: path)
        }
    }

    func reserve(_ byteCount: Int, at offset: Int) throws(StoreFailure) {
        #if !canImport(Darwin)
        let code = posix_fallocate(descriptor.number, off_t(offset), off_t(byteCount))
        if [0, EOPNOTSUPP, ENOSYS, EINVAL, EINTR].contains(code) { return }
        throw StoreFailure(call: "posix_fallocate", path: path, code: code)
        #endif
    }
}

/// An open descriptor, closed when nothing refers to it any more.
private final class Descriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close(number) }
}

extension StoreFailure {
    /// What the system said to a call that failed just now.
    fileprivate init(call: String, path: String) { self.init(call: call, path: path, code: errno) }

    fileprivate init(call: String, path: String, code: Int32) {
        self =
            switch code {
            case ENOSPC, EDQUOT, EFBIG: .full(path: path)
            case EROFS: .readOnly(path: path)
            case EACCES, EPERM: .notPermitted(path: path)
            case ENOENT, ENOTDIR, ESTALE: .gone(path: path)
            default: .failed(call: call, path: path, code: code)
            }
    }
}
