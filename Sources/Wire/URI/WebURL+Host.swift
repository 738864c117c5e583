extension WebURL.Host {
    /// Takes a host that URIs, DNS and browsers read alike.
    init(checking bytes: Span<UInt8>, _ range: Range<Int>) throws(URI.Rejection) {
        let start = range.lowerBound
        guard !range.isEmpty else { throw .emptyHost(offset: start) }
        switch URI.Host(checked: bytes.extracting(range)) {
        case .ipv4(let address): self = .ipv4(address)
        case .ipv6(let address): self = .ipv6(address)
        case .future: throw .foreignAddress(offset: start)
        case .name:
            for offset in range {
                let byte = bytes[offset]
                let isLabelCharacter =
                    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
                guard isLabelCharacter || byte == UInt8(ascii: ".") else {
                    throw .foreignHostCharacter(byte, offset: offset)
                }
            }
            try Self.checkLabels(bytes, range)
            self = .domain(bytes.lowercasedText(range))
        }
    }

    private static func checkLabels(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(URI.Rejection) {
        let dot = UInt8(ascii: ".")
        // One dot at the end makes a name absolute; browsers keep it.
        let end = bytes[range.upperBound - 1] == dot ? range.upperBound - 1 : range.upperBound
        guard end - range.lowerBound <= 253 else { throw .hostTooLong(length: end - range.lowerBound) }
        var start = range.lowerBound
        while true {
            let labelEnd = (start..<end).first { bytes[$0] == dot } ?? end
            guard labelEnd > start else { throw .emptyLabel(offset: start) }
            guard labelEnd - start <= 63 else { throw .labelTooLong(offset: start) }
            let label = bytes.extracting(start..<labelEnd)
            if isInternationalized(label), !Punycode.isPlainLabel(label.extracting(4..<label.count)) {
                throw .doubtfulLabel(offset: start)
            }
            if labelEnd == end {
                if isNumber(label) { throw .disguisedAddress(offset: start) }
                return
            }
            start = labelEnd + 1
        }
    }

    /// Whether a label begins with the prefix of RFC 5890 §2.3.1.
    private static func isInternationalized(_ label: Span<UInt8>) -> Bool {
        label.count >= 4 && label[0] | 0x20 == UInt8(ascii: "x") && label[1] | 0x20 == UInt8(ascii: "n")
            && label[2] == UInt8(ascii: "-") && label[3] == UInt8(ascii: "-")
    }

    /// Whether a last label makes browsers read the host as an IPv4 address: digits, or 0x and hexadecimal digits,
    /// which may be none.
    private static func isNumber(_ label: Span<UInt8>) -> Bool {
        if label.count >= 2, label[0] == UInt8(ascii: "0"), label[1] | 0x20 == UInt8(ascii: "x") {
            return (2..<label.count).allSatisfy { ASCII.hexValue(label[$0]) != nil }
        }
        return label.indices.allSatisfy { ASCII.isDigit(label[$0]) }
    }

    /// The host as browsers name it, an IPv6 address in its brackets.
    public var text: String {
        switch self {
        case .domain(let name): name
        case .ipv4(let address): address.description
        case .ipv6(let address): "[" + address.description + "]"
        }
    }

    /// Whether the host is the machine itself: `localhost`, 127.0.0.0/8 or ::1.
    package var isLoopback: Bool {
        switch self {
        case .domain(let name): name.spells("localhost")
        case .ipv4(let address): address.isLoopback
        case .ipv6(let address): address.isLoopback
        }
    }
}
