/// How an access token is to be presented (`token_type`, RFC 6749 §7.1): a word of an open registry, in which case says
/// nothing.
public struct TokenType: Sendable, CustomStringConvertible {
    /// The word as it was written.
    public let text: String

    /// Reads a word.
    public init(_ text: String) { self.text = text }

    /// RFC 6750: good for whoever bears it.
    public static let bearer = TokenType("Bearer")
    /// RFC 9200 §5.8.4.3: good with a proof of the key that it is bound to.
    public static let proofOfPossession = TokenType("PoP")
    /// RFC 9449 §5: good with a DPoP proof.
    public static let dpop = TokenType("DPoP")

    /// The word as it was written.
    public var description: String { text }
}

extension TokenType: Hashable {
    /// Whether the words differ in case at most.
    public static func == (one: TokenType, other: TokenType) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8) { lowercased($0) == lowercased($1) }
    }

    /// Feeds the bytes without their case.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(Self.lowercased(byte)) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }
}
