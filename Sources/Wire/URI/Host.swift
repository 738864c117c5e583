extension URI {
    /// The host of an authority (RFC 3986 §3.2.2).
    public enum Host: Hashable, Sendable {
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
            if let address = try? IPv6Address(parsing: bytes.extracting(1..<count - 1)) {
                self = .ipv6(address)
            } else {
                self = .future(bytes.text(1..<count - 1))
            }
        } else if let address = try? IPv4Address(parsing: bytes) {
            self = .ipv4(address)
        } else {
            self = .name(bytes.text(0..<count))
        }
    }

    /// What stands in the brackets is an IPv6 address or names its version itself.
    static func checkLiteral(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(URI.Rejection) {
        guard !range.isEmpty, bytes[range.lowerBound] | 0x20 == UInt8(ascii: "v") else {
            do throws(IPAddressRejection) {
                _ = try IPv6Address(parsing: bytes.extracting(range))
            } catch {
                throw .malformedAddress(offset: range.lowerBound + error.offset)
            }
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

/// Why a text is no IP address: the rule is its grammar in RFC 3986 §3.2.2.
public struct IPAddressRejection: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where the text leaves the grammar.
    public let offset: Int

    /// The rule in words, with the place of its breach.
    public var description: String { "not an IP address from offset \(offset) (\(clause))" }

    /// The clause that sets the rule.
    public var clause: String { "RFC3986-3.2.2" }
}

/// An address of the Internet Protocol, version 4.
public struct IPv4Address: Hashable, Sendable, Parsable, CustomStringConvertible {
    /// The four numbers, the first one uppermost.
    public let bits: UInt32

    /// Takes the four numbers as one.
    public init(bits: UInt32) {
        self.bits = bits
    }

    /// Reads four decimal numbers without leading zeros; what else browsers take for an address is refused.
    public init(parsing bytes: Span<UInt8>) throws(IPAddressRejection) {
        var bits: UInt32 = 0
        var at = 0
        for index in 0..<4 {
            if index > 0 {
                guard at < bytes.count, bytes[at] == UInt8(ascii: ".") else { throw IPAddressRejection(offset: at) }
                at += 1
            }
            let start = at
            var number: UInt32 = 0
            while at < bytes.count, ASCII.isDigit(bytes[at]) {
                if at > start, number == 0 { throw IPAddressRejection(offset: at) }
                number = number * 10 + UInt32(bytes[at] - UInt8(ascii: "0"))
                guard number <= 255 else { throw IPAddressRejection(offset: at) }
                at += 1
            }
            guard at > start else { throw IPAddressRejection(offset: at) }
            bits = bits << 8 | number
        }
        guard at == bytes.count else { throw IPAddressRejection(offset: at) }
        self.bits = bits
    }

    /// Four decimal numbers.
    public var description: String {
        "\(bits >> 24).\(bits >> 16 & 255).\(bits >> 8 & 255).\(bits & 255)"
    }

    /// Whether the address belongs to the machine itself: 127.0.0.0/8 (RFC 1122 §3.2.1.3).
    public var isLoopback: Bool { bits >> 24 == 127 }
}

/// An address of the Internet Protocol, version 6, without a zone.
public struct IPv6Address: Hashable, Sendable, Parsable, CustomStringConvertible {
    /// The eight groups, the first one uppermost.
    public let bits: UInt128

    /// Takes the eight groups as one number.
    public init(bits: UInt128) {
        self.bits = bits
    }

    /// Reads the text without brackets: eight groups, one run of zeros left out, the last two maybe as an IPv4 address.
    public init(parsing bytes: Span<UInt8>) throws(IPAddressRejection) {
        let count = bytes.count
        var bits: UInt128 = 0
        var groups = 0
        var gap: Int?
        var at = 0
        if count >= 2, bytes[0] == UInt8(ascii: ":"), bytes[1] == UInt8(ascii: ":") {
            gap = 0
            at = 2
        }
        while at < count {
            guard groups < 8 else { throw IPAddressRejection(offset: at) }
            let start = at
            var group: UInt128 = 0
            while at < count, at - start < 4, let digit = ASCII.hexValue(bytes[at]) {
                group = group << 4 | UInt128(digit)
                at += 1
            }
            guard at > start else { throw IPAddressRejection(offset: at) }
            if at < count, bytes[at] == UInt8(ascii: ".") {
                guard groups <= 6 else { throw IPAddressRejection(offset: at) }
                do throws(IPAddressRejection) {
                    bits = bits << 32 | UInt128(try IPv4Address(parsing: bytes.extracting(start..<count)).bits)
                } catch {
                    throw IPAddressRejection(offset: start + error.offset)
                }
                groups += 2
                at = count
                break
            }
            bits = bits << 16 | group
            groups += 1
            guard at < count else { break }
            guard bytes[at] == UInt8(ascii: ":") else { throw IPAddressRejection(offset: at) }
            at += 1
            guard at < count else { throw IPAddressRejection(offset: at) }
            if bytes[at] == UInt8(ascii: ":") {
                guard gap == nil else { throw IPAddressRejection(offset: at) }
                gap = groups
                at += 1
            }
        }
        if let gap {
            // The run left out stands for one group at least.
            guard groups < 8 else { throw IPAddressRejection(offset: count) }
            let behind = UInt128(16 * (groups - gap))
            let tail = bits & ((1 << behind) - 1)
            bits = (bits >> behind) << UInt128(16 * (8 - gap)) | tail
        } else {
            guard groups == 8 else { throw IPAddressRejection(offset: count) }
        }
        self.bits = bits
    }

    /// Lower-case hexadecimal groups; the first longest run of two zeros or more is left out (RFC 5952 §4).
    public var description: String {
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: bits >> UInt128(112 - 16 * $0)) }
        var longest = 0..<0
        var run = 0..<0
        for index in groups.indices {
            run = groups[index] != 0 ? index + 1..<index + 1 : run.lowerBound..<index + 1
            if run.count > longest.count { longest = run }
        }
        guard longest.count >= 2 else { return Self.joined(groups[...]) }
        return Self.joined(groups[..<longest.lowerBound]) + "::" + Self.joined(groups[longest.upperBound...])
    }

    private static func joined(_ groups: ArraySlice<UInt16>) -> String {
        groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// Whether the address belongs to the machine itself: ::1 (RFC 4291 §2.5.3).
    public var isLoopback: Bool { bits == 1 }
}
