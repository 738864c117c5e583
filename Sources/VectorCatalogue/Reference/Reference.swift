package import Wire

/// This package's own modules and parties as an implementation that performs vectors.
package enum Reference {
    /// What comes of a vector: the members that its `expect` is compared with.
    package static func outcome(of kind: Vector.Kind, _ given: JSON.Object) throws(Vector.Rejection) -> JSON.Object {
        do {
            return try Vector.Rejection.need(performances[kind], "kind")(Given(.object(given)))
        } catch let rejection as Vector.Rejection {
            throw rejection
        } catch {
            return refused(clause(of: error))
        }
    }

    private static let performances: [Vector.Kind: @Sendable (Given) throws -> JSON.Object] = [
        .hash: hash, .mac: authenticationCode, .sign: signing, .signature: signature, .json: jsonText,
        .base64url: base64URL, .url: url, .form: form, .jwk: key, .keyDocument: keyDocument,
        .signatureForm: signatureForm, .jws: signedContent, .jwt: token, .issue: issuance,
        .services: serviceList, .directory: directory, .crawl: crawl, .tree: tree, .message: message, .reply: reply,
        .exchange: exchange, .access: access, .delivery: delivery, .protocolRequest: protocolRequest,
        .protocolResponse: protocolResponse, .state: state, .sealed: sealed, .store: appStore, .document: document,
        .mode: mode, .conversation: conversation,
    ]

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
