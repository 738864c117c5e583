public import Wire

/// Where requests may go whose URLs others name: a federation's index, a service's document, an answer (threats 42 and
/// 70).
///
/// One rule for the crawl, for what parties tell each other, and for apps. It judges URLs; what their names resolve to
/// no library knows, so whoever connects applies ``permits(_:)-(URI.IPv4Address)`` or its twins to *every* address
/// after each resolution: a name that is public today leads into the own network tomorrow.
public struct Destinations: Sendable, Equatable {
    private let includesOwnNetwork: Bool

    /// Only what is reachable from everywhere.
    public static let worldwide = Destinations(includesOwnNetwork: false)
    /// The own machine and network too: for tests and demonstrations, never for a federation.
    public static let anywhere = Destinations(includesOwnNetwork: true)

    /// Whether a connection may be made to an address.
    public func permits(_ address: URI.IPv4Address) -> Bool {
        includesOwnNetwork
            || !Self.closedIPv4.contains { address.bits >> (32 - $0.length) == $0.bits >> (32 - $0.length) }
    }

    /// Whether a connection may be made to an address; one that carries an address of version 4 is judged by that too.
    public func permits(_ address: URI.IPv6Address) -> Bool {
        if includesOwnNetwork { return true }
        let bits = address.bits
        let embedded = URI.IPv4Address(bits: UInt32(truncatingIfNeeded: bits))
        // ::ffff:0:0/96, how sockets show version 4 (RFC 4291 §2.5.5.2), and 64:ff9b::/96, how a NAT64 is addressed
        // (RFC 6052 §2.1).
        if bits >> 32 == 0xFFFF || bits >> 32 == 0x0064_FF9B << 64 { return permits(embedded) }
        // Only 2000::/3 is handed out for global use (RFC 4291 §2.4); loopback, link-local, unique-local and multicast
        // lie outside.
        guard bits >> 125 == 1 else { return false }
        return !Self.closedIPv6.contains { bits >> (128 - $0.length) == UInt128($0.bits) >> (64 - $0.length) }
    }

    /// Whether a connection may be made to the address of these bytes, four or sixteen, as sockets have them.
    public func permits(octets: some Collection<UInt8>) -> Bool {
        let bits = octets.prefix(16).reduce(0 as UInt128) { $0 << 8 | UInt128($1) }
        switch octets.count {
        case 4: return permits(URI.IPv4Address(bits: UInt32(truncatingIfNeeded: bits)))
        case 16: return permits(URI.IPv6Address(bits: bits))
        default: return false
        }
    }

    /// Whether a URL may be asked that was named by the service or server of another one: a host that may be asked at
    /// all, at the default port, or at the port of that one on its host.
    package func permits(_ url: WebURL, namedBy home: WebURL) -> Bool {
        (url.port == nil || url.host == home.host && url.port == home.port) && permits(url.host)
    }

    /// Whether a host may be asked at all: a name, unless it means the own machine or network, or an address.
    func permits(_ host: WebURL.Host) -> Bool {
        switch host {
        case .ipv4(let address): return permits(address)
        case .ipv6(let address): return permits(address)
        case .domain(let name): return includesOwnNetwork || Self.isPublic(name)
        }
    }

    private static func isPublic(_ name: String) -> Bool {
        let labels = name.utf8.split(separator: UInt8(ascii: "."))
        // A name of one label, and the names of RFC 6761, RFC 6762 and RFC 8375, mean something only where they are
        // asked.
        guard labels.count > 1, let last = labels.last else { return false }
        let closed = ["localhost", "local", "internal", "intranet", "lan", "home", "corp", "test", "invalid", "onion"]
        let isHome = last.elementsEqual("arpa".utf8) && labels[labels.count - 2].elementsEqual("home".utf8)
        return !isHome && !closed.contains { $0.utf8.elementsEqual(last) }
    }

    private typealias Prefix = (bits: UInt32, length: UInt32)

    /// The special-purpose registry of IANA (RFC 6890), multicast, and the reserved rest.
    private static let closedIPv4: [Prefix] = [
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
        (0xC000_0000, 24),
        (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16), (0xC612_0000, 15), (0xC633_6400, 24),
        (0xCB00_7100, 24),
        (0xE000_0000, 4), (0xF000_0000, 4),
    ]

    /// Within 2000::/3: protocol assignments with Teredo and ORCHID, documentation, 6to4, which carries addresses of
    /// version 4, and documentation.
    private static let closedIPv6: [(bits: UInt64, length: UInt64)] = [
        (0x2001_0000_0000_0000, 23), (0x2001_0DB8_0000_0000, 32), (0x2002_0000_0000_0000, 16),
        (0x3FFF_0000_0000_0000, 20),
    ]
}
