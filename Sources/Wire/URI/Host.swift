extension URI {
    /// The host of an authority (RFC 3986 §3.2.2).
    package enum Host: Hashable, Sendable {
        /// A registered name as it was written, percent-encoded and maybe empty.
        case name(String)
        /// Four numbers with dots between them.
        case ipv4(IPv4Address)
        /// An address in brackets.
        case ipv6(IPv6Address)
        /// An address of a later version in brackets, as it was written.
        case future(String)
    }
}

extension URI.Host {
    /// Takes what the layout of a reference has checked.
    init(checked bytes: Span<UInt8>) {
        let count = bytes.count
        if count >= 2, bytes[0] == UInt8(ascii: "[") {
            if let address = try? URI.IPv6Address(parsing: bytes.extracting(1..<count - 1)) {
                self = .ipv6(address)
            } else {
                self = .future(bytes.text(1..<count - 1))
            }
        } else if let address = try? URI.IPv4Address(parsing: bytes) {
            self = .ipv4(address)
        } else {
            self = .name(bytes.text(0..<count))
        }
    }

    /// What stands in the brackets is an IPv6 address or names its version itself.
    static func checkLiteral(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(URI.Rejection) {
        guard !range.isEmpty, bytes[range.lowerBound] | 0x20 == UInt8(ascii: "v") else {
            _ = try URI.IPv6Address(bytes, range)
            return
        }
        guard let dot = range.first(where: { bytes[$0] == UInt8(ascii: ".") }) else {
            throw .malformedAddress(offset: range.lowerBound)
        }
        let version = range.lowerBound + 1..<dot
        let address = dot + 1..<range.upperBound
        guard !version.isEmpty, !address.isEmpty else { throw .malformedAddress(offset: range.lowerBound) }
        for offset in version where ASCII.hexValue(bytes[offset]) == nil { throw .malformedAddress(offset: offset) }
        for offset in address {
            let byte = bytes[offset]
            guard ASCII.isUnreserved(byte) || ASCII.isSubDelimiter(byte) || byte == UInt8(ascii: ":") else {
                throw .malformedAddress(offset: offset)
            }
        }
    }
}
