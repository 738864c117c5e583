public import Wire

/// What a token is good for (RFC 6749 §3.3): a set of words, some of which are URLs of endpoints (APP-4).
///
/// Order means nothing and repetition is dropped, so two scopes are equal when they allow the same.
public struct Scope: Sendable {
    /// The words, each once, in the order in which they were first named.
    public private(set) var tokens: [Token]

    /// How many words a scope may have.
    public static let countLimit = 256

    /// A scope of these words, each counted once.
    public init(_ tokens: some Sequence<Token> = []) {
        self.tokens = Array(tokens)
        guard self.tokens.count > 1 else { return }
        self.tokens = self.tokens.reduce(into: []) { distinct, token in
            if !distinct.contains(token) { distinct.append(token) }
        }
    }

    /// Whether it allows nothing.
    public var isEmpty: Bool { tokens.isEmpty }

    /// The endpoints among the words.
    public var endpoints: [WebURL] { tokens.compactMap { $0.endpoint } }

    /// The words, apart by spaces, as parameters and claims carry them.
    public var text: String { tokens.map { $0.text }.joined(separator: " ") }
}

// MARK: - Comparison

extension Scope {
    /// Whether a word is allowed: it stands here, or it is an endpoint that lies under one that does.
    public func allows(_ token: Token) -> Bool {
        if tokens.contains(token) { return true }
        guard let endpoint = token.endpoint else { return false }
        return covers(endpoint)
    }

    /// Whether all that another scope allows is allowed here too; a scope is never widened by what passes this test
    /// (threat 30).
    public func contains(_ other: Scope) -> Bool {
        other.tokens.allSatisfy { allows($0) }
    }

    /// Whether a URL lies under an endpoint of this scope, at a boundary of path segments; the query of the URL does
    /// not matter.
    public func covers(_ url: WebURL) -> Bool {
        tokens.contains { $0.endpoint?.covers(url) ?? false }
    }
}

extension Scope: Hashable {
    /// Whether both have the same words.
    public static func == (one: Scope, other: Scope) -> Bool {
        one.tokens.count == other.tokens.count && one.tokens.allSatisfy { other.tokens.contains($0) }
    }

    /// Feeds what does not depend on the order of the words.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for token in tokens { sum ^= token.hashValue }
        hasher.combine(sum)
    }
}

extension Scope: CustomStringConvertible {
    /// The words.
    public var description: String { text }
}

// MARK: - Words

extension Scope {
    /// One word of a scope, compared byte by byte; a URL means the endpoint that it leads to and all that lies under
    /// it.
    public struct Token: Sendable, CustomStringConvertible {
        /// The word as it was written.
        public let text: String
        /// The endpoint that the word names, where it is a URL.
        public let endpoint: WebURL?

        /// Names an endpoint, which can have neither query nor fragment.
        public init(_ endpoint: WebURL) throws(ParameterRejection) {
            try self.init(parsing: endpoint.text)
        }

        /// The word as it was written.
        public var description: String { text }
    }
}

extension Scope.Token: Hashable {
    /// Whether both are written with the same bytes, or name the same endpoint.
    public static func == (one: Scope.Token, other: Scope.Token) -> Bool {
        if let endpoint = one.endpoint, let other = other.endpoint { return endpoint == other }
        return one.text.utf8.elementsEqual(other.text.utf8)
    }

    /// Feeds the endpoint, or the bytes.
    public func hash(into hasher: inout Hasher) {
        if let endpoint {
            hasher.combine(endpoint)
        } else {
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }
}

// MARK: - Reading

extension Scope: Parsable {
    /// Reads words with one space between each two.
    public init(parsing bytes: Span<UInt8>) throws(ParameterRejection) {
        guard !bytes.isEmpty else { throw .scope(.empty(.scope)) }
        tokens = []
        var start = 0
        for offset in 0...bytes.count where offset == bytes.count || bytes[offset] == 0x20 {
            guard offset > start else { throw .scope(.malformed(.scope, offset: min(offset, bytes.count - 1))) }
            guard tokens.count < Self.countLimit else { throw .scope(.tooMany(.scope, limit: Self.countLimit)) }
            let token = try Token(bytes.extracting(start..<offset), from: start)
            if !tokens.contains(token) { tokens.append(token) }
            start = offset + 1
        }
    }
}

extension Scope.Token: Parsable {
    /// Reads one word: visible ASCII without quotes and backslashes.
    public init(parsing bytes: Span<UInt8>) throws(ParameterRejection) { try self.init(bytes, from: 0) }

    /// Reads the word that begins at an offset of a scope.
    fileprivate init(_ bytes: Span<UInt8>, from start: Int) throws(ParameterRejection) {
        guard !bytes.isEmpty else { throw .scope(.empty(.scope)) }
        for offset in bytes.indices {
            let byte = bytes[offset]
            guard 0x21...0x7e ~= byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else {
                throw .scope(.foreignCharacter(.scope, offset: start + offset))
            }
        }
        text = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        guard Self.isWebURL(bytes) else {
            endpoint = nil
            return
        }
        let url = try wrapping(ParameterRejection.scopeEndpoint, try WebURL(parsing: bytes))
        guard url.query == nil, url.fragment == nil else { throw .scopeEndpointWithQuery }
        endpoint = url
    }

    private static func isWebURL(_ bytes: Span<UInt8>) -> Bool {
        ["http://", "https://"].contains { scheme in
            scheme.utf8.count <= bytes.count
                && scheme.utf8.enumerated().allSatisfy { bytes[$0.offset] | 0x20 == $0.element | 0x20 }
        }
    }
}
