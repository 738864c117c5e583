extension WebURL {
    /// The form by which URLs are compared: scheme and host in lower case, no default port, no empty path, and no slash
    /// at a path's end, except that of the root.
    ///
    /// Query and fragment are part of it, as they are written.
    package var identity: String {
        var text = origin.text + (identityPath.isEmpty ? "/" : String(decoding: identityPath, as: UTF8.self))
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }

    /// Whether the bytes of both identities are the same.
    public static func == (one: WebURL, other: WebURL) -> Bool {
        one.origin == other.origin && one.identityPath == other.identityPath
            && one.reference.bytes[one.reference.layout.path.upperBound...]
                == other.reference.bytes[other.reference.layout.path.upperBound...]
    }

    /// Feeds the identity to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        hasher.combine(identityPath)
        hasher.combine(reference.bytes[reference.layout.path.upperBound...])
    }

    /// The path without the one slash at its end; empty for the root.
    ///
    /// Where several slashes end a path, all of them count.
    var identityPath: ArraySlice<UInt8> {
        let path = reference.bytes[reference.layout.path]
        let slash = UInt8(ascii: "/")
        return path.last == slash && path.dropLast().last != slash ? path.dropLast() : path
    }

    /// Scheme, host and port: what browsers call the origin (RFC 6454 §4).
    public var origin: Origin { Origin(scheme: scheme, host: host, port: port) }

    /// Scheme, host and port of a URL.
    public struct Origin: Hashable, Sendable, CustomStringConvertible {
        /// The scheme.
        public let scheme: Scheme
        /// The host.
        public let host: Host
        /// The port, unless it is the default one of the scheme.
        public let port: UInt16?

        /// The URL's beginning up to the path.
        public var text: String {
            scheme.rawValue + "://" + host.text + (port.map { ":" + String($0) } ?? "")
        }

        /// The URL's beginning up to the path.
        public var description: String { text }
    }

    /// Whether the URL leads to the machine itself.
    package var isLoopback: Bool { host.isLoopback }
}

extension WebURL {
    /// Whether another URL has the same origin and a path that is this one or lies below it, at a boundary of segments.
    ///
    /// The answer is no where servers might read a path differently than it is written: dot segments, also
    /// percent-encoded or followed by parameters, encoded slashes, backslashes, controls and what looks encoded twice.
    /// A URL with a query or fragment covers nothing.
    package func covers(_ other: WebURL) -> Bool {
        guard origin == other.origin, reference.layout.query == nil, reference.layout.fragment == nil else {
            return false
        }
        // A plain path that begins with this one leaves nothing in it that is not.
        guard other.isPathPlain else { return false }
        let (own, path) = (identityPath, other.reference.bytes[other.reference.layout.path])
        guard path.starts(with: own) else { return false }
        // What is left of the other path begins a segment, or this path has ended one.
        let rest = path.dropFirst(own.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/") || own.last == UInt8(ascii: "/")
    }

    /// Whether every server reads the path segment by segment as it is written.
    var isPathPlain: Bool {
        let path = reference.bytes[reference.layout.path]
        return Self.isEvident(path) || path.split(separator: UInt8(ascii: "/")).allSatisfy(Self.isPlain)
    }

    /// Whether nothing in a path is encoded and no segment begins with a dot, as in most: then no segment need be
    /// looked at.
    private static func isEvident(_ path: ArraySlice<UInt8>) -> Bool {
        var previous = UInt8(ascii: "/")
        for byte in path {
            if byte == UInt8(ascii: "%") || byte == UInt8(ascii: ".") && previous == UInt8(ascii: "/") { return false }
            previous = byte
        }
        return true
    }

    private static func isPlain(_ segment: ArraySlice<UInt8>) -> Bool {
        // The layout has checked every triplet.
        guard let decoded = try? PercentEncoding.decode(segment), WellFormedUTF8.firstFault(in: decoded.span) == nil
        else { return false }
        for (offset, byte) in decoded.enumerated() {
            let isEncodedTwice =
                byte == UInt8(ascii: "%") && PercentEncoding.byte(ofTripletAt: offset, in: decoded.span) != nil
            if isEncodedTwice || ASCII.isControl(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") {
                return false
            }
        }
        let name = decoded.prefix { $0 != UInt8(ascii: ";") }
        return PathSegment(name) == .ordinary
    }
}
