extension URI {
    /// A URI or a relative reference (RFC 3986 §4.1): its text as it was read, and where its components lie in it.
    public struct Reference: Hashable, Sendable, CustomStringConvertible, Parsable {
        let bytes: [UInt8]
        let layout: Layout

        /// Where the components lie.
        struct Layout: Hashable {
            var scheme: Range<Int>?
            var userInformation: Range<Int>?
            var host: Range<Int>?
            var port: Range<Int>?
            var path = 0..<0
            var query: Range<Int>?
            var fragment: Range<Int>?

            /// From behind the two slashes to the path.
            var authority: Range<Int>? {
                host.map { (userInformation ?? $0).lowerBound..<path.lowerBound }
            }
        }

        /// The scheme as it was written.
        package var scheme: String? { layout.scheme.map(text(of:)) }

        /// The host and what stands around it.
        package var authority: Authority? {
            guard let host = layout.host else { return nil }
            return Authority(
                userInformation: layout.userInformation.map(text(of:)),
                host: Host(checked: bytes.span.extracting(host)),
                port: layout.port.flatMap { UInt16(text(of: $0)) }
            )
        }

        /// The path, which may be empty.
        package var path: String { text(of: layout.path) }

        /// The query without its question mark.
        package var query: String? { layout.query.map(text(of:)) }

        /// The fragment without its number sign.
        package var fragment: String? { layout.fragment.map(text(of:)) }

        /// The text as it was read.
        public var text: String { text(of: bytes.indices) }

        /// The bytes as they were read.
        package func encoded() -> [UInt8] { bytes }

        private func text(of range: Range<Int>) -> String { bytes.span.text(range) }
    }

    /// The authority of a reference (RFC 3986 §3.2).
    package struct Authority: Hashable, Sendable {
        /// What stands before the `@`, as it was written.
        package let userInformation: String?
        /// The host.
        package let host: Host
        /// The port, if one is written.
        package let port: UInt16?
    }
}

extension URI.Reference {
    /// The text as it was read, with any user information blotted out, because it may hold a password.
    public var description: String {
        guard let secret = layout.userInformation else { return text }
        return bytes.span.text(0..<secret.lowerBound) + "…" + bytes.span.text(secret.upperBound..<bytes.count)
    }
}

// MARK: - Parsing

extension URI.Reference {
    /// Reads a URI-reference (RFC 3986 §4.1).
    public init(parsing bytes: Span<UInt8>) throws(URI.Rejection) {
        layout = try Layout(reading: bytes)
        self.bytes = [UInt8](unsafeUninitializedCapacity: bytes.count) { target, written in
            for index in bytes.indices { target.initializeElement(at: index, to: bytes[index]) }
            written = bytes.count
        }
    }
}

extension URI.Reference.Layout {
    /// URI-reference.
    fileprivate init(reading bytes: Span<UInt8>) throws(URI.Rejection) {
        let (queryMark, fragmentMark) = try Self.marks(bytes)
        var start = 0
        if let colon = Self.first(UInt8(ascii: ":"), in: bytes, 0..<queryMark),
            Self.first(UInt8(ascii: "/"), in: bytes, 0..<colon) == nil
        {
            // A relative reference may have no colon in its first segment, so what stands before one is a scheme.
            try Self.checkScheme(bytes, 0..<colon)
            scheme = 0..<colon
            start = colon + 1
        }
        if queryMark - start >= 2, bytes[start] == UInt8(ascii: "/"), bytes[start + 1] == UInt8(ascii: "/") {
            let end = Self.first(UInt8(ascii: "/"), in: bytes, start + 2..<queryMark) ?? queryMark
            try readAuthority(bytes, start + 2..<end)
            start = end
        }
        try readPath(bytes, from: start, queryMark, fragmentMark)
    }

    /// A path, also one that begins with two slashes, and what follows it.
    init(readingPath bytes: Span<UInt8>) throws(URI.Rejection) {
        let (queryMark, fragmentMark) = try Self.marks(bytes)
        try readPath(bytes, from: 0, queryMark, fragmentMark)
    }

