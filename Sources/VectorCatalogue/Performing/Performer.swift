package import Wire

/// Performs vectors with this package's own modules and parties.
package enum Performer {
    /// What comes of a vector: the members that its `expect` is compared with.
    package static func outcome(of kind: Vector.Kind, _ given: JSON.Object) throws(Malformed) -> JSON.Object {
        switch kind {
        case .hash: return try hash(given)
        case .mac: return try authenticationCode(given)
        case .sign: return try signing(given)
        case .signature: return try signature(given)
        case .json: return try jsonText(given)
        case .base64url: return try base64URL(given)
        case .url: return try url(given)
        case .form: return try form(given)
        case .jwk: return try key(given)
        case .jws: return try signedContent(given)
        case .jwt: return try token(given)
        case .issue: return try issuance(given)
        case .services: return try serviceList(given)
        case .directory: return try directory(given)
        case .tree: return try tree(given)
        case .message: return try message(given)
        case .reply: return try reply(given)
        case .exchange: return try exchange(given)
        case .access: return try access(given)
        case .delivery: return try delivery(given)
        case .protocolRequest: return try protocolRequest(given)
        case .protocolResponse: return try protocolResponse(given)
        case .state: return try state(given)
        case .document: return try document(given)
        case .mode: return try mode(given)
        }
    }

    /// A text that must be there.
    static func text(_ given: JSON.Object, _ member: JSON.Name) throws(Malformed) -> String {
        try Malformed.need(given[member]?.string, member.text)
    }

    /// Bytes that must be there, in hexadecimal.
    static func bytes(_ given: JSON.Object, _ member: JSON.Name) throws(Malformed) -> [UInt8] {
        try Malformed.need(try? Hex.decode(try text(given, member)), member.text)
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> JSON { .string(Hex.encode(Array(bytes))) }

    static func refused(_ clause: String) -> JSON.Object { ["refusal": ["clause": .string(clause)]] }

    static func now(_ given: JSON.Object) throws(Malformed) -> Timestamp {
        Timestamp(seconds: try Malformed.need(given["now"]?.number?.integer(as: Int64.self), "now"))
    }

    /// A time as a number of seconds.
    static func time(_ time: Timestamp) -> JSON { (try? JSON(parsing: time.number)) ?? .null }

    static func json(_ value: some JSON.Writable) -> JSON {
        let list = JSON.encodedArray { $0.element(value) }
        return (try? JSON(parsing: list))?.array?.first ?? .null
    }

    static func json(_ bytes: [UInt8]) -> JSON { (try? JSON(parsing: bytes)) ?? .null }
}
