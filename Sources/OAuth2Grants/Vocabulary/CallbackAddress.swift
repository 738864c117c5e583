internal import Wire

/// Where a browser calls an app back, as it is registered with the app's version (OIC-2): an `https` link that the app
/// has claimed, a private-use scheme with a dot in it, or a port of the machine itself (RFC 8252 §7).
///
/// Two are the same if their bytes are. It has no query, so that an answer can be put behind it.
public struct CallbackAddress: Sendable, Hashable, CustomStringConvertible {
    private let name: Identifier<Kind>

    private enum Kind: IdentifierKind {
        static var lengthLimit: Int { 512 }
    }

    /// Reads an address.
    public init(parsing text: String) throws(ParameterRejection) {
        name = try wrapping(
            { (error) in ParameterRejection.identifier("redirect_uri", error) }, try Identifier(parsing: text))
        let bytes = Array(text.utf8)
        if let offset = bytes.firstIndex(where: { !Self.isPlain($0) }) {
            throw .identifier("redirect_uri", .foreignCharacter(.identifier, offset: offset))
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw .callback }
        switch String(decoding: bytes[..<colon], as: UTF8.self) {
        case "https", "http":
            let url = try wrapping(
                { (error) in ParameterRejection.url("redirect_uri", error) }, try WebURL(parsing: text))
            guard url.scheme == .https || Self.isHere(bytes) else { throw .callback }
        case let scheme:
            guard Self.isPrivate(scheme.utf8), colon + 1 < bytes.count, bytes[colon + 1] == UInt8(ascii: "/") else {
                throw .callback
            }
        }
    }

    /// The address, byte for byte.
    public var text: String { name.text }

    /// The address.
    public var description: String { text }

    /// Unreserved characters and those that part a URL, without `?`, `#` and `%`.
    private static func isPlain(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) || "+:/@[]!$&'()*,;=".utf8.contains(byte)
    }

    /// Whether an address is a port of this machine, by its address: a name could lead to another one.
    private static func isHere(_ bytes: [UInt8]) -> Bool {
        ["http://127.0.0.1:", "http://[::1]:"].contains { start in
            bytes.starts(with: start.utf8) && (bytes.dropFirst(start.utf8.count).first.map(ASCII.isDigit) ?? false)
        }
    }

    /// Whether a scheme follows from the name of a domain, read from its end, so that nobody else has it by chance.
    private static func isPrivate(_ scheme: some Collection<UInt8>) -> Bool {
        let words = scheme.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return words.count > 1
            && words.allSatisfy { word in
                !word.isEmpty && word.allSatisfy { isSmallLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") }
            } && (scheme.first.map { isSmallLetter($0) } ?? false)
    }

    private static func isSmallLetter(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) && ASCII.lowercased(byte) == byte
    }
}
