public import Wire

/// Where a server listens.
public enum Address: Hashable, Sendable {
    /// A port of this machine alone, by both versions of the protocol (SYS-8).
    case loopback(UInt16)
    /// A port at an address of version 4.
    case version4(URI.IPv4Address, UInt16)
    /// A port at an address of version 6.
    case version6(URI.IPv6Address, UInt16)
    /// A path in the file system.
    case path(String)

    /// The most bytes that the path of a socket may have (SYS-7).
    static var longestPath: Int { 107 }

    /// Whether only processes of this machine can connect.
    public var isLocal: Bool {
        switch self {
        case .loopback, .path: true
        case .version4(let address, _): address.isLoopback
        case .version6(let address, _): address.isLoopback
        }
    }
}

// MARK: - In words

extension Address: LosslessStringConvertible {
    /// Reads `loopback:8080`, `127.0.0.1:8080`, `[::1]:8080`, or `unix:/run/eduid/http`; names are not looked up.
    public init?(_ description: String) {
        let words = description.utf8
        if words.starts(with: "unix:/".utf8) {
            guard !words.contains(0) else { return nil }
            self = .path(String(description.dropFirst(5)))
            return
        }
        guard let colon = words.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = words[colon...].dropFirst()
        guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1, first != UInt8(ascii: "+"),
            let port = UInt16(Substring(digits))
        else { return nil }
        let host = Substring(words[..<colon])
        if host == "loopback" {
            self = .loopback(port)
        } else if host.hasPrefix("["), host.hasSuffix("]"),
            let address = try? URI.IPv6Address(parsing: Array(host.utf8.dropFirst().dropLast()).span)
        {
            self = .version6(address, port)
        } else if let address = try? URI.IPv4Address(parsing: Array(host.utf8).span) {
            self = .version4(address, port)
        } else {
            return nil
        }
    }

    /// The same as it is written.
    public var description: String {
        switch self {
        case .loopback(let port): "loopback:\(port)"
        case .version4(let address, let port): "\(address):\(port)"
        case .version6(let address, let port): "[\(address)]:\(port)"
        case .path(let path): "unix:" + path
        }
    }
}
