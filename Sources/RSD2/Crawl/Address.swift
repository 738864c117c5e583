public import Wire

extension Crawl {
    /// Whether a host that was named by a federation's index may be asked at an address that its name resolved to
    /// (threat 42).
    ///
    /// The crawler's host applies this to *every* address before it connects, after each resolution: a name that is
    /// public today leads into the own network tomorrow. Only addresses that are reachable from everywhere pass.
    public static func permits(_ address: URI.IPv4Address) -> Bool {
        !closedIPv4.contains { address.bits >> (32 - $0.length) == $0.bits >> (32 - $0.length) }
    }

    /// Whether a host may be asked at an address; an address that carries one of version 4 is judged by that one too.
    public static func permits(_ address: URI.IPv6Address) -> Bool {
        let bits = address.bits
        let embedded = URI.IPv4Address(bits: UInt32(truncatingIfNeeded: bits))
        // ::ffff:0:0/96, how sockets show version 4 (RFC 4291 §2.5.5.2), and 64:ff9b::/96, how a NAT64 is addressed
        // (RFC 6052 §2.1).
        if bits >> 32 == 0xFFFF || bits >> 32 == 0x0064_FF9B << 64 { return permits(embedded) }
        // Only 2000::/3 is handed out for global use (RFC 4291 §2.4); loopback, link-local, unique-local and multicast
        // lie outside.
        guard bits >> 125 == 1 else { return false }
        return !closedIPv6.contains { bits >> (128 - $0.length) == UInt128($0.bits) >> (64 - $0.length) }
    }

    /// Whether the host of a URL may be asked at all: a name, unless it means the own machine or network, or a
    /// permitted address.
    static func permits(_ host: WebURL.Host) -> Bool {
        switch host {
        case .ipv4(let address): return permits(address)
        case .ipv6(let address): return permits(address)
        case .domain(let name):
            let labels = name.utf8.split(separator: UInt8(ascii: "."))
            // A name of one label, and the names of RFC 6761, RFC 6762 and RFC 8375, mean something only where they are
            // asked.
            guard labels.count > 1, let last = labels.last else { return false }
            let closed = [
                "localhost", "local", "internal", "intranet", "lan", "home", "corp", "test", "invalid", "onion",
            ]
            let isHome = last.elementsEqual("arpa".utf8) && labels[labels.count - 2].elementsEqual("home".utf8)
            return !isHome && !closed.contains { $0.utf8.elementsEqual(last) }
        }
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
