extension HTTP {
    /// Who opened a connection.
    public enum Peer: Hashable, Sendable {
        /// An address of version 4.
        case ipv4(URI.IPv4Address)
        /// An address of version 6 that stands for none of version 4.
        case ipv6(URI.IPv6Address)
        /// A process of the same machine, through a socket that has a path.
        case localSocket

        /// An address of version 6; one that stands for an address of version 4 is taken for that (RFC 4291 §2.5.5.2),
        /// so that nobody has two addresses.
        public init(_ address: URI.IPv6Address) {
            let isMapped = address.bits >> 32 == 0xffff
            self = isMapped ? .ipv4(.init(bits: UInt32(truncatingIfNeeded: address.bits))) : .ipv6(address)
        }
    }

    /// Whom a request comes from, as far as proxies in front may be believed.
    ///
    /// It serves limits and logs, and never decides what somebody may do (FWD-6).
    public struct Client: Hashable, Sendable {
        /// How a client is named.
        public enum Name: Hashable, Sendable {
            /// By its address, or as the peer of the connection.
            case peer(Peer)
            /// By a word of the proxy's own that begins with a line (RFC 7239 §6.3).
            case obfuscated(String)
            /// The proxy does not know or does not say.
            case unknown
        }

        /// The client.
        public let name: Name
        /// How the client spoke to the first proxy, or to us.
        public let scheme: WebURL.Scheme
    }

    /// Which proxies may say whom a request comes from; whatever anybody else says means nothing (FWD-1).
    public struct Forwarding: Hashable, Sendable {
        /// The fields that are read; those of the other family are those of a client (FWD-2).
        public enum Family: Hashable, Sendable {
            /// `Forwarded` of RFC 7239.
            case standard
            /// `X-Forwarded-For` and `X-Forwarded-Proto`.
            case customary
        }

        /// Why a request is not taken: the rule that its proxy broke.
        ///
        /// The status of the answer is 400.
        public struct Refusal: BrokenRule, Hashable {
            /// The rule.
            public let rule: Rule

            init(_ clause: String, _ text: String) {
                rule = Rule(clause, text)
            }
        }

        /// The most proxies behind one another.
        package static let hopLimit = 16

        /// Nobody is believed.
        public static let ignored = Self(peers: [], family: .standard, hops: 1)

        let peers: Set<Peer>
        let family: Family
        let hops: Int

        private init(peers: Set<Peer>, family: Family, hops: Int) {
            (self.peers, self.family, self.hops) = (peers, family, hops)
        }

        /// Believes these peers, and the proxies behind them: as many in all as hops are told, each of which adds one
        /// element at the right.
        ///
        /// `nil` without a peer, without a hop or with more than 16. Whoever gets past one of several proxies
        /// chooses an address at will, so their number is told only where nobody can.
        public init?(trusting peers: Set<Peer>, family: Family, hops: Int = 1) {
            guard !peers.isEmpty, 1...Self.hopLimit ~= hops else { return nil }
            self.init(peers: peers, family: family, hops: hops)
        }
    }
}

extension HTTP.Forwarding {
    /// Whom a request comes from: the peer itself unless it is trusted and says something else.
    ///
    /// - Parameter scheme: that of the connection; it counts where no proxy tells another one.
    package func client(
        of peer: HTTP.Peer, scheme: WebURL.Scheme, fields: HTTP.Fields
    ) throws(Refusal) -> HTTP.Client {
        let itself = HTTP.Client(name: .peer(peer), scheme: scheme)
        guard peers.contains(peer) else { return itself }
        switch family {
        case .standard:
            let values = fields.values(of: .forwarded)
            guard !values.isEmpty else { return itself }
            var elements: [Element] = []
            for value in values {
                try withBytes(of: value.utf8) { bytes throws(Refusal) in try Self.read(bytes, into: &elements) }
            }
            let element = try fromRight(elements)
            return HTTP.Client(name: element.name ?? .unknown, scheme: element.scheme ?? scheme)
        case .customary:
            let addresses = Self.members(fields.values(of: .xForwardedFor))
            guard !addresses.isEmpty else { return itself }
            let name = try Self.customaryName(try fromRight(addresses))
            let schemes = Self.members(fields.values(of: .xForwardedProto))
            guard let only = schemes.first else { return HTTP.Client(name: name, scheme: scheme) }
            // Most proxies replace this field, some add to it.
            let text = schemes.count == 1 ? only : try fromRight(schemes)
            return HTTP.Client(name: name, scheme: try Self.scheme(text))
        }
    }

    /// What the outermost of the trusted proxies added; what stands left of it, others have said (FWD-3).
    private func fromRight<Element>(_ elements: [Element]) throws(Refusal) -> Element {
        guard elements.count >= hops else { throw Refusal("FWD-3", "fewer elements than trusted proxies") }
        return elements[elements.count - hops]
    }

    private static func scheme(_ text: String) throws(Refusal) -> WebURL.Scheme {
        if FieldGrammar.areAlike(text, "https") { return .https }
        guard FieldGrammar.areAlike(text, "http") else { throw Refusal("FWD-4", "a proxy tells a foreign scheme") }
        return .http
    }
}

// MARK: - RFC 7239

extension HTTP.Forwarding {
    private struct Element {
        var name: HTTP.Client.Name?
        var scheme: WebURL.Scheme?
    }

    private static let malformed = Refusal("FWD-4", "Forwarded is malformed")

