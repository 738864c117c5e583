extension URI {
    /// An address of the Internet Protocol, version 4.
    public struct IPv4Address: Hashable, Sendable, Parsable, CustomStringConvertible {
        /// The four numbers, the first one uppermost.
        public let bits: UInt32

        /// Takes the four numbers as one.
        public init(bits: UInt32) {
            self.bits = bits
        }

        /// Reads four decimal numbers without leading zeros; what else browsers take for an address is refused.
        public init(parsing bytes: Span<UInt8>) throws(URI.Rejection) { try self.init(bytes, bytes.indices) }

        /// Reads a part of a text.
        init(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(URI.Rejection) {
            let end = range.upperBound
            var bits: UInt32 = 0
            var at = range.lowerBound
            for index in 0..<4 {
                if index > 0 {
                    guard at < end, bytes[at] == UInt8(ascii: ".") else { throw .malformedAddress(offset: at) }
                    at += 1
                }
                let start = at
                var number: UInt32 = 0
                while at < end, ASCII.isDigit(bytes[at]) {
                    if at > start, number == 0 { throw .malformedAddress(offset: at) }
                    number = number * 10 + UInt32(bytes[at] - UInt8(ascii: "0"))
                    guard number <= 255 else { throw .malformedAddress(offset: at) }
                    at += 1
                }
                guard at > start else { throw .malformedAddress(offset: at) }
                bits = bits << 8 | number
            }
            guard at == end else { throw .malformedAddress(offset: at) }
            self.bits = bits
        }

        /// Four decimal numbers.
        public var description: String {
            "\(bits >> 24).\(bits >> 16 & 255).\(bits >> 8 & 255).\(bits & 255)"
        }

        /// Whether the address belongs to the machine itself: 127.0.0.0/8 (RFC 1122 §3.2.1.3).
        package var isLoopback: Bool { bits >> 24 == 127 }
    }

    /// An address of the Internet Protocol, version 6, without a zone.
    public struct IPv6Address: Hashable, Sendable, Parsable, CustomStringConvertible {
        /// The eight groups, the first one uppermost.
        public let bits: UInt128

        /// Takes the eight groups as one number.
        public init(bits: UInt128) {
            self.bits = bits
        }

        /// Reads the text without brackets: eight groups, one run of zeros left out, the last two maybe as an IPv4
        /// address.
        public init(parsing bytes: Span<UInt8>) throws(URI.Rejection) { try self.init(bytes, bytes.indices) }

        /// Reads a part of a text.
        init(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(URI.Rejection) {
            let end = range.upperBound
            var bits: UInt128 = 0
            var groups = 0
            var gap: Int?
            var at = range.lowerBound
            if range.count >= 2, bytes[at] == UInt8(ascii: ":"), bytes[at + 1] == UInt8(ascii: ":") {
                gap = 0
                at += 2
            }
            while at < end {
                guard groups < 8 else { throw .malformedAddress(offset: at) }
                let start = at
                var group: UInt128 = 0
                while at < end, at - start < 4, let digit = ASCII.hexValue(bytes[at]) {
                    group = group << 4 | UInt128(digit)
                    at += 1
                }
                guard at > start else { throw .malformedAddress(offset: at) }
                if at < end, bytes[at] == UInt8(ascii: ".") {
                    guard groups <= 6 else { throw .malformedAddress(offset: at) }
                    bits = bits << 32 | UInt128(try IPv4Address(bytes, start..<end).bits)
                    groups += 2
                    at = end
                    break
                }
                bits = bits << 16 | group
                groups += 1
                guard at < end else { break }
                guard bytes[at] == UInt8(ascii: ":") else { throw .malformedAddress(offset: at) }
                at += 1
                guard at < end else { throw .malformedAddress(offset: at) }
                if bytes[at] == UInt8(ascii: ":") {
                    guard gap == nil else { throw .malformedAddress(offset: at) }
                    gap = groups
                    at += 1
                }
            }
            if let gap {
                // The run left out stands for one group at least.
                guard groups < 8 else { throw .malformedAddress(offset: end) }
                let behind = UInt128(16 * (groups - gap))
                let tail = bits & ((1 << behind) - 1)
                bits = (bits >> behind) << UInt128(16 * (8 - gap)) | tail
            } else {
                guard groups == 8 else { throw .malformedAddress(offset: end) }
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
        package var isLoopback: Bool { bits == 1 }
    }
}
