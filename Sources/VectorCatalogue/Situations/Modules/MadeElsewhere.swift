internal import Wire

/// Signatures, tokens and key documents that nothing in this package can make: by a private RSA key, or with one rule
/// broken on purpose.
///
/// `Fixtures/made-elsewhere` writes them, and what each of them has to give: rows of JSON with `name`, `title`,
/// `proves`, `clause` (of the refusal, or null) and `given`.
enum MadeElsewhere {
    /// What is said once for many rows; a value that is `@` and its name stands for it.
    private static let constants: [String: JSON] = ["@modulus": .string(modulus)]

    /// The modulus as it stands in a JWK.
    static var modulusText: String { Base64URL.encode((try? Hex.decode(modulus)) ?? []) }

    static func rows(_ text: String) -> [JSON.Object] {
        // What is no JSON leaves no row, and the count of vectors tells.
        ((try? JSON(parsing: text))?.array ?? []).compactMap { $0.object }
    }

    static func given(_ row: JSON.Object) -> JSON.Object {
        var given = JSON.Object()
        for member in row["given"]?.object ?? JSON.Object() {
            given[member.name] = member.value.string.flatMap { constants[$0] } ?? member.value
        }
        return given
    }
}

extension Catalogue {
    /// Adds rows of one kind.
    mutating func addMadeElsewhere(_ kind: Vector.Kind, _ prefix: String, _ text: String) {
        for row in MadeElsewhere.rows(text) {
            add(
                prefix + (row["name"]?.string ?? ""), row["title"]?.string ?? "",
                (row["proves"]?.array ?? []).compactMap { $0.string }, kind, MadeElsewhere.given(row),
                expecting: (row["clause"]?.string).map { Expected(stringLiteral: $0) })
        }
    }
}