    /// Reads all elements of a field (RFC 7239 §4), those of others too: without them nobody knows where a quoted
    /// string begins.
    private static func read(_ bytes: Span<UInt8>, into elements: inout [Element]) throws(Refusal) {
        var at = 0
        repeat {
            FieldGrammar.skipBlanks(bytes, &at)
            guard elements.count < FieldGrammar.countLimit else {
                throw Refusal("FWD-4", "Forwarded has more than \(FieldGrammar.countLimit) elements")
            }
            elements.append(try element(bytes, &at))
            FieldGrammar.skipBlanks(bytes, &at)
        } while FieldGrammar.skip(",", bytes, &at)
        guard at == bytes.count else { throw malformed }
    }

    private static func element(_ bytes: Span<UInt8>, _ at: inout Int) throws(Refusal) -> Element {
        var element = Element()
        var names: [String] = []
        repeat {
            let range = FieldGrammar.token(bytes, &at)
            guard !range.isEmpty, FieldGrammar.skip("=", bytes, &at),
                let value = FieldGrammar.tokenOrQuotedString(bytes, &at)
            else { throw malformed }
            let name = bytes.lowercasedText(range)
            guard !names.contains(where: { $0.spells(name) }) else {
                throw Refusal("FWD-4", "a parameter for the second time in an element of Forwarded")
            }
            guard names.count < FieldGrammar.countLimit else { throw malformed }
            names.append(name)
            // The host is that of the request's own fields, whatever a proxy says (FWD-5).
            if name.spells("for") { element.name = try node(value) }
            if name.spells("by") { _ = try node(value) }
            if name.spells("proto") { element.scheme = try scheme(value) }
        } while FieldGrammar.skip(";", bytes, &at)
        return element
    }

    /// Reads a node (RFC 7239 §6) and drops its port.
    private static func node(_ text: String) throws(Refusal) -> HTTP.Client.Name {
        try withBytes(of: text.utf8) { bytes throws(Refusal) in
            var end = bytes.indices.first { bytes[$0] == UInt8(ascii: ":") } ?? bytes.count
            if let first = bytes.indices.first, bytes[first] == UInt8(ascii: "[") {
                guard let close = bytes.indices.first(where: { bytes[$0] == UInt8(ascii: "]") }) else {
                    throw malformed
                }
                end = close + 1
            }
            if end < bytes.count { try checkPort(bytes.extracting(end..<bytes.count)) }
            let name = bytes.extracting(0..<end)
            guard let first = name.indices.first else { throw malformed }
            switch name[first] {
            case UInt8(ascii: "["):
                // Bound: a bracket closes, so the name has two bytes at least.
                guard let address = try? URI.IPv6Address(parsing: name.extracting(1..<end - 1)) else {
                    throw malformed
                }
                return .peer(HTTP.Peer(address))
            case UInt8(ascii: "_"):
                guard isObfuscated(name) else { throw malformed }
                return .obfuscated(name.text(name.indices))
            default:
                if let address = try? URI.IPv4Address(parsing: name) { return .peer(.ipv4(address)) }
                guard FieldGrammar.areAlike(name.text(name.indices), "unknown") else { throw malformed }
                return .unknown
            }
        }
    }

    /// Checks a colon and a port, in digits or obfuscated (RFC 7239 §6).
    private static func checkPort(_ bytes: Span<UInt8>) throws(Refusal) {
        guard bytes[0] == UInt8(ascii: ":") else { throw malformed }
        let port = bytes.extracting(1..<bytes.count)
        let isNumber = 1...5 ~= port.count && port.indices.allSatisfy { ASCII.isDigit(port[$0]) }
        guard isNumber || isObfuscated(port) else { throw malformed }
    }

    private static func isObfuscated(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 1 && bytes[0] == UInt8(ascii: "_")
            && (1..<bytes.count).allSatisfy { ASCII.isUnreserved(bytes[$0]) && bytes[$0] != UInt8(ascii: "~") }
    }
}

// MARK: - X-Forwarded

extension HTTP.Forwarding {
    /// The members of the lists, without white space around them, empty ones too: each is somebody's element.
    private static func members(_ values: [String]) -> [String] {
        values.flatMap { FieldGrammar.members($0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func customaryName(_ text: String) throws(Refusal) -> HTTP.Client.Name {
        if let address = try? URI.IPv4Address(parsing: text) { return .peer(.ipv4(address)) }
        if let address = try? URI.IPv6Address(parsing: text) { return .peer(HTTP.Peer(address)) }
        guard FieldGrammar.areAlike(text, "unknown") else {
            throw Refusal("FWD-4", "X-Forwarded-For names no address")
        }
        return .unknown
    }
}

extension HTTP.Field.Name {
    /// RFC 7239 §4.
    static let forwarded = Self(text: "Forwarded")
    /// No standard has it.
    static let xForwardedFor = Self(text: "X-Forwarded-For")
    /// No standard has it.
    static let xForwardedProto = Self(text: "X-Forwarded-Proto")
}

extension HTTP.Peer: CustomStringConvertible {
    /// The address, or `unix`.
    public var description: String {
        switch self {
        case .ipv4(let address): address.description
        case .ipv6(let address): address.description
        case .localSocket: "unix"
        }
    }

    /// Whether the connection comes from this machine.
    public var isLocal: Bool {
        switch self {
        case .ipv4(let address): address.isLoopback
        case .ipv6(let address): address.isLoopback
        case .localSocket: true
        }
    }
}

extension HTTP.Client: CustomStringConvertible {
    /// The address, or what stands for it.
    public var description: String {
        switch name {
        case .peer(let peer): peer.description
        case .obfuscated(let word): word
        case .unknown: "unknown"
        }
    }
}
