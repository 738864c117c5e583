import PureCrypto
import Wire

/// The members of a key's object, read with the types that keys have.
struct KeyMembers {
    let object: JSON.Document.Object
    /// A key that may well be the same.
    private let known: JWK?

    init(_ value: JSON.Document.Value, knowing known: JWK? = nil) throws(JWK.Rejection) {
        object = try wrapping(JWK.Rejection.malformed, try value.object())
        self.known = known
    }

    /// The string that a member must be.
    func text(_ name: JSON.Name) throws(JWK.Rejection) -> String {
        try wrapping(JWK.Rejection.malformed, try object[name].string())
    }

    /// The string that a member must be where it is present.
    func optionalText(_ name: JSON.Name) throws(JWK.Rejection) -> String? {
        object.contains(name) ? try text(name) : nil
    }

    /// The strings of an array that a member must be where it is present.
    func optionalTexts(_ name: JSON.Name) throws(JWK.Rejection) -> [String]? {
        guard let value = object.optional(name) else { return nil }
        var texts: [String] = []
        for element in try wrapping(JWK.Rejection.malformed, try value.array()) {
            texts.append(try wrapping(JWK.Rejection.malformed, try element.string()))
        }
        return texts
    }

    /// The bytes of a member, which is canonical Base64url; exactly so many, where a count is given.
    @discardableResult
    func bytes(_ name: JSON.Name, count: Int? = nil) throws(JWK.Rejection) -> [UInt8] {
        let text = try text(name)
        let bytes = try wrapping({ JWK.Rejection.malformedBase64URL(name, $0) }, try Base64URL.decode(text))
        if let count, bytes.count != count { throw .wrongLength(name, expected: count, found: bytes.count) }
        return bytes
    }
}

// MARK: - What a public key consists of

extension KeyMembers {
    /// The public material of a key, and the members that it stands in.
    func material(of type: JWK.KeyType) throws(JWK.Rejection) -> (JWK.Material, names: [JSON.Name]) {
        switch type {
        case .octetKeyPair where JSON.Name(try text("crv")) == "Ed25519":
            let point = try bytes("x", count: 32)
            // Each point has one encoding, so that the same bytes are the same key.
            if case .ed25519(let same)? = known?.material, same.rawRepresentation == point {
                return (.ed25519(same), ["crv", "x"])
            }
            let key = try wrapping(
                JWK.Rejection.invalidKey, try Curve25519.Signing.PublicKey(rawRepresentation: point))
            return (.ed25519(key), ["crv", "x"])
        case .ellipticCurve:
            switch ECDSACurve(JSON.Name(try text("crv"))) {
            case .p256?: return (.p256(try point()), ["crv", "x", "y"])
            case .p384?: return (.p384(try point()), ["crv", "x", "y"])
            case .p521?: return (.p521(try point()), ["crv", "x", "y"])
            case nil: break
            }
        case .rsa:
            let (modulus, exponent) = (try natural("n"), try natural("e"))
            let key = try wrapping(
                JWK.Rejection.invalidRSAKey, try RSA.Signing.PublicKey(modulus: modulus, exponent: exponent))
            return (.rsa(key), ["n", "e"])
        default: break
        }
        let members = try foreignMaterial(of: type)
        return (.foreign(type, members), members.map { $0.name })
    }

    /// A coordinate or a private key, which have exactly the length of the curve (RFC 7518 §6.2).
    func bytes(_ name: JSON.Name, of curve: ECDSACurve) throws(JWK.Rejection) -> [UInt8] {
        let bytes = try bytes(name)
        guard bytes.count == curve.coordinateLength else {
            throw .wrongCoordinateLength(name, curve, found: bytes.count)
        }
        return bytes
    }

    private func point<Key: CurvePublicKey>() throws(JWK.Rejection) -> Key {
        let (x, y) = (try bytes("x", of: Key.curve), try bytes("y", of: Key.curve))
        return try wrapping(JWK.Rejection.invalidCurveKey, try Key(x: x, y: y))
    }

    /// A positive big-endian integer without leading zeros (RFC 7518 §2).
    private func natural(_ name: JSON.Name) throws(JWK.Rejection) -> [UInt8] {
        let bytes = try bytes(name)
        guard let first = bytes.first, first != 0 else { throw .notMinimal(name) }
        return bytes
    }
}

// MARK: - Keys that are kept without computing with them

extension KeyMembers {
    /// The public members of a key of a type that this module does not compute with, checked for their form.
    ///
    /// The form matters although nothing is computed: thumbprints are taken of these members, and two spellings of one
    /// key would have two. Of an unknown type nothing says which members are its material; they are kept with the
    /// attributes.
    private func foreignMaterial(of type: JWK.KeyType) throws(JWK.Rejection) -> JSON.Object {
        switch type {
        case .ellipticCurve: return try coordinates(["x", "y"])
        case .octetKeyPair: return try coordinates(["x"])
        // A symmetric key without its secret is no key.
        case .octetSequence: throw .malformed(.missing(at: "$.k"))
        default: return JSON.Object()
        }
    }

    private func coordinates(_ names: [JSON.Name]) throws(JWK.Rejection) -> JSON.Object {
        let curve = try text("crv")
        var material: JSON.Object = ["crv": .string(curve)]
        for name in names {
            try bytes(name, count: Self.coordinateLength(of: JSON.Name(curve)))
            material[name] = .string(try text(name))
        }
        return material
    }

    /// The bytes of a coordinate on the other curves that are registered for EC and OKP keys; points of curves that are
    /// not have any length.
    private static func coordinateLength(of curve: JSON.Name) -> Int? {
        switch curve {
        case "secp256k1", "X25519": 32
        case "X448": 56
        case "Ed448": 57
        default: nil
        }
    }
}
