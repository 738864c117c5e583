import Wire

/// The public members of a key that this module keeps without computing with it, checked for their form.
///
/// The form matters although nothing is computed: thumbprints are taken of these members, and two spellings of one key
/// would have two.
struct ForeignKey {
    let members: JSON.Object

    init(_ type: KeyType, _ key: KeyMembers) throws(JWK.Rejection) {
        var members = JSON.Object()
        switch type {
        case .ellipticCurve:
            let curve = try key.text("crv")
            let length = Self.coordinateLength(of: JSON.Name(curve))
            for coordinate: JSON.Name in ["x", "y"] {
                let bytes = try key.bytes(coordinate)
                if let length, bytes.count != length {
                    throw .wrongLength(coordinate, expected: length, found: bytes.count)
                }
                members[coordinate] = .string(try key.text(coordinate))
            }
            members["crv"] = .string(curve)
        case .rsa:
            for integer: JSON.Name in ["n", "e"] {
                _ = try key.integer(integer)
                members[integer] = .string(try key.text(integer))
            }
        case .octetKeyPair:
            let curve = try key.text("crv")
            let bytes = try key.bytes("x")
            if let length = Self.coordinateLength(of: JSON.Name(curve)), bytes.count != length {
                throw .wrongLength("x", expected: length, found: bytes.count)
            }
            members["crv"] = .string(curve)
            members["x"] = .string(try key.text("x"))
        case .octetSequence:
            // A symmetric key without its secret is no key.
            throw .malformed(.missing(at: "$.k"))
        default:
            // Of an unknown type nothing says which members are its material; they are kept with the attributes.
            break
        }
        self.members = members
    }

    /// The names of the members that are material.
    var names: [JSON.Name] { members.map { $0.name } }

    /// The bytes of a coordinate on the curves that are registered for EC and OKP keys; points of other curves have any
    /// length.
    private static func coordinateLength(of curve: JSON.Name) -> Int? {
        switch curve {
        case "P-256", "secp256k1", "X25519": 32
        case "P-384": 48
        case "P-521": 66
        case "X448": 56
        case "Ed448": 57
        default: nil
        }
    }
}