    /// Where the query and the fragment begin, or else where they would.
    private static func marks(_ bytes: Span<UInt8>) throws(URI.Rejection) -> (query: Int, fragment: Int) {
        let count = bytes.count
        guard count <= URI.lengthLimit else { throw .tooLong(length: count, limit: URI.lengthLimit) }
        let fragmentMark = first(UInt8(ascii: "#"), in: bytes, 0..<count) ?? count
        return (first(UInt8(ascii: "?"), in: bytes, 0..<fragmentMark) ?? fragmentMark, fragmentMark)
    }

    private mutating func readPath(
        _ bytes: Span<UInt8>, from start: Int, _ queryMark: Int, _ fragmentMark: Int
    ) throws(URI.Rejection) {
        path = start..<queryMark
        try Self.check(bytes, path, .path) { ASCII.isPathCharacter($0) || $0 == UInt8(ascii: "/") }
        if queryMark < fragmentMark {
            query = queryMark + 1..<fragmentMark
            try Self.check(bytes, queryMark + 1..<fragmentMark, .query, Self.isQueryCharacter)
        }
        if fragmentMark < bytes.count {
            fragment = fragmentMark + 1..<bytes.count
            try Self.check(bytes, fragmentMark + 1..<bytes.count, .fragment, Self.isQueryCharacter)
        }
    }

    private mutating func readAuthority(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(URI.Rejection) {
        var start = range.lowerBound
        if let mark = Self.first(UInt8(ascii: "@"), in: bytes, range) {
            userInformation = start..<mark
            try Self.check(bytes, start..<mark, .userInformation) {
                ASCII.isUnreserved($0) || ASCII.isSubDelimiter($0) || $0 == UInt8(ascii: ":")
            }
            start = mark + 1
        }
        var end = range.upperBound
        if start < end, bytes[start] == UInt8(ascii: "[") {
            guard let bracket = Self.first(UInt8(ascii: "]"), in: bytes, start..<end) else {
                throw .malformedAddress(offset: start)
            }
            try URI.Host.checkLiteral(bytes, start + 1..<bracket)
            end = bracket + 1
        } else {
            end = Self.first(UInt8(ascii: ":"), in: bytes, start..<end) ?? end
            try Self.check(bytes, start..<end, .host) { ASCII.isUnreserved($0) || ASCII.isSubDelimiter($0) }
        }
        host = start..<end
        guard end < range.upperBound else { return }
        guard bytes[end] == UInt8(ascii: ":") else { throw .foreignCharacter(bytes[end], in: .host, offset: end) }
        port = end + 1..<range.upperBound
        try Self.checkPort(bytes, end + 1..<range.upperBound)
    }

    private static func checkScheme(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(URI.Rejection) {
        for offset in range {
            let isLater =
                offset > range.lowerBound && (ASCII.isDigit(bytes[offset]) || "+-.".utf8.contains(bytes[offset]))
            guard ASCII.isLetter(bytes[offset]) || isLater else {
                throw .foreignCharacter(bytes[offset], in: .scheme, offset: offset)
            }
        }
        guard !range.isEmpty else { throw .foreignCharacter(UInt8(ascii: ":"), in: .scheme, offset: range.upperBound) }
    }

    private static func checkPort(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(URI.Rejection) {
        var port = 0
        for offset in range {
            guard ASCII.isDigit(bytes[offset]) else {
                throw .foreignCharacter(bytes[offset], in: .port, offset: offset)
            }
            port = port * 10 + Int(bytes[offset] - UInt8(ascii: "0"))
            guard port <= UInt16.max else { throw .portOutOfRange(offset: range.lowerBound) }
        }
    }

    /// Each byte is allowed or belongs to a triplet.
    @inline(__always)
    private static func check(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ component: URI.Component, _ isAllowed: (UInt8) -> Bool
    ) throws(URI.Rejection) {
        let part = bytes.extracting(range)
        var offset = 0
        while offset < part.count {
            if isAllowed(part[offset]) {
                offset += 1
            } else if part[offset] != UInt8(ascii: "%") {
                throw .foreignCharacter(part[offset], in: component, offset: range.lowerBound + offset)
            } else {
                guard PercentEncoding.byte(ofTripletAt: offset, in: part) != nil else {
                    throw .brokenTriplet(in: component, offset: range.lowerBound + offset)
                }
                offset += 3
            }
        }
    }

    private static func isQueryCharacter(_ byte: UInt8) -> Bool {
        ASCII.isPathCharacter(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
    }

    private static func first(_ byte: UInt8, in bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        range.first { bytes[$0] == byte }
    }
}
