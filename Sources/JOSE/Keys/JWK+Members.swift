import Wire

/// The members of a key's object, read with the types that keys have.
struct KeyMembers {
    let object: JSON.Document.Object

    init(_ value: JSON.Document.Value) throws(JWK.Rejection) {
        object = try wrapping(JWK.Rejection.malformed, try value.object())
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

// MARK: - Keys that are kept without computing with them

extension KeyMembers {
    /// The public members of a key of a type that this module does not compute with, checked for their form.
    ///
    /// The form matters although nothing is computed: thumbprints are taken of these members, and two spellings of one
    /// key would have two. Of an unknown type nothing says which members are its material; they are kept with the
    /// attributes.
    func material(of type: JWK.KeyType) throws(JWK.Rejection) -> JSON.Object {
        var material = JSON.Object()
        switch type {
        case .ellipticCurve: try takeCoordinates(["x", "y"], into: &material)
        case .octetKeyPair: try takeCoordinates(["x"], into: &material)
        case .rsa:
            for name: JSON.Name in ["n", "e"] {
                // A positive big-endian integer without leading zeros (RFC 7518 §2).
                guard let first = try bytes(name).first, first != 0 else { throw .notMinimal(name) }
                material[name] = .string(try text(name))
            }
        case .octetSequence:
            // A symmetric key without its secret is no key.
            throw .malformed(.missing(at: "$.k"))
        default: break
        }
        return material
    }

    private func takeCoordinates(_ names: [JSON.Name], into material: inout JSON.Object) throws(JWK.Rejection) {
        let curve = try text("crv")
        material["crv"] = .string(curve)
        for name in names {
            try bytes(name, count: Self.coordinateLength(of: JSON.Name(curve)))
            material[name] = .string(try text(name))
        }
    }

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
