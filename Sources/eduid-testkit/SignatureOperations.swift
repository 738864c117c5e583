import JOSE
import PureCrypto
import Wire

extension Operation {
    /// Ed25519, ECDSA and RSA.
    static let signatures = [
        Operation("ed25519-sign") { input in
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: input.bytes("seed"))
            return [
                "pub": .string(Hex.encode(key.publicKey.rawRepresentation)),
                "sig": .string(Hex.encode(key.signature(for: try input.bytes("msg")))),
            ]
        },
        Operation("ed25519-verify") { input in
            let (message, signature) = (try input.bytes("msg"), try input.bytes("sig"))
            let key = try Curve25519.Signing.PublicKey(rawRepresentation: input.bytes("pub"))
            return .bool(key.isValidSignature(signature, for: message))
        },
        // By RFC 6979, with the hash that JOSE uses on the curve.
        Operation("ecdsa-sign") { input in
            let (curve, secret, message) = (try input.curve, try input.bytes("priv"), try input.bytes("msg"))
            let isDER = try input.isDER
            let (key, signature) = try curve.signature(over: message, by: secret)
            let written =
                isDER ? try ECDSASignature(rawRepresentation: signature, on: curve).derRepresentation : signature
            return ["pub": .string(Hex.encode(key)), "sig": .string(Hex.encode(written))]
        },
        Operation("ecdsa-verify") { input in
            let (curve, hash, isDER) = (try input.curve, try input.hashFunction("hash"), try input.isDER)
            let (key, message) = (try input.bytes("pub"), try input.bytes("msg"))
            let digest = digestBytes(hash, of: message)
            let received = try input.bytes("sig")
            let signature =
                isDER ? try ECDSASignature(derRepresentation: received, on: curve).rawRepresentation : received
            return .bool(try curve.isValid(signature, forDigest: digest, by: key))
        },
        Operation("ec-point-validate") { input in
            let (curve, x, y) = (try input.curve, try input.bytes("x"), try input.bytes("y"))
            try curve.validate(x, y)
            return true
        },
        Operation("rsa-verify") { input in
            let padding: RSA.Signing.Padding = try input.choice("scheme") {
                ["pkcs1": .pkcs1v15, "pss": .pss][$0]
            }
            let hash = try input.choice("hash") { RSA.Signing.Hash(name: $0) }
            if case .pss = padding { try input.checkSaltAndMask(of: hash) }
            let (message, signature) = (try input.bytes("msg"), try input.bytes("sig"))
            let key = try RSA.Signing.PublicKey(modulus: input.number("n"), exponent: input.number("e"))
            return .bool(key.isValidSignature(signature, for: message, padding: padding, hash: hash))
        },
        Operation("key-import") { input in
            let wantsPrivate = input["private"]?.bool ?? false
            switch try input.text("form") {
            case "jwk": return .bool(try isComputed(jwk: input.text("text"), wantsPrivate))
            case "pem":
                let text = try input.text("text")
                if wantsPrivate {
                    _ = try PrivateKeyDocument(pemRepresentation: text)
                } else {
                    _ = try PublicKeyDocument(pemRepresentation: text)
                }
            case "spki-der":
                try need(!wantsPrivate)
                _ = try PublicKeyDocument(derRepresentation: Base64.decode(input.text("b64")))
            case "pkcs8-der":
                try need(wantsPrivate)
                _ = try PrivateKeyDocument(pkcs8: Base64.decode(input.text("b64")))
            case "sec1-der":
                try need(wantsPrivate)
                _ = try PrivateKeyDocument(sec1: Base64.decode(input.text("b64")))
            case let form: throw Fault.unknown("form", value: form)
            }
            return true
        },
    ]

    /// Whether the text is a key that this suite computes with, a private one where that is wanted.
    private static func isComputed(jwk text: String, _ wantsPrivate: Bool) throws -> Bool {
        guard wantsPrivate else { return try JWK(parsing: text).document != nil }
        let key = try JWK.Private(parsing: text)
        return key.document != nil || key.type == .octetSequence
    }

    private static func digestBytes<Hash: HashFunction>(_: Hash.Type, of message: [UInt8]) -> [UInt8] {
        [UInt8](Hash.hash(data: message))
    }
}

extension ECDSACurve {
    /// The curve by the name that SEC 2 gives it.
    fileprivate init?(standardName: String) {
        switch standardName {
        case "secp256r1": self = .p256
        case "secp384r1": self = .p384
        case "secp521r1": self = .p521
        default: return nil
        }
    }

    fileprivate func signature(over message: [UInt8], by secret: [UInt8]) throws -> (key: [UInt8], value: [UInt8]) {
        switch self {
        case .p256:
            let key = try P256.Signing.PrivateKey(rawRepresentation: secret)
            return (key.publicKey.x963Representation, [UInt8](key.signature(for: message)))
        case .p384:
            let key = try P384.Signing.PrivateKey(rawRepresentation: secret)
            return (key.publicKey.x963Representation, key.signature(for: message))
        case .p521:
            let key = try P521.Signing.PrivateKey(rawRepresentation: secret)
            return (key.publicKey.x963Representation, key.signature(for: message))
        }
    }

    fileprivate func isValid(_ signature: [UInt8], forDigest digest: [UInt8], by key: [UInt8]) throws -> Bool {
        switch self {
        case .p256:
            try P256.Signing.PublicKey(x963Representation: key)
                .isValidSignature(signature.span, forDigest: digest.span)
        case .p384:
            try P384.Signing.PublicKey(x963Representation: key)
                .isValidSignature(signature.span, forDigest: digest.span)
        case .p521:
            try P521.Signing.PublicKey(x963Representation: key)
                .isValidSignature(signature.span, forDigest: digest.span)
        }
    }

    fileprivate func validate(_ x: [UInt8], _ y: [UInt8]) throws {
        switch self {
        case .p256: _ = try P256.Signing.PublicKey(x: x, y: y)
        case .p384: _ = try P384.Signing.PublicKey(x: x, y: y)
        case .p521: _ = try P521.Signing.PublicKey(x: x, y: y)
        }
    }
}

extension RSA.Signing.Hash {
    fileprivate init?(name: String) {
        switch name {
        case "SHA-256": self = .sha256
        case "SHA-384": self = .sha384
        case "SHA-512": self = .sha512
        default: return nil
        }
    }

    fileprivate var byteCount: Int {
        switch self {
        case .sha256: SHA256.byteCount
        case .sha384: SHA384.byteCount
        case .sha512: SHA512.byteCount
        }
    }
}

extension Input {
    fileprivate var curve: ECDSACurve {
        get throws(Fault) { try choice("curve") { ECDSACurve(standardName: $0) } }
    }

    /// Whether signatures are DER; without the member they are R‖S.
    fileprivate var isDER: Bool {
        get throws(Fault) {
            self["fmt"] == nil ? false : try choice("fmt") { ["p1363": false, "der": true][$0] }
        }
    }

    /// The salt is as long as the hash and the mask is made with the same hash; nothing else is computed.
    fileprivate func checkSaltAndMask(of hash: RSA.Signing.Hash) throws {
        let mask = try optionalText("mgfHash").flatMap { RSA.Signing.Hash(name: $0) }
        try need(self["mgfHash"] == nil || mask == hash)
        try need(try count("saltLen", in: 0...1 << 20, otherwise: hash.byteCount) == hash.byteCount)
    }

    /// A number as DER writes it, which keeps its sign by a leading zero.
    fileprivate func number(_ name: JSON.Name) throws(Fault) -> ArraySlice<UInt8> {
        try bytes(name).drop { $0 == 0 }
    }
}
