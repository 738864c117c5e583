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
        public init(_ endpoint: WebURL) throws(Rejection) {
            try self.init(parsing: endpoint.text)
        }

        /// The word as it was written.
        public var description: String { text }
    }

    /// The rules of scopes; the offsets count from the beginning of the whole text.
    public enum Rejection: Error, Equatable, Sendable {
        /// There is no word.
        case empty
        /// A space where a word should begin: at an end, or next to another.
        case misplacedSpace(offset: Int)
        /// A character that no word has.
        case foreignCharacter(UInt8, offset: Int)
        /// More words than ``Scope/countLimit``.
        case tooManyTokens(limit: Int)
        /// A word that begins as a web URL is no safe one.
        case malformedEndpoint(URI.Rejection)
        /// A URL with a query or fragment names no endpoint.
        case endpointWithQuery
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
    public init(parsing bytes: Span<UInt8>) throws(Rejection) {
        guard !bytes.isEmpty else { throw .empty }
        tokens = []
        var start = 0
        for offset in 0...bytes.count where offset == bytes.count || bytes[offset] == 0x20 {
            guard offset > start else { throw .misplacedSpace(offset: min(offset, bytes.count - 1)) }
            guard tokens.count < Self.countLimit else { throw .tooManyTokens(limit: Self.countLimit) }
            let token: Token
            do throws(Rejection) {
                token = try Token(parsing: bytes.extracting(start..<offset))
            } catch .foreignCharacter(let byte, let place) {
                throw .foreignCharacter(byte, offset: start + place)
            }
            if !tokens.contains(token) { tokens.append(token) }
            start = offset + 1
        }
    }
}

extension Scope.Token: Parsable {
    /// The rules of scopes.
    public typealias Rejection = Scope.Rejection

    /// Reads one word: visible ASCII without quotes and backslashes.
    public init(parsing bytes: Span<UInt8>) throws(Rejection) {
        guard !bytes.isEmpty else { throw .empty }
        for offset in bytes.indices {
            let byte = bytes[offset]
            guard 0x21...0x7e ~= byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else {
                throw .foreignCharacter(byte, offset: offset)
            }
        }
        text = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        guard Self.isWebURL(bytes) else {
            endpoint = nil
            return
        }
        let url: WebURL
        do throws(URI.Rejection) {
            url = try WebURL(parsing: bytes)
        } catch {
            throw .malformedEndpoint(error)
        }
        guard url.query == nil, url.fragment == nil else { throw .endpointWithQuery }
        endpoint = url
    }

    private static func isWebURL(_ bytes: Span<UInt8>) -> Bool {
        ["http://", "https://"].contains { scheme in
            scheme.utf8.count <= bytes.count
                && scheme.utf8.enumerated().allSatisfy { bytes[$0.offset] | 0x20 == $0.element | 0x20 }
        }
    }
}

extension Scope.Rejection: CustomStringConvertible {
    /// The rule in words, with the place of its breach.
    public var description: String {
        switch self {
        case .empty: "a scope without a word (\(clause))"
        case .misplacedSpace(let offset):
            "a space in a scope where a word should begin, at offset \(offset) (\(clause))"
        case .foreignCharacter(let byte, let offset): "byte \(byte) in a scope at offset \(offset) (\(clause))"
        case .tooManyTokens(let limit): "a scope of more than \(limit) words (\(clause))"
        case .malformedEndpoint(let rejection): "an endpoint in a scope: \(rejection)"
        case .endpointWithQuery: "an endpoint in a scope with a query or fragment (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .empty, .misplacedSpace, .foreignCharacter: "RFC6749-3.3"
        case .tooManyTokens: "threat-14"
        case .malformedEndpoint(let rejection): rejection.clause
        case .endpointWithQuery: "APP-4"
        }
    }
}
