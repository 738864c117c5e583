package import Wire

/// This package's own modules and parties as an implementation that performs vectors.
package enum Reference {
    /// What comes of a vector: the members that its `expect` is compared with.
    package static func outcome(of kind: Vector.Kind, _ given: JSON.Object) throws(Vector.Rejection) -> JSON.Object {
        do {
            return try perform(kind, Given(.object(given)))
        } catch let rejection as Vector.Rejection {
            throw rejection
        } catch {
            return refused(clause(of: error))
        }
    }

    private static func perform(_ kind: Vector.Kind, _ given: Given) throws -> JSON.Object {
        switch kind {
        case .hash: try hash(given)
        case .mac: try authenticationCode(given)
        case .sign: try signing(given)
        case .signature: try signature(given)
        case .json: try jsonText(given)
        case .base64url: try base64URL(given)
        case .url: try url(given)
        case .form: try form(given)
        case .jwk: try key(given)
        case .jws: try signedContent(given)
        case .jwt: try token(given)
        case .issue: try issuance(given)
        case .services: try serviceList(given)
        case .directory: try directory(given)
        case .tree: try tree(given)
        case .message: try message(given)
        case .reply: try reply(given)
        case .exchange: try exchange(given)
        case .access: try access(given)
        case .delivery: try delivery(given)
        case .protocolRequest: try protocolRequest(given)
        case .protocolResponse: try protocolResponse(given)
        case .state: try state(given)
        case .document: try document(given)
        case .mode: try mode(given)
        }
    }

    static func refused(_ clause: String) -> JSON.Object { ["refusal": ["clause": .string(clause)]] }

    /// The clause of a broken rule.
    package static func clause(of error: any Error) -> String {
        (error as? any BrokenRule)?.clause ?? (error as? any ErrorWithClause)?.clause ?? "\(error)"
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> JSON { .string(Hex.encode(Array(bytes))) }

    /// A time as a number of seconds.
    static func time(_ time: Timestamp) -> JSON { (try? JSON(parsing: time.number)) ?? .null }

    static func json(_ value: some JSON.Writable) -> JSON {
        let list = JSON.encodedArray { $0.element(value) }
        return (try? JSON(parsing: list))?.array?.first ?? .null
    }

    static func json(_ bytes: [UInt8]) -> JSON { (try? JSON(parsing: bytes)) ?? .null }
}
