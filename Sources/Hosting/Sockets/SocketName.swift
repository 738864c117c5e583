#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import Wire

/// A name of a socket as the system reads it.
struct SocketName {
    let family: Int32
    private let storage: sockaddr_storage
    private let length: socklen_t

    init(_ address: URI.IPv4Address, _ port: UInt16) {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = address.bits.bigEndian
        self.init(AF_INET, name, MemoryLayout<sockaddr_in>.size)
    }

    init(_ address: URI.IPv6Address, _ port: UInt16) {
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &name.sin6_addr) { $0.storeBytes(of: address.bits.bigEndian, as: UInt128.self) }
        self.init(AF_INET6, name, MemoryLayout<sockaddr_in6>.size)
    }

    /// A path, or with `@` at its beginning a name that no file has; `nil` where it is too long.
    init?(path: String) {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        guard bytes.count <= Address.longestPath, !bytes.contains(0) else { return nil }
        let isAbstract = bytes.first == UInt8(ascii: "@")
        if isAbstract { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        // Two bytes stand before the path, and a NUL behind that of a file.
        self.init(AF_UNIX, name, 2 + bytes.count + (isAbstract ? 0 : 1))
    }

    private init(_ family: Int32, _ name: some Any, _ length: Int) {
        self.family = family
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { storage in
            withUnsafeBytes(of: name) {
                storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(storage.count)))
            }
        }
        self.storage = storage
        self.length = socklen_t(length)
    }

    /// What a call of the system fills in; `nil` where it fails.
    static func found(by call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32)
        -> sockaddr_storage?
    {
        var name = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
        }
        return code >= 0 ? name : nil
    }

    /// Calls the system with it.
    func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}

extension HTTP.Peer {
    /// Reads what the system says.
    init?(_ name: sockaddr_storage) {
        switch Int32(name.ss_family) {
        case AF_UNIX: self = .localSocket
        case AF_INET:
            let name = withUnsafeBytes(of: name) { $0.loadUnaligned(as: sockaddr_in.self) }
            self = .ipv4(URI.IPv4Address(bits: UInt32(bigEndian: name.sin_addr.s_addr)))
        case AF_INET6:
            let name = withUnsafeBytes(of: name) { $0.loadUnaligned(as: sockaddr_in6.self) }
            let bits = withUnsafeBytes(of: name.sin6_addr) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
            self.init(URI.IPv6Address(bits: bits))
        default: return nil
        }
    }
}
